"""`mf1 compare`: several systems under both macro F1s."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Annotated

from cyclopts import Parameter

from macrof1.cli.printing import print_result, write_report
from macrof1.cli.reading import names_of
from macrof1.comparing.options import TestName
from macrof1.convention import ClassSet, Undefined
from macrof1.counting.labels import Missing
from macrof1.counting.matrix import Rows
from macrof1.reporting.comparison_tables import TableName
from macrof1.reporting.comparisons import CompareFormat, checked_table, render_comparison
from macrof1.reporting.scores import checked_digits
from macrof1.sampling.intervals import CompareMethod
from macrof1.sampling.resampling import Progress


def compare(
    *files: Annotated[str, Parameter(allow_leading_hyphen=True)],
    gold: Annotated[str | None, Parameter(alias="-g")] = None,
    pred: Annotated[str | None, Parameter(alias="-p")] = None,
    systems: str | None = None,
    id: str | None = None,
    by: str | None = None,
    weight: str | None = None,
    matrix: bool = False,
    rows: Rows | None = None,
    published: bool = False,
    labels: str | None = None,
    classes: ClassSet = "union",
    undefined: Annotated[Undefined, Parameter(show_choices=False)] = 0,
    beta: float = 1.0,
    missing: Missing = "error",
    confidence_level: float = 0.95,
    method: CompareMethod = "logit",
    test: TestName = "delta",
    n_resamples: int = 1000,
    seed: int = 0,
    header: bool = True,
    input_format: str | None = None,
    format: Annotated[CompareFormat, Parameter(alias="-f")] = "text",
    table: TableName | None = None,
    precision: int | None = None,
    html: str | None = None,
) -> None:
    """Compare systems under both macro F1s: ranks, flips, intervals, tests.

    `mf1 compare gold.csv a.csv b.csv` reads gold and one file per system;
    `mf1 compare all.parquet --gold gold --systems a,b` reads columns of one file;
    `mf1 compare counts.csv --by run --weight count` reads counts of several systems;
    `mf1 compare a.csv b.csv --matrix --rows gold` reads confusion matrices;
    `mf1 compare leaderboard.csv --published` reads published precision and recall of each class.

    Parameters
    ----------
    files
        One file with all systems, or a gold file and a file per system.
    gold
        Column of the gold labels: a name, or a position counted from 1.
    pred
        Column of the predicted labels in the file of each system.
    systems
        Columns of the systems in one file: a,b,c. All but gold and ids, when left out.
    id
        Column that matches the rows of several files. Without it rows are matched by position.
    by
        Column that names the system, in a table of counts, predictions or published figures.
    weight
        Column with the count of each line, with --by; else with the weight of each row (a row stays one draw).
    matrix
        The files are confusion matrices, one per system.
    rows
        What a row of a matrix is: predicted (as in the note) or gold (as in scikit-learn).
    published
        The file has a line per system, and columns such as cat_precision and cat_recall for every class.
    labels
        The class set, in order: a,b,c.
    classes
        Average over the classes in gold or predicted (union), in gold only (gold), those of --labels (listed), or
        those of --labels that occur (seen).
    undefined
        What a ratio with denominator 0 counts as: 0 or 1. Intervals and tests are not worked out for leaving it out.
    beta
        Weight of recall against precision.
    missing
        Rows where gold or a system lacks a label: refuse them (error), leave them out (drop), or a class (label).
    confidence_level
        Of the intervals; differences are significant where p is at most 1 minus this.
    method
        How intervals are computed: logit, delta or bootstrap.
    test
        The test that decides what is significant; JSON has the p-values of all.
    n_resamples
        Bootstrap resamples, and randomisations.
    seed
        The same seed gives the same output.
    header
        Whether the first line of a CSV or TSV file names the columns.
    input_format
        csv, tsv, jsonl, parquet or arrow, where the name does not tell.
    format
        Output: text, json, csv, markdown, latex or html (one file with a chart; needs the extra charts). Notes beside
        csv go to standard error.
    table
        One table alone, with all its lines: systems, pairs (with the p-values of every test), flips or summary (not as
        latex). CSV is one table, systems when left out.
    precision
        Decimals of every score.
    html
        Also write a report as one HTML file.
    """
    # Polars comes with it: other commands need not wait for that.
    from macrof1.cli.reading import read_groups
    from macrof1.comparing.inputs import Inputs, compare_inputs

    checked_digits(precision)
    checked_table(format, table)
    inputs = Inputs(
        files=files,
        gold=gold,
        pred=pred,
        systems=names_of(systems),
        ids=id,
        by=by,
        weight=weight,
        matrix=matrix,
        rows=rows,
        published=published,
        labels=names_of(labels),
        missing=missing,
        header=header,
        input_format=input_format,
        group_reader=read_groups,
    )
    with _bar() as progress:
        result = compare_inputs(
            inputs,
            classes=classes,
            undefined=undefined,
            beta=beta,
            confidence_level=confidence_level,
            method=method,
            test=test,
            n_resamples=n_resamples,
            rng=seed,
            progress=progress,
        )
    command = shlex.join(["mf1", *sys.argv[1:]])
    if html is not None:
        write_report(html, render_comparison(result, "html", digits=precision, command=command))
    # A pipe has no width of its own; 80 columns then, or what COLUMNS says.
    width = get_terminal_size().columns
    text = render_comparison(result, format, digits=precision, command=command, table=table, width=width)
    print_result(text, format, result.notes)


@contextmanager
def _bar() -> Iterator[Progress | None]:
    """Show progress on standard error, and only to a person who looks at it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("resampling"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("resampling", total=1.0)
        yield lambda fraction: bar.advance(task, fraction)
