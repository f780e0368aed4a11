"""Answers that come late, in another order, or after the view was left change nothing that is newer."""

import re

import pytest

from .conftest import TWO_SYSTEMS, complaints_of, drop, expect, held, link, settled, shows
from .test_matrix_view import TABLE_3, agrees, cell

BOARD = "run,macro_precision,macro_recall,macro_f1\na,0.5,0.5,0.5\nb,0.6,0.6,0.6\n"
GERBIL = (("Macro precision", "0.2937"), ("Macro recall", "0.2283"), ("Macro F1", "0.2095"))


def go(page, view):
    page.get_by_role("link", name=view, exact=True).click()
    page.wait_for_selector(f"#view-{view.split()[-1].lower()}")


def test_a_cleared_form_outlives_the_audit_of_what_was_typed(look):
    page = look("#/audit")
    holds, let_go = held(page, "**/api/audit")
    page.get_by_label("Macro F1", exact=True).fill("0.5")
    holds(1)
    page.get_by_role("button", name="Clear").click()
    let_go()
    shows(page, "#verdict", "–")
    shows(page, "#reason", "Type macro precision")


@pytest.mark.parametrize(
    ("view", "button", "table", "source"),
    [("compare", "GermEval 2018: 51 runs", TWO_SYSTEMS, "own.csv"), ("audit", "GermEval 2018", BOARD, "own.csv")],
)
def test_a_dropped_file_outlives_an_example_that_was_asked_for_before(look, view, button, table, source):
    page = look(f"#/{view}")
    holds, let_go = held(page, "**/api/examples/*")
    page.get_by_role("button", name=button, exact=True).click()
    holds(1)
    drop(page, "own.csv", table)
    shows(page, f"#{view}-source", f": {source}")
    let_go()
    shows(page, f"#{view}-source", f": {source}")
    assert "example" not in link(page)


def test_an_edit_outlives_a_point_that_was_dragged_before(look):
    page = look("#/matrix?rows=predicted&labels=a,b&cells=50,10;10,30")
    agrees(page, [[50, 10], [10, 30]], ["a", "b"])
    shows(page, "#sure", "95% intervals")
    page.locator("#plane").scroll_into_view_if_needed()
    holds, let_go = held(page, "**/api/move")
    box = page.locator('#plane circle[data-class="1"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y + 30)
    page.mouse.up()
    holds(1)
    cell(page, 0, 1).fill("20")
    agrees(page, [[50, 20], [10, 30]], ["a", "b"])
    let_go()
    agrees(page, [[50, 20], [10, 30]], ["a", "b"])
    assert "cells=50,20;10,30" in link(page)


def test_an_error_belongs_to_the_view_that_it_is_about(look):
    page = look("#/compare", complaints=True)
    holds, let_go = held(page, "**/api/open")
    drop(page, "broken.csv", "nothing\n")
    holds(1)
    go(page, "Matrix")
    shows(page, "#averaged", "0.6831")
    let_go()
    expect(page.locator("#notice")).to_be_hidden()
    go(page, "Compare")
    expect(page.locator("#notice")).to_be_visible()
    shows(page, "#notice-text", "broken.csv")
    # And an answer takes back only errors of its own view.
    holds, let_go = held(page, "**/api/examples/*")
    page.get_by_role("button", name="GermEval 2018: as published").click()
    holds(1)
    go(page, "Matrix")
    page.get_by_label("Name of class 2").fill("fine")
    shows(page, "#notice-text", "twice")
    let_go()
    shows(page, "#compare-headline", "51 systems")
    expect(page.locator("#notice")).to_be_visible()


def test_a_report_does_not_pull_back_who_has_gone_on(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    holds, let_go = held(page, "**/api/open")
    report = (
        "precision recall f1-score support\n\na 0.83 0.71 0.77 7\nb 0.78 0.88 0.82 8\n\nmacro avg 0.81 0.79 0.80 15"
    )
    drop(page, "report.txt", report)
    holds(1)
    go(page, "Gallery")
    let_go()
    assert link(page).startswith("#/gallery")
    go(page, "Matrix")
    shows(page, "#notice-text", "report.txt, read as a report, came too late")


def test_every_view_has_a_history_of_its_own(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    cell(page, 0, 1).fill("50")
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])
    go(page, "Audit")
    for name, text in GERBIL:
        page.get_by_label(name, exact=True).fill(text)
    shows(page, "#verdict", "averaged F1")
    go(page, "Paper")
    page.keyboard.press("Control+z")
    assert link(page) == "#/paper"
    go(page, "Matrix")
    expect(page.locator(".undo").first).to_be_enabled()
    page.locator(".undo").first.click()
    agrees(page, [[100, 10_000], [0, 100]], ["x", "y"])
    page.locator(".redo").first.click()
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])


def test_a_choice_is_taken_back_before_its_matrix_has_come(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    cell(page, 0, 1).fill("50")
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])
    holds, let_go = held(page, "**/api/presets/random*")
    page.get_by_label("Start from").select_option("random")
    holds(1)
    page.locator("#matrix-title").click()
    page.keyboard.press("Control+z")
    let_go()
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])


def test_the_first_edit_is_a_step_of_its_own_however_soon_it_comes(look):
    page = look()
    cell(page, 0, 1).fill("500")
    shows(page, "#averaged", "0.6268")
    page.locator("#matrix-title").click()
    page.keyboard.press("Control+z")
    shows(page, "#averaged", "0.6831")
    assert "preset=moderation" in link(page)


