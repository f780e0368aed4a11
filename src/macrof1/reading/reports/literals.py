"""Dictionaries and tuples as printed by JSON and Python, in the middle of text; numbers keep their digits."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<open>[\[{(]) | (?P<close>[\]})]) | (?P<comma>,) | (?P<colon>:)
    | (?P<string>"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
    | (?P<call>[A-Za-z_][\w.]*\() | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?)
    | (?P<word>[A-Za-z_]\w*|\.\.\.|<[^<>\n]*>)
    )""",
    re.VERBOSE,
)
_START = re.compile(
    r"OrderedDict\(\[\(|\{\s*(?:[\"']|-?\d+(?:\.\d+)?\s*:)|\[\s*\{"
    r"|\((?=\s*(?:array\(\[|\[\d|(?:np\.|numpy\.)?float\d+\(|\d*\.\d))"
)
_MORE = re.compile(r"[\s\S]{0,200}?[\"']\s*:\s*[\d.]")
_BLANK = re.compile(r"\s*\Z")
_WRAPPERS = ("float", "int", "array", "ict", "Decimal", "tensor", "str_")
_DEEPEST = 40


class Number(str):
    """A number as printed."""

    __slots__ = ()


class NotALiteralError(Exception):
    """The text here is not a dictionary; never raised outside this module."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A value, its position, the words before it that name it, and whether it goes on behind something unreadable."""

    value: Any
    start: int
    end: int
    title: str
    is_broken: bool


def literals(text: str) -> list[Literal]:
    """Find the dictionaries and tuples in a text; one that is cut off at the end of the text is closed there."""
    found: list[Literal] = []
    place = 0
    while (start := _START.search(text, place)) is not None:
        parser = _Parser(text)
        try:
            value, end = parser.value(start.start(), 0)
        except NotALiteralError:
            # What is nested too deeply is left behind at once: every level of it would be read that deeply.
            place = max(start.start() + 1, parser.too_deep)
            continue
        before = text[found[-1].end if found else 0 : start.start()].rpartition("\n")[2]
        found.append(Literal(value, start.start(), end, before.strip(" \t=:"), parser.is_broken))
        place = end
    return found


@dataclass(slots=True)
class _Parser:
    text: str
    is_broken: bool = False
    too_deep: int = 0

    def token(self, place: int) -> tuple[str, str, int]:
        found = _TOKEN.match(self.text, place)
        if found is None:
            if _BLANK.match(self.text, place):
                return "end", "", len(self.text)
            raise NotALiteralError
        kind = found.lastgroup or ""
        return kind, found[kind], found.end()

    def value(self, place: int, depth: int) -> tuple[Any, int]:
        kind, text, end = self.token(place)
        if depth > _DEEPEST:
            self.too_deep = max(self.too_deep, place)
            raise NotALiteralError
        if kind == "open":
            return self.mapping(end, depth) if text == "{" else self.sequence(end, depth)
        if kind == "string":
            return _unquoted(text), end
        if kind == "number":
            return Number(text), end
        if kind == "call":
            inner, end = self.sequence(end, depth)
            if not any(name in text for name in _WRAPPERS):
                return None, end
            if "ict" in text and inner and isinstance(inner[0], list):
                return {pair[0]: pair[1] for pair in inner[0] if isinstance(pair, list) and len(pair) == 2}, end
            return next((item for item in inner if isinstance(item, dict)), inner[0] if inner else None), end
        if kind == "word":
            return (Number("nan") if text.lower() == "nan" else None), end
        raise NotALiteralError

    def mapping(self, place: int, depth: int) -> tuple[dict[Any, Any], int]:
        found: dict[Any, Any] = {}
        while True:
            try:
                kind, _, end = self.token(place)
                if kind in ("close", "end"):
                    return found, end
                place = end if kind == "comma" else self.item(found, place, depth + 1)
            except NotALiteralError:
                if not found:
                    raise
                # Cut off here; if more of its figures follow, it is broken.
                self.is_broken |= _MORE.match(self.text, place) is not None
                return found, place

    def item(self, found: dict[Any, Any], place: int, depth: int) -> int:
        """Add a key and its value, and return where they end; a key at the end of the text has none."""
        if self.token(place)[0] == "open":
            raise NotALiteralError
        key, end = self.value(place, depth)
        if self.token(end)[0] in ("comma", "close") and not (found or isinstance(key, (dict, list))):
            return self.sequence(place, depth)[1] - 1  # a set: it ends with its bracket
        kind, _, end = self.token(end)
        if kind != "colon" or isinstance(key, (dict, list)):
            raise NotALiteralError
        if self.token(end)[0] == "end":
            return len(self.text)
        found[key], end = self.value(end, depth)
        return end

    def sequence(self, place: int, depth: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        while True:
            kind, _, end = self.token(place)
            if kind in ("close", "end"):
                return found, end
            if kind == "comma":
                place = end
            elif kind == "word" and self.text[end : end + 1] == "=":
                # A keyword such as dtype=float32 says nothing about the values.
                place = self.value(end + 1, depth + 1)[1]
            else:
                item, place = self.value(place, depth + 1)
                found.append(item)


def _unquoted(text: str) -> str:
    if text[0] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return re.sub(r"\\(.)", r"\1", text[1:-1])
