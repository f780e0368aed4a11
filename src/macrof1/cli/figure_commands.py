"""The commands about figures that somebody reports: `mf1 audit` and `mf1 bounds`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_result, progress_bar, running
from macrof1.errors import InputError

if TYPE_CHECKING:
    from macrof1.auditing.audit_results import AuditResult
    from macrof1.auditing.audited_tables import AuditTableResult
    from macrof1.auditing.audited_texts import AuditTextResult
    from macrof1.request import Request

_RATIOS = ("precision", "recall", "f1")
_TELLING = 50_000  # as much of a long table tells whether its rows are classes


def audit(given: Given) -> None:
    """Tell which macro F1 was published, and which figures cannot be true together: a proof, or "either".

    - `mf1 audit --precision 0.2937 --recall 0.2283 --f1 0.2095`: one report
    - `mf1 audit --f1 0.86 --per-class cat=1.00/0.50/0.67 --per-class dog=0.67/1.00/0.80`: with figures of the classes
    - `mf1 audit report.txt`, or a notebook, or - for standard input: what a tool printed
    - `mf1 audit leaderboard.csv --support offense=1202,other=2330`: a leaderboard
    """
    from macrof1.reading.leaderboards import named_values

    options = {name: given[name] for name in ("n_classes", "percent", "decimals", "rounding", "task")}
    options["support"] = named_values(given["support"], "support", "cat=120,dog=80")
    with progress_bar("auditing") as progress:
        options |= {"progress": progress} if given.words else {}
        result = (_audit_file if given.words else _audit_figures)(given, options)
    print_result(given, result)


def _audit_file(given: Given, options: dict[str, Any]) -> AuditTableResult | AuditTextResult:
    from macrof1.auditing.audited_tables import audit_table
    from macrof1.auditing.audited_texts import audit_text
    from macrof1.reading.files import binary_format, opened_file
    from macrof1.reading.leaderboards import is_delimited, named_values, parse_rows, rows_in
    from macrof1.reading.reports.documents import read_reports
    from macrof1.reading.tables import inspected, is_typed

    request = given.request()
    request.check("audit", "report", "published")
    roles = named_values(given["columns"], "columns", "macro_f1=F-Score,name=Team")
    only_tables = roles or options["support"] or options["n_classes"] or options["decimals"] is not None
    with opened_file(given.words[0]) as opened:
        typed = is_typed(opened)
        text = "" if binary_format(opened.start(8)) is not None else opened.text()
        is_table = only_tables or typed or is_delimited(text)
        start = text if len(text) <= _TELLING else text[:_TELLING].rpartition("\n")[0]
        if not is_table or (not only_tables and any(report.classes for report in read_reports(start))):
            request.check("audit", "report")
            return audit_text(text, **{name: options[name] for name in ("percent", "rounding", "task")})
        rows = rows_in(inspected(opened, True, None)) if typed else parse_rows(text, opened.name)
    return audit_table(rows, columns=roles, **options)


def _audit_figures(given: Given, options: dict[str, Any]) -> AuditResult:
    from macrof1.auditing.audited_figures import audit as audit_figures
    from macrof1.reading.numbers import looks_missing

    figures = {name: given[name] for name in (*_RATIOS, "accuracy", "correct", "total")}
    if given["columns"] is not None:
        raise InputError("--columns needs a CSV or TSV file", argument="columns", given=given["columns"])
    if not given["per_class"] and all(figures[name] is None for name in _RATIOS):
        raise InputError(
            "no figures given", expected="a table, or --precision, --recall and --f1 (mf1 audit --help shows more)"
        )
    for name, value in figures.items():
        if value is not None and looks_missing(value):
            hint = "leave it out if it is not known"
            raise InputError.bad_value(name, value, expected="a number such as 0.80", hint=hint)
    per_class: dict[str, dict[str, str]] = {}
    for text in given["per_class"] or ():
        label, _, values = text.rpartition("=")
        parts = [part.strip() for part in values.split("/")]
        if not label.strip() or len(parts) != len(_RATIOS) or label.strip() in per_class:
            raise InputError(
                f"--per-class {text!r}",
                expected="CLASS=PRECISION/RECALL/F1 once per class, with - for a missing figure, such as "
                "cat=0.81/0.77/-",
            )
        per_class[label.strip()] = dict(zip(_RATIOS, parts, strict=True))
    return audit_figures(**figures, per_class=per_class, **options)


def bounds(given: Given) -> None:
    """Show how large the gap can be: in theory, given reported scores, or on your data.

    - `mf1 bounds --n-classes 3`
    - `mf1 bounds --precision 0.7 --recall 0.6 --n-classes 2`
    - `mf1 bounds --f1-of-averages 0.8`
    - `mf1 bounds --support 1202,2330`
    - `mf1 bounds data.csv --gold label`

    Scores are read as exact, however few digits they have; mf1 audit reads them as rounded.
    """
    from macrof1.bounding.bounds import bounds as bounds_of
    from macrof1.bounding.largest_gap import witness

    scores = {name: given[name] for name in ("precision", "recall", "f1_of_averages", "averaged_f1")}
    support, n_classes = given["support"], given["n_classes"]
    request = given.request()
    request.check("bounds", *(("rows", "counts") if request.files else ("nothing",)))
    if not request.files and not set(given.options) - {"format", "closeness"}:
        raise InputError(
            "nothing given",
            expected="--n-classes, --precision and --recall, --f1-of-averages, --averaged-f1, --support, or a file of "
            "gold labels",
        )
    labels, n_dropped, sizes = None, 0, None
    if request.files:
        sizes, labels, n_dropped = _sizes_in_files(request)
    elif support is not None:
        fields = [field.strip() for field in support.split(",")]
        if not all(field.isascii() and field.isdigit() and len(field) <= 30 for field in fields):
            expected = "numbers of gold rows separated by commas, such as 1202,2330"
            raise InputError(f"--support {support!r}", expected=expected)
        sizes = list(map(int, fields))
    with progress_bar("searching"):
        found = bounds_of(n_classes=n_classes, **scores, support=sizes)
    near = witness(n_classes, closeness=given["closeness"]) if n_classes is not None and not found.given else None
    print_result(given, found, witness=near, labels=labels, n_dropped=n_dropped)


def _sizes_in_files(request: Request) -> tuple[list[int], list[str], int]:
    """Return the number of gold rows of each class, the classes, and the number of rows without a label."""
    from macrof1.counts import counts_of_classes
    from macrof1.labels import label_key, label_text
    from macrof1.running.jobs import read_counts

    with running(replace(request, gold_only=True)) as asked:
        tallied = counts_of_classes(read_counts(asked, "bounds").total)
    if tallied.real:
        raise InputError(f"{request.files[0]} holds weights", given=request.files[0], expected="counts of whole rows")
    # Saved counts may contain classes that were predicted but never gold.
    sizes = {label_key(label): n for label, n in zip(tallied.labels, tallied.actual, strict=True) if n}
    return list(map(int, sizes.values())), [label_text(label) for _, label in sizes], tallied.n_dropped
