"""Counts as JSON: written on one machine, merged on another.

The format is named, versioned and validated: a file says how its rows became counts (task, class set, missing labels,
weights), and counts made in different ways cannot be merged.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from macrof1 import __version__
from macrof1.convention import Task
from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import checked_cells, checked_total
from macrof1.counting.written_files import write_whole
from macrof1.counts import (
    COLUMNS,
    PLAIN,
    ROWS,
    AnyCounts,
    ClassCounts,
    Making,
    checked_column,
    class_counts_of,
    exact_sum,
    plain_numbers,
)
from macrof1.errors import CountError, FileError, InputError, LabelError, MacroF1Error, quote_some
from macrof1.labels import Label, Missing, checked_labels, checked_missing, label_key
from macrof1.reading.files import InputFile, whole_text

SUFFIX = ".counts.json"
_BEGINNING = re.compile(rb'\s*\{\s*"format":\s*"macrof1 counts"')
_FORMAT = "macrof1 counts"
_VERSION = 1

# What the convention of a file adds where rows did not become counts in the default way, and an example of each.
_MAKING = {
    "over": "a unit, such as rows",
    "labels": "labels, such as yes",
    "excluded": "labels, such as O",
    "cutoff": "a number of documents, such as 10",
    "relevance": "the least that counts, such as 1",
    "overlap": "such as words",
    "spans": "a scheme and a mode, such as iob2-conll",
    "normalize": "such as case,space",
    "extract": "yes",
    "outside": "such as drop",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedCounts:
    """Counts, with the settings that must agree in a merge: the policy for missing labels, the column of weights."""

    counts: AnyCounts
    missing: Missing = "error"
    weight: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        counts = self.counts
        for label in counts.labels:
            if label is not None and not isinstance(label, (str, int, float, bool)):
                raise LabelError(
                    f"{label!r} is a {type(label).__name__}, which JSON cannot keep",
                    expected="strings, numbers or booleans",
                )
        cells: dict[str, Any]
        if isinstance(counts, Confusion):
            n = len(counts.labels)
            pairs = zip(counts.index.tolist(), counts.cells.tolist(), strict=True)
            cells = {"cells": [[place // n, place % n, amount] for place, amount in pairs]}
        else:
            cells = {name: list(getattr(counts, name)) for name in COLUMNS}
            cells |= {} if counts.weights is None else {"weights": list(plain_numbers(counts.weights))}
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "macrof1": __version__,
            "task": counts.class_counts().task,
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
            "labels": list(counts.labels),
            **cells,
        }


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
    tallied = class_counts_of(counts)
    if tallied.over is not None and tallied.rows.n_clusters is not None:
        raise InputError("counts of units in clusters cannot be saved", argument="counts", expected="units alone")
    if weight is None and tallied.weighted:
        weight = "sample_weight"
    saved = SavedCounts(counts=counts, missing=checked_missing(missing), weight=weight)
    write_whole(path, counts_text(saved))


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
    listed = [paths] if isinstance(paths, (str, Path)) else FileError.listed("paths", paths)
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


def _demand(sound: bool, problem: str, expected: str, hint: str | None = "was it edited?") -> None:
    if not sound:
        raise FileError(problem, expected=expected, hint=hint)


def _demand_entries(content: dict[str, Any], *names: str, expected: str) -> None:
    absent = sorted(set(names) - content.keys())
    _demand(not absent, f"the entries {quote_some(absent)} are missing", expected, None)


def _is_whole(value: Any, most: float = math.inf) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _checked(content: Any) -> SavedCounts:
    known = isinstance(content, dict) and content.get("format") == _FORMAT
    _demand(known, "this JSON holds no saved counts", f'"format": "{_FORMAT}"', None)
    version = content.get("version")
    writer = f"it was written by macrof1 {content.get('macrof1')}, and this is {__version__}"
    _demand(version == _VERSION, f"version {version!r} of the counts format", f"{_VERSION}", writer)
    _demand_entries(content, "task", "convention", "n_rows", "n_dropped", "n_listed", "labels", expected="a whole file")
    rules, task = content["convention"], content["task"]
    typed = isinstance(rules, dict) and isinstance(content["labels"], list)
    _demand(typed, "convention and labels have the wrong type", "an object and a list")
    weight, unusable = rules.get("weight"), rules.get("unusable", 0)
    named = weight is None or isinstance(weight, str)
    _demand(named, f"the convention's weight is {weight!r}", "the name of a column, or null")
    _demand(task in get_args(Task), f"the task is {task!r}", f"one of {', '.join(get_args(Task))}")
    for name, expected in _MAKING.items():
        _demand(isinstance(rules.get(name, ""), str), f"the convention's {name} is not text", expected)
    share = not isinstance(unusable, bool) and isinstance(unusable, int | float) and 0 <= unusable <= 1
    _demand(share, f"the convention's unusable is {unusable!r}", "a fraction of the answers")
    names = checked_labels(content["labels"])
    facts = {name: content[name] for name in ("n_rows", "n_dropped", "n_listed")}
    for name, value in facts.items():
        whole = _is_whole(value) or (value is None and name != "n_dropped")
        _demand(whole, f"{name} is {value!r}", "a whole number, 0 or larger")
    n_listed = content["n_listed"]
    _demand((n_listed or 0) <= len(names), f"n_listed is {n_listed} for {len(names)} labels", "at most that many")
    agree = (rules.get("classes") == "listed") == (n_listed is not None)
    _demand(agree, "the convention's classes and n_listed contradict each other", "a file as written")
    made = tuple((name, rules[name]) for name in _MAKING if rules.get(name))
    facts["making"] = Making(facts=made, unusable=rules.get("unusable")) if made else PLAIN
    facts["weighted"] = weight is not None
    counts: AnyCounts
    if "cells" in content:
        _demand(task == "multiclass", f"cells of a {task} task", "tp, predicted and actual")
        counts = _cells(content["cells"], names, facts)
    else:
        _demand_entries(content, *COLUMNS, expected="cells, or tp, predicted and actual")
        counts = ClassCounts(labels=names, task=task, **{name: content[name] for name in COLUMNS}, **facts)
        if "weights" in content:
            of_rows = tuple(map(float, checked_column(content["weights"], "weights")))
            sound = counts.over == ROWS and weight is not None and len(of_rows) == len(names) and any(of_rows)
            _demand(sound, "the weights are not those of the rows", "one for each row")
            counts = counts.with_facts(weights=of_rows)
    if counts.class_counts().over is None:
        _check_sums(counts.class_counts(), n_rows=None if weight is not None else counts.n_rows)
    _demand(
        weight is not None or not counts.real, "the counts are real numbers without a weight", "whole numbers of rows"
    )
    return SavedCounts(counts=counts, missing=checked_missing(str(rules.get("missing"))), weight=weight)


def _cells(cells: Any, names: tuple[Label | None, ...], facts: dict[str, Any]) -> Confusion:
    n = len(names)
    triples = isinstance(cells, list) and all(isinstance(cell, list) and len(cell) == 3 for cell in cells)
    _demand(triples, "the cells are not a list of [gold, predicted, count]", "triples")
    for gold, pred, _ in cells:
        inside = _is_whole(gold, n - 1) and _is_whole(pred, n - 1)
        _demand(inside, f"the cell [{gold!r}, {pred!r}] names no label", f"positions from 0 to {n - 1}")
    index = np.array([gold * n + pred for gold, pred, _ in cells], dtype=np.int64)
    amounts = checked_total(checked_cells([cell[2] for cell in cells], "the cells")) if cells else np.zeros(0, np.int64)
    return Confusion(labels=names, where=index, amounts=amounts, **facts)


def _check_sums(counts: ClassCounts, n_rows: int | None) -> None:
    """Reject impossible counts: every row has one predicted label, or, if it has several, each at most once."""
    if counts.task == "multiclass":
        predicted, actual = exact_sum(counts.predicted), exact_sum(counts.actual)
        sums = f"predicted sums to {predicted:,} and actual to {actual:,}"
        _demand(math.isclose(predicted, actual, rel_tol=1e-9 if counts.weighted else 0), sums, "the same")
        if n_rows is not None:
            _demand(actual == n_rows, f"the counts sum to {actual:,} but n_rows is {n_rows:,}", "the same")
    if n_rows is None or counts.task == "spans":
        return
    for label, tp, predicted, actual in zip(counts.labels, *(getattr(counts, name) for name in COLUMNS), strict=True):
        n = predicted + actual - tp
        text = f"{label!r} is gold or predicted in {n:,} rows, but n_rows is {n_rows:,}"
        _demand(n <= n_rows, text, "no more than that")


def merge_saved(parts: Sequence[tuple[str, SavedCounts]]) -> SavedCounts:
    """Merge named counts, with the same result in any order; reject those made in different ways."""
    if not parts:
        raise InputError("no counts to merge", expected="at least one file")
    first_name, first = parts[0]
    for name, part in parts[1:]:
        found = next(_differences(first, part), None)
        if found is not None:
            what, (ours, theirs), advice = found
            raise CountError(
                f"cannot merge {name} with {first_name}: {what} ({theirs}, there {ours})", given=name, hint=advice
            )
    counts: Any = [part.counts for _, part in parts]
    return SavedCounts(counts=counts[0].total(counts), missing=first.missing, weight=first.weight)


def _differences(first: SavedCounts, part: SavedCounts) -> Iterator[tuple[str, Sequence[object], str]]:
    """Yield what must agree in counts that are merged and does not: its name, its values, and the advice."""
    both = first.counts, part.counts
    sets = [None if counts.n_listed is None else counts.labels[: counts.n_listed] for counts in both]
    keys = [None if labels is None else list(map(label_key, labels)) for labels in sets]
    texts = ["what was seen" if labels is None else quote_some(labels, most=5) for labels in sets]
    types = [{type(label).__name__ for label in counts.labels if label is not None} for counts in both]
    tasks = [counts.class_counts().task for counts in both]
    kinds = ["cells" if isinstance(counts, Confusion) else "counts per class" for counts in both]
    if tasks[0] != tasks[1]:
        yield "the tasks differ", tasks, "expected counts of the same task"
    if both[0].making.facts != both[1].making.facts:
        made = [counts.making.text for counts in both]
        yield "the counts were made in different ways", made, "count all parts in the same way"
    if kinds[0] != kinds[1]:
        yield "one has cells, the other counts per class", kinds, "count both in the same way"
    if first.weight != part.weight:
        yield "the weights differ", [first.weight or "none", part.weight or "none"], "count all with one weight"
    if first.missing != part.missing:
        yield "rows without a label were treated differently", [first.missing, part.missing], "use one rule for all"
    if keys[0] != keys[1]:
        yield "the class sets differ", texts, "count all parts with the same labels, in the same order"
    if all(types) and types[0].isdisjoint(types[1]):
        named = ["/".join(sorted(each)) for each in types]
        yield "the labels have no type in common", named, "write both parts with the same types"
