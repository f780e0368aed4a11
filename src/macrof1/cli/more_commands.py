"""The commands that score nothing: audit, bounds, explore, task, reproduce, cite, completion, selftest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import macrof1
from macrof1.cli.data_commands import print_result, progress_bar, running, write_files
from macrof1.cli.parsing import Given, completion_script
from macrof1.errors import InputError, counted
from macrof1.labels import dropped_note, in_order, label_key, label_text
from macrof1.reporting.as_text import wrapped

_RATIOS = ("precision", "recall", "f1")
_TELLING = 50_000  # as much of a long table tells whether its rows are classes
_GOLD: Final = ["cat", "cat", "dog", "dog", "bird, small", 'a "quoted" one']
_PRED: Final = ["cat", "dog", "dog", "dog", "bird, small", "cat"]
_SHELLS = ("bash", "zsh", "fish")


def audit(given: Given) -> None:
    """Tell which macro F1 was published, and which figures cannot be true together: a proof, or "either".

    - `mf1 audit --precision 0.2937 --recall 0.2283 --f1 0.2095`: one report
    - `mf1 audit --f1 0.86 --per-class cat=1.00/0.50/0.67 --per-class dog=0.67/1.00/0.80`: with figures of the classes
    - `mf1 audit report.txt`, or a notebook, or - for standard input: what a tool printed
    - `mf1 audit leaderboard.csv --support offense=1202,other=2330`: a leaderboard
    """
    from macrof1.reading.leaderboards import named_values

    options = {name: given[name] for name in ("n_classes", "percent", "decimals", "rounding", "task")}
    options["support"] = named_values(given["support"], "support", "cat=120,dog=80")
    with progress_bar("auditing") as progress:
        options |= {"progress": progress} if given.words else {}
        result = (_audit_file if given.words else _audit_figures)(given, options)
    print_result(given, result)


def _audit_file(given: Given, options: dict[str, Any]) -> Any:
    from macrof1.auditing.audited_tables import audit_table
    from macrof1.auditing.audited_texts import audit_text
    from macrof1.reading.files import bare_name, binary_format, opened_file
    from macrof1.reading.leaderboards import is_delimited, named_values, parse_rows, rows_in
    from macrof1.reading.reports.documents import read_reports
    from macrof1.reading.tables import inspected

    request = given.request()
    request.check("audit", "report", "published")
    roles = named_values(given["columns"], "columns", "macro_f1=F-Score,name=Team")
    only_tables = roles or options["support"] or options["n_classes"] or options["decimals"] is not None
    with opened_file(given.words[0]) as opened:
        binary = binary_format(opened.start(8)) is not None
        typed = binary or Path(bare_name(opened.path)).suffix.lower() in (".jsonl", ".ndjson")
        text = "" if binary else opened.text()
        is_table = only_tables or typed or is_delimited(text)
        start = text if len(text) <= _TELLING else text[:_TELLING].rpartition("\n")[0]
        if not is_table or (not only_tables and any(report.classes for report in read_reports(start))):
            request.check("audit", "report")
            own = {name: options[name] for name in ("percent", "rounding", "task")}
            return InputError.located(opened.name, lambda: audit_text(text, **own))
        rows = rows_in(inspected(opened, True, None)) if typed else parse_rows(text, opened.name)
    return audit_table(rows, columns=roles, **options)


def _audit_figures(given: Given, options: dict[str, Any]) -> Any:
    from macrof1.auditing.audited_figures import audit as audit_figures
    from macrof1.reading.numbers import looks_missing

    figures = {name: given[name] for name in (*_RATIOS, "accuracy", "correct", "total")}
    if given["columns"] is not None:
        raise InputError("--columns needs a CSV or TSV file", argument="columns", given=given["columns"])
    if not given["per_class"] and all(figures[name] is None for name in _RATIOS):
        raise InputError(
            "no figures given", expected="a table, or --precision, --recall and --f1 (mf1 audit --help shows more)"
        )
    for name, value in figures.items():
        if value is not None and looks_missing(value):
            hint = "leave it out if it is not known"
            raise InputError.bad_value(name, value, expected="a number such as 0.80", hint=hint)
    per_class: dict[str, dict[str, str]] = {}
    for text in given["per_class"] or ():
        label, _, values = text.rpartition("=")
        parts = [part.strip() for part in values.split("/")]
        if not label.strip() or len(parts) != len(_RATIOS) or label.strip() in per_class:
            raise InputError(
                f"--per-class {text!r}",
                expected="CLASS=PRECISION/RECALL/F1 once per class, with - for a missing figure, such as "
                "cat=0.81/0.77/-",
            )
        per_class[label.strip()] = dict(zip(_RATIOS, parts, strict=True))
    return audit_figures(**figures, per_class=per_class, **options)


def bounds(given: Given) -> None:
    """Show how large the gap can be: in theory, given reported scores, or on your data.

    - `mf1 bounds --n-classes 3`
    - `mf1 bounds --precision 0.7 --recall 0.6 --n-classes 2`
    - `mf1 bounds --f1-of-averages 0.8 --over query`
    - `mf1 bounds --support 1202,2330`
    - `mf1 bounds data.csv --gold label`

    Scores are read as exact, however few digits they have; mf1 audit reads them as rounded.
    """
    from macrof1.bounding.bounds import bounds as bounds_of
    from macrof1.bounding.largest_gap import witness

    scores = {name: given[name] for name in ("precision", "recall", "f1_of_averages", "averaged_f1")}
    support, n_classes = given["support"], given["n_classes"]
    request = given.request()
    request.check("bounds", *(("rows", "counts") if request.files else ("nothing",)))
    if not request.files and not set(given.options) - {"format", "closeness", "over"}:
        raise InputError(
            "nothing given",
            expected="--n-classes, --precision and --recall, --f1-of-averages, --averaged-f1, --support, or a file of "
            "gold labels",
        )
    labels, sizes, notes = None, None, list[str]()
    if request.files:
        from macrof1.counts import class_counts_of
        from macrof1.running.jobs import read_counts

        with running(replace(request, gold_only=True)) as asked:
            counts = read_counts(asked, "bounds").total
        tallied = class_counts_of(counts)
        notes = [*([dropped_note(tallied.n_dropped)] if tallied.n_dropped else []), *counts.rows.notes]
        if tallied.over is not None:
            over = f"{request.files[0]} holds counts over {tallied.noun.many}"
            raise InputError(over, expected="counts over classes")
        if tallied.real:
            whole = "counts of whole rows"
            raise InputError(f"{request.files[0]} holds weights", given=request.files[0], expected=whole)
        # Saved counts may contain classes that were predicted but never gold.
        known = {label_key(label): int(n) for label, n in zip(tallied.labels, tallied.actual, strict=True) if n}
        sizes, labels = list(known.values()), [label_text(label) for _, label in known]
    elif support is not None:
        fields = [field.strip() for field in support.split(",")]
        if not all(field.isascii() and field.isdigit() and len(field) <= 30 for field in fields):
            expected = "numbers of gold rows separated by commas, such as 1202,2330"
            raise InputError(f"--support {support!r}", expected=expected)
        sizes = list(map(int, fields))
    alone = n_classes is not None and given["over"] in (None, "classes") and sizes is None and not any(scores.values())
    if "closeness" in given.options and not alone:
        raise InputError("--closeness needs --n-classes alone, whose supremum a matrix comes close to")
    with progress_bar("searching"):
        found = bounds_of(n_classes=n_classes, **scores, support=sizes, over=given["over"] or "classes")
    near = witness(n_classes, closeness=given["closeness"]) if alone else None
    print_result(given, found, witness=near, labels=labels, notes=notes)


def explore(given: Given) -> None:
    """Open the explorer: a local page where you edit a confusion matrix and watch both macro F1s."""
    own, docs, export = None, given["docs"], given["export"]
    if given.words:
        from macrof1.web.front_door import own_answer

        own = own_answer(given.words, rows=given["rows"])
    if export is None:
        from macrof1.web.serve import serve

        where = {name: given[name] for name in ("host", "port", "browser", "public_url")}
        serve(**where, own=own, docs=docs)
        return
    from macrof1.web.export import export_site

    size = export_site(Path(export), pyodide=Path(given["pyodide"]), own=own, url=given["url"], docs=docs)
    print(f"{export}: {size / 1e6:.1f} MB of static files; serve the folder with any web server")


def task(given: Given) -> None:
    """Write a task file, which says how a shared task is scored, from its gold file: `mf1 task init gold.csv`.

    Participants run `mf1 score --config task.toml team.csv`, organisers `mf1 compare --config task.toml submissions/`.
    """
    from macrof1.counting.label_tables import read_cells
    from macrof1.reading.columns import id_column
    from macrof1.reading.systems import gold_columns
    from macrof1.reading.tables import opened_tables
    from macrof1.request import Request

    if len(given.words) != 2 or given.words[0] != "init":
        raise InputError("no gold file given", expected="mf1 task init gold.csv")
    with opened_tables(given.words[1], header=True, file_format=None) as tables:
        gold = gold_columns(tables[0], gold=None, facts={})[0]
        ids = id_column([column for column in tables[0].columns if column != gold])
        cells, _ = read_cells(tables, Request(gold=gold, gold_only=True), ())
    labels = in_order({cell.gold for cell in cells if cell.gold is not None and not isinstance(cell.gold, frozenset)})
    written = Path(given["output"])
    settings = {
        "gold_file": os.path.relpath(given.words[1], written.parent), "gold": gold, **({"id": ids} if ids else {}),
        **({"labels": list(map(str, labels)), "classes": "listed"} if labels else {}), "undefined": 0,
        "outside": "wrong", "missing_predictions": "error", "rank_by": "averaged_f1", "ties": "test",
    }  # fmt: skip
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in settings.items()]
    write_files(given, [(given["output"], "".join([*lines, "limits = {megabytes = 100}\n"]))])
    print(f"wrote {written}: mf1 score --config {written} team.csv")


def reproduce(given: Given) -> None:
    """Run the paper's experiments and checks again, and write a report with all figures and numbers."""
    from macrof1.paper.experiments import VERDICT_WORDS
    from macrof1.paper.reproduction import reproduce as reproduce_paper

    settings = {name: given[name] for name in ("only", "seeds", "seed", "quick", "force")}
    with progress_bar("reproducing") as progress:
        result = reproduce_paper(given["out"], **settings, progress=progress)
    found = result.claims
    print(f"{counted(len(found), 'claim')} checked:" if found else "No claims to check in the parts that ran.")
    for verdict, words in VERDICT_WORDS.items():
        names = [claim.name for claim in found if claim.verdict == verdict]
        if names:
            print(f"  {len(names):>3} {words}")
        if verdict in ("outside", "false"):
            print(*(f"        {name}\n" for name in names), sep="", end="")
    print(f"Report: {result.folder / 'report.html'}")


