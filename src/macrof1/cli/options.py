"""Options that several commands share: the same name, the same meaning, the same help everywhere.

A dataclass groups options that go together; commands take it as one argument.
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal, TypeAlias

from macrof1.cli.parsing import Parameter
from macrof1.convention import ClassSet, Undefined
from macrof1.errors import InputError
from macrof1.message import Argument, Message

File: TypeAlias = Annotated[
    str | None,
    "CSV, TSV, JSON, JSON lines, Parquet or Arrow, an evaluation log (lm-evaluation-harness, Inspect, "
    "promptfoo), plain or compressed; - for standard input; a pattern; a folder of Parquet. Or counts that mf1 "
    "count saved: *.counts.json.",
]
MoreFiles: TypeAlias = Annotated[str, "More files; all are read as one table."]
MatrixRows: TypeAlias = Annotated[
    Literal["predicted", "gold"] | None,
    "What a row of the matrix is: predicted (as in the paper) or gold (as in scikit-learn).",
]
Gold: TypeAlias = Annotated[
    str | None,
    "Column of the gold labels: a name, a position counted from 1, or in JSON a path (doc.label). Default: "
    "the one with a usual name.",
    Parameter(alias="-g"),
]
Pred: TypeAlias = Annotated[
    str | None,
    "Column of the predicted labels: a name, a position counted from 1, or in JSON a path (filtered_resps.0). "
    "Default: the one with a usual name.",
    Parameter(alias="-p"),
]
Weight: TypeAlias = Annotated[str | None, "Column with a weight per row."]
Labels: TypeAlias = Annotated[
    str | None, "The class set, in order: a,b,c. Listed classes count even if they never occur; quotes protect commas."
]
SeveralLabels: TypeAlias = Annotated[
    str | None, 'Several labels per row, separated by this mark: ";". Columns of lists need none.'
]
Classes: TypeAlias = Annotated[
    ClassSet,
    "Average over the classes in gold or predicted (union), in gold only (gold), those of --labels (listed), "
    "or those of --labels that occur (seen).",
]
Beta: TypeAlias = Annotated[float, "Weight of recall relative to precision."]
NumberOfClasses: TypeAlias = Annotated[int | None, "The number of classes."]
Format: TypeAlias = Annotated[
    Literal["text", "json", "csv", "markdown", "latex"],
    "Output: text, json, csv, markdown or latex. Notes beside csv go to standard error.",
    Parameter(alias="-f"),
]
FormatOrPage: TypeAlias = Annotated[
    Literal["text", "json", "csv", "markdown", "latex", "html"],
    "Output: text, json, csv, markdown, latex or html. Notes beside csv go to standard error.",
    Parameter(alias="-f"),
]
Digits: TypeAlias = Annotated[int | None, "How many decimals to print."]
Cluster: TypeAlias = Annotated[
    str | None,
    "Column with the document, user or other cluster that a row belongs to, where rows are not independent: "
    "intervals and tests then treat clusters, not rows, as the sample.",
]
Html: TypeAlias = Annotated[str | None, "Also write a report as one HTML file.", Parameter(file="written")]


def names_of(text: str | None) -> list[str] | None:
    """Split names given as a,b,c; quotes protect commas."""
    try:
        names = None if text is None else next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise InputError(f"{text!r} has an unbalanced quote", given=text, expected="a list such as a,b,c") from None
    if names and not all(map(str.strip, names)):
        raise InputError(f"{text!r} has an empty name", given=text, expected="a list such as a,b,c")
    return names


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options that go together."""

    def given(self, *beside: str) -> list[Argument]:
        """Return the options that were given, except some."""
        found = [(each.name, getattr(self, each.name), each.default) for each in fields(self)]
        return [Argument(name, value) for name, value, default in found if value != default and name not in beside]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldOptions(Options):
    """Which column holds gold labels, and how a table of rows is read."""

    gold: Gold = None
    missing: Annotated[
        Literal["error", "drop", "label"],
        "Rows without a label: stop (error), leave them out and say so (drop), or make them a class of their own "
        "(label).",
    ] = "error"
    header: Annotated[bool, "Whether the first line of a CSV or TSV file names the columns."] = True
    input_format: Annotated[
        str | None, "csv, tsv, jsonl, json, parquet or arrow, if it cannot be inferred from the file name."
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the functions that count files."""
        found = asdict(self)
        found["file_format"] = found.pop("input_format")
        return {**found, **({"labels": names_of(found["labels"])} if "labels" in found else {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionOptions(GoldOptions):
    """Which columns hold gold labels, predictions and weights, and how they are read."""

    pred: Pred = None
    weight: Weight = None
    labels: Labels = None
    multilabel: SeveralLabels = None
    records: Annotated[str | None, "The path of the records in a JSON file that holds more: results.outputs."] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions(Options):
    """How labels are treated before scoring."""

    normalize: Annotated[
        str | None,
        "Differences between labels to ignore: any of case, space, unicode, punctuation (quotes, brackets, "
        "final marks) and number (1.0 and 1), as in case,space.",
    ] = None
    outside: Annotated[
        Literal["wrong", "error", "drop", "class"],
        "Predictions outside --labels: count them as wrong, stop (error), leave their rows out (drop), or "
        "make them one class (class).",
    ] = "wrong"

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `apply_policies`."""
        return {"normalize": self.normalize or (), "outside": self.outside}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanOptions(Options):
    """Entities instead of rows."""

    spans: Annotated[
        bool,
        "Score entities, per type: tagged tokens in columns (CoNLL), one file with both tags or gold and "
        "predicted side by side, or records with lists of tags or spans. --by document scores every document.",
    ] = False
    scheme: Annotated[Literal["iob2", "iob1", "ioe", "iobes", "bilou"], "How tags mark entities."] = "iob2"
    mode: Annotated[
        Literal["conll", "strict"],
        "Whether tags that break the scheme still make an entity (conll, as conlleval) or not (strict).",
    ] = "conll"
    tag_names: Annotated[
        str | None, "The tags that numbers stand for, in order, where files hold numbers: O,B-PER,I-PER."
    ] = None

    def wanted(self) -> bool:
        """Return whether to score entities; if not, reject options that say how they are tagged."""
        for given in () if self.spans else self.given():
            raise InputError(Message(given.bare, " needs ", Argument("spans", True)), given=given.value)
        return self.spans

    def arguments(self, reading: PredictionOptions, by: str | None, others: list[Argument]) -> dict[str, Any]:
        """Return the arguments of `count_span_file`; reject options and other sources that entities do not have."""
        for given in (*reading.given("gold", "pred", "labels", "records"), *others):
            raise InputError.beside(given, "spans", expected="entities alone, or one label per row")
        found = asdict(self) | {"gold": reading.gold, "pred": reading.pred, "records": reading.records}
        names = {"tag_names": names_of(self.tag_names), "labels": names_of(reading.labels), "by": names_of(by) or ()}
        del found["spans"]
        return found | names


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingOptions:
    """Where the result goes, and how much of it."""

    quiet: Annotated[bool, "Print the two scores and nothing else.", Parameter(alias="-q")] = False
    output: Annotated[str | None, "Write the result to this file.", Parameter(alias="-o", file="written")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixOptions(Options):
    """A confusion matrix instead of rows."""

    matrix: Annotated[
        str | None,
        "A confusion matrix instead of predictions: CSV, TSV or JSON, with or without labels; - for standard input.",
        Parameter(file="read"),
    ] = None
    rows: MatrixRows = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConventionOptions(Options):
    """The convention of the scores."""

    classes: Classes = "union"
    undefined: Annotated[
        Undefined, "What a ratio with denominator 0 counts as; drop and drop_with_parts leave it out of the mean."
    ] = 0
    beta: Beta = 1.0
    convention: Annotated[
        str | None, "Class set and undefined ratios of a real system, such as weka (mf1 conventions lists them)."
    ] = None
    exclude: Annotated[
        str | None, "Classes to leave out of the averages, such as O or Other: a,b. Their rows still count."
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `score_counts`."""
        return {**asdict(self), "exclude": names_of(self.exclude) or []}


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertaintyOptions(Options):
    """The uncertainty of the scores."""

    cluster: Cluster = None
    interval: Annotated[bool, "Print an interval beside each score."] = True
    confidence_level: Annotated[float, "Confidence level of the intervals."] = 0.95

    def level(self) -> float | None:
        """Return the confidence level of the intervals; None if no intervals are wanted."""
        from macrof1.sampling.intervals import checked_level

        level = checked_level(self.confidence_level)
        return level if self.interval else None
