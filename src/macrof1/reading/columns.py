"""Columns by name, by position, or by their usual names: one lookup for every table; and rows that repeat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Number
from typing import TYPE_CHECKING, Any, Final

from macrof1.errors import ColumnError, counted, nearest, quote_some
from macrof1.message import Argument, Message, Note, Part
from macrof1.reading.numbers import DecimalMark, is_number, number_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Ambiguous names come last: they count only if no other name matches.
_GOLD: Final = (
    ("gold", "gold_label", "gold_labels", "y_true", "ytrue", "true_label", "true_labels", "ground_truth",
     "groundtruth", "label_true", "label", "labels", "true", "truth", "target", "targets", "actual", "reference",
     "references", "expected_output", "expectedoutput", "actual_label", "actual_labels", "truelabel", "goldlabel",
     "actuallabel", "correct_answer", "gold_answer"),
    ("y", "expected", "class", "ideal", "relevant"),
)  # fmt: skip
_PRED: Final = (
    ("pred", "preds", "predicted", "prediction", "predictions", "y_pred", "ypred", "yhat", "y_hat", "pred_label",
     "pred_labels", "predicted_label", "predicted_labels", "label_pred", "hypothesis", "hypotheses",
     "actual_output", "actualoutput", "predictedlabel", "predlabel", "predicted_class", "predicted_answer"),
    ("system", "output", "outputs", "retrieved"),
    ("answer", "answers", "response", "responses", "model_output", "model_answer", "completion", "guess"),
)  # fmt: skip
_PER_CLASS: Final = {
    "gold": re.compile("(?:gold|true|y_true|label|target|actual)_."),
    "pred": re.compile("(?:p|pr|prob|probs|proba|probability|score|logit|logits|pred|y_pred|prediction)_."),
}
_COLUMN_NAME: Final = re.compile(r"(?:[\w(#%*?$][\w.()%#*?$+-]{0,40} ?){0,5}")
USUAL_NAMES: Final = {"gold": _GOLD, "pred": _PRED}
ID_NAMES: Final = frozenset(
    ("id", "ids", "row_id", "rowid", "example_id", "sample_id", "item_id", "doc_id", "tweet_id", "sentence_id", "uid",
     "guid", "idx", "index")
)  # fmt: skip
SYSTEM_NAMES: Final = ("name", "run", "system", "model", "team", "method", "submission", "participant", "approach")

# Numbers of rows per pair of labels, as SQL engines, pandas, Polars, R, dplyr and Spark name them; some are sure.
_COUNT_NAME: Final = re.compile(
    r"(?:(?:n|num|nb|no|row|rows|sample|total|label|class|pair|cell)_)?(?:of_)?"
    r"(?:counts?|cnt|ct|freqs?|frequency|frequencies|n|nn|nb|num|number|rows|nrows|totals?|size|support|values?|times|"
    r"occurrences?|tally|len|samples|obs|observations|instances|examples|items|cases|documents|#|anzahl|häufigkeit|"
    r"nombre|effectifs?|cantidad|frecuencia|conteo|aantal|antal|conteggio)"
    r"|count_?(?:star|all|big|distinct)?_?\d*(?:\(.*\))?|f0_?|_?c(?:ol)?_?\d+|expr\$?\d+|\?column\?|0|sum\(.*\)|x"
)
COUNT_NAMES: Final = frozenset(
    ("count", "counts", "cnt", "freq", "freqs", "frequency", "n", "n_rows", "num_rows", "nrows", "row_count",
     "count(*)", "count_star()", "count(1)", "occurrences", "tally", "anzahl")
)  # fmt: skip
# Whole numbers that rows of predictions come with.
_OTHER_NUMBERS: Final = frozenset(
    ("length", "len_text", "n_tokens", "n_words", "n_chars", "tokens", "words", "chars", "year", "age", "fold", "seed",
     "epoch", "run", "step", "batch", "position", "pos", "line", "row", "start", "end", "begin", "offset", "time",
     "timestamp", "date", "month", "day", "hour", "page", "user", "user_id", "annotator", "rater", "rank", "level",
     "difficulty", "shard", "split", "part", "cluster", "group", "document", "doc", "sentence", "token", "turn",
     "label_id", "class_id", "latency", "latency_ms", "ms", "price", "cost", "votes", "likes", "zip", "version")
)  # fmt: skip

N_FIRST: Final = 1000  # rows that decide which column identifies rows
MOST_ROWS: Final = 1 << 20  # beyond this many rows, none are compared: the cost stays bounded
_DECIMAL: Final = re.compile(r"[+-]?\d*[.,]\d+(?:[eE][+-]?\d+)?%?")
_WITHOUT_DECIMALS: Final = re.compile(r"[.,]0+$")
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}(?:[,. '\u2019\u00a0\u202f]\d{3})+")
_ADVICE: Final = ", and all are counted: if a sampler padded the last batch, drop the repeats first."


def plain_name(column: str) -> str:
    """Return a name normalized for comparison with the usual ones: lower case, underscores between words."""
    return re.sub(r"[\s_-]+", "_", column.strip().casefold()).strip("_")


def usual_columns(columns: Sequence[str], role: str) -> list[str]:
    """Return the columns with a usual name for a role, from the least ambiguous kind that occurs."""
    for names in USUAL_NAMES[role]:
        found = [column for column in columns if plain_name(column) in names]
        if found:
            return found
    return []


def is_usual(column: str, role: str) -> bool:
    """Return whether a column has a usual name for a role."""
    return any(plain_name(column) in names for names in USUAL_NAMES[role])


def id_column(columns: Iterable[str]) -> str | None:
    """Return the only column with a usual name for ids."""
    ids = [column for column in columns if plain_name(column) in ID_NAMES]
    return ids[0] if len(ids) == 1 else None


def find_column(columns: Sequence[str], wanted: str | None, role: str, *, source: str, header: bool = True) -> str:
    """Find a column by name, by 1-based position, or by a usual name for its role."""
    first_line: tuple[Part, ...] = ("positions count from 1",)
    if header:
        first_line = ("if the first line is data, add ", Argument("header", False), "; ", *first_line)
    if wanted is None:
        found = usual_columns(columns, role)
        if len(found) != 1:
            labels = "gold labels" if role == "gold" else "predicted labels" if role == "pred" else role
            problem = f"no column has a usual name for {labels}"
            if found:
                problem = f"{len(found)} columns could be the {labels}"
            hint = Message("name one with ", Argument(role), "; ", *first_line)
            pattern = _PER_CLASS.get(role)
            per_class = [column for column in columns if pattern and pattern.match(plain_name(column))]
            if not found and len(per_class) > 1:
                seen = quote_some(per_class, most=3)
                hint = Message(f"{seen} look like one column per class: add a column with the class of each row")
            raise ColumnError(f"{problem} in {source}: it has {listed_columns(columns)}", argument=role, hint=hint)
        wanted = found[0]
    if wanted not in columns:
        if wanted.isdecimal() and 1 <= int(wanted) <= len(columns):
            return columns[int(wanted) - 1]
        guess = nearest(wanted, columns)
        problem = f"no column {wanted!r} in {source}: it has {listed_columns(columns)}"
        hint = Message(f"did you mean {guess!r}?") if guess else Message(*first_line)
        raise ColumnError(problem, argument=role, given=wanted, hint=hint)
    if f"{wanted}_duplicated_0" in columns:
        problem = f"{source} has several columns named {wanted!r}"
        raise ColumnError(problem, argument=role, expected="one", hint="give its position instead")
    return wanted


def listed_columns(columns: Sequence[str]) -> str:
    """Quote the names of columns, unless they look like the first line of a file that is no table."""
    if len(columns) == 1:
        return "one column"
    named = all(map(_COLUMN_NAME.fullmatch, columns))
    return quote_some(columns) if named else f"{len(columns):,} columns, and no header"


def header_line(lines: Sequence[str], wanted: str | None) -> int | None:
    """Return the number of the first line with a wanted name, or usual ones for both kinds of labels, if any."""
    for number, line in enumerate(lines, start=1):
        for mark in ",;\t|":
            fields = [field.strip().strip('"') for field in line.split(mark)]
            if wanted in fields or all(usual_columns(fields, role) for role in USUAL_NAMES):
                return number
    return None


def unused_counts(
    others: Sequence[str], labels: Sequence[str], by: Sequence[str], size: Sequence[int], read: Callable[..., Any]
) -> list[Note]:
    """Say that a table of counts is counted line by line, given its columns, and its rows and those that are distinct.

    The columns of a table are read only if it has few rows, and their labels and groups differ, or a name is sure.
    """
    sure = any(plain_name(column) in COUNT_NAMES for column in others)
    if not others or not 0 < size[0] <= 10_000 or not (sure or size[0] == size[1]):  # no such table has more lines
        return []
    columns = read([*labels, *others])
    sides = [columns.pop(label) for label in dict.fromkeys(labels)]
    column = count_column(columns, *sides)
    seen, what = f"column {column!r} of whole numbers is not used", "counts"
    advice: tuple[Part, ...] = (Argument("count", column), " counts it as often as that column says.")
    if column is None and size[0] == size[1] and len(sides) == 2:
        wholes = [(name, _whole_of(values, *sides, *columns.values())) for name, values in columns.items()]
        column, whole = next((one for one in wholes if one[1] is not None), (None, None))
        seen, what = f"numbers of the column {column!r} add up to {whole}", "shares"
        advice = ("give the number of rows of each line, and name its column with ", Argument("count"), ".")
    if column is None or column in by:
        return []
    seems = f"No pair of labels occurs twice, and the {seen}: this seems to be a table of {what}, of which each line "
    return [Note(seems + "counts once; ", *advice, code="unused_counts")]


def _whole_of(values: Sequence[Any], *sides: Sequence[Any]) -> int | None:
    """Return what numbers with decimals add up to, 1 or 100, over all rows or those of each label of a side."""
    texts = [str(value).strip().removesuffix("%").rstrip() for value in values]
    if len(texts) < 4 or not any(map(_DECIMAL.fullmatch, texts)) or not all(map(is_number, texts)):
        return None
    mark: DecimalMark = "," if any("," in text for text in texts) else "."
    shares = [number_of(text, mark) or 0 for text in texts]
    near = 1e-9 + len(texts) ** 0.5 / 10 ** max(len(text.rpartition(mark)[2]) for text in texts if mark in text)
    for side in ([None] * len(texts), *sides):
        sums: dict[str, float] = {}
        for key, share in zip(side, shares, strict=True):
            sums[str(key)] = sums.get(str(key), 0.0) + share
        for whole in (1, 100):
            if 2 * len(sums) <= len(texts) and all(abs(total - whole) <= near for total in sums.values()):
                return whole
    return None


def count_column(columns: Mapping[str, Sequence[Any]], gold: Sequence[Any], *preds: Sequence[Any]) -> str | None:
    """Return the column that says how often each pair of labels occurs, in a table of counts; None in any other table.

    Given are the columns that are not used, and the labels. In a table of counts, no pair of labels occurs twice within
    the groups of the other columns, and a column of whole numbers is named for counts or, where gold labels repeat,
    for nothing in particular and is no running number. The labels of several systems differ in most tables: a name
    decides then.
    """
    numbers = {name: n for name in columns if (n := _whole_numbers(plain_name(name), columns[name])) is not None}
    steps = {name: {after - before for before, after in pairwise(n)} for name, n in numbers.items()}
    for named in (True, False) if len(preds) == 1 else (True,):
        for name, values in numbers.items():
            plain = plain_name(name)
            if plain in ID_NAMES or (_COUNT_NAME.fullmatch(plain) is None and (named or plain in _OTHER_NUMBERS)):
                continue
            apart = [other for other in columns if other != name and named]
            groups = [columns[x] for x in apart if x not in numbers or 2 * len(set(numbers[x])) <= len(gold)]
            if len({tuple(map(str, row)) for row in zip(gold, *preds, *groups, strict=True)}) < len(gold):
                continue
            n_groups = len({tuple(map(str, group)) for group in zip(*groups, strict=True)})
            few_groups = len(gold) == 1 or 2 * n_groups <= len(gold)
            if named and plain in COUNT_NAMES and few_groups:
                return name
            repeated = len(gold) >= 4 and (named or len(gold) >= 1.5 * len(set(map(str, gold))))
            running = steps[name] == {1} if named else len(steps[name]) == 1
            # Beside a column that tells rows apart, a number of no particular name is a fact about a row.
            apart = [x for x in columns if x != name and 2 * len(set(map(str, columns[x]))) > len(gold)]
            alone = _COUNT_NAME.fullmatch(plain) is not None or all(steps.get(x) == {1} for x in apart)
            if repeated and few_groups and alone and max(values) > 1 and not running and min(values) < 10**6:
                return name
    return None


def _whole_numbers(name: str, values: Sequence[Any]) -> list[int] | None:
    """Return the numbers of a column if all are whole and none is negative; pandas writes them with decimals."""
    found = []
    for value in values:
        text = str(value).strip() if isinstance(value, (str, Number)) else ""
        if _THOUSANDS.fullmatch(text) and ("." not in text or (isinstance(value, str) and name in COUNT_NAMES)):
            text = re.sub(r"\D", "", text)
        text = _WITHOUT_DECIMALS.sub("", text)
        if not (text.isascii() and text.isdecimal()) or isinstance(value, bool) or len(text) > 18:
            return None
        found.append(int(text))
    return found


def swapped_names(found: LabelColumns) -> list[Note]:
    """Flag two columns that are each named like the other."""
    both = (found.gold, "pred", "gold"), (found.pred, "gold", "pred")
    if not all(is_usual(column, other) and not is_usual(column, own) for column, other, own in both):
        return []
    return [
        Note(
            f"Gold labels are read from the column {found.gold!r} and predicted ones from {found.pred!r}, which are "
            "named the other way round: if they are swapped, so are precision and recall; "
            "name them with ",
            Argument("gold"), " and ", Argument("pred"), ".",
            code="swapped",
        )
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """The columns to count, as found in the files; `mark` separates several labels in one field."""

    gold: str
    pred: str
    by: tuple[str, ...]
    mark: str | None = None
    count: str | None = None

    def columns(self) -> list[str]:
        """List all of them, in the order requested."""
        return [self.gold, self.pred, *self.by, *([] if self.count is None else [self.count])]


def unique_names(names: Sequence[str]) -> list[str]:
    """Distinguish columns of the same name as Polars does: ``x``, ``x_duplicated_0``, ``x_duplicated_1``."""
    times: Counter[str] = Counter()
    found = []
    for name in names:
        found.append(f"{name}_duplicated_{times[name] - 1}" if times[name] else name)
        times[name] += 1
    return found


@dataclass(slots=True)
class Repeats:
    """Repeated rows: a sign that a sampler padded the last batch, or that files were concatenated twice.

    Two rows with the same labels are no repeat. A column that identifies rows must repeat: one with a usual name for
    ids, or else the one that distinguishes most of the first rows; then the other columns must repeat as well. A reader
    hashes that column while it reads; only if a hash occurs twice are these rows read again.
    """

    others: list[str]
    """The columns that are not used for anything else and hold plain values; none, if repeats are not looked for."""
    groups: list[str] = field(default_factory=list)  # the columns of groups, within which rows may repeat each other
    labels: list[str] = field(default_factory=list)
    key: str | None = None  # the column that identifies rows; None until it is chosen
    is_id: bool = False  # whether its name says so. Otherwise only rows that agree in all columns repeat each other
    n_rows: int = 0
    hashes: list[NDArray[Any]] = field(default_factory=list)

    @classmethod
    def of(cls, columns: Sequence[str], labels: Sequence[str], groups: Sequence[str] = ()) -> Repeats:
        """Look for repeats in a table with these columns of plain values, of which some are labels and groups."""
        others = [column for column in columns if column not in (*labels, *groups)]
        key = id_column(others)
        plain = [column for column in labels if column in columns and column not in groups]
        return cls(others, list(groups), list(dict.fromkeys(plain)), key, key is not None)

    def choose(self, first: Mapping[str, Collection[Any]]) -> None:
        """Choose the column that distinguishes most of the first rows; none if no column does."""

        # Numbers such as rounded confidences and lengths never tell rows apart: they are equal by chance.
        def by_chance(values: Collection[Any]) -> bool:
            if any(isinstance(x, float) or (isinstance(x, str) and _DECIMAL.fullmatch(x)) for x in values):
                return True
            try:
                numbers = set(map(int, values))
                span = max(numbers) - min(numbers) + 1
            except (TypeError, ValueError):
                return False
            # So many draws from their range repeat another; running numbers and large ones repeat fewer.
            expected = len(values) ** 2 / (2 * span)
            return 3 * (len(values) - len(numbers)) >= expected > 1 / 20

        told = {column: values for column, values in first.items() if not by_chance(values)}
        kept = {column: {one if isinstance(one, (str, int)) else None for one in told[column]} for column in told}
        best = max(kept, key=lambda column: len(kept[column]), default=None)
        self.key = best if best is not None and len(kept[best]) >= 0.5 * len(first[best]) else None
        self.others = [] if self.key is None else self.others

    def columns(self) -> list[str]:
        """Return the columns whose values are hashed."""
        return [*self.groups, *([] if self.key is None else [self.key])]

    def whole(self) -> list[str]:
        """Return the columns in which a row must agree with another to repeat it."""
        return self.columns() if self.is_id else list(dict.fromkeys([*self.columns(), *self.others, *self.labels]))

    def expect(self, n_rows: int) -> bool:
        """Prepare for more rows; return whether they should be looked at."""
        self.n_rows += n_rows
        if self.n_rows > MOST_ROWS:
            self.others, self.key, self.hashes = [], None, []
        return self.n_rows <= MOST_ROWS

    def notes(self, name: str, rows_with: Callable[[NDArray[Any]], list[tuple[Any, int]]]) -> list[Note]:
        """Say how many ids or rows repeat; `rows_with` returns key and hash of all rows whose keys have some hashes."""
        if not self.hashes:
            return []
        import numpy as np

        hashes = np.sort(np.concatenate(self.hashes))
        again = hashes[1:][hashes[1:] == hashes[:-1]]
        system = next((one for one in self.others if self.is_id and plain_name(one) in SYSTEM_NAMES), None)
        if not len(again) or (system is None and len(hashes) - len(again) < 0.5 * len(hashes)):
            return []  # a value of most rows identifies none
        again = np.unique(again)
        rows = rows_with(again)
        n = len(again) if self.is_id else len(rows) - len({whole for _, whole in rows})
        if not self.is_id:
            what = f"{counted(n, 'row')} of {name} {'repeats' if n == 1 else 'repeat'} another in every column"
            return [Note(what + _ADVICE, code="repeated_rows")] if n else []
        ids = list(dict.fromkeys(key for key, _ in rows))
        which = quote_some(ids[:3]) + (f", … ({n - 3:,} more)" if n > 3 else "")
        what = f"{counted(n, 'id')} of {name} ({which}) {'occurs' if n == 1 else 'occur'} more than once"
        by = (what, ", and all are counted: ", Argument("by", str(system)), " scores each on its own.")
        return [Note(*((what + _ADVICE,) if system is None else by), code="repeated_ids")]
