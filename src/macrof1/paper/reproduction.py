"""Re-run the paper's tables, figures, theorems and numbers into one folder."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from macrof1 import __version__
from macrof1.bounding.closed_forms import whole_number
from macrof1.counting.written_files import write_whole
from macrof1.errors import FileError, InputError, counted
from macrof1.message import Argument, Message
from macrof1.paper.experiments import PARTS, VERDICT_WORDS, Claim, Part, csv_bytes
from macrof1.paper.simulation import Settings
from macrof1.reading.files import Progress
from macrof1.reporting.charts import altair
from macrof1.reporting.document import Document, Sentences, Table
from macrof1.reporting.rendering import render
from macrof1.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproduceResult(Result):
    """The results of a reproduction by name of part, what the paper says next to them, and the folder they are in."""

    folder: Path
    claims: tuple[Claim, ...]
    numbers: dict[str, Any]


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
        Names of the parts to run: tables, fig1a, fig1b, fig2, fig3, theorems. All by default.
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
    Files are written when all parts are done; each appears complete or not at all.

    References
    ----------
    Opitz & Burst, "Macro F1 and Macro F1", arXiv 1911.03347.
    """
    for name, value, least in (("seed", seed, 0), ("seeds", seeds, 1)):
        number = whole_number(value)
        if number is None or number < least:
            raise InputError.bad_value(name, value, expected=f"a whole number, {least} or larger")
    settings = Settings(seed=int(seed), seeds=min(3, int(seeds)) if quick else int(seeds), quick=bool(quick))
    wanted = list(PARTS) if only is None else [only] if isinstance(only, str) else list(only)
    for name in wanted:
        InputError.one_of("only", name, PARTS)
    if not wanted:
        raise InputError(Message(Argument("only"), " names no part"), expected=f"some of {', '.join(PARTS)}")
    names = [name for name in PARTS if name in wanted]
    altair()  # needed for the charts: fail before the work, not after
    packages = {name: version(name) for name in ("numpy", "altair", "vl-convert-python")}
    versions = {"macrof1": __version__, "python": platform.python_version(), **packages}
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "is a file" if folder.is_file() else (error.strerror or str(error)).lower()
        raise FileError(
            f"cannot write into {str(folder)!r} ({reason})",
            argument="out",
            given=str(folder),
            expected="a folder that can be written to",
        ) from None
    own: list[str] = []  # what earlier runs wrote into this folder
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        before = json.loads((folder / "run.json").read_bytes())
        own = list(before["files"]) if before["command"].startswith("mf1 reproduce") else []
    _check_names(folder, ("report.html", "numbers.json", "run.json", "claims.csv"), own, force=force)
    done: dict[str, Part] = {}
    for number, name in enumerate(names, 1):
        done[name] = PARTS[name](settings)
        if progress is not None:
            progress(number / len(names))
    claims = [claim for part in done.values() for claim in part.claims]
    summaries = {name: part.summary for name, part in done.items()}
    # The command that repeats this run.
    some = ",".join(names) if names != list(PARTS) else None
    given = {"seed": settings.seed, "seeds": settings.seeds, "quick": "" if settings.quick else None, "only": some}
    options = (f"--{name} {value}".rstrip() for name, value in given.items() if value is not None)
    command = " ".join(["mf1 reproduce", *options])
    page = render(rerun_document(done, settings, versions), "html", command=command)
    files = {name: content for part in done.values() for name, content in part.files.items()}
    files |= {"claims.csv": csv_bytes([claim.to_dict() for claim in claims])} if claims else {}
    files |= {"numbers.json": _json_bytes(summaries), "report.html": page.encode("utf-8")}
    _check_names(folder, files, own, force=force)
    key = {"seed": settings.seed, "seeds": settings.seeds, "quick": settings.quick, "versions": versions}
    run = {"command": command, "parts": names, **key, "files": sorted({*own, *files, "run.json"})}
    # First what says which files are ours, in case this run is interrupted.
    for name, content in {"run.json": _json_bytes(run), **files}.items():
        write_whole(folder / name, content)
    return ReproduceResult(folder=folder, claims=tuple(claims), numbers=summaries)


def _json_bytes(content: object) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def _check_names(folder: Path, names: Iterable[str], own: Sequence[str], *, force: bool) -> None:
    for name in names:
        if not force and name not in own and (folder / name).exists():
            raise FileError(
                f"{name!r} in {str(folder)!r} was not written by an earlier run",
                argument="out",
                given=str(folder),
                expected="another folder",
                hint=Message(Argument("force", True), " replaces it"),
            )


def rerun_document(run: Mapping[str, Part], settings: Settings, versions: Mapping[str, str]) -> Document:
    """Return what the parts that were run say."""
    rows = [list(claim.to_dict().values()) for part in run.values() for claim in part.claims]
    header = ["claim", "the paper", f"ours ({counted(settings.seeds, 'seed')})", "verdict", "why"]
    facts = {"seed": settings.seed, "seeds": settings.seeds, "quick": "yes" if settings.quick else "no", **versions}
    intro = (
        "The evidence of Opitz and Burst's paper (arXiv 1911.03347), computed again. Every number on this page is also "
        "in the CSV and JSON files beside it; every figure is there as PNG, SVG and PDF."
    )
    legend = "; ".join(f"{verdict}: {words}" for verdict, words in VERDICT_WORDS.items()) + "."
    parts = [
        Sentences(items=[intro]),
        Sentences(items=[legend], title="Claims"),
        Table(header, rows, n_text=5),
        *(shown for part in run.values() for shown in part.shown),
        Table(["setting", "value"], [[key, str(value)] for key, value in facts.items()], title="This run"),
    ]
    return Document(
        title="Macro F1 and Macro F1, run again",
        parts=lambda: parts,
        data=lambda: {name: part.summary for name, part in run.items()},
        records=lambda _: Table(["claim", "paper", "ours", "verdict", "why"], rows),
    )
