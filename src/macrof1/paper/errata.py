"""Errors in the paper, each with the smallest example that shows it, computed on demand."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from macrof1.bounding.closed_forms import gap_supremum
from macrof1.paper.exact import ExactScores
from macrof1.paper.paper_figures import worst_population
from macrof1.paper.paper_tables import TABLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """One error: its place in the paper, what the paper says, an example, and what is correct."""

    number: int
    where: str
    paper: str
    example: str
    kind: Literal["false", "misprint", "depends", "not checked"]
    correct: str


def _listed(values: tuple[Fraction, ...]) -> str:
    return f"({', '.join(map(str, values))})"


def _shown(exact: ExactScores) -> str:
    return f"precision {_listed(exact.precision)}, recall {_listed(exact.recall)}, gap {exact.gap}"


def errata() -> list[Erratum]:
    """Return all errata; the numbers in the examples are computed here, in exact fractions."""
    return sorted([*_of_theorems(), *_of_numbers(), *_of_proofs()], key=lambda erratum: erratum.number)


def _of_theorems() -> list[Erratum]:
    """Return the statements that a counter-example refutes."""
    constant = ExactScores.of_matrix([[1, 1], [0, 0]])
    one_sided = ExactScores.of_matrix([[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    # (tp, predicted, actual) of labels with (tp, fp, fn) = (1, 1, 0), twice, and (1, 1, 0), (1, 2, 0)
    several_equal = ExactScores.of([(1, 2, 1), (1, 2, 1)])
    several = ExactScores.of([(1, 2, 1), (1, 3, 1)])
    far_apart = ExactScores.of([(1, 10, 1), (1, 10, 1), (0, 0, 18)])
    close = ExactScores.of_matrix([[9, 1], [0, 10]])
    return [
        Erratum(
            number=1,
            where="Theorem 2, as printed (its smallest counter-examples)",
            paper="three statements are equivalent",
            example=f"[[1, 1], [0, 0]]: {_shown(constant)}. [[1, 0, 1], [0, 1, 0], [0, 0, 0]]: {_shown(one_sided)}",
            kind="false",
            correct="needs a true positive in every class. A consequence: the most biased classifier, one that always "
            "predicts the same class, is not rewarded by F1 of averages",
        ),
        Erratum(
            number=2,
            where="abstract: several labels per row",
            paper="the results cover them",
            example=f"labels with tp, fp, fn = 1, 1, 0 and 1, 1, 0: {_shown(several_equal)}; with 1, 1, 0 and 1, 2, 0: "
            f"{_shown(several)}",
            kind="false",
            correct="Theorem 2 fails even with true positives everywhere, since predicted and gold labels need not be "
            "equally many. Theorems 1 and 3 and the Lemma stay true",
        ),
        Erratum(
            number=10,
            where="text: the gap is large when |P - R| is large in many classes",
            paper="many large |P - R|",
            example=f"tp, predicted, gold = 1, 10, 1 twice and 0, 0, 18: {_shown(far_apart)}; [[9, 1], [0, 10]]: "
            f"{_shown(close)}",
            kind="false",
            correct="what counts is how much P / (P + R) differs between classes, not how far P is from R",
        ),
    ]


def _of_numbers() -> list[Erratum]:
    """Return the errors in the tables, the program and the figures."""
    constant = ExactScores.of_matrix([[1, 1], [0, 0]])
    table_2 = ExactScores.of_matrix(TABLES["Table 2"])
    return [
        Erratum(
            number=3,
            where="Table 2",
            paper="F1 of averages 0.55",
            example=f"{table_2.f1_of_averages} = {float(table_2.f1_of_averages):.4f}",
            kind="misprint",
            correct=f"{float(table_2.f1_of_averages):.2f}: it was cut, not rounded",
        ),
        Erratum(
            number=4,
            where="program",
            paper="a listing in Haskell",
            example="P_x, R_x, P_y and R_y begin with capitals, which Haskell reads as constructors",
            kind="not checked",
            correct="it compiles (GHC 9.0.2) once the four names are in lower case, and then prints the eight lines; "
            "no Haskell compiler takes part in this run",
        ),
        Erratum(
            number=5,
            where="program: undefined ratios",
            paper="undefined ratios are 0",
            example=f"[[1, 1], [0, 0]]: averaged F1 {constant.averaged_f1} by the text; the listing prints NaN",
            kind="misprint",
            correct="`mf1 N CELL…` follows the text",
        ),
        Erratum(
            number=9,
            where="Theorem 3: supremum",
            paper="the difference can be as high as 0.5",
            example=f"supremum {gap_supremum(2)} for n = 2, {gap_supremum(3)} for n = 3, {gap_supremum(1)} for n = 1",
            kind="misprint",
            correct="approached, never reached: precision 1 needs a true positive, and then recall is not 0. The proof "
            "covers n >= 2; the formula is right for n = 1 too",
        ),
        Erratum(
            number=11,
            where="Figures 1b, 2 and 3",
            paper="no legend, no grid",
            example="1.7 percentage points (Figure 3, n = 13) are above the expected maximum, "
            f"{worst_population('fig3', 13)['largest_gap_points']:.2f}",
            kind="depends",
            correct="see the rows of the figures: which grid was used cannot be told from the maxima alone",
        ),
    ]


def _of_proofs() -> list[Erratum]:
    """Return the notation errors in the proofs."""
    return [
        Erratum(
            number=6,
            where="proof of Theorem 3, part (ii)",
            paper="σ stands under the whole fraction; x_i y_i",
            example="with X = ΣP and Y = ΣR the derivative of XY / (X + Y) by X is Y² / (X + Y)²",
            kind="misprint",
            correct="σ is the denominator alone, and x_i y_j is meant; σ is taken already in the Lemma's proof",
        ),
        Erratum(
            number=7,
            where="proof of Theorem 3",
            paper="{(0, 1), (1, 0)}^(2×n); two steps",
            example="n pairs are n factors, not 2n; three steps follow",
            kind="misprint",
            correct="the exponent is n; sums leave out classes with P + R = 0, and step (iii) is 0/0 for r = s = 0",
        ),
        Erratum(
            number=8,
            where="proof of the Lemma",
            paper="n Σ P_x + R_x",
            example="n Σ (P_x + R_x) is meant",
            kind="misprint",
            correct="Theorem 1 follows from the Lemma where some class has a true positive; else both scores are 0",
        ),
    ]
