"""One system's scores in every output format."""

from __future__ import annotations

import json
from typing import get_args

from macrof1.convention import FORMULA_NAMES, FORMULAS
from macrof1.counting.doubts import GRAVE
from macrof1.errors import InputError, counted
from macrof1.labels import label_text
from macrof1.message import Message
from macrof1.reporting.intervals import ScoreIntervals
from macrof1.reporting.lines import listed, paragraphs, printable, wrapped
from macrof1.reporting.table import (
    AS_CSV,
    OutputFormat,
    Table,
    json_text,
    latex_text,
    machine_number,
    markdown_text,
    shown_digits,
)
from macrof1.scoring.result import ScoreResult

# The most classes shown in a terminal; the rest is summarised. Other formats print all.
_MOST_CLASSES = 40
_LONGEST_LABEL = 60


def render_score(
    result: ScoreResult,
    output: OutputFormat = "text",
    *,
    digits: int | None = None,
    confidence_level: float | None = None,
) -> str:
    """Print a result as text, JSON, CSV, Markdown or LaTeX.

    Parameters
    ----------
    digits
        Decimals of every score; by default 4, and all in CSV. JSON always has all.
    confidence_level
        Level of the intervals of both scores; no intervals by default.
    """
    shown = shown_digits(digits)
    intervals = ScoreIntervals.of(result, confidence_level)
    if output == "text":
        return _text(result, intervals, shown)
    if output == "json":
        found = {**result.to_dict(), **intervals.to_dict()}
        return json_text(found)
    if output == "csv":
        return _csv(result, intervals, digits)
    if output == "markdown":
        return _markdown(result, intervals, shown)
    if output == "latex":
        return _latex(result, intervals, shown)
    raise InputError.unknown_value("format", output, get_args(OutputFormat))


def _count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _f_name(result: ScoreResult) -> str:
    return "F1" if result.beta == 1 else f"F{result.beta:g}"


def formula_names(result: ScoreResult) -> dict[str, str]:
    """Name the two formulas, also for F-beta."""
    return {formula: name.replace("F1", _f_name(result)) for formula, name in FORMULA_NAMES.items()}


def class_table(result: ScoreResult, digits: int, *, most: int | None = None) -> Table:
    """Return one line per class; with `most`, only the classes that cause most of the gap."""
    records = result.per_class
    shown = records
    if most is not None and len(records) > most:
        # The classes that cause most of the gap, in their original order.
        chosen = sorted(range(len(records)), key=lambda place: -records[place].gap_share)[:most]
        shown = [records[place] for place in sorted(chosen)]
    rows = [
        [
            label_text(record.label) if most is None else _shortened(label_text(record.label)),
            *(f"{value:.{digits}f}" for value in (record.precision, record.recall, record.f1)),
            _count(record.actual),
            _count(record.predicted),
            _count(record.tp),
            f"{record.gap_share:.{digits}f}",
        ]
        for record in shown
    ]
    return Table(
        ["class", "precision", "recall", _f_name(result), "gold", "predicted", "correct", "share of gap"], rows
    )


def _shortened(label: str) -> str:
    """Shorten labels that are whole answers."""
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 20]}…{label[-19:]}"


def _text(result: ScoreResult, intervals: ScoreIntervals, digits: int) -> str:
    names = formula_names(result)
    floor = result.noise_floor
    beside = dict.fromkeys(FORMULAS, "")
    beside |= {formula: f"{intervals.title} {intervals.ends(formula, digits)}" for formula in intervals.found}
    noise = "" if floor is None else f"sampling noise: {roughly(floor, digits)}"
    scores: list[tuple[str, float, list[str]]] = [
        (names["averaged_f1"], result.averaged_f1, [beside["averaged_f1"], "report this one"]),
        (names["f1_of_averages"], result.f1_of_averages, [beside["f1_of_averages"]]),
        ("gap", result.gap, [noise]),
        ("macro precision", result.macro_precision, []),
        ("macro recall", result.macro_recall, []),
    ]
    score_lines = [(name, "   ".join([f"{value:.{digits}f}", *filter(None, more)])) for name, value, more in scores]
    table = class_table(result, digits, most=_MOST_CLASSES)
    hidden = result.n_classes - len(table.rows)
    notes = result.notes
    first = [note for note in notes if getattr(note, "code", "") in GRAVE]
    parts = [paragraphs(first)] if first else []
    parts += [listed(score_lines), wrapped(printable(result.explanation)), table.to_text()]
    if hidden > 0:
        some, shares = counted(hidden, "class", "classes"), "a smaller share" if hidden == 1 else "smaller shares"
        parts[-1] += "\n" + Message(f"… and {some} with {shares} of the gap (all of them with ", AS_CSV, ")")
    others = [note for note in notes if getattr(note, "code", "") not in GRAVE]
    parts.append(paragraphs([_size(result), *others, *intervals.notes]))
    parts.append(result.signature("averaged_f1"))
    return "\n\n".join(parts)


