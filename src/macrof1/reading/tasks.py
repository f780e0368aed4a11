"""Task files: what a shared task fixes once for all participants (columns, class set, convention), as TOML."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any, Final

from macrof1.errors import FileError, InputError, nearest
from macrof1.options import Names, Option, fixed_options
from macrof1.reading.files import whole_text

# Lists that are often of one name, which need no brackets then.
_OFTEN_ONE: Final = ("by", "normalize")


def read_task(source: str | Path) -> tuple[dict[str, Any], str]:
    """Return the settings of a task file by their names in Python, and its name and digest for the signature."""
    text, name = whole_text(source, expected="a task file in TOML")
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = re.sub(r"\('.*'.*?\)", "a key", str(error))  # no text of a file that may be none of ours
        raise FileError(f"{name}: {said}", expected="a task file in TOML, such as gold = 'label'") from None
    known = fixed_options()
    settings = {}
    for key, value in found.items():
        if key not in known:
            guess = nearest(key, known)
            hint = f"did you mean {guess!r}?" if guess else None
            expected = f"any of {', '.join(sorted(known))}"
            raise InputError(f"{name} sets {key!r}", argument="config", given=key, expected=expected, hint=hint)
        settings[known[key].name] = _checked(known[key], value, name)
    if "gold_file" in settings and isinstance(source, (str, Path)):  # beside the task file, wherever it is read from
        settings["gold_file"] = str(Path(source).parent / settings["gold_file"])
    # Git may change line endings on Windows: they are not part of what a task fixes.
    digest = hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()[:8]
    return settings, f"{Path(name).name}@{digest}"


def _checked(option: Option, value: Any, name: str) -> Any:
    expected = "text"
    if option.choices:
        expected = ", ".join(map(repr, option.choices[:-1])) + f" or {option.choices[-1]!r}"
        if any(value == choice and type(value) is type(choice) for choice in option.choices):
            return value
    elif option.type is Names:
        expected = "a list such as ['a', 'b']"
        if isinstance(value, str) and option.name in _OFTEN_ONE:
            return tuple(each.strip() for each in value.split(","))
        if isinstance(value, dict) and option.name == "limits":
            return tuple(f"{key}={number}" for key, number in value.items())
        if isinstance(value, list) and all(isinstance(each, str) or _is_whole(each) for each in value):
            return tuple(map(str, value))
    elif option.type is bool:
        expected = "true or false"
        if isinstance(value, bool):
            return value
    elif option.type is float:
        expected = "a number"
        if isinstance(value, float) or _is_whole(value):
            return value
    elif isinstance(value, str):
        return value
    raise InputError(f"{name}: {option.spelled} = {value!r}", argument="config", given=value, expected=expected)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
