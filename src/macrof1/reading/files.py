"""Which files a source names: paths, patterns, folders, links, pipes and standard input, plain or compressed.

All user files are opened here. A pipe is copied when opened, since it can be read only once; a file that
changes while it is read is rejected.
"""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from glob import glob, has_magic
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final, TypeAlias, cast

from macrof1.errors import EmptyError, FileError, nearest

Source: TypeAlias = str | Path | Sequence[str | Path]
"""A path, a glob pattern, a folder of Parquet, "-" for standard input, or several of these."""

PACKED_ENDINGS: Final = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip")
_PARQUET_ENDINGS: Final = (".parquet", ".pq")
_MAGIC: Final = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "zip"),
)
# Files that people have, and that are no tables: what they are, and what to do.
_OTHER_FILES: Final = (
    (b"%PDF", "a PDF", "copy the table into a text file"),
    *((mark, "an image", "type the figures into a text file") for mark in (b"\x89PNG", b"\xff\xd8\xff", b"GIF8")),
    (b"\xff\xfe\0\0", "UTF-32 text", "save it as UTF-8"),
    *((mark, "UTF-16 text", "save it as UTF-8") for mark in (b"\xff\xfe", b"\xfe\xff")),
    (b"SQLite format 3\0", "an SQLite database", "export the table as CSV"),
    (b"Obj\x01", "an Avro file", "save the labels as CSV or Parquet"),
    (b"\x89HDF", "an HDF5 file", "save the labels as CSV or Parquet"),
    (b"version https", "a pointer of Git LFS", "git lfs pull fetches the file"),
    (b"\x93NUMPY", "a NumPy array", "load it and call macrof1.score"),
    *((bytes((0x80, version)), "a pickle", "load it where it was made, and save the labels as CSV or Parquet")
      for version in range(2, 6)),
)  # fmt: skip
_IN_ZIP: Final = (
    ("xl/workbook", "Excel"),
    ("content.xml", "Excel"),  # OpenDocument
    ("word/", "a Word document"),
    (".npy", "arrays of NumPy"),
    ("data.pkl", "a model of PyTorch"),
)
_XLS: Final = b"\xd0\xcf\x11\xe0"
_KNOWN: Final = (*(x[0] for x in _OTHER_FILES), *(x[0] for x in _MAGIC), _XLS, b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
# What the decompression modules raise on damage, by name so that none is imported before it is needed.
_DAMAGE: Final = {"BadGzipFile", "BadZipFile", "EOFError", "LZMAError", "NotImplementedError", "RuntimeError", "error"}
_STREAMS: Final = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma"}
_PIECE: Final = 1 << 20
_A_TABLE: Final = "a table as text, Parquet or Arrow"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that can be read more than once."""

    path: Path  # where its bytes are: the file itself, or a copy of a pipe
    name: str  # what messages call it
    packing: str | None  # how it is compressed, by its first bytes; None for a plain file
    size: int

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the file for reading, decompressed; damage and denied access become a `FileError`."""
        try:
            with self.path.open("rb") as plain:
                yield self._unpacked(plain)
        except Exception as error:
            name, reason = type(error).__name__, getattr(error, "strerror", None)
            if not isinstance(error, OSError) and (self.packing is None or name not in _DAMAGE):
                raise
            if name not in _DAMAGE and reason is not None:
                raise FileError(f"{self.name} cannot be read: {reason}") from None
            early = isinstance(error, EOFError) or "truncated" in str(error)
            problem = "ends too early" if early else f"is damaged ({error})"
            problem = f"{self.name}: the compressed data ({self.packing}) {problem}"
            raise FileError(problem, expected="a whole file") from None

    def _unpacked(self, plain: IO[bytes]) -> IO[bytes]:
        if self.packing in _STREAMS:
            return cast("IO[bytes]", import_module(_STREAMS[self.packing]).open(plain))
        if self.packing == "zip":
            import zipfile

            archive = zipfile.ZipFile(plain)
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) != 1:
                problem = f"{self.name} is a zip file with {len(members):,} files in it"
                raise FileError(problem, expected="one file in it")
            return archive.open(members[0])
        return unpacked_zstd(self.path) if self.packing == "Zstandard" else plain

    def start(self, size: int) -> bytes:
        """Return the first bytes, decompressed."""
        with self.opened() as file:
            return file.read(size)

    def content(self) -> bytes:
        """Return all bytes, decompressed."""
        with self.opened() as file:
            return file.read()

    def text(self) -> str:
        """Return the whole file as text."""
        content = self.content()
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise not_utf8(self.name, line, content[error.start]) from None