def cite(_: Given) -> None:
    """Print BibTeX entries for the paper and for this software."""
    from importlib.resources import files

    entries = files("macrof1.cli").joinpath("cite.bib").read_text(encoding="utf-8")
    print(entries.replace("VERSION", macrof1.__version__).rstrip())


def completion(given: Given) -> None:
    """Print a completion script for your shell.

    For bash: `mf1 completion bash > ~/.local/share/bash-completion/completions/mf1`, then a new shell.
    """
    from macrof1.cli.commands import COMMANDS

    shell = given.words[0]
    if shell not in _SHELLS:
        raise InputError(f"SHELL {shell!r} is not valid", expected=f"one of {', '.join(_SHELLS)}")
    print(completion_script(shell, list(COMMANDS)))


def selftest(_: Given) -> int:
    """Check this installation: known numbers, the paper's program, the compiled kernel, every file format.

    Prints a line per check; exit code 1 if one fails.
    """
    failed = 0
    for check in _CHECKS:
        name = (check.__doc__ or "").rstrip(".").lower()
        try:
            fact = check()
            verdict, said = "ok", f"{name} ({fact})" if fact else name
        except Exception as error:  # noqa: BLE001  # a self-test reports every failure
            verdict, said = "FAIL", f"{name}: {type(error).__name__}: {' '.join(str(error).split())}"
            failed += 1
        print(wrapped(said, first=f"{verdict:<6}", after=" " * 6))
    n = len(_CHECKS)
    outcome = f"{failed} of {n} checks failed" if failed else f"all {n} checks passed"
    print(f"macrof1 {macrof1.__version__}: {outcome}")
    return 1 if failed else 0


