"""The torchmetrics metric on the host: equal to the library and to torchmetrics, in every kind of use."""

import copy
import pickle

import numpy as np
import pytest

import macrof1
from macrof1.errors import CountError, InputError, LabelError, LengthError

from ..oracles import without_digests
from .parts import part

torch = part("torch")
torchmetrics = part("torchmetrics")

from macrof1.integrations import _tensors  # noqa: E402 - after the part is known to be there
from macrof1.integrations.torch import AveragedF1, F1OfAverages, F1PerClass, MacroF1  # noqa: E402 - as above

FORMULAS = ("averaged_f1", "f1_of_averages", "gap")


def scores_of(metric):
    return {name: value.item() for name, value in metric.compute().items()}


def same(metric, result):
    """Whether the full result is the library's to the last bit, and the tensors are it to 1e-12."""
    found, whole = scores_of(metric), metric.result()
    return all(
        getattr(whole, name) == getattr(result, name) and abs(found[name] - getattr(result, name)) < 1e-12
        for name in FORMULAS
    )


def random_labels(rng, n, size):
    gold = rng.integers(0, n, size)
    return np.where(rng.random(size) < 0.6, gold, rng.integers(0, n, size)), gold


def test_10_000_cases_equal_the_library():
    rng = np.random.default_rng(9)
    metrics = {n: MacroF1(num_classes=n, ignore_index=-1) for n in range(1, 8)}
    seen = {"empty batch": 0, "one class": 0, "absent class": 0, "ignored": 0}
    for _ in range(10_000):
        n = int(rng.integers(1, 8))
        metric = metrics[n]
        metric.reset()
        kept = []
        for size in rng.integers(0, 12, 2):
            pred, gold = random_labels(rng, n, size)
            gold = np.where(rng.random(size) < 0.1, -1, gold)
            metric.update(torch.from_numpy(pred), torch.from_numpy(gold))
            kept.append((pred[gold >= 0], gold[gold >= 0]))
            seen["empty batch"] += size == 0
            seen["ignored"] += (gold < 0).any()
        pred, gold = (np.concatenate(side) for side in zip(*kept, strict=True))
        seen["one class"] += n == 1
        seen["absent class"] += len(np.union1d(pred, gold)) < n
        if not len(gold):
            continue
        assert same(metric, macrof1.score(gold, pred)), (gold, pred)
    assert min(seen.values()) > 100


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("ignore_index", [None, 0, -100])
def test_averaged_f1_equals_torchmetrics(seed, ignore_index):
    torch.manual_seed(seed)
    logits, gold = torch.randn(60, 5), torch.randint(0, 4, (60,))
    if ignore_index == -100:
        gold[::7] = -100
    theirs = torchmetrics.F1Score("multiclass", num_classes=5, average="macro", ignore_index=ignore_index)
    expected = theirs(logits, gold)
    for preds in (logits, logits.softmax(1), logits.argmax(1)):
        ours = MacroF1(5, ignore_index=ignore_index)(preds, gold)["averaged_f1"]
        assert ours.item() == pytest.approx(expected.item(), abs=1e-6)
    top = torchmetrics.F1Score("multiclass", num_classes=5, average="macro", top_k=2)
    keep = gold >= 0
    assert MacroF1(5, top_k=2)(logits[keep], gold[keep])["averaged_f1"].item() == pytest.approx(
        top(logits[keep], gold[keep]).item(), abs=1e-6
    )


@pytest.mark.parametrize("scores", ["probabilities", "logits", "labels"])
def test_multilabel_and_binary_equal_torchmetrics(scores):
    torch.manual_seed(3)
    logits, gold = torch.randn(50, 4), torch.randint(0, 2, (50, 4))
    gold[:, 3] = 0  # a label that is never gold
    preds = {"probabilities": logits.sigmoid(), "logits": logits, "labels": (logits > 0).int()}[scores]
    theirs = torchmetrics.F1Score("multilabel", num_labels=4, average="macro")(preds, gold)
    metric = MacroF1(4, task="multilabel")
    assert metric(preds, gold)["averaged_f1"].item() == pytest.approx(theirs.item(), abs=1e-6)
    assert same(metric, macrof1.score(gold.numpy(), (logits > 0).numpy()))
    gold[::5] = -1
    theirs = torchmetrics.F1Score("multilabel", num_labels=4, average="macro", ignore_index=-1)(preds, gold)
    ours = MacroF1(4, task="multilabel", ignore_index=-1)(preds, gold)["averaged_f1"]
    assert ours.item() == pytest.approx(theirs.item(), abs=1e-6)
    one, binary = preds[:, 0], (gold[:, 0] == 1).long()
    both = torchmetrics.F1Score("multiclass", num_classes=2, average="macro")((logits[:, 0] > 0).long(), binary)
    assert MacroF1(task="binary")(one, binary)["averaged_f1"].item() == pytest.approx(both.item(), abs=1e-6)


