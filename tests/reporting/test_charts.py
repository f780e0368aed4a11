"""Charts: each one is drawn in every format, with everything it should show."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import macrof1
from macrof1.errors import MissingExtraError
from macrof1.reporting.as_markup import page_of
from macrof1.reporting.charts import density_chart, heatmap_chart, picture, plane_chart, scatter_chart
from macrof1.reporting.document import Chart

CURVE = [(0.0, 0.0), (0.1, 5.0), (0.2, 0.0)]
GRID = ([0.0, 0.5, 1.0], [0.0, 1.0], np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]))
CHARTS = {
    "scatter": scatter_chart([(0.2, 0.4), (0.3, 0.5)]),
    "density": density_chart({"first": CURVE, "second": CURVE}, dict.fromkeys(("first", "second"), 0.1)),
    "heatmap": heatmap_chart([{"left": GRID, "right": GRID}], title="T", skew="skew of errors"),
    "plane": plane_chart(macrof1.score(["a", "a", "b", "c"], ["a", "b", "b", "b"])),
}
SAYS = {
    "scatter": ["A random classifier", "averaged F1", "F1 of averages", "both equal"],
    "density": ["random classifier", "gap (F1 of averages", "first", "second", "dashed: value on endless data"],
    "heatmap": ["T", "x: probability", "y: skew of errors", "gap (percentage points)", "left", "right"],
    "plane": ["every class", "precision", "recall", "F1 0.5", "over-precise", "over-recalled", "no share", *"abc"],
}


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_drawn_whole(name):
    drawing = picture(CHARTS[name], "svg").decode("utf-8")
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", drawing)
    for words in SAYS[name]:
        assert words in " ".join(texts), words
    assert "…" not in "".join(texts)
    assert "NaN" not in drawing
    ET.fromstring(drawing)  # noqa: S314  # our own drawing
    for kind, start in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<svg")):
        assert picture(CHARTS[name], kind).startswith(start)


def test_a_heat_map_has_one_cell_per_value_in_its_colour():
    drawing = picture(CHARTS["heatmap"], "svg").decode("utf-8")
    cells = re.findall(r'<path[^>]*fill="(rgb\([^)]+\)|#\w+)"', drawing.split("mark-rect")[1])
    assert len(set(cells)) >= 6


def test_labels_are_text_in_a_plane():
    result = macrof1.score(["<b>&", "x\x1b"], ["<b>&", "<b>&"])
    drawing = picture(plane_chart(result), "svg").decode("utf-8")
    ET.fromstring(drawing)  # noqa: S314  # our own drawing
    assert "&lt;b&gt;&amp;" in drawing
    assert "\x1b" not in drawing


def test_a_plane_of_many_classes_has_no_names_on_top_of_each_other():
    labels = [f"class{number}" for number in range(60)]
    assert "class7" not in picture(plane_chart(macrof1.score(labels, labels)), "svg").decode("utf-8")


def test_a_drawing_made_before_goes_into_a_page():
    drawing = picture(CHARTS["scatter"], "svg").decode("utf-8")
    html = page_of("title", [Chart(svg=drawing, caption='a "caption"')])
    assert html.count("<svg") == 1
    assert 'aria-label="a &quot;caption&quot;"' in html


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    with pytest.raises(MissingExtraError, match="pip install"):
        picture(CHARTS["scatter"], "png")
