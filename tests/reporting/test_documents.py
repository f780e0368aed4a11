"""Whatever the text of a result says, its Markdown, LaTeX and HTML say too, for every type of result."""

import json
import os
import re
from html import unescape

import polars as pl
import pytest

import macrof1
from macrof1.cli import main
from macrof1.errors import InputError, MissingExtraError
from macrof1.labels import dropped_note
from macrof1.paper.experiments import PARTS
from macrof1.paper.reproduction import rerun_document
from macrof1.paper.simulation import Settings
from macrof1.reporting import charts as look
from macrof1.reporting.as_markup import _LATEX
from macrof1.reporting.as_text import ended, printable
from macrof1.reporting.convention_documents import catalogue_document
from macrof1.reporting.document import Document, Sentences, Table
from macrof1.reporting.rendering import document, render

from .test_comparisons import long_names
from .test_comparisons import result as compared
from .test_notebook import CALLS, RESULTS

EVIL = ["<b>a_1 & 50%</b>", "b|c*", "c\\d{e}", "[f]"]
GOLD, PRED = EVIL * 12, [EVIL[0], *EVIL[:3]] * 12
FRAME = pl.DataFrame({"g": [*GOLD, None], "p": [*PRED, "b|c*"], "_part_": [*("x", "y|z") * 24, "x"]})
BOARD = [
    {"system": f"s_{n}", "macro_precision": "0.40", "macro_recall": "0.40", "macro_f1": "0.90" if n % 2 else "0.40"}
    for n in range(70)
]
REPORT = "              precision    recall  f1-score   support\n\n           a       1.00      0.50      0.67         2\n           b       0.67      1.00      0.80         2\n\n   macro avg       0.83      0.75      0.73         4\n"  # noqa: E501
RUN = Settings(seed=0, seeds=1, quick=True)


def scored(**options):
    return document(macrof1.score(GOLD, PRED), **options)


