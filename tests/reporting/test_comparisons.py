"""Tables and the slope chart of a comparison."""

import csv
import io
import re

import numpy as np
import pytest

import macrof1
from macrof1.reporting.as_markup import latex_text
from macrof1.reporting.charts import picture, slope_chart, specification
from macrof1.reporting.comparison_documents import ranges
from macrof1.reporting.rendering import document, render


def render_comparison(found, output="text", *, digits=None, table=None, command=None):
    """Print a comparison, or one of its tables."""
    return render(document(found, digits=digits), output, table=table, command=command)


def result(names=("a_1", "b&2", "<c>"), **options):
    gold = ["x", "x", "y", "y", "z"] * 30
    preds = (gold, ["x", "x", "y", "x", "y"] * 30, ["x", "y", "y", "z", "x"] * 30)
    return macrof1.compare(gold, dict(zip(names, preds, strict=True)), n_resamples=100, **options)


def test_significant_differences_are_in_every_format():
    latex = render_comparison(result(), "latex", digits=2)
    assert re.search(r"a\\_1 \$-\$ b\\&2 & \+0\.\d\d\*", latex)
    assert r"\textless{}c\textgreater{}" in latex
    assert "paired Wald test" in latex
    # Of many systems, each names the ranks of those that it is better than.
    many = long_names(12)
    best = many.systems[0].name
    for output, row in (("latex", f"1 & {best} & "), ("markdown", f"| 1 | {best} | "), ("html", f">{best}<")):
        shown = render_comparison(many, output)
        assert "significantly better than, by averaged F1" in shown
        assert re.search(re.escape(row) + "(</?td[^>]*>|/td>|)+[0-9]+[–,]", shown)


@pytest.mark.parametrize(("ranks", "shown"), [([1, 2, 3, 5], "1–3, 5"), ([2, 1], "1, 2"), ([], "–")])
def test_ranks_in_a_row_are_abbreviated(ranks, shown):
    assert ranges(ranks) == shown


def test_names_cannot_break_a_table_or_a_page():
    names = ("<script>alert(1)</script>", "two\nlines", "a|b")
    page = render_comparison(result(names), "html", command="mf1 compare <x>")
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert "two\\nlines" in render_comparison(result(names), "text")
    assert "a\\|b" in render_comparison(result(names), "markdown")
    latex = render_comparison(result(("[best]", "*star", "a − b ≤ c")), "latex")
    assert all(name in latex for name in ("{}[best]", "{}*star", r"a $-$ b $\le$ c"))
    gold = ["x", "y"] * 30
    found = macrof1.compare(gold, {"a\x1b": ["x", "q"] * 30, "b": gold}, n_resamples=100)
    assert any("\x1b" in note for note in found.notes)
    assert "\x1b" not in render_comparison(found, "html")


def test_the_slope_chart_has_a_line_and_two_names_per_system():
    # Ranks swap: x wins under F1 of averages, y under averaged F1.
    found = macrof1.compare(
        {
            "x": {"p": (0.34, 0.86), "q": (0.68, 0.16)},
            "y": {"p": (0.45, 0.45), "q": (0.55, 0.55)},
            "y too": {"p": (0.45, 0.45), "q": (0.55, 0.55)},
        }
    )
    spec = specification(slope_chart(found))
    values = [layer["data"]["values"] for layer in spec["layer"]]
    lines = values[0]
    assert len(lines) == 6
    assert {(line["side"], line["row"]) for line in lines if line["system"] == 2} == {
        ("F1 of averages", 1),
        ("averaged F1", 3),
    }
    assert len({(line["side"], line["row"]) for line in lines}) == 6  # tied systems have dots of their own
    names = [name for layer in values[1:] for name in layer]
    assert len({(name["side"], name["row"]) for name in names}) == 6  # ties do not overprint each other
    assert spec["config"]["view"]["stroke"] is None
    drawing = picture(slope_chart(found), "svg").decode()
    assert "y too" in drawing
    assert "better under averaged F1" in drawing


def test_published_comparisons_print_without_intervals():
    found = macrof1.compare({"x": {"p": (1, 1), "q": (1, 1)}, "y": {"p": (0.5, 0.5), "q": (0.5, 0.5)}})
    for output in ("text", "csv", "markdown", "latex", "html"):
        shown = render_comparison(found, output)
        assert "interval" not in shown.replace("no intervals", "")
        assert "0.5" in shown


def test_every_format_has_the_tests_of_every_pair(monkeypatch):
    found = result()
    star = next(pair for pair in found.comparisons if pair.averaged_f1.significant)
    p = star.f1_of_averages.p_holm
    shown = [f"{p[test]:.4f}" if p[test] >= 0.0001 else "<0.0001" for test in ("delta", "bootstrap", "randomisation")]
    monkeypatch.setenv("COLUMNS", "100")
    text = render_comparison(found, "text", table="pairs")
    row = next(line for line in text.split("F1 of averages")[1].splitlines() if f"{star.a} − {star.b}" in line)
    assert [field for field in row.split() if field in shown] == shown
    markdown = render_comparison(found, "markdown")
    assert "| pair | averaged F1 | p delta | p bootstrap | p randomisation |" in markdown
    assert f"| {star.a} − {star.b} |" in markdown
    assert f"{star.averaged_f1.difference:+.4f}\\* |" in markdown
    assert "Kendall's tau" in markdown
    assert "Better or worse (p ≤" in markdown
    latex = render_comparison(found, "latex", table="pairs")
    assert f"{star.averaged_f1.difference:+.4f}*" in latex
    assert latex.count(r" $-$ ") == 9  # both formulas, and what does not depend on them


