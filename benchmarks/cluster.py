"""Clusters on this machine, in separate processes (Spark: a master and workers; Dask: workers), and their CPU time."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pyspark

HOME = Path(pyspark.__file__).parent
DEPLOY = "org.apache.spark.deploy"
ANY_PORT = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")


def _started(folder, name, pattern, *arguments):
    """Start one of Spark's own programs, and wait until it says that it is ready."""
    environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
    log = folder / f"{name}.log"
    with log.open("wb") as output:
        command = [str(HOME / "bin/spark-class"), *arguments]
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
    for _ in range(900):
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return process, found[1]
        time.sleep(0.1)
    raise SystemExit(log.read_text(errors="replace")[-2000:])


@contextmanager
def standalone(workers=2, memory="1g"):
    """Give the address of a cluster, and stop it afterwards."""
    processes = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        try:
            master, address = _started(
                folder, "master", r"Starting Spark master at (spark://\S+)", f"{DEPLOY}.master.Master", *ANY_PORT
            )
            processes.append(master)
            for k in range(workers):
                sizes = "--cores", "1", "--memory", memory, "--work-dir", str(folder / f"worker {k}")
                said, program = r"(Successfully registered with master)", f"{DEPLOY}.worker.Worker"
                processes.append(_started(folder, f"worker-{k}", said, program, *ANY_PORT, *sizes, address)[0])
            yield address
        finally:
            for process in processes:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@contextmanager
def dask(workers=2):
    """Give a client of a Dask cluster of workers with one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as one,
    ):
        yield one


def processor_time():
    """Return the CPU seconds of this process and of all that it started and that still run: the whole cluster."""
    total = 0.0
    for process in (own := psutil.Process(), *own.children(recursive=True)):
        with suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total
