"""What the paper claims, what a re-run gives, and why the two differ if they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from macrof1.paper.errata import errata
from macrof1.result import Result

Verdict: TypeAlias = Literal["holds", "inside", "outside", "depends", "false", "misprint", "not checked"]
"""holds: verified exactly. inside/outside: the printed figure lies inside or outside the range over seeds. depends: on
something that the paper does not give. false: as stated; the row says what is true. misprint: harmless."""

VERDICT_WORDS: dict[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "inside": ("printed figure lies inside our range over seeds", "printed figures lie inside our range over seeds"),
    "outside": ("printed figure lies outside our range over seeds", "printed figures lie outside our range over seeds"),
    "depends": (
        "depends on something that the paper does not give",
        "depend on something that the paper does not give",
    ),
    "false": ("is false as stated", "are false as stated"),
    "misprint": ("is a misprint that changes no result", "are misprints that change no result"),
    "not checked": ("is not checked here", "are not checked here"),
}
"""A verdict in words: for one claim, and for several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Result):
    """One row of the table."""

    name: str
    paper: str
    ours: str
    verdict: Verdict
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"claim": self.name, "paper": self.paper, "ours": self.ours, "verdict": self.verdict, "why": self.why}


def claims(summaries: Mapping[str, Any]) -> list[Claim]:
    """Return the rows for the parts that were run; `summaries` maps the name of a part to its summary."""
    rows: list[Claim] = []
    for part, make in _ROWS.items():
        if part in summaries:
            rows += make(summaries[part])
    return rows


def _inside(printed: str, low: float, high: float) -> bool:
    """Return whether any value in a range rounds to the printed figure."""
    digits = len(printed.partition(".")[2])
    half = Fraction(1, 2 * 10**digits)
    value = Fraction(printed)
    return float(value - half) <= high and low <= float(value + half)


def _tables(summary: Mapping[str, Any]) -> Iterator[Claim]:
    first, second, third, fourth = summary["tables"]
    flipped = (
        first["averaged_f1_decimal"] > second["averaged_f1_decimal"]
        and first["f1_of_averages_decimal"] < second["f1_of_averages_decimal"]
    )
    yield Claim(
        name="Tables 1 and 2: the formulas rank two classifiers differently",
        paper="averaged F1 prefers the first, F1 of averages the second",
        ours=f"averaged F1 {first['averaged_f1']} > {second['averaged_f1']}, "
        f"F1 of averages {first['f1_of_averages']} < {second['f1_of_averages']}",
        verdict="holds" if flipped else "false",
        why="exact",
    )
    apart = third["f1_of_averages"] == "51/101" and third["averaged_f1"] == "1/51"
    yield Claim(
        name="Table 3: a gap close to 0.5",
        paper="0.504950495049505 and 0.0196078431372549",
        ours=f"{third['f1_of_averages']} and {third['averaged_f1']}, gap {third['gap_decimal']:.4f}",
        verdict="holds" if apart else "false",
        why="exact",
    )
    yield Claim(
        name="Table 4: no gap",
        paper="both 0.0196078431372549",
        ours=f"both {fourth['averaged_f1']}, gap {fourth['gap']}",
        verdict="holds" if fourth["gap"] == "0" else "false",
        why="exact: the matrix is symmetric, so that precision equals recall",
    )
    same = sum(bool(row["same"]) for row in summary["program"])
    yield Claim(
        name="The program's two runs",
        paper=f"{len(summary['program'])} lines",
        ours=f"{same} of {len(summary['program'])} lines the same, character for character",
        verdict="holds" if same == len(summary["program"]) else "false",
        why="exact fractions, rounded once",
    )


_FIGURE_1A = {
    "rmsd": ("root mean square difference", "0.13"),
    "pearson": ("Pearson's correlation", "0.72"),
    "spearman": ("Spearman's correlation", "0.69"),
    "max_f1_of_averages": ("largest F1 of averages", "0.56"),
    "max_averaged_f1": ("largest averaged F1", "0.41"),
}


def _figure_1a(summary: Mapping[str, Any]) -> Iterator[Claim]:
    for key, (name, printed) in _FIGURE_1A.items():
        low, high = summary[key]["low"], summary[key]["high"]
        inside = _inside(printed, low, high)
        why = "gold labels drawn, not fixed"
        if key in ("pearson", "spearman"):
            other = summary["stratified"][key]
            out = "outside" if not _inside(printed, other["low"], other["high"]) else "inside"
            why += (
                f": with exactly 950 and 50 gold rows it would be {other['low']:.3f} to {other['high']:.3f}, and the "
                f"paper's figure {out}; p below {summary[key + '_p']['high']:.0e} in every seed"
            )
        yield Claim(
            name=f"Figure 1a: {name}",
            paper=printed,
            ours=f"{low:.4f} to {high:.4f}",
            verdict="inside" if inside else "outside",
            why=why,
        )


def _figure_1b(summary: Mapping[str, Any]) -> Iterator[Claim]:
    gaps = {row["distribution"]: row for row in summary["distributions"]}
    steep = gaps["2 classes: 99/1"]
    yield Claim(
        name="Figure 1b: the gap of a random classifier grows with class imbalance",
        paper="densities for several distributions",
        ours=f"population gap {gaps['2 classes: 70/30']['population_gap']:.4f} at 70/30, "
        f"{gaps['2 classes: 90/10']['population_gap']:.4f} at 90/10, {steep['population_gap']:.4f} at 99/1",
        verdict="depends",
        why="the legend of the figure is lost: the distributions are our choice. F1 of averages is 1/n in the "
        "population whatever the distribution",
    )


