"""Typed files that are too large are rejected before decoding."""

from __future__ import annotations

import polars as pl
import pytest

from macrof1.errors import FileError
from macrof1.reading.engine import SizeLimits, check_size

LIMITS = SizeLimits(rows=1000, columns=5, cells=3000, text=100)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pl.DataFrame({"a": [1] * 1001}), "x has 1,001 rows: expected at most 1,000"),
        (pl.DataFrame({f"c{x}": [1] for x in range(6)}), "x has 6 columns: expected at most 5"),
        (pl.DataFrame({f"c{x}": [1] * 900 for x in range(4)}), "x has 3,600 cells: expected at most 3,000"),
        (pl.DataFrame({"a": ["b"] * 900 + ["ä" * 51]}), "102 bytes of text in one cell of column 'a'"),
        (pl.DataFrame({"a": pl.Series(["b", "x" * 101] * 9, dtype=pl.Categorical)}), "101 bytes of text in one cell"),
    ],
)
def test_what_is_too_large_is_refused(tmp_path, kind, frame, said):
    path = tmp_path / f"x.{kind}"
    (frame.write_parquet if kind == "parquet" else frame.write_ipc)(path)
    with pytest.raises(FileError) as raised:
        check_size(path, kind, LIMITS, name="x")
    assert said in str(raised.value)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_what_fits_is_counted_and_what_is_broken_is_named(tmp_path, kind):
    path = tmp_path / f"x.{kind}"
    frame = pl.DataFrame({"a": ["ä" * 50] * 1000, "b": [[1, 2]] * 1000, "c": [None] * 1000})
    (frame.write_parquet if kind == "parquet" else frame.write_ipc)(path)
    assert check_size(path, kind, LIMITS, name="x") == 1000
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileError, match="x cannot be read"):
        check_size(path, kind, LIMITS, name="x")
