"""Groups of rows in memory: labels in lists or arrays, and the fold, domain or document of each row beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from macrof1.counting.cells import group_value, groups_in_order
from macrof1.counting.confusion import Confusion
from macrof1.counting.named_tables import check_same_index
from macrof1.counting.units import is_over_units, over_of
from macrof1.counts import COLUMN, ClassCounts, Group, GroupedCounts, class_counts_of
from macrof1.entry import known_cells, score
from macrof1.errors import EmptyError, LengthError
from macrof1.running.jobs import Counted, scored
from macrof1.sampling.joint import KeptRows
from macrof1.sampling.policies import apply_to_groups
from macrof1.scoring.group_scores import GroupScore, GroupsResult
from macrof1.scoring.score_result import ScoreResult

Columns = dict[str, Any]


def score_array_groups(gold: Any, pred: Any, by: Any, **options: Any) -> GroupsResult:
    """Score each group of rows, and all together; options as in `macrof1.score`, except `count`."""
    over = options.get("over")
    if is_over_units(over):
        return _score_units(gold, pred, by, over, options)
    facts = {name: options.pop(name, None) for name in ("sample_weight", "cluster")}
    sides, places = _rows_by_group(gold, pred, by, **facts)
    total = score(**sides, **options)
    rules: Columns = {name: options[name] for name in ("labels", "missing") if name in options}
    policies: dict[str, Any] = {"normalize": options.get("normalize", ()), "outside": options.get("outside", "wrong")}
    counts, making = apply_to_groups(_counts(sides, by, places, **rules), **policies)
    found = scored(Counted(kind="rows", counts=counts, making=making), total.convention)
    assert isinstance(found, GroupsResult)  # there are groups
    if sides["sample_weight"] is None and sides["cluster"] is None:
        return found if found.repeated else replace(found, total=total)
    if not policies["normalize"] and policies["outside"] == "wrong":
        groups, usual = [], {"labels": None, "missing": "error", **rules}
        for group, at in zip(found.groups, places.values(), strict=True):
            own = group.result
            rows = KeptRows(**_taken_all(sides, at), **usual, counts=class_counts_of(own.counts), cells=own.cells)
            groups.append(GroupScore(key=group.key, result=replace(own, rows=rows)))
        found = replace(found, groups=tuple(groups))
    # Clusters that occur in every group show how the groups are paired.
    return found if found.repeated and sides["cluster"] is None else replace(found, total=total)


def _score_units(gold: Any, pred: Any, by: Any, over: Any, options: dict[str, Any]) -> GroupsResult:
    """Score the units of each group of rows, and of all together."""
    name, units = over_of(over)
    sides, places = _rows_by_group(gold, pred, by, sample_weight=options.pop("sample_weight", None), over=units)

    def scored_rows(rows: Columns) -> ScoreResult:
        own = {**rows, "over": name if units is None else {name.removeprefix(COLUMN): rows["over"]}}
        return score(**own, **{key: value for key, value in options.items() if key != "over"})

    groups = tuple(GroupScore(key=key, result=scored_rows(_taken_all(sides, at))) for key, at in places.items())
    return GroupsResult(by=tuple(_named(by)), groups=groups, total=scored_rows(sides))


def grouped_counts(gold: Any, pred: Any, by: Any, sample_weight: Any, **options: Any) -> GroupedCounts:
    """Count labels in memory by the group of each row, and all together."""
    sides, places = _rows_by_group(gold, pred, by, sample_weight=sample_weight)
    return _counts(sides, by, places, **options)


def _counts(sides: Columns, by: Any, places: dict[Group, list[int]], **options: Any) -> GroupedCounts:
    def counted(rows: Columns) -> Confusion | ClassCounts:
        return known_cells(rows["gold"], rows["pred"], sample_weight=rows["sample_weight"], **options)

    groups = tuple((key, counted(_taken_all(sides, at))) for key, at in places.items())
    return GroupedCounts(by=tuple(_named(by)), groups=groups, total=counted(sides))


def _named(by: Any) -> Columns:
    return dict(by) if isinstance(by, Mapping) else {"group": by}


def _rows_by_group(gold: Any, pred: Any, by: Any, **facts: Any) -> tuple[Columns, dict[Group, list[int]]]:
    """Return what each row has, and the places of the rows of every group."""
    columns = _named(by)
    if not columns:
        raise EmptyError("no column to group by", argument="by", expected="at least one")
    given = {"gold": gold, "pred": pred, **facts}
    known = {name: side for name, side in given.items() if side is not None}
    named = {f"by[{name!r}]" if isinstance(by, Mapping) else "by": values for name, values in columns.items()}
    check_same_index(known | named)
    sides = {name: side if side is None or hasattr(side, "__getitem__") else list(side) for name, side in given.items()}
    n_rows = sides["gold"].shape[0] if hasattr(sides["gold"], "shape") else len(sides["gold"])
    values = [column.tolist() if hasattr(column, "tolist") else list(column) for column in columns.values()]
    for column in values:
        if len(column) != n_rows:
            raise LengthError.differ(gold=n_rows, by=len(column))
    places: dict[Group, list[int]] = {}
    for place, key in enumerate(zip(*values, strict=True)):
        places.setdefault(tuple(map(group_value, key)), []).append(place)
    return sides, {key: places[key] for key in groups_in_order(places)}


def _taken_all(sides: Columns, at: list[int]) -> Columns:
    """Return some rows of every column by their places, whatever its index."""
    found: Columns = {}
    for name, side in sides.items():
        if hasattr(side, "dtype") or hasattr(side, "shape"):
            rows = side.iloc if hasattr(side, "iloc") else side.tocsr() if hasattr(side, "tocsr") else side
            found[name] = rows[at]
        else:
            found[name] = side.take(at) if hasattr(side, "take") else side and [side[place] for place in at]
    return found
