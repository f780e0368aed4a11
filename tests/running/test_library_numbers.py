"""Numbers as real libraries and wrong formulas print them: the definition behind each is always among the matches."""

import csv
import json
import math
import random
import re
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal

import pytest
from pycm import ConfusionMatrix
from seqeval.metrics import f1_score as seqeval_f1
from sklearn import metrics

import macrof1
from macrof1.cli import main

from ..catalogue.cases import label_rows, spans, tag_rows
from ..conftest import ROOT

DIGITS = (2, 3, 4, 6, 16)


def as_printed(value):
    """Yield the number in every usual form: rounded, truncated, in percent."""
    yield repr(value)
    for digits in DIGITS:
        yield f"{value:.{digits}f}"
        exact = Decimal(value)
        yield str(exact.quantize(Decimal(10) ** -digits, ROUND_DOWN))
        percent = (100 * exact).quantize(Decimal(10) ** -max(0, digits - 2), ROUND_HALF_EVEN)
        yield f"{percent}%"
        if percent > 1:
            yield str(percent)


def check(value, definition, find, *, readings=None):
    for number in as_printed(value) if readings is None else readings:
        result = find(number)
        matches = {match.definition: match for match in result.matches}
        assert definition in matches, (number, value, definition, sorted(matches), result.nearest[:2])
        assert_true(result)


def assert_true(result):
    """What the sentence says is so: its count of values, and the definition and number that it names."""
    groups = result.groups
    assert groups
    words = result.summary
    assert f"{result.tried:,} definitions tried" in words
    if len(groups) == 1:
        assert words.startswith(f"{result.value} is {groups[0][1][0].words}")
        assert ("cannot be told from" in words) == (len(groups[0][1]) > 1)
    else:
        assert words.startswith(f"{len(groups)} values print {result.value}: ")
        assert all(members[0].words in words for _, members in groups[:3])


def defined(value):
    return not math.isnan(value)


def of_rows(gold, pred):
    """Return what scikit-learn and PyCM print, by the name of the definition."""
    options = {"zero_division": 0}
    found = {
        "averaged_f1": metrics.f1_score(gold, pred, average="macro", **options),
        "weighted_f1": metrics.f1_score(gold, pred, average="weighted", **options),
        "micro_f1": metrics.f1_score(gold, pred, average="micro", **options),
        "macro_precision": metrics.precision_score(gold, pred, average="macro", **options),
        "macro_recall": metrics.recall_score(gold, pred, average="macro", **options),
        "weighted_precision": metrics.precision_score(gold, pred, average="weighted", **options),
        "accuracy": metrics.accuracy_score(gold, pred),
        "cohen_kappa": metrics.cohen_kappa_score(gold, pred),
        "mcc": metrics.matthews_corrcoef(gold, pred),
    }
    if set(pred) <= set(gold):  # else it warns, and averages over other classes
        found["balanced_accuracy"] = metrics.balanced_accuracy_score(gold, pred)
    if len({*gold, *pred}) > 1:
        found["averaged_f1 "] = ConfusionMatrix(gold, pred).overall_stat["F1 Macro"]
    return {name: float(value) for name, value in found.items() if defined(value)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(40))
def test_scikit_learn_and_pycm(seed):
    gold, pred = label_rows(seed)
    counts = macrof1.score(gold, pred)
    for name, value in of_rows(gold, pred).items():
        check(value, name.strip(), lambda number: macrof1.identify(counts, number))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(25))
def test_scikit_learn_with_labels_and_other_values_of_undefined_ratios(seed):
    gold, pred = label_rows(seed)
    rng = random.Random(seed)  # noqa: S311
    # Without a label that occurs there is no score to print.
    labels = [gold[0], *rng.sample([label for label in range(7) if label != gold[0]], rng.randint(0, 6))]
    policies = ((0, "averaged_f1"), (1, "averaged_f1(undefined=1)"), (math.nan, "averaged_f1(undefined=drop)"))
    for zero_division, definition in policies:
        value = metrics.f1_score(gold, pred, labels=labels, average="macro", zero_division=zero_division)
        undefined = {*labels} - ({*gold} & {*pred})
        name = definition if undefined else "averaged_f1"
        check(float(value), name, lambda number: macrof1.identify(gold, pred, number, labels=labels))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(25))
