"""ScoreResult: its attributes, string form, JSON, signature and explanation."""

import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import macrof1
from macrof1.convention import CLASS_SETS, FORMULAS, Convention, Signature
from macrof1.counting.arrays import confusion
from macrof1.counts import Making
from macrof1.errors import ConventionError
from macrof1.scoring.score_result import row_notes

VERSION = macrof1.__version__
FOSIL = [[1033, 1967], [169, 363]]


def fosil():
    return macrof1.score_matrix(FOSIL, rows="predicted", labels=["OFFENSE", "OTHER"])


def test_the_run_of_germeval_2018():
    result = fosil()
    assert round(100 * result.averaged_f1, 2) == 37.27
    assert round(100 * result.f1_of_averages, 2) == 51.04
    assert round(100 * result.gap, 2) == 13.78
    assert result.explanation == (
        "The formulas differ by 13.8 points: class OTHER is over-precise, class OFFENSE is over-recalled."
    )
    assert [(p.over_precise, p.over_recalled) for p in result.pairs()] == [("OTHER", "OFFENSE")]


def test_public_cases():
    # smile, pull request 874
    smile = macrof1.score([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2])
    assert (round(smile.averaged_f1, 6), round(smile.f1_of_averages, 6)) == (0.822222, 0.860215)
    # scikit-learn, issue 8747
    gold = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4]
    pred = [1, 1, 1, 0, 0, 2, 2, 3, 3, 3, 4, 3, 4, 3]
    issue = macrof1.score(gold, pred, labels=[1, 2, 3, 4])
    assert (round(issue.averaged_f1, 6), round(issue.f1_of_averages, 6)) == (0.604167, 0.636129)
    # The confusion matrix of Takahashi et al.'s kind of example
    matrix = macrof1.score_matrix([[60, 5, 2], [8, 20, 5], [3, 4, 13]], rows="gold")
    assert (round(matrix.averaged_f1, 6), round(matrix.f1_of_averages, 6)) == (0.721576, 0.722676)


@given(st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), min_size=4, max_size=4), st.sampled_from([0, 1]))
def test_what_the_explanation_says_of_a_class_is_true(matrix, undefined):
    assume(any(map(any, matrix)))
    result = macrof1.score_matrix(matrix, rows="gold", labels=list("wxyz"), undefined=undefined)
    leaning = {record.label: record.precision - record.recall for record in result.per_class}
    said = re.findall(r"class (\w) is over-(precise|recalled)( compared with the others)?", result.explanation)
    assert len(said) == (2 if result.gap >= 0.0005 else 0)
    for label, word, beside in said:
        assert (leaning[label] * (1 if word == "precise" else -1) > 0) == (not beside)
    assert sum(bool(beside) for _, _, beside in said) <= 1


def test_labels_are_quoted_in_sentences_where_they_could_be_misread():
    result = macrof1.score(["a, b", "a, b", "c"], ["a, b", "c", "c"])
    assert 'class "a, b" is over-precise, class c is over-recalled' in result.explanation
    notes = macrof1.score(["a", "a", "b c"], ["a", "", "a"], labels=["a"]).notes
    assert '2 gold or predicted labels lie outside the listed classes ("", "b c")' in notes[0]


def test_a_gap_that_chance_could_make_is_called_so():
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 5, 2000)
    noisy = macrof1.score(gold, np.where(rng.random(2000) < 0.5, gold, rng.integers(0, 5, 2000)))
    assert noisy.noise_floor == pytest.approx(noisy.interval("gap").noise_floor, rel=1e-12)  # by another formula
    assert noisy.to_dict()["noise_floor"] == noisy.noise_floor
    assert "not clearly above the sampling noise" in noisy.notes[-1]
    clear = fosil()
    assert clear.gap > 100 * clear.noise_floor > 0
    assert clear.notes == []


def test_printing_gives_one_line_with_name_and_signature():
    line = str(fosil())
    assert line.startswith("averaged F1 = 0.3727 (F1 of averages = 0.5104) averaged_f1|")
    assert "\n" not in line


def test_results_can_be_pickled_and_are_frozen():
    result = fosil()
    assert pickle.loads(pickle.dumps(result)).to_dict() == result.to_dict()  # noqa: S301  # our own bytes
    with pytest.raises(AttributeError):
        result.counts = None


@given(
    st.builds(
        Convention,
        formula=st.sampled_from(FORMULAS),
        classes=st.sampled_from(CLASS_SETS),
        undefined=st.sampled_from([0, 1]),
        beta=st.floats(0, 1e6),
    ),
    st.integers(1, 10**6),
    st.sampled_from(["multiclass", "multilabel"]),
    st.booleans(),
)
def test_a_signature_reads_back(convention, n, task, weighted):
    signature = Signature(convention=convention, n_classes=n, task=task, weighted=weighted)
    line = str(signature)
    assert "\n" not in line
    assert line.isascii()
    assert Signature.parse(line) == signature
    assert Convention.parse(line) == convention


@pytest.mark.parametrize(
    "line",
    ["", "averaged_f1", "macro_f1|classes:union|n:1|undefined:0|beta:1|task:multiclass|weights:no|version:1",
     "averaged_f1|classes:union|n:x|undefined:0|beta:1|task:multiclass|weights:no|version:1",
     "averaged_f1|classes:union|n:1|undefined:2|beta:1|task:multiclass|weights:no|version:1",
     "averaged_f1|classes:all|n:1|undefined:0|beta:1|task:multiclass|weights:no|version:1",
     "averaged_f1|classes:union|n:1|undefined:0|beta:1|task:other|weights:no|version:1"],
)  # fmt: skip
def test_lines_that_are_no_signature(line):
    with pytest.raises(ConventionError):
        Convention.parse(line)


