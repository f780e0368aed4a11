"""The commands that read predictions or counts, their gates, and how any result is printed."""

from __future__ import annotations

import math
import os
import shlex
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macrof1.cli.parsing import Given
from macrof1.cli.streams import option, say, say_at_the_end
from macrof1.counting.written_files import refuse_foreign, write_whole
from macrof1.errors import ColumnError, InputError, SeveralSystemsError, counted
from macrof1.message import Argument, Message
from macrof1.options import options_of
from macrof1.reading.files import Progress
from macrof1.reporting.as_text import printable
from macrof1.reporting.document import Document, Facts, Table
from macrof1.request import Request
from macrof1.running.gates import Gate, check_request, doubts, gates_of

if TYPE_CHECKING:
    from macrof1.comparing.compared import CompareResult


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
    from macrof1.running.jobs import run_score
    from macrof1.sampling.intervals import checked_level

    if given["also"] and given["format"] == "csv":
        raise InputError.beside("also", Argument("format", "csv"), expected="another format")
    request = given.request()
    check_request(request)
    if given["step_summary"]:
        _step_summary()
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
        say_at_the_end(f"{several.args[0]}: compared, as by mf1 compare")
        return compare(Given("compare", given.words, given.options))
    gates = gates_of(result, request)
    print_result(given, result, gates, digits=given["digits"], confidence_level=level, also=given["also"])
    return _report_gates(given, gates, result)


def compare(given: Given) -> int:
    """Compare systems under both macro F1s: ranks, flips, intervals, tests.

    - `mf1 compare gold.csv a.csv b.csv`: gold, and one file per system; or files that all have gold
    - `mf1 compare part-*.parquet --gold gold --systems a,b`: columns of one table, in one file or several
    - `mf1 compare long.csv --systems system --runs seed --id row`: several runs per system
    - `mf1 compare counts.csv --by run --count n`: counts of several systems
    - `mf1 compare a.csv b.csv --matrix --rows gold`: confusion matrices
    - `mf1 compare leaderboard.csv --published`: published precision and recall of each class
    """
    from macrof1.running.jobs import run_compare

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
    with running(request, "comparing") as asked:
        result = run_compare(asked)
    inferior = [] if margin is None else _inferior(result, margin)
    print_result(given, result, digits=given["digits"])
    bad = f"{counted(len(result.rejected), 'submission')} could not be scored" if result.rejected else ""
    return _report_gates(given, [Gate("submissions", failure=bad), *doubts(request, result.notes), *inferior])


def _report_gates(given: Given, gates: Sequence[Gate], result: Any = None) -> int:
    """Say each gate that is not met in one line, add to the summary of a step, and return the exit code."""
    for gate in gates:
        if gate.failure or gate.name == "verify":
            say(gate.failure or "what was published comes out here")
    if given.options.get("step_summary"):
        from macrof1.reporting.as_markup import markdown_of
        from macrof1.reporting.rendering import document

        rows = [[gate.name, gate.where, gate.failure or "met"] for gate in gates]
        table = Table(["gate", "where", "result"], rows, n_text=3, title="Gates")
        parts = [part for part in document(result).parts() if isinstance(part, Facts | Table)]
        with Path(_step_summary()).open("a", encoding="utf-8") as file:
            file.write(f"{markdown_of([*parts, *([table] if rows else [])])}\n")
    return 1 if any(gate.failure for gate in gates) else 0


def _step_summary() -> str:
    """Return the file that GitHub Actions shows as the summary of a step."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        expected = "a step of GitHub Actions, which sets GITHUB_STEP_SUMMARY"
        raise InputError("no summary to add to", argument="step_summary", expected=expected)
    return path


def _junit_text(command: str, gates: Sequence[Gate]) -> str:
    """Return JUnit XML with a test case per gate."""
    from xml.etree import ElementTree as ET

    failures = sum(bool(gate.failure) for gate in gates)
    suite = ET.Element("testsuite", name=f"mf1 {command}", tests=str(len(gates)), failures=str(failures))
    for gate in gates:
        case = ET.SubElement(suite, "testcase", classname=f"mf1.{command}", name=f"{gate.name} ({gate.where})")
        if gate.failure:
            ET.SubElement(case, "failure", message=gate.failure)
    ET.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suite, encoding="unicode")}\n'


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
    - `mf1 identify pairs.csv 0.57 --over query --positive 1`
    - `mf1 identify --matrix confusion.csv --rows gold 0.7123`
    - `mf1 identify leaderboard.csv`
    """
    from macrof1.auditing.audited_tables import audit_table
    from macrof1.reading.leaderboards import named_values
    from macrof1.running.identifying import identify_table, run_identify

    words = list(given.words)
    number = words.pop() if len(words) in ((1,) if given["matrix"] else (2, 3)) else None
    request = given.request(words)
    if number is not None:
        with running(request) as asked:
            result: Any = run_identify(asked, number)
        print_result(given, result)
        return
    usual = "a file and a number, mf1 identify preds.csv 0.7123, or a leaderboard with a macro F1 in every row"
    if not request.files:
        raise InputError("no file given", expected=usual)
    try:
        table = audit_table(request.files[0], support=named_values(given["support"], "support", "cat=120,dog=80"))
    except ColumnError:
        raise InputError(f"no number given, and {request.files[0]} is not a leaderboard", expected=usual) from None
    if request.kind != "rows":
        raise InputError.beside(request.kind, Message("a leaderboard"), expected=usual)
    request.check("identify", "published")
    print_result(given, identify_table(table))


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
    from macrof1.counting.doubts import GRAVE
    from macrof1.counting.saved import counts_text, is_saved
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
        write_files(given, [(output, counts_text(part))])
        say(f"wrote {output}")
    if part.counts.n_dropped:
        say(f"note: {dropped_note(part.counts.n_dropped)}")
    for note in part.counts.rows.notes:
        if note.code in GRAVE:  # counts in a file are as right as what they were made of
            say(f"note: {note.worded(option)}")


