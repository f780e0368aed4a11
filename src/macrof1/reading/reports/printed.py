"""A printed report: every figure as text, by class and by average."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from macrof1.reading.reports.vocabulary import ERRORS, RATIOS, phrase, role_of


@dataclass(slots=True)
class PrintedClass:
    """One class and its figures as printed, by kind: precision, recall, f1, support, tp, fp, fn."""

    label: str
    figures: dict[str, str]


@dataclass(slots=True)
class PrintedReport:
    """The contents of one report, figure by figure as printed.

    Attributes
    ----------
    source
        The format it was read as: ``"scikit-learn report"``, ``"Markdown table"``.
    line, end
        Where it begins, and the line after it.
    in_prose
        Whether all its figures are from sentences, which belong to no table.
    accuracy_apart
        Whether the accuracy is not from the table itself, and may be of something else.
    name
        Its name in the text, or None.
    averages
        Figures of the averages by role: macro, micro, weighted, samples, average, total.
    unnamed
        Figures next to counts that the text does not name.
    matrix
        A confusion matrix with gold labels as rows.
    remarks
        How unnamed figures were identified, and what was not used.
    of_other_data
        Whether its names say that it does not belong to the table above it: "5-fold CV macro F1".
    of_runs
        Whether words around it say that its figures are means over folds, seeds or runs; None if they say nothing.
    labelled
        Whether a header says that its rows are classes.
    unsure_average
        Whether its weighted average is called "avg / total", which may also be the micro average.
    """

    source: str
    line: int = 0
    name: str | None = None
    end: int = 0
    in_prose: bool = False
    classes: list[PrintedClass] = field(default_factory=list)
    averages: dict[str, dict[str, str]] = field(default_factory=dict)
    accuracy: str | None = None
    accuracy_apart: bool = False
    n_classes: int | None = None
    matrix: list[list[int]] | None = None
    unnamed: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    of_other_data: bool = False
    of_runs: bool | None = None
    labelled: bool = False
    unsure_average: bool = False

    @property
    def macro(self) -> dict[str, str]:
        """The macro figures; if none are called macro, those of an average without another name."""
        return self.averages.get("macro") or self.averages.get("average") or {}

    @property
    def kinds(self) -> list[str]:
        """The kinds of figures that the classes have."""
        seen = {kind for row in self.classes for kind in row.figures}
        return [kind for kind in (*RATIOS, "support", *ERRORS) if kind in seen]

    @property
    def is_matrix(self) -> bool:
        """Whether its classes are known from a confusion matrix alone."""
        return self.matrix is not None and self.source == "confusion matrix"

    def add(self, role: str, figures: dict[str, str]) -> None:
        """Add the figures of an average; the first of a kind is kept."""
        self.averages[role] = {**figures, **self.averages.get(role, {})}

    def add_row(self, label: str, role: str | None, figures: dict[str, str]) -> None:
        """Add a class, an average or the accuracy."""
        if role == "accuracy":
            # If the header is shifted, the support may look like the F1.
            ratios = [text for text in figures.values() if re.search(r"[.,%]", text)]
            self.accuracy = next(iter([*ratios, *figures.values()]), None)
        elif role is not None:
            self.add(role, figures)
            self.unsure_average |= role == "weighted" and phrase(label) == "avg total"
            self.of_runs = self.of_runs or (True if role == "run" else None)
        else:
            self.classes.append(PrintedClass(label, figures))

    def add_cells(self, text: str) -> None:
        """Add the cells of a two-class table, printed as tn fp fn tp, as the counts of both classes."""
        numbers = re.findall(r"\d+", text)
        if len(numbers) == 4:
            tn, fp, fn, tp = numbers
            positive, negative = {"tp": tp, "fp": fp, "fn": fn}, {"tp": tn, "fp": fn, "fn": fp}
            self.classes = [PrintedClass("negative", negative), PrintedClass("positive", positive)]
            self.n_classes = 2

    def takes(self, other: PrintedReport) -> bool:
        """Whether the text that follows belongs to this report: it adds figures and repeats none."""
        both = self.averages.keys() & other.averages.keys()
        repeats = any(self.averages[role].keys() & other.averages[role].keys() for role in both)
        if self.macro.get("f1") and other.macro.get("f1"):
            return False
        if self.matrix and other.matrix:
            return False
        if self.classes and other.classes:
            # A table that has its matrix does not take the table of the next run.
            return self.is_matrix != other.is_matrix and len(self.classes) == len(other.classes)
        if self.classes and other.of_other_data:
            return False
        if other.classes and (self.macro or self.accuracy) and not other.matrix:
            return False
        return not repeats and not (self.accuracy and other.accuracy)

    def repeats(self, above: PrintedReport) -> bool:
        """Whether no average of this report differs from one above it; flair prints the macro F1 before its table."""
        return all(
            above.averages[role].get(kind, text) == text
            for role, figures in self.averages.items() if role in above.averages
            for kind, text in figures.items()
        ) and (not self.averages or self.macro.get("f1") == above.macro.get("f1"))  # fmt: skip

    def take(self, other: PrintedReport) -> None:
        """Add the figures that follow in the text."""
        if not self.classes or (self.matrix and other.classes):
            self.classes, self.source = other.classes or self.classes, other.source if other.classes else self.source
        for role, figures in other.averages.items():
            self.add(role, figures)
        if other.accuracy and not self.accuracy:
            # An accuracy beside a table of classes may be of something else: tokens, exact matches.
            self.accuracy, self.accuracy_apart = other.accuracy, other.accuracy_apart or not other.classes
        elif self.accuracy and other.classes:
            self.accuracy_apart = True
        self.end = max(self.end, other.end)
        self.line = min(self.line, other.line)
        self.n_classes = self.n_classes or other.n_classes
        self.matrix = self.matrix or other.matrix
        self.name = self.name or other.name
        self.remarks += other.remarks


def roles_of(rows: Sequence[tuple[str, Mapping[str, str]]]) -> list[str | None]:
    """Return the role of every row, None for a class; a class may be called "micro", "average" or "total".

    A name of one word is a class if "macro avg" has the same role and kinds of figures, or if the supports add up only
    with it.

    Examples
    --------
    >>> roles_of([("macro", {"support": "9"}), ("mean", {"support": "3"}), ("macro avg", {"support": "12"})])
    [None, None, 'macro']
    """
    found = [_Row.of(*row) for row in rows]
    sure = [row for row in found if row.role is not None and not row.is_bare]
    totals = {row.size for row in sure if row.size}
    odd = [row.is_bare and row.size is not None and row.size not in totals for row in found]
    parts = [row.size or 0 for row, is_odd in zip(found, odd, strict=True) if row.role is None or is_odd]
    adds_up = sum(parts) in totals
    return [
        None if row.is_bare and ((is_odd and adds_up) or any(map(row.differs, sure))) else row.role
        for row, is_odd in zip(found, odd, strict=True)
    ]


class _Row(NamedTuple):
    role: str | None
    is_bare: bool  # named by one word
    size: int | None
    figures: Mapping[str, str]

    @classmethod
    def of(cls, name: str, figures: Mapping[str, str]) -> _Row:
        role = role_of(name)
        return cls(role, role is not None and len(phrase(name).split()) == 1, _size(figures), figures)

    def differs(self, other: _Row) -> bool:
        """Whether another row has the same role and kinds of figures, but other figures."""
        same = self.role == other.role and self.figures.keys() == other.figures.keys()
        return same and self.figures != other.figures


def _size(figures: Mapping[str, str]) -> int | None:
    """Return a support that is a whole number; pandas prints 110.0 for 110."""
    found = re.fullmatch(r"(\d{1,3}(?:,\d{3})+|\d+)(?:\.0+)?", figures.get("support", ""))
    return int(found[1].replace(",", "")) if found else None
