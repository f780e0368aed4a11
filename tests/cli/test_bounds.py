"""`mf1 bounds` and `mf1 reproduce` through the real entry point."""

import json

import pytest

import macrof1

FOSIL = "examples/germeval2018/fosil_coarse_1.csv"


def test_reported_scores_are_read_as_decimals(mf1):
    found = json.loads(mf1("bounds", "--precision", "0.2937", "--recall", "0.2283", "-f", "json"))
    assert found["f1_of_averages"]["high"] == pytest.approx(2 * 0.2937 * 0.2283 / 0.522)
    assert found["averaged_f1"]["low"] == 0
    both = json.loads(mf1("bounds", "--f1-of-averages", "0.9", "--n-classes", 3, "-f", "json"))
    assert both["averaged_f1"]["low"] == 0.875
    assert both["any_n"]["averaged_f1"]["low"] == 0.8
    assert "0.8000" in mf1("bounds", "--averaged-f1", "0.6")


def test_a_data_set_and_its_class_sizes_are_the_same_question(mf1):
    by_file = json.loads(mf1("bounds", FOSIL, "--gold", "gold", "-f", "json"))
    by_sizes = json.loads(mf1("bounds", "--support", "1202,2330", "-f", "json"))
    assert by_file["labels"] == ["OFFENSE", "OTHER"]
    assert by_file["largest"] == by_sizes["largest"]
    assert by_sizes["largest"]["exact"]
    assert "OFFENSE" in mf1("bounds", FOSIL, "--gold", "gold")
    assert "none passes 0.281728" in " ".join(mf1("bounds", "--support", "250,250,250,250").split())


def test_over_units_the_same_ranges_hold_and_one_label_per_row_forces_nothing(mf1):
    with pytest.raises(macrof1.InputError, match="as one label per row forces"):
        macrof1.bounds(precision="0.7", recall="0.4", n_classes=2)
    found = macrof1.bounds(precision="0.7", recall="0.4", n_classes=2, over="query")
    assert (found.over, found.any_n.over, found.binary) == ("query", "query", None)
    assert found.averaged_f1.low == pytest.approx(4 / 15)  # of (1, 0.8) and (0.4, 0), F1 is 0.8 * 2 / 3 and 0
    shown = mf1("bounds", "--precision", 0.7, "--recall", 0.4, "--n-classes", 2, "--over", "query")
    assert "2 queries              0.2667   0.5091" in shown
    assert "any number of queries" in shown
    assert "per-query precision and recall" in shown
    near = json.loads(mf1("bounds", "--n-classes", 2, "--over", "query", "-f", "json"))
    assert (near["gap"]["high"], "witness" in near) == (0.5, False)  # no matrix of queries
    assert "One query has no gap" in mf1("bounds", "--n-classes", 1, "--over", "queries")


@pytest.mark.parametrize(
    ("output", "cell"), [("text", "z                 11  29  5"), ("csv", "cell,,,,y,z,29"), ("json", '"rows": 29')]
)
def test_text_csv_and_json_carry_the_matrix_and_the_notes(said, tmp_path, output, cell):
    (tmp_path / "p.csv").write_text("gold\n" + "x\n" * 12 + "y\n" * 30 + "z\n" * 5 + '""\n')
    shown = said("bounds", tmp_path / "p.csv", "--missing", "drop", "-f", output)
    everything = shown.out + shown.err
    assert (shown.err == "") == (output != "csv")
    assert "The largest gap that any classifier could have on the 47 gold rows is 0.347446" in everything
    assert "1 row without a label was left out." in everything
    assert "One label per row." in everything
    assert cell in shown.out  # 29 rows of gold y are predicted as z
    scores = said("bounds", "--precision", "0.7", "--recall", "0.6", "-f", output)
    assert "Macro precision 0.7 and macro recall 0.6 are read as exact; for rounded figures use mf1 audit." in (
        " ".join((scores.out + scores.err).split())
    )
    near = said("bounds", "--n-classes", 3, "-f", output)
    assert "never reached" in near.out + near.err
    assert "1036" in near.out.replace(",", "")


def test_gold_labels_are_read_as_score_reads_them(said, tmp_path):
    (tmp_path / "a.txt").write_text("1;x\n10;x\n2;x\n")
    (tmp_path / "b.txt").write_text("2;x\n")
    options = ("--no-header", "--gold", 1, "--input-format", "csv", "-f", "json")
    found = json.loads(said("bounds", tmp_path / "a.txt", tmp_path / "b.txt", *options).out)
    assert (found["labels"], found["given"]["support"]) == (["1", "2", "10"], [1, 2, 1])
    # classes that are predicted and never gold have no gold rows to spread
    said("count", tmp_path / "a.txt", *options[:-2], "--pred", 2, "-o", tmp_path / "a.counts.json")
    found = json.loads(said("bounds", tmp_path / "a.counts.json", "-f", "json").out)
    assert sorted(found["labels"]) == ["1", "10", "2"]


def test_reproduce_writes_a_report_and_says_what_is_wrong(mf1, tmp_path):
    out = tmp_path / "out"
    said = mf1("reproduce", "--out", out, "--only", "tables,theorems", "--quick")
    assert "1 false as stated\n        Theorem 2, as printed" in said
    assert (out / "report.html").exists()
