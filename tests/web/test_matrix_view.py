"""The Matrix view in a real browser: the library scores every edit."""

import pytest

import macrof1

from .conftest import Server, drop, expect, explorer, link, shows

TABLE_3 = "#/matrix?rows=predicted&labels=x,y&cells=100,10000;0,100"


def scores(matrix, *, rows="predicted", **options):
    result = macrof1.score_matrix(matrix, rows=rows, **options)
    return result, [f"{value:.4f}" for value in (result.averaged_f1, result.f1_of_averages, result.gap)]


def agrees(page, matrix, labels, rows="predicted"):
    """Wait until the page shows what the library says of a matrix."""
    result, shown = scores(matrix, labels=labels, rows=rows)
    gap = "<0.0001" if result.gap and shown[2] == "0.0000" else shown[2]  # scores that differ never have a gap of zero
    for name, value in zip(("averaged", "of-averages", "gap"), (*shown[:2], gap), strict=True):
        shows(page, f"#{name}", value)
    shows(page, "#sentence", result.explanation)
    shows(page, "#signature", result.signature("averaged_f1"))
    starts = [f"{x.label}{x.precision:.4f}{x.recall:.4f}{x.f1:.4f}" for x in result.per_class]
    # A new name changes no score: only the rows tell that the answer has come.
    expect(page.locator("#classes tbody tr")).to_contain_text(starts, use_inner_text=False)
    for row, start, record in zip(
        page.locator("#classes tbody tr").all_text_contents(), starts, result.per_class, strict=True
    ):
        assert row.startswith(start)
        assert f"{record.gap_share:.4f}" in row
    axis = page.locator("#axis svg text").filter(has_text=f"averaged F1 {shown[0]}")
    expect(axis).to_have_count(1)
    expect(page.locator("#plane circle")).to_have_count(len(labels))


def cell(page, row, column):
    return page.locator(f'input[data-row="{row}"][data-column="{column}"]')


def test_an_edit_changes_every_number_to_the_library_s(look):
    page = look(TABLE_3)
    agrees(page, [[100, 10_000], [0, 100]], ["x", "y"])
    cell(page, 0, 1).fill("50")
    agrees(page, [[100, 50], [0, 100]], ["x", "y"])
    assert "cells=100,50;0,100" in link(page)
    assert page.locator("#conventions tbody tr").count() >= 2
    shows(page, "#pair-list", "y (over-precise) and x (over-recalled)")


