"""From evaluation logs to records: JSON arrays and objects, tables as JSON, and zipped samples."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Mapping
from typing import Any

from macrof1.errors import ColumnError, EmptyError, FileError, quote_some
from macrof1.message import Argument, Message, Note
from macrof1.reading.files import InputFile, is_zipped_log, unpacked_zstd
from macrof1.reading.layouts import (
    LAYOUTS,
    N_TRIED,
    Record,
    at_path,
    has_path,
    known_layout,
    typical_record,
    value_at,
)

_ZSTANDARD = 93  # a compression that zipfile supports from Python 3.14 on


def read_log(file: InputFile, records: str | None = None) -> tuple[list[Record], tuple[Note, ...]]:
    """Read all records of a log: a JSON array, an object that contains one, or a zip of one JSON file per record.

    Also say what the log tells about records that are missing.
    """
    name = file.name
    if is_zipped_log(file.path):
        found: Any = _zipped(file)
    else:
        try:
            found = json.loads(file.content())
        except (ValueError, RecursionError) as error:
            raise FileError(f"{name}: not valid JSON ({error})", expected="a JSON array, or an object") from None
    log, found = found, _records_within(found, name, records)
    if not found:
        raise EmptyError(f"{name} holds no records", expected="one object per answer")
    for number, record in enumerate(found, start=1):
        if not isinstance(record, dict):
            raise FileError(
                f"{name}, record {number} is a {type(record).__name__}", expected='one object per answer: {"gold": …}'
            )
    return found, _gap_notes(log, found, name)


def _gap_notes(log: Any, records: list[Record], name: str) -> tuple[Note, ...]:
    layout = known_layout(typical_record(records))
    found = layout.gaps(log, records) if layout and layout.gaps and isinstance(log, Mapping) else []
    if not found:
        return ()
    what = found[0] if len(found) == 1 else f"{', '.join(found[:-1])}, and {found[-1]}"
    return (Note(f"{name} is not a whole run: {what}; only what was answered is scored.", code="incomplete_log"),)


def _records_within(found: Any, name: str, records: str | None) -> Any:
    """Find the array of records: at a given path, where a known tool keeps it, or the only array there is."""
    if records is not None:
        if not has_path(found, records):
            raise ColumnError(
                Message(f"{name} has nothing at ", Argument("records", records)),
                hint=f"it has {quote_some(found if isinstance(found, Mapping) else [])}",
            )
        found = at_path(found, records)
    elif isinstance(found, Mapping):
        found = _from_table(found) or _from_parts(found) or _only_array(found, name)
    if _holds_columns(found):
        return _from_columns(found, name)
    if not isinstance(found, list):
        raise FileError(f"{name} holds a JSON {type(found).__name__}", expected="an array of records")
    return found


def _from_table(found: Mapping[str, Any]) -> list[Record] | None:
    """Return the records of a table as pandas and others write it: column names and rows of values."""
    names, rows = found.get("columns"), found.get("data")
    if not isinstance(names, list) or not isinstance(rows, list) or not all(isinstance(name, str) for name in names):
        return None
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return [dict(zip(names, row, strict=True)) for row in rows]


def _from_parts(found: Mapping[str, Any]) -> list[Record] | None:
    """Return the records of an object per column, or per row, with a number for each row."""
    parts = list(found.values())
    if len(parts) < 2 or not all(isinstance(part, dict) and part.keys() == parts[0].keys() for part in parts):
        return None
    if any(isinstance(value, (dict, list)) for part in parts for value in part.values()):
        return None
    if all(map(str.isdecimal, parts[0])):
        return [{name: part[key] for name, part in found.items()} for key in parts[0]]
    return parts if all(map(str.isdecimal, found)) else None


def _only_array(found: Mapping[str, Any], name: str) -> Any:
    """Find the records of an object: where a known tool keeps them, the only array of objects, or arrays as columns."""
    for layout in LAYOUTS:
        for place in layout.records:
            inner = value_at(found, place)
            if isinstance(inner, list) and (not inner or any(known_layout(each) is layout for each in inner[:N_TRIED])):
                return inner
    arrays = [value for value in found.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    if len(arrays) == 1:
        return arrays[0]
    if not arrays and _holds_columns(found):
        return found
    raise ColumnError(
        f"{name} is one JSON object",
        argument="records",
        expected=Message(Argument("records"), " to name the array of records in it"),
        hint=f"it has {quote_some(found)}",
    )


def _holds_columns(found: Any) -> bool:
    return isinstance(found, Mapping) and bool(found) and all(isinstance(value, list) for value in found.values())


def _from_columns(columns: Mapping[str, list[Any]], name: str) -> list[Record]:
    """Turn an object of arrays, one per column, into records: ``{"references": […], "predictions": […]}``."""
    lengths = {key: len(values) for key, values in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{key!r} has {length:,}" for key, length in lengths.items())
        raise FileError(f"{name}: {listed} values", expected="arrays of the same length")
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _zipped(file: InputFile) -> dict[str, Any]:
    """Read the samples of a zipped log, one JSON file each, and its header; a run that was killed has only a start."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = {member.filename: member for member in archive.infolist()}
            head = next((members[name] for name in ("header.json", "_journal/start.json") if name in members), None)
            samples = [member for name, member in members.items() if name.startswith("samples/")]
            found = {} if head is None else json.loads(_member(file, archive, head))
            return {**found, "samples": [json.loads(_member(file, archive, member)) for member in samples]}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, struct.error) as error:
        raise FileError(f"{file.name}: a sample is damaged ({error})", expected="a whole log") from None


def _member(file: InputFile, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    with file.path.open("rb") as plain:
        plain.seek(member.header_offset + 26)
        name_length, extra_length = struct.unpack("<HH", plain.read(4))
        plain.seek(name_length + extra_length, 1)
        packed = plain.read(member.compress_size)
    return unpacked_zstd(packed).read()
