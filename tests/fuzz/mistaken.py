"""Data that could be taken for something else: tables of counts, decimal commas, rows in the order of an index."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import macrof1
from macrof1.counting.doubts import DOUBTS
from macrof1.errors import MacroF1Error

from ..oracles import Exact
from .files import FOLDER
from .kinds import exact_of, exact_of_sets, kind, right_or_refused
from .labels import SETS, labelled

NAMES = ["n", "cnt", "count", "count_star()", "num_rows", "total", "rows", "support", "value", "freq", "size"]
CELLS = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), st.integers(1, 10**6), min_size=4, max_size=16
).filter(lambda cells: len({*cells.values()}) > 1 and max(cells.values()) > len(cells))


@kind("tables of counts", st.tuples(CELLS, st.sampled_from(NAMES), st.sampled_from([",", "\t", ";"])))
def tables_of_counts(case):
    cells, name, delimiter = case
    lines = [("gold", "pred", name), *((g, p, str(n)) for (g, p), n in cells.items())]
    path = FOLDER / "counts.csv"
    path.write_text("\n".join(map(delimiter.join, lines)) + "\n")
    gold, pred = map(list, zip(*cells, strict=True))
    exact = exact_of(gold, pred, weights=list(cells.values()))
    if right_or_refused(lambda: macrof1.score_file(path, count=name), exact) == "refused":
        assert {*gold}.isdisjoint(pred)
    try:
        notes = macrof1.score_file(path).notes
    except MacroF1Error:
        return "refused"
    assert {note.code for note in notes} & {*DOUBTS}, "a table of counts was taken for rows"
    return "doubted"


SHARES = st.lists(st.lists(st.integers(0, 9999), min_size=3, max_size=3), min_size=3, max_size=3).filter(
    lambda cells: any(map(any, cells))
)


@kind("decimal commas", st.tuples(SHARES, st.sampled_from(["\t", ";", "  "]), st.sampled_from([1, 2, 3, 4])))
def decimal_commas(case):
    cells, delimiter, places = case
    lines = [delimiter.join(f"{cell / 10**places:.{places}f}".replace(".", ",") for cell in row) for row in cells]
    path = FOLDER / "commas.tsv"
    path.write_text("\n".join(lines) + "\n")
    from macrof1.counting.confusion import read_matrix

    return right_or_refused(
        lambda: macrof1.score_counts(read_matrix(str(path), rows="predicted"), classes="listed"),
        Exact.of_matrix([[Fraction(cell, 10**places) for cell in row] for row in cells]),
    )


def _shuffled(values, seed):
    """A Series in another order than its index, from which the rows can be put in order again."""
    order = np.random.default_rng(seed).permutation(len(values)).tolist()
    return pd.Series([values[place] for place in order], index=order)


@kind("labels with an index", st.tuples(labelled(), st.integers(0, 99), st.integers(0, 99)))
def indexed_labels(case):
    (gold, pred), left, right = case
    weights = list(range(1, len(gold) + 1))
    exact = exact_of(gold, pred, weights=weights, labels=sorted({*gold, *pred}, key=repr))
    outcomes = {
        right_or_refused(lambda: macrof1.score(_shuffled(gold, left), _shuffled(pred, right)), exact_of(gold, pred)),
        right_or_refused(
            lambda: macrof1.score(
                _shuffled(gold, left), _shuffled(pred, left), sample_weight=_shuffled(weights, right)
            ),
            exact,
        ),
    }
    return " and ".join(sorted(outcomes))


@kind("sets with an index", st.tuples(SETS, st.integers(0, 99), st.integers(0, 99)))
def indexed_sets(case):
    rows, left, right = case
    gold, pred = [frozenset(g) for g, _ in rows], [frozenset(p) for _, p in rows]
    exact = exact_of_sets(gold, pred, sorted({*"abcd"} & {name for row in rows for side in row for name in side}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        counted = right_or_refused(
            lambda: macrof1.score_counts(macrof1.count(_shuffled(gold, left), _shuffled(pred, right))), exact
        )
        scored = right_or_refused(lambda: macrof1.score(_shuffled(gold, left), _shuffled(pred, right)), exact)
        batches = right_or_refused(
            lambda: macrof1.Accumulator().update(_shuffled(gold, left), _shuffled(pred, right)).score(), exact
        )
    assert scored == counted == batches, (scored, counted, batches)
    return scored


@kind("indicators with an index", st.tuples(SETS, st.integers(0, 99), st.integers(0, 99)))
def indexed_indicators(case):
    rows, left, right = case
    gold, pred = ([[name in row for name in "abcd"] for row in side] for side in zip(*rows, strict=True))
    exact = exact_of_sets(*zip(*rows, strict=True), "abcd")
    frames = [pd.DataFrame(np.array(side), columns=list("abcd")) for side in (gold, pred)]
    frames = [frame.sample(frac=1, random_state=seed) for frame, seed in zip(frames, (left, right), strict=True)]
    return right_or_refused(lambda: macrof1.score(*frames), exact)
