"""The commands about predictions or counts, score, compare, identify, plan, conventions and count, and about figures.

A score below its threshold, or a doubt in a strict run, gives exit code 1.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_result, progress_bar, running
from macrof1.cli.streams import say
from macrof1.errors import ColumnError, InputError, SeveralSystemsError, counted
from macrof1.message import Argument, Message
from macrof1.options import options_of
from macrof1.running.gates import Gate, check_request, doubts, gates_of

if TYPE_CHECKING:
    from macrof1.auditing.audit_results import AuditResult
    from macrof1.auditing.audited_tables import AuditTableResult
    from macrof1.auditing.audited_texts import AuditTextResult
    from macrof1.comparing.result import CompareResult
    from macrof1.request import Request
    from macrof1.scoring.identification import IdentifyTableResult

_RATIOS = ("precision", "recall", "f1")
_TELLING = 50_000  # as much of a long table tells whether its rows are classes


def score(given: Given) -> int:
    """Score a prediction file, entities, or a confusion matrix, under both macro F1s.

    - `mf1 score preds.csv`
    - `mf1 score gold.csv run.csv`
    - `mf1 score preds.csv --gold label --pred model --labels a,b,c`
    - `mf1 score dev.conll --spans`
    - `mf1 score --matrix confusion.csv --rows gold`
    - `mf1 score --report report.txt`
    - `mf1 score preds.csv --fail-under averaged_f1=0.70`
    - `mf1 score part-*.counts.json -f json`
    """
    from macrof1.cli.gate_files import report_gates, step_summary
    from macrof1.running.jobs import run_score
    from macrof1.sampling.intervals import checked_level

    if given["also"] and given["format"] == "csv":
        raise InputError.beside("also", Argument("format", "csv"), expected="another format")
    request = given.request()
    check_request(request)
    if given["step_summary"]:
        step_summary()
    level = checked_level(request.confidence_level) if given["interval"] else None
    try:
        with running(request) as asked:
            result: Any = run_score(asked)
    except SeveralSystemsError as several:
        known = options_of("compare")
        for name, value in given.options.items():
            if name not in known:
                beside = Message("files of several systems")
                raise InputError.beside(Argument(name, value), beside, expected="one system here") from None
        say(f"{several.args[0]}: compared, as by mf1 compare")
        return compare(Given("compare", given.words, given.options))
    print_result(given, result, digits=given["digits"], confidence_level=level, also=given["also"])
    return report_gates(given, gates_of(result, request), result)


def compare(given: Given) -> int:
    """Compare systems under both macro F1s: ranks, flips, intervals, tests.

    - `mf1 compare gold.csv a.csv b.csv`: gold, and one file per system; or files that all have gold
    - `mf1 compare all.parquet --gold gold --systems a,b`: columns of one file
    - `mf1 compare long.csv --systems system --runs seed --id row`: several runs per system
    - `mf1 compare counts.csv --by run --count n`: counts of several systems
    - `mf1 compare a.csv b.csv --matrix --rows gold`: confusion matrices
    - `mf1 compare leaderboard.csv --published`: published precision and recall of each class
    """
    from macrof1.cli.gate_files import report_gates
    from macrof1.running.submissions import run_compare

    output, table = given["format"], given["table"]
    if table is not None and output in ("json", "html"):
        told = f"one table ({table}) cannot be printed as {output}"
        raise InputError(told, expected="text, csv, markdown or latex", hint=f"{output} has all")
    request = given.request()
    margin = request.non_inferior
    if margin is not None and request.baseline is None:
        raise InputError("--non-inferior needs --baseline", expected="--baseline SYSTEM --non-inferior 0.01")
    if margin is not None and not 0 <= margin < 1:
        raise InputError(f"--non-inferior {margin:g}", expected="a difference of scores from 0 to 1, such as 0.01")
    with running(request, "resampling") as asked:
        result = run_compare(asked)
    print_result(given, result, digits=given["digits"])
    inferior = [] if margin is None else _inferior(result, margin)
    bad = f"{counted(len(result.rejected), 'submission')} could not be scored" if result.rejected else ""
    return report_gates(given, [Gate("submissions", failure=bad), *doubts(request, result.notes), *inferior])


def _inferior(result: CompareResult, margin: float) -> list[Gate]:
    """Name the systems whose one-sided interval of the difference to the baseline reaches below the negative margin."""
    from macrof1.sampling.student import quantile

    level = 2 * result.confidence_level - 1  # one-sided: a two-sided interval with twice the error
    failed = []
    for pair in result.comparisons:
        found = pair.averaged_f1
        if found.standard_error is None:
            raise InputError("--non-inferior needs rows or counts", expected="a comparison with intervals")
        ours = pair.b if pair.a == result.baseline else pair.a
        difference = found.difference if ours == pair.a else -found.difference
        low = difference - quantile(level, math.inf if found.df is None else found.df) * found.standard_error
        if pair.missing or not low >= -margin:
            why = (
                f"the comparison does not suffice ({'; '.join(pair.missing)})" if pair.missing
                else f"the difference in averaged F1 is {difference:+.4f}, and may be {low:+.4f} (margin {-margin:g})"
            )  # fmt: skip
            found_wanting = f"{ours} is not shown to be non-inferior to {result.baseline}: {why}"
            failed.append(Gate("non-inferior", failure=found_wanting))
    return failed


def identify(given: Given) -> None:
    """Find out which F1 a number is: every definition that gives it on this data, and the nearest that do not.

    - `mf1 identify preds.csv 0.7123`
    - `mf1 identify preds.csv 71.2 --by fold`
    - `mf1 identify --matrix confusion.csv --rows gold 0.7123`
    - `mf1 identify leaderboard.csv`
    """
    from macrof1.running.identifying import run_identify

    words = list(given.words)
    number = words.pop() if len(words) == (1 if given["matrix"] else 2) else None
    request = given.request(words)
    if number is None:
        print_result(given, _identify_rows(request, given["support"]))
        return
    with running(request) as asked:
        result = run_identify(asked, number)
    print_result(given, result)


def _identify_rows(request: Request, support: str | None) -> IdentifyTableResult:
    from macrof1.auditing.audited_tables import audit_table
    from macrof1.reading.leaderboards import named_values
    from macrof1.running.identifying import identify_table

    usual = "a file and a number, mf1 identify preds.csv 0.7123, or a leaderboard with a macro F1 in every row"
    if not request.files:
        raise InputError("no file given", expected=usual)
    try:
        table = audit_table(request.files[0], support=named_values(support, "support", "cat=120,dog=80"))
    except ColumnError:
        raise InputError(f"no number given, and {request.files[0]} is not a leaderboard", expected=usual) from None
    if request.kind != "rows":
        raise InputError.beside(request.kind, Message("a leaderboard"), expected=usual)
    request.check("identify", "published")
    return identify_table(table)


def plan(given: Given) -> None:
    """Compute how many test rows it takes to detect a difference between two systems.

    - `mf1 plan pilot.csv --difference 0.01`
    - `mf1 plan pilot.csv --difference 0.02 --systems a,b --power 0.9`
    - `mf1 plan pilot.csv --difference 0.01 --no-paired --cluster document`
    """
    from macrof1.comparing.inputs import run_plan

    if not given.words or given["difference"] is None:
        raise InputError(
            f"{'no --difference' if given.words else 'no file'} given",
            expected="a pilot file and the difference to detect, as in mf1 plan pilot.csv --difference 0.01",
        )
    with running(given.request()) as request:
        result = run_plan(request)
    print_result(given, result)


def conventions(given: Given) -> None:
    """Print what scikit-learn, torchmetrics, Weka and others would call macro F1 on this file, grouped by value.

    Some systems average over all declared classes, seen or not: --labels declares them. Without a file, print the
    table of conventions, with a source for every row.
    """
    number = given["number"]
    if not given.words and given["matrix"] is None:
        from macrof1.catalogue.reader import conventions as known_conventions
        from macrof1.reporting.convention_documents import catalogue_document

        if given["rows"] is not None:
            raise InputError(Message(Argument("rows"), " needs ", Argument("matrix")), given=given["rows"])
        given.request().check("conventions", "nothing")
        print_result(given, catalogue_document(known_conventions()))
        return
    from macrof1.running.jobs import read_counts
    from macrof1.scoring.system_scores import score_conventions

    with running(given.request()) as request:
        found = read_counts(request, "conventions")
    result = score_conventions(found.counts)
    result = replace(result, notes=(*found.making.notes, *result.notes))
    result = result if number is None else result.marked(number)
    print_result(given, result, digits=given["digits"])


def count(given: Given) -> None:
    """Count prediction files, and save the counts: `mf1 score *.counts.json` merges and scores them.

    Given saved counts, it merges them, so that parts can be merged in steps.
    """
    from macrof1.counting.saved import counts_text, is_saved, save_counts
    from macrof1.counting.written_files import refuse_foreign
    from macrof1.labels import dropped_note
    from macrof1.running.jobs import run_count

    output = given["output"]
    if output not in (None, "-") and not is_saved(output):  # `mf1 score` would not recognise it
        raise InputError(f"--output {output}", given=output, expected="a name that ends in .counts.json")
    with running(given.request()) as request:
        part = run_count(request)
    if output in (None, "-"):
        sys.stdout.write(counts_text(part))
    else:
        if not given["force"]:
            refuse_foreign(output, counts_text(part))
        save_counts(part.counts, output, missing=part.missing, weight=part.weight)
        say(f"wrote {output}")
    if part.counts.n_dropped:
        say(f"note: {dropped_note(part.counts.n_dropped)}")


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
    from macrof1.reading.files import bare_name, binary_format, opened_file
    from macrof1.reading.leaderboards import is_delimited, named_values, parse_rows, rows_in
    from macrof1.reading.reports.documents import read_reports
    from macrof1.reading.tables import inspected

    request = given.request()
    request.check("audit", "report", "published")
    roles = named_values(given["columns"], "columns", "macro_f1=F-Score,name=Team")
    only_tables = roles or options["support"] or options["n_classes"] or options["decimals"] is not None
    with opened_file(given.words[0]) as opened:
        binary = binary_format(opened.start(8)) is not None
        typed = binary or Path(bare_name(opened.path)).suffix.lower() in (".jsonl", ".ndjson")
        text = "" if binary else opened.text()
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
        from macrof1.counts import counts_of_classes
        from macrof1.labels import label_key, label_text
        from macrof1.running.jobs import read_counts

        with running(replace(request, gold_only=True)) as asked:
            tallied = counts_of_classes(read_counts(asked, "bounds").total)
        if tallied.real:
            raise InputError(f"{request.files[0]} holds weights", expected="counts of whole rows")
        # Saved counts may contain classes that were predicted but never gold.
        by_class = {label_key(label): n for label, n in zip(tallied.labels, tallied.actual, strict=True) if n}
        sizes, n_dropped = list(map(int, by_class.values())), tallied.n_dropped
        labels = [label_text(label) for _, label in by_class]
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
