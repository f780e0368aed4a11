"""Tables of counts: a line stands for several rows, or holds tp, fp and fn; where nobody says so, it is noticed."""

import csv
import random
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import macrof1
from macrof1.cli import main
from macrof1.comparing.inputs import compare_inputs
from macrof1.counting.arrays import confusion
from macrof1.counting.engines import count_frame_groups
from macrof1.errors import CountError, EmptyError
from macrof1.request import Request
from tests.oracles import count_file, count_frame, without_digests

from .engines import written as as_file

CELLS = {("a", "a"): 90, ("a", "b"): 10, ("b", "a"): 4, ("b", "b"): 96}
THREE = {(g, p): 3 + 7 * i + 40 * (g == p) for i, (g, p) in enumerate((g, p) for g in "xyz" for p in "xyz")}
ROWS = [pair for pair, n in CELLS.items() for _ in range(n)]

# What programs call the column: SQL engines, pandas, Polars, R, dplyr, Spark, and people.
NAMES = [
    "count", "Count", "COUNT", "counts", "n", "N", "cnt", "ct", "count_star()", "count(*)", "COUNT(*)", "count(1)",
    "num_rows", "n_rows", "rows", "nrows", "row_count", "total", "Total", "support", "value", "values", "freq", "Freq",
    "frequency", "size", "len", "0", "f0_", "_c2", "_col2", "EXPR$2", "?column?", "num", "number", "tally", "times",
    "occurrences", "samples", "n_samples", "obs", "nn", "Anzahl", "#",
]  # fmt: skip
LABELS = [("gold", "pred"), ("label", "prediction"), ("y_true", "y_pred"), ("Actual", "Predicted")]


def counts_tables():
    """Write tables of counts: by name of the column, by shape, with groups, in other orders and formats."""
    for place, name in enumerate(NAMES):
        gold, pred = LABELS[place % 4]
        cells = THREE if place % 3 else CELLS
        yield f"named {name}", [(gold, pred, name), *((g, p, n) for (g, p), n in cells.items())], name
    for name in ("num_preds", "q", "how_many", "anzahl", "effectif", "Var1", "total_rows", "hits"):
        yield f"by shape {name}", [("gold", "pred", name), *((g, p, n) for (g, p), n in THREE.items())], name
    for name in ("n", "count", "cnt", "Freq"):
        rows = [(m, g, p, n + at) for at, m in enumerate(("bert", "gpt")) for (g, p), n in CELLS.items()]
        yield f"of models, {name}", [("model", "gold", "pred", name), *rows], name
    pairs = [(model, label, label) for model in ("bert", "gpt") for label in "ab"]
    yield "running", [("model", "gold", "pred", "count"), *((*pair, 5 + n) for n, pair in enumerate(pairs))], "count"
    by_fold = [(fold, g, p, n) for fold in (1, 2) for (g, p), n in CELLS.items()]
    yield "of numbered folds", [("fold", "gold", "pred", "n"), *by_fold], "n"
    for what, kind in {"text": str, "Decimal": Decimal, "int64": np.int64, "1.090": "1.{:03}".format}.items():
        yield f"as {what}", [("gold", "pred", "n"), *((g, p, kind(n)) for (g, p), n in CELLS.items())], "n"
    for what, kind in {"90,0": "{},0", "1 090": "1 {:03}", "1'090": "1'{:03}"}.items():
        yield f"as {what}", [("gold", "pred", "n"), *((g, p, kind.format(n)) for (g, p), n in THREE.items())], "n"
    tens = [(g, p, 10 * n) for n, (g, p) in enumerate(THREE, start=1)]
    yield "even steps", [("gold", "pred", "total"), *tens], "total"
    yield "first", [("n", "gold", "pred"), *((n, g, p) for (g, p), n in CELLS.items())], "n"
    yield "pandas with reals", [("gold", "pred", "size"), *((g, p, float(n)) for (g, p), n in THREE.items())], "size"
    yield (
        "with an index",
        [("", "gold", "pred", "n"), *((i, g, p, n) for i, ((g, p), n) in enumerate(CELLS.items()))],
        "n",
    )
    yield (
        "R",
        [("", "gold", "pred", "Freq"), *((i + 1, g, p, n) for i, ((g, p), n) in enumerate(THREE.items()))],
        "Freq",
    )
    yield "zeros", [("gold", "pred", "n"), ("a", "a", 0), ("a", "b", 3), ("b", "a", 0), ("b", "b", 9)], "n"
    yield "two lines", [("gold", "pred", "count"), ("a", "a", 5), ("b", "b", 7)], "count"


