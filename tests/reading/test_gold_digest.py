"""The digest of gold labels: the same for every format and reader, and with ids for every order of rows."""

import random

import numpy as np
import pandas as pd
import polars as pl
import pytest

import macrof1
from macrof1.reading.gold_digest import GoldDigest

WRITERS = {
    "csv": pl.DataFrame.write_csv,
    "jsonl": pl.DataFrame.write_ndjson,
    "parquet": pl.DataFrame.write_parquet,
    "arrow": pl.DataFrame.write_ipc,
}


def digest(result):
    """Return the digest in a signature."""
    return macrof1.Signature.parse(result.signature()).gold


def table(n=60, labels="abc", seed=0):
    """Return a frame with ids, gold and predictions."""
    rng = random.Random(seed)  # noqa: S311  # test data
    gold = [rng.choice(labels) for _ in range(n)]
    return pl.DataFrame({"id": range(7, n + 7), "gold": gold, "pred": [rng.choice(labels) for _ in gold]})


@pytest.mark.parametrize("labels", ["abc", ["1", "2"], ["ä, b", "x y"], [1, 2]])
@pytest.mark.parametrize("ids", [False, True])
def test_one_digest_for_every_format(tmp_path, labels, ids):
    frame = table(labels=labels) if ids else table(labels=labels).drop("id")
    found = set()
    for ending, write in WRITERS.items():
        write(frame, tmp_path / f"p.{ending}")
        found.add(digest(macrof1.score_file(tmp_path / f"p.{ending}")))
    columns = frame["gold"].to_list(), frame["pred"].to_list()
    if not ids:
        found |= {digest(macrof1.score(*columns)), digest(macrof1.score(*map(np.array, columns)))}
        found |= {digest(macrof1.compare(columns[0], {"x": columns[1], "y": columns[0]}))}
    found |= {digest(macrof1.score_frame(each, gold="gold", pred="pred")) for each in (frame, frame.to_pandas())}
    assert len(found) == 1
    assert len(found.pop()) == 8


@pytest.mark.parametrize("names", [str, "item {}".format, int, lambda n: n + 0.5, "{:03}".format])
def test_with_ids_the_order_of_rows_does_not_matter(tmp_path, names):
    frame = table().with_columns(id=pl.Series([names(each) for each in range(60)]))
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)
    found = set()
    for ending, write in WRITERS.items():
        write(shuffled.with_columns(pl.col("id").cast(pl.String)), tmp_path / f"p.{ending}")
        write(frame.select("id", "gold"), tmp_path / f"gold.{ending}")
        write(shuffled.select("id", "pred"), tmp_path / f"pred.{ending}")
        found.add(digest(macrof1.score_file(tmp_path / f"p.{ending}")))
        found.add(digest(macrof1.score_file(tmp_path / f"gold.{ending}", tmp_path / f"pred.{ending}")))
    files = [tmp_path / name for name in ("gold.csv", "pred.csv", "p.parquet")]
    found.add(digest(macrof1.compare_file(files, pred="pred")))
    assert len(found) == 1
    plain = frame.drop("id")
    plain.write_csv(tmp_path / "plain.csv")
    assert digest(macrof1.score_file(tmp_path / "plain.csv")) not in found


def test_both_readers_and_many_blocks_have_one_digest(tmp_path, monkeypatch):
    frame = table(n=3000)
    frame.write_csv(tmp_path / "p.csv")
    frame.drop("id").write_csv(tmp_path / "q.csv")
    expected = [digest(macrof1.score_file(tmp_path / name)) for name in ("p.csv", "q.csv")]
    monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    monkeypatch.setattr("macrof1.reading.scans._BYTES_PER_THREAD", 1 << 10)
    assert [digest(macrof1.score_file(tmp_path / name)) for name in ("p.csv", "q.csv")] == expected
    for place, part in enumerate(frame.iter_slices(1000)):
        part.drop("id").write_csv(tmp_path / f"part-{place}.csv")
    assert digest(macrof1.score_file(tmp_path / "part-*.csv")) == expected[1]


def test_another_label_another_order_another_digest():
    gold = list("abcabc" * 5)
    base = digest(macrof1.score(gold, gold))
    other, swapped = ["b", *gold[1:]], [gold[1], gold[0], *gold[2:]]
    found = {base, digest(macrof1.score(other, gold)), digest(macrof1.score(swapped, gold))}
    assert len(found) == 3
    assert digest(macrof1.score(gold, ["a"] * 30)) == base


def test_sets_have_a_digest(tmp_path):
    (tmp_path / "p.csv").write_text("gold,pred\nb;a,a\na,a\n,b\n")
    found = digest(macrof1.score_file(tmp_path / "p.csv", multilabel=";"))
    assert found == digest(macrof1.score([{"a", "b"}, {"a"}, set()], [{"a"}, {"a"}, {"b"}]))


def test_what_has_no_rows_has_no_digest():
    counts = macrof1.count(["a", "b"], ["a", "b"])
    assert "|rows:2|gold:-|" in macrof1.score_counts(counts + counts).signature().replace("rows:4", "rows:2")
    assert "|rows:10|gold:-|" in macrof1.score_matrix([[1, 2], [3, 4]], rows="gold").signature()
    lazy = pl.LazyFrame({"gold": ["a", "b"], "pred": ["a", "b"]})
    assert digest(macrof1.score_frame(lazy, gold="gold", pred="pred")) == "-"


def test_labels_that_have_changed_have_no_digest():
    gold = ["a", "b", "b"]
    result = macrof1.score(gold, ["a", "b", "a"])
    gold[0] = "b"
    assert digest(result) == "-"


def test_many_ids_of_text_have_no_digest(monkeypatch):
    monkeypatch.setattr("macrof1.reading.gold_digest.MOST_TEXT_IDS", 2)
    found = []
    for ids in (["x", "y"], ["x", "y", "z"], [1, 2, 3], [2**70, "-5", "+4", None]):
        each = GoldDigest("gold", "id")
        each.add(["a"] * len(ids), ids)
        found.append(each.text())
    assert found[1] == "-"
    assert "-" not in (found[0], found[2], found[3])


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_many_ids_of_text_have_no_digest_in_large_files_either(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("macrof1.reading.gold_digest.MOST_TEXT_IDS", 8)
    monkeypatch.setattr("macrof1.reading.scans.MOST_TEXT_IDS", 8)
    monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    monkeypatch.setattr("macrof1.reading.scans._MOST_BYTES", 30)
    found = []
    for n in (8, 9):
        frame = table(n=10).with_columns(id=pl.Series([*(f"x{each}" for each in range(n)), *map(str, range(10 - n))]))
        WRITERS[kind](frame, tmp_path / f"{n}.{kind}")
        found.append(digest(macrof1.score_file(tmp_path / f"{n}.{kind}")))
    monkeypatch.undo()
    assert found == [digest(macrof1.score_file(tmp_path / f"8.{kind}")), "-"]


def test_pandas_and_groups(tmp_path):
    frame = pd.DataFrame({"gold": list("aabb"), "pred": list("abbb"), "fold": [1, 2, 1, 2]})
    frame.to_csv(tmp_path / "p.csv", index=False)
    result = macrof1.score_file(tmp_path / "p.csv", by="fold")
    assert digest(result.total) == digest(macrof1.score_groups(frame, gold="gold", pred="pred", by="fold").total)
    assert digest(result["1"]) == "-"
