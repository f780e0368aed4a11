"""Every option once: its names, its values, its help, and the jobs and kinds of input on which it has an effect.

Parsing, help, completion and the keys of a task file are made from this table, and so is the refusal of an option that
would change nothing. In a help text, ``{labels}`` is the option `labels`, which each front end spells its own way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, TypeAlias, get_args

from macrof1.convention import ClassSet, Empty, Formula, Task, Undefined
from macrof1.errors import InputError
from macrof1.labels import Missing
from macrof1.message import Argument, Message, Part

Kind: TypeAlias = Literal[
    "rows", "sets", "spans", "counts", "rankings", "matrix", "report", "published", "figures", "nothing"
]
"""What a job works on: predictions with one label per row or several, tagged tokens, saved counts, rankings of
documents or answers to questions, a confusion matrix, a printed report, a leaderboard with published figures, figures
given as options, or none of these."""

WORDS: Final[dict[Kind, Part]] = {
    "rows": "one label per row",
    "sets": "several labels per row",
    "spans": Argument("spans", True),
    "counts": "saved counts",
    "rankings": "rankings or answers",
    "matrix": Argument("matrix"),
    "report": Argument("report"),
    "published": "a leaderboard",
    "figures": "figures",
    "nothing": "no file",
}


class Names:
    """The type of a list of names: a,b,c on the command line, a list in a task file."""


class Several:
    """The type of an option that may be repeated, once for each value."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option, or one meaning of it for some jobs: its name in Python, its heading in a help text, what it does."""

    name: str
    group: str
    help: str
    on: Mapping[str, str]  # the jobs that take it, and the kinds of input on which it has an effect
    type: Any = str  # or int, float, bool, Names, Several, or the valid values
    default: Any = None
    written: str | None = None  # its name on the command line and in a task file, if it is another
    short: str | None = None
    file: Literal["read", "written"] | None = None
    fixed: bool = False  # whether a task file may set it
    formats: tuple[str, ...] = ()  # of the tables that it has an effect on, if not on all
    idle: str = ""  # why it may change nothing although it is taken

    @property
    def spelled(self) -> str:
        """Its name on the command line, without hyphens in front, and in a task file."""
        return self.written or self.name

    @property
    def choices(self) -> tuple[Any, ...]:
        """The valid values, if there are few."""
        return self.type if isinstance(self.type, tuple) else ()

    def works_on(self, job: str, kind: Kind) -> bool:
        """Return whether it has an effect on this kind of input."""
        return kind in self.on[job].split()

    def refusal(self, job: str, given: Argument, kind: Kind) -> InputError:
        """Say that it has no effect on this kind of input, and on which it has."""
        kinds = [each for each in get_args(Kind) if self.works_on(job, each)]
        if len(kinds) == 1 and isinstance(WORDS[kinds[0]], Argument):
            return InputError(Message(given.bare, " needs ", WORDS[kinds[0]]), given=given.value)
        if kind == "nothing":
            expected = Message(f"mf1 {job} FILE ", given.bare, " …") if job in ("bounds", "conventions") else "a file"
            return InputError(Message(given.bare, " needs a file"), given=given.value, expected=expected)
        if set(kinds) <= {"nothing", "figures"}:
            return InputError.beside(given, Message("a file"), expected="one of them")
        words = [WORDS[each] for each in kinds]
        if kinds[:2] == ["rows", "sets"]:
            words[:2] = ["predictions"]
        works: list[Part] = []
        for place, each in enumerate(words):
            works += [("", ", ", " or ")[0 if not place else 2 if place == len(words) - 1 else 1], each]
        hint = "it applies where rows are counted (mf1 count)" if kind == "counts" else None
        beside = "predictions" if kind == "rows" else WORDS[kind]
        return InputError.beside(given, Message(beside), expected=Message("it with ", *works), hint=hint)


_READ, _COLUMNS, _LABELS = "What to read", "Columns", "Labels"
_CONVENTION, _CERTAINTY, _GATES, _OUTPUT = "Convention", "Certainty", "Gates", "Output"
_SYSTEMS, _PLAN, _FIGURES, _MORE = "Systems", "Plan", "Figures", "More"

