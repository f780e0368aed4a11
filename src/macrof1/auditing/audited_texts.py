"""Read and audit reports as tools print them."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from macrof1.auditing.audit_results import AuditResult
from macrof1.auditing.audited_figures import audit_published
from macrof1.auditing.printed_figures import Rounding, decimals_of, read_count
from macrof1.auditing.published import Published
from macrof1.auditing.solver import Solution
from macrof1.convention import FORMULAS, Task
from macrof1.counts import ClassCounts
from macrof1.errors import InputError, counted, quote_some
from macrof1.reading.numbers import is_percentage, plain_number
from macrof1.reading.reports.documents import read_document
from macrof1.reading.reports.printed import PrintedReport
from macrof1.reading.reports.vocabulary import ERRORS, FIELDS, RATIOS
from macrof1.result import Result

SECONDS = 30.0  # how long an audit of one text may take before it leaves the other reports aside


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedReport(Result):
    """One report in a text.

    Attributes
    ----------
    name
        Its name in the text, or its number.
    read_as
        How it was read: format, classes, decimals, and what was inferred without names.
    figures
        Every figure as printed: ``macro_precision``, ``macro_recall``, ``macro_f1``, ``accuracy``, and ``classes``.
    lines
        The first and the last line that it stands on, once HTML and notebooks are text.
    result
        The audit.
    """

    name: str
    read_as: str
    figures: Mapping[str, Any]
    lines: tuple[int, int]
    result: AuditResult

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types, with the audit's keys at the same level as the others."""
        own = Result.to_dict(self)
        return {**{key: own[key] for key in ("name", "read_as", "lines")}, **own["result"], "figures": own["figures"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAside(Result):
    """Something in a text that looks like figures and was not audited: its line (0 if unknown), and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTextResult(Result):
    """Every report in a text, and what was left aside."""

    reports: tuple[AuditedReport, ...]
    left_aside: tuple[LeftAside, ...] = ()
    _keys: ClassVar[tuple[str, ...]] = ("reports", "left_aside")


def audit_text(
    text: str, *, percent: bool | None = None, rounding: Rounding = "round", task: Task | None = None
) -> AuditTextResult:
    """Audit every report in a text, as printed by some tool.

    Parameters
    ----------
    text
        One report or several: text reports and dictionaries of scikit-learn and seqeval, tables in Markdown, LaTeX,
        HTML or CSV whose rows are classes and averages, logs, key-value lines, confusion matrices, notebooks.
    percent, rounding, task
        As in `audit`. By default, % signs and figures above 1 mean percentages.

    Raises
    ------
    InputError
        If no report is found.

    Examples
    --------
    >>> report = audit_text("macro precision: 0.2937, macro recall: 0.2283, macro F1: 0.2095").reports[0]
    >>> report.result.verdict, report.read_as
    ('averaged_f1', 'key-value lines, macro averages, 4 decimals')
    """
    if not isinstance(text, str):
        raise InputError(f"text is a {type(text).__name__}", argument="text", expected="the report as text")
    found, aside = read_document(text)
    if not found:
        raise InputError(
            "no report was found in the text",
            argument="text",
            expected="precision, recall and F1 of classes in a table or a dictionary, a line such as 'Macro-F1: 0.71', "
            "or a confusion matrix",
        )
    audited: list[AuditedReport] = []
    errors: list[InputError] = []
    left_aside = [LeftAside(line=line, reason=reason) for line, reason in aside]
    deadline = time.monotonic() + SECONDS
    for number, printed in enumerate(found, 1):
        if time.monotonic() > deadline:
            left_aside.append(LeftAside(line=printed.line + 1, reason=f"{printed.source}: no time left to audit it"))
            continue
        try:
            audited.append(_audited(printed, number, percent=percent, rounding=rounding, task=task))
        except InputError as error:
            errors.append(error.at(f"report {number}, line {printed.line + 1}"))
            left_aside.append(LeftAside(line=printed.line + 1, reason=str(error)))
    if not audited and errors:
        raise errors[0]
    return AuditTextResult(reports=tuple(audited), left_aside=tuple(left_aside))


def report_counts(text: str) -> ClassCounts:
    """Return the counts of the report in a text, if they are printed or follow from its figures."""
    report, *others = audit_text(text).reports
    if others:
        names = quote_some(each.name for each in (report, *others))
        raise InputError(f"{counted(1 + len(others), 'report')} in the text: {names}", expected="one to score")
    counts = report.result.counts
    if counts is None:
        n = report.result.n_solutions
        why = "no whole counts follow from its figures" if n is None else f"{n:,} sets of counts give its figures"
        problem = f"the report ({report.read_as}) does not determine counts: {why}"
        expected = "tp, fp and fn of every class, a confusion matrix, or support and more decimals"
        raise InputError(problem, expected=expected)
    return counts


def _audited(
    printed: PrintedReport, number: int, *, percent: bool | None, rounding: Rounding, task: Task | None
) -> AuditedReport:
    if printed.unnamed:
        _name_by_counts(printed)
    macro = {kind: printed.macro.get(kind) for kind in RATIOS}
    labels = _labels(printed)
    support = _support(printed, labels)
    per_class = {
        label: {kind: text for kind, text in row.figures.items() if kind in (*RATIOS, *ERRORS)} | _errors(row.figures)
        for label, row in zip(labels, printed.classes, strict=True)
    }
    _add_matrix(printed, per_class)
    by_tool = printed.source.startswith("scikit-learn")
    # Elsewhere, micro averages may be over other classes; and "avg / total" was weighted in one tool, micro in another.
    known = ("micro",) if printed.unsure_average else ("weighted", "micro")
    averages = {name: printed.averages[name] for name in known if by_tool and name in printed.averages}
    n_classes = printed.n_classes if printed.n_classes and printed.n_classes >= len(labels) else None
    published = Published(
        macro=macro, n_classes=n_classes, per_class=per_class, support=support, accuracy=printed.accuracy,
        total=_total(printed), percent=percent, rounding=rounding, task=task, averages=averages, by_tool=by_tool,
        each_unit=percent is None,
    )  # fmt: skip
    result = audit_published(published, of_runs=printed.of_runs)
    if result.status != "fits" and printed.accuracy_apart and published.accuracy is not None:
        # It may be of something else than the table: of tokens, exact matches, or all rows.
        other = audit_published(replace(published, accuracy=None), of_runs=printed.of_runs)
        if other.status == "fits" or result.status == "contradicts itself":
            printed.remarks.append(f"accuracy {printed.accuracy} does not go with the table and was not used")
            result = other
    if result.status == "contradicts itself":
        # A percentage beside fractions is a count, or a part of a label: the figures stand in other columns.
        for row in (*(row.figures for row in printed.classes), printed.macro):
            texts = [row[kind] for kind in RATIOS if kind in row]
            above = [text for text in texts if "%" not in text and is_percentage(text)]
            if above and any(0 < plain_number(text)[0] < 1 for text in texts if "%" not in text):
                problem = f"{', '.join(texts)} in one row mix percentages and fractions"
                raise InputError(problem, expected="figures in their columns")
    figures = {
        **{f"macro_{kind}": text for kind, text in macro.items()},
        "accuracy": printed.accuracy,
        "classes": [
            {"label": row.label, **{kind: row.figures.get(kind) for kind in FIELDS}} for row in printed.classes
        ],
    }
    return AuditedReport(
        name=printed.name or f"report {number}",
        read_as=_read_as(printed),
        figures=figures,
        lines=(printed.line + 1, max(printed.end, printed.line + 1)),
        result=result,
    )


def _total(printed: PrintedReport) -> int | None:
    """Return the support of the averages, if it is the same in all of them and the classes have one too."""
    totals = {row["support"] for row in printed.averages.values() if "support" in row}
    with contextlib.suppress(InputError):
        if len(totals) == 1 and "support" in printed.kinds:
            return read_count(totals.pop().removesuffix(".0"), "total").steps
    return None


def _errors(figures: Mapping[str, str]) -> dict[str, str]:
    """Return fp and fn if true positives are printed with predictions and gold rows: ``50.50% (101/200)``."""
    if not all(figures.get(kind, "").isdecimal() for kind in ("tp", "predicted", "support")):
        return {}
    tp, predicted, actual = (int(figures[kind]) for kind in ("tp", "predicted", "support"))
    return {"fp": str(predicted - tp), "fn": str(actual - tp)} if tp <= min(predicted, actual) else {}


def _add_matrix(printed: PrintedReport, per_class: dict[str, dict[str, str]]) -> None:
    """Add the counts of a confusion matrix next to a table, if its row or column sums are the table's supports."""
    matrix = printed.matrix
    if matrix is None or "tp" in printed.kinds or len(matrix) != len(per_class):
        return
    sizes = list(_support(printed, list(per_class)).values())
    for cells in (matrix, [list(column) for column in zip(*matrix, strict=True)]):
        if sizes == [sum(row) for row in cells]:
            for place, figures in enumerate(per_class.values()):
                tp = cells[place][place]
                fp = sum(row[place] for row in cells) - tp
                figures |= {"tp": str(tp), "fp": str(fp), "fn": str(sizes[place] - tp)}
            return


def _labels(printed: PrintedReport) -> list[str]:
    found: dict[str, int] = {}
    for row in printed.classes:
        label, again = row.label, found.get(row.label, 0)
        while label in found:
            again += 1
            label = f"{row.label} ({again})"
        found |= {row.label: max(again, 1), label: 1} if label != row.label else {label: 1}
    return list(found)


def _support(printed: PrintedReport, labels: list[str]) -> dict[str, int]:
    """Return the supports that are integers; a column of shares is not support."""
    found = {}
    texts = [row.figures["support"] for row in printed.classes if "support" in row.figures]
    # pandas prints 110.000 for 110; a column of thousands does not end in .000 throughout.
    floats = all(re.fullmatch(r"\d+\.0+", text) for text in texts)
    for label, row in zip(labels, printed.classes, strict=True):
        with contextlib.suppress(KeyError, InputError):
            text = row.figures["support"]
            found[label] = read_count(text.partition(".")[0] if floats else text, "support").steps
    return found


def _read_as(printed: PrintedReport) -> str:
    parts = [printed.source]
    if printed.classes:
        parts.append(counted(len(printed.classes), "class", "classes"))
    elif printed.macro:
        parts.append("macro averages")
    rows = [*(row.figures for row in printed.classes), printed.macro]
    if decimals := [decimals_of(row[kind]) for row in rows for kind in RATIOS if kind in row]:
        parts.append(counted(max(decimals), "decimal"))
    parts += ["support"] if "support" in printed.kinds else []
    parts += ["tp, fp and fn"] if all(kind in printed.kinds for kind in ERRORS) else []
    return "; ".join([", ".join(parts), *printed.remarks])


def _name_by_counts(printed: PrintedReport) -> None:
    """Find the macro F1 among unnamed figures: the one that the counts give, within one unit of its last decimal."""
    counts = Solution.of_errors([int(row.figures[kind]) for kind in ERRORS] for row in printed.classes)
    accuracy = Fraction(sum(counts.tp), sum(counts.sizes) or 1)
    fitting = {text for text in printed.unnamed if any(_near(text, counts.exact(name)) for name in FORMULAS)}
    plain = {text for text in fitting if not _near(text, accuracy)}
    if len(plain) != 1:
        problem = f"no one figure of {', '.join(printed.unnamed)} is the macro F1 of the counts"
        raise InputError(problem, expected="figures with names, or one that the counts give")
    (text,) = plain
    printed.add("macro", {"f1": text})
    printed.accuracy = next((text for text in printed.unnamed if _near(text, accuracy)), None)
    printed.remarks.append("figures without names were told by what the counts give")


def _near(text: str, value: Fraction) -> bool:
    number, decimals = plain_number(text)
    scale = 100 if is_percentage(text) else 1
    return abs(number - scale * value) <= Fraction(1, 10**decimals)