def _surface(figure: str, printed: Mapping[str, str], what: str) -> Any:
    def rows(summary: Mapping[str, Any]) -> Iterator[Claim]:
        for n, value in printed.items():
            found = summary[n]
            spans = {grid: (span["low"], span["high"]) for grid, span in found["grids"].items()}
            inside = [grid for grid, (low, high) in spans.items() if _inside(value, low, high)]
            listed = ", ".join(f"{low:.2f} to {high:.2f} on {grid} x {grid}" for grid, (low, high) in spans.items())
            where = found["population"]
            without = [grid for grid in spans if grid not in inside]
            why = (
                "the paper does not give its grid; the largest of many noisy points grows with their number. "
                f"Inside on {', '.join(f'{grid} x {grid}' for grid in inside) or 'none'}"
                + (f", not on {', '.join(f'{grid} x {grid}' for grid in without)}" if without else "")
            )
            yield Claim(
                name=f"{figure}, n = {n}: largest gap in percentage points ({what})",
                paper=value if figure == "Figure 3" else f"up to {value}",
                ours=f"{listed}; population {where['largest_gap_points']:.3f} at x = {where['x']:.3f}, "
                f"y = {where['y']:.0f}",
                verdict="inside" if inside and not without else ("depends" if inside else "outside"),
                why=why,
            )
        if figure == "Figure 2":
            stray = summary["13"]["population"]
            yield Claim(
                name="Figure 2: both scores are roughly proportional to x",
                paper="roughly proportional",
                ours=f"at n = 13 and y = 1 averaged F1 is within {stray['averaged_f1_from_x']:.3f} of x, "
                f"F1 of averages within {stray['f1_of_averages_from_x']:.3f}",
                verdict="holds",
                why="population values in closed form; they are close to x itself",
            )
        else:
            above = summary["13"]["population"]["largest_gap_points"]
            yield Claim(
                name="Figure 3, n = 13: 1.7 percentage points as an effect",
                paper="1.7",
                ours=f"{above:.2f} in the population",
                verdict="depends",
                why="the printed maximum is above the expected one: it contains noise. On balanced data without any "
                "effect noise alone makes a gap of about n x (1 - x) / (2 N): "
                + "; ".join(
                    f"n = {row['n']}, x = {row['x']}: {row['mean_gap_points']:.3f} drawn, "
                    f"{row['expected_gap_points']:.3f} expected"
                    for row in summary["noise_floor"]
                ),
            )

    return rows


def _theorems(summary: Mapping[str, Any]) -> Iterator[Claim]:
    checked = summary["checks"]
    matrices = sum(check["matrices"] for check in checked)
    ranges = "; ".join(f"n = {check['n']}, cells 0 to {check['most']}" for check in checked)

    def total(key: str) -> int:
        return sum(int(check[key]) for check in checked)

    for name, key, says in (
        ("Theorem 1", "theorem_1_violations", "the gap is never negative"),
        ("Lemma", "lemma_violations", "the gap is a sum over pairs of classes"),
        ("Theorem 3", "theorem_3_violations", "the supremum is 2 ⌊n/2⌋ ⌈n/2⌉ / n²"),
    ):
        why = f"all matrices with {ranges}; exact"
        if key == "theorem_3_violations":
            last = max(summary["sequences"], key=lambda row: (row["n"] == 2, row["rows_moved"]))
            why += f"; the sequences come within {last['distance']:.1e} at n = 2; never reached for n > 1"
        yield Claim(
            name=name,
            paper=says,
            ours=f"{total(key)} violations in {matrices:,} matrices",
            verdict="holds" if total(key) == 0 else "false",
            why=why,
        )
    two, three = (next(check for check in checked if check["n"] == n) for n in (2, 3))
    failed = total("theorem_2_violations")
    yield Claim(
        name="Theorem 2, as printed",
        paper="equivalent: the gap is positive; precision and recall differ somewhere; some class has higher precision "
        "and some class higher recall",
        ours=f"{two['theorem_2_violations']} of {two['matrices']:,} matrices with n = {two['n']} and "
        f"{three['theorem_2_violations']:,} of {three['matrices']:,} with n = {three['n']} break it",
        verdict="false" if failed else "holds",
        why=f"smallest: {two['theorem_2_counterexample']}, a constant classifier, has no gap although precision and "
        f"recall differ; {three['theorem_2_positive_gap_one_sided']} has a gap although no class has higher precision. "
        f"True where every class has a true positive ({total('theorem_2_violations_all_tp_positive')} violations); the "
        "next row has the form that is always true",
    )
    yield Claim(
        name="Theorem 2, corrected",
        paper="not in it: the gap is positive exactly when gold / predicted is not the same for all classes with a "
        "true positive",
        ours=f"{total('theorem_2_corrected_violations')} violations in {matrices:,} matrices",
        verdict="holds" if total("theorem_2_corrected_violations") == 0 else "false",
        why=f"all matrices with {ranges}; exact",
    )


def _errata(_: Mapping[str, Any]) -> Iterator[Claim]:
    for erratum in errata():
        yield Claim(
            name=f"Erratum {erratum.number}: {erratum.where}",
            paper=erratum.paper,
            ours=erratum.example,
            verdict=erratum.kind,
            why=erratum.correct,
        )


_ROWS = {
    "tables": _tables,
    "fig1a": _figure_1a,
    "fig1b": _figure_1b,
    "fig2": _surface("Figure 2", {"4": "2", "13": "2"}, "skewed gold"),
    "fig3": _surface("Figure 3", {"4": "0.8", "13": "1.7"}, "balanced gold, skewed errors"),
    "theorems": _theorems,
    "errata": _errata,
}
