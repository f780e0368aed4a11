"""Both formulas over rows, documents and queries: the counts of units, and the scores that follow from them."""

import json
import random
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import precision_recall_fscore_support

import macrof1
from macrof1.errors import CountError, EmptyError, InputError, LabelError
from tests.oracles import Exact, close

DOCUMENTS = {"gold": [{"a"}, {"a", "b"}, {"b"}], "pred": [{"a"}, {"a"}, {"c"}]}
ROWS = {"gold": [{"a"}, {"a", "b"}, set(), set()], "pred": [{"a"}, {"a"}, {"c"}, set()]}


def of_three(*rows, over="query"):
    tp, predicted, actual = zip(*rows, strict=True)
    return macrof1.ClassCounts.of(range(len(rows)), tp=tp, predicted=predicted, actual=actual, over=over)


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_rows_of_files_are_those_in_memory(tmp_path, ending):
    rows = [{side: sorted(ROWS[side][at]) for side in ROWS} for at in range(4)]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    if ending == "csv":
        text = "gold,pred\n" + "".join(f"{';'.join(row['gold'])},{';'.join(row['pred'])}\n" for row in rows)
    (path := tmp_path / f"p.{ending}").write_text(text)
    found = macrof1.score_file(path, over="rows", multilabel=";" if ending == "csv" else None)
    whole = macrof1.score(**ROWS, over="rows")
    columns, expected = ([*map(tuple, result.counts.columns)] for result in (found, whole))
    assert (found.n_rows, columns, found.interval()) == (4, expected, whole.interval())
    if ending == "jsonl":  # where null is no row without labels
        path.write_text(f'{text}{{"gold": ["a"], "pred": null}}\n')
        with pytest.raises(InputError):
            macrof1.score_file(path, over="rows")


@pytest.mark.parametrize(
    ("options", "averaged", "of_averages"),
    [
        ({"over": {"document": [1, 1, 2]}}, Fraction(2, 5), Fraction(2, 5)),
        ({"over": ["x", "x", "y"]}, Fraction(2, 5), Fraction(2, 5)),
        ({"over": "".join("rows")}, Fraction(5, 9), Fraction(4, 7)),
    ],
)
def test_documents_and_rows_of_one_data_set(options, averaged, of_averages):
    found = macrof1.score(**DOCUMENTS, **options)
    assert close(found.averaged_f1, averaged, relative=1e-15)
    assert close(found.f1_of_averages, of_averages, relative=1e-15)


@pytest.mark.parametrize(
    ("options", "averaged"),
    [
        ({}, Fraction(5, 12)),
        ({"sample_weight": [3, 1, 1, 1]}, Fraction(11, 18)),
        ({"labels": ["a"]}, Fraction(1, 2)),
        ({"exclude": ["b", "c"]}, Fraction(1, 2)),
        ({"empty": 1}, Fraction(2, 3)),
        ({"empty": "drop"}, Fraction(5, 9)),
        ({"classes": "gold"}, Fraction(5, 6)),
    ],
)
def test_rows_with_weights_class_subsets_and_empty_ones(options, averaged):
    found = macrof1.score(**ROWS, over="rows", **options)
    assert close(found.averaged_f1, averaged, relative=1e-15)
    assert found.gap == pytest.approx(found.f1_of_averages - found.averaged_f1, abs=1e-15)
    assert sum(unit.gap_share for unit in found.per_class) == pytest.approx(found.gap, abs=1e-15)


@pytest.mark.parametrize(
    ("rows", "empty", "averaged", "of_averages"),
    [
        ((), None, "13/18", "70/87"),
        ([(0, 0, 0)], 0, "13/24", "35/58"),
        ([(0, 0, 0)], None, "13/24", "35/58"),
        ([(0, 0, 0)], 1, "19/24", "35/41"),
        ([(0, 0, 0)], "drop", "13/18", "70/87"),
    ],
)
@pytest.mark.parametrize("many", [1, 100])  # few are scored as Python's numbers, many as arrays
def test_an_empty_unit_counts_as_it_is_told(rows, empty, averaged, of_averages, many):
    counts = of_three(*[(1, 2, 1), (1, 1, 3), (2, 2, 2), *rows] * many)
    if many > 1:
        counts = counts.with_facts(columns=tuple(np.array(column) for column in counts.columns))
    found = macrof1.score_counts(counts, empty=empty)
    assert close(found.averaged_f1, Fraction(averaged), relative=1e-15)
    assert close(found.f1_of_averages, Fraction(of_averages), relative=1e-15)
    assert (f"|empty:{empty}|" in found.signature()) == (empty is not None)
    if rows and empty != "drop":
        assert (found.per_class[3].actual, found.per_class[3].f1) == (0, empty or 0)
    assert found.micro_f1 == pytest.approx(8 / 11)  # pooled counts know no empty unit


