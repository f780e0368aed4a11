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

import macrof1

from .test_frames import KINDS, plain_count, table, typed

pytestmark = pytest.mark.xdist_group("spark")

PROGRAM = Path(__file__).parent / "programs" / "spark_connect.py"


def test_spark_connect_equals_a_plain_count(tmp_path):
    for part in ("pyspark", "grpc", "grpc_status", "zstandard"):
        if importlib.util.find_spec(part) is None:
            pytest.skip(f"{part} is not installed: pip install 'pyspark[connect]'")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is no java on the PATH")
    for kind in KINDS:
        arrays = {name: pa.array(values) for name, values in table(kind).items()}
        if kind == "categoricals":
            arrays |= {name: arrays[name].dictionary_encode() for name in ("gold", "pred")}
        pq.write_table(pa.table(arrays), tmp_path / f"{kind}.parquet")
    done = subprocess.run(
        [sys.executable, PROGRAM, tmp_path], capture_output=True, text=True, check=False, timeout=600, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((tmp_path / "found.json").read_text())
    for kind in KINDS:
        columns, counts = table(kind), found[kind]
        assert counts["engine"] == "pyspark.sql.connect.dataframe"
        for mode, weight in (("total", "half"), ("weighted", "weight")):
            assert records(counts[mode]) == plain_count(columns, weight)[0]
        amounts, rows = plain_count(columns, "half", ["domain", "fold"])
        by = {}
        for key, n_rows, part in counts["by"]:
            group = tuple(map(typed, key))
            assert n_rows == rows[group]
            by |= records(part, group)
        assert by == amounts
    assert found["lists"] == [["x", "y"], [1, 0], [1, 1]]
    expected = macrof1.score([i % 3 for i in range(1000)], [i % 2 for i in range(1000)])
    assert found["groups"] == [expected.averaged_f1, 5]


def records(cells, group=()):
    return {(group, (typed(gold), typed(pred))): amount for gold, pred, amount in cells}
