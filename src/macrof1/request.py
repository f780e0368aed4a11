"""What is asked for, as one object: the data, its columns, the class set, the policies, the convention, the gates.

Python calls, commands, task files and the page each make a `Request`, and one function per job runs it, so that every
job understands the same options, and reads them the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from macrof1.catalogue.reader import chosen_convention
from macrof1.convention import ClassSet, Convention, Empty, Formula, Task, Undefined
from macrof1.counts import COLUMN, ROWS, Rows
from macrof1.errors import ColumnError, InputError
from macrof1.labels import Missing, checked_missing
from macrof1.message import Argument, Message
from macrof1.options import Kind, options_of

if TYPE_CHECKING:
    from macrof1.reading.files import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to read, count and say about it; names and defaults are those of the public calls and the options."""

    gold_file: str | Path | None = None  # put before the files
    files: tuple[Any, ...] = ()  # paths, patterns, folders, "-" for standard input, or files that are open already
    kind: Kind = "rows"  # what the files hold, if it was said; label sets, saved counts and leaderboards are recognised
    file_format: str | None = None
    header: bool = True
    records: str | None = None
    repeats: str | None = None
    rows: Rows | None = None  # of a confusion matrix

    gold: str | None = None
    pred: str | None = None
    sample_weight: str | None = None
    count: str | None = None
    by: tuple[str, ...] = ()
    cluster: str | None = None
    id: str | None = None
    no_id: bool = False
    systems: tuple[str, ...] | None = None  # their columns, or with `id` the column that names the system of a row
    runs: str | None = None
    multilabel: str | None = None
    scheme: str = "iob2"
    mode: str = "conll"
    tag_names: tuple[str, ...] | None = None

    over: str | None = None  # "rows", a column, or "column:rows" for a column of that name; None for classes
    positive: object = None  # the one label that counts in a unit
    k: int | None = None  # how many documents of each ranking count
    relevance: int | None = None  # the least relevance that counts

    labels: Iterable[object] | None = None
    labels_are_text: bool = False  # typed, as on a command line: 1 means the number in a typed file
    missing: Missing = "error"
    missing_predictions: str = "error"
    normalize: str | Iterable[str] = ()
    extract: bool = False
    outside: str = "wrong"
    gold_only: bool = False

    classes: ClassSet = "union"
    undefined: Undefined = 0
    beta: float = 1.0
    exclude: Iterable[object] = ()
    empty: Empty | None = None
    convention: str | Convention | None = None

    rank_by: Formula = "averaged_f1"
    ties: Literal["test", "score"] = "test"
    limits: tuple[str, ...] = ()
    public: bool = False
    baseline: str | None = None
    confidence_level: float = 0.95
    method: str = "combined"
    test: str = "delta"
    n_resamples: int = 1000
    rng: Any = 0
    equivalent: float | None = None
    prevalence: str | None = None  # as text, or a file that has it

    difference: float | None = None
    power: float = 0.8
    paired: bool = True

    fail_under: tuple[str, ...] = ()
    fail_under_pooled: tuple[str, ...] = ()
    fail_under_low: tuple[str, ...] = ()
    baseline_file: str | None = None
    verify: str | None = None
    strict: bool = False
    non_inferior: float | None = None

    config: str | None = None  # the name and digest of a task file, for the signature
    beside: tuple[Argument, ...] = ()  # what else was asked for that has an effect on some kinds of input only
    progress: Progress | None = None

    def __post_init__(self) -> None:
        """Reject unknown values, and take one name where several may be given."""
        checked_missing(self.missing)
        for name in ("files", "by", "systems", "tag_names", "limits"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, tuple):
                alone = isinstance(given, str | Path) or not isinstance(given, Iterable)
                object.__setattr__(self, name, (given,) if alone else tuple(InputError.listed(name, given)))
        roles = ("gold", "pred", "sample_weight", "count", "cluster", "id", "runs", "over")
        for name, column in (*((role, getattr(self, role)) for role in roles), *(("by", each) for each in self.by)):
            if not isinstance(column, str | None):
                raise ColumnError.bad_value(name, column, expected="the name of a column, as text")
        if self.over == "classes":
            object.__setattr__(self, "over", None)
            object.__setattr__(self, "beside", (*self.beside, Argument("over", "classes")))  # not over queries of a run
        for one, other in (("id", "no_id"), ("count", "sample_weight")):
            if getattr(self, one) is not None and getattr(self, other):
                raise InputError.beside(one, other, expected="one of them")
        if self.over is None and self.positive is not None:
            raise InputError(Message(Argument("positive"), " needs ", Argument("over")), given=self.positive)
        InputError.one_of("missing_predictions", self.missing_predictions, ("error", "wrong", "drop"))
        if self.multilabel == "":
            raise InputError("the mark between labels is empty", argument="multilabel", expected='a mark such as ";"')

    def with_gold(self) -> Request:
        """Return the request with the gold file before the others."""
        if self.gold_file is None or (self.files and self.files[0] == self.gold_file):
            return self
        return replace(self, files=(self.gold_file, *self.files))

    def are_parts(self) -> bool:
        """Return whether several files to compare are parts of one table: columns of them are named as systems."""
        apart = self.gold_file, self.id, self.runs
        return self.systems is not None and self.kind == "rows" and all(each is None for each in apart)

    def limit(self, name: str) -> float | None:
        """Return a limit of the task; None if it has none of this name."""
        found = None
        for text in self.limits:
            key, _, number = text.partition("=")
            known = key.strip() in ("megabytes", "submissions")
            if not (known and re.fullmatch(r"\d*\.?\d+(e[+-]?\d+)?", number.strip())):
                expected = "a number of megabytes or submissions: megabytes=50"
                raise InputError.bad_value("limits", text, expected=expected)
            found = float(number) if key.strip() == name else found
        return found

    def check_sizes(self) -> None:
        """Reject files that are larger than the task allows; the first is gold."""
        most = self.limit("megabytes")
        for file in self.files[1:] if most is not None else ():
            size = Path(file).stat().st_size / 1e6 if isinstance(file, (str, Path)) and Path(file).is_file() else 0
            if most is not None and size > most:
                raise InputError(f"{file} has {size:,.6g} MB", argument="limits", expected=f"at most {most:g}")

    def given(self) -> list[Argument]:
        """Return what differs from its default, except what is no option."""
        found = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in _NO_OPTIONS and value is not field.default and value != field.default:
                found.append(Argument(field.name, value))
        return [*found, *self.beside]

    def check(self, job: str, *kinds: Kind) -> None:
        """Reject what has no effect on any of these kinds of input."""
        options = options_of(job)
        for given in self.given():
            option = options.get(given.name)
            if option is not None and not any(option.works_on(job, kind) for kind in kinds):
                raise option.refusal(job, given, kinds[0])

    def check_exclude(self) -> None:
        """Reject classes to exclude where counts need none; a task file is for all jobs."""
        if self.over is None and self.exclude and self.config is None:
            raise InputError(Message(Argument("exclude"), " needs ", Argument("over")), given=self.exclude)

    def check_format(self, job: str, formats: Iterable[str], name: str) -> None:
        """Reject what has no effect on tables of these formats."""
        found = list(formats)
        for given in self.given():
            option = options_of(job).get(given.name)
            if option is not None and option.formats and not set(option.formats) & set(found):
                expected = f"it with {' or '.join(option.formats)}"
                raise InputError.beside(given, Message(f"{name} ({found[0]})"), expected=expected)

    @property
    def unit(self) -> str | None:
        """The column that names the units averaged over; None for classes and for rows."""
        return None if self.over in (None, ROWS) else str(self.over).removeprefix(COLUMN)

    def facts(self) -> dict[str, str | None]:
        """Return the columns of the weight, the cluster, the unit and the count of a row."""
        return {"weight": self.sample_weight, "cluster": self.cluster, "over": self.unit, "count": self.count}

    def policies(self) -> dict[str, Any]:
        """Return the arguments of the functions that treat labels before scoring."""
        differences = self.normalize
        if self.extract:
            differences = [*(differences.split(",") if isinstance(differences, str) else differences), "extract"]
        return {"normalize": differences, "outside": self.outside}

    def chosen(
        self, *, task: Task, typed: Callable[[Iterable[object]], Iterable[object]], over: str | None = None
    ) -> Convention:
        """Return the convention; `typed` turns excluded classes that were typed as text into labels of the data."""
        exclude = self.exclude if over is None or self.over is None else ()  # units are counted without them
        if self.labels_are_text and exclude:
            exclude = typed(exclude)
        return chosen_convention(
            self.convention, classes=self.classes, undefined=self.undefined, beta=self.beta, exclude=exclude,
            empty=self.empty, task=task, over=over,
        )  # fmt: skip


_NO_OPTIONS = ("files", "kind", "labels_are_text", "gold_only", "config", "beside", "progress")
