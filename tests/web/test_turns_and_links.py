"""Stale answers never overwrite newer ones, and a link contains everything shown."""

import io
import random

import polars as pl
import pytest

from .conftest import TWO_SYSTEMS, drop, expect, explorer, germeval, held, link, shows
from .test_matrix_view import TABLE_3, agrees, cell

NAMES = [f"label {number}" for number in range(40)]


def test_an_edit_outlives_the_answer_to_an_earlier_choice(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    holds, let_go = held(page, "**/api/presets/random*")
    page.get_by_label("Start from").select_option("random")
    holds(1)
    cell(page, 0, 1).fill("50")
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])
    let_go()
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])
    assert cell(page, 0, 1).input_value() == "50"
    assert "cells=100,50;0,100" in link(page)


def test_of_two_dropped_files_the_later_one_stays(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    holds, let_go = held(page, "**/api/open")
    drop(page, "first.csv", "1,0\n0,1\n")
    holds(1)
    drop(page, "second.csv", "3,1\n2,5\n")
    holds(2)
    let_go()
    agrees(page, [[3, 1], [2, 5]], ["0", "1"], rows="gold")


def test_the_address_stays_that_of_the_view_that_is_shown(look):
    page = look("#/compare?example=germeval-leaderboard")
    page.wait_for_selector("#compare-result")
    shared = link(page)
    holds, let_go = held(page, "**/api/presets/*")
    page.get_by_role("link", name="Matrix").click()
    holds(1)
    page.get_by_role("link", name="Compare").click()
    page.wait_for_selector("#compare-result")
    let_go()
    shows(page, "#averaged", "0.6831")
    assert link(page) == shared
    page.get_by_role("link", name="Matrix").click()
    page.wait_for_selector("#view-matrix")
    assert "preset=moderation" in link(page)


def test_what_is_typed_outlives_the_audit_of_a_leaderboard(look):
    page = look("#/audit")
    holds, let_go = held(page, "**/api/audit/table")
    page.get_by_role("button", name="GermEval 2018").last.click()
    shows(page, "#audit-source", "Auditing")
    holds(1)
    for name, text in (("Macro precision", "0.2937"), ("Macro recall", "0.2283"), ("Macro F1", "0.2095")):
        page.get_by_label(name, exact=True).fill(text)
    shows(page, "#verdict", "averaged F1")
    let_go()
    shows(page, "#intervals", "printed: 0.2095")
    assert page.locator("#audit-table-panel").is_hidden()


def test_the_page_goes_on_after_a_mistake_of_its_own(look):
    page = look(TABLE_3, "#averaged", "0.0196", complaints=True)
    page.route("**/api/score", lambda route: route.fulfill(json={"no": "score"}))
    cell(page, 0, 1).fill("5")
    shows(page, "#notice-text", "Something went wrong in this page")
    page.unroute("**/api/score")
    cell(page, 0, 1).fill("50")
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])


def test_old_results_do_not_stand_beside_a_complaint(look):
    page = look(TABLE_3, "#averaged", "0.0196", complaints=True)
    assert page.locator("#stale").is_hidden()
    page.get_by_label("Name of class 2").fill("x")
    page.wait_for_selector("#stale")
    page.get_by_label("Name of class 2").fill("z")
    page.wait_for_selector("#stale", state="hidden")
    page.get_by_role("link", name="Compare").click()
    drop(page, "systems.csv", TWO_SYSTEMS)
    page.wait_for_selector("#compare-result")
    drop(page, "broken.csv", "nothing\n")
    page.wait_for_selector("#notice")
    expect(page.locator("#compare-result")).to_be_hidden()
    expect(page.locator("#compare-source")).to_have_text("")
    page.get_by_role("link", name="Audit").click()
    page.wait_for_selector("#notice", state="hidden")
    page.get_by_role("button", name="An example: GERBIL").click()
    shows(page, "#verdict", "averaged F1")
    page.get_by_label("Number of classes").fill("many")
    shows(page, "#notice-text", "n_classes")
    expect(page.locator("#verdict")).to_have_text("–")


