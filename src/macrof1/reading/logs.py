"""Evaluation logs: where tools keep gold and predicted labels, paths into nested fields, and how a log is read.

A log is a sequence of JSON objects, one per answer: an array, an object around one, a table as JSON, or zipped samples.
Tools differ only in where these are and in the paths of gold and predicted labels inside one: `LAYOUTS` knows the usual
tools, and a path such as ``doc.label`` covers others.
"""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from macrof1.errors import ColumnError, EmptyError, FileError, counted, quote_some
from macrof1.message import Argument, Message, Note
from macrof1.reading.files import InputFile, is_zipped_log, names_in_zip, unpacked_zstd
from macrof1.reading.numbers import is_number

Record = dict[str, Any]
_Numbered: TypeAlias = Iterable[tuple[int, Record]]
_Values: TypeAlias = Iterator[tuple[int, tuple[Any, ...]]]  # the number of each record, and the values at some paths

if TYPE_CHECKING:
    import zipfile

_NOWHERE = object()
SHARE = "(share of the item)"  # the column of the weight of an answer, where each of n counts as 1/n
REPEATED = "repeated_items"  # the code of the note that items have several answers
_N_TRIED = 100  # records among which the layout is looked for: failed ones may lack an answer
_ZSTANDARD = 93  # a compression that zipfile supports from Python 3.14 on


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where one tool's logs keep the records, and the gold and predicted labels in each."""

    tool: str
    marks: tuple[str, ...]  # paths that identify a record of this tool
    gold: tuple[str, ...]  # paths of the labels; of several, the first that exists in the first record
    pred: tuple[str, ...]
    records: tuple[str, ...] = ()  # paths of the records in a log that is one object
    apart: tuple[str, ...] = ()
    """Paths that distinguish answers of different systems or filters, which are never scored as one."""
    derive: Callable[[Record], Record] | None = None  # adds fields to a record if a label must be derived
    item: str | None = None  # the path of what was asked, if a tool may ask it several times
    repeat: str | None = None  # the path that numbers the answers to an item, if each is a record of its own
    answer: str | None = None  # a path that only answers have, in a log with other records between them
    gaps: Callable[[Mapping[str, Any], list[Record]], list[str]] | None = None
    """Says what a log, given as the object around the records, tells about records that are missing."""


@dataclass(frozen=True, slots=True)
class Settling:
    """What becomes of several answers to an item, and which of them are the same answer, given the gold labels."""

    how: str  # "mean", "vote", "any", "cluster"
    same: Callable[[Iterable[Any]], Callable[[Any], Any]]


def _answered(record: Record) -> Record:
    """Return given and correct answers of an lm-evaluation-harness record; in multiple choice, both are choices."""
    answers = record["filtered_resps"]
    if not all(isinstance(answer, list) and len(answer) == 2 and is_number(str(answer[0])) for answer in answers):
        while isinstance(answers, list) and len(answers) == 1:
            answers = answers[0]
        return {"answer": answers, "right": record["target"]}
    names = [str(continuation).strip() for _, continuation, *_ in map(_values, _values(record["arguments"]))]
    half = len(names) // 2
    if names[:half] == names[half:]:  # each choice again without context, to subtract its own likelihood
        names = names[:half]
    if len(set(names)) < len(names):  # the contexts differ, not the continuations
        names = [str(place) for place in range(len(names))]
    likelihoods = [float(answer[0]) for answer in answers][: len(names)]
    target = str(record["target"]).strip()
    right = names[int(target)] if target.isdecimal() and int(target) < len(names) else target
    return {"answer": names[likelihoods.index(max(likelihoods))], "right": right}


def _only(found: Any) -> Any:
    return found[0] if isinstance(found, list) and len(found) == 1 else found


def _values(found: Any) -> Iterable[Any]:
    return found.values() if isinstance(found, Mapping) else found


def _asserted(record: Record) -> Record:
    """Return the answer that a promptfoo test expects by an equality assertion."""
    asserted = record["testCase"].get("assert") or []
    return next(({"asserted": one["value"]} for one in asserted if one.get("type") in ("equals", "iequals")), {})


def _referred(record: Record) -> Record:
    """Return the completions of a HELM request, letters as the choices they stand for, and the correct reference."""
    if "reference_index" in record:
        raise ValueError("a request per choice")
    right = [each["output"]["text"] for each in record["instance"]["references"] if "correct" in each["tags"]]
    texts = [str(each["text"]).strip() for each in record["result"]["completions"]]
    choices = record.get("output_mapping") or {}
    return {"answer": _only([choices.get(text, text) for text in texts]) or None, "right": _only(right)}


def _failed(records: Iterable[Record], what: str) -> list[str]:
    n = sum(bool(record.get("error")) for record in records)
    return [f"{counted(n, what)} ended in an error"] if n else []