def print_result(given: Given, result: Any, gates: Sequence[Gate] = (), **options: Any) -> None:
    """Write what a result says to files, or print it, or only its scores; `options` as in `document`."""
    from macrof1.reporting.rendering import document, render, scores_alone

    found = result if isinstance(result, Document) else document(result, **options)
    page, output = given.options.get("html"), given.options.get("output")
    html = "" if page is None else render(found, "html", command=this_command())
    if given.options.get("quiet"):
        text = scores_alone(getattr(result, "total", result), given["format"], digits=options["digits"])
    else:
        chosen = {name: given.options.get(name) for name in ("table", "details")}
        text = render(found, given["format"], **chosen, command=this_command())
    notes = found.notes() if given["format"] == "csv" else ()  # before anything is printed: they may be refused
    report: Any = given.options.get("junit")
    write_files(given, [(page, html), (report, report and _junit_text(given.command, gates)), (output, f"{text}\n")])
    if page is not None:
        say(f"wrote {page}")
    if output is None:
        print(text)
    for note in notes:
        say(f"note: {printable(note)}")


def write_files(given: Given, contents: Sequence[tuple[str | None, str]]) -> None:
    """Write the files that were asked for, unless one would replace a file of another origin."""
    asked = [(path, content) for path, content in contents if path is not None]
    for path, content in asked if not given.options.get("force") else ():
        refuse_foreign(path, content)
    for path, content in asked:
        write_whole(path, content)


def this_command() -> str:
    """Return the running command, ready to be typed again; a page to share names files, not the folders they are in."""
    return shlex.join(["mf1", *map(_without_folder, sys.argv[1:])])


def _without_folder(argument: str) -> str:
    """Return an argument with an absolute path shortened: relative inside this folder, the name alone elsewhere."""
    option, equals, value = argument.partition("=") if argument.startswith("-") else ("", "", argument)
    path, folder = Path(value), Path(value).parent
    if not path.is_absolute() or folder == folder.parent or not folder.is_dir():
        return argument
    here = Path.cwd()
    return f"{option}{equals}{path.relative_to(here) if path.is_relative_to(here) else path.name}"


@contextmanager
def running(request: Request, doing: str = "reading") -> Iterator[Request]:
    """Show progress while a request runs, and print warnings as one line each, once the work is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        with progress_bar(doing) as progress:
            yield replace(request, progress=progress)
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            say_at_the_end(f"warning: {warning.message}")


@contextmanager
def progress_bar(doing: str, *, delay: float = 1.0) -> Iterator[Progress | None]:
    """Yield a function that prints the share of long work that is done; None if there is no terminal."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield None
        return
    begun, shown = time.monotonic(), ""
    start = begun, 0.0

    def report(done: float) -> None:
        nonlocal shown, start
        now, percent = time.monotonic(), f"{doing} {done:.0%}"
        if done < 0.01:  # what was loaded before the first rows says nothing about the others
            start = now, done
        elif not shown.startswith(f"{percent},") and now - begun >= delay:
            rest = (now - start[0]) / (done - start[1]) * (1 - done)
            left = f"{rest:.0f} s" if rest < 90 else f"{rest / 60:.0f} min" if rest < 5400 else f"{rest / 3600:.1f} h"
            line = f"{percent}, {left} left"
            padded, shown = f"\r{line:<{len(shown)}}", line  # known before it is printed, so that it is always cleared
            print(padded, end="", file=stream, flush=True)

    try:
        yield report
    finally:
        if shown:
            print(f"\r{' ' * len(shown)}\r", end="", file=stream, flush=True)