def test_csv_is_one_table_and_any_of_them():
    found = result()

    def table(name):
        return list(csv.DictReader(io.StringIO(render_comparison(found, "csv", table=name))))

    assert render_comparison(found, "csv") == render_comparison(found, "csv", table="systems")
    assert [row["name"] for row in table("systems")] == [system.name for system in found.systems]
    rows = table("pairs")
    assert len(rows) == found.pairs
    for row, pair in zip(rows, found.comparisons, strict=True):
        assert (row["a"], row["b"]) == (pair.a, pair.b)
        for formula in ("averaged_f1", "f1_of_averages"):
            own = getattr(pair, formula)
            assert float(row[f"{formula}_difference"]) == own.difference
            assert {test: float(row[f"{formula}_p_holm_{test}"]) for test in own.p_holm} == own.p_holm
            assert {test: float(row[f"{formula}_p_{test}"]) for test in own.p} == own.p
            assert float(row[f"{formula}_p_decides"]) == own.p_decides
            assert row[f"{formula}_significant"] == str(own.significant).lower()
        assert int(row["n_differing"]) == pair.n_differing
        assert row["doubts"] == "; ".join(pair.doubts)
    summary = {row["figure"]: row["value"] for row in table("summary")}
    assert float(summary["kendall_tau"]) == found.kendall_tau
    assert summary["pairs"] == "3"
    assert len(table("flips")) == found.discordant_pairs


def test_published_tables_have_pairs_and_flips_too():
    found = macrof1.compare({"x": {"p": (0.34, 0.86), "q": (0.68, 0.16)}, "y": {"p": (0.45, 0.45), "q": (0.55, 0.55)}})
    rows = list(csv.DictReader(io.StringIO(render_comparison(found, "csv", table="flips"))))
    assert rows[0]["averaged_f1_prefers"] == "y"
    assert rows[0]["probability"] == ""
    (pair,) = csv.DictReader(io.StringIO(render_comparison(found, "csv", table="pairs")))
    assert (pair["a"], pair["b"], pair["flip"], pair["averaged_f1_significant"]) == ("y", "x", "true", "")
    assert "y − x" in render_comparison(found, "text", table="pairs")
    assert "y $-$ x" in render_comparison(found, "latex", table="pairs")


def long_names(n_systems=12):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3, 200)
    systems = {
        f"a system with quite a long name, number {place}": np.where(
            rng.random(200) < place / 20, gold, rng.integers(0, 3, 200)
        )
        for place in range(n_systems)
    }
    return macrof1.compare(gold, systems, n_resamples=100)


def test_text_tables_fit_the_terminal(monkeypatch):
    found = long_names()
    monkeypatch.setenv("COLUMNS", "80")
    assert "number 11" in render_comparison(found, "text")
    assert "The pairs table has the differences of all 66 pairs." in render_comparison(found, "text")
    # Names that would be the same when shortened stay as they are, on several lines.
    alike = result([f"{'x' * 40} {middle} {'y' * 40}" for middle in "abc"])
    text = render_comparison(alike, "text")
    assert "…" not in text
    assert max(map(len, text.splitlines()[:-3])) <= 80  # but for the lines to copy


def test_five_systems_fit_one_screen_and_the_rest_is_asked_for(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3, 600)
    systems = {f"s{n}": np.where(rng.random(600) < 0.6 + n / 20, gold, rng.integers(0, 3, 600)) for n in range(5)}
    found = document(macrof1.compare(gold, systems, n_resamples=100))
    assert render(found).count("\n") <= 36
    assert "or with details: change, gap)" in render(found)
    assert "or with details: F1 of averages)" in render(found)
    assert "or with details" not in render(found, details=True)


@pytest.mark.parametrize(("n_rows", "n_systems"), [(1, 2), (150, 2), (150, 3)])
def test_one_of_a_thing_is_not_many(n_rows, n_systems):
    gold = ["x", "x", "y", "y", "z"] * 30
    preds = (["y"] * 150, ["x", "x", "y", "x", "y"] * 30, ["x", "y", "y", "z", "x"] * 30)
    systems = {name: pred[:n_rows] for name, pred in zip("abc"[:n_systems], preds, strict=False)}
    found = macrof1.compare(gold[:n_rows], systems, n_resamples=100)
    for output in ("text", "markdown", "latex", "html"):
        shown = render_comparison(found, output)
        assert not re.findall(r"(?<![\d,.])1 (?:rows|systems|pairs|classes|flips|labels|smaller flips)\b", shown)
        assert not re.findall(r"(?<![\d,.])1 (?:change|flip|are|have)\b", shown)


def test_long_latex_tables_run_over_pages():
    latex = render_comparison(long_names(12), "latex", table="pairs")
    assert r"\begin{longtable}" in latex
    assert "booktabs,longtable" in latex.splitlines()[0]
    assert r"\begin{table}" in render_comparison(result(), "latex")
    assert latex.count("{") == latex.count("}")


def test_latex_has_the_notes_as_small_print():
    for found in (result(), long_names(26)):
        assert found.notes
        for table in (None, "pairs"):
            latex = render_comparison(found, "latex", table=table)
            assert all(latex_text(note) in latex for note in found.notes)