def _unfinished(log: Mapping[str, Any], records: list[Record]) -> list[str]:
    """Say what an Inspect log tells about its run: its status, the size of the data set, and errors of samples."""
    status = log.get("status", "started")
    planned = value_at(log, "eval.dataset.samples")
    epochs = value_at(log, "eval.config.epochs") or 1
    n = len(records)
    found = [] if status == "success" else [f"the run has the status {status!r}"]
    if isinstance(planned, int) and isinstance(epochs, int) and n < planned * epochs:
        found.append(f"{n:,} of the {planned * epochs:,} samples of the data set are there")
    return found + _failed(records, "sample")


LAYOUTS = (
    Layout(
        tool="lm-evaluation-harness",
        marks=("doc", "target", "filtered_resps.0", "arguments"),
        gold=("right",),
        pred=("answer",),
        apart=("filter",),
        derive=_answered,
        item="doc_id",
    ),
    Layout(
        tool="Inspect",
        marks=("target", "output.choices", "epoch"),
        records=("samples",),
        gold=("right",),
        pred=("scores.*.answer", "output.completion", "output.choices.0.message.content"),
        apart=("epoch",),
        item="id",
        repeat="epoch",
        derive=lambda record: {"right": _only(record["target"])},
        gaps=_unfinished,
    ),
    Layout(
        tool="promptfoo",
        marks=("testCase", "response.output"),
        records=("results.results", "results"),
        gold=("asserted", "vars.expected", "vars.label", "vars.gold"),
        pred=("response.output",),
        derive=_asserted,
        apart=("provider.id", "promptIdx"),
        item="prompt.raw",
        # An answer that fails an assertion is one.
        gaps=lambda _, records: _failed([one for one in records if not has_path(one, "response.output")], "test"),
    ),
    Layout(
        tool="HELM",
        marks=("instance.references", "request.prompt", "result.completions"),
        records=("request_states",),
        gold=("right",),
        pred=("answer",),
        apart=("train_trial_index", "instance.perturbation.name"),
        derive=_referred,
        item="instance.id",
        repeat="train_trial_index",
        gaps=lambda _, records: _failed([one["result"] for one in records], "request"),
    ),
    Layout(
        tool="OpenAI Evals",
        marks=("sample_id", "data.expected", "data.picked"),
        gold=("data.expected",),
        pred=("data.sampled", "data.picked"),
        answer="data.expected",
    ),
)


def value_at(record: Any, path: str, nothing: Any = None) -> Any:
    """Follow a path through objects and lists; ``*`` takes an only child. Return `nothing` if there is none."""
    if isinstance(record, Mapping) and path in record:  # a name may contain dots
        return record[path]
    here = record
    for step in path.split("."):
        if isinstance(here, Mapping) and step in here:
            here = here[step]
        elif step == "*" and isinstance(here, Mapping) and len(here) == 1:
            here = next(iter(here.values()))
        elif isinstance(here, Sequence) and not isinstance(here, str) and step.isdecimal() and int(step) < len(here):
            here = here[int(step)]
        else:
            return nothing
    return here


def has_path(record: Any, path: str) -> bool:
    """Whether a path exists."""
    return value_at(record, path, _NOWHERE) is not _NOWHERE


def known_layout(record: Record) -> Layout | None:
    """Return the layout of the tool that wrote a record, if known."""
    return next((layout for layout in LAYOUTS if all(has_path(record, mark) for mark in layout.marks)), None)


def typical_record(records: Sequence[Record]) -> Record:
    """Return the first record that a known tool wrote, since a failed one may lack an answer; else the first."""
    return next((record for record in records[:_N_TRIED] if known_layout(record)), records[0])


def label_path(layout: Layout, record: Record, role: str, name: str) -> str | None:
    """Return the path of gold or predicted labels in a tool's records."""
    full = _full(layout, record, name)
    paths = {"gold": layout.gold, "pred": layout.pred}.get(role, ())
    for path in paths:
        before, star, after = path.partition(".*")
        several = value_at(full, before) if star else None
        if isinstance(several, Mapping) and len(several) > 1:
            problem = f"{name} has several answers per record, in {quote_some(several, most=4)} of {before}"
            hint = Message(Argument(role, f"{before}.{next(iter(several))}{after}"), " takes the first")
            raise ColumnError(problem, argument=role, expected="one of them", hint=hint)
    return next((path for path in paths if value_at(full, path) is not None), None)


def _full(layout: Layout, record: Record, where: str) -> Record:
    if layout.derive is None:
        return record
    try:
        return record | layout.derive(record)
    except (LookupError, TypeError, ValueError, AttributeError):
        paths = Message("another log, or the paths of the labels in ", Argument("gold"), " and ", Argument("pred"))
        raise FileError(f"{where} is not what {layout.tool} writes", expected=paths) from None


