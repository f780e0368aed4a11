"""Read and audit reports as tools print them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from macrof1.auditing.audit_results import AuditResult
from macrof1.auditing.audited_figures import audit
from macrof1.auditing.printed_figures import Rounding, decimals_of, read_count
from macrof1.auditing.solver import Solution
from macrof1.convention import FORMULAS, Task
from macrof1.counts import ClassCounts
from macrof1.errors import InputError, counted, quote_some
from macrof1.reading.numbers import is_percentage, plain_number
from macrof1.reading.reports.documents import read_reports
from macrof1.reading.reports.printed import PrintedReport
from macrof1.reading.reports.vocabulary import ERRORS, FIELDS, RATIOS
from macrof1.result import Result


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
    result
        The audit.
    """

    name: str
    read_as: str
    figures: Mapping[str, Any]
    result: AuditResult

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types, with the audit's keys at the same level as the others."""
        own = Result.to_dict(self)
        return {"name": own["name"], "read_as": own["read_as"], **own["result"], "figures": own["figures"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTextResult(Result):
    """Every report in a text."""

    reports: tuple[AuditedReport, ...]
    _keys: ClassVar[tuple[str, ...]] = ("reports",)


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
    found = read_reports(text)
    if not found:
        raise InputError(
            "no report was found in the text",
            argument="text",
            expected="precision, recall and F1 of classes in a table or a dictionary, a line such as 'Macro-F1: 0.71', "
            "or a confusion matrix",
        )
    audited = []
    for number, printed in enumerate(found, 1):
        try:
            audited.append(_audited(printed, number, percent=percent, rounding=rounding, task=task))
        except InputError as error:
            raise error.at(f"report {number}, line {printed.line + 1}") from None
    return AuditTextResult(reports=tuple(audited))


def report_counts(text: str) -> ClassCounts:
    """Return the counts of the report in a text, if they are printed or follow from its figures."""
    reports = audit_text(text).reports
    if len(reports) > 1:
        names = quote_some(report.name for report in reports)
        raise InputError(f"{counted(len(reports), 'report')} in the text: {names}", expected="one to score")
    counts = reports[0].result.counts
    if counts is None:
        n = reports[0].result.n_solutions
        why = "no whole counts follow from its figures" if n is None else f"{n:,} sets of counts give its figures"
        raise InputError(
            f"the report ({reports[0].read_as}) does not determine counts: {why}",
            expected="tp, fp and fn of every class, a confusion matrix, or support and more decimals",
        )
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
    result = audit(
        precision=macro["precision"],
        recall=macro["recall"],
        f1=macro["f1"],
        n_classes=_n_classes(printed, support),
        per_class=per_class,
        support=support,
        accuracy=printed.accuracy,
        percent=_percent(printed) if percent is None else percent,
        rounding=rounding,
        task=task,
    )
    figures = {
        **{f"macro_{kind}": text for kind, text in macro.items()},
        "accuracy": printed.accuracy,
        "classes": [
            {"label": row.label, **{kind: row.figures.get(kind) for kind in FIELDS}} for row in printed.classes
        ],
    }
    return AuditedReport(
        name=printed.name or f"report {number}", read_as=_read_as(printed), figures=figures, result=result
    )


def _n_classes(printed: PrintedReport, support: Mapping[str, int]) -> int | None:
    """Return the number of classes, if it is printed or no row is missing.

    No row is missing if the supports of the rows add up to that of an average.
    """
    listed = len(printed.classes)
    totals = {row.get("support", "").partition(".")[0].replace(",", "") for row in printed.averages.values()}
    if len(support) == listed > 0 and str(sum(support.values())) in totals:
        return listed
    return printed.n_classes if printed.n_classes and printed.n_classes >= listed else None


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
    """Return the class names without duplicates."""
    found: list[str] = []
    for row in printed.classes:
        label, again = row.label, 1
        while label in found:
            again += 1
            label = f"{row.label} ({again})"
        found.append(label)
    return found


def _support(printed: PrintedReport, labels: list[str]) -> dict[str, int]:
    """Return the supports that are integers; a column of shares is not support."""
    found = {}
    texts = [row.figures["support"] for row in printed.classes if "support" in row.figures]
    # pandas prints 110.000 for 110; a column of thousands does not end in .000 throughout.
    floats = all(re.fullmatch(r"\d+\.0+", text) for text in texts)
    for label, row in zip(labels, printed.classes, strict=True):
        try:
            text = row.figures["support"]
            found[label] = read_count(text.partition(".")[0] if floats else text, "support").steps
        except (KeyError, InputError):
            continue
    return found


def _ratios(printed: PrintedReport) -> list[str]:
    texts = [row.figures[kind] for row in printed.classes for kind in RATIOS if kind in row.figures]
    return texts + [printed.macro[kind] for kind in RATIOS if kind in printed.macro]


def _percent(printed: PrintedReport) -> bool:
    """Recognise percentages by a % sign or a figure above 1; an accuracy in the other unit is ignored."""
    told, accuracy = any(map(is_percentage, _ratios(printed))), printed.accuracy
    if accuracy is not None and is_percentage(accuracy) != told and plain_number(accuracy)[0] not in (0, 1):
        printed.remarks.append(f"accuracy {accuracy} is in another unit and was not used")
        printed.accuracy = None
    return told


def _read_as(printed: PrintedReport) -> str:
    parts = [printed.source]
    if printed.classes:
        parts.append(counted(len(printed.classes), "class", "classes"))
    elif printed.macro:
        parts.append("macro averages")
    texts = _ratios(printed)
    if texts:
        parts.append(counted(max(map(decimals_of, texts)), "decimal"))
    if "support" in printed.kinds:
        parts.append("support")
    if all(kind in printed.kinds for kind in ERRORS):
        parts.append("tp, fp and fn")
    return "; ".join([", ".join(parts), *printed.remarks])


def _name_by_counts(printed: PrintedReport) -> None:
    """Find the macro F1 among unnamed figures: the one that the counts give, within one unit of its last decimal."""
    counts = Solution.of_errors([int(row.figures[kind]) for kind in ERRORS] for row in printed.classes)
    accuracy = Fraction(sum(counts.tp), sum(counts.sizes) or 1)
    fitting = {text for text in printed.unnamed if any(_near(text, counts.exact(name)) for name in FORMULAS)}
    plain = {text for text in fitting if not _near(text, accuracy)}
    if len(plain) != 1:
        raise InputError(
            f"no one figure of {', '.join(printed.unnamed)} is the macro F1 of the counts",
            expected="figures with names, or one that the counts give",
        )
    (text,) = plain
    printed.add("macro", {"f1": text})
    printed.accuracy = next((text for text in printed.unnamed if _near(text, accuracy)), None)
    printed.remarks.append("figures without names were told by what the counts give")


def _near(text: str, value: Fraction) -> bool:
    number, decimals = plain_number(text)
    scale = 100 if is_percentage(text) else 1
    return abs(number - scale * value) <= Fraction(1, 10**decimals)
