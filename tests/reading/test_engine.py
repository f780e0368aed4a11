"""Polars in forked processes, what it makes of damaged Parquet and Arrow files, and files that are too large for it."""

import io
import os
import subprocess
import sys

import polars as pl
import pytest

from macrof1.errors import FileError, InputError
from macrof1.reading.distinct import DistinctRows
from macrof1.reading.engine import check_size, polars_reads
from macrof1.reading.tables import opened_tables

FRAME = pl.DataFrame({"gold": ["a", "b", "c", "a"] * 500, "pred": ["a", "b", "a", "c"] * 500, "w": [0.5] * 2000})
FORKS = """
import os, sys, signal
{before}
child = os.fork()
if not child:
    import macrof1
    try:
        print(macrof1.score_file(sys.argv[1]).n_rows)
    except macrof1.MacroF1Error as error:
        print(error)
    sys.stdout.flush()
    os._exit(0)
signal.alarm(60)
os.waitpid(child, 0)
"""
QUERY = "pl.LazyFrame({'x': [1, 2]}).group_by('x').agg(pl.len()).collect(engine='streaming')"


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("", "2000"), ("import polars as pl", "2000"), ("import macrof1, polars as pl", "2000"),
        (f"import polars as pl; {QUERY}", "fork"), (f"import macrof1, polars as pl; {QUERY}", "fork"),
        ("import macrof1; macrof1.score_file(sys.argv[1])", "fork"),
    ],
)  # fmt: skip
def test_a_forked_process_reads_or_says_why_it_cannot(tmp_path, before, told):
    path = tmp_path / "p.parquet"
    FRAME.write_parquet(path)
    program = [sys.executable, "-W", "ignore", "-c", FORKS.format(before=before), str(path)]
    ran = subprocess.run(program, capture_output=True, text=True, timeout=90, check=False)
    assert told in ran.stdout, ran
    assert ran.stderr == ""


def damaged(kind):
    out = io.BytesIO()
    {"parquet": FRAME.write_parquet, "arrow": FRAME.write_ipc, "stream": FRAME.write_ipc_stream}[kind](out)
    whole = out.getvalue()
    places = [*range(4, 400, 7), *range(len(whole) - 400, len(whole), 7)]
    yield from (whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :] for at in places)
    yield from (whole[: len(whole) * part // 8] for part in range(1, 8))


READS = """
import os, sys
import macrof1
for path in sys.argv[1:]:
    for options in ({}, {"by": "w"}, {"cluster": "w"}):
        try:
            found = macrof1.score_file(path, **options)
            assert "by" in options or found.n_rows == 2000
        except macrof1.MacroF1Error as error:
            assert "\\n" not in str(error)
"""


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_damage_is_an_error_in_one_line(tmp_path, kind):
    """Rust prints a line of its own where Polars panics (1 to 3 of these 122 files); nothing else is printed."""
    paths = []
    for number, content in enumerate(damaged(kind)):
        paths.append(tmp_path / f"{number}.{'parquet' if kind == 'parquet' else 'arrow'}")
        paths[-1].write_bytes(content)
    program = [sys.executable, "-c", READS, *map(str, paths)]
    ran = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    assert "panicked" in ran.stderr or not ran.stderr


def test_what_threads_print_meanwhile_is_printed_at_once(capfd):
    with polars_reads(FileError):
        os.write(2, b"mine\n")
        assert capfd.readouterr().err == "mine\n"
    with pytest.raises(FileError, match="cannot: no"), polars_reads(lambda error: FileError(f"cannot: {error}")):
        raise pl.exceptions.ComputeError("no")


def test_the_command_line_keeps_the_descriptor_of_a_closed_standard_error(tmp_path):
    (tmp_path / "p.csv").write_text("gold,pred\na,a\nb,a\n", encoding="utf-8")
    program = "import os; from macrof1.cli import main; main(['score', 'p.csv', '-q']); print(os.readlink('/dev/fd/2'))"
    command = '"$0" -c "$1" 2>&-'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, program], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == os.devnull


LIMITS = {"rows": 1000, "columns": 5, "cells": 3000, "text": 100}


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pl.DataFrame({"a": [1] * 1001}), "x has 1,001 rows: expected at most 1,000"),
        (pl.DataFrame({f"c{x}": [1] for x in range(6)}), "x has 6 columns: expected at most 5"),
        (pl.DataFrame({f"c{x}": [1] * 900 for x in range(4)}), "x has 3,600 cells: expected at most 3,000"),
        (pl.DataFrame({"a": ["b"] * 900 + ["ä" * 51]}), "102 bytes of text in one cell of column 'a'"),
        (pl.DataFrame({"n": [1], "a": ["ä" * 51]}), "102 bytes of text in one cell of column 'a'"),
        *(
            (pl.DataFrame({"a": pl.Series(cells, dtype=pl.Categorical)}), "101 bytes of text in one cell")
            for cells in (["b", "x" * 101] * 9, ["x" * 101, *"b" * 99], [*"b" * 99, "x" * 101, *"b" * 99])
        ),
    ],
)
def test_what_is_too_large_is_refused(tmp_path, kind, frame, said):
    path = tmp_path / f"x.{kind}"
    (frame.write_parquet if kind == "parquet" else frame.write_ipc)(path)
    with pytest.raises(FileError) as raised:
        check_size(path, "x", **LIMITS)
    assert said in str(raised.value)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_what_fits_is_read_and_what_is_broken_is_named(tmp_path, kind):
    path = tmp_path / f"x.{kind}"
    frame = pl.DataFrame({"a": ["ä" * 50] * 1000, "b": [[1, 2]] * 1000, "c": [None] * 1000})
    (frame.write_parquet if kind == "parquet" else frame.write_ipc)(path)
    check_size(path, "x", **LIMITS)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileError, match="x cannot be read"):
        check_size(path, "x", **LIMITS)


def test_of_several_wrong_rows_the_same_is_named_whatever_their_order(tmp_path):
    pl.DataFrame({"gold": [1]}).write_parquet(tmp_path / "p.parquet")
    with opened_tables(tmp_path / "p.parquet", header=True, file_format=None) as tables:
        rows = DistinctRows(tables, ["gold"], [(1,), (2,)], [1, 1])
    wrong = {0: InputError("'pred' is wrong"), 1: InputError("'gold' is wrong")}
    for order in (wrong, dict(reversed(wrong.items()))):
        assert "'gold'" in str(rows.first_error(order))
