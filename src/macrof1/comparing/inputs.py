"""What `mf1 compare` was given becomes a comparison: five kinds of input, told apart by options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macrof1.comparing.comparison import compare
from macrof1.comparing.result import CompareResult
from macrof1.counting.cells import typed_labels
from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import Rows
from macrof1.counting.saved import is_saved, load_counts
from macrof1.counts import ClassCounts, GroupedCounts
from macrof1.errors import ColumnError, CountError, FileError, InputError
from macrof1.labels import Missing
from macrof1.reading.columns import column_names, read_gold_and_systems, read_systems, read_table
from macrof1.reading.sources import PRED_NAMES

_SYSTEM_NAMES = ("run", "system", "name", "model", "team", "submission", "method")
_AVERAGES = ("macro", "micro", "weighted", "overall", "average", "avg", "mean", "total")


def _read_groups(files: Sequence[str], by: list[str], **options: Any) -> GroupedCounts:
    from macrof1.counting.tables import count_file_groups

    return count_file_groups(list(files), by=by, **options, labels_are_text=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The files and how to read them, as given on the command line.

    `group_reader` counts a file group by group; the command line has one that shows progress.
    """

    files: Sequence[str]
    gold: str | None = None
    pred: str | None = None
    systems: list[str] | None = None
    ids: str | None = None
    by: str | None = None
    weight: str | None = None
    matrix: bool = False
    rows: Rows | None = None
    published: bool = False
    labels: list[str] | None = None
    missing: Missing = "error"
    header: bool = True
    input_format: str | None = None
    group_reader: Callable[..., GroupedCounts] = _read_groups

    def refuse_row_options(self, beside: str, *, a_table: bool = False) -> None:
        """Refuse options that say how rows of predictions are read; a table may lack a header, and have any format."""
        given = {"--missing": self.missing != "error"}
        if not a_table:
            given |= {"--no-header": not self.header, "--input-format": self.input_format is not None}
        for option in (option for option, was_given in given.items() if was_given):
            raise InputError(f"{option} given beside {beside}: expected it with predictions")


def compare_inputs(inputs: Inputs, **options: Any) -> CompareResult:
    """Read the systems and compare them; `options` are those of `macrof1.compare`."""
    if not inputs.files:
        raise InputError("no file given: expected one file with several systems, or a gold file and a file per system")
    if inputs.matrix and any(
        (inputs.published, inputs.by, inputs.systems, inputs.ids, inputs.gold, inputs.pred, inputs.weight)
    ):
        raise InputError("--matrix given beside options for tables: expected confusion matrices and --rows alone")
    if inputs.rows is not None and not inputs.matrix:
        raise InputError("--rows given without --matrix: expected it only where confusion matrices are read")
    if inputs.matrix:
        inputs.refuse_row_options("--matrix")
        return compare(_matrices(inputs), **options)
    if any(map(is_saved, inputs.files)):
        if not all(map(is_saved, inputs.files)):
            raise InputError("saved counts given beside other files: expected *.counts.json of every system, or none")
        if any((inputs.gold, inputs.pred, inputs.systems, inputs.ids, inputs.by, inputs.weight, inputs.labels)):
            raise InputError(
                "saved counts given beside --gold, --pred, --systems, --id, --by, --weight or --labels: expected none "
                "of them, since saved counts name their labels; count again to choose others"
            )
        inputs.refuse_row_options("saved counts")
        return compare(_saved(inputs), **options)
    if len(inputs.files) == 1:
        return _compare_one_file(inputs, inputs.files[0], options)
    if inputs.systems or inputs.by or inputs.published:
        raise InputError(f"{len(inputs.files)} files with --systems, --by or --published: expected these with one file")
    gold, systems, weights = read_gold_and_systems(
        inputs.files[0],
        inputs.files[1:],
        gold=inputs.gold,
        pred=inputs.pred,
        ids=inputs.ids,
        weight=inputs.weight,
        header=inputs.header,
        file_format=inputs.input_format,  # type: ignore[arg-type]  # the reader checks it
    )
    return _compare_rows(inputs, gold, systems, weights, options)


