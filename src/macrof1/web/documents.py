"""What the page links to beside the paper: the documentation, a reference of the library, and its source."""

from __future__ import annotations

import inspect
import io
import re
import zipfile
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.metadata import PackageNotFoundError, metadata
from importlib.resources import files
from typing import Any, Final

import macrof1
from macrof1.errors import InputError

_WHEN: Final = (2020, 1, 1, 0, 0, 0)
_SOURCES: Final = (".py", ".pyx", ".h", ".toml", ".csv", ".json", ".jsonl", ".html", ".js", ".css")
_PLACE: Final = '<span id="documentation"></span>'
_REFERENCE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>macrof1 {version}: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="static/style.css">
</head>
<body>
<header class="top"><p class="brand">macrof1 <span>reference</span></p>
<nav aria-label="Explorer"><a href="./">The explorer</a></nav></header>
<main class="reference">
<h1>The functions of macrof1 {version}</h1>
<p class="lead">In Python, <code>import macrof1</code>. In a terminal, <code>mf1</code> lists its commands, which take
the same options.</p>
{sections}
</main>
</body>
</html>
"""


def documentation(given: str | None = None) -> str | None:
    """Return the address of the documentation: as given, or else the one in the package's metadata."""
    if given is not None:
        if not re.fullmatch(r"(https?://|\.{0,2}/)[^\s\"<>]*", given):
            expected = "one that begins with https://, http://, / or ../"
            raise InputError(f"{given!r} is not a valid address", argument="docs", given=given, expected=expected)
        return given
    try:
        found = metadata("macrof1-score").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    named = {label.strip().lower(): url.strip() for label, _, url in (one.partition(",") for one in found)}
    return named.get("documentation")


def linked(page: str, docs: str | None) -> str:
    """Return the page with a link to the documentation, if its address is known.

    Examples
    --------
    >>> linked('<span id="documentation"></span>Source', "../")
    '<a href="../">Documentation</a>. Source'
    """
    url = documentation(docs)
    return page.replace(_PLACE, "" if url is None else f'<a href="{escape(url)}">Documentation</a>. ')


@cache
def reference() -> str:
    """Return the reference as a page: the public functions and classes with their docstrings."""
    names = [name for name in macrof1.__all__ if callable(getattr(macrof1, name))]
    sections = "\n".join(_section(name, getattr(macrof1, name)) for name in names)
    return _REFERENCE.format(version=escape(macrof1.__version__), sections=sections)


def _section(name: str, thing: Any) -> str:
    call, said = escape(f"{name}{_signature(thing)}"), escape(inspect.getdoc(thing) or "")
    return f'<section class="panel" id="{name}"><h2>{name}</h2>\n<pre>{call}</pre>\n<pre>{said}</pre></section>'


def _signature(thing: Any) -> str:
    """Return the parameters with their defaults; the docstring has the types."""
    if isinstance(thing, type) and issubclass(thing, Exception):
        return ""
    found = inspect.signature(thing)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


@cache
def source() -> bytes:
    """Return the source of the library, as it runs, as a ZIP file."""
    return packed(sorted(sources(files("macrof1"), "macrof1", _SOURCES)))


def sources(
    folder: Any, path: str, endings: tuple[str, ...], left_out: tuple[str, ...] = ("__pycache__",)
) -> Iterable[tuple[str, bytes]]:
    """Return the files below a folder with these endings, by their paths, without some names."""
    for one in folder.iterdir():
        if one.is_dir() and one.name not in left_out:
            yield from sources(one, f"{path}/{one.name}", endings, left_out)
        elif one.name.endswith(endings):
            yield f"{path}/{one.name}", one.read_bytes()


def packed(named: Iterable[tuple[str, bytes]]) -> bytes:
    """Pack files reproducibly."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, each in named:
            archive.writestr(zipfile.ZipInfo(name, _WHEN), each, zipfile.ZIP_DEFLATED, compresslevel=9)
    return content.getvalue()
