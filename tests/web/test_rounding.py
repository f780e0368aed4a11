"""Charts, tables and text of the page print the same figures as the library."""

import json
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from macrof1.web.routes import answer

from ..strategies import matrices

CELLS = st.integers(0, 200) | st.sampled_from([0.5, 0.25, 1e-9, 12345.678])
PRINTED = st.integers(0, 10**4)
DRAW = """async (answer) => {
    const { axis, heat, plane } = await import("./static/drawings.js");
    const { formulas } = await import("./static/formulas.js");
    const { breakdown } = await import("./static/breakdown.js");
    const place = document.createElement("div");
    const said = () => [...place.querySelectorAll("text, title")].map((one) => one.textContent);
    const found = {};
    axis(place, answer);
    found.axis = said();
    plane(place, answer, []);
    found.plane = said();
    heat(place, answer);
    found.heat = said();
    formulas(place, answer, () => {});
    found.formulas = place.textContent;
    breakdown(answer);
    found.rows = [...document.querySelectorAll("#classes tbody tr")].map((row) => row.textContent);
    return found;
}"""
AUDIT = """async (answer) => {
    const { intervals } = await import("./static/drawings.js");
    const place = document.createElement("div");
    intervals(place, answer);
    return [...place.querySelectorAll("title")].map((one) => one.textContent);
}"""
COMPARE = """async ([systems, flips]) => {
    const { slope } = await import("./static/slope.js");
    const place = document.createElement("div");
    slope(place, systems, flips);
    return [...place.querySelectorAll("text")].map((one) => one.textContent);
}"""


@pytest.fixture
def blank(visit, server):
    """Return a page whose own figures do not matter."""
    page = visit()
    page.goto(f"{server.address}#/gallery")
    return page


def asked(path, body):
    return json.loads(answer("POST", path, json.dumps(body)).text)


def test_numbers_are_rounded_as_python_does(blank):
    ties = [n / 2**k for k in range(1, 12) for n in range(0, 2**k, max(1, 2**k // 40))]

    @given(st.lists(st.floats(0, 1) | st.sampled_from(ties), min_size=50, max_size=50), st.integers(0, 8))
    @settings(max_examples=40)
    def check(values, digits):
        script = """async ([values, digits]) => {
            const { fixed } = await import("./static/dom.js");
            return values.map((value) => fixed(value, digits));
        }"""
        assert blank.evaluate(script, [values, digits]) == [f"{value:.{digits}f}" for value in values]

    check()


def test_charts_tables_and_formulas_of_a_matrix_agree(blank):
    @given(matrices(cells=CELLS, least=2, most=5))
    @settings(max_examples=60)
    def check(matrix):
        cells = [[float(cell) if cell % 1 else int(cell) for cell in row] for row in matrix]
        assume(any(map(any, cells)))
        found = asked("/api/score", {"labels": [f"c{x}" for x in range(len(cells))], "matrix": cells})
        shown = blank.evaluate(DRAW, found)
        both = f"averaged F1 {found['averaged_f1']:.4f}", f"F1 of averages {found['f1_of_averages']:.4f}"
        assert set(both) <= set(shown["axis"])
        for record, row in zip(found["per_class"], shown["rows"], strict=True):
            label, figures = record["label"], {name: f"{record[name]:.4f}" for name in ("precision", "recall", "f1")}
            share = f"{record['gap_share']:.4f}"
            assert row.startswith(f"{label}{''.join(figures.values())}")
            assert share in row
            point = f"{label}: precision {figures['precision']}, recall {figures['recall']}, share of the gap {share}"
            assert point in shown["plane"]
            assert f"= {figures['f1']}" in shown["formulas"]
        for pair in found["pairs"]:
            told = f"{pair['over_precise']} and {pair['over_recalled']}: {pair['contribution']:.4f}"
            assert shown["heat"].count(told) == 2
        for value in (found["averaged_f1"], found["f1_of_averages"], found["macro_precision"]):
            assert f"= {value:.4f}" in shown["formulas"]

    check()


def test_ranges_of_an_audit_agree_with_its_reason(blank):
    seen = set()

    @given(PRINTED, PRINTED, PRINTED, st.integers(1, 4), st.booleans())
    @settings(max_examples=80)
    def check(p, r, f, decimals, percent):
        unit = 10**4 // (100 if percent else 1)
        figures = {name: f"{value / unit:.{decimals}f}" for name, value in (("precision", p), ("recall", r), ("f1", f))}
        found = asked("/api/audit", {**figures, "percent": percent})
        assume("error" not in found)
        titles = blank.evaluate(AUDIT, found)
        for name, key in (("averaged F1", "averaged_f1"), ("F1 of averages", "f1_of_averages")):
            if found[key] is None:
                continue
            assert f"{name}: {found['shown'][key]}" in titles
            told = re.search(rf"{name} (?:would|can) be ([\d.]+\d(?: to [\d.]+\d)?)", found["reason"], re.IGNORECASE)
            if told:
                seen.add(key)
                assert told[1] == found["shown"][key]

    check()
    assert seen == {"averaged_f1", "f1_of_averages"}


def test_both_rankings_show_the_scores_of_the_table(blank):
    ratio = st.integers(0, 100).map(lambda n: n / 100)
    system = st.tuples(ratio, ratio, ratio, ratio)

    @given(st.lists(system, min_size=2, max_size=6))
    @settings(max_examples=30)
    def check(rows):
        lines = ["system,a P,a R,b P,b R", *(f"s{k},{','.join(map(str, row))}" for k, row in enumerate(rows))]
        found = asked("/api/compare", {"text": "\n".join(lines)})
        shown = blank.evaluate(COMPARE, [found["systems"], found["flips"]])
        for one in found["systems"]:
            assert f"{one['name']}  {one['averaged_f1']:.4f}" in shown
            assert f"{one['f1_of_averages']:.4f}  {one['name']}" in shown

    check()
