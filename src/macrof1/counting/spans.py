"""From sentences of tags, or of spans, to counts of entities per type.

An entity is right if its start, its end and its type are all right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.cells import group_key, groups_in_order
from macrof1.counting.kernel.integers import look_up_parts
from macrof1.counting.named_tables import check_same_index
from macrof1.counting.tags import END, PREFIXES, Scheme, SpanMode, entities_in, grammar_of, named_tags, parsed_tags
from macrof1.counting.units import Cut, check_over, grouped_units, is_over_units, over_of
from macrof1.counts import (
    ClassCounts,
    Group,
    GroupedCounts,
    Making,
    RowSource,
    class_counts_of,
    trusted_counts,
)
from macrof1.errors import EmptyError, InputError, LabelError, LengthError, counted
from macrof1.labels import Label, checked_labels, class_order
from macrof1.message import Argument, Message, Note, shown
from macrof1.request import Request

if TYPE_CHECKING:
    from macrof1.sampling.patterns import Patterns

Where: TypeAlias = Callable[[str, int, int], str]
"""Names a location for a message: the side, the sentence and the token, counted from 0."""


class Spans(NamedTuple):
    """The entities of one side: the positions of their types, their start among all tokens, and the sentence ends."""

    kind: NDArray[np.int64]
    start: NDArray[np.int64]
    bounds: NDArray[np.int64]

    @property
    def sentence(self) -> NDArray[np.int64]:
        """The sentence of each entity."""
        return np.searchsorted(self.bounds, self.start, side="right")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SpanPairs:
    """Gold and predicted entities over one list of types; `hit` says which predicted ones are right, `found` how."""

    types: tuple[str, ...]
    gold: Spans
    pred: Spans
    hit: NDArray[np.bool_]
    n_sentences: int
    found: str
    notes: tuple[Note, ...] = ()

    def counts(self, labels: Iterable[object] | None = None) -> ClassCounts:
        """Count entities per type; types that do not occur are left out unless listed."""
        found = self.counts_by(np.zeros(self.n_sentences, np.int64), 1, labels)[0]
        if not found.labels:
            expected = Message("tags such as B-PER, or the types in ", Argument("labels"))
            raise EmptyError("no entity on either side", expected=expected)
        return found.with_facts(rows=SpanRows(self, found.labels, found.n_listed))

    def counts_by(
        self, groups: NDArray[np.int64], n_groups: int, labels: Iterable[object] | None = None
    ) -> list[ClassCounts]:
        """Count entities per type in each group of sentences; one without entities has counts without labels."""
        listed = None if labels is None else checked_labels(labels)
        n = len(self.types)
        pred, gold = self.pred.kind, self.gold.kind
        if n_groups > 1:
            pred, gold = groups[self.pred.sentence] * n + pred, groups[self.gold.sentence] * n + gold
        tables = [
            np.bincount(each, minlength=n_groups * n).reshape(n_groups, n) for each in (pred[self.hit], pred, gold)
        ]
        sizes = np.bincount(groups, minlength=n_groups).tolist()
        counts = []
        for at, n_rows in enumerate(sizes):
            found = dict(zip(self.types, zip(*(table[at].tolist() for table in tables), strict=True), strict=True))
            names = class_order((kind for kind, numbers in found.items() if any(numbers)), listed)
            rows = [found.get(str(name), (0, 0, 0)) for name in names]
            counts.append(
                trusted_counts(
                    labels=names, columns=tuple(zip(*rows, strict=True)) or ((), (), ()), n_rows=n_rows,
                    n_listed=None if listed is None else len(listed), task="spans",
                    making=Making(facts=(("spans", self.found),)),
                )
            )  # fmt: skip
        return counts

    def unit_counts(
        self, over: str, units: Sequence[Any] | None, cut: Cut, groups: Sequence[Group] = (), by: tuple[str, ...] = ()
    ) -> GroupedCounts:
        """Count the entities of every unit, the unit of each sentence being given, or sentences being the units."""
        counted = cut.places(self.types) >= 0
        spans = ((self.pred, self.hit & counted[self.pred.kind]), (self.pred, counted[self.pred.kind]))
        three = [
            np.bincount(side.sentence[some], minlength=self.n_sentences)
            for side, some in (*spans, (self.gold, counted[self.gold.kind]))
        ]
        made = (("spans", self.found),)
        return grouped_units(
            (three[0], three[1], three[2]), over, units, groups, by, cut=cut, task="spans", made=made, notes=self.notes
        )


@dataclass(frozen=True, slots=True, eq=False)
class SpanRows(RowSource):
    """The entities behind counts of these labels; resampling draws sentences, each with all its entities."""

    pairs: SpanPairs
    labels: tuple[Label | None, ...]
    n_listed: int | None

    def patterns(self) -> Patterns:
        """Return one pattern per sentence."""
        from macrof1.sampling.patterns import LabelIncidence, Patterns

        place = {label: at for at, label in enumerate(self.labels)}
        order = np.array([place[kind] for kind in self.pairs.types], np.int64)
        sides, by_sentence = [], np.zeros(0, np.int64)
        for spans in (self.pairs.gold, self.pairs.pred):
            sentence = spans.sentence
            by_sentence = np.argsort(sentence, kind="stable")
            sides.append(LabelIncidence(sentence[by_sentence], order[spans.kind[by_sentence]]))
        return Patterns(
            labels=self.labels,
            amounts=np.ones(self.pairs.n_sentences, np.int64),
            gold=sides[0],
            systems=(sides[1],),
            hits=(self.pairs.hit[by_sentence],),
            n_listed=self.n_listed,
            task="multilabel",
        )


def count_spans(
    gold: Sequence[Sequence[Any]],
    pred: Sequence[Sequence[Any]],
    *,
    scheme: Scheme = "iob2",
    mode: SpanMode = "conll",
    labels: Iterable[object] | None = None,
    tag_names: Sequence[str] | None = None,
    over: Any = "classes",
    exclude: Iterable[object] = (),
) -> ClassCounts:
    """Count entities per type: an entity is right if its start, its end and its type are all right.

    Parameters
    ----------
    gold, pred
        Sentences: sequences of tags (``"B-PER"``, ``"I-PER"``, ``"O"``), or of spans ``(start, end, type)``.
    scheme
        ``"iob2"``, ``"iob1"``, ``"ioe"`` (IOE2), ``"iobes"`` or ``"bilou"``.
    mode
        How to read a sequence that violates the scheme, such as I-PER after O: as an entity, as in conlleval and in
        seqeval by default (``"conll"``), or as none (``"strict"``, as in seqeval's strict mode).
    labels
        The types averaged over, in order; by default, those that occur.
    tag_names
        The tags that numbers stand for, in order, if sentences hold numbers (``ClassLabel`` of Hugging Face):
        ``["O", "B-PER", "I-PER"]``.
    over, exclude
        As in `macrof1.score`: ``"rows"`` counts by sentence, and the document of each sentence by document; types are
        pooled, except those that `exclude` names or `labels` does not.

    Notes
    -----
    Overlapping spans are allowed; a span that is listed twice counts once.

    References
    ----------
    Tjong Kim Sang & De Meulder 2003, "Introduction to the CoNLL-2003 shared task".

    Examples
    --------
    >>> gold = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-PER"]]
    >>> pred = [["B-PER", "I-PER", "O", "O"], ["O", "I-PER"]]
    >>> count_spans(gold, pred)
    ClassCounts(labels=('LOC', 'PER'), tp=[0, 2], predicted=[0, 2], actual=[1, 2])
    >>> count_spans(gold, pred, mode="strict")
    ClassCounts(labels=('LOC', 'PER'), tp=[0, 1], predicted=[0, 1], actual=[1, 2])
    >>> count_spans([[(0, 2, "PER")]], [[(0, 2, "PER"), (3, 4, "LOC")]])
    ClassCounts(labels=('LOC', 'PER'), tp=[0, 1], predicted=[1, 1], actual=[0, 1])
    >>> count_spans([[1, 2, 0]], [[1, 2, 0]], tag_names=["O", "B-PER", "I-PER"])
    ClassCounts(labels=('PER',), tp=[1], predicted=[1], actual=[1])
    """
    pairs = pair_spans(gold, pred, scheme=scheme, mode=mode, tag_names=tag_names)
    if is_over_units(over):
        name, units = over_of(over)
        given = None if units is None else list(units)
        if given is not None and len(given) != pairs.n_sentences:
            raise LengthError.differ(gold=pairs.n_sentences, over=len(given))
        total = pairs.unit_counts(name, given, Cut.of(labels, exclude)).total
        assert isinstance(total, ClassCounts)  # what it counts
        return total
    check_over(exclude=exclude)
    found = pairs.counts(labels)
    return found.with_facts(making=found.making + Making(notes=pairs.notes)) if pairs.notes else found


def count_span_file(request: Request) -> tuple[ClassCounts | GroupedCounts, Making]:
    """Count the entities of a file, two parallel files or records, and return how; groups without any are left out."""
    from macrof1.reading.entities import read_tagged

    by, tag_names = request.by, request.tag_names
    unit = () if request.unit is None else (request.unit,)
    found = read_tagged(
        list(request.files), gold=request.gold, pred=request.pred, by=(*by, *unit), records=request.records
    )
    if tag_names is not None and any(isinstance(tag, str) for tags in found.gold[:1] for tag in tags):
        raise InputError.beside("tag_names", Message("tags that are text"), expected="it where numbers stand for tags")
    pairs = pair_spans(
        found.gold, found.pred, scheme=request.scheme, mode=request.mode,  # type: ignore[arg-type]  # it checks both
        tag_names=tag_names, where=found.where,
    )  # fmt: skip
    if request.over is not None:
        cut = Cut.of(request.labels, request.exclude)
        units = [group[-1] for group in found.groups] if unit else None
        groups = [group[: len(request.by)] for group in found.groups]
        grouped = pairs.unit_counts(request.over, units, cut, groups, request.by)
        making = class_counts_of(grouped.total).making
        return (grouped if request.by else class_counts_of(grouped.total)), making
    listed = None if request.labels is None else list(request.labels)
    total = pairs.counts(listed)
    if not by:
        return total, total.making + Making(notes=pairs.notes)
    ordered = groups_in_order(dict.fromkeys(found.groups))
    place = {group_key(key): at for at, key in enumerate(ordered)}
    each = pairs.counts_by(np.array([place[group_key(key)] for key in found.groups], np.int64), len(ordered), listed)
    parts = tuple((key, counts) for key, counts in zip(ordered, each, strict=True) if counts.labels)
    n_empty = len(ordered) - len(parts)
    text = f"{counted(n_empty, 'group')} without entities {'is' if n_empty == 1 else 'are'} left out of the mean over "
    notes = (Note(f"{text}groups.", code="groups_without_entities"),) if n_empty else ()
    return GroupedCounts(by=by, groups=parts, total=total), total.making + Making(notes=(*pairs.notes, *notes))


def pair_spans(
    gold: Sequence[Sequence[Any]],
    pred: Sequence[Sequence[Any]],
    *,
    scheme: Scheme = "iob2",
    mode: SpanMode = "conll",
    tag_names: Sequence[str] | None = None,
    where: Where | None = None,
) -> SpanPairs:
    """Find the entities of both sides, and which of them agree."""
    grammar_of(scheme, mode)  # rejects unknown ones, for spans too
    check_same_index({"gold": gold, "pred": pred})
    gold, pred = (
        side if isinstance(side, list) else _listed(side, name) for side, name in ((gold, "gold"), (pred, "pred"))
    )
    if len(gold) != len(pred):
        raise LengthError(
            f"gold has {counted(len(gold), 'sentence')} and pred has {len(pred):,}",
            argument="pred",
            expected="the same sentences on both sides",
        )
    if not gold:
        raise EmptyError.nothing("gold and pred")
    place = where or "{}, sentence {}, token {} (counted from 0)".format
    if _holds_spans(gold) or _holds_spans(pred):
        return _pair_given(_listed(gold, "gold"), _listed(pred, "pred"), place)
    return _pair_tagged(gold, pred, scheme, mode, tag_names, place)


def _listed(sentences: Any, side: str) -> list[list[Any]]:
    found = []
    for at, sentence in enumerate(LabelError.listed(side, sentences)):
        if isinstance(sentence, (str, bytes)) or not hasattr(sentence, "__len__"):
            raise LabelError(
                f"{side}, sentence {at} is a {type(sentence).__name__}", argument=side, expected="a list of tags"
            )
        found.append(LabelError.listed(f"{side}, sentence {at}", sentence))
    return found


def _holds_spans(sentences: Sequence[Sequence[Any]]) -> bool:
    first = next((next(iter(each)) for each in sentences if hasattr(each, "__len__") and len(each)), "O")
    return not isinstance(first, str) and (isinstance(first, Mapping) or hasattr(first, "__len__"))


def _encoded(sentences: list[Any], side: str, book: dict[Any, int], where: Where) -> NDArray[np.int64]:
    """Return the code of each tag, with separators before the first sentence and after each one."""
    try:
        codes = look_up_parts(sentences, book)
        return _encoded(_listed(sentences, side), side, book, where) if codes is None else codes
    except TypeError:
        name = "gold" if side == "gold" else "predicted"
        for at, sentence in enumerate(sentences):
            for token, tag in enumerate(sentence):
                if isinstance(tag, (list, dict, set)):
                    raise LabelError(
                        f"{where(name, at, token)}: {shown(tag)} is not a tag", given=tag, expected="text such as B-PER"
                    ) from None
        raise


def _pair_tagged(
    gold: Any, pred: Any, scheme: Scheme, mode: SpanMode, names: Sequence[str] | None, where: Where
) -> SpanPairs:
    tags: dict[Any, int] = {END: 0}
    codes = _encoded(gold, "gold", tags, where), _encoded(pred, "pred", tags, where)
    bounds, predicted = (np.flatnonzero(side == 0)[1:] for side in codes)
    # A sentence with a different number of predicted tags shows in the separators after the sentences.
    differ = np.flatnonzero(bounds != predicted)
    if differ.size:
        at = int(differ[0])
        before = int(bounds[at - 1]) if at else 0
        n_gold, n_pred = int(bounds[at]) - before - 1, int(predicted[at]) - before - 1
        raise LengthError(
            f"{where('gold', at, 0)}: {counted(n_gold, 'gold tag')} and {n_pred:,} predicted",
            argument="pred",
            expected="one predicted tag per gold tag",
        )
    given = list(tags)

    def first(at: int) -> str:
        """Return the first location of a tag, which was read from one of the two sides."""
        return next(
            where(name, place, token)
            for name, sentences in (("gold", gold), ("predicted", pred))
            for place, sentence in enumerate(sentences)
            for token, tag in enumerate(sentence)
            if shown(tag) == shown(given[at])  # pandas.NA equals nothing, not even itself
        )

    prefix, kind, types = parsed_tags(named_tags(given, names, first), scheme, mode, first)
    grammar = grammar_of(scheme, mode)
    spans, ends = [], []
    for side in codes:
        start, end = entities_in(side, prefix, kind, grammar)
        kinds = kind[side[start]].astype(np.int64)
        spans.append(Spans(kinds, start, bounds))
        ends.append(end * len(types) + kinds)
    notes: tuple[Note, ...] = ()
    if mode == "conll" and scheme in ("iob2", "iobes", "bilou"):
        # Entities that begin with a tag that may not begin one in this scheme.
        begun = [prefix[side[found.start]] for side, found in zip(codes, spans, strict=True)]
        broken = [int(np.isin(each, [PREFIXES.index("I"), PREFIXES.index("E")]).sum()) for each in begun]
        if any(broken):
            text = (
                f"{counted(broken[0], 'gold entity', 'gold entities')} and {broken[1]:,} predicted start without the "
                f"tag that must open one in {scheme.upper()}: they count as entities, as in conlleval; "
            )
            notes = (Note(text, Argument("mode", "strict"), " leaves them out.", code="malformed_spans"),)
    gold_end = np.full(len(codes[0]), -1, np.int64)
    gold_end[spans[0].start] = ends[0]
    return SpanPairs(
        types=types,
        gold=spans[0],
        pred=spans[1],
        hit=gold_end[spans[1].start] == ends[1],
        n_sentences=len(gold),
        found=f"{scheme}-{mode}",
        notes=notes,
    )


def _pair_given(gold: Any, pred: Any, where: Where) -> SpanPairs:
    types: dict[str, int] = {}
    sides: list[dict[tuple[int, int, int, str], None]] = []
    n_repeated = 0
    for name, sentences in (("gold", gold), ("predicted", pred)):
        found: dict[tuple[int, int, int, str], None] = {}
        for at, sentence in enumerate(sentences):
            for token, span in enumerate(sentence):
                key = (at, *_span(span, partial(where, name, at, token)))
                n_repeated += key in found
                found[key] = None
                types.setdefault(key[3], len(types))
        sides.append(found)
    order = tuple(sorted(types))
    rank = {name: at for at, name in enumerate(order)}
    bounds = np.arange(1, len(gold) + 1)
    spans = []
    for found in sides:
        table = np.array([(rank[kind], at) for at, _, _, kind in found], np.int64).reshape(-1, 2)
        spans.append(Spans(table[:, 0], table[:, 1], bounds))
    text = f"{counted(n_repeated, 'span')} listed more than once counts once."
    return SpanPairs(
        types=order,
        gold=spans[0],
        pred=spans[1],
        hit=np.array([key in sides[0] for key in sides[1]], np.bool_),
        n_sentences=len(gold),
        found="offsets",
        notes=(Note(text, code="repeated_spans"),) if n_repeated else (),
    )


# What tools call the parts of a span in JSON.
_SPAN_KEYS = (
    ("start", "begin", "start_offset"),
    ("end", "stop", "end_offset"),
    ("type", "label", "entity", "entity_group"),
)


def _span(span: Any, place: Callable[[], str]) -> tuple[int, int, str]:
    """Read ``(start, end, type)``, in this order or by name."""
    if isinstance(span, Mapping):
        parts = [next((span[key] for key in names if key in span), None) for names in _SPAN_KEYS]
    else:
        parts = list(span) if not isinstance(span, str) and hasattr(span, "__len__") else [span]
    numbers = [part for part in parts[:2] if isinstance(part, (int, np.integer)) and not isinstance(part, bool)]
    if len(parts) != 3 or len(numbers) != 2 or not isinstance(parts[2], str) or not 0 <= numbers[0] <= numbers[1]:
        raise LabelError(
            f"{place()}: {span!r} is not a span",
            given=span,
            expected="(start, end, type) with 0 <= start <= end",
            hint=Message("all sentences hold spans, or all hold tags"),
        )
    return int(numbers[0]), int(numbers[1]), parts[2]
