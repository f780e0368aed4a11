"""Audits and conventions as text, CSV, Markdown, LaTeX and HTML."""

import csv
import io
import re

import pytest

import macrof1
from macrof1.reporting.convention_documents import catalogue_document
from macrof1.reporting.rendering import document, render
from macrof1.scoring.system_scores import score_conventions

SUPPORT = {"offense": 1202, "other": 2330}


def shown(result, output="text"):
    """Print a result."""
    return render(document(result), output)


@pytest.fixture(scope="module")
def table(root):
    return macrof1.audit_table(root / "examples/germeval2018/leaderboard.csv", support=SUPPORT)


@pytest.fixture
def single():
    per_class = {"<b>a\x1b": {"precision": "0.9", "recall": "0.5"}}
    return macrof1.audit(precision="0.70", recall="0.69", f1="0.80", per_class=per_class, n_classes=2)


def test_text_of_a_table_ends_with_a_summary(table):
    text = shown(table)
    assert "offense precision 53.39 should be 53.59" in text
    assert "51 rows: F1 of averages 45, either 5, neither 1." in text
    assert "45 of 51 rows would change rank; 92 of 1,275 pairs" in text
    assert text.count("\n") > 51


def test_long_tables_are_shortened_in_text_only():
    rows = [{"run": f"r{i}", "macro_precision": "0.30", "macro_recall": "0.20", "macro_f1": "0.21"} for i in range(99)]
    rows[98]["macro_f1"] = "0.90"
    result = macrof1.audit_table(rows)
    text = shown(result)
    assert "… and 39 rows" in text
    assert "r98" in text
    assert len(list(csv.DictReader(io.StringIO(shown(result, "csv"))))) == 99


def test_csv_has_one_line_per_row(table):
    rows = list(csv.DictReader(io.StringIO(shown(table, "csv"))))
    assert len(rows) == 51
    assert rows[7]["correction"] == "74.75"
    assert {row["unit"] for row in rows} == {"percent"}
    assert float(rows[43]["averaged_f1_low"]) == pytest.approx(37.27, abs=0.005)
    assert rows[43]["other"] == "37.27"
    ends = [f"rank_{name}_{end}" for name in ("averaged_f1", "f1_of_averages") for end in ("best", "worst")]
    assert [rows[7][end] for end in ends] == ["8", "8", "5", "5"]


def test_csv_keeps_the_unit_of_the_figures_and_leaves_out_what_is_not_known(single):
    (row,) = csv.DictReader(io.StringIO(shown(single, "csv")))
    assert row["unit"] == "fraction"
    assert float(row["f1_of_averages_high"]) == single.f1_of_averages[1]
    assert not any(name.startswith("rank") for name in row)
    contradicting = {"cat_precision": "0.90", "cat_recall": "0.90", "cat_f1": "0.10"}
    result = macrof1.audit_table([{**contradicting, "dog_precision": "0.10", "dog_recall": "0.10", "dog_f1": "0.90"}])
    (row,) = csv.DictReader(io.StringIO(shown(result, "csv")))
    assert (row["averaged_f1_low"], row["rank_averaged_f1_best"], row["figure"]) == ("", "", "")
    assert "no single correction" in row["finding"]


def test_one_is_singular():
    rows = [{"macro_precision": "0.80", "macro_recall": "0.80", "macro_f1": "0.80"}]
    text = shown(macrof1.audit_table(rows))
    assert "1 row: either 1." in text
    assert "1 rows" not in text
    assert "1 classes" not in shown(macrof1.audit(f1="0.80", per_class={"cat": {"f1": "0.80"}}))


def test_html_holds_everything_and_no_markup_from_data(table, single):
    page = render(document(table), "html", command="mf1 audit leaderboard.csv")
    assert "<svg" in page
    assert "mf1 audit leaderboard.csv" in page
    assert not re.search(r"""(src|href)=["']?https?:""", page)
    assert "<script" not in page
    alone = shown(single, "html")
    assert "<b>a" not in alone
    assert "\x1b" not in alone
    assert "\x1b" not in shown(single)


