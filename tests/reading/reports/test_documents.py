"""Reports as tools print them: those of scikit-learn, seqeval, PyCM and pandas come from running these tools."""

import contextlib
import json
import re
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pycm import ConfusionMatrix
from pycm.output import csv_print
from seqeval.metrics import classification_report as seqeval_report
from sklearn.metrics import classification_report, confusion_matrix

import macrof1
from macrof1.reading.reports.documents import read_document, read_reports

LABELS = ["cat", "dog", "very eel"]


def predictions(seed=0, rows=200):
    rng = np.random.default_rng(seed)
    gold = rng.choice(LABELS, rows, p=[0.6, 0.3, 0.1])
    return gold, np.where(rng.random(rows) < 0.7, gold, rng.choice(LABELS, rows))


GOLD, PRED = predictions()
REPORT = classification_report(GOLD, PRED, output_dict=True)
FRAME = pd.DataFrame(REPORT)
# As other programs print their reports.
PRINTED_BY = {path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).with_name("printed").glob("*.txt")}


def one(text):
    (report,) = read_reports(text)
    return report


def check(report, *, digits, support=True, accuracy=True):
    """Compare a report with what scikit-learn computed, as text of so many decimals."""
    assert [row.label for row in report.classes] == LABELS
    names = {"precision": "precision", "recall": "recall", "f1": "f1-score"}
    for label, row in zip(LABELS, report.classes, strict=True):
        for kind, name in names.items():
            assert float(row.figures[kind]) == pytest.approx(REPORT[label][name], abs=0.5000001 * 10**-digits)
        if support:
            assert float(row.figures["support"]) == REPORT[label]["support"]
    for kind, name in names.items():
        assert float(report.macro[kind]) == pytest.approx(REPORT["macro avg"][name], abs=0.5000001 * 10**-digits)
    if accuracy:
        assert float(report.accuracy) == pytest.approx(REPORT["accuracy"], abs=0.5000001 * 10**-digits)


@pytest.mark.parametrize("digits", [2, 3, 4, 6])
def test_the_text_report_of_scikit_learn(digits):
    report = one(classification_report(GOLD, PRED, digits=digits))
    check(report, digits=digits)
    assert report.source == "scikit-learn report"
    assert "weighted" in report.averages


