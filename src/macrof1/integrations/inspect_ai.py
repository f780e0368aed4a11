"""Both macro F1s for Inspect: a scorer that keeps the target with the answer, and two metrics.

::

    from macrof1.integrations.inspect_ai import averaged_f1, label

    Task(dataset=…, solver=generate(), scorer=label(), metrics=[averaged_f1(labels=["positive", "negative"])])

An Inspect metric sees scores, not targets. The scorer `label` therefore writes the target into each score's metadata; a
custom scorer can do the same and use the metrics.
"""

from __future__ import annotations

from collections.abc import Sequence

from macrof1.convention import Formula
from macrof1.entry import score
from macrof1.errors import InputError, MissingExtraError

try:
    from inspect_ai.scorer import CORRECT, INCORRECT, Metric, SampleScore, Score, Scorer, Target, metric, scorer
    from inspect_ai.solver import TaskState
except ImportError:
    raise MissingExtraError.needed(package="inspect-ai", extra="inspect", purpose=__name__) from None


def _metric(formula: Formula, labels: Sequence[str] | None) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        pairs = [((each.score.metadata or {}).get("target"), each.score.answer) for each in scores]
        if any(gold is None or answer is None for gold, answer in pairs):
            written = 'Score(answer=…, metadata={"target": …}), as macrof1.integrations.inspect_ai.label writes it'
            raise InputError("a score lacks the target or the answer", expected=written)
        gold, pred = zip(*pairs, strict=True)
        result = score(list(gold), list(pred), labels=labels, classes="union" if labels is not None else "gold")
        return float(getattr(result, formula))

    return compute


@metric
def averaged_f1(labels: Sequence[str] | None = None) -> Metric:
    """Return averaged F1 over the samples; `labels` as in `macrof1.score`, by default the gold classes."""
    return _metric("averaged_f1", labels)


@metric
def f1_of_averages(labels: Sequence[str] | None = None) -> Metric:
    """Return F1 of averages over the samples; `labels` as in `averaged_f1`."""
    return _metric("f1_of_averages", labels)


@scorer(metrics=[averaged_f1(), f1_of_averages()])
def label(*, ignore_case: bool = False) -> Scorer:
    """Use the model's whole answer, stripped of surrounding whitespace, as its label, and keep the target with it."""

    async def compute(state: TaskState, target: Target) -> Score:
        answer, gold = state.output.completion.strip(), target.text.strip()
        if ignore_case:
            answer, gold = answer.casefold(), gold.casefold()
        return Score(value=CORRECT if answer == gold else INCORRECT, answer=answer, metadata={"target": gold})

    return compute
