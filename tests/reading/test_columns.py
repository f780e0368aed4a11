"""Columns by usual names, by name and by position."""

import numpy as np
import polars as pl
import pytest

import macrof1
from macrof1.errors import ColumnError
from macrof1.reading.alignment import taken
from macrof1.reading.columns import find_column, unused_counts, usual_columns


@pytest.mark.parametrize(
    "header",
    [
        "gold,pred", "y_true,y_pred", "label,prediction", "references,predictions", "y,yhat", "ground_truth,answer",
        "expected,output", "True Label,Predicted Label", "target,hypothesis", "text,GOLD,Pred", "id,y,y_hat",
        "Actual Label,Predicted Label", "trueLabel,predictedLabel", "correct_answer,model_answer", "ideal,completion",
    ],
)  # fmt: skip
def test_usual_names(tmp_path, header):
    n = header.count(",") - 1
    (tmp_path / "p.csv").write_text(f"{header}\n{'x,' * n}a,a\n{'x,' * n}a,b\n{'x,' * n}b,b\n")
    assert macrof1.score_file(tmp_path / "p.csv").averaged_f1 == pytest.approx(2 / 3)


def test_a_table_of_counts_has_at_most_10_000_lines():
    def read(names):
        raise LookupError(names)

    assert unused_counts(["n"], ["gold", "pred"], [], (10_001, 10_001), read) == []
    with pytest.raises(LookupError):
        unused_counts(["n"], ["gold", "pred"], [], (10_000, 10_000), read)


def test_names_that_mean_other_things_give_way():
    assert find_column(["answer", "prediction", "gold"], None, "pred", source="x") == "prediction"
    assert find_column(["class", "label", "pred"], None, "gold", source="x") == "label"


@pytest.mark.parametrize("columns", [["gold", "label", "pred"], ["gold", "target", "output"], ["text", "score"]])
def test_doubt_is_refused(columns):
    with pytest.raises(ColumnError, match="name one with gold="):
        find_column(columns, None, "gold", source="x")


def test_python_is_told_arguments_and_no_options(tmp_path):
    (tmp_path / "p.csv").write_text("a,b\nx,y\n")
    for options in ({}, {"gold": "z"}, {"gold": "1", "pred": "2", "sample_weight": "w"}):
        with pytest.raises(ColumnError) as caught:
            macrof1.score_file(tmp_path / "p.csv", **options)
        assert "--" not in str(caught.value)


@pytest.mark.parametrize("other", ["system", "output", "answer", "response"])
def test_a_plain_name_goes_before_one_that_may_mean_something_else(other):
    assert usual_columns([other, "seed", "gold", "pred"], "pred") == ["pred"]
    assert usual_columns([other, "seed", "gold"], "pred") == [other]


def test_a_row_that_is_not_there_has_no_value():
    rows = np.array([1, -1])
    assert taken(pl.Series(["a", "b"]), rows).to_list() == taken(["a", "b"], rows) == ["b", None]
