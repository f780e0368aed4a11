"""Dask distributed: a scheduler and two workers in separate processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import macrof1

from .parts import part

part("distributed")
PARTS = 24


def made(rows):
    row = np.arange(rows)
    gold = row % 7
    return gold, np.where(row % 10 < 7, gold, row % 5), np.where(row % 11 < 8, gold, row % 3), row % 3


@pytest.mark.slow
def test_a_cluster_counts_what_the_library_counts_and_survives_a_dead_worker(tmp_path):
    program = Path(__file__).with_name("programs") / "dask_cluster.py"
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path)], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found, after = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    gold, a, b, domain = made(210_000)
    whole = macrof1.score(gold, a)
    assert found["workers"] == 2
    assert found["frame"] == [whole.averaged_f1, whole.f1_of_averages, 210_000]
    for name, numbers in found["groups"].items():
        rows = domain == int(name)
        part_of_it = macrof1.score(gold[rows], a[rows])
        assert numbers == [part_of_it.averaged_f1, part_of_it.f1_of_averages, int(rows.sum())]
    assert found["compared"] == macrof1.compare(gold, {"a": a, "b": b}, n_resamples=100).to_dict()
    # Some partitions were made before the worker died, and some of its own again afterwards.
    assert after["begun"] < PARTS <= after["made"]
    gold, a, *_ = made(240_000)
    whole = macrof1.score(gold, a)
    assert after["after"] == [whole.averaged_f1, whole.f1_of_averages, 240_000]
