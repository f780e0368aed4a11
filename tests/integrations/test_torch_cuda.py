"""The metric on a CUDA device; tests/conftest.py skips this file, and says so, if there is none."""

import pickle
import warnings

import pytest

import macrof1
from macrof1.errors import InputError, LabelError

from .parts import part

torch = part("torch")
torchmetrics = part("torchmetrics")

from macrof1.integrations import _cuda  # noqa: E402 - after the parts are known to be there
from macrof1.integrations._tensors import check_faults, count_host, count_indicators, count_plain, no_faults  # noqa: E402 - as above
from macrof1.integrations.torch import MacroF1  # noqa: E402 - as above

INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def labels(n, rows, dtype=torch.int64):
    gold = torch.randint(0, n, (rows,))
    pred = torch.where(torch.rand(rows) < 0.6, gold, torch.randint(0, n, (rows,)))
    return pred.to(dtype), gold.to(dtype)


@pytest.mark.parametrize("n", [1, 2, 10, 64, 65, 1000, 18_000, 20_000, 70_000])
@pytest.mark.parametrize("rows", [0, 1, 8192, 2_000_003])
def test_counts_equal_the_hosts(n, rows):
    torch.manual_seed(n)
    for ignore_index in (None, 0, -1):
        pred, gold = labels(n, rows)
        if ignore_index == -1:
            gold[::11] = -1
        metric = MacroF1(n, ignore_index=ignore_index).cuda()
        metric.update(pred.cuda(), gold.cuda())
        assert torch.equal(metric.counts.cpu(), count_host(pred, gold, n=n, ignore_index=ignore_index))
        assert metric.faults.tolist() == [0, -1, 0, 0]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_every_integer_type_and_unaligned_slices(dtype):
    pred, gold = labels(10, 50_000, dtype)
    metric = MacroF1(10).cuda()
    metric.update(pred.cuda()[3:], gold.cuda()[3:])
    assert torch.equal(metric.counts.cpu(), count_host(pred[3:], gold[3:], n=10, ignore_index=None))


@pytest.mark.parametrize("n", [2, 10, 1000, 50_000])
@pytest.mark.parametrize("dominated", [False, True])
def test_kernel_plain_path_and_host_agree(n, dominated):
    pred, gold = labels(n, 1_234_567)
    if dominated:
        gold[torch.rand(len(gold)) < 0.95] = 0
    weight = torch.randint(0, 8, (len(gold),)) / 4  # sums of quarters are exact in any order
    for w in (None, weight.double()):
        expected = count_host(pred, gold, n=n, ignore_index=1, weight=w)
        for count in (_cuda.count, count_plain):
            counts, faults = torch.zeros_like(expected).cuda(), no_faults().cuda()
            device_weight = None if w is None else w.cuda()
            if count is _cuda.count:
                assert count("count_rows", (pred.cuda(), gold.cuda()), (counts, faults), 1, device_weight)
            else:
                count(pred.cuda(), gold.cuda(), counts, faults, ignore_index=1, weight=device_weight)
            assert torch.equal(counts.cpu(), expected)
            check_faults(faults, n, 1)


