"""Task files: what a shared task fixes once for all who score it (columns, class set, convention), as TOML."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

from macrof1.errors import FileError, InputError, nearest
from macrof1.reading.files import whole_text

_TEXT: Final = (
    "gold", "pred", "weight", "by", "multilabel", "missing", "input_format", "records", "outside", "scheme", "mode",
    "classes", "convention", "cluster",
)  # fmt: skip
_LISTS: Final = ("labels", "normalize", "by", "tag_names")


class Task(NamedTuple):
    """The settings of a task file, and the name and digest that a signature carries."""

    settings: dict[str, Any]
    identity: str


def read_task(source: str | Path) -> Task:
    """Read a task file; refuse what it cannot fix."""
    text, name = whole_text(source, expected="a task file in TOML")
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{name}: {error}", expected="a task file in TOML, such as gold = 'label'") from None
    settings = {key: _checked(key, value, name) for key, value in found.items()}
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return Task(settings, f"{Path(name).name}@{digest}")


def _checked(key: str, value: Any, name: str) -> Any:
    """Return a setting as the option of its name takes it."""
    if key in _LISTS and isinstance(value, list) and all(isinstance(each, (str, int)) for each in value):
        return ",".join(_quoted(str(each)) for each in value)
    if key in _TEXT and isinstance(value, str):
        return value
    if key in ("spans", "header") and isinstance(value, bool):
        return value
    if key == "undefined" and (value in ("drop", "drop_with_parts") or value in (0, 1)) and not isinstance(value, bool):
        return value
    if key in ("beta", "confidence_level") and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    known = sorted({*_TEXT, *_LISTS, "spans", "header", "undefined", "beta", "confidence_level"})
    if key in known:
        raise InputError(
            f"{name}: {key} = {value!r}", argument="config", given=value, expected=f"another type for {key}"
        )
    guess = nearest(key, known)
    raise InputError(
        f"{name} sets {key!r}",
        argument="config",
        given=key,
        expected=f"any of {', '.join(known)}",
        hint=f"did you mean {guess!r}?" if guess else None,
    )


def _quoted(label: str) -> str:
    """Protect a label with a comma or a quote in a list."""
    return '"' + label.replace('"', '""') + '"' if set(label) & {",", '"', " "} else label
