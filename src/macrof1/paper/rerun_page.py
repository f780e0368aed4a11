"""The report of a reproduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from macrof1.errors import counted
from macrof1.paper import output
from macrof1.paper.claims import Claim
from macrof1.paper.paper_figures import Settings
from macrof1.reporting.document import Chart, Document, Part, Sentences, Table


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
    rows = [
        [
            row["table"],
            row["matrix"],
            row["averaged_f1"],
            f"{row['averaged_f1_decimal']:.4f}",
            row["f1_of_averages"],
            f"{row['f1_of_averages_decimal']:.4f}",
            f"{row['gap_decimal']:.4f}",
        ]
        for row in part.summary["tables"]
    ]
    program = [[row["arguments"], row["ours"], "yes" if row["same"] else "no"] for row in part.summary["program"]]
    return [
        Table(
            ["table", "matrix", "averaged F1", "", "F1 of averages", "", "gap"],
            rows,
            n_text=2,
            title="Tables 1 to 4",
            caption="Predictions as rows; both scores as exact fractions.",
        ),
        Table(
            ["arguments", "line", "same"],
            program,
            n_text=3,
            caption="The paper's program on Tables 3 and 4, our lines; equal to the printed ones where marked.",
        ),
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
    rows = [
        [name, *(f"{part.summary[key][end]:.4g}" for end in ("low", "mean", "high"))] for key, name in names.items()
    ]
    caption = "1,000 data sets of 1,000 rows, gold drawn 95/5, each class predicted with probability 1/2 (first seed)."
    title = "Figure 1a: a random classifier on two classes, 95/5"
    return [
        _drawing(part, "fig1a", caption, title),
        Table(["statistic", "lowest seed", "mean", "highest seed"], rows),
    ]


def _fig1b(part: output.Part) -> list[Part]:
    caption = (
        "Density of the gap over 1,000 data sets of 1,000 rows. The distributions are our choice: the legend of the "
        "paper's figure is lost."
    )
    keys = ("population_gap", "mean_gap", "lowest_gap", "highest_gap")
    rows = [[row["distribution"], *(f"{row[key]:.4f}" for key in keys)] for row in part.summary["distributions"]]
    return [
        _drawing(part, "fig1b", caption, "Figure 1b: the gap for other class distributions"),
        Table(["distribution", "population", "mean", "lowest", "highest"], rows),
    ]


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
    rows = [
        [str(row["n"]), str(row["x"]), f"{row['mean_gap_points']:.4f}", f"{row['expected_gap_points']:.4f}"]
        for row in part.summary["noise_floor"]
    ]
    floor = "The noise floor: balanced data, no true gap, 2,000 rows, in percentage points."
    return [
        Sentences(items=[model], title="Figure 3: balanced gold classes, skewed errors"),
        *_surface(part, "fig3"),
        Table(["classes", "x", "mean gap drawn", "n x (1 - x) / (2 N)"], rows, caption=floor),
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
    counts = {
        "theorem_1_violations": "Theorem 1",
        "lemma_violations": "Lemma",
        "theorem_2_violations": "Theorem 2",
        "theorem_2_violations_all_tp_positive": "2, all tp > 0",
        "theorem_2_corrected_violations": "2, corrected",
        "theorem_3_violations": "Theorem 3",
    }
    rows = [
        [
            f"n = {check['n']}, cells 0 to {check['most']}",
            f"{check['matrices']:,}",
            *(f"{check[key]:,}" for key in counts),
            check["largest_gap"],
            check["supremum"],
        ]
        for check in part.summary["checks"]
    ]
    return [
        Table(
            ["matrices", "number", *counts.values(), "largest gap", "supremum"],
            rows,
            title="Lemma and theorems on all small matrices",
            caption="Violations, in exact arithmetic.",
        ),
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