PRINTED = {
    "dictionary": (str(REPORT), 16),
    "dictionary of NumPy floats": (re.sub(r"(?<=: )(\d\.\d+)", r"np.float64(\1)", str(REPORT)), 16),
    "JSON": (json.dumps(REPORT), 16),
    "indented JSON": (json.dumps(REPORT, indent=2), 16),
    "records": (FRAME.T.reset_index(names="class").to_json(orient="records"), 9),
    "frame": (FRAME.to_string(), 6),
    "turned frame": (FRAME.T.to_string(), 6),
    "CSV": (FRAME.T.to_csv(), 16),
    "CSV by column": (FRAME.to_csv(), 16),
    "semicolons and decimal commas": (FRAME.T.to_csv(sep=";", decimal=","), 16),
    "tabs": (FRAME.T.to_csv(sep="\t"), 16),
    "HTML": (FRAME.T.to_html(), 6),
    "LaTeX": (FRAME.T.to_latex(), 6),
    "dictionary by figure": (str(FRAME.T.to_dict()), 16),
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_pandas_and_python_make_of_it(name):
    text, digits = PRINTED[name]
    report = one(text)
    if "commas" in name:
        for figures in (*(row.figures for row in report.classes), report.macro):
            figures.update({kind: figure.replace(",", ".") for kind, figure in figures.items()})
        report.accuracy = report.accuracy.replace(",", ".")
    check(report, digits=digits)


def markdown(bold):
    mark = "**" if bold else ""
    lines = ["| Class | Precision (%) | Recall (%) | **F1-score** (%) |", "|:--|--:|--:|--:|"]
    for label in (*LABELS, "macro avg"):
        cells = [f"{mark}{100 * REPORT[label][kind]:.2f}{mark}" for kind in ("precision", "recall", "f1-score")]
        lines.append(f"| {mark}{label}{mark} | {' | '.join(cells)} |")
    return "\n".join(lines)


@pytest.mark.parametrize("bold", [False, True])
def test_markdown_in_percent(bold):
    report = one(markdown(bold))
    assert [row.label for row in report.classes] == LABELS
    assert report.macro["f1"] == f"{100 * REPORT['macro avg']['f1-score']:.2f}"
    assert one(markdown(bold).replace("F1-score", "F-measure")).source == "Markdown table"  # not Weka's


def test_seqeval():
    gold, pred = [["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O"]], [["B-PER", "I-PER", "O", "O"], ["B-LOC", "B-PER"]]
    report = one(seqeval_report(gold, pred))
    assert [(row.label, row.figures["f1"]) for row in report.classes] == [("LOC", "0.67"), ("PER", "0.67")]
    assert report.macro["f1"] == "0.67"
    assert report.source == "scikit-learn or seqeval report"


@pytest.mark.parametrize("form", ["text", "html", "csv"])
def test_pycm(tmp_path, form):
    matrix = ConfusionMatrix(list(GOLD), list(PRED))
    # In HTML and CSV, P and N are condition positive and negative, and figures may have descriptions behind them.
    text = str(matrix) if form == "text" else csv_print(matrix.classes, matrix.class_stat)
    if form == "html":
        matrix.save_html(str(tmp_path / "saved"))
        text = (tmp_path / "saved.html").read_text(encoding="utf-8")
    report = one(text)
    if form != "csv":
        assert float(report.macro["f1"]) == pytest.approx(REPORT["macro avg"]["f1-score"], abs=1e-5)
        assert float(report.accuracy) == pytest.approx(REPORT["accuracy"], abs=1e-5)
    for row, label, cells in zip(report.classes, sorted(set(GOLD)), confusion_matrix(GOLD, PRED), strict=True):
        assert row.label == label
        assert float(row.figures["precision"]) == pytest.approx(REPORT[label]["precision"], abs=1e-5)
        assert int(row.figures["support"]) == cells.sum()
        assert int(row.figures["tp"]) + int(row.figures["fn"]) == cells.sum()


@pytest.mark.parametrize(
    "text",
    [
        "Confusion matrix:\n" + str(confusion_matrix(GOLD, PRED)),
        repr(confusion_matrix(GOLD, PRED)),
        "confusion matrix\n" + pd.crosstab(GOLD, PRED).rename(index=str.upper).to_string(),
    ],
)
def test_confusion_matrices(text):
    matrix = confusion_matrix(GOLD, PRED)
    result = macrof1.audit_text(text).reports[0].result
    assert list(result.counts.tp) == np.diag(matrix).tolist()
    assert list(result.counts.actual) == matrix.sum(axis=1).tolist()
    assert list(result.counts.predicted) == matrix.sum(axis=0).tolist()


def test_weka_caret_yardstick_and_dl4j():
    weka = one(PRINTED_BY["weka"])
    assert [row.figures["f1"] for row in weka.classes] == ["0.990", "0.940", "0.950"]
    assert [row.figures["recall"] for row in weka.classes] == ["0.980", "0.940", "0.960"]
    assert (weka.averages["weighted"]["f1"], weka.matrix[1]) == ("0.960", [0, 47, 3])
    caret = one(PRINTED_BY["caret"])
    assert [row.label for row in caret.classes] == ["a", "b", "c"]
    assert [row.figures["recall"] for row in caret.classes] == ["1.0000", "0.9400", "0.9200"]
    assert one(PRINTED_BY["yardstick"]).macro == {"precision": "0.734", "recall": "0.701", "f1": "0.715"}
    dl4j = one(PRINTED_BY["dl4j"])
    assert (dl4j.macro["f1"], dl4j.accuracy, dl4j.n_classes, len(dl4j.classes)) == ("0.9735", "0.9733", 3, 3)


def test_blocks_per_class_with_the_counts_behind_a_ratio():
    blocks = one(PRINTED_BY["blocks"])
    assert [row.label for row in blocks.classes] == ["positive", "negative"]
    assert blocks.classes[0].figures | {"f1": ""} == {
        "precision": "50.50%", "tp": "101", "predicted": "200", "recall": "40.40%", "support": "250", "f1": "",
    }  # fmt: skip
    assert macrof1.audit_text(PRINTED_BY["blocks"]).reports[0].result.verdict == "averaged_f1"


def test_several_reports_and_the_cells_of_a_notebook():
    other = classification_report(PRED, GOLD)
    first, second = read_reports(f"Model A\n{classification_report(GOLD, PRED)}\n\nModel B:\n{other}")
    assert (first.name, second.name) == ("Model A", "Model B")
    check(first, digits=2)
    outputs = [[{"text": [classification_report(GOLD, PRED)]}], [], [{"data": {"text/plain": [str(REPORT)]}}]]
    notebook = {"nbformat": 4, "cells": [{"cell_type": "code", "outputs": each} for each in outputs]}
    found = read_reports(json.dumps(notebook))
    assert [report.name for report in found] == ["cell 1", "cell 3"]
    for report, digits in zip(found, (2, 16), strict=True):
        check(report, digits=digits)


def test_a_report_is_never_half_read():
    text = classification_report(GOLD, PRED).splitlines()
    text[3] = "         dog       0.69 what is this"
    with pytest.raises(macrof1.InputError, match="line 4 of the report cannot be read") as error:
        macrof1.audit_text("\n".join(text))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "part",
    ['{"a":', '{"a":{"precision":0.5,', '{"a":@', "[{", "(0.5,", "<table>", "\\begin{tabular}", "word ", " ", "<b>",
     "-", "+/- 0.1 ", "|", '"', "{\n"],
)  # fmt: skip
def test_nothing_repeated_takes_long(part):
    """The work grows with the text, not with its square: in processor time, so that a busy machine does not matter."""
    started = time.process_time()
    with contextlib.suppress(macrof1.InputError):
        macrof1.audit_text(f"a{part * 20_000}macro F1: 0.5")
    assert time.process_time() - started < 10


