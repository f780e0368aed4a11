"""Identification: the definition behind a number is always found."""

import json
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, fbeta_score, jaccard_score

import macrof1
from macrof1.cli import main
from macrof1.convention import FORMULAS, Convention
from macrof1.counts import GroupedCounts
from macrof1.errors import InputError
from macrof1.request import Request
from macrof1.running.identifying import identify, run_identify
from macrof1.scoring.definitions import DefinedScore, definitions, named, rarer_values, values_of
from macrof1.scoring.identification import IdentifiedRow, IdentifyTableResult, PrintedNumber, _rarity, identify_counts

from ..strategies import label_pairs


def rows(seed, n, classes):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(classes, 2.0))
    gold = rng.choice(classes, n, p=weights)
    pred = np.where(rng.random(n) < rng.uniform(0.4, 0.95), gold, rng.choice(classes, n, p=weights))
    return gold, pred


@given(label_pairs(), st.integers(1, 6), st.data())
def test_the_definition_that_made_a_number_is_among_the_matches(pair, decimals, data):
    counts = macrof1.count(*pair)
    made = data.draw(st.sampled_from(definitions(counts)))
    percent = data.draw(st.booleans())
    cut = math.floor(abs(made.value) * 10**decimals) / 10**decimals * math.copysign(1, made.value)
    shown = data.draw(st.sampled_from([f"{made.value:.{decimals}f}", f"{cut:.{decimals}f}"]))
    if percent and made.value > 0.02:
        shown = f"{100 * made.value:.{decimals}f}%"
    found = identify_counts(counts, shown)
    assert made.definition in [match.definition for match in found.matches]
    assert found.tried == len(definitions(counts)) + len(rarer_values(counts))


@given(label_pairs())
def test_definitions_that_are_conventions_are_what_score_gives(pair):
    for value, kind, (classes, left_out, _), undefined in values_of(macrof1.count(*pair)):
        if kind in FORMULAS:
            convention = Convention(formula=kind, classes=classes, undefined=undefined, exclude=left_out)
            result = macrof1.score(*pair, convention=convention)
            assert getattr(result, kind) == pytest.approx(value, rel=1e-12, abs=1e-15)


def test_means_over_folds_are_found(tmp_path, capsys):
    gold, pred = rows(3, 300, 3)
    folds = np.arange(300) % 5
    scores = [f1_score(gold[folds == k], pred[folds == k], average="macro") for k in range(5)]
    shown = f"{np.mean(scores):.6f}"
    found = macrof1.identify(gold, pred, shown, by=folds)
    assert "mean over group of averaged_f1" in [match.definition for match in found.matches]
    frame = pl.DataFrame({"gold": gold, "pred": pred, "fold": folds})
    grouped = macrof1.score_groups(frame, gold="gold", pred="pred", by="fold")
    assert [m.value for m in macrof1.identify(grouped, shown).matches] == [m.value for m in found.matches]
    frame.write_csv(tmp_path / "preds.csv")
    assert main(["identify", str(tmp_path / "preds.csv"), shown, "--by", "fold", "-f", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["value"] == shown
    assert content["matches"][0] == {
        "definition": "mean over fold of averaged_f1",
        "value": pytest.approx(np.mean(scores)),
        "words": "nested mean over fold of averaged F1",
        "reading": "rounded",
    }
    assert len(content["nearest"]) == 5


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd"), st.integers(1, 3)), min_size=3, max_size=30),
    st.sampled_from([{}, {"undefined": 1}, {"undefined": "drop"}, {"classes": "gold"}, {"exclude": ["a"]}]),
    st.sampled_from(["averaged_f1", "f1_of_averages"]),
)
def test_means_over_folds_are_found_where_folds_lack_classes(labels, options, formula):
    gold, pred, folds = zip(*labels, strict=True)
    frame = pl.DataFrame({"gold": gold, "pred": pred, "fold": folds})
    try:
        grouped = macrof1.score_groups(frame, gold="gold", pred="pred", by="fold", **options)
        made = grouped.mean_of_scores(formula)
    except InputError:  # a fold without a class to average over
        assume(False)
    found = macrof1.identify(gold, pred, f"{made:.9f}", by=folds)
    names = {
        "".join(f"({name}={value if name != 'exclude' else 'a'})" for name, value in options.items()),
        "",  # no fold has what the option is about
    }
    assert {f"mean over group of {formula}{name}" for name in names} & {match.definition for match in found.matches}


def test_means_over_rows_are_found():
    gold = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0]])
    pred = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0]])
    for undefined in (0, 1):
        shown = f"{f1_score(gold, pred, average='samples', zero_division=undefined):.6f}"
        names = [match.definition for match in macrof1.identify(gold, pred, shown).matches]
        assert any(name.startswith("averaged_f1 over rows") for name in names)