def values_of(
    records: _Numbered, paths: Sequence[str], layout: Layout | None, name: str, repeats: Settling | None = None
) -> _Values:
    """Yield the numbers of records with the values at some paths; None if a path does not exist.

    A log with answers of several systems or filters is rejected, unless the path that distinguishes them is requested;
    so are several answers to an item, unless `repeats` says what becomes of them.
    """
    if repeats is not None:
        yield from _of_items(records, paths, layout, name, repeats)
        return
    for number, values in _of_records(records, paths, layout, name):
        if layout is not None and layout.item is not None:
            for path, value in zip(paths, values, strict=True):
                if path == "answer" and path in layout.pred and isinstance(value, list):
                    problem = f"{name}, record {number} has {len(value):,} answers to one question"
                    hint = Message(Argument("repeats", "vote"), " takes the most common one")
                    raise ColumnError(problem, argument="repeats", expected="one answer per example", hint=hint)
        yield number, values


def _of_items(records: _Numbered, paths: Sequence[str], layout: Layout | None, name: str, repeats: Settling) -> _Values:
    """Yield the values of each item, with what becomes of its answers."""
    how = repeats.how
    if layout is None or layout.item is None:
        *tools, last = [each.tool for each in LAYOUTS if each.item]
        expected = f"a log of {', '.join(tools)} or {last}"
        raise ColumnError(Message(Argument("repeats", how), f" for {name}"), expected=expected)
    sides = ([place for place, path in enumerate(paths) if path in known] for known in (layout.gold, layout.pred))
    (gold,), (pred,) = sides
    apart = [place for place, path in enumerate(paths) if path in layout.apart]
    items: dict[str, tuple[int, tuple[Any, ...], list[Any]]] = {}
    for number, (*values, item) in _of_records(records, [*paths, layout.item], layout, name, layout.repeat):
        key = repr([item, *(values[place] for place in apart)])
        answers = values[pred] if isinstance(values[pred], list) else [values[pred]]
        items.setdefault(key, (number, tuple(values), []))[2].extend(answers)
    same = repeats.same([first[gold] for _, first, _ in items.values()])
    for number, first, answers in items.values():
        said = [answer for answer in answers if answer is not None] or [None]
        meant = list(map(same, said))
        if how == "any":
            said = [first[gold] if same(first[gold]) in meant else said[0]]
        elif how == "vote":
            said = [said[meant.index(max(meant, key=meant.count))]]  # the first of those that are equally common
        for answer in said:
            known = {paths[pred]: answer, SHARE: 1 / len(said)}
            yield number, tuple(known.get(path, value) for path, value in zip(paths, first, strict=True))


def _of_records(
    records: _Numbered, paths: Sequence[str], layout: Layout | None, name: str, joined: str | None = None
) -> _Values:
    """Yield the values of each record; those at the path `joined` may differ."""
    paths_apart = () if layout is None else layout.apart
    apart = {path: set[Any]() for path in paths_apart if path not in (*paths, joined)}
    for number, record in records:
        if layout is not None and layout.answer is not None and not has_path(record, layout.answer):
            continue
        full = record if layout is None else _full(layout, record, f"{name}, record {number}")
        for path, seen in apart.items():
            seen.add(value_at(full, path))
            if len(seen) > 1:
                problem = f"{name} holds answers with {path} {' and '.join(sorted(map(repr, seen)))}"
                hint = Message(Argument("by", path), " scores them apart")
                raise ColumnError(problem, argument="by", expected="one answer per example", hint=hint)
        yield number, tuple(value_at(full, path) for path in paths)


def read_log(file: InputFile, records: str | None = None) -> tuple[list[Record], tuple[Note, ...]]:
    """Read all records of a log, and say what it tells about those that are missing."""
    name = file.name
    if is_zipped_log(names_in_zip(file.path)):
        found: Any = _zipped(file)
    else:
        try:
            found = json.loads(file.content())
        except (ValueError, RecursionError) as error:
            raise FileError(f"{name}: not valid JSON ({error})", expected="a JSON array, or an object") from None
    log, found = found, _records_within(found, name, records)
    if not found:
        raise EmptyError(f"{name} holds no records", expected="one object per answer")
    for number, record in enumerate(found, start=1):
        if not isinstance(record, dict):
            problem = f"{name}, record {number} is a {type(record).__name__}"
            raise FileError(problem, expected='one object per answer: {"gold": …}')
    layout = known_layout(typical_record(found))
    gaps = layout.gaps(log, found) if layout and layout.gaps and isinstance(log, Mapping) else []
    notes = _several_answers(layout, found, name)
    if gaps:
        what = gaps[0] if len(gaps) == 1 else f"{', '.join(gaps[:-1])}, and {gaps[-1]}"
        told = f"{name} is not a whole run: {what}; only what was answered is scored."
        notes.append(Note(told, code="incomplete_log"))
    return found, tuple(notes)


