"""Turn the input of `mf1 compare` into a comparison: five kinds of input, selected by options."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from macrof1.comparing.compared import CompareResult
from macrof1.comparing.comparison import compare
from macrof1.comparing.frames import compare_grouped, distinct_patterns, split_options
from macrof1.comparing.significance import expanded_runs
from macrof1.comparing.unit_comparison import compare_units
from macrof1.convention import UNKNOWN_GOLD, Signature
from macrof1.counting.cells import checked_count, checked_weight, column_labels, label_set, split_labels, typed_labels
from macrof1.counting.confusion import read_matrix
from macrof1.counting.joint_tables import JointRows
from macrof1.counting.label_tables import count_tables, unused_counts_of
from macrof1.counting.saved import SUFFIX, is_saved, load_counts
from macrof1.counting.unit_tables import check_units, count_joint_units
from macrof1.errors import ColumnError, CountError, FileError, InputError, MissingLabelError
from macrof1.labels import in_order, label_key
from macrof1.message import Argument, Message, Note, Part
from macrof1.reading.columns import SYSTEM_NAMES, Repeats, is_usual, plain_name
from macrof1.reading.distinct import distinct_rows, name_of, repeat_notes
from macrof1.reading.files import bare_name, opened_files, part_of
from macrof1.reading.leaderboards import published_classes, read_published
from macrof1.reading.rankings import count_rankings, holds_gold
from macrof1.reading.systems import (
    SystemRows,
    gold_columns,
    shared_id,
    system_columns,
    system_names,
    systems_in_files,
    systems_in_long,
    systems_in_one,
)
from macrof1.reading.tables import TableFile, TooManyRowsError, opened_tables
from macrof1.request import Request
from macrof1.sampling.planning import PlanResult, plan_patterns

# A column that holds one run of a system: the system and the number of the run.
_RUN = re.compile(r".+@\d+")
# Resampling takes about as long as reading so many bytes.
_RESAMPLING = 100 << 20
# Columns that distinguish runs of a system on the same rows.
_SEEDS = frozenset(("seed", "seeds", "random_seed", "trial", "repeat", "replicate", "repetition"))


def compare_inputs(inputs: Request, **changes: Any) -> CompareResult:
    """Read the systems that are asked for and compare them, with some changes to the request."""
    inputs = replace(inputs, **changes) if changes else inputs
    found, ours = _compare_files(inputs), f"rank_{inputs.rank_by}"
    systems = tuple(sorted(found.systems, key=lambda system: getattr(system, ours)))
    found = replace(found, rank_by=inputs.rank_by, ties=inputs.ties, systems=systems)
    policy = inputs.missing_predictions
    facts = [("missing_predictions", policy)] if policy != "error" else []
    facts += [] if inputs.config is None else [("config", inputs.config)]
    if not facts:
        return found

    def told(line: str) -> str:
        signature = Signature.parse(line)
        return str(replace(signature, facts=(*signature.facts, *facts)))

    systems = tuple(replace(system, signature=told(system.signature)) for system in found.systems)
    return replace(found, systems=systems, signatures={key: told(line) for key, line in found.signatures.items()})


def _refuse(inputs: Request, *names: str, beside: Part, expected: Any) -> None:
    """Reject columns that this layout of systems does not have."""
    for given in inputs.given():
        if given.name in names:
            raise InputError.beside(given, beside, expected=expected)


def _options(inputs: Request, kinds: set[type]) -> dict[str, Any]:
    """Return the options of `macrof1.compare`; what was typed as text becomes labels of these types."""
    names = (
        "classes", "undefined", "beta", "convention", "empty", "baseline", "equivalent",
        "confidence_level", "method", "test", "n_resamples", "rng", "progress",
    )  # fmt: skip
    found = {name: getattr(inputs, name) for name in names} | inputs.policies()
    return {**found, "exclude": _typed(inputs, inputs.exclude, kinds)}


def _typed(inputs: Request, labels: Any, kinds: set[type]) -> Any:
    """Return labels that may have been typed as text in the type of the data's labels."""
    return labels if not labels or not inputs.labels_are_text else typed_labels(labels, kinds)


def _compare_counts(inputs: Request, counts: Mapping[str, Any]) -> CompareResult:
    kinds = {type(label) for part in counts.values() for label in part.labels if label is not None}
    return compare(counts, **_options(inputs, kinds))


