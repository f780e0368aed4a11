"""More rows than 32 bits can count."""

import numpy as np
import pytest

from macrof1.counting.arrays import confusion
from macrof1.counting.kernel import integers


@pytest.mark.skipif(integers.compiled_path() is None, reason="NumPy's path would take a minute over 2**31 rows")
def test_more_than_2_to_the_31_rows():
    # Untouched zeros take no memory: the system maps one page of them over and over.
    gold, pred = np.zeros((2, 2**31 + 5), np.uint8)
    pred[-1] = gold[0] = 1
    cells = confusion(gold, pred)
    assert cells.to_matrix(rows="gold").tolist() == [[2**31 + 3, 1], [1, 0]]
