"""The distinct rows behind a score whose weights or clusters are not in its counts: what its intervals need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from macrof1.counting.cells import Cell, CountRules, checked_weight, group_key, weighted_sum
from macrof1.counts import Group, RowSource
from macrof1.errors import CountError
from macrof1.labels import label_key
from macrof1.request import Request
from macrof1.sampling.joint import joint_patterns, ordered_clusters
from macrof1.sampling.policies import apply_to_patterns

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion
    from macrof1.sampling.patterns import Patterns


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WeightedRows(RowSource):
    """Rows with weights or clusters: those of a file are read already, those of a frame are grouped on demand."""

    read: Callable[[], tuple[list[Cell], CountRules]]  # the groups of cells: of the request, then cluster and weight
    text: bool  # whether weights are numbers written as text
    request: Request
    key: Group | None = None  # the group whose rows are meant; None for all rows
    matrix: Confusion | None = None  # for one label per row

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters; None if rows are independent."""
        return None if self.request.cluster is None else len({label_key(cluster) for _, cluster, _ in self._rows()})

    @property
    def has_cells(self) -> bool:
        """Whether there is a confusion matrix."""
        return self.matrix is not None

    def confusion(self) -> Confusion | None:
        """Return the confusion matrix, for one label per row."""
        return self.matrix

    def _rows(self) -> list[tuple[Cell, Any, int | Fraction]]:
        """Return the rows of the group, and the cluster and the weight of each."""
        (cells, rules), request = self.read(), self.request
        n_by, wanted = len(request.by), None if self.key is None else group_key(self.key)
        rows = []
        for cell in cells:
            if wanted is None or group_key(cell.group[:n_by]) == wanted:
                cluster = None if request.cluster is None else cell.group[n_by]
                try:
                    weight = 1 if request.sample_weight is None else checked_weight(cell.group[-1], text=self.text)
                except CountError as error:
                    raise error.at(f"column {request.sample_weight!r} of {rules.source}") from None
                rows.append((cell, cluster, weight))
        return rows

    def weighed(self) -> list[Cell]:
        """Add up the rows of every cell, whatever their weight and cluster; each sum is rounded once."""
        n_by, source = len(self.request.by), self.read()[1].source
        sums: dict[Any, tuple[Cell, list[tuple[int | Fraction, int]]]] = {}
        for cell, _, weight in self._rows():
            key = label_key(cell.gold), label_key(cell.pred), group_key(cell.group[:n_by])
            sums.setdefault(key, (cell, []))[1].append((weight, cell.rows))
        return [
            Cell(cell.gold, cell.pred, sum(n for _, n in parts), weighted_sum(parts, source), cell.group[:n_by])
            for cell, parts in sums.values()
        ]

    def patterns(self) -> Patterns:
        """Return what resampling draws from."""
        cells, clusters, weights = (list(side) for side in zip(*self._rows(), strict=True))
        sides = [[getattr(cell, side) for cell in cells] for side in ("gold", "pred")]
        sides = [[{label for _, label in row} if isinstance(row, frozenset) else row for row in side] for side in sides]
        numbers = [weight if isinstance(weight, int) else float(weight) for weight in weights]
        found = joint_patterns(
            sides[0], {"pred": sides[1]}, missing=self.request.missing, amounts=[cell.rows for cell in cells],
            labels=self.read()[1].listed({type(label) for side in sides for label in side if label is not None}),
            cluster=None if self.request.cluster is None else ordered_clusters(clusters),
            sample_weight=None if self.request.sample_weight is None else numbers,
        )  # fmt: skip
        return apply_to_patterns(found, ["pred"], **self.request.policies())[0]
