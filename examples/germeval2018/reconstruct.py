"""Rebuild the confusion counts of all 51 runs from the published leaderboard.

With 1,202 OFFENSE and 2,330 OTHER tweets, a recall printed with two decimals leaves room for one count
only. Writes counts.csv (all runs) and fosil_coarse_1.csv (one run, a row per tweet).
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
GOLD = {"OFFENSE": 1202, "OTHER": 2330}


def main() -> None:
    """Read leaderboard.csv and write the two files."""
    with (HERE / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    cells = []
    for run in published:
        hits = {label: round(float(run[f"{label.lower()}_recall"]) * n / 100) for label, n in GOLD.items()}
        for gold, other in (("OFFENSE", "OTHER"), ("OTHER", "OFFENSE")):
            cells.append((run["run"], gold, gold, hits[gold]))
            cells.append((run["run"], gold, other, GOLD[gold] - hits[gold]))
    write("counts.csv", ["run", "gold", "pred", "count"], cells)
    # The order of the tweets is not known, and no score depends on it.
    tweets = [(gold, pred) for run, gold, pred, count in cells if run == "FoSIL/coarse_1" for _ in range(count)]
    write("fosil_coarse_1.csv", ["gold", "pred"], tweets)


def write(name: str, header: list[str], rows: Sequence[tuple[str | int, ...]]) -> None:
    """Write one CSV file beside this script."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    main()
