"""The conventions of real systems, against those systems themselves: installed here, or their recorded output."""

from __future__ import annotations

import importlib.util
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import f1_score

import macrof1
from macrof1.catalogue.reader import find_convention
from macrof1.counting.multilabel import count_multilabel
from macrof1.scoring.system_scores import MEASURE_NAMES, score_conventions

from .cases import DECLARED
from .systems import SYSTEMS, answers, differences, entry_value

# The entries that the installed library must agree with, and what it is called.
INSTALLED = {
    "scikit-learn": "sklearn", "scikit-learn-1": "sklearn", "scikit-learn-nan": "sklearn",
    "torchmetrics": "torchmetrics", "torchmetrics-multilabel": "torchmetrics", "torchmetrics-default": "torchmetrics",
    "torcheval": "torcheval", "torcheval-default": "torcheval", "pycm": "pycm", "river": "river", "ignite": "ignite",
    "ignite-composed": "ignite", "keras": "keras", "seqeval": "seqeval",
    "lm-eval": "lm_eval", "lm-eval-macro": "lm_eval", "lm-eval-weighted": "lm_eval", "lm-eval-cb": "lm_eval",
    "inspect": "inspect_ai",
}  # fmt: skip


@pytest.mark.parametrize("name", INSTALLED)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_installed_library_prints_what_its_entry_says_on_500_cases(name, monkeypatch, tmp_path):
    # Keras reads its settings once, and keeps a file of them at home.
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    if importlib.util.find_spec(INSTALLED[name]) is None:
        pytest.skip(f"{INSTALLED[name]} is not installed: pip install 'macrof1-score[parts,test]'")
    assert find_convention(name).evidence == "run"
    assert differences(name, range(500), answers(name, range(500))) == {}


def test_other_versions_printed_what_their_entries_say(root):
    """scripts/record_versions.py ran them on 500 cases each, and kept the first ones."""
    record = json.loads((root / "tests/golden/versions.json").read_text(encoding="utf-8"))
    for entry, versions in record.items():
        for version, printed in versions.items():
            kept = range(len(printed) // len(SYSTEMS[entry].declared))
            assert differences(entry, kept, printed, kept=5.1e-10) == {}, version
    names = {entry.partition(" ")[0] for entry in record}
    # Those over other units have tests beside the counts of units.
    recorded = {known.name for known in macrof1.conventions() if known.evidence == "recorded" and not known.over}
    assert recorded <= names | {"weka", "paper", "paper-f1-of-averages", *PEERS}


def ours(name, gold, pred, labels=range(DECLARED)):
    return entry_value(name, gold, pred, None if labels is None else len(labels))


@pytest.fixture(scope="module")
def recorded(root):
    """What systems printed that are no Python packages: scripts/record_peers.py."""
    return json.loads((root / "tests/golden/peers.json").read_text(encoding="utf-8"))


def cases_of(record):
    for gold, pred, printed in record["cases"]:
        yield *(np.array(list(side), dtype=int) for side in (gold, pred)), printed


def named(gold, pred):
    """The last class of SemEval-2010 Task 8 is Other."""
    return ([["r0", "r1", "r2", "r3", "r4", "Other"][label] for label in side] for side in (gold, pred))


# What was recorded of systems that are no Python packages, beside Weka.
PEERS = [
    "germeval-2018", "semeval-2010-8", "semeval-2018-7", "spark-mllib", "yardstick", "caret", "smile-before-6.2.5",
    "smile", "linfa", "spark-nlp",
]  # fmt: skip


@pytest.mark.parametrize("name", PEERS)
def test_scorers_that_are_no_packages_printed_what_we_compute(recorded, name):
    record = recorded[name]
    scale, off = {"percent": (100, 0.005 + 1e-9), "1": (1, 1e-12), "float32": (1, 1e-6)}[record["unit"]]
    for gold, pred, printed in cases_of(record):
        if name == "semeval-2010-8":
            value = entry_value(name, *named(gold, pred), None)
        else:
            # Smile numbers its classes up to the largest label.
            largest = max(*gold, *pred) + 1 if name.startswith("smile") else record["n_classes"]
            value = ours(name, gold, pred, labels=range(largest))
        if value is None:  # too few classes
            continue
        assert scale * value == pytest.approx(float(printed), abs=off, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "line"), [("paper-f1-of-averages", "macroF1 benevolent"), ("paper", "macroF1 non-benevolent")]
)
def test_the_program_of_the_paper_printed_what_we_compute(root, name, line):
    record = json.loads((root / "tests/golden/paper_program.json").read_text(encoding="utf-8"))
    for vector in record["vectors"]:
        n, *cells = map(int, vector["argv"])
        matrix = [cells[at : at + n] for at in range(0, n * n, n)]
        counts = macrof1.score_matrix(matrix, rows="predicted").counts
        (value,) = [score.value for score in score_conventions(counts).scores if score.known.name == name]
        printed = next(float(each.strip("()").split(",")[1]) for each in vector["stdout"] if f'"{line}"' in each)
        if math.isnan(printed):  # the paper defines an undefined ratio as 0, its program does not
            assert not (all(counts.predicted) and all(counts.actual) and all(counts.tp))
            printed = float(Fraction(*map(int, vector["exact"][find_convention(name).formula])))
        assert value == pytest.approx(printed, rel=1e-12)


