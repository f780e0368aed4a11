"""Both macro F1s for lm-evaluation-harness tasks, as metric and as aggregation.

A generative task names the function twice in its YAML file, as metric and as aggregation::

    metric_list:
      - metric: !function macrof1.integrations.lm_eval.averaged_f1
        aggregation: !function macrof1.integrations.lm_eval.averaged_f1
        higher_is_better: true

A multiple-choice task already pairs gold and predicted under the metric ``f1``: replace only its aggregation. The
harness's own ``f1`` is the F1 of the second class, and fails with three classes.

It needs nothing but the harness.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from macrof1.entry import score


def averaged_f1(items: Iterable[tuple[Any, Any]] | None = None, **sides: Sequence[Any]) -> Any:
    """Return averaged F1 of ``(gold, predicted)`` pairs.

    Called as a metric, with ``references=`` and ``predictions=`` of one answer, return its pair.

    Examples
    --------
    >>> pairs = [averaged_f1(references=[gold], predictions=[pred]) for gold, pred in (("a", "a"), ("b", "a"))]
    >>> round(averaged_f1(pairs), 4)
    0.3333
    """
    return _pair(**sides) if items is None else _scored(items).averaged_f1


def f1_of_averages(items: Iterable[tuple[Any, Any]] | None = None, **sides: Sequence[Any]) -> Any:
    """Return F1 of averages of ``(gold, predicted)`` pairs; as `averaged_f1`."""
    return _pair(**sides) if items is None else _scored(items).f1_of_averages


def _pair(*, references: Sequence[Any], predictions: Sequence[Any]) -> tuple[Any, Any]:
    (gold,), (pred,) = references, predictions
    return gold, pred.strip() if isinstance(pred, str) else pred


def _scored(items: Iterable[tuple[Any, Any]]) -> Any:
    gold, pred = zip(*items, strict=True)
    return score(list(gold), list(pred), classes="gold")