def test_a_single_audit_says_what_was_not_tested():
    text = shown(macrof1.audit(f1="0.80"))
    assert "Not tested: macro F1" in text
    per_class = {"a": {"precision": "1.00", "recall": "0.50"}, "b": {"precision": "0.67", "recall": "1.00"}}
    counts = shown(macrof1.audit(per_class=per_class, support={"a": 2, "b": 2}, f1="0.73", n_classes=2))
    assert re.search("counts that fit +1", counts)
    assert re.search(r"^a +2 +1 +1$", counts, re.MULTILINE)


def test_conventions_and_who_prints_a_number():
    result = score_conventions(macrof1.count([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 3, 0], labels=range(5)))
    text = shown(result)
    assert "8 different numbers" in text
    assert "read from its source" in text
    assert "| 0.2333 | scikit-learn, paper† | averaged F1 over" in shown(result, "markdown")
    marked = result.marked("0.3889")
    who = {score.known.name for score in marked.scores if score.prints_it}
    assert who == {"weka", "mlnet", "helm", "semeval-2010-8", "semeval-2018-7"}
    rows = list(csv.DictReader(io.StringIO(shown(marked, "csv"))))
    assert {row["name"] for row in rows if row["prints_it"] == "true"} == who
    for output in ("text", "markdown"):
        assert shown(marked, output).count("←") == len(who)
        assert "0.3889 is what weka, mlnet, helm" in " ".join(shown(marked, output).split())
    undefined = score_conventions(macrof1.count([0, 0], [1, 1]))
    assert "undefined" in shown(undefined)


def test_conventions_fit_a_terminal_and_lose_nothing():
    counts = macrof1.count([0, 0, 0, 1, 1, 2, None], [0, 0, 1, 1, 3, 0, 0], missing="drop")
    result = score_conventions(counts)
    text = shown(result)
    assert max(map(len, text.splitlines())) <= 80
    flat = " ".join(text.replace("*", "").split())
    at = next(line.index("because") for line in text.splitlines() if "because" in line)
    because = " ".join(word for line in text.splitlines() for word in line[at:].split())
    for value, members in result.groups:
        assert ("undefined " if value is None else f"{value:.4f} ") in flat
        for score in members:
            assert score.known.name in flat
            assert score.reason in because
    assert "1 row without a label was left out." in flat
    assert "those seen stand in for them" in flat
    same = shown(score_conventions(macrof1.count(list("abc"), list("abc"))))
    assert "conventions, the same number for the same predictions" in same


def test_the_catalogue_prints_every_field():
    known = macrof1.conventions()
    text = render(catalogue_document(known))
    assert max(len(line) for line in text.splitlines() if "http" not in line) <= 80
    rows = list(csv.DictReader(io.StringIO(render(catalogue_document(known), "csv"))))
    assert [row["note"] for row in rows] == [row.note for row in known]
    for row in known:
        assert row.source in text
        assert f"{row.name}: {row.system}" in " ".join(text.split())
        assert row.note in " ".join(text.split())
        assert row.note in render(catalogue_document(known), "markdown")
    assert "averaged_f1" not in text


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"precision": "0.5", "recall": "0.5"}, "0.45–0.55"),
        ({"precision": "50.5%", "recall": "40.1%"}, "44.65–44.76"),
        ({"precision": "0.5", "recall": "0.5", "decimals": 12}, "0.4999999999995–0.5000000000005"),
        # More decimals than floats have digits.
        ({"precision": "0.5", "recall": "0.5", "decimals": 30}, f"0.5{'0' * 29}"),
    ],
)
def test_ranges_are_printed_outwards(figures, expected):
    text = shown(macrof1.audit(**figures))
    assert text.splitlines()[3].split() == ["F1", "of", "averages", expected]


def test_a_cell_of_the_table_names_as_many_corrections_as_its_sentence(table, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    (row,) = (row for row in table.rows if row.name == "InriaFBK/coarse_2")
    assert row.result.findings[0].alternatives == ()
    line = next(line for line in shown(table).splitlines() if line.startswith("InriaFBK/coarse_2  "))
    assert line.endswith("macro F1 → 74.75")
    # Without other rows to go by, both formulas' corrections stand in the cell and in the sentence.
    figures = {"macro_precision": "0.40", "macro_recall": "0.40", "macro_f1": "0.90"}
    lone = macrof1.audit_table([{"system": "x", **figures}])
    assert "→ 0.40, or one other\n" in shown(lone)
    assert len(lone.rows[0].result.findings[0].alternatives) == 1
    assert ", or macro F1 0.90 should lie" in shown(lone)
