"""Several files, patterns, Parquet folders, and groups."""

import polars as pl
import pytest

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.errors import ColumnError, EmptyError, FileError, LabelError
from tests.oracles import count_file

from .engines import written

GOLD = ["a", "b", "a", "c", "b", "a"]
PRED = ["a", "a", "a", "c", "b", "c"]
FOLD = [1, 1, 2, 2, 3, 3]
WEIGHT = [1, 2, 3, 4, 5, 6]
WHOLE = confusion(GOLD, PRED)


def frame():
    return pl.DataFrame({"gold": GOLD, "pred": PRED, "fold": FOLD, "w": WEIGHT})


def write_parts(folder, ending):
    return [written(frame()[start : start + 2], folder / f"part-{start}.{ending}") for start in range(0, 6, 2)]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "parquet", "arrow"])
def test_several_files_and_patterns_are_one_table(tmp_path, ending):
    paths = write_parts(tmp_path, ending)
    seen = []
    found = count_file(paths, progress=seen.append)
    assert found == WHOLE
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert count_file(str(tmp_path / f"part-*.{ending}")) == WHOLE
    weighted = macrof1.score_file(paths[::-1], sample_weight="w").cells
    assert weighted == confusion(GOLD, PRED, sample_weight=WEIGHT)
    grouped = count_file(paths, by="fold")
    assert grouped.total == WHOLE
    assert [counts.n_rows for _, counts in grouped.groups] == [2, 2, 2]
    kinds = {type(key[0]) for key, _ in grouped.groups}
    assert kinds == ({str} if "csv" in ending else {int})


@pytest.mark.parametrize("options", [{}, {"over": "fold", "positive": "a"}])
def test_weights_in_text_and_weights_as_numbers_are_one_column(tmp_path, options):
    options |= {"sample_weight": "w"}
    halves = frame().with_columns(pl.col("w") / 2, pl.col("fold").cast(pl.String))
    whole = macrof1.score_file(written(halves, tmp_path / "whole.csv"), **options)
    parts = [written(halves[at : at + 3], tmp_path / name) for at, name in ((0, "first.csv"), (3, "last.jsonl"))]
    for files in (parts, parts[::-1]):
        assert macrof1.score_file(files, **options).averaged_f1 == whole.averaged_f1


@pytest.mark.parametrize("options", [{"missing": "drop"}, {"multilabel": ";"}])
def test_fields_that_are_empty_and_nulls_are_the_same_in_any_order_of_files(tmp_path, options):
    rows = pl.DataFrame({"id": [*"123456"], "gold": ["a", None, "b"] * 2, "pred": [*"abbbbb"]})
    whole = macrof1.score_file(written(rows, tmp_path / "whole.csv"), **options)
    parts = [written(rows[:3], tmp_path / "first.csv"), written(rows[3:], tmp_path / "last.parquet")]
    for files in (parts, parts[::-1]):
        assert macrof1.score_file(files, **options).signature() == whole.signature()


@pytest.mark.parametrize(
    ("ending", "where"), [("jsonl", "line 1: 'gold'"), ("parquet", "column 'gold' of .*p.parquet")]
)
def test_a_label_that_is_none_is_said_with_its_column_and_the_line_if_there_are_lines(tmp_path, ending, where):
    with pytest.raises(LabelError, match=rf"{where}: 1\.5 is not"):
        macrof1.score_file(written(pl.DataFrame({"gold": [1.5, 2.0], "pred": [1.0, 2.0]}), tmp_path / f"p.{ending}"))


def test_groups_of_a_file_equal_files_of_a_group(tmp_path):
    path = tmp_path / "p.csv"
    frame().with_columns(domain=pl.Series(["x", None, "y", "x", "y", "y"])).write_csv(path)
    grouped = count_file(path, by=["domain", "fold"])
    assert [key for key, _ in grouped.groups] == [("x", "1"), ("x", "2"), ("y", "2"), ("y", "3"), (None, "1")]
    assert dict(grouped.groups)["y", "3"] == confusion(["b", "a"], ["b", "c"])
    assert sum(counts for _, counts in grouped.groups).records() == grouped.total.records()


