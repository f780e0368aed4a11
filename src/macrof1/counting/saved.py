"""Counts as JSON: written on one machine, merged on another.

The format is named, versioned and validated: a file says how its rows became counts (task, class set, missing labels,
weights), and counts made in different ways cannot be merged.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np

from macrof1 import __version__
from macrof1.convention import Task
from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import checked_cells, checked_total
from macrof1.counting.written_files import write_whole
from macrof1.counts import COLUMNS, PLAIN, ClassCounts, Making, exact_sum
from macrof1.errors import CountError, FileError, InputError, LabelError, MacroF1Error, quote_some
from macrof1.labels import (
    Label,
    Missing,
    check_comparable,
    checked_labels,
    checked_missing,
    label_key,
)
from macrof1.reading.files import InputFile, whole_text

SUFFIX = ".counts.json"
_BEGINNING = re.compile(rb'\s*\{\s*"format":\s*"macrof1 counts"')
_FORMAT = "macrof1 counts"
_VERSION = 1

# What the convention of a file adds where rows did not become counts in the default way, and an example of each.
_MAKING = {
    "spans": "a scheme and a mode, such as iob2-conll",
    "normalize": "such as case,space",
    "outside": "such as drop",
}

AnyCounts: TypeAlias = Confusion | ClassCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedCounts:
    """Counts, with the settings that must agree before they can be merged.

    Attributes
    ----------
    counts
        Cells, or for several labels per row the counts per label.
    missing
        The policy for rows that lack a label.
    weight
        The column that held the weights; None if every row counts once.
    """

    counts: AnyCounts
    missing: Missing = "error"
    weight: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        counts = self.counts
        cells: dict[str, Any]
        if isinstance(counts, Confusion):
            n = len(counts.labels)
            pairs = zip(counts.index.tolist(), counts.cells.tolist(), strict=True)
            cells = {"cells": [[place // n, place % n, amount] for place, amount in pairs]}
        else:
            cells = {name: list(getattr(counts, name)) for name in ("tp", "predicted", "actual")}
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "macrof1": __version__,
            "task": "multiclass" if isinstance(counts, Confusion) else counts.task,
            "convention": {
                "classes": "union" if counts.n_listed is None else "listed",
                "missing": self.missing,
                "weight": self.weight,
                **dict(counts.making.facts),
                **({} if counts.making.unusable is None else {"unusable": counts.making.unusable}),
            },
            "n_rows": counts.n_rows,
            "n_dropped": counts.n_dropped,
            "n_listed": counts.n_listed,
            "labels": [_plain(label) for label in counts.labels],
            **cells,
        }


def _plain(label: Label | None) -> str | int | float | bool | None:
    if label is None or isinstance(label, (str, int, float, bool)):
        return label
    raise LabelError(
        f"{label!r} is a {type(label).__name__}, which JSON cannot keep", expected="strings, numbers or booleans"
    )


def save_counts(counts: AnyCounts, path: str | Path, *, missing: Missing = "error", weight: str | None = None) -> None:
    """Write counts as JSON, atomically: a reader never sees half a file.

    Parameters
    ----------
    counts
        What `macrof1.count` or an `Accumulator` counted, or the counts or cells of a result.
    path
        The file to write; by convention ``part.counts.json``.
    missing, weight
        How rows without a label were treated and which column held the weights; parts merge only if they agree.

    Examples
    --------
    >>> import macrof1, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "part.counts.json"
    >>> save_counts(macrof1.score(["a", "b"], ["a", "a"]).cells, path)
    >>> load_counts(path)
    Confusion(labels=('a', 'b'), cells=[('a', 'a', 1), ('b', 'a', 1)])
    """
    if not isinstance(counts, (Confusion, ClassCounts)):
        raise InputError(
            f"counts is of type {type(counts).__name__}",
            argument="counts",
            expected="what macrof1.count returns, a Confusion, or ClassCounts",
        )
    if weight is None and counts.weighted:
        weight = "sample_weight"
    saved = SavedCounts(counts=counts, missing=checked_missing(missing), weight=weight)
    write_whole(path, counts_text(saved))


def _total(counts: AnyCounts) -> int | float | None:
    """Return the sum over rows, if it can be derived from the counts."""
    if isinstance(counts, ClassCounts):
        return sum(counts.actual) if counts.task == "multiclass" else None
    return counts.cells.sum().item() if len(counts.cells) else 0


def counts_text(saved: SavedCounts) -> str:
    """Return the JSON text of counts; one line per entry, so that files can be diffed."""
    entries = saved.to_dict().items()
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}" for key, value in entries]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load_counts(paths: str | Path | Iterable[str | Path]) -> AnyCounts:
    """Read saved counts, and merge them if several files are given.

    The order of the files does not matter: integers add up exactly, real weights are rounded once.
    Counts made in different ways are rejected: another task, class set, weight or policy for missing labels.
    """
    listed = [paths] if isinstance(paths, (str, Path)) else list(paths)
    texts = (whole_text(path, expected="counts that mf1 count wrote") for path in listed)
    return merge_saved([(str(path), parse_saved(*text)) for path, text in zip(listed, texts, strict=True)]).counts


def is_saved(path: str | Path) -> bool:
    """Return whether a file name is that of saved counts."""
    return str(path).lower().endswith(SUFFIX)


def holds_counts(file: InputFile) -> bool:
    """Return whether a file holds saved counts, by its name or its first bytes, which also works for pipes."""
    return is_saved(file.name) or _BEGINNING.match(file.start(100)) is not None


def parse_saved(text: str, name: str) -> SavedCounts:
    """Read and validate the text of a file, which messages call `name`."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{name} is not complete JSON ({error})", expected="counts that mf1 count wrote", hint="copy it again"
        ) from None
    try:
        return _checked(content)
    except MacroF1Error as error:
        problem = f"{name}: {error.args[0]}"
        raise FileError(problem, given=error.given, expected=error.expected, hint=error.hint) from None


