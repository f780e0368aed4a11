"""Both macro F1s as torchmetrics metrics: counted and scored where the tensors are.

`AveragedF1` and `F1OfAverages` give one number each, `F1PerClass` one per class, `MacroF1` a dict of both scores and
the gap. Needs the extra ``torch``. A batch is counted by one kernel on CUDA (`count.cu`), by the library itself on the
host, and by tensor operations elsewhere. ``update`` never waits for a device.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from functools import wraps
from typing import Any, ClassVar, Literal, TypeAlias

from macrof1.convention import ClassSet, Formula, Undefined
from macrof1.errors import EmptyError, InputError, LengthError, MissingExtraError, counted
from macrof1.integrations import checked_rules, weights_not_taken
from macrof1.labels import checked_labels
from macrof1.message import Argument, Message
from macrof1.scoring.score_result import ScoreResult, score_counts

try:
    import torch
    from torch import Tensor
    from torchmetrics import Metric
except ImportError as missing:
    raise MissingExtraError.needed(package="torch and torchmetrics", extra="torch", purpose=__name__) from missing

from macrof1.counting.kernel import integers
from macrof1.counts import trusted_counts
from macrof1.integrations import _tensors as tensors

TorchTask: TypeAlias = Literal["multiclass", "binary", "multilabel"]
_TASKS: tuple[TorchTask, ...] = ("multiclass", "binary", "multilabel")
_INDICATORS = 2
# Beyond this many rows, the steps around counting do not matter.
_SMALL_BATCH = 1 << 14
# The strides of a tensor of one dimension without gaps.
_IN_A_ROW = (1,)
_EMPTY = (
    "no row was counted since the last reset, so that both macro F1s are what undefined ratios count as: check that "
    "update() is called, and what ignore_index leaves out"
)


class BatchValue(Tensor):
    """A score of one batch, which must not be averaged: macro F1 over an epoch is not the mean over its batches.

    It is a number like any other, but adding, stacking or averaging it raises an error. So Lightning's
    ``self.log("f1", metric(preds, target))``, which would log such a mean, fails; ``self.log("f1", metric)`` is right.
    """

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if _OF_SEVERAL.fullmatch(getattr(func, "__name__", "")):
            raise InputError(
                "a mean over batches of their macro F1s, which is not the macro F1 of the epoch",
                expected="the metric itself, which counts all batches",
                hint='self.log("f1", metric) in Lightning, metric.compute() once an epoch elsewhere, .item() per batch',
            )
        return super().__torch_function__(func, types, args, kwargs or {})

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self.clone()

    def __format__(self, format_spec: str) -> str:
        return format(self.item(), format_spec)


_OF_SEVERAL = re.compile("add_?|__[ri]?add__|sum|(nan)?mean|[hv]?stack|cat|lerp|__setitem__|__array__")


def _of_batch(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: part.as_subclass(BatchValue) for name, part in value.items()}
    return value.as_subclass(BatchValue) if isinstance(value, Tensor) else value


class _CountedMetric(Metric):
    """Counts per class over batches, devices and processes; the metrics below differ in what they make of them."""

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0
    formula: ClassVar[Formula] = "averaged_f1"

    counts: Tensor
    faults: Tensor
    _computed_at = 0  # how many batches the epoch had when it was last computed

    def __init__(
        self,
        num_classes: int | None = None,
        *,
        task: TorchTask = "multiclass",
        labels: Iterable[object] | None = None,
        classes: ClassSet | None = None,
        undefined: Undefined = 0,
        beta: float = 1.0,
        ignore_index: int | None = None,
        top_k: int = 1,
        threshold: float = 0.5,
        from_logits: bool | None = None,
        weighted: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        InputError.one_of("task", task, _TASKS)
        usual: ClassSet = "listed" if task == "multilabel" else "union"
        self.rules = checked_rules(classes=classes or usual, undefined=undefined, beta=beta)
        names = None if labels is None else checked_labels(labels)
        n = len(names) if num_classes is None and names is not None else num_classes
        if n is None and task != "binary":
            expected = Message(Argument("num_classes"), " or ", Argument("labels"))
            problem = Message(Argument("task", task), " without a number of classes")
            raise InputError(problem, argument="num_classes", expected=expected)
        self.num_classes = n = InputError.whole("num_classes", 2 if n is None else n, 1)
        if names is not None and len(names) != n:
            problem = Message(f"{counted(len(names), 'label')} for ", Argument("num_classes", n))
            raise LengthError(problem, argument="labels", given=len(names), expected="one name per class")
        if task == "binary" and n != 2:
            problem = Message(Argument("num_classes", n), " with ", Argument("task", task))
            raise InputError(problem, expected=Message("2, or ", Argument("task", "multiclass")))
        self.labels = tuple(range(n)) if names is None else names
        InputError.whole("top_k", top_k, 1, n)
        if top_k > 1 and task != "multiclass":
            problem = Message(Argument("top_k", top_k), " with ", Argument("task", task))
            raise InputError(problem, expected=str(Argument("task", "multiclass")))
        if not 0 <= threshold <= 1:
            raise InputError.bad_value("threshold", threshold, expected="a probability between 0 and 1")
        self.task, self.ignore_index, self.top_k, self.weighted = task, ignore_index, top_k, weighted
        self.threshold, self.from_logits = threshold, from_logits
        self._plain = task != "multilabel" and ignore_index is None and top_k == 1 and not weighted
        kind = torch.float64 if weighted else torch.int64
        self.add_state("counts", torch.zeros((3, n), dtype=kind), dist_reduce_fx="sum")
        self.add_state("faults", tensors.no_faults(), dist_reduce_fx="max")

    @torch.compiler.disable
    def update(self, preds: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> None:
        """Count a batch where its tensors are, without waiting for a device.

        Parameters
        ----------
        preds
            Predicted labels, or scores.
        target
            Gold labels.
        sample_weight
            A non-negative number per gold label (per row, for multilabel); needs ``weighted=True``.
        """
        device = target.device
        if preds.device != device or self.counts.device != device:
            problem = f"preds is on {preds.device}, target on {device} and the metric on {self.counts.device}"
            hint = f"metric.to({str(device)!r}) moves the metric"
            raise InputError(problem, argument="preds", expected="one device", hint=hint)
        # On the host, nothing is added before everything is validated; plain labels are checked while being counted.
        on_host = device.type == "cpu"
        several = self.task == "multilabel"
        looked_at = on_host and (several or self.weighted or preds.is_floating_point())
        faults = tensors.no_faults() if looked_at else self.faults
        weight = self._weight(sample_weight, target, faults)
        said = preds
        if several or (self.task == "binary" and preds.shape == target.shape):
            said = tensors.above_threshold(preds, faults, threshold=self.threshold, from_logits=self.from_logits)
        if several:
            pred, gold = tensors.indicators(said, target, self.num_classes)
        else:
            pred, gold = tensors.chosen_classes(said, target, faults, self.num_classes, self.top_k, self.ignore_index)
        if not on_host:
            kernel = "count_indicators" if several else "count_rows"
            if not (gold.is_cuda and self._on_cuda(kernel, pred, gold, weight)):
                plain = tensors.count_indicators if several else tensors.count_plain
                plain(pred, gold, self.counts, self.faults, ignore_index=self.ignore_index, weight=weight)
            return
        counts = torch.zeros_like(self.counts) if several else None
        if counts is not None:
            tensors.count_indicators(pred, gold, counts, faults, ignore_index=self.ignore_index, weight=weight)
        if looked_at:
            self._check(faults.tolist())
        if counts is None:
            counts = tensors.count_host(pred, gold, n=self.num_classes, ignore_index=self.ignore_index, weight=weight)
        self.counts.add_(counts)

    def _wrap_update(self, update: Callable[..., None]) -> Callable[..., None]:
        """Count plain labels at once, a small batch on the host or any on CUDA: torchmetrics' steps take longer."""
        usual = super()._wrap_update(update)
        compiled, compiling, sizes = integers.compiled_path(), torch.compiler.is_compiling, tensors.SIZES
        state = self.__dict__  # a module would look for parameters first
        known: Any = None
        place, on_host, on_cuda = 0, False, False

        @wraps(update)
        def wrapped(preds: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> None:
            nonlocal known, place, on_host, on_cuda
            if compiling():
                return usual(preds, target, sample_weight)
            counts: Tensor = state["counts"]
            if known is None or counts is not known or counts.data_ptr() != place:
                known, place = counts, counts.data_ptr()
                on_cuda = self._plain and counts.is_cuda
                whole = counts.dtype is torch.int64 and counts.is_contiguous()
                on_host = compiled is not None and self._plain and counts.is_cpu and whole
            if (
                (on_host or on_cuda)
                and sample_weight is None
                and type(preds) is Tensor is type(target)
                and (size := sizes.get(preds.dtype)) is not None
                and target.dtype is preds.dtype
                and (rows := preds.numel()) == target.numel()
                and rows > 0
                and preds.stride() == _IN_A_ROW == target.stride()
                and (
                    preds.is_cpu
                    and target.is_cpu
                    and rows <= _SMALL_BATCH
                    and compiled.add_errors(
                        target.data_ptr(), preds.data_ptr(), rows, size[0], size[1], place, state["num_classes"]
                    )
                    if on_host
                    else preds.device == target.device == counts.device and self._on_cuda("count_rows", preds, target)
                )
            ):
                state["_computed"] = None
                state["_update_count"] += 1
                return None
            return usual(preds, target, sample_weight)

        return wrapped

    def _on_cuda(self, kernel: str, pred: Tensor, gold: Tensor, weight: Tensor | None = None) -> bool:
        if torch.version.cuda is None:
            return False
        from macrof1.integrations import _cuda

        here = gold.device.index == torch.cuda.current_device()
        with nullcontext() if here else torch.cuda.device(gold.device):
            return _cuda.count(kernel, (pred, gold), (self.counts, self.faults), self.ignore_index, weight)

    def _weight(self, sample_weight: Tensor | None, target: Tensor, faults: Tensor) -> Tensor | None:
        if not self.weighted:
            if sample_weight is not None:
                raise weights_not_taken("")
            return None
        shape = target.shape[:1] + target.shape[2:] if self.task == "multilabel" else target.shape
        if sample_weight is None:
            return torch.ones(shape, dtype=torch.float64, device=target.device).reshape(-1)
        if sample_weight.shape != shape or sample_weight.device != target.device:
            problem = f"sample_weight is of shape {tuple(sample_weight.shape)} on {sample_weight.device}"
            expected = f"a weight per row, in the shape {tuple(shape)} on {target.device}"
            raise LengthError(problem, argument="sample_weight", expected=expected)
        weight = sample_weight.detach().to(torch.float64).reshape(-1)
        faults[3].bitwise_or_((~((weight >= 0) & (weight < torch.inf))).any())
        return weight

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Count a batch and return its own value; ``compute()`` returns that of all batches."""
        before, value = self._computed_at, _of_batch(super().forward(*args, **kwargs))
        self._computed_at = before
        return value

    def reset(self) -> None:
        """Begin an epoch."""
        self._computed_at = 0
        super().reset()

    def _wrap_compute(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        """Mark what is computed after every batch: the mean of such values is no score of the epoch either."""
        usual = super()._wrap_compute(compute)

        @wraps(compute)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            value, before = usual(*args, **kwargs), self._computed_at
            self._computed_at = self._update_count
            return _of_batch(value) if 0 < before == self._update_count - 1 else value

        return wrapped

    def _check(self, faults: list[int]) -> None:
        tensors.check_faults(faults, _INDICATORS if self.task == "multilabel" else self.num_classes, self.ignore_index)

    def _scores(self) -> dict[str, Tensor]:
        """Return both scores and the gap as float64, or float32 on MPS; the host waits once, to raise what is wrong."""
        device = self.counts.device
        whole = device.type != "mps"
        counts, faults = (self.counts, self.faults) if whole else (self.counts.cpu(), self.faults.cpu())
        scores, sizes = tensors.macro_scores(counts, self.rules)
        *found, n_seen, n_averaged = torch.cat([faults, sizes]).tolist()
        self._check(found)
        if not n_seen:
            warnings.warn(_EMPTY, UserWarning, stacklevel=3)
        elif not n_averaged:
            problem = f"classes={self.rules.classes!r} leaves no class to average over"
            raise EmptyError(problem, expected="a class in gold")
        if not whole:
            scores = scores.to(torch.float32).to(device)
        return dict(zip(("averaged_f1", "f1_of_averages", "gap"), scores.unbind(), strict=True))

    def result(self) -> ScoreResult:
        """Return the full result over all processes: both scores, per-class scores, explanation, signature."""
        with self.sync_context(
            dist_sync_fn=self.dist_sync_fn, should_sync=self._to_sync, should_unsync=self._should_unsync
        ):
            self._check(self.faults.tolist())
            tp, fp, fn = self.counts.cpu().clone().numpy()
        multilabel, columns = self.task == "multilabel", (tp, tp + fp, tp + fn)
        seen = (columns[1] + columns[2]) > 0
        labels, rules = self.labels, self.rules
        n_listed: int | None = self.num_classes
        if not seen.any():
            warnings.warn(_EMPTY, UserWarning, stacklevel=2)
            rules = replace(rules, classes="union")
        elif rules.classes == "union":
            labels = tuple(label for label, there in zip(labels, seen.tolist(), strict=True) if there)
            columns, n_listed = tuple(column[seen] for column in columns), None
        counts = trusted_counts(
            labels=labels, columns=columns, n_listed=n_listed,
            n_rows=None if multilabel or self.weighted else int(columns[2].sum()),
            task="multilabel" if multilabel else "multiclass",
        )  # fmt: skip
        return score_counts(counts, convention=rules)

    def signature(self) -> str:
        """Return the convention and the run's facts as one line, for a log or a footnote."""
        return self.result().signature(self.formula)


class MacroF1(_CountedMetric):
    """Averaged F1, F1 of averages and the gap, over batches, devices and processes.

    ``compute()`` returns a dict of three tensors, `result()` the full `ScoreResult`. Where one number is expected, use
    `AveragedF1` or `F1OfAverages`.

    Parameters
    ----------
    num_classes
        Number of classes (or labels, for multilabel); not needed with `labels` or for binary.
    task
        ``"multiclass"``: labels, or scores with classes as the second axis; the best class counts.
        ``"binary"``: labels 0 and 1, or one score per row; both classes are averaged over.
        ``"multilabel"``: indicators or scores, rows x labels.
    labels
        Names of the classes, in the order of their codes.
    classes
        The class set averaged over: ``"union"`` of gold and predicted, ``"gold"``, or ``"listed"``: all of them.
        By default ``"union"``, and ``"listed"`` for multilabel, as in `macrof1.score` and torchmetrics.
    undefined, beta
        As in `macrof1.score`.
    ignore_index
        Rows (or entries) with this gold label are ignored.
    top_k
        A row counts as correct if its gold class is among the k best scores.
    threshold
        Scores above it count as positive (binary, multilabel).
    from_logits
        Whether binary and multilabel scores are logits. None, as in torchmetrics: if a batch has a score outside [0,
        1].
    weighted
        Whether `update` takes ``sample_weight``; the counts are then sums of weights.
    **kwargs
        Options of `torchmetrics.Metric`, such as ``sync_on_compute``.

    Notes
    -----
    The state is one ``int64[3, num_classes]`` tensor, ``counts``: tp, fp and fn (float64 with ``weighted=True``). A
    label outside the classes or NaN raises an error at once on the host, and in ``compute()`` on a device, for which
    ``update`` would have to wait. Devices add weights in no fixed order: sums may differ in the last digits.

    Examples
    --------
    >>> import torch
    >>> metric = MacroF1(num_classes=2)
    >>> metric.update(torch.tensor([0, 1, 1, 1]), torch.tensor([0, 0, 1, 1]))  # predicted first, as in torchmetrics
    >>> {name: round(value.item(), 4) for name, value in metric.compute().items()}
    {'averaged_f1': 0.7333, 'f1_of_averages': 0.7895, 'gap': 0.0561}
    >>> metric.result().explanation
    'The formulas differ by 5.6 points: class 0 is over-precise, class 1 is over-recalled.'
    """

    def compute(self) -> dict[str, Tensor]:
        """Return ``averaged_f1``, ``f1_of_averages`` and ``gap`` as float64 tensors on the metric's device."""
        return self._scores()


class AveragedF1(_CountedMetric):
    """Averaged F1, the mean of the per-class F1 scores, as one number; parameters as in `MacroF1`.

    A drop-in for ``MulticlassF1Score(average="macro")``, in ``self.log``, `MetricCollection` and `MetricTracker`.
    """

    def compute(self) -> Tensor:
        """Return the score as a float64 scalar on the metric's device."""
        return self._scores()[self.formula]


class F1PerClass(_CountedMetric):
    """F1 of every class as one tensor, for `ClasswiseWrapper`; parameters as in `MacroF1`.

    Examples
    --------
    >>> import torch, torchmetrics
    >>> metric = torchmetrics.ClasswiseWrapper(F1PerClass(num_classes=2), labels=["cat", "dog"], prefix="f1_")
    >>> metric.update(torch.tensor([0, 1, 1, 1]), torch.tensor([0, 0, 1, 1]))
    >>> {name: round(value.item(), 4) for name, value in metric.compute().items()}
    {'f1_cat': 0.6667, 'f1_dog': 0.8}
    """

    def compute(self) -> Tensor:
        """Return the scores, in the order of the classes."""
        self._scores()  # raises what is wrong
        kind = torch.float32 if self.counts.device.type == "mps" else torch.float64
        tp, fp, fn = self.counts.to(kind).unbind()
        square = self.rules.beta**2
        below = (1 + square) * tp + fp + square * fn
        return torch.where(below > 0, (1 + square) * tp / below, float(self.rules.undefined))


class F1OfAverages(AveragedF1):
    """F1 of averages, the harmonic mean of macro precision and recall, as one number; parameters as in `MacroF1`."""

    formula: ClassVar[Formula] = "f1_of_averages"
