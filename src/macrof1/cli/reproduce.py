"""`mf1 reproduce`: re-run the paper's tables, figures, theorems and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from macrof1.cli.parsing import Given
from macrof1.cli.progress import progress_bar
from macrof1.errors import counted

if TYPE_CHECKING:
    from macrof1.paper.reproduction import ReproduceResult


def reproduce(given: Given) -> None:
    """Run the paper's experiments and checks again, and write a report with all figures and numbers."""
    from macrof1.paper.reproduction import reproduce as reproduce_paper

    settings = {name: given[name] for name in ("only", "seeds", "seed", "quick", "force")}
    with progress_bar("reproducing") as progress:
        result = reproduce_paper(given["out"], **settings, progress=progress)
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