def test_functions_of_labels_and_counts_equal_the_result():
    gold, pred = ["a", "b", "b"], ["a", "a", "b"]
    counts = macrof1.count(gold, pred)
    result = macrof1.score_counts(counts, beta=2)
    assert macrof1.averaged_f1(gold, pred, beta=2) == result.averaged_f1
    assert macrof1.f1_of_averages(gold, pred, beta=2) == result.f1_of_averages
    assert macrof1.score_counts(confusion(gold, pred), beta=2).gap == result.gap
    assert math.fsum(record.gap_share for record in result.per_class) == result.gap


def test_the_defaults_of_an_interval_and_of_pairs():
    result = macrof1.score_matrix([[60, 5, 2], [8, 20, 5], [3, 4, 13]], rows="gold")
    for of in ("gap", "averaged_f1"):
        told = result.interval(of, confidence_level=0.95, n_resamples=1000, rng=0)
        assert result.interval(of) == told
    assert result.interval() == result.interval("averaged_f1")
    assert result.interval("gap").estimate == result.gap
    assert result.interval("f1_of_averages").estimate == result.f1_of_averages
    assert result.interval("f1", label=1).estimate == pytest.approx(result.per_class[1].f1)
    n = 6
    many = macrof1.score_matrix([[3 * (x == y) + (x > y) for x in range(n)] for y in range(n)], rows="gold")
    assert len(many.pairs(most=None)) > len(many.pairs()) == 10


def test_whole_weights_as_rows_are_pointed_out():
    def notes(**options):
        result = macrof1.score_counts(confusion(list("aabb"), list("abbb"), **options))
        return [note for note in result.interval().notes if getattr(note, "code", "") == "weights_as_rows"]

    (note,) = notes(sample_weight=[2, 1, 1, 1])
    assert note.startswith("Whole-number weights count as so many rows: 5, from 4 given; ")
    for options in ({"sample_weight": [1, 1, 1, 1]}, {}):
        assert notes(**options) == []


def outside(n, weight=None):
    """One row of a, and n rows whose predictions lie outside the listed classes."""
    gold, pred = ["a"] * (n + 1), ["a", *(f"z{place}" for place in range(n))]
    options = {} if weight is None else {"sample_weight": [1.0] + [weight] * n}
    return macrof1.score(gold, pred, labels=["a"], **options)


ERRORS = "they count as errors of the classes they meet, and are"


@pytest.mark.parametrize(
    ("result", "who", "names", "then"),
    [
        (outside(1), "1 gold or predicted label lies", "z0", "it counts as an error of the class it meets, and is"),
        (outside(2), "2 gold or predicted labels lie", "z0, z1", ERRORS),
        (outside(5), "5 gold or predicted labels lie", "z0, z1, z2, z3, z4", ERRORS),
        (outside(6), "6 gold or predicted labels lie", "z0, z1, z2, z3, z4, …", ERRORS),
        (outside(1, 0.5), "Gold or predicted labels of weight 0.5 lie", "z0", ERRORS),
        (outside(2, 0.5), "Gold or predicted labels of weight 1 lie", "z0, z1", ERRORS),
    ],
)
def test_labels_outside_the_class_set_in_words(result, who, names, then):
    (note,) = row_notes(result.counts)
    fate = f"{then} not averaged over; what is a class belongs in labels=."
    assert note == f"{who} outside the listed classes ({names}): {fate}"
    assert note.code == "labels_outside"


def test_rows_left_out_and_nothing_at_all_in_words():
    assert row_notes(macrof1.count(["a"], ["a"], labels=["a"])) == []
    dropped = row_notes(macrof1.count(["a", None], ["a", "a"], missing="drop"))
    assert [note.code for note in dropped] == ["rows_dropped"]
    both = row_notes(macrof1.count(["a", None, "a"], ["a", "a", "b"], missing="drop", labels=["a"]))
    assert [note.code for note in both] == ["rows_dropped", "labels_outside"]


def test_the_share_of_answers_that_cannot_be_used():
    assert outside(3).unusable_share == 0.75
    assert outside(0).unusable_share == 0
    assert macrof1.score(["a", "b"], ["a", "a"]).unusable_share is None
    counts = macrof1.ClassCounts.of(["a"], tp=[0], predicted=[0], actual=[3], task="multilabel")
    assert macrof1.score_counts(counts).unusable_share is None
    made = replace(outside(3), making=Making(unusable=0.125))
    assert made.unusable_share == 0.125
    assert "outside:wrong|unusable:0.7500|" in outside(3).signature()
    assert "outside" not in outside(0).signature()
    assert "outside" not in made.signature()
    several = macrof1.score([{"a"}], [{"a", "z"}], labels=["a"])
    assert several.unusable_share == 0.5
    assert "outside" not in several.signature()


def test_rows_in_clusters_have_the_noise_of_clusters():
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 3, 60).repeat(4)
    pred = np.where(rng.random(60).repeat(4) < 0.6, gold, 0)  # rows of a cluster are right or wrong together
    plain, clustered = macrof1.score(gold, pred), macrof1.score(gold, pred, cluster=np.arange(60).repeat(4))
    assert clustered.noise_floor > 2 * plain.noise_floor
    assert clustered.noise_floor == pytest.approx(clustered.interval("gap").noise_floor)
    assert "|clusters:60|" in clustered.signature()
    assert "clusters" not in plain.signature()


@pytest.mark.parametrize("of", ["averaged_f1", "f1_of_averages", "macro_precision", "macro_recall"])
def test_an_interval_is_around_the_very_number_that_is_scored(of):
    rng = np.random.default_rng(4)
    for _ in range(30):
        result = macrof1.score_matrix(rng.integers(1, 40, (7, 7)), rows="gold")
        assert result.interval(of, method="delta").estimate == getattr(result, of)
