"""Fit text to the terminal: its width, and line breaking."""

from __future__ import annotations

from collections.abc import Iterable
from shutil import get_terminal_size

# Narrower terminals get lines of this width and wrap them themselves.
_NARROWEST = 40


def text_width() -> int:
    """Return the width of the terminal; 80 columns for a pipe or a file, unless COLUMNS says otherwise."""
    return max(_NARROWEST, get_terminal_size().columns)


def printable(text: str) -> str:
    """Escape control characters, so that a label cannot break a line or control the terminal."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def shown_width(text: str) -> int:
    """Return how many terminal columns a text takes; non-ASCII characters may take two, or none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, *, first: str = "", after: str = "", width: int | None = None) -> str:
    """Break a sentence between words; a long word, such as a path or a signature, stays whole for copying.

    Parameters
    ----------
    first, after
        Prefix of the first line, and of every other line.
    width
        Maximum line width; by default, that of the terminal.

    Examples
    --------
    >>> print(wrapped("Both macro F1s, always named.", after="  ", width=16))
    Both macro F1s,
      always named.
    """
    most = text_width() if width is None else width
    lines: list[str] = []
    line, space = first, ""
    for word in text.split(" "):
        longer = f"{line}{space}{word}"
        if space and shown_width(longer) > most:
            lines.append(line.rstrip())
            line, space = f"{after}{word}", " " if word else ""
        else:
            line, space = longer, " "
    return "\n".join([*lines, line.rstrip()])


def paragraphs(sentences: Iterable[str]) -> str:
    """Print one sentence per line; continuation lines, and an address at the end, are indented."""
    found = []
    for sentence in sentences:
        text, _, last = printable(sentence).rpartition(" ")
        address = text and "://" in last
        found.append(wrapped(text if address else printable(sentence), after="  "))
        found += [f"  {last}"] if address else []
    return "\n".join(found)


def ended(sentence: str) -> str:
    """Return a sentence with a full stop, for formats that do not print one per line."""
    return sentence if sentence.endswith((".", ":", "?", "!", "…")) else f"{sentence}."


def listed(facts: Iterable[tuple[str, str]]) -> str:
    """Print names and values in two columns; a multi-line value stays in its column.

    Examples
    --------
    >>> print(listed([("verdict", "averaged F1"), ("published", "0.72")]))
    verdict    averaged F1
    published  0.72
    """
    rows = list(facts)
    wide = max(shown_width(name) for name, _ in rows) + 2
    return "\n".join(wrapped(printable(value), first=f"{name:<{wide}}", after=" " * wide) for name, value in rows)


def broken(text: str, width: int) -> list[str]:
    """Break a table cell into lines, splitting words longer than the column.

    Examples
    --------
    >>> broken("no-punctuation at all", 8)
    ['no-punct', 'uation', 'at all']
    """
    if shown_width(text) <= width:
        return [text]
    return [piece for line in wrapped(text, width=width).split("\n") for piece in _pieces(line, width)]


def _pieces(word: str, width: int) -> list[str]:
    if shown_width(word) <= width:
        return [word]
    pieces = [""]
    for character in word:
        if pieces[-1] and shown_width(pieces[-1] + character) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces
