"""What a visitor sees first, and what stays in place: the story, its fold, and text that can be read."""

from itertools import pairwise

import pytest

from .conftest import STATES, shows
from .test_matrix_view import agrees, cell

FLIP = "Finds 40 of 300 hateful comments. One macro F1 still ranks it first."


@pytest.mark.parametrize(("width", "height"), [(360, 740), (768, 1024), (1280, 900)])
def test_the_story_is_told_on_one_screen_before_any_interaction(look, width, height):
    page = look(viewport={"width": width, "height": height})
    shows(page, "#story-rank", FLIP)
    for selector in ("#slider-moved", "#story-rank", "#story-axis svg"):
        box = page.locator(selector).bounding_box()
        assert box["y"] >= 0, selector
        assert box["y"] + box["height"] <= height, selector
    lead = page.text_content(".story .lead")
    assert "B" in lead  # the rival is introduced before it is mentioned
    assert page.locator(".story label").count() == 1  # one label for the slider
    assert page.locator("#story-slider input").get_attribute("step") == "4"


def test_scores_agree_only_where_their_digits_do(look):
    page = look()
    page.locator("#slider-moved").fill("120")
    shows(page, "#averaged", "0.7810")
    shows(page, "#of-averages", "0.7811")
    shows(page, "#gap", "<0.0001")
    assert "agree" not in page.text_content("#story-sentence")


@pytest.mark.parametrize("height", [900, 2600])
def test_an_edit_folds_the_story_and_moves_nothing(look, height):
    page = look(viewport={"width": 1280, "height": height})
    shows(page, "#story-rank", FLIP)
    page.locator("#cells").scroll_into_view_if_needed()
    field = cell(page, 0, 0)
    field.focus()
    before = field.bounding_box()
    field.fill("5000")
    page.wait_for_selector("#story", state="hidden")
    shows(page, "#story-folded", "The story")
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert abs(field.bounding_box()["y"] - before["y"]) <= 1
    assert page.locator("#story-folded").bounding_box()["height"] < 60
    page.get_by_role("button", name="Show it").click()
    shows(page, "#story-rank", FLIP)


def test_nothing_moves_while_a_cell_is_dragged(look):
    page = look("", "#story-rank", FLIP)
    page.locator("#cells").scroll_into_view_if_needed()
    field = cell(page, 1, 1)
    before = field.bounding_box()
    x, y = before["x"] + before["width"] / 2, before["y"] + before["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for up in (10, 20, 30, 40):
        page.mouse.move(x, y - up)
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert abs(field.bounding_box()["y"] - before["y"]) <= 1
    page.mouse.up()
    assert page.locator("#story").is_hidden()
    dragged = int(field.input_value())
    assert dragged == round(930 * 10**0.25)
    agrees(page, [[5930, 70, 20], [60, dragged, 240], [10, 0, 40]], ["fine", "rude", "hateful"])


SMALLEST = """() => {
    const sizes = [...document.querySelectorAll("svg text")].filter((text) => text.getBoundingClientRect().width)
        .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a);
    return Math.min(...sizes);
}"""
CHARTS = {
    "story": ("#/", "#pairs svg text"),
    "many classes": ("#/matrix?preset=random&skew=0.5&classes=20", "#pairs svg text"),
    "ranks": (STATES["compare"][0], "#compare-chart svg text"),
    "rows": (STATES["board"][0], "#audit-chart svg text"),
    "ranges": (STATES["audit"][0], "#intervals svg text"),
}


@pytest.mark.parametrize("name", CHARTS)
def test_text_in_charts_is_never_smaller_than_12_pixels(look, name):
    state, ready = CHARTS[name]
    page = look(state)
    page.wait_for_selector(ready)
    for width in (1280, 768, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()  # not only redrawn at a new width
        page.wait_for_selector(ready)
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert page.evaluate(SMALLEST) >= 11.99, width


HEBREW = "שלום, עולם (1)"
LONG = "a class name that goes on and on " * 6


def test_names_from_the_right_and_long_ones_stay_in_their_place(look):
    page = look()
    page.evaluate(
        """([one, other]) => { location.hash = `#/matrix?rows=gold&cells=50,10,3;8,30,2;1,4,20&labels=${
            [one, other, "plain"].map(encodeURIComponent).join(",")}`; }""",
        [HEBREW, LONG[:200]],
    )
    shows(page, "#classes", HEBREW)
    assert page.locator("#classes tbody th bdi").count() == 3
    assert page.locator("#formulas bdi").count() == 6
    assert page.evaluate("[...document.querySelectorAll('#cells .name')].every((one) => one.dir === 'auto')")
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # No text of a chart reaches beyond it, and no two headings overlap.
        beyond = page.evaluate(
            """() => [...document.querySelectorAll("#view-matrix svg")].flatMap((drawing) => {
                const frame = drawing.getBoundingClientRect();
                return [...drawing.querySelectorAll("text")].filter((text) => {
                    const box = text.getBoundingClientRect();
                    return box.width && (box.left < frame.left - 1 || box.right > frame.right + 1);
                }).map((text) => text.textContent);
            })"""
        )
        assert beyond == []
        heads = page.locator("#cells thead th").all()
        boxes = sorted((head.bounding_box() for head in heads), key=lambda box: box["x"])
        assert all(one["x"] + one["width"] <= other["x"] + 1 for one, other in pairwise(boxes))


def test_more_than_thirty_classes_are_a_heat_map_and_the_ten_that_matter(look):
    n = 40
    cells = ";".join(",".join(str(90 + i if i == j else (i * 7 + j) % 5) for j in range(n)) for i in range(n))
    page = look()
    page.evaluate(f"location.hash = '#/matrix?rows=gold&labels={','.join(f'c{i}' for i in range(n))}&cells={cells}'")
    shows(page, "#too-many", "40 classes: too many to edit by hand here")
    assert page.evaluate("document.getElementById('heat-map').width") == n
    assert page.locator("#confusions li").count() == 10
    shows(page, "#confusions li", " predicted as ")
    page.wait_for_function("() => document.querySelectorAll('#classes tbody tr').length === 10")
    page.get_by_role("button", name="All 40 classes").click()
    assert page.locator("#classes tbody tr").count() == n
    page.get_by_role("button", name="Sort by F1").click()
    values = [float(row.locator("td").nth(2).inner_text()) for row in page.locator("#classes tbody tr").all()]
    assert values == sorted(values, reverse=True)
    page.get_by_role("button", name="Sort by F1").click()
    assert page.locator("#classes th[aria-sort=ascending]").count() == 1
