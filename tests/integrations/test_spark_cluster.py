"""Spark standalone: a master and two workers in separate processes, not local mode."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import macrof1

from .parts import part

pyspark = part("pyspark")

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, and there is no java on the PATH"),
]
HOME = Path(pyspark.__file__).parent


def started(folder, name, *arguments):
    """Start one of Spark's own programs in a process group of its own; return it and its log."""
    log = folder / f"{name}.log"
    environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
    command = [str(HOME / "bin/spark-class"), *arguments]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
    return process, log


def awaited(process, log, pattern, seconds=90):
    """Wait until a program has said that it is ready."""
    for _ in range(seconds * 10):
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return found[1]
        if process.poll() is not None:
            break
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    pytest.fail(log.read_text(errors="replace")[-2000:])


@pytest.fixture
def cluster(tmp_path):
    """Start a master and two workers; stop what is left of them."""
    deploy = "org.apache.spark.deploy"
    ports = "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"
    processes = []
    try:
        master, log = started(tmp_path, "master", f"{deploy}.master.Master", *ports)
        processes.append(master)
        address = awaited(master, log, r"Starting Spark master at (spark://\S+)")
        for name in ("first", "second"):
            folder = tmp_path / name
            sizes = "--cores", "1", "--memory", "700m", "--work-dir", str(folder)
            worker, log = started(tmp_path, name, f"{deploy}.worker.Worker", *ports, *sizes, address)
            processes.append(worker)
            awaited(worker, log, r"(Successfully registered with master)")
        yield address, processes[1].pid
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):  # the test has ended it
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def made(rows):
    row = np.arange(rows)
    gold = row % 7
    return gold, np.where(row % 10 < 7, gold, row % 5), np.where(row % 11 < 8, gold, row % 3), row % 3


@pytest.mark.slow
def test_a_cluster_counts_what_the_library_counts_and_survives_a_dead_worker(cluster):
    address, worker = cluster
    program = Path(__file__).with_name("programs") / "spark_cluster.py"
    done = subprocess.run(
        [sys.executable, str(program), address, str(worker)], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found, after = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    gold, pred, other, domain = made(200_000)
    whole = macrof1.score(gold, pred)
    assert found["evaluator"] == found["frame"] == [whole.averaged_f1, whole.f1_of_averages, 200_000]
    for name, numbers in found["groups"].items():
        rows = domain == int(name)
        part_of_it = macrof1.score(gold[rows], pred[rows])
        assert numbers == [part_of_it.averaged_f1, part_of_it.f1_of_averages, int(rows.sum())]
    compared = macrof1.compare(gold, {"prediction": pred, "other": other}, n_resamples=100)
    assert found["compared"] == compared.to_dict()
    for plan in found["plans"]:
        # One shuffle, of cells that each partition has counted; what is collected comes out of the second count.
        assert plan.count("Exchange hashpartitioning") == plan.count("Exchange") == 1
        assert plan.count("HashAggregate") == 2
        assert re.match(r"AdaptiveSparkPlan[^\n]*\n\+- (\*\(\d\) )?HashAggregate", plan)
    assert after["tasks_left"] > 0
    gold, pred, *_ = made(4_000_000)
    whole = macrof1.score(gold, pred)
    assert after["after"] == [whole.averaged_f1, whole.f1_of_averages, 4_000_000]
