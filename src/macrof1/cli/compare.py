"""`mf1 compare`: several systems under both macro F1s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from macrof1.cli.gates import Strict, check_margin, check_non_inferior, doubtful, failure
from macrof1.cli.options import (
    Beta,
    Classes,
    Cluster,
    Digits,
    FormatOrPage,
    GoldOptions,
    Html,
    Labels,
    MatrixRows,
    PolicyOptions,
    Pred,
    SeveralLabels,
    WritingOptions,
    names_of,
)
from macrof1.cli.printing import print_result, this_command, write_report
from macrof1.cli.progress import progress_bar
from macrof1.cli.reading import read_groups
from macrof1.comparing.inputs import Inputs, compare_inputs
from macrof1.comparing.options import TestName
from macrof1.reporting.comparison_tables import TableName
from macrof1.sampling.intervals import CompareMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOptions(GoldOptions):
    """Where the systems are."""

    pred: Pred = None
    systems: Annotated[
        str | None,
        "Columns of the systems in one file: a,b,c. Default: all but gold and ids. With --id, the column "
        "that names the system of each row.",
    ] = None
    id: Annotated[
        str | None, "Column that matches the rows of several files. Without it, rows are matched by position."
    ] = None
    no_id: Annotated[bool, "Match rows by position even if columns that the files share differ, such as scores."] = (
        False
    )
    by: Annotated[
        str | None, "Column that names the system, in a table of counts, predictions or published figures."
    ] = None
    weight: Annotated[
        str | None,
        "Column with the count of each line, with --by; else with the weight of each row (a row stays one draw).",
    ] = None
    runs: Annotated[
        str | None,
        "Column that tells the runs (seeds) of a system apart, where systems stand below each other: with "
        "--systems for the column of systems and --id for that of rows. Columns a@1,a@2 are runs too.",
    ] = None
    cluster: Cluster = None
    matrix: Annotated[bool, "The files are confusion matrices, one per system."] = False
    rows: MatrixRows = None
    published: Annotated[
        bool, "The file has a line per system, and columns such as cat_precision and cat_recall for every class."
    ] = False
    labels: Labels = None
    multilabel: SeveralLabels = None

    def inputs(self, files: Sequence[str]) -> Inputs:
        """Return what to read."""
        found = asdict(self)
        found.update(ids=found.pop("id"), systems=names_of(self.systems), labels=names_of(self.labels))
        return Inputs(files=files, **found, group_reader=read_groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestOptions:
    """What the scores mean, and how sure they are."""

    classes: Classes = "union"
    undefined: Annotated[
        Literal[0, 1], "What a ratio with denominator 0 counts as: intervals and tests need a value for it."
    ] = 0
    beta: Beta = 1.0
    baseline: Annotated[str | None, "Test the differences to this system only."] = None
    confidence_level: Annotated[
        float, "Confidence level of the intervals; a difference is significant if p is at most 1 minus this."
    ] = 0.95
    method: Annotated[CompareMethod, "How intervals are computed: logit, delta or bootstrap."] = "logit"
    test: Annotated[TestName, "The test that decides what is significant; JSON has the p-values of all."] = "delta"
    n_resamples: Annotated[int, "Bootstrap resamples, and randomisations."] = 1000
    seed: Annotated[int, "The same seed gives the same output."] = 0

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `macrof1.compare`."""
        found = asdict(self)
        found["rng"] = found.pop("seed")
        return found


def compare(
    *files: Annotated[str, "One file with all systems, or a gold file and a file per system."],
    systems: SystemOptions,
    policies: PolicyOptions,
    options: TestOptions,
    format: FormatOrPage = "text",
    table: Annotated[
        TableName | None,
        "One table alone, with all its lines: systems, pairs (with the p-values of every test), flips or "
        "summary (not as latex). CSV is one table, by default systems.",
    ] = None,
    digits: Digits = None,
    writing: WritingOptions,
    html: Html = None,
    non_inferior: Annotated[
        float | None,
        "Exit with code 1 unless every system is shown to be at most this much worse than the --baseline, by "
        "averaged F1: 0.01.",
    ] = None,
    strict: Strict = False,
) -> int:
    """Compare systems under both macro F1s: ranks, flips, intervals, tests.

    - `mf1 compare gold.csv a.csv b.csv`: gold, and one file per system
    - `mf1 compare all.parquet --gold gold --systems a,b`: columns of one file
    - `mf1 compare long.csv --systems system --runs seed --id row`: several runs per system
    - `mf1 compare counts.csv --by run --weight count`: counts of several systems
    - `mf1 compare a.csv b.csv --matrix --rows gold`: confusion matrices
    - `mf1 compare leaderboard.csv --published`: published precision and recall of each class
    """
    from macrof1.reporting.comparisons import checked_table, render_comparison, render_scores_only
    from macrof1.reporting.table import checked_digits

    checked_digits(digits)
    checked_table(format, table)
    check_margin(non_inferior, options.baseline)
    with progress_bar("resampling") as progress:
        result = compare_inputs(systems.inputs(files), **policies.arguments(), **options.arguments(), progress=progress)
    if html is not None:
        write_report(html, render_comparison(result, "html", digits=digits, command=this_command()))
    if writing.quiet:
        text = render_scores_only(result, format, digits=digits)
    else:
        text = render_comparison(result, format, digits=digits, command=this_command(), table=table)
    print_result(text, format, result.notes, output=writing.output)
    code = failure(doubtful(result.notes) if strict else ())
    return code if non_inferior is None else check_non_inferior(result, non_inferior) or code
