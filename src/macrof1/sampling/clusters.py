"""Rows that belong together: documents, users, conversations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.encoding import Codes, encode
from macrof1.errors import LengthError, MissingLabelError, counted


def checked_clusters(cluster: Any, n_rows: int) -> NDArray[np.int64]:
    """Return the cluster of every row as a number.

    Examples
    --------
    >>> checked_clusters(["doc 1", "doc 1", "doc 2"], 3).tolist()
    [0, 0, 1]
    """
    codes = encode(cluster, "cluster")
    found = np.asarray(codes.codes if isinstance(codes, Codes) else codes)
    if len(found) != n_rows:
        raise LengthError.differ(gold=n_rows, cluster=len(found))
    if isinstance(codes, Codes) and (found < 0).any():
        raise _without_cluster(int((found < 0).sum()))
    return found


def _without_cluster(n: int) -> MissingLabelError:
    return MissingLabelError(
        f"{counted(n, 'row has', 'rows have')} no cluster",
        argument="cluster",
        expected="a cluster in every row",
        hint="a row that belongs to no other is a cluster of its own",
    )
