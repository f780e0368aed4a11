"""Scoring side by side with every peer, in one run, on the same arrays: `make bench` writes docs/benchmarks.md.

Only the ratios carry over to other machines. A peer that would need minutes is run on fewer rows and its time is
scaled up in proportion; such figures are marked with ~. Peers that are not installed are left out, and named. The
curves (rows, rows of files, classes, kinds of strings) are drawn as one picture, docs/benchmarks.svg.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import numpy as np
from peers import CAPS, PEERS

import macrof1
from macrof1.counting.kernel.integers import _threads, counting_path
from macrof1.reporting.as_markup import table_markdown
from macrof1.reporting.document import Table

ROOT = Path(__file__).parents[1]
START, END = "<!-- counting: written by make bench -->", "<!-- end of counting -->"


@dataclass
class Case:
    """One input, and what each contender needed for it, in seconds."""

    name: str
    make: object
    rows: int
    peers: list[str]
    floor: bool = False
    target: str = ""
    curve: tuple[str, object] | None = None  # the panel of the picture, and where in it
    times: dict[str, float] = field(default_factory=dict)
    scaled: set[str] = field(default_factory=set)


def integers(rows, classes, dtype="int64"):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, classes, rows, dtype=dtype)
    return gold, np.where(rng.random(rows) < 0.7, gold, rng.integers(0, classes, rows, dtype=dtype))


def names(rows, classes=10):
    return tuple(
        np.array([f"class {x}" for x in range(classes)], dtype=object)[side] for side in integers(rows, classes)
    )


def strings(rows):
    return tuple(side.tolist() for side in names(rows))


def fixed_width(rows, classes):
    return tuple(np.array([f"class {x}" for x in range(classes)])[side] for side in integers(rows, classes))


def arrow_strings(rows, classes):
    import pyarrow as pa

    return tuple(map(pa.array, fixed_width(rows, classes)))


def pandas_strings(rows, classes):
    import pandas as pd

    return tuple(pd.Series(side, dtype="str") for side in fixed_width(rows, classes))


# As they come out of a notebook, a file or a table: no two rows share a Python object.
STRINGS = {
    "lists": lambda *size: tuple(side.tolist() for side in fixed_width(*size)),
    "NumPy U": fixed_width,
    "NumPy object": lambda *size: tuple(side.astype(object) for side in fixed_width(*size)),
    "Arrow": arrow_strings,
    "pandas": pandas_strings,
}


def categoricals(rows):
    import pandas as pd

    labels = [f"class {x}" for x in range(10)]
    return tuple(pd.Series(pd.Categorical.from_codes(side, labels)) for side in integers(rows, 10, "int8"))


def polars_categoricals(rows):
    import polars as pl

    return tuple(pl.from_pandas(side).cast(pl.Categorical) for side in categoricals(rows))


def indicators(rows):
    rng = np.random.default_rng(0)
    gold = rng.random((rows, 10)) < 0.2
    return gold, gold ^ (rng.random((rows, 10)) < 0.1)


def sparse(rows):
    import scipy.sparse as sp

    return tuple(sp.csr_array(side.astype(np.int8)) for side in indicators(rows))


def cases(most):
    array_peers = ["scikit-learn", "torchmetrics", "NumPy bincount", "Polars", "DuckDB", "PyCM", "river"]
    found = [
        Case(
            f"{10**k:,} rows", lambda k=k: integers(10**k, 10), 10**k, array_peers, floor=True,
            curve=("rows", 10**k),
        )
        for k in range(3, 9)
    ]  # fmt: skip
    found[0].target = "100x scikit-learn"
    found[2].target = "2x the floor"
    found[-1].target = "1.5x the floor, 150x scikit-learn"
    few = ["scikit-learn", "torchmetrics", "NumPy bincount"]
    targets = {2: 1.25, 100: 1.25, 1000: 2.2, 100_000: 3.2}
    for classes in targets:
        target = f"{targets[classes]}x the floor"
        make = lambda classes=classes: integers(10**7, classes)  # noqa: E731  # one line per case
        found.append(Case(f"10,000,000 rows, {classes:,} classes", make, 10**7, few, floor=True, target=target))
    found += [
        Case("10,000,000 rows, int32", lambda: integers(10**7, 10, "int32"), 10**7, few, floor=True),
        Case(
            "10,000,000 rows, uint8", lambda: integers(10**7, 10, "uint8"), 10**7, few, floor=True,
            target="60x scikit-learn, 3x NumPy bincount",
        ),
        Case("1,000,000 strings in lists", lambda: strings(10**6), 10**6, ["scikit-learn", "PyCM", "river"],
             target="80x scikit-learn"),
        Case("1,000,000 strings, NumPy object", lambda: names(10**6), 10**6, ["scikit-learn"]),
        Case("10,000,000 pandas categoricals", lambda: categoricals(10**7), 10**7, ["scikit-learn"],
             target="100x scikit-learn"),
        Case("10,000,000 Polars categoricals", lambda: polars_categoricals(10**7), 10**7, ["scikit-learn", "Polars"],
             target="100x scikit-learn"),
        Case("1,000,000 x 10 indicators", lambda: indicators(10**6), 10**6, ["scikit-learn", "torchmetrics"]),
        Case("1,000,000 x 10 indicators, CSR", lambda: sparse(10**6), 10**6, ["scikit-learn"],
             target="15x scikit-learn"),
    ]  # fmt: skip
    return [case for case in found if case.rows <= most]


def curves(most):
    """Return the cases of the other curves: all scores of more and more classes, and kinds of strings."""
    found = []
    for classes in (2, 10, 100, 1_000, 10_000, 100_000, 1_000_000):
        make = lambda classes=classes: integers(10**6, classes)  # noqa: E731  # one line per case
        peers = ["scikit-learn", "NumPy bincount", *(["torchmetrics"] if classes <= 1_000 else [])]
        target = "0.5x counting" if classes >= 100_000 else ""
        found.append(
            Case(f"{classes:,} classes", make, 10**6, peers, floor=True, target=target, curve=("classes", classes))
        )
    for classes in (10, 10_000):
        for kind, make in STRINGS.items():
            target = {"lists": "60x scikit-learn", "NumPy U": "30x scikit-learn", "Arrow": "3x the floor"}.get(kind, "")
            peers = ["scikit-learn", *(["Polars"] if kind == "Arrow" else [])]
            name, at = f"{kind}, {classes:,} classes", (f"strings, {classes:,} classes", kind)
            case = Case(name, lambda make=make, k=classes: make(300_000, k), 300_000, peers, target=target, curve=at)
            found.append(case)
    return [case for case in found if case.rows <= most]


BUDGET = 1.5
LOAD = os.getloadavg()[0]


def timed(function, budget=None):
    """Return the median time of repeated calls within a budget, after one call to warm up."""
    budget = BUDGET if budget is None else budget
    start = time.perf_counter()
    function()
    once = time.perf_counter() - start
    # Calls of microseconds are timed in bundles, so that the clock does not count.
    bundle = max(1, int(0.002 / max(once, 1e-7)))
    repeats = min(41, max(3, int(budget / max(once * bundle, 1e-6))))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(bundle):
            function()
        times.append((time.perf_counter() - start) / bundle)
    return median(times)


def in_turns(ours, theirs, budget=3.0):
    """Return the median times of two functions that are called in turns, so that both see the same machine."""
    bundles, times = [], ([], [])
    for function in (ours, theirs):
        function()
        start = time.perf_counter()
        function()
        bundles.append(max(1, int(0.002 / (time.perf_counter() - start))))
    end = time.perf_counter() + budget
    while time.perf_counter() < end or len(times[0]) < 5:
        for function, bundle, found in zip((ours, theirs), bundles, times, strict=True):
            start = time.perf_counter()
            for _ in range(bundle):
                function()
            found.append((time.perf_counter() - start) / bundle)
    return median(times[0]), median(times[1])


def averaged(gold, pred):
    return macrof1.score(gold, pred).averaged_f1


def all_scores(gold, pred):
    result = macrof1.score(gold, pred)
    return result.averaged_f1, result.f1_of_averages, result.gap


def bytes_of(side):
    """Return the memory in which a column keeps its strings, as arrays; none for Python objects."""
    if isinstance(side, np.ndarray) and side.dtype.kind == "U":
        return [side.view(np.uint32)]
    if type(side).__module__.startswith("pyarrow"):
        return [np.frombuffer(buffer, np.int32, buffer.size // 4) for buffer in side.buffers()[1:]]
    return []


def beside_floor(gold, pred, threads, ours=averaged):
    """Time ours and reading both arrays once, with as many threads as we use."""
    parts = [slice(len(gold) * k // threads, len(gold) * (k + 1) // threads) for k in range(threads)]

    def read(part):
        return int(gold[part].sum()) + int(pred[part].sum())

    with ThreadPoolExecutor(threads) as pool:
        floor = (lambda: read(parts[0])) if threads == 1 else (lambda: list(pool.map(read, parts)))
        return in_turns(lambda: ours(gold, pred), floor)


def run(case):
    gold, pred = case.make()
    panel = "" if case.curve is None else case.curve[0]
    kept = [*bytes_of(gold), *bytes_of(pred)] if panel.startswith("strings") else []
    if panel == "classes":
        case.times["macrof1"], case.times["floor"] = beside_floor(gold, pred, 1, all_scores)
        case.times["counting"] = in_turns(lambda: macrof1.count(gold, pred), lambda: all_scores(gold, pred), budget=1)[
            0
        ]
    elif kept:
        read = lambda: [int(part.sum()) for part in kept]  # noqa: E731
        case.times["macrof1"], case.times["floor"] = in_turns(lambda: averaged(gold, pred), read, budget=1)
    elif case.floor:
        case.times["macrof1"], case.times["floor"] = beside_floor(gold, pred, _threads(len(gold)))
    else:
        case.times["macrof1"] = timed(lambda: averaged(gold, pred))
    for name in case.peers:
        if PEERS.get(name) is None:
            continue
        rows = min(case.rows, CAPS[name](case))
        part = (gold[:rows], pred[:rows]) if rows < case.rows else (gold, pred)
        try:
            seconds = timed(lambda name=name, part=part: PEERS[name](*part))
        except (MemoryError, RuntimeError, TypeError, ValueError) as error:
            print(f"  {name} cannot: {type(error).__name__}", file=sys.stderr)
            continue
        case.times[name] = seconds * case.rows / rows
        if rows < case.rows:
            case.scaled.add(name)


def shown(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(found):
    columns = ["counting", "scikit-learn", "torchmetrics", "NumPy bincount", "Polars", "DuckDB"]  # more are drawn
    present = [name for name in columns if any(name in case.times for case in found)]
    rows = []
    for case in found:
        ours = case.times["macrof1"]
        ratios = [
            f"{'~' if name in case.scaled else ''}{case.times[name] / ours:,.3g}x" if name in case.times else ""
            for name in present
        ]
        floor = f"{ours / case.times['floor']:.2f}x" if "floor" in case.times else ""
        rows.append([case.name, shown(ours), floor, *ratios, case.target])
    return table_markdown(Table(["case", "macrof1", "times the floor", *present, "target"], rows))


def slope(points):
    x, y = np.log([p[0] for p in points]), np.log([p[1] for p in points])
    return float(np.polyfit(x, y, 1)[0])


PEAK = """
import resource, numpy as np, macrof1
gold = np.random.default_rng(0).integers(0, 10, {rows})
pred = np.roll(gold, 1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
macrof1.score(gold, pred).averaged_f1
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def extras(rows):
    """Peak memory, intervals and comparisons, each against resampling rows with scikit-learn."""
    lines = []
    peak = subprocess.run([sys.executable, "-c", PEAK.format(rows=rows)], capture_output=True, text=True, check=True)
    lines.append(
        f"- Peak memory beyond the inputs, {rows:,} int64 rows: {float(peak.stdout):.1f} MB (target: under 50 MB)."
    )
    gold, pred = integers(1000, 10)
    report = PEERS.get("classification_report")
    if report is not None:
        ours, theirs = in_turns(lambda: macrof1.score(gold, pred).averaged_f1, lambda: report(gold, pred))
        lines.append(f"- 1,000 rows, against classification_report: {theirs / ours:,.0f}x (target: 500x).")
    lines += [*batches(), start_up(), *many_classes()]
    gold, pred = integers(10**6, 10)
    result = macrof1.score(gold, pred)
    if hasattr(result, "interval") and PEERS.get("scikit-learn") is not None:
        ours = timed(lambda: result.interval("averaged_f1", method="bootstrap", n_resamples=1000, rng=0))
        rng = np.random.default_rng(0)

        def resample():
            rows = rng.integers(0, len(gold), len(gold))
            return PEERS["scikit-learn"](gold[rows], pred[rows])

        theirs = 1000 * timed(resample, budget=3)
        lines.append(
            f"- Bootstrap interval, 1,000 resamples of 1,000,000 rows: {shown(ours)}, ~{theirs / ours:,.0f}x faster "
            "than resampling rows with scikit-learn, whose time is scaled up from a few resamples (target: 5,000x)."
        )
    if hasattr(macrof1, "compare"):
        gold, _ = integers(10**5, 10)
        rng = np.random.default_rng(1)
        systems = {
            f"system {k}": np.where(rng.random(len(gold)) < 0.6 + k / 100, gold, rng.integers(0, 10, len(gold)))
            for k in range(10)
        }
        ours = timed(lambda: macrof1.compare(gold, systems, n_resamples=1000, rng=0), budget=1)
        lines.append(f"- Comparing 10 systems on 100,000 rows, all pairs, 1,000 resamples: {shown(ours)}.")
    return lines


def many_classes(rows=10**6):
    """Time an interval and comparisons of very many classes beside counting them, and the cells that they draw."""

    def line(classes):
        gold, pred = integers(rows, classes)
        alike = np.where(np.roll(gold == pred, 1), gold, np.roll(pred, 1))
        better = np.where(np.arange(rows) % 3 > 0, gold, pred)
        of = {
            "an interval": lambda: macrof1.score(gold, pred).interval("averaged_f1"),
            "comparing two systems as good as each other": lambda: macrof1.compare(gold, {"a": pred, "b": alike}),
            "two that are not": lambda: macrof1.compare(gold, {"a": pred, "b": better}),
        }
        cells = timed(lambda: macrof1.score(gold, pred).cells)
        counting = timed(lambda: macrof1.count(gold, pred))
        times = {}
        few = slice(1_000)
        macrof1.compare(gold[few], {"a": pred[few], "b": alike[few]})  # loads what is loaded on first use
        for name, work in of.items():  # once each: they take long
            start = time.perf_counter()
            work()
            times[name] = time.perf_counter() - start
        each = [f"{name} {shown(t)} ({t / counting:,.0f}x, {t / cells:.1f}x cells)" for name, t in times.items()]
        return f"- {classes:,} classes, {rows:,} rows, beside counting (target: 2x): {', '.join(each)}."

    return [line(10**5), line(10**6)]


def start_up():
    """Compare the processor time of a small command with that of importing Polars."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.csv"
        path.write_text("gold,pred\n" + "cat,cat\ncat,dog\ndog,dog\n" * 30)
        ours = [sys.executable, "-m", "macrof1", "score", str(path)]
        turns = [(processor(ours), processor([sys.executable, "-c", "import polars"])) for _ in range(15)]
    ours, polars = (median(times) for times in zip(*turns, strict=True))
    return f"- `mf1 score small.csv`: {shown(ours)} CPU time, {ours / polars:.2f}x `import polars` (target: 1.5x)."


def processor(command):
    """Return the processor time of a command."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, capture_output=True, env=kept)  # compiles what was not
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=kept)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def batches(updates=10_000, rows=32):
    """Time many small updates beside one of the same rows, in CPU time: what is left is what an update costs."""
    gold, pred = integers(updates * rows, 10)
    lines = []
    for name, wrapped, made in batch_makers():
        sides = (pred, gold) if "torch" in name else (gold, pred)  # as torchmetrics has them
        whole = tuple(map(wrapped, sides))
        parts = list(zip(*(map(wrapped, np.split(side, updates)) for side in sides), strict=True))
        many, one = [], []
        for _ in range(20):
            for pairs, times in ((parts, many), ([whole], one)):
                state = made()
                start = time.process_time()
                for first, second in pairs:
                    state.update(first, second)
                state.compute() if hasattr(state, "compute") else state.counts()
                times.append(time.process_time() - start)
        each = (min(many) - 1.2 * min(one)) / updates
        lines.append(
            f"- {name}, {updates:,} updates of {rows} rows: {shown(max(each, 0))} CPU time per update beyond 1.2 times "
            "one update of all rows (target: 2 µs)."
        )
    return lines


