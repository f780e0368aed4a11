"""Both macro F1s in training and evaluation tools; some modules need an extra."""

from __future__ import annotations

import warnings

from macrof1.convention import ClassSet, Convention, Undefined
from macrof1.counts import ClassCounts
from macrof1.errors import ConventionError, InputError
from macrof1.message import Argument, Message
from macrof1.scoring.score_result import ScoreResult, score_counts


def checked_rules(*, classes: ClassSet, undefined: Undefined, beta: float) -> Convention:
    """Return the convention of a metric, which needs a number where a ratio is undefined."""
    ConventionError.one_of("undefined", undefined, (0, 1))
    return Convention(classes=classes, undefined=undefined, beta=beta)


def weights_not_taken(what: str) -> InputError:
    """Say how a metric that counts rows is made to take weights."""
    given = Message(Argument("sample_weight"), f"{what} given to a metric that counts rows")
    return InputError(given, hint=Message("create the metric with ", Argument("weighted", True)))


def score_of_nothing(n: int = 1) -> ScoreResult:
    """Return the result of no rows: a training run goes on, with a warning."""
    why = "no row was left to score, so that both macro F1s are 0 by convention: is the evaluation set empty?"
    warnings.warn(why, UserWarning, stacklevel=4)
    zeros = [0] * n
    return score_counts(ClassCounts.of(range(n), tp=zeros, predicted=zeros, actual=zeros, n_rows=0))