def test_what_is_printed_more_often_comes_first():
    found = macrof1.identify(["a", "a", "b", "c"], ["a", "b", "b", "b"], "0.5")
    names = [match.definition for match in found.matches]
    assert names.index("micro_f1") < names.index("accuracy") < names.index("macro_recall")
    assert _rarity("weighted_f1") < _rarity("mean over fold of averaged_f1") < _rarity("micro_f1")
    assert "scores" not in repr(found)


def test_how_many_values_match_by_chance():
    counts = macrof1.count(["a", "a", "b", "c"], ["a", "b", "b", "b"])
    every = [*(score.value for score in definitions(counts)), *(value for value, *_ in rarer_values(counts))]
    values = sorted({round(value, 12) for value in every})
    spread = values[-1] - values[0]
    for text, unit in (("0.3889", 1e-4), ("0.39", 1e-2), ("39", 1e-2)):
        found = identify_counts(counts, text)
        assert found.distinct == len(values)
        assert found.expected_by_chance == pytest.approx(len(values) * 1.5 * unit / spread)
    assert identify_counts(counts, "0").expected_by_chance == len(values)  # never more than there are
    assert identify_counts(macrof1.count([{"a"}], [{"a"}]), "1").expected_by_chance == 0  # all values are 1


def test_the_nearest_are_distinct_and_in_order():
    counts = macrof1.count(["a", "a", "b", "c"], ["a", "b", "b", "b"])
    found = identify_counts(counts, "0.98765")
    away = [abs(each.value - 0.98765) for each in found.nearest]
    assert len(away) == 5
    assert away == sorted(away)
    assert len({round(each.value, 12) for each in found.nearest}) == 5
    assert len(identify_counts(ALONE, "0.98765").nearest) == 1


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("1.0", Fraction(1), 1),
        ("1.01", Fraction("0.0101"), 4),  # above 1, a percentage
        ("0.5%", Fraction("0.005"), 3),
        ("100", Fraction(1), 2),
        ("100%", Fraction(1), 2),
        ("-1", Fraction(-1), 0),
        ("-0.25", Fraction("-0.25"), 2),
        ("-1%", Fraction("-0.01"), 2),
        (" 71,2 % ", Fraction("0.712"), 3),
        ("\u22120.10", Fraction("-0.1"), 2),  # the minus sign of typeset papers
        ("0\u00b771", Fraction("0.71"), 2),  # the point of some journals
        ("7e1", Fraction("0.7"), 2),
        ("0", Fraction(0), 0),
        (0.25, Fraction("0.25"), 2),
        ("71.23", Fraction("0.7123"), 4),
        (".5", Fraction("0.5"), 1),
        (f"0.{1:010000}", Fraction(1, 10**10_000), 10_000),
    ],
)
def test_how_printed_numbers_are_read(text, value, decimals):
    printed = PrintedNumber.read(text)
    assert (printed.value, printed.decimals) == (value, decimals)


