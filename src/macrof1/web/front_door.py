"""One front door: recognise whatever is pasted or dropped, and say which view shows it and how it was read."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from macrof1.errors import FileError, InputError, MacroF1Error, counted
from macrof1.reading.columns import ID_NAMES, plain_name, usual_columns
from macrof1.reading.leaderboards import find_columns, published_classes
from macrof1.reading.printed_matrices import parse_printed_matrix
from macrof1.reading.reports.documents import read_reports
from macrof1.web.models import MOST_BYTES, MOST_COUNT, OpenRequest, RowsAre, Upload
from macrof1.web.uploads import (
    ReadMatrix,
    UploadedTable,
    holds_predictions,
    read_own,
    read_pair,
    read_predictions,
    read_printed,
)

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
    kinds = {one.kind for one in found}
    if len(found) > 1:
        return _several(found, kinds, request)
    one = found[0]
    if one.kind == "matrix":
        return _matrix(one, request)
    if one.kind == "predictions" or (one.kind == "systems" and request.pred):
        return _predictions(one, request)
    if one.kind == "systems":
        return {"view": "compare", "read_as": "predictions of several systems"}
    if one.kind == "report":
        return {"view": "audit", "read_as": "a report"}
    if one.kind == "leaderboard":
        return _leaderboard(one, request)
    if one.error is not None and (one.upload.text is None or _NUMBERS.match(one.upload.text)):
        raise one.error  # a typed file, or a matrix, but for a fault
    if len(one.columns) > 2 and request.view == "compare":  # which has fields for the names of columns
        return {"view": "compare", "read_as": "a table of systems"}
    if len(one.columns) > 1:  # ask which columns are meant, since no name tells
        return {"view": "matrix", "read_as": "a table", "ask": "columns", "columns": list(one.columns)}
    raise FileError(
        f"cannot tell what {one.upload.shown} is",
        expected="predictions (columns such as gold and pred), a confusion matrix, a report as some tool printed it, "
        "or a leaderboard",
    )


def _recognised(upload: UploadedTable, request: OpenRequest) -> Recognised:
    """Return what a file holds, by what can read it."""
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
    if (
        request.gold
        or request.pred
        or (gold and pred)
        or (text is not None and len(columns) > 1 and holds_predictions(text))
    ):
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
    if gold or pred or len(columns) == 1:
        return Recognised(upload, "gold" if gold else "unknown", columns, error)
    return Recognised(upload, "unknown", columns, error)


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


def _matrix(one: Recognised, request: OpenRequest) -> dict[str, Any]:
    text = one.upload.text or ""
    found = read_printed(text, one.upload.shown, request.rows or "gold")
    # NumPy and pandas print what scikit-learn returns, whose rows are gold; a bare table says nothing.
    printed = _NUMPY.search(text) is not None or not re.search(r"[,;\t|&]", text)
    is_known = bool(request.rows) or found.titled or printed
    classes = counted(len(found.labels), "class", "classes")
    why = "" if found.titled or request.rows else ", as scikit-learn prints them" if printed else ""
    return {
        **_content(found),
        "read_as": f"a confusion matrix of {sum(map(sum, found.matrix)):,.12g} rows, {classes}",
        "rows_known": is_known,
        "rows_why": why,
    }


def _predictions(one: Recognised, request: OpenRequest) -> dict[str, Any]:
    gold = request.gold or next(iter(usual_columns(one.columns, "gold")), None)
    pred = request.pred or next(iter(usual_columns(one.columns, "pred")), None)
    if pred is None:
        pred = next((name for name in one.columns if name != gold and plain_name(name) not in ID_NAMES), None)
    found = read_predictions(one.upload, gold=gold, pred=pred, weight=request.weight or None)
    rows = sum(map(sum, found.matrix))
    return {
        **_content(found),
        "read_as": f"{rows:,} predictions, {counted(len(found.labels), 'class', 'classes')}",
        "columns": list(one.columns),
        "gold": gold,
        "pred": pred,
        "weight": found.weight or "",
    }


def _leaderboard(one: Recognised, request: OpenRequest) -> dict[str, Any]:
    can_compare = len(published_classes(one.columns)) >= 2
    wants = request.view if request.view in ("audit", "compare") else ""
    view = (
        "compare"
        if can_compare and (wants == "compare" or not (wants or _has_macro(one.upload, one.columns)))
        else "audit"
    )
    return {
        "view": view,
        "read_as": "a leaderboard",
        "also": "audit" if view == "compare" else "compare" if can_compare else "",
    }


def _several(found: list[Recognised], kinds: set[Kind], request: OpenRequest) -> dict[str, Any]:
    if kinds <= {"report"}:
        return {"view": "audit", "read_as": f"{len(found)} reports"}
    if kinds <= {"matrix"}:
        return {
            "view": "compare",
            "read_as": f"confusion matrices of {len(found)} systems",
            "order": list(range(len(found))),
        }
    odd = next((one for one in found if one.kind in ("report", "leaderboard", "matrix")), None)
    if odd is not None:
        what = {"report": "a report", "leaderboard": "a leaderboard", "matrix": "a confusion matrix"}[odd.kind]
        raise InputError(
            f"{odd.upload.shown} is {what}, beside other files",
            expected="predictions in all of them, or files of one kind",
        )
    order = gold_first(found)
    if len(found) == 2 and not _is_complete(found[order[0]]):
        first, second = (found[place].upload for place in order)
        matrix = read_pair(first, second, gold=request.gold or None, pred=request.pred or None)
        rows = sum(map(sum, matrix.matrix))
        classes = counted(len(matrix.labels), "class", "classes")
        return {
            **_content(matrix),
            "read_as": f"{rows:,} predictions of {second.shown} against {first.shown}, {classes}",
            "order": order,
        }
    # The gold labels of files that all have some are those of the first.
    order = [order[0], *order] if all(map(_is_complete, found)) else order
    return {"view": "compare", "read_as": f"predictions of {len(order) - 1} systems", "order": order}


def _is_complete(one: Recognised) -> bool:
    return bool(usual_columns(one.columns, "gold")) and bool(usual_columns(one.columns, "pred"))


def gold_first(found: Sequence[Recognised]) -> list[int]:
    """Return the files' places, with the one of the gold labels first."""

    def is_gold(place: int) -> tuple[bool, bool]:
        one = found[place]
        only_gold = bool(usual_columns(one.columns, "gold")) and not usual_columns(one.columns, "pred")
        return not only_gold, not _GOLD_FILE.search(one.upload.shown)

    return sorted(range(len(found)), key=is_gold)


