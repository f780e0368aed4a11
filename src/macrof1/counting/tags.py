"""Token tags: how each scheme marks where entities begin and end.

Each scheme has a small table for reading tags: which tag may begin an entity after which, which one continues it, and
after which tag it may end. All sentences are read at once, as arrays of interned tags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from macrof1.errors import InputError, LabelError
from macrof1.message import Argument, Message, shown

Scheme: TypeAlias = Literal["iob2", "iob1", "ioe", "iobes", "bilou"]
"""How tags mark where entities begin and end."""

SpanMode: TypeAlias = Literal["conll", "strict"]
"""Whether a sequence that violates the scheme still holds an entity: as in conlleval (conll), or not (strict)."""

SCHEMES: Final[tuple[Scheme, ...]] = get_args(Scheme)
SPAN_MODES: Final[tuple[SpanMode, ...]] = get_args(SpanMode)

PREFIXES = "OBIES"
_AS_PREFIX = {"L": "E", "U": "S"}  # BILOU's letters for the same two roles
_OTHER_LETTERS = {"M": "I", "W": "S"}  # of IOBES, in the schemes BMES and BMEWO


_MOST_PAIRS = 1 << 20  # pairs of tags stored as a table


class Grammar(NamedTuple):
    """Pairs of adjacent prefixes, such as ``BI=``: * stands for any, = and ! for the same or another type."""

    start: str
    inside: str
    end: str


_CONLL = Grammar(start="*B *S OI OE EI EE SI SE *I! *E!", inside="BI= BE= II= IE=", end="**")
_STRICT: Final[Mapping[Scheme, Grammar]] = {
    "iob2": Grammar(start="*B", inside="BI= II=", end="B* I*"),
    # B- only if an entity directly follows another of its type; elsewhere it is malformed and begins nothing.
    "iob1": Grammar(start="OI BI II! IB= BB=", inside="BI= II=", end="I* BO BI BB="),
    "ioe": Grammar(start="OI OE EI EE II! IE!", inside="II= IE=", end="E*"),
    "iobes": Grammar(start="*B *S", inside="BI= BE= II= IE=", end="E* S*"),
    "bilou": Grammar(start="*B *S", inside="BI= BE= II= IE=", end="E* S*"),
}
_LETTERS: Final[Mapping[Scheme, str]] = {
    "iob2": "OBI", "iob1": "OBI", "ioe": "OIE", "iobes": "OBIES", "bilou": "OBILU",
}  # fmt: skip


END: Any = object()
"""A separator between sentences, which no entity crosses."""


def grammar_of(scheme: Scheme, mode: SpanMode) -> Grammar:
    """Return the rules by which tags form entities."""
    InputError.one_of("scheme", scheme, SCHEMES)
    InputError.one_of("mode", mode, SPAN_MODES)
    return _CONLL if mode == "conll" else _STRICT[scheme]


def named_tags(tags: Sequence[Any], names: Sequence[str] | None, place: Callable[[int], str]) -> Sequence[Any]:
    """Return the tags that numbers stand for, as stored in Hugging Face datasets."""
    if names is None:
        return tags
    found = []
    for at, tag in enumerate(tags):
        number = isinstance(tag, (int, np.integer)) and not isinstance(tag, bool)
        if number and not 0 <= tag < len(names):
            raise LabelError(
                f"{place(at)}: {tag!r} is the number of no tag",
                given=tag,
                expected=f"numbers from 0 to {len(names) - 1}",
                hint="leave out tokens that are not scored, on both sides" if tag == -100 else None,
            )
        found.append(names[int(tag)] if number else tag)
    return found


def parsed_tags(
    tags: Sequence[Any], scheme: Scheme, mode: SpanMode, place: Callable[[int], str]
) -> tuple[NDArray[np.int8], NDArray[np.int32], tuple[str, ...]]:
    """Split every distinct tag into the numbers of its prefix and type; `place` gives its first location."""
    letters = _LETTERS["iobes" if mode == "conll" and scheme != "bilou" else scheme]
    found = []
    for at, tag in enumerate(tags):
        parts = _split(tag, letters)
        if parts is None:
            fits = [name for name in ("iobes", "bilou") if isinstance(tag, str) and _split(tag, _LETTERS[name])]
            hint = Message(Argument("scheme", fits[0]), " has such tags") if fits else None
            if not isinstance(tag, str):
                named = " names the tags that numbers stand for, in order: O, B-PER, I-PER, …"
                hint = Message(Argument("tag_names"), named)
            raise LabelError(
                f"{place(at)}: {shown(tag)} is not a tag of this scheme",
                given=tag,
                expected=f"O, or {', '.join(f'{letter}-TYPE' for letter in letters[1:])}",
                hint=hint,
            )
        found.append(parts)
    types = tuple(sorted({name for letter, name in found if letter != "O"}))
    rank = {name: at for at, name in enumerate(types)} | {"": -1}
    prefix = np.array([PREFIXES.index(_AS_PREFIX.get(letter, letter)) for letter, _ in found], np.int8)
    return prefix, np.array([rank[name] for _, name in found], np.int32), types


def _split(tag: Any, letters: str) -> tuple[str, str] | None:
    """Return prefix and type of a tag; None if it is not one. A bare prefix has the type ``_``."""
    if tag is END or (isinstance(tag, str) and tag in ("O", "o")):
        return "O", ""
    if not isinstance(tag, str) or not tag:
        return None
    letter = tag[0].upper()
    if "S" in letters:
        letter = _OTHER_LETTERS.get(letter, letter)
    if letter not in letters[1:]:
        return None
    if len(tag) == 1:
        return letter, "_"
    return (letter, tag[2:]) if tag[1] in "-_" and len(tag) > 2 else None


def _table(rules: str) -> NDArray[np.bool_]:
    """Expand a grammar's rules: true if a pair of prefixes, of the same type or not, matches one of them."""
    table = np.zeros((len(PREFIXES), len(PREFIXES), 2), np.bool_)
    for rule in rules.split():
        before, after = (PREFIXES if letter == "*" else letter for letter in rule[:2])
        kinds = {"": (0, 1), "!": (0,), "=": (1,)}[rule[2:]]
        table[np.ix_([PREFIXES.index(x) for x in before], [PREFIXES.index(x) for x in after], kinds)] = True
    return table.ravel()


