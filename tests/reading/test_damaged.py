"""Damaged Parquet and Arrow files: read correctly, or rejected in one line, wherever the damage is."""

from __future__ import annotations

import io

import polars as pl
import pytest

import macrof1
from macrof1.errors import MacroF1Error

FRAME = pl.DataFrame({"gold": ["a", "b", "c", "a"] * 5, "pred": ["a", "b", "a", "c"] * 5})


@pytest.mark.parametrize("name", ["p.parquet", "p.arrow"])
@pytest.mark.parametrize("byte", [0x00, 0xFF])
def test_a_wrong_byte_anywhere(tmp_path, name, byte):
    out = io.BytesIO()
    (FRAME.write_parquet if name.endswith("parquet") else FRAME.write_ipc)(out)
    whole = out.getvalue()
    path = tmp_path / name
    refused = 0
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
        try:
            assert macrof1.score_file(path).n_rows == 20
        except MacroF1Error as error:
            assert "\n" not in str(error)  # noqa: PT017  # either outcome is right
            refused += 1
    assert refused > 10


@pytest.mark.parametrize("name", ["p.parquet", "p.arrow"])
def test_a_file_cut_off_anywhere(tmp_path, name):
    out = io.BytesIO()
    (FRAME.write_parquet if name.endswith("parquet") else FRAME.write_ipc)(out)
    whole = out.getvalue()
    for end in range(1, len(whole), 5):
        (tmp_path / name).write_bytes(whole[:end])
        with pytest.raises(MacroF1Error):
            macrof1.score_file(tmp_path / name)
