"""Turn the input of `mf1 compare` into a comparison: five kinds of input, selected by options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from macrof1.comparing.comparison import compare
from macrof1.comparing.file_labels import labelled, with_runs
from macrof1.comparing.frames import compare_by_pairs, compare_distinct
from macrof1.comparing.pairwise import most_distinct
from macrof1.comparing.result import CompareResult
from macrof1.counting.cells import typed_labels
from macrof1.counting.confusion import Confusion
from macrof1.counting.joint_tables import JointRows
from macrof1.counting.saved import SUFFIX, is_saved, load_counts
from macrof1.counts import ClassCounts, GroupedCounts, Rows
from macrof1.errors import FileError, InputError
from macrof1.labels import Missing
from macrof1.message import Argument, Message, Note, Part
from macrof1.reading.columns import SYSTEM_NAMES, is_usual, plain_name
from macrof1.reading.distinct import distinct_rows, repeat_notes
from macrof1.reading.files import bare_name
from macrof1.reading.leaderboards import published_classes, read_published
from macrof1.reading.long import systems_in_long
from macrof1.reading.repeats import Repeats
from macrof1.reading.systems import (
    SystemRows,
    gold_columns,
    system_columns,
    system_names,
    systems_in_files,
    systems_in_one,
)
from macrof1.reading.tables import TableFile, TooManyRowsError, opened_tables

# Columns that distinguish runs of a system on the same rows.
_SEEDS = frozenset(("seed", "seeds", "random_seed", "trial", "repeat", "replicate", "repetition"))


def _read_groups(files: Sequence[Any], by: list[str], **options: Any) -> GroupedCounts:
    from macrof1.counting.tables import count_file_groups

    return count_file_groups(list(files), by=by, **options, labels_are_text=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The files and how to read them, as given on the command line.

    `group_reader` counts a file group by group; the command line passes one that shows progress.
    """

    files: Sequence[str | TableFile]
    gold: str | None = None
    pred: str | None = None
    systems: list[str] | None = None
    ids: str | None = None
    no_id: bool = False
    by: str | None = None
    weight: str | None = None
    count: str | None = None
    runs: str | None = None
    cluster: str | None = None
    matrix: bool = False
    rows: Rows | None = None
    published: bool = False
    labels: list[str] | None = None
    missing: Missing = "error"
    header: bool = True
    input_format: str | None = None
    multilabel: str | None = None
    group_reader: Callable[..., GroupedCounts] = _read_groups

    def facts(self) -> dict[str, str | None]:
        """Return the columns of what is known about rows."""
        return {"weight": self.weight, "cluster": self.cluster, "count": self.count}

    def refuse(self, *names: str, beside: Message | str, expected: str, hint: str | None = None) -> None:
        """Reject options that do not apply to this kind of input."""
        given = {
            "gold": self.gold, "pred": self.pred, "systems": self.systems, "id": self.ids, "by": self.by,
            "weight": self.weight, "count": self.count, "runs": self.runs, "cluster": self.cluster,
            "labels": self.labels, "published": self.published or None,
            "missing": None if self.missing == "error" else self.missing, "header": None if self.header else False,
            "file_format": self.input_format,
        }  # fmt: skip
        for name in names:
            if given[name] is not None:
                value: tuple[Any, ...] = (given[name],) if name == "header" else ()
                raise InputError(
                    Message(Argument(name, *value), " cannot be combined with ", beside), expected=expected, hint=hint
                )


_COLUMNS = ("gold", "pred", "systems", "id", "by", "weight", "count", "runs", "cluster")
_ROWS = ("missing", "header", "file_format")


