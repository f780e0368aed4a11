"""Tables of counts read as rows: 60 as programs print them are noticed, 60 files of predictions are left alone."""

from __future__ import annotations

import random

import pandas as pd
import polars as pl
import pytest

import macrof1
from macrof1.cli import main
from macrof1.counting.tables import count_file

CELLS = {("a", "a"): 90, ("a", "b"): 10, ("b", "a"): 4, ("b", "b"): 96}
THREE = {(g, p): 3 + 7 * i + 40 * (g == p) for i, (g, p) in enumerate((g, p) for g in "xyz" for p in "xyz")}
ROWS = [pair for pair, n in CELLS.items() for _ in range(n)]

# What programs call the column: SQL engines, pandas, Polars, R, dplyr, Spark, and people.
NAMES = [
    "count", "Count", "COUNT", "counts", "n", "N", "cnt", "ct", "count_star()", "count(*)", "COUNT(*)", "count(1)",
    "num_rows", "n_rows", "rows", "nrows", "row_count", "total", "Total", "support", "value", "values", "freq", "Freq",
    "frequency", "size", "len", "0", "f0_", "_c2", "_col2", "EXPR$2", "?column?", "num", "number", "tally", "times",
    "occurrences", "samples", "n_samples", "obs", "nn",
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
    yield "one row", [("gold", "pred", "size"), ("a", "a", 3)]
    yield "ones", [("gold", "pred", "x"), *((g, p, 1) for g, p in THREE)]
    yield "every pair once, with ids", [("id", "gold", "pred"), *((i, g, p) for i, (g, p) in enumerate(THREE))]


PREDICTIONS = list(prediction_tables())


def written(folder, rows, mark=","):
    path = folder / "p.csv"
    path.write_text("\n".join(mark.join(map(str, row)) for row in rows) + "\n")
    return str(path)


def test_there_are_as_many_as_there_should_be():
    assert len(COUNTS) >= 60
    assert len(PREDICTIONS) >= 60 - 3


@pytest.mark.parametrize(("rows", "column"), [case[1:] for case in COUNTS], ids=[case[0] for case in COUNTS])
def test_tables_of_counts_are_noticed(tmp_path, rows, column):
    found = count_file(written(tmp_path, rows))
    (note,) = (note for note in found.notes if note.code == "unused_counts")
    assert f"count='{column}'" in note or f'count="{column}"' in note
    frame = pd.DataFrame(rows[1:], columns=[name or "index" for name in rows[0]])
    gold, pred = (name for name in rows[0] if name in {name for pair in LABELS for name in pair})
    for df in (frame, pl.from_pandas(frame).lazy()):
        assert "unused_counts" in macrof1.score_frame(df, gold=gold, pred=pred).note_codes


@pytest.mark.parametrize("rows", [case[1] for case in PREDICTIONS], ids=[case[0] for case in PREDICTIONS])
def test_rows_of_predictions_are_left_alone(tmp_path, rows):
    found = count_file(written(tmp_path, rows))
    assert "unused_counts" not in [note.code for note in found.notes]
    frame = pd.DataFrame(rows[1:], columns=rows[0])
    assert "unused_counts" not in macrof1.score_frame(frame, gold="gold", pred="pred").note_codes


def test_the_remedy_gives_the_score_of_the_rows(tmp_path, capsys):
    path = written(tmp_path, [("label", "prediction", "n"), *((g, p, n) for (g, p), n in CELLS.items())])
    assert main(["score", path, "--strict", "-q"]) == 1
    assert "strict: " in capsys.readouterr().err
    counted = count_file(path, count="n")
    assert counted == macrof1.counting.arrays.confusion(*zip(*ROWS, strict=True))
    assert not counted.notes
