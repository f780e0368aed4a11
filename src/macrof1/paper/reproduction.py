"""Re-run the paper's tables, figures, theorems and numbers into one folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macrof1 import __version__
from macrof1.errors import InputError
from macrof1.message import Argument, Message
from macrof1.reading.progress import Progress
from macrof1.result import Result

if TYPE_CHECKING:
    # `import macrof1` loads this module, so what only a run needs is imported there.
    from macrof1.paper.claims import Claim
    from macrof1.paper.paper_figures import Settings


# Files of every run, beside those of its parts.
_FILES = ("report.html", "numbers.json", "run.json", "claims.csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproduceResult(Result):
    """The results of a reproduction, and where they were written.

    Attributes
    ----------
    folder
        The output folder; ``report.html`` in it shows everything.
    claims
        What the paper says, next to what the run gave.
    numbers
        All results, by name of part.
    reused
        Parts reused from an earlier run with the same settings.
    """

    folder: Path
    claims: tuple[Claim, ...]
    numbers: dict[str, Any]
    reused: tuple[str, ...]


def part_names() -> list[str]:
    """Return the names of all parts, in the order of the report."""
    from macrof1.paper.experiments import PARTS

    return list(PARTS)


def reproduce(
    out: str | Path = "reproduction",
    *,
    only: Iterable[str] | None = None,
    seeds: int = 20,
    seed: int = 0,
    quick: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> ReproduceResult:
    """Re-run the paper's experiments and checks, and write tables, figures, claims and a report.

    Parameters
    ----------
    out
        The output folder; created if it does not exist.
    only
        Names of the parts to run: tables, fig1a, fig1b, fig2, fig3, plane, theorems, errata. All by default.
    seeds
        How many times each random figure is drawn.
    seed
        The random seed: the same seed gives the same bytes in every CSV file.
    quick
        At most three seeds, coarse grids, fewer matrices: a few seconds.
    force
        Whether files that no earlier run wrote may be replaced.
    progress
        Called with the share of the parts that is done, from 0 to 1.

    Notes
    -----
    Files appear complete or not at all. The next run with the same settings resumes an interrupted one.

    References
    ----------
    Opitz & Burst, "Macro F1 and Macro F1", arXiv 1911.03347.
    """
    from macrof1.reporting.charts.look import altair

    settings = _checked(seed, seeds, quick=quick)
    names = _chosen(only)
    altair()  # needed for the charts: fail before the work, not after
    from macrof1.paper.claims import claims
    from macrof1.paper.experiments import PARTS
    from macrof1.paper.output import Folder, Part, csv_bytes, json_bytes
    from macrof1.paper.rerun_page import rerun_document
    from macrof1.reporting.rendering import render

    versions = _versions()
    # What a finished part depends on, including versions: another NumPy may draw different numbers.
    key = {"seed": settings.seed, "seeds": settings.seeds, "quick": settings.quick, "versions": versions}
    done: dict[str, Part] = {}
    reused = []
    folder = Folder(Path(out), force=force)
    folder.check(*_FILES)
    for number, name in enumerate(names, 1):
        part = folder.finished(name, key)
        if part is None:
            part = PARTS[name](settings)
            folder.finish(name, part, key)
        else:
            reused.append(name)
        done[name] = part
        if progress is not None:
            progress(number / len(names))
    # Parts that an earlier run finished with the same settings stay in the report.
    for name in part_names():
        earlier = None if name in done else folder.finished(name, key)
        if earlier is not None:
            done[name] = earlier
    done = {name: done[name] for name in part_names() if name in done}
    summaries = {name: part.summary for name, part in done.items()}
    rows = claims(summaries)
    command = _command(settings, names, part_names())
    if rows:
        folder.write("claims.csv", csv_bytes([row.to_dict() for row in rows]))
    folder.write("numbers.json", json_bytes(summaries))
    folder.write("run.json", json_bytes({"command": command, "parts": names, **key}))
    page = render(rerun_document(done, rows, settings, versions), "html", command=command)
    folder.write("report.html", page.encode("utf-8"))
    return ReproduceResult(folder=Path(out), claims=tuple(rows), numbers=summaries, reused=tuple(reused))


def _checked(seed: int, seeds: int, *, quick: bool) -> Settings:
    from macrof1.paper.paper_figures import Settings

    for name, value, least in (("seed", seed, 0), ("seeds", seeds, 1)):
        try:
            whole = index(value)
        except TypeError:
            whole = least - 1
        if whole < least or isinstance(value, bool):
            raise InputError.bad_value(name, value, expected=f"a whole number, {least} or larger")
    return Settings(seed=index(seed), seeds=min(3, index(seeds)) if quick else index(seeds), quick=bool(quick))


def _chosen(only: Iterable[str] | None) -> list[str]:
    known = part_names()
    if only is None:
        return known
    wanted = [only] if isinstance(only, str) else list(only)
    for name in wanted:
        if name not in known:
            raise InputError.unknown_value("only", name, known)
    if not wanted:
        raise InputError(Message(Argument("only"), " names no part"), expected=f"some of {', '.join(known)}")
    return [name for name in known if name in wanted]


def _versions() -> dict[str, str]:
    import platform
    from importlib.metadata import version

    packages = {name: version(name) for name in ("numpy", "altair", "vl-convert-python")}
    return {"macrof1": __version__, "python": platform.python_version(), **packages}


def _command(settings: Settings, names: list[str], known: list[str]) -> str:
    """Return the command that repeats this run."""
    options = {
        "seed": settings.seed,
        "seeds": settings.seeds,
        "quick": "" if settings.quick else None,
        "only": ",".join(names) if names != known else None,
    }
    given = [f"--{name} {value}".rstrip() for name, value in options.items() if value is not None]
    return " ".join(["mf1 reproduce", *given])