def _several_answers(layout: Layout | None, records: list[Record], name: str) -> list[Note]:
    """Say that items have several answers in a log whose answers have no number, so that none is left out."""
    if layout is None or layout.item is None or layout.repeat is not None or "answer" in layout.pred:
        return []
    paths = (layout.item, *layout.apart, "vars")  # a prompt may leave out what tells tests of promptfoo apart
    asked = Counter(
        repr([value_at(record, path) for path in paths]) for record in records if has_path(record, paths[0])
    )
    n = sum(times > 1 for times in asked.values())
    told = (
        f"{counted(n, 'question')} of {name} {'has' if n == 1 else 'have'} several answers, and each counts as a row; "
    )
    return [Note(told, Argument("repeats", "mean"), " lets questions count alike.", code=REPEATED)] if n else []


def _records_within(found: Any, name: str, records: str | None) -> Any:
    """Find the array of records: at a given path, where a known tool keeps it, or the only array there is."""
    if records is not None:
        inner = value_at(found, records, _NOWHERE)
        if inner is _NOWHERE:
            hint = f"it has {quote_some(found if isinstance(found, Mapping) else [])}"
            raise ColumnError(Message(f"{name} has nothing at ", Argument("records", records)), hint=hint)
        found = inner
    elif isinstance(found, Mapping):
        found = _from_table(found) or _only_array(found, name)
    if _holds_columns(found):  # {"references": […], "predictions": […]}
        lengths = {key: len(values) for key, values in found.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{key!r} has {length:,}" for key, length in lengths.items())
            raise FileError(f"{name}: {listed} values", expected="arrays of the same length")
        return [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]
    if not isinstance(found, list):
        raise FileError(f"{name} holds a JSON {type(found).__name__}", expected="an array of records")
    return found


def _from_table(found: Mapping[str, Any]) -> list[Record] | None:
    """Return the records of a table as pandas writes it: names and rows, or an object per column, or per row."""
    names, rows = found.get("columns"), found.get("data")
    if isinstance(names, list) and isinstance(rows, list) and all(isinstance(name, str) for name in names):
        whole = all(isinstance(row, list) and len(row) == len(names) for row in rows)
        return [dict(zip(names, row, strict=True)) for row in rows] if whole else None
    parts = list(found.values())
    if (
        len(parts) < 2
        or not all(isinstance(part, dict) and part.keys() == parts[0].keys() for part in parts)
        or any(isinstance(value, (dict, list)) for part in parts for value in part.values())
    ):
        return None
    if all(map(str.isdecimal, parts[0])):
        return [{name: part[key] for name, part in found.items()} for key in parts[0]]
    return parts if all(map(str.isdecimal, found)) else None


def _only_array(found: Mapping[str, Any], name: str) -> Any:
    """Find the records of an object: where a known tool keeps them, the only array of objects, or arrays as columns."""
    for layout in LAYOUTS:
        for place in layout.records:
            inner = value_at(found, place)
            known = isinstance(inner, list) and any(known_layout(each) is layout for each in inner[:_N_TRIED])
            if known or inner == []:
                return inner
    arrays = [value for value in found.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    if len(arrays) == 1:
        return arrays[0]
    if not arrays and _holds_columns(found):
        return found
    expected, hint = Message(Argument("records"), " to name the array of records in it"), f"it has {quote_some(found)}"
    raise ColumnError(f"{name} is one JSON object", argument="records", expected=expected, hint=hint)


def _holds_columns(found: Any) -> bool:
    return isinstance(found, Mapping) and bool(found) and all(isinstance(value, list) for value in found.values())


def _zipped(file: InputFile) -> dict[str, Any]:
    """Read the samples of a zipped log, one JSON file each, and its header; a run that was killed has only a start."""
    import zipfile

    try:
        with zipfile.ZipFile(file.path) as archive:
            members = {member.filename: member for member in archive.infolist()}
            head = next((members[name] for name in ("header.json", "_journal/start.json") if name in members), None)
            samples = [member for name, member in members.items() if name.startswith("samples/")]
            found = {} if head is None else json.loads(_member(file, archive, head))
            return {**found, "samples": [json.loads(_member(file, archive, member)) for member in samples]}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, struct.error) as error:
        raise FileError(f"{file.name}: a sample is damaged ({error})", expected="a whole log") from None


def _member(file: InputFile, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    with file.path.open("rb") as plain:
        plain.seek(member.header_offset + 26)
        name_length, extra_length = struct.unpack("<HH", plain.read(4))
        plain.seek(name_length + extra_length, 1)
        packed = plain.read(member.compress_size)
    return unpacked_zstd(packed).read()