_TABLE, _TAGGED, _COMPARED = "rows sets", "rows sets spans", "rows sets matrix counts rankings"
_KNOWN = "rows sets spans matrix rankings"
_COUNTED, _PUBLISHED = f"{_KNOWN} counts report", "report published figures"
_ALL_SCORED: Final = dict.fromkeys(("score", "compare", "plan", "identify", "conventions", "count"), _TABLE)
_MATCHED: Final = dict.fromkeys(("score", "compare", "conventions", "count"), _TABLE)
_MATRICES: Final = dict.fromkeys(("score", "identify", "conventions"), "matrix")
_TAGS = dict.fromkeys(("score", "identify"), _TAGGED)
_SPANS = dict.fromkeys(("score", "identify", "compare"), "spans")
_TESTED: Final = {"compare": _COMPARED}
_JUDGED: Final = {**_TESTED, "score": _COUNTED, "plan": _TABLE}
_SHOWN: Final = {"score": _COUNTED, "compare": f"{_COMPARED} spans published"}
_SHOWN_SYSTEMS: Final = {"compare": _SHOWN["compare"]}
_PAGE: Final = {"explore": "nothing rows matrix"}

OPTIONS: Final[tuple[Option, ...]] = (
    Option("gold", _COLUMNS, "Column of the gold labels: a name, a position counted from 1, or in JSON a path "
           "(doc.label). Default: the one with a usual name.",
           on={**_ALL_SCORED, **_TAGS, "bounds": "rows"}, short="-g", fixed=True),
    Option("pred", _COLUMNS, "Column of the predicted labels: a name, a position counted from 1, or in JSON a path "
           "(filtered_resps.0). Default: the one with a usual name.",
           on={**_TAGS, "count": _TABLE, "conventions": _TABLE, "compare": _TABLE}, short="-p", fixed=True),
    Option("sample_weight", _COLUMNS, "Column with a weight per row: how much it matters. A row stays one draw "
           "whatever its weight.",
           on=_ALL_SCORED, written="weight", fixed=True),
    Option("count", _COLUMNS, "Column that says how many rows a line stands for, in a table of counts.",
           on={**_ALL_SCORED, "bounds": "rows"}, fixed=True),
    Option("by", _COLUMNS, "Columns to group by: domain,fold. One result per group, and both averages over groups. "
           "With {spans}, document is every document.",
           on={"score": _TAGGED}, type=Names, fixed=True),
    Option("by", _COLUMNS, "Columns to group by: fold. Means over groups are then tried too.", on={"identify": _TAGGED},
           type=Names, fixed=True),
    Option("by", _COLUMNS, "Column that names the system, in a table of counts, predictions or published figures.",
           on={"compare": "rows sets published"}),
    Option("over", _COLUMNS, "What the means are taken over: classes, rows (with several labels each), or a column of "
           "units: document, query, fold. Labels and rows are pooled inside a unit. Of entities, document or rows; "
           "column:rows is a column of that name.",
           on={**_TAGS, "count": _TABLE, "compare": _TAGGED}, fixed=True),
    Option("over", _FIGURES, "What the means are of, such as query; default: classes, with one label per row.",
           on={"bounds": "nothing"}),
    Option("positive", _LABELS, "With {over}, the one label that counts, in a table of pairs: relevant or not.",
           on=dict.fromkeys(("score", "count", "compare", "identify"), "rows"), fixed=True),
    Option("k", _LABELS, "How many documents of each ranking count, the best first. Default: all.",
           on=dict.fromkeys(("score", "count", "compare", "identify"), "rankings"), type=int, fixed=True),
    Option("relevance", _LABELS, "The least relevance of a relevant document, in qrels. Default: 1.",
           on=dict.fromkeys(("score", "count", "compare", "identify"), "rankings"), type=int, fixed=True),
    Option("cluster", _COLUMNS, "Column with the document, user or other cluster that a row belongs to, where rows are "
           "not independent: intervals and tests then treat clusters, not rows, as the sample.",
           on={"score": _TABLE, "compare": _TABLE, "plan": _TABLE}, fixed=True),
    Option("systems", _SYSTEMS, "Columns of the systems in one table: a,b,c. Default: all but gold and ids. With {id}, "
           "the column that names the system of each row.",
           on={"compare": _TABLE}, type=Names),
    Option("systems", _SYSTEMS, "Columns of one or two systems: a,b. Default: all but gold and ids.",
           on={"plan": _TABLE}, type=Names),
    Option("id", _SYSTEMS, "Column that matches the rows of several files. Default: an id column that all have; "
           "without one, rows are matched by position.",
           on=_MATCHED, fixed=True, idle="Files are matched by an id column that all have, named or not."),
    Option("no_id", _SYSTEMS, "Match rows by position even if columns that the files share differ, such as scores.",
           on=_MATCHED, type=bool, default=False,
           idle="Files whose shared columns agree are matched by position anyway."),
    Option("runs", _SYSTEMS, "Column that tells the runs (seeds) of a system apart, where systems stand below each "
           "other: with {systems} for the column of systems and {id} for that of rows. Columns a@1,a@2 are runs too.",
           on={"compare": "rows"}),
    Option("rank_by", _SYSTEMS, "The formula that ranks systems; both are always shown.", on=_SHOWN_SYSTEMS,
           type=get_args(Formula), default="averaged_f1", fixed=True, idle="Both formulas may rank systems alike."),
    Option("ties", _SYSTEMS, "Which systems share a place: those that the test cannot tell apart (test), or equal "
           "scores only (score).",
           on=_TESTED, type=("test", "score"), default="test", fixed=True,
           idle="The test may tell all of them apart."),
    Option("public", _SYSTEMS, "Leave out what names gold labels or rows, for a leaderboard to publish.",
           on=_SHOWN_SYSTEMS, type=bool, default=False, idle="It matters where notes name labels."),
    Option("baseline", _SYSTEMS, "Test the differences to this system only.", on=_TESTED),
    Option("gold_file", _READ, "The file with gold, if the others have predictions only.",
           on=dict.fromkeys(("score", "compare"), f"{_TAGGED} rankings"), file="read", fixed=True),
    Option("limits", _READ, "What a submission may not exceed: megabytes=50, or all together: submissions=100.",
           on=dict.fromkeys(("score", "compare"), _TAGGED), type=Names, default=(), fixed=True,
           idle="A limit that is kept says nothing."),
    Option("header", _READ, "Whether the first line of a CSV or TSV file names the columns.",
           on={**_ALL_SCORED, "bounds": "rows"}, type=bool, default=True, fixed=True, formats=("csv", "tsv")),
    Option("file_format", _READ, "The format of the file, if it cannot be inferred from its name.",
           on={**_ALL_SCORED, "compare": "rows sets published", "bounds": "rows"}, written="input_format", fixed=True,
           type=("csv", "tsv", "jsonl", "json", "parquet", "arrow"),
           idle="It changes nothing where it is the format of the file."),
    Option("records", _READ, "The path of the records in a JSON file that holds more: results.outputs.",
           on={**_TAGS, "count": _TABLE, "conventions": _TABLE}, fixed=True, formats=("json",),
           idle="Where a file holds one list of records, it is found."),
    Option("repeats", _READ, "What becomes of several answers to an item, in logs of lm-evaluation-harness, Inspect, "
           "promptfoo or HELM: each of n counts as 1/n of a row (mean) or as a row (cluster), with items as clusters; "
           "the most common one counts (vote), or the right one if it is among them (any).",
           on=dict.fromkeys(_MATRICES, "rows"), type=("mean", "vote", "any", "cluster"), fixed=True,
           formats=("json", "jsonl")),
    Option("spans", _READ, "Score entities, per type: tagged tokens in columns (CoNLL), one file with both tags or "
           "gold and predicted side by side, or records with lists of tags or spans.",
           on=_SPANS, type=bool, default=False, fixed=True),
    Option("scheme", _READ, "How tags mark entities.", on=_SPANS, fixed=True,
           type=("iob2", "iob1", "ioe", "iobes", "bilou"), default="iob2",
           idle="Spans need no scheme, and some tags mean the same in two schemes."),
    Option("mode", _READ, "Whether tags that break the scheme still make an entity (conll, as conlleval) or not "
           "(strict).",
           on=_SPANS, fixed=True, type=("conll", "strict"), default="conll",
           idle="It matters where tags break the scheme."),
    Option("tag_names", _READ, "The tags that numbers stand for, in order, where files hold numbers: O,B-PER,I-PER.",
           on=_SPANS, fixed=True, type=Names),
    Option("matrix", _READ, "A confusion matrix instead of predictions: CSV, TSV or JSON, with or without labels; - "
           "for standard input.",
           on=_MATRICES, file="read"),
    Option("matrix", _READ, "The files are confusion matrices, one per system.", on={"compare": "matrix"}, type=bool,
           default=False),
    Option("rows", _READ, "What a row of the matrix is: predicted (as in the paper) or gold (as in scikit-learn).",
           on={**_MATRICES, "compare": "matrix", "explore": "matrix"},
           type=("predicted", "gold")),
    Option("report", _READ, "A report as a tool printed it instead of predictions, where its figures determine the "
           "counts; - for standard input.",
           on={"score": "report"}, file="read"),
    Option("published", _READ, "The file has a line per system, and columns such as cat_precision and cat_recall for "
           "every class.",
           on={"compare": "published"}, type=bool, default=False,
           idle="A file with such columns is read so without it."),
    Option("config", _READ, "A task file (TOML) that fixes columns, class set and convention for all who score a task.",
           on={**_SHOWN, "plan": _TABLE, "identify": f"{_KNOWN} counts", "conventions": _COMPARED,
               "count": "rows sets counts"},
           file="read", idle="A job takes from it what it has an option for."),
    Option("labels", _LABELS, "The class set, in order: a,b,c. Listed classes count even if they never occur; quotes "
           "protect commas.",
           on={**dict.fromkeys(_ALL_SCORED, "rows sets matrix"), **dict.fromkeys(_TAGS, f"{_TAGGED} matrix"),
               "plan": _TABLE, "count": _TABLE},
           type=Names, fixed=True, idle="The names of a matrix's classes change no number."),
    Option("multilabel", _LABELS, 'Several labels per row, separated by this mark: ";". Columns of lists need none.',
           on=_ALL_SCORED, fixed=True, idle="Rows without such a mark have one label each."),
    Option("missing", _LABELS, "Rows without a label: stop (error), leave them out and say so (drop), or make them a "
           "class of their own (label).",
           on={**dict.fromkeys(_ALL_SCORED, "rows"), "bounds": "rows"}, type=get_args(Missing), default="error",
           fixed=True, idle="It matters where a label is missing."),
    Option("missing_predictions", _LABELS, "Gold rows whose id has no prediction, where the two are in files of their "
           "own: stop (error), count them as wrong, or leave them out and say so (drop).",
           on=_MATCHED, type=("error", "wrong", "drop"),
           default="error", fixed=True, idle="It matters where an id has no prediction."),
    Option("normalize", _LABELS, "Differences between labels to ignore: any of case, space, unicode, punctuation "
           "(quotes, brackets, final marks) and number (1.0 and 1), as in case,space.",
           on={**dict.fromkeys(_ALL_SCORED, "rows sets counts"), "plan": _TABLE, "count": _TABLE}, type=Names,
           default=(), fixed=True),
    Option("extract", _LABELS, 'Read the class out of free text: {"label": "spam"}, Answer: B, (B). Answers that '
           "cannot be read are counted, and lie outside the classes: those of {labels}, or else of gold.",
           on={"score": "rows counts", "identify": "rows counts", **dict.fromkeys(_MATCHED, "rows")}, type=bool,
           default=False, fixed=True, idle="Where every answer is a class already, there is nothing to read."),
    Option("outside", _LABELS, "Predictions outside {labels}: count them as wrong, stop (error), leave their rows out "
           "(drop), or make them one class (class).",
           on={**dict.fromkeys(_ALL_SCORED, "rows counts"), "plan": "rows", "count": "rows"},
           type=("wrong", "error", "drop", "class"), default="wrong", fixed=True),
    Option("classes", _CONVENTION, "Average over the classes in gold or predicted (union), in gold only (gold), those "
           "of {labels} (listed), or those of {labels} that occur (seen).",
           on=_JUDGED, type=get_args(ClassSet), default="union", fixed=True,
           idle="It matters where a class is never gold, or listed and never seen."),
    Option("undefined", _CONVENTION, "What a ratio with denominator 0 counts as; drop and drop_with_parts leave it out "
           "of the mean.",
           on={"score": _COUNTED}, type=get_args(Undefined), default=0, fixed=True,
           idle="It matters where a class is never predicted or never gold."),
    Option("undefined", _CONVENTION, "What a ratio with denominator 0 counts as: intervals and tests need a value for "
           "it.",
           on={"compare": _COMPARED, "plan": _TABLE}, type=(0, 1), default=0,
           idle="It matters where a class is never predicted or never gold."),
    Option("empty", _CONVENTION, "With {over}, what a unit with nothing gold and nothing predicted counts as; drop "
           "leaves it out. Default: as {undefined}.",
           on=dict.fromkeys(("score", "compare"), f"{_TAGGED} counts rankings"), type=get_args(Empty), fixed=True,
           idle="It matters where a unit has nothing gold and nothing predicted."),
    Option("beta", _CONVENTION, "Weight of recall relative to precision.", on=_JUDGED, type=float, default=1.0,
           fixed=True),
    Option("convention", _CONVENTION, "Class set and undefined ratios of a real system, such as weka (mf1 conventions "
           "lists them).",
           on=_JUDGED, fixed=True, idle="Many systems follow the default convention."),
    Option("exclude", _CONVENTION, "Classes to leave out of the averages, such as O or Other: a,b. Their rows still "
           "count.",
           on={"score": f"{_TAGGED} matrix counts report", "compare": f"{_TAGGED} matrix counts published",
               "plan": _TABLE}, type=Names, default=(), fixed=True),
    Option("exclude", _CONVENTION, "With {over}, labels that do not count in a unit, such as O: a,b.",
           on={"count": _TABLE, "identify": _TAGGED}, type=Names, default=(), fixed=True),
    Option("interval", _CERTAINTY, "Print an interval beside each score.",
           on={"score": f"{_KNOWN} counts"}, type=bool, default=True),
    Option("confidence_level", _CERTAINTY, "Confidence level of the intervals; a difference is significant if p is at "
           "most 1 minus this.",
           on={"score": f"{_KNOWN} counts", "compare": _COMPARED, "plan": _TABLE}, type=float,
           default=0.95, fixed=True),
    Option("method", _CERTAINTY, "How intervals are computed: combined, delta or bootstrap.", on=_TESTED,
           type=("combined", "delta", "bootstrap"), default="combined"),
    Option("equivalent", _CERTAINTY, "The largest difference that makes none in practice, such as 0.01: systems shown "
           "to differ by less are called equivalent.",
           on=_TESTED, type=float),
    Option("prevalence", _CERTAINTY, "Scores and intervals as they would be where classes are as common as here: "
           "a=0.7,b=0.2,c=0.1, or a file with a class and its share in each line.",
           on={"score": "rows matrix"}),
    Option("test", _CERTAINTY, "The test that decides what is significant; JSON has the p-values of all.", on=_TESTED,
           type=("delta", "bootstrap", "randomisation"), default="delta"),
    Option("n_resamples", _CERTAINTY, "Bootstrap resamples, and randomisations.", on=_TESTED, type=int, default=1000,
           idle="It changes p-values and intervals that are drawn, in their last digits."),
    Option("rng", _CERTAINTY, "The same seed gives the same output.", on=_TESTED, written="seed", type=int, default=0,
           idle="It changes p-values and intervals that are drawn, in their last digits."),
    Option("difference", _PLAN, "The true difference to detect: 0.01 is one point.", on={"plan": _TABLE}, type=float),
    Option("power", _PLAN, "The probability of detecting it.", on={"plan": _TABLE}, type=float, default=0.8),
    Option("paired", _PLAN, "Whether both systems will be run on the same rows.", on={"plan": _TABLE}, type=bool,
           default=True),
    Option("fail_under", _GATES, "Exit with code 1 if a score is below this: averaged_f1=0.70. With {by}, that of all "
           "rows or of any group. Repeat for more scores.",
           on={"score": _COUNTED}, type=Several, idle="A gate that is met says nothing."),
    Option("fail_under_pooled", _GATES, "Exit with code 1 if a score of all rows together is below this, whatever "
           "those of the groups.",
           on={"score": _COUNTED}, type=Several, idle="A gate that is met says nothing."),
    Option("fail_under_low", _GATES, "Exit with code 1 if the lower end of a score's interval is below this: "
           "averaged_f1=0.65. With {by}, that of all rows or of any group.",
           on={"score": f"{_KNOWN} counts"}, type=Several, idle="A gate that is met says nothing."),
    Option("baseline_file", _GATES, "Exit with code 1 if averaged F1 is significantly lower than in an earlier run: "
           "what mf1 score -f json wrote. Rows count as another sample.",
           on={"score": f"{_KNOWN} counts"}, file="read", idle="A gate that is met says nothing."),
    Option("verify", _GATES, "A published signature, after the number if you have it: '0.7123 averaged_f1|…'. Exit "
           "with code 1 unless both come out here, and say what differs.",
           on={"score": _COUNTED}, idle="A gate that is met says nothing."),
    Option("junit", _GATES, "Also write the gates as JUnit XML, a test case for each.", on={"score": _COUNTED},
           file="written"),
    Option("step_summary", _GATES, "Add the scores and the gates to the summary of a step of GitHub Actions.",
           on={"score": _COUNTED}, type=bool, default=False),
    Option("non_inferior", _GATES, "Exit with code 1 unless every system is shown to be at most this much worse than "
           "the {baseline}, by averaged F1: 0.01.",
           on=_TESTED, type=float, idle="A gate that is met says nothing."),
    Option("strict", _GATES, "Exit with code 1 if the labels cast doubt on the scores.",
           on={"score": _COUNTED, "compare": _COMPARED}, type=bool, default=False,
           idle="It speaks up only if the labels cast doubt on the scores."),
    Option("number", _OUTPUT, "A number as printed, such as 0.7123: the systems that would print it are marked.",
           on={"conventions": _COMPARED}),
    Option("format", _OUTPUT, "How the result is printed. Notes beside csv go to standard error.",
           on=dict.fromkeys(("score", "plan", "identify", "conventions", "bounds"), f"{_COUNTED} published nothing"),
           short="-f", default="text", type=("text", "json", "csv", "markdown", "latex")),
    Option("format", _OUTPUT, "How the result is printed. Notes beside csv go to standard error.",
           on=dict.fromkeys(("compare", "audit"), f"{_COUNTED} published figures"), short="-f", default="text",
           type=("text", "json", "csv", "markdown", "latex", "html")),
    Option("table", _OUTPUT, "One table alone, with all its lines: systems, pairs (with the p-values of every test), "
           "flips or summary (not as latex). CSV is one table, by default systems.",
           on={"compare": f"{_COMPARED} published"}, type=("systems", "pairs", "flips", "summary")),
    Option("digits", _OUTPUT, "How many decimals to print.", on={**_SHOWN, "conventions": _COMPARED}, type=int),
    Option("also", _OUTPUT, "Also print accuracy, balanced accuracy, micro F1, weighted F1, Cohen's kappa and MCC; "
           "JSON always has them.",
           on={"score": _COUNTED}, type=bool, default=False),
    Option("details", _OUTPUT, "Also print what a page has and a terminal leaves out: every test of every pair, other "
           "averages.",
           on=_SHOWN, type=bool, default=False, idle="JSON and CSV always have everything."),
    Option("quiet", _OUTPUT, "Print the two scores and nothing else.", on=_SHOWN, short="-q", type=bool, default=False),
    Option("output", _OUTPUT, "Write the result to this file.", on=_SHOWN, short="-o", file="written"),
    Option("output", _OUTPUT, "The file to write, PART.counts.json; default: standard output.",
           on={"count": "rows sets counts"}, short="-o", file="written"),
    Option("output", _OUTPUT, "The task file to write.", on={"task": "rows sets"}, short="-o", file="written",
           default="task.toml"),
    Option("html", _OUTPUT, "Also write a report as one HTML file.", on={**_SHOWN, "audit": _PUBLISHED},
           file="written"),
    Option("force", _OUTPUT, "Replace files that are no earlier output of this command.",
           on={**_SHOWN, "audit": _PUBLISHED, "count": "rows sets counts", "reproduce": "nothing", "task": "rows sets"},
           type=bool, default=False, idle="Only a file that is in the way makes a difference."),
    Option("support", _FIGURES, "Gold rows of each class, where a leaderboard does not print them: cat=120,dog=80.",
           on={"identify": "published", "audit": "published figures"},
           idle="A leaderboard that prints them needs none."),
    Option("support", _FIGURES, "Gold rows per class instead of a file: 1202,2330.", on={"bounds": "nothing"}),
    Option("precision", _FIGURES, "Macro precision, as printed: trailing zeros count.", on={"audit": "figures"}),
    Option("recall", _FIGURES, "Macro recall, as printed.", on={"audit": "figures"}),
    Option("f1", _FIGURES, "Macro F1, as printed.", on={"audit": "figures"}),
    Option("per_class", _FIGURES, "Figures of one class, once per class: cat=0.81/0.77/0.79 for precision, recall and "
           "F1; - for one not given.",
           on={"audit": "figures"}, type=Several),
    Option("n_classes", _FIGURES, "The number of classes.", on={"audit": "published figures"}, type=int),
    Option("accuracy", _FIGURES, "Accuracy, as printed.", on={"audit": "figures"}),
    Option("correct", _FIGURES, "Number of correct rows.", on={"audit": "figures"}),
    Option("total", _FIGURES, "Number of rows.", on={"audit": "figures"}),
    Option("percent", _FIGURES, "Whether the figures are percentages.", on={"audit": _PUBLISHED},
           type=bool, idle="Figures with a percent sign, or above 1, are read as percentages anyway."),
    Option("decimals", _FIGURES, "How many decimals were printed, if trailing zeros were lost.",
           on={"audit": "published figures"}, type=int),
    Option("rounding", _FIGURES, "How figures were shortened: round, truncate or unknown.",
           on={"audit": _PUBLISHED}, type=("round", "truncate", "unknown"), default="round",
           idle="It matters where a figure is near the end of a range."),
    Option("task", _FIGURES, "One label per row (multiclass) or several (multilabel); by default, as the figures tell.",
           on={"audit": _PUBLISHED}, type=get_args(Task),
           idle="It may be what the figures tell anyway."),
    Option("columns", _FIGURES, "Which column of a leaderboard holds what: macro_f1=F-Score,name=Team.",
           on={"audit": "published"}),
    Option("n_classes", _FIGURES, "The number of classes. Alone: the supremum of the gap, and a matrix that comes "
           "close.",
           on={"bounds": "nothing rows counts"}, type=int),
    Option("precision", _FIGURES, "Macro precision, with {recall}: the range of averaged F1.",
           on={"bounds": "nothing"}),
    Option("recall", _FIGURES, "Macro recall, with {precision}.", on={"bounds": "nothing"}),
    Option("f1_of_averages", _FIGURES, "F1 of averages: the range of averaged F1.", on={"bounds": "nothing"}),
    Option("averaged_f1", _FIGURES, "Averaged F1: the range of F1 of averages.", on={"bounds": "nothing"}),
    Option("closeness", _FIGURES, "How close to the supremum the matrix of {n_classes} comes.",
           on={"bounds": "nothing"}, default="0.001"),
    Option("out", _MORE, "The output folder. Files are written when all parts are done.",
           on={"reproduce": "nothing"}, short="-o", default="reproduction", file="written"),
    Option("only", _MORE, "Some parts only: tables, fig1a, fig1b, fig2, fig3, theorems.",
           on={"reproduce": "nothing"}, type=Names),
    Option("seeds", _MORE, "How many times each random figure is drawn.", on={"reproduce": "nothing"}, type=int,
           default=20),
    Option("seed", _MORE, "The random seed: the same one gives the same numbers.", on={"reproduce": "nothing"},
           type=int, default=0),
    Option("quick", _MORE, "At most three seeds and coarse grids: a few seconds.", on={"reproduce": "nothing"},
           type=bool, default=False),
    Option("host", _MORE, "The address to listen on; other machines can reach any but the default.", on=_PAGE,
           default="127.0.0.1"),
    Option("port", _MORE, "The port to listen on: by default 8911, or a free one if that is taken; 0 takes a free one.",
           on=_PAGE, type=int),
    Option("public_url", _MORE, "The address of an exported explorer: links that are copied lead there, for others to "
           "open.",
           on=_PAGE),
    Option("browser", _MORE, "Whether to open the page in a browser.", on=_PAGE, type=bool, default=True),
    Option("export", _MORE, "Write the explorer into this folder as static files, which any web server can serve, "
           "instead of opening it.",
           on=_PAGE, file="written"),
    Option("pyodide", _MORE, "For an export: the folder of the npm package pyodide, which is Python for the browser.",
           on=_PAGE, default="node_modules/pyodide"),
    Option("url", _MORE, "For an export: the address where it will be served, such as https://example.org/f1/. "
           "Previews of links need it.",
           on=_PAGE),
    Option("docs", _MORE, "The address of the documentation, for a link on the page; relative to it, such as ../, or "
           "with https://.",
           on=_PAGE),
)  # fmt: skip


@cache
def options_of(job: str) -> dict[str, Option]:
    """Return the options of a job by their names in Python."""
    return {option.name: option for option in OPTIONS if job in option.on}


def fixed_options() -> dict[str, Option]:
    """Return the options that a task file may set, by their names in it."""
    return {option.spelled: option for option in reversed(OPTIONS) if option.fixed}