def batch_makers():
    yield "Accumulator, arrays", lambda side: side, macrof1.Accumulator
    try:
        import torch

        from macrof1.integrations.torch import MacroF1
    except ImportError:
        return
    yield "torch metric, on the host", torch.from_numpy, lambda: MacroF1(10)


def parquet(path, rows, step=5_000_000):
    """Write gold and predicted labels of eight classes, in pieces: a billion rows do not fit in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    labels = pa.array([f"class {x}" for x in range(8)])
    schema = pa.schema([(name, pa.dictionary(pa.int8(), pa.string())) for name in ("gold", "pred")])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for start in range(0, rows, step):
            n = min(step, rows - start)
            gold, other, right = (rng.integers(0, 256, n, dtype=np.uint8) for _ in range(3))
            pred = np.where(right < 179, gold, other)
            codes = [pa.DictionaryArray.from_arrays((side & 7).view(np.int8), labels) for side in (gold, pred)]
            writer.write_table(pa.table(codes, schema=schema), row_group_size=1_000_000)


def file_curve(most):
    """Time Parquet files of up to a billion rows beside Polars' bare group-by; the largest are one file ten times."""
    import polars as pl

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for k in range(3, min(10, len(str(most)))):
            paths = [Path(folder) / f"{k}-{part}.parquet" for part in range(10 if k == 9 else 1)]
            if k < 9:
                parquet(paths[0], 10**k)
            else:
                for path in paths:
                    shutil.copyfile(Path(folder) / "8-0.parquet", path)  # a file named twice is refused
            print(f"{10**k:,} rows of Parquet", file=sys.stderr)
            ours = lambda paths=paths: all_scores_of_files(paths)  # noqa: E731  # one line per query
            bare = lambda paths=paths: (  # noqa: E731
                pl.scan_parquet(paths).group_by("gold", "pred").len().collect(engine="streaming")
            )
            case = Case(f"{10**k:,} rows of Parquet", None, 10**k, [], curve=("rows of Parquet", 10**k))
            if k == 9:
                case.times = {"macrof1": once(ours), "floor": once(bare)}
            else:
                case.times["macrof1"], case.times["floor"] = in_turns(ours, bare, budget=2)
            found.append(case)
    return found