def compare_inputs(inputs: Inputs, **options: Any) -> CompareResult:
    """Read the systems and compare them; options as in `macrof1.compare`."""
    if not inputs.files:
        raise InputError(
            "no file given", expected="one file with several systems, or a gold file and a file per system"
        )
    if inputs.ids is not None and inputs.no_id:
        raise InputError.beside("id", "no_id", expected="one of them")
    if inputs.rows is not None and not inputs.matrix:
        raise InputError(
            Message(Argument("rows"), " needs ", Argument("matrix")),
            expected="it only where confusion matrices are read",
        )
    if inputs.matrix:
        beside = Message(Argument("matrix"))
        inputs.refuse("published", *_COLUMNS, beside=beside, expected="confusion matrices and what their rows are")
        inputs.refuse(*_ROWS, beside=beside, expected="it with predictions")
        return compare(_matrices(inputs), **options)
    saved = [isinstance(file, str) and is_saved(file) for file in inputs.files]
    if any(saved):
        if not all(saved):
            raise InputError(
                "saved counts cannot be combined with other files", expected="*.counts.json of every system, or none"
            )
        inputs.refuse(
            *_COLUMNS, "labels", beside="saved counts", expected="none of them", hint="count again to choose others"
        )
        inputs.refuse(*_ROWS, beside="saved counts", expected="it with predictions")
        return compare(_named_by_file(inputs, load_counts), **options)
    with opened_tables(list(inputs.files), inputs.header, inputs.input_format, once=False) as tables:  # type: ignore[arg-type]  # it checks the format
        if len(tables) != len(inputs.files):
            raise FileError(
                f"{', '.join(map(str, inputs.files))} match {len(tables):,} files",
                expected="the name of each file here",
            )
        if len(tables) == 1:
            return _compare_one_table(inputs, tables[0], options)
        inputs.refuse("systems", "by", "runs", "published", beside=f"{len(tables)} files", expected="it with one file")
        named = system_names(tables[1:])

        def read(names: Sequence[str], most: int | None) -> SystemRows:
            return systems_in_files(
                tables[0], [named[name] for name in names], gold=inputs.gold, pred=inputs.pred, ids=inputs.ids,
                by_position=inputs.no_id, most=most, facts=inputs.facts(),
            )  # fmt: skip

        found = _compare_grouped(inputs, list(named), read, tables[0].name, options)
        # Rows that are matched by id have been checked.
        if inputs.ids is not None:
            return found
        repeats = _repeats(inputs, tables[0], ())
        for _ in distinct_rows(tables[:1], [], repeats=repeats):
            pass
        return replace(found, notes=(*repeat_notes(tables[:1], repeats, tables[0].name), *found.notes))


def read_pilot(inputs: Inputs) -> dict[str, Any]:
    """Read gold and the predictions of one or two systems from one file, as arguments of `macrof1.plan`."""
    with opened_tables(list(inputs.files), inputs.header, inputs.input_format, once=False) as tables:  # type: ignore[arg-type]  # it checks the format
        if len(tables) != 1:
            raise FileError(f"{len(tables):,} files given", expected="one file with gold and all systems")
        found = systems_in_one(tables[0], gold=inputs.gold, systems=inputs.systems, facts=inputs.facts())
        rows, labels = _read_labels(inputs, found, tables[0].name)

    def repeated(column: list[Any]) -> list[Any]:
        return [value for value, times in zip(column, rows.amounts, strict=True) for _ in range(times)]

    return {
        "gold": repeated(rows.gold),
        "systems": {name: repeated(column) for name, column in rows.systems.items()},
        "labels": labels,
        "missing": inputs.missing,
        "sample_weight": None if rows.weights is None else repeated(rows.weights),
        "cluster": None if rows.clusters is None else repeated(rows.clusters),
    }


def _read_labels(inputs: Inputs, found: SystemRows, name: str) -> tuple[JointRows, list[object] | None]:
    """Return the rows with their labels, and the class set in the type of the labels."""
    rows = labelled(found, name, inputs.multilabel)
    if inputs.systems is None and len(inputs.files) == 1:
        _refuse_other_columns(rows, name)
    if inputs.labels is None:
        return rows, None
    kinds = {type(label) for row in rows.gold for label in (row if isinstance(row, set) else (row,))} - {type(None)}
    return rows, typed_labels(inputs.labels, kinds)


