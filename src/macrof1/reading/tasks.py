"""Task files: what a shared task fixes once for all participants (columns, class set, convention), as TOML."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from macrof1.errors import FileError, InputError, nearest
from macrof1.reading.files import whole_text

_TEXT: Final = (
    "gold", "pred", "weight", "by", "multilabel", "missing", "input_format", "records", "outside", "scheme", "mode",
    "classes", "convention", "cluster", "normalize",
)  # fmt: skip
_LISTS: Final = ("labels", "normalize", "by", "tag_names", "exclude")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) or _is_whole(each) for each in value)


# For each kind of value: its description, the settings that take it, and a check.
_KINDS: Final[tuple[tuple[str, tuple[str, ...], Callable[[Any], bool]], ...]] = (
    ("text", _TEXT, lambda value: isinstance(value, str)),
    ("a list such as ['a', 'b']", _LISTS, _is_list),
    ("true or false", ("spans", "header"), lambda value: isinstance(value, bool)),
    ("a number", ("beta", "confidence_level"), lambda value: isinstance(value, float) or _is_whole(value)),
    (
        "0, 1, 'drop' or 'drop_with_parts'",
        ("undefined",),
        lambda value: value in ("drop", "drop_with_parts") or (_is_whole(value) and value in (0, 1)),
    ),
)


class Task(NamedTuple):
    """The settings of a task file, and the name and digest for the signature."""

    settings: dict[str, Any]
    identity: str


def read_task(source: str | Path) -> Task:
    """Read a task file; reject settings that it cannot fix."""
    text, name = whole_text(source, expected="a task file in TOML")
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{name}: {error}", expected="a task file in TOML, such as gold = 'label'") from None
    settings = {key: _checked(key, value, name) for key, value in found.items()}
    # Git may change line endings on Windows: they are not part of what a task fixes.
    digest = hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()[:8]
    return Task(settings, f"{Path(name).name}@{digest}")


def _checked(key: str, value: Any, name: str) -> Any:
    """Return a setting in the form its option takes."""
    kinds = [(kind, fits) for kind, keys, fits in _KINDS if key in keys]
    if any(fits(value) for _, fits in kinds):
        return ",".join(_quoted(str(each)) for each in value) if isinstance(value, list) else value
    if kinds:
        expected = " or ".join(kind for kind, _ in kinds)
        raise InputError(f"{name}: {key} = {value!r}", argument="config", given=value, expected=expected)
    known = sorted({each for _, keys, _ in _KINDS for each in keys})
    guess = nearest(key, known)
    raise InputError(
        f"{name} sets {key!r}",
        argument="config",
        given=key,
        expected=f"any of {', '.join(known)}",
        hint=f"did you mean {guess!r}?" if guess else None,
    )


def _quoted(label: str) -> str:
    """Quote a label that contains a comma or a quote in a list."""
    return '"' + label.replace('"', '""') + '"' if set(label) & {",", '"', " "} else label