def all_scores_of_files(paths):
    result = macrof1.score_file([str(path) for path in paths])
    return result.averaged_f1, result.f1_of_averages, result.gap


def once(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


PANELS = {
    "rows": "rows in memory (int64, 10 classes)",
    "rows of Parquet": "rows of Parquet files (8 classes; floor: bare group-by)",
    "classes": "classes (1,000,000 rows; both scores and the gap)",
    "strings": "strings (300,000 rows)",
}


def chart(found, path):
    """Draw all curves as one picture: ours, the peers and the floor."""
    from macrof1.reporting.charts import PALETTE, altair, picture

    alt = altair()
    points = [
        {
            "panel": case.curve[0].partition(",")[0], "classes": case.curve[0].partition(", ")[2], "x": case.curve[1],
            "seconds": seconds, "per row": seconds / case.rows, "tool": name,
        }
        for case in found
        if case.curve is not None
        for name, seconds in case.times.items()
    ]  # fmt: skip
    tools = list(dict.fromkeys(["macrof1", "floor", *(point["tool"] for point in points)]))
    colors = dict(zip(tools, [*PALETTE, "#7f7f7f", "#bcbd22", "#17becf"], strict=False))
    color = alt.Color("tool:N", title=None, scale=alt.Scale(domain=tools, range=list(colors.values())))
    drawn = []
    for panel, title in PANELS.items():
        some = [point for point in points if point["panel"] == panel]
        base = alt.Chart(alt.Data(values=some), width=400, height=260)
        if panel == "strings":
            y = alt.Y("per row:Q", scale=alt.Scale(type="log"), title="seconds per row", axis=alt.Axis(format="~e"))
            shape = alt.Shape("classes:N", title=None)
            drawn.append(base.mark_point(size=60).encode(x=alt.X("x:N", title=title), y=y, color=color, shape=shape))
            continue
        ticks = sorted({point["x"] for point in some})
        x = alt.X("x:Q", scale=alt.Scale(type="log"), title=title, axis=alt.Axis(format="~s", values=ticks))
        y = alt.Y("seconds:Q", scale=alt.Scale(type="log"), title="seconds per call", axis=alt.Axis(format="~e"))
        drawn.append(base.mark_line(point=True).encode(x=x, y=y, color=color))
    chart = alt.vconcat(alt.hconcat(*drawn[:2]), alt.hconcat(*drawn[2:])).to_dict()
    path.write_bytes(picture(chart, path.suffix.removeprefix(".")))


def versions():
    wanted = ["numpy", "scikit-learn", "torch", "torchmetrics", "polars", "duckdb", "pycm", "river", "pandas"]
    found = []
    for name in wanted:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def write(found, more, rows):
    by_rows = [
        (case.rows, case.times["macrof1"]) for case in found if case.name.endswith(" rows") and case.rows >= 10**5
    ]
    by_classes = {
        case.name: case.times["macrof1"] for case in found if case.rows == 10**7 and case.name.endswith("classes")
    }
    growth = [f"Time grows with rows to the power {slope(by_rows):.2f} (from 100,000 rows on; 1 is proportional)."]
    ten = next((case.times["macrof1"] for case in found if case.name == "10,000,000 rows"), None)
    if len(by_classes) == 4 and ten is not None:
        most = by_classes["10,000,000 rows, 100,000 classes"]
        growth.append(
            f"From 10 to 100,000 classes it grows with classes to the power {slope([(10, ten), (10**5, most)]):.2f}: "
            "the counters no longer fit the nearest cache."
        )
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        "",
    )
    text = [
        START,
        f"{datetime.now(UTC):%Y-%m-%d}, {len(os.sched_getaffinity(0))} cores of {cpu or platform.processor()}, Python "
        f"{platform.python_version()}, macrof1 {macrof1.__version__} ({counting_path()} counting); {versions()}. Load "
        f"average before the run: {LOAD:.1f}.",
        table(found),
        *growth,
        "Many classes (both scores and the gap of 1,000,000 rows, beside counting alone), kinds of strings (300,000 "
        "rows, none the same object as another) and Parquet files (floor: Polars' bare group-by):",
        table([case for case in more if case.target or case.rows >= 10**7]),
        "\n".join(extras(rows)),
        END,
    ]
    path = ROOT / "docs/benchmarks.md"
    old = path.read_text() if path.exists() else f"# Benchmarks\n\n{START}\n{END}\n"
    before, _, rest = old.partition(START)
    _, _, after = rest.partition(END)
    path.write_text(before + "\n\n".join(text) + after)
    print("\n\n".join(text[1:-1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most-rows", type=float, default=1e8, help="leave out larger cases")
    parser.add_argument("--most-file-rows", type=float, default=1e9, help="leave out larger files")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds for each peer and case")
    options = parser.parse_args()
    globals()["BUDGET"] = options.budget
    most = int(options.most_rows)
    found, more = cases(most), curves(most)
    for case in [*found, *more]:
        print(case.name, file=sys.stderr)
        run(case)
    more += file_curve(int(options.most_file_rows))
    write(found, more, min(most, 10**8))
    chart([*found, *more], ROOT / "docs/benchmarks.svg")


if __name__ == "__main__":
    main()
