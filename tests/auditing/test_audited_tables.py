"""Leaderboards: GermEval 2018 as published, columns, percentages, and invalid input."""

from __future__ import annotations

import csv
import json

import pytest

import macrof1

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
    assert {row.result.status for row in result.rows if row.result.verdict == "averaged_f1"} <= {"fits if"}
    assert result.summary.verdicts["f1_of_averages"] >= 40


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


def test_dropped_zeros_are_noted_and_decimals_can_be_given():
    rows = [{**ROW, "macro_f1": "0.2"}, {**ROW, "macro_f1": "0.2095"}]
    result = macrof1.audit_table(rows)
    assert any("trailing zeros" in note for note in result.notes)
    assert result.rows[0].result.decimals == 4
    assert macrof1.audit_table(rows[:1], decimals=5).rows[0].result.decimals == 5


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "is empty"),
        ("run,macro_f1\n", {}, "is empty"),
        ("run,macro_f1\na,0.5\nb,high\n", {}, "row 2, column 'macro_f1'.*'high'"),
        ("run,macro_f1,macro_recall\na,50.1,0.4\n", {}, "all in percent"),
        ("run,macro_f1\na,50.1\n", {"percent": False}, "row 1, column 'macro_f1'.*percent=True"),
        ("run,macro_f1\na,150.1\n", {}, "row 1, column 'macro_f1'"),
        ("run,macro_f1\na,50,1\n", {}, "line 2: 3 cells.*decimal comma"),
        ("run,score\na,0.5\n", {}, "columns=.macro_f1=NAME"),
        ("run,macro_f1,f1\na,0.5,0.6\n", {}, "could both be"),
        ("run,macro_f1,macro_f1\na,0.5,0.6\n", {}, "two columns"),
        ("run,macro_f1\na,0.5\n", {"columns": {"macro_f1": "F"}}, "no column 'F'"),
        ("run,macro_f1\na,0.5\n", {"columns": {"colour": "run"}}, "unknown role"),
        ("run,a_f1,a_precision,macro_f1\nx,0.5,0.5,0.5\n", {"support": {"z": 3}}, "no column.*is about"),
        ("run,a_f1,a_recall,b_f1,b_recall,f1\nx,0.5,0.5,0.5,0.5,0.5\n", {"n_classes": 1}, "2 classes listed"),
        ("run,macro_f1,total\na,0.5,many\n", {}, "row 1, column 'total'"),
        ("run,macro_f1\na,0.5\n", {"decimals": 99}, "0 to 30"),
        ("run,macro_f1\na,0.5555\n", {"decimals": 2}, "4 decimals"),
        ("run,macro_f1\na,0.5\n", {"rounding": "down"}, "truncate"),
        ('run,macro_f1\n"a,0.5\n', {}, "quotes that close"),
    ],
)
def test_bad_tables_get_one_line(tmp_path, content, options, message):
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(macrof1.InputError, match=message) as error:
        macrof1.audit_table(path, **options)
    assert "\n" not in str(error.value)


def test_files_that_are_none(tmp_path):
    with pytest.raises(macrof1.InputError, match="no file"):
        macrof1.audit_table(tmp_path / "nothing.csv")
    with pytest.raises(macrof1.InputError, match="is a directory"):
        macrof1.audit_table(tmp_path)
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00a")
    with pytest.raises(macrof1.InputError, match="UTF-8"):
        macrof1.audit_table(tmp_path / "b.csv")
    with pytest.raises(macrof1.InputError, match="empty"):
        macrof1.audit_table([])


def test_results_are_plain_json(germeval):
    content = json.loads(json.dumps(germeval.to_dict(), allow_nan=False))
    assert content["rows"][0]["name"] == "TUWienKBS/coarse_1"
    assert content["rows"][0]["verdict"] == "f1_of_averages"
    assert content["summary"]["verdicts"]["f1_of_averages"] == 45
    assert len(content["summary"]["findings"]) == 3


def test_a_table_of_undecidable_rows_cannot_be_told():
    rows = [{"system": name, "macro_precision": "0.70", "macro_recall": "0.70", "macro_f1": "0.70"} for name in "ab"]
    summary = macrof1.audit_table(rows).summary
    assert (summary.formula, summary.verdicts["either"]) == (None, 2)
    assert "Which formula it is cannot be told: no row decides between them." in summary.sentences


def test_columns_of_true_and_false_positives_are_evidence():
    cells = {
        "cat_tp": 8,
        "cat_fp": 2,
        "cat_fn": 4,
        "dog_tp": 8,
        "dog_fp": 5,
        "dog_fn": 2,
        "eel_tp": 5,
        "eel_fp": 2,
        "eel_fn": 3,
    }
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