def entities_in(
    codes: NDArray[np.int64], prefix: NDArray[np.int8], kind: NDArray[np.int32], grammar: Grammar
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where entities start, and where each one ends (exclusive)."""
    n = len(prefix)
    pair = codes[:-1] * n
    pair += codes[1:]
    distinct = np.arange(n * n)
    if len(distinct) > _MOST_PAIRS:
        distinct, pair = np.unique(pair, return_inverse=True)
    before, after = np.divmod(distinct, n)
    rule = (prefix[before] * len(PREFIXES) + prefix[after]) * 2 + (kind[before] == kind[after])
    may_start, may_go_on, may_end = (_table(rules)[rule] for rules in grammar)
    # A tag that begins an entity, or does not continue the one before it, is an edge; after O there is none to end.
    edges = np.flatnonzero((may_start | (~may_go_on & (prefix[before] != PREFIXES.index("O"))))[pair])
    starts = may_start[pair[edges]]
    if (may_start & may_go_on).any():  # IOB1: I- after B- continues the entity if that B- began one; else it begins one
        goes_on = (may_start & may_go_on)[pair[edges]] & may_start[pair[edges - 1]]
        edges, starts = edges[~goes_on], starts[~goes_on]
    first = np.flatnonzero(starts)
    start, end = edges[first], edges[first + 1]
    ended = may_end[pair[end]]
    return start[ended] + 1, end[ended] + 1  # a pair comes one place before its second tag