def _compare_grouped(
    inputs: Inputs,
    names: list[str],
    read: Callable[[Sequence[str], int | None], SystemRows],
    name: str,
    options: dict[str, Any],
) -> CompareResult:
    """Compare systems on equal rows grouped: of all systems, or of each pair if these hardly repeat.

    `read` reads some of the systems, and raises an error if there are more distinct rows than given.
    """
    several_runs = len(with_runs({system: [] for system in names})) < len(names)
    most = None if several_runs else most_distinct(names)
    options |= {"missing": inputs.missing}

    def together(most: int | None) -> CompareResult:
        rows, labels = _read_labels(inputs, read(names, most), name)
        return compare_distinct(replace(rows, systems=with_runs(rows.systems)), labels=labels, **options)

    try:
        return together(most)
    except TooManyRowsError:
        pass
    first, labels = _read_labels(inputs, read(names[:2], None), name)
    if most_distinct(names, len(first.amounts)) != most:
        with suppress(TooManyRowsError):
            return together(most_distinct(names, len(first.amounts)))
    return compare_by_pairs(
        names, lambda some: _read_labels(inputs, read(some, None), name)[0], labels=labels, **options
    )


def _compare_one_table(inputs: Inputs, table: TableFile, options: dict[str, Any]) -> CompareResult:
    if inputs.runs is not None or inputs.ids is not None:
        return _compare_long(inputs, table, options)
    looks_published = inputs.header and len(published_classes(table.columns)) >= 2
    if inputs.published or (inputs.systems is None and inputs.weight is None and looks_published):
        beside = "published precision and recall"
        inputs.refuse("gold", "pred", "systems", "weight", "labels", *_ROWS[:2], beside=beside, expected="none of them")
        if options.get("beta", 1) != 1 or options.get("classes", "union") != "union":
            raise InputError(
                Message(Argument("beta"), " or ", Argument("classes"), " cannot be combined with ", beside),
                expected="neither: the classes are those of the table",
            )
        only = {name: options[name] for name in ("confidence_level", "normalize", "outside") if name in options}
        return compare(read_published(table, by=inputs.by), **only)
    if inputs.by is not None:
        beside_by = Message(Argument("by"))
        inputs.refuse("systems", beside=beside_by, expected="columns of systems, or one that names them")
        inputs.refuse("cluster", beside=beside_by, expected="it with the predictions of each row, side by side")
        _refuse_pooled_runs(inputs, table)
        counts, notes = _counts_by(inputs, inputs.by, table)
        found = compare(counts, **options)
        return replace(found, notes=(*notes, *found.notes))
    if inputs.pred is not None:
        raise InputError(
            Message(Argument("pred"), " with a single file"),
            expected=Message(Argument("systems"), " to name the columns of the systems, or ", Argument("by")),
        )
    if inputs.systems is None and inputs.header:
        _refuse_a_row_per_system(table)
    gold, facts = inputs.gold, inputs.facts()
    named = system_columns(table, gold=gold, systems=inputs.systems, facts=facts)
    repeats = _repeats(inputs, table, named.values())

    def read(names: Sequence[str], most: int | None) -> SystemRows:
        seen = repeats if repeats.n_rows == 0 else None  # the first time
        return systems_in_one(table, gold=gold, systems=names, facts=facts, most=most, repeats=seen)

    found = _compare_grouped(inputs, list(named), read, table.name, options)
    return replace(found, notes=(*repeat_notes([table], repeats, table.name), *found.notes))


def _repeats(inputs: Inputs, table: TableFile, preds: Iterable[str]) -> Repeats:
    """Look for ids or rows that repeat in the file with gold."""
    if inputs.count is not None:
        return Repeats([])
    return Repeats.of(table.plain_columns(), [*gold_columns(table, gold=inputs.gold, facts=inputs.facts()), *preds])


def _compare_long(inputs: Inputs, table: TableFile, options: dict[str, Any]) -> CompareResult:
    """Compare systems stacked in one file (long format)."""
    inputs.refuse("by", "published", beside=Message(Argument("id")), expected="a column that names the systems")
    if inputs.ids is None or inputs.systems is None or len(inputs.systems) != 1:
        raise InputError(
            Message(Argument("id" if inputs.runs is None else "runs"), " with a single file"),
            expected=Message(
                Argument("systems", "NAME"), ", the column that names the system of each row, and ",
                Argument("id", "NAME"), ", the column that identifies a row",
            ),
        )  # fmt: skip
    wanted = {
        "systems": inputs.systems[0], "runs": inputs.runs, "id": inputs.ids, "gold": inputs.gold, "pred": inputs.pred,
        **inputs.facts(),
    }  # fmt: skip
    found = systems_in_long(table, wanted)
    return _compare_grouped(inputs, found.systems, found.rows, table.name, options)