COUNTS = list(counts_tables())


SHARES = {
    "of all rows": [f"{n / 200:.3f}" for n in CELLS.values()],
    "percent": ["45.0%", "5.0%", "2.0%", "48.0%"],
    "rounded": ["45.04", "4.96", "2.00", "48.02"],
    "decimal commas": ["0,45", "0,05", "0,02", "0,48"],
    "of gold rows": ["0.9", "0.1", "0.04", "0.96"],
    "of predicted rows": ["95.7", "9.4", "4.3", "90.6"],
}


@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
def test_tables_of_shares_are_noticed(tmp_path, shares):
    rows = [("gold", "pred", "proportion"), *((g, p, share) for (g, p), share in zip(CELLS, shares, strict=True))]
    path = written(tmp_path, rows, ";")
    for found in (
        count_file(path),
        macrof1.score_frame(pd.DataFrame(rows[1:], columns=rows[0]), gold="gold", pred="pred"),
    ):
        (note,) = (note for note in found.notes if getattr(note, "code", "") == "unused_counts")
        assert "'proportion' add up to" in note
    if shares[0] == "0.450":
        weighed = macrof1.score_file(path, sample_weight="proportion")
        assert weighed.averaged_f1 == pytest.approx(macrof1.score(*zip(*ROWS, strict=True)).averaged_f1)
        assert "unused_counts" not in weighed.note_codes


def test_shares_of_each_system_are_noticed(tmp_path):
    rows = [(model, *pair, n / 200) for model in ("bert", "gpt") for pair, n in CELLS.items()]
    found = macrof1.score_file(written(tmp_path, [("model", "gold", "pred", "share"), *rows]), by="model")
    assert "unused_counts" in found.total.note_codes


def test_what_pandas_counted_without_a_name_is_noticed():
    frame = pd.DataFrame(ROWS, columns=["gold", "pred"]).groupby(["gold", "pred"]).size().reset_index()
    assert "unused_counts" in macrof1.score_frame(frame, gold="gold", pred="pred").note_codes
    found = macrof1.score_frame(frame, gold="gold", pred="pred", count="0")
    assert found.counts == macrof1.count(*zip(*ROWS, strict=True))


def prediction_tables():
    """Write rows of predictions beside ids, confidences and numbers of all kinds, many rows and few."""
    draw = random.Random(0)  # noqa: S311  # the same files every time
    beside = {
        "id": lambda i: i, "ID": lambda i: 100 + i, "row_id": lambda i: i + 1, "tweet": lambda i: 10**12 + 7 * i * i,
        "confidence": lambda _: round(draw.random(), 2), "length": lambda _: draw.randint(3, 90),
        "year": lambda _: draw.randint(1990, 2024), "text": lambda i: f"text {i}", "fold": lambda i: i % 5,
        "seed": lambda i: i % 2, "age": lambda _: draw.randint(18, 80), "number": lambda i: i,
        "n_tokens": lambda _: draw.randint(3, 40), "n": lambda _: draw.randint(3, 9), "user": lambda i: i % 7,
    }  # fmt: skip
    for name, value in beside.items():
        for n_rows, labels in ((200, "abc"), (12, "ab"), (3, "abc"), (20, [f"c{i}" for i in range(60)])):
            if name == "n" and n_rows < 100:
                continue  # such a table could as well be one of counts
            gold = [draw.choice(labels) for _ in range(n_rows)]
            pred = [g if draw.random() < 0.8 else draw.choice(labels) for g in gold]
            rows = [(value(i), g, p) for i, (g, p) in enumerate(zip(gold, pred, strict=True))]
            yield f"{name}, {n_rows} rows, {len(labels)} labels", [(name, "gold", "pred"), *rows]
    for measures in (("retweets", "confidence"), ("views", "likes"), ("text", "stars")):
        made = {"text": "t{}", "confidence": "0.8{}"}
        values = [[made[name].format(i) if name in made else 5 + i * i for i in range(6)] for name in measures]
        yield f"few rows, {measures}", [("gold", "pred", *measures), *(zip("xxyyzz", "xyyzzx", *values, strict=True))]
    yield "probabilities", [("gold", "pred", "prob"), *((g, p, f"0.{9 - i}{i}") for i, (g, p) in enumerate(CELLS))]
    yield "one row", [("gold", "pred", "size"), ("a", "a", 3)]
    texts = [(f"d{i}", *draw.choices("ab", k=2), draw.randint(3, 40)) for i in range(60)]
    yield "sizes of documents", [("document", "gold", "pred", "n"), *texts]
    yield "ones", [("gold", "pred", "x"), *((g, p, 1) for g, p in THREE)]
    yield "every pair once, with ids", [("id", "gold", "pred"), *((i, g, p) for i, (g, p) in enumerate(THREE))]


