"""The conventions of real systems, read from a table that names a source for every row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from macrof1.convention import CLASS_SETS, DEFAULT, ClassSet, Convention, Empty, Task, Undefined
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
    over
        The units that it averages over, such as documents; empty for classes.
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
    over: str = ""

    _keys = (
        "name", "system", "versions", "formula", "classes", "undefined", "exclude", "tasks", "evidence", "source",
        "note", "over", "empty",
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
    def empty(self) -> Empty | None:
        """How its convention handles units with nothing gold and nothing predicted."""
        return self.convention.empty

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
    ['ignite-composed', 'smile-before-6.2.5', 'linfa', 'hemdag']
    """
    import tomllib
    from importlib.resources import files

    folder = files("macrof1.catalogue")
    tables = (tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8")) for name in _TABLES)
    found = []
    for row in (row for table in tables for row in table["convention"]):
        own = {key: row.pop(key) for key in ("formula", "classes", "undefined", "exclude", "empty") if key in row}
        tasks = tuple(row.pop("tasks", ("multiclass", "multilabel")))
        found.append(NamedConvention(convention=Convention(**own), tasks=tasks, **row))
    return tuple(found)


def find_convention(name: str, *, task: Task | None = None) -> NamedConvention:
    """Return the convention of a real system by its name; reject one that the task does not fit."""
    known = {row.name: row for row in conventions()}
    found = known.get(name.lower() if isinstance(name, str) else shown(name))
    if found is None:
        guess = nearest(shown(name).strip("'"), known)
        expected = f"one of {len(known)} names, such as scikit-learn; mf1 conventions lists them"
        hint = f"did you mean {guess!r}?" if guess else None
        raise ConventionError.bad_value("convention", name, expected=expected, hint=hint)
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
    empty: Empty | None = None,
    task: Task | None = None,
    over: str | None = None,
) -> Convention:
    """Turn the keywords of a public call, as in `macrof1.score`, into one convention, used from there on.

    A `Convention`, or the name of a real system that fits the task, replaces `classes`, `undefined` and `empty`, and a
    `Convention` also `beta`; `exclude` can be combined with one that excludes no class. `over` is the unit averaged
    over, if it is not classes.
    """
    plain = type(undefined) is int and undefined == 0 and empty is None
    usual = plain and type(classes) is str and classes == "union"
    if over is None and empty is not None:
        raise _empty_of_classes(empty)
    if not isinstance(exclude, (tuple, str, bytes)) and isinstance(exclude, Iterable):
        exclude = tuple(ConventionError.listed("exclude", exclude))
    excluded = () if exclude == () else checked_labels(exclude, "exclude")
    if convention is None:
        # The usual call makes nothing: small inputs may be scored by the million.
        if usual and not excluded and type(beta) is float and beta == 1.0:
            return DEFAULT
        return Convention(classes=classes, undefined=undefined, beta=beta, exclude=excluded, empty=empty)
    if not usual:
        given = ConventionError.one_of("classes", classes, CLASS_SETS)
        other = "classes" if given != "union" else "undefined" if empty is None else "empty"
        raise ConventionError.beside("convention", other, expected="one or the other")
    if isinstance(convention, Convention):
        if beta != 1.0:
            expected = "one or the other: a Convention has its own beta"
            raise ConventionError.beside("beta", "convention", expected=expected)
        chosen = convention
    else:
        known = find_convention(convention, task=None if over else task)
        if bool(known.over) != bool(over):
            raise ConventionError(
                Message(Argument("convention", convention), f" averages over {known.over or 'classes'}"),
                expected=f"one that averages over {'other units' if over else 'classes'}",
            )
        if known.measure:
            problem = Message(Argument("convention", convention), f" prints {known.measure}, which is not a macro F1")
            expected = "a convention for one of the two; result.conventions() has what this one prints"
            raise ConventionError(problem, expected=expected)
        chosen = replace(known.convention, beta=beta)
    if over is None and chosen.empty is not None:
        raise _empty_of_classes(chosen.empty)
    if not excluded:
        return chosen
    if chosen.exclude:
        raise ConventionError.beside("exclude", "convention", expected="one or the other: this one excludes classes")
    return replace(chosen, exclude=excluded)


def _empty_of_classes(empty: Empty) -> ConventionError:
    return ConventionError(
        Message(Argument("empty", empty), " where classes are averaged over"),
        expected=Message(Argument("over"), " with another unit"),
        hint=Message(Argument("undefined"), " says what a class that never occurs counts as"),
    )
