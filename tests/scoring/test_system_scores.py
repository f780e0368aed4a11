"""What systems print: which rows of the table apply, over how many classes, why, and who prints a number."""

from dataclasses import replace

import pytest

import macrof1
from macrof1.catalogue.reader import NamedConvention
from macrof1.convention import Convention
from macrof1.counts import ClassCounts
from macrof1.scoring.system_scores import ConventionScore, ScoreConventionsResult, score_conventions, system_score


def system(name="x", *, measure="", fewest_classes=1, most_classes=None, nan_where="", nan_versions="", **options):
    return NamedConvention(
        name=name, system="X", convention=Convention(**options), tasks=("multiclass",), evidence="read", source="here",
        measure=measure, fewest_classes=fewest_classes, most_classes=most_classes, nan_where=nan_where,
        nan_versions=nan_versions,
    )  # fmt: skip


def scored(name, value):
    return ConventionScore(known=system(name), value=value, n_classes=2, reason=f"because {name}")


def listed(*labels):
    """Two rows of a, one of them called b, and one of b; other classes may be listed."""
    return macrof1.count(["a", "a", "b"], ["a", "b", "b"], labels=["a", "b", *labels])


@pytest.mark.parametrize(("n", "there"), [(1, False), (2, True), (3, True), (4, False)])
def test_a_row_applies_to_its_numbers_of_classes(n, there):
    names = list("abcd")[:n]
    known = system(fewest_classes=2, most_classes=3)
    assert (system_score(known, macrof1.count(names, names)) is not None) == there
    # Listed classes count although no row has them: unless the system looks at those that occur.
    counts = macrof1.count(["a", "b", "z"], ["a", "z", "b"], labels=names)
    assert (system_score(known, counts) is not None) == there
    seen = system(fewest_classes=2, most_classes=3, classes="seen")
    assert (system_score(seen, counts) is not None) == (n > 1)
    assert system_score(system(most_classes=None), counts) is not None


def test_a_row_for_one_label_per_row_does_not_apply_to_several():
    assert system_score(system(), macrof1.count([{"a"}], [{"a"}])) is None
    assert system_score(system(), macrof1.count(["a"], ["a"])).value == 1


@pytest.mark.parametrize("names", [("0", "1"), ("False", "True"), (0, 1), (False, True)])
def test_a_binary_metric_prints_the_f1_of_the_positive_class(names):
    gold, pred = (names[0], names[1], names[1], names[1]), (names[0], names[0], names[1], names[1])
    found = system_score(system(measure="positive_f1"), macrof1.count(gold, pred))
    assert (found.value, found.n_classes, found.reason) == (0.8, 1, "F1 of class 1 alone")
    assert system_score(system(measure="positive_f1"), macrof1.count(["a", "b"], ["a", "b"])) is None
    assert system_score(system(), macrof1.count(["a", "b"], ["a", "b"])).value == 1


@pytest.mark.parametrize(
    ("where", "gold", "pred", "nan"),
    [
        ("unpredicted", "aab", "aaa", True), ("unpredicted", "aaa", "aab", False), ("undefined", "aab", "aaa", True),
        ("undefined", "aaa", "aab", True), ("undefined", "aab", "abb", False), ("", "aab", "aaa", False),
    ],
)  # fmt: skip
def test_who_prints_nan_where_a_class_has_no_ratio(where, gold, pred, nan):
    counts = macrof1.count(list(gold), list(pred))
    assert (system_score(system(nan_where=where), counts).value is None) == nan
    assert system_score(system(nan_where=where, nan_versions="X 3"), counts).value is not None  # other versions do
    with_none = macrof1.count(list(gold), list(pred), labels=["a", "b", "never"])
    assert (system_score(system(nan_where=where), with_none).value is None) == nan


def test_classes_averaged_over_are_counted_by_policy():
    counts = ClassCounts.of(list("abcd"), tp=[1, 0, 0, 0], predicted=[2, 1, 0, 0], actual=[2, 0, 1, 0])

    def of(**options):
        found = system_score(system(**options), counts)
        return found.value, found.n_classes

    assert of() == (0.125, 4)
    assert of(undefined=1) == (0.375, 4)
    assert of(undefined="drop") == (0.5 / 3, 3)
    assert of(undefined="drop_with_parts") == (0.5, 1)
    assert of(classes="gold") == (0.25, 2)
    assert of(classes="seen") == (0.5 / 3, 3)
    assert of(measure="averaged_f1_of_ratios", undefined="drop") == (0.5, 4)
    nothing = ClassCounts.of(["a", "b"], tp=[0, 0], predicted=[1, 0], actual=[0, 1])
    assert system_score(system(measure="averaged_f1_of_ratios", undefined="drop"), nothing).value is None
    empty = system_score(system(undefined="drop_with_parts"), nothing)
    assert (empty.value, empty.n_classes) == (None, 0)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "averaged F1 over 3: classes seen in gold or predicted, or listed; undefined ratios count as 0"),
        ({"classes": "gold", "undefined": 1}, "averaged F1 over 2: classes seen in gold; undefined ratios count as 1"),
        ({"classes": "listed", "undefined": "drop", "formula": "f1_of_averages"},
         "F1 of averages over 2: all declared classes; undefined ratios are left out"),
        ({"classes": "seen", "undefined": "drop_with_parts", "exclude": ("b", "nowhere")},
         "averaged F1 over 1: declared classes seen in gold or predicted without b; "
         "classes never gold or never predicted are left out"),
        ({"measure": "accuracy"}, "accuracy (micro F1 over all classes)"),
    ],
)  # fmt: skip
def test_reasons(options, reason):
    assert system_score(system(**options), listed("never")).reason == reason


