"""Why two systems flip: the card of a flip, and its link."""

import json

import pytest

import macrof1
from macrof1.web.routes import answer

from .conftest import accessible, link, shows

SYSTEMS = {
    "even": ["a"] * 60 + ["b"] * 40 + ["a"] * 40 + ["b"] * 60,
    "bold": ["a"] * 98 + ["b"] * 2 + ["a"] * 70 + ["b"] * 30,
}
GOLD = ["a"] * 100 + ["b"] * 100
TABLE = "gold,even,bold\n" + "".join(f"{g},{x},{y}\n" for g, x, y in zip(GOLD, *SYSTEMS.values(), strict=True))


@pytest.mark.parametrize("kind", ["columns", "files", "matrices"])
def test_the_card_has_both_systems_class_by_class_as_the_library_scores_them(kind):
    files = [{"text": TABLE, "name": "all.csv"}]
    if kind == "files":
        runs = [("gold", "gold", GOLD), *(("pred", name, labels) for name, labels in SYSTEMS.items())]
        files = [
            {"text": f"{head}\n" + "".join(f"{x}\n" for x in rows), "name": f"{name}.csv"} for head, name, rows in runs
        ]
    if kind == "matrices":
        files = []
        for name, labels in SYSTEMS.items():
            cells = [[sum(pair == (g, p) for pair in zip(GOLD, labels, strict=True)) for p in "ab"] for g in "ab"]
            rows = "".join(f"{label},{','.join(map(str, row))}\n" for label, row in zip("ab", cells, strict=True))
            files.append({"text": f",a,b\n{rows}", "name": f"{name}.csv"})
    body = {**files[0], **({"more": files[1:]} if len(files) > 1 else {})}
    found = json.loads(answer("POST", "/api/flip", json.dumps({**body, "a": "even", "b": "bold"})).text)
    for side, name in (("a", "even"), ("b", "bold")):
        expected = macrof1.score(GOLD, SYSTEMS[name])
        assert found[side]["averaged_f1"] == pytest.approx(expected.averaged_f1, abs=1e-12)
        assert found[side]["f1_of_averages"] == pytest.approx(expected.f1_of_averages, abs=1e-12)
        assert found[side]["gap"] == pytest.approx(expected.gap, abs=1e-12)
        for record, one in zip(found["classes"], expected.per_class, strict=True):
            assert record[side]["f1"] == pytest.approx(one.f1, abs=1e-12)
            if kind != "matrices":  # a bare matrix does not say what its rows are
                assert record[side]["precision"] == pytest.approx(one.precision, abs=1e-12)
            assert record[side]["gap_share"] == pytest.approx(one.gap_share, abs=1e-12)
    assert ("if not, swap precision and recall" in found["sentence"]) == (kind == "matrices")


def test_an_unknown_system_is_named():
    body = {"text": TABLE, "a": "even", "b": "none"}
    reply = answer("POST", "/api/flip", json.dumps(body))
    assert reply.status == 400
    assert "none" in reply.text


@pytest.mark.parametrize(
    ("example", "tested"), [("germeval-counts", "significant"), ("germeval-leaderboard", "Not tested")]
)
def test_a_flip_opens_its_card_and_the_card_has_a_link(look, example, tested):
    page = look(f"#/compare?example={example}")
    page.locator("#compare-flips tbody a").first.click()
    shows(page, "#flip-title", "Why cluzh/coarse_2 and FoSIL/coarse_1 flip")
    shows(page, "#flip-sentence", "decides: FoSIL/coarse_1 has precision 0.6823 but recall 0.1558 there, so F1 0.2537")
    shows(page, "#flip-formulas", "averaged F1 = (0.2968 + 0.6882) / 2 = 0.4925")
    shows(page, "#flip-formulas", "F1 of averages = 2 × 0.5133 × 0.5076 / (0.5133 + 0.5076) = 0.5104")
    shows(page, "#flip-tested", tested)
    assert page.evaluate("document.activeElement.id") == "flip-title"
    assert "pair=cluzh%2Fcoarse_2,FoSIL%2Fcoarse_1" in link(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save two systems that flip as SVG").click()
    assert saved.value.suggested_filename == "two-systems-that-flip.svg"
    other = look(link(page))
    shows(other, "#flip-title", "Why cluzh/coarse_2 and FoSIL/coarse_1 flip")
    page.get_by_role("button", name="Close").click()
    page.wait_for_selector("#flip-card", state="hidden")
    assert "pair" not in link(page)
    if example == "germeval-leaderboard":
        accessible(other)


def test_systems_are_sorted_and_coloured_by_what_they_gain(look):
    page = look("#/compare?example=germeval-leaderboard")
    page.wait_for_selector("#compare-chart .rises")
    rises, falls = (page.locator(f"#compare-chart .{kind}").count() for kind in ("rises", "falls"))
    assert rises + falls <= 45
    assert min(rises, falls) > 5
    page.get_by_role("button", name="Sort by gap").click()
    gaps = [
        float(row.inner_text().strip("<")) for row in page.locator("#compare-systems-table tbody td:last-child").all()
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert "Detectable" not in page.text_content("#view-compare")
    assert page.get_by_role("button", name="change", exact=True).get_attribute("aria-describedby") == "term-change"
