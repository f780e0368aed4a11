"""Leaderboards: what each column of a table of published figures holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from macrof1.errors import ColumnError, EmptyError, FileError, InputError, counted
from macrof1.message import Argument, Message
from macrof1.reading.columns import SYSTEM_NAMES, find_column, listed_columns
from macrof1.reading.dialect import table_of
from macrof1.reading.distinct import columns_of
from macrof1.reading.files import opened_file
from macrof1.reading.numbers import in_percent, looks_missing, plain_number
from macrof1.reading.tables import TableFile, inspected

FigureKey: TypeAlias = tuple[str | None, str]
"""What a figure is about: a class, or None for all; and which of precision, recall, f1 and accuracy it is."""

RATIOS: Final = ("precision", "recall", "f1")
ERRORS: Final = ("tp", "fp", "fn", "tn")
_KINDS = {
    **dict.fromkeys(("precision", "prec", "p"), "precision"),
    **dict.fromkeys(("recall", "rec", "r"), "recall"),
    **dict.fromkeys(("f1", "f", "fscore", "fmeasure", "f1score"), "f1"),
    **dict.fromkeys(("support", "size"), "support"),
    **{kind: kind for kind in ERRORS},
}
_DECIMAL = re.compile(r"\d+[.,]\d+")
_LONGEST_START = 100_000  # of a text, in which its first two lines are
_F1_SPELLINGS = re.compile(r"(?<![a-z0-9])(f1_score|f_score|f_measure|f_1)(?![a-z0-9])")
_MACRO = {"", "macro", "average", "avg", "averaged", "mean", "overall", "macro_avg", "macro_average", "avg_macro"}
_OTHER_AVERAGES = {"micro", "weighted", "samples", "binary", "total"}
_COUNTS = {
    "accuracy": {"accuracy", "acc"},
    "correct": {"correct", "n_correct"},
    "total": {"total", "n", "n_rows", "instances", "total_instances"},
}
_WORDS = {"precision": "precision", "recall": "recall", "f1": "F1"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its header, its figure, and its cells."""

    header: str
    figure: str
    cells: Sequence[Any]


@dataclass(frozen=True, slots=True)
class RowTable:
    """A table as read."""

    name: str
    headers: list[str]
    rows: list[list[Any]]

    def column(self, header: str, figure: str) -> Column:
        """Return one column."""
        place = self.headers.index(header)
        return Column(header, figure, [row[place] for row in self.rows])


