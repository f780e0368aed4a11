"""Audits of texts: notes, rejected input, and what the figures prove."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import classification_report, precision_recall_fscore_support

import macrof1

from ..reports import is_sound, simulate_tool


def audited(text, **options):
    (report,) = macrof1.audit_text(text, **options).reports
    return report


def predictions(seed, n=4, rows=300):
    rng = np.random.default_rng(seed)
    gold = rng.choice(n, rows, p=np.arange(n, 0, -1) / (n * (n + 1) / 2))
    return gold, np.where(rng.random(rows) < 0.6, gold, rng.choice(n, rows))


def test_the_shape_of_the_json():
    gold, pred = predictions(1)
    content = macrof1.audit_text(classification_report(gold, pred, digits=3)).to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    (report,) = content["reports"]
    assert {"name", "read_as", "verdict", "definition", "reason", "findings", "figures"} <= set(report)
    assert report["read_as"] == "scikit-learn report, 4 classes, 3 decimals, support"
    assert set(report["figures"]) == {"macro_precision", "macro_recall", "macro_f1", "accuracy", "classes"}
    assert set(report["figures"]["classes"][0]) == {"label", "precision", "recall", "f1", "support", "tp", "fp", "fn"}
    assert report["figures"]["classes"][0]["tp"] is None


@pytest.mark.parametrize("seed", range(5))
def test_honest_reports_of_scikit_learn_are_averaged_f1_in_full(seed):
    # 16 digits of floating point: the gap is found, and no figure is blamed.
    gold, pred = predictions(seed)
    result = audited(str(classification_report(gold, pred, output_dict=True))).result
    assert (result.verdict, result.findings) == ("averaged_f1", ())


def test_a_harmonic_mean_in_floats_is_not_called_averaged_f1():
    figures = {"precision": "0.6162478590121864", "recall": "0.5260658066877941", "f1": "0.5675970388959994"}
    assert macrof1.audit(**figures).verdict == "either"


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_slack_of_floats_covers_any_order_of_summation(kind):
    rng = np.random.default_rng(3)
    for _ in range(150):
        n = int(rng.integers(2, 40))
        precision, recall = rng.random(n).astype(kind), rng.random(n).astype(kind)
        order = rng.permutation(n)
        p = sum(precision[order], kind(0)) / kind(n)
        r = np.float64(recall.sum()).astype(kind) / kind(n)
        percent = bool(rng.integers(2))
        shown = [p, r, kind(2) * p * r / (p + r)]
        figures = [str(kind(100) * value if percent else value) for value in shown]
        result = macrof1.audit(**dict(zip(("precision", "recall", "f1"), figures, strict=True)), percent=percent)
        assert result.verdict in ("either", "f1_of_averages")
        assert result.findings == ()


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_is_said_about_what_tools_print_is_false(seed):
    rng = np.random.default_rng(100 + seed)
    decided = 0
    for _ in range(60):
        arguments, truth, printer = simulate_tool(rng)
        result = macrof1.audit(**arguments)
        assert is_sound(result, truth, printer, arguments), (printer, truth, arguments, result)
        decided += result.verdict == truth
    assert decided > 15


def test_several_labels_per_row_are_no_contradiction():
    rng = np.random.default_rng(5)
    gold = rng.random((200, 3)) < 0.4
    pred = np.where(rng.random((200, 3)) < 0.8, gold, ~gold)
    result = audited(classification_report(gold.astype(int), pred.astype(int), digits=4, zero_division=0)).result
    assert (result.verdict, result.findings) == ("averaged_f1", ())
    # Notes do not contradict themselves.
    assert any("several labels" in note for note in result.notes)
    assert not any("one gold and one predicted label" in note for note in result.notes)


def test_weighted_averages_called_macro_are_named():
    gold, pred = predictions(2)
    text = classification_report(gold, pred, digits=4).splitlines()
    weighted = next(line for line in text if line.startswith("weighted avg"))
    text = [line for line in text if not line.strip().startswith(("macro avg", "weighted avg"))]
    result = audited("\n".join([*text, weighted.replace("weighted", "   macro")])).result
    assert (result.verdict, result.definition, result.findings) == ("neither", "weighted F1", ())
    assert "weighted by support, called macro" in result.reason


def test_micro_averages_called_macro_are_named():
    gold, pred = predictions(2)
    p, r, f, sizes = precision_recall_fscore_support(gold, pred)
    rows = [f"{x}  {p[x]:.4f}  {r[x]:.4f}  {f[x]:.4f}  {sizes[x]}" for x in range(4)]
    accuracy = f"{(gold == pred).mean():.4f}"
    text = ["class  precision  recall  f1  support", *rows, f"macro  {accuracy}  {accuracy}  {accuracy}  300"]
    result = audited("\n".join(text)).result
    assert (result.verdict, result.definition, result.findings) == ("neither", "micro F1", ())


GROBID = """label                accuracy     precision    recall       f1           support

abstract             93.84        75.25        76.98        76.11        960
authors              99.78        99.28        99.38        99.33        969
keywords             97.98        0            0            0            0
title                99.85        99.7         99.4         99.55        1000