def _expect(found: object, expected: object) -> None:
    if found != expected:
        raise AssertionError(f"{found!r}, expected {expected!r}")


def _known_numbers() -> str:
    """Score published examples."""
    # haifengl/smile, pull request 874; scikit-learn issue 8747; Table 3 of the paper; a matrix of three classes.
    smile = macrof1.score([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2])
    gold, pred = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4], [1, 1, 1, 0, 0, 2, 2, 3, 3, 3, 4, 3, 4, 3]
    issue = macrof1.score(gold, pred, labels=[1, 2, 3, 4])
    table = macrof1.score_matrix([[100, 10_000], [0, 100]], rows="predicted")
    three = macrof1.score_matrix([[60, 5, 2], [8, 20, 5], [3, 4, 13]], rows="gold")
    known = (
        (smile.averaged_f1, 0.822222), (smile.f1_of_averages, 0.860215),
        (issue.averaged_f1, 0.604167), (issue.f1_of_averages, 0.636129),
        (table.averaged_f1, 1 / 51), (table.f1_of_averages, 51 / 101), (three.averaged_f1, 0.721576),
    )  # fmt: skip
    for found, expected in known:
        digits = 6 if expected == round(expected, 6) else 15
        _expect(round(found, digits), round(expected, digits))
    return "4"