def test_signature_sentences_and_json_name_the_unit():
    for column, noun in (("query_id", "query"), ("queries", "query"), ("docs", "doc"), ("batches", "batch")):
        assert macrof1.score(**DOCUMENTS, over={column: [1, 1, 2]}).counts.noun[0] == noun
    found = macrof1.score(**DOCUMENTS, over="rows")
    assert "|over:rows|" in found.signature()
    assert found.explanation.startswith("The formulas differ by 1.6 points: row 2 is over-precise")
    data = found.to_dict()
    assert (data["over"], data["n_classes"], data["accuracy"], data["mcc"]) == ("rows", 3, None, None)
    parsed = macrof1.Convention.parse(macrof1.score(**ROWS, over="rows", empty="drop").signature())
    assert parsed.empty == "drop"
    column = macrof1.score(**DOCUMENTS, over={"rows": [1, 1, 2]}, labels=["a", "b"])
    assert "|over:column:rows|labels:a,b|" in column.signature()
    assert json.loads(json.dumps(data))["per_class"][1]["label"] == 2


def test_an_empty_unit_that_nobody_spoke_of_is_a_grave_note():
    found = macrof1.score(**ROWS, over="rows")
    assert found.note_codes == ["empty_units"]
    assert "0.4167 if they count as 0, 0.6667 as 1, 0.5556 without them" in found.notes[0]
    assert not macrof1.score(**ROWS, over="rows", empty=0).notes


def random_sets(rng, n_rows, n_labels=5):
    return [{f"l{x}" for x in range(n_labels) if rng.random() < 0.35} for _ in range(n_rows)]


def matrix_of(sets, n_labels=5):
    return np.array([[f"l{x}" in row for x in range(n_labels)] for row in sets], dtype=int)


def sets_of_ints(sets):
    return [{int(label[1:]) for label in row} for row in sets]


