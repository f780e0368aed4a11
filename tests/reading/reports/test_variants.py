"""One report in many layouts: logs, boxes, colours, indices, other languages and other programs' formats."""

import io
import json
import re
from collections import defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rich.console import Console
from rich.table import Table
from sklearn.metrics import classification_report, precision_recall_fscore_support

import macrof1
from macrof1.reading.reports.documents import read_reports

from .test_documents import GOLD, LABELS, PRED, PRINTED_BY, check, one

TEXT = classification_report(GOLD, PRED, digits=4)
REPORT = classification_report(GOLD, PRED, output_dict=True)
NAMES = [*LABELS, "macro avg"]
KINDS = ("precision", "recall", "f1-score", "support")
ROWS = [
    [name, *(f"{REPORT[name][kind]:.4f}" for kind in KINDS[:3]), f"{REPORT[name]['support']:.0f}"] for name in NAMES
]


def prefixed(*prefixes, text=TEXT):
    """Put a prefix before every line, each in turn."""
    lines = text.splitlines()
    return "\n".join(prefixes[place % len(prefixes)] + line for place, line in enumerate(lines))


def piped(*rows):
    """Write rows as Markdown does."""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def renamed(*names):
    """Give the rows other names."""
    return [[name, *row[1:]] for name, row in zip(names, ROWS, strict=False)]


LOGS = {
    "indented": prefixed("     "),
    "fenced, in prose": f"Our results:\n\n```\n{TEXT}\n```\n\nThey are good, see Table 3.",
    "single spaces": re.sub("(?m)^ +| +(?= )", "", TEXT),
    "no blank lines": re.sub(r"\n\s*\n", "\n", TEXT),
    "a blank line after each": TEXT.replace("\n", "\n\n"),
    "upper case": TEXT.partition("\n")[0].upper() + "\n" + TEXT.partition("\n")[2],
    "in comments among code": f"print(report)\n{prefixed('# ')}\nplot(model)\n",
    "time": prefixed("2021-03-04 12:00:01,123 "),
    "level and logger": prefixed("INFO:root:"),
    "basic format": prefixed("2021-03-04 12:00:01,123 - INFO - __main__ - "),
    "American date": prefixed("03/04/2021 12:00:01 - INFO - __main__ -   "),
    "brackets": prefixed("[2021-03-04 12:00:01] [INFO] "),
    "absl": prefixed("I0304 12:00:01.123456 139 run.py:9] ", "I0304 12:00:01.123456 139 run.py:133] "),
    "loguru": prefixed("2021-03-04 12:00:01.123 | INFO     | __main__:main:33 - "),
    "ISO with zone": prefixed("2021-03-04T12:00:01.123Z INFO  [train.py:33] "),
    "Spark": prefixed("21/03/04 12:00:01 INFO Eval: "),
    "Horovod": prefixed("[1,0]<stdout>:"),
    "srun": prefixed("0: "),
    "torchrun": prefixed("[rank0]: "),
    "page": f"<html><head><title>Log</title></head><body><pre>{TEXT}</pre></body></html>",
    "page with colours": "<div><pre>" + TEXT.replace("0.", "<span class='n'>0.</span>") + "</pre></div>",
    "quotation": prefixed("> "),
    "comment of C": prefixed(" * "),
    "first line only": "INFO:__main__:" + TEXT,
    "colours": "\n".join(f"\x1b[32m{line}\x1b[0m" for line in TEXT.splitlines()),
    "byte order mark and CRLF": "\ufeff" + TEXT.replace("\n", "\r\n"),
    "quotation without spaces": prefixed(">"),
    "doctest": TEXT.replace("\n\n", "\n<BLANKLINE>\n"),
    "notes": TEXT.replace("\n         dog", " ← best\n         dog"),
    "not printed": repr(TEXT),
    "string in JSON": json.dumps({"epoch": 3, "report": TEXT, "loss": 0.1}),
    "hard spaces": TEXT.replace("  ", "\u00a0\u00a0"),
}