@pytest.mark.parametrize("n", [1, 5, 10, 1000, 30_000])
@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64])
def test_indicators_agree_with_the_plain_path(n, dtype):
    rows = max(3, 2_000_000 // n)
    gold = torch.randint(-1, 2, (rows, n))
    pred = torch.randint(0, 2, (rows, n)).to(dtype)
    weight = torch.randint(0, 8, (rows,)) / 4
    for w in (None, weight.double()):
        expected = torch.zeros((3, n), dtype=torch.int64 if w is None else torch.float64)
        count_indicators(pred, gold, expected, no_faults(), ignore_index=-1, weight=w)
        metric = MacroF1(n, task="multilabel", ignore_index=-1, weighted=w is not None).cuda()
        metric.update(pred.cuda(), gold.cuda(), None if w is None else w.cuda())
        assert torch.equal(metric.counts.cpu(), expected)
        assert metric.faults.tolist() == [0, -1, 0, 0]


def test_a_failed_compilation_warns_once_and_counts_all_the_same(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", "0.0")  # no such NVRTC
    _cuda._compiled.cache_clear()
    _cuda._plan.cache_clear()
    pred, gold = labels(10, 5000)
    metric = MacroF1(10).cuda()
    with pytest.warns(RuntimeWarning, match="falls back to tensor operations"):
        metric.update(pred.cuda(), gold.cuda())
    metric.update(pred.cuda(), gold.cuda())
    assert torch.equal(metric.counts.cpu(), 2 * count_host(pred, gold, n=10, ignore_index=None))
    _cuda._compiled.cache_clear()
    _cuda._plan.cache_clear()


@pytest.mark.parametrize("n", [10, 100, 30_000])
@pytest.mark.parametrize("wrong", [30_000, 2**40, -1, -(2**63)])
def test_labels_outside_are_named_at_compute(n, wrong):
    pred, gold = labels(n, 20_000)
    gold[12_345] = wrong
    metric = MacroF1(n).cuda()
    metric.update(pred.cuda(), gold.cuda())
    with pytest.raises(LabelError, match=f"label {wrong} is outside"):
        metric.compute()
    metric.reset()
    metric.update(pred[:100].cuda(), gold[:100].cuda())
    expected = macrof1.score(gold[:100].numpy(), pred[:100].numpy()).averaged_f1
    assert metric.compute()["averaged_f1"].item() == pytest.approx(expected, abs=1e-12)


def test_update_never_waits_for_the_device():
    logits, (pred, gold) = torch.randn(8192, 10).cuda(), (side.cuda() for side in labels(10, 8192))
    wide = torch.rand(8192, 10).cuda()
    metrics = MacroF1(10).cuda(), MacroF1(10, task="multilabel").cuda(), MacroF1(10, top_k=3).cuda()
    metrics += (MacroF1(10, weighted=True).cuda(),)
    steps = [
        lambda: metrics[0].update(pred, gold),
        lambda: metrics[0].update(logits, gold),
        lambda: metrics[1].update(wide, (wide > 0.5).long()),
        lambda: metrics[2].update(logits, gold),
        lambda: metrics[3].update(pred, gold, wide[:, 0]),
    ]
    for step in steps:
        step()  # compiles
    torch.cuda.synchronize()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch calls this alarm a prototype
        torch.cuda.set_sync_debug_mode("error")
    try:
        for step in steps:
            step()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_scores_and_not_a_number():
    logits, gold = torch.randn(5000, 7), torch.randint(0, 7, (5000,))
    metric = MacroF1(7).cuda()
    found = metric(logits.cuda(), gold.cuda())
    expected = macrof1.score(gold.numpy(), logits.argmax(1).numpy())
    assert found["averaged_f1"].is_cuda
    assert found["averaged_f1"].item() == expected.averaged_f1
    theirs = torchmetrics.F1Score("multiclass", num_classes=7, average="macro").cuda()(logits.cuda(), gold.cuda())
    assert found["averaged_f1"].item() == pytest.approx(theirs.item(), abs=1e-6)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        metric.update(logits.cuda().bfloat16(), gold.cuda())
    logits[77, 3] = float("nan")
    metric.update(logits.cuda(), gold.cuda())
    with pytest.raises(InputError, match="NaN"):
        metric.compute()


def test_it_moves_between_devices_and_pickles():
    pred, gold = labels(5, 1000)
    metric = MacroF1(5)
    metric.update(pred, gold)
    metric.cuda()
    metric.update(pred.cuda(), gold.cuda())
    twin = pickle.loads(pickle.dumps(metric))  # noqa: S301 - our own bytes
    metric.cpu()
    metric.update(pred, gold)
    assert torch.equal(metric.counts, 3 * count_host(pred, gold, n=5, ignore_index=None))
    assert torch.equal(twin.counts.cpu() * 3, metric.counts * 2)
    with pytest.raises(InputError, match=r"metric\.to"):
        metric.update(pred.cuda(), gold.cuda())


@pytest.mark.filterwarnings("ignore")  # what torch.compile says about its own parts
def test_it_works_in_a_compiled_step():
    model = torch.nn.Linear(4, 3).cuda()
    inputs, gold = torch.randn(256, 4).cuda(), torch.randint(0, 3, (256,)).cuda()
    metric, plain = MacroF1(3).cuda(), MacroF1(3).cuda()

    @torch.compile
    def step():
        logits = model(inputs)
        metric.update(logits, gold)
        return logits.sum()

    step()
    plain.update(model(inputs), gold)
    assert torch.equal(metric.counts, plain.counts)
