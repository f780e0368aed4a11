"""Windows specifics, as far as they can be simulated: line endings, byte order marks, case of names, encodings."""

import ast
import json
import shutil

import polars as pl
import pytest

from macrof1.cli import main
from macrof1.counting.written_files import write_whole
from macrof1.reading.tasks import read_task

from .conftest import ROOT
from .counting.engines import written

BOM = b"\xef\xbb\xbf"
TEXTS = {
    "predictions": ("p.csv", "gold,pred\nä,ä\nb,a\nb,b\na,a\n", ["score"]),
    "tabs": ("p.tsv", "gold\tpred\na\ta\nb\ta\n", ["score"]),
    "quoted line breaks": ("p.csv", 'gold,pred,text\na,a,"x\ny"\nb,a,z\n', ["score"]),
    "JSON lines": ("p.jsonl", '{"gold": "a", "pred": "a"}\n{"gold": "b", "pred": "a"}\n', ["score"]),
    "entities": ("p.conll", "EU B-ORG B-ORG\nis O O\n\nPeter B-PER O\n", ["score", "--spans"]),
    "a matrix": ("m.csv", "gold\\pred,a,b\na,5,1\nb,2,7\n", ["score", "--matrix"]),
    "a report": ("r.txt", (ROOT / "examples/tutorials/report.txt").read_text(encoding="utf-8"), ["audit"]),
    "a leaderboard": ("l.csv", "team,macro_f1,macro_precision,macro_recall\nx,0.50,0.51,0.55\n", ["audit"]),
}


def printed(folder, name, content, call, capsys):
    path = folder / name
    path.write_bytes(content)
    assert main([*call, str(path), "-f", "json"]) == 0
    return capsys.readouterr().out.replace(str(path), name)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("mark", [b"", BOM], ids=["plain", "with a mark"])
def test_line_ends_and_marks_change_nothing(kind, mark, tmp_path, capsys):
    name, text, call = TEXTS[kind]
    expected = printed(tmp_path, name, text.encode(), call, capsys)
    assert printed(tmp_path, name, mark + text.replace("\n", "\r\n").encode(), call, capsys) == expected


def test_a_task_file_is_the_same_whatever_its_line_ends(tmp_path):
    text = 'gold = "label"\nlabels = ["a", "b"]\n'
    found = []
    for mark, end in ((b"", "\n"), (b"", "\r\n"), (BOM, "\r\n")):
        path = tmp_path / "task.toml"
        path.write_bytes(mark + text.replace("\n", end).encode())
        found.append(read_task(path))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("ending", ["CSV", "Parquet", "ARROW", "csv.GZ", "Counts.JSON"])
def test_endings_have_no_case(ending, tmp_path, said):
    frame = pl.DataFrame({"gold": ["a", "b"], "pred": ["a", "a"]})
    lower = tmp_path / f"made.{ending.lower()}"
    if ending.lower() == "counts.json":
        frame.write_csv(tmp_path / "p.csv")
        said("count", tmp_path / "p.csv", "-o", lower)
    else:
        written(frame, lower)
    upper = tmp_path / f"OTHER.{ending}"
    shutil.copy(lower, upper)
    assert json.loads(said("score", upper, "-q", "-f", "json").out)["averaged_f1"] == pytest.approx(1 / 3)


def test_saved_counts_of_any_case_name_their_system(tmp_path, said):
    for name, pred in (("First", "a,a\nb,a"), ("Second", "a,a\nb,b")):
        (tmp_path / "p.csv").write_text(f"gold,pred\n{pred}\n", encoding="utf-8")
        said("count", tmp_path / "p.csv", "-o", tmp_path / f"{name}.COUNTS.JSON")
    shown = said("compare", *(tmp_path / f"{name}.COUNTS.JSON" for name in ("First", "Second")), "-f", "json").out
    assert {system["name"] for system in json.loads(shown)["systems"]} == {"First", "Second"}


def test_what_is_written_keeps_its_line_ends(tmp_path):
    write_whole(tmp_path / "out.csv", "a\nb\r\n")
    assert (tmp_path / "out.csv").read_bytes() == b"a\nb\r\n"


def test_no_text_is_read_or_written_in_the_encoding_of_the_machine():
    """Windows has cp1252 where others have UTF-8: every file names its encoding."""
    careless = []
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            named = {keyword.arg for keyword in node.keywords}
            if node.func.attr in ("read_text", "write_text") and "encoding" not in named:
                careless.append(f"{path.name}:{node.lineno}")
    assert careless == []
