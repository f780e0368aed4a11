"""`mf1 compare`: several systems under both macro F1s."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Annotated, Literal

from macrof1.cli.options import (
    Beta,
    Classes,
    Digits,
    FormatOrPage,
    Gold,
    Header,
    Html,
    InputFormat,
    Labels,
    MatrixRows,
    MissingRows,
    Pred,
)
from macrof1.cli.parsing import Parameter
from macrof1.cli.printing import print_result, this_command, write_report
from macrof1.cli.progress import progress_bar
from macrof1.cli.reading import names_of, read_groups
from macrof1.comparing.significance import TestName
from macrof1.reporting.comparison_tables import TableName
from macrof1.sampling.intervals import IntervalMethod


def compare(
    *files: str,
    gold: Gold = None,
    pred: Pred = None,
    systems: str | None = None,
    id: str | None = None,
    by: str | None = None,
    weight: Annotated[
        str | None,
        Parameter(
            help="Column with the count of each line, with --by; else with the weight of each row (a row stays one "
            "draw)."
        ),
    ] = None,
    matrix: bool = False,
    rows: MatrixRows = None,
    published: bool = False,
    labels: Labels = None,
    classes: Classes = "union",
    undefined: Annotated[
        Literal[0, 1],
        Parameter(help="What a ratio with denominator 0 counts as: intervals and tests need a value for it."),
    ] = 0,
    beta: Beta = 1.0,
    missing: MissingRows = "error",
    confidence_level: float = 0.95,
    method: IntervalMethod = "delta",
    test: TestName = "delta",
    n_resamples: int = 1000,
    seed: int = 0,
    header: Header = True,
    input_format: InputFormat = None,
    format: FormatOrPage = "text",
    table: TableName | None = None,
    digits: Digits = None,
    html: Html = None,
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
    systems
        Columns of the systems in one file: a,b,c. All but gold and ids, when left out.
    id
        Column that matches the rows of several files. Without it rows are matched by position.
    by
        Column that names the system, in a table of counts, predictions or published figures.
    matrix
        The files are confusion matrices, one per system.
    published
        The file has a line per system, and columns such as cat_precision and cat_recall for every class.
    confidence_level
        Of the intervals; differences are significant where p is at most 1 minus this.
    method
        Intervals by the delta method or the bootstrap.
    test
        The test that decides what is significant; JSON has the p-values of all.
    n_resamples
        Bootstrap resamples, and randomisations.
    seed
        The same seed gives the same output.
    table
        One table alone, with all its lines: systems, pairs (with the p-values of every test), flips or summary (not as
        latex). CSV is one table, systems when left out.
    """
    from macrof1.comparing.inputs import Inputs, compare_inputs
    from macrof1.reporting.comparisons import checked_table, render_comparison
    from macrof1.reporting.scores import checked_digits

    checked_digits(digits)
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
    with _advancing() as progress:
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
    if html is not None:
        write_report(html, render_comparison(result, "html", digits=digits, command=this_command()))
    # A pipe has no width of its own; 80 columns then, or what COLUMNS says.
    width = get_terminal_size().columns
    text = render_comparison(result, format, digits=digits, command=this_command(), table=table, width=width)
    print_result(text, format, result.notes)


@contextmanager
def _advancing() -> Iterator[Callable[[float], None] | None]:
    """Show progress; sampling says how much was added, as a fraction of all."""
    with progress_bar("resampling") as report:
        done = 0.0

        def advance(fraction: float) -> None:
            nonlocal done
            done += fraction
            if report is not None:
                report(done, 1.0)

        yield None if report is None else advance
