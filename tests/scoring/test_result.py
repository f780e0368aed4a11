"""ScoreResult: its attributes, string form, JSON, signature and explanation."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import macrof1
from macrof1.convention import CLASS_SETS, FORMULAS, Convention, Signature
from macrof1.counting.arrays import confusion
from macrof1.errors import ConventionError
from macrof1.scoring.gap import gap, gap_shares

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


def test_the_explanation_is_true_of_each_class_alone():
    # class 10 has P = R = 1: it stands out among classes that are over-recalled
    result = macrof1.score_matrix([[1, 0, 0], [0, 5, 0], [0, 20, 5]], rows="gold", labels=["10", "other", "rest"])
    assert "class 10" not in result.explanation
    result = macrof1.score_matrix([[9, 0, 0], [0, 5, 0], [0, 20, 0]], rows="gold", labels=["10", "other", "rest"])
    assert result.explanation.endswith(
        "class 10 is over-precise compared with the others, class other is over-recalled."
    )


@given(st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), min_size=4, max_size=4), st.sampled_from([0, 1]))
def test_what_the_explanation_says_of_a_class_is_true(matrix, undefined):
    assume(any(map(any, matrix)))
    result = macrof1.score_matrix(matrix, rows="gold", labels=list("wxyz"), undefined=undefined)
    leaning = {record.label: record.precision - record.recall for record in result.per_class}
    said = re.findall(r"class (\w) is over-(precise|recalled)( compared with the others)?", result.explanation)
    assert len(said) == (2 if result.gap else 0)
    for label, word, beside in said:
        assert (leaning[label] * (1 if word == "precise" else -1) > 0) == (not beside)
    assert sum(bool(beside) for _, _, beside in said) <= 1


def test_labels_are_quoted_in_sentences_where_they_could_be_misread():
    result = macrof1.score(["a, b", "a, b", "c"], ["a, b", "c", "c"])
    assert 'class "a, b" is over-precise, class c is over-recalled' in result.explanation
    notes = macrof1.score(["a", "a", "b c"], ["a", "", "a"], labels=["a"]).notes
    assert '2 gold or predicted labels lie outside the listed classes ("", "b c")' in notes[0]
    one = macrof1.score(["a", "a"], ["a", "b"], labels=["a"]).notes
    assert "1 gold or predicted label lies outside the listed classes (b): it counts as an error" in one[0]


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


def test_there_is_no_noise_floor_where_it_is_not_known():
    counts = macrof1.count(["a", "b", "b"], ["a", "a", "b"])
    assert macrof1.score_counts(counts).noise_floor is None
    assert macrof1.score_matrix([[1.5, 1.0], [0.5, 2.0]], rows="gold").noise_floor is None
    assert macrof1.score(["a", "b"], ["a", "a"], undefined=1).noise_floor is None
    assert macrof1.score(["a", "b"], ["a", "b"]).noise_floor is None


def test_no_gap_is_explained_too():
    assert "agree" in macrof1.score(["a", "b"], ["a", "b"]).explanation
    assert macrof1.score(["a", "b"], ["b", "a"]).gap == 0


def test_a_tiny_gap_is_not_rounded_to_nothing():
    result = macrof1.score_matrix([[10**6, 1], [0, 10**6]], rows="gold")
    assert 0 < result.gap < 1e-10
    assert "differ by 0.0 " not in result.explanation


def test_printing_gives_one_line_with_name_and_signature():
    line = str(fosil())
    assert line.startswith("averaged F1 = 0.3727 (F1 of averages = 0.5104) averaged_f1|")
    assert "\n" not in line


def test_to_dict_is_plain_json():
    result = macrof1.score([0, 1, 1, None], [0, 1, 0, 1], missing="drop", sample_weight=[0.5, 1, 1, 1])
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content == result.to_dict()
    assert content["averaged_f1"] == result.averaged_f1
    assert set(content["per_class"][0]) == {
        "label", "precision", "recall", "f1", "actual", "predicted", "tp", "gap_share"
    }  # fmt: skip
    assert content["n_dropped"] == 1


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


def test_the_result_signs_what_it_computed():
    result = macrof1.score(["a", "b"], ["a", "a"], classes="gold", undefined=1, beta=2)
    for formula in FORMULAS:
        assert Convention.parse(result.signature(formula)) == Convention(
            formula=formula, classes="gold", undefined=1, beta=2.0
        )
    assert f"version:{macrof1.__version__}" in result.signature()


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


@pytest.mark.parametrize(
    "options",
    [{"beta": -1}, {"beta": float("inf")}, {"beta": float("nan")}, {"undefined": 2}, {"undefined": True},
     {"classes": "all"}],
)  # fmt: skip
def test_bad_conventions_are_refused(options):
    with pytest.raises(ConventionError):
        macrof1.score(["a"], ["a"], **options)


def test_formulas_have_no_other_names():
    with pytest.raises(ConventionError, match="did you mean 'averaged_f1'"):
        fosil().signature("average_f1")


def test_score_counts_refuses_other_things():
    with pytest.raises(macrof1.InputError, match="expected what"):
        macrof1.score_counts([[1, 2], [3, 4]])


def test_functions_of_labels_and_counts_equal_the_result():
    gold, pred = ["a", "b", "b"], ["a", "a", "b"]
    counts = macrof1.count(gold, pred)
    result = macrof1.score_counts(counts, beta=2)
    assert macrof1.averaged_f1(gold, pred, beta=2) == result.averaged_f1
    assert macrof1.f1_of_averages(gold, pred, beta=2) == result.f1_of_averages
    convention = macrof1.Convention(beta=2)
    assert gap(counts, convention) == gap(confusion(gold, pred), convention) == result.gap
    assert gap_shares(counts, convention) == [r.gap_share for r in result.per_class]


def test_the_gap_of_counts_is_that_of_the_result_where_ratios_are_left_out():
    counts = macrof1.count(["a", "b", "b", "c"], ["a", "a", "b", "b"])
    result = macrof1.score_counts(counts, undefined="drop")
    assert gap(counts, macrof1.Convention(undefined="drop")) == result.gap == result.f1_of_averages - result.averaged_f1


@pytest.mark.parametrize("weights", [[0, 0], [0.0, 0.0]])
def test_rows_that_all_weigh_nothing_are_refused(weights):
    with pytest.raises(macrof1.InputError, match="all weights are 0"):
        macrof1.score([1, 2], [1, 1], sample_weight=weights)
    with pytest.raises(macrof1.InputError, match="all weights are 0"):
        macrof1.score_counts(confusion([1, 2], [1, 1], sample_weight=weights))
    with pytest.raises(macrof1.InputError, match="all weights are 0"):
        macrof1.score([1, 2], [1, 1], sample_weight=weights, labels=[1, 2])


def test_whole_weights_are_weights():
    gold, pred = [1, 1, 2, 2, 3] * 10, [1, 2, 2, 1, 1] * 10
    plain, one = macrof1.score(gold, pred), macrof1.score(gold, pred, sample_weight=[1] * 50)
    many = macrof1.score(gold, pred, sample_weight=[1000] * 50)
    assert plain.noise_floor is not None
    assert one.noise_floor is None  # what a weight of 1 says about the number of rows is the user's to know
    assert many.noise_floor is None  # 50 rows do not become 50,000
    assert many.averaged_f1 == plain.averaged_f1
    assert "weights:yes" in many.signature()
    assert many.to_dict()["weighted"] is True
    assert "weights:no" in plain.signature()
