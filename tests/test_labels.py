"""Labels of every type and container give the same counts."""

import enum
import itertools
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.counting.multilabel import count_multilabel
from macrof1.errors import EmptyError, LabelError, MissingLabelError
from tests.oracles import count_file, count_frame

GOLD = ["b", "a", "c", "a", "b", "b"]
PRED = ["b", "b", "c", "a", "a", "b"]
EXPECTED = {"a": (1, 2, 2), "b": (2, 3, 3), "c": (1, 1, 1)}

STRING_CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "numpy U": np.array,
    "numpy object": lambda v: np.array(v, dtype=object),
    "numpy StringDType": lambda v: np.array(v, dtype=np.dtypes.StringDType()),
    "pandas str": pd.Series,
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas string": lambda v: pd.Series(v, dtype="string"),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas Categorical": pd.Categorical,
    "pandas category, unused and unsorted": lambda v: pd.Series(pd.Categorical(v, categories=["z", "c", "b", "a"])),
    "pandas Index": pd.Index,
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
    "polars String": pl.Series,
    "polars Categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(v, dtype=pl.Enum(["z", "c", "b", "a"])),
    "arrow string": pa.array,
    "arrow large_string": lambda v: pa.array(v, pa.large_string()),
    "arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "arrow chunked": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "arrow chunked dictionaries": lambda v: pa.chunked_array(
        [pa.array(v[:2]).dictionary_encode(), pa.array(v[2:]).dictionary_encode()]
    ),
}


def as_dict(counts):
    columns = zip(counts.tp, counts.predicted, counts.actual, strict=True)
    return dict(zip(counts.labels, columns, strict=True))


@pytest.mark.parametrize("make", STRING_CONTAINERS.values(), ids=STRING_CONTAINERS)
@pytest.mark.parametrize("other", ["list", "numpy U", "pandas category", "polars Categorical", "arrow dictionary"])
def test_strings_in_every_container(make, other):
    counts = macrof1.count(make(GOLD), STRING_CONTAINERS[other](PRED))
    assert as_dict(counts) == EXPECTED
    assert counts.labels == ("a", "b", "c")
    assert counts.n_rows == 6


NUMBERED = ["2", "10", "-1", "9", "10", "2"]


FIXED = {"polars Enum", "pandas category, unused and unsorted"}  # their categories are letters


@pytest.mark.parametrize("make", [make for name, make in STRING_CONTAINERS.items() if name not in FIXED])
def test_text_labels_that_are_whole_numbers_are_sorted_as_numbers(make):
    assert macrof1.count(make(NUMBERED), make(NUMBERED[::-1])).labels == ("-1", "2", "9", "10")


def test_numbered_text_labels_have_one_order_on_every_way(tmp_path):
    pred = NUMBERED[::-1]
    whole = confusion(NUMBERED, pred)
    assert whole.labels == ("-1", "2", "9", "10")
    parts = [confusion(NUMBERED[place::3], pred[place::3]) for place in range(3)]
    assert sum(parts) == sum(reversed(parts)) == whole
    macrof1.save_counts(parts[0] + parts[1], tmp_path / "a.counts.json")
    assert macrof1.load_counts(tmp_path / "a.counts.json") + parts[2] == whole
    (tmp_path / "p.csv").write_text("gold,pred\n" + "".join(f"{g},{p}\n" for g, p in zip(NUMBERED, pred, strict=True)))
    assert count_file(tmp_path / "p.csv") == whole
    frame = pl.DataFrame({"gold": NUMBERED, "pred": pred})
    assert count_frame(frame, gold="gold", pred="pred") == whole
    batches = macrof1.Accumulator()
    for place in range(3):
        batches.update(NUMBERED[place::3], pred[place::3])
    assert batches.counts().labels == whole.labels
    assert count_multilabel([{"10"}, {"9"}], [{"10", "2"}, {"9"}]).labels == ("2", "9", "10")
    # one label that is not a number: all are names
    assert macrof1.count(["10", "9", "x"], ["10", "9", "x"]).labels == ("10", "9", "x")
    assert macrof1.count(["1", "01", "9" * 30], ["1", "01", "9" * 30]).labels == ("01", "1", "9" * 30)
    assert macrof1.count(["2", "01", "1"], ["2", "01", "1"]).labels == ("01", "1", "2")


# Those that hold a missing label, and frames of one column.
NULL_CONTAINERS = {
    **{name: make for name, make in STRING_CONTAINERS.items() if name not in ("numpy U", "numpy StringDType")},
    "pandas frame": lambda v: pd.DataFrame({"x": v}),
    "polars lazy": lambda v: pl.LazyFrame({"x": v}),
    "arrow table": lambda v: pa.table({"x": v}),
}