def not_utf8(name: str, line: int, byte: int) -> FileError:
    """Report a byte that is not UTF-8."""
    problem = f"{name}, line {line}: byte 0x{byte:02x} is not UTF-8"
    return FileError(problem, expected="UTF-8 text", hint="save the file as UTF-8")


@contextmanager
def opened_files(source: Source | Sequence[InputFile], *, once: bool = True) -> Iterator[list[InputFile]]:
    """Open all files that a source names, at least one; with `once`, none twice: its rows would count double."""
    sources = [source] if isinstance(source, (str, Path)) or not isinstance(source, Iterable) else list(source)
    for one in sources:
        if isinstance(one, str) and not one.strip():
            raise FileError("the name of a file is empty", given=one, expected="a path", hint="is a variable not set?")
        if not isinstance(one, (str, Path, InputFile)):
            raise FileError(f"a {type(one).__name__} given", given=one, expected="a path, or several")
    if not sources:
        raise EmptyError("no file given", expected="at least one file of predictions")
    already = [one for one in sources if isinstance(one, InputFile)]
    if already:
        yield already
        return
    given = cast("list[str | Path]", sources)
    paths = [path for one in given for path in ([None] if str(one) == "-" else _expanded(one))]
    _refuse_twice([path for path in paths if once or path is None or not path.is_file()])
    with ExitStack() as stack:

        def copy_of(stream: IO[bytes]) -> Path:
            import shutil
            import tempfile

            place = Path(stack.enter_context(tempfile.TemporaryDirectory()), "copy")
            with place.open("wb") as file:
                shutil.copyfileobj(stream, file, _PIECE)
            return place

        before = {path: _stamp(path) for path in paths if path is not None and path.is_file()}
        yield [_input_file(path, copy_of) for path in paths]
        for path, stamp in before.items():
            if _stamp(path) != stamp:
                problem = f"{path} changed while it was read"
                raise FileError(problem, expected="a file that stays as it is", hint="read it again")


@contextmanager
def opened_file(source: str | Path) -> Iterator[InputFile]:
    """Open a single file."""
    with opened_files(source) as files:
        if len(files) > 1:
            raise FileError(f"{source} matches {len(files):,} files", expected="one file here")
        yield files[0]


def whole_text(source: str | Path, *, expected: str) -> tuple[str, str]:
    """Return the text of a small file and its name in messages; `expected` says what it should contain."""
    with opened_file(source) as file:
        text = file.text()
        if not text.strip():
            raise EmptyError(f"{file.name} is empty", expected=expected)
        return text, file.name


