"""The story, direct manipulation, undo, and keyboard use."""

import pytest

import macrof1

from .conftest import STATES, drop, expect, germeval, held, link, settled, shows
from .test_matrix_view import TABLE_3, agrees, cell

LABELS = ["fine", "rude", "hateful"]


def moderation(moved):
    return [[5930, 70, 20], [60, 690 + moved, moved], [10, 240 - moved, 280 - moved]]


def test_dragging_the_errors_parts_the_scores_and_flips_the_ranking(look):
    page = look()
    agrees_story(page, 240)  # it opens at the flip
    page.locator("#slider-moved").fill("120")
    agrees_story(page, 120)
    shows(page, "#story-rank", "Finds 160 of 300 hateful comments. Both macro F1s rank it first.")
    page.locator("#slider-moved").fill("240")
    agrees_story(page, 240)
    shows(page, "#story-rank", "Finds 40 of 300 hateful comments. One macro F1 still ranks it first.")
    expect(page.locator("#story-report")).to_have_text("averaged F1 0.6831")
    assert "preset=moderation&moved=240" in link(page)
    # Always as many errors, on the same comments.
    for moved in (0, 120, 240):
        counts = moderation(moved)
        assert sum(counts[i][i] for i in range(3)) == 6900
        assert [sum(row[j] for row in counts) for j in range(3)] == [6000, 1000, 300]


def agrees_story(page, moved):
    agrees(page, moderation(moved), LABELS)
    result = macrof1.score_matrix(moderation(moved), rows="predicted", labels=LABELS)
    shows(page, "#strip-averaged", f"{result.averaged_f1:.4f}")
    shows(page, "#story-signature", result.signature("averaged_f1"))


def test_every_change_is_taken_back_and_done_again(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    cell(page, 0, 1).fill("50")
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])
    page.get_by_role("button", name="Add a class").first.click()
    agrees(page, [[100, 50, 0], [0, 100, 0], [0, 0, 1]], ["x", "y", "class 3"])
    drop(page, "m.csv", "3,1\n2,5\n")
    agrees(page, [[3, 1], [2, 5]], ["0", "1"], rows="gold")
    page.get_by_label("Start from").select_option("table-2")
    agrees(page, [[1, 1], [9, 19]], ["x", "y"])
    back = [
        ([[3, 1], [2, 5]], ["0", "1"], "gold"),
        ([[100, 50, 0], [0, 100, 0], [0, 0, 1]], ["x", "y", "class 3"]),
        ([[100, 50], [0, 100]], ["x", "y"]),
        ([[100, 10_000], [0, 100]], ["x", "y"]),
    ]
    page.locator("#matrix-title").click()
    for step in back:
        page.keyboard.press("Control+z")
        agrees(page, *step)
    expect(page.locator(".undo").first).to_be_disabled()
    for step in reversed(back[:-1]):
        page.keyboard.press("Control+Shift+z")
        agrees(page, *step)
    page.locator(".redo").first.click()
    agrees(page, [[1, 1], [9, 19]], ["x", "y"])


def test_audits_comparisons_and_the_gallery_are_taken_back_too(look, root):
    def take_back(key="Control+z"):
        page.locator("main:not([hidden]) section:not([hidden]) h1").click()
        page.keyboard.press(key)

    page = look("#/audit")
    f1 = page.get_by_label("Macro F1", exact=True)
    f1.fill("0.5")
    shows(page, "#verdict", "either")
    page.get_by_role("button", name="An example: GERBIL").click()
    shows(page, "#verdict", "averaged F1")
    drop(page, "board.csv", "\n".join(germeval(root, "leaderboard.csv").splitlines()[:4]))
    shows(page, "#audit-source", "Read as a leaderboard: board.csv")
    page.get_by_role("button", name="Clear").click()
    expect(f1).to_have_value("")
    take_back()
    shows(page, "#audit-source", "Read as a leaderboard: board.csv")
    take_back()
    expect(f1).to_have_value("0.2095")
    shows(page, "#verdict", "averaged F1")
    take_back()
    expect(f1).to_have_value("0.5")
    shows(page, "#verdict", "either")
    take_back()
    expect(f1).to_have_value("")
    shows(page, "#verdict", "–")
    take_back("Control+Shift+z")
    expect(f1).to_have_value("0.5")
    shows(page, "#verdict", "either")

    page = look("#/compare")
    for name, rows in (("one.csv", 10), ("two.csv", 20)):
        drop(page, name, "gold,a,b\n" + "x,x,y\ny,y,y\n" * rows)
        shows(page, "#compare-source", f"Read as predictions of several systems: {name}")
    page.locator("#compare-options summary").click()
    page.get_by_label("Test of differences").select_option("bootstrap")
    page.get_by_role("button", name="Read again").click()
    shows(page, "#compare-source", ": two.csv")
    take_back()
    expect(page.get_by_label("Test of differences")).to_have_value("delta")
    shows(page, "#compare-headline", "2 systems on 40 rows")
    take_back()
    shows(page, "#compare-headline", "2 systems on 20 rows")
    take_back("Control+y")
    shows(page, "#compare-headline", "2 systems on 40 rows")

    page = look("#/gallery", "#gallery-count", "511 of 511")
    page.get_by_label("Verdict").select_option("neither")
    shows(page, "#gallery-count", "2 of 511")
    take_back()
    shows(page, "#gallery-count", "511 of 511")