@pytest.mark.parametrize("seed", range(4))
def test_equal_to_scikit_learn_over_samples(seed):
    rng = random.Random(seed)  # noqa: S311  # test data
    for _ in range(150):
        gold, pred = (random_sets(rng, rng.randint(2, 12)) for _ in range(2))
        pred = (pred * 6)[: len(gold)]
        g, p = matrix_of(gold), matrix_of(pred)
        assume_some = g.any() or p.any()
        if not assume_some:
            g[0, 0] = 1
            gold[0] = {"l0"}
        weights = [None, [rng.choice([0.5, 1.0, 3.0]) for _ in gold]][rng.random() < 0.5]
        labels = [None, [1, 3]][rng.random() < 0.3 and bool((g | p)[:, [1, 3]].any())]
        undefined = rng.choice([0, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = precision_recall_fscore_support(
                g, p, average="samples", sample_weight=weights, labels=labels, zero_division=undefined
            )[:3]
        names = None if labels is None else [f"l{x}" for x in labels]
        for sides, chosen in (
            ((gold, pred), names),
            ((g, p), labels),
            ((sparse.csr_array(g), sparse.csr_array(p)), labels),
            ((list(map(list, sets_of_ints(gold))), list(map(list, sets_of_ints(pred)))), labels),
        ):
            policy = {"undefined": 1} if undefined else {"convention": "scikit-learn-samples"}
            ours = macrof1.score(*sides, over="rows", labels=chosen, sample_weight=weights, **policy)
            means = ours.macro_precision, ours.macro_recall, ours.averaged_f1
            assert means == pytest.approx(theirs, abs=1e-12)


# What each system computes for a unit, as its source or documentation has it: precision, recall and F1.
def mllib(tp, predicted, actual):
    """Spark MLlib, MultilabelMetrics: ratios of set sizes; 0 for an empty prediction."""
    return tp / predicted if predicted else 0, tp / actual if actual else 0, (
        2 * tp / (predicted + actual) if predicted + actual else 0
    )  # fmt: skip


def gerbil(tp, predicted, actual):
    """GERBIL's wiki: 1 where nothing is expected and nothing was found, otherwise 0 without a true positive."""
    if predicted == actual == 0:
        return 1, 1, 1
    if tp == 0:
        return 0, 0, 0
    precision, recall = tp / predicted, tp / actual
    return precision, recall, 2 * precision * recall / (precision + recall)


def webqsp(tp, predicted, actual):
    """WebQSP's script: no gold answers make recall 1, no predicted ones precision 1; F1 is 0 if only one side has."""
    if actual == 0:
        return (1, 1, 1) if predicted == 0 else (0, 1, 0)
    if predicted == 0:
        return 1, 0, 0
    precision, recall = tp / predicted, tp / actual
    return precision, recall, 2 * precision * recall / (precision + recall) if tp else 0


UNITS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)).map(
        lambda three: (min(three), three[1], three[2])
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize(
    ("system", "options"),
    [
        (mllib, {"convention": "spark-mllib-multilabel"}),
        (mllib, {"convention": "hemdag"}),  # its F and avF: 0 for every ratio without a denominator
        (gerbil, {"convention": "gerbil"}),
        (gerbil, {"convention": "squad"}),
        (webqsp, {"convention": "webqsp"}),
        (webqsp, {"undefined": 1, "empty": 1}),
    ],
)
@settings(max_examples=200, deadline=None)
@given(rows=UNITS)
def test_both_numbers_of_systems_that_average_over_units(system, options, rows):
    assume(any(any(row) for row in rows))
    found = macrof1.score_counts(of_three(*rows), **options)
    precision, recall, f1 = (sum(column) / len(rows) for column in zip(*(system(*row) for row in rows), strict=True))
    assert found.averaged_f1 == pytest.approx(f1, abs=1e-12)
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0
    assert found.f1_of_averages == pytest.approx(both, abs=1e-12)


@settings(max_examples=300, deadline=None)
@given(rows=UNITS)
def test_lemma_and_theorems_1_and_3_hold_over_units(rows):
    assume(any(any(row) for row in rows))
    exact = Exact(*zip(*rows, strict=True))
    found = macrof1.score_counts(of_three(*rows))
    assert close(found.averaged_f1, exact.averaged_f1, relative=1e-14)
    assert close(found.f1_of_averages, exact.f1_of_averages, relative=1e-14)
    assert exact.lemma() == exact.gap
    assert close(found.gap, exact.gap, relative=1e-13)
    assert 0 <= found.gap < 0.5  # Theorem 1, and the supremum of Theorem 3


def test_theorem_2_does_not_hold_over_units():
    # Sums of predicted and gold differ: precision below recall everywhere, and still a gap.
    assert macrof1.score_counts(of_three((1, 2, 1), (1, 2, 1))).gap == 0
    assert macrof1.score_counts(of_three((1, 2, 1), (1, 3, 1))).gap > 0


def test_counts_of_units_add_up_and_are_saved(tmp_path):
    whole = macrof1.count(**DOCUMENTS, over={"document": [1, 1, 2]})
    parts = [
        macrof1.count(DOCUMENTS["gold"][part], DOCUMENTS["pred"][part], over={"document": names})
        for part, names in ((slice(1), [1]), (slice(1, 3), [1, 2]))
    ]
    assert parts[0] + parts[1] == whole
    rows = macrof1.count(**ROWS, over="rows", sample_weight=[3, 1, 1, 1])
    both = rows + rows
    assert both.labels == tuple(range(1, 9))
    assert macrof1.score_counts(both).averaged_f1 == pytest.approx(11 / 18)
    for name, counts in (("documents", whole), ("rows", rows)):
        macrof1.save_counts(counts, tmp_path / f"{name}.counts.json")
        assert macrof1.load_counts(tmp_path / f"{name}.counts.json") == counts
    with pytest.raises(CountError, match="made in different ways"):
        whole + macrof1.count(**DOCUMENTS, over={"query": [1, 1, 2]})
    with pytest.raises(CountError, match="made in different ways"):
        whole + macrof1.count(**DOCUMENTS)


def test_rows_of_lists_in_a_file(tmp_path):
    path = tmp_path / "sets.jsonl"
    lines = [{"gold": sorted(g), "pred": sorted(p)} for g, p in zip(ROWS["gold"], ROWS["pred"], strict=True)]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert close(macrof1.score_file(path, over="rows").averaged_f1, Fraction(5, 12))
    text = tmp_path / "sets.csv"
    text.write_text("gold,pred,w,half\na,a,3,x\na;b,a,1,x\n,c,1,y\n,,1,y\n")
    found = macrof1.score_file(text, over="rows", multilabel=";", sample_weight="w")
    assert close(found.averaged_f1, Fraction(11, 18))
    for wrong in ("x", "-1", "inf"):
        text.with_name("wrong.csv").write_text(f"gold,pred,w\na,a,3\na;b,a,{wrong}\n")
        with pytest.raises(CountError, match=f"column 'w' of .*wrong.csv: the weight is '{wrong}'"):
            macrof1.score_file(text.with_name("wrong.csv"), over="rows", multilabel=";", sample_weight="w")
    groups = macrof1.score_file(text, over="rows", multilabel=";", by="half")
    assert (groups["x"].averaged_f1, groups["y"].averaged_f1) == (pytest.approx(5 / 6), 0)


@pytest.mark.parametrize("made", [pd.Series, pl.Series, pa.array, iter, lambda rows: [np.array(row) for row in rows]])
def test_columns_of_lists_are_rows_of_several_labels(made):
    gold, pred = [["a"], ["a", "b"], ["b"]], [["a"], ["a"], ["c"]]
    found = macrof1.score(made(gold), made(pred), over="rows")
    assert found.averaged_f1 == pytest.approx(5 / 9)
    assert found.signature() == macrof1.score(gold, pred, over="rows").signature()
    assert macrof1.score(made(gold), made(pred), over={"document": [1, 1, 2]}).averaged_f1 == pytest.approx(0.4)
    two = macrof1.compare(made(gold), {"x": made(pred), "y": made(gold)}, over="rows")
    assert [one.averaged_f1 for one in two.systems] == pytest.approx([1, 5 / 9])


def test_indexes_of_units_and_sets_are_compared():
    sets = pd.Series([{"a"}, {"b"}])
    with pytest.raises(InputError, match="gold and over have the same index in a different order"):
        macrof1.score(sets, sets, over=pd.Series([1, 2], index=[1, 0]))


def test_units_may_all_be_empty_but_not_weigh_nothing():
    empty = macrof1.ClassCounts.of([1, 2], tp=[0, 0], predicted=[0, 0], actual=[0, 0], over="query")
    assert [macrof1.score_counts(empty, empty=value).averaged_f1 for value in (None, 0, 1)] == [0, 0, 1]
    (note,) = macrof1.score_counts(empty).notes
    assert "averaged F1 is 0.0000 if they count as 0, 1.0000 as 1; empty= says which" in note
    for options in ({"empty": "drop"}, {"classes": "gold"}):
        found = macrof1.score([[], ["a"]], [[], ["a"]], over="rows", sample_weight=[1, 0], **options)
        with pytest.raises(EmptyError, match="all that is averaged over has weight 0"):
            _ = found.averaged_f1


def test_gold_in_one_file_and_predictions_in_another(tmp_path):
    (tmp_path / "gold.csv").write_text("id,doc,gold\n1,x,a\n2,x,a;b\n3,y,b\n")
    (tmp_path / "pred.csv").write_text("id,pred\n1,a\n2,a\n3,c\n")
    files = tmp_path / "gold.csv", tmp_path / "pred.csv"
    assert macrof1.score_file(*files, over="doc", multilabel=";").averaged_f1 == pytest.approx(0.4)
    assert macrof1.score_file(*files, over="rows", multilabel=";").averaged_f1 == pytest.approx(5 / 9)


def test_entities_of_documents_and_sentences(tmp_path):
    path = tmp_path / "tagged.conll"
    path.write_text(
        "-DOCSTART- O O\n\nJohn B-PER B-PER\nParis B-LOC O\n\nRome B-LOC B-LOC\n\n-DOCSTART- O O\n\nBob B-PER B-LOC\n"
    )
    assert macrof1.score_file(path, spans=True, over="document").averaged_f1 == pytest.approx(0.4)
    rows = macrof1.score_file(path, spans=True, over="rows")
    assert rows.averaged_f1 == pytest.approx(5 / 9)
    assert "sentence 1 is over-precise" in rows.explanation
    tags = [["B-PER", "B-LOC"], ["B-LOC"], ["B-PER"]], [["B-PER", "O"], ["B-LOC"], ["B-LOC"]]
    counts = macrof1.count_spans(*tags, over={"document": [1, 1, 2]}, exclude=["LOC"])
    assert (counts.tp, counts.predicted, counts.actual) == ((1, 0), (1, 0), (1, 1))
    records, names = tmp_path / "tagged.jsonl", ("gold", "pred", "doc", "by", "half")
    facts = zip([*tags[0], ["O"]], [*tags[1], ["O"]], "ddef", "xxyz", "sstt", strict=True)
    records.write_text("\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in facts))
    groups = macrof1.score_file(records, spans=True, by="by")
    assert [(one.key, three(one.result.counts)) for one in groups.groups] == [
        (("x",), (("LOC", "PER"), (1, 1), (1, 1), (2, 1))),
        (("y",), (("LOC", "PER"), (0, 0), (1, 0), (0, 1))),
    ]
    assert any(note.startswith("1 group without entities is left out") for note in groups.total.notes)
    pooled = macrof1.score_file(records, spans=True, over="doc", exclude=["LOC"]).counts
    assert three(pooled) == (("d", "e", "f"), (1, 0, 0), (1, 0, 0), (1, 1, 0))
    halves = macrof1.score_file(records, spans=True, over="rows", by="half")
    assert (halves["s"].counts.tp, halves["t"].counts.actual, halves.total.counts.n_rows) == ((1, 1), (1, 0), 4)


def three(counts):
    return counts.labels, counts.tp, counts.predicted, counts.actual


def by_hand(rows, counting, missing, weighted):
    """Return what is right, predicted and gold in each document, in the order in which documents come."""
    found = {}
    for row in rows:
        if missing == "label" or None not in (row["gold"], row["pred"]):
            counts = [row[side] in counting for side in ("gold", "pred")]
            unit = found.setdefault(row["document"], [0, 0, 0])
            for at, one in enumerate((row["gold"] == row["pred"] and all(counts), counts[1], counts[0])):
                unit[at] += one * (row["weight"] if weighted else 1)
    return found


def by_unit(counts):
    return dict(zip(counts.labels, map(list, zip(*three(counts)[1:], strict=True)), strict=True))


@pytest.mark.parametrize(
    ("missing", "weights"), [("drop", None), ("label", None), ("drop", [0, 1, 3]), ("label", [0, 1, 2.5])]
)
@pytest.mark.parametrize("option", ["positive", "labels", "exclude"])
@pytest.mark.parametrize("route", ["lists", "arrays", "frame", "csv", "jsonl", "parquet"])
def test_the_labels_of_units_are_counted_as_by_hand(route, option, missing, weights, tmp_path):
    weighted = weights is not None
    a, b, c = (1, 2, 3) if route in ("lists", "frame", "parquet") else "abc"
    given, counting = {"positive": (a, [a]), "labels": ([a, c], [a, c]), "exclude": ([b], [a, c, None])}[option]
    options = {option: given, "missing": "".join(missing), **({"sample_weight": "weight"} if weighted else {})}
    rng = random.Random(len(route))  # noqa: S311  # test data
    values = {
        "document": "zxy",
        "half": "ts",
        "gold": [a, b, c, None],
        "pred": [a, b, c, None],
        "weight": weights or [1],
    }
    df = pl.DataFrame([{name: rng.choice(some) for name, some in values.items()} for _ in range(60)], strict=False)
    expected = by_hand(df.to_dicts(), counting, missing, weighted)
    if route in ("lists", "arrays"):
        made = {
            name: df[name].to_list() if route == "lists" else np.array(df[name].to_list(), object) for name in values
        }
        options |= {"over": made["document"], "sample_weight": df["weight"].to_list() if weighted else None}
        found = macrof1.score(made["gold"], made["pred"], **options).counts
        assert found.labels == tuple(expected)
    else:
        source, score = df, macrof1.score_frame
        if route != "frame":
            source, score = tmp_path / f"rows.{route}", macrof1.score_file
            {"csv": df.write_csv, "jsonl": df.write_ndjson, "parquet": df.write_parquet}[route](source)
        options |= {"gold": "gold", "pred": "pred", "over": "document"}
        found = score(source, **options).counts
        assert found.labels == ("x", "y", "z")
        halves = score(source, **options, by="half")
        for name in "st":
            own = by_hand(df.filter(half=name).to_dicts(), counting, missing, weighted)
            assert by_unit(halves[name].counts) == own
    assert by_unit(found) == expected
    n_gone = df.height - df.drop_nulls().height if missing == "drop" else 0
    assert (found.n_rows, found.n_dropped, found.weighted) == (60 - n_gone, n_gone, weighted)
    assert found.real == (weights == [0, 1, 2.5])


@pytest.mark.parametrize("clusters", [[1, 9, 1], ["q", "p", "q"]])
def test_units_keep_their_clusters(clusters):
    rows = macrof1.score(**DOCUMENTS, over=["x", "y", "x"], cluster=clusters).counts.rows
    assert (len(rows.clusters), rows.n_clusters) == (2, 2)
    assert macrof1.score(**DOCUMENTS, over="rows", cluster=clusters).counts.rows.n_clusters == 2


def test_labels_that_differ_in_case_are_one_under_normalize():
    found = macrof1.score([{"A"}, {"b"}], [{"a"}, {"B", "b"}], over="rows", normalize="case")
    assert found.averaged_f1 == 1
    assert "|normalize:case|" in found.signature()


@pytest.mark.parametrize("values", [(0, 1), ("no", "yes"), (False, True)])
@pytest.mark.parametrize("options", [{"positive": 1}, {"labels": [0, 1]}])
def test_very_many_rows_are_added_up_by_the_engine_alike(values, options, tmp_path, monkeypatch):
    from macrof1.counting import unit_tables

    rng = np.random.default_rng(1)
    sides = {name: [values[place] for place in rng.integers(0, 2, 500)] for name in ("gold", "pred")}
    df = pl.DataFrame({"query": [f"q{place}" for place in rng.integers(0, 40, 500)], **sides})
    chosen = {
        name: values[given] if isinstance(given, int) else [values[place] for place in given]
        for name, given in options.items()
    }
    path = tmp_path / "pairs.parquet"
    df.write_parquet(path)
    plain = macrof1.count_file(path, over="query", **chosen)
    monkeypatch.setattr(unit_tables, "MOST_ROWS", 100)
    monkeypatch.setattr(unit_tables, "read_cells", None)
    assert macrof1.count_file(path, over="query", **chosen) == plain
    monkeypatch.undo()
    monkeypatch.setattr(unit_tables, "MOST_ROWS", 100)
    df.with_columns(gold=pl.when(pl.col("query") != "q1").then("gold")).write_parquet(path)
    with pytest.raises(macrof1.InputError, match="lack"):
        macrof1.count_file(path, over="query", **chosen)
    other = {"positive": "maybe"} if "positive" in chosen else {"labels": ["maybe"]}
    with pytest.raises(LabelError):
        macrof1.count_file(path, over="query", missing="drop", **other)


@pytest.mark.parametrize("options", [{"exclude": ["b"]}, {"missing": "drop"}, {"normalize": "case"}, {"count": "n"}])
def test_very_many_rows_are_not_added_up_by_the_engine_if_a_rule_needs_their_labels(options, tmp_path, monkeypatch):
    from macrof1.counting import unit_tables

    rows = {"q": [1, 1, 2, 2], "gold": [*"abAb"], "pred": [*"aabb"], "n": [1, 2, 3, 4]}
    pl.DataFrame(rows).write_parquet(tmp_path / "p.parquet")
    chosen = {"over": "q", "gold": "gold", "pred": "pred", "labels": ["a", "b"], **options}
    plain = macrof1.count_file(tmp_path / "p.parquet", **chosen)
    monkeypatch.setattr(unit_tables, "MOST_ROWS", 0)
    assert macrof1.count_file(tmp_path / "p.parquet", **chosen) == plain