@pytest.mark.parametrize("name", LOGS)
def test_prefixes_and_marks_of_every_line(name):
    check(one(LOGS[name]), digits=4)


def test_a_dictionary_behind_log_prefixes():
    lines = re.sub(r"\}, ", "},\n ", str(REPORT)).splitlines()
    text = "\n".join(f"2021-03-04 12:00:01,123 - INFO - {line}" for line in lines)
    check(one(text), digits=16)


@pytest.mark.parametrize("before", ["# ", "I0304 12:00:01.123456 139 run.py:9] ", "Results on dev: ", ""])
def test_words_before_a_dictionary_do_not_change_its_keys(before):
    figures = {"P_macro": 0.6, "R_macro": 0.55, "F1_macro": 0.56}
    text = before + str({**figures, **{f"{key}_doc": value / 2 for key, value in figures.items()}})
    assert [report.macro["f1"] for report in read_reports(text)] == ["0.56", "0.28"]


def boxed(corners, bar, dash):
    width = [max(len(row[place]) for row in [["", *KINDS], *ROWS]) for place in range(5)]
    rules = [corner[0] + corner[1].join(dash * (n + 2) for n in width) + corner[2] for corner in corners]
    lines = [
        bar + bar.join(f" {cell:<{n}} " for cell, n in zip(row, width, strict=True)) + bar
        for row in [["", *KINDS], *ROWS]
    ]
    return "\n".join([rules[0], lines[0], *(line for row in lines[1:] for line in (rules[1], row)), rules[2]])


def rich_table():
    table = Table("", *KINDS, title="Results")
    for row in ROWS:
        table.add_row(*row)
    console = Console(file=io.StringIO(), width=120)
    console.print(table)
    return console.file.getvalue()


def polars_frame():
    with pl.Config(tbl_rows=-1, tbl_width_chars=200):
        return str(pl.DataFrame(ROWS, schema=["label", *KINDS], orient="row"))


def aligned(header, rows):
    return "\n".join("".join(f"{cell:>15}" for cell in row) for row in [header, *rows])


