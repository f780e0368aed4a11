"""Figures that could not be tested, and what it would take to test them."""

from __future__ import annotations

from dataclasses import dataclass

from macrof1.auditing.intervals import RATIOS, Report

WORDS = {"precision": "precision", "recall": "recall", "f1": "F1"}


def not_tested(report: Report, *, counted: bool) -> tuple[str, ...]:
    """Name every figure that no other figure can contradict, and why.

    `counted` says whether integer counts were searched for, which tests every figure.
    """
    facts = _Facts(report, counted)
    return (*_formula(facts), *_macro(facts), *_classes(facts), *_totals(facts), *_sizes(facts))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What was given."""

    report: Report
    counted: bool

    def has(self, label: str | None, *kinds: str) -> bool:
        return all((label, kind) in self.report.figures for kind in kinds)

    def every(self, kind: str) -> bool:
        """Whether every class has this figure."""
        labels = self.report.labels
        complete = bool(labels) and len(labels) == self.report.n_classes
        return complete and all(self.has(label, kind) for label in labels)

    @property
    def has_total(self) -> bool:
        report = self.report
        return self.has(None, "total") or (report.all_sizes is not None and report.single_label)


def _formula(facts: _Facts) -> list[str]:
    if not facts.has(None, "f1"):
        return ["the formula: no macro F1 was given"]
    if not (facts.has(None, "precision") or facts.has(None, "recall") or facts.report.labels):
        return ["macro F1: needs macro precision and macro recall, or figures of the classes"]
    return []


def _macro(facts: _Facts) -> list[str]:
    return [
        f"macro {kind}: needs a macro F1, or the {kind} of every class"
        for kind in ("precision", "recall")
        if facts.has(None, kind) and not (facts.has(None, "f1") or facts.every(kind) or facts.counted)
    ]


def _classes(facts: _Facts) -> list[str]:
    if facts.counted:
        return []
    found = []
    for label in facts.report.labels:
        for kind in RATIOS:
            others = tuple(other for other in RATIOS if other != kind)
            in_mean = facts.every(kind) and facts.has(None, kind)
            if facts.has(label, kind) and not (facts.has(label, *others) or in_mean):
                found.append(f"{label} {WORDS[kind]}: needs the other two figures of the class, or class sizes")
    return found


def _totals(facts: _Facts) -> list[str]:
    found = []
    if facts.has(None, "accuracy") and not (facts.counted or (facts.has(None, "correct") and facts.has_total)):
        found.append("accuracy: needs class sizes, or correct and total")
    if facts.has(None, "correct") and not (facts.counted or facts.has_total):
        found.append("correct: needs class sizes, or total")
    if facts.has(None, "total") and facts.report.all_sizes is None and not facts.has(None, "correct"):
        found.append("total: needs class sizes, or correct and accuracy")
    return found


def _sizes(facts: _Facts) -> list[str]:
    report = facts.report
    if facts.counted or all(size is None for size in report.sizes):
        return []
    why = "rows have several labels"
    if report.single_label:
        missing = report.all_sizes is None
        why = "not every class has one" if missing else "more combinations of counts fit than are listed"
    return [f"class sizes against whole counts: {why}"]