@pytest.mark.parametrize("make", NULL_CONTAINERS.values(), ids=NULL_CONTAINERS)
def test_missing_labels_in_every_container(make):
    def call(function, **options):
        return function(make(["a", None, "b", "a"]), make(["a", "b", None, "b"]), **options)

    with pytest.raises(MissingLabelError, match=r"2 of 4 rows lack .* row 1"):
        call(macrof1.count)
    dropped = call(macrof1.count, missing="drop")
    assert as_dict(dropped) == {"a": (1, 1, 2), "b": (0, 1, 0)}
    assert (dropped.n_rows, dropped.n_dropped) == (2, 2)
    labelled = call(macrof1.count, missing="label")
    assert as_dict(labelled) == {"a": (1, 1, 2), "b": (0, 2, 1), None: (0, 1, 1)}
    assert (labelled.n_rows, labelled.n_dropped) == (4, 0)
    assert "2 rows without a label were left out." in call(macrof1.score, missing="drop").notes


NULL_INTEGERS = {
    "list": list,
    "pandas Int64": lambda v: pd.Series(v, dtype="Int64"),
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.int32())),
    "polars": pl.Series,
    "arrow": pa.array,
    "masked": lambda v: np.ma.array([0 if x is None else x for x in v], mask=[x is None for x in v]),
}


@pytest.mark.parametrize("make", NULL_INTEGERS.values(), ids=NULL_INTEGERS)
def test_integers_with_nulls_stay_integers(make):
    counts = macrof1.count(make([1, None, 2]), make([1, 2, 2]), missing="drop")
    assert as_dict(counts) == {1: (1, 1, 1), 2: (1, 1, 1)}
    assert {type(label) for label in counts.labels} == {int}
    assert counts.n_dropped == 1


@given(
    st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-5, 5)), min_size=1, max_size=30), st.booleans()
)
def test_integers_near_and_far(pairs, same):
    gold = [far for far, _ in pairs]
    pred = gold if same else [near for _, near in pairs]
    counts = macrof1.count(np.array(gold), np.array(pred))
    plain = macrof1.count([str(x) for x in gold], [str(x) for x in pred])
    assert {str(label): row for label, row in as_dict(counts).items()} == as_dict(plain)


def test_unsigned_integers_beyond_63_bits():
    big = np.array([2**64 - 1, 2**63, 2**63], dtype=np.uint64)
    assert as_dict(macrof1.count(big, big[::-1])) == {2**63: (1, 2, 2), 2**64 - 1: (0, 1, 1)}
    assert macrof1.count([2**70, 1], [2**70, 2**70]).labels == (1, 2**70)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_booleans(make):
    counts = macrof1.count(make([True, False, True]), make([True, True, True]))
    assert as_dict(counts) == {False: (0, 0, 1), True: (2, 3, 2)}
    assert [type(label) for label in counts.labels] == [bool, bool]
    if make is not np.array:
        assert macrof1.count(make([True, None]), make([True, True]), missing="drop").labels == (True,)


def test_labels_of_mixed_types_stay_distinct():
    gold = [1, "1", True, 1.0, 1]
    counts = macrof1.count(gold, [1, 1, "1", 1.0, True])
    assert list(map(type, counts.labels)) == [bool, int, float, str]
    assert list(counts.tp) == [0, 1, 1, 0]
    assert list(counts.actual) == [1, 2, 1, 1]
    assert macrof1.score(gold, gold).n_classes == 4


def test_numpy_scalars_count_as_what_they_hold():
    counts = macrof1.count([np.int64(1), 1, np.str_("a")], [1, np.uint8(1), "a"])
    assert as_dict(counts) == {1: (2, 2, 2), "a": (1, 1, 1)}


def test_whole_floats_are_labels_and_fractions_are_not():
    assert macrof1.count(np.array([0.0, 1.0]), np.array([1.0, 1.0])).labels == (0.0, 1.0)
    assert macrof1.count(np.array([0.0, np.nan]), np.array([1.0, 1.0]), missing="drop").n_dropped == 1
    assert macrof1.count([Decimal("NaN"), Decimal("NaN"), "a"], ["a"] * 3, missing="drop").n_dropped == 2
    for probabilities in (np.array([0.2, 0.9]), [0.2, 0.9], pd.Series([0.2, 0.9])):
        with pytest.raises(LabelError, match="fraction"):
            macrof1.count(probabilities, probabilities)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def test_other_hashable_labels():
    counts = macrof1.count([Colour.RED, Colour.BLUE], [Colour.RED, Colour.RED])
    assert as_dict(counts) == {Colour.BLUE: (0, 0, 1), Colour.RED: (1, 2, 1)}
    assert macrof1.score([("a", 1)], [("a", 1)]).averaged_f1 == 1