def test_axes_after_the_first_are_rows_too():
    torch.manual_seed(1)
    logits, gold = torch.randn(6, 3, 4, 2), torch.randint(0, 3, (6, 4, 2))
    metric = MacroF1(3)
    metric.update(logits, gold)
    assert same(metric, macrof1.score(gold.numpy().ravel(), logits.argmax(1).numpy().ravel()))
    wide = MacroF1(3, task="multilabel")
    indicators = torch.randint(0, 2, (6, 3, 4))
    wide.update(torch.randint(0, 2, (6, 3, 4)), indicators)
    assert wide.counts[[0, 2]].sum(0).tolist() == indicators.sum((0, 2)).tolist()


def test_many_classes_and_every_integer_type():
    rng = np.random.default_rng(2)
    pred, gold = random_labels(rng, 3000, 5000)
    metric = MacroF1(3000)
    metric.update(torch.from_numpy(pred), torch.from_numpy(gold))
    assert same(metric, macrof1.score(gold, pred))
    pred, gold = random_labels(rng, 2, 50)
    for dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        metric = MacroF1(2)
        metric.update(torch.from_numpy(pred).to(dtype), torch.from_numpy(gold).to(dtype))
        assert same(metric, macrof1.score(gold, pred))


def test_plain_operations_count_what_the_host_counts():
    # The path of devices that are neither the host nor CUDA, run here on the host's tensors.
    rng = np.random.default_rng(7)
    for ignore_index in (None, 1, -1):
        pred, gold = random_labels(rng, 6, 500)
        if ignore_index == -1:
            gold[::9] = -1
        p, g = torch.from_numpy(pred), torch.from_numpy(gold)
        counts, faults = torch.zeros((3, 6), dtype=torch.int64), _tensors.no_faults()
        _tensors.count_plain(p, g, counts, faults, ignore_index=ignore_index)
        _tensors.count_plain(p[:0], g[:0], counts, faults, ignore_index=ignore_index)
        assert torch.equal(counts, _tensors.count_host(p, g, n=6, ignore_index=ignore_index))
        _tensors.check_faults(faults.tolist(), 6, ignore_index)
        for wrong in (6, -7):
            bad = faults.clone()
            _tensors.count_plain(torch.tensor([wrong]), torch.tensor([2]), counts, bad, ignore_index=ignore_index)
            with pytest.raises(LabelError, match=f"label {wrong} is outside"):
                _tensors.check_faults(bad.tolist(), 6, ignore_index)


@pytest.mark.parametrize(
    ("task", "preds", "target", "error", "words"),
    [
        ("multiclass", [1, 2], [1], LengthError, r"\(2,\).*\(1,\)"),
        ("multiclass", [[0.1, 0.9]], [1], LengthError, "3 classes"),
        ("multiclass", [3], [0], LabelError, "label 3 is outside"),
        ("multiclass", [0], [-2], LabelError, "label -2 is outside"),
        ("multiclass", [0.5], [1], LabelError, "whole numbers"),
        ("multiclass", [0], [1.0], LabelError, "scores belong in preds"),
        ("multiclass", [[0.1, float("nan"), 0.2]], [1], macrof1.InputError, "NaN"),
        ("binary", [float("nan")], [1], macrof1.InputError, "NaN"),
        ("binary", [0.3], [2], LabelError, "label 2 is outside"),
        ("multilabel", [[1, 0, 1]], [[1, 0]], LengthError, "3 labels"),
        ("multilabel", [[1, 0, 1]], [[1, 0, 4]], LabelError, "label 4 is outside"),
        ("multilabel", [[0.1, float("nan"), 1]], [[1, 0, 1]], macrof1.InputError, "NaN"),
        ("multilabel", [[1, 0, 1]], [[0.5, 0.5, 0.5]], LabelError, "indicators"),
    ],
)
def test_bad_batches_are_refused_and_leave_the_state_alone(task, preds, target, error, words):
    metric = MacroF1(None if task == "binary" else 3, task=task)
    with pytest.raises(error, match=words):
        metric.update(torch.tensor(preds), torch.tensor(target))
    assert not metric.counts.any()
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        metric.update(torch.tensor(preds), torch.tensor(target))