all (micro avg.)     98.31        93.37        93.87        93.62        2929
all (macro avg.)     98.31        91.41        91.92        {f1}        2929
"""


def test_rows_without_support_may_be_left_out_of_the_means():
    averaged = audited(GROBID.format(f1="91.66")).result
    assert averaged.findings == ()
    assert averaged.definition == "macro F1 over the 3 classes with support"
    below = audited(GROBID.format(f1="90.00")).result
    assert below.verdict == "neither" or below.definition


def test_means_over_folds_are_told_by_f1_below_the_harmonic_mean():
    text = """Class          Precision              Recall                 F-score
positive   75.45% (+/- 25.25%)     8.95% (+/-  5.57%)    15.57% (+/-  8.72%)
neutral    96.28% (+/-  0.77%)    99.94% (+/-  0.06%)    98.07% (+/-  0.40%)
negative   25.31% (+/- 42.11%)     1.07% (+/-  2.10%)     2.03% (+/-  3.91%)
Macro-average  65.68% (+/- 15.57%) 36.65% (+/-  1.99%)   38.55% (+/-  3.23%)
"""
    result = audited(text).result
    # The mean of several F1s of averages may be as low as that of the classes.
    assert (result.verdict, result.definition, result.findings) == ("either", "macro F1 over folds or groups", ())
    assert result.fits_if == "the figures are means over folds, seeds or groups"


def test_lost_zeros_belong_to_the_column():
    rows = ["a  1.0  0.8333333333333334  0.9090909090909091", "b  0.75  1.0  0.8571428571428571"]
    text = "\n".join(["class precision recall f1", *rows, "macro avg  0.875  0.9166666666666667  0.8831168831168831"])
    result = audited(text).result
    assert (result.verdict, result.findings) == ("averaged_f1", ())


def test_counts_decide_exactly():
    report = audited("label\t tp\t fp\t fn\na\t 8\t 2\t 4\nb\t 8\t 5\t 2\nMacro-F1: 0.7115")
    assert report.result.verdict == "averaged_f1"
    assert list(report.result.counts.predicted) == [10, 13]
    assert report.figures["classes"][0]["fn"] == "4"
    wrong = macrof1.audit(
        f1="0.7115", per_class={"a": {"tp": 8, "fp": 2, "fn": 4, "f1": "0.70"}, "b": {"tp": 8, "fp": 5, "fn": 2}}
    )
    assert "a F1 0.70 should be 0.73" in wrong.findings[0].message


def test_a_verdict_that_truncation_would_change_says_so():
    # averaged F1 is 0.81694, F1 of averages 0.81696: both are 0.8169 if cut off
    text = "tn, fp, fn, tp: 1138 131 125 355\nmacro F1: 0.8169"
    result = audited(text).result
    assert result.verdict == "averaged_f1"
    assert any(getattr(note, "code", "") == "truncated" for note in result.notes)
    assert audited(text, rounding="unknown").result.verdict == "either"


def texts_that_are_no_reports():
    """Prose, source code, logs and random tables: those of this machine's libraries, and made ones."""
    rng = np.random.default_rng(300)
    library = Path(sysconfig.get_paths()["stdlib"])
    # Python's own library is the same wherever it is installed, and large enough by itself.
    paths = [*library.glob("*.py"), *(library / "json").glob("*.py"), *(library / "email").glob("*.py")]
    paths += [*(library / "asyncio").glob("*.py"), *(library / "multiprocessing").glob("*.py")]
    paths += Path(sysconfig.get_paths()["purelib"]).glob("*.dist-info/METADATA")
    found = [path.read_text(errors="replace") for path in sorted(paths) if 500 < path.stat().st_size < 25_000]
    # Some descriptions of packages do show a report.
    found = [text for text in found if "f1-score" not in text and "macro F1" not in text]
    yield from (found[place] for place in rng.choice(len(found), 180, replace=False))
    words = [
        "the",
        "model",
        "precision",
        "recall",
        "of",
        "a",
        "macro",
        "table",
        "f1",
        "score",
        "is",
        "better",
        "than",
        "we",
    ]
    for _ in range(40):
        yield " ".join(rng.choice(words, 80)) + "."
    for _ in range(60):
        header = "  ".join(rng.choice(["id", "price", "height", "name", "date", "n", "temp"], 4, replace=False))
        yield "\n".join([header, *("  ".join(f"{v:.2f}" for v in row) for row in rng.random((6, 4)))])
    for step in range(60):
        yield "\n".join(
            f"2026-11-15 10:00:{s:02d} INFO step {step + s} loss={rng.random():.4f} lr=0.001" for s in range(20)
        )


@pytest.mark.parametrize(
    "text",
    [
        '{"items": {"a": 1, "b": 2}, "count": {"a": 3, "b": 4}}',
        "curve = {'precision': [1.0, 0.5, 0.0], 'recall': [0.0, 0.5, 1.0]}",
    ],
)
def test_dictionaries_that_are_no_reports_are_refused(text):
    with pytest.raises(macrof1.InputError, match="no report was found"):
        macrof1.audit_text(text)


def test_texts_that_are_no_reports_are_refused_in_one_line():
    refused = 0
    for text in texts_that_are_no_reports():
        with pytest.raises(macrof1.InputError) as error:
            macrof1.audit_text(text)
        assert "\n" not in str(error.value)
        refused += 1
    assert refused >= 300
