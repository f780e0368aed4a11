"""Every option once: its names, its values, its help, and the jobs and kinds of input on which it has an effect.

Parsing, help, completion and the keys of a task file are made from this table, and so is the refusal of an option that
would change nothing. In a help text, ``{labels}`` is the option `labels`, which each front end spells its own way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, TypeAlias, get_args

from macrof1.convention import ClassSet, Task, Undefined
from macrof1.errors import InputError
from macrof1.labels import Missing
from macrof1.message import Argument, Message, Part

Kind: TypeAlias = Literal["rows", "sets", "spans", "counts", "matrix", "report", "published", "figures", "nothing"]
"""What a job works on: predictions with one label per row or several, tagged tokens, saved counts, a confusion matrix,
a printed report, a leaderboard with published figures, figures given as options, or none of these."""

WORDS: Final[dict[Kind, Part]] = {
    "rows": "one label per row",
    "sets": "several labels per row",
    "spans": Argument("spans", True),
    "counts": "saved counts",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option, or one meaning of it for some jobs.

    Attributes
    ----------
    name
        Its name in Python.
    on
        The jobs that take it, and the kinds of input on which it has an effect.
    help
        What it does, in a sentence or two.
    group
        The heading it stands under in a help text.
    type
        `str`, `int`, `float`, `bool`, `Names`, `Several`, or the valid values.
    written, short
        Its name on the command line and in a task file, if it is another, and a short one.
    file
        Whether it names a file that is read or written.
    fixed
        Whether a task file may set it.
    formats
        The formats of tables that it has an effect on, if not on all.
    idle
        Why it may change nothing although it is taken.
    """

    name: str
    on: Mapping[str, str]
    help: str
    group: str
    type: Any = str
    default: Any = None
    written: str | None = None
    short: str | None = None
    file: Literal["read", "written"] | None = None
    fixed: bool = False
    formats: tuple[str, ...] = ()
    idle: str = ""

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
        if kind == "nothing":
            expected = Message(f"mf1 {job} FILE ", given.bare, " …") if job in ("bounds", "conventions") else "a file"
            return InputError(Message(given.bare, " needs a file"), given=given.value, expected=expected)
        if len(kinds) == 1 and isinstance(WORDS[kinds[0]], Argument):
            return InputError(Message(given.bare, " needs ", WORDS[kinds[0]]), given=given.value)
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

_TABLE: Final = "rows sets"
_COUNTED: Final = "rows sets spans counts matrix report"
_ALL_SCORED: Final = dict.fromkeys(("score", "compare", "plan", "identify", "conventions", "count"), _TABLE)
_DOUBTED: Final = "It speaks up only if the labels cast doubt on the scores."