@pytest.mark.parametrize(
    "options",
    [
        {"num_classes": None}, {"num_classes": 0}, {"top_k": 4}, {"task": "multi"}, {"classes": "all"},
        {"undefined": 2}, {"beta": -1}, {"labels": ["a", "b"]}, {"task": "binary"},
        {"task": "multilabel", "threshold": 7}, {"task": "multilabel", "top_k": 2},
    ],
)  # fmt: skip
def test_bad_options_are_refused(options):
    with pytest.raises(macrof1.InputError):
        MacroF1(**{"num_classes": 3, **options})


def test_faults_of_a_device_surface_at_compute():
    metric = MacroF1(3)
    metric.update(torch.tensor([0]), torch.tensor([0]))
    metric.faults[0] = 17  # as a kernel records it
    with pytest.raises(LabelError, match="label 17 is outside the classes: expected whole numbers from 0 to 2"):
        metric.compute()
    metric.reset()
    metric.update(torch.tensor([0]), torch.tensor([0]))
    assert metric.compute()["averaged_f1"] == 1


def test_not_a_number_in_a_row_that_is_ignored_is_ignored():
    metric = MacroF1(2, ignore_index=-1)
    metric.update(torch.tensor([[float("nan"), 0.0], [0.0, 1.0]]), torch.tensor([-1, 1]))
    assert metric.compute()["averaged_f1"] == 1


def test_an_empty_epoch_warns_and_counts_0():
    metric = MacroF1(3, ignore_index=0)
    metric.update(torch.tensor([1, 2]), torch.tensor([0, 0]))
    with pytest.warns(UserWarning, match="no row was counted"):
        assert scores_of(metric) == dict.fromkeys(FORMULAS, 0.0)
    with pytest.warns(UserWarning, match="no row was counted"):
        assert metric.result().averaged_f1 == 0


def test_it_resets_pickles_copies_and_merges():
    metric = MacroF1(labels=["cat", "dog"])
    metric.update(torch.tensor([0, 1, 1, 1]), torch.tensor([0, 0, 1, 1]))
    expected = macrof1.score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
    assert [c.to_dict() for c in metric.result().per_class] == [c.to_dict() for c in expected.per_class]
    for twin in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), metric.clone().to("cpu").double()):  # noqa: S301
        assert same(twin, expected)
        twin.update(torch.tensor([0]), torch.tensor([1]))
        assert same(metric, expected)
    # One batch's value from forward, all batches from compute.
    both = MacroF1(2)
    assert both(torch.tensor([0, 1]), torch.tensor([0, 1]))["averaged_f1"] == 1
    both(torch.tensor([0, 0]), torch.tensor([0, 1]))
    assert same(both, macrof1.score([0, 1, 0, 1], [0, 1, 0, 0]))
    both.reset()
    assert not both.counts.any()
    other = MacroF1(2)
    other.update(torch.tensor([1]), torch.tensor([1]))
    both.update(torch.tensor([0]), torch.tensor([0]))
    both.merge_state(other)
    assert both.counts[0].tolist() == [1, 1]
    saved = MacroF1(2)
    saved.persistent(True)
    saved.update(torch.tensor([1]), torch.tensor([1]))
    loaded = MacroF1(2)
    loaded.persistent(True)
    loaded.load_state_dict(saved.state_dict())
    assert loaded.counts[0].tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])
def test_batches_in_memory_of_every_kind_count_the_same(dtype):
    rng = np.random.default_rng(5)
    gold, pred = (torch.from_numpy(rng.integers(0, 5, 40)).to(dtype) for _ in range(2))
    expected = MacroF1(5)
    MacroF1.update(expected, pred, gold)  # as torchmetrics calls it, without the shorter way
    batches = {
        "in a row": (pred, gold),
        "strided": (pred.repeat_interleave(2)[::2], gold.repeat_interleave(2)[::2]),
        "two axes": (pred.reshape(8, 5), gold.reshape(8, 5)),
        "two types": (pred.to(torch.int64), gold),
        "of a subclass": (torch.nn.Parameter(pred, requires_grad=False), gold),
    }
    metric = MacroF1(5)
    for times, (kind, batch) in enumerate(batches.items(), 1):
        metric.update(*batch)
        assert torch.equal(metric.counts, times * expected.counts), kind
        assert metric.update_count == times
    for bad, error in (((pred, gold[:-1]), LengthError), ((pred, torch.full_like(gold, 5)), LabelError)):
        with pytest.raises(error):
            metric.update(*bad)
        assert torch.equal(metric.counts, len(batches) * expected.counts)
    assert metric.update(pred[:0], gold[:0]) is None


