"""The paper's Tables 1 to 4 and its program's runs, computed exactly."""

from __future__ import annotations

from typing import Any

from macrof1.paper.exact import ExactScores
from macrof1.paper.program import run

TABLES: dict[str, tuple[tuple[int, ...], ...]] = {
    "Table 1": ((5, 10), (5, 10)),
    "Table 2": ((1, 1), (9, 19)),
    "Table 3": ((100, 10_000), (0, 100)),
    "Table 4": ((100, 5_000), (5_000, 100)),
}
"""Predictions as rows. Table 2 is the only matrix with the gold sizes of Table 1, 10 and 20, and the printed scores."""

PRINTED_RUNS = {
    "Table 3": (
        '("macroF1 benevolent",0.504950495049505)',
        '("macroF1 non-benevolent",1.96078431372549e-2)',
        '("delta",0.48534265191225007)',
        '("delta calculated",0.48534265191225007)',
    ),
    "Table 4": (
        '("macroF1 benevolent",1.96078431372549e-2)',
        '("macroF1 non-benevolent",1.96078431372549e-2)',
        '("delta",0.0)',
        '("delta calculated",0.0)',
    ),
}
"""The program's output as shown in the paper."""


def table_scores() -> list[dict[str, Any]]:
    """Return both macro F1s of the four tables, as fractions and as decimals."""
    rows: list[dict[str, Any]] = []
    for name, matrix in TABLES.items():
        exact = ExactScores.of_matrix(matrix)
        rows.append(
            {
                "table": name,
                "matrix": str([list(row) for row in matrix]),
                "averaged_f1": str(exact.averaged_f1),
                "f1_of_averages": str(exact.f1_of_averages),
                "gap": str(exact.gap),
                "averaged_f1_decimal": float(exact.averaged_f1),
                "f1_of_averages_decimal": float(exact.f1_of_averages),
                "gap_decimal": float(exact.gap),
            }
        )
    return rows


def program_runs() -> list[dict[str, Any]]:
    """Run the program on the two tables shown in the paper, and compare the output line by line."""
    rows: list[dict[str, Any]] = []
    for name, printed in PRINTED_RUNS.items():
        matrix = TABLES[name]
        arguments = [str(len(matrix)), *(str(cell) for row in matrix for cell in row)]
        rows += [
            {"table": name, "arguments": " ".join(arguments), "printed": line, "ours": ours, "same": line == ours}
            for line, ours in zip(printed, run(arguments), strict=True)
        ]
    return rows