PREDICTIONS = list(prediction_tables())


def written(folder, rows, mark=","):
    path = folder / "p.csv"
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=mark).writerows(rows)
    return str(path)


@pytest.mark.parametrize(("rows", "column"), [case[1:] for case in COUNTS], ids=[case[0] for case in COUNTS])
def test_tables_of_counts_are_noticed(tmp_path, rows, column):
    found = count_file(written(tmp_path, rows))
    (note,) = (note for note in found.notes if note.code == "unused_counts")
    assert f"count='{column}'" in note or f'count="{column}"' in note
    frame = pd.DataFrame(rows[1:], columns=[name or "index" for name in rows[0]])
    gold, pred = (name for name in rows[0] if name in {name for pair in LABELS for name in pair})
    for df in (frame, frame.convert_dtypes(), pl.from_pandas(frame).lazy()):
        assert "unused_counts" in macrof1.score_frame(df, gold=gold, pred=pred).note_codes


@pytest.mark.parametrize("rows", [case[1] for case in PREDICTIONS], ids=[case[0] for case in PREDICTIONS])
def test_rows_of_predictions_are_left_alone(tmp_path, rows):
    found = count_file(written(tmp_path, rows))
    assert "unused_counts" not in [note.code for note in found.notes]
    frame = pd.DataFrame(rows[1:], columns=rows[0])
    assert "unused_counts" not in macrof1.score_frame(frame, gold="gold", pred="pred").note_codes


@pytest.mark.parametrize(
    ("name", "pred"),
    [
        ("eleven_ways/predictions.csv", "pred"), ("gallery/smile-874.csv", "pred"), ("tutorials/reviews.csv", "large"),
        ("gallery/scikit-learn-8747.csv", "pred"), ("tutorials/seeds.csv", "pred"), ("tutorials/reviews.csv", "small"),
        ("gallery/semeval-2018-7.csv", "pred"), ("tutorials/answers.jsonl", "output"),
        ("germeval2018/fosil_coarse_1.csv", "pred"),
    ],
)  # fmt: skip
def test_examples_are_left_alone(root, name, pred):
    codes = macrof1.score_file(root / "examples" / name, pred=pred).note_codes
    assert not {"unused_counts", "repeated_ids", "repeated_rows"} & set(codes)


def test_every_command_notices(tmp_path, capsys):
    rows = [("gold", "a", "b", "n"), *((g, p, g, f"1,{n:03}") for (g, p), n in CELLS.items())]
    path = written(tmp_path, rows, ";")
    both = ["--gold", "gold", "--systems", "a,b"]
    (sizes := tmp_path / "sizes.csv").write_text("label,n\na,50\nb,3\n")
    assert main(["compare", path, *both, "--strict"]) == 1
    for command in (
        ["plan", path, *both, "--difference", "0.1"], ["count", path, "--pred", "a"],
        ["identify", path, "0.5", "--pred", "a"], ["conventions", path, "--pred", "a"], ["bounds", str(sizes)],
    ):  # fmt: skip
        capsys.readouterr()
        assert main(command) == 0
        said = capsys.readouterr()
        assert "--count n counts it" in " ".join((said.out + said.err).split()), command
    # The rows of several systems differ in most small files: a number of no particular name says nothing.
    for name, doubted in (("n", True), ("q", False)):
        frame = pd.DataFrame(
            [(*row[:3], n) for row, n in zip(rows[1:], (3, 9, 4, 8), strict=True)], columns=[*"gab", name]
        )
        notes = macrof1.compare_frame(frame, gold="g", systems=["a", "b"]).notes
        assert ("unused_counts" in [note.code for note in notes]) is doubted