def _compare_rows(
    inputs: Inputs,
    gold: list[Any],
    systems: dict[str, list[Any]],
    weights: list[float] | None,
    options: dict[str, Any],
) -> CompareResult:
    kinds = {type(label) for label in gold if label is not None}
    labels = None if inputs.labels is None else typed_labels(inputs.labels, kinds)
    return compare(gold, systems, labels=labels, missing=inputs.missing, sample_weight=weights, **options)


def _compare_one_file(inputs: Inputs, file: str, options: dict[str, Any]) -> CompareResult:
    if inputs.ids is not None:
        raise InputError("--id given with one file: expected a gold file and one file per system")
    reading: dict[str, Any] = {"header": inputs.header, "file_format": inputs.input_format}
    if inputs.published or (inputs.systems is None and inputs.weight is None and _looks_published(inputs, file)):
        given = (inputs.labels, inputs.gold, inputs.pred, inputs.systems, inputs.weight)
        if any(given) or options["beta"] != 1 or options["classes"] != "union":
            raise InputError(
                "published precision and recall given beside --labels, --gold, --pred, --systems, --weight, --beta or "
                "--classes: expected none of them; the classes are those of the table"
            )
        inputs.refuse_row_options("published precision and recall", a_table=True)
        only = {"confidence_level": options["confidence_level"]}
        return compare(_published(inputs, file, reading), **only)
    if inputs.by is not None:
        if inputs.systems is not None:
            raise InputError("--systems given with --by: expected columns of systems, or a column that names them")
        return compare(_counts_by(inputs, inputs.by, file), **options)
    if inputs.pred is not None:
        raise InputError("--pred given with one file: expected --systems to name the columns of the systems, or --by")
    if inputs.systems is None:
        _refuse_a_row_per_system(inputs, file)
    gold, systems, weights = read_systems(
        file, gold=inputs.gold, systems=inputs.systems, weight=inputs.weight, **reading
    )
    if inputs.systems is None:
        _refuse_other_columns(gold, systems, file)
    return _compare_rows(inputs, gold, systems, weights, options)


def _refuse_other_columns(gold: list[Any], systems: dict[str, list[Any]], file: str) -> None:
    """Refuse columns of text, times or counts, which nobody named as systems."""
    known = {label for label in gold if not isinstance(label, list)}
    if not known:
        return
    for name, rows in systems.items():
        if known.isdisjoint(label for label in rows if not isinstance(label, list)):
            rest = ",".join(other for other in systems if other != name)
            raise InputError(
                f"column {name!r} of {file} has no label that gold has, and is no system: expected predictions in "
                f"every column but gold; --systems {rest} names those to compare, --weight a column of weights"
            )


def _refuse_a_row_per_system(inputs: Inputs, file: str) -> None:
    """Refuse a table that names a system in every row: its columns would be taken for systems."""
    if file == "-" or not inputs.header:
        return
    columns = column_names(file, file_format=inputs.input_format)  # type: ignore[arg-type]  # the reader checks it
    names = [column for column in columns if column.lower() in _SYSTEM_NAMES]
    predictions = [column for column in columns if column.lower() in PRED_NAMES and column not in names]
    if names and predictions:
        raise InputError(
            f"{file} has columns {names[0]!r} and {predictions[0]!r}, and looks like one row per system and label: "
            f"expected --by {names[0]} (and --weight where rows have counts), or --systems to name the columns of "
            "predictions"
        )


def _matrices(inputs: Inputs) -> dict[str, Confusion]:
    from macrof1.reading.matrices import read_matrix

    if inputs.rows is None:
        raise InputError(
            "--matrix needs --rows: expected --rows predicted (as in the note) or --rows gold (scikit-learn)"
        )
    found: dict[str, Confusion] = {}
    for file in inputs.files:
        name = Path(file).name.removesuffix(".gz").rpartition(".")[0] or file
        if name in found:
            raise FileError(f"two systems are named {name!r}: expected different file names")
        found[name] = read_matrix(file, rows=inputs.rows, labels=inputs.labels)
    return found


