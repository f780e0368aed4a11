"""Measure memory over half an hour: the explorer under steady requests, and an accumulator under steady batches.

Prints the resident memory of both every ten minutes (`--seconds` shortens the run). Memory should be flat after the
first minute, but no figure makes the run fail. Run: .venv/bin/python benchmarks/soak.py
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
from explorer import resident

import macrof1

CSV = "gold,pred\n" + "".join(f"c{i % 7},c{(i * i) % 7}\n" for i in range(500))


def requests() -> list[tuple[str, str, bytes | None]]:
    matrix = [[90 if i == j else (3 * i + j) % 7 for j in range(20)] for i in range(20)]
    posts = {
        "/api/score": {"labels": [f"c{x}" for x in range(20)], "matrix": matrix},
        "/api/audit": {"precision": "0.2937", "recall": "0.2283", "f1": "0.2095"},
        "/api/read": {"name": "predictions.csv", "text": CSV},
    }
    gets = ["/", "/static/app.js", "/api/presets/worst-case?z=3", "/api/nothing"]
    return [("POST", path, json.dumps(body).encode()) for path, body in posts.items()] + [
        ("GET", p, None) for p in gets
    ]


def with_children(process: int) -> float:
    """Return the memory of a process and of the workers that it started."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return resident(process) + sum(with_children(int(child)) for child in listed)


def ask(port: int, per_second: float, stop: float, statuses: dict[str, int]) -> None:
    turn = 0
    every = requests()
    while time.monotonic() < stop:
        method, path, body = every[turn % len(every)]
        turn += 1
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            headers = {"content-type": "application/json"} if body else {}
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            answer.read()
            said = f"{path} {answer.status}"
        except (OSError, http.client.HTTPException) as error:
            said = f"{path} {type(error).__name__}"
        statuses[said] = statuses.get(said, 0) + 1
        connection.close()
        time.sleep(1 / per_second)


def accumulate(per_second: float, stop: float, counted: dict[str, int]) -> None:
    rng = np.random.default_rng(0)
    plain, weighted, sets = macrof1.Accumulator(), macrof1.Accumulator(), macrof1.Accumulator()
    while time.monotonic() < stop:
        gold, pred = rng.integers(0, 50, (2, 1000))
        plain.update(gold, pred)
        weighted.update(gold, pred, sample_weight=rng.random(1000))
        sets.update(rng.integers(0, 2, (100, 20)), rng.integers(0, 2, (100, 20)))
        counted["batches"] = counted.get("batches", 0) + 3
        if counted["batches"] % 300 == 0:
            for each in (plain, weighted, sets):
                macrof1.Accumulator().merge(each).score()
        time.sleep(1 / per_second)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--per-second", type=float, default=5)
    given = parser.parse_args()
    command = [sys.executable, "-m", "macrof1", "explore", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
            port = int(address.rstrip("/").rpartition(":")[2])
            warm, begun = min(60.0, given.seconds / 10), time.monotonic()
            statuses: dict[str, int] = {}
            counted: dict[str, int] = {}
            stop = begun + warm + given.seconds
            work = [
                threading.Thread(target=ask, args=(port, given.per_second, stop, statuses)),
                threading.Thread(target=accumulate, args=(given.per_second, stop, counted)),
            ]
            for each in work:
                each.start()
            for part in range(4):
                time.sleep(max(0.0, begun + warm + part * given.seconds / 3 - time.monotonic()))
                figures = f"explorer {with_children(server.pid):.1f} MiB, accumulators {resident(os.getpid()):.1f} MiB"
                n = sum(statuses.values())
                print(
                    f"{part * given.seconds / 180:4.1f} min: {figures}; {n:,} requests, {counted.get('batches', 0):,} "
                    "batches",
                    flush=True,
                )
            for each in work:
                each.join()
            print(statuses)
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