@pytest.mark.parametrize(
    "text",
    ["", "abc", "nan", "inf", True, None, "-2%x", "-100.5", "101", "-101", "100.01", "100.5%", "101%", "-100.01",
     "-101%", f"0.{1:010001}", "1e400", "sNaN"],
)  # fmt: skip
def test_what_no_score_is_printed_as(text):
    with pytest.raises(InputError, match="number as it was printed"):
        PrintedNumber.read(text)


@pytest.mark.parametrize(
    ("text", "off", "reading"),
    [
        ("0.5", Fraction("0.05"), "rounded"),  # a tie
        ("0.5", Fraction("-0.05"), "rounded"),
        ("0.5", Fraction("0.05") + Fraction(1, 2 * 10**14), "rounded"),  # an error in the last bit
        ("0.5", Fraction("-0.05") - Fraction(1, 2 * 10**14), "rounded"),
        ("0.5", Fraction("-0.05") - Fraction(3, 10**14), None),
        ("0.5", Fraction("0.05") + Fraction(3, 10**14), "truncated"),
        ("0.5", Fraction("0.1") - Fraction(3, 10**14), "truncated"),
        ("0.5", Fraction("0.1") - Fraction(1, 2 * 10**14), "truncated"),
        ("0.5", Fraction("0.1"), "truncated"),  # a sum of floats that should be 0.6 may be just below it
        ("0.5", Fraction("0.1") + Fraction(3, 10**14), None),
        ("0.5", Fraction("0.11"), None),
        ("0.5", Fraction("-0.11"), None),
        ("-0.5", Fraction("-0.09"), "truncated"),
        ("-0.5", Fraction("0.09"), None),
        ("-0.5", Fraction("0.05"), "rounded"),
        ("0", Fraction("0.9"), "truncated"),
        ("0", Fraction("-0.9"), None),
        ("0.0", Fraction("0.095"), "truncated"),
    ],
)
def test_which_values_are_printed_as_a_number(text, off, reading):
    printed = PrintedNumber.read(text)
    assert printed.holds(float(printed.value + off)) == reading


def defined(*values):
    return [DefinedScore(definition=f"d{place}", value=value, words=f"w{place}") for place, value in enumerate(values)]


ALONE = macrof1.count([{"a"}], [{"a"}])  # every definition is 1


def test_values_that_differ_by_rounding_are_one_value():
    whole = identify_counts(ALONE, "0.3")
    assert whole.distinct == 1
    found = identify_counts(ALONE, "0.3", more=defined(0.3, 0.3 + 3e-13, 0.3 + 3e-12, 0.3001))
    assert found.tried == whole.tried + 4
    assert [match.definition for match in found.matches] == ["d0", "d1", "d2", "d3"]
    assert [[match.definition for match in members] for _, members in found.groups] == [["d0", "d1"], ["d2"], ["d3"]]
    assert found.distinct == 1 + 3
    assert found.expected_by_chance == pytest.approx(4 * 1.5 * 0.1 / 0.7)
    far = identify_counts(ALONE, "0.5", more=defined(0.3, 0.3 + 3e-13, 0.3 + 3e-12, 0.3001, 0.8))
    assert [match.definition for match in far.nearest[:4]] == ["d3", "d2", "d1", "d4"]
    assert [match.reading for match in far.nearest] == [None] * 5


def test_a_difference_that_is_as_large_as_rounding_is_no_difference():
    near = identify_counts(ALONE, "0", more=defined(0.0, 1e-12, 2.5e-12))
    assert [(value, len(members)) for value, members in near.groups[:2]] == [(0.0, 2), (2.5e-12, 1)]
    assert identify_counts(ALONE, "0", more=defined(0.0, 1e-12)).distinct == 2
    # The largest of all values is as far from the smallest as rounding: nothing is expected by chance.
    assert identify_counts(ALONE, "1", more=defined(1 - 2**-40)).expected_by_chance == 0
    assert identify_counts(ALONE, "1", more=defined(1 - 2**-39)).expected_by_chance > 0


