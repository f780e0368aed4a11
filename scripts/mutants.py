"""Mutation testing of the exact rooms and of counting: change the code in small ways, and see whether a test fails.

`make mutants` samples mutants of every room with cosmic-ray (`N` of each, drawn with `SEED`), runs the tests of that
room on a copy of the project, and lists the survivors: each wants a test, or a reason why it changes nothing. All
mutants of a room take hours; a sample of 40 tells the share that is killed to about 10 points.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "scoring": "tests/scoring tests/comparing/test_comparison.py",
    "bounding": "tests/bounding",
    "auditing": "tests/auditing",
    "counting": "tests/counting tests/reading",
}
CONFIG = """\
[cosmic-ray]
module-path = "src/macrof1/{room}"
timeout = {timeout}
excluded-modules = []
test-command = "{python} -m pytest -q -x -n 0 -p no:cacheprovider {tests}"

[cosmic-ray.distributor]
name = "local"
"""
# Mutants that change nothing that runs: annotations are text, and nobody reads them.
HARMLESS = ("ReplaceBinaryOperator_BitOr",)


def sample(session: Path, n: int, draw: random.Random) -> int:
    """Keep n mutants of a session, and return how many there were."""
    with sqlite3.connect(session) as database:
        operators = dict(database.execute("SELECT job_id, operator_name FROM mutation_specs"))
        jobs = sorted(job for job, name in operators.items() if not any(each in name for each in HARMLESS))
        kept = set(draw.sample(jobs, min(n, len(jobs))))
        for job in operators.keys() - kept:
            database.execute("DELETE FROM mutation_specs WHERE job_id = ?", (job,))
            database.execute("DELETE FROM work_items WHERE job_id = ?", (job,))
    return len(jobs)


def survivors(session: Path) -> tuple[int, list[str]]:
    """Return how many mutants were tried, and what those that lived had changed."""
    with sqlite3.connect(session) as database:
        rows = database.execute("SELECT test_outcome, diff FROM work_results").fetchall()
    return len(rows), [diff for outcome, diff in rows if "survived" in str(outcome).lower()]


def main() -> int:
    """Try mutants of the rooms that are asked for, and print the share that was killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", nargs="*", default=list(ROOMS))
    parser.add_argument("-n", type=int, default=40, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=600, help="seconds for the tests of one mutant")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="macrof1-mutants-") as folder:
        copy = Path(folder) / "project"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", "node_modules"))
        environment = {**os.environ, "PYTHONPATH": f"{copy / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
        for room in given.rooms:
            config, session = copy / "mutants.toml", copy / "mutants.sqlite"
            session.unlink(missing_ok=True)
            config.write_text(
                CONFIG.format(room=room, timeout=given.timeout, python=sys.executable, tests=ROOMS[room]),
                encoding="utf-8",
            )
            call = [sys.executable, "-m", "cosmic_ray.cli"]
            # Tests that fail anyway would seem to kill everything.
            subprocess.run([*call, "baseline", config.name], cwd=copy, env=environment, check=True)
            subprocess.run([*call, "init", config.name, session.name], cwd=copy, env=environment, check=True)
            total = sample(session, given.n, random.Random(given.seed))  # noqa: S311  # a sample, not a secret
            subprocess.run([*call, "exec", config.name, session.name], cwd=copy, env=environment, check=True)
            tried, alive = survivors(session)
            print(f"{room}: {tried - len(alive)} of {tried} sampled mutants killed ({total:,} in all)", flush=True)
            print("\n".join(alive), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
