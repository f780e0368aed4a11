"""An output folder that never holds partial files and records which parts of a run are finished.

A file is written under another name and moved into place atomically. A part of a run is finished once its record is
in place: the settings, the results, and a checksum of every file. A later run with the same settings reuses
finished parts. Only one run at a time may write to a folder.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from macrof1.counting.written_files import write_whole
from macrof1.errors import FileError
from macrof1.message import Argument, Message

_RECORDS = "parts"


@dataclass(frozen=True, slots=True)
class Part:
    """One finished part of a run: its files by name, and its results as plain JSON types."""

    files: Mapping[str, bytes]
    summary: dict[str, Any] = field(default_factory=dict)


def csv_bytes(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Return records as CSV, with all digits of floats, so that equal numbers give equal bytes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([repr(value) if isinstance(value, float) else value for value in row.values()] for row in rows)
    return out.getvalue().encode("utf-8")


def json_bytes(content: object) -> bytes:
    """Return plain JSON types as JSON."""
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


class Folder:
    """A folder in which files appear complete or not at all, and whose owner's own files stay as they are."""

    def __init__(self, path: Path, *, force: bool = False) -> None:
        """Create the folder, list what it held before the first run, and remove what a killed run left behind."""
        self.path, kept = path, path / _RECORDS / "kept.json"
        try:
            if kept.exists():
                own = json.loads(kept.read_bytes())
            else:
                own = sorted(each.name for each in path.iterdir() if each.name != _RECORDS) if path.is_dir() else []
            kept.parent.mkdir(parents=True, exist_ok=True)
            self._kept = {name for name in own if not force or name.endswith(".partial")}
            write_whole(kept, json_bytes(sorted(self._kept)))
            for left in (*path.glob(".*.partial"), *kept.parent.glob(".*.partial")):
                if left.name not in own:
                    left.unlink()
        except (OSError, ValueError) as error:
            reason = "is a file" if path.is_file() else (getattr(error, "strerror", None) or str(error)).lower()
            raise FileError(
                f"cannot write into {str(path)!r} ({reason})",
                argument="out",
                given=str(path),
                expected="a folder that can be written to",
            ) from None
        self.write(f"{_RECORDS}/README.txt", b"Records of finished parts: delete one to have it done again.\n")

    def check(self, *names: str) -> None:
        """Refuse to replace files that were there before the first run."""
        for name in names:
            if name in self._kept and (self.path / name).exists():
                raise FileError(
                    f"{name!r} in {str(self.path)!r} was not written by an earlier run",
                    argument="out",
                    given=str(self.path),
                    expected="another folder",
                    hint=Message(Argument("force", True), " replaces it"),
                )

    def write(self, name: str, content: bytes) -> None:
        """Write a file atomically."""
        self.check(name)
        write_whole(self.path / name, content)

    def finish(self, name: str, part: Part, settings: Mapping[str, Any]) -> None:
        """Write a part's files, then the record that says they are complete."""
        for file, content in part.files.items():
            self.write(file, content)
        sums = {file: hashlib.sha256(content).hexdigest() for file, content in part.files.items()}
        record = {"settings": dict(settings), "files": sums, "summary": part.summary}
        self.write(f"{_RECORDS}/{name}.json", json_bytes(record))

    def finished(self, name: str, settings: Mapping[str, Any]) -> Part | None:
        """Return a part that an earlier run with the same settings finished, if its files are still the same."""
        try:
            record = json.loads((self.path / _RECORDS / f"{name}.json").read_bytes())
            if record["settings"] != dict(settings):
                return None
            files = {file: (self.path / file).read_bytes() for file in record["files"]}
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if any(hashlib.sha256(files[file]).hexdigest() != wanted for file, wanted in record["files"].items()):
            return None
        return Part(files, record["summary"])