def test_what_is_no_number_is_marked_and_not_scored(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    for text in ("many", "-1", "", "1e400"):
        cell(page, 0, 0).fill(text)
        assert cell(page, 0, 0).get_attribute("aria-invalid") == "true"
    shows(page, "#averaged", "0.0196")
    cell(page, 0, 0).fill("2.5")
    agrees(page, [[2.5, 10_000], [0, 100]], ["x", "y"])


def test_classes_are_added_renamed_and_removed(look):
    page = look(TABLE_3, complaints=True)
    page.get_by_role("button", name="Add a class").click()
    agrees(page, [[100, 10_000, 0], [0, 100, 0], [0, 0, 1]], ["x", "y", "class 3"])
    page.get_by_label("Name of class 3").fill("z, the third")
    agrees(page, [[100, 10_000, 0], [0, 100, 0], [0, 0, 1]], ["x", "y", "z, the third"])
    page.get_by_role("button", name="Remove class x").click()
    agrees(page, [[100, 0], [0, 1]], ["y", "z, the third"])
    page.get_by_label("Name of class 2").fill("y")
    shows(page, "#notice-text", "twice")
    page.get_by_label("Name of class 2").fill("w")
    page.wait_for_selector("#notice", state="hidden")


def test_rows_can_be_gold(look):
    page = look(TABLE_3, "#classes tbody tr", "x0.0099")
    page.get_by_label("Rows are").select_option("gold")
    shows(page, "#classes tbody tr", "x1.00000.0099")
    assert page.get_by_label("gold x, predicted y").input_value() == "10000"
    assert "rows=gold" in link(page)


def test_a_table_is_pasted_into_a_cell_and_into_the_dialog(look):
    page = look(TABLE_3)
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.setData("text", "\\tcat\\tdog\\tcow\\ncat\\t5\\t1\\t0\\ndog\\t2\\t7\\t1\\ncow\\t0\\t0\\t3\\n");
            document.querySelector("#cells input[data-row]").dispatchEvent(
                new ClipboardEvent("paste", {bubbles: true, cancelable: true, clipboardData: data}));
        }"""
    )
    agrees(page, [[5, 1, 0], [2, 7, 1], [0, 0, 3]], ["cat", "dog", "cow"], rows="gold")
    page.get_by_role("button", name="Paste a table").click()
    page.get_by_label("Predictions, a confusion matrix").fill("a,b\n1,2\n3,4\n")
    page.get_by_role("button", name="Read it").click()
    agrees(page, [[1, 2], [3, 4]], ["a", "b"], rows="gold")


def test_files_are_dropped_and_opened(look, tmp_path):
    page = look(TABLE_3, complaints=True)
    drop(page, "preds.csv", "gold,pred\na,a\nb,a\nb,b\n")
    agrees(page, [[1, 1], [0, 1]], ["a", "b"])
    broken = tmp_path / "broken.csv"
    broken.write_text("gold,pred\na,a\nb\n")
    page.set_input_files("#matrix-file", broken)
    shows(page, "#notice-text", "broken.csv, line 3")
    shows(page, "#averaged", "0.6667")
    page.get_by_role("button", name="Dismiss").click()
    page.wait_for_selector("#notice", state="hidden")


def test_presets_and_sliders(look):
    page = look(TABLE_3)
    agrees(page, [[100, 10_000], [0, 100]], ["x", "y"])
    page.get_by_label("Start from").select_option("worst-case")
    agrees(page, [[1, 100], [0, 1]], ["hub 1", "source 1"])
    page.get_by_role("slider", name="z: rows").fill("3")
    agrees(page, [[1, 1000], [0, 1]], ["hub 1", "source 1"])
    assert "preset=worst-case&z=3" in link(page)
    page.get_by_label("Start from").select_option("random")
    page.get_by_role("slider", name="skew").fill("0")
    shows(page, "#gap", "0.0000")
    page.get_by_label("Start from").select_option("germeval")
    page.locator("#choice").select_option("TUWienKBS/coarse_1")
    agrees(page, [[787, 308], [415, 2022]], ["OFFENSE", "OTHER"])
    page.get_by_label("Start from").select_option("table-2")
    agrees(page, [[1, 1], [9, 19]], ["x", "y"])


@pytest.mark.parametrize(
    ("state", "matrix", "labels"),
    [
        ("#/matrix?rows=predicted&labels=a%2Cb,%3Cb%3E&cells=3,1;2,5", [[3, 1], [2, 5]], ["a,b", "<b>"]),
        ("#/matrix?preset=worst-case&z=1&classes=3", [[1, 10, 10], [0, 1, 0], [0, 0, 1]],
         ["hub 1", "source 1", "source 2"]),
    ],
)  # fmt: skip
def test_a_link_restores_the_state(look, state, matrix, labels):
    page = look(state)
    agrees(page, matrix, labels)
    other = look(link(page))
    agrees(other, matrix, labels)
    other.get_by_role("link", name="Audit").click()
    other.go_back()
    agrees(other, matrix, labels)


def test_broken_links_are_answered_in_words(look):
    for state in ("labels=a&cells=1,2", "labels=a,b&cells=x,2;3,4", "labels=%,&cells=1,2;3,4"):
        page = look(f"#/matrix?{state}", complaints=True)
        page.wait_for_selector("#notice")
    for state in ("#/nowhere?x=%", "#/constructor", "#/__proto__", "#/toString?a=b", "#/hasOwnProperty"):
        page = look(state, "#averaged", "0.6831")
        page.wait_for_selector("#view-matrix")


def test_labels_are_text_never_markup(look):
    evil = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">'
    page = look(TABLE_3)
    page.get_by_label("Name of class 1").fill(evil)
    agrees(page, [[100, 10_000], [0, 100]], [evil, "y"])
    assert page.evaluate("window.hacked") is None
    assert page.locator("main script, main img").count() == 0
    drop(page, "<img src=x onerror=hacked=1>.csv", f'gold,pred\n"{evil.replace(chr(34), chr(34) * 2)}",b\nb,b\n')
    shows(page, "#classes", "<script>window.hacked = 1</script>")
    assert page.evaluate("window.hacked") is None


def test_with_the_keyboard_alone(look):
    page = look(TABLE_3, "#averaged", "0.0196")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.row") == "0":
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.type("7")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("8")
    agrees(page, [[100, 10_000], [7, 8]], ["x", "y"])
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "add-class":
            break
    page.keyboard.press("Enter")
    agrees(page, [[100, 10_000, 0], [7, 8, 0], [0, 0, 1]], ["x", "y", "class 3"])


def test_the_server_stops_and_comes_back(look):
    with explorer() as (address, process):
        page = look(TABLE_3, "#averaged", "0.0196", address=address, complaints=True)
        process.terminate()
        process.wait(60)
        cell(page, 0, 1).fill("50")
        shows(page, "#notice-text", "The server does not answer")
    with explorer("--port", str(Server(address).port)):
        cell(page, 0, 1).fill("60")
        agrees(page, [[100, 60], [0, 100]], ["x", "y"])
        page.wait_for_selector("#notice", state="hidden")


def test_every_class_has_its_name_in_the_plane_at_the_edges_too(look):
    page = look("#/matrix?preset=moderation&moved=240", "#averaged", "0.6831")
    assert sorted(page.locator("#plane .tag").all_text_contents()) == ["fine", "hateful", "rude"]
    page = look("#/matrix?preset=random&skew=0.9&classes=20", "#averaged", "0.0134")
    assert sorted(page.locator("#plane .tag").all_text_contents()) == ["A", "B and 18 more"]