def test_what_is_dragged_is_followed_though_newer_answers_are_awaited(look):
    page = look("", "#averaged", "0.6831")
    waiting = []
    page.route("**/api/presets/moderation*", lambda route: waiting.append(route))
    for moved in ("132", "180", "240"):
        page.locator("#slider-moved").fill(moved)
    while not waiting:
        page.wait_for_timeout(50)
    waiting[0].continue_()
    # The first answer is shown while the last is still awaited.
    shows(page, "#story-matrix", "822")
    while len(waiting) < 2:
        page.wait_for_timeout(50)
    waiting[1].continue_()
    shows(page, "#averaged", "0.6831")
    assert len(waiting) == 2


def test_results_are_busy_until_the_last_answer(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    holds, let_go = held(page, "**/api/open")
    drop(page, "m.csv", "3,1\n2,5\n")
    holds(1)
    cell(page, 0, 1).fill("50")
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])
    expect(page.locator("#matrix-results[aria-busy]")).to_have_count(1)
    let_go()
    expect(page.locator("#matrix-results[aria-busy], .dimmed")).to_have_count(0)
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])


def test_one_bar_stands_for_all_that_takes_long_and_never_goes_back(look):
    page = look("#/compare")
    page.wait_for_selector("#view-compare")
    page.clock.install()
    page.evaluate(
        """() => {
            const bar = document.getElementById("progress");
            window.seen = [];
            new MutationObserver(() => seen.push(bar.value)).observe(bar, { attributeFilter: ["value"] });
        }"""
    )
    holds, let_go = held(page, "**/api/compare")
    drop(page, "systems.csv", TWO_SYSTEMS)
    holds(1)
    # On a busy machine, reading the file before may have taken long enough to be shown.
    page.evaluate("seen.length = 0")
    shares = [0.5, 0.25, 0.75]
    page.route("**/api/progress/*", lambda route: route.fulfill(json={"done": shares.pop(0) if shares else None}))
    bar = page.locator("#progress")
    expect(bar).to_be_hidden()
    while shares:
        page.clock.fast_forward(1000)
        page.wait_for_timeout(50)
    expect(bar).to_have_js_property("value", 0.75)
    seen = page.evaluate("seen")
    assert seen == sorted(seen)
    go(page, "Audit")
    holds_audit, let_audit_go = held(page, "**/api/audit")
    page.get_by_label("Macro F1", exact=True).fill("0.5")
    holds_audit(1)
    page.clock.fast_forward(2000)
    let_go(wait=False)
    shows(page, "#compare-source", ": systems.csv")
    expect(bar).to_be_visible()
    let_audit_go()
    expect(bar).to_be_hidden()


def test_of_two_files_the_later_one_stays_however_long_the_first_takes_to_read(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    page.evaluate(
        """() => {
            const { arrayBuffer } = File.prototype;
            const slow = new Promise((over) => { window.readFirst = over; });
            File.prototype.arrayBuffer = async function () {
                if (this.name === "first.csv") await slow;
                return Blob.prototype.arrayBuffer.call(this);
            };
        }"""
    )
    drop(page, "first.csv", "1,0\n0,1\n")
    drop(page, "second.csv", "3,1\n2,5\n")
    agrees(page, [[3, 1], [2, 5]], ["0", "1"], rows="gold")
    page.evaluate("async () => { readFirst(); await new Promise((over) => setTimeout(over)); }")
    settled(page)
    agrees(page, [[3, 1], [2, 5]], ["0", "1"], rows="gold")


def test_a_page_that_is_still_starting_can_be_used(visit, server):
    page = visit()
    errors = complaints_of(page)
    holds, let_go = held(page, re.compile(r"/api/(presets|plane)$"))
    page.goto(server.address)
    holds(2)
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("link", name="Matrix").click()
    page.keyboard.press("Control+z")
    drop(page, "m.csv", "3,1\n2,5\n")
    let_go()
    agrees(page, [[3, 1], [2, 5]], ["0", "1"], rows="gold")
    assert errors == []


def test_the_paste_dialog_closes_with_its_view(look):
    page = look(TABLE_3)
    page.get_by_role("button", name="Paste a table").first.click()
    page.locator("#paste-text").fill("1,2\n3,4\n")
    page.evaluate("location.hash = '#/gallery'")
    page.wait_for_selector("#view-gallery")
    expect(page.locator("#paste")).to_be_hidden()
    go(page, "Matrix")
    agrees(page, [[100, 10_000], [0, 100]], ["x", "y"])


def test_the_explanation_of_a_term_follows_it_into_view(look):
    page = look("", "#averaged", "0.6831")
    page.locator('#classes .term[aria-describedby="term-share"]').focus()
    page.evaluate("window.scrollBy(0, 20)")
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(page.locator("#meaning")).to_be_visible()
    shows(page, "#meaning", "How much of the gap a class makes")


def test_the_address_keeps_up_with_a_long_drag(look):
    page = look("", "#averaged", "0.6831")
    # Safari refuses more than a hundred changes of the address within half a minute, and Chrome ignores them.
    page.evaluate(
        """async () => {
            const { replaceState } = history;
            let changes = 0;
            history.replaceState = (...given) => {
                changes += 1;
                if (changes > 100) throw new DOMException("too many", "SecurityError");
                replaceState.apply(history, given);
            };
            const slider = document.getElementById("slider-moved");
            for (let turn = 0; turn < 500; turn += 1) {
                slider.value = turn % 240;
                slider.dispatchEvent(new Event("input", { bubbles: true }));
                if (turn % 10 === 0) await new Promise((over) => { setTimeout(over); });
            }
            slider.value = 240;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    settled(page)
    shows(page, "#averaged", "0.6831")
    assert "moved=240" in link(page)
    # And it is complete when the page is left.
    page.evaluate("document.getElementById('slider-moved').value = 17")
    page.locator("#slider-moved").dispatch_event("input")
    page.locator("#slider-moved").fill("200")
    go(page, "Audit")
    page.go_back()
    assert "moved=200" in link(page)
