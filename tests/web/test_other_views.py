"""Compare, Audit, the gallery and the paper in a real browser; widths, colours, accessibility, reports."""

import pytest

import macrof1

from .conftest import STATES, TWO_SYSTEMS, accessible, complaints_of, drop, expect, germeval, link, shows


def test_p_values_that_resampling_cannot_reach_are_not_shown(look):
    page = look("#/compare?example=germeval-counts", "#compare-notes", "corrected p-values of resampling tests")
    heads = page.locator("#compare-pairs thead th").all_inner_texts()
    assert heads.count("p delta") == 2
    assert "p bootstrap" not in heads


def test_a_table_of_predictions_is_compared(look):
    page = look("#/compare")
    drop(page, "systems.csv", TWO_SYSTEMS)
    rows = [line.split(",") for line in TWO_SYSTEMS.splitlines()[1:]]
    gold, one, two = (list(column) for column in zip(*rows, strict=True))
    expected = macrof1.compare(gold, {"one": one, "two": two})
    for number, system in enumerate(expected.systems, start=1):
        low, high = system.averaged_f1_interval
        start = f"{system.name}{system.averaged_f1:.4f}{low:.4f} to {high:.4f}{system.rank_averaged_f1}"
        shows(page, f"#compare-systems-table tbody tr:nth-child({number})", start)
    assert page.text_content("#compare-signature") == expected.signature("averaged_f1")
    assert r"\begin{table}" in page.text_content("#compare-latex")
    assert page.locator("#compare-pairs tbody tr").count() == 1
    assert page.locator("#compare-chart svg .system").count() == 2
    other = look(link(page))
    shows(other, "#compare-systems-table tbody", start)


def test_germeval_flips_and_the_table_can_be_read_otherwise(look, root):
    page = look("#/compare", complaints=True)
    drop(page, "counts.csv", germeval(root, "counts.csv"))
    shows(page, "#notice-text", "counts.csv has columns 'run' and 'pred'")
    page.get_by_label("Column with the system's name").fill("run")
    page.get_by_label("Column with counts or weights").fill("count")
    page.get_by_role("button", name="Read again").click()
    shows(page, "#compare-headline", "51 systems on 3,532 rows: 45 change rank")
    assert page.locator("#compare-flips tbody tr").count() == 92
    page.get_by_role("button", name="GermEval 2018: as published").click()
    shows(page, "#compare-notes", "published precision and recall")


def test_what_is_copied_is_what_is_shown(look):
    page = look("#/compare", permissions=["clipboard-read", "clipboard-write"])
    drop(page, "systems.csv", TWO_SYSTEMS)
    shows(page, "#compare-latex", "tabular")
    for button, shown in (("#copy-latex", "#compare-latex"), ("#copy-compare-signature", "#compare-signature")):
        page.click(button)
        shows(page, button, "Copied")
        assert page.evaluate("navigator.clipboard.readText()") == page.text_content(shown)


def test_names_of_systems_are_text(look):
    evil = "<img src=x onerror=hacked=1>"
    page = look("#/compare")
    drop(page, "x.csv", TWO_SYSTEMS.replace("one", evil))
    shows(page, "#compare-systems-table", evil)
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img").count() == 0


def test_figures_are_audited_as_they_are_typed(look):
    page = look("#/audit")
    for name, text in (("Macro precision", "0.2937"), ("Macro recall", "0.2283"), ("Macro F1", "0.2095")):
        page.get_by_label(name, exact=True).press_sequentially(text)
    expected = macrof1.audit(precision="0.2937", recall="0.2283", f1="0.2095")
    shows(page, "#reason", expected.reason)
    shows(page, "#verdict", "averaged F1")
    shows(page, "#intervals", "printed: 0.2095")
    other = look(link(page))
    shows(other, "#reason", expected.reason)
    expect(other.get_by_label("Macro F1", exact=True)).to_have_value("0.2095")
    page.get_by_label("Macro F1", exact=True).fill("0.2569")
    shows(page, "#verdict", "either")
    page.get_by_role("button", name="Clear").click()
    shows(page, "#verdict", "–")


def test_figures_of_classes_give_the_counts(look):
    page = look("#/audit", complaints=True)
    figures = {"OFFENSE": ("71.87", "65.47", "68.52", "1202"), "OTHER": ("82.97", "86.78", "84.83", "2330")}
    for number, (label, values) in enumerate(figures.items(), start=1):
        page.get_by_role("button", name="Add a class", exact=True).last.click()
        for title, text in zip(("class", "precision", "recall", "F1", "gold rows"), (label, *values), strict=True):
            page.get_by_label(f"{title} of class {number}", exact=True).fill(text)
    page.get_by_label("Figures are").select_option("true")
    page.get_by_label("Macro F1", exact=True).fill("76.77")
    shows(page, "#verdict", "F1 of averages")
    shows(page, "#audit-counts", "OFFENSE1,2021,095787")
    other = look(link(page))
    shows(other, "#audit-counts", "OFFENSE1,2021,095787")


def test_a_table_that_is_no_leaderboard_is_asked_about(look):
    page = look("#/audit", complaints=True)
    drop(page, "board.csv", "team,score\nx,1\n")
    shows(page, "main", "Read as a table")


def test_a_leaderboard_is_audited(look, root):
    page = look("#/audit")
    page.get_by_label("Gold rows per class").fill("offense=1202,other=2330")
    drop(page, "board.csv", germeval(root, "leaderboard.csv"))
    shows(page, "#audit-findings", "macro F1 74.25 should be 74.75")
    assert page.locator("#audit-rows tbody tr").count() == 51
    assert page.locator("#audit-chart svg g").count() == 51


def test_the_paper_is_run_again(look):
    page = look("#/paper", "#paper-claims", "Theorem 2")
    assert page.locator("#paper-claims tbody tr").count() > 20
    for picture in page.locator("#paper-figures img").all():
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 100
    assert page.locator("#paper-figures img").count() == 4
    page.get_by_role("link", name="Table 3").click()
    shows(page, "#of-averages", "0.5050")


@pytest.mark.parametrize("name", STATES)
def test_nothing_sticks_out_and_nothing_is_inaccessible(look, name):
    accessible(look(*STATES[name]))


REPORTS = {
    "matrix": ("#save-score", "Both macro F1s", 2),
    "compare": ("#save-compare", "Systems under both macro F1s", 1),
    "board": ("#save-audit", "Audit of published macro F1s", 1),
    "audit": ("#save-audit", "Audit of published macro F1s", 0),
}


@pytest.mark.parametrize("name", REPORTS)
def test_reports_are_saved_and_open_from_disk_without_a_network(look, visit, tmp_path, name):
    button, title, charts = REPORTS[name]
    page = look(*STATES[name])
    with page.expect_download() as download:
        page.click(button)
    path = tmp_path / "report.html"
    download.value.save_as(path)
    page = visit(offline=True)
    requests, errors = [], complaints_of(page)
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    assert page.text_content("h1") == title
    assert page.locator("figure svg").count() == charts
    for figure in page.locator("figure svg").all():
        box = figure.bounding_box()
        assert box["width"] > 100
        assert box["height"] > 30
    assert page.locator("script").count() == (page.locator("table.sorts").count() > 0)  # nothing but sorting
    assert page.locator("script[src]").count() == 0
    assert "macrof1" in page.text_content("footer")
    assert requests == [path.as_uri()]
    assert errors == []