DOCUMENTS = {
    **{name: lambda result=result: document(result) for name, result in RESULTS.items()},
    "score with intervals": lambda: scored(confidence_level=0.9, also=True, digits=2),
    "score of many classes": lambda: document(macrof1.score(list(range(99)), [n // 2 for n in range(99)])),
    "score of clusters": lambda: document(
        macrof1.score(GOLD, PRED, cluster=[n // 4 for n in range(48)]), confidence_level=0.95
    ),
    "groups with intervals": lambda: document(
        macrof1.score_groups(FRAME, gold="g", pred="p", by="_part_", missing="drop"), confidence_level=0.95
    ),
    "many systems": lambda: document(long_names(12)),
    "awkward names": lambda: document(compared(("[best] {a}", "*star_1 50% & #2", "a^b~c\\d $x$ <y> |z| − ≤"))),
    "runs": lambda: document(CALLS["runs"]),
    "flips": lambda: document(CALLS["flips"]),
    "long leaderboard": lambda: document(macrof1.audit_table(BOARD)),
    "a finding": lambda: document(CALLS["finding"]),
    "counts behind figures": lambda: document(macrof1.audit_text(REPORT)),
    "several reports": lambda: document(macrof1.audit_text(f"{REPORT}\n\n{REPORT.replace('0.73', '0.99')}")),
    "bounds of sizes": lambda: document(macrof1.bounds(support=[3, 2]), labels=["<a>", "b_c"], notes=[dropped_note(1)]),
    "catalogue": lambda: catalogue_document(macrof1.conventions()),
    "marked conventions": lambda: document(macrof1.score(GOLD, PRED).conventions().marked("0.5")),
}


def plain_markdown(text):
    return re.sub(r"\\([\\|*`\[_#>+.)-])", r"\1", text.replace("&lt;", "<")).replace("`", " ")


def plain_latex(text):
    text = re.sub(
        r"\\textsuperscript\{[^}]*\}|\\allowbreak\{\}|\\scriptsize ?|(?<=[\s&{]){}(?=[\[*])|^{}", "", text, flags=re.M
    )
    for code, written in sorted(_LATEX.items(), key=lambda pair: -len(pair[1])):
        text = text.replace(written, {"\\": "\0", "{": "\1", "}": "\2"}.get(chr(code), chr(code)))
    return re.sub(r"\\(?:texttt|caption|parbox|footnotesize|par\b)|[{}]", " ", text).translate(
        {0: "\\", 1: "{", 2: "}"}
    )


def plain_html(page):
    body = page.partition("<main>")[2].partition("<footer>")[0]
    return unescape(re.sub(r"<[a-z/][^>]*>", " ", re.sub(r"<svg.*?</svg>", " ", body, flags=re.S)))


PLAIN = {"markdown": plain_markdown, "latex": plain_latex, "html": plain_html}


def words(text):
    return {word.strip(".,;:|&\\()") for word in text.split()}


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("output", PLAIN)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_format_says_less_than_text(name, output, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    found: Document = DOCUMENTS[name]()
    text = render(found, "text")
    # What is cut in a terminal, or stands in a table by another name, is whole elsewhere.
    instead = {part.instead for part in found.parts() if isinstance(part, Table)}
    lines = [line for line in text.splitlines() if not line.startswith("…") and line not in instead]
    shown = PLAIN[output](render(found, output))
    assert lines
    missing = words(" ".join(lines)) - words(shown) - words(shown.replace(",", " "))
    assert {word for word in missing if not set(word) <= {"─", ""}} == set()
    said = [
        item
        for part in found.parts()
        if isinstance(part, Sentences) and part.where == "everywhere"
        for item in part.items
    ]
    for sentence in [*said, *found.notes()]:
        assert flat(ended(printable(sentence))) in flat(shown)
    for part in found.parts():
        if isinstance(part, Table) and part.where == "everywhere":
            cells = {flat(printable(cell)) for row in part.rows for cell in row}
            assert [cell for cell in cells if cell not in flat(shown)] == []


def test_every_result_has_a_document_and_keeps_its_json():
    for name, result in RESULTS.items():
        found = document(result)
        assert found.title, name
        content = json.loads(render(found, "json"))
        assert set(json.loads(json.dumps(result.to_dict()))) <= set(content), name
        assert render(found, "csv").splitlines(), name


def test_a_reproduction_says_the_same_everywhere():
    run = {name: PARTS[name](RUN) for name in ("tables", "theorems")}
    found = rerun_document(run, RUN, {"python": "3"})
    text = render(found, "text")
    for output, plain in PLAIN.items():
        shown = flat(plain(render(found, output)))
        assert "Violations, in exact arithmetic." in shown
        for row in found.records("").rows:
            assert all(flat(cell) in shown for cell in row)
    assert "Theorem 1" in text


def test_details_show_what_a_terminal_leaves_out():
    found = scored()
    with pytest.raises(InputError, match="did you mean 'html'"):
        render(found, "htm")
    assert "What other tools" in render(found, "html")
    assert "printed by" not in render(found, "text")
    assert "scikit-learn" in render(found, "text", details=True)
    assert "scikit-learn" in render(found, "latex", details=True)


def test_the_page_of_an_audit_holds_the_whole_proof():
    for result in (CALLS["audit"], CALLS["finding"], CALLS["audit_text"], macrof1.audit_table(BOARD[:3])):
        page = flat(plain_html(render(document(result), "html")))
        each = [one.result for one in (*getattr(result, "rows", ()), *getattr(result, "reports", ()))]
        for one in each or [result]:
            for sentence in (one.reason, *one.notes, *one.not_tested, *(f.message for f in one.findings)):
                assert flat(sentence) in page


def test_a_page_without_charts_says_how_to_get_them(monkeypatch):
    def missing():
        raise MissingExtraError.needed(package="Altair", extra="charts", purpose="drawing charts")

    monkeypatch.setattr(look, "altair", missing)
    for result in (macrof1.score(GOLD, PRED), compared(), macrof1.audit_table(BOARD[:3])):
        page = render(document(result), "html")
        assert "<figure" not in page
        assert "pip install" in page


@pytest.mark.parametrize(
    "call",
    [
        ["score", "{}/p.csv"], ["score", "{}/p.csv", "--by", "part"],
        ["score", "--matrix", "{}/m.csv", "--rows", "gold"], ["score", "{}/p.csv", "{}/p2.csv"],
        ["compare", "{}/p.csv", "--gold", "gold", "--systems", "pred,other"],
        ["compare", "{}/g.csv", "{}/a.csv", "{}/b.csv"], ["audit", "{}/board.csv"], ["identify", "{}/p.csv", "0.5"],
        ["conventions", "{}/p.csv"],
    ],
)  # fmt: skip
def test_no_path_of_this_machine_is_in_a_page_or_a_note(call, tmp_path, capsys, monkeypatch):
    rows = "a,a,b,1\nb,b,b,1\nA ,b,a,2\na,,a,2\n"
    (tmp_path / "p.csv").write_text("gold,pred,other,part\n" + rows * 3)
    (tmp_path / "p2.csv").write_text("gold,pred,other,part\n" + rows)
    (tmp_path / "m.csv").write_text("3,1\n0,2\n")
    for place, name in ((0, "g"), (1, "a"), (2, "b")):
        (tmp_path / f"{name}.csv").write_text(
            "label\n" + "".join(f"{row.split(',')[place] or 'a'}\n" for row in rows.splitlines())
        )
    (tmp_path / "board.csv").write_text("system,macro_precision,macro_recall,macro_f1\nx,0.40,0.40,0.90\n")
    folder, page = str(tmp_path), tmp_path / "page.html"
    arguments = [part.format(folder) for part in call]
    if any("p.csv" in part for part in call):
        arguments += ["--missing", "drop"]
    monkeypatch.setattr("sys.argv", ["mf1", *arguments, "--html", str(page)])
    if call[0] in ("score", "compare", "audit") and "--by" not in call:
        assert main(["mf1", *arguments, "--html", str(page)][1:]) == 0
        html = page.read_text(encoding="utf-8")
        assert folder not in html
        assert os.path.expanduser("~") + os.sep not in html  # noqa: PTH111  # as text
        assert f"mf1 {call[0]}" in html
        capsys.readouterr()
    for output in ("text", "json", "csv", "markdown", "latex"):
        assert main([*arguments, "-f", output]) == 0
        shown = capsys.readouterr()
        assert folder not in shown.out
        assert folder not in shown.err