@pytest.mark.parametrize("text", ["confusion matrix\n{0} 1\n1 2\n", "confusion matrix:\n[[{0}, 1], [1, 2]]"])
def test_counts_in_a_matrix_are_exact_or_refused(text):
    largest = 2**63 - 1
    assert one(text.format(largest)).classes[0].figures["tp"] == str(largest)
    with pytest.raises(macrof1.InputError):
        macrof1.audit_text(text.format("9" * 5000))


def test_rows_without_a_header_and_tables_on_one_line():
    counts = one("| my model | 0.8500 | 0.8465 | 50 10 5 35 |")  # tn fp fn tp
    assert ([row.figures["tp"] for row in counts.classes], counts.unnamed) == (["50", "35"], ["0.8500", "0.8465"])
    assert macrof1.audit_text("| my model | 0.8500 | 0.8465 | 50 10 5 35 |").reports[0].result.published == "0.8465"
    macro = one("| base | 0.81 | 0.79 | 0.80 |\n\nTable: macro averages.")
    assert macro.macro == {"precision": "0.81", "recall": "0.79", "f1": "0.80"}
    line = one("Category P R F1 cat dog Macro AVG 0.800 0.500 0.615 0.600 0.900 0.720 0.700 0.700 0.668")
    assert ([row.label for row in line.classes], line.macro["f1"]) == (["cat", "dog"], "0.668")


def test_of_a_text_that_takes_too_long_the_beginning_and_the_end_are_read(monkeypatch):
    lines = ["words"] * 2300
    lines[199], lines[299], lines[300] = (f"macro F1: 0.{number}" for number in (1, 2, 3))
    clock = iter([0.0, 0.5, 1.0, 1.1])  # at the start, and before every hundred lines
    monkeypatch.setattr("macrof1.reading.reports.documents.time.process_time", lambda: next(clock))
    found = read_document("\n".join(lines))
    assert [report.macro["f1"] for report in found.reports] == ["0.1", "0.3"]
    assert found.left_aside == [(201, "no time left to read the lines up to 300")]


def test_a_table_of_too_many_classes_is_refused_and_one_of_systems_is_not(monkeypatch):
    monkeypatch.setattr("macrof1.reading.reports.class_tables._MOST_ROWS", 3)
    rows = [f"row{number} 0.5 0.6 0.7" for number in range(4)]
    assert len(one("\n".join(["class precision recall f1", *rows[1:]])).classes) == 3
    with pytest.raises(macrof1.InputError, match="more than 3 rows"):
        read_reports("\n".join(["class precision recall f1", *rows]))
    assert len(read_reports("\n".join(["system precision recall f1", *rows]))) == 4


def test_300_columns_or_classes_are_as_few():
    more = ["class,precision,recall,f1", *(f"{name},0.5,0.5,0.5" for name in ("a", "b", "macro avg"))]
    (report,) = read_reports("\n".join(line + ",x" * 300 for line in more))
    assert report.averages["macro"] == {"precision": "0.5", "recall": "0.5", "f1": "0.5"}
    bins = "\n".join(f"bin {place / 1000:.3f}  0.50  0.50  0.50  1" for place in range(300))
    (report,) = read_reports(f"         precision  recall  f1-score  support\n{bins}\n\nmacro avg  0.5  0.5  0.5  9\n")
    assert [len(report.classes), report.classes[7].label] == [300, "bin 0.007"]
