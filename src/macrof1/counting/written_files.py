"""Output files, written completely or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from macrof1.errors import FileError


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a temporary file next to the target and move it there atomically, so that nobody ever sees half of it.

    A link stays a link: the file it points to is replaced. Anything but a regular file (a device, a pipe) is
    written directly. A failed write leaves the old file and nothing else.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp()) / "report.txt"
    >>> write_whole(path, "fine")
    >>> path.read_text(), len(list(path.parent.iterdir()))
    ('fine', 1)
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    staged: Path | None = None
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            with target.open("wb") as out:
                out.write(data)
            return
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:80]}.", suffix=".partial", dir=target.parent)
        staged = Path(name)
        with open(handle, "wb") as out:  # noqa: PTH123  # a handle, not a path
            out.write(data)
        staged.chmod(0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))
        staged.replace(target)
    except (OSError, ValueError) as error:
        if staged is not None:
            with suppress(OSError):
                staged.unlink()
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise FileError(f"cannot write {str(path)!r} ({reason})", expected="a path that can be written") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
