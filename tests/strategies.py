"""Random data for the laws."""

from hypothesis import strategies as st

# Small counts meet ties, zeros and empty classes; large ones meet rounding.
SMALL = st.integers(0, 6)
LABELS = st.sampled_from(["a", "b", "c", "d"])
LARGE = st.one_of(SMALL, st.integers(0, 10**12), st.sampled_from([0, 1, 10**12]))


@st.composite
def matrices(draw, cells=LARGE, least=1, most=6, positive_diagonal=False):
    """Square matrices with at least one counted row."""
    n = draw(st.integers(least, most))
    matrix = [[draw(cells) for _ in range(n)] for _ in range(n)]
    if positive_diagonal:
        for x in range(n):
            matrix[x][x] += 1
    if not any(map(any, matrix)):
        matrix[0][0] = 1
    return matrix


@st.composite
def label_pairs(draw, labels=LABELS, least=1, most=40):
    """Gold and predicted labels of the same length."""
    pairs = draw(st.lists(st.tuples(labels, labels), min_size=least, max_size=most))
    return [gold for gold, _ in pairs], [pred for _, pred in pairs]


BETAS = st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0])