@pytest.mark.parametrize("more", [["--by", "d"], ["--cluster", "d"], ["--prevalence", "a=0.3,b=0.7"], ["part.csv"]])
def test_notes_about_what_was_read_stay_whatever_becomes_of_the_rows(tmp_path, more, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part.csv").write_text("gold,pred,n,d\na,a,3,z\nb,b,5,z\n")
    rows = [("gold", "pred", "n", "d"), *((g, p, n, d) for d in "xy" for (g, p), n in CELLS.items())]
    assert main(["score", written(tmp_path, rows), *more, "--strict", "-q"]) == 1


def test_the_remedy_gives_the_score_of_the_rows(tmp_path, capsys):
    path = written(tmp_path, [("label", "prediction", "n"), *((g, p, n) for (g, p), n in CELLS.items())])
    assert main(["score", path, "--strict", "-q"]) == 1
    assert "strict: " in capsys.readouterr().err
    counted = count_file(path, count="n")
    assert counted == confusion(*zip(*ROWS, strict=True))
    assert not counted.notes


TABLE = pl.DataFrame(
    {
        "gold": ["x", "x", "y", "y", "z"], "pred": ["x", "y", "y", "x", "z"], "n": [4, 1, 3, 2, 0],
        "w": [1, 3, 2, 1, 5], "part": ["p", "p", "q", "q", "q"],
    }
)  # fmt: skip
LONG = TABLE.select(pl.all().repeat_by("n").explode()).filter(pl.col("gold").is_not_null()).drop("n")


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_file_of_counts_is_the_file_of_its_rows(tmp_path, ending):
    found = count_file(as_file(TABLE, tmp_path / f"p.{ending}"), count="n")
    assert found == count_file(as_file(LONG, tmp_path / f"p.{ending}"))
    assert (found.n_rows, "z" in found.labels) == (10, False)
    grouped = count_file(as_file(TABLE, tmp_path / f"p.{ending}"), by="part", count="n")
    assert grouped.groups == count_file(as_file(LONG, tmp_path / f"p.{ending}"), by="part").groups


@pytest.mark.parametrize("make", [lambda df: df, pl.DataFrame.lazy, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
@pytest.mark.parametrize("weight", [None, "w"])
def test_a_frame_of_counts_is_the_frame_of_its_rows(make, weight):
    columns = {"gold": "gold", "pred": "pred", "weight": weight}
    found = count_frame(make(TABLE), **columns, count="n")
    assert found == count_frame(make(LONG), **columns)
    grouped = count_frame_groups(make(TABLE), by="part", **columns, count="n")
    assert grouped.groups == count_frame_groups(make(LONG), by="part", **columns).groups


def test_rows_with_several_labels_may_have_counts():
    frame = pl.DataFrame({"gold": [["a"], ["b"]], "pred": [["a"], ["a", "b"]], "n": [3, 2]})
    found = count_frame(frame, gold="gold", pred="pred", count="n")
    assert (found.n_rows, list(found.tp), list(found.predicted)) == (5, [3, 2], [5, 2])


SYSTEMS = pl.DataFrame(
    {"id": range(6), "gold": list("xxyyzz"), "a": list("xxyyzx"), "b": list("xyyyxz"), "n": [2, 3, 1, 4, 2, 0]}
)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("split", [False, True])
def test_a_comparison_takes_counts_too(tmp_path, ending, split):
    rows = SYSTEMS.select(pl.all().repeat_by("n").explode()).drop_nulls()
    expected = macrof1.compare(rows["gold"].to_list(), {name: rows[name].to_list() for name in "ab"}, n_resamples=100)
    files = [str(as_file(SYSTEMS.drop("a", "b") if split else SYSTEMS, tmp_path / f"p.{ending}"))]
    if split:
        files += [str(as_file(SYSTEMS.select("id", pred=name), tmp_path / f"{name}.{ending}")) for name in "ab"]
    options = {"id": "id"} if split else {"systems": ["a", "b"]}
    found = compare_inputs(Request(files=files, gold="gold", count="n", **options), n_resamples=100)
    frame = macrof1.compare_frame(SYSTEMS, gold="gold", systems=["a", "b"], count="n", n_resamples=100)
    for one in (found, frame):
        assert one.n_rows == 12
        assert without_digests(one.to_dict()["systems"]) == without_digests(expected.to_dict()["systems"])


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("count", ["-1", "1.5", "x", ""])
def test_a_count_that_is_none_is_named_with_its_line(tmp_path, count):
    path = tmp_path / "p.csv"
    path.write_text(f"gold,pred,n\na,a,1\nb,b,{count}\n")
    with pytest.raises(CountError, match=f"line 3: the count is '{count}': expected a whole number, 0 or larger"):
        count_file(path, count="n")
    path.write_text(f"gold,a,b,n\nx,x,y,1\nx,y,x,{count}\n")
    with pytest.raises(CountError, match="line 3: the count is"):
        compare_inputs(Request(files=[str(path)], gold="gold", systems=["a", "b"], count="n"))


def test_counts_of_frames_are_checked():
    for bad in ([1, -1], [1, None], [1, 1.5]):
        frame = pd.DataFrame({"gold": ["a", "b"], "pred": ["a", "b"], "other": ["a", "a"], "n": bad})
        with pytest.raises(CountError, match="column 'n' of the pandas frame: the count is"):
            count_frame(frame, gold="gold", pred="pred", count="n")
        with pytest.raises(CountError, match="column 'n' of the pandas frame: the count is"):
            macrof1.compare_frame(frame, gold="gold", systems=["pred", "other"], count="n")


@pytest.mark.usefixtures("reader")
def test_lines_that_stand_for_no_row_are_no_rows(tmp_path):
    (tmp_path / "p.csv").write_text("gold,pred,n\na,a,0\n")
    with pytest.raises(EmptyError):
        count_file(tmp_path / "p.csv", count="n")


@pytest.mark.usefixtures("reader")
def test_the_first_group_without_labels_is_named(tmp_path):
    rows = [("k", "gold", "pred"), ("z", "", "a"), ("c", "a", "a"), *((k, "a", "") for k in "ymbx")]
    with pytest.raises(EmptyError, match="all rows of group k=b lack a label"):
        count_file(written(tmp_path, rows), by="k", missing="drop")


def written_text(tmp_path, text, name="counts.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_of_errors_is_scored(tmp_path):
    path = written_text(tmp_path, "label,tp,fp,fn,tn\ncat,8,2,4,16\ndog,8,5,2,15\neel,5,2,3,20\ntotal,21,9,9,51\n")
    expected = macrof1.ClassCounts.from_errors({"cat": (8, 2, 4), "dog": (8, 5, 2), "eel": (5, 2, 3)})
    result = macrof1.score_file(path)
    assert result.counts == expected
    assert result.averaged_f1 == macrof1.score_counts(expected).averaged_f1
    assert macrof1.audit_text(path.read_text()).reports[0].result.averaged_f1[0] == pytest.approx(result.averaged_f1)


def test_several_labels_per_row_show_in_the_sums_and_tables_add_up(tmp_path):
    path = written_text(tmp_path, "Class;True positives;False positives;False negatives\na;8;2;4\nb;8;6;2\n")
    counts = macrof1.score_file(path).counts
    assert (counts.task, counts.tp) == ("multilabel", (8, 8))
    paths = [written_text(tmp_path, "label,tp,fp,fn\na,8,2,4\nb,3,4,2\n", name) for name in ("one.csv", "two.csv")]
    assert macrof1.score_file(paths).counts.tp == (16, 6)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("label,tp,fp,fn\na,8,2,4\na,3,4,2\n", "row 2: class 'a' again"),
        ("label,tp,fp,fn\na,8,2,4\nb,3,,2\n", "row 2: tp, fp and fn of b are 3, , 2"),
        ("label,tp,fp,fn\na,8,2,-4\nb,3,1,2\n", "expected three whole numbers"),
    ],
)
def test_broken_tables_are_refused(tmp_path, text, match):
    with pytest.raises(macrof1.InputError, match=match):
        macrof1.score_file(written_text(tmp_path, text))


def test_labels_beside_counts_are_read_as_predictions(tmp_path):
    path = written_text(tmp_path, "gold,pred,tp,fp,fn\na,a,1,0,0\nb,a,0,1,1\n")
    assert macrof1.score_file(path, gold="gold", pred="pred").n_rows == 2


def test_columns_of_errors_are_set_aside_where_the_labels_are_named(tmp_path):
    path = tmp_path / "both.csv"
    path.write_text("label,tp,fp,fn,gold,pred\na,1,2,3,x,x\nb,4,3,2,y,x\n")
    assert macrof1.score_file(path).per_class[0].tp == 1
    assert macrof1.score_file(path, gold="gold", pred="pred").counts.labels == ("x", "y")
