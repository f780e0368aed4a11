"""The conventions of real systems, against those systems themselves where they can be installed."""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score

import macrof1
from macrof1.catalogue.reader import find_convention
from macrof1.convention import FORMULAS
from macrof1.counting.arrays import confusion
from macrof1.counting.multilabel import count_multilabel
from macrof1.scoring.systems import score_conventions

GOLD, PRED = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 3, 0]
SEEDS = range(25)
DECLARED = 6
# torcheval and Ignite use parts of torch that are going away, and torch says so.
LOUD = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def random_case(seed):
    """Labels below 6 of which some are absent, some only gold, some only predicted."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 60))
    gold = rng.choice(rng.choice(DECLARED, int(rng.integers(1, 5)), replace=False), size)
    pred = np.where(rng.random(size) < 0.5, gold, rng.choice(rng.choice(DECLARED, 3, replace=False), size))
    return gold, pred


def ours(name, gold, pred, labels=range(DECLARED)):
    result = macrof1.score(gold, pred, labels=labels, convention=name)
    return getattr(result, find_convention(name).convention.formula)


def part(name):
    """A large part, or a skip that says how to install it."""
    return pytest.importorskip(name, reason=f"{name} is not installed: pip install 'macrof1-score[parts]'")


def torch():
    return part("torch")


def scikit_learn(gold, pred, **options):
    return f1_score(gold, pred, average="macro", **options)


def torchmetrics(gold, pred, n):
    multiclass_f1_score = part("torchmetrics.functional.classification").multiclass_f1_score
    tensor = torch().tensor
    return multiclass_f1_score(tensor(pred), tensor(gold), num_classes=n, average="macro").item()


def torcheval(gold, pred, n):
    multiclass_f1_score = part("torcheval.metrics.functional").multiclass_f1_score
    tensor = torch().tensor
    return multiclass_f1_score(tensor(pred), tensor(gold), num_classes=n, average="macro").item()


def ignite(gold, pred, n, *, composed=False):
    Engine, metrics = part("ignite.engine").Engine, part("ignite.metrics")
    one_hot = torch().nn.functional.one_hot(torch().tensor(pred), n).double()
    engine = Engine(lambda _, batch: batch)
    if composed:
        precision, recall = metrics.Precision(average=False), metrics.Recall(average=False)
        metric = precision.mean() * recall.mean() * 2 / (precision.mean() + recall.mean() + 1e-20)
    else:
        metric = metrics.Fbeta(beta=1)
    metric.attach(engine, "f1")
    state = engine.run([(one_hot, torch().tensor(gold))])
    return float(state.metrics["f1"])


@pytest.fixture
def keras(monkeypatch, tmp_path):
    """Keras by its torch backend; it reads its settings once, and keeps a file of them at home."""
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    part("torch")
    F1Score = part("keras.metrics").F1Score

    def score(gold, pred, n):
        metric = F1Score(average="macro")
        metric.update_state(np.eye(n)[gold], np.eye(n)[pred])
        return float(metric.result())

    return score


def pycm(gold, pred):
    from pycm import ConfusionMatrix

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of labels that only one side has
        return ConfusionMatrix(actual_vector=list(gold), predict_vector=list(pred)).overall_stat["F1 Macro"]


def river(gold, pred):
    from river.metrics import MacroF1

    metric = MacroF1()
    for one, other in zip(gold, pred, strict=True):
        metric.update(int(one), int(other))
    return metric.get()


@pytest.mark.parametrize("seed", SEEDS)
def test_scikit_learn(seed):
    gold, pred = random_case(seed)
    labels = list(range(DECLARED))
    for name, zero_division in (("scikit-learn", 0), ("scikit-learn-1", 1), ("scikit-learn-nan", np.nan)):
        theirs = scikit_learn(gold, pred, labels=labels, zero_division=zero_division)
        assert ours(name, gold, pred) == pytest.approx(theirs, abs=1e-12)
        theirs = scikit_learn(gold, pred, zero_division=zero_division)
        assert ours(name, gold, pred, labels=None) == pytest.approx(theirs, abs=1e-12)


@LOUD
@pytest.mark.parametrize("seed", SEEDS)
def test_torchmetrics_and_torcheval(seed):
    gold, pred = random_case(seed)
    assert ours("torchmetrics", gold, pred) == pytest.approx(torchmetrics(gold, pred, DECLARED), abs=1e-6)
    assert ours("torcheval", gold, pred) == pytest.approx(torcheval(gold, pred, DECLARED), abs=1e-6)


@LOUD
@pytest.mark.parametrize("seed", SEEDS)
def test_torchmetrics_with_several_labels_per_row(seed):
    multilabel_f1_score = part("torchmetrics.functional.classification").multilabel_f1_score
    rng = np.random.default_rng(seed)
    gold, pred = (rng.random((20, 5)) < rng.random(5) * 0.4 for _ in range(2))
    gold[:, 4] = pred[:, 4] = False
    tensors = (torch().tensor(side.astype(int)) for side in (pred, gold))
    theirs = multilabel_f1_score(*tensors, num_labels=5, average="macro").item()
    assert ours("torchmetrics-multilabel", gold, pred, labels=range(5)) == pytest.approx(theirs, abs=1e-6)


@LOUD
@pytest.mark.parametrize("seed", SEEDS)
def test_ignite(seed):
    gold, pred = random_case(seed)
    assert ours("ignite", gold, pred) == pytest.approx(ignite(gold, pred, DECLARED), abs=1e-9)
    composed = ignite(gold, pred, DECLARED, composed=True)
    assert ours("ignite-composed", gold, pred) == pytest.approx(composed, abs=1e-9)


def test_keras(keras):
    for seed in SEEDS:
        gold, pred = random_case(seed)
        # Single precision, and an epsilon of 1e-7 below every ratio.
        assert ours("keras", gold, pred) == pytest.approx(keras(gold, pred, DECLARED), abs=2e-6)
    assert keras(GOLD, PRED, 5) == pytest.approx(0.2333, abs=5e-5)


@pytest.fixture(scope="module")
def recorded(root):
    """What systems printed that are no Python packages: scripts/record_peers.py."""
    return json.loads((root / "tests/golden/peers.json").read_text(encoding="utf-8"))


def cases_of(record):
    for gold, pred, printed in record["cases"]:
        yield *(np.array(list(side), dtype=int) for side in (gold, pred)), printed


@pytest.mark.parametrize("name", ["germeval-2018", "semeval-2018-7"])
def test_the_scorers_of_shared_tasks_printed_what_we_compute(recorded, name):
    record = recorded[name]
    for gold, pred, printed in cases_of(record):
        value = 100 * ours(name, gold, pred, labels=range(record["n_classes"]))
        assert value == pytest.approx(float(printed), abs=0.005 + 1e-9)


def test_weka_computed_what_we_compute_or_nan_where_a_gold_class_is_never_predicted(recorded):
    numbers = 0
    for gold, pred, printed in cases_of(recorded["weka"]):
        unpredicted = not {*gold} <= {*pred}
        assert math.isnan(float(printed)) == unpredicted
        if not unpredicted:
            assert ours("weka", gold, pred) == pytest.approx(float(printed), abs=1e-12)
            numbers += 1
        notes = score_conventions(macrof1.count(gold, pred, labels=range(DECLARED))).notes
        assert any("Weka 3.9.3 and later print NaN" in note for note in notes) == unpredicted
    assert numbers > 10


@pytest.mark.parametrize("name", ["weka", "germeval-2018", "semeval-2018-7"])
def test_recorded_cases_tell_the_conventions_apart(recorded, name):
    """On these cases every other formula, class set or policy gives another number somewhere."""
    record = recorded[name]
    n = record["n_classes"]
    own = find_convention(name).convention
    others = [replace(own, classes=classes) for classes in ("gold", "listed", "seen") if classes != own.classes]
    others.append(replace(own, formula=next(formula for formula in FORMULAS if formula != own.formula)))
    if own.formula == "f1_of_averages":  # F1 itself is defined for every class that is in gold
        others.append(replace(own, undefined=1))
    for other in others:
        scale = 100 if record["unit"] == "percent" else 1
        differences = []
        for gold, pred, printed in cases_of(record):
            result = macrof1.score(gold, pred, labels=range(n), convention=other)
            differences.append(abs(scale * getattr(result, other.formula) - float(printed)))
        assert max(d for d in differences if not math.isnan(d)) > 0.01, other


@pytest.mark.parametrize("seed", SEEDS)
def test_pycm_and_river(seed):
    gold, pred = random_case(seed)
    if len({*gold, *pred}) > 1:  # PyCM refuses a single class
        assert ours("pycm", gold, pred, labels=None) == pytest.approx(pycm(gold, pred), abs=1e-12)
    assert ours("river", gold, pred, labels=None) == pytest.approx(river(gold, pred), abs=1e-12)
    assert ours("river", gold, pred) == pytest.approx(river(gold, pred), abs=1e-12)


def test_one_file_five_numbers_by_our_conventions():
    seen = {
        name: round(ours(name, GOLD, PRED, labels=labels), 4)
        for name, labels in [
            ("scikit-learn", None),
            ("torchmetrics", range(5)),
            ("torcheval", range(5)),
            ("river", None),
            ("pycm", None),
            ("weka", None),
            ("ignite", range(5)),
            ("scikit-learn-1", range(5)),
            ("yardstick", None),
        ]
    }
    assert seen == {
        "scikit-learn": 0.2917,
        "torchmetrics": 0.2917,
        "torcheval": 0.2917,
        "river": 0.2917,
        "pycm": 0.2917,
        "weka": 0.3889,
        "ignite": 0.2333,
        "scikit-learn-1": 0.4333,
        "yardstick": 0.5833,
    }
    assert round(ours("scikit-learn", GOLD, PRED, labels=[0, 1, 2]), 4) == 0.3889


def test_one_file_five_numbers_by_the_libraries():
    assert scikit_learn(GOLD, PRED) == pytest.approx(0.2917, abs=5e-5)
    assert scikit_learn(GOLD, PRED, labels=[0, 1, 2]) == pytest.approx(0.3889, abs=5e-5)
    assert scikit_learn(GOLD, PRED, labels=range(5), zero_division=1) == pytest.approx(0.4333, abs=5e-5)
    assert pycm(GOLD, PRED) == pytest.approx(0.2917, abs=5e-5)
    assert river(GOLD, PRED) == pytest.approx(0.2917, abs=5e-5)


@LOUD
def test_one_file_five_numbers_by_the_torch_libraries():
    assert torchmetrics(GOLD, PRED, 5) == pytest.approx(0.2917, abs=5e-5)
    assert torcheval(GOLD, PRED, 5) == pytest.approx(0.2917, abs=5e-5)
    assert ignite(GOLD, PRED, 5) == pytest.approx(0.2333, abs=5e-5)


def test_every_row_has_a_source_and_says_how_it_is_known():
    known = macrof1.conventions()
    assert len({row.name for row in known}) == len(known)
    for row in known:
        assert row.source.startswith("https://")
        assert row.evidence in {"run", "recorded", "read"}
        assert row.tasks
        assert row.to_dict()["formula"] in {"averaged_f1", "f1_of_averages", "weighted_f1"}
    compared = {row.name for row in known if row.evidence == "run"}
    assert compared == {
        *("scikit-learn", "scikit-learn-1", "scikit-learn-nan", "torchmetrics", "torchmetrics-multilabel"),
        *("torcheval", "pycm", "river", "ignite", "ignite-composed", "keras", "seqeval"),
    }
    assert {row.name for row in known if row.evidence == "recorded"} == {"weka", "germeval-2018", "semeval-2018-7"}


def test_a_convention_names_class_set_and_policy():
    result = macrof1.score(GOLD, PRED, convention="weka")
    assert (result.classes, result.undefined, result.n_classes) == ("gold", 0, 3)
    same = macrof1.score_matrix(confusion(GOLD, PRED).to_matrix(rows="gold"), rows="gold", convention="weka")
    assert same.averaged_f1 == result.averaged_f1
    own = macrof1.Convention(formula="averaged_f1", classes="gold", beta=2)
    assert (
        macrof1.score(GOLD, PRED, convention=own).averaged_f1
        == macrof1.score(GOLD, PRED, classes="gold", beta=2).averaged_f1
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"convention": "wekka"}, "did you mean 'weka'"),
        ({"convention": "weka", "classes": "gold"}, "one or the other"),
        ({"convention": "weka", "undefined": 1}, "one or the other"),
        ({"convention": macrof1.Convention(formula="averaged_f1"), "beta": 2}, "beta="),
        ({"convention": "torchmetrics-multilabel"}, "multilabel"),
        ({"convention": "ignite"}, "labels="),
        ({"undefined": "keep"}, "drop_with_parts"),
    ],
)
def test_bad_conventions_get_one_line(options, message):
    with pytest.raises(macrof1.InputError, match=message):
        _ = macrof1.score(GOLD, PRED, **options).averaged_f1


def test_several_labels_per_row_have_their_own_conventions():
    gold, pred = [{"a"}, {"b"}], [{"a"}, set()]
    with pytest.raises(macrof1.InputError, match="multiclass"):
        macrof1.score(gold, pred, convention="torchmetrics")
    names = {score.known.name for score in score_conventions(count_multilabel(gold, pred)).scores}
    assert "torchmetrics-multilabel" in names
    assert "weka" not in names


def tags(rng, n):
    return [
        f"{rng.choice(['B', 'I'])}-{rng.choice(['PER', 'LOC', 'ORG'])}" if rng.random() < 0.4 else "O" for _ in range(n)
    ]


def test_seqeval():
    seqeval = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed: pip install seqeval")
    for seed in range(500):
        rng = np.random.default_rng(seed)
        gold = [tags(rng, int(rng.integers(1, 12))) for _ in range(int(rng.integers(1, 6)))]
        pred = [[tag if rng.random() < 0.7 else tags(rng, 1)[0] for tag in sentence] for sentence in gold]
        try:
            counts = macrof1.count_spans(gold, pred)
        except macrof1.InputError:  # no entity at all: nothing to average over
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = seqeval.f1_score(gold, pred, average="macro", zero_division=0)
        result = macrof1.score_counts(counts, convention="seqeval")
        assert result.averaged_f1 == pytest.approx(theirs, abs=1e-12), seed


@pytest.mark.parametrize(
    ("name", "gold", "pred", "printed"),
    [
        # https://github.com/Arize-ai/phoenix/pull/13740
        ("phoenix-evals-before-3.1.1", "cat dog cat bird", "cat cat cat bird", 0.606061),
        # https://github.com/rust-ml/linfa/pull/448, https://github.com/haifengl/smile/pull/874
        ("linfa", "0 0 1 1 2 2", "0 1 1 1 2 2", 0.860215),
        ("smile-before-874", "0 0 1 1 2 2", "0 1 1 1 2 2", 0.860215),
    ],
)
def test_figures_that_were_reported_of_systems(name, gold, pred, printed):
    known = find_convention(name)
    result = macrof1.score(gold.split(), pred.split(), convention=name)
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
