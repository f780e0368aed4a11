"""Spark Connect, whose session runs in another process: the same counts as plain Python."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .test_frames import plain_count, table, typed

pytestmark = pytest.mark.xdist_group("spark")

PROGRAM = Path(__file__).parent / "programs" / "spark_connect.py"


def test_spark_connect_equals_a_plain_count(tmp_path):
    for part in ("pyspark", "grpc", "grpc_status", "zstandard"):
        if importlib.util.find_spec(part) is None:
            pytest.skip(f"{part} is not installed: pip install 'pyspark[connect]'")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is no java on the PATH")
    columns = table("strings")
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    done = subprocess.run(
        [sys.executable, PROGRAM, tmp_path], capture_output=True, text=True, check=False, timeout=600, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["engine"] == "pyspark.sql.connect.dataframe"
    assert records(found["weighted"]) == plain_count(columns, "weight")[0]
    amounts, rows = plain_count(columns, "half", ["domain", "fold"])
    by = {}
    for key, n_rows, part in found["by"]:
        group = tuple(map(typed, key))
        assert n_rows == rows[group]
        by |= records(part, group)
    assert by == amounts
    assert found["lists"] == [["x", "y"], [1, 0], [1, 1]]


def records(cells, group=()):
    return {(group, (typed(gold), typed(pred))): amount for gold, pred, amount in cells}