def test_units_are_named_and_what_empty_ones_count_as():
    counts = macrof1.count([{"a"}, set()], [{"a"}, set()], over="rows")
    known = {empty: replace(system(empty=empty), over="queries") for empty in (None, 1)}
    plain = "averaged F1 over 2 queries; undefined ratios count as 0"
    assert system_score(known[None], counts).reason == plain
    assert system_score(known[1], counts).reason == f"{plain}; empty ones count as 1"


def test_where_no_classes_are_declared_those_seen_stand_in():
    counts = macrof1.count(["a", "a", "b"], ["a", "b", "b"])
    found = system_score(system(classes="listed"), counts)
    assert found.reason.startswith("averaged F1 over 2: all declared classes (here: those seen); ")
    assert found.value == macrof1.score_counts(counts).averaged_f1
    assert "those seen" not in system_score(system(classes="listed"), listed()).reason
    assert "those seen" not in system_score(system(), counts).reason
    (note,) = score_conventions(counts).notes
    assert note == "Some systems average over all declared classes; those seen stand in for them without labels=."
    assert note.code == "classes_not_declared"
    assert score_conventions(listed()).notes == ()


def test_groups_are_of_one_value_largest_first_and_undefined_last():
    values = {"a": None, "b": 0.25, "c": 0.5, "d": 0.5 + 3e-13, "e": 0.75, "f": 0.25 + 3e-12, "g": None, "h": None,
              "i": -0.5, "j": 0.0}  # fmt: skip
    result = ScoreConventionsResult(scores=tuple(scored(*pair) for pair in values.items()), notes=())
    found = [(value, "".join(score.known.name for score in members)) for value, members in result.groups]
    assert found == [
        (0.5, "cd"), (0.75, "e"), (0.25 + 3e-12, "f"), (0.25, "b"), (0.0, "j"), (-0.5, "i"), (None, "agh")
    ]  # fmt: skip


def test_the_systems_that_print_a_number_are_marked():
    result = ScoreConventionsResult(scores=(scored("a", 0.71234), scored("b", None), scored("c", 0.7199)), notes=("n",))
    assert all("prints_it" not in score.to_dict() for score in result.scores)
    some = result.marked("71.2")
    assert [score.prints_it for score in some.scores] == [True, False, False]
    assert some.notes == ("n", "71.2 is what a would print.")
    assert [score["prints_it"] for score in some.to_dict()["conventions"]] == [True, False, False]
    both = result.marked("0.71")
    assert [score.prints_it for score in both.scores] == [True, False, True]
    assert both.notes[-1] == "0.71 is what a, c would print."
    assert both.notes[-1].code == "prints_number"
    none = result.marked("0.5")
    assert none.notes[-1] == "No system would print 0.5."
    assert none.scores[0].value == 0.71234


def test_systems_as_plain_types():
    result = ScoreConventionsResult(scores=(scored("a", 0.5), scored("b", None), scored("c", 0.5)), notes=("n",))
    content = result.to_dict()
    assert [row["name"] for row in content["conventions"]] == ["a", "b", "c"]
    assert {name: content["conventions"][0][name] for name in ("value", "n_classes", "reason")} == {
        "value": 0.5, "n_classes": 2, "reason": "because a"
    }  # fmt: skip
    assert content["groups"] == [
        {"value": 0.5, "names": ["a", "c"], "reasons": [
            {"reason": "because a", "names": ["a"]}, {"reason": "because c", "names": ["c"]}]},
        {"value": None, "names": ["b"], "reasons": [{"reason": "because b", "names": ["b"]}]},
    ]  # fmt: skip
    assert content["notes"] == ["n"]


def test_conventions_say_what_is_doubtful_about_the_labels():
    found = score_conventions(macrof1.count(["x;y", "y", "x", "x"], ["x", "y", "x;y", "x"]))
    assert "several_labels" in found.to_dict()["note_codes"]
    assert any("multilabel=" in note for note in found.notes)
