"""The page as files: what it links to, and its export with Python for the browser and the library itself."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from macrof1 import __version__
from macrof1.counting.written_files import write_whole
from macrof1.errors import FileError, InputError
from macrof1.message import Argument, Message
from macrof1.web.presets import EXAMPLES, example, presets
from macrof1.web.routes import answer

_PYODIDE: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
_LIBRARY: Final = (".py", ".toml", ".csv", ".json")
_NOT_IN_BROWSERS: Final = ("integrations", "cli", "kernel", "static", "__pycache__")
# Imports that mark a module as not loadable in a browser.
_NEEDS_MORE: Final = re.compile(rb"^(import|from) (numpy|polars|narwhals|uvicorn|fastapi|starlette)\b", re.MULTILINE)
# Parts of the standard library that nothing here imports: servers, mail, debuggers, code pages.
_NEVER_IMPORTED: Final = re.compile(
    r"(_pyrepl|multiprocessing|unittest|xml|xmlrpc|wsgiref|http|ensurepip|venv|dbm|curses|sqlite3)/"
    r"|(pdb|bdb|doctest|pydoc|pickletools|optparse|imaplib|mailbox|smtplib|poplib|ftplib|turtle|cProfile|profile|pstats"
    r"|_pyio|_pydatetime|_pydecimal|trace|timeit|webbrowser|zipapp|modulefinder|pyclbr|tabnanny)\.py"
    r"|encodings/(?!__init__|aliases|utf|ascii|latin|cp1252|cp437|idna|raw_unicode|unicode|iso8859_1\.|charmap)"
)
_WHEN: Final = (2020, 1, 1, 0, 0, 0)
_PLACE: Final = '<span id="documentation"></span>'


def linked(page: str, docs: str | None) -> str:
    """Return the page with a link to the documentation, if its address is given."""
    if docs is not None and not re.fullmatch(r"(https?://|\.{0,2}/)[^\s\"<>]*", docs):
        expected = "one that begins with https://, http://, / or ../"
        raise InputError(f"{docs!r} is not a valid address", argument="docs", given=docs, expected=expected)
    return page.replace(_PLACE, "" if docs is None else f'<a href="{escape(docs)}">Documentation</a>. ')


def _sources(folder: Any, path: str) -> Iterable[tuple[str, bytes]]:
    """Return the files of the library that a browser can load, by their paths."""
    for one in folder.iterdir():
        if one.is_dir() and one.name not in _NOT_IN_BROWSERS:
            yield from _sources(one, f"{path}/{one.name}")
        elif one.name.endswith(_LIBRARY) and not _NEEDS_MORE.search(one.read_bytes()):
            yield f"{path}/{one.name}", one.read_bytes()


def packed(named: Iterable[tuple[str, bytes]]) -> bytes:
    """Pack files reproducibly."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, each in named:
            archive.writestr(zipfile.ZipInfo(name, _WHEN), each, zipfile.ZIP_DEFLATED, compresslevel=9)
    return content.getvalue()


def web_address(url: str, argument: str) -> str:
    """Return an address on the web, with a slash at its end, or reject it."""
    if not re.fullmatch(r"https?://[^\s\"<>#]+", url):
        expected = "one that begins with https:// or http://"
        raise InputError(f"{url!r} is not a valid address", argument=argument, expected=expected)
    return f"{url.rstrip('/')}/"


