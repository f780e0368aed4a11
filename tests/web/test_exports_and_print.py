"""Every table can be taken along in four formats that say the same, and every view fits on paper."""

import csv
import io
import json
import re

import pytest

import macrof1

from .conftest import STATES
from .test_matrix_view import TABLE_3

TABLES = {
    "the matrix": (TABLE_3, "#averaged", "0.0196"),
    "the classes": (TABLE_3, "#averaged", "0.0196"),
    "what other tools print": (TABLE_3, "#conventions", "scikit-learn"),
    "the systems": STATES["compare"],
    "the flips": STATES["compare"],
    "the rows": STATES["board"],
    "the reports": STATES["gallery"],
}


def saved(page, table, kind):
    """Save a table and return the file."""
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Save {table} as {kind}", exact=True).click()
    return download.value.path().read_text(encoding="utf-8")


def plain(cell):
    """Return a cell as JSON has it: a number where it is one, nothing where it is empty."""
    is_number = re.fullmatch(r"[+-]?[\d,]+(\.\d+)?", cell)
    return None if cell in ("", "–") else float(cell.replace(",", "")) if is_number else cell


@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_the_same_in_every_format(look, table):
    page = look(*TABLES[table])
    header, *rows = csv.reader(io.StringIO(saved(page, table, "CSV")))
    assert len(set(header)) == len(header)
    assert rows
    assert [header, *rows] == list(csv.reader(io.StringIO(saved(page, table, "TSV")), delimiter="\t"))
    records = [{name: plain(cell) for name, cell in zip(header, row, strict=True)} for row in rows]
    assert json.loads(saved(page, table, "JSON")) == records
    latex = saved(page, table, "LaTeX")
    assert latex.count(r" \\") == 1 + len(rows)
    assert latex.count("{") == latex.count("}")
    assert latex.startswith(rf"\begin{{tabular}}{{{'l' if isinstance(records[0][header[0]], str) else 'r'}")


def test_saved_classes_have_the_scores_of_the_library(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    classes = macrof1.score_matrix([[100, 10_000], [0, 100]], rows="predicted", labels=["x", "y"]).per_class
    rows = csv.DictReader(io.StringIO(saved(page, "the classes", "CSV")))
    for row, one in zip(rows, classes, strict=True):
        expected = [one.label, f"{one.precision:.4f}", f"{one.recall:.4f}"]
        assert [row["class"], row["precision"], row["recall"]] == expected
    matrix = list(csv.reader(io.StringIO(saved(page, "the matrix", "CSV"))))
    assert matrix == [[r"predicted \ gold", "x", "y"], ["x", "100", "10000"], ["y", "0", "100"]]


@pytest.mark.parametrize(("name", "most"), [("story", 2), ("compare", 6), ("audit", 1)])
def test_a_view_fits_on_paper_and_nothing_is_cut(look, name, most):
    page = look(*STATES[name])
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 711, "height": 1000})  # A4 within its margins, in CSS pixels
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 711
    cut = """() => [...document.querySelectorAll("main .wide, main .chart, main pre")]
        .filter((one) => one.checkVisibility() && getComputedStyle(one).overflowX !== "visible").length"""
    assert page.evaluate(cut) == 0
    pages = re.findall(rb"/Type\s*/Page[^s]", page.pdf(prefer_css_page_size=True))
    assert 1 <= len(pages) <= most
