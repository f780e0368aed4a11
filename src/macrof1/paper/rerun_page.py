"""The report of a reproduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from macrof1.errors import counted
from macrof1.paper import output
from macrof1.paper.claims import Claim
from macrof1.paper.paper_figures import Settings
from macrof1.reporting.document import Chart, Document, Part, Sentences, Table
from macrof1.reporting.rendering import records_table


def rerun_document(
    run: Mapping[str, output.Part], claims: Sequence[Claim], settings: Settings, versions: Mapping[str, str]
) -> Document:
    """Return what the parts that were run say."""
    rows = [[claim.name, claim.paper, claim.ours, claim.verdict, claim.why] for claim in claims]
    header = ["claim", "the paper", f"ours ({counted(settings.seeds, 'seed')})", "verdict", "why"]
    facts = {"seed": settings.seed, "seeds": settings.seeds, "quick": "yes" if settings.quick else "no", **versions}
    intro = (
        "The evidence of Opitz and Burst's paper (arXiv 1911.03347), computed again. Every number on this page is also "
        "in the CSV and JSON files beside it; every figure is there as PNG, SVG and PDF."
    )
    legend = (
        "holds: exact and true. inside, outside: the printed figure lies in our range over the seeds, or not. depends: "
        "on something that the paper does not give. false: as stated; the last column says what is true."
    )

    def parts() -> list[Part]:
        return [
            Sentences(items=[intro]),
            Sentences(items=[legend], title="Claims"),
            Table(header, rows, n_text=5),
            *(part for name, section in _SECTIONS.items() if name in run for part in section(run[name])),
            Table(["setting", "value"], [[key, str(value)] for key, value in facts.items()], title="This run"),
        ]

    return Document(
        title="Macro F1 and Macro F1, run again",
        parts=parts,
        data=lambda: {name: part.summary for name, part in run.items()},
        records=lambda _: Table(["claim", "paper", "ours", "verdict", "why"], rows),
    )


def _drawing(part: output.Part, name: str, caption: str, title: str = "") -> Chart:
    return Chart(svg=part.files[f"{name}.svg"].decode("utf-8"), caption=caption, title=title)


def _tables(part: output.Part) -> list[Part]:
    exact = "Predictions as rows; both scores as exact fractions."
    program = "The paper's program on Tables 3 and 4, our lines; equal to the printed ones where marked."
    lines = [[row["arguments"], row["ours"], "yes" if row["same"] else "no"] for row in part.summary["program"]]
    return [
        replace(records_table(part.summary["tables"]), title="Tables 1 to 4", caption=exact),
        Table(["arguments", "line", "same"], lines, n_text=3, caption=program),
    ]


def _fig1a(part: output.Part) -> list[Part]:
    names = {
        "rmsd": "root mean square difference",
        "pearson": "Pearson's correlation",
        "pearson_p": "its p-value",
        "spearman": "Spearman's correlation",
        "spearman_p": "its p-value",
        "max_f1_of_averages": "largest F1 of averages",
        "max_averaged_f1": "largest averaged F1",
    }
    ends = ("low", "mean", "high")
    rows = [[name, *(f"{part.summary[key][end]:.4g}" for end in ends)] for key, name in names.items()]
    caption = "1,000 data sets of 1,000 rows, gold drawn 95/5, each class predicted with probability 1/2 (first seed)."
    title = "Figure 1a: a random classifier on two classes, 95/5"
    return [_drawing(part, "fig1a", caption, title), Table(["statistic", "lowest", "mean", "highest seed"], rows)]


def _fig1b(part: output.Part) -> list[Part]:
    caption = (
        "Density of the gap over 1,000 data sets of 1,000 rows. The distributions are our choice: the legend of the "
        "paper's figure is lost."
    )
    title = "Figure 1b: the gap for other class distributions"
    return [_drawing(part, "fig1b", caption, title), records_table(part.summary["distributions"])]


_MODEL = (
    "Our reading of the experiment: a row gets its correct label with probability x, from chance (1/n) to 1, and one "
    "of the n - 1 others else. "
)


def _fig2(part: output.Part) -> list[Part]:
    model = (
        f"{_MODEL}Gold classes go from equal shares (y = 0) to shares proportional to 1, 2, …, n (y = 1); wrong labels "
        "are equally likely. The paper does not give the path from 0 to 1; the maximum lies at y = 1."
    )
    return [Sentences(items=[model], title="Figure 2: skewed gold classes"), *_surface(part, "fig2")]


def _fig3(part: output.Part) -> list[Part]:
    model = (
        f"{_MODEL}Gold classes have equal shares; wrong labels go from equally likely (y = 0) to likely in proportion "
        "to 1, 2, …, n (y = 1)."
    )
    floor = "The noise floor: balanced data, no true gap, 2,000 rows, in points; expected: n x (1 - x) / (2 N)."
    return [
        Sentences(items=[model], title="Figure 3: balanced gold classes, skewed errors"),
        *_surface(part, "fig3"),
        replace(records_table(part.summary["noise_floor"]), caption=floor),
    ]


def _surface(part: output.Part, name: str) -> list[Part]:
    drawn = (
        "Left: one data set of 2,000 rows per point, as in the paper (first seed). Right: the same without noise, in "
        "closed form. One scale of colour for all four."
    )
    rows = []
    for n in ("4", "13"):
        found = part.summary[n]
        top = found["population"]
        rows.append([f"n = {n}", "population", f"{top['largest_gap_points']:.3f}", "", f"x = {top['x']:.3f}"])
        for grid, span in found["grids"].items():
            seeds = f"{span['low']:.3f} to {span['high']:.3f}"
            rows.append([f"n = {n}", f"{grid} x {grid} points", f"{span['mean']:.3f}", seeds, ""])
    header = ["classes", "points", "largest gap (mean)", "over seeds", "at"]
    caption = (
        "Largest gap in percentage points: in the population, and over single noisy runs on grids of several sizes."
    )
    return [_drawing(part, name, drawn), Table(header, rows, n_text=2, caption=caption)]


def _plane(part: output.Part) -> list[Part]:
    caption = (
        "The population of Figure 2, n = 13, where its gap is largest: rare classes are over-recalled, frequent ones "
        "over-precise."
    )
    return [_drawing(part, "plane", caption, "Which classes make the gap")]


def _theorems(part: output.Part) -> list[Part]:
    checks = replace(records_table(part.summary["checks"]), caption="Violations, in exact arithmetic.")
    return [
        replace(checks, title="Lemma and theorems on all small matrices"),
        _drawing(part, "theorem3", "Theorem 3's sequences: half of the classes take the rows of the others."),
    ]


_SECTIONS: dict[str, Callable[[output.Part], list[Part]]] = {
    "tables": _tables,
    "fig1a": _fig1a,
    "fig1b": _fig1b,
    "fig2": _fig2,
    "fig3": _fig3,
    "plane": _plane,
    "theorems": _theorems,
}
