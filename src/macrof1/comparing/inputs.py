"""Turn the input of `mf1 compare` into a comparison: five kinds of input, selected by options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from macrof1.comparing.comparison import compare
from macrof1.comparing.file_labels import labelled, with_runs
from macrof1.comparing.frames import compare_by_pairs, compare_distinct
from macrof1.comparing.joint_policies import apply_to_patterns
from macrof1.comparing.pairwise import most_distinct
from macrof1.comparing.result import CompareResult
from macrof1.convention import Signature
from macrof1.counting.cells import typed_labels
from macrof1.counting.confusion import Confusion
from macrof1.counting.joint_tables import JointRows
from macrof1.counting.saved import SUFFIX, is_saved, load_counts
from macrof1.counts import ClassCounts
from macrof1.errors import FileError, InputError
from macrof1.message import Argument, Message, Note, Part
from macrof1.reading.columns import SYSTEM_NAMES, is_usual, plain_name
from macrof1.reading.distinct import distinct_rows, repeat_notes
from macrof1.reading.files import bare_name
from macrof1.reading.leaderboards import published_classes, read_published
from macrof1.reading.repeats import Repeats
from macrof1.reading.systems import (
    SystemRows,
    gold_columns,
    system_columns,
    system_names,
    systems_in_files,
    systems_in_long,
    systems_in_one,
)
from macrof1.reading.tables import TableFile, TooManyRowsError, opened_tables
from macrof1.request import Request
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.planning import PlanResult, plan_patterns

# Columns that distinguish runs of a system on the same rows.
_SEEDS = frozenset(("seed", "seeds", "random_seed", "trial", "repeat", "replicate", "repetition"))


def compare_inputs(inputs: Request, **changes: Any) -> CompareResult:
    """Read the systems that are asked for and compare them, with some changes to the request."""
    inputs = replace(inputs, **changes) if changes else inputs
    found = _compare_files(inputs)
    if inputs.config is None:
        return found
    lines = {formula: Signature.parse(line) for formula, line in found.signatures.items()}
    told = {key: str(replace(line, facts=(*line.facts, ("config", inputs.config)))) for key, line in lines.items()}
    return replace(found, signatures=told)


def _facts(inputs: Request) -> dict[str, str | None]:
    """Return the columns of what is known about rows."""
    return {"weight": inputs.sample_weight, "cluster": inputs.cluster, "count": inputs.count}


def _refuse(inputs: Request, *names: str, beside: Part, expected: str, hint: Message | None = None) -> None:
    """Reject columns that this layout of systems does not have."""
    for given in inputs.given():
        if given.name in names:
            raise InputError.beside(given, beside, expected=expected, hint=hint)


def _options(inputs: Request, kinds: set[type]) -> dict[str, Any]:
    """Return the options of `macrof1.compare`; what was typed as text becomes labels of these types."""
    names = (
        "normalize", "outside", "classes", "undefined", "beta", "convention", "baseline", "equivalent",
        "confidence_level", "method", "test", "n_resamples", "rng", "progress",
    )  # fmt: skip
    return {name: getattr(inputs, name) for name in names} | {"exclude": _typed(inputs, inputs.exclude, kinds)}


def _typed(inputs: Request, labels: Any, kinds: set[type]) -> Any:
    """Return labels that may have been typed as text in the type of the data's labels."""
    return labels if not labels or not inputs.labels_are_text else typed_labels(labels, kinds)


def _compare_counts(inputs: Request, counts: dict[str, Any]) -> CompareResult:
    kinds = {type(label) for part in counts.values() for label in part.labels if label is not None}
    return compare(counts, **_options(inputs, kinds))


