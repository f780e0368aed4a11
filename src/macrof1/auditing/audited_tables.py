"""Audit a whole leaderboard: every row, and the table as a whole."""

from __future__ import annotations

import math
import time
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from macrof1.auditing import published
from macrof1.auditing.audit_results import AuditResult, Verdict
from macrof1.auditing.audited_figures import LOOKALIKES, Examined, examine, judge
from macrof1.auditing.feasible import Report
from macrof1.auditing.printed_figures import Figure, Key, Rounding, number_or_zero, read_count, read_ratio
from macrof1.convention import FORMULA_NAMES, FORMULAS, Formula, Task
from macrof1.errors import InputError, counted
from macrof1.reading.leaderboards import Column, Columns, RowTable, find_columns, read_rows
from macrof1.reading.numbers import as_text, in_percent, looks_missing
from macrof1.result import Result

if TYPE_CHECKING:
    from macrof1.reading.files import Progress

_FEWEST = 1_000
_DROPPED = "Columns show different numbers of decimals; trailing zeros are assumed to have been dropped."


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow(Result):
    """One row of a table.

    Attributes
    ----------
    rank_averaged_f1, rank_f1_of_averages
        The best and worst possible rank of the row under each formula; None if the figures contradict each other.
    """

    name: str
    result: AuditResult
    rank_averaged_f1: tuple[int, int] | None = None
    rank_f1_of_averages: tuple[int, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types, with the audit's keys at the same level as the others."""
        own = Result.to_dict(self)
        return {"name": own.pop("name"), **own.pop("result"), **own}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSummary(Result):
    """The summary of a table.

    Attributes
    ----------
    verdicts
        Number of rows per verdict.
    formula
        The formula of every decided row; None if none is decided or they differ.
    n_reconstructed
        Number of rows whose counts are determined.
    rank_changes, discordant_pairs, pairs
        Number of rows whose rank differs between the formulas, pairs of rows that change order, and pairs in all; None
        unless the ranks under both formulas are determined.
    """

    n_rows: int
    verdicts: dict[str, int]
    formula: Formula | None
    n_findings: int
    n_reconstructed: int
    rank_changes: int | None
    discordant_pairs: int | None
    pairs: int

    @property
    def sentences(self) -> list[str]:
        """Describe the summary in words."""
        names = {str(formula): words for formula, words in FORMULA_NAMES.items()}
        verdicts = ", ".join(f"{names.get(name, name)} {count}" for name, count in self.verdicts.items() if count)
        rows = counted(self.n_rows, "row")
        found = [f"{rows}: {verdicts}."]
        if self.formula is not None:
            found.append(f"Every row that can be decided follows {FORMULA_NAMES[self.formula]}.")
        elif all(self.verdicts[name] for name in FORMULAS):
            found.append("Some rows follow one formula, some the other.")
        elif self.verdicts["either"]:
            found.append("Which formula it is cannot be told: no row decides between them.")
        found.append(f"Confusion counts are determined for {self.n_reconstructed:,} of {rows}.")
        if self.n_rows == 1:
            return found
        if self.rank_changes is not None:
            found.append(
                f"Under the other formula {self.rank_changes:,} of {rows} would change rank; "
                f"{self.discordant_pairs:,} of {counted(self.pairs, 'pair')} would change order."
            )
        else:
            found.append("The ranking under the other formula is not determined by the figures.")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTableResult(Result):
    """Every row of a table, and its summary."""

    rows: tuple[AuditRow, ...]
    summary: AuditSummary
    notes: tuple[str, ...]

    @property
    def findings(self) -> list[tuple[str, str]]:
        """All findings as pairs of a row's name and a sentence."""
        return [(row.name, finding.message) for row in self.rows for finding in row.result.findings]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        content = Result.to_dict(self)
        found = [(row.name, finding) for row in self.rows for finding in row.result.findings]
        content["summary"]["findings"] = [{"name": name, **finding.to_dict()} for name, finding in found]
        content["summary"]["sentences"] = self.summary.sentences
        return content


def audit_table(
    source: str | Path | Sequence[Mapping[str, Any]] | RowTable,
    *,
    support: Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    n_classes: int | None = None,
    percent: bool | None = None,
    decimals: int | None = None,
    rounding: Rounding = "round",
    task: Task | None = None,
    seconds: float | None = 1.5,
    progress: Progress | None = None,
) -> AuditTableResult:
    """Audit every row of a leaderboard.

    Parameters
    ----------
    source
        A CSV or TSV file with a header, or rows as mappings.
    support
        Gold rows of each class, the same for all rows of the table.
    columns
        Which column holds what, if it cannot be inferred from the names: ``{"macro_f1": "F-Score", "name": "Team"}``;
        also ``macro_precision``, ``macro_recall``, ``accuracy``, ``correct``, ``total``, ``CLASS_precision``,
        ``CLASS_support``, ``CLASS_tp``, ….
    n_classes, percent, rounding, task
        As in `audit`. By default, figures are percentages if every column has a value above 1.
    decimals
        Number of printed decimals; by default, the most in each column (spreadsheets drop trailing zeros).
    seconds
        How much processor time the rows may take; the first 1,000 are always audited, and a note says which are not.
        None for no limit.
    progress
        Called after every row with the share of the rows that is audited.

    Examples
    --------
    >>> rows = [{"system": "a", "macro_precision": "0.29", "macro_recall": "0.23", "macro_f1": "0.21"}]
    >>> audit_table(rows).summary.verdicts["averaged_f1"]
    1
    """
    published.checked_choices(rounding, task)
    published.checked_mapping("support", support or {}, "{'cat': 120}")
    table = read_rows(source)
    found = find_columns(table, columns or {}, tuple(support or {}))
    sizes: dict[str, int] = {}
    labels = found.labels or tuple(support or {})
    known = {label.casefold(): label for label in found.labels}
    for label, size in (support or {}).items():
        if known and str(label).casefold() not in known:
            problem = f"support for {label!r}, which no column of {found.source} is about"
            raise InputError(problem, argument="support", given=label, expected=f"one of {', '.join(found.labels)}")
        sizes[known.get(str(label).casefold(), str(label))] = read_count(size, f"size of {label}").steps
    published.checked_n_classes(n_classes, labels)
    published.checked_decimals(decimals)
    notes = []
    if percent is None:
        percent = in_percent({column.header: column.cells for column in found.ratios.values()}, table.name)
        notes += ["Figures are read as percentages, since every column goes above 1."] if percent else []
    readers = {}
    for key, column in found.ratios.items():
        places = {number_or_zero(cell)[1] for cell in column.cells if not looks_missing(cell)}
        most = max(places, default=None) if decimals is None else decimals
        readers[key] = partial(read_ratio, percent=percent, decimals=most, rounding=rounding)
        if decimals is None and len(places) > 1 and _DROPPED not in notes:
            notes.append(_DROPPED)
    columns_of_figures = [*found.ratios.items(), *(((None, kind), column) for kind, column in found.counts.items())]

    def report_of(row: int) -> Report:
        figures: dict[Key, Figure] = {}
        for key, column in columns_of_figures:
            figure = _cell(found, row, column, readers.get(key, read_count))
            if figure is not None:
                figures[key] = figure
        cells = {
            label: {kind: _count(found, row, column) for kind, column in columns.items()}
            for label, columns in found.errors.items()
        }
        sized = {label: _count(found, row, column) for label, column in found.sizes.items()}
        own = {**sizes, **{label: size for label, size in sized.items() if size is not None}}
        where = f"{found.source}, row {row + 1}: "
        return published.with_counts(figures, labels, own, cells, n_classes=n_classes, task=task, where=where)

    deadline, free = math.inf if seconds is None else time.process_time() + seconds, task is None
    results: list[AuditResult] = []
    odd: dict[int, Examined] = {}
    n_rows = len(found.names)
    for place in range(n_rows):
        if place >= _FEWEST and time.process_time() > deadline:
            notes.append(f"Time was up after {place:,} of {n_rows:,} rows; audit the others in a table of their own.")
            break
        examined = examine(report_of(place), free=free)
        results.append(judge(examined, free=free))
        if results[-1].status != "fits":
            odd[place] = examined
        if progress is not None:
            progress((place + 1) / n_rows)
    usual = _common({result.verdict for result in results if result.status == "fits"})
    if usual is not None:
        # What the other rows prove settles which correction of a wrong macro F1 is meant.
        for place, examined in odd.items():
            results[place] = judge(examined, usual=usual, free=free)
    ranks = {name: _ranks([getattr(result, name) for result in results]) for name in FORMULAS}
    rows = tuple(
        AuditRow(name=name, result=result, rank_averaged_f1=first, rank_f1_of_averages=second)
        for name, result, first, second in zip(found.names[: len(results)], results, *ranks.values(), strict=True)
    )
    changes, discordant = _changes(ranks)
    verdicts = Counter(result.verdict for result in results)
    summary = AuditSummary(
        n_rows=len(rows),
        verdicts={verdict: verdicts[verdict] for verdict in get_args(Verdict)},
        formula=_common(set(verdicts)),
        n_findings=sum(len(result.findings) for result in results),
        n_reconstructed=sum(result.counts is not None for result in results),
        rank_changes=changes,
        discordant_pairs=discordant,
        pairs=len(rows) * (len(rows) - 1) // 2,
    )
    # What a formula's verdict does not rule out, once for all rows.
    caveats = [LOOKALIKES[name] for name in FORMULAS if verdicts[name]]
    return AuditTableResult(rows=rows, summary=summary, notes=(*notes, *found.notes, *caveats))


def _common(verdicts: Collection[Verdict]) -> Formula | None:
    """Return the formula of all rows that are decided; None if there is none, or both are among them."""
    decided = [name for name in FORMULAS if name in verdicts]
    return decided[0] if len(decided) == 1 else None


def _ranks(ranges: list[tuple[float, float] | None]) -> list[tuple[int, int] | None]:
    """Return the best and the worst rank of each row, given the range of its score; 1 is the highest score."""
    known = [interval for interval in ranges if interval is not None]
    lows, highs = sorted(low for low, _ in known), sorted(high for _, high in known)

    def rank(low: float, high: float) -> tuple[int, int]:
        # Equal scores share a rank; a row is not ranked above itself.
        surely = len(known) - bisect_right(lows, high)
        perhaps = len(known) - bisect_right(highs, low) - (high > low)
        return surely + 1, perhaps + 1

    return [None if interval is None else rank(*interval) for interval in ranges]


def _changes(ranks: Mapping[Formula, list[tuple[int, int] | None]]) -> tuple[int | None, int | None]:
    """Count rows that change rank and pairs that change order, if every rank is determined."""
    pairs: list[tuple[int, ...]] = []
    for both in zip(*ranks.values(), strict=True):
        pairs.append(tuple(rank[0] for rank in both if rank is not None and rank[0] == rank[1]))
        if len(pairs[-1]) < len(both):
            return None, None
    discordant, before = 0, list[int]()
    for _, rank in sorted(pairs):
        # Rows with a better rank under the first formula and a worse one under the second.
        discordant += len(before) - bisect_right(before, rank)
        insort(before, rank)
    return sum(one != two for one, two in pairs), discordant


def _cell(found: Columns, row: int, column: Column, read: Callable[[Any, str], Figure]) -> Figure | None:
    """Read one cell, if something was reported; errors name the row and column."""
    if looks_missing(column.cells[row]):
        return None
    where = f"{found.source}, row {row + 1}, column {column.header!r}"
    return InputError.located(where, lambda: read(as_text(column.cells[row], column.figure), column.figure))


def _count(found: Columns, row: int, column: Column) -> int | None:
    figure = _cell(found, row, column, read_count)
    return None if figure is None else figure.steps
