"""What a reported number means: formula, class set, undefined ratios, and the signature that says so."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Final, Literal, get_args
from urllib.parse import quote, unquote

from macrof1 import __version__
from macrof1.errors import ConventionError
from macrof1.labels import Label, checked_labels, in_order

Formula = Literal["averaged_f1", "f1_of_averages"]
"""Which of the two macro F1s."""

ClassSet = Literal["union", "gold", "listed", "seen"]
"""Which classes are averaged over: seen in gold or predicted, or given by `labels=` (union); seen in gold; given by
`labels=` (listed); given by `labels=` and seen in gold or predicted (seen)."""

Undefined = Literal[0, 1, "drop", "drop_with_parts"]
"""The value of a ratio whose denominator is 0; or its class leaves that mean (drop), and the mean of F1 too when its
precision or recall is undefined (drop_with_parts)."""

Empty = Literal[0, 1, "drop"]
"""The value of precision, recall and F1 of a unit with nothing gold and nothing predicted; or it is left out (drop)."""

Task = Literal["multiclass", "multilabel", "spans"]
"""One label per row, a set of labels per row, or entities in sentences."""

FORMULAS: Final[tuple[Formula, ...]] = get_args(Formula)
CLASS_SETS: Final[tuple[ClassSet, ...]] = get_args(ClassSet)
UNDEFINED: Final[tuple[Undefined, ...]] = get_args(Undefined)
EMPTY: Final[tuple[Empty, ...]] = get_args(Empty)

FORMULA_NAMES: Final[dict[Formula, str]] = {"averaged_f1": "averaged F1", "f1_of_averages": "F1 of averages"}

# Beyond this, the square of beta leaves no digits for precision.
_MOST_BETA = 1e6


def checked_beta(beta: float) -> float:
    """Return beta as a float, or reject a value that cannot weight recall against precision."""
    try:
        value = float(beta)
    except (OverflowError, TypeError, ValueError):
        value = math.nan
    if not 0 <= value <= _MOST_BETA:
        raise ConventionError.bad_value(
            "beta", beta, expected=f"a number from 0 to {_MOST_BETA:g} (0 is precision, 1 gives F1, 2 favours recall)"
        )
    return value


def checked_formula(formula: str) -> Formula:
    """Return the formula, or reject any name other than the two."""
    found: Formula = ConventionError.one_of("formula", formula, FORMULAS)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """All that is needed to reproduce a macro F1 from the same labels.

    Parameters
    ----------
    formula
        ``"averaged_f1"`` or ``"f1_of_averages"``.
    classes
        The class set averaged over: ``"union"`` of gold and predicted, ``"gold"``, ``"listed"``, or ``"seen"``: the
        listed classes that occur in gold or predicted.
    undefined
        The value of precision, recall and F1 when their denominator is 0. In the paper it is 0. With ``"drop"`` the
        class leaves the mean of that ratio; with ``"drop_with_parts"`` it also leaves the mean of F1 if its
        precision or recall is undefined.
    beta
        Weight of recall relative to precision; 1 is F1.
    exclude
        Classes that are not averaged over, such as O or Other. Their rows stay: a row predicted as another class is an
        error of that class.
    empty
        Over units other than classes: the value of precision, recall and F1 of a unit with nothing gold and nothing
        predicted, or ``"drop"``. None leaves it to `undefined`.

    Examples
    --------
    >>> Convention(formula="averaged_f1")
    Convention(formula='averaged_f1', classes='union', undefined=0, beta=1.0, exclude=(), empty=None)
    """

    formula: Formula = "averaged_f1"
    classes: ClassSet = "union"
    undefined: Undefined = 0
    beta: float = 1.0
    exclude: tuple[Label | None, ...] = ()
    empty: Empty | None = None

    def __post_init__(self) -> None:
        """Reject values that no score can be computed with."""
        checked_formula(self.formula)
        ConventionError.one_of("classes", self.classes, CLASS_SETS)
        object.__setattr__(self, "undefined", ConventionError.one_of("undefined", self.undefined, UNDEFINED))
        object.__setattr__(self, "beta", checked_beta(self.beta))
        if self.empty is not None:
            object.__setattr__(self, "empty", ConventionError.one_of("empty", self.empty, EMPTY))
        object.__setattr__(self, "exclude", checked_labels(self.exclude, "exclude") if self.exclude else ())

    @classmethod
    def parse(cls, signature: str) -> Convention:
        """Read the convention back from a signature.

        Examples
        --------
        >>> line = "averaged_f1|classes:union|k:3|undefined:0|beta:1|task:multiclass|weights:no|version:0.1.0"
        >>> Convention.parse(line).formula
        'averaged_f1'
        """
        return Signature.parse(signature).convention


DEFAULT: Final = Convention()
"""The default of every call: the paper's convention."""