@dataclass(slots=True)
class Columns:
    """The columns of a table by content."""

    source: str
    names: list[str]
    labels: tuple[str, ...]
    ratios: dict[FigureKey, Column] = field(default_factory=dict)
    counts: dict[str, Column] = field(default_factory=dict)
    sizes: dict[str, Column] = field(default_factory=dict)
    errors: dict[str, dict[str, Column]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_rows(source: str | Path | Sequence[Mapping[str, Any]] | RowTable) -> RowTable:
    """Read a table with a header from a file of any format, ``-`` for standard input, or from rows as mappings."""
    if isinstance(source, RowTable):
        return source
    if not isinstance(source, (str, Path)):
        rows = list(source) if isinstance(source, Iterable) else [source]
        if not rows or not all(isinstance(row, Mapping) for row in rows):
            raise EmptyError("the table has no rows with names", expected="a path, or a dictionary for every row")
        headers = list(dict.fromkeys(str(key) for row in rows for key in row))
        return RowTable("the table", headers, [[row.get(header) for header in headers] for row in rows])
    with opened_file(source) as file:
        return rows_in(inspected(file, True, None))


def rows_in(table: TableFile) -> RowTable:
    """Read all of an open table, which has a header."""
    if table.is_text:
        return parse_rows(table.file.text(), table.name)
    columns = columns_of(table, table.columns)
    return RowTable(table.name, table.columns, [list(row) for row in zip(*columns.values(), strict=True)])


def parse_rows(text: str, name: str) -> RowTable:
    """Read a table with a header from text separated by commas, semicolons or tabs."""
    _, lines = table_of(text, name=name)
    if len(lines) < 2:
        raise EmptyError(f"{name} is empty", expected="a header and at least one row of published figures")
    headers = [header.strip() for header in lines[0][1]]
    twice = next((header for place, header in enumerate(headers) if header in headers[:place]), None)
    if twice is not None:
        raise ColumnError(f"{name} has two columns {twice!r}", expected="every column name once")
    for number, line in lines[1:]:
        if len(line) != len(headers):
            hint = "a decimal comma needs quotes, or semicolons between the cells"
            problem = f"{name}, line {number}: {counted(len(line), 'cell')}"
            raise FileError(problem, expected=f"{len(headers)} as in the header", hint=hint)
    return RowTable(name, headers, [line for _, line in lines[1:]])


def is_delimited(text: str) -> bool:
    """Whether a text is a CSV or TSV file: a header without figures, and as many cells in the line below."""
    from macrof1.reading.reports.plain_lines import plain_text  # loads an HTML parser, which `mf1 score` never needs

    start = plain_text(text[:_LONGEST_START])
    start = "\n".join([line for line in start.splitlines() if line.strip()][:2])
    if start.partition("\n")[0].count("|") > 1 or start.lstrip().startswith(("{", "[")):
        return False
    try:
        lines = [fields for _, fields in table_of(start, name="the text")[1]]
    except FileError:
        return False
    same = len(lines) == 2 and len(lines[0]) == len(lines[1]) > 1
    return same and not any(_DECIMAL.fullmatch(field.strip()) for field in lines[0])


def _plain(header: str) -> str:
    plain = re.sub(r"[^0-9a-zà-öø-ÿ]+", "_", header.casefold()).strip("_")
    return _F1_SPELLINGS.sub("f1", plain)


def _split(header: str) -> tuple[str, str] | None:
    """Split a header into its subject and its measure: ``offense_precision``, ``F1 macro``, ``P``."""
    words = _plain(header).split("_")
    for kind, rest in ((words[-1], words[:-1]), (words[0], words[1:])):
        if kind in _KINDS:
            return "_".join(rest), _KINDS[kind]
    return None


def find_columns(table: RowTable, given: Mapping[str, str], supported: tuple[str, ...]) -> Columns:
    """Find the columns by name, or as given."""
    for header in given.values():
        if header not in table.headers:
            raise ColumnError.not_found(header, columns=table.headers, source=table.name)
    taken = {header: role for role, header in given.items()}
    roles: dict[str, str] = {}
    about: dict[tuple[str, str], str] = {}
    for header in sorted(table.headers, key=lambda header: header not in taken):
        role = _plain(taken.get(header, header))
        key = next((kind for kind, known in _COUNTS.items() if role in known), None)
        if key is None and role in SYSTEM_NAMES and header in taken:
            key = "name"
        if key is not None:
            if header not in taken and key in roles:
                _refuse_two(table, roles[key], header, key, given)
            else:
                roles[key] = header
            continue
        split = _split(role)
        if split is None:
            if header in taken:
                raise InputError(
                    Message(Argument("columns"), f" has the unknown role {taken[header]!r}"),
                    expected="name, macro_precision, macro_recall, macro_f1, accuracy, correct, total, or a class with "
                    "_precision, _recall, _f1, _support, _tp, _fp, _fn or _tn",
                )
            continue
        subject, kind = ("macro" if split[0] in _MACRO else split[0]), split[1]
        if (subject, kind) in about:
            _refuse_two(table, about[subject, kind], header, f"{subject}_{kind}", given)
        else:
            about[subject, kind] = header
    if all(("macro", kind) in about for kind in ERRORS):
        # Without a class, tp, fp, fn and tn are those of the positive class.
        about = {("positive" if kind in ERRORS else subject, kind): header for (subject, kind), header in about.items()}
    subjects: dict[str, set[str]] = {}
    for subject, kind in about:
        subjects.setdefault(subject, set()).add(kind)
    wanted, ratios = {_plain(label) for label in supported}, set(RATIOS)
    # A lone "dev_f1" is another score: a class has at least two figures, its counts, or a given size.
    classes = [
        subject
        for subject, kinds in subjects.items()
        if subject not in {"macro", *_OTHER_AVERAGES}
        and (len(kinds & ratios) >= 2 or kinds >= set(ERRORS[:3]) or (subject in wanted and kinds & ratios))
    ]
    names = [f"row {number}" for number in range(1, len(table.rows) + 1)]
    if of_names := roles.get("name") or _name_column(table):
        names = ["" if cell is None else str(cell).strip() for cell in table.column(of_names, "name").cells]
    found = Columns(table.name, names, tuple(classes))
    unused = []
    for (subject, kind), header in about.items():
        if kind in RATIOS and (subject == "macro" or subject in classes):
            about_class = None if subject == "macro" else subject
            found.ratios[about_class, kind] = table.column(header, f"{subject} {_WORDS[kind]}")
        elif kind == "support" and subject in classes:
            found.sizes[subject] = table.column(header, f"size of {subject}")
        elif kind in ERRORS and subject in classes and subjects[subject] >= set(ERRORS[:3]):
            found.errors.setdefault(subject, {})[kind] = table.column(header, f"{subject} {kind}")
        else:
            unused.append(header)
    if "accuracy" in roles:
        found.ratios[None, "accuracy"] = table.column(roles["accuracy"], "accuracy")
    found.counts = {kind: table.column(roles[kind], kind) for kind in ("correct", "total") if kind in roles}
    if not any(kind in RATIOS for _, kind in found.ratios):
        problem = f"{table.name} has no column of figures that is known by its name ({listed_columns(table.headers)})"
        hint = Message("name one with ", Argument("columns", "macro_f1=NAME"))
        raise ColumnError(problem, expected="macro_f1, macro_precision, CLASS_recall, …", hint=hint)
    if unused:
        found.notes.append(f"Columns that were not used: {', '.join(unused)}.")
    return found


def _refuse_two(table: RowTable, first: str, second: str, role: str, given: Mapping[str, str]) -> None:
    """Reject two columns for one figure, unless the first was given."""
    if first not in given.values():
        problem = f"{table.name}: columns {first!r} and {second!r} could both be {role}"
        raise ColumnError(problem, expected="one", hint=Message("name it with ", Argument("columns", f"{role}=NAME")))


def _name_column(table: RowTable) -> str | None:
    return next((header for name in SYSTEM_NAMES for header in table.headers if _plain(header) == name), None)


def published_classes(headers: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the precision and recall columns of every class that has both."""
    about: dict[str, dict[str, str]] = {}
    for header in headers:
        split = _split(header)
        if split is not None and split[0] not in _MACRO | _OTHER_AVERAGES:
            about.setdefault(split[0], {})[split[1]] = header
    both = {subject: kinds for subject, kinds in about.items() if {"precision", "recall"} <= kinds.keys()}
    return {subject: (kinds["precision"], kinds["recall"]) for subject, kinds in both.items()}


def read_published(leaderboard: TableFile, *, by: str | None) -> dict[str, dict[str, tuple[float, float]]]:
    """Read the per-class precision and recall of every system of a leaderboard, as fractions of 1."""
    table = rows_in(leaderboard)
    classes = published_classes(table.headers)
    if len(classes) < 2:
        problem = f"{table.name} has precision and recall of {counted(len(classes), 'class', 'classes')}"
        expected = "at least two, in columns such as cat_precision and cat_recall"
        raise ColumnError(problem, expected=expected, hint=f"it has {listed_columns(table.headers)}")
    if by is None and _name_column(table) is None:
        problem = f"no column is named like systems in {table.name}: it has {listed_columns(table.headers)}"
        raise ColumnError(problem, argument="by", hint=Message("name one with ", Argument("by")))
    given = {} if by is None else {"name": find_column(table.headers, by, "by", source=table.name)}
    names = find_columns(table, given, ()).names
    figures = {header: table.column(header, header).cells for pair in classes.values() for header in pair}
    scale = 100 if in_percent(figures, table.name, argument=None) else 1
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for row, name in enumerate(names):
        if not name:
            raise FileError(f"{table.name}, row {row + 1}: no name", expected="the name of a system")
        if name in found:
            raise FileError(f"{table.name}: two systems are named {name!r}", expected="every system once")
        found[name] = {
            label: (_ratio(table, p, row, figures[p][row], scale), _ratio(table, r, row, figures[r][row], scale))
            for label, (p, r) in classes.items()
        }
    return found


def _ratio(table: RowTable, header: str, row: int, cell: Any, scale: int) -> float:
    if not looks_missing(cell):
        value = plain_number(cell, header)[0] / scale
        if value <= 1:
            return float(value)
    problem = f"{table.name}, row {row + 1}: {header} is {cell!r}"
    raise InputError(problem, expected="a number from 0 to 1, or to 100 in percent")


def named_values(text: str | None, option: str, example: str) -> dict[str, str]:
    """Read NAME=VALUE,NAME=VALUE; a comma inside a value is kept if no name follows it."""
    if text is None:
        return {}
    found: dict[str, str] = {}
    for part in re.split(r",(?=[^,=]+=)", text):
        name, equals, value = part.partition("=")
        if not (equals and name.strip() and value.strip()) or name.strip() in found:
            expected = f"NAME=VALUE pairs with every name once, such as {example}"
            raise InputError(f"{option} {text!r}", given=text, expected=expected)
        found[name.strip()] = value.strip()
    return found