def test_polars_categories_met_elsewhere_make_no_classes():
    elsewhere = pl.Series([f"elsewhere {i}" for i in range(100)], dtype=pl.Categorical)
    few = pl.Series(["late", "later", None], dtype=pl.Categorical)  # their codes lie beyond the number of rows
    many = pl.Series(["late", "later"] * 200, dtype=pl.Categorical)
    empty = pl.Series([None, None], dtype=pl.Categorical)
    assert len(elsewhere) == 100
    assert macrof1.count(few, few, missing="drop").labels == ("late", "later")
    assert macrof1.count(many, many).labels == ("late", "later")
    with pytest.raises(macrof1.InputError, match="no row of 2 has both labels"):
        macrof1.count(empty, empty, missing="drop")
    own = pl.Categorical(pl.Categories("small", physical=pl.UInt8))
    assert macrof1.count(many.cast(pl.String).cast(own), many).labels == ("late", "later")


class Letter(str, enum.Enum):  # noqa: UP042  # what people have written before StrEnum
    A = "a"
    B = "b"


class Digit(enum.IntEnum):
    ONE = 1
    TWO = 2


class Shouted(str):
    __slots__ = ()

    def __str__(self):
        return self.upper()


@pytest.mark.parametrize(
    "values", [["a", "b", Letter.A, Letter.B], [1, 2, Digit.ONE, Digit.TWO], ["a", "b", Shouted("a"), Shouted("b")]]
)
def test_classes_do_not_depend_on_the_order_of_values_that_are_equal(values):
    plain = values[:2]
    for gold in itertools.permutations(values):
        pred = [plain[plain.index(value)] for value in gold]
        assert macrof1.count(gold, pred).labels == tuple(plain)
        assert macrof1.score(gold, pred).averaged_f1 == 1
        assert macrof1.Accumulator().update(gold, pred).score().averaged_f1 == 1


SETS = [frozenset("ab"), frozenset("b"), frozenset()]


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("container", [list, tuple, iter, pd.Series, lambda rows: np.array([*rows, None], object)[:-1]])
def test_rows_of_sets_are_several_labels_in_any_container(container, first):
    gold, pred = SETS[first:] + SETS[:first], SETS[::-1]
    expected = macrof1.count(gold, pred)
    assert expected.task == "multilabel"
    assert macrof1.count(container(gold), container(pred)) == expected
    assert macrof1.score(container(gold), container(pred)).counts == expected
    assert macrof1.Accumulator().update(container(gold), container(pred)).counts() == expected


@pytest.mark.parametrize("rows", [["a", "b"], [{"a"}, {"b"}], [set(), {"b"}]])
@pytest.mark.parametrize("labels", [None, ["a", "b"]])
@pytest.mark.parametrize("zeros", [[0, 0], [0.0, 0.0]])
def test_weights_that_are_all_0_are_refused(rows, labels, zeros):
    with pytest.raises(EmptyError, match="all weights are 0"):
        macrof1.score(rows, rows, labels=labels, sample_weight=zeros)


@pytest.mark.parametrize("value", [2.0**53, -(2.0**60), 1e20])
def test_reals_that_cannot_tell_whole_numbers_apart_are_no_labels(value):
    for frame in (
        pd.DataFrame({"g": [value, 1.0], "p": [value, 1.0]}),
        pl.DataFrame({"g": [value, 1.0], "p": [1.0, 1.0]}),
    ):
        with pytest.raises(LabelError, match=r"beyond 2\*\*53"):
            macrof1.score_frame(frame, gold="g", pred="p")
    near = pd.DataFrame({"g": [2.0**53 - 1, 1.0], "p": [2.0**53 - 1, 1.0]})
    assert macrof1.score_frame(near, gold="g", pred="p").averaged_f1 == 1


@pytest.mark.parametrize("kind", [list, tuple, set, np.array, iter])
def test_classes_to_exclude_come_in_any_container(kind):
    assert macrof1.score(list("abc"), list("aac"), exclude=kind(["a", "b"])).n_classes == 1
    assert macrof1.score(list("abc"), list("aac"), exclude=kind([]) if kind is not iter else ()).n_classes == 3