def test_small_batches_follow_the_counts_wherever_they_go():
    batch = torch.tensor([0, 1]), torch.tensor([0, 1])
    metric = MacroF1(2)
    metric.update(*batch)
    first = metric.compute()["averaged_f1"]
    metric.counts.data = torch.tensor([[5, 0], [0, 5], [5, 0]])
    metric.update(*batch)
    assert metric.counts.tolist() == [[6, 1], [0, 5], [5, 0]]
    assert first == 1 != metric.compute()["averaged_f1"]
    metric.counts = torch.zeros(3, 4, dtype=torch.int64)[:, ::2]
    metric.update(*batch)
    assert metric.counts.tolist() == [[1, 1], [0, 0], [0, 0]]


def test_it_fits_a_metric_collection():
    collection = torchmetrics.MetricCollection(
        {"ours": MacroF1(3), "accuracy": torchmetrics.Accuracy("multiclass", num_classes=3)}
    )
    found = collection(torch.tensor([0, 1, 2]), torch.tensor([0, 1, 1]))
    assert found["averaged_f1"].item() == pytest.approx(macrof1.score([0, 1, 1], [0, 1, 2]).averaged_f1, abs=1e-12)


SCALARS = {"averaged_f1": AveragedF1, "f1_of_averages": F1OfAverages}


def test_1000_random_epochs_of_both_scores_equal_the_library():
    rng = np.random.default_rng(3)
    for _ in range(1000):
        n, size, batch = int(rng.integers(1, 9)), int(rng.integers(1, 60)), int(rng.integers(1, 20))
        options = {"undefined": int(rng.integers(2)), "beta": float(rng.choice([0.0, 0.5, 1.0, 2.0]))}
        classes = str(rng.choice(["union", "gold", "listed"]))
        pred, gold = random_labels(rng, n, size)
        labels = range(n) if classes == "listed" else None
        expected = macrof1.score(gold, pred, labels=labels, classes=classes, **options)
        for name, kind in SCALARS.items():
            metric = kind(n, classes=classes, **options)
            for at in range(0, size, batch):
                metric.update(torch.from_numpy(pred[at : at + batch]), torch.from_numpy(gold[at : at + batch]))
            found = metric.compute()
            assert (found.shape, found.dtype) == ((), torch.float64)
            assert abs(found.item() - getattr(expected, name)) < 1e-12, (gold, pred, classes, options)
            assert without_digests(metric.signature()) == without_digests(expected.signature(name))


@pytest.mark.parametrize("n", [10, 100_000])
def test_scores_are_computed_without_a_loop_over_classes(n, monkeypatch):
    metric = AveragedF1(n)
    metric.update(torch.arange(n).roll(1), torch.arange(n))
    monkeypatch.setattr("macrof1.integrations.torch.score_counts", None)  # the host has no part in it
    with torch.profiler.profile() as profile:
        assert metric.compute().item() == 0
    assert len([event for event in profile.events() if event.name.startswith("aten::")]) < 400


def test_scalars_stand_where_torchmetrics_own_do():
    pred, gold = torch.tensor([0, 1, 2, 2, 0]), torch.tensor([0, 1, 1, 2, 2])
    expected = macrof1.score(gold.numpy(), pred.numpy())
    collection = torchmetrics.MetricCollection({name: kind(3) for name, kind in SCALARS.items()}, prefix="val_")
    for at in (slice(0, 2), slice(2, 5)):
        collection.update(pred[at], gold[at])
    assert len(collection.compute_groups) == 1  # both count once
    for name, value in collection.compute().items():
        assert value.item() == pytest.approx(getattr(expected, name.removeprefix("val_")), abs=1e-12)
    tracker = torchmetrics.MetricTracker(AveragedF1(3), maximize=True)
    for at in (slice(0, 3), slice(0, 5)):
        tracker.increment()
        tracker.update(pred[at], gold[at])
    assert tracker.best_metric() == pytest.approx(expected.averaged_f1, abs=1e-12)
    classes = torchmetrics.ClasswiseWrapper(F1PerClass(3), labels=["a", "b", "c"], prefix="f1_")
    classes.update(pred, gold)
    assert [value.item() for value in classes.compute().values()] == pytest.approx(
        [each.f1 for each in expected.per_class], abs=1e-12
    )
    extremes = torchmetrics.MinMaxMetric(AveragedF1(3))
    extremes.update(pred, gold)
    assert extremes.compute()["max"].item() == pytest.approx(expected.averaged_f1, abs=1e-12)