def _compare_files(inputs: Request) -> CompareResult:
    if not inputs.files:
        raise InputError(
            "no file given", expected="one file with several systems, or a gold file and a file per system"
        )
    if inputs.kind == "matrix":
        inputs.check("compare", "matrix")
        rows, labels = inputs.rows, None if inputs.labels is None else list(map(str, inputs.labels))
        counts = _named_by_file(inputs.files, lambda file: read_matrix(file, rows=rows, labels=labels).confusion())
        return _compare_counts(inputs, counts)
    if inputs.kind == "spans":
        from macrof1.counting.spans import count_span_file

        inputs.check("compare", "spans")
        gold, *others = inputs.files
        counts = _named_by_file(others, lambda file: count_span_file(replace(inputs, files=(gold, file)))[0])
        return _compare_counts(inputs if inputs.over is None else replace(inputs, exclude=()), counts)
    saved = [isinstance(file, str) and is_saved(file) for file in inputs.files]
    if any(saved):
        if not all(saved):
            raise InputError(
                "saved counts cannot be combined with other files", expected="*.counts.json of every system, or none"
            )
        if inputs.kind == "published":
            raise InputError.beside("published", Message("saved counts"), expected="one of them")
        inputs.check("compare", "counts")
        return _compare_counts(inputs, _named_by_file(inputs.files, load_counts))
    paths = all(isinstance(file, (str, Path)) for file in inputs.files)  # what a page sends is a table already
    if paths and inputs.kind == "rows" and len(inputs.files) > 1 and "-" not in inputs.files:
        with opened_files(list(inputs.files), once=False) as (first, *runs):
            if holds_gold(first) is not None:
                inputs.check("compare", "rankings")
                rules = {"k": inputs.k, "relevance": inputs.relevance}
                each = {Path(bare_name(run.name)).stem: count_rankings(first, run, **rules) for run in runs}
                return _compare_counts(inputs, each)
    parts = inputs.are_parts()
    with opened_tables(list(inputs.files), inputs.header, inputs.file_format, once=parts) as tables:  # type: ignore[arg-type]  # it checks the format
        inputs.check_format("compare", [table.format for table in tables], tables[0].name)
        if len(tables) == 1 or parts:
            return _compare_one_table(inputs, tables)
        if len(tables) != len(inputs.files):
            problem = f"{', '.join(map(str, inputs.files))} match {len(tables):,} files"
            hint = Message(Argument("systems"), " names the columns of systems in parts of one table")
            raise FileError(problem, expected="the name of each file here", hint=hint)
        inputs.check("compare", "sets" if inputs.multilabel else "rows")
        _refuse(inputs, "systems", "by", "runs", beside=Message(f"{len(tables)} files"), expected="it with one file")
        both = inputs.gold_file is None and all(
            table.has(inputs.gold, "gold") and table.has(inputs.pred, "pred") for table in tables
        )
        if len(tables) == 2 and not both:
            pair = " ".join(table.name for table in tables)
            raise InputError(f"only one system, {tables[1].name}", expected="at least two", hint=f"mf1 score {pair}")
        named = system_names(tables if both else tables[1:])  # files that all have gold are all of systems
        ids = inputs.id if inputs.id is not None or inputs.no_id else shared_id(tables)

        def read(names: Sequence[str], most: int | None) -> SystemRows:
            return systems_in_files(tables[0], [named[name] for name in names], inputs, ids, most)

        found = _compare_grouped(inputs, list(named), read, tables[0].name)
        # Rows that are matched by id have been checked.
        if ids is not None:
            return found
        repeats = _repeats(inputs, tables[0], ())
        for _ in distinct_rows(tables[:1], [], repeats=repeats):
            pass
        return replace(found, notes=(*repeat_notes(tables[:1], repeats, tables[0].name), *found.notes))


def run_plan(inputs: Request) -> PlanResult:
    """Read a pilot, gold and the predictions of one or two systems in one file, and plan a test with it."""
    inputs.check("plan", "sets" if inputs.multilabel else "rows")
    with opened_tables(list(inputs.files), inputs.header, inputs.file_format, once=False) as tables:  # type: ignore[arg-type]  # it checks the format
        inputs.check_format("plan", [table.format for table in tables], tables[0].name)
        if len(tables) != 1:
            raise FileError(f"{len(tables):,} files given", expected="one file with gold and all systems")
        found = systems_in_one(tables, gold=inputs.gold, systems=inputs.systems, facts=inputs.facts())
        rows = _labelled(inputs, found, tables[0].name)
        notes = _unused_counts(inputs, tables, sum(found.times))
    names, kinds = list(rows.systems), _kinds(rows)
    wanted = {name: getattr(inputs, name) for name in ("difference", "power", "paired", "confidence_level")}
    patterns = distinct_patterns(rows, _typed(inputs, inputs.labels, kinds), inputs.missing)
    rules = inputs.chosen(task=patterns.task, typed=lambda given: typed_labels(given, kinds))
    planned = plan_patterns(patterns, names, rules, **inputs.policies(), **wanted)
    return replace(planned, notes=(*notes, *planned.notes))


