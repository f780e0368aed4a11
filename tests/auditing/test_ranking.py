"""Ranks and changes of order in an audited table, against brute force; columns, decimals, units."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1 import InputError
from macrof1.auditing.audited_tables import AuditSummary, _changes, _ranks

scores = st.integers(0, 5).map(lambda n: n / 5)
ranges = st.one_of(st.none(), st.tuples(scores, scores).map(lambda ends: tuple(sorted(ends))))


@given(st.lists(ranges, max_size=7))
def test_ranks_are_the_best_and_the_worst_possible(given_ranges):
    expected = []
    for place, own in enumerate(given_ranges):
        if own is None:
            expected.append(None)
            continue
        others = [ends for at, ends in enumerate(given_ranges) if at != place and ends is not None]
        best = 1 + sum(low > own[1] for low, _ in others)
        worst = 1 + sum(high > own[0] for _, high in others)
        expected.append((best, worst))
    assert _ranks(given_ranges) == expected


@given(st.lists(st.tuples(scores, scores), max_size=7))
def test_changes_of_order_are_those_of_all_pairs(points):
    results = [SimpleNamespace(averaged_f1=(a, a), f1_of_averages=(f, f)) for a, f in points]
    ranks = {
        "averaged_f1": _ranks([(a, a) for a, _ in points]),
        "f1_of_averages": _ranks([(f, f) for _, f in points]),
    }
    changed = sum(1 + sum(b > a for b, _ in points) != 1 + sum(g > f for _, g in points) for a, f in points)
    discordant = sum((a - b) * (f - g) < 0 for (a, f), (b, g) in combinations(points, 2))
    assert _changes(results, ranks) == (changed, discordant)


def test_nothing_is_said_of_ranks_that_are_open():
    results = [SimpleNamespace(averaged_f1=(0.1, 0.2), f1_of_averages=(0.1, 0.1))]
    open_ranks = {"averaged_f1": [(1, 2)], "f1_of_averages": [(1, 1)]}
    assert _changes(results, open_ranks) == (None, None)
    assert _changes(results, {"averaged_f1": [(1, 1)], "f1_of_averages": [None]}) == (None, None)


def summary(**more):
    verdicts = {"averaged_f1": 0, "f1_of_averages": 0, "either": 0, "neither": 0, **more.pop("verdicts", {})}
    defaults = {"n_rows": 3, "formula": None, "n_findings": 0, "n_reconstructed": 1, "rank_changes": None,
                "discordant_pairs": None, "pairs": 3}  # fmt: skip
    return AuditSummary(verdicts=verdicts, **{**defaults, **more})


@pytest.mark.parametrize(
    ("facts", "sentences"),
    [
        (
            {"verdicts": {"averaged_f1": 2, "either": 1}, "formula": "averaged_f1", "rank_changes": 2,
             "discordant_pairs": 1},
            ["3 rows: averaged F1 2, either 1.", "Every row that can be decided follows averaged F1.",
             "Confusion counts are determined for 1 of 3 rows.",
             "Under the other formula 2 of 3 rows would change rank; 1 of 3 pairs would change order."],
        ),
        (
            {"verdicts": {"averaged_f1": 1, "f1_of_averages": 2}},
            ["3 rows: averaged F1 1, F1 of averages 2.", "Some rows follow one formula, some the other.",
             "Confusion counts are determined for 1 of 3 rows.",
             "The ranking under the other formula is not determined by the figures."],
        ),
        (
            {"verdicts": {"either": 1}, "n_rows": 1, "pairs": 0},
            ["1 row: either 1.", "Which formula it is cannot be told: no row decides between them.",
             "Confusion counts are determined for 1 of 1 row."],
        ),
        (
            {"verdicts": {"neither": 2}, "n_rows": 2, "pairs": 1, "rank_changes": 0, "discordant_pairs": 0,
             "n_reconstructed": 0},
            ["2 rows: neither 2.", "Confusion counts are determined for 0 of 2 rows.",
             "Under the other formula 0 of 2 rows would change rank; 0 of 1 pair would change order."],
        ),
    ],
)  # fmt: skip
def test_a_summary_in_words(facts, sentences):
    assert summary(**facts).sentences == sentences


ROW = {"system": "x", "macro_precision": "0.29", "macro_recall": "0.23", "macro_f1": "0.21"}


def test_the_formula_is_that_of_every_decided_row():
    decided = {**ROW, "macro_precision": "0.2937", "macro_recall": "0.2283", "macro_f1": "0.2095"}
    open_row = {**ROW, "macro_precision": "0.5000", "macro_recall": "0.5000", "macro_f1": "0.5000"}
    table = macrof1.audit_table([decided, open_row])
    assert table.summary.verdicts == {"averaged_f1": 1, "f1_of_averages": 0, "either": 1, "neither": 0}
    assert (table.summary.formula, table.summary.n_rows, table.summary.pairs) == ("averaged_f1", 2, 1)
    assert macrof1.audit_table([open_row]).summary.formula is None
    assert macrof1.audit_table([open_row] * 4).summary.pairs == 6
    # What the other rows prove names the formula of a correction.
    wrong = {**open_row, "macro_f1": "0.9000"}
    alone = macrof1.audit_table([wrong]).rows[0].result.findings[0]
    beside = macrof1.audit_table([decided, wrong]).rows[1].result.findings[0]
    assert "as in the other rows" not in alone.message
    assert "averaged F1, as in the other rows" in beside.message
    assert [name for name, _ in macrof1.audit_table([decided, wrong]).findings] == ["x"]
    assert macrof1.audit_table([decided, wrong]).summary.n_findings == 1


def test_a_column_has_the_decimals_of_its_longest_cell():
    rows = [{**ROW, "macro_f1": "0.2"}, {**ROW, "macro_f1": "0.2095"}, {**ROW, "macro_f1": "-"}]
    table = macrof1.audit_table(rows)
    assert [row.result.decimals for row in table.rows[:2]] == [4, 4]
    assert any("different numbers of decimals" in note for note in table.notes)
    given = macrof1.audit_table(rows, decimals=5)
    assert [row.result.decimals for row in given.rows[:2]] == [5, 5]
    assert not any("different numbers of decimals" in note for note in given.notes)
    even = macrof1.audit_table([ROW, ROW])
    assert not any("decimals" in note for note in even.notes)
    with pytest.raises(InputError, match="with 2 decimals"):
        macrof1.audit_table([ROW], decimals=1)


def test_percentages_are_told_and_noted():
    percent = {"system": "x", "macro_precision": "29.37", "macro_recall": "22.83", "macro_f1": "20.95"}
    told = macrof1.audit_table([percent])
    assert told.rows[0].result.percent
    assert told.notes[0] == "Figures are read as percentages, since every column goes above 1."
    # One caveat for all rows that are decided: what else could look the same.
    assert told.notes[1:] == macrof1.audit_table([percent], percent=True).notes == macrof1.audit_table([ROW]).notes
    assert "F1 weighted by class size, can look the same" in told.notes[1]
    with pytest.raises(InputError, match=r"row 1, column 'macro_precision': macro precision is '29.37'"):
        macrof1.audit_table([percent], percent=False)


def test_sizes_are_matched_without_regard_to_case():
    row = {"system": "x", "Cat_precision": "0.50", "Cat_recall": "0.50", "dog_precision": "0.50", "dog_recall": "0.50"}
    table = macrof1.audit_table([row], support={"cat": 2, "DOG": 2})
    counts = table.rows[0].result.counts
    assert (counts.labels, counts.actual) == (("cat", "dog"), (2, 2))
    with pytest.raises(InputError, match=r"support for 'eel', which no column of .* is about.*one of cat, dog"):
        macrof1.audit_table([row], support={"eel": 2})
    # A column of sizes comes first, where it says something.
    own = [{**row, "Cat_support": "4", "dog_support": "4"}, {**row, "Cat_support": "-", "dog_support": "4"}]
    found = macrof1.audit_table(own, support={"cat": 2, "dog": 2}).rows
    assert [row.result.n_solutions for row in found] == [
        macrof1.audit_table([row], support={"cat": c, "dog": d}).rows[0].result.n_solutions for c, d in ((4, 4), (2, 4))
    ]


def test_a_row_names_its_ranks():
    rows = [{"system": name, "a_tp": tp, "a_fp": 2, "a_fn": 3, "a_tn": 20, "macro_f1": f1} for name, tp, f1 in
            (("x", 9, "0.829"), ("y", 5, "0.727"))]  # fmt: skip
    table = macrof1.audit_table(rows)
    first, second = (row.to_dict() for row in table.rows)
    assert (first["rank_averaged_f1"], second["rank_averaged_f1"]) == ([1, 1], [2, 2])
    assert (first["rank_f1_of_averages"], second["rank_f1_of_averages"]) == ([1, 1], [2, 2])
    assert (table.summary.rank_changes, table.summary.discordant_pairs) == (0, 0)
    assert table.summary.n_reconstructed == 2