def _column(wanted: str | None, usual: Sequence[str], columns: Sequence[str], role: str, source: str) -> str:
    if wanted is not None:
        if wanted in columns:
            return wanted
        if wanted.isdecimal() and 1 <= int(wanted) <= len(columns):
            return columns[int(wanted) - 1]
        raise ColumnError.not_found(wanted, columns=columns, source=source)
    found = [column for column in columns if column.lower() in usual]
    if len(found) != 1:
        problem = f"{len(found)} columns could be {role}" if found else f"no column is named like {role}"
        raise ColumnError(f"{problem} in {source}: it has {', '.join(map(repr, columns[:8]))}; name one")
    return found[0]


def _counts_by(inputs: Inputs, by: str, file: str) -> dict[str, Confusion | ClassCounts]:
    grouped = inputs.group_reader(
        [file],
        [by],
        gold=inputs.gold,
        pred=inputs.pred,
        weight=inputs.weight,
        labels=inputs.labels,
        missing=inputs.missing,
        header=inputs.header,
        file_format=inputs.input_format,
    )
    found: dict[str, Confusion | ClassCounts] = {}
    for (name,), counts in grouped.groups:
        if name is None:
            raise FileError(f"{file}: rows have nothing in column {by!r}: expected the name of a system in every row")
        found[str(name)] = counts
    return found


def _saved(inputs: Inputs) -> dict[str, Confusion | ClassCounts]:
    """Read saved counts, one file per system."""
    found: dict[str, Confusion | ClassCounts] = {}
    for file in inputs.files:
        name = Path(file).name.removesuffix(".counts.json")
        if name in found:
            raise FileError(f"two systems are named {name!r}: expected different file names")
        found[name] = load_counts(file)
    return found


def _class_columns(columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Find pairs of columns such as cat_precision and cat_recall."""
    lower = {column.lower(): column for column in columns}
    found = {}
    for column in columns:
        name = column.lower()
        for mark in ("_", " ", "-", "."):
            if name.endswith(f"{mark}precision"):
                stem = name.removesuffix(f"{mark}precision")
                other = f"{stem}{mark}recall"
                if other in lower and stem not in _AVERAGES:
                    found[column[: len(stem)]] = (column, lower[other])
    return found


def _looks_published(inputs: Inputs, file: str) -> bool:
    if file == "-" or not inputs.header:
        return False
    columns = column_names(file, file_format=inputs.input_format)  # type: ignore[arg-type]  # the reader checks it
    return len(_class_columns(columns)) >= 2


def _published(inputs: Inputs, file: str, reading: dict[str, Any]) -> dict[str, dict[str, tuple[float, float]]]:
    columns, table, source = read_table(file, **reading)
    classes = _class_columns(columns)
    if len(classes) < 2:
        raise ColumnError(
            f"{source} has precision and recall of {len(classes)} classes: expected at least two, in columns such as "
            f"cat_precision and cat_recall; it has {', '.join(map(repr, columns[:8]))}"
        )
    names = table[_column(inputs.by, _SYSTEM_NAMES, columns, "the name of the system (--by)", source)]
    figures = {
        column: [_figure(text, column, row, source) for row, text in enumerate(table[column], start=1)]
        for pair in classes.values()
        for column in pair
    }
    # Percent or fractions: told from the whole table, since single figures may be small.
    scale = 100.0 if max(max(column) for column in figures.values()) > 1 else 1.0
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for row, name in enumerate(names):
        if name is None:
            raise FileError(f"{source}, row {row + 1}: no name, expected the name of a system")
        if str(name) in found:
            raise FileError(f"{source}: two systems are named {str(name)!r}: expected every system once")
        found[str(name)] = {
            label: (figures[p][row] / scale, figures[r][row] / scale) for label, (p, r) in classes.items()
        }
    return found


def _figure(text: Any, column: str, row: int, source: str) -> float:
    try:
        value = float(str(text).strip().removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise CountError(f"{source}, row {row}: {column} is {text!r}, expected a number from 0 to 1, or to 100")
    return value