def _paper_program() -> str:
    """Run the paper's program."""
    from macrof1.paper.program import program_runs

    runs = program_runs()
    _expect([run for run in runs if not run["same"]], [])
    return f"{len(runs)} lines"


def _kernel() -> str:
    """Count with every path."""
    import numpy as np

    from macrof1.counting.kernel import numpy_twin
    from macrof1.counting.kernel.integers import counting_path, table

    rng = np.random.default_rng(0)
    for n, dtype in ((2, np.int64), (10, np.uint8), (300, np.int32)):
        gold, pred = rng.integers(0, n, (2, 20_000)).astype(dtype)
        ours = table(gold, pred, first=0, shape=(n, n))
        twin = numpy_twin.table(gold, pred, first=0, shape=(n, n))
        if ours is None or twin is None or not np.array_equal(ours, twin):
            raise AssertionError(f"{n} classes of {np.dtype(dtype)} differ from NumPy's count")
    return counting_path()


def _file_formats() -> str:
    """Read files of every format."""
    import gzip
    import tempfile

    import polars as pl

    frame = pl.DataFrame({"gold": _GOLD, "pred": _PRED})
    text = frame.write_csv()
    writers: dict[str, Callable[[Path], object]] = {
        "csv": frame.write_csv,
        "tsv": lambda path: frame.write_csv(path, separator="\t"),
        "jsonl": frame.write_ndjson,
        "parquet": frame.write_parquet,
        "arrow": frame.write_ipc,
        "csv.gz": lambda path: path.write_bytes(gzip.compress(text.encode())),
    }
    expected = macrof1.score(_GOLD, _PRED).metrics()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Windows locks memory-mapped files
        for ending, write in writers.items():
            path = Path(folder) / f"preds.{ending}"
            write(path)
            _expect({ending: macrof1.score_file(path).metrics()}, {ending: expected})
    return ", ".join(writers)


_CHECKS: Final = (_known_numbers, _paper_program, _kernel, _file_formats)
