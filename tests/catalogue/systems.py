"""How to call real systems for what they report as macro F1.

Only the standard library is imported at the top, because `scripts/record_versions.py` runs this file under old versions
of everything else: ``python -m tests.catalogue.systems ENTRY``, with the numbers of the cases on standard input.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from . import language_tools
from .cases import DECLARED, Ask, label_rows, label_sets, tag_rows, tag_rows_without_confusion


class System(NamedTuple):
    """How to ask a system: `make` loads it, and returns what takes gold, predicted and the number of classes."""

    make: Callable[[], Ask]
    tolerance: float = 1e-12
    cases: Callable[..., tuple[Any, Any]] = label_rows
    declared: tuple[int | None, ...] = (DECLARED,)


def scikit_learn(zero_division: float) -> Ask:
    from sklearn.metrics import f1_score

    return lambda gold, pred, n: f1_score(
        gold, pred, labels=None if n is None else list(range(n)), average="macro", zero_division=zero_division
    )


def torchmetrics(name: str) -> Ask:
    """Ask a function by its name; the one of old versions guesses the task from the shape."""
    import torchmetrics.functional as functions
    from torch import tensor

    if name == "old":
        f1 = getattr(functions, "f1_score", None) or functions.f1
    else:
        from torchmetrics.functional import classification

        f1 = getattr(classification, name)
    sets = name == "multilabel_f1_score"

    def ask(gold: Any, pred: Any, n: int | None) -> float:
        guesses = isinstance(gold[0], list) and name == "old"
        options = {"num_labels" if sets else "num_classes": n, "average": "macro"}
        return float(f1(tensor(pred).double() if guesses else tensor(pred), tensor(gold), **options))

    return ask


def torchmetrics_default() -> Ask:
    import torchmetrics
    from torch import tensor

    def ask(gold: Any, pred: Any, n: int | None) -> float:
        try:
            metric = torchmetrics.F1Score(task="multiclass", num_classes=n)
        except (AttributeError, TypeError, ValueError):  # before 0.11
            metric = (getattr(torchmetrics, "F1Score", None) or torchmetrics.F1)(num_classes=n)
        return float(metric(tensor(pred), tensor(gold)))

    return ask


def torcheval(**options: str) -> Ask:
    from torch import tensor
    from torcheval.metrics.functional import multiclass_f1_score

    return lambda gold, pred, n: float(multiclass_f1_score(tensor(pred), tensor(gold), num_classes=n, **options))


def ignite(*, composed: bool) -> Ask:
    import torch
    from ignite import metrics
    from ignite.engine import Engine

    def ask(gold: Any, pred: Any, n: int | None) -> float:
        engine = Engine(lambda _, batch: batch)
        metric = metrics.Fbeta(beta=1)
        if composed:
            precision, recall = metrics.Precision(average=False).mean(), metrics.Recall(average=False).mean()
            metric = precision * recall * 2 / (precision + recall + 1e-20)
        metric.attach(engine, "f1")
        one_hot = torch.nn.functional.one_hot(torch.tensor(pred), n).double()
        return float(engine.run([(one_hot, torch.tensor(gold))]).metrics["f1"])

    return ask


def keras() -> Ask:
    """Keras by its torch backend: KERAS_BACKEND says so before."""
    import numpy as np
    from keras.metrics import F1Score

    def ask(gold: Any, pred: Any, n: int | None) -> float:
        metric = F1Score(average="macro")
        metric.update_state(np.eye(n)[gold], np.eye(n)[pred])
        return float(metric.result())

    return ask


def pycm() -> Ask:
    from pycm import ConfusionMatrix

    def ask(gold: Any, pred: Any, _: int | None) -> float:
        if len({*gold, *pred}) < 2:
            return math.nan  # it refuses a single class
        return ConfusionMatrix(actual_vector=gold, predict_vector=pred).overall_stat["F1 Macro"]

    return ask


def river() -> Ask:
    from river.metrics import MacroF1

    def ask(gold: Any, pred: Any, _: int | None) -> float:
        metric = MacroF1()
        for one, other in zip(gold, pred, strict=True):
            metric.update(one, other)
        return metric.get()

    return ask


def autogluon() -> Ask:
    from autogluon.core.metrics import f1_macro

    return lambda gold, pred, _: float(f1_macro(gold, pred))


def h2o() -> Ask:
    """The metrics of predictions that were made elsewhere, from a server that it starts: it needs Java."""
    import h2o as library
    import numpy as np
    import pandas as pd

    library.init(verbose=False, max_mem_size="1G", nthreads=1)
    library.no_progress()

    def ask(gold: Any, pred: Any, n: int | None) -> float:
        names = [f"class{label}" for label in range(n or 0)]
        actual = library.H2OFrame(pd.DataFrame({"gold": [names[label] for label in gold]}), column_types=["enum"])
        predicted = library.H2OFrame(pd.DataFrame(np.eye(len(names))[pred], columns=names))
        error = library.make_metrics(predicted, actual, domain=names).mean_per_class_error()
        library.remove_all()
        return 1 - float(error)

    return ask


def caml_mimic() -> Ask:
    """Its evaluation.py, with the two files that it loads beside it."""
    import numpy as np
    from evaluation import macro_f1

    return lambda gold, pred, _: float(macro_f1(np.array(pred), np.array(gold)))


BOTH = (DECLARED, None)
# torchmetrics, torcheval and Keras compute in single precision; Keras adds 1e-7 below every ratio; flair rounds the
# precision and the recall of every class, and what it makes of them, to 4 decimals.
SYSTEMS: dict[str, System] = {
    "scikit-learn": System(partial(scikit_learn, 0), declared=BOTH),
    "scikit-learn-1": System(partial(scikit_learn, 1), declared=BOTH),
    "scikit-learn-1-1.3": System(partial(scikit_learn, 1), declared=BOTH),
    "scikit-learn-nan": System(partial(scikit_learn, math.nan), declared=BOTH),
    "scikit-learn-nan-1.3": System(partial(scikit_learn, math.nan), declared=BOTH),
    "torchmetrics": System(partial(torchmetrics, "multiclass_f1_score"), 1e-6),
    "torchmetrics-multilabel": System(partial(torchmetrics, "multilabel_f1_score"), 1e-6, label_sets),
    "torchmetrics-default": System(torchmetrics_default, 1e-6),
    "torchmetrics-before-0.5": System(partial(torchmetrics, "old"), 1e-6),
    "torchmetrics-before-0.5 (sets)": System(partial(torchmetrics, "old"), 1e-6, label_sets),
    "torchmetrics-0.5-to-0.10": System(partial(torchmetrics, "old"), 1e-6),
    "torchmetrics-0.5-to-0.10 (sets)": System(partial(torchmetrics, "old"), 1e-6, label_sets),
    "torchmetrics-0.10-to-0.11": System(partial(torchmetrics, "multiclass_f1_score"), 1e-6),
    "torcheval": System(partial(torcheval, average="macro"), 1e-6),
    "torcheval-default": System(torcheval, 1e-6),
    "pycm": System(pycm, declared=BOTH),
    "river": System(river, declared=BOTH),
    "ignite": System(partial(ignite, composed=False), 1e-9),
    "ignite-composed": System(partial(ignite, composed=True), 1e-9),
    "keras": System(keras, 2e-6),
    "autogluon": System(autogluon, declared=BOTH),
    "h2o": System(h2o),
    "flair": System(language_tools.flair, cases=label_rows, declared=(None,)),
    "flair (sets)": System(language_tools.flair, cases=label_sets, declared=(None,)),
    "flair (spans)": System(language_tools.flair, cases=tag_rows, declared=(None,)),
    "flair-before-0.4.1": System(language_tools.flair_metric, 2e-4),
    "flair-0.4.1": System(language_tools.flair_metric, 2e-4),
    "spacy": System(partial(language_tools.spacy, sets=False)),
    "spacy (sets)": System(partial(language_tools.spacy, sets=True), cases=label_sets),
    "spacy-ner": System(language_tools.spacy_ner, cases=tag_rows, declared=(None,)),
    "fasttext": System(language_tools.fasttext),
    "seqeval": System(language_tools.seqeval, cases=tag_rows, declared=(None,)),
    "nervaluate": System(language_tools.nervaluate, cases=tag_rows, declared=(None,)),
    "hipe": System(partial(language_tools.hipe, "F1_macro"), cases=tag_rows_without_confusion, declared=(None,)),
    "hipe-recomputed": System(
        partial(language_tools.hipe, "F1_macro (recomputed from P & R)"),
        cases=tag_rows_without_confusion,
        declared=(None,),
    ),
    "phoenix-evals-before-3.1.1": System(language_tools.phoenix),
    "lm-eval": System(language_tools.lm_eval, cases=lambda seed, _: label_rows(seed, 2), declared=(2,)),
    "lm-eval-macro": System(language_tools.lm_eval_macro, declared=(None,)),
    "lm-eval-weighted": System(language_tools.lm_eval_weighted, declared=(None,)),
    "lm-eval-cb": System(language_tools.lm_eval_cb, cases=lambda seed, _: label_rows(seed, 3), declared=(3,)),
    "inspect": System(language_tools.inspect, declared=(None,)),
    "helm": System(partial(language_tools.helm, "inferred"), declared=(None,)),
    "helm (sets)": System(partial(language_tools.helm, "inferred"), cases=label_sets, declared=(None,)),
    "helm-labels": System(partial(language_tools.helm, "labels")),
    "helm-labels (sets)": System(partial(language_tools.helm, "labels"), cases=label_sets),
    "helm-choice": System(partial(language_tools.helm, "choice"), declared=(None,)),
    "caml-mimic": System(caml_mimic, 1e-9, label_sets),
}


def answers(entry: str, seeds: Sequence[int]) -> list[float]:
    """Return what a system prints on cases, once for every way of declaring classes; NaN where it prints none."""
    system = SYSTEMS[entry]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of undefined ratios, and of what is going away
        ask = system.make()
        return [float(ask(*system.cases(seed, n or DECLARED), n)) for n in system.declared for seed in seeds]


def differences(entry: str, seeds: Sequence[int], printed: Sequence[float], *, kept: float = 0) -> dict[str, float]:
    """Return the cases where an entry of the catalogue is not what was printed, and by how much it is off.

    `kept` is how far a number that was kept may be from what was printed. Left out is what an entry is not about: data
    with too few classes for it, or without an entity.
    """
    system = SYSTEMS[entry]
    asked = [(seed, n) for n in system.declared for seed in seeds]
    found = {}
    for (seed, n), theirs in zip(asked, printed, strict=True):
        ours = entry_value(entry.partition(" ")[0], *system.cases(seed, n or DECLARED), n)
        if ours is not None and not (math.isnan(ours) and math.isnan(theirs)):
            off = abs(ours - theirs)
            if not off <= system.tolerance + kept:
                found[f"case {seed} with {n} classes declared"] = off
    return found


def entry_value(name: str, gold: Any, pred: Any, n: int | None) -> float | None:
    """Return what a system prints by its entry in the catalogue: NaN for no number, None where it does not apply."""
    import macrof1
    from macrof1.catalogue.reader import find_convention
    from macrof1.counts import class_counts_of
    from macrof1.errors import InputError
    from macrof1.scoring.system_scores import system_score

    try:
        if isinstance(gold[0], list) and isinstance(gold[0][0], str):
            counts = macrof1.count_spans(gold, pred)
        else:
            counts = macrof1.count(*map(_as_given, (gold, pred)), labels=None if n is None else range(n))
    except InputError:  # no entity at all
        return None
    score = system_score(find_convention(name), class_counts_of(counts))
    return None if score is None else math.nan if score.value is None else score.value


def _as_given(side: Any) -> Any:
    return [{label for label, one in enumerate(row) if one} for row in side] if isinstance(side[0], list) else side


if __name__ == "__main__":
    print(json.dumps(answers(sys.argv[1], json.load(sys.stdin))))
