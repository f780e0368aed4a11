"""`mf1 reproduce`: the note's tables, figures, theorems and numbers, run again."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from macrof1.paper.reproduction import reproduce as reproduce_note

__all__ = ["reproduce"]


def reproduce(
    *,
    out: Annotated[str, Parameter(alias="-o")] = "reproduction",
    only: str | None = None,
    seeds: int = 20,
    seed: int = 0,
    quick: bool = False,
) -> None:
    """Run the note's experiments and checks again, and write a report with all figures and numbers.

    Parameters
    ----------
    out
        The output folder. A stopped run is taken up again by the next one with the same settings.
    only
        Some parts only, joined by commas: tables, fig1a, fig1b, fig2, fig3, plane, theorems, errata.
    seeds
        How many times every drawn figure is drawn.
    seed
        The root of all random draws: the same one gives the same numbers.
    quick
        At most three seeds and coarse grids: a few seconds.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    wanted = None if only is None else [name.strip() for name in only.split(",") if name.strip()]
    columns = (TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # Progress goes to standard error, and only to a terminal; what was found goes to standard output.
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("start", total=None)

        def show(name: str, number: int, total: int) -> None:
            bar.update(task, description=name, completed=number, total=total)

        result = reproduce_note(out, only=wanted, seeds=seeds, seed=seed, quick=quick, progress=show)
    verdicts: dict[str, int] = {}
    for claim in result.claims:
        verdicts[claim.verdict] = verdicts.get(claim.verdict, 0) + 1
    print(f"{len(result.claims)} claims: " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()))
    for claim in result.claims:
        if claim.verdict in ("outside", "false"):
            print(f"  {claim.verdict}: {claim.name}")
    if result.reused:
        print(f"Taken from an earlier run: {', '.join(result.reused)}")
    print(f"Report: {result.folder / 'report.html'}")