def _checked(content: Any) -> SavedCounts:
    _check_entries(content)
    names = checked_labels(content["labels"])
    facts = _checked_facts(content, len(names))
    weight = content["convention"].get("weight")
    counts: AnyCounts
    if "cells" in content:
        if content["task"] != "multiclass":
            raise FileError(f"cells of a {content['task']} task", expected="tp, predicted and actual")
        counts = _cells(content["cells"], names, facts)
    else:
        counts = _classes(content, names, facts)
    total = _total(counts)
    if weight is None and total is not None and counts.n_rows is not None and total != counts.n_rows:
        raise FileError(
            f"the counts sum to {total:,} but n_rows is {counts.n_rows:,}", expected="the same", hint="was it edited?"
        )
    if weight is None and counts.real:
        raise FileError(
            "the counts are real numbers without a weight", expected="whole numbers of rows", hint="was it edited?"
        )
    if isinstance(counts, ClassCounts):
        _check_margins(counts, whole_rows=weight is None)
    missing = checked_missing(str(content["convention"].get("missing")))
    return SavedCounts(counts=counts, missing=missing, weight=weight)


def _check_entries(content: Any) -> None:
    """Reject anything that was not written as saved counts."""
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise FileError("this JSON holds no saved counts", expected=f'"format": "{_FORMAT}"')
    if content.get("version") != _VERSION:
        raise FileError(
            f"version {content.get('version')!r} of the counts format",
            expected=f"{_VERSION}",
            hint=f"it was written by macrof1 {content.get('macrof1')}, and this is {__version__}",
        )
    needed = {"task", "convention", "n_rows", "n_dropped", "n_listed", "labels"}
    if absent := sorted(needed - content.keys()):
        raise FileError(f"the entries {quote_some(absent)} are missing", expected="a whole file")
    if not isinstance(content["convention"], dict) or not isinstance(content["labels"], list):
        raise FileError("convention and labels have the wrong type", expected="an object and a list")
    weight = content["convention"].get("weight")
    if weight is not None and not isinstance(weight, str):
        raise FileError(f"the convention's weight is {weight!r}", expected="the name of a column, or null")
    if content["task"] not in get_args(Task):
        raise FileError(f"the task is {content['task']!r}", expected=f"one of {', '.join(get_args(Task))}")
    for name, expected in _MAKING.items():
        if not isinstance(content["convention"].get(name, ""), str):
            raise FileError(f"the convention's {name} is not text", expected=expected)
    unusable = content["convention"].get("unusable", 0)
    if isinstance(unusable, bool) or not isinstance(unusable, int | float) or not 0 <= unusable <= 1:
        raise FileError(f"the convention's unusable is {unusable!r}", expected="a fraction of the answers")


def _checked_facts(content: dict[str, Any], n_labels: int) -> dict[str, Any]:
    """Return the number of rows and of listed classes."""
    whole = {
        name: _whole(content[name], name, optional=name != "n_dropped") for name in ("n_rows", "n_dropped", "n_listed")
    }
    if whole["n_listed"] is not None and whole["n_listed"] > n_labels:
        raise FileError(f"n_listed is {whole['n_listed']} for {n_labels} labels", expected="at most that many")
    if (content["convention"].get("classes") == "listed") != (whole["n_listed"] is not None):
        raise FileError("the convention's classes and n_listed contradict each other", expected="a file as written")
    rules = content["convention"]
    facts = tuple((name, rules[name]) for name in _MAKING if rules.get(name))
    making = Making(facts=facts, unusable=rules.get("unusable")) if facts else PLAIN
    return {**whole, "weighted": rules.get("weight") is not None, "making": making}


