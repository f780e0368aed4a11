"""Leaderboards: GermEval 2018 as published, columns, percentages, and invalid input."""

import csv
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1 import InputError
from macrof1.auditing.audited_tables import AuditSummary, _changes, _ranks

SUPPORT = {"offense": 1202, "other": 2330}


@pytest.fixture(scope="module")
def germeval(root):
    return macrof1.audit_table(root / "examples/germeval2018/leaderboard.csv", support=SUPPORT)


def test_all_51_matrices_are_reconstructed(germeval, root):
    expected = {}
    with (root / "examples/germeval2018/counts.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            expected[row["run"], row["gold"].lower(), row["pred"].lower()] = int(row["count"])
    assert germeval.summary.n_reconstructed == len(germeval.rows) == 51
    for row in germeval.rows:
        counts = row.result.counts
        assert row.result.n_solutions == 1
        assert counts.labels == ("offense", "other")
        assert list(counts.actual) == [1202, 2330]
        assert list(counts.tp) == [expected[row.name, label, label] for label in counts.labels]
        assert counts.predicted[0] == counts.tp[0] + expected[row.name, "other", "offense"]


def test_exactly_the_three_wrong_figures_are_found(germeval):
    found = {
        (row.name, finding.figure, finding.published, finding.correction)
        for row in germeval.rows
        for finding in row.result.findings
    }
    assert found == {
        ("InriaFBK/coarse_2", "macro F1", "74.25", "74.75"),
        ("RuG/coarse_2", "offense precision", "53.39", "53.59"),
        ("FoSIL/coarse_3", "total", "3523", "3532"),
    }
    assert {finding.kind for row in germeval.rows for finding in row.result.findings} == {"wrong_figure"}


def test_the_official_formula_is_identified_wherever_the_two_differ(germeval):
    for row in germeval.rows:
        score = macrof1.score_counts(row.result.counts)
        averaged, of_averages = (f"{100 * value:.2f}" for value in (score.averaged_f1, score.f1_of_averages))
        if row.name == "InriaFBK/coarse_2":
            assert row.result.verdict == "neither"
        elif averaged != of_averages:
            assert row.result.verdict == "f1_of_averages"
            assert row.result.other == averaged
        else:
            assert row.result.verdict == "either"
    assert germeval.summary.formula == "f1_of_averages"
    assert germeval.summary.verdicts == {"averaged_f1": 0, "f1_of_averages": 45, "either": 5, "neither": 1}


def test_the_ranking_under_the_other_formula(germeval):
    assert germeval.summary.rank_changes == 45
    assert (germeval.summary.discordant_pairs, germeval.summary.pairs) == (92, 1275)
    rows = {row.name: row for row in germeval.rows}
    assert rows["hda/coarse_2"].rank_f1_of_averages < rows["hda/coarse_1"].rank_f1_of_averages
    assert rows["hda/coarse_2"].rank_averaged_f1 > rows["hda/coarse_1"].rank_averaged_f1
    # Two identical runs share a rank, and the next one leaves a place free.
    assert rows["iam/coarse_1"].rank_averaged_f1 == rows["iam/coarse_2"].rank_averaged_f1
    # The wrong macro F1 cost this run three ranks: printed as 8th, it is 5th.
    assert rows["InriaFBK/coarse_2"].rank_f1_of_averages == (5, 5)


def test_without_class_sizes_the_figures_still_tell_the_formula(root):
    result = macrof1.audit_table(root / "examples/germeval2018/leaderboard.csv")
    assert result.summary.n_reconstructed == 0
    assert result.summary.formula == "f1_of_averages"
    assert result.summary.verdicts == {"averaged_f1": 0, "f1_of_averages": 45, "either": 6, "neither": 0}
    # Its macro F1 is a typo, which fits if there were more classes: that decides nothing.
    (typo,) = (row.result for row in result.rows if row.name == "InriaFBK/coarse_2")
    assert (typo.status, typo.fits_if) == ("fits if", "2 rows were cut")
    assert typo.reason.endswith("But only if 2 rows were cut; one wrong figure would explain as much.")


def test_a_table_has_a_budget_of_time_and_says_what_was_not_audited():
    row = {"system": "a", "macro_precision": "0.2937", "macro_recall": "0.2283", "macro_f1": "0.2095"}
    rows = [{**row, "system": f"run {number}"} for number in range(1_002)]
    table = macrof1.audit_table(rows, seconds=0)
    assert (len(table.rows), table.summary.n_rows, table.rows[-1].name) == (1_000, 1_000, "run 999")
    assert "Time was up after 1,000 of 1,002 rows; audit the others in a table of their own." in table.notes
    seen = []
    whole = macrof1.audit_table(rows, seconds=None, progress=seen.append)
    assert seen == [(place + 1) / 1_002 for place in range(1_002)]
    assert len(whole.rows) == 1_002
    assert not any("Time was up" in note for note in whole.notes)


def test_a_row_that_does_not_fit_as_it_stands_gives_way_to_the_others_formula():
    classes = {"a_precision": "0.5000", "a_recall": "0.9000", "a_f1": "0.6429"}
    classes |= {"b_precision": "0.9000", "b_recall": "0.5000", "b_f1": "0.6429"}
    whole = {**classes, "macro_precision": "0.7000", "macro_recall": "0.7000"}
    cut = {**classes, "macro_precision": "0.6000", "macro_recall": "0.4000", "macro_f1": "0.4200"}
    table = macrof1.audit_table([cut, {**whole, "macro_f1": "0.6429"}])
    assert [row.result.verdict for row in table.rows] == ["averaged_f1", "averaged_f1"]
    assert [row.result.fits_if for row in table.rows] == ["2 rows were cut", None]
    table = macrof1.audit_table([cut, {**whole, "macro_f1": "0.7000"}])
    assert [row.result.verdict for row in table.rows] == ["either", "f1_of_averages"]
    assert table.rows[0].result.reason.endswith("But the rows that fit as they stand follow F1 of averages.")
    assert table.summary.formula == "f1_of_averages"


ROW = {"system": "a", "macro_precision": "0.2937", "macro_recall": "0.2283", "macro_f1": "0.2095"}


@pytest.mark.parametrize(
    "headers",
    [
        ("system", "macro_precision", "macro_recall", "macro_f1"),
        ("Team", "Macro P", "Macro R", "Macro F1"),
        ("Model", "Precision (macro)", "Recall (macro)", "F1-score (macro)"),
        ("run", "P", "R", "F"),
        ("Method", "avg_prec", "avg_rec", "avg_f-measure"),
    ],
)
def test_columns_are_found_by_their_names(headers):
    row = dict(zip(headers, ROW.values(), strict=True))
    result = macrof1.audit_table([row])
    assert result.rows[0].name == "a"
    assert result.rows[0].result.verdict == "averaged_f1"


def test_columns_can_be_given():
    row = {"who": "a", "x": "0.2937", "y": "0.2283", "z": "0.2095", "macro_f1": "0.9"}
    columns = {"name": "who", "macro_precision": "x", "macro_recall": "y", "macro_f1": "z"}
    result = macrof1.audit_table([row], columns=columns)
    assert (result.rows[0].name, result.rows[0].result.verdict) == ("a", "averaged_f1")


def test_other_scores_are_no_classes():
    row = {**ROW, "dev_f1": "0.5", "micro_f1": "0.4", "weighted_precision": "0.4", "weighted_recall": "0.4"}
    result = macrof1.audit_table([row])
    assert result.rows[0].result.verdict == "averaged_f1"
    assert any("dev_f1" in note and "micro_f1" in note for note in result.notes)


def test_rows_may_have_gaps():
    with pytest.raises(InputError, match="no rows"):
        macrof1.audit_table([])
    rows = [ROW, {"system": "b", "macro_f1": "0.50"}, {"system": "c", "macro_precision": "-", "macro_f1": "n/a"}]
    result = macrof1.audit_table(rows)
    assert [row.result.verdict for row in result.rows] == ["averaged_f1", "either", "either"]
    assert result.rows[1].result.not_tested
    assert result.summary.rank_changes is None


def test_sizes_may_be_columns(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text(
        "run\tcat_precision\tcat_recall\tcat_support\tdog_precision\tdog_recall\tdog_support\tmacro_f1\n"
        "a\t0.800\t0.667\t12\t0.692\t0.818\t11\t0.739\n"
    )
    (row,) = macrof1.audit_table(path).rows
    assert list(row.result.counts.tp) == [8, 9]
    assert list(row.result.counts.predicted) == [10, 13]


def test_decimal_commas_and_thousands(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("run;macro_precision;macro_recall;macro_f1;total\na;29,37;22,83;20,95;3.532\n")
    (row,) = macrof1.audit_table(path).rows
    assert row.result.verdict == "averaged_f1"
    path.write_text('run,macro_precision,macro_recall,macro_f1,total\na,"29,37","22,83","20,95","3,532"\n')
    assert macrof1.audit_table(path).rows[0].result.verdict == "averaged_f1"


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("run,macro_f1\n", {}, "is empty"),
        ("run,macro_f1\na,0.5\nb,high\n", {}, "row 2, column 'macro_f1'.*'high'"),
        ("run,macro_f1,macro_recall\na,50.1,0.4\n", {}, "all in percent"),
        ("run,macro_f1\na,50.1\n", {"percent": False}, "row 1, column 'macro_f1'.*percent=True"),
        ("run,macro_f1\na,150.1\n", {}, "row 1, column 'macro_f1'"),
        ("run,macro_f1\na,50,1\n", {}, "line 2: 3 cells.*decimal comma"),
        ("run,macro_f1,macro_f1\na,0.5,0.6\n", {}, "two columns"),
        ("run,macro_f1\na,0.5\n", {"columns": {"macro_f1": "F"}}, "no column 'F'"),
        ("run,macro_f1\na,0.5\n", {"columns": {"colour": "run"}}, "unknown role"),
        ("run,a_f1,a_precision,macro_f1\nx,0.5,0.5,0.5\n", {"support": {"z": 3}}, "no column.*is about"),
        ("run,a_f1,a_recall,b_f1,b_recall,f1\nx,0.5,0.5,0.5,0.5,0.5\n", {"n_classes": 1}, "2 classes listed"),
        ("run,macro_f1,total\na,0.5,many\n", {}, "row 1, column 'total'"),
        ("run,macro_f1\na,0.5\n", {"decimals": 99}, "0 to 30"),
        ("run,macro_f1\na,0.5555\n", {"decimals": 2}, "4 decimals"),
        ('run,macro_f1\n"a,0.5\n', {}, "quotes that close"),
    ],
)
def test_bad_tables_get_one_line(tmp_path, content, options, message):
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(macrof1.InputError, match=message) as error:
        macrof1.audit_table(path, **options)
    assert "\n" not in str(error.value)


def test_columns_of_true_and_false_positives_are_evidence():
    counts = {"cat": (8, 2, 4), "dog": (8, 5, 2), "eel": (5, 2, 3)}
    cells = {f"{x}_{kind}": n for x, row in counts.items() for kind, n in zip(("tp", "fp", "fn"), row, strict=True)}
    rows = [{"system": name, "macro_f1": f1, **cells} for name, f1 in (("a", "0.6965"), ("b", "0.7035"), ("c", "0.6"))]
    table = macrof1.audit_table(rows, n_classes=3)
    assert [row.result.verdict for row in table.rows] == ["averaged_f1", "f1_of_averages", "neither"]
    assert table.rows[0].result.counts == macrof1.ClassCounts.of(
        ["cat", "dog", "eel"], tp=[8, 8, 5], predicted=[10, 13, 7], actual=[12, 10, 8], n_rows=30
    )
    # Missing counts are no evidence, and no error.
    assert macrof1.audit_table([{**rows[0], "cat_fp": "-"}]).rows[0].result.counts is None


def test_four_cells_in_a_row_are_those_of_two_classes():
    row = {"system": "BiGRU", "macro_f1": "0.7589", "tn": 1442, "fp": 267, "fn": 311, "tp": 628}
    (found,) = macrof1.audit_table([row]).rows
    assert (found.result.verdict, found.result.counts.tp) == ("averaged_f1", (628, 1442))
    # Without tn they say nothing about the other class.
    three = {key: value for key, value in row.items() if key != "tn"}
    assert "Columns that were not used: fp, fn, tp." in macrof1.audit_table([three]).notes


def test_cells_that_do_not_go_together_name_their_row():
    row = {"system": "a", "macro_f1": "0.7", "x_tp": 1, "x_fp": 1, "x_fn": 1, "x_tn": 9}
    row |= {"y_tp": 1, "y_fp": 1, "y_fn": 1, "y_tn": 8}
    with pytest.raises(macrof1.InputError, match="the table, row 1: tp, fp, fn and tn of y add up to 11 rows"):
        macrof1.audit_table([row])


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
    ranks = {"averaged_f1": _ranks([(a, a) for a, _ in points]), "f1_of_averages": _ranks([(f, f) for _, f in points])}
    changed = sum(1 + sum(b > a for b, _ in points) != 1 + sum(g > f for _, g in points) for a, f in points)
    discordant = sum((a - b) * (f - g) < 0 for (a, f), (b, g) in combinations(points, 2))
    assert _changes(ranks) == (changed, discordant)


def test_nothing_is_said_of_ranks_that_are_open():
    assert _changes({"averaged_f1": [(1, 2)], "f1_of_averages": [(1, 1)]}) == (None, None)
    assert _changes({"averaged_f1": [(1, 1)], "f1_of_averages": [None]}) == (None, None)


def summary_of(**more):
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
    assert summary_of(**facts).sentences == sentences


SHORT = {"system": "x", "macro_precision": "0.29", "macro_recall": "0.23", "macro_f1": "0.21"}


def test_the_formula_is_that_of_every_decided_row():
    decided = {**SHORT, "macro_precision": "0.2937", "macro_recall": "0.2283", "macro_f1": "0.2095"}
    open_row = {**SHORT, "macro_precision": "0.5000", "macro_recall": "0.5000", "macro_f1": "0.5000"}
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
    rows = [{**SHORT, "macro_f1": "0.2"}, {**SHORT, "macro_f1": "0.2095"}, {**SHORT, "macro_f1": "-"}]
    table = macrof1.audit_table(rows)
    assert [row.result.decimals for row in table.rows[:2]] == [4, 4]
    assert any("different numbers of decimals" in note for note in table.notes)
    given = macrof1.audit_table(rows, decimals=5)
    assert [row.result.decimals for row in given.rows[:2]] == [5, 5]
    assert not any("different numbers of decimals" in note for note in given.notes)
    even = macrof1.audit_table([SHORT, SHORT])
    assert not any("decimals" in note for note in even.notes)
    with pytest.raises(InputError, match="with 2 decimals"):
        macrof1.audit_table([SHORT], decimals=1)


def test_percentages_are_told_and_noted():
    percent = {"system": "x", "macro_precision": "29.37", "macro_recall": "22.83", "macro_f1": "20.95"}
    told = macrof1.audit_table([percent])
    assert told.rows[0].result.percent
    assert told.notes[0] == "Figures are read as percentages, since every column goes above 1."
    # One caveat for all rows that are decided: what else could look the same.
    assert told.notes[1:] == macrof1.audit_table([percent], percent=True).notes == macrof1.audit_table([SHORT]).notes
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