def test_one_class_left_out_and_two_classes(seed):
    gold, pred = label_rows(seed)
    seen = sorted({*gold, *pred})
    if len(seen) > 1:
        rest = seen[1:]
        value = float(metrics.f1_score(gold, pred, labels=rest, average="macro", zero_division=0))
        check(value, f"averaged_f1(exclude={seen[0]})", lambda number: macrof1.identify(gold, pred, number))
    gold, pred = label_rows(seed, 2)
    if len({*gold, *pred}) == 2:
        value = float(metrics.f1_score(gold, pred, pos_label=1, zero_division=0))
        check(value, "f1 of class 1 alone", lambda number: macrof1.identify(gold, pred, number))


@pytest.mark.parametrize("seed", [seed for seed in range(25) if any(map(spans, tag_rows(seed)[0]))])
def test_seqeval(seed):
    gold, pred = tag_rows(seed)
    counts = macrof1.count_spans(gold, pred)
    for average, name in (("micro", "micro_f1"), ("macro", "averaged_f1"), ("weighted", "weighted_f1")):
        value = float(seqeval_f1(gold, pred, average=average, zero_division=0))
        check(value, name, lambda number: macrof1.identify(counts, number))


@pytest.mark.parametrize("seed", [seed for seed in range(40) if len({*label_rows(seed)[0]}) > 1])
def test_torchmetrics_with_ignore_index(seed):
    torch = pytest.importorskip("torch", reason="torch is a large part, not installed here")
    functional = pytest.importorskip("torchmetrics.functional.classification", reason="torchmetrics is a large part")
    f1 = functional.multiclass_f1_score
    gold, pred = label_rows(seed)
    ignored = gold[0]
    for average, kind in (("macro", "averaged_f1"), ("weighted", "weighted_f1"), ("micro", "micro_f1")):
        value = f1(torch.tensor(pred), torch.tensor(gold), num_classes=6, average=average, ignore_index=ignored)
        readings = [f"{float(value):.{digits}f}" for digits in (2, 3, 4, 6)]  # it computes in single precision
        name = f"{kind}(without_rows={ignored})"
        check(float(value), name, lambda number: macrof1.identify(gold, pred, number), readings=readings)


PAGE = (ROOT / "docs" / "eleven-ways.md").read_text(encoding="utf-8")
DATA = ROOT / "examples" / "eleven_ways" / "predictions.csv"
ROWS = re.findall(r"^\| (\d+) \| (.*?) \| (0\.\d{4}) \| .*? \| (.*?) \|$", PAGE, re.MULTILINE)


def test_the_page_has_eleven_ways_and_forty_rows():
    assert [int(number) for number, *_ in ROWS] == list(range(1, 12))
    rows = list(csv.DictReader(DATA.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 40
    right = macrof1.score([row["gold"] for row in rows], [row["pred"] for row in rows]).averaged_f1
    assert f"**{right:.4f}**" in PAGE
    printed = [number for *_, number, _ in ROWS]
    assert len({*printed, f"{right:.4f}"}) == 12


@pytest.mark.parametrize(("number", "way", "printed", "words"), ROWS)
def test_every_wrong_number_is_recognised(number, way, printed, words, capsys):
    by = ["--by", "document"] if "document" in way else []
    assert main(["identify", str(DATA), printed, *by, "-f", "json"]) == 0
    first = json.loads(capsys.readouterr().out)["matches"][0]
    assert first["words"].startswith(words), (number, first)
    assert first["reading"] == "rounded"
    # With two decimals it is still among the ten that are shown.
    assert main(["identify", str(DATA), f"{first['value']:.2f}", *by, "-f", "json"]) == 0
    assert first["definition"] in [match["definition"] for match in json.loads(capsys.readouterr().out)["matches"][:10]]