OPTIONS: Final[tuple[Option, ...]] = (
    Option(
        name="gold", short="-g", group=_COLUMNS, fixed=True,
        on={**_ALL_SCORED, "score": "rows sets spans", "identify": "rows sets spans", "bounds": "rows"},
        help="Column of the gold labels: a name, a position counted from 1, or in JSON a path (doc.label). Default: "
        "the one with a usual name.",
    ),
    Option(
        name="pred", short="-p", group=_COLUMNS, fixed=True,
        on={"score": "rows sets spans", "identify": "rows sets spans", "count": _TABLE, "conventions": _TABLE,
            "compare": _TABLE},
        help="Column of the predicted labels: a name, a position counted from 1, or in JSON a path "
        "(filtered_resps.0). Default: the one with a usual name.",
    ),
    Option(
        name="sample_weight", written="weight", group=_COLUMNS, fixed=True, on=_ALL_SCORED,
        help="Column with a weight per row: how much it matters. A row stays one draw whatever its weight.",
    ),
    Option(
        name="count", group=_COLUMNS, fixed=True, on={**_ALL_SCORED, "compare": _TABLE},
        help="Column that says how many rows a line stands for, in a table of counts.",
    ),
    Option(
        name="by", group=_COLUMNS, type=Names, fixed=True, on={"score": "rows sets spans"},
        help="Columns to group by: domain,fold. One result per group, and both averages over groups. With {spans}, "
        "document is every document.",
    ),
    Option(
        name="by", group=_COLUMNS, type=Names, fixed=True, on={"identify": "rows sets spans"},
        help="Columns to group by: fold. Means over groups are then tried too.",
    ),
    Option(
        name="by", group=_COLUMNS, on={"compare": "rows sets published"},
        help="Column that names the system, in a table of counts, predictions or published figures.",
    ),
    Option(
        name="cluster", group=_COLUMNS, fixed=True, on={"score": "rows", "compare": _TABLE, "plan": _TABLE},
        help="Column with the document, user or other cluster that a row belongs to, where rows are not independent: "
        "intervals and tests then treat clusters, not rows, as the sample.",
    ),
    Option(
        name="systems", group=_SYSTEMS, type=Names, on={"compare": _TABLE},
        help="Columns of the systems in one file: a,b,c. Default: all but gold and ids. With {id}, the column that "
        "names the system of each row.",
    ),
    Option(
        name="systems", group=_SYSTEMS, type=Names, on={"plan": _TABLE},
        help="Columns of one or two systems: a,b. Default: all but gold and ids.",
    ),
    Option(
        name="id", group=_SYSTEMS, on={"compare": _TABLE, "score": _TABLE, "count": _TABLE, "conventions": _TABLE},
        help="Column that matches the rows of several files. Without it, rows are matched by position.",
        idle="Gold and predictions of one system are matched by an id column that both have, named or not.",
    ),
    Option(
        name="no_id", group=_SYSTEMS, type=bool, default=False,
        on={"compare": _TABLE, "score": _TABLE, "count": _TABLE, "conventions": _TABLE},
        help="Match rows by position even if columns that the files share differ, such as scores.",
        idle="Files whose shared columns agree are matched by position anyway.",
    ),
    Option(
        name="runs", group=_SYSTEMS, on={"compare": "rows"},
        help="Column that tells the runs (seeds) of a system apart, where systems stand below each other: with "
        "{systems} for the column of systems and {id} for that of rows. Columns a@1,a@2 are runs too.",
    ),
    Option(
        name="baseline", group=_SYSTEMS, on={"compare": "rows sets matrix counts"},
        help="Test the differences to this system only.",
    ),
    Option(
        name="header", group=_READ, type=bool, default=True, fixed=True, formats=("csv", "tsv"),
        on={**_ALL_SCORED, "bounds": "rows"},
        help="Whether the first line of a CSV or TSV file names the columns.",
    ),
    Option(
        name="file_format", written="input_format", group=_READ, fixed=True,
        on={**_ALL_SCORED, "compare": "rows sets published", "bounds": "rows"},
        type=("csv", "tsv", "jsonl", "json", "parquet", "arrow"),
        help="The format of the file, if it cannot be inferred from its name.",
        idle="It changes nothing where it is the format of the file.",
    ),
    Option(
        name="records", group=_READ, fixed=True, formats=("json",),
        on={"score": "rows sets spans", "identify": "rows sets spans", "count": _TABLE, "conventions": _TABLE},
        help="The path of the records in a JSON file that holds more: results.outputs.",
        idle="Where a file holds one list of records, it is found.",
    ),
    Option(
        name="spans", group=_READ, type=bool, default=False, fixed=True,
        on={"score": "spans", "identify": "spans"},
        help="Score entities, per type: tagged tokens in columns (CoNLL), one file with both tags or gold and "
        "predicted side by side, or records with lists of tags or spans.",
    ),
    Option(
        name="scheme", group=_READ, fixed=True, type=("iob2", "iob1", "ioe", "iobes", "bilou"), default="iob2",
        on={"score": "spans", "identify": "spans"}, help="How tags mark entities.",
        idle="Spans need no scheme, and some tags mean the same in two schemes.",
    ),
    Option(
        name="mode", group=_READ, fixed=True, type=("conll", "strict"), default="conll",
        on={"score": "spans", "identify": "spans"},
        help="Whether tags that break the scheme still make an entity (conll, as conlleval) or not (strict).",
        idle="It matters where tags break the scheme.",
    ),
    Option(
        name="tag_names", group=_READ, fixed=True, type=Names, on={"score": "spans", "identify": "spans"},
        help="The tags that numbers stand for, in order, where files hold numbers: O,B-PER,I-PER.",
    ),
    Option(
        name="matrix", group=_READ, file="read", on={"score": "matrix", "identify": "matrix", "conventions": "matrix"},
        help="A confusion matrix instead of predictions: CSV, TSV or JSON, with or without labels; - for standard "
        "input.",
    ),
    Option(
        name="matrix", group=_READ, type=bool, default=False, on={"compare": "matrix"},
        help="The files are confusion matrices, one per system.",
    ),
    Option(
        name="rows", group=_READ, type=("predicted", "gold"),
        on={"score": "matrix", "identify": "matrix", "conventions": "matrix", "compare": "matrix", "explore": "matrix"},
        help="What a row of the matrix is: predicted (as in the paper) or gold (as in scikit-learn).",
    ),
    Option(
        name="report", group=_READ, file="read", on={"score": "report"},
        help="A report as a tool printed it instead of predictions, where its figures determine the counts; - for "
        "standard input.",
    ),
    Option(
        name="published", group=_READ, type=bool, default=False, on={"compare": "published"},
        help="The file has a line per system, and columns such as cat_precision and cat_recall for every class.",
        idle="A file with such columns is read so without it.",
    ),
    Option(
        name="labels", group=_LABELS, type=Names, fixed=True,
        on={**_ALL_SCORED, "score": "rows sets spans matrix", "identify": "rows sets spans matrix",
            "conventions": "rows sets matrix", "compare": "rows sets matrix"},
        help="The class set, in order: a,b,c. Listed classes count even if they never occur; quotes protect commas.",
        idle="The names of a matrix's classes change no number.",
    ),
    Option(
        name="multilabel", group=_LABELS, fixed=True, on=_ALL_SCORED,
        help='Several labels per row, separated by this mark: ";". Columns of lists need none.',
        idle="Rows without such a mark have one label each.",
    ),
    Option(
        name="missing", group=_LABELS, type=get_args(Missing), default="error", fixed=True,
        on={**dict.fromkeys(_ALL_SCORED, "rows"), "bounds": "rows"},
        help="Rows without a label: stop (error), leave them out and say so (drop), or make them a class of their own "
        "(label).",
        idle="It matters where a label is missing.",
    ),
    Option(
        name="normalize", group=_LABELS, type=Names, default=(), fixed=True,
        on={**dict.fromkeys(_ALL_SCORED, "rows sets counts"), "plan": _TABLE, "count": _TABLE},
        help="Differences between labels to ignore: any of case, space, unicode, punctuation (quotes, brackets, final "
        "marks) and number (1.0 and 1), as in case,space.",
    ),
    Option(
        name="outside", group=_LABELS, type=("wrong", "error", "drop", "class"), default="wrong", fixed=True,
        on={**dict.fromkeys(_ALL_SCORED, "rows counts"), "plan": "rows", "count": "rows"},
        help="Predictions outside {labels}: count them as wrong, stop (error), leave their rows out (drop), or make "
        "them one class (class).",
    ),
    Option(
        name="classes", group=_CONVENTION, type=get_args(ClassSet), default="union", fixed=True,
        on={"score": _COUNTED, "compare": "rows sets matrix counts", "plan": _TABLE},
        help="Average over the classes in gold or predicted (union), in gold only (gold), those of {labels} (listed), "
        "or those of {labels} that occur (seen).",
        idle="It matters where a class is never gold, or listed and never seen.",
    ),
    Option(
        name="undefined", group=_CONVENTION, type=get_args(Undefined), default=0, fixed=True, on={"score": _COUNTED},
        help="What a ratio with denominator 0 counts as; drop and drop_with_parts leave it out of the mean.",
        idle="It matters where a class is never predicted or never gold.",
    ),
    Option(
        name="undefined", group=_CONVENTION, type=(0, 1), default=0,
        on={"compare": "rows sets matrix counts", "plan": _TABLE},
        help="What a ratio with denominator 0 counts as: intervals and tests need a value for it.",
        idle="It matters where a class is never predicted or never gold.",
    ),
    Option(
        name="beta", group=_CONVENTION, type=float, default=1.0, fixed=True,
        on={"score": _COUNTED, "compare": "rows sets matrix counts", "plan": _TABLE},
        help="Weight of recall relative to precision.",
    ),
    Option(
        name="convention", group=_CONVENTION, fixed=True,
        on={"score": _COUNTED, "compare": "rows sets matrix counts", "plan": _TABLE},
        help="Class set and undefined ratios of a real system, such as weka (mf1 conventions lists them).",
        idle="Many systems follow the default convention.",
    ),
    Option(
        name="exclude", group=_CONVENTION, type=Names, default=(), fixed=True,
        on={"score": _COUNTED, "compare": "rows sets matrix counts published", "plan": _TABLE},
        help="Classes to leave out of the averages, such as O or Other: a,b. Their rows still count.",
    ),
    Option(
        name="interval", group=_CERTAINTY, type=bool, default=True, on={"score": "rows sets spans matrix counts"},
        help="Print an interval beside each score.",
    ),
    Option(
        name="confidence_level", group=_CERTAINTY, type=float, default=0.95, fixed=True,
        on={"score": "rows sets spans matrix counts", "compare": "rows sets matrix counts", "plan": _TABLE},
        help="Confidence level of the intervals; a difference is significant if p is at most 1 minus this.",
    ),
    Option(
        name="method", group=_CERTAINTY, type=("combined", "delta", "bootstrap"), default="combined",
        on={"compare": "rows sets matrix counts"},
        help="How intervals are computed: combined, delta or bootstrap.",
    ),
    Option(
        name="equivalent", group=_CERTAINTY, type=float, on={"compare": "rows sets matrix counts"},
        help="The largest difference that makes none in practice, such as 0.01: systems shown to differ by less are "
        "called equivalent.",
    ),
    Option(
        name="prevalence", group=_CERTAINTY, on={"score": "rows matrix"},
        help="Scores and intervals as they would be where classes are as common as here: a=0.7,b=0.2,c=0.1, or a file "
        "with a class and its share in each line.",
    ),
    Option(
        name="test", group=_CERTAINTY, type=("delta", "bootstrap", "randomisation"), default="delta",
        on={"compare": "rows sets matrix counts"},
        help="The test that decides what is significant; JSON has the p-values of all.",
    ),
    Option(
        name="n_resamples", group=_CERTAINTY, type=int, default=1000, on={"compare": "rows sets matrix counts"},
        help="Bootstrap resamples, and randomisations.",
        idle="It changes p-values and intervals that are drawn, in their last digits.",
    ),
    Option(
        name="rng", written="seed", group=_CERTAINTY, type=int, default=0, on={"compare": "rows sets matrix counts"},
        help="The same seed gives the same output.",
        idle="It changes p-values and intervals that are drawn, in their last digits.",
    ),
    Option(
        name="difference", group=_PLAN, type=float, on={"plan": _TABLE},
        help="The true difference to detect: 0.01 is one point.",
    ),
    Option(
        name="power", group=_PLAN, type=float, default=0.8, on={"plan": _TABLE},
        help="The probability of detecting it.",
    ),
    Option(
        name="paired", group=_PLAN, type=bool, default=True, on={"plan": _TABLE},
        help="Whether both systems will be run on the same rows.",
    ),
    Option(
        name="fail_under", group=_GATES, type=Several, on={"score": _COUNTED},
        help="Exit with code 1 if a score is below this: averaged_f1=0.70. Repeat for more scores.",
        idle="A gate that is met says nothing.",
    ),
    Option(
        name="fail_under_low", group=_GATES, type=Several, on={"score": "rows sets spans matrix counts"},
        help="Exit with code 1 if the lower end of a score's interval is below this: averaged_f1=0.65.",
        idle="A gate that is met says nothing.",
    ),
    Option(
        name="non_inferior", group=_GATES, type=float, on={"compare": "rows sets matrix counts"},
        help="Exit with code 1 unless every system is shown to be at most this much worse than the {baseline}, by "
        "averaged F1: 0.01.",
        idle="A gate that is met says nothing.",
    ),
    Option(
        name="strict", group=_GATES, type=bool, default=False,
        on={"score": _COUNTED, "compare": "rows sets matrix counts"},
        help="Exit with code 1 if the labels cast doubt on the scores.", idle=_DOUBTED,
    ),
    Option(
        name="config", group=_READ, file="read",
        on={**_ALL_SCORED, "score": _COUNTED, "compare": "rows sets matrix counts published",
            "identify": "rows sets spans matrix counts", "conventions": "rows sets matrix counts",
            "count": "rows sets counts"},
        help="A task file (TOML) that fixes columns, class set and convention for all who score a task.",
        idle="A job takes from it what it has an option for.",
    ),
    Option(
        name="number", group=_OUTPUT, on={"conventions": "rows sets matrix counts"},
        help="A number as printed, such as 0.7123: the systems that would print it are marked.",
    ),
    Option(
        name="format", short="-f", group=_OUTPUT, default="text", type=("text", "json", "csv", "markdown", "latex"),
        on=dict.fromkeys(("score", "plan", "identify", "conventions", "bounds"), f"{_COUNTED} published nothing"),
        help="How the result is printed. Notes beside csv go to standard error.",
    ),
    Option(
        name="format", short="-f", group=_OUTPUT, default="text",
        type=("text", "json", "csv", "markdown", "latex", "html"),
        on=dict.fromkeys(("compare", "audit"), f"{_COUNTED} published figures"),
        help="How the result is printed. Notes beside csv go to standard error.",
    ),
    Option(
        name="table", group=_OUTPUT, type=("systems", "pairs", "flips", "summary"),
        on={"compare": "rows sets matrix counts published"},
        help="One table alone, with all its lines: systems, pairs (with the p-values of every test), flips or summary "
        "(not as latex). CSV is one table, by default systems.",
    ),
    Option(
        name="digits", group=_OUTPUT, type=int,
        on={"score": _COUNTED, "compare": "rows sets matrix counts published",
            "conventions": "rows sets matrix counts"},
        help="How many decimals to print.",
    ),
    Option(
        name="also", group=_OUTPUT, type=bool, default=False, on={"score": _COUNTED},
        help="Also print accuracy, balanced accuracy, micro F1, weighted F1, Cohen's kappa and MCC; JSON always has "
        "them.",
    ),
    Option(
        name="details", group=_OUTPUT, type=bool, default=False,
        on={"score": _COUNTED, "compare": "rows sets matrix counts published"},
        help="Also print what a page has and a terminal leaves out: every test of every pair, other averages.",
        idle="JSON and CSV always have everything.",
    ),
    Option(
        name="quiet", short="-q", group=_OUTPUT, type=bool, default=False,
        on={"score": _COUNTED, "compare": "rows sets matrix counts published"},
        help="Print the two scores and nothing else.",
    ),
    Option(
        name="output", short="-o", group=_OUTPUT, file="written",
        on={"score": _COUNTED, "compare": "rows sets matrix counts published"},
        help="Write the result to this file.",
    ),
    Option(
        name="output", short="-o", group=_OUTPUT, file="written", on={"count": "rows sets counts"},
        help="The file to write, PART.counts.json; default: standard output.",
    ),
    Option(
        name="html", group=_OUTPUT, file="written",
        on={"score": _COUNTED, "compare": "rows sets matrix counts published",
            "audit": "report published figures"},
        help="Also write a report as one HTML file.",
    ),
    Option(
        name="force", group=_OUTPUT, type=bool, default=False,
        on={"score": _COUNTED, "compare": "rows sets matrix counts published", "audit": "report published figures",
            "count": "rows sets counts", "reproduce": "nothing"},
        help="Replace files that are no earlier output of this command.",
        idle="Only a file that is in the way makes a difference.",
    ),
    Option(
        name="support", group=_FIGURES, on={"identify": "published", "audit": "published figures"},
        help="Gold rows of each class, where a leaderboard does not print them: cat=120,dog=80.",
        idle="A leaderboard that prints them needs none.",
    ),
    Option(
        name="support", group=_FIGURES, on={"bounds": "nothing"},
        help="Gold rows per class instead of a file: 1202,2330.",
    ),
    Option(
        name="precision", group=_FIGURES, on={"audit": "figures"},
        help="Macro precision, as printed: trailing zeros count.",
    ),
    Option(name="recall", group=_FIGURES, on={"audit": "figures"}, help="Macro recall, as printed."),
    Option(name="f1", group=_FIGURES, on={"audit": "figures"}, help="Macro F1, as printed."),
    Option(
        name="per_class", group=_FIGURES, type=Several, on={"audit": "figures"},
        help="Figures of one class, once per class: cat=0.81/0.77/0.79 for precision, recall and F1; - for one not "
        "given.",
    ),
    Option(
        name="n_classes", group=_FIGURES, type=int, on={"audit": "published figures"},
        help="The number of classes.",
    ),
    Option(name="accuracy", group=_FIGURES, on={"audit": "figures"}, help="Accuracy, as printed."),
    Option(name="correct", group=_FIGURES, on={"audit": "figures"}, help="Number of correct rows."),
    Option(name="total", group=_FIGURES, on={"audit": "figures"}, help="Number of rows."),
    Option(
        name="percent", group=_FIGURES, type=bool, on={"audit": "report published figures"},
        help="Whether the figures are percentages.",
        idle="Figures with a percent sign, or above 1, are read as percentages anyway.",
    ),
    Option(
        name="decimals", group=_FIGURES, type=int, on={"audit": "published figures"},
        help="How many decimals were printed, if trailing zeros were lost.",
    ),
    Option(
        name="rounding", group=_FIGURES, type=("round", "truncate", "unknown"), default="round",
        on={"audit": "report published figures"},
        help="How figures were shortened: round, truncate or unknown.",
        idle="It matters where a figure is near the end of a range.",
    ),
    Option(
        name="task", group=_FIGURES, type=get_args(Task), on={"audit": "report published figures"},
        help="One label per row (multiclass) or several (multilabel); by default, as the figures tell.",
        idle="It may be what the figures tell anyway.",
    ),
    Option(
        name="columns", group=_FIGURES, on={"audit": "published"},
        help="Which column of a leaderboard holds what: macro_f1=F-Score,name=Team.",
    ),
    Option(
        name="n_classes", group=_FIGURES, type=int, on={"bounds": "nothing rows counts"},
        help="The number of classes. Alone: the supremum of the gap, and a matrix that comes close.",
    ),
    Option(
        name="precision", group=_FIGURES, on={"bounds": "nothing"},
        help="Macro precision, with {recall}: the range of averaged F1.",
    ),
    Option(name="recall", group=_FIGURES, on={"bounds": "nothing"}, help="Macro recall, with {precision}."),
    Option(
        name="f1_of_averages", group=_FIGURES, on={"bounds": "nothing"},
        help="F1 of averages: the range of averaged F1.",
    ),
    Option(
        name="averaged_f1", group=_FIGURES, on={"bounds": "nothing"},
        help="Averaged F1: the range of F1 of averages.",
    ),
    Option(
        name="versus", group=_FIGURES, on={"bounds": "nothing"},
        help="The same score of a second system: can the other formula rank the two differently?",
    ),
    Option(
        name="closeness", group=_FIGURES, default="0.001", on={"bounds": "nothing"},
        help="How close to the supremum the matrix of {n_classes} comes.",
    ),
    Option(
        name="out", short="-o", group=_MORE, default="reproduction", on={"reproduce": "nothing"},
        help="The output folder. A run that was stopped is resumed by the next one with the same settings.",
    ),
    Option(
        name="only", group=_MORE, type=Names, on={"reproduce": "nothing"},
        help="Some parts only: tables, fig1a, fig1b, fig2, fig3, plane, theorems, errata.",
    ),
    Option(
        name="seeds", group=_MORE, type=int, default=20, on={"reproduce": "nothing"},
        help="How many times each random figure is drawn.",
    ),
    Option(
        name="seed", group=_MORE, type=int, default=0, on={"reproduce": "nothing"},
        help="The random seed: the same one gives the same numbers.",
    ),
    Option(
        name="quick", group=_MORE, type=bool, default=False, on={"reproduce": "nothing"},
        help="At most three seeds and coarse grids: a few seconds.",
    ),
    Option(
        name="host", group=_MORE, default="127.0.0.1", on={"explore": "nothing rows matrix"},
        help="The address to listen on; other machines can reach any but the default.",
    ),
    Option(
        name="port", group=_MORE, type=int, on={"explore": "nothing rows matrix"},
        help="The port to listen on: by default 8911, or a free one if that is taken; 0 takes a free one.",
    ),
    Option(
        name="public_url", group=_MORE, on={"explore": "nothing rows matrix"},
        help="The address of an exported explorer: links that are copied lead there, for others to open.",
    ),
    Option(
        name="browser", group=_MORE, type=bool, default=True, on={"explore": "nothing rows matrix"},
        help="Whether to open the page in a browser.",
    ),
    Option(
        name="export", group=_MORE, on={"explore": "nothing rows matrix"},
        help="Write the explorer into this folder as static files, which any web server can serve, instead of opening "
        "it.",
    ),
    Option(
        name="pyodide", group=_MORE, default="node_modules/pyodide", on={"explore": "nothing rows matrix"},
        help="For an export: the folder of the npm package pyodide, which is Python for the browser.",
    ),
    Option(
        name="url", group=_MORE, on={"explore": "nothing rows matrix"},
        help="For an export: the address where it will be served, such as https://example.org/f1/. Previews of links "
        "need it.",
    ),
    Option(
        name="docs", group=_MORE, on={"explore": "nothing rows matrix"},
        help="The address of the documentation, for a link on the page; relative to it, such as ../, or with https://.",
    ),
)  # fmt: skip


@cache
def options_of(job: str) -> dict[str, Option]:
    """Return the options of a job by their names in Python."""
    return {option.name: option for option in OPTIONS if job in option.on}


def fixed_options() -> Iterator[Option]:
    """Return the options that a task file may set, each once."""
    seen = set()
    for option in OPTIONS:
        if option.fixed and option.spelled not in seen:
            seen.add(option.spelled)
            yield option
