"""The source of the CUDA kernels, compiled for the host; tests/integrations/test_torch_cuda.py runs them on a
device."""

import ctypes
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

COMPILER = shutil.which("g++") or shutil.which("clang++")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here")
FLAGS = ("-std=c++17", "-O1", "-w", "-shared", "-fPIC")
TYPES = {"int64": "long long", "int32": "int", "int16": "short", "int8": "signed char", "uint8": "unsigned char"}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """Compile a kernel for the host once per kind of input."""
    folder, built = tmp_path_factory.mktemp("kernels"), {}

    def door(pred, gold, *, cells, log, ignore, weighted):
        key = (pred, gold, cells, log, ignore, weighted)
        if key not in built:
            library = folder / f"kernel{len(built)}.so"
            source = files("macrof1.integrations").joinpath("count.cu")
            defined = {"CELLS": cells, "LOG": log, "IGNORE": ignore, "WEIGHTED": weighted, "SOURCE": f'"{source}"'}
            defined |= {"PRED": TYPES[pred], "GOLD": TYPES[gold]}
            options = [f"-D{name}={int(value) if value in (True, False) else value}" for name, value in defined.items()]
            program = str(Path(__file__).with_name("programs") / "cuda_on_host.cpp")
            command = [COMPILER, *FLAGS, *options, program, "-o", str(library)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr[-3000:]
            built[key] = ctypes.CDLL(str(library))
        return built[key]

    return door


def run(kernels, pred, gold, n, *, cells=False, log=0, ignore=None, weight=None, blocks=3):
    pred, gold = np.ascontiguousarray(pred), np.ascontiguousarray(gold)
    library = kernels(
        str(pred.dtype), str(gold.dtype), cells=cells, log=log, ignore=ignore is not None, weighted=weight is not None
    )
    counts = np.zeros((3, n), np.int64 if weight is None else np.float64)
    faults = np.array([0, -1, 0, 0])
    address = [None if array is None else ctypes.c_void_p(array.ctypes.data) for array in (pred, gold, weight)]
    library.run(
        int(gold.ndim == 2), blocks, *address, ctypes.c_longlong(len(gold)), n, ctypes.c_longlong(ignore or 0),
        ctypes.c_void_p(counts.ctypes.data), ctypes.c_void_p(faults.ctypes.data),
    )  # fmt: skip
    return counts, faults.tolist()


def expected(pred, gold, n, ignore=None, weight=None):
    counts = np.zeros((3, n), np.int64 if weight is None else np.float64)
    for row, (p, g) in enumerate(zip(pred.tolist(), gold.tolist(), strict=True)):
        if g == ignore:
            continue
        amount = 1 if weight is None else weight[row]
        if p == g:
            counts[0, g] += amount
        else:
            counts[1, p] += amount
            counts[2, g] += amount
    return counts


def labels(rng, n, rows, dtype="int64"):
    gold = rng.integers(0, n, rows)
    return np.where(rng.random(rows) < 0.6, gold, rng.integers(0, n, rows)).astype(dtype), gold.astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("n", "cells", "log"),
    [(1, 2, 0), (2, 2, 0), *((n, *kind) for n in (1, 2, 11, 100) for kind in ((True, 0), (False, 0), (False, 4)))],
)
def test_rows(kernels, dtype, n, cells, log):
    rng = np.random.default_rng(n)
    many = [500_000] if dtype == "uint8" and cells == 2 else []  # more than 16 bits hold
    for rows in (1, 15, 16, 17, 1000, *many):
        pred, gold = labels(rng, n, rows, dtype)
        found, faults = run(kernels, pred, gold, n, cells=cells, log=log)
        assert (found == expected(pred, gold, n)).all()
        assert faults == [0, -1, 0, 0]
        found, _ = run(kernels, pred[1:], gold[1:], n, cells=cells, log=log, ignore=n - 1)  # not aligned
        assert (found == expected(pred[1:], gold[1:], n, n - 1)).all()


@pytest.mark.parametrize(("cells", "log"), [(True, 0), (False, 0), (False, 4)])
@pytest.mark.parametrize("wrong", [10, 2**40, -1, -(2**63)])
@pytest.mark.parametrize("side", [0, 1])
def test_labels_outside_do_not_count_and_are_named(kernels, cells, log, wrong, side):
    pair = labels(np.random.default_rng(1), 10, 700)
    clean, _ = run(kernels, pair[0][:-1], pair[1][:-1], 10, cells=cells, log=log)
    pair[side][-1] = wrong
    found, faults = run(kernels, *pair, 10, cells=cells, log=log)
    assert (found == clean).all()
    assert (faults[0] == wrong) if wrong > 0 else (-1 - faults[1] == wrong)
    if side == 1:
        found, faults = run(kernels, *pair, 10, cells=cells, log=log, ignore=wrong)
        assert (found == clean).all()
        assert faults == [0, -1, 0, 0]


@pytest.mark.parametrize(("cells", "log"), [(True, 0), (False, 0), (False, 4)])
def test_weights(kernels, cells, log):
    rng = np.random.default_rng(2)
    pred, gold = labels(rng, 12, 501)
    weight = rng.integers(0, 8, 501) / 4  # sums of quarters are exact in any order
    found, _ = run(kernels, pred, gold, 12, cells=cells, log=log, weight=weight, ignore=3)
    assert (found == expected(pred, gold, 12, 3, weight)).all()


@pytest.mark.parametrize("pred_type", ["uint8", "int64"])
@pytest.mark.parametrize(("n", "blocks"), [(1, 3), (5, 3), (5, 64), (40, 7)])
@pytest.mark.parametrize("log", [0, 3])
def test_indicators(kernels, pred_type, n, blocks, log):
    rng = np.random.default_rng(3)
    pred = rng.integers(0, 2, (101, n)).astype(pred_type)
    gold = rng.integers(-1, 2, (101, n))
    weight = rng.integers(0, 8, 101) / 4
    kept, p, g = gold >= 0, pred == 1, gold == 1
    for w in (None, weight):
        amounts = np.ones(101, np.int64) if w is None else w
        wanted = [amounts @ (found & kept) for found in (p & g, p & ~g, ~p & g)]
        found, faults = run(kernels, pred, gold, n, log=log, ignore=-1, weight=w, blocks=blocks)
        assert (found == np.array(wanted)).all()
        assert faults == [0, -1, 0, 0]
    gold[7, n - 1] = 2
    assert run(kernels, pred, gold, n, log=log, ignore=-1)[1][0] == 2