def test_folders_of_parquet_add_their_columns(tmp_path):
    for fold in (1, 2, 3):
        for domain in ("news", "__HIVE_DEFAULT_PARTITION__"):
            folder = tmp_path / f"domain={domain}" / f"fold={fold}"
            folder.mkdir(parents=True)
            part = frame().filter(pl.col("fold") == fold).drop("fold")
            half = part[:1] if domain == "news" else part[1:]
            half.write_parquet(folder / "part-0.parquet")
            (folder / "_SUCCESS").touch()
            (folder / "_metadata.parquet").write_bytes(b"not read")
    assert count_file(tmp_path) == WHOLE
    grouped = count_file(tmp_path, by=["fold", "domain"])
    assert [key for key, _ in grouped.groups] == [(f, d) for f in (1, 2, 3) for d in ("news", None)]
    assert grouped.total == WHOLE
    by_label = tmp_path / "by label"
    for label in (0, 1):
        (by_label / f"gold={label}").mkdir(parents=True)
        pl.DataFrame({"pred": [0, 1, 1]}).write_parquet(by_label / f"gold={label}" / "p.parquet")
    assert count_file(by_label) == confusion([0, 0, 0, 1, 1, 1], [0, 1, 1, 0, 1, 1])


def test_a_pattern_whose_files_differ_is_refused(tmp_path):
    first = frame()
    first.write_parquet(tmp_path / "a.parquet")
    first.cast({"fold": pl.Int8, "gold": pl.Categorical}).write_parquet(tmp_path / "b.parquet")
    assert count_file(tmp_path / "*.parquet").n_rows == 12
    first.rename({"gold": "label"}).write_parquet(tmp_path / "c.parquet")
    with pytest.raises(ColumnError, match=r"c\.parquet has no column 'gold', which .*a\.parquet has"):
        count_file(tmp_path / "*.parquet")
    first.with_columns(gold=pl.lit(1)).write_parquet(tmp_path / "c.parquet")
    with pytest.raises(ColumnError, match=r"'gold' holds text in .*but numbers in"):
        count_file(tmp_path / "*.parquet")
    (tmp_path / "a.csv").write_text("gold,pred\na,a\n")
    (tmp_path / "b.csv").write_text("pred,gold\na,b\n")
    assert count_file(tmp_path / "?.csv") == confusion(["a", "b"], ["a", "a"])
    assert count_file(tmp_path / "?.csv", gold="gold", pred="pred") == confusion(["a", "b"], ["a", "a"])
    for columns in ({"gold": "1", "pred": "2"}, {"gold": "1"}, {"pred": "2"}, {"pred": "2", "gold": "gold"}):
        with pytest.raises(ColumnError, match="given by position"):
            count_file(tmp_path / "?.csv", **columns)


def test_a_broken_file_among_good_ones_is_named(tmp_path):
    paths = write_parts(tmp_path, "parquet")
    paths[1].write_bytes(paths[1].read_bytes()[:-30])
    with pytest.raises(FileError, match=r"part-2\.parquet cannot be read"):
        count_file(tmp_path)
    (tmp_path / "a.csv").write_text("gold,pred\na,a\n")
    (tmp_path / "b.csv").write_text("gold,pred\na,a\nb\n")
    with pytest.raises(FileError, match=r"b\.csv, line 3: 1 field: expected 2"):
        count_file([tmp_path / "a.csv", tmp_path / "b.csv"])
    (tmp_path / "b.csv").write_text("domain,gold,pred,text\nx,a,a,t\nx,a,a\n")
    with pytest.raises(FileError, match="line 3: 3 fields: expected 4"):
        count_file(tmp_path / "b.csv", by="domain")


def test_sources_and_columns_that_name_nothing_or_too_much(tmp_path):
    (tmp_path / "a.csv").write_text("gold,pred\na,a\n")
    with pytest.raises(FileError, match="named twice"):
        count_file([tmp_path / "a.csv", tmp_path / "*.csv"])
    with pytest.raises(EmptyError, match="no file given"):
        count_file([])
    pl.DataFrame({"gold": ["a"], "pred": ["a"], "by": [[1]]}).write_parquet(tmp_path / "p.parquet")
    with pytest.raises(LabelError, match="expected plain values"):
        count_file(tmp_path / "p.parquet", by="by")
    with pytest.warns(UserWarning, match="same column 'gold'"):
        assert count_file(tmp_path / "a.csv", gold="gold", pred="gold") == confusion(["a"], ["a"])


def test_a_group_without_labels_is_not_dropped_in_silence(tmp_path):
    (tmp_path / "a.csv").write_text("gold,pred,domain\na,a,x\n,a,y\n,a,x\n")
    with pytest.raises(EmptyError, match="group domain=y lack a label"):
        count_file(tmp_path / "a.csv", by="domain", missing="drop")
    grouped = count_file(tmp_path / "a.csv", by="domain", missing="label")
    assert [(key, counts.n_rows) for key, counts in grouped.groups] == [(("x",), 2), (("y",), 1)]


def test_a_class_set_may_be_absent_from_a_group(tmp_path):
    (tmp_path / "a.csv").write_text("gold,pred,domain\na,a,x\nb,b,y\n")
    grouped = count_file(tmp_path / "a.csv", by="domain", labels=["a"])
    assert [counts.labels for _, counts in grouped.groups] == [("a",), ("a", "b")]