RUN_FACTS: Final = (
    "over", "labels", "excluded", "cutoff", "relevance", "overlap", "nested", "spans", "repeats", "normalize",
    "extract", "outside", "unusable", "missing", "missing_predictions", "unit", "prevalence", "clusters", "runs",
    "config",
)  # fmt: skip
"""Facts that a signature adds when rows were not counted in the default way: the unit averaged over if not classes,
with the labels that count in it or do not, the cut-off of a ranking and the least relevance that counts, or what
answers are compared by; the groups whose scores are averaged; scheme and mode of entities, what became of several
answers to an item, which label differences are ignored, whether classes were read out of free text, how answers outside
the class set were handled and how many there were, that rows without a label were left out, what became of gold rows
without a prediction, the unit counted if not rows, the class mix that rows were weighted to, the number of clusters or
runs, and the file that fixed it all."""

UNKNOWN_GOLD: Final = "-"
"""What a signature says instead of the rows or their digest if they are not known one by one."""

# Class names that a signature can show unquoted, and the limit on their total length.
_PLAIN_NAME = re.compile(r"[^\W\d]([\w .+/-]*[\w+])?")
_RESERVED = {"true", "false", "null", "nan", "inf", "infinity"}
_LONGEST = 40
_CLASSES = re.compile(r"(union|gold|listed|seen)(\(.*\)|#[0-9a-f]{8})?")


def class_text(labels: Iterable[Label | None]) -> str:
    """Name a class set in a signature: by its class names if they are few and short, otherwise by a hash.

    The order of the classes does not matter, as for a score; their types do: 1 and "1" are two classes.

    Examples
    --------
    >>> class_text(["dog", "cat"]), class_text([2, 1]), class_text(["1", "2"])
    ('(cat,dog)', '(1,2)', '#af9d49e5')
    """
    ordered = _ordered(labels)
    if len(ordered) <= _LONGEST:
        text = f"({','.join(map(str, ordered))})"
        if len(text) <= _LONGEST + 2 and all(map(_is_plain, ordered)):
            return text
    import hashlib

    # As JSON writes a list of [type, text], without a list per label: there may be a million.
    names = [f'["{type(label).__name__}", {encode_basestring_ascii(str(label))}]' for label in ordered]
    text = f"[{', '.join(names)}]"
    return f"#{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _ordered(labels: Iterable[Label | None]) -> list[Label | None]:
    """Return labels in order; 0.0 and -0.0 are one label, which is written as 0.0."""
    ordered = in_order(labels)
    if not any(issubclass(kind, float) for kind in set(map(type, ordered))):
        return ordered
    return [label + 0.0 if isinstance(label, float) else label for label in ordered]


def _is_plain(label: Label | None) -> bool:
    if isinstance(label, str):
        return _PLAIN_NAME.fullmatch(label) is not None and label.lower() not in _RESERVED
    return type(label) is int


def listed_text(labels: Iterable[Label | None]) -> str:
    """Write labels so that they can be read back: a,b or JSON."""
    ordered = _ordered(labels)
    if all(map(_is_plain, ordered)):
        return ",".join(map(str, ordered))
    plain = [label if label is None or isinstance(label, str | int | float) else str(label) for label in ordered]
    readable = json.dumps(plain, ensure_ascii=False)
    # Other alphabets stay readable; anything that could end the line, or is not printable, is escaped.
    return (readable if readable.isprintable() else json.dumps(plain)).replace("|", "\\u007c")


