"""From files of tagged tokens, or of spans, to counts of entities per type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from macrof1.counting.cells import group_key, groups_in_order
from macrof1.counting.spans import SpanPairs, checked_entities, pair_spans
from macrof1.counting.tags import Scheme, SpanMode
from macrof1.counts import ClassCounts, Group, GroupedCounts, Making
from macrof1.errors import InputError, counted
from macrof1.message import Message, Note
from macrof1.reading.entities import read_tagged
from macrof1.reading.files import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanCounts:
    """Entities read from files: counted together, by group if requested, and how they were made."""

    pairs: SpanPairs
    total: ClassCounts
    groups: GroupedCounts | None
    making: Making


def count_span_file(
    source: Source,
    *,
    gold: str | None = None,
    pred: str | None = None,
    scheme: Scheme = "iob2",
    mode: SpanMode = "conll",
    tag_names: Sequence[str] | None = None,
    labels: Iterable[object] | None = None,
    by: Sequence[str] = (),
    records: str | None = None,
) -> SpanCounts:
    """Count the entities of one file with both tags, of two parallel files, or of records.

    Parameters
    ----------
    source, gold, pred, by, records
        As in `macrof1.reading.entities.read_tagged`.
    scheme, mode, tag_names, labels
        As in `macrof1.count_spans`; tag names stored in a Parquet file need not be given.
    """
    found = read_tagged(source, gold=gold, pred=pred, by=by, records=records)
    names = found.tag_names if tag_names is None else tag_names
    if tag_names is not None and any(isinstance(tag, str) for tags in found.gold[:1] for tag in tags):
        raise InputError.beside("tag_names", Message("tags that are text"), expected="it where numbers stand for tags")
    pairs = pair_spans(found.gold, found.pred, scheme=scheme, mode=mode, tag_names=names, where=found.where)
    listed = None if labels is None else list(labels)
    total = checked_entities(pairs.counts(listed))
    groups, notes = _grouped(pairs, found.groups, by, listed, total) if by else (None, ())
    making = total.making + Making(notes=(*pairs.notes, *notes))
    return SpanCounts(pairs=pairs, total=total, groups=groups, making=making)


def _grouped(
    pairs: SpanPairs, keys: list[Group], by: Sequence[str], listed: list[object] | None, total: ClassCounts
) -> tuple[GroupedCounts, tuple[Note, ...]]:
    """Count every group; a group without entities on either side has no score and is reported as left out."""
    ordered = groups_in_order(dict.fromkeys(keys))
    place = {group_key(key): at for at, key in enumerate(ordered)}
    groups = np.array([place[group_key(key)] for key in keys], np.int64)
    found = pairs.counts_by(groups, len(ordered), listed)
    parts = [(key, counts) for key, counts in zip(ordered, found, strict=True) if counts.labels]
    n_empty = len(ordered) - len(parts)
    notes = (
        Note(
            f"{counted(n_empty, 'group')} without entities {'is' if n_empty == 1 else 'are'} left out of the mean over "
            "groups.",
            code="groups_without_entities",
        ),
    )
    return GroupedCounts(by=tuple(by), groups=tuple(parts), total=total), notes if n_empty else ()