def _labelled(inputs: Request, found: SystemRows, name: str) -> JointRows:
    """Return the rows with their labels; reject columns of free text, times or counts not named as systems."""
    rows = labelled(found, name, inputs.multilabel)
    known = set(map(repr, _each_label(rows.gold)))
    for system, predicted in rows.systems.items() if inputs.systems is None and len(inputs.files) == 1 else ():
        if known.isdisjoint(map(repr, _each_label(predicted))):
            rest = ",".join(other for other in rows.systems if other != system)
            raise InputError(
                f"column {system!r} of {name} shares no label with gold",
                argument="systems",
                expected="predictions in every column but gold",
                hint=Message(
                    "name the systems with ", Argument("systems", rest), ", a column of counts with ",
                    Argument("count"), " or of weights with ", Argument("weight"),
                ),
            )  # fmt: skip
    return rows


def _each_label(rows: list[Any]) -> Iterator[Any]:
    return (label for row in rows for label in (row if isinstance(row, set) else (row,)))


def _kinds(rows: JointRows) -> set[type]:
    return set(map(type, _each_label(rows.gold))) - {type(None)}


def _compare_grouped(
    inputs: Request, names: list[str], read: Callable[[Sequence[str], int | None], SystemRows], name: str
) -> CompareResult:
    """Compare systems on distinct rows; `read` reads those of some systems, unless they are too many."""

    def grouped(some: Sequence[str], most: int | None) -> JointRows | None:
        try:
            rows = _labelled(inputs, read(some, most), name)
        except TooManyRowsError:
            return None
        return replace(rows, systems=_with_runs(rows.systems))

    def options_for(rows: JointRows) -> dict[str, Any]:
        kinds = _kinds(rows)
        return {**known_labels(inputs, rows, _typed(inputs, inputs.labels, kinds), name), **_options(inputs, kinds)}

    # The class set of rows without a prediction is that of all systems.
    several = len(_with_runs({system: [] for system in names})) < len(names) or inputs.missing_predictions == "wrong"
    if inputs.over is not None:
        check_units(inputs)
        rows = replace(rows := _labelled(inputs, read(names, None), name), systems=_with_runs(rows.systems))
        checked, kept = split_options(rows.systems, {**options_for(rows), "over": "units"})
        found, groups = expanded_runs(rows.gold, rows.systems)
        rows = replace(rows, systems=found)
        counts = count_joint_units(rows, inputs, labels=kept["labels"], missing=kept["missing"])
        return compare_units(counts, checked.without_excluded(), gold=rows.gold_digest, groups=groups)
    return compare_grouped(names, grouped, options_for, with_runs=several)


