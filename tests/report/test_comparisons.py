"""Tables and the slope chart of a comparison."""

from __future__ import annotations

import pytest

import macrof1
from macrof1.errors import InputError
from macrof1.report.charts.look import picture, specification
from macrof1.report.charts.slope import slope_chart
from macrof1.report.comparisons import beaten, marks, render_comparison, superscript


def result(names=("a_1", "b&2", "<c>"), **options):
    gold = ["x", "x", "y", "y", "z"] * 30
    preds = (gold, ["x", "x", "y", "x", "y"] * 30, ["x", "y", "y", "z", "x"] * 30)
    return macrof1.compare(gold, dict(zip(names, preds, strict=True)), n_resamples=100, **options)


def test_superscripts_name_whom_a_system_beats():
    found = result()
    better = beaten(found, "averaged_f1")
    order = [system.name for system in found.systems]
    assert order[0] == "a_1"
    assert better["a_1"] == [1, 2]
    latex = render_comparison(found, "latex", digits=2)
    assert r"a & a\_1 & 1.00\textsuperscript{bc}" in latex
    assert r"b\&2" in latex
    assert r"\textless{}c\textgreater{}" in latex
    assert "paired delta-method Wald test" in latex


def test_marks_and_runs():
    assert marks(3) == ["a", "b", "c"]
    assert marks(30)[-1] == "30"
    assert superscript([1, 2, 3, 5], marks(30)) == "2--4,6"
    assert superscript([1, 2], marks(3)) == "bc"
    assert superscript([0, 1, 2, 4], marks(5)) == "a--c,e"
    assert superscript([], marks(5)) == ""


def test_names_cannot_break_a_table_or_a_page():
    names = ("<script>alert(1)</script>", "two\nlines", "a|b")
    page = render_comparison(result(names), "html", command="mf1 compare <x>")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "two\\nlines" in render_comparison(result(names), "text")
    assert "a\\|b" in render_comparison(result(names), "markdown")


def test_the_slope_chart_has_a_line_and_two_names_per_system():
    # Ranks swap: x wins under F1 of averages, y under averaged F1.
    found = macrof1.compare_published(
        {
            "x": {"p": (0.34, 0.86), "q": (0.68, 0.16)},
            "y": {"p": (0.45, 0.45), "q": (0.55, 0.55)},
            "y too": {"p": (0.45, 0.45), "q": (0.55, 0.55)},
        }
    )
    spec = specification(slope_chart(found))
    values = [spec["datasets"][layer["data"]["name"]] for layer in spec["layer"]]
    lines = values[0]
    assert len(lines) == 6
    assert {(line["side"], line["rank"]) for line in lines if line["system"] == 2} == {
        ("F1 of averages", 1),
        ("averaged F1", 3),
    }
    names = [name for layer in values[1:] for name in layer]
    assert len({(name["side"], name["row"]) for name in names}) == 6  # ties do not overprint each other
    assert spec["config"]["view"]["stroke"] is None
    drawing = picture(slope_chart(found), "svg").decode()
    assert "y too" in drawing
    assert "better under averaged F1" in drawing


def test_published_comparisons_print_without_intervals():
    found = macrof1.compare_published({"x": {"p": (1, 1), "q": (1, 1)}, "y": {"p": (0.5, 0.5), "q": (0.5, 0.5)}})
    for output in ("text", "csv", "markdown", "latex", "html"):
        shown = render_comparison(found, output)
        assert "interval" not in shown.replace("no intervals", "")
        assert "0.5" in shown


def test_an_unknown_format_is_refused():
    with pytest.raises(InputError, match="did you mean 'html'"):
        render_comparison(result(), "htm")
    with pytest.raises(InputError, match="decimals"):
        render_comparison(result(), "text", digits=99)
