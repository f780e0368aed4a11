"""One front door: whatever is pasted or dropped anywhere finds its view, says how it was read, and gets the focus."""

import json
import re
from typing import Any, NamedTuple

import pytest

import macrof1

from .conftest import accessible, explorer, link, shows
from .test_static import REPORT, hosted, ready, site  # noqa: F401  # fixtures

FIGURES = {
    "cat": {"precision": 0.83, "recall": 0.71, "f1-score": 0.77, "support": 7},
    "dog": {"precision": 0.78, "recall": 0.88, "f1-score": 0.82, "support": 8},
    "accuracy": 0.8,
    "macro avg": {"precision": 0.81, "recall": 0.79, "f1-score": 0.80, "support": 15},
}
MATRIX = [[5, 1], [2, 7]]
SCORE = macrof1.score_matrix(MATRIX, rows="gold").averaged_f1
PREDICTIONS = "gold,pred\na,a\nb,a\nb,b\n"
PREDICTED = macrof1.score(["a", "b", "b"], ["a", "a", "b"]).averaged_f1
SYSTEMS = "gold,svm,bert\na,a,b\nb,a,b\nb,b,b\na,a,a\nb,b,a\n"
BOARD = "team,macro_precision,macro_recall,macro_f1\nx,0.5,0.6,0.5455\ny,0.5,0.6,0.5300\n"
CLASSES = "system,rude P,rude R,hateful P,hateful R\none,0.81,0.62,0.44,0.71\ntwo,0.74,0.70,0.58,0.49\n"
RUN, GOLD = "id,pred\n1,a\n2,a\n3,b\n", "id,gold\n1,a\n2,b\n3,b\n"
COUNTED = "gold,pred,count\na,a,5\na,b,1\nb,a,2\nb,b,7\n"
MARKDOWN = (
    "| | precision | recall | f1-score | support |\n|---|---|---|---|---|\n| cat | 0.83 | 0.71 | 0.77 | 7 |\n"
    "| dog | 0.78 | 0.88 | 0.82 | 8 |\n| macro avg | 0.81 | 0.79 | 0.80 | 15 |\n"
)
SETS = "".join(
    json.dumps({"doc": doc, "gold": gold, "pred": pred}) + "\n"
    for doc, gold, pred in (("d1", ["a"], ["a"]), ("d1", ["a", "b"], ["a"]), ("d2", ["b"], ["c"]))
)
ASKED = "#read-as .complaint, #read-as select"
LOCAL = "this needs the explorer on your own machine"


class Case(NamedTuple):
    """Files by name, or one pasted text; the view, how it was read, what is shown; whether it needs NumPy."""

    given: str | dict[str, str]
    view: str
    read_as: str
    shown: str
    numpy: bool = False
    place: str = ""  # where it is shown, if not with the answer


def matrix(given: str | dict[str, str], read_as: str = "a confusion matrix of 15 rows, 2 classes") -> Case:
    return Case(given, "matrix", read_as, f"{SCORE:.4f}")


def predictions(given: str | dict[str, str], read_as: str = "3 predictions, 2 classes") -> Case:
    return Case(given, "matrix", read_as, f"{PREDICTED:.4f}", numpy=True)


