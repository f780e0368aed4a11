"""`mf1 reproduce`: re-run the paper's tables, figures, theorems and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from macrof1.cli.parsing import Parameter
from macrof1.cli.progress import progress_bar
from macrof1.errors import counted

if TYPE_CHECKING:
    from macrof1.paper.reproduction import ReproduceResult


def reproduce(
    *,
    out: Annotated[
        str,
        "The output folder. A run that was stopped is resumed by the next one with the same settings.",
        Parameter(alias="-o"),
    ] = "reproduction",
    only: Annotated[
        str | None, "Some parts only, joined by commas: tables, fig1a, fig1b, fig2, fig3, plane, theorems, errata."
    ] = None,
    seeds: Annotated[int, "How many times each random figure is drawn."] = 20,
    seed: Annotated[int, "The random seed: the same one gives the same numbers."] = 0,
    quick: Annotated[bool, "At most three seeds and coarse grids: a few seconds."] = False,
) -> None:
    """Run the paper's experiments and checks again, and write a report with all figures and numbers."""
    from macrof1.paper.reproduction import reproduce as reproduce_paper

    wanted = None if only is None else [name.strip() for name in only.split(",") if name.strip()]
    with progress_bar("reproducing") as progress:
        result = reproduce_paper(out, only=wanted, seeds=seeds, seed=seed, quick=quick, progress=progress)
    print("\n".join(_summary(result)))


def _summary(result: ReproduceResult) -> list[str]:
    """Summarise the claims by verdict, list those that did not hold, and say where to read more."""
    from macrof1.paper.claims import VERDICT_WORDS

    found = result.claims
    lines = [f"{counted(len(found), 'claim')} checked:"] if found else ["No claims to check in the parts that ran."]
    for verdict, (one, many) in VERDICT_WORDS.items():
        n = sum(claim.verdict == verdict for claim in found)
        if n:
            lines.append(f"  {n:>3} {one if n == 1 else many}")
            if verdict in ("outside", "false"):
                lines += [f"        {claim.name}" for claim in found if claim.verdict == verdict]
    if result.reused:
        lines.append(f"Taken from an earlier run: {', '.join(result.reused)}")
    return [*lines, f"Report: {result.folder / 'report.html'}"]
