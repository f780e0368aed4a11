"""Bounds in every output format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from macrof1.report.scores import OutputFormat
from macrof1.report.table import Table
from macrof1.scores.bounding import BoundsResult, NoFlipResult, ScoreRange
from macrof1.scores.largest_gap import LargestGapResult
from macrof1.scores.supremum import WitnessResult

__all__ = ["render_bounds", "render_no_flip"]

# Larger matrices are left to JSON and CSV.
_MOST_SHOWN = 12


def render_bounds(
    result: BoundsResult,
    output: OutputFormat = "text",
    *,
    witness: WitnessResult | None = None,
    labels: Sequence[str] | None = None,
) -> str:
    """Print bounds; `witness` is a matrix that comes close to a supremum, `labels` name the classes of a support."""
    content = result.to_dict()
    if witness is not None:
        content["witness"] = witness.to_dict()
    if labels is not None:
        content["labels"] = list(labels)
    if output == "json":
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    table = Table(["quantity", "where", "lowest", "highest"], _rows(result, witness, full=output == "csv"), n_text=2)
    if output != "text":
        return _printed(table, output)
    parts = [table.to_text()]
    n = result.n_classes
    if witness is not None:
        parts.append(
            f"The supremum for {n} classes is {witness.supremum:.6g}. This matrix (predictions as rows) has a gap of "
            f"{witness.gap:.6g}:\n{_matrix(witness.matrix(), None)}"
            if n is not None and n <= _MOST_SHOWN
            else f"A matrix with a gap of {witness.gap:.6g} is printed by --format json."
        )
    if result.largest is not None:
        parts.append(_largest(result.largest, labels))
    parts.append(
        f"Holds for {result.note}." if result.given and result.largest is None else f"{result.note}.".capitalize()
    )
    return "\n\n".join(parts)


def render_no_flip(result: NoFlipResult, output: OutputFormat = "text") -> str:
    """Print whether the other formula must keep an order."""
    if output == "json":
        return json.dumps(result.to_dict(), indent=2, allow_nan=False)
    if output != "text":
        rows = [[key, str(value)] for key, value in result.to_dict().items()]
        return _printed(Table(["quantity", "value"], rows), output)
    name, other = (
        ("F1 of averages", "averaged F1") if result.formula == "f1_of_averages" else ("averaged F1", "F1 of averages")
    )
    where = "any number of classes" if result.n_classes is None else f"{result.n_classes} classes"
    if result.certain:
        return (
            f"No flip: with {name} {result.better:g} and {result.worse:g}, {other} ranks the two systems in the same "
            f"order, whatever the data ({where})."
        )
    return (
        f"A flip cannot be ruled out: with {name} {result.better:g} and {result.worse:g}, {other} may rank the two "
        f"systems the other way ({where}). Above {result.needed:.4f} against {result.worse:g} it could not."
    )


def _printed(table: Table, output: str) -> str:
    if output == "csv":
        return table.to_csv()
    return table.to_latex() if output == "latex" else table.to_markdown()


def _rows(result: BoundsResult, witness: WitnessResult | None, *, full: bool) -> list[list[str]]:
    def ends(found: ScoreRange) -> list[str]:
        return [repr(end) if full else f"{end:.4f}" for end in (found.low, found.high)]

    where = "any number of classes" if result.n_classes is None else f"{result.n_classes} classes"
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


def _largest(found: LargestGapResult, labels: Sequence[str] | None) -> str:
    words = [
        f"The largest gap that any classifier could have on these {sum(found.support):,} gold rows is {found.gap:.6g} "
        f"({found.reason})."
        if found.exact
        else f"A classifier with a gap of {found.gap:.6g} on these {sum(found.support):,} gold rows exists; none "
        f"passes {found.limit:.6g} ({found.reason}).",
        f"It has averaged F1 {found.averaged_f1:.4f} and F1 of averages {found.f1_of_averages:.4f}.",
    ]
    if len(found.support) <= _MOST_SHOWN:
        return f"{' '.join(words)} Predictions as rows:\n{_matrix(found.matrix(), labels)}"
    return f"{' '.join(words)} Its matrix is printed by --format json."


def _matrix(cells: list[list[int]], labels: Sequence[str] | None) -> str:
    names: Any = labels or [str(place) for place in range(1, len(cells) + 1)]
    rows = [[name, *(f"{cell:,}" for cell in row)] for name, row in zip(names, cells, strict=True)]
    return Table(["predicted \\ gold", *names], rows).to_text()
