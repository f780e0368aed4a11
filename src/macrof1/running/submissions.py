"""Several submissions against one gold file: bad ones are reported, and the others are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from macrof1.comparing.inputs import compare_inputs
from macrof1.comparing.result import CompareResult
from macrof1.errors import FileError, InputError, MacroF1Error
from macrof1.request import Request
from macrof1.running.jobs import run_score

_PUBLIC_NOTES: Final = frozenset((
    "clusters", "few_resamples", "few_runs", "identical", "no_tests", "normal_approximation", "rows_dropped", "runs",
    "single_run", "unpaired", "weighted_rows",
))  # fmt: skip
"""Notes that name no label."""


def run_compare(request: Request, **changes: Any) -> CompareResult:
    """Compare what a request names; a submission that cannot be scored is reported, and the others are compared."""
    asked = replace(request, **changes).with_gold()
    files = [each for place, file in enumerate(asked.files) for each in _files(file, first=not place)]
    asked = replace(asked, files=tuple(files))
    result = _compared(asked)
    return _public(result) if request.public else result


def _files(file: Any, *, first: bool) -> Iterator[Any]:
    """Yield the files of a folder of submissions, by name; anything else as it is."""
    if first or not isinstance(file, (str, Path)) or not Path(file).is_dir():
        yield file
        return
    found = [each for each in Path(file).iterdir() if each.is_file() and not each.name.startswith(".")]
    if not found:
        raise FileError(f"{file} has no files", expected="a folder of submissions")
    yield from sorted(map(str, found))


def _compared(request: Request) -> CompareResult:
    gold, *others = request.files or ("",)
    if (most := request.limit("submissions")) is not None and len(others) > most:
        raise InputError(f"{len(others):,} submissions", argument="limits", expected=f"at most {most:g}")
    try:
        request.check_sizes()
        return compare_inputs(request)
    except MacroF1Error:
        if len(others) < 2 or request.kind not in ("rows", "spans"):
            raise
        # A scorer that only one of them reads says whose fault it is.
        bad = {}
        for file in others:
            try:
                run_score(replace(request, gold_file=gold, files=(gold, file), by=()))
            except MacroF1Error as error:
                bad[file] = error
        good = [file for file in others if file not in bad]
        if not bad or len(others) == 2 or not good:
            raise
        if len(good) == 1:
            problem = (
                f"{len(bad):,} of {len(others):,} submissions cannot be scored ({'; '.join(map(str, bad.values()))})"
            )
            raise InputError(problem, expected="at least two that can", hint=f"mf1 score {gold} {good[0]}") from None
    found = compare_inputs(replace(request, files=(gold, *good)))
    return replace(found, rejected={Path(str(file)).name: str(error) for file, error in bad.items()})


def _public(result: CompareResult) -> CompareResult:
    """Leave out what names labels or rows."""
    notes = tuple(note for note in result.notes if getattr(note, "code", "") in _PUBLIC_NOTES)
    return replace(result, notes=notes, rejected=dict.fromkeys(result.rejected, "see the organisers' report"))
