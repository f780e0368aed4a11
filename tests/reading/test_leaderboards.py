"""Leaderboards: the reader that audits and comparisons share."""

import polars as pl
import pytest

import macrof1
from macrof1.cli import main
from macrof1.errors import InputError
from macrof1.reading.leaderboards import read_published
from macrof1.reading.numbers import in_percent
from macrof1.reading.tables import opened_tables

TABLES = {
    "short names and decimal commas": 'run;cat P;cat R;dog P;dog R\na;"80,1";70;60;50\nb;20;30;40;50\n',
    "quoted decimal commas": 'run,cat P,cat R,dog P,dog R\na,"80,1",70,60,50\nb,20,30,40,50\n',
    "long names": "run\tcat_precision\tcat_recall\tdog-precision\tdog recall\na\t.801\t.7\t.6\t.5\nb\t.2\t.3\t.4\t.5\n",
    "signs": "model,Precision cat,Recall cat,Precision dog,Recall dog\na,80.1%,70%,60%,50%\nb,20%,30%,40%,50%\n",
    "blank lines": "run,cat P,cat R,dog P,dog R\n\na,80.1,70,60,50\n\nb,20,30,40,50\n\n",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_audits_and_comparisons_read_the_same(tmp_path, text, capsys):
    path = tmp_path / "l.csv"
    path.write_text(text)
    with opened_tables(path, True, None) as (table,):
        found = read_published(table, by=None)
    assert found == {"a": {"cat": (0.801, 0.7), "dog": (0.6, 0.5)}, "b": {"cat": (0.2, 0.3), "dog": (0.4, 0.5)}}
    assert [row.name for row in macrof1.audit_table(path).rows] == ["a", "b"]
    for command in (["audit", str(path)], ["compare", str(path), "--published"]):
        assert main(command) == 0, capsys.readouterr().err


def test_tables_of_any_format(tmp_path):
    rows = {"run": ["a", "b"], "macro_precision": [0.5, 0.25], "macro_recall": [0.5, 0.75], "macro_f1": [0.5, 0.375]}
    pl.DataFrame(rows).write_parquet(tmp_path / "l.parquet")
    pl.DataFrame(rows).write_ndjson(tmp_path / "l.jsonl")
    for name in ("l.parquet", "l.jsonl"):
        assert [row.name for row in macrof1.audit_table(tmp_path / name).rows] == ["a", "b"]


@pytest.mark.parametrize(
    "columns",
    [
        {"P": ["0.8", "80"], "R": ["0.7", "70"]},
        {"P": ["80", "70"], "R": ["0.8", "0.7"]},
        {"P": ["0.8", "80", "60"], "R": ["-", "70", "50"]},
        {"P": ["0.8%", "0.9"], "R": ["0.5%", "0.7"]},
    ],
)
def test_rows_or_columns_of_fractions_among_percentages_are_refused(columns):
    with pytest.raises(InputError, match="as fractions of 1"):
        in_percent(columns, "the table")


def test_percentages_are_told_by_the_whole_table():
    assert in_percent({"P": ["80", "0.5"], "R": ["70", "3"]}, "the table")
    assert not in_percent({"P": ["0.8", "1"], "R": ["0.7", "0"]}, "the table")
    assert in_percent({"P": ["0%", "0%"], "R": ["0%", "-"]}, "the table")
