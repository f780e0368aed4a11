"""HTML reports: on a phone, in dark mode, in print, with matching charts."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import macrof1
from macrof1.reporting.rendering import document, render


def pages(root):
    long = "a label that is so long that it cannot stand in one line of a narrow table without being broken somewhere"
    board = macrof1.audit_table(
        root / "examples/germeval2018/leaderboard.csv", support={"offense": 1202, "other": 2330}
    )
    systems = {"one": ["a", "b", "b", "a"] * 9, "two": ["b", "b", "b", "a"] * 9}
    return {
        "score": render(document(macrof1.score_matrix([[9, 4], [1, 3]], rows="predicted", labels=[long, "y"])), "html"),
        "compare": render(document(macrof1.compare(["a", "b", "a", "a"] * 9, systems)), "html"),
        "audit": render(document(board), "html"),
    }


def test_reports_can_be_read_on_a_phone_in_the_dark_and_on_paper(visit, root, tmp_path):
    package = pytest.importorskip("axe_playwright_python", reason="needs axe")
    axe = (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    page = visit(offline=True)
    for name, html in pages(root).items():
        path = tmp_path / f"{name}.html"
        path.write_text(html, encoding="utf-8")
        page.goto(path.as_uri())
        page.evaluate(axe)
        for width, scheme, ink, label in (
            (390, "dark", (243, 244, 246), "#f3f4f6"),
            (1100, "light", (17, 24, 39), "#000"),
        ):
            page.emulate_media(color_scheme=scheme, media="screen")
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert page.evaluate("getComputedStyle(document.body).color") == f"rgb{ink}"
            drawn = page.locator('figure svg text[fill="#000"]').first
            assert drawn.evaluate("(text) => getComputedStyle(text).fill") == (
                "rgb" + str(ink) if label != "#000" else "rgb(0, 0, 0)"
            )
            found = page.evaluate("axe.run()")["violations"]
            assert [issue["id"] for issue in found if issue["impact"] in ("serious", "critical")] == [], name
        page.emulate_media(color_scheme="dark", media="print")
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(17, 24, 39)"
        assert drawn.evaluate("(text) => getComputedStyle(text).fill") == "rgb(0, 0, 0)"


def test_sentences_in_a_table_begin_on_the_left(root):
    html = pages(root)["audit"]
    assert "<th class=text>finding</th>" in html
    assert "<th>published</th>" in html


def test_a_comparison_of_fifty_one_systems_fits_six_pages_and_no_column_is_cut(visit, root, tmp_path):
    path = tmp_path / "comparison.html"
    table = root / "examples/germeval2018/counts.csv"
    command = [sys.executable, "-m", "macrof1", "compare", str(table), "--by", "run", "--count", "count"]
    subprocess.run([*command, "--html", str(path)], check=True, capture_output=True)
    page = visit(viewport={"width": 1280, "height": 900}, offline=True)
    page.goto(path.as_uri())
    cut = page.evaluate(
        "[...document.querySelectorAll('.wide')].filter((one) => one.scrollWidth > one.clientWidth).length"
    )
    assert cut == 0
    # Every pair is there when asked for; what is significant stands in the open.
    assert page.locator("details tbody tr").count() == 51 * 50 // 2 + 51  # and the signature of every system
    assert all(table.is_hidden() for table in page.locator("details tbody").all())
    assert "significantly better than, by averaged F1" in page.inner_text("main")
    printed = page.pdf(format="A4")
    assert 3 <= len(re.findall(rb"/Type\s*/Page[^s]", printed)) <= 6
