"""Several systems: gold and predictions in columns of one file, or in one file per system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macrof1.errors import ColumnError, FileError, counted, quote_some
from macrof1.message import Argument, Message, Part
from macrof1.reading.columns import ID_NAMES, is_usual, plain_name
from macrof1.reading.files import bare_name
from macrof1.reading.rows import columns_of, distinct_of, header_is_data
from macrof1.reading.tables import TableFile


@dataclass(frozen=True, slots=True)
class SystemRows:
    """The rows of several systems as read: gold, predictions by system, and weights if there are any."""

    gold: list[Any]
    systems: dict[str, list[Any]]
    weights: list[Any] | None
    text: bool
    """Whether values are strings only because the file is text."""
    clusters: list[Any] | None = None
    amounts: list[int] | None = None
    """How many rows of the file each row stands for, if equal rows were grouped."""


def systems_in_one(
    table: TableFile,
    *,
    gold: str | None,
    systems: Sequence[str] | None,
    weight: str | None = None,
    cluster: str | None = None,
    grouped: bool = False,
    most: int | None = None,
) -> SystemRows:
    """Read gold and the predictions of several systems from columns of one file.

    Without `systems`, all columns except gold, the weight, the cluster and id columns are systems. With
    `grouped`, equal rows of a large file are merged, so that memory grows with the distinct ones; more than `most` of
    these raise `TooManyRowsError`.
    """
    names = system_columns(table, gold=gold, systems=systems, weight=weight, cluster=cluster)
    gold_column = table.find(gold, "gold")
    weight_column = None if weight is None else table.find(weight, "weight")
    cluster_column = None if cluster is None else table.find(cluster, "cluster")
    labels = [gold_column, *names.values()]
    table.check_label_types(labels)
    facts = [column for column in (weight_column, cluster_column) if column is not None]
    wanted_columns = list(dict.fromkeys([*labels, *facts]))
    together = distinct_of(table, wanted_columns, most) if grouped else None
    found, amounts = (columns_of(table, wanted_columns), None) if together is None else together
    for wanted, column in ((gold, gold_column), *names.items()):
        _check_first_line(table, wanted, column, found[column])
    weights = None if weight_column is None else found[weight_column]
    clusters = None if cluster_column is None else found[cluster_column]
    return SystemRows(
        found[gold_column],
        {name: found[column] for name, column in names.items()},
        weights,
        table.is_text,
        clusters,
        amounts,
    )


def system_columns(
    table: TableFile, *, gold: str | None, systems: Sequence[str] | None, weight: str | None, cluster: str | None
) -> dict[str, str]:
    """Return the column of each system, by the name of the system."""
    gold_column = table.find(gold, "gold")
    weight_column = None if weight is None else table.find(weight, "weight")
    cluster_column = None if cluster is None else table.find(cluster, "cluster")
    if systems is None:
        aside = (gold_column, weight_column, cluster_column)
        others = [name for name in table.columns if name not in aside and plain_name(name) not in ID_NAMES]
        names = {name: table.find(name, "systems") for name in others}
    else:
        names = _named_columns(table, systems)
    if gold_column in names.values():
        raise ColumnError(f"column {gold_column!r} is gold and cannot be a system too", expected="other columns")
    if weight_column in (gold_column, *names.values()):
        raise ColumnError(
            f"column {weight_column!r} is the weight and cannot hold labels too", expected="other columns"
        )
    return names


def _named_columns(table: TableFile, systems: Sequence[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for system in systems:
        if system in names:
            raise ColumnError(f"system {system!r} is named twice", argument="systems", expected="every system once")
        names[system] = table.find(system, "systems")
    return names


def systems_in_files(
    gold_table: TableFile,
    tables: Sequence[TableFile],
    *,
    gold: str | None,
    pred: str | None,
    ids: str | None,
    by_position: bool = False,
    weight: str | None = None,
    cluster: str | None = None,
    most: int | None = None,
) -> SystemRows:
    """Read gold from one file and predictions from one file per system, and align their rows.

    With `ids`, rows are matched by that column, which must hold the same ids, once each, in every file. Without it,
    rows are matched by position; files are rejected if a shared column, an id column or a gold column of their
    own shows that their rows do not match, unless rows are known to match `by_position`. The weights
    and clusters of the rows are in the gold file. Large files are joined in the engine, and equal rows are merged; more
    than `most` distinct ones raise `TooManyRowsError`.
    """
    key = None if by_position else _id_column(gold_table, ids)
    weight_column = None if weight is None else gold_table.find(weight, "weight")
    cluster_column = None if cluster is None else gold_table.find(cluster, "cluster")
    column = _gold_column(gold_table, gold, (key, weight_column, cluster_column))
    gold_table.check_label_types([column])
    named = system_names(tables)
    shared = _shared_columns(gold_table, column, named.values(), pred, ids) if ids is None and not by_position else []
    facts = {"weights": weight_column, "clusters": cluster_column}
    found = _joined(gold_table, (gold, column, key), named, facts, (pred, ids), shared, most)
    if found is not None:
        return found
    wanted = [name for name in (column, key, weight_column, cluster_column, *shared) if name is not None]
    columns = columns_of(gold_table, list(dict.fromkeys(wanted)))
    _check_first_line(gold_table, gold, column, columns[column])
    others = {name: columns[name] for name in shared}
    side = _GoldSide(gold_table.name, columns[column], key, None if key is None else columns[key], others)
    aligned = {name: _aligned(side, table, pred, ids) for name, table in named.items()}
    weights = None if weight_column is None else columns[weight_column]
    clusters = None if cluster_column is None else columns[cluster_column]
    return SystemRows(side.rows, aligned, weights, gold_table.is_text, clusters)


def _joined(
    gold_table: TableFile,
    gold: tuple[str | None, str, str | None],
    named: dict[str, TableFile],
    facts: dict[str, str | None],
    wanted: tuple[str | None, str | None],
    shared: Sequence[str],
    most: int | None,
) -> SystemRows | None:
    """Join large files in the engine; None if some are small, or if something is wrong with them.

    `gold` is the gold column as given, its name and the id column; `wanted` is how predictions and ids were given.
    Without ids, rows are matched by position, and ids and `shared` columns must agree.
    """
    if any(table.is_small or table.partition for table in (gold_table, *named.values())):
        return None
    from macrof1.reading.joins import Side, joined  # loads Polars

    (gold_wanted, gold_column, key), (pred, ids) = gold, wanted
    given = {name: column for name, column in facts.items() if column is not None}
    known = {"gold": gold_column, **{f"shared {name}": name for name in shared}}
    if ids is None and key is not None:
        known["id"] = key
    sides, preds = [], {}
    for place, (name, table) in enumerate(named.items()):
        preds[name] = f"pred {place}"
        column = _pred_column(table, pred, ids)
        table.check_label_types([column])
        agree = {what: own for what, own in _agreeing(table, column, shared).items() if what in known}
        sides.append(Side(table, _id_column(table, ids) if ids else None, {preds[name]: column}, agree))
    if any(table.in_rows for table in (gold_table, *named.values())):
        most = None  # it takes too long to read JSON again for each pair of systems
    together = joined(Side(gold_table, key if ids else None, given, known), sides, most)
    if together is None:
        return None
    found, amounts = together
    _check_first_line(gold_table, gold_wanted, gold_column, found["gold"])
    for name, side in zip(named, sides, strict=True):
        _check_first_line(side.table, pred, side.columns[preds[name]], found[preds[name]])
    systems = {name: found[column] for name, column in preds.items()}
    return SystemRows(found["gold"], systems, found.get("weights"), gold_table.is_text, found.get("clusters"), amounts)


def _agreeing(table: TableFile, pred: str, shared: Sequence[str]) -> dict[str, str]:
    """Return the columns of a file of predictions that must agree with those of the gold file."""
    key = _id_column(table, None)
    found = {"gold": _own_gold(table, pred), "id": None if key in shared else key}
    found |= {f"shared {name}": name for name in shared if name in table.columns and name != pred}
    return {what: column for what, column in found.items() if column is not None}


def _own_gold(table: TableFile, pred: str) -> str | None:
    """Return the gold column that a file of predictions has too, if any."""
    return next((name for name in table.columns if is_usual(name, "gold") and name != pred), None)


@dataclass(frozen=True, slots=True)
class _GoldSide:
    name: str
    rows: list[Any]
    key: str | None
    ids: list[Any] | None
    shared: dict[str, list[Any]]
    """Columns that prediction files have too; their values must agree."""


def _shared_columns(
    gold_table: TableFile, gold: str, tables: Iterable[TableFile], pred: str | None, ids: str | None
) -> list[str]:
    found = {name for table in tables for name in table.columns if name != _pred_column(table, pred, ids)}
    return [name for name in gold_table.columns if name in found and name != gold and not is_usual(name, "pred")]


def _aligned(gold: _GoldSide, table: TableFile, pred: str | None, ids: str | None) -> list[Any]:
    """Return the predictions of one file in the order of the gold rows."""
    column = _pred_column(table, pred, ids)
    own = _own_gold(table, column)
    key = _id_column(table, ids)
    table.check_label_types([column])
    shared = [name for name in gold.shared if name in table.columns and name != column]
    columns = columns_of(table, list(dict.fromkeys(name for name in (column, own, key, *shared) if name is not None)))
    _check_first_line(table, pred, column, columns[column])
    rows, own_gold = columns[column], None if own is None else columns[own]
    own_ids = None if key is None else columns[key]
    if ids is not None:
        assert own_ids is not None and gold.ids is not None  # noqa: PT018  # _id_column found both
        order = align(gold.ids, own_ids, gold.name, table.name)
        rows = [rows[place] for place in order]
        own_gold = None if own_gold is None else [own_gold[place] for place in order]
    else:
        _check_by_position(gold, table, rows, own_ids)
        for name in shared:
            _check_shared(gold, table, name, columns[name])
    if own_gold is not None and own_gold != gold.rows:
        n_other = sum(a != b for a, b in zip(gold.rows, own_gold, strict=True))
        raise FileError(
            f"{table.name} has gold labels of its own (column {own!r}) that differ from {gold.name} in "
            f"{counted(n_other, 'row', 'rows')}",
            expected="the same gold",
            hint=Message(Argument("id", "NAME"), " matches rows by an id column"),
        )
    return rows


def _check_by_position(gold: _GoldSide, table: TableFile, rows: list[Any], own_ids: list[Any] | None) -> None:
    if len(gold.rows) != len(rows):
        raise FileError(
            f"{gold.name} has {len(gold.rows):,} rows and {table.name} has {len(rows):,}",
            expected="one prediction per gold row",
            hint=Message(Argument("id", "NAME"), " matches rows by an id column and names those that are missing"),
        )
    if gold.ids is not None and own_ids is not None and gold.ids != own_ids:
        place = next(at for at, (a, b) in enumerate(zip(gold.ids, own_ids, strict=True)) if a != b)
        raise FileError(
            f"row {place + 1} has {gold.key} {gold.ids[place]!r} in {gold.name} and {own_ids[place]!r} in {table.name}",
            expected="rows in the same order",
            hint=Message(Argument("id", gold.key), " matches them by id"),
        )


def _check_shared(gold: _GoldSide, table: TableFile, name: str, values: list[Any]) -> None:
    """Reject files whose rows differ in a column that both have: they may be in different orders."""
    known = gold.shared[name]
    if values == known:
        return
    places = [place for place, (a, b) in enumerate(zip(known, values, strict=True)) if a != b]
    unique = len({(type(value), str(value)) for value in known}) == len(known)
    how: tuple[Part, ...] = (Argument("id", name), " matches rows by it, ") if unique else ()
    raise FileError(
        f"column {name!r} differs between {gold.name} and {table.name} in {counted(len(places), 'row')}, first in row "
        f"{places[0] + 1} ({quote_some([known[places[0]]])} and {quote_some([values[places[0]]])})",
        argument="id",
        expected="the same rows in the same order",
        hint=Message(*how, Argument("no_id", True), " by position all the same"),
    )


def _check_first_line(table: TableFile, wanted: str | None, column: str, rows: list[Any]) -> None:
    """Reject a header that is a row of data, which would be lost silently."""
    if table.header and table.is_text and wanted != column and column in rows:
        raise header_is_data(table, wanted, column)


def system_names(tables: Sequence[TableFile]) -> dict[str, TableFile]:
    """Name systems by their files, without the extensions of tables and compression."""
    names: dict[str, TableFile] = {}
    for table in tables:
        stem = table.name if table.name == "standard input" else Path(bare_name(table.name)).stem
        if stem in names:
            raise FileError(
                f"two systems are named {stem!r} ({names[stem].name} and {table.name})", expected="different file names"
            )
        names[stem] = table
    return names


def _pred_column(table: TableFile, pred: str | None, ids: str | None) -> str:
    if pred is None:
        # A file with one column, or with ids and one column, is unambiguous.
        rest = [
            name
            for name in table.columns
            if name != ids and not is_usual(name, "gold") and plain_name(name) not in ID_NAMES
        ]
        if len(rest) == 1:
            return rest[0]
        if len(table.columns) == 1:
            return table.columns[0]
    return table.find(pred, "pred")


def _id_column(table: TableFile, ids: str | None) -> str | None:
    if ids is not None:
        return table.find(ids, "id")
    usual = [name for name in table.columns if plain_name(name) in ID_NAMES]
    return usual[0] if len(usual) == 1 else None


def _gold_column(table: TableFile, gold: str | None, aside: tuple[str | None, ...]) -> str:
    """Find the gold column; `aside` are the id, the weight and the cluster."""
    rest = [name for name in table.columns if name not in aside]
    column = rest[0] if gold is None and len(rest) == 1 else table.find(gold, "gold")
    if column in aside[1:]:
        what = "weight" if column == aside[1] else "cluster"
        raise ColumnError(f"column {column!r} is the {what} and cannot be gold too", expected="other columns")
    return column


def gold_columns(table: TableFile, *, gold: str | None, weight: str | None, cluster: str | None) -> list[str]:
    """Return the columns of gold and, where given, of weights and clusters in the file that has gold."""
    given = ("weight", weight), ("cluster", cluster)
    facts = [None if name is None else table.find(name, what) for what, name in given]
    found = _gold_column(table, gold, (_id_column(table, None), *facts))
    return [column for column in (found, *facts) if column is not None]


def align(gold_ids: list[Any], ids: list[Any], gold_source: str, source: str) -> list[int]:
    """Return, for every gold row, the position of the row with its id; reject ids that do not match one to one."""
    for name, side in ((gold_source, gold_ids), (source, ids)):
        if None in side:
            raise FileError(
                f"{name}: {counted(side.count(None), 'row has', 'rows have')} no id (the first is row "
                f"{side.index(None) + 1})",
                expected="one in every row",
            )
        if any(isinstance(one, (list, dict)) for one in side):
            raise FileError(f"{name}: ids are lists or objects", argument="id", expected="text or numbers")
        if len(set(side)) != len(side):
            seen: set[Any] = set()
            twice = dict.fromkeys(one for one in side if one in seen or seen.add(one))  # type: ignore[func-returns-value]  # add returns None
            raise FileError(
                f"{name}: {counted(len(twice), 'id occurs', 'ids occur')} more than once ({quote_some(twice, most=3)})",
                expected="each once",
            )
    place = {one: at for at, one in enumerate(ids)}
    lost = [one for one in gold_ids if one not in place]
    if lost:
        raise FileError(
            f"{source} lacks {len(lost):,} of the {len(gold_ids):,} ids of {gold_source} ({quote_some(lost, most=3)})",
            expected="a prediction for every gold row",
        )
    if len(ids) > len(gold_ids):
        known = set(gold_ids)
        more = [one for one in ids if one not in known]
        raise FileError(
            f"{source} has {counted(len(more), 'id', 'ids')} that {gold_source} does not have "
            f"({quote_some(more, most=3)})",
            expected="the same ids in both",
        )
    return [place[one] for one in gold_ids]