def test_matches_are_ordered_by_reading_then_value_then_plainness():
    more = [
        DefinedScore(definition=name, value=value, words=name)
        for name, value in (
            ("cut", 0.359), ("late(x=1)", 0.31), ("mean over fold of late", 0.31), ("late(x=1, y=2)", 0.31),
            ("late", 0.31), ("first(x=1)", 0.3), ("first", 0.3), ("also", 0.3), ("late too", 0.31),
        )
    ]  # fmt: skip
    found = identify_counts(ALONE, "0.3", more=more)
    assert [match.definition for match in found.matches] == [
        "late", "late too", "mean over fold of late", "late(x=1)", "late(x=1, y=2)",
        "first", "also", "first(x=1)", "cut",
    ]  # fmt: skip
    assert [match.reading for match in found.matches] == ["rounded"] * 8 + ["truncated"]


def result_of(*values, number="0.3", **options):
    return identify_counts(ALONE, number, more=defined(*values), **options)


def test_sentences_in_full():
    tried = result_of().tried
    assert result_of(0.35001, number="0.5").summary == (
        f"No definition prints 0.5 ({tried + 1} definitions tried, with 2 values on this data); the nearest is w0."
    )
    assert result_of(0.3).summary == f"0.3 is w0 ({tried + 1} definitions tried, with 2 values on this data)."
    assert result_of(0.3, 0.3).summary == (
        f"0.3 is w0; on this data it cannot be told from 1 other definition with the same value ({tried + 2} "
        "definitions tried, with 2 values on this data)."
    )
    assert result_of(0.3, 0.31).summary == (
        f"2 values print 0.3: w0 (0.300000) and w1 (0.310000); more decimals would tell them apart ({tried + 2} "
        "definitions tried, with 3 values on this data; about 0.6 expected by chance)."
    )
    many = result_of(0.3, 0.31, 0.32, 0.33).summary
    assert many.startswith("4 values print 0.3: w0 (0.300000) and w1 (0.310000) and w2 (0.320000); more decimals")
    content = result_of(0.3, 0.31).to_dict()
    assert content["summary"] == result_of(0.3, 0.31).summary
    assert content["groups"] == [{"value": 0.3, "definitions": ["d0"]}, {"value": 0.31, "definitions": ["d1"]}]


def row(name, result):
    return IdentifiedRow(name=name, result=result, note="" if result else "not known")


@pytest.mark.parametrize(
    ("results", "told", "definitions"),
    [
        ([None, None],
         "The counts behind 0 of 2 rows are determined: class sizes and the figures of every class would determine "
         "them.", {}),
        ([result_of(number="0.5")], "The counts behind 1 of 1 row are determined; no definition prints any.", {}),
        ([result_of(0.3, 0.31), None, result_of(0.45, 0.31)],
         "The counts behind 2 of 3 rows are determined; d1 prints 2 of them.", {"d1": 2, "d0": 1}),
    ],
)  # fmt: skip
def test_a_leaderboard_in_one_sentence(results, told, definitions):
    found = IdentifyTableResult(rows=tuple(row(f"r{place}", result) for place, result in enumerate(results)))
    assert found.summary == told
    assert list(found.definitions.items()) == list(definitions.items())
    content = found.to_dict()
    assert (content["summary"], content["definitions"]) == (told, definitions)
    for line, result in zip(content["rows"], results, strict=True):
        assert line == {"name": line["name"], **(result.to_dict() if result else {}), "note": line["note"]}
        assert line["note"] == ("" if result else "not known")


def test_groups_are_used_where_there_are_any():
    part = macrof1.count(["a", "b"], ["a", "a"])
    none = GroupedCounts(by=("fold",), groups=(), total=part)
    assert identify_counts(part, "0.3", grouped=none) == identify_counts(part, "0.3")
    one = GroupedCounts(by=("fold",), groups=(((1,), part),), total=part)
    assert identify_counts(part, "0.3", grouped=one).tried > identify_counts(part, "0.3").tried