def _check_margins(counts: ClassCounts, *, whole_rows: bool) -> None:
    """Reject impossible counts: every row has one predicted label, or, if it has several, each at most once."""
    predicted, actual = exact_sum(counts.predicted), exact_sum(counts.actual)
    if counts.task == "multiclass" and not math.isclose(predicted, actual, rel_tol=0 if whole_rows else 1e-9):
        raise FileError(
            f"predicted sums to {predicted:,} and actual to {actual:,}", expected="the same", hint="was it edited?"
        )
    if not whole_rows or counts.n_rows is None:
        return
    for label, tp, n_predicted, n_actual in zip(counts.labels, *(getattr(counts, c) for c in COLUMNS), strict=True):
        if n_predicted + n_actual - tp > counts.n_rows and counts.task in ("multiclass", "multilabel"):
            raise FileError(
                f"{label!r} is gold or predicted in {n_predicted + n_actual - tp:,} rows, but n_rows is "
                f"{counts.n_rows:,}",
                expected="no more than that",
                hint="was it edited?",
            )


def _whole(value: Any, name: str, *, optional: bool) -> int | None:
    if value is None and optional:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise CountError(f"{name} is {value!r}", expected="a whole number, 0 or larger")
    return value


def _cells(cells: Any, names: tuple[Label | None, ...], facts: dict[str, Any]) -> Confusion:
    n = len(names)
    if not isinstance(cells, list) or not all(isinstance(cell, list) and len(cell) == 3 for cell in cells):
        raise CountError("the cells are not a list of [gold, predicted, count]", expected="triples")
    for gold, pred, _ in cells:
        if not all(type(place) is int and 0 <= place < n for place in (gold, pred)):
            raise CountError(f"the cell [{gold!r}, {pred!r}] names no label", expected=f"positions from 0 to {n - 1}")
    index = np.array([gold * n + pred for gold, pred, _ in cells], dtype=np.int64)
    amounts = checked_total(checked_cells([cell[2] for cell in cells], "the cells")) if cells else np.zeros(0, np.int64)
    return Confusion(labels=names, where=index, amounts=amounts, **facts)


def _classes(content: dict[str, Any], names: tuple[Label | None, ...], facts: dict[str, Any]) -> ClassCounts:
    if absent := sorted({"tp", "predicted", "actual"} - content.keys()):
        raise FileError(f"the entries {quote_some(absent)} are missing", expected="cells, or tp, predicted and actual")
    return ClassCounts(labels=names, task=content["task"], **{name: content[name] for name in COLUMNS}, **facts)


def merge_saved(parts: Sequence[tuple[str, SavedCounts]]) -> SavedCounts:
    """Merge named counts, with the same result in any order; reject those made in different ways."""
    if not parts:
        raise InputError("no counts to merge", expected="at least one file")
    first_name, first = parts[0]
    for name, part in parts[1:]:
        _check_mergeable(first_name, first, name, part)
    if len(parts) == 1:
        return first
    counts: Any = [part.counts for _, part in parts]
    return SavedCounts(counts=counts[0].total(counts), missing=first.missing, weight=first.weight)


def _check_mergeable(first_name: str, first: SavedCounts, name: str, part: SavedCounts) -> None:
    def refuse(what: str, values: Sequence[object], advice: str) -> CountError:
        return CountError(
            f"cannot merge {name} with {first_name}: {what} ({values[1]}, there {values[0]})", given=name, hint=advice
        )

    ours, theirs = first.counts, part.counts
    tasks = [counts.task if isinstance(counts, ClassCounts) else "multiclass" for counts in (ours, theirs)]
    if tasks[0] != tasks[1]:
        raise refuse("the tasks differ", tasks, "expected counts of the same task")
    if ours.making.facts != theirs.making.facts:
        found = [counts.making.text for counts in (ours, theirs)]
        raise refuse("the counts were made in different ways", found, "count all parts in the same way")
    if isinstance(ours, Confusion) != isinstance(theirs, Confusion):
        kinds = ["cells" if isinstance(counts, Confusion) else "counts per class" for counts in (ours, theirs)]
        raise refuse("one has cells, the other counts per class", kinds, "count both in the same way")
    if first.weight != part.weight:
        raise refuse("the weights differ", [first.weight or "none", part.weight or "none"], "count all with one weight")
    if first.missing != part.missing:
        raise refuse(
            "rows without a label were treated differently", [first.missing, part.missing], "use one rule for all"
        )
    _check_labels(ours, theirs, refuse)


def _check_labels(ours: AnyCounts, theirs: AnyCounts, refuse: Callable[..., CountError]) -> None:
    sets = [None if counts.n_listed is None else counts.labels[: counts.n_listed] for counts in (ours, theirs)]
    keys = [None if labels is None else list(map(label_key, labels)) for labels in sets]
    if keys[0] != keys[1]:
        texts = ["what was seen" if labels is None else quote_some(labels, most=5) for labels in sets]
        raise refuse("the class sets differ", texts, "count all parts with the same labels, in the same order")
    try:
        check_comparable(ours.labels, theirs.labels, names=("its", "their"))
    except LabelError:
        kinds = ["/".join(sorted({type(label).__name__ for label in part.labels})) for part in (ours, theirs)]
        raise refuse("the labels have no type in common", kinds, "write both parts with the same types") from None
