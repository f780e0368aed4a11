"""Score on a Dask cluster of processes and print the result; started by test_clusters.py.

One of the two workers is killed while a job runs, after the first partitions and before the last.
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

import macrof1


def made(part, rows, folder=None):
    """Make the rows of a partition where they are counted, the same ones every time; a file tells that it was begun."""
    if folder is not None:
        (Path(folder) / f"{part}-{os.getpid()}-{time.monotonic_ns()}").touch()
        time.sleep(0.2)
    row = np.arange(part * rows, (part + 1) * rows)
    gold = row % 7
    return pd.DataFrame({
        "gold": gold,
        "a": np.where(row % 10 < 7, gold, row % 5),
        "b": np.where(row % 11 < 8, gold, row % 3),
        "domain": row % 3,
    })  # fmt: skip


def frame(rows, parts, folder=None):
    return dd.from_map(made, range(parts), rows=rows // parts, folder=folder, meta=made(0, 7))


def numbers(result):
    return [result.averaged_f1, result.f1_of_averages, result.n_rows]


def with_a_worker_killed(client, rows, folder):
    found = []
    job = threading.Thread(
        target=lambda: found.append(macrof1.score_frame(frame(rows, 24, folder), gold="gold", pred="a"))
    )
    job.start()
    while job.is_alive() and not 4 <= len(list(Path(folder).iterdir())) < 20:
        time.sleep(0.01)
    begun = len(list(Path(folder).iterdir()))
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    job.join()
    return found[0], begun


def main():
    folder = sys.argv[1]
    sizes = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**sizes) as cluster, Client(cluster) as client:
        data = frame(210_000, 6)
        grouped = macrof1.score_groups(data, gold="gold", pred="a", by="domain")
        compared = macrof1.compare_frame(data, gold="gold", systems=["a", "b"], n_resamples=100)
        print(json.dumps({
            "workers": len(set(client.run(os.getpid).values()) - {os.getpid()}),
            "frame": numbers(macrof1.score_frame(data, gold="gold", pred="a")),
            "groups": {str(group.key[0]): numbers(group.result) for group in grouped.groups},
            "compared": compared.to_dict(),
        }))  # fmt: skip
        result, begun = with_a_worker_killed(client, 240_000, folder)
        print(json.dumps({"after": numbers(result), "begun": begun, "made": len(list(Path(folder).iterdir()))}))


if __name__ == "__main__":
    main()
