"""Every result displays in a notebook, escaped and in its colours, in one line when printed, and as a chart."""

import dataclasses
import re
from collections.abc import Mapping
from html.parser import HTMLParser

import polars as pl
import pytest

import macrof1
from macrof1.bounding.largest_gap import largest_gap, witness
from macrof1.reporting.rendering import document, notebook_html, render
from macrof1.result import Result
from macrof1.scoring.definitions import definitions

GOLD, PRED = ["<b>a</b>", "b", "b", "c"] * 6, ["<b>a</b>", "b", "c", "c"] * 6


SCORED = macrof1.score(GOLD, PRED)
ROWS = [{"name": "x", "macro_precision": "0.5", "macro_recall": "0.4", "macro_f1": "0.43"}] * 2
CALLS = {
    "score": SCORED,
    "interval": SCORED.interval(),
    "compare": macrof1.compare(GOLD, {"one": PRED, "two": GOLD}),
    "flips": macrof1.compare({
        "x": {"yes": (0.34, 0.86), "no": (0.68, 0.16)}, "y": {"yes": (0.45, 0.45), "no": (0.55, 0.55)},
    }),
    "runs": macrof1.compare(GOLD, {"one": [PRED, GOLD], "two": [GOLD, GOLD]}),
    "groups": macrof1.score_groups(pl.DataFrame({"g": GOLD, "p": PRED, "s": [1, 2] * 12}), gold="g", pred="p", by="s"),
    "classes": SCORED.per_class,
    "pairs": SCORED.pairs(),
    "identify": macrof1.identify(GOLD, PRED, f"{SCORED.averaged_f1:.4f}"),
    "matches": macrof1.identify(GOLD, PRED, f"{SCORED.averaged_f1:.4f}").matches,
    "identified": macrof1.identify(macrof1.audit_table(
        [{"name": "x", **{f"{name}_{kind}": "0.50" for name in "ab" for kind in ("precision", "recall")},
          "macro_f1": "0.50"}], support={"a": 2, "b": 2},
    )),
    "audit": macrof1.audit(precision="0.2937", recall="0.2283", f1="0.2095"),
    "finding": macrof1.audit(precision="0.30", recall="0.20", f1="0.50"),
    "definitions": definitions(SCORED.counts),
    "audit_table": macrof1.audit_table(ROWS),
    "audit_text": macrof1.audit_text("Macro-P: 0.29 Macro-R: 0.23 Macro-F1: 0.21"),
    "bounds": macrof1.bounds(n_classes=3),
    "witness": witness(2),
    "largest_gap": largest_gap([3, 2]),
    "plan": macrof1.plan(GOLD, {"one": PRED, "two": GOLD}, difference=0.1),
    "conventions": SCORED.conventions(),
    "catalogue": macrof1.conventions(),
}  # fmt: skip


def inside(value):
    """Return every result in a value, however deep."""
    if isinstance(value, Result):
        yield value
        for field in dataclasses.fields(value):
            yield from inside(getattr(value, field.name))
    elif isinstance(value, Mapping):
        yield from inside(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from inside(each)


RESULTS = {type(result).__name__: result for result in inside(CALLS)}


def test_every_result_type_is_shown():
    assert sorted(set(macrof1.results.__all__) - {"Result"} - set(RESULTS)) == []


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


def test_a_score_shows_both_scores_its_classes_and_its_notes():
    result = macrof1.score(["yes", "no", "no"], ["Yes", "no", "no"])
    html = notebook_html(result)
    assert f"{result.averaged_f1:.4f}" in html
    assert f"{result.f1_of_averages:.4f}" in html
    assert "differ only in case" in html
    assert "<b>Classes</b>" in html


def test_long_tables_are_cut_and_say_so():
    labels = [f"class {i}" for i in range(100)]
    assert "and 60 more" in notebook_html(macrof1.score(labels, labels))


TRUTH, ONE, OTHER = list("aabbcbca") * 6, list("abbbcbaa") * 6, list("aabbccaa") * 6
FRAME = pl.DataFrame({"gold": TRUTH, "pred": ONE, "fold": [place % 3 for place in range(48)]})


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (macrof1.score_groups(FRAME, gold="gold", pred="pred", by="fold"),
         "3 groups by fold: averaged F1 0.7302 over all rows, 0.7302 on average; "
         "F1 of averages 0.7616 over all rows, 0.7616 on average"),
        (macrof1.compare(TRUTH, {"one": ONE, "other": OTHER}),
         "2 systems: one is first under averaged F1 (0.7302), one is first under F1 of averages (0.7616); "
         "0 of 1 pair flip"),
        (macrof1.bounds(n_classes=3),
         "averaged F1 0.0000 to 1.0000, F1 of averages 0.0000 to 1.0000, gap 0.0000 to 0.4444: "
         "the supremum is approached and never reached"),
        (macrof1.identify(TRUTH, ONE, "0.7286"), None),
        (macrof1.score(TRUTH, ONE), None),
        (macrof1.audit(precision="0.5", recall="0.5", f1="0.4"), None),
    ],
)  # fmt: skip
def test_a_result_is_one_line_when_it_is_printed(result, line):
    assert len(str(result).splitlines()) == 1
    assert len(str(result)) < 250
    assert "Result(" not in str(result)
    assert line is None or str(result) == line


def test_charts_of_results_are_altairs():
    pytest.importorskip("altair")
    result = macrof1.score(TRUTH, ONE)
    first, second = result.plot(), result.plot(2)
    assert first.to_dict() != second.to_dict()
    assert macrof1.compare(TRUTH, {"one": ONE, "other": OTHER}).plot().to_dict()["$schema"]
    with pytest.raises(macrof1.InputError, match="a whole number from 1 to"):
        result.plot(99)
    with pytest.raises(macrof1.InputError, match="BoundsResult has no chart"):
        macrof1.bounds(n_classes=3).plot()


def test_ten_definitions_at_most_are_listed():
    found = macrof1.identify(TRUTH, ONE, "0.7")
    assert len(found.matches) > 10
    text = render(document(found), "text")
    assert f"The 10 most common are listed, of {len(found.matches)}" in " ".join(text.split())
    assert sum("averaged_f1" in line or "f1" in line for line in text.splitlines()[4:]) <= 10 + 5 + 10
    assert len(render(document(found), "csv").splitlines()) == 1 + len(found.matches) + len(found.nearest)
