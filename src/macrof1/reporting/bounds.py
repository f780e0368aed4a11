"""Bounds in every output format."""

from __future__ import annotations

from collections.abc import Sequence

from macrof1.bounding.bounds import BoundsResult, NoFlipResult, ScoreRange
from macrof1.bounding.largest_gap import LargestGapResult
from macrof1.bounding.witness import WitnessResult
from macrof1.convention import FORMULA_NAMES
from macrof1.errors import counted
from macrof1.labels import dropped_note
from macrof1.message import Message
from macrof1.reporting.lines import text_width, wrapped
from macrof1.reporting.table import AS_CSV, OutputFormat, Table, json_text, latex_text, markdown_text

# Larger matrices are printed only in JSON and CSV.
_MOST_SHOWN = 12

_NAMES = {
    "precision": "macro precision",
    "recall": "macro recall",
    "averaged_f1": FORMULA_NAMES["averaged_f1"],
    "f1_of_averages": FORMULA_NAMES["f1_of_averages"],
}


def render_bounds(
    result: BoundsResult,
    output: OutputFormat = "text",
    *,
    witness: WitnessResult | None = None,
    labels: Sequence[str] | None = None,
    n_dropped: int = 0,
) -> str:
    """Print bounds; `witness` is a matrix that comes close to a supremum, `labels` are the names of the classes.

    In CSV, each cell of the matrix is a row; `bounds_notes` returns what does not fit into CSV.
    """
    if output == "json":
        content = result.to_dict()
        if witness is not None:
            content["witness"] = witness.to_dict()
        if labels is not None:
            content["labels"] = list(labels)
        content["notes"] = bounds_notes(result, witness=witness, n_dropped=n_dropped)
        return json_text(content)
    attained = witness or result.largest
    names = [] if attained is None else _class_names(attained, labels)
    header, rows = ["quantity", "where", "lowest", "highest"], _rows(result, witness, full=output == "csv")
    if output == "csv":
        if attained is None:
            return Table(header, rows).to_csv()
        cells = [["cell", "", "", "", names[gold], names[pred], str(n)] for gold, pred, n in attained.cells]
        return Table([*header, "gold", "predicted", "rows"], [*([*row, "", "", ""] for row in rows), *cells]).to_csv()
    table = Table(header, rows, n_text=2)
    about, assumed = _about(result, witness), _assumed(result, n_dropped)
    matrix = None
    if attained is not None:
        shown = len(names) <= _MOST_SHOWN
        heading = "Predictions as rows." if output == "latex" else "Predictions as rows:"
        about.append(heading if shown else Message("Its cells are printed with ", AS_CSV, "."))
        matrix = _matrix(attained.matrix(), names) if shown else None
    if output == "text":
        said = wrapped(" ".join(about))
        parts = [table.to_text(), "\n".join([said, *([] if matrix is None else [_fitting(matrix)])])]
        return "\n\n".join([*filter(None, parts), *map(wrapped, assumed)])
    if output == "markdown":
        parts = [table.to_markdown(), markdown_text(" ".join(about)), "" if matrix is None else matrix.to_markdown()]
        return "\n\n".join([*filter(None, parts), *map(markdown_text, assumed)])
    ranges = table.to_latex(
        caption="What is left for both macro F1s and the gap.", notes=assumed if matrix else [*about, *assumed]
    )
    return ranges if matrix is None else f"{ranges}\n{matrix.to_latex(caption=latex_text(' '.join(about)))}"


def bounds_notes(result: BoundsResult, *, witness: WitnessResult | None = None, n_dropped: int = 0) -> list[str]:
    """Return sentences about the matrix that attains a bound, and about the assumptions behind the ranges."""
    return [*_about(result, witness), *_assumed(result, n_dropped)]


def render_no_flip(result: NoFlipResult, output: OutputFormat = "text") -> str:
    """Print whether the other formula must rank two systems the same way."""
    content = result.to_dict()
    if output == "json":
        return json_text({**content, "notes": no_flip_notes(result)})
    if output == "csv":
        shown = {key: "" if value is None else str(value) for key, value in content.items()}
        return Table(["quantity", "value"], list(shown.items())).to_csv()
    if output == "text":
        return "\n\n".join(map(wrapped, no_flip_notes(result)))
    table = Table(
        ["quantity", "value"],
        [
            ["formula", _NAMES[result.formula]],
            ["better system", f"{result.better:g}"],
            ["worse system", f"{result.worse:g}"],
            ["classes", "any number" if result.n_classes is None else str(result.n_classes)],
            ["a flip is ruled out", "yes" if result.certain else "no"],
            ["needed to rule it out: above", f"{result.needed:.4f}"],
        ],
    )
    if output == "markdown":
        return "\n\n".join([table.to_markdown(), *no_flip_notes(result)])
    return table.to_latex(caption="Can the other formula rank two systems differently?", notes=no_flip_notes(result))


