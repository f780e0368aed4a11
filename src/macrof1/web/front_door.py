"""One front door: recognise whatever is pasted or dropped, and say which view shows it and how it was read."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from macrof1.counts import noun_of
from macrof1.errors import EmptyError, FileError, InputError, MacroF1Error, counted
from macrof1.message import spelled
from macrof1.reading.columns import ID_NAMES, plain_name, usual_columns
from macrof1.reading.leaderboards import find_columns, published_classes
from macrof1.reading.matrix_files import parse_printed_matrix
from macrof1.reading.reports.documents import read_reports
from macrof1.web.models import MOST_BYTES, MOST_COUNT, OpenRequest, RowsAre, Upload, field_name
from macrof1.web.uploads import ReadMatrix, UploadedTable, read_files, read_pair, read_predictions, read_printed

Kind = Literal["matrix", "predictions", "gold", "systems", "leaderboard", "report", "unknown"]

_LONGEST_REPORT: Final = 100_000
_GOLD_FILE: Final = re.compile(r"gold|truth|reference|answer|target|(^|[\W_])(test|dev|key|labels?)([\W_]|$)", re.I)
_NUMBERS: Final = re.compile(r"[\s\[\](array]*[\d.,;\t| ]+(\n|$)")
_NUMPY: Final = re.compile(r"\[\s*\[")


class Recognised(NamedTuple):
    """What a file holds, the names of its columns, and the last error of those who tried to read it."""

    upload: UploadedTable
    kind: Kind
    columns: tuple[str, ...] = ()
    error: MacroF1Error | None = None


def open_answer(request: OpenRequest) -> dict[str, Any]:
    """Recognise what was pasted or dropped: the view that shows it, how it was read, and the matrix if it is one."""
    found = [_recognised(UploadedTable.received(file), request) for file in request.files]
    if len(found) > 1:
        return _several(found, request)
    one = found[0]
    if one.kind == "matrix":
        text = one.upload.text or ""
        matrix = read_printed(text, one.upload.shown, request.rows or "gold")
        # NumPy and pandas print what scikit-learn returns, whose rows are gold; a bare table says nothing.
        printed = _NUMPY.search(text) is not None or not re.search(r"[,;\t|&]", text)
        known = bool(request.rows) or matrix.titled
        size = f"a confusion matrix of {_n_rows(matrix):,.12g} rows, {_classes(matrix)}"
        why = ", as scikit-learn prints them" if printed and not known else ""
        return {**_content(matrix, size), "rows_known": known or printed, "rows_why": why}
    if one.kind == "predictions" or (one.kind == "systems" and request.pred):
        return _predictions(one, request)
    if one.kind in ("systems", "report"):
        view, read_as = ("audit", "a report") if one.kind == "report" else ("compare", "predictions of several systems")
        return {"view": view, "read_as": read_as}
    if one.kind == "leaderboard":
        can_compare, wants = len(published_classes(one.columns)) >= 2, request.view
        by_class = wants == "compare" or (wants != "audit" and not _has_macro(one.upload, one.columns))
        view, other = ("compare", "audit") if can_compare and by_class else ("audit", "compare" if can_compare else "")
        return {"view": view, "read_as": "a leaderboard", "also": other}
    if one.error is not None and (one.upload.text is None or _NUMBERS.match(one.upload.text)):
        raise one.error  # a typed file, or a matrix, but for a fault
    if len(one.columns) > 2 and request.view == "compare":  # which has fields for the names of columns
        return {"view": "compare", "read_as": "a table of systems"}
    if len(one.columns) > 1:  # ask which columns are meant, since no name tells
        return {"view": "matrix", "read_as": "a table", "ask": "Which columns?", "columns": list(one.columns)}
    raise FileError(
        f"cannot tell what {one.upload.shown} is",
        expected="predictions (columns such as gold and pred), a confusion matrix, a report as some tool printed it, "
        "or a leaderboard",
    )


def _predictions(one: Recognised, request: OpenRequest) -> dict[str, Any]:
    """Count predictions; where the command line refuses for want of an option, ask for it instead."""
    usual = {role: usual_columns(one.columns, role) for role in ("gold", "pred")}
    gold, pred = (getattr(request, role) or (names[0] if len(names) == 1 else None) for role, names in usual.items())
    if pred is None and not usual["pred"]:
        pred = next((name for name in one.columns if name != gold and plain_name(name) not in ID_NAMES), None)
    # A usual name needs no choice: a header that occurs again as labels do is refused.
    chosen = {"gold": request.gold or None, "pred": pred if request.pred or not usual["pred"] else None}
    chosen |= {name: getattr(request, name) or None for name in ("missing", "weight", "multilabel", "over", "positive")}
    asked = {"columns": list(one.columns), **chosen, "gold": gold, "pred": pred}
    try:
        found = read_predictions(one.upload, **chosen)
    except InputError as error:
        if isinstance(error, FileError | EmptyError):
            raise
        return {"view": "matrix", "read_as": "a table", "ask": str(error), **asked}
    content = _content(found, f"{_n_rows(found):,} predictions, {_classes(found)}")
    return {**asked, **content, "weight": found.weight}


def _recognised(upload: UploadedTable, request: OpenRequest) -> Recognised:
    text = upload.text
    if text is not None and _is_report(text, only_json=True):
        return Recognised(upload, "report")
    columns: tuple[str, ...] = ()
    error: MacroF1Error | None = None
    try:
        with upload.opened() as table:
            columns = tuple(table.columns)
    except MacroF1Error as failed:
        error = failed
    gold, pred = usual_columns(columns, "gold"), usual_columns(columns, "pred")
    others = [name for name in columns if name not in gold and plain_name(name) not in ID_NAMES]
    if gold and len(others) > 1 and request.view == "compare" and not request.pred:
        return Recognised(upload, "systems", columns)
    start = (text or "")[:10_000].lstrip()
    are_records = len(columns) > 1 and start.startswith("{") and '"matrix"' not in start
    if request.gold or request.pred or (gold and pred) or are_records:
        return Recognised(upload, "predictions", columns)
    if len(published_classes(columns)) >= 2 or _has_macro(upload, columns):
        return Recognised(upload, "leaderboard", columns)
    if text is not None:
        try:
            parse_printed_matrix(text, upload.shown)
        except MacroF1Error as failed:
            error = error or failed
        else:
            return Recognised(upload, "matrix")
        if _is_report(text):
            return Recognised(upload, "report")
    if gold and others:
        return Recognised(upload, "systems" if len(others) > 1 else "predictions", columns)
    return Recognised(upload, "gold" if gold else "unknown", columns, error)


def _is_report(text: str, *, only_json: bool = False) -> bool:
    if len(text) > _LONGEST_REPORT:
        return False
    if only_json:  # as `output_dict` gives it: an object of objects, which is no record of a table
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return False
        if not isinstance(found, dict) or not any(isinstance(value, dict) for value in found.values()):
            return False
    return bool(read_reports(text))


def _has_macro(upload: UploadedTable, columns: Sequence[str]) -> bool:
    """Return whether a table has a row per system and a column of its macro F1."""
    if not any(re.search(r"f.?(1|score|measure)", plain_name(name)) for name in columns):
        return False
    with contextlib.suppress(MacroF1Error):
        return (None, "f1") in find_columns(upload.rows(), {}, ()).ratios
    return False


def _several(found: list[Recognised], request: OpenRequest) -> dict[str, Any]:
    kinds = {one.kind for one in found}
    if kinds <= {"report"}:
        return {"view": "audit", "read_as": f"{len(found)} reports"}
    if kinds <= {"matrix"}:
        read_as = f"confusion matrices of {len(found)} systems"
        return {"view": "compare", "read_as": read_as, "order": list(range(len(found)))}
    for one in found:
        if one.kind in ("report", "leaderboard", "matrix"):
            what = "a confusion matrix" if one.kind == "matrix" else f"a {one.kind}"
            expected = "predictions in all of them, or files of one kind"
            raise InputError(f"{one.upload.shown} is {what}, beside other files", expected=expected)

    def is_other(place: int) -> tuple[bool, bool]:
        one = found[place]
        only_gold = bool(usual_columns(one.columns, "gold")) and not usual_columns(one.columns, "pred")
        return not only_gold, not _GOLD_FILE.search(one.upload.shown)

    order = sorted(range(len(found)), key=is_other)  # the file of the gold labels first
    if len(found) == 2 and not _is_complete(found[order[0]]):
        first, second = (found[place].upload for place in order)
        matrix = read_pair(first, second, gold=request.gold or None, pred=request.pred or None)
        against = f"{_n_rows(matrix):,} predictions of {second.shown} against {first.shown}, {_classes(matrix)}"
        return {**_content(matrix, against), "order": order}
    n_systems = len(order) - (not all(map(_is_complete, found)))  # the first is gold alone, or a system, too
    return {"view": "compare", "read_as": f"predictions of {n_systems} systems", "order": order}


def _is_complete(one: Recognised) -> bool:
    return bool(usual_columns(one.columns, "gold")) and bool(usual_columns(one.columns, "pred"))


def _n_rows(found: ReadMatrix) -> float:
    return sum(map(sum, found.matrix)) if found.counts is None else found.counts.n_rows or 0


def _classes(found: ReadMatrix) -> str:
    over = None if found.counts is None else found.counts.over
    return f"{'mean over ' if over else ''}{counted(len(found.labels), *noun_of(over))}"


def _content(found: ReadMatrix, read_as: str) -> dict[str, Any]:
    """Return a matrix in the orientation that it was printed in, or the counts if there is none."""
    if (counts := found.counts) is not None:
        columns = [list(column) for column in (counts.tp, counts.predicted, counts.actual)]
        cells: dict[str, Any] = {"counts": columns, "facts": counts.making.facts}
        cells |= {"task": counts.task, "n_rows": counts.n_rows}
    elif max(map(max, found.matrix)) > MOST_COUNT:
        large = f"a cell holds more than {MOST_COUNT:,}"
        raise InputError(large, expected="counts up to that", hint="mf1 score takes more")
    else:
        matrix = list(zip(*found.matrix, strict=True)) if found.rows == "gold" else found.matrix
        cells = {"matrix": matrix, "rows": found.rows}
    return {"view": "matrix", "labels": found.labels, **cells, "notes": list(found.notes), "read_as": read_as}


def own_answer(names: Sequence[str], *, rows: RowsAre | None) -> dict[str, Any]:
    """Open the files that the explorer was started with; one of predictions may be as large as any."""
    paths = [Path(name) for name in names]
    if len(names) == 1 and not (paths[0].is_file() and paths[0].stat().st_size <= MOST_BYTES):
        found = read_files(names, paths[0].name)
        said = f"{_n_rows(found):,} rows of {paths[0].name}, {_classes(found)}"
        return {"files": [], "found": _content(found, said)}
    files = [{"data": base64.b64encode(path.read_bytes()).decode("ascii"), "name": path.name} for path in paths]
    request = OpenRequest(files=[Upload(**file) for file in files], rows=rows or "")
    with spelled(field_name):
        return {"files": files, "found": open_answer(request)}
