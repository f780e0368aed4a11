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
    "classes", "convention", "cluster", "normalize",
)  # fmt: skip
_LISTS: Final = ("labels", "normalize", "by", "tag_names", "exclude")
_SWITCHES: Final = ("spans", "header")
_NUMBERS: Final = ("beta", "confidence_level")


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
    # Git may change line ends on the way to Windows: they are no part of what a task fixes.
    digest = hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()[:8]
    return Task(settings, f"{Path(name).name}@{digest}")


def _checked(key: str, value: Any, name: str) -> Any:
    """Return a setting as the option of its name takes it."""
    takes = {
        "text": key in _TEXT and isinstance(value, str),
        "a list such as ['a', 'b']": key in _LISTS
        and isinstance(value, list)
        and all(isinstance(each, (str, int)) and not isinstance(each, bool) for each in value),
        "true or false": key in _SWITCHES and isinstance(value, bool),
        "a number": key in _NUMBERS and isinstance(value, (int, float)) and not isinstance(value, bool),
        "0, 1, 'drop' or 'drop_with_parts'": key == "undefined"
        and (value in ("drop", "drop_with_parts") or (value in (0, 1) and not isinstance(value, bool))),
    }
    if any(takes.values()):
        return ",".join(_quoted(str(each)) for each in value) if isinstance(value, list) else value
    kinds = dict(zip(takes, (_TEXT, _LISTS, _SWITCHES, _NUMBERS, ("undefined",)), strict=True))
    expected = [kind for kind, keys in kinds.items() if key in keys]
    if expected:
        raise InputError(f"{name}: {key} = {value!r}", argument="config", given=value, expected=" or ".join(expected))
    known = sorted({key for keys in kinds.values() for key in keys})
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
