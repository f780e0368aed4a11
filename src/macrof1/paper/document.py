"""The report of a reproduction as one page that works offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from macrof1.errors import counted
from macrof1.paper.claims import Claim
from macrof1.paper.figures import Settings
from macrof1.paper.output import Part
from macrof1.reporting.page import Page
from macrof1.reporting.table import Table


def document(
    parts: Mapping[str, Part], claims: Sequence[Claim], settings: Settings, versions: Mapping[str, str], command: str
) -> str:
    """Print the page for the parts that were run."""
    page = Page("Macro F1 and Macro F1, run again")
    page.text(
        "The evidence of Opitz and Burst's paper (arXiv 1911.03347), computed again. Every number on this page is also "
        "in the CSV and JSON files beside it; every figure is there as PNG, SVG and PDF."
    )
    page.heading("Claims")
    page.text(
        "holds: exact and true. inside, outside: the printed figure lies in our range over the seeds, or not. depends: "
        "on something that the paper does not give. false: as stated; the last column says what is true."
    )
    rows = [[claim.name, claim.paper, claim.ours, claim.verdict, claim.why] for claim in claims]
    header = ["claim", "the paper", f"ours ({counted(settings.seeds, 'seed')})", "verdict", "why"]
    page.table(Table(header, rows, n_text=5))
    for name, show in _SECTIONS.items():
        if name in parts:
            show(page, parts[name])
    page.heading("This run")
    facts = {"seed": settings.seed, "seeds": settings.seeds, "quick": "yes" if settings.quick else "no", **versions}
    page.table(Table(["setting", "value"], [[key, str(value)] for key, value in facts.items()]))
    return page.html(command=command)


def _drawing(page: Page, part: Part, name: str, caption: str) -> None:
    page.drawing(part.files[f"{name}.svg"].decode("utf-8"), caption=caption)


def _tables(page: Page, part: Part) -> None:
    page.heading("Tables 1 to 4")
    page.text("Predictions as rows; both scores as exact fractions.")
    page.table(
        Table(
            ["table", "matrix", "averaged F1", "", "F1 of averages", "", "gap"],
            [
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
            ],
            n_text=2,
        )
    )
    page.text("The paper's program on Tables 3 and 4, our lines; equal to the printed ones where marked.")
    page.table(
        Table(
            ["arguments", "line", "same"],
            [[row["arguments"], row["ours"], "yes" if row["same"] else "no"] for row in part.summary["program"]],
            n_text=3,
        )
    )


def _fig1a(page: Page, part: Part) -> None:
    page.heading("Figure 1a: a random classifier on two classes, 95/5")
    _drawing(
        page,
        part,
        "fig1a",
        "1,000 data sets of 1,000 rows, gold drawn 95/5, each class predicted with probability 1/2 (first seed).",
    )
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
    page.table(Table(["statistic", "lowest seed", "mean", "highest seed"], rows))


def _fig1b(page: Page, part: Part) -> None:
    page.heading("Figure 1b: the gap for other class distributions")
    _drawing(
        page,
        part,
        "fig1b",
        "Density of the gap over 1,000 data sets of 1,000 rows. The distributions are our choice: the legend of "
        "the paper's figure is lost.",
    )
    rows = [
        [
            row["distribution"],
            *(f"{row[key]:.4f}" for key in ("population_gap", "mean_gap", "lowest_gap", "highest_gap")),
        ]
        for row in part.summary["distributions"]
    ]
    page.table(Table(["distribution", "population", "mean", "lowest", "highest"], rows))


_MODEL = (
    "Our reading of the experiment: a row gets its correct label with probability x, from chance (1/n) to 1, and one "
    "of the n - 1 others else. "
)


def _fig2(page: Page, part: Part) -> None:
    page.heading("Figure 2: skewed gold classes")
    page.text(
        _MODEL
        + "Gold classes go from equal shares (y = 0) to shares proportional to 1, 2, …, n (y = 1); wrong labels are "
        "equally likely. The paper does not give the path from 0 to 1; the maximum lies at y = 1."
    )
    _surface(page, part, "fig2")


def _fig3(page: Page, part: Part) -> None:
    page.heading("Figure 3: balanced gold classes, skewed errors")
    page.text(
        _MODEL
        + "Gold classes have equal shares; wrong labels go from equally likely (y = 0) to likely in proportion to "
        "1, 2, …, n (y = 1)."
    )
    _surface(page, part, "fig3")
    rows = [
        [str(row["n"]), str(row["x"]), f"{row['mean_gap_points']:.4f}", f"{row['expected_gap_points']:.4f}"]
        for row in part.summary["noise_floor"]
    ]
    page.text("The noise floor: balanced data, no true gap, 2,000 rows, in percentage points.")
    page.table(Table(["classes", "x", "mean gap drawn", "n x (1 - x) / (2 N)"], rows))


def _surface(page: Page, part: Part, name: str) -> None:
    _drawing(
        page,
        part,
        name,
        "Left: one data set of 2,000 rows per point, as in the paper (first seed). Right: the same without noise, in "
        "closed form. One scale of colour for all four.",
    )
    rows = []
    for n in ("4", "13"):
        found = part.summary[n]
        top = found["population"]
        rows.append([f"n = {n}", "population", f"{top['largest_gap_points']:.3f}", "", f"x = {top['x']:.3f}"])
        for grid, span in found["grids"].items():
            rows.append(
                [
                    f"n = {n}",
                    f"{grid} x {grid} points",
                    f"{span['mean']:.3f}",
                    f"{span['low']:.3f} to {span['high']:.3f}",
                    "",
                ]
            )
    page.text(
        "Largest gap in percentage points: in the population, and over single noisy runs on grids of several sizes."
    )
    page.table(Table(["classes", "points", "largest gap (mean)", "over seeds", "at"], rows, n_text=2))


def _plane(page: Page, part: Part) -> None:
    page.heading("Which classes make the gap")
    _drawing(
        page,
        part,
        "plane",
        "The population of Figure 2, n = 13, where its gap is largest: rare classes are over-recalled, frequent ones "
        "over-precise.",
    )


def _theorems(page: Page, part: Part) -> None:
    page.heading("Lemma and theorems on all small matrices")
    rows = [
        [
            f"n = {check['n']}, cells 0 to {check['most']}",
            f"{check['matrices']:,}",
            *(
                f"{check[key]:,}"
                for key in (
                    "theorem_1_violations",
                    "lemma_violations",
                    "theorem_2_violations",
                    "theorem_2_violations_all_tp_positive",
                    "theorem_2_corrected_violations",
                    "theorem_3_violations",
                )
            ),
            check["largest_gap"],
            check["supremum"],
        ]
        for check in part.summary["checks"]
    ]
    page.text("Violations, in exact arithmetic.")
    header = ["matrices", "number", "Theorem 1", "Lemma", "Theorem 2", "2, all tp > 0", "2, corrected", "Theorem 3"]
    page.table(Table([*header, "largest gap", "supremum"], rows))
    _drawing(page, part, "theorem3", "Theorem 3's sequences: half of the classes take the rows of the others.")


_SECTIONS = {
    "tables": _tables,
    "fig1a": _fig1a,
    "fig1b": _fig1b,
    "fig2": _fig2,
    "fig3": _fig3,
    "plane": _plane,
    "theorems": _theorems,
}
