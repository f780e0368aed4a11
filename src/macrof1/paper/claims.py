"""What the paper claims next to what a re-run gives, and the errors in the paper, each with its smallest example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from macrof1.bounding.closed_forms import gap_supremum
from macrof1.paper.program import TABLES, ExactScores
from macrof1.paper.simulation import worst_population
from macrof1.result import Result

Verdict: TypeAlias = Literal["holds", "inside", "outside", "depends", "false", "misprint", "not checked"]
"""holds: verified exactly. inside/outside: the printed figure lies inside or outside the range over seeds. depends: on
something that the paper does not give. false: as stated; the row says what is true. misprint: harmless."""

VERDICT_WORDS: dict[Verdict, str] = {
    "holds": "true",
    "inside": "inside our range over seeds, as printed",
    "outside": "outside our range over seeds, as printed",
    "depends": "dependent on something that the paper does not give",
    "false": "false as stated",
    "misprint": "misprinted, without changing a result",
    "not checked": "not checked here",
}


@dataclass(frozen=True, slots=True)
class Claim(Result):
    """One row of the table: what is claimed, what the paper says, what we find, and why the two differ if they do."""

    name: str
    paper: str
    ours: str
    verdict: Verdict
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"claim": self.name, "paper": self.paper, "ours": self.ours, "verdict": self.verdict, "why": self.why}


def errata() -> list[Claim]:
    """Return all errata; the numbers in the examples are computed here, in exact fractions."""

    def shown(exact: ExactScores) -> str:
        precision, recall = (", ".join(map(str, values)) for values in (exact.precision, exact.recall))
        return f"precision ({precision}), recall ({recall}), gap {exact.gap}"

    constant = ExactScores.of_matrix([[1, 1], [0, 0]])
    one_sided = ExactScores.of_matrix([[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    # (tp, predicted, actual) of labels with (tp, fp, fn) = (1, 1, 0), twice, and (1, 1, 0), (1, 2, 0)
    several_equal = ExactScores.of([(1, 2, 1), (1, 2, 1)])
    several = ExactScores.of([(1, 2, 1), (1, 3, 1)])
    far_apart = ExactScores.of([(1, 10, 1), (1, 10, 1), (0, 0, 18)])
    close = ExactScores.of_matrix([[9, 1], [0, 10]])
    table_2 = ExactScores.of_matrix(TABLES["Table 2"]).f1_of_averages
    found: list[tuple[str, str, str, Verdict, str]] = [
        (
            "Theorem 2, as printed (its smallest counter-examples)",
            "three statements are equivalent",
            f"[[1, 1], [0, 0]]: {shown(constant)}. [[1, 0, 1], [0, 1, 0], [0, 0, 0]]: {shown(one_sided)}",
            "false",
            "needs a true positive in every class. A consequence: the most biased classifier, one that always predicts "
            "the same class, is not rewarded by F1 of averages",
        ),
        (
            "abstract: several labels per row",
            "the results cover them",
            f"labels with tp, fp, fn = 1, 1, 0 and 1, 1, 0: {shown(several_equal)}; with 1, 1, 0 and 1, 2, 0: "
            f"{shown(several)}",
            "false",
            "Theorem 2 fails even with true positives everywhere, since predicted and gold labels need not be equally "
            "many. Theorems 1 and 3 and the Lemma stay true",
        ),
        (
            "Table 2",
            "F1 of averages 0.55",
            f"{table_2} = {float(table_2):.4f}",
            "misprint",
            f"{float(table_2):.2f}: it was cut, not rounded",
        ),
        (
            "program",
            "a listing in Haskell",
            "P_x, R_x, P_y and R_y begin with capitals, which Haskell reads as constructors",
            "not checked",
            "it compiles (GHC 9.0.2) once the four names are in lower case, and then prints the eight lines; no "
            "Haskell compiler takes part in this run",
        ),
        (
            "program: undefined ratios",
            "undefined ratios are 0",
            f"[[1, 1], [0, 0]]: averaged F1 {constant.averaged_f1} by the text; the listing prints NaN",
            "misprint",
            "`mf1 N CELL…` follows the text",
        ),
        (
            "proof of Theorem 3, part (ii)",
            "σ stands under the whole fraction; x_i y_i",
            "with X = ΣP and Y = ΣR the derivative of XY / (X + Y) by X is Y² / (X + Y)²",
            "misprint",
            "σ is the denominator alone, and x_i y_j is meant; σ is taken already in the Lemma's proof",
        ),
        (
            "proof of Theorem 3",
            "{(0, 1), (1, 0)}^(2×n); two steps",
            "n pairs are n factors, not 2n; three steps follow",
            "misprint",
            "the exponent is n; sums leave out classes with P + R = 0, and step (iii) is 0/0 for r = s = 0",
        ),
        (
            "proof of the Lemma",
            "n Σ P_x + R_x",
            "n Σ (P_x + R_x) is meant",
            "misprint",
            "Theorem 1 follows from the Lemma where some class has a true positive; else both scores are 0",
        ),
        (
            "Theorem 3: supremum",
            "the difference can be as high as 0.5",
            f"supremum {gap_supremum(2)} for n = 2, {gap_supremum(3)} for n = 3, {gap_supremum(1)} for n = 1",
            "misprint",
            "approached, never reached: precision 1 needs a true positive, and then recall is not 0. The proof covers "
            "n >= 2; the formula is right for n = 1 too",
        ),
        (
            "text: the gap is large when |P - R| is large in many classes",
            "many large |P - R|",
            f"tp, predicted, gold = 1, 10, 1 twice and 0, 0, 18: {shown(far_apart)}; [[9, 1], [0, 10]]: {shown(close)}",
            "false",
            "what counts is how much P / (P + R) differs between classes, not how far P is from R",
        ),
        (
            "Figures 1b, 2 and 3",
            "no legend, no grid",
            "1.7 percentage points (Figure 3, n = 13) are above the expected maximum, "
            f"{worst_population('fig3', 13)['largest_gap_points']:.2f}",
            "depends",
            "see the rows of the figures: which grid was used cannot be told from the maxima alone",
        ),
    ]
    return [Claim(f"Erratum {number}: {where}", *rest) for number, (where, *rest) in enumerate(found, 1)]  # type: ignore[arg-type]  # unpacked
