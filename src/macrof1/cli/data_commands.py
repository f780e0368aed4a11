"""The commands that read predictions or counts: score, compare, identify, plan, conventions, count; and their gates.

A score below its threshold, or a doubt in a strict run, gives exit code 1.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_result, running
from macrof1.cli.streams import say
from macrof1.errors import ColumnError, InputError, SeveralSystemsError, counted
from macrof1.message import Argument, Message
from macrof1.options import options_of
from macrof1.running.gates import Gate, check_request, doubts, gates_of

if TYPE_CHECKING:
    from macrof1.comparing.result import CompareResult
    from macrof1.request import Request
    from macrof1.scoring.identification import IdentifyTableResult


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
    """Name the systems not shown to be non-inferior to the baseline.

    A one-sided interval of the difference in averaged F1, at the confidence level of the comparison, must lie above the
    negative margin: it is a two-sided interval with twice the error.
    """
    from macrof1.sampling.student import quantile

    level = 2 * result.confidence_level - 1
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
