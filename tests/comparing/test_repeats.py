"""Ids and rows that repeat are noticed in comparisons as in scores."""

import json

import pandas as pd
import polars as pl
import pytest

import macrof1

FILES = {
    "ids.csv": "id,gold,a,b\n1,x,x,y\n2,x,x,x\n3,y,y,y\n4,y,x,y\n4,y,x,y\n",
    "rows.tsv": "text\tgold\ta\tb\none\tx\tx\ty\ntwo\tx\tx\tx\nthree\ty\ty\ty\nthree\ty\ty\ty\n",
    "long.csv": "system,id,gold,pred\na,1,x,x\na,2,y,y\na,3,x,y\na,3,x,y\nb,1,x,x\nb,2,y,x\nb,3,x,y\n",
    "gold.csv": "id,label\n1,x\n2,y\n3,x\n3,x\n",
    "a.csv": "id,pred\n1,x\n2,y\n3,x\n3,x\n",
    "b.csv": "id,pred\n1,y\n2,y\n3,x\n3,x\n",
}
FILES["lines.jsonl"] = "".join(
    json.dumps(dict(zip(("id", "gold", "a", "b"), line.split(","), strict=True))) + "\n"
    for line in FILES["ids.csv"].splitlines()[1:]
)


@pytest.fixture
def folder(tmp_path, said, monkeypatch):  # noqa: ARG001  # which goes to another folder before
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    pl.read_csv(tmp_path / "ids.csv").write_parquet(tmp_path / "ids.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(said, *arguments):
    return json.loads(said("compare", *arguments, "--format", "json").out)["note_codes"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ids.csv"], "repeated_ids"),
        (["ids.parquet", "--systems", "a,b"], "repeated_ids"),
        (["lines.jsonl"], "repeated_ids"),
        (["rows.tsv", "--systems", "a,b"], "repeated_rows"),
        (["long.csv", "--by", "system"], "repeated_ids"),
        (["gold.csv", "a.csv", "b.csv", "--no-id"], "repeated_ids"),
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("folder")
def test_repeats_in_files_are_noticed(said, arguments, code):
    assert codes(said, *arguments)[0] == code
    assert "more than once" in said("compare", *arguments, "--strict", code=1).err or code == "repeated_rows"


@pytest.mark.usefixtures("folder")
def test_rows_are_not_matched_by_ids_that_repeat(said):
    assert "more than once" in said("compare", "gold.csv", "a.csv", "b.csv", code=2).err


def test_a_cluster_or_a_group_may_repeat(folder, said):
    assert "repeated_ids" not in codes(said, "ids.csv", "--systems", "a,b", "--cluster", "id")
    (folder / "once.csv").write_text("".join(FILES["ids.csv"].splitlines(keepends=True)[:-1]))
    assert "repeated_ids" not in codes(said, "once.csv")


@pytest.mark.parametrize("read", [pd.read_csv, pl.read_csv, lambda path: pl.read_csv(path).to_arrow()])
def test_repeats_in_frames_in_memory_are_noticed_and_lazy_frames_are_not_read_again(folder, read):
    result = macrof1.compare_frame(read(folder / "ids.csv"), gold="gold", systems=["a", "b"])
    assert result.notes[0].code == "repeated_ids"
    assert "(4) occurs more than once" in result.notes[0]
    result = macrof1.compare_frame(pl.scan_csv(folder / "ids.csv"), gold="gold", systems=["a", "b"])
    assert "repeated_ids" not in result.to_dict()["note_codes"]
