"""The conventions of real systems, read from a table that names a source for every row."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from macrof1.convention import Convention, Task
from macrof1.errors import ConventionError


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedConvention:
    """What one real system calls macro F1.

    Attributes
    ----------
    name
        How to ask for it: ``score(..., convention=name)``.
    system
        The system, with the version that was looked at.
    convention
        Formula, class set and policy for undefined ratios.
    tasks
        Where it applies: one label per row, several, or both.
    evidence
        ``"run"``: the test suite compares with the library itself; ``"recorded"``: with what the system printed
        when it was run on random data; ``"read"``: by reading its source.
    source
        Where to look it up.
    note
        What else a reader should know; may be empty.
    nan_where_unpredicted
        Its versions that print NaN instead where a class of the gold labels is never predicted; may be empty.
    """

    name: str
    system: str
    convention: Convention
    tasks: tuple[Task, ...]
    evidence: str
    source: str
    note: str = ""
    nan_where_unpredicted: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "name": self.name,
            "system": self.system,
            "formula": self.convention.formula,
            "classes": self.convention.classes,
            "undefined": self.convention.undefined,
            "tasks": list(self.tasks),
            "evidence": self.evidence,
            "source": self.source,
            "note": self.note,
        }


@cache
def conventions() -> tuple[NamedConvention, ...]:
    """Return the conventions of real systems, in the order of the table.

    Examples
    --------
    >>> [known.name for known in conventions() if known.convention.formula == "f1_of_averages"]
    ['ignite-composed', 'spark-nlp', 'germeval-2018', 'semeval-2018-7', 'note-f1-of-averages']
    """
    table = tomllib.loads(files("macrof1.catalogue").joinpath("conventions.toml").read_text(encoding="utf-8"))
    return tuple(
        NamedConvention(
            name=row["name"],
            system=row["system"],
            convention=Convention(formula=row["formula"], classes=row["classes"], undefined=row["undefined"]),
            tasks=tuple(row.get("tasks", ("multiclass", "multilabel"))),
            evidence=row["evidence"],
            source=row["source"],
            note=row.get("note", ""),
            nan_where_unpredicted=row.get("nan_where_unpredicted", ""),
        )
        for row in table["convention"]
    )


def find_convention(name: str, *, task: Task | None = None) -> NamedConvention:
    """Return the convention of a real system by its name; refuse one that the task does not fit."""
    known = {row.name: row for row in conventions()}
    found = known.get(str(name).lower())
    if found is None:
        raise ConventionError.unknown_value("convention", name, known)
    if task is not None and task not in found.tasks:
        raise ConventionError(
            f"convention={name!r} is for {' or '.join(found.tasks)} data, but the data is {task}: "
            "expected another convention (mf1 conventions lists them)"
        )
    return found
