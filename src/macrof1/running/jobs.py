"""From a request to counts, scores and comparisons, whatever the files hold; only what they need is loaded."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from macrof1.convention import UNKNOWN_GOLD, Convention
from macrof1.counting.cells import Cell, CountRules, checked_weight, group_key, typed_labels, weighted_sum
from macrof1.counting.confusion import Confusion, read_matrix
from macrof1.counting.doubts import checked_differences
from macrof1.counting.label_tables import count_tables, holds_errors, read_cells
from macrof1.counting.saved import SavedCounts, holds_counts, merge_saved, parse_saved
from macrof1.counting.unit_tables import check_units, count_unit_cells, count_unit_tables
from macrof1.counts import COLUMN, PLAIN, ROWS, ClassCounts, Group, GroupedCounts, Making, RowSource, class_counts_of
from macrof1.errors import FileError, InputError, MacroF1Error, SeveralSystemsError
from macrof1.labels import label_key
from macrof1.message import Argument, Message, Note
from macrof1.options import Kind
from macrof1.reading.columns import is_usual
from macrof1.reading.files import opened_files, whole_text
from macrof1.reading.logs import REPEATED, SHARE, Settling
from macrof1.reading.rankings import count_rankings, holds_gold
from macrof1.reading.systems import shared_id, systems_in_files
from macrof1.reading.tables import TableFile, inspected, opened_tables
from macrof1.request import Request
from macrof1.running.gates import number_in
from macrof1.sampling.joint import joint_patterns, ordered_clusters
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.policies import apply_policies, apply_to_groups, apply_to_patterns, chosen_names
from macrof1.scoring.group_scores import GroupScore, GroupsResult, RepeatedRows, score_grouped_counts
from macrof1.scoring.score_result import ScoreResult, score_counts

if TYPE_CHECKING:
    from macrof1.comparing.compared import CompareResult

_PUBLIC_NOTES: Final = frozenset((
    "clusters", "few_resamples", "few_runs", "identical", "no_tests", "normal_approximation", "rows_dropped", "runs",
    "single_run", "unpaired", "weighted_rows",
))  # fmt: skip
"""Notes that name no label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What was read, and of which kind it is."""

    kind: Kind
    counts: Any  # of all rows, or by group
    making: Making = PLAIN
    rows: WeightedRows | None = None  # behind the counts, if they have weights or clusters
    saved: SavedCounts | None = None  # merged
    gold: object = UNKNOWN_GOLD  # the digest of the gold column, or what prints it

    @classmethod
    def of_units(cls, units: GroupedCounts, making: Making = PLAIN) -> Counted:
        """Take counts of units, which know how they were made."""
        making = class_counts_of(units.total).making + making
        return cls(kind="rows", counts=units if units.by else units.total, making=making, gold=units.gold)

    @property
    def total(self) -> Confusion | ClassCounts:
        """The counts of all rows."""
        total: Confusion | ClassCounts = self.counts.total if isinstance(self.counts, GroupedCounts) else self.counts
        return total


def read_counts(request: Request, job: str) -> Counted:
    """Read and count what a request asks for; reject options that have no effect on it."""
    if request.kind == "spans":
        from macrof1.counting.spans import count_span_file

        request.check(job, "spans")
        if not request.files:
            raise InputError("no file given", expected="a file of tagged tokens, or - for standard input")
        counts, making = count_span_file(request)
        return Counted(kind="spans", counts=counts, making=making)
    if request.kind == "matrix":
        request.check(job, "matrix")
        names = None if request.labels is None else [str(label) for label in request.labels]
        cells = read_matrix(request.files[0], rows=request.rows, labels=names)
        of_cells, making = apply_policies(cells, **request.policies())
        return Counted(kind="matrix", counts=of_cells, making=making)
    if request.kind == "report":
        from macrof1.auditing.audited_texts import report_counts

        request.check(job, "report")
        text, name = whole_text(request.files[0], expected="a report or a table of figures")
        return Counted(kind="report", counts=InputError.located(name, report_counts, text))
    return _read_tables(request, job)


def _read_tables(request: Request, job: str) -> Counted:
    """Count tables of predictions, or merge saved counts."""
    if not request.files:
        raise InputError("no file given", expected="a file of predictions, or - for standard input")
    request.check(job, *(("sets",) if request.multilabel else ("rows", "sets", "counts", "rankings")))
    with ExitStack() as stack:
        source: Any = list(request.files)
        if not isinstance(source[0], TableFile):
            source = stack.enter_context(opened_files(source))
            saved = [file for file in source if holds_counts(file)]
            if saved and len(saved) < len(source):
                other = next(file.name for file in source if file not in saved)
                raise InputError.beside(
                    Message(other), Message("saved counts"), expected="predictions or *.counts.json, not both",
                    hint="count it first",
                )  # fmt: skip
            if saved:
                request.check(job, "counts")
                merged = merge_saved([(file.name, parse_saved(file.text(), file.name)) for file in saved])
                counts, making = apply_policies(merged.counts, **request.policies())
                return Counted(kind="counts", counts=counts, making=making, saved=merged)
            if len(source) == 2 and holds_gold(source[0]) is not None:
                request.check(job, "rankings")
                ranked = count_rankings(source[0], source[1], k=request.k, relevance=request.relevance)
                return Counted(kind="rankings", counts=ranked, making=ranked.making)
        tables = stack.enter_context(
            opened_tables(source, request.header, request.file_format, records=request.records)  # type: ignore[arg-type]  # it checks the format
        )
        request.check_format(job, [table.format for table in tables], tables[0].name)
        found = _count_tables(request, tables)
    kind: Kind = "sets" if class_counts_of(found.total).task == "multilabel" else "rows"
    if class_counts_of(found.total).n_rows is not None:  # a table of tp, fp and fn has no rows
        request.check(job, kind)
    if kind == "sets" and request.cluster is not None and request.over is None:
        raise clusters_of_sets()
    return replace(found, kind=kind)


def clusters_of_sets() -> InputError:
    """Report clusters of rows of a file or frame with several labels each, over classes."""
    return InputError(
        "clusters of rows with several labels",
        argument="cluster",
        expected=Message("one label per row here, or ", Argument("over"), "; score takes sets and their clusters"),
    )


def _count_tables(request: Request, tables: list[TableFile]) -> Counted:
    told = PLAIN
    if request.repeats is not None:
        request, told = _with_repeats(request, tables[0])
        settling = Settling(str(request.repeats), partial(_same_answer, request))
        notes = [tuple(note for note in table.notes if note.code != REPEATED) for table in tables]
        tables = [
            replace(table, repeats=settling, columns=[*table.columns, SHARE], notes=kept)
            for table, kept in zip(tables, notes, strict=True)
        ]
    apart = len(tables) > 1 and not request.gold_only and first_is_gold(request, tables)
    if not apart:
        for given in request.given():
            if given.name in ("id", "no_id", "missing_predictions"):
                expected = "gold in one file, predictions in another"
                raise InputError.beside(given, Message(tables[0].name), expected=expected)
    policy = request.missing_predictions
    lost = PLAIN if policy == "error" else Making(facts=(("missing_predictions", policy),))
    if request.over is not None:  # which has nothing to do with repeats
        return Counted.of_units(_count_units(request, tables, apart=apart), lost)
    facts = [name for name in (request.cluster, request.sample_weight) if name is not None]
    rows, counts = None, None
    if facts or apart:
        found = read_apart(request, tables) if apart else read_cells(tables, request, (*request.by, *facts))
        text = not apart and any(table.is_text for table in tables)
        rows = WeightedRows(read=lambda: found, text=text, request=request)
        rules = replace(found[1], weighted=request.sample_weight is not None)
        counts = rules.grouped(rows.weighed(), request.by)
    else:
        counts = count_tables(tables, request)
    counts, making = apply_to_groups(counts, **request.policies())
    making += lost
    return Counted(
        kind="rows", counts=counts if request.by else counts.total, making=making if told is PLAIN else told + making,
        rows=rows if facts else None, gold=counts.gold,
    )  # fmt: skip


def _count_units(request: Request, tables: list[TableFile], *, apart: bool) -> GroupedCounts:
    """Count the units of one table, or of gold in one file and predictions in another."""
    check_units(request)
    if not apart:
        return count_unit_tables(tables, request)
    if request.over != ROWS:
        return count_unit_cells(*read_apart(request, tables), request, text=False)
    ids = None if request.no_id else request.id or shared_id(tables)
    if ids is None:
        raise _by_position(Argument("over", ROWS))
    cells, rules = read_apart(replace(request, over=f"{COLUMN}{ids}"), tables)  # in the order of gold
    at = int(request.cluster is not None)
    cells = [cell._replace(group=(*cell.group[:at], *cell.group[at + 1 :])) for cell in cells]
    return count_unit_cells(cells, rules, request, text=False)


def _by_position(given: Argument) -> InputError:
    beside = Message("rows that are matched by position")
    return InputError.beside(given, beside, expected="an id column in both files")


def _with_repeats(request: Request, table: TableFile) -> tuple[Request, Making]:
    """Reject what goes with one answer per item only; name the items where they are clusters, and say what was done."""
    how, layout = request.repeats, table.layout
    if request.gold is not None or request.pred is not None:
        expected = "gold and answers where the tool writes them"
        raise InputError.beside("repeats", "gold" if request.pred is None else "pred", expected=expected)
    if layout is not None and layout.repeat in request.by:
        raise InputError.beside("repeats", Argument("by", layout.repeat), expected="one of them")
    words = {
        "mean": "each of n counts as 1/n of a row, and items are clusters",
        "vote": "the most common one counts",
        "any": "the right one counts if it is among them, which flatters",
        "cluster": "each is a row, and items are clusters",
    }
    note = Note(f"Items may have several answers: {words[str(how)]}.", code="repeats")
    making = Making(notes=(note,), facts=(("repeats", str(how)),))
    own: tuple[str, ...] = {"mean": ("cluster", "sample_weight"), "cluster": ("cluster",)}.get(str(how), ())
    for name in own:
        if getattr(request, name) is not None:
            raise InputError.beside(Argument("repeats", how), name, expected="one of them")
    columns: dict[str, Any] = {"cluster": None if layout is None else layout.item, "sample_weight": SHARE}
    return replace(request, **{name: columns[name] for name in own}), making


def _same_answer(request: Request, gold: Iterable[Any]) -> Callable[[Any], Any]:
    """Return what answers have in common that are the same under the policies of a request."""
    labels = dict.fromkeys((*gold, *(request.labels or ())))
    known = Confusion.from_cells([(label, label, 1) for label in labels if label is not None]).class_counts()
    names, *_ = chosen_names(known, checked_differences(request.normalize, extract=request.extract))
    return lambda answer: label_key(names(answer) if isinstance(answer, str) else answer)


def first_is_gold(request: Request, tables: list[TableFile]) -> bool:
    """Return whether the first file has gold and the others predictions; files with both are parts of one table."""
    if request.gold_file is not None:
        return True
    both = [table.has(request.gold, "gold") and table.has(request.pred, "pred") for table in tables]
    if all(both) or holds_errors(tables[0].columns):
        return False
    if any(both) or (tables[0].has(request.pred, "pred") and len(tables[0].columns) > 1):
        odd = tables[both.index(False)].name
        raise InputError(
            f"{odd} lacks gold or predictions, and {tables[0].name} does not have gold alone",
            expected="parts of one table, each with both (mf1 score part1.csv part2.csv), or a file with gold and one "
            "with predictions (mf1 score gold.csv pred.csv)",
        )
    return True


def read_apart(request: Request, tables: list[TableFile]) -> tuple[list[Any], Any]:
    """Read gold from one file and predictions from another, matched by id, or else by position, as distinct rows."""
    from macrof1.comparing.inputs import known_labels, labelled

    names = [table.name for table in tables]
    if len(tables) > 2:
        raise SeveralSystemsError(
            f"{names[0]} and {len(names) - 1} files of predictions", expected=f"one, or mf1 compare {' '.join(names)}"
        )
    if request.by:
        raise InputError.beside("by", Message("gold in a file of its own"), expected="one table with all columns")
    alone = [table.is_text and table.header and len(table.columns) == 1 for table in tables]
    if all(alone) and not any(is_usual(table.columns[0], role) for table in tables for role in ("gold", "pred")):
        tables = [inspected(table.file, False, request.file_format) for table in tables]  # type: ignore[arg-type]  # checked before
    gold, pred = tables
    column, ids = request.pred, request.id if request.id is not None or request.no_id else shared_id(tables)
    policy = request.missing_predictions
    if policy != "error" and ids is None:
        raise _by_position(Argument("missing_predictions", policy))
    rest = [name for name in pred.columns if name != ids]
    if column is None and len(rest) == 1:
        column = rest[0]
    found = systems_in_files(gold, [pred], replace(request, pred=column), ids)
    rows, n_lost = labelled(found, gold.name, request.multilabel), found.n_lost
    (answers,) = rows.systems.values()
    source = f"{gold.name} and {pred.name}"
    notes: tuple[Note, ...] = ()
    if n_lost:
        share = n_lost / (sum(found.times) + (n_lost if policy == "drop" else 0))
        which = f"{n_lost:,} of the gold rows ({share:.1%}) have no prediction in {pred.name}"
        what = f"{which} and are {'left out' if policy == 'drop' else 'counted as wrong'} ("
        notes = (Note(what, Argument("missing_predictions", policy), ").", code="missing_predictions"),)
    rules = CountRules(
        **known_labels(request, rows, request.labels, source), source=source, where=source,
        labels_are_text=request.labels_are_text, notes=notes, gold=str(rows.gold_digest),
    )  # fmt: skip
    return rows.cells(answers), rules


def run_score(request: Request) -> ScoreResult | GroupsResult:
    """Read, count and score what a request asks for."""
    request = request.with_gold()
    request.check_sizes()
    found = read_counts(request, "score")
    result = scored(found, convention_of(request, found))
    if request.prevalence is not None:
        if isinstance(result, GroupsResult):
            raise InputError.beside("prevalence", "by", expected="one of them")
        result = result.at_prevalence(_mix(request.prevalence, result.counts))
    if request.config is None:
        return result
    total = result.total if isinstance(result, GroupsResult) else result
    told = replace(total, making=replace(total.making, facts=(*total.making.facts, ("config", request.config))))
    return replace(result, total=told) if isinstance(result, GroupsResult) else told


def _mix(text: str, counts: ClassCounts) -> dict[object, float]:
    """Return the share of each class, from ``a=0.7,b=0.3`` or from a file with a class and its share in each line."""
    if "=" in text:
        pairs = [part.rpartition("=")[::2] for part in text.split(",")]
    else:
        lines, _ = whole_text(text, expected="a class and its share in each line")
        pairs = [(line[0], line[1]) for line in csv.reader(lines.splitlines()) if len(line) == 2]
        # A first line without a number names the columns.
        pairs = pairs[1:] if pairs and math.isnan(number_in(pairs[0][1])) else pairs
        pairs = [] if all(math.isnan(number_in(given)) for _, given in pairs) else pairs  # some other file: not quoted
    odd = next((f"{label}={given}" for label, given in pairs if not label.strip() or not number_in(given) >= 0), None)
    if odd is not None or not pairs:
        raise InputError.bad_value("prevalence", odd or text, expected="the share of each class, such as a=0.7,b=0.3")
    kinds = {type(label) for label in counts.labels if label is not None}
    labels = typed_labels([label.strip() for label, _ in pairs], kinds)
    return dict(zip(labels, (number_in(given) for _, given in pairs), strict=True))


def convention_of(request: Request, found: Counted) -> Convention:
    """Return the convention that a request asks for on this data."""
    total = class_counts_of(found.total)

    def typed(labels: Iterable[object]) -> list[object]:
        return typed_labels(labels, {type(label) for label in total.labels if label is not None})

    return request.chosen(task=total.task, typed=typed, over=total.over)


def scored(found: Counted, convention: Convention) -> ScoreResult | GroupsResult:
    """Score counts, of all rows or by group, with the rows behind them."""
    rows = found.rows
    if not isinstance(found.counts, GroupedCounts):
        result = replace(score_counts(found.counts, convention=convention), making=found.making, gold=found.gold)
        return result if rows is None else replace(result, rows=rows.of(result))
    grouped = score_grouped_counts(found.counts, convention)
    # What was noticed while reading concerns all rows; how they became counts, every group.
    each = replace(found.making, notes=(), unusable=None)
    groups = []
    for group in grouped.groups:
        own = group.result.rows if rows is None else replace(rows.of(group.result), key=group.key)
        groups.append(GroupScore(key=group.key, result=replace(group.result, making=each, rows=own)))
    total = replace(grouped.total, making=found.making, gold=found.gold)
    # Clusters that occur in every group show how the groups are paired.
    if rows is not None and (rows.request.cluster is not None or not isinstance(total.rows, RepeatedRows)):
        total = replace(total, rows=rows.of(total))
    return replace(grouped, groups=tuple(groups), total=total)


def run_count(request: Request) -> SavedCounts:
    """Read and count what a request asks for, with what must agree in later merges."""
    request.check_exclude()
    found = read_counts(request, "count")
    if found.saved is not None:
        return found.saved
    counts = found.counts
    if found.making is not PLAIN:
        made = {"making": found.making}
        counts = counts.with_facts(**made) if isinstance(counts, ClassCounts) else replace(counts, **made)
    return SavedCounts(counts=counts, missing=request.missing, weight=request.sample_weight)


def run_compare(request: Request, **changes: Any) -> CompareResult:
    """Compare what a request names; a submission that cannot be scored is reported, and the others are compared."""
    asked = replace(request, **changes).with_gold()
    if not asked.are_parts():
        asked = replace(asked, files=(*asked.files[:1], *_submissions(asked.files[1:])))
    result = _compared(asked)
    if not request.public:
        return result
    notes = tuple(note for note in result.notes if getattr(note, "code", "") in _PUBLIC_NOTES)
    return replace(result, notes=notes, rejected=dict.fromkeys(result.rejected, "see the organisers' report"))


def _submissions(files: Iterable[Any]) -> Iterator[Any]:
    """Yield the files of folders of submissions, by name; anything else as it is."""
    for file in files:
        if not isinstance(file, (str, Path)) or not Path(file).is_dir():
            yield file
            continue
        found = [each for each in Path(file).iterdir() if each.is_file() and not each.name.startswith(".")]
        if not found:
            raise FileError(f"{file} has no files", expected="a folder of submissions")
        yield from sorted(map(str, found))


def _compared(request: Request) -> CompareResult:
    from macrof1.comparing.inputs import compare_inputs

    gold, *others = request.files or ("",)
    if (most := request.limit("submissions")) is not None and len(others) > most:
        raise InputError(f"{len(others):,} submissions", argument="limits", expected=f"at most {most:g}")
    try:
        request.check_sizes()
        return compare_inputs(request)
    except MacroF1Error:
        if len(others) < 2 or request.kind not in ("rows", "spans") or request.are_parts():
            raise
        # A scorer that only one of them reads says whose fault it is.
        good, bad = [], {}
        for file in others:
            try:
                run_score(replace(request, gold_file=gold, files=(gold, file), by=()))
                good.append(file)
            except MacroF1Error as error:
                bad[Path(str(getattr(file, "name", file))).name] = error
        if not bad or len(others) == 2 or not good:
            raise
        if len(good) == 1:
            problem = (
                f"{len(bad):,} of {len(others):,} submissions cannot be scored ({'; '.join(map(str, bad.values()))})"
            )
            raise InputError(problem, expected="at least two that can", hint=f"mf1 score {gold} {good[0]}") from None
    found = compare_inputs(replace(request, files=(gold, *good)))
    return replace(found, rejected={name: str(error) for name, error in bad.items()})


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WeightedRows(RowSource):
    """Rows with weights or clusters: those of a file are read already, those of a frame are grouped on demand."""

    read: Callable[[], tuple[list[Cell], CountRules]]  # the groups of cells: of the request, then cluster and weight
    text: bool  # whether weights are numbers written as text
    request: Request
    key: Group | None = None  # the group whose rows are meant; None for all rows
    matrix: Confusion | None = None  # for one label per row
    notes: tuple[Note, ...] = ()

    def of(self, result: ScoreResult) -> WeightedRows:
        """Take the place of the rows of a result, with what was noticed when they were read."""
        return replace(self, matrix=result.cells, notes=result.rows.notes)

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters; None if rows are independent."""
        return None if self.request.cluster is None else len({label_key(cluster) for _, cluster, _ in self._rows()})

    def confusion(self) -> Confusion | None:
        """Return the confusion matrix, for one label per row."""
        return self.matrix

    def _rows(self) -> list[tuple[Cell, Any, int | Fraction]]:
        """Return the rows of the group, and the cluster and the weight of each."""
        (cells, rules), request = self.read(), self.request
        n_by, wanted = len(request.by), None if self.key is None else group_key(self.key)
        name, weight, rows = request.sample_weight, partial(checked_weight, text=self.text), []
        where = f"column {name!r} of {rules.source}"
        for cell in cells:
            if wanted is None or group_key(cell.group[:n_by]) == wanted:
                cluster = None if request.cluster is None else cell.group[n_by]
                rows.append((cell, cluster, 1 if name is None else InputError.located(where, weight, cell.group[-1])))
        return rows

    def weighed(self) -> list[Cell]:
        """Add up the rows of every cell, whatever their weight and cluster; each sum is rounded once."""
        n_by, source = len(self.request.by), self.read()[1].source
        sums: dict[Any, tuple[Cell, list[tuple[int | Fraction, int]]]] = {}
        for cell, _, weight in self._rows():
            key = label_key(cell.gold), label_key(cell.pred), group_key(cell.group[:n_by])
            sums.setdefault(key, (cell, []))[1].append((weight, cell.rows))
        return [
            Cell(cell.gold, cell.pred, sum(n for _, n in parts), weighted_sum(parts, source), cell.group[:n_by])
            for cell, parts in sums.values()
        ]

    def patterns(self) -> Patterns:
        """Return what resampling draws from."""
        cells, clusters, weights = (list(side) for side in zip(*self._rows(), strict=True))
        sides = [[getattr(cell, side) for cell in cells] for side in ("gold", "pred")]
        sides = [[{label for _, label in row} if isinstance(row, frozenset) else row for row in side] for side in sides]
        numbers = [weight if isinstance(weight, int) else float(weight) for weight in weights]
        found = joint_patterns(
            sides[0], {"pred": sides[1]}, missing=self.request.missing, amounts=[cell.rows for cell in cells],
            labels=self.read()[1].listed({type(label) for side in sides for label in side if label is not None}),
            cluster=None if self.request.cluster is None else ordered_clusters(clusters),
            sample_weight=None if self.request.sample_weight is None else numbers,
        )  # fmt: skip
        return apply_to_patterns(found, ["pred"], **self.request.policies())[0]
