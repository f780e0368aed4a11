"""Scored rows that are read again when an interval is requested: scoring makes no copy of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import arrays_of
from macrof1.counts import ClassCounts, RowSource
from macrof1.errors import CountError
from macrof1.labels import Missing
from macrof1.sampling.clusters import checked_clusters
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.patterns import Patterns


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KeptRows(RowSource):
    """The rows behind a score whose weights or clusters are not in the cells; they must not change in the meantime.

    Attributes
    ----------
    counts, cells
        What was counted: the rows must still give the same counts.
    """

    gold: Any
    pred: Any
    labels: Iterable[object] | None
    missing: Missing
    sample_weight: Any
    cluster: Any
    counts: ClassCounts
    cells: RowSource | None

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters; None if rows are independent."""
        if self.cluster is None:
            return None
        return len(np.unique(checked_clusters(self.cluster, (self.counts.n_rows or 0) + self.counts.n_dropped)))

    @property
    def has_cells(self) -> bool:
        """Whether rows have one label."""
        return self.cells is not None

    def confusion(self) -> Confusion | None:
        """Return the cells, for one label per row."""
        return None if self.cells is None else self.cells.confusion()

    def patterns(self) -> Patterns:
        """Return the distinct rows, with their weights and clusters."""
        found = joint_patterns(
            self.gold,
            {"pred": self.pred},
            labels=self.labels,
            missing=self.missing,
            sample_weight=self.sample_weight,
            cluster=self.cluster,
        )
        ours, theirs = arrays_of(found.class_counts(0)), arrays_of(self.counts)
        if not all(
            a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=0) for a, b in zip(ours, theirs, strict=True)
        ):
            raise CountError.rows_changed()
        return found
