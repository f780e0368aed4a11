"""Clusters of separate processes, one of which dies: Spark standalone (a master and two workers), Dask distributed."""

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

from ..oracles import without_digests
from .parts import part

PARTS = 24


def started(folder, name, *arguments):
    """Start one of Spark's own programs in a process group of its own; return it and its log."""
    home, log = Path(part("pyspark").__file__).parent, folder / f"{name}.log"
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
    command = [str(home / "bin/spark-class"), *arguments]
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


def printed(name, *arguments):
    """Run a program on a cluster; return what it found before a worker died, and after."""
    program = Path(__file__).with_name("programs") / name
    command = [sys.executable, str(program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))


def check(found, after, names, rows, more_rows):
    """Compare with the library, on all rows, by domain, two systems, and where a worker died."""
    gold, pred, other, domain = made(rows)
    whole = macrof1.score(gold, pred)
    assert found["frame"] == [whole.averaged_f1, whole.f1_of_averages, rows]
    for name, numbers in found["groups"].items():
        here = domain == int(name)
        part_of_it = macrof1.score(gold[here], pred[here])
        assert numbers == [part_of_it.averaged_f1, part_of_it.f1_of_averages, int(here.sum())]
    systems = dict(zip(names, (pred, other), strict=True))
    compared = macrof1.compare(gold, systems, n_resamples=100).to_dict()
    assert without_digests(found["compared"]) == without_digests(compared)
    gold, pred, *_ = made(more_rows)
    whole = macrof1.score(gold, pred)
    assert after["after"] == [whole.averaged_f1, whole.f1_of_averages, more_rows]


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, and there is no java on the PATH")
def test_spark_counts_what_the_library_counts_and_survives_a_dead_worker(cluster):
    found, after = printed("spark_cluster.py", *cluster)
    check(found, after, ["prediction", "other"], 200_000, 4_000_000)
    assert found["evaluator"] == found["frame"]
    for plan in found["plans"]:
        # One shuffle, of cells that each partition has counted; what is collected comes out of the second count.
        assert plan.count("Exchange hashpartitioning") == plan.count("Exchange") == 1
        assert plan.count("HashAggregate") == 2
        assert re.match(r"AdaptiveSparkPlan[^\n]*\n\+- (\*\(\d\) )?HashAggregate", plan)
    assert after["tasks_left"] > 0


@pytest.mark.slow
def test_dask_counts_what_the_library_counts_and_survives_a_dead_worker(tmp_path):
    part("distributed")
    found, after = printed("dask_cluster.py", tmp_path)
    check(found, after, ["a", "b"], 210_000, 240_000)
    assert found["workers"] == 2
    # Some partitions were made before the worker died, and some of its own again afterwards.
    assert after["begun"] < PARTS <= after["made"]
