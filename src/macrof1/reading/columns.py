"""Columns by name, by position, or by their usual names: one lookup for every table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from macrof1.errors import ColumnError, quote_some
from macrof1.message import Argument, Message, Note, Part

# Ambiguous names come last: they count only if no other name matches.
_GOLD: Final = (
    ("gold", "gold_label", "gold_labels", "y_true", "ytrue", "true_label", "true_labels", "ground_truth",
     "groundtruth", "label_true", "label", "labels", "true", "truth", "target", "targets", "actual", "reference",
     "references", "expected_output", "expectedoutput", "actual_label", "actual_labels", "truelabel", "goldlabel",
     "actuallabel", "correct_answer", "gold_answer"),
    ("y", "expected", "class", "ideal"),
)  # fmt: skip
_PRED: Final = (
    ("pred", "preds", "predicted", "prediction", "predictions", "y_pred", "ypred", "yhat", "y_hat", "pred_label",
     "pred_labels", "predicted_label", "predicted_labels", "label_pred", "hypothesis", "hypotheses",
     "actual_output", "actualoutput", "predictedlabel", "predlabel", "predicted_class", "predicted_answer"),
    ("system", "output", "outputs"),
    ("answer", "answers", "response", "responses", "model_output", "model_answer", "completion", "guess"),
)  # fmt: skip
_PER_CLASS: Final = {
    "gold": re.compile("(?:gold|true|y_true|label|target|actual)_."),
    "pred": re.compile("(?:p|pr|prob|probs|proba|probability|score|logit|logits|pred|y_pred|prediction)_."),
}
USUAL_NAMES: Final = {"gold": _GOLD, "pred": _PRED}
ID_NAMES: Final = frozenset(
    ("id", "ids", "row_id", "rowid", "example_id", "sample_id", "item_id", "doc_id", "tweet_id", "sentence_id", "uid",
     "guid", "idx", "index")
)  # fmt: skip
SYSTEM_NAMES: Final = ("name", "run", "system", "model", "team", "method", "submission", "participant", "approach")
COUNT_NAMES: Final = frozenset(("count", "counts", "freq", "frequency", "n_rows"))
"""Columns that hold the number of rows per pair of labels."""


def plain_name(column: str) -> str:
    """Return a name normalized for comparison with the usual ones: lower case, underscores between words."""
    return re.sub(r"[\s_-]+", "_", column.strip().casefold()).strip("_")


def usual_columns(columns: Sequence[str], role: str) -> list[str]:
    """Return the columns with a usual name for a role, from the least ambiguous kind that occurs.

    Examples
    --------
    >>> usual_columns(["answer", "Prediction", "y"], "pred"), usual_columns(["answer", "y"], "pred")
    (['Prediction'], ['answer'])
    """
    for names in USUAL_NAMES[role]:
        found = [column for column in columns if plain_name(column) in names]
        if found:
            return found
    return []


def is_usual(column: str, role: str) -> bool:
    """Return whether a column has a usual name for a role."""
    return any(plain_name(column) in names for names in USUAL_NAMES[role])


def find_column(columns: Sequence[str], wanted: str | None, role: str, *, source: str, header: bool = True) -> str:
    """Find a column by name, by 1-based position, or by a usual name for its role."""
    if wanted is None:
        found = usual_columns(columns, role)
        if len(found) != 1:
            labels = "gold labels" if role == "gold" else "predicted labels" if role == "pred" else role
            several = f"{len(found)} columns could be the {labels}"
            hint = Message("name one with ", Argument(role), "; ", *_first_line(header))
            per_class = [
                column for column in columns if role in _PER_CLASS and _PER_CLASS[role].match(plain_name(column))
            ]
            if not found and len(per_class) > 1:
                hint = Message(
                    f"{quote_some(per_class, most=3)} look like one column per class: add a column with the class "
                    "of each row"
                )
            raise ColumnError(
                f"{several if found else f'no column has a usual name for {labels}'} in {source}: "
                f"it has {quote_some(columns)}",
                argument=role,
                hint=hint,
            )
        wanted = found[0]
    if wanted not in columns:
        if wanted.isdecimal() and 1 <= int(wanted) <= len(columns):
            return columns[int(wanted) - 1]
        raise ColumnError.not_found(
            wanted, columns=columns, source=source, argument=role, hint=Message(*_first_line(header))
        )
    if f"{wanted}_duplicated_0" in columns:
        raise ColumnError(
            f"{source} has several columns named {wanted!r}",
            argument=role,
            expected="one",
            hint="give its position instead",
        )
    return wanted


def header_line(lines: Sequence[str], wanted: str | None) -> int | None:
    """Return the number of the first line with a wanted name, or usual ones for both kinds of labels; None if none has.

    Examples
    --------
    >>> header_line(["Results of May", "", "id;gold;pred"], None), header_line(["a,b"], None)
    (3, None)
    """
    for number, line in enumerate(lines, start=1):
        for mark in ",;\t|":
            fields = [field.strip().strip('"') for field in line.split(mark)]
            if wanted in fields or all(usual_columns(fields, role) for role in USUAL_NAMES):
                return number
    return None


def unused_counts(columns: Sequence[str], found: LabelColumns, times: Iterable[int]) -> list[Note]:
    """Flag an unused column of counts if every pair of labels occurs once."""
    counts = [column for column in columns if plain_name(column) in COUNT_NAMES and column not in found.columns()]
    if len(counts) != 1 or found.weight is not None or found.count is not None or any(n > 1 for n in times):
        return []
    return [
        Note(
            f"Every pair of labels occurs once, beside a column {counts[0]!r} that is not used: each row counts once; ",
            Argument("count", counts[0]), " counts it as often as that column says.",
            code="unused_counts",
        )
    ]  # fmt: skip


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
    """The columns to count, as found in the files.

    `mark` separates several labels in one field.
    """

    gold: str
    pred: str
    weight: str | None
    by: tuple[str, ...]
    mark: str | None = None
    count: str | None = None

    def columns(self) -> list[str]:
        """List all of them, in the order requested."""
        return [self.gold, self.pred, *self.by, *(name for name in (self.weight, self.count) if name is not None)]


def _first_line(header: bool) -> tuple[Part, ...]:
    """Say how columns are named if there is no header."""
    if not header:
        return ("positions count from 1",)
    return "if the first line is data, add ", Argument("header", False), "; positions count from 1"


def unique_names(names: Sequence[str]) -> list[str]:
    """Distinguish columns of the same name as Polars does: ``x``, ``x_duplicated_0``, ``x_duplicated_1``."""
    times: dict[str, int] = {}
    found = []
    for name in names:
        seen = times.get(name, 0)
        times[name] = seen + 1
        found.append(f"{name}_duplicated_{seen - 1}" if seen else name)
    return found