def _content(found: ReadMatrix) -> dict[str, Any]:
    """Return a matrix in the orientation that it was printed in."""
    if max(map(max, found.matrix)) > MOST_COUNT:
        raise InputError(
            f"a cell holds more than {MOST_COUNT:,}", expected="counts up to that", hint="mf1 score takes more"
        )
    matrix = [list(column) for column in zip(*found.matrix, strict=True)] if found.rows == "gold" else found.matrix
    codes = [getattr(note, "code", "") for note in found.notes]
    return {
        "view": "matrix",
        "labels": found.labels,
        "matrix": matrix,
        "rows": found.rows,
        "notes": list(found.notes),
        "note_codes": codes,
    }


def own_answer(names: Sequence[str], *, rows: RowsAre | None) -> dict[str, Any]:
    """Open the files that the explorer was started with; one of predictions or a matrix may be as large as any."""
    paths = [Path(name) for name in names]
    try:
        if len(names) == 1:
            found = read_own(names[0], rows=rows)
            classes = counted(len(found.labels), "class", "classes")
            said = f"{sum(map(sum, found.matrix)):,} rows of {paths[0].name}, {classes}"
            return {"files": [], "found": {**_content(found), "read_as": said, "rows_known": True}}
    except MacroF1Error:
        if not paths[0].is_file() or paths[0].stat().st_size > MOST_BYTES:
            raise
    files = []
    for path in paths:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FileError(
                f"cannot read {str(path)!r} ({(error.strerror or '').lower()})", expected="a file"
            ) from None
        files.append({"data": base64.b64encode(content).decode("ascii"), "name": path.name})
    request = OpenRequest(files=[Upload(**file) for file in files], rows=rows or "")
    return {"files": files, "found": open_answer(request)}
