"""Counts per unit from tables: whole rows where rows are the units, distinct rows where a column names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from macrof1.counting.cells import Cell, CountRules, checked_weight, group_value, typed_labels
from macrof1.counting.joint_tables import JointRows
from macrof1.counting.label_tables import check_types, found_columns, label_reader, read_cells
from macrof1.counting.units import Cut, grouped_units, of_labels, of_sets
from macrof1.counts import COLUMNS, ROWS, ClassCounts, GroupedCounts, Making, class_counts_of, trusted_counts
from macrof1.errors import ColumnError, InputError, MissingLabelError
from macrof1.labels import Missing, in_order, label_key
from macrof1.message import Argument
from macrof1.reading.columns import MOST_ROWS
from macrof1.reading.distinct import columns_of, name_of
from macrof1.reading.tables import TableFile, check_same_schema
from macrof1.request import Request


def count_unit_tables(tables: list[TableFile], request: Request) -> GroupedCounts:
    """Count the units of tables: of each group of rows, if there are any, and of all together."""
    columns = fact_columns(request)
    if request.over == ROWS:
        cells, rules = _whole_rows(tables, request, columns)
    else:
        found = None if len(columns) > 1 else _sums_by_engine(tables, request)
        if found is not None:
            return GroupedCounts(by=(), groups=(), total=found)
        cells, rules = read_cells(tables, request, columns)
    return count_unit_cells(cells, rules, request, text=any(table.is_text for table in tables))


def _sums_by_engine(tables: list[TableFile], request: Request) -> ClassCounts | None:
    """Let the engine add up the units of very many typed rows, where a few listed labels count; None for other tables.

    So many rows are not searched for repeated ones, and what is wrong with their labels is said by the usual way.
    """
    table, labels = tables[0], request.labels if request.positive is None else [request.positive]
    if not all(each.types and not each.records for each in tables) or labels is None or isinstance(labels, str):
        return None
    if request.count is not None or request.normalize or request.exclude or request.missing != "error":
        return None
    import polars as pl

    from macrof1.reading.scans import n_rows_of, scan

    found = found_columns(table, request, [str(request.unit)])
    columns = list(dict.fromkeys(found.columns()))
    check_same_schema(tables, [request.gold, request.pred, request.unit], found.columns())
    check_types(table, found)
    kinds = [_KINDS.get(str(table.types.get(name))) for name in columns]
    if len(columns) < 3 or None in kinds or kinds[0] != kinds[1] or found.mark is not None:
        return None
    frame = pl.concat([scan([each]).select(columns) for each in tables])
    n_rows = n_rows_of(frame)
    if n_rows <= MOST_ROWS:
        return None
    cut = _cut(request, request.labels, {kinds[0]} - {None})  # type: ignore[arg-type]  # a type of labels
    listed = list(cut.listed or ())
    if any(type(label) is not kinds[0] for label in listed):
        return None
    sides = [pl.col(name).is_in(listed) if len(listed) > 1 else pl.col(name).eq(listed[0]) for name in columns[:2]]
    hit = sides[0] & (sides[1] if len(listed) == 1 else pl.col(columns[0]).eq(pl.col(columns[1])))
    sums = [each.sum().alias(name) for name, each in zip(COLUMNS, (hit, sides[1], sides[0]), strict=True)]
    empty = frame.select(pl.all().null_count()).collect(engine="streaming")
    if any(empty.row(0)):
        return None
    units = frame.group_by(columns[2]).agg(*sums).collect(engine="streaming").sort(columns[2])
    three = [units[name].cast(pl.Int64).to_numpy() for name in COLUMNS]
    if not three[1].any() and not three[2].any():
        return None
    return trusted_counts(
        labels=tuple(units[columns[2]].to_list()), columns=tuple(three), n_rows=n_rows,
        making=Making(facts=(("over", str(request.over)), *cut.facts)),
    )  # fmt: skip


# The types of columns whose values are labels as they are.
_KINDS = {"Int64": int, "Int32": int, "Int16": int, "Int8": int, "UInt8": int, "Boolean": bool, "String": str}


def check_units(request: Request) -> None:
    """Reject options that have no effect on units."""
    for given in request.given():
        if given.name in ("extract", "outside", "repeats", "prevalence"):
            raise InputError.beside(given, "over", expected="one of them")


def fact_columns(request: Request) -> list[str]:
    """Return the columns to group by, and those of the cluster, the unit if it is not the row, and the weight."""
    return [*request.by, *(name for name in (request.cluster, request.unit, request.sample_weight) if name is not None)]


def _whole_rows(tables: list[TableFile], request: Request, by: Sequence[str]) -> tuple[list[Cell], CountRules]:
    """Read rows with several labels one by one, in their order."""
    if request.count is not None:
        raise InputError.beside("count", Argument("over", ROWS), expected="a line for every row")
    cells, name = [], name_of(tables)
    notes = [note for table in tables for note in table.notes]
    for table in tables:
        found = found_columns(table, request, by)
        columns = columns_of(table, found.columns())
        readers = [label_reader(table, side, table.name, found.mark) for side in (found.gold, found.pred)]
        sides = [columns[side] for side in (found.gold, found.pred)]
        keys = zip(*(map(group_value, columns[group]) for group in found.by), strict=True)
        absent = "" if table.is_text else None  # in text, an empty field is a row without labels
        for *row, group in zip(*sides, keys if by else [()] * len(sides[0]), strict=True):
            gold, pred = (read(absent if value is None else value) for read, value in zip(readers, row, strict=True))
            cells.append(Cell(gold, pred, 1, 1, group))
    if len({isinstance(side, frozenset) for cell in cells for side in (cell.gold, cell.pred)}) > 1:
        raise ColumnError.beside_lists(found.gold, source=name)
    rules = CountRules(
        labels=request.labels, missing=request.missing, source=name, where=name,
        labels_are_text=request.labels_are_text, notes=tuple(notes),
    )  # fmt: skip
    return cells, rules


def count_unit_cells(cells: list[Cell], rules: CountRules, request: Request, *, text: bool) -> GroupedCounts:
    """Count cells, in whose group stand the values of `fact_columns`."""
    n_by, over, several = len(request.by), str(request.over), any(isinstance(cell.gold, frozenset) for cell in cells)
    at = n_by + (request.cluster is not None)  # of the unit
    rules.check_missing(cells)
    n_rows, cells = sum(cell.rows for cell in cells), rules.kept(cells)
    if over != ROWS:  # an engine has no order of rows
        distinct = {label_key(cell.group[at]): cell.group[at] for cell in cells}
        rank = {label_key(unit): place for place, unit in enumerate(in_order(distinct.values()))}
        cells = sorted(cells, key=lambda cell: rank[label_key(cell.group[at])])
    sides: list[list[Any]] = [[getattr(cell, side) for cell in cells] for side in ("gold", "pred")]
    if several:
        sides = [[[label for _, label in keys] for keys in side] for side in sides]
    kinds = {type(label) for side in sides for row in side for label in (row if several else (row,))} - {type(None)}
    cut = _cut(request, rules.listed(kinds), kinds)
    three = of_sets(sides[0], sides[1], cut) if several else of_labels(sides[0], sides[1], cut, over, "label")[0]
    times = np.array([cell.rows for cell in cells], np.int64)
    weight = None
    if request.sample_weight is not None:
        where, given = f"column {request.sample_weight!r} of {rules.source}", [cell.group[-1] for cell in cells]
        weight = np.array(InputError.located(where, lambda: [float(checked_weight(one, text=text)) for one in given]))
        if not (weight % 1).any():
            weight = weight.astype(np.int64)
    units = None if over == ROWS else [cell.group[at] for cell in cells]
    clusters = None if request.cluster is None else [cell.group[n_by] for cell in cells]
    found = grouped_units(
        three, over, units, [cell.group[:n_by] for cell in cells], request.by, clusters=clusters, weight=weight,
        times=times, cut=cut, task="multilabel" if several else "multiclass", notes=rules.notes,
    )  # fmt: skip
    total = class_counts_of(found.total).with_facts(n_dropped=n_rows - int(times.sum()))
    return replace(found, total=total, gold=rules.gold)


def count_joint_units(rows: JointRows, request: Request, *, labels: Any, missing: Missing) -> dict[str, ClassCounts]:
    """Count the units of several systems on the same rows: one that lacks a label in any system is left out of all."""
    gone = [None in row for row in zip(rows.gold, *rows.systems.values(), strict=True)]
    if missing == "error" and any(gone):
        n_gone = sum(n for n, is_gone in zip(rows.amounts, gone, strict=True) if is_gone)
        raise MissingLabelError.found(rows=n_gone, total=sum(rows.amounts))
    kept = [place for place, is_gone in enumerate(gone) if not is_gone or missing == "label"]
    rules = CountRules(
        labels=labels, missing="label", source="gold and systems", where="gold and systems",
        labels_are_text=request.labels_are_text,
    )  # fmt: skip
    counts = {}
    for name, answers in rows.systems.items():
        cells = rows.cells(answers)
        own = count_unit_cells([cells[place] for place in kept], rules, request, text=False)
        counts[name] = class_counts_of(own.total)
    return counts


def _cut(request: Request, labels: Any, kinds: set[type]) -> Cut:
    """Return which labels count, in the types of the data if they were typed as text."""

    def typed(labels: Any) -> Any:
        return typed_labels(labels, kinds) if request.labels_are_text and labels else labels

    if request.positive is not None:  # labels that nobody gave are those seen, where a lost prediction is none of them
        return Cut.of(request.labels, typed(request.exclude), request.normalize, typed([request.positive])[0])
    return Cut.of(typed(labels), typed(request.exclude), request.normalize)