def _compare_one_table(inputs: Request, tables: Sequence[TableFile]) -> CompareResult:
    """Compare systems in one table; side by side, it may be in several files with the same columns."""
    table, name = tables[0], name_of(tables)
    by = inputs.by[0] if inputs.by else None
    _refuse(inputs, "missing_predictions", beside=Message("one table"), expected="it with a file per system")
    if inputs.runs is not None or inputs.id is not None:
        inputs.check("compare", "sets" if inputs.multilabel else "rows")
        return _compare_long(inputs, table)
    looks_published = inputs.header and len(published_classes(table.columns)) >= 2
    plain = inputs.systems is None and inputs.sample_weight is None and inputs.count is None
    if inputs.kind == "published" or (plain and looks_published):
        inputs.check("compare", "published")
        return compare(read_published(table, by=by), exclude=inputs.exclude)
    inputs.check("compare", "sets" if inputs.multilabel else "rows")
    if by is not None:
        _refuse(inputs, "over", beside=Argument("by"), expected="systems side by side, or with ids below each other")
        _refuse(inputs, "systems", beside=Argument("by"), expected="columns of systems, or one that names them")
        side_by_side = "it with the predictions of each row, side by side, or "
        expected = Message(side_by_side, Argument("count"), " of lines for several rows")
        _refuse(inputs, "cluster", "sample_weight", beside=Argument("by"), expected=expected)
        return _compare_by(inputs, by, table)
    if inputs.pred is not None:
        raise InputError(
            Message(Argument("pred"), " with a single file"),
            expected=Message(Argument("systems"), " to name the columns of the systems, or ", Argument("by")),
        )
    _refuse(inputs, "no_id", beside=Message("one table"), expected="it with a file per system")
    if inputs.header and (inputs.systems is None or len(inputs.systems) == 1):
        # The columns of a table with a row per system would be mistaken for systems.
        systems = [column for column in table.columns if plain_name(column) in SYSTEM_NAMES]
        predictions = [column for column in table.columns if is_usual(column, "pred") and column not in systems]
        if systems and predictions:
            raise InputError(
                f"{table.name} has columns {systems[0]!r} and {predictions[0]!r}, and seems to have one row per system "
                "and label",
                expected=Message(
                    Argument("by", systems[0]), " (and ", Argument("count"), " where rows have counts), or ",
                    Argument("systems"), " to name the columns of predictions",
                ),
            )  # fmt: skip
    gold, facts = inputs.gold, inputs.facts()
    columns = system_columns(table, gold=gold, systems=inputs.systems, facts=facts)
    alike = all(each.columns == table.columns for each in tables)
    repeats = _repeats(inputs, table, columns.values()) if alike else Repeats([])
    size = sum(each.file.size for each in tables)
    share = size / (size + _RESAMPLING)
    reading, comparing = part_of(inputs.progress, 0, share), part_of(inputs.progress, share, 1 - share)

    def read(names: Sequence[str], most: int | None) -> SystemRows:
        seen = repeats if repeats.n_rows == 0 else None  # the first time
        return systems_in_one(tables, gold=gold, systems=names, facts=facts, most=most, repeats=seen, progress=reading)

    found = _compare_grouped(replace(inputs, progress=comparing), list(columns), read, name)
    doubts = _unused_counts(inputs, tables, found.n_rows or 0) if alike else []
    return replace(found, notes=(*doubts, *repeat_notes(tables, repeats, name), *found.notes))


def _unused_counts(inputs: Request, tables: Sequence[TableFile], n_rows: int) -> list[Note]:
    """Say that the lines of a table of counts, for several systems side by side, count once each."""
    facts = inputs.facts()
    if inputs.multilabel or inputs.count is not None or inputs.sample_weight is not None:
        return []
    gold, *given = gold_columns(tables[0], gold=inputs.gold, facts=facts)
    systems = system_columns(tables[0], gold=inputs.gold, systems=inputs.systems, facts=facts)
    return unused_counts_of(tables, [gold, *systems.values()], given, n_rows, n_rows)


def _repeats(inputs: Request, table: TableFile, preds: Iterable[str]) -> Repeats:
    """Look for ids or rows that repeat in the file with gold."""
    if inputs.count is not None:
        return Repeats([])
    return Repeats.of(table.plain_columns(), [*gold_columns(table, gold=inputs.gold, facts=inputs.facts()), *preds])


def _compare_long(inputs: Request, table: TableFile) -> CompareResult:
    """Compare systems stacked in one file (long format)."""
    _refuse(inputs, "by", beside=Argument("id"), expected="a column that names the systems")
    if inputs.id is None or inputs.systems is None or len(inputs.systems) != 1:
        raise InputError(
            Message(Argument("id" if inputs.runs is None else "runs"), " with a single file"),
            expected=Message(
                Argument("systems", "NAME"), ", the column that names the system of each row, and ",
                Argument("id", "NAME"), ", the column that identifies a row",
            ),
        )  # fmt: skip
    wanted = {name: getattr(inputs, name) for name in ("runs", "id", "gold", "pred")}
    systems, read = systems_in_long(table, {"systems": inputs.systems[0], **wanted, **inputs.facts()})
    return _compare_grouped(inputs, systems, read, table.name)


def _compare_by(inputs: Request, by: str, table: TableFile) -> CompareResult:
    """Compare systems stacked in one file by their counts."""
    seeds = [column for column in table.columns if plain_name(column) in _SEEDS and column != by]
    if seeds and inputs.header:
        raise InputError(
            f"column {seeds[0]!r} of {table.name} names several runs on the same rows",
            argument="by",
            expected="runs that are not pooled as if they were more rows",
            hint=Message(
                Argument("systems", by), " with ", Argument("runs", seeds[0]), " and ", Argument("id", "NAME"),
                " compares means over runs",
            ),
        )  # fmt: skip
    grouped = count_tables([table], replace(inputs, by=(by,)))
    if any(name is None for (name,), _ in grouped.groups):
        problem = f"{table.name}: rows have nothing in column {by!r}"
        raise FileError(problem, expected="the name of a system in every row")
    found = _compare_counts(inputs, {str(name): counts for (name,), counts in grouped.groups})
    return replace(found, notes=(*grouped.total.rows.notes, *found.notes))