def _compare_files(inputs: Request) -> CompareResult:
    if not inputs.files:
        raise InputError(
            "no file given", expected="one file with several systems, or a gold file and a file per system"
        )
    for one, other in (("id", "no_id"), ("count", "sample_weight")):
        if getattr(inputs, one) is not None and getattr(inputs, other):
            raise InputError.beside(one, other, expected="one of them")
    if inputs.kind == "matrix":
        inputs.check("compare", "matrix")
        return _compare_counts(inputs, _matrices(inputs))
    saved = [isinstance(file, str) and is_saved(file) for file in inputs.files]
    if any(saved):
        if not all(saved):
            raise InputError(
                "saved counts cannot be combined with other files", expected="*.counts.json of every system, or none"
            )
        if inputs.kind == "published":
            raise InputError.beside("published", Message("saved counts"), expected="one of them")
        inputs.check("compare", "counts")
        return _compare_counts(inputs, _named_by_file(inputs, load_counts))
    with opened_tables(list(inputs.files), inputs.header, inputs.file_format, once=False) as tables:  # type: ignore[arg-type]  # it checks the format
        inputs.check_format("compare", [table.format for table in tables], tables[0].name)
        if len(tables) != len(inputs.files):
            raise FileError(
                f"{', '.join(map(str, inputs.files))} match {len(tables):,} files",
                expected="the name of each file here",
            )
        if len(tables) == 1:
            return _compare_one_table(inputs, tables[0])
        inputs.check("compare", "sets" if inputs.multilabel else "rows")
        _refuse(inputs, "systems", "by", "runs", beside=Message(f"{len(tables)} files"), expected="it with one file")
        named = system_names(tables[1:])

        def read(names: Sequence[str], most: int | None) -> SystemRows:
            return systems_in_files(
                tables[0], [named[name] for name in names], gold=inputs.gold, pred=inputs.pred, ids=inputs.id,
                by_position=inputs.no_id, most=most, facts=_facts(inputs),
            )  # fmt: skip

        found = _compare_grouped(inputs, list(named), read, tables[0].name)
        # Rows that are matched by id have been checked.
        if inputs.id is not None:
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
        found = systems_in_one(tables[0], gold=inputs.gold, systems=inputs.systems, facts=_facts(inputs))
        rows, labels, kinds = _read_labels(inputs, found, tables[0].name)
    names = list(rows.systems)
    patterns = joint_patterns(
        rows.gold, rows.systems, labels=labels, missing=inputs.missing, sample_weight=rows.weights,
        cluster=rows.clusters, amounts=rows.amounts,
    )  # fmt: skip
    patterns, making = apply_to_patterns(patterns, names, **inputs.policies())
    rules = inputs.chosen(task=patterns.task, typed=lambda given: typed_labels(given, kinds))
    wanted = {name: getattr(inputs, name) for name in ("difference", "power", "paired", "confidence_level")}
    result = plan_patterns(patterns, names, rules, **wanted)
    return replace(result, notes=(*making.notes, *result.notes))


def _read_labels(inputs: Request, found: SystemRows, name: str) -> tuple[JointRows, Any, set[type]]:
    """Return the rows with their labels, the class set in the type of the labels, and this type."""
    rows = labelled(found, name, inputs.multilabel)
    if inputs.systems is None and len(inputs.files) == 1:
        _refuse_other_columns(rows, name)
    kinds = {type(label) for row in rows.gold for label in (row if isinstance(row, set) else (row,))} - {type(None)}
    return rows, _typed(inputs, inputs.labels, kinds), kinds


def _compare_grouped(
    inputs: Request,
    names: list[str],
    read: Callable[[Sequence[str], int | None], SystemRows],
    name: str,
) -> CompareResult:
    """Compare systems on equal rows grouped: of all systems, or of each pair if these hardly repeat.

    `read` reads some of the systems, and raises an error if there are more distinct rows than given.
    """
    several_runs = len(with_runs({system: [] for system in names})) < len(names)
    most = None if several_runs else most_distinct(names)

    def together(most: int | None) -> CompareResult:
        rows, labels, kinds = _read_labels(inputs, read(names, most), name)
        joint = replace(rows, systems=with_runs(rows.systems))
        return compare_distinct(joint, labels=labels, missing=inputs.missing, **_options(inputs, kinds))

    try:
        return together(most)
    except TooManyRowsError:
        pass
    first, labels, kinds = _read_labels(inputs, read(names[:2], None), name)
    if most_distinct(names, len(first.amounts)) != most:
        with suppress(TooManyRowsError):
            return together(most_distinct(names, len(first.amounts)))
    return compare_by_pairs(
        names, lambda some: _read_labels(inputs, read(some, None), name)[0], labels=labels, missing=inputs.missing,
        **_options(inputs, kinds),
    )  # fmt: skip


def _compare_one_table(inputs: Request, table: TableFile) -> CompareResult:
    by = inputs.by[0] if inputs.by else None
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
        beside, rows = Argument("by"), "it with the predictions of each row, side by side"
        _refuse(inputs, "systems", beside=beside, expected="columns of systems, or one that names them")
        _refuse(inputs, "cluster", beside=beside, expected=rows)
        hint = Message(Argument("count"), " if a line stands for several rows")
        _refuse(inputs, "sample_weight", beside=beside, expected=rows, hint=hint)
        _refuse_pooled_runs(inputs, by, table)
        counts, notes = _counts_by(inputs, by, table)
        found = _compare_counts(inputs, counts)
        return replace(found, notes=(*notes, *found.notes))
    if inputs.pred is not None:
        raise InputError(
            Message(Argument("pred"), " with a single file"),
            expected=Message(Argument("systems"), " to name the columns of the systems, or ", Argument("by")),
        )
    _refuse(inputs, "no_id", beside=Message("a single file"), expected="it with several files")
    if inputs.systems is None and inputs.header:
        _refuse_a_row_per_system(table)
    gold, facts = inputs.gold, _facts(inputs)
    named = system_columns(table, gold=gold, systems=inputs.systems, facts=facts)
    repeats = _repeats(inputs, table, named.values())

    def read(names: Sequence[str], most: int | None) -> SystemRows:
        seen = repeats if repeats.n_rows == 0 else None  # the first time
        return systems_in_one(table, gold=gold, systems=names, facts=facts, most=most, repeats=seen)

    found = _compare_grouped(inputs, list(named), read, table.name)
    return replace(found, notes=(*repeat_notes([table], repeats, table.name), *found.notes))