def test_at_two_decimals_the_common_definitions_come_first():
    gold, pred = rows(11, 300, 5)
    result = macrof1.score(gold, pred)
    found = macrof1.identify(gold, pred, f"{result.averaged_f1:.2f}")
    assert len(found.groups) > 3
    assert found.matches[0].definition == "averaged_f1"
    common = ["averaged_f1", "f1_of_averages", "weighted_f1", "micro_f1"]
    places = {match.definition: place for place, match in reversed(list(enumerate(found.matches)))}
    there = [name for name in common if name in places]
    assert [places[name] for name in there] == sorted(places[name] for name in there)


@given(label_pairs())
def test_what_is_printed_by_mistake_is_what_scikit_learn_prints(pair):
    gold, pred = pair
    counts = macrof1.count(gold, pred)
    found = {named(value).definition: value[0] for value in rarer_values(counts)}
    macro = {"average": "macro", "zero_division": 0}
    assert found["averaged_f2"] == pytest.approx(fbeta_score(gold, pred, beta=2, **macro))
    assert found["averaged_f0.5"] == pytest.approx(fbeta_score(gold, pred, beta=0.5, **macro))
    assert found["f2_of_averages"] == pytest.approx(macrof1.score(gold, pred, beta=2).f1_of_averages)
    assert found["macro_jaccard"] == pytest.approx(jaccard_score(gold, pred, **macro))
    exchanged = f1_score(pred, gold, average="weighted", zero_division=0)
    assert found["weighted_f1_by_predictions"] == pytest.approx(exchanged)
    told = found.get("averaged_f1_of_predicted_classes", macrof1.score(gold, pred).averaged_f1)
    assert told == pytest.approx(f1_score(gold, pred, labels=np.unique(pred), **macro))
    if len(counts.labels) > 2:
        alone = f1_score(gold, pred, labels=counts.labels, average=None, zero_division=0)
        assert [found[f"f1 of class {label} alone"] for label in counts.labels] == pytest.approx(list(alone))


# (tp, predicted, actual) of four queries is (1, 2, 1), (1, 1, 3), (2, 2, 2) and (0, 0, 0).
PAIRS = "query,gold,pred\n1,1,1\n1,0,1\n2,1,1\n2,1,0\n2,1,0\n3,1,1\n3,1,1\n4,0,0\n"


@pytest.mark.parametrize(
    ("value", "definition"),
    [
        (13 / 24, "averaged_f1 over query"), (35 / 58, "f1_of_averages over query"),
        (19 / 24, "averaged_f1 over query(empty=1)"), (35 / 41, "f1_of_averages over query(empty=1)"),
        (13 / 18, "averaged_f1 over query(empty=drop)"), (70 / 87, "f1_of_averages over query(units=gold)"),
        (8 / 11, "micro_f1 over query"),
    ],
)  # fmt: skip
def test_numbers_over_units_are_named_beside_those_over_classes_and_nested_means(value, definition, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    rows = [list(map(int, line.split(","))) for line in PAIRS.splitlines()[1:]]
    query, gold, pred = zip(*rows, strict=True)
    memory = identify(gold, pred, f"{value:.12f}", over={"query": query}, positive=1)
    units = macrof1.count(gold, pred, over={"query": query}, positive=1)
    filed = run_identify(Request(files=(path,), over="query", positive="1"), f"{value:.12f}")
    assert identify(path, f"{value:.12f}", over="query", positive="1") == filed
    for found in (memory, filed, identify(units, f"{value:.12f}")):
        assert definition in [match.definition for match in found.matches]
    for other in ("averaged_f1", "mean over query of averaged_f1", "micro_f1"):
        for found in (memory, filed):
            assert other in {score.definition for score in found.scores}
    definitions = [score.definition for score in memory.scores]
    assert len(definitions) == len(set(definitions))
    with pytest.raises(InputError, match="over= cannot be combined with by="):
        identify(gold, pred, "0.5", over={"query": query}, positive=1, by=query)
