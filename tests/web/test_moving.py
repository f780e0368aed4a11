"""A class moved in the plane arrives there, and every class keeps its gold rows."""

from hypothesis import assume, given
from hypothesis import strategies as st

import macrof1
from macrof1.web.scores import moved_class

matrices = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 500), min_size=n, max_size=n), min_size=n, max_size=n)
)
shares = st.floats(0, 1)


@given(matrices, st.integers(0, 4), shares, shares)
def test_gold_rows_stay_and_no_cell_is_negative(matrix, place, precision, recall):
    place %= len(matrix)
    found = moved_class(matrix, place, precision=precision, recall=recall)
    assert all(isinstance(cell, int) and cell >= 0 for row in found for cell in row)
    assert [sum(column) for column in zip(*found, strict=True)] == [sum(column) for column in zip(*matrix, strict=True)]


@given(matrices, st.integers(0, 4), st.floats(0.2, 1), st.floats(0.2, 1))
def test_the_class_gets_the_recall_and_the_precision_as_far_as_rows_allow(matrix, place, precision, recall):
    place %= len(matrix)
    actual = [sum(column) for column in zip(*matrix, strict=True)]
    assume(actual[place] >= 50)
    found = moved_class(matrix, place, precision=precision, recall=recall)
    record = macrof1.score_matrix(found, rows="predicted").per_class[place]
    assert abs(record.recall - recall) <= 1 / actual[place]
    wanted = record.tp / precision - record.tp
    # Others can only give what they predict right or as this class.
    room = sum(found[x][x] + found[place][x] for x in range(len(matrix)) if x != place)
    if wanted <= room:
        assert abs(record.predicted - record.tp - wanted) <= 1


def test_a_class_without_gold_rows_stays():
    assert moved_class([[5, 0], [2, 0]], 1, precision=0.5, recall=0.5) == [[5, 0], [2, 0]]