def _repeats(inputs: Request, table: TableFile, preds: Iterable[str]) -> Repeats:
    """Look for ids or rows that repeat in the file with gold."""
    if inputs.count is not None:
        return Repeats([])
    return Repeats.of(table.plain_columns(), [*gold_columns(table, gold=inputs.gold, facts=_facts(inputs)), *preds])


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
    wanted = {
        "systems": inputs.systems[0], "runs": inputs.runs, "id": inputs.id, "gold": inputs.gold, "pred": inputs.pred,
        **_facts(inputs),
    }  # fmt: skip
    found = systems_in_long(table, wanted)
    return _compare_grouped(inputs, found.systems, found.rows, table.name)


def _refuse_pooled_runs(inputs: Request, by: str, table: TableFile) -> None:
    """Reject runs of a system that would be pooled as if they were additional rows."""
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


def _refuse_other_columns(found: JointRows, name: str) -> None:
    """Reject columns of free text, times or counts that were not explicitly named as systems."""

    def labels(rows: list[Any]) -> set[Any]:
        return {repr(label) for row in rows for label in (row if isinstance(row, set) else (row,))}

    known = labels(found.gold)
    for system, rows in found.systems.items():
        if known.isdisjoint(labels(rows)):
            rest = ",".join(other for other in found.systems if other != system)
            parts: tuple[Part, ...] = (
                "name the systems with ", Argument("systems", rest), ", a column of weights with ", Argument("weight"),
            )  # fmt: skip
            raise InputError(
                f"column {system!r} of {name} shares no label with gold",
                argument="systems",
                expected="predictions in every column but gold",
                hint=Message(*parts),
            )


def _refuse_a_row_per_system(table: TableFile) -> None:
    """Reject a table that names a system in every row, since its columns would be mistaken for systems."""
    names = [column for column in table.columns if plain_name(column) in SYSTEM_NAMES]
    predictions = [column for column in table.columns if is_usual(column, "pred") and column not in names]
    if names and predictions:
        raise InputError(
            f"{table.name} has columns {names[0]!r} and {predictions[0]!r}, and seems to have one row per system and "
            "label",
            expected=Message(
                Argument("by", names[0]), " (and ", Argument("count"), " where rows have counts), or ",
                Argument("systems"), " to name the columns of predictions",
            ),
        )  # fmt: skip


def _named_by_file(inputs: Request, read: Callable[[str], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in map(str, inputs.files):
        name = bare_name(file)[: -len(SUFFIX)] if is_saved(file) else Path(bare_name(file)).stem or file
        if name in found:
            raise FileError(f"two systems are named {name!r}", expected="different file names")
        found[name] = read(file)
    return found


def _matrices(inputs: Request) -> dict[str, Confusion]:
    from macrof1.counting.matrix_tables import read_matrix

    if inputs.rows is None:
        raise InputError(
            Message(Argument("matrix"), " needs ", Argument("rows")),
            argument="rows",
            expected=Message(Argument("rows", "predicted"), " (as in the paper) or ", Argument("rows", "gold"),
                             " (as in scikit-learn)"),
        )  # fmt: skip
    rows, labels = inputs.rows, None if inputs.labels is None else list(map(str, inputs.labels))
    return _named_by_file(inputs, lambda file: read_matrix(file, rows=rows, labels=labels).confusion())


def _counts_by(
    inputs: Request, by: str, table: TableFile
) -> tuple[dict[str, Confusion | ClassCounts], tuple[Note, ...]]:
    """Return the counts of each system, and what was noticed in the file."""
    from macrof1.counting.tables import count_file_groups

    names = ("gold", "pred", "count", "labels", "missing", "multilabel", "labels_are_text")
    grouped = count_file_groups([table], by=[by], **{name: getattr(inputs, name) for name in names})
    found: dict[str, Confusion | ClassCounts] = {}
    for (name,), counts in grouped.groups:
        if name is None:
            raise FileError(
                f"{table.name}: rows have nothing in column {by!r}", expected="the name of a system in every row"
            )
        found[str(name)] = counts
    return found, grouped.total.rows.notes