def test_weka_computed_what_we_compute_or_nan_where_a_gold_class_is_never_predicted(recorded):
    numbers = 0
    for gold, pred, printed in cases_of(recorded["weka"]):
        unpredicted = not {*gold} <= {*pred}
        assert math.isnan(float(printed)) == unpredicted
        if not unpredicted:
            assert ours("weka", gold, pred) == pytest.approx(float(printed), abs=1e-12)
            numbers += 1
        notes = score_conventions(macrof1.count(gold, pred, labels=range(DECLARED))).notes
        assert any("weka (Weka 3.9.3 and later)" in note for note in notes) == unpredicted
    assert numbers > 10


def test_every_row_has_a_source_and_says_how_it_is_known():
    known = macrof1.conventions()
    assert len({row.name for row in known}) == len(known)
    for row in known:
        assert row.source.startswith("https://")
        assert row.evidence in {"run", "recorded", "read"}
        assert row.tasks
        assert row.formula in MEASURE_NAMES
        alone = row.name == "weka" or "scorer" in row.system or row.name.startswith("paper")
        assert row.evidence == "read" or row.versions or alone
    assert {row.name for row in known if row.evidence == "run" and not row.over} == set(INSTALLED)


def test_several_labels_per_row_have_their_own_conventions():
    gold, pred = [{"a"}, {"b"}], [{"a"}, set()]
    with pytest.raises(macrof1.InputError, match="multiclass"):
        macrof1.score(gold, pred, convention="torchmetrics")
    names = {score.known.name for score in score_conventions(count_multilabel(gold, pred)).scores}
    assert "torchmetrics-multilabel" in names
    assert "weka" not in names


@pytest.mark.parametrize(
    ("name", "gold", "pred", "printed"),
    [
        # https://github.com/Arize-ai/phoenix/pull/13740
        ("phoenix-evals-before-3.1.1", "cat dog cat bird", "cat cat cat bird", 0.606061),
        # https://github.com/rust-ml/linfa/pull/448, https://github.com/haifengl/smile/pull/874
        ("linfa", "0 0 1 1 2 2", "0 1 1 1 2 2", 0.860215),
        ("smile-before-6.2.5", "0 0 1 1 2 2", "0 1 1 1 2 2", 0.860215),
    ],
)
def test_figures_that_were_reported_of_systems(name, gold, pred, printed):
    known = find_convention(name)
    result = macrof1.score(gold.split(), pred.split(), labels=sorted({*gold.split()}), convention=name)
    assert getattr(result, known.formula) == pytest.approx(printed, abs=5e-7)
    assert known.versions


def test_what_is_no_macro_f1_is_told_apart():
    # The example of Spark's documentation of MulticlassMetrics, predictions and labels.
    pairs = [(0, 0), (0, 1), (0, 0), (1, 0), (1, 1), (1, 1), (1, 1), (2, 2), (2, 0)]
    pred, gold = zip(*pairs, strict=True)
    by_name = {score.known.name: score for score in macrof1.score(gold, pred).conventions().scores}
    assert by_name["spark-mllib"].value == pytest.approx(f1_score(gold, pred, average="weighted"), abs=1e-12)
    assert "weighted F1" in by_name["spark-mllib"].reason
    with pytest.raises(macrof1.InputError, match="not a macro F1"):
        macrof1.score(gold, pred, convention="spark-mllib")