def no_flip_notes(result: NoFlipResult) -> list[str]:
    """Return the answer as sentences."""
    name, other = (
        ("F1 of averages", "averaged F1") if result.formula == "f1_of_averages" else ("averaged F1", "F1 of averages")
    )
    where = _where(result.n_classes)
    answer = (
        f"No flip: with {name} {result.better:g} and {result.worse:g}, {other} ranks the two systems in the same "
        f"order, whatever the data ({where})."
        if result.certain
        else f"A flip cannot be ruled out: with {name} {result.better:g} and {result.worse:g}, {other} may rank the "
        f"two systems the other way ({where}). Above {result.needed:.4f} against {result.worse:g} it could not."
    )
    return [answer, "Both scores are read as exact; where they were rounded, give the ends that lie closest."]


def _where(n_classes: int | None) -> str:
    return "any number of classes" if n_classes is None else counted(n_classes, "class", "classes")


def _rows(result: BoundsResult, witness: WitnessResult | None, *, full: bool) -> list[list[str]]:
    def ends(found: ScoreRange) -> list[str]:
        return [repr(end) if full else f"{end:.4f}" for end in (found.low, found.high)]

    where = _where(result.n_classes)
    rows = []
    if result.given and result.largest is None:
        rows += [
            ["averaged F1", where, *ends(result.averaged_f1)],
            ["F1 of averages", where, *ends(result.f1_of_averages)],
        ]
    rows.append(["gap", where, *ends(result.gap)])
    if result.binary is not None:
        rows.append(["averaged F1", "2 classes, one label per row", *ends(result.binary)])
    if result.any_n is not None:
        rows += _rows(result.any_n, None, full=full)
    if witness is not None:
        rows.append(["gap of the witness", "attained", *ends(ScoreRange(low=witness.gap, high=witness.gap))])
    if result.largest is not None:
        found = result.largest
        rows.append(["largest gap found", "attained", *ends(ScoreRange(low=found.gap, high=found.gap))])
    return rows


def _about(result: BoundsResult, witness: WitnessResult | None) -> list[str]:
    """Describe the matrix that comes with a bound, if any."""
    if witness is not None:
        where = _where(witness.n_classes)
        return [
            f"The supremum for {where} is {witness.supremum:.6g}; the witness, a confusion matrix, has a gap of "
            f"{witness.gap:.6g}."
        ]
    found = result.largest
    if found is None:
        return []
    rows = f"the {counted(sum(found.support), 'gold row')}"
    return [
        f"The largest gap that any classifier could have on {rows} is {found.gap:.6g} ({found.reason})."
        if found.exact
        else f"A classifier with a gap of {found.gap:.6g} on {rows} exists; none passes {found.limit:.6g} "
        f"({found.reason}).",
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
    return [
        *notes,
        f"Holds for {result.note}.",
        f"{read[:1].upper()}{read[1:]}; for rounded figures use mf1 audit.",
    ]


def _class_names(found: WitnessResult | LargestGapResult, labels: Sequence[str] | None) -> list[str]:
    n = found.n_classes if isinstance(found, WitnessResult) else len(found.support)
    return list(labels or map(str, range(1, n + 1)))


def _matrix(cells: list[list[int]], names: list[str]) -> Table:
    rows = [[name, *(f"{cell:,}" for cell in row)] for name, row in zip(names, cells, strict=True)]
    return Table(["predicted \\ gold", *names], rows)


def _fitting(matrix: Table) -> str:
    """Print a matrix; if it is wider than the terminal, list its few non-empty cells instead."""
    if matrix.text_width() <= text_width():
        return matrix.to_text()
    cells = [
        [predicted, gold, cell]
        for predicted, *row in matrix.rows
        for gold, cell in zip(matrix.header[1:], row, strict=True)
        if cell != "0"
    ]
    return Table(["predicted", "gold", "rows"], cells, n_text=2).to_text()