def test_a_point_of_the_plane_is_dragged_and_the_matrix_follows(look):
    page = look("#/matrix?rows=predicted&labels=a,b&cells=50,10;10,30")
    agrees(page, [[50, 10], [10, 30]], ["a", "b"])
    shows(page, "#sure", "95% intervals")  # which may move what stands below it
    page.locator("#plane").scroll_into_view_if_needed()
    box = page.locator('#plane circle[data-class="1"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y + 30, steps=5)
    page.mouse.up()
    settled(page)
    cells = [[int(cell(page, i, j).input_value()) for j in range(2)] for i in range(2)]
    assert cells != [[50, 10], [10, 30]]
    assert [cells[0][j] + cells[1][j] for j in range(2)] == [60, 40], "gold rows stay"
    agrees(page, cells, ["a", "b"])
    record = macrof1.score_matrix(cells, rows="predicted").per_class[1]
    assert record.precision < 0.75
    assert record.recall < 0.75


def test_the_cells_are_one_stop_of_the_tab_key(look):
    page = look("#/matrix?preset=random&classes=6", "#classes", "F")
    assert page.locator('#cells [tabindex="0"]').count() == 1
    cell(page, 2, 3).focus()
    assert page.locator('#cells [tabindex="0"]').count() == 1
    page.keyboard.press("ArrowDown")
    assert page.evaluate("[document.activeElement.dataset.row, document.activeElement.dataset.column]") == ["3", "3"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#cells')") is None
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("[document.activeElement.dataset.row, document.activeElement.dataset.column]") == ["3", "3"]


def test_from_paste_to_copied_signature_with_the_keyboard_alone(look):
    page = look(TABLE_3, permissions=["clipboard-read", "clipboard-write"])
    shows(page, "#averaged", "0.0196")
    from_paste_to_signature(page)


def from_paste_to_signature(page):
    """Paste a matrix and copy its signature, without a pointer."""

    def tab_to(identifier):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == identifier:
                return
        pytest.fail(f"the Tab key never comes to {identifier}")

    tab_to("paste-open")
    page.keyboard.press("Enter")
    page.keyboard.insert_text(
        "| | cat | dog | Total |\n|---|---|---|---|\n| cat | 5 | 1 | 6 |\n| dog | 2 | 7 | 9 |\n| Total | 7 | 8 | 15 |\n"
    )
    tab_to("paste-ok")
    page.keyboard.press("Enter")
    agrees(page, [[5, 1], [2, 7]], ["cat", "dog"], rows="gold")
    shows(page, "#read-as", "Read as a confusion matrix of 15 rows, 2 classes. Which are its rows?")
    tab_to("copy-signature")
    page.keyboard.press("Enter")
    shows(page, "#copy-signature", "Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.text_content("#signature")


def test_what_was_read_is_said_and_can_be_turned(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    drop(page, "crosstab.txt", "Predicted  a  b  All\nActual\na  5  1  6\nb  2  7  9\nAll  7  8  15\n")
    shows(page, "#read-as", "Read as a confusion matrix of 15 rows, 2 classes.")
    assert page.locator("#read-as [aria-pressed=true]").all_text_contents() == ["Rows are gold classes"]
    shows(page, "#classes tbody tr", "a0.71430.8333")
    page.get_by_role("button", name="Rows are predicted classes").click()
    shows(page, "#classes tbody tr", "a0.83330.7143")
    drop(page, "preds.csv", "gold,pred\na,a\nb,a\nb,b\n")
    shows(page, "#read-as", "Read as 3 predictions, 2 classes.")


def test_it_says_how_sure_the_scores_are(look):
    page = look(TABLE_3, complaints=True)
    result = macrof1.score_matrix([[100, 10_000], [0, 100]], rows="predicted", labels=["x", "y"])
    low, high = result.interval("averaged_f1").low, result.interval("averaged_f1").high
    shows(page, "#sure", f"averaged F1 {low:.4f} to {high:.4f}")
    assert result.noise_floor < 0.0001
    shows(page, "#sure", "Sampling noise of the gap: below 0.0001.")
    cell(page, 0, 1).fill("5")
    noise = macrof1.score_matrix([[100, 5], [0, 100]], rows="predicted").noise_floor
    assert noise > 0.0001
    shows(page, "#sure", f"Sampling noise of the gap: about {noise:.4f}.")
    # Weights are no rows: the line says so, and the scores stay.
    cell(page, 0, 0).fill("0.5")
    shows(page, "#sure", "weight")
    page.wait_for_selector("#notice", state="hidden")


def test_terms_are_explained_where_they_stand(look):
    page = look("#/compare?example=germeval-counts", "#compare-headline", "51 systems")
    page = look("#/", "#averaged", "0.6831", has_touch=True)
    box, term = page.locator("#meaning"), page.locator("#story .term").first
    for show, hide in (
        (term.hover, lambda: page.mouse.move(5, 5)),
        (term.focus, lambda: page.keyboard.press("Tab")),
        (term.tap, lambda: page.locator("#matrix-title").tap()),
        (term.focus, lambda: page.keyboard.press("Escape")),
    ):
        show()
        expect(box).to_be_visible()
        expect(box).to_contain_text("Two formulas go by this name")
        hide()
        expect(box).to_be_hidden()
    named = page.evaluate(
        "[...document.querySelectorAll('.term')].map((term) => [term.textContent,"
        " document.getElementById(term.getAttribute('aria-describedby'))?.textContent ?? ''])"
    )
    assert len(named) > 30
    assert [term for term, meaning in named if len(meaning) < 20] == []
    used = set(
        page.evaluate("[...document.querySelectorAll('.term')].map((one) => one.getAttribute('aria-describedby'))")
    )
    used |= {"term-noise", "term-interval", "term-probability"}  # in answers that are not shown here
    assert set(page.evaluate("[...document.querySelectorAll('#glossary dd')].map((one) => one.id)")) == used


def test_reasons_are_those_of_the_tools_beside_them(look):
    page = look("#/matrix?rows=predicted&labels=x,y,z&cells=5,1,0;2,7,0;0,0,0", "#averaged", "0.5")
    page.wait_for_selector("#conventions td")
    result = macrof1.score_matrix([[5, 1, 0], [2, 7, 0], [0, 0, 0]], rows="predicted", labels=["x", "y", "z"])
    from macrof1.scoring.system_scores import score_conventions

    # One row per value, and in it one line per reason.
    groups = score_conventions(result.counts).to_dict()["groups"]
    values = page.locator("#conventions tbody th").all_text_contents()
    assert values == ["–" if group["value"] is None else f"{group['value']:.4f}" for group in groups]
    assert len(values) > 1
    for group, row in zip(groups, page.locator("#conventions tbody tr").all(), strict=True):
        expected = [f"{', '.join(one['names'])}: {one['reason']}" for one in group["reasons"]]
        assert row.locator("li").all_text_contents() == expected


def test_formulas_show_the_numbers_and_light_up_their_cells(look):
    page = look(TABLE_3, "#formulas", "F1 of x = 2 × 100 correct / (10,100 predicted + 100 gold) = 0.0196")
    shows(page, "#formulas", "macro precision = (0.0099 + 1.0000) / 2 = 0.5050")
    page.locator("#formulas .step").first.focus()
    assert page.locator("#cells .lit").count() == 5  # the name, and its row and column
    assert page.locator("#cells .hit").count() == 1


def test_a_complaint_moves_nothing_and_results_are_dimmed_while_new_ones_load(look):
    page = look(TABLE_3, "#averaged", "0.0196", complaints=True)
    before = page.locator("#matrix-title").bounding_box()
    page.get_by_label("Name of class 2").fill("x")
    page.wait_for_selector("#notice")
    assert page.locator("#matrix-title").bounding_box() == before
    page.get_by_label("Name of class 2").fill("y")
    page.wait_for_selector("#notice", state="hidden")
    holds, let_go = held(page, "**/api/score")
    cell(page, 0, 0).fill("7")
    holds(1)
    page.wait_for_selector("#matrix-results.dimmed[aria-busy]")
    page.wait_for_selector("#progress:not([hidden])")
    let_go()
    page.wait_for_selector("#matrix-results:not(.dimmed)")
    page.wait_for_selector("#progress", state="hidden")
    agrees(page, [[7, 10_000], [0, 100]], ["x", "y"])


def test_a_leaderboard_that_decides_nothing_says_so(look):
    page = look("#/audit")
    drop(page, "board.csv", "run,macro_precision,macro_recall,macro_f1\na,0.5,0.5,0.5\nb,0.6,0.6,0.6\n")
    shows(page, "#verdict", "cannot be told")


def test_what_is_audited_can_be_saved(look):
    page = look("#/audit")
    page.wait_for_selector("#view-audit")
    page.wait_for_selector("#save-audit", state="hidden")
    drop(page, "report.txt", "precision recall f1-score support\n\na 0.83 0.71 0.77 7\nb 0.78 0.88 0.82 8")
    page.wait_for_selector("#save-audit")


def test_tied_systems_have_dots_and_a_system_is_found(look):
    page = look("#/compare")
    drop(page, "x.csv", "gold,one,two,three\n" + "a,a,a,b\nb,b,b,a\nb,a,a,b\n" * 10)
    shows(page, "#compare-systems-table", "three")
    assert page.locator("#compare-chart circle").count() == 6
    places = page.locator("#compare-chart circle").evaluate_all(
        "(dots) => dots.map((dot) => `${dot.cx.baseVal.value} ${dot.cy.baseVal.value}`)"
    )
    assert len(set(places)) == 6
    page.get_by_label("Find my system").fill("thr")
    assert page.locator("#compare-chart .found").count() == 1


def test_a_system_opens_its_matrix(look):
    page = look("#/compare?example=germeval-leaderboard", "#compare-headline", "51 systems")
    page.locator("#compare-chart .system text").first.click()
    shows(page, "#averaged", "0.7668")
    assert "preset=germeval" in link(page)


def test_a_column_of_predictions_opens_its_matrix(look):
    table = "gold,one,two,three\n" + "a,a,a,b\nb,b,b,a\nb,a,a,b\n" * 10
    page = look("#/compare")
    drop(page, "x.csv", table)
    shows(page, "#compare-systems-table", "three")
    page.locator("#compare-systems-table").get_by_role("link", name="three").click()
    agrees(page, [[0, 10], [10, 10]], ["a", "b"])
    page.go_back()
    page.wait_for_selector("#compare-result")
    page.locator("#compare-chart .system").filter(has_text="one").locator("text").first.click()
    agrees(page, [[10, 10], [0, 10]], ["a", "b"])


def test_a_case_of_the_gallery_opens_its_audit(look):
    page = look("#/gallery", "#gallery-count", "511 of 511 reports")
    page.get_by_label("Find", exact=True).fill("germeval")
    shows(page, "#gallery-count", "51 of 511 reports")
    assert page.locator("#gallery-cases tbody tr").count() == 40
    page.get_by_role("button", name="Show 11 more").click()
    assert page.locator("#gallery-cases tbody tr").count() == 51
    page.wait_for_selector("#gallery-more", state="hidden")
    page.get_by_label("Verdict").select_option("neither")
    page.locator("#gallery-cases a").first.click()
    shows(page, "#verdict", "neither formula")


@pytest.mark.parametrize(("name", "n_charts"), [("story", 4), ("compare", 1), ("audit", 1), ("board", 1), ("paper", 4)])
def test_every_chart_can_be_taken_along(look, tmp_path, name, n_charts):
    for kind, first in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        page = look(*STATES[name])  # of more than ten downloads of a page within a second, Chromium drops some
        buttons = page.locator("main section:not([hidden]) .take button:visible").filter(has_text=kind)
        assert buttons.count() == n_charts
        for place in range(n_charts):
            with page.expect_download() as download:
                buttons.nth(place).click()
            path = tmp_path / f"{kind}{place}"
            download.value.save_as(path)
            content = path.read_bytes()
            assert content.startswith(first)
            assert len(content) > 2000
