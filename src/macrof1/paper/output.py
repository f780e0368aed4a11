"""An output folder that never holds partial files and records which parts of a run are finished.

A file is written elsewhere on the same disk and moved into place atomically. A part of a run is finished once its
record is in place: the settings, the results, and a checksum of every file. A later run with the same settings reuses
finished parts. Only one run at a time may write to a folder.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Any, Self

from macrof1.errors import FileError
from macrof1.written_files import write_whole

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
    """A folder in which files appear complete or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._staging: Path | None = None

    def __enter__(self) -> Self:
        """Create the folder and a temporary folder next to it, and remove what a killed run left behind."""
        try:
            (self.path / _RECORDS).mkdir(parents=True, exist_ok=True)
            whole = self.path.resolve()
            # Next to the folder if that is on the same disk: a move between disks is not atomic.
            beside = whole.parent
            home = beside if whole.stat().st_dev == beside.stat().st_dev and os.access(beside, os.W_OK) else whole
            for left in home.glob(f".{escape(whole.name)}.*.partial"):
                shutil.rmtree(left, ignore_errors=True)
            self._staging = Path(tempfile.mkdtemp(prefix=f".{whole.name}.", suffix=".partial", dir=home))
            self.write(f"{_RECORDS}/README.txt", b"Records of finished parts: delete one to have it done again.\n")
        except OSError as error:
            self.__exit__()
            raise self._refused(error) from None
        except FileError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the temporary folder."""
        if self._staging is not None:
            shutil.rmtree(self._staging, ignore_errors=True)

    def _refused(self, error: OSError) -> FileError:
        reason = "is a file" if self.path.is_file() else (error.strerror or str(error)).lower()
        return FileError(
            f"cannot write into {str(self.path)!r} ({reason})",
            argument="out",
            given=str(self.path),
            expected="a folder that can be written to",
        )

    def write(self, name: str, content: bytes) -> None:
        """Write a file atomically."""
        assert self._staging is not None, "a folder is used in a with statement"
        write_whole(self.path / name, content, staging=self._staging)

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