def test_values_of_batches_are_numbers_that_make_no_mean():
    metric = AveragedF1(2)
    values = [metric(torch.tensor(side), torch.tensor([0, 1])) for side in ([0, 1], [0, 0])]
    assert [round(value.item(), 4) for value in values] == [1.0, 0.3333]
    assert metric.compute().item() == pytest.approx(macrof1.score([0, 1, 0, 1], [0, 1, 0, 0]).averaged_f1)
    assert f"{100 * values[1]:.1f} {float(values[0].detach().cpu()):.0f}" == "33.3 1"
    assert copy.deepcopy(values[0]) > values[1]
    wrong = [
        lambda: sum(values), lambda: values[0] + values[1], lambda: torch.stack(values).mean(), lambda: np.mean(values),
        lambda: torch.tensor(0.0) + 2 * values[0], lambda: torchmetrics.MeanMetric()(values[0]),
    ]  # fmt: skip
    for mean in wrong:
        with pytest.raises(InputError, match="a mean over batches of their macro F1s"):
            mean()


def test_values_computed_after_every_batch_make_no_mean():
    metric, found = torchmetrics.MetricCollection(AveragedF1(2), F1OfAverages(2)), []
    for side in ([0, 1], [0, 0], [1, 1]):
        metric.update(torch.tensor(side), torch.tensor([0, 1]))
        found.append(metric.compute()["AveragedF1"])
    with pytest.raises(InputError, match="a mean over batches of their macro F1s"):
        sum(found)
    expected = macrof1.averaged_f1([0, 1] * 3, [0, 1, 0, 0, 1, 1])
    assert float(0 + metric.compute()["AveragedF1"]) == pytest.approx(expected)  # as Lightning adds it


def test_a_class_set_that_leaves_no_class_is_an_error():
    metric = AveragedF1(2, task="multilabel", classes="gold")
    metric.update(torch.tensor([[1, 0]]), torch.tensor([[0, 0]]))
    with pytest.raises(macrof1.InputError, match="leaves no class"):
        metric.compute()


@pytest.mark.filterwarnings("ignore")
def test_it_works_in_compiled_and_autocast_steps():
    model = torch.nn.Linear(4, 3)
    inputs, gold = torch.randn(32, 4), torch.randint(0, 3, (32,))

    def step(metric):
        logits = model(inputs)
        metric.update(logits, gold)
        return logits.sum()

    plain, compiled, half = MacroF1(3), MacroF1(3), MacroF1(3)
    step(plain)
    torch.compile(step, backend="eager")(compiled)
    assert torch.equal(plain.counts, compiled.counts)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(inputs)
        half.update(logits, gold)
    assert logits.dtype == torch.bfloat16
    assert torch.equal(half.counts[[0, 2]].sum(0), plain.counts[[0, 2]].sum(0))
    assert same(half, macrof1.score(gold.numpy(), logits.argmax(1).numpy()))


@pytest.mark.parametrize("n", [3, 100])
def test_weights_equal_the_library(n):
    rng = np.random.default_rng(n)
    pred, gold = random_labels(rng, n, 500)
    weight = rng.integers(0, 8, 500) / 4
    metric = MacroF1(n, weighted=True, ignore_index=0)
    for rows in np.array_split(np.arange(500), 3):
        metric.update(*(torch.from_numpy(side[rows]) for side in (pred, gold, weight)))
    kept = gold != 0
    assert same(metric, macrof1.score(gold[kept], pred[kept], sample_weight=weight[kept]))
    unweighted, ones = MacroF1(n), MacroF1(n, weighted=True)
    for one in (unweighted, ones):
        one.update(torch.from_numpy(pred), torch.from_numpy(gold))
    assert torch.equal(unweighted.counts, ones.counts)


def test_weights_of_indicators_equal_the_library():
    rng = np.random.default_rng(4)
    pred, gold, weight = rng.integers(0, 2, (50, 4)), rng.integers(0, 2, (50, 4)), rng.random(50)
    metric = MacroF1(4, task="multilabel", weighted=True)
    metric.update(*(torch.from_numpy(side) for side in (pred, gold, weight)))
    expected = macrof1.score(gold, pred, sample_weight=weight)
    assert metric.compute()["averaged_f1"].item() == pytest.approx(expected.averaged_f1, rel=1e-14)


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_bad_weights_are_refused_and_do_not_count(wrong):
    metric, labels = MacroF1(2, weighted=True), torch.tensor([0, 1])
    with pytest.raises(CountError, match="sample_weight holds"):
        metric.update(labels, labels, torch.tensor([1.0, wrong]))
    assert not metric.counts.any()
    with pytest.raises(LengthError, match="weight per row"):
        metric.update(labels, labels, torch.tensor([1.0]))
    with pytest.raises(InputError, match="weighted=True"):
        MacroF1(2).update(labels, labels, torch.tensor([1.0, 1.0]))
