"""A cluster of separate processes, one of which dies while it counts: Dask distributed."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import macrof1

from ..oracles import without_digests
from .parts import part

PARTS = 24


def made(rows):
    row = np.arange(rows)
    gold = row % 7
    return gold, np.where(row % 10 < 7, gold, row % 5), np.where(row % 11 < 8, gold, row % 3), row % 3


def numbers(gold, pred):
    whole = macrof1.score(gold, pred)
    return [whole.averaged_f1, whole.f1_of_averages, len(gold)]


@pytest.mark.slow
def test_a_cluster_counts_what_the_library_counts_and_survives_a_dead_worker(tmp_path):
    part("distributed")
    program = Path(__file__).with_name("programs") / "dask_cluster.py"
    command = [sys.executable, str(program), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    found, after = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    gold, pred, other, domain = made(210_000)
    assert found["workers"] == 2
    assert found["frame"] == numbers(gold, pred)
    for name, of_domain in found["groups"].items():
        assert of_domain == numbers(gold[domain == int(name)], pred[domain == int(name)])
    compared = macrof1.compare(gold, {"a": pred, "b": other}, n_resamples=100).to_dict()
    assert without_digests(found["compared"]) == without_digests(compared)
    assert after["after"] == numbers(*made(240_000)[:2])
    # Some partitions were made before the worker died, and some of its own again afterwards.
    assert after["begun"] < PARTS <= after["made"]