def export_site(
    folder: Path, *, pyodide: Path, own: dict[str, Any] | None = None, url: str | None = None, docs: str | None = None
) -> int:
    """Write the explorer as static files, and return their size; `url` is where it is served, for link previews."""
    home = None if url is None else web_address(url, "url")
    missing = [name for name in _PYODIDE if not (pyodide / name).is_file()]
    if missing:
        hint = Message("npm install pyodide puts it there, or ", Argument("pyodide"), " names its folder")
        absent = f"no {missing[0]} in {str(pyodide)!r}"
        raise FileError(absent, argument="pyodide", expected="the npm package pyodide", hint=hint)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "macrof1.zip").is_file():
        raise FileError(f"{str(folder)!r} holds files that are no earlier export", expected="another folder")
    static = files("macrof1.web").joinpath("static")
    contents = {f"static/{one.name}": one.read_bytes() for one in static.iterdir() if one.is_file()}
    page = linked(contents.pop("static/index.html").decode("utf-8"), docs)
    if home is not None:
        page = page.replace(
            'content="static/preview.jpg">',
            f'content="{home}static/preview.jpg">\n<meta property="og:url" content="{home}">',
        )
    # A page without a server, which would send the security policy as a header.
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    first = '<link rel="preload" href="frozen.json" as="fetch" crossorigin>\n'
    first += '<link rel="modulepreload" href="static/local.js">\n'
    for old, new in (
        ('<script type="module"', f'{first}<script type="module"'),
        ('<html lang="en">', '<html lang="en" data-static>'),
        ('<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}'),
    ):
        page = page.replace(old, new)
    contents["index.html"] = page.encode("utf-8")
    contents["macrof1.zip"] = packed(sorted(_sources(files("macrof1"), "macrof1")))
    for name, part in (*_frozen(own), ("own.json", own)):
        contents[name] = json.dumps(part, ensure_ascii=False).encode("utf-8")
    contents |= {f"pyodide/{name}": _part(pyodide / name) for name in _PYODIDE}
    contents["sw.js"] = contents.pop("static/sw.js")
    # The browser caches these files under a version that changes with any of them.
    mark = hashlib.sha256()
    for name in sorted(contents):
        mark.update(name.encode() + contents[name])
    version = f"{__version__}-{mark.hexdigest()[:12]}".encode()
    for name in ("sw.js", "static/worker.js"):
        contents[name] = contents[name].replace(b"@version@", version)
    names = ["./", *sorted(name for name in contents if name not in ("index.html", "sw.js"))]
    contents["sw.js"] = f"const FILES = {json.dumps(names)};\n".encode() + contents["sw.js"]
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    return sum(map(len, contents.values()))


def _part(path: Path) -> bytes:
    if path.name == "pyodide-lock.json":  # lists packages to download, of which we need none
        return json.dumps({**json.loads(path.read_bytes()), "packages": {}}).encode("utf-8")
    if path.name != "python_stdlib.zip":
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return packed((name, archive.read(name)) for name in archive.namelist() if not _NEVER_IMPORTED.match(name))


def _frozen(own: dict[str, Any] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Precompute what the page requests first and, in separate files, what no browser can compute."""

    def frozen(*asked: tuple[str, Any]) -> dict[str, Any]:
        found = {}
        for target, body in asked:
            text = "" if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
            reply = answer("GET" if body is None else "POST", target, text, own=own)
            is_json = "json" in reply.media_type
            found[f"{target} {text}"] = {"status": reply.status, "json": is_json, "text": reply.text}
        return found

    (story,) = presets()["moderation"]["sliders"]
    moved = range(story["low"], story["high"] + 1, story["step"])
    starts = frozen(*((f"/api/presets/moderation?moved={each}", None) for each in moved))
    given = [json.loads(start["text"]) for start in starts.values()]
    matrices = [matrix for each in given for matrix in (each, each.get("rival")) if matrix]
    matrices += [own["found"]] if own is not None and "matrix" in own["found"] else []
    scores = [{name: matrix[name] for name in ("labels", "matrix", "rows")} for matrix in matrices]
    first = frozen(*((f"/api/{name}", None) for name in ("health", "presets", "plane", "own")))
    yield "frozen.json", {**first, **starts, **frozen(*(("/api/score", each) for each in scores))}
    yield "frozen-paper.json", frozen(("/api/paper", None))
    yield "frozen-gallery.json", frozen(("/api/gallery", None))
    # The page requests its examples with all form fields, in this order.
    bodies = []
    for one in map(example, EXAMPLES):
        names = ("gold", "systems", "by", "weight", "over", "positive")
        columns = {name: one["options"].get(name, "") for name in names}
        bodies.append({"text": one["text"], "name": one["name"], **columns, "missing": "error", "test": "delta"})
    yield "frozen-compare.json", frozen(*(("/api/compare", body) for body in bodies))