TABLES = {
    "grid": boxed(["+++"] * 3, "|", "-"),
    "box": boxed(["┌┬┐", "├┼┤", "└┴┘"], "│", "─"),
    "double box": boxed(["╔╦╗", "╠╬╣", "╚╩╝"], "║", "═"),
    "heavy box": boxed(["┏┳┓", "┣╋┫", "┗┻┛"], "┃", "━"),
    "rich": rich_table(),
    "Polars": polars_frame(),
    "two pipes": "\n".join("|| " + " || ".join(row) + " ||" for row in [["", *KINDS], *ROWS]),
    "index": aligned(["", "label", *KINDS], [[str(place), *row] for place, row in enumerate(ROWS)]),
    "index from 1": piped(["", "Class", *KINDS], *([str(place), *row] for place, row in enumerate(ROWS, 1))),
    "long table of LaTeX": "\\begin{longtable}{lllll}\n\\hline\n & " + " & ".join(KINDS) + " \\\\\n\\endhead\n"
    + " \\\\ ".join(" & ".join(row) for row in ROWS) + " \\\\\n\\end{longtable}",
    "CSV behind a log level": "12:00:01 INFO     " + "\n".join(",".join(row) for row in [["", *KINDS], *ROWS]),
    "LaTeX, indented": "\n".join("\t" + " & ".join(row) + r" \\" for row in [["", *KINDS], *ROWS]),
    "tabs, indented": "\n".join("\t" + "\t".join(row) for row in [["label", *KINDS], *ROWS]),
    "another order": aligned(["", *reversed(KINDS)], [[row[0], *reversed(row[1:])] for row in ROWS]),
    "column by column": aligned(
        ["", *NAMES], [[kind, *(row[1 + place] for row in ROWS)] for place, kind in enumerate(KINDS)]
    ),
    "records": str([dict(zip(("label", *KINDS), row, strict=True)) for row in ROWS]),
    "averages below": aligned(["", *KINDS], ROWS[:-1])
    + "".join(f"\nmacro-{kind} = {text}" for kind, text in zip(KINDS[:3], ROWS[-1][1:], strict=False)),
    "lines": "\n".join(f"{n}: precision={p}, recall={r}, f1={f}, support={s}" for n, p, r, f, s in ROWS),
    "blocks": "\n".join(
        f"{n}\n  Precision: {p}\n  Recall: {r}\n  F1-score: {f}\n  Support: {s}" for n, p, r, f, s in ROWS
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_other_programs(name):
    check(one(TABLES[name]), digits=4, accuracy=False)


LANGUAGES = {
    "German": (["Klasse", "Präzision", "Trefferquote", "F-Maß", "Anzahl"], "Makro-Mittel"),
    "French": (["Classe", "Précision", "Rappel", "F-mesure", "Support"], "Moyenne macro"),
    "Spanish": (["Clase", "Precisión", "Exhaustividad", "Puntuación F1", "Soporte"], "Promedio macro"),
    "Portuguese": (["Classe", "Precisão", "Revocação", "Medida F1", "Suporte"], "Média macro"),
    "Italian": (["Classe", "Precisione", "Richiamo", "F1", "Supporto"], "Media macro"),
    "Chinese": (["类别", "精确率", "召回率", "F1值", "样本数"], "宏平均"),
    "Japanese": (["クラス", "適合率", "再現率", "F値", "サポート"], "マクロ平均"),
    "Russian": (["Класс", "Точность", "Полнота", "F1-мера", "Поддержка"], "макро среднее"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_headings_in_other_languages(language):
    header, average = LANGUAGES[language]
    check(one(piped(header, *renamed(*LABELS, average))), digits=4, accuracy=False)


def test_arrays_that_numpy_wraps():
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 12, 400)
    pred = np.where(rng.random(400) < 0.7, gold, rng.integers(0, 12, 400))
    values = precision_recall_fscore_support(gold, pred)
    names = ("Precision", "Recall", "F1", "Support")
    text = "\n".join(f"{name}: {value}" for name, value in zip(names, values, strict=True))
    (report,) = macrof1.audit_text(f"{text}\nMacro F1: {values[2].mean()}").reports
    assert len(report.figures["classes"]) == 12
    assert report.result.verdict == "averaged_f1"
    assert report.result.counts == macrof1.ClassCounts.of(
        [f"class {number}" for number in range(1, 13)],
        tp=report.result.counts.tp,
        predicted=np.bincount(pred).tolist(),
        actual=np.bincount(gold).tolist(),
        n_rows=400,
    )


def test_the_scorer_of_semeval_2010():
    report = one(PRINTED_BY["semeval_2010"])
    assert report.macro == {"precision": "88.24%", "recall": "87.40%", "f1": "87.82%"}
    assert [row.label for row in report.classes] == ["Cause-Effect", "Component-Whole"]
    assert report.classes[1].figures.items() >= {"tp": "260", "predicted": "311", "support": "312"}.items()


def test_figures_by_label_as_spark_ml_prints_them():
    report = one(PRINTED_BY["spark_ml"])
    assert [row.label for row in report.classes] == ["0", "1"]
    assert report.classes[1].figures == {"precision": "0.9090909090909091", "recall": "0.5", "f1": "0.6451612903225806"}
    assert report.accuracy == "0.82"


def lined(*names):
    return "\n".join(f"{name}: precision: 0.5; recall: 0.5; F1: 0.5" for name in names)


OVERALL = "accuracy: 98.02%; precision: 90.75%; recall: 90.30%; FB1: 90.52\n" + lined(*LABELS)
STARS = ["1 star", "2 stars", "3 stars"]
CUT = piped(["", *KINDS], *renamed("0", "1", "2")).rpartition("|")[0].rpartition("|")[0]
NAMED = {
    "a level or a time": (aligned(["", *KINDS], renamed("ERROR", "INFO", "08:00")), ["ERROR", "INFO", "08:00"]),
    "something else": (lined("<number>", "N", "<title>", "media", "7"), ["<number>", "N", "<title>", "media", "7"]),
    "numbers that are no index": (aligned(["", *KINDS], renamed(*STARS, "macro avg")), STARS),
    "numbers between pipes": (piped(["Class", *KINDS], *renamed(*STARS, "macro avg")), STARS),
    "escapes of LaTeX": (
        "\n".join(" & ".join(row) + r" \\" for row in [["Class", *KINDS], *renamed(r"R\&D", r"a\_b", r"C\#")]),
        ["R&D", "a_b", "C#"],
    ),
    "italics": (piped(["", *KINDS], *renamed("*cat*", "_dog_", "very eel")), LABELS),
    "escaped bars": (piped(["", *KINDS], *renamed("cat", "dog", r"very\|eel")), ["cat", "dog", "very|eel"]),
    "bars": (aligned(["class", *KINDS], renamed("O||O|", "S|city|O|", "c", "macro avg")), ["O||O|", "S|city|O|", "c"]),
    "quotes of YAML": (
        "\n".join(f"'{n}':\n  f1-score: {r[3]}\n  precision: {r[1]}\n  recall: {r[2]}" for n, r in enumerate(ROWS)),
        ["0", "1", "2", "3"],
    ),
    "a table behind a logger": (prefixed("INFO:root:", text=piped(["label", *KINDS], *ROWS)), LABELS),
    "lines behind a logger": (prefixed("INFO:root:", text=lined("a", "b")), ["a", "b"]),
    "a row between pipes that breaks off": (CUT, ["0", "1"]),
    "accuracy twice": (f"{TEXT}Accuracy Score: 0.75\n", LABELS),
    **{f"all classes {before}": (before + OVERALL, LABELS) for before in ("", "Out[12]:\n", "BERT\n", "9 tokens\n")},
    **{
        name: (aligned(["", *KINDS], renamed(*LABELS, name)), LABELS)
        for name in ("Durchschnitt", "Moyenne", "Promedio", "Gesamt")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_names_of_classes_and_of_nothing_else(name):
    text, labels = NAMED[name]
    assert [row.label for row in one(text).classes] == labels


@pytest.mark.parametrize("form", ["text", "tabs", "pipes", "csv"])
@pytest.mark.parametrize("damage", ["O.81", "0..81", "0.81 (best"])
@pytest.mark.parametrize("place", range(4))
def test_a_row_with_an_unreadable_figure_is_not_left_out(form, damage, place):
    rows = [[*row] for row in ROWS]
    rows[place][2] = damage
    table = [["label", *KINDS], *rows]
    text = {
        "text": lambda: aligned(table[0], [[cell.replace(" (", "(") for cell in row] for row in table[1:]]),
        "tabs": lambda: "\n".join(map("\t".join, table)),
        "pipes": lambda: piped(*table),
        "csv": lambda: "\n".join(map(",".join, table)),
    }[form]()
    with pytest.raises(macrof1.InputError, match=f"line {place + 2} "):
        read_reports(text)


def test_a_row_with_one_figure_too_many_does_not_lend_it_to_its_name():
    rows = [[*ROWS[0], "7"], *ROWS[1:]]
    with pytest.raises(macrof1.InputError, match="cannot be read"):
        read_reports(aligned(["", *KINDS], rows))


@pytest.mark.parametrize("kind", ["precision", "recall"])
@pytest.mark.parametrize("damage", ["", "0..5", "0.5 0.6", "}"])
def test_a_dictionary_that_breaks_in_the_middle_is_not_half_read(damage, kind):
    text = str(REPORT).replace(f"'{kind}': {REPORT[LABELS[1]][kind]!r}", f"'{kind}': {damage}", 1)
    assert text != str(REPORT)
    with pytest.raises(macrof1.InputError, match="cannot be read to its end"):
        read_reports(text)


@pytest.mark.parametrize("before", ["Epoch {}: ", "fold {}\n", "", "accuracy: 0.8{}\n"])
def test_figures_that_come_again_are_another_report(before):
    line = "macro F1: 0.{0}1, macro precision: 0.{0}2, macro recall: 0.{0}3"
    text = "\n".join(before.format(number) + line.format(number) for number in (5, 6, 7))
    found = read_reports(text)
    assert [report.macro["f1"] for report in found] == ["0.51", "0.61", "0.71"]
    assert [report.macro["recall"] for report in found] == ["0.53", "0.63", "0.73"]
    assert [report.accuracy for report in found] == (["0.85", "0.86", "0.87"] if "accuracy" in before else [None] * 3)


@pytest.mark.parametrize("names", [("Macro", "Word"), ("micro", "nano"), ("Other", "average"), ("mean", "total")])
@pytest.mark.parametrize("form", ["text", "dictionary", "records", "by column", "pipes"])
def test_classes_that_are_called_like_an_average(names, form):
    gold, pred = [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 0, 1]
    report = classification_report(gold, pred, target_names=names, output_dict=True)
    frame = pd.DataFrame(report).T
    text = {
        "text": lambda: classification_report(gold, pred, target_names=names),
        "dictionary": lambda: str(report),
        "records": lambda: frame.reset_index(names="label").to_json(orient="records"),
        "by column": lambda: frame.T.to_string(),
        "pipes": lambda: piped(("", *frame), *(map(str, row) for row in frame.itertuples())),
    }[form]()
    found = one(text)
    assert [row.label for row in found.classes] == [*names]
    assert float(found.macro["f1"]) == pytest.approx(report["macro avg"]["f1-score"], abs=0.005)


def test_averages_above_a_table_that_repeats_them_belong_to_it():
    text = f"Results:\n- F-score (micro) 0.7\n- F-score (macro) {ROWS[-1][3]}\n\nBy class:\n{TEXT}"
    check(one(text), digits=4)
    other = text.replace(f"(macro) {ROWS[-1][3]}", "(macro) 0.1234")
    assert [report.macro["f1"] for report in read_reports(other)] == ["0.1234", ROWS[-1][3]]


def test_tables_with_a_matrix_each_do_not_take_those_of_the_next_run():
    found = read_reports("\n".join(PRINTED_BY["weka_two_classes"].format(start) for start in ("0.8", "0.7", "0.6")))
    assert [report.classes[0].figures["precision"] for report in found] == ["0.810", "0.710", "0.610"]


@pytest.mark.parametrize(
    "name", ["5-fold CV macro F1", "Mean macro F1 over 10 folds", "best macro F1", "Train macro F1"]
)
def test_figures_of_other_data_do_not_belong_to_the_table_above(name):
    table = aligned(["", *KINDS], ROWS[:-1])
    found = read_reports(f"{table}\n\n{name}: 0.9703 ± 0.0241\n")
    assert [report.macro for report in found] == [{}, {"f1": "0.9703"}]


@pytest.mark.parametrize(
    "value",
    ["array([ True, ..., False])", "{1, 2}", "<function f at 0x1>", "PosixPath('/x')", "datetime.date(2020, 1, 1)"],
)
@pytest.mark.parametrize("key", ["mask", "r"])
def test_a_dictionary_with_other_values_beside_the_report(key, value):
    check(one(f"{{'other': {value}, '{key}': {REPORT}}}"), digits=16)
    check(one(f"{{'{key}': {value}, {str(REPORT)[1:]}"), digits=16)


def test_dictionaries_of_the_standard_library():
    rows = {name: row for name, row in REPORT.items() if isinstance(row, dict)}
    check(
        one(repr(defaultdict(dict, {n: defaultdict(float, row) for n, row in rows.items()}))), digits=16, accuracy=False
    )
    pairs = ", ".join(f"({name!r}, OrderedDict({[*row.items()]}))" for name, row in rows.items())
    check(one(f"OrderedDict([{pairs}])"), digits=16, accuracy=False)


def test_a_dictionary_that_cannot_be_read_is_not_taken_for_key_value_lines():
    assert not read_reports("macro {'a': {'precision': 0.5, @ 'recall': 0.5, 'f1': 0.5}, 'b': {'f1': 0.7, @}}")


def test_a_row_of_averages_without_a_name_and_the_classes_below():
    text = aligned(["accuracy", "f1_weighted", "f1_macro"], [["0.75", "0.76", ROWS[-1][3]]])
    report = one(re.sub("accuracy +", "accuracy ", text) + "\n\n" + aligned(["class", *KINDS], ROWS[:-1]))
    assert (report.accuracy, report.macro) == ("0.75", {"f1": ROWS[-1][3]})
    assert [row.label for row in report.classes] == LABELS


@pytest.mark.parametrize("mark", ["|", "&"])
def test_classes_above_an_average_without_a_header_are_not_averages(mark):
    rows = "\n".join(f"{mark} ".join(row[:4]) + f" {mark}" for row in ROWS)
    assert not read_reports(rows)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_last_line_that_breaks_off_is_not_used_in_part(length):
    text = aligned(["", *KINDS], [*ROWS[:2], ROWS[2][: 1 + length]])[:-1]
    report = one(text)
    assert [row.label for row in report.classes] == LABELS[:2]
    assert report.remarks == ["the last line breaks off and was not used"] or length == 1


@pytest.mark.parametrize("figures", ["F1 Score: 0.88962108", "Precision: 0.93\nRecall: 0.96\nF1 Score: 0.9449"])
def test_figures_of_one_class_beside_a_report_are_not_macro_averages(figures):
    for text in (f"{figures}\n\n{TEXT}", f"{TEXT}\n\n{figures}\n"):
        check(one(text), digits=4)
    assert one(f"Macro-averaged results\n{figures}").macro["f1"] == figures.rpartition(" ")[2]


@pytest.mark.parametrize("fence", ["```\n", "~~~\n", ""])
def test_a_report_is_named_by_its_heading_not_by_its_fence(fence):
    assert one(f"### Results on dev:\n\n{fence}{TEXT}{fence}").name == "Results on dev"


@pytest.mark.parametrize("gap", ["\t ", "\t\t", "  "])
@pytest.mark.parametrize("place", range(1, 7))
def test_a_damaged_figure_among_counts_and_ratios_is_not_left_out(gap, place):
    rows = [
        ["cat", "32", "9", "11", "0.7804878", "0.74418604", "0.7619048"],
        ["dog", "9", "1", "1", "0.9", "0.9", "0.9"],
    ]
    rows[0][place] = "abc"
    with pytest.raises(macrof1.InputError, match="line 2 "):
        read_reports("\n".join(gap.join(row) for row in [["label", "tp", "fp", "fn", "prec", "rec", "f1"], *rows]))


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f"])
def test_thousands_behind_a_space_are_one_number(space):
    text = f"""              precision    recall  f1-score   support

           a       0.81      0.80      0.80     2{space}457
           b       0.70      0.72      0.71     1{space}003

   macro avg       0.75      0.76      0.76     3{space}460
"""
    (report,) = macrof1.audit_text(text).to_dict()["reports"]
    assert [(row["label"], row["support"]) for row in report["figures"]["classes"]] == [("a", "2457"), ("b", "1003")]
    assert report["findings"] == []
