"""Benchmark audits: 20,000 simulated reports, 20,000 as printed by tools, the census, and leaderboards of 10,000 rows.

No simulated report may get an unsound verdict. In the second leaderboard, every row has one or two wrong figures.
`innocent` audits genuine reports of many histories, none of which may be called contradictory, and then the same with
one digit changed: which share no longer fits, and which contradicts itself.

    python benchmarks/audit.py [REPORTS]
    python benchmarks/audit.py innocent [REPORTS_PER_KIND]
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from genuine_reports import GENUINE, as_printed, genuine_report, with_a_typo
from tests.reports import is_sound, random_matrix, simulate, simulate_tool

import macrof1


def soundness(reports):
    rng = np.random.default_rng(2018)
    unsound, decided, power = 0, Counter(), Counter()
    start = time.perf_counter()
    for number in range(reports):
        arguments, truth, counts = simulate(rng)
        result = macrof1.audit(**arguments)
        wrong = result.verdict not in (truth, "either") or bool(result.findings)
        if result.counts is not None:
            found = (list(result.counts.tp), list(result.counts.predicted), list(result.counts.actual))
            wrong |= found != counts
        if wrong:
            unsound += 1
            print(f"unsound: report {number}, truth {truth}: {result}", arguments)
        n = len(counts[0])
        information = "macro" if "per_class" not in arguments else "per class"
        places = len(arguments["f1"].partition(".")[2]) + (2 if arguments["percent"] else 0)
        group = (information, truth, places, "2" if n == 2 else "3-9" if n < 10 else "10-20")
        power[group] += 1
        decided[group] += result.verdict == truth
    print(f"{reports:,} simulated reports: {unsound} unsound, {time.perf_counter() - start:.0f} s")
    for group in sorted(power):
        information, truth, places, classes = group
        share = decided[group] / power[group]
        print(f"  {information:<10}{truth:<16}{places} decimals  {classes:>5} classes  decided {share:.2f}")


def tools(reports, seed=77):
    """Audit what tools print: floats in full, truncated, several labels per row, weighted, micro, dropped classes, …"""
    rng = np.random.default_rng(seed)
    unsound, total, true, times = Counter(), Counter(), Counter(), []
    for number in range(reports):
        arguments, truth, printer = simulate_tool(rng)
        start = time.perf_counter()
        result = macrof1.audit(**arguments)
        times.append(time.perf_counter() - start)
        total[printer] += 1
        true[printer] += result.verdict == truth
        if not is_sound(result, truth, printer, arguments):
            unsound[printer] += 1
            print(f"unsound: report {number}, {printer}, truth {truth}: {result}", arguments)
    print(f"{reports:,} reports as tools print them, seed {seed}: {sum(unsound.values())} unsound")
    for printer, count in sorted(total.items()):
        print(f"  {printer:<16}{count:>6}  decided {true[printer] / count:.2f}")
    times.sort()
    print(f"  median {1e3 * times[reports // 2]:.1f} ms, 95% {1e3 * times[int(0.95 * reports)]:.0f} ms")


def census():
    """Audit the census as one text, and compare with the verdicts that it holds."""
    text = (Path(__file__).parents[1] / "examples" / "census" / "census.jsonl").read_text(encoding="utf-8")
    start = time.perf_counter()
    reports = macrof1.audit_text(text).reports
    took = time.perf_counter() - start
    verdicts = [json.loads(line)["verdict"] for line in text.splitlines()]
    same = sum(report.result.verdict == verdict for report, verdict in zip(reports, verdicts, strict=True))
    print(f"census: {len(reports)} reports in {took:.1f} s, {same} verdicts as stored")


def leaderboard(rows, *, wrong=False):
    rng = np.random.default_rng(1)
    labels, table = ["offense", "other"], []
    gold = None
    for number in range(rows):
        matrix = random_matrix(rng, 2, 3532)
        if gold is None:
            gold = matrix.sum(axis=1)
        # The same gold labels for every row, with this row's recalls.
        share = np.diag(matrix) / np.maximum(matrix.sum(axis=1), 1)
        hits = np.floor(share * gold).astype(int)
        cells = [[hits[0], gold[0] - hits[0]], [gold[1] - hits[1], hits[1]]]
        result = macrof1.score_matrix(cells, rows="gold", labels=labels)
        row = {"run": f"run {number}", "accuracy": f"{100 * hits.sum() / gold.sum():.2f}"}
        for record in result.per_class:
            row |= {
                f"{record.label}_{kind}": f"{100 * getattr(record, kind):.2f}" for kind in ("precision", "recall", "f1")
            }
        row |= {f"macro_{kind}": f"{100 * getattr(result, f'macro_{kind}'):.2f}" for kind in ("precision", "recall")}
        row |= {"macro_f1": f"{100 * result.f1_of_averages:.2f}"}
        if wrong:
            for name in rng.choice(list(row)[1:], 1 + (rng.random() < 0.3), replace=False):
                change = rng.choice([-10, -1, -0.5, -0.2, 0.2, 0.5, 1, 10])
                row[name] = f"{min(max(float(row[name]) + change, 0.01), 99.99):.2f}"
        table.append(row)
    support = dict(zip(labels, gold.tolist(), strict=True))
    start, busy = time.perf_counter(), time.process_time()
    summary = macrof1.audit_table(table, support=support, seconds=None).summary
    took, target = time.perf_counter() - start, 10
    found = f"{summary.n_findings:,} findings; {summary.verdicts}"
    busy = time.process_time() - busy
    print(f"{rows:,}-row leaderboard: {took:.1f} s, processor {busy:.1f} s (target: under {target} s); {found}")


def innocent(reports, seed=26):
    """Audit genuine reports as text, and the same with a typo; print the shares by kind, decimals and figure."""
    for kind in GENUINE:
        rng, statuses = np.random.default_rng(seed), Counter()
        for _ in range(reports):
            (report,) = macrof1.audit_text(as_printed(*genuine_report(rng, kind))).reports
            statuses[report.result.status] += 1
        print(f"{kind:<34}{reports:>6}  claims {statuses['contradicts itself']}  fits {statuses['fits'] / reports:.2f}")
        sys.stdout.flush()
    for kind in GENUINE:
        for decimals in (2, 3, 4):
            rng, total, off, claimed = np.random.default_rng(seed + 1), Counter(), Counter(), Counter()
            for _ in range(reports // 4):
                heading, rows = genuine_report(rng, kind, decimals)
                rows, figure = with_a_typo(rng, rows)
                try:
                    status = macrof1.audit_text(as_printed(heading, rows)).reports[0].result.status
                except macrof1.InputError:
                    status = "refused"  # 1.00 became 1.50: a score above 1 is no finding
                for name in ("all", figure):
                    total[name] += 1
                    off[name] += status != "fits"
                    claimed[name] += status == "contradicts itself"
            shares = "  ".join(
                f"{name} {off[name] / n:.2f}/{claimed[name] / n:.2f}" for name, n in sorted(total.items())
            )
            print(f"typo in {kind:<26}{decimals} decimals  {shares}")
            sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["innocent"]:
        innocent(int(sys.argv[2]) if len(sys.argv) > 2 else 2_000)
        sys.exit()
    leaderboard(10_000)
    leaderboard(10_000, wrong=True)
    census()
    soundness(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
    tools(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