@pytest.mark.parametrize("late", ["**/api/interval", "**/api/score"])
def test_a_complaint_outlives_the_answers_to_earlier_questions(look, late):
    page = look(TABLE_3, "#sure", "95% intervals", complaints=True)
    holds, let_go = held(page, late)
    cell(page, 0, 1).fill("50")
    holds(1)
    drop(page, "broken.csv", "gold,pred\na,a\nb\n")
    shows(page, "#notice-text", "broken.csv, line 3")
    let_go()
    shows(page, "#sure", "95% intervals")
    assert page.locator("#notice").is_visible()
    cell(page, 0, 1).fill("60")
    page.wait_for_selector("#notice", state="hidden")


def test_numbers_that_could_be_misread_are_not_read(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    for text in ("1,5", "1,50,000", "9223372036854775807", "1e400"):
        cell(page, 0, 1).fill(text)
        shows(page, "#cell-hint", f"“{text}”. Expected a number from 0 to 9,007,199,254,740,991")
    shows(page, "#averaged", "0.0196")
    cell(page, 0, 1).fill("1,500")
    agrees(page, [[100, 1500], [0, 100]], ["x", "y"])
    cell(page, 0, 0).fill("0.25")
    agrees(page, [[0.25, 1500], [0, 100]], ["x", "y"])
    assert page.text_content("#cell-hint") == ""
    cell(page, 0, 1).fill("9007199254740991")
    box = cell(page, 0, 1)
    assert box.evaluate("(input) => input.scrollWidth <= input.clientWidth"), "the number is not clipped"


def test_no_more_classes_are_added_than_can_be_edited(look):
    n = 29
    cells = ";".join(",".join("1" for _ in range(n)) for _ in range(n))
    page = look(f"#/matrix?labels={','.join(str(x) for x in range(n))}&cells={cells}")
    button = page.get_by_role("button", name="Add a class").first
    button.click()
    shows(page, "#classes tbody tr:nth-child(30)", "class 30")
    expect(button).to_be_disabled()
    page.get_by_role("button", name="Remove class class 30").click()
    expect(button).to_be_enabled()


def test_a_note_about_a_link_that_is_too_long_stays_and_no_such_link_is_copied(look):
    page = look("#/compare", permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('before')")
    mixed = random.Random(0)  # noqa: S311  # a table that does not compress
    drop(
        page, "long.csv", "gold,one,two\n" + "".join(",".join(mixed.choices(NAMES, k=3)) + "\n" for _ in range(20_000))
    )
    shows(page, "#compare-headline", "2 systems on 20,000 rows")
    assert link(page).startswith("#/compare?kept=")
    page.locator("#compare-result .copy-link").last.click()
    shows(page, "#notice-text", "too large for a link")
    assert page.evaluate("navigator.clipboard.readText()") == "before"
    # In this browser, a reload brings it back.
    table = page.text_content("#compare-systems-table")
    page.reload()
    shows(page, "#compare-headline", "2 systems on 20,000 rows")
    assert page.text_content("#compare-systems-table") == table


def test_a_link_restores_the_options_of_a_comparison(look):
    page = look("#/compare?example=germeval-counts&by=run&weight=count&test=bootstrap", complaints=True)
    expect(page.locator("#compare-test")).to_have_value("bootstrap")
    page = look("#/compare", complaints=True)
    drop(page, "systems.csv", TWO_SYSTEMS.replace("gold", "truth!").replace("one", "uno"))
    page.get_by_label("Gold column").fill("truth!")
    page.get_by_label("System columns").fill("two,uno")
    page.get_by_role("button", name="Read again").click()
    page.wait_for_selector("#compare-result")
    other = look(link(page))
    shows(other, "#compare-systems-table", "uno")
    expect(other.locator("#compare-systems")).to_have_value("two,uno")
    other.get_by_role("link", name="Matrix").click()
    other.get_by_role("link", name="Compare").click()
    other.wait_for_selector("#compare-result")
    assert link(other) == link(page)


def test_a_link_restores_the_options_of_an_audit(look, root):
    page = look("#/audit")
    page.get_by_label("Gold rows per class").fill("offense=1202,other=2330")
    page.get_by_label("Cut by").select_option("unknown")
    drop(page, "board.csv", "\n".join(germeval(root, "leaderboard.csv").splitlines()[:4]))
    shows(page, "#audit-source", "Read as a leaderboard: board.csv")
    other = look(link(page))

    def restored():
        shows(other, "#audit-source", "Read as a leaderboard: board.csv")
        expect(other.locator("#audit-support")).to_have_value("offense=1202,other=2330")
        expect(other.get_by_label("Cut by")).to_have_value("unknown")
        expect(other.locator("#audit-table-panel")).to_be_visible()
        assert other.text_content("#audit-rows") == page.text_content("#audit-rows")
        assert link(other) == link(page)

    restored()
    other.get_by_role("link", name="Matrix").click()
    shows(other, "#averaged", "0.6831")
    other.get_by_role("link", name="Audit").click()
    restored()
    other.get_by_role("button", name="Clear").click()
    shows(other, "#verdict", "–")
    expect(other.locator("#audit-table-panel")).to_be_hidden()
    expect(other.locator("#audit-support")).to_have_value("")
    assert link(other) == "#/audit"
    other.go_back()
    expect(other.locator("#view-matrix")).to_be_visible()
    other.go_back()
    restored()
    other.go_forward()
    expect(other.locator("#view-matrix")).to_be_visible()
    shows(other, "#averaged", "0.6831")


def test_a_link_to_the_own_file_holds_its_cells(look, root):
    with explorer(str(root / "examples" / "germeval2018" / "fosil_coarse_1.csv")) as (address, _):
        page = look(address=address)
        agrees(page, [[1033, 1967], [169, 363]], ["OFFENSE", "OTHER"])
        shows(page, "#read-as", "Read as 3,532 predictions, 2 classes.")
        shared = link(page)
        page.context.close()  # before its server goes
    agrees(look(shared), [[1033, 1967], [169, 363]], ["OFFENSE", "OTHER"])


def test_a_link_is_followed_at_once(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    # In one turn of the event loop, before the browser reports the new address.
    shown = page.evaluate(
        """() => [...document.querySelectorAll("nav a")].map((link) => {
            link.click();
            return document.querySelector("main > section:not([hidden])").id === `view-${link.dataset.view}`;
        })"""
    )
    assert shown == [True] * 5
    page.go_back()
    page.wait_for_selector("#view-gallery")
    page.get_by_role("link", name="Compare").click()
    drop(page, "preds.csv", TWO_SYSTEMS)
    shows(page, "#compare-systems-table", "two")


def test_an_address_that_is_due_does_not_replace_a_link_that_was_opened_meanwhile(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    # The browser reports the new address later.
    address = page.evaluate(
        """async () => {
            const { src } = document.querySelector("script[type=module]");
            const { settle, write } = await import(new URL("state.js", src));
            for (const cells of ["1,2;3,4", "5,6;7,8"]) write("matrix", { cells });
            history.pushState(null, "", "#/matrix?cells=9,1;1,9");
            settle();
            return location.hash;
        }"""
    )
    assert address == "#/matrix?cells=9,1;1,9"


@pytest.mark.parametrize("how", ["parquet", "ipc"])
def test_packed_files_are_dropped_and_linked(look, how):
    frame = pl.DataFrame({"gold": ["a", "b", "b"], "pred": ["a", "a", "b"], "two": ["b", "b", "b"]})
    written = io.BytesIO()
    getattr(frame, f"write_{how}")(written)
    page = look(TABLE_3)
    drop(page, f"preds.{how}", written.getvalue())
    agrees(page, [[1, 1], [0, 1]], ["a", "b"])
    page.get_by_role("link", name="Compare").click()
    drop(page, f"preds.{how}", written.getvalue())
    shows(page, "#compare-systems-table", "two")
    other = look(link(page))
    shows(other, "#compare-systems-table", "two")


def test_text_of_spreadsheets_is_read_and_what_is_no_text_is_refused(look):
    page = look(TABLE_3, "#averaged", "0.0196", complaints=True)
    drop(page, "unicode.txt", "\ufeffkatze\tmäuse\n1\t2\n3\t4\n".encode("utf-16-le"))
    agrees(page, [[1, 2], [3, 4]], ["katze", "mäuse"], rows="gold")
    drop(page, "latin.csv", "käse,b\n1,2\n3,4\n".encode("latin-1"))
    shows(page, "#notice-text", "latin.csv is neither UTF-8 text nor Parquet")
    drop(page, "large.csv", "x" * 1024, head="x", times=8 * 2**10)
    shows(page, "#notice-text", "expected at most 8")
    # More than 8 MiB as JSON, where quotes are written with two characters, and still not too much.
    drop(page, "quotes.csv", '"a","b"\n' * 700, head="gold,pred\n", times=1000)
    shows(page, "#classes", "700,000")
