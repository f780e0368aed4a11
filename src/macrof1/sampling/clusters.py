"""Rows that belong together: documents, users, conversations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.encoding import Codes, encode
from macrof1.errors import InputError, LengthError, MissingLabelError


def checked_clusters(cluster: Any, n_rows: int) -> NDArray[np.int64]:
    """Return the cluster of every row as numbers from 0, in the order of first appearance or of the values.

    Examples
    --------
    >>> checked_clusters(["doc 1", "doc 1", "doc 2"], 3).tolist()
    [0, 0, 1]
    """
    codes = encode(cluster, "cluster")
    if isinstance(codes, Codes):
        found = np.asarray(codes.codes, np.int64)
        if (found < 0).any():
            raise MissingLabelError(
                f"{int((found < 0).sum()):,} of {n_rows:,} rows have no cluster",
                argument="cluster",
                expected="a cluster in every row",
                hint="a row that belongs to no other is a cluster of its own",
            )
    else:
        found = np.asarray(codes)
    if len(found) != n_rows:
        raise LengthError.differ(gold=n_rows, cluster=len(found))
    return found


def numbered(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the clusters that are left as numbers from 0; refuse a single one."""
    names, numbers = np.unique(clusters, return_inverse=True)
    if len(names) < 2:
        raise InputError(
            "all rows belong to one cluster",
            argument="cluster",
            expected="at least two clusters; nothing is known about how clusters differ from one alone",
        )
    return numbers