def roughly(value: float, digits: int) -> str:
    """Print a rough number, but never 0 for a positive one."""
    least = 10.0**-digits
    return f"about {value:.{digits}f}" if value >= least / 2 else f"< {least:.{digits}f}"


def _size(result: ScoreResult) -> str:
    unit = "sentence" if result.counts.task == "spans" else "row"
    rows = "" if result.n_rows is None else f"{counted(result.n_rows, unit)}, "
    share = result.unusable_share
    unusable = f", {share:.1%} of the predictions outside the classes" if share else ""
    return f"{rows}{counted(result.n_classes, 'class', 'classes')}{unusable}"


def render_quietly(result: ScoreResult, output: OutputFormat = "text", *, digits: int | None = None) -> str:
    """Print only the two scores: one per line, or as a JSON object."""
    scores = {formula: getattr(result, formula) for formula in FORMULA_NAMES}
    if output == "json":
        return json.dumps(scores, allow_nan=False)
    mark = "," if output == "csv" else " "
    number = "" if digits is None and output == "csv" else f".{4 if digits is None else digits}f"
    return "\n".join(f"{formula}{mark}{value:{number}}" for formula, value in scores.items())


def _csv(result: ScoreResult, intervals: ScoreIntervals, digits: int | None) -> str:
    number = machine_number(digits)
    rows = [
        [
            "class",
            label_text(record.label),
            *map(number, (record.precision, record.recall, record.f1)),
            str(record.actual),
            str(record.predicted),
            str(record.tp),
            number(record.gap_share),
            *([""] * (4 if intervals.level is None else 6)),
        ]
        for record in result.per_class
    ]
    facts = ["" if result.n_rows is None else str(result.n_rows), str(result.counts.n_dropped)]
    facts.append(str(result.counts.n_outside))
    for formula in FORMULAS:
        means = map(number, (result.macro_precision, result.macro_recall, getattr(result, formula)))
        ends = [] if intervals.level is None else [*map(number, intervals.values(formula))]
        row = ["macro", formula, *means, "", "", "", number(result.gap), *facts, result.signature(formula), *ends]
        rows.append(row)
    header = ["scope", "label", "precision", "recall", "f1", "actual", "predicted", "tp", "gap_share"]
    header += ["n_rows", "n_dropped", "n_outside", "signature"]
    header += [] if intervals.level is None else ["low", "high"]
    return Table(header, rows, n_text=2).to_csv()


def _summary(result: ScoreResult, intervals: ScoreIntervals, digits: int) -> list[tuple[str, str, str]]:
    """Return the name, the value and the interval of every score."""
    names = formula_names(result)
    floor = result.noise_floor
    return [
        *((names[f], f"{getattr(result, f):.{digits}f}", intervals.ends(f, digits)) for f in FORMULAS),
        ("gap", f"{result.gap:.{digits}f}", ""),
        ("macro precision", f"{result.macro_precision:.{digits}f}", ""),
        ("macro recall", f"{result.macro_recall:.{digits}f}", ""),
        *([] if floor is None else [("sampling noise of the gap", roughly(floor, digits), "")]),
    ]


def _markdown(result: ScoreResult, intervals: ScoreIntervals, digits: int) -> str:
    width = 3 if intervals.found else 2
    rows = [row[:width] for row in _summary(result, intervals, digits)]
    summary = Table(["score", "value", intervals.title][:width], rows).to_markdown()
    table = class_table(result, digits).to_markdown()
    facts = " ".join(map(markdown_text, [f"{_size(result)}.", *result.notes, *intervals.notes]))
    return "\n\n".join(
        [summary, markdown_text(result.explanation), table, facts, f"`{result.signature('averaged_f1')}`"]
    )


def _latex(result: ScoreResult, intervals: ScoreIntervals, digits: int) -> str:
    scores = "; ".join(
        f"{name} {value}" + (f" ({ends})" if ends else "") for name, value, ends in _summary(result, intervals, digits)
    )
    brackets = [f"In brackets: {intervals.title}s."] if intervals.found else []
    caption = rf"{latex_text(scores)}. \texttt{{{latex_text(result.signature('averaged_f1'))}}}"
    notes = [result.explanation, f"{_size(result)}.", *result.notes, *brackets, *intervals.notes]
    return class_table(result, digits).to_latex(caption=caption, notes=notes)


def render_others(result: ScoreResult, output: OutputFormat = "text", *, digits: int | None = None) -> str:
    """Print the averages often reported alongside the two macro F1s, as far as they apply."""
    names = {
        "accuracy": "accuracy",
        "balanced_accuracy": "balanced accuracy",
        "micro_f1": "micro F1",
        "weighted_f1": "weighted F1",
        "cohen_kappa": "Cohen's kappa",
        "mcc": "MCC",
    }
    values = {words: getattr(result, name) for name, words in names.items()}
    places = shown_digits(digits)
    rows = [[words, f"{value:.{places}f}"] for words, value in values.items() if value is not None]
    table = Table(["also", "value"], rows, n_text=1)
    return table.to_markdown() if output == "markdown" else table.to_text()
