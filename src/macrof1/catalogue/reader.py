"""The conventions of real systems, read from a table that names a source for every row."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sized
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from macrof1.convention import DEFAULT, ClassSet, Convention, Task, Undefined
from macrof1.errors import ConventionError, nearest
from macrof1.labels import Label, checked_labels
from macrof1.message import Argument, Message, shown
from macrof1.result import Result

_TABLES: Final = ("libraries", "language_tools", "shared_tasks")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedConvention(Result):
    """What one real system calls macro F1.

    Attributes
    ----------
    name
        Its name in calls: ``score(..., convention=name)``.
    system
        The system, and the part of it that prints the number.
    convention
        Formula, class set, policy for undefined ratios, and classes that it leaves out.
    tasks
        The tasks it applies to: one label per row, several, or both.
    evidence
        ``"run"``: the test suite compares with the library itself; ``"recorded"``: it compares with recorded output of
        the system on random data; ``"read"``: established by reading its source.
    source
        Where to look it up.
    note
        What else a reader should know; may be empty.
    measure
        What it prints if that is neither macro F1, such as ``"weighted_f1"``; otherwise empty.
    versions
        The versions that the row applies to, if known; may be empty.
    fewest_classes, most_classes
        The smallest and largest number of classes that the row applies to.
    nan_where, nan_versions
        When it prints NaN instead: ``"unpredicted"`` (a gold class is never predicted) or ``"undefined"`` (a class is
        never gold or never predicted); and which versions do so, if not all.
    """

    name: str
    system: str
    convention: Convention
    tasks: tuple[Task, ...]
    evidence: str
    source: str
    note: str = ""
    measure: str = ""
    versions: str = ""
    fewest_classes: int = 1
    most_classes: int | None = None
    nan_where: str = ""
    nan_versions: str = ""

    _keys = (
        "name", "system", "versions", "formula", "classes", "undefined", "exclude", "tasks", "evidence", "source",
        "note",
    )  # fmt: skip

    @property
    def formula(self) -> str:
        """What it prints: one of the two formulas, or another measure under the name of macro F1 or F1."""
        return self.measure or self.convention.formula

    @property
    def classes(self) -> ClassSet:
        """The class set of its convention."""
        return self.convention.classes

    @property
    def undefined(self) -> Undefined:
        """How its convention handles undefined ratios."""
        return self.convention.undefined

    @property
    def exclude(self) -> tuple[Label | None, ...]:
        """Classes that it leaves out of the average, if the data has them."""
        return self.convention.exclude


@cache
def conventions() -> tuple[NamedConvention, ...]:
    """Return the conventions of real systems, in the order of the table.

    Examples
    --------
    >>> [known.name for known in conventions() if known.formula == "f1_of_averages"][:4]
    ['ignite-composed', 'smile-before-6.2.5', 'linfa', 'spark-nlp']
    """
    folder = files("macrof1.catalogue")
    tables = (tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8")) for name in _TABLES)
    return tuple(_named(row) for table in tables for row in table["convention"])


def _named(row: dict[str, Any]) -> NamedConvention:
    convention = Convention(
        formula=row.pop("formula", "averaged_f1"),
        classes=row.pop("classes"),
        undefined=row.pop("undefined"),
        exclude=tuple(row.pop("exclude", ())),
    )
    return NamedConvention(convention=convention, tasks=tuple(row.pop("tasks", ("multiclass", "multilabel"))), **row)


def find_convention(name: str, *, task: Task | None = None) -> NamedConvention:
    """Return the convention of a real system by its name; reject one that the task does not fit."""
    known = {row.name: row for row in conventions()}
    found = known.get(name.lower() if isinstance(name, str) else shown(name))
    if found is None:
        guess = nearest(shown(name).strip("'"), known)
        raise ConventionError.bad_value(
            "convention",
            name,
            expected=f"one of {len(known)} names, such as scikit-learn; mf1 conventions lists them",
            hint=f"did you mean {guess!r}?" if guess else None,
        )
    if task is not None and task not in found.tasks:
        raise ConventionError(
            Message(Argument("convention", name), f" is for {' or '.join(found.tasks)} data, but the data is {task}"),
            expected=f"one for {task} data, such as {next(row.name for row in conventions() if task in row.tasks)}",
        )
    return found


def chosen_convention(
    convention: str | Convention | None = None,
    *,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    task: Task | None = None,
) -> Convention:
    """Turn the keywords of a public call into one convention, used from there on.

    Parameters
    ----------
    convention
        A `Convention`, or the name of a real system; it replaces `classes` and `undefined`, and a `Convention` also
        replaces `beta`.
    exclude
        Classes to leave out of the average; can be combined with a convention that excludes none.
    task
        The task of the data, if a system's convention must fit it.

    Examples
    --------
    >>> chosen_convention("weka").classes, chosen_convention(undefined=1).undefined
    ('gold', 1)
    """
    simple = classes == "union" and type(undefined) is int and undefined == 0
    # A fast path for the usual call: small inputs may be scored by the million.
    if (
        simple
        and convention is None
        and isinstance(exclude, tuple)
        and not exclude
        and type(beta) is float
        and beta == 1.0
    ):
        return DEFAULT
    if not (isinstance(exclude, Sized) and not len(exclude)):
        plain = chosen_convention(convention, classes=classes, undefined=undefined, beta=beta, task=task)
        if plain.exclude:
            raise ConventionError.beside(
                "exclude", "convention", expected="one or the other: this one excludes classes"
            )
        return replace(plain, exclude=checked_labels(exclude, "exclude"))
    if convention is None:
        return Convention(classes=classes, undefined=undefined, beta=beta)
    if not simple:
        raise ConventionError.beside(
            "convention", "classes" if classes != "union" else "undefined", expected="one or the other"
        )
    if not isinstance(convention, Convention):
        found = find_convention(convention, task=task)
        if found.measure:
            raise ConventionError(
                Message(Argument("convention", convention), f" prints {found.measure}, which is not a macro F1"),
                expected="a convention for one of the two; result.conventions() has what this one prints",
            )
        return replace(found.convention, beta=beta)
    if beta != 1.0:
        raise ConventionError.beside("beta", "convention", expected="one or the other: a Convention has its own beta")
    return convention