CASES = {
    # matrices
    "numpy": matrix("[[5 1]\n [2 7]]", "a confusion matrix of 15 rows, 2 classes, as scikit-learn prints them"),
    "numpy repr": matrix("array([[5, 1],\n       [2, 7]])", "as scikit-learn prints them"),
    "list of lists": matrix("[[5, 1], [2, 7]]", "as scikit-learn prints them"),
    "pandas": matrix("     a  b\na    5  1\nb    2  7\n", "as scikit-learn prints them"),
    "crosstab": matrix("Predicted  a  b  All\nActual\na  5  1  6\nb  2  7  9\nAll  7  8  15", "Rows are gold classes"),
    "spreadsheet": matrix("\ta\tb\na\t5\t1\nb\t2\t7\n", "Which are its rows?"),
    "csv matrix": matrix(",a,b\na,5,1\nb,2,7\n", "Which are its rows?"),
    "bare csv": matrix("5,1\n2,7\n", "Which are its rows?"),
    "markdown matrix": matrix("| | a | b |\n|---|---|---|\n| a | 5 | 1 |\n| b | 2 | 7 |\n"),
    "latex matrix": matrix("a & 5 & 1 \\\\\nb & 2 & 7 \\\\\n"),
    "thousands": Case("\ta\tb\na\t1,200\t2\nb\t3\t4\n", "matrix", "a confusion matrix of 1,209 rows", ""),
    "weka": matrix("a b   <-- classified as\n 5 1 | a = a\n 2 7 | b = b\n", "Rows are gold"),
    "matrix file": matrix({"matrix.csv": ",a,b\na,5,1\nb,2,7\n"}),
    "JSON matrix": matrix({"m.json": '{"labels": ["a", "b"], "matrix": [[5, 1], [2, 7]]}'}),
    "normalized": Case("0.9,0.1\n0.2,0.8\n", "matrix", "a confusion matrix", "the matrix seems to be normalized",
                       place="#matrix-notes"),
    "decimal commas": Case("\ta\tb\na\t0,9\t0,374\nb\t0,1\t0,626\n", "matrix", "2 classes", "0.7585"),
    "totals": Case("5,1,6\n2,7,9\n7,8,15\n", "matrix", "15 rows, 2 classes", "The totals in pasted text were left out",
                   place="#read-as"),
    "columns in another order": Case(",b,a\na,1,5\nb,7,2\n", "matrix", "15 rows", "matched with its rows by name",
                                     place="#read-as"),
    # predictions
    "csv": predictions(PREDICTIONS),
    "tsv": predictions(PREDICTIONS.replace(",", "\t")),
    "semicolons": predictions(PREDICTIONS.replace(",", ";")),
    "other names": predictions(PREDICTIONS.replace("gold", "y_true").replace("pred", "y_pred")),
    "JSON lines": predictions({"p.jsonl": "".join(f'{{"gold":"{g}","pred":"{p}"}}\n' for g, p in ("aa", "ba", "bb"))}),
    "JSON array": predictions('[\n{"gold":"a","pred":"a"}, {"gold":"b","pred":"a"}, {"gold":"b","pred":"b"}]'),
    "extra columns": predictions("id,text,gold,pred\n1,x,a,a\n2,y,b,a\n3,z,b,b\n"),
    "one system": predictions("gold,svm\na,a\nb,a\nb,b\n"),
    "counts": Case(COUNTED, "matrix", "15 predictions", f"{SCORE:.4f}", numpy=True),
    "gold and run": predictions({"run.csv": RUN, "gold.csv": GOLD}, "3 predictions of run.csv against gold.csv"),
    "ids in another order": predictions({"gold.csv": GOLD, "run.csv": "id,pred\n3,b\n1,a\n2,a\n"}, ""),
    "two lists": predictions({"run.txt": "a\na\nb\n", "gold.txt": "a\nb\nb\n"}, "of run.txt against gold.txt"),
    "pipes": predictions(PREDICTIONS.replace(",", "|")),
    "counts by another name": Case(COUNTED.replace("count", "total"), "matrix", "4 predictions", "seems to be a table "
                                   "of counts", numpy=True, place="#read-as"),
    "label sets": Case({"sets.jsonl": SETS}, "matrix", "3 predictions, 3 classes", "0.3333", numpy=True),
    "tags": Case("gold,pred\nB-PER,B-PER\nI-PER,I-PER\nO,O\nB-LOC,O\n", "matrix", "4 predictions", "mf1 score --spans "
                 "scores whole entities", numpy=True, place="#matrix-notes"),
    # several systems
    "systems": Case(SYSTEMS, "compare", "predictions of several systems", "2 systems on 5 rows", numpy=True),
    "systems file": Case({"all.csv": SYSTEMS}, "compare", "predictions of several systems", "2 systems", numpy=True),
    "three files": Case(
        {"a.csv": RUN, "gold.csv": GOLD, "b.csv": "id,pred\n1,b\n2,b\n3,b\n"},
        "compare", "predictions of 2 systems", "2 systems on 3 rows", numpy=True),
    "whole files": Case({"a.csv": PREDICTIONS, "b.csv": "gold,pred\na,b\nb,b\nb,b\n"}, "compare",
                        "predictions of 2 systems", "2 systems on 3 rows", numpy=True),
    "two matrices": Case({"a.csv": ",a,b\na,5,1\nb,2,7\n", "b.csv": ",a,b\na,4,2\nb,2,7\n"}, "compare",
                         "confusion matrices of 2 systems", "2 systems", numpy=True),
    # figures
    "report": Case(REPORT, "audit", "scikit-learn report", "averaged F1"),
    "report file": Case({"report.txt": REPORT}, "audit", "scikit-learn report", "averaged F1"),
    "two reports": Case({"a.txt": REPORT, "b.txt": REPORT.replace("cat", "cow")}, "audit", "2 reports", "2 reports"),
    "output_dict": Case(json.dumps(FIGURES), "audit", "", "averaged F1"),
    "output_dict, indented": Case({"report.json": json.dumps(FIGURES, indent=2)}, "audit", "", "averaged F1"),
    "Python dict": Case(str(FIGURES), "audit", "", "averaged F1"),
    "markdown report": Case(MARKDOWN, "audit", "", "averaged F1"),
    "sentence": Case("macro F1 0.77, precision 0.78, recall 0.80", "audit", "", "formula"),
    "leaderboard": Case(BOARD, "audit", "a leaderboard", "2 rows"),
    "leaderboard of classes": Case(CLASSES, "compare", "a leaderboard", "2 systems"),
    # questions and refusals
    "unnamed columns": Case("left,right\na,a\nb,a\nb,b\n", "matrix", "a table", "choose a column", place=ASKED),
    "two gold columns": Case("gold,label,pred\na,a,b\nb,a,b\n", "matrix", "a table", "2 columns could be the gold",
                             numpy=True, place=ASKED),
    "other labels": Case("gold,pred\na,0\nb,1\na,0\n", "matrix", "a table", "have none in common", numpy=True,
                         place=ASKED),
    "a missing label": Case("gold,pred\na,a\nb,\na,b\n", "matrix", "a table", "“leave out” under “Rows without",
                            numpy=True, place=ASKED),
    "prose": Case("hello world", "", "", "cannot tell what pasted text is: expected predictions"),
    "mixed": Case({"r.txt": REPORT, "p.csv": PREDICTIONS}, "", "", "r.txt is a report, beside other files"),
}  # fmt: skip

