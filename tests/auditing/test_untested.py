"""What is said about figures that nothing tests."""

from __future__ import annotations

import pytest

import macrof1

ROW = {"precision": "0.50", "recall": "0.50", "f1": "0.50"}
MACRO_F1 = "macro F1: needs macro precision and macro recall, or figures of the classes"
NO_FORMULA = "the formula: no macro F1 was given"
ACCURACY = "accuracy: needs class sizes, or correct and total"
CORRECT = "correct: needs class sizes, or total"
TOTAL = "total: needs class sizes, or correct and accuracy"


def macro(kind):
    return f"macro {kind}: needs a macro F1, or the {kind} of every class"


def of_class(name):
    return f"{name}: needs the other two figures of the class, or class sizes"


def sizes(why):
    return f"class sizes against whole counts: {why}"


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"f1": "0.5"}, [MACRO_F1]),
        ({"f1": "0.5", "precision": "0.5"}, []),
        ({"f1": "0.5", "recall": "0.5"}, []),
        ({"f1": "0.50", "per_class": {"a": ROW, "b": ROW}}, []),
        ({"precision": "0.5", "recall": "0.5"}, [NO_FORMULA, macro("precision"), macro("recall")]),
        ({"precision": "0.5"}, [NO_FORMULA, macro("precision")]),
        ({"precision": "0.50", "per_class": {"a": ROW, "b": ROW}}, [NO_FORMULA]),
        (
            {"precision": "0.50", "per_class": {"a": ROW}, "n_classes": 2},
            [NO_FORMULA, macro("precision")],
        ),
        (
            {"recall": "0.50", "per_class": {"a": ROW, "b": {"precision": "0.50"}}},
            [NO_FORMULA, macro("recall"), of_class("b precision")],
        ),
        (
            {"precision": "0.50", "per_class": {"a": {"precision": "0.50"}, "b": {"precision": "0.50", "f1": "0.50"}}},
            [NO_FORMULA, of_class("b F1")],
        ),
        ({"f1": "0.50", "per_class": {"a": {"recall": "0.50"}, "b": ROW}}, [of_class("a recall")]),
        ({"f1": "0.5", "accuracy": "0.5"}, [MACRO_F1, ACCURACY]),
        ({"f1": "0.5", "accuracy": "0.5", "correct": 5}, [MACRO_F1, ACCURACY, CORRECT]),
        ({"f1": "0.5", "accuracy": "0.5", "total": 10}, [MACRO_F1, ACCURACY, TOTAL]),
        ({"f1": "0.5", "accuracy": "0.5", "correct": 5, "total": 10}, [MACRO_F1]),
        ({"f1": "0.5", "correct": 5, "total": 10}, [MACRO_F1]),
        ({"f1": "0.5", "total": 10}, [MACRO_F1, TOTAL]),
        ({"f1": "0.50", "total": 20, "support": {"a": 10, "b": 10}}, []),
        (
            {"f1": "0.50", "per_class": {"a": ROW, "b": ROW}, "support": {"a": 10}, "accuracy": "0.50", "correct": 5},
            [ACCURACY, CORRECT, sizes("not every class has one")],
        ),
        (
            {"f1": "0.50", "per_class": {"a": ROW, "b": ROW}, "support": {"a": 10, "b": 10}, "task": "multilabel"},
            [sizes("rows have several labels")],
        ),
        (
            {"f1": "0.50", "correct": 5, "support": {"a": 10, "b": 10}, "task": "multilabel"},
            [CORRECT, sizes("rows have several labels")],
        ),
        (
            {"f1": "0.5", "support": {"a": 10**6, "b": 10**6, "c": 10**6}, "correct": 10**6, "accuracy": "0.33"},
            [sizes("more combinations of counts fit than are listed")],
        ),
        (
            {"f1": "0.5", "support": {"a": 10**6, "b": 10**6, "c": 10**6}, "accuracy": "0.33"},
            [ACCURACY, sizes("more combinations of counts fit than are listed")],
        ),
        ({"f1": "0.50", "per_class": {"a": ROW, "b": ROW}, "support": {"a": 10, "b": 10}}, []),
    ],
)
def test_each_figure_that_nothing_tests_is_named(figures, expected):
    assert list(macrof1.audit(**figures).not_tested) == expected
