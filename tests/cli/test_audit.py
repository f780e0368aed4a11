"""`mf1 audit` and `mf1 conventions` through the real entry point."""

import json

import pytest

LEADERBOARD = "examples/germeval2018/leaderboard.csv"


def test_trailing_zeros_count_on_the_command_line(mf1):
    def verdict(*figures):
        options = zip(("--precision", "--recall", "--f1"), figures, strict=True)
        return json.loads(mf1("audit", *(part for pair in options for part in pair), "-f", "json"))["verdict"]

    assert verdict("0.8", "0.7", "0.7") == "either"
    assert verdict("0.800", "0.700", "0.700") == "averaged_f1"


def test_notes_name_the_options_of_the_command(mf1):
    expected = (
        "Every row is assumed to have one gold and one predicted label among the classes (otherwise, set --task "
        "multilabel)."
    )
    figures = ("audit", "--per-class", "a=0.1/0.5/0.3", "--n-classes", "2")
    assert json.loads(mf1(*figures, "-f", "json"))["notes"] == [expected]
    assert "figures were truncated, not rounded" in " ".join(mf1(*figures).split())


@pytest.mark.parametrize(
    "call",
    [
        ("audit", "--f1", "0.5"),
        ("score", "examples/germeval2018/fosil_coarse_1.csv"),
        ("compare", "examples/germeval2018/counts.csv", "--by", "run", "--count", "count", "--n-resamples", "100"),
    ],
)
def test_a_report_that_was_written_is_named_on_standard_error(said, tmp_path, call):
    assert said(*call, "--html", tmp_path / "report.html").err == f"mf1: wrote {tmp_path / 'report.html'}\n"
    assert (tmp_path / "report.html").exists()


def test_notes_beside_csv_go_to_standard_error(said):
    shown = said("audit", LEADERBOARD, "--support", "offense=1202,other=2,330", "-f", "csv")
    lines = shown.err.splitlines()
    assert lines[0] == "mf1: note: 51 rows: F1 of averages 45, either 5, neither 1."
    assert "mf1: note: Figures are read as percentages, since every column goes above 1." in lines
    assert len(shown.out.splitlines()) == 52


def test_one_report_with_everything(mf1):
    content = json.loads(
        mf1(
            *("audit", "--percent", "--f1", "67.80", "--accuracy", "69.03", "--correct", "2438", "--total", "3,532"),
            *("--per-class", "OFFENSE=53.39/67.14/59.60", "--per-class", "OTHER=80.50/70.00/-"),
            *("--support", "OFFENSE=1202,OTHER=2330", "--format", "json"),
        )
    )
    assert content["verdict"] == "f1_of_averages"
    assert content["findings"][0]["message"].endswith("OFFENSE precision 53.39 should be 53.59.")


def test_score_takes_a_convention(mf1):
    table = "gold,pred\n" + "".join(f"{g},{p}\n" for g, p in zip("000112", "001130", strict=True))
    weka = json.loads(mf1("score", "-", "--convention", "weka", "-f", "json", input=table))
    assert (round(weka["averaged_f1"], 4), weka["classes"]) == (0.3889, "gold")
    dropped = mf1("score", "-", "--undefined", "drop_with_parts", input=table)
    assert "averaged F1      0.5833" in dropped


REPORT = """              precision    recall  f1-score   support

         cat     0.8000    0.6667    0.7273        12
         dog     0.6154    0.8000    0.6957        10
         eel     0.7143    0.6250    0.6667         8

    accuracy                         0.7000        30
   macro avg     0.7099    0.6972    0.6965        30
weighted avg     0.7156    0.7000    0.7006        30
"""


def test_a_report_as_a_tool_printed_it(mf1, tmp_path):
    path = tmp_path / "report.txt"
    path.write_text(REPORT)
    (report,) = json.loads(mf1("audit", path, "-f", "json"))["reports"]
    assert (report["verdict"], report["figures"]["macro_f1"]) == ("averaged_f1", "0.6965")
    assert mf1("audit", path).startswith("Read as: scikit-learn report, 3 classes, 4 decimals, support")
    path.write_text(f"Model A\n{REPORT}\nModel B\n{REPORT}")
    assert "2 reports: averaged F1 2." in mf1("audit", path)
    assert mf1("audit", path, "-f", "csv").count("averaged_f1") >= 2
    page = tmp_path / "report.html"
    mf1("audit", path, "--html", page)
    assert "Model B" in page.read_text(encoding="utf-8")
    path.write_text("No figures here, only prose about macro F1.")
    assert "no report was found" in mf1("audit", path, code=2)


def test_a_frame_saved_as_csv_is_a_report_not_a_leaderboard(mf1, tmp_path):
    path = tmp_path / "report.csv"
    path.write_text(
        ",precision,recall,f1-score,support\na,0.8,0.5,0.6,10\nb,0.7,0.9,0.8,20\nmacro avg,0.75,0.7,0.7,30\n"
    )
    assert len(json.loads(mf1("audit", path, "-f", "json"))["reports"][0]["figures"]["classes"]) == 2


def test_both_scores_of_a_report_whose_counts_follow(mf1, tmp_path):
    path = tmp_path / "report.txt"
    path.write_text(REPORT)
    scores = json.loads(mf1("score", "--report", path, "-f", "json"))
    assert scores["averaged_f1"] == pytest.approx(0.69653, abs=1e-5)
    assert scores["f1_of_averages"] == pytest.approx(0.70352, abs=1e-4)
    path.write_text("Macro-F1: 0.71")
    assert "does not determine counts" in mf1("score", "--report", path, code=2)
    assert "combined with --report" in mf1("score", "preds.csv", "--report", path, code=2)


def test_json_lines_of_reports_are_audited_report_by_report(mf1, root, tmp_path):
    path = tmp_path / "some.jsonl"
    lines = (root / "examples" / "census" / "census.jsonl").read_text(encoding="utf-8").splitlines()[::115]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = json.loads(mf1("audit", path, "-f", "json"))["reports"]
    assert [report["verdict"] for report in found] == [json.loads(line)["verdict"] for line in lines]
    # Lines that are systems stay a leaderboard.
    path.write_text('{"system": "a", "macro_f1": "0.7"}\n{"system": "b", "macro_f1": "0.8"}\n')
    assert [row["name"] for row in json.loads(mf1("audit", path, "-f", "json"))["rows"]] == ["a", "b"]
