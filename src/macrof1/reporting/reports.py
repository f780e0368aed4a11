"""A system's scores as one HTML file to share."""

from __future__ import annotations

from macrof1.bounding.closed_forms import harmonic_mean, lowest_averaged_f1
from macrof1.convention import FORMULA_NAMES, FORMULAS
from macrof1.errors import ConventionError, MissingExtraError
from macrof1.labels import label_text
from macrof1.reporting.intervals import ScoreIntervals
from macrof1.reporting.page import Page
from macrof1.reporting.scores import class_table, roughly
from macrof1.reporting.table import Table
from macrof1.scoring.result import ScoreResult
from macrof1.scoring.systems import reasons_of, score_conventions

_MOST_DRAWN = 40


def score_page(
    result: ScoreResult,
    *,
    command: str | None = None,
    confidence_level: float | None = 0.95,
) -> str:
    """Return both scores, the gap and its causes as a self-contained HTML page.

    Examples
    --------
    >>> import macrof1
    >>> page = score_page(macrof1.score(["<b>", "<b>", "y"], ["<b>", "y", "y"]), command="mf1 score x.csv")
    >>> "<b>" in page, "&lt;b&gt;" in page
    (False, True)
    """
    page = Page("Both macro F1s")
    intervals = ScoreIntervals.of(result, confidence_level)
    scores = [
        [FORMULA_NAMES[formula], f"{getattr(result, formula):.4f}", intervals.ends(formula, 4)] for formula in FORMULAS
    ]
    scores += [
        ["gap", f"{result.gap:.4f}"],
        *([] if result.noise_floor is None else [["sampling noise of the gap", roughly(result.noise_floor, 4)]]),
        ["macro precision", f"{result.macro_precision:.4f}"],
        ["macro recall", f"{result.macro_recall:.4f}"],
        ["classes", f"{result.n_classes:,}"],
    ]
    if result.n_rows is not None:
        scores.append(["rows", f"{result.n_rows:,}"])
    page.table(Table(["", "value", intervals.title], [[*row, ""][:3] for row in scores]))
    page.text(result.explanation, *result.notes, *intervals.notes)
    _draw(page, result)
    page.heading("Classes")
    page.table(class_table(result, 4))
    pairs = result.pairs(most=10) if _has_shares(result) else []
    if pairs:
        page.heading("Pairs of classes that make the gap")
        page.table(
            Table(
                ["over-precise", "over-recalled", "share of gap"],
                [
                    [label_text(pair.over_precise), label_text(pair.over_recalled), f"{pair.contribution:.4f}"]
                    for pair in pairs
                ],
                n_text=2,
            )
        )
    if result.beta == 1:
        page.heading("What other tools would print")
        page.table(_conventions(result))
    page.heading("Signatures")
    page.code(*map(result.signature, FORMULAS))
    return page.html(command=command)


def _has_shares(result: ScoreResult) -> bool:
    """Whether the gap is a sum over classes, which it is not if undefined ratios are left out of the means."""
    try:
        result.pairs(most=1)
    except ConventionError:
        return False
    return True


def _conventions(result: ScoreResult) -> Table:
    groups = score_conventions(result.counts).groups
    return Table(
        ["macro F1", "printed by", "because"],
        [
            ["undefined" if value is None else f"{value:.4f}", ", ".join(names), reason]
            for value, members in groups
            for reason, names in reasons_of(members)
        ],
        n_text=3,
    )


def _draw(page: Page, result: ScoreResult) -> None:
    from macrof1.reporting.charts.gap import axis_chart, pairs_chart
    from macrof1.reporting.charts.plane import plane_chart

    shaded = ""
    if result.beta == 1 and result.undefined in (0, 1):
        low = lowest_averaged_f1(result.macro_precision, result.macro_recall, result.n_classes)
        high = harmonic_mean(result.macro_precision, result.macro_recall)
        shaded = f" Grey: what averaged F1 could be with the same macro precision and recall, {low:.4f} to {high:.4f}."
    try:
        page.chart(axis_chart(result), caption=f"Both scores; the bar between them is the gap.{shaded}")
        if not _has_shares(result):
            return
        page.chart(plane_chart(result), caption="Every class; the area of a point is its share of the gap.")
        if 2 <= result.n_classes <= _MOST_DRAWN and result.gap:
            page.chart(pairs_chart(result), caption="What every pair of classes contributes to the gap.")
    except MissingExtraError as error:
        page.text(str(error))