def _refuse_pooled_runs(inputs: Inputs, table: TableFile) -> None:
    """Reject runs of a system that would be pooled as if they were additional rows."""
    seeds = [column for column in table.columns if plain_name(column) in _SEEDS and column != inputs.by]
    if seeds and inputs.header:
        raise InputError(
            f"column {seeds[0]!r} of {table.name} names several runs on the same rows",
            argument="by",
            expected="runs that are not pooled as if they were more rows",
            hint=Message(
                Argument("systems", inputs.by), " with ", Argument("runs", seeds[0]), " and ", Argument("id", "NAME"),
                " compares means over runs",
            ),
        )  # fmt: skip


def _refuse_other_columns(found: JointRows, name: str) -> None:
    """Reject columns of free text, times or counts that were not explicitly named as systems."""
    known = {repr(label) for label in found.gold}
    for system, rows in found.systems.items():
        if known.isdisjoint(map(repr, rows)):
            rest = ",".join(other for other in found.systems if other != system)
            parts: tuple[Part, ...] = (
                "name the systems with ", Argument("systems", rest), ", a column of weights with ", Argument("weight"),
            )  # fmt: skip
            raise InputError(
                f"column {system!r} of {name} shares no label with gold",
                argument="systems",
                expected="predictions in every column but gold",
                hint=Message(*parts),
            )


def _refuse_a_row_per_system(table: TableFile) -> None:
    """Reject a table that names a system in every row, since its columns would be mistaken for systems."""
    names = [column for column in table.columns if plain_name(column) in SYSTEM_NAMES]
    predictions = [column for column in table.columns if is_usual(column, "pred") and column not in names]
    if names and predictions:
        raise InputError(
            f"{table.name} has columns {names[0]!r} and {predictions[0]!r}, and seems to have one row per system and "
            "label",
            expected=Message(
                Argument("by", names[0]), " (and ", Argument("weight"), " where rows have counts), or ",
                Argument("systems"), " to name the columns of predictions",
            ),
        )  # fmt: skip


def _named_by_file(inputs: Inputs, read: Callable[[str], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in map(str, inputs.files):
        name = bare_name(file)[: -len(SUFFIX)] if is_saved(file) else Path(bare_name(file)).stem or file
        if name in found:
            raise FileError(f"two systems are named {name!r}", expected="different file names")
        found[name] = read(file)
    return found


def _matrices(inputs: Inputs) -> dict[str, Confusion]:
    from macrof1.counting.matrix_tables import read_matrix

    if inputs.rows is None:
        raise InputError(
            Message(Argument("matrix"), " needs ", Argument("rows")),
            argument="rows",
            expected=Message(Argument("rows", "predicted"), " (as in the paper) or ", Argument("rows", "gold"),
                             " (as in scikit-learn)"),
        )  # fmt: skip
    rows = inputs.rows
    return _named_by_file(inputs, lambda file: read_matrix(file, rows=rows, labels=inputs.labels).confusion())


def _counts_by(
    inputs: Inputs, by: str, table: TableFile
) -> tuple[dict[str, Confusion | ClassCounts], tuple[Note, ...]]:
    """Return the counts of each system, and what was noticed in the file."""
    grouped = inputs.group_reader(
        [table],
        [by],
        gold=inputs.gold,
        pred=inputs.pred,
        weight=inputs.weight,
        count=inputs.count,
        labels=inputs.labels,
        missing=inputs.missing,
        multilabel=inputs.multilabel,
        header=inputs.header,
        file_format=inputs.input_format,
    )
    found: dict[str, Confusion | ClassCounts] = {}
    for (name,), counts in grouped.groups:
        if name is None:
            raise FileError(
                f"{table.name}: rows have nothing in column {by!r}", expected="the name of a system in every row"
            )
        found[str(name)] = counts
    return found, grouped.total.rows.notes
