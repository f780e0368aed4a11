"""What a reported number means: formula, class set, undefined ratios, and the signature that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from macrof1 import __version__
from macrof1.errors import ConventionError
from macrof1.message import Argument, Message

Formula = Literal["averaged_f1", "f1_of_averages"]
"""Which of the two macro F1s."""

ClassSet = Literal["union", "gold", "listed", "seen"]
"""Which classes are averaged over: seen in gold or predicted, or given by `labels=` (union); seen in gold; given by
`labels=` (listed); given by `labels=` and seen in gold or predicted (seen)."""

Undefined = Literal[0, 1, "drop", "drop_with_parts"]
"""What a ratio with denominator 0 counts as; or the class leaves that mean (drop), and the mean of F1 as soon as its
precision or its recall is undefined (drop_with_parts)."""

Task = Literal["multiclass", "multilabel", "spans"]
"""One label per row, a set of labels per row, or entities in sentences."""

FORMULAS: Final[tuple[Formula, ...]] = get_args(Formula)
CLASS_SETS: Final[tuple[ClassSet, ...]] = get_args(ClassSet)
UNDEFINED: Final[tuple[Undefined, ...]] = get_args(Undefined)

FORMULA_NAMES: Final[dict[Formula, str]] = {
    "averaged_f1": "averaged F1",
    "f1_of_averages": "F1 of averages",
}


# Beyond, its square leaves no digits for precision.
_MOST_BETA = 1e6


def checked_beta(beta: float) -> float:
    """Return beta as a float, or refuse what cannot weigh recall against precision."""
    value = float(beta)
    if not 0 <= value <= _MOST_BETA:
        raise ConventionError(
            Message(Argument("beta", beta)),
            argument="beta",
            given=beta,
            expected=f"a number from 0 to {_MOST_BETA:g} (0 is precision, 1 gives F1, 2 favours recall)",
        )
    return value


def checked_undefined(undefined: object) -> Undefined:
    """Return the policy for undefined ratios, or refuse one that is not known."""
    for known in UNDEFINED:
        if undefined == known and not isinstance(undefined, bool):
            return known
    raise ConventionError.unknown_value("undefined", undefined, UNDEFINED)


def checked_formula(formula: str) -> Formula:
    """Return the formula, or refuse a name that is neither of the two."""
    if formula not in FORMULAS:
        raise ConventionError.unknown_value("formula", formula, FORMULAS)
    return formula


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """All that is needed to reproduce a macro F1 from the same labels.

    Parameters
    ----------
    formula
        ``"averaged_f1"`` or ``"f1_of_averages"``.
    classes
        The class set averaged over: ``"union"`` of gold and predicted, ``"gold"``, ``"listed"``, or ``"seen"``: those
        listed that occur in gold or predicted.
    undefined
        What precision, recall and F1 count as where their denominator is 0. The paper says 0. With ``"drop"`` the
        class leaves the mean of that ratio; with ``"drop_with_parts"`` it also leaves the mean of F1 where its
        precision or recall is undefined.
    beta
        Weight of recall against precision; 1 is F1.

    Examples
    --------
    >>> Convention(formula="averaged_f1")
    Convention(formula='averaged_f1', classes='union', undefined=0, beta=1.0)
    """

    formula: Formula = "averaged_f1"
    classes: ClassSet = "union"
    undefined: Undefined = 0
    beta: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what no score could be computed with."""
        checked_formula(self.formula)
        if self.classes not in CLASS_SETS:
            raise ConventionError.unknown_value("classes", self.classes, CLASS_SETS)
        object.__setattr__(self, "undefined", checked_undefined(self.undefined))
        object.__setattr__(self, "beta", checked_beta(self.beta))

    @classmethod
    def parse(cls, signature: str) -> Convention:
        """Read the convention back from a signature.

        Examples
        --------
        >>> line = "averaged_f1|classes:union|n:3|undefined:0|beta:1|task:multiclass|weights:no|version:0.1.0"
        >>> Convention.parse(line).formula
        'averaged_f1'
        """
        return Signature.parse(signature).convention


DEFAULT: Final = Convention()
"""What every call uses when nothing else is asked for: the paper's convention."""


RUN_FACTS: Final = ("spans", "normalize", "outside", "unusable", "config")
"""What a signature adds where rows did not become counts in the plain way: scheme and mode of entities, what labels may
differ in, what happened to answers outside the class set and how many there were, and the file that fixed it all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A convention and the facts of one run, as one line for a paper's footnote.

    Examples
    --------
    >>> convention = Convention(formula="f1_of_averages", beta=0.5)
    >>> line = str(Signature(convention=convention, n_classes=2, task="multiclass", weighted=False, version="0.1.0"))
    >>> line
    'f1_of_averages|classes:union|n:2|undefined:0|beta:0.5|task:multiclass|weights:no|version:0.1.0'
    >>> Signature.parse(line).convention == convention
    True
    """

    convention: Convention
    n_classes: int
    task: Task
    weighted: bool
    version: str = __version__
    facts: tuple[tuple[str, str], ...] = ()
    """How rows became counts, where it was not the plain way: any of `RUN_FACTS`."""

    def __str__(self) -> str:
        """Print the signature on one line."""
        convention = self.convention
        beta = repr(convention.beta).removesuffix(".0")
        facts = {
            "classes": convention.classes,
            "n": self.n_classes,
            "undefined": convention.undefined,
            "beta": beta,
            "task": self.task,
            "weights": "yes" if self.weighted else "no",
            **dict(sorted(self.facts, key=lambda fact: RUN_FACTS.index(fact[0]))),
            "version": self.version,
        }
        return "|".join([convention.formula, *(f"{key}:{value}" for key, value in facts.items())])

    @classmethod
    def parse(cls, line: str) -> Signature:
        """Read a signature back; refuse a line that is none."""
        formula, *pairs = line.strip().split("|")
        facts = dict(pair.split(":", 1) for pair in pairs if ":" in pair)
        expected = {"classes", "n", "undefined", "beta", "task", "weights", "version"}
        more = {key: facts.pop(key) for key in RUN_FACTS if key in facts}
        if len(facts) + len(more) != len(pairs) or facts.keys() != expected:
            raise ConventionError(
                f"{line!r} is no signature: expected a formula and the fields {', '.join(sorted(expected))}, "
                "joined by |, as result.signature() prints them"
            )
        if facts["task"] not in get_args(Task) or facts["weights"] not in {"yes", "no"}:
            raise ConventionError(
                f"{line!r} is no signature: expected a task ({', '.join(get_args(Task))}), and weights:yes or "
                "weights:no"
            )
        try:
            n_classes, beta = int(facts["n"]), float(facts["beta"])
            undefined = facts["undefined"] if facts["undefined"] in UNDEFINED else int(facts["undefined"])
        except ValueError:
            raise ConventionError(f"{line!r} is no signature: expected numbers for n, undefined and beta") from None
        convention = Convention(
            formula=formula,  # type: ignore[arg-type]  # Convention checks the three at run time
            classes=facts["classes"],  # type: ignore[arg-type]  # as above
            undefined=undefined,  # type: ignore[arg-type]  # as above
            beta=beta,
        )
        return cls(
            convention=convention,
            n_classes=n_classes,
            task=facts["task"],  # type: ignore[arg-type]  # checked above
            weighted=facts["weights"] == "yes",
            version=facts["version"],
            facts=tuple(more.items()),
        )