def set_text(labels: Iterable[Label | None]) -> str:
    """Name labels as a fact: so that they can be read back if they are few, otherwise by a hash."""
    given = list(labels)
    text = listed_text(given)
    return text if len(text) <= _LONGEST else class_text(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A convention and the facts of one run, as one line for a paper's footnote.

    Two numbers with the same signature mean the same thing: formula, classes (by name, or a hash of their names), what
    was left out, undefined ratios, beta, and how rows became counts.

    Examples
    --------
    >>> convention = Convention(formula="f1_of_averages", beta=0.5, exclude=("O",))
    >>> line = str(Signature(convention=convention, n_classes=2, class_set="(LOC,PER)", n_rows=9, version="0.1.0"))
    >>> line.split("|undefined")[0]
    'f1_of_averages|classes:union(LOC,PER)|k:2|rows:9|gold:-|exclude:O'
    >>> Signature.parse(line).convention == convention
    True
    """

    convention: Convention
    n_classes: int
    task: Task = "multiclass"
    weighted: bool = False
    version: str = __version__
    class_set: str = ""
    """The classes averaged over, as `class_text` writes them; empty in signatures of older versions."""
    n_rows: int | None = None
    gold: str = UNKNOWN_GOLD
    """A digest of the gold labels, and of the ids of rows if they have some."""
    facts: tuple[tuple[str, str], ...] = ()
    """How rows became counts, if not in the default way: any of `RUN_FACTS`."""

    def fields(self) -> dict[str, object]:
        """Return what it states by name, in order."""
        convention = self.convention
        return {
            "formula": convention.formula,
            "classes": f"{convention.classes}{self.class_set}",
            "k": self.n_classes,
            "rows": UNKNOWN_GOLD if self.n_rows is None else self.n_rows,
            "gold": self.gold,
            **({"exclude": listed_text(convention.exclude)} if convention.exclude else {}),
            "undefined": convention.undefined,
            **({} if convention.empty is None else {"empty": convention.empty}),
            "beta": repr(convention.beta).removesuffix(".0"),
            "task": self.task,
            "weights": "yes" if self.weighted else "no",
            # Characters that would end the fact, such as a file name, or the line are escaped.
            **{
                key: "".join(c if c.isprintable() and c not in "|%" else quote(c, errors="replace") for c in value)
                for key, value in sorted(self.facts, key=lambda fact: RUN_FACTS.index(fact[0]))
            },
            "version": self.version,
        }

    def __str__(self) -> str:
        """Return the signature as one line."""
        formula, *facts = self.fields().items()
        return "|".join([str(formula[1]), *(f"{key}:{value}" for key, value in facts)])

    @classmethod
    def parse(cls, line: str) -> Signature:
        """Read a signature of this or an older version; reject any other line."""
        formula, *pairs = str(line).strip().split("|")
        facts = dict(pair.split(":", 1) for pair in pairs if ":" in pair)
        n_facts = len(facts)
        n_rows, gold = (facts.pop(name, UNKNOWN_GOLD) for name in ("rows", "gold"))
        if "n" in facts:  # as older versions called the number of classes
            facts = {"k" if key == "n" else key: value for key, value in facts.items()}
        more = {key: unquote(facts.pop(key)) for key in RUN_FACTS if key in facts}
        excluded, empty = facts.pop("exclude", ""), facts.pop("empty", None)
        fields = ("beta", "classes", "k", "task", "undefined", "version", "weights")
        classes = _CLASSES.fullmatch(facts.get("classes", ""))
        wrong = ConventionError(
            f"{line!r} is not a signature",
            given=line,
            expected=f"a formula and the fields {', '.join(fields)}, joined by |, as result.signature() prints them",
        )
        if n_facts != len(pairs) or sorted(facts) != [*fields] or classes is None:
            raise wrong
        if facts["task"] not in get_args(Task) or facts["weights"] not in {"yes", "no"}:
            raise wrong
        try:
            n_classes, beta = int(facts["k"]), float(facts["beta"])
            n_known = None if n_rows == UNKNOWN_GOLD else int(n_rows)
            undefined = facts["undefined"] if facts["undefined"] in UNDEFINED else int(facts["undefined"])
            names = excluded.split(",") if excluded else []
            whole = [int(name) if re.fullmatch(r"-?\d+", name) else name for name in names]
            exclude = tuple(json.loads(excluded) if excluded.startswith("[") else whole)
        except ValueError:
            raise wrong from None
        return cls(
            convention=Convention(
                formula=checked_formula(formula),
                classes=classes[1],  # type: ignore[arg-type]  # one of the four
                undefined=undefined,  # type: ignore[arg-type]  # it is checked
                beta=beta,
                exclude=exclude,
                empty=empty if empty in (None, "drop") else int(empty),  # type: ignore[arg-type]  # it is checked
            ),
            n_classes=n_classes,
            task=facts["task"],  # type: ignore[arg-type]  # checked above
            weighted=facts["weights"] == "yes",
            version=facts["version"],
            class_set=classes[2] or "",
            n_rows=n_known,
            gold=gold,
            facts=tuple(more.items()),
        )