SOURCES = {"matrix": "#read-as", "compare": "#compare-source", "audit": "#audit-source"}
ANSWERS = {"matrix": "#averaged", "compare": "#compare-headline", "audit": "#audit-result"}
FOCUSED = {"matrix": "read-as", "compare": "compare-rankings", "audit": "verdict"}


def paste(page: Any, text: str) -> None:
    """Paste with no field focused."""
    page.evaluate(
        """(text) => {
            document.activeElement.blur();
            const data = new DataTransfer();
            data.setData("text", text);
            const how = {clipboardData: data, bubbles: true, cancelable: true};
            document.body.dispatchEvent(new ClipboardEvent("paste", how));
        }""",
        text,
    )


def give(page: Any, given: str | dict[str, str]) -> None:
    if isinstance(given, str):
        paste(page, given)
        return
    page.evaluate(
        """(files) => {
            const data = new DataTransfer();
            for (const [name, text] of Object.entries(files)) data.items.add(new File([text], name));
            document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        given,
    )


def check(page: Any, name: str, *, has_numpy: bool) -> None:
    """Give the page one case, as a visitor of another view does, and look at what comes."""
    case = CASES[name]
    page.evaluate("location.hash = '#/gallery'")
    page.wait_for_selector("#view-gallery:not([hidden])")
    page.evaluate(  # or a case that shows the same as the one before would end before it began
        "for (const id of ['notice-text', 'read-as']) document.getElementById(id).textContent = ''"
    )
    give(page, case.given)
    if not case.view or (case.numpy and not has_numpy):
        shows(page, "#notice-text", case.shown if not case.view else LOCAL)
        return
    page.wait_for_selector(f"#view-{case.view}:not([hidden])")
    shows(page, SOURCES[case.view], "Read as")
    shows(page, SOURCES[case.view], case.read_as)
    shows(page, "#read-as" if case.place == ASKED else case.place or ANSWERS[case.view], case.shown)
    if case.place == ASKED:  # and the first field that answers it has the focus
        assert page.evaluate("document.activeElement.closest('#read-as select') !== null")
        return
    focused = page.evaluate("document.activeElement.id")
    assert focused == FOCUSED[case.view], (name, focused)
    box = page.locator(f"#{focused}").bounding_box()
    assert 0 <= box["y"] < 700, (name, box)  # the answer is on the screen
    assert re.search(r"\d|formula|F1", page.locator(ANSWERS[case.view]).first.inner_text())


@pytest.mark.parametrize("name", CASES)
def test_anything_is_taken_anywhere(front, name):
    check(front, name, has_numpy=True)


@pytest.fixture(scope="module")
def front(browser, server):
    """One page for all of them: what came before must not matter."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(server.address)
    shows(page, "#version", macrof1.__version__)
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def exported(browser, hosted):  # noqa: F811  # the fixture
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(hosted)
    ready(page)
    yield page
    page.context.close()


@pytest.mark.parametrize("name", CASES)
def test_the_exported_page_takes_the_same(exported, name):
    check(exported, name, has_numpy=False)


@pytest.mark.parametrize(
    ("over", "positive", "unit", "says"),
    [("rows", "", "3 rows", "row 2 is over-precise"), ("doc", "", "2 docs", "no doc leans further"),
     ("query", "y", "2 queries", "query q2 is over-precise, query q1 is over-recalled")],
)  # fmt: skip
def test_a_table_is_scored_over_its_units_which_every_sentence_names(look, tmp_path, over, positive, unit, says):
    text = "query,gold,pred\nq1,y,y\nq1,n,y\nq2,y,n\nq2,y,y\n" if positive else SETS
    file = tmp_path / ("pairs.csv" if positive else "sets.jsonl")
    file.write_text(text)
    expected = macrof1.score_file(file, over=over, positive=positive or None)
    page = look()
    give(page, {file.name: text})
    page.locator("#read-as").get_by_label("Mean over").select_option(over)
    if positive:  # the command line refuses without it; the page asks
        shows(page, "#read-as .complaint", "precision, recall and F1 of a query are all its accuracy")
        page.locator("#read-as").get_by_label("The label that counts").select_option(positive)
    shows(page, "#read-as", f"mean over {unit}")
    for _ in range(2):  # and after a reload, from the link alone
        for place, value in (("#averaged", expected.averaged_f1), ("#of-averages", expected.f1_of_averages)):
            shows(page, place, f"{value:.4f}")
        shows(page, "#sentence", says)
        shows(page, "#counted", f"over {unit}")
        shows(page, "#classes thead", unit.split()[1][:3])
        shows(page, "#sure", "95% intervals")
        said = page.text_content("#signature").split("|")
        assert [part for part in expected.signature().split("|") if part not in said and "gold:" not in part] == []
        assert page.locator("#cells").is_hidden()
        link(page)
        page.reload()
    if over == "doc":
        accessible(page)


def test_the_command_line_takes_the_same_and_the_page_asks_what_it_cannot_know(look, tmp_path):
    for name, text in {"m.csv": ",a,b\na,5,1\nb,2,7\n", "report.txt": REPORT, "a.csv": RUN, "gold.csv": GOLD}.items():
        (tmp_path / name).write_text(text)
    b = tmp_path / "b.csv"
    b.write_text("id,pred\n1,b\n2,b\n3,b\n")
    for names, source, said in (
        (["m.csv"], "#read-as", "Which are its rows?"),
        (["report.txt"], "#audit-source", "Read as scikit-learn report"),
        (["gold.csv", "a.csv"], "#read-as", "Read as 3 predictions of a.csv against gold.csv"),
        (["a.csv", "b.csv", "gold.csv"], "#compare-source", "Read as predictions of 2 systems"),
    ):
        with explorer(*(str(tmp_path / name) for name in names)) as (address, _):
            page = look("", source, said, address=address)
            page.context.close()  # before its server goes