def _named_by_file(files: Iterable[Any], read: Callable[[str], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in map(str, files):
        name = bare_name(file)[: -len(SUFFIX)] if is_saved(file) else Path(bare_name(file)).stem or file
        if name in found:
            raise FileError(f"two systems are named {name!r}", expected="different file names")
        found[name] = read(file)
    return found


def known_labels(inputs: Request, rows: JointRows, labels: Any, source: str) -> dict[str, Any]:
    """Return the class set and the policy for missing labels: predictions that are wrong by it are outside of it."""
    if not rows.n_lost or inputs.missing_predictions != "wrong" or isinstance(rows.gold[0], set):
        return {"labels": labels, "missing": inputs.missing}
    sides = [rows.gold, *rows.systems.values()]
    n_none = sum(n for side in sides for label, n in zip(side, rows.amounts, strict=True) if label is None)
    if n_none > rows.n_lost:
        raise MissingLabelError.found(rows=n_none - rows.n_lost, total=sum(rows.amounts), where=source)
    seen = in_order({label_key(label): label for side in sides for label in side if label is not None}.values())
    return {"labels": seen if labels is None else labels, "missing": "label"}


def labelled(found: SystemRows, name: str, mark: str | None = None) -> JointRows:
    """Turn the values of a file into labels, weights and counts of rows; a system may have a list of runs."""
    gold = _labels(found.gold, found.text, f"gold of {name}", mark)
    systems: dict[str, list[Any]] = {}
    for column, rows in found.systems.items():
        runs = bool(rows) and all(isinstance(run, list) and len(run) == len(gold) for run in rows)
        several = runs and not isinstance(gold[0], set)
        if not several and not isinstance(gold[0], set) and any(isinstance(row, list) for row in rows):
            raise ColumnError.beside_lists("gold", source=name)
        where = f"system {column!r}"
        read = [_labels(run, found.text, where, mark) for run in (rows if several else [rows])]
        systems[column] = read if several else read[0]

    def weight(value: Any) -> float:
        number = checked_weight(value, text=found.text)
        return number if isinstance(number, int) else float(number)

    counts, weights = _numbers(found, "count", checked_count), _numbers(found, "weight", weight)
    amounts = found.times if counts is None else [times * n for times, n in zip(found.times, counts, strict=True)]
    digest = UNKNOWN_GOLD
    if counts is None:
        digest = found.digest.text(lambda value: _labels([value or None], found.text, f"gold of {name}", mark)[0])
    clusters, units = (found.facts.get(fact) for fact in ("cluster", "over"))
    return JointRows(gold, systems, amounts, weights, clusters, digest, found.n_lost, units).without_empty()


def _with_runs(systems: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Group columns such as a@1 and a@2 as runs of system a."""
    stems = [name.rpartition("@")[0] if _RUN.fullmatch(name) else name for name in systems]
    found: dict[str, list[Any]] = {}
    for (name, rows), stem in zip(systems.items(), stems, strict=True):
        if stem == name or stems.count(stem) == 1:
            found[name] = rows
        else:
            found.setdefault(stem, []).append(rows)
    return found


def _labels(values: list[Any], text: bool, where: str, mark: str | None) -> list[Any]:
    """Read labels as for counting, or sets of them; with one file of text and one of types, all labels are text."""
    if mark is not None and all(value is None or isinstance(value, str) for value in values):
        return [{label for _, label in split_labels(value or "", mark, where)} for value in values]
    if values and all(isinstance(value, list) for value in values):
        return [{label for _, label in label_set(value, where)} for value in values]
    read = column_labels(where)
    if not text:
        return list(map(read, values))
    return [value if value is None or isinstance(value, str) else str(read(value)) for value in values]


def _numbers(found: SystemRows, fact: str, read: Callable[[Any], Any]) -> list[Any] | None:
    """Read weights or counts, each distinct value once; None if there are none."""
    if fact not in found.facts:
        return None
    known: dict[Any, Any] = {}
    for value in found.facts[fact]:
        key = type(value), value
        if key not in known:
            try:
                known[key] = read(value)
            except CountError as error:
                raise error.at(found.where(fact, value)) from None
    return [known[type(value), value] for value in found.facts[fact]]