def bare_name(path: str | Path) -> str:
    """Return the name of a file without its folder and compression suffix."""
    name = Path(path).name
    ending = next((ending for ending in PACKED_ENDINGS if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    with suppress(OSError):
        found = path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def _refuse_twice(paths: Sequence[Path | None]) -> None:
    """Reject a file that is named twice, under any name: links and ``./`` lead to the same one."""
    seen: dict[tuple[int, int], str] = {}
    for path in paths:
        name = "-" if path is None else str(path)
        try:
            found = os.fstat(sys.stdin.fileno()) if path is None else path.stat()
        except (OSError, ValueError, AttributeError):  # no file behind standard input, as in a notebook
            key = (-1, -1) if path is None else (-2, len(seen))
        else:
            key = found.st_dev, found.st_ino
        if key in seen:
            other = "" if seen[key] == name else f" (also as {seen[key]})"
            problem = f"{name} is named twice{other}"
            raise FileError(problem, expected="every file once", hint="its rows would be counted twice")
        seen[key] = name


def _input_file(path: Path | None, copy_of: Callable[[IO[bytes]], Path]) -> InputFile:
    name = "standard input" if path is None else str(path)
    try:
        if path is None:
            if sys.stdin is None:
                raise FileError("standard input is closed", expected="a table there, or the name of a file")
            place = copy_of(sys.stdin.buffer)
        elif path.is_file():
            place = path
        else:  # a pipe, as from <(command)
            with path.open("rb") as pipe:
                if path.is_char_device() and not pipe.isatty():
                    raise FileError(f"{name} is a device", expected="a file")  # which may never end
                place = copy_of(pipe)
        return _recognized(place, name, copy_of)
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror or error}") from None


def _recognized(place: Path, name: str, copy_of: Callable[[IO[bytes]], Path], *, inner: bool = False) -> InputFile:
    """Return a file that may hold a table, or say what it is; `inner`: it was compressed."""
    with place.open("rb") as file:
        start = file.read(16)
    size = place.stat().st_size
    for magic, what, remedy in _OTHER_FILES:
        if start.startswith(magic):
            raise FileError(f"{name} is {what}", expected=_A_TABLE, hint=remedy)
    names = names_in_zip(place) if start.startswith(b"PK\x03\x04") else []
    inside = next((what for mark, what in _IN_ZIP if any(mark in each for each in names)), None)
    if inside == "Excel" or start.startswith(_XLS):
        return InputFile(copy_of(io.BytesIO(_sheet_as_csv(place, name))), name, None, size)
    if inside is not None:
        raise FileError(f"{name} is {inside}", expected=_A_TABLE)
    packing = next((kind for magic, kind in _MAGIC if start.startswith(magic)), None)
    is_bzip2 = start[4:10] == b"1AY&SY"  # a CSV header may begin with BZh
    if (packing == "bzip2" and not is_bzip2) or (packing == "zip" and is_zipped_log(names)):
        packing = None
    found = InputFile(place, name, packing, size)
    if packing is not None and not inner and found.start(16).startswith(_KNOWN):
        with found.opened() as file:  # Polars needs Parquet and Arrow as plain files
            return _recognized(copy_of(file), name, copy_of, inner=True)
    return found


def names_in_zip(path: Path) -> list[str]:
    """Return the names of the files in a zip file; none in a damaged one, which decompression reports."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (OSError, RuntimeError, ValueError, zipfile.BadZipFile):
        return []


def is_zipped_log(names: Iterable[str]) -> bool:
    """Return whether files in a zip file are an evaluation log of many samples, which is read sample by sample."""
    return any(name.startswith("samples/") for name in names)


def _sheet_as_csv(path: Path, name: str) -> bytes:
    """Return the only sheet of an Excel workbook that holds something, as CSV; whole numbers without decimals."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        hint = "save it as CSV, or install its reader: pip install 'macrof1-score[excel]'"
        raise FileError(f"{name} is an Excel workbook", expected=_A_TABLE, hint=hint) from None
    try:
        book = CalamineWorkbook.from_path(str(path))
        sheets = {sheet: book.get_sheet_by_name(sheet).to_python() for sheet in book.sheet_names}
    except (CalamineError, OSError, ValueError) as error:
        raise FileError(f"{name} cannot be read as an Excel workbook: {error}", expected=_A_TABLE) from None
    filled = {sheet: rows for sheet, rows in sheets.items() if rows}
    if len(filled) != 1:
        named = f": {', '.join(map(repr, filled))}" if filled else ""
        problem = f"{name} has {len(filled):,} sheets with something in them{named}"
        raise FileError(problem, expected="one", hint="save the one that is meant as CSV")
    out = io.StringIO()
    (rows,) = filled.values()
    csv.writer(out, lineterminator="\n").writerows(
        [int(value) if isinstance(value, float) and value.is_integer() else value for value in row] for row in rows
    )
    return out.getvalue().encode()


def binary_format(start: bytes) -> str | None:
    """Recognize Parquet and Arrow, including Arrow streams, by their first bytes."""
    if start.startswith(b"PAR1"):
        return "parquet"
    return "arrow" if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")) else None


def unpacked_zstd(source: Path | bytes) -> IO[bytes]:
    """Decompress with Python 3.14's own module, or with Polars, which only handles lines of text."""
    if sys.version_info >= (3, 14):
        from compression import zstd

        return cast("IO[bytes]", zstd.open(io.BytesIO(source) if isinstance(source, bytes) else source, "rb"))
    import polars as pl

    from macrof1.reading.engine import check_that_polars_runs

    check_that_polars_runs()

    class Lines(io.RawIOBase):
        """The lines of a compressed text file as a stream of bytes."""

        def __init__(self) -> None:
            self._batches = pl.scan_lines(source, glob=False).collect_batches(chunk_size=50_000, engine="streaming")
            self._left = b""

        def readable(self) -> bool:
            return True

        def readinto(self, room: Any) -> int:
            try:
                while not self._left and (batch := next(self._batches, None)) is not None:
                    self._left = "".join(f"{line}\n" for line in batch["line"]).encode()
            except pl.exceptions.PolarsError as error:
                raise EOFError(" ".join(str(error).split())[:200]) from None
            n = min(len(room), len(self._left))
            room[:n], self._left = self._left[:n], self._left[n:]
            return n

    return io.BufferedReader(Lines(), _PIECE)


def _expanded(source: str | Path) -> list[Path]:
    """Return the files that a path, a pattern or a folder stands for, sorted by name."""
    path = Path(source)
    try:
        is_dir, exists = path.is_dir(), path.exists()
    except (OSError, ValueError) as error:  # a name that is too long or contains a NUL
        raise FileError(f"{str(source)!r} is not a valid file name ({error})", expected="a file") from None
    if is_dir:
        found = [
            file
            for file in sorted(path.rglob("*"))
            if file.suffix.lower() in _PARQUET_ENDINGS
            and not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
        ]
        endings = sorted({file.suffix for file in path.iterdir()} & {".csv", ".tsv", ".jsonl", ".txt"})
        if not found:
            expected = "a file, a pattern or a folder of Parquet files"
            hint = f"a pattern names the files in it: '{path}/*{endings[0]}'" if endings else None
            raise FileError(f"{path} is a directory without Parquet files", expected=expected, hint=hint)
        return found
    if exists:
        return [path]
    if path.is_symlink():
        raise FileError(f"{path} is a link to {os.readlink(path)}, which does not exist", expected="a file")  # noqa: PTH115  # as it is written
    if has_magic(str(source)):
        names = glob(str(source), recursive=True)  # noqa: PTH207  # a pattern may be absolute, which Path.glob rejects
        if found := [Path(name) for name in sorted(names) if not Path(name).is_dir()]:
            return found
        problem, expected, guess = f"no file matches {str(source)!r}", "a pattern of file names", None
    else:
        problem, expected = f"no file {str(path)!r}", "a file, or - for standard input"
        guess = nearest(path.name, [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else [])
    hint = f"did you mean {guess!r}?" if guess else "check the path"
    raise FileError(problem, given=str(path), expected=expected, hint=hint)


Progress: TypeAlias = Callable[[float], None]  # called with the share of the work that is done, from 0 to 1

Step: TypeAlias = Callable[[float], None]  # called with each share of the work when it is done


def adding(progress: Progress | None) -> Step | None:
    """Return a function that takes each share of the work when it is done, and reports their sum."""
    if progress is None:
        return None
    total = 0.0

    def done(share: float) -> None:
        nonlocal total
        total += share
        progress(min(1.0, total))

    return done


def part_of(progress: Progress | None, start: float, share: float) -> Progress | None:
    """Return a function for one part of the work, which begins when a share of `start` is done."""
    return None if progress is None else lambda done: progress(start + share * done)
