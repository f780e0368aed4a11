"""What bounds say: ranges, the matrix that attains one, and whether a flip is possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from macrof1.bounding.bounds import BoundsResult, ScoreRange
from macrof1.bounding.largest_gap import WitnessResult
from macrof1.convention import FORMULA_NAMES
from macrof1.errors import counted
from macrof1.labels import dropped_note
from macrof1.message import Message
from macrof1.reporting.document import AS_CSV, Document, Part, Sentences, Table, clipped

# Larger matrices are printed only in JSON and CSV.
_MOST_SHOWN = 12
_LONGEST_NAME = 30
_NAMES: dict[str, str] = {"precision": "macro precision", "recall": "macro recall", **dict(FORMULA_NAMES.items())}


def bounds_document(
    result: BoundsResult,
    *,
    witness: WitnessResult | None = None,
    labels: Sequence[str] | None = None,
    n_dropped: int = 0,
) -> Document:
    """Return what bounds say.

    `witness` is a matrix that comes close to a supremum; `labels` are the names of the classes, and `n_dropped` rows
    without a label were left out.
    """
    attained = witness or result.largest
    n = 0 if attained is None else attained.n_classes if isinstance(attained, WitnessResult) else len(attained.support)
    names = list(labels or map(str, range(1, n + 1)))
    about, assumed = _about(result, witness), _assumed(result, n_dropped)
    header = ["quantity", "where", "lowest", "highest"]

    def parts() -> list[Part]:
        ranges = Table(header, _rows(result, witness, full=False), n_text=2, title="What is left")
        said: list[Part] = [Sentences(items=[note], flowing=True) for note in assumed]
        if attained is None:
            return [ranges, *said]
        if n > _MOST_SHOWN:
            unseen = Message("Its cells are printed with ", AS_CSV, ".")
            return [ranges, Sentences(items=[*about, unseen], flowing=True), *said]
        cells = zip(names, attained.matrix(), strict=True)
        rows = [[name, *(f"{cell:,}" for cell in row)] for name, row in cells]
        caption = " ".join([*about, "Predictions as rows:"])
        header_of_cells = ["predicted \\ gold", *(clipped(name, _LONGEST_NAME) for name in names)]
        matrix = Table(header_of_cells, rows, title="The matrix", caption=caption)
        return [ranges, matrix, *said]

    def data() -> dict[str, Any]:
        content = result.to_dict()
        content |= {} if witness is None else {"witness": witness.to_dict()}
        content |= {} if labels is None else {"labels": list(labels)}
        return {**content, "notes": [*about, *assumed]}

    def records(_: str) -> Table:
        rows = _rows(result, witness, full=True)
        if attained is None:
            return Table(header, rows)
        cells = [["cell", "", "", "", names[gold], names[pred], str(n)] for gold, pred, n in attained.cells]
        return Table([*header, "gold", "predicted", "rows"], [*([*row, "", "", ""] for row in rows), *cells])

    return Document(
        title="What is left for both macro F1s and the gap",
        parts=parts,
        data=data,
        records=records,
        notes=lambda: [*about, *assumed],
    )


def _where(n_classes: int | None) -> str:
    return "any number of classes" if n_classes is None else counted(n_classes, "class", "classes")


def _rows(result: BoundsResult, witness: WitnessResult | None, *, full: bool) -> list[list[str]]:
    where = _where(result.n_classes)
    found: list[tuple[str, str, ScoreRange | None]] = [("gap", where, result.gap)]
    if result.given and result.largest is None:
        both = [(name, where, getattr(result, formula)) for formula, name in FORMULA_NAMES.items()]
        found = [*both, *found]
    found.append(("averaged F1", "2 classes, one label per row", result.binary))
    rows = [
        [name, of, *(repr(end) if full else f"{end:.4f}" for end in (ends.low, ends.high))]
        for name, of, ends in found
        if ends is not None
    ]
    rows += [] if result.any_n is None else _rows(result.any_n, None, full=full)
    for name, attained in (("gap of the witness", witness), ("largest gap found", result.largest)):
        if attained is not None:
            rows.append([name, "attained", *[repr(attained.gap) if full else f"{attained.gap:.4f}"] * 2])
    return rows


def _about(result: BoundsResult, witness: WitnessResult | None) -> list[str]:
    if witness is not None:
        supremum = f"The supremum for {_where(witness.n_classes)} is {witness.supremum:.6g}"
        return [f"{supremum}; the witness, a confusion matrix, has a gap of {witness.gap:.6g}."]
    found = result.largest
    if found is None:
        return []
    rows = f"the {counted(sum(found.support), 'gold row')}"
    limit = f"A classifier with a gap of {found.gap:.6g} on {rows} exists; none passes {found.limit:.6g}"
    largest = f"The largest gap that any classifier could have on {rows} is {found.gap:.6g}"
    return [
        f"{largest if found.exact else limit} ({found.reason}).",
        f"It has averaged F1 {found.averaged_f1:.4f} and F1 of averages {found.f1_of_averages:.4f}.",
    ]


def _assumed(result: BoundsResult, n_dropped: int) -> list[str]:
    """Describe what was read, and what the ranges assume."""
    notes = [dropped_note(n_dropped)] if n_dropped else []
    figures = [f"{_NAMES[name]} {value:g}" for name, value in result.given.items() if name in _NAMES]
    if not figures:
        # The reason why a largest gap is exact is printed next to it.
        note = result.note if result.largest is None else result.note.removesuffix(f"; {result.largest.reason}")
        return [*notes, f"{note[:1].upper()}{note[1:]}."]
    read = f"{' and '.join(figures)} {'is' if len(figures) == 1 else 'are'} read as exact"
    exact = f"{read[:1].upper()}{read[1:]}; for rounded figures use mf1 audit."
    return [*notes, f"Holds for {result.note}.", exact]
