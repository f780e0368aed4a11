"""`mf1 score`: both macro F1s of a prediction file, of entities, or of a confusion matrix."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any

from macrof1.cli.gates import GateOptions
from macrof1.cli.options import (
    ConventionOptions,
    Digits,
    File,
    Format,
    Html,
    MatrixOptions,
    MoreFiles,
    PolicyOptions,
    PredictionOptions,
    SpanOptions,
    UncertaintyOptions,
    WritingOptions,
    names_of,
)
from macrof1.cli.parsing import Parameter
from macrof1.cli.printing import print_result, this_command, write_report
from macrof1.cli.reading import given_files, read_groups, read_one_matrix, read_parts, read_report_counts
from macrof1.errors import InputError
from macrof1.message import Argument, Message

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion
    from macrof1.counts import ClassCounts
    from macrof1.scoring.group_scores import GroupsResult
    from macrof1.scoring.score_result import ScoreResult


def score(
    file: File = None,
    /,
    *more: MoreFiles,
    reading: PredictionOptions,
    by: Annotated[
        str | None, "Columns to group by: domain,fold. One result per group, and both averages over groups."
    ] = None,
    policies: PolicyOptions,
    spans: SpanOptions,
    matrix: MatrixOptions,
    report: Annotated[
        str | None,
        "A report as a tool printed it instead of predictions, where its figures determine the counts; - for "
        "standard input.",
        Parameter(file="read"),
    ] = None,
    convention: ConventionOptions,
    gates: GateOptions,
    config: Annotated[
        str | None,
        "A task file (TOML) that fixes columns, class set and convention for all who score a task.",
        Parameter(file="read"),
    ] = None,
    format: Format = "text",
    digits: Digits = None,
    html: Html = None,
    writing: WritingOptions,
    also: Annotated[
        bool,
        "Also print accuracy, balanced accuracy, micro F1, weighted F1, Cohen's kappa and MCC; JSON always has them.",
    ] = False,
    uncertainty: UncertaintyOptions,
) -> int:
    """Score a prediction file, entities, or a confusion matrix, under both macro F1s.

    - `mf1 score preds.csv`
    - `mf1 score preds.csv --gold label --pred model --labels a,b,c`
    - `mf1 score dev.conll --spans`
    - `mf1 score --matrix confusion.csv --rows gold`
    - `mf1 score --report report.txt`
    - `mf1 score preds.csv --fail-under averaged_f1=0.70`
    - `mf1 score part-*.counts.json -f json`
    """
    from macrof1.reporting.table import checked_digits

    checked_digits(digits)
    gates.thresholds()  # reject an invalid gate or list of labels before reading anything
    names_of(reading.labels)
    files = given_files(file, more)
    groups: list[Any] = [reading, policies, spans, convention, uncertainty]
    identity = None
    if config is not None:
        identity, by, groups = _fixed(config, by, groups)
    *rules, uncertainty = groups
    level = uncertainty.level()
    result: Any = _result(files, rules, matrix, report, by, uncertainty.cluster)
    if identity is not None:
        result = _with_fact(result, ("config", identity))
    if html is not None:
        if by is not None:
            raise InputError.beside("html", "by", expected="one of them", hint="a page shows one result")
        from macrof1.reporting.reports import score_page

        write_report(html, score_page(result, command=this_command(), confidence_level=level))
    text, notes = _text(result, format, digits, level, writing.quiet)
    if also:
        text = _with_others(text, getattr(result, "total", result), format, digits)
    print_result(text, format, notes, output=writing.output)
    return gates.check(result, level)


def _result(
    files: list[str],
    groups: list[Any],
    matrix: MatrixOptions,
    report: str | None,
    by: str | None,
    cluster: str | None,
) -> ScoreResult | GroupsResult:
    """Read, count and score."""
    from macrof1.catalogue.reader import chosen_convention
    from macrof1.counting.policies import apply_policies, apply_to_groups
    from macrof1.scoring.score_result import score_counts

    reading, policies, spans, convention = groups
    rules = convention.arguments()
    entities = [Argument("spans", True)] if spans.wanted() else []
    others = [*([] if report is None else [Argument("report", report)]), *matrix.given()]
    for given in (*entities, *others) if cluster is not None else ():
        expected = "predictions with one label per row"
        raise InputError.beside(Argument("cluster", cluster), given.bare, expected=expected)
    if entities:
        arguments = spans.arguments(reading, by, [*policies.given(), *others])
        if not files:
            raise InputError("no file given", expected="a file of tagged tokens, or - for standard input")
        from macrof1.entry import score_span_file

        chosen = chosen_convention(rules.pop("convention"), **rules, task="spans")
        return score_span_file(files, **arguments, convention=chosen)
    if report is not None:
        printed = read_report_counts(report, matrix, files, reading, by)
        return score_counts(printed, **_typed(rules, printed.labels))
    counts: Confusion | ClassCounts
    if matrix.given():
        counts, making = apply_policies(read_one_matrix(matrix, files, reading, by), **policies.arguments())
    elif by is None and cluster is None:
        part = read_parts(files, reading)
        counts, making = apply_policies(part.counts, **policies.arguments())
    else:
        from macrof1.entry import scored_groups

        columns = [*(names_of(by) or []), *([] if cluster is None else [cluster])]
        grouped = read_groups(files, columns, **reading.arguments())
        grouped, making = apply_to_groups(grouped, **policies.arguments())
        chosen = chosen_convention(**_typed(rules, grouped.total.labels))
        return scored_groups(grouped, making, chosen, by=by, cluster=cluster)
    return replace(score_counts(counts, **_typed(rules, counts.labels)), making=making)


def _typed(rules: dict[str, Any], labels: tuple[Any, ...]) -> dict[str, Any]:
    """Convert the classes to exclude to the type of the labels."""
    if not rules["exclude"]:
        return rules
    from macrof1.counting.cells import typed_labels

    kinds = {type(label) for label in labels if label is not None}
    return {**rules, "exclude": typed_labels(rules["exclude"], kinds)}


def _fixed(config: str, by: str | None, groups: list[Any]) -> tuple[str, str | None, list[Any]]:
    """Let a task file set options, which then cannot be given on the command line."""
    from macrof1.reading.tasks import read_task

    settings, identity = read_task(config)
    if "by" in settings:
        if by is not None:
            raise _beside_config(Argument("by", by), identity)
        by = settings.pop("by")
    found = []
    for group in groups:
        own = {each.name: settings.pop(each.name) for each in fields(group) if each.name in settings}
        for given in group.given():
            if given.name in own:
                raise _beside_config(given, identity)
        found.append(replace(group, **own))
    return identity, by, found


def _beside_config(given: Argument, identity: str) -> InputError:
    sets_it = Message(Argument("config"), f", which sets it ({identity})")
    return InputError.beside(given, sets_it, expected="one of them")


def _with_fact(result: Any, fact: tuple[str, str]) -> Any:
    """Add a fact to the signature."""
    total = getattr(result, "total", result)
    told = replace(total, making=replace(total.making, facts=(*total.making.facts, fact)))
    return told if total is result else replace(result, total=told)


def _with_others(text: str, result: ScoreResult, format: Format, digits: int | None) -> str:
    """Add the other averages, if the format has room for them."""
    from macrof1.reporting.scores import render_others

    if format == "json":
        return text
    if format not in ("text", "markdown"):
        raise InputError.beside("also", Argument("format", format), expected="text, markdown or json")
    return f"{text}\n\n{render_others(result, format, digits=digits)}"


def _text(result: Any, format: Format, digits: int | None, level: float | None, quiet: bool) -> tuple[str, list[str]]:
    """Return the text to print, and the notes that go with a table."""
    from macrof1.reporting.groups import render_groups
    from macrof1.reporting.intervals import ScoreIntervals
    from macrof1.reporting.scores import render_quietly, render_score
    from macrof1.scoring.score_result import ScoreResult

    if quiet:
        return render_quietly(getattr(result, "total", result), format, digits=digits), result.notes
    if isinstance(result, ScoreResult):
        text = render_score(result, format, digits=digits, confidence_level=level)
        return text, [*result.notes, *ScoreIntervals.of(result, level).notes]
    return render_groups(result, format, digits=digits, confidence_level=level), result.notes
