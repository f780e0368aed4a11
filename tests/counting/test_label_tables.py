"""Prediction files in every format, and every way a file can be broken."""

import gzip
import io
import json
import sys
from types import SimpleNamespace

import polars as pl
import pytest

import macrof1
from macrof1.cli import main
from macrof1.counting.arrays import confusion
from macrof1.errors import FileError, LabelError, MissingLabelError
from tests.oracles import count_file, count_frame

from .engines import written

pytestmark = [
    pytest.mark.usefixtures("reader"),
    pytest.mark.filterwarnings("ignore:.*quoted fields hold line breaks:UserWarning"),
]

GOLD = ["cat", "dog", 'a "quoted", one', "naïve", "cat", "two\nlines"]
PRED = ["cat", "cat", 'a "quoted", one', "dog", "dog", "two\nlines"]
FRAME = pl.DataFrame({"id": range(6), "gold": GOLD, "pred": PRED, "weight": [1, 2, 3, 4, 5, 6]})


NAMES = ["p.csv", "p.tsv", "p.csv.gz", "p.csv.zst", "p.tsv.gz", "p.jsonl", "p.jsonl.gz", "p.jsonl.zst", "p.parquet",
         "p.arrow", "p.feather"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_same_counts(tmp_path, name):
    path = written(FRAME, tmp_path / name)
    assert count_file(path, gold="gold", pred="pred") == confusion(GOLD, PRED)
    weighted = macrof1.score_file(path, gold="gold", pred="pred", sample_weight="weight").cells
    assert weighted == confusion(GOLD, PRED, sample_weight=[1, 2, 3, 4, 5, 6])
    assert weighted.n_rows == 6


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.jsonl", "p.parquet", "p.csv.gz"])
def test_standard_input_and_names_that_tell_nothing(tmp_path, monkeypatch, name):
    data = written(FRAME, tmp_path / name).read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    if name == "p.csv.gz":
        assert count_file("-", file_format="csv") == confusion(GOLD, PRED)
        return
    assert count_file("-") == confusion(GOLD, PRED)
    (tmp_path / "nothing").write_bytes(data)
    assert count_file(tmp_path / "nothing") == confusion(GOLD, PRED)


def test_text_is_text_and_types_are_types(tmp_path):
    (tmp_path / "p.csv").write_text("gold,pred\n1,01\n1,1\n")
    assert count_file(tmp_path / "p.csv").labels == ("01", "1")
    (tmp_path / "p.jsonl").write_text('{"gold": 1, "pred": "1"}\n{"gold": true, "pred": 1}\n\n{"gold":"1","pred":1}\n')
    assert list(map(type, count_file(tmp_path / "p.jsonl").labels)) == [bool, int, str]
    pl.DataFrame({"gold": [1, 2], "pred": [1, 1]}).write_parquet(tmp_path / "p.parquet")
    assert count_file(tmp_path / "p.parquet").labels == (1, 2)
    assert count_file(tmp_path / "p.parquet", labels=["2", "1"], labels_are_text=True).labels == (2, 1)
    with pytest.raises(LabelError, match="no label could match"):
        count_file(tmp_path / "p.parquet", labels=["2", "1"])
    frame = pl.DataFrame({"gold": ["b", "a"], "pred": ["a", "a"]}, schema_overrides={"gold": pl.Categorical})
    frame.write_parquet(tmp_path / "c.parquet")
    assert count_file(tmp_path / "c.parquet") == confusion(["b", "a"], ["a", "a"])


def test_columns_by_usual_name_by_position_and_without_header(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("id,y_pred,y_true\n1,a,b\n2,b,b\n")
    expected = confusion(["b", "b"], ["a", "b"])
    assert count_file(path) == expected
    assert count_file(path, gold="3", pred="2") == expected
    path.write_text("a,b\nb,b\n")
    assert count_file(path, gold="2", pred="1", header=False) == expected
    path.write_text("gold;pred\nb;a\nb;b\n")
    assert count_file(path) == expected
    path.write_bytes("\ufeffgold,pred\r\nb,a\r\nb,b\r\n".encode())
    assert count_file(path) == expected


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet"])
def test_missing_labels(tmp_path, name):
    path = tmp_path / name
    frame = pl.DataFrame({"gold": ["a", None, "b"], "pred": ["a", "b", None]})
    {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[name[2:]](path)
    with pytest.raises(MissingLabelError, match="2 of 3 rows"):
        count_file(path)
    dropped = count_file(path, missing="drop")
    assert (dropped.n_rows, dropped.n_dropped) == (1, 2)
    assert count_file(path, missing="label").labels == ("a", "b", None)


def test_quoted_empty_fields_are_missing_too(tmp_path):
    (tmp_path / "p.csv").write_text('gold,pred\n"",a\nb,a\n')
    with pytest.raises(MissingLabelError, match="1 of 2"):
        count_file(tmp_path / "p.csv")
    with pytest.raises(MissingLabelError, match="columns 'pred' and 'gold' of"):
        count_file(tmp_path / "p.csv", gold="pred", pred="gold")


# What tests/cli/corpus.py does not hold.
BROKEN = {
    "too many before": ("p.csv", b"text,gold,pred\nx,a,b\ny, z,a,b\n", FileError, "line 3: 4 fields: expected 3"),
    "short before the labels": ("p.csv", b"gold,pred,text\na,b,x\na,b\n", FileError, "line 3: 2 fields: expected 3"),
    "blank line": ("p.csv", b"gold,pred\na,b\n\na,b\n", FileError, "line 3: the line is blank"),
    "not UTF-8 in gzip": ("p.csv.gz", gzip.compress(b"gold,pred\n\xff,b\n"), FileError, "line 2: byte 0xff"),
    "no JSON": ("p.jsonl", b'{"gold": 1, "pred": 1}\n{"gold": 1\n', FileError, "line 2: not valid JSON"),
    "JSON list": ("p.jsonl", b"[1, 2]\n", FileError, "line 1: a JSON list"),
    "JSON nested": ("p.jsonl", b'{"gold": {"a": 1}, "pred": 1}\n', LabelError, "line 1: .gold. is an object.*gold\\.a"),
    "JSON not UTF-8": ("p.jsonl", b'{"gold": 1, "pred": 1}\n{"gold": "\xff"}\n', FileError, "line 2: byte 0xff"),
    "truncated Parquet": ("p.parquet", b"PAR1 and no more", FileError, "expected a whole Parquet file"),
    "truncated Arrow": ("p.arrow", b"ARROW1 and no more", FileError, "expected a whole Arrow file"),
    "Zstandard": ("p.csv.zst", b"\x28\xb5\x2f\xfd and nonsense", FileError, "is damaged"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "data", "error", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_files_get_one_clear_line(tmp_path, name, data, error, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(error, match=message) as caught:
        count_file(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_long_texts_and_blank_lines_at_the_top_are_no_damage(tmp_path):
    (tmp_path / "p.csv").write_text(f"gold,pred,text\na,,{'x' * 200_000}\nb,b,y\n")
    assert count_file(tmp_path / "p.csv", missing="drop") == count_frame(
        pl.DataFrame({"gold": ["a", "b"], "pred": [None, "b"]}), gold="gold", pred="pred", missing="drop"
    )
    (tmp_path / "p.csv").write_text("\n\ngold;pred\na;b\n")
    assert count_file(tmp_path / "p.csv") == confusion(["a"], ["b"])
    (tmp_path / "p.jsonl").write_text('\n{"gold": 1, "pred": 1}\n')
    assert count_file(tmp_path / "p.jsonl") == confusion([1], [1])
    (tmp_path / "p.jsonl").write_text('{"gold": 1, "pred": 1, "more": ' + "[" * 100_000 + "]" * 100_000 + "}\n")
    with pytest.raises(FileError, match="line 1: not valid JSON"):
        count_file(tmp_path / "p.jsonl")


def test_labels_that_are_no_labels(tmp_path):
    pl.DataFrame({"gold": [0.5], "pred": [1.0]}).write_parquet(tmp_path / "p.parquet")
    with pytest.raises(LabelError, match="fraction"):
        count_file(tmp_path / "p.parquet")
    pl.DataFrame({"gold": [{"a": 1}], "pred": [{"a": 1}]}).write_parquet(tmp_path / "q.parquet")
    with pytest.raises(LabelError, match="Struct"):
        count_file(tmp_path / "q.parquet")


def test_quotes_inside_a_column_name(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text('gold,"c""q"\na,a\nb,a\n')
    assert count_file(path, pred='c"q').records() == [("a", "a", 1), ("b", "a", 1)]
    assert count_file(path, pred="2").records() == [("a", "a", 1), ("b", "a", 1)]


def test_quotes_in_json_lines_do_not_make_the_first_look_read_on(tmp_path):
    path = tmp_path / "quotes.jsonl"
    path.write_text('\n{"gold": "5\\" disk", "pred": "a"}\n' + '{"gold": "a", "pred": "a"}\n' * 3)
    assert count_file(path).n_rows == 4


def test_a_stray_quote_is_named_with_its_line(tmp_path):
    path = tmp_path / "quote.csv"
    path.write_text('gold,pred,size\n"two\nlines",b,1\na,a,5" disk\nb,b,1\n')
    with pytest.raises(FileError, match="line 4: a quote inside a field that is not quoted"):
        count_file(path)


def test_a_listed_label_that_only_looks_like_a_number_stays_text(tmp_path, capsys):
    path = str(tmp_path / "ints.parquet")
    pl.DataFrame({"gold": [1, -5], "pred": [1, 1], "x": [1, -5]}).write_parquet(path)
    assert main(["score", path, "--labels=1,-5,--5", "-f", "json"]) == 0
    assert [row["label"] for row in json.loads(capsys.readouterr().out)["per_class"]] == [1, -5, "--5"]
    assert main(["compare", path, "--labels=1,-5,--5", "-f", "json"]) == 0
    assert "|k:3|" in capsys.readouterr().out
