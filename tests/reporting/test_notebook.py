"""Every result shows itself in a notebook: escaped, in the notebook's own colours, with what a reader looks for."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import macrof1
from macrof1.reporting.notebook import notebook_html

GOLD, PRED = ["<b>a</b>", "b", "b", "c"] * 6, ["<b>a</b>", "b", "c", "c"] * 6


SCORED = macrof1.score(GOLD, PRED)
RESULTS = {
    "score": SCORED,
    "interval": SCORED.interval(),
    "compare": macrof1.compare(GOLD, {"one": PRED, "two": GOLD}),
    "audit": macrof1.audit(precision="0.2937", recall="0.2283", f1="0.2095"),
    "bounds": macrof1.bounds(n_classes=3),
    "conventions": SCORED.conventions(),
}


class Balanced(HTMLParser):
    """Checks that every element that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, _):
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag, _):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_well_formed_and_themed_by_the_notebook(name):
    html = RESULTS[name]._repr_html_()
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert "table" in parser.seen or "ul" in parser.seen
    assert "<b>a</b>" not in html  # labels are text, never markup
    # No colour of text or ground is set: both follow the notebook's theme.
    assert set(re.findall(r"(?<![-\w])(?:color|background):([^;\"]+)", html)) <= {"inherit", "none"}


def test_a_score_shows_both_scores_on_one_axis_its_classes_and_its_notes():
    result = macrof1.score(["yes", "no", "no"], ["Yes", "no", "no"])
    html = notebook_html(result)
    assert f"{result.averaged_f1:.4f}" in html
    assert f"{result.f1_of_averages:.4f}" in html
    assert 'aria-label="both scores on one axis"' in html
    assert "differ only in case" in html
    assert "per class" in html


def test_long_tables_are_cut_and_say_so():
    labels = [f"class {i}" for i in range(100)]
    assert "and 60 more" in notebook_html(macrof1.score(labels, labels))
