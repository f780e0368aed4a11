"""Where evaluation tools keep gold and predicted labels in their logs, and paths into nested fields.

A log is a sequence of JSON objects, one per answer. Tools differ only in where these are and in the paths of
gold and predicted labels inside one: `LAYOUTS` knows the usual tools, and a path such as ``doc.label`` covers others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from macrof1.errors import ColumnError, FileError, counted, quote_some
from macrof1.message import Argument, Message

Record = dict[str, Any]

N_TRIED = 100
"""Records among which the layout is looked for: failed ones may lack an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where one tool's logs keep the records, and the gold and predicted labels in each.

    Attributes
    ----------
    marks
        Paths that identify a record of this tool.
    records
        Paths of the records in a log that is one object.
    gold, pred
        Paths of the labels; of several, the first that exists in the first record.
    apart
        Paths that distinguish answers of different systems or filters, which are never scored as one.
    derive
        Adds fields to a record if a label must be derived.
    answer
        A path that only answers have, in a log with other records between them.
    gaps
        Says what a log, given as the object around the records, tells about records that are missing.
    """

    tool: str
    marks: tuple[str, ...]
    gold: tuple[str, ...]
    pred: tuple[str, ...]
    records: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    derive: Callable[[Record], Record] | None = None
    answer: str | None = None
    gaps: Callable[[Mapping[str, Any], list[Record]], list[str]] | None = None


def _answered(record: Record) -> Record:
    """Return given and correct answers of an lm-evaluation-harness record; in multiple choice, both are choices."""
    answers = record["filtered_resps"]
    if not all(isinstance(answer, Sequence) and len(answer) == 2 and _is_number(answer[0]) for answer in answers):
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


def _values(found: Any) -> Iterable[Any]:
    return found.values() if isinstance(found, Mapping) else found


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _asserted(record: Record) -> Record:
    """Return the answer that a promptfoo test expects by an equality assertion."""
    for asserted in record["testCase"].get("assert") or []:
        if asserted.get("type") in ("equals", "iequals"):
            return {"asserted": asserted["value"]}
    return {}


def _only_target(record: Record) -> Record:
    """Unwrap the single target of an Inspect sample."""
    target = record["target"]
    return {"right": target[0] if isinstance(target, list) and len(target) == 1 else target}


def _choices(record: Record) -> Record:
    """Return the choices of an annotator and of a model in Label Studio; a single one is a label, not a list."""
    found = {}
    for name, path in (("annotated", "annotations"), ("suggested", "predictions")):
        if len(record[path]) != 1:
            raise ValueError("several annotators or models")
        choices = at_path(record, f"{path}.0.result.0.value.choices")
        found[name] = choices[0] if len(choices) == 1 else choices
    return found


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


def _unanswered(_: Mapping[str, Any], records: list[Record]) -> list[str]:
    """Say how many tests of a promptfoo log have no answer; an answer that fails an assertion has one."""
    return _failed([record for record in records if not has_path(record, "response.output")], "test")


LAYOUTS = (
    Layout(
        tool="lm-evaluation-harness",
        marks=("doc", "target", "filtered_resps.0", "arguments"),
        gold=("right",),
        pred=("answer",),
        apart=("filter",),
        derive=_answered,
    ),
    Layout(
        tool="Inspect",
        marks=("target", "output.choices", "epoch"),
        records=("samples",),
        gold=("right",),
        pred=("scores.*.answer", "output.completion", "output.choices.0.message.content"),
        apart=("epoch",),
        derive=_only_target,
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
        gaps=_unanswered,
    ),
    Layout(
        tool="OpenAI Evals",
        marks=("sample_id", "data.expected", "data.picked"),
        gold=("data.expected",),
        pred=("data.sampled", "data.picked"),
        answer="data.expected",
    ),
    Layout(
        tool="Label Studio",
        marks=("annotations.0.result.0.value.choices.0", "predictions.0.result.0.value.choices.0"),
        gold=("annotated",),
        pred=("suggested",),
        derive=_choices,
    ),
)


def at_path(record: Any, path: str) -> Any:
    """Follow a path through objects and lists; ``*`` takes an only child. Raise `KeyError` if the path does not exist.

    Examples
    --------
    >>> record = {"doc": {"label": 2}, "filtered_resps": ["yes"], "scores": {"exact": {"answer": "no"}}, "a.b": 1}
    >>> [at_path(record, path) for path in ("doc.label", "filtered_resps.0", "scores.*.answer", "a.b")]
    [2, 'yes', 'no', 1]
    """
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
            raise KeyError(path)
    return here


def has_path(record: Any, path: str) -> bool:
    """Whether a path exists."""
    try:
        at_path(record, path)
    except KeyError:
        return False
    return True


def known_layout(record: Record) -> Layout | None:
    """Return the layout of the tool that wrote a record, if known."""
    return next((layout for layout in LAYOUTS if all(has_path(record, mark) for mark in layout.marks)), None)


def typical_record(records: Sequence[Record]) -> Record:
    """Return the first record that a known tool wrote, since a failed one may lack an answer; else the first."""
    return next((record for record in records[:N_TRIED] if known_layout(record)), records[0])


def label_path(layout: Layout, record: Record, role: str, name: str) -> str | None:
    """Return the path of gold or predicted labels in a tool's records."""
    full = _full(layout, record, name)
    paths = {"gold": layout.gold, "pred": layout.pred}.get(role, ())
    for path in paths:
        before, star, after = path.partition(".*")
        several = value_at(full, before) if star else None
        if isinstance(several, Mapping) and len(several) > 1:
            raise ColumnError(
                f"{name} has several answers per record, in {quote_some(several, most=4)} of {before}",
                argument=role,
                expected="one of them",
                hint=Message(Argument(role, f"{before}.{next(iter(several))}{after}"), " takes the first"),
            )
    return next((path for path in paths if value_at(full, path) is not None), None)


def _full(layout: Layout, record: Record, where: str) -> Record:
    """Return a record with the derived fields."""
    if layout.derive is None:
        return record
    try:
        return record | layout.derive(record)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise FileError(
            f"{where} is not what {layout.tool} writes",
            expected=Message(
                "another log, or the paths of the labels in ", Argument("gold"), " and ", Argument("pred")
            ),
        ) from None


def values_of(
    records: Iterable[tuple[int, Record]], paths: Sequence[str], layout: Layout | None, name: str
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the numbers of records with the values at some paths; None if a path does not exist.

    A log with answers of several systems or filters is rejected, unless the path that distinguishes them is requested.
    """
    apart = {path: set[Any]() for path in (layout.apart if layout else ()) if path not in paths}
    for number, record in records:
        if layout is not None and layout.answer is not None and not has_path(record, layout.answer):
            continue
        full = record if layout is None else _full(layout, record, f"{name}, record {number}")
        for path, seen in apart.items():
            seen.add(value_at(full, path))
            if len(seen) > 1:
                raise ColumnError(
                    f"{name} holds answers with {path} {' and '.join(sorted(map(repr, seen)))}",
                    argument="by",
                    expected="one answer per example",
                    hint=Message(Argument("by", path), " scores them apart"),
                )
        yield number, tuple(value_at(full, path) for path in paths)


def value_at(record: Any, path: str) -> Any:
    """Return the value at a path; None if the path does not exist."""
    try:
        return at_path(record, path)
    except KeyError:
        return None
