"""How to call real systems for what they report as macro F1, and the random cases to call them on.

Only the standard library is imported at the top, because `scripts/record_versions.py` runs this file under old versions
of everything else: ``python -m tests.catalogue.systems ENTRY``, with the numbers of the cases on standard input.
"""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

# Classes that are declared; most cases lack some of them.
DECLARED = 6
# Where chance seldom goes: one row, one class, all wrong, all right, disjoint sides, a class on one side only.
DEGENERATE = (
    "0 0",
    "0 1",
    "5 5",
    "000 111",
    "0000 0000",
    "012345 012345",
    "012345 123450",
    "0011 2233",
    "000112 001130",
)
TYPES = ("LOC", "ORG", "PER")


def label_rows(seed: int, n: int = DECLARED) -> tuple[list[int], list[int]]:
    """Return one label per row: some classes are absent, some only gold, some only predicted."""
    if seed < len(DEGENERATE) and n == DECLARED:
        gold, pred = DEGENERATE[seed].split()
        return list(map(int, gold)), list(map(int, pred))
    rng = random.Random(seed)  # noqa: S311
    some, others = (rng.sample(range(n), rng.randint(1, n)) for _ in range(2))
    right = rng.choice([0, 0.2, 0.5, 0.8])
    rows = [rng.choice(some) for _ in range(rng.choice([rng.randint(1, 6), rng.randint(1, 60)]))]
    return rows, [label if rng.random() < right else rng.choice(others) for label in rows]


def label_sets(seed: int, n: int = DECLARED) -> tuple[list[list[int]], list[list[int]]]:
    """Return several labels per row, as 0 and 1 per class: some classes are absent, some rows have none."""
    rng = random.Random(seed)  # noqa: S311
    shares = [rng.choice([0, 0.2, 0.5]) for _ in range(n)]
    gold = [[int(rng.random() < share) for share in shares] for _ in range(rng.randint(1, 30))]
    return gold, [[one if rng.random() < 0.7 else int(rng.random() < 0.3) for one in row] for row in gold]


def tag_rows(seed: int, n: int = DECLARED) -> tuple[list[list[str]], list[list[str]]]:  # noqa: ARG001
    """Return sentences of IOB2 tags, by their rules; some without an entity."""
    rng = random.Random(seed)  # noqa: S311
    gold = [_entities(rng, rng.randint(1, 12)) for _ in range(rng.randint(1, 6))]
    pred = [tags if rng.random() < 0.4 else _entities(rng, len(tags)) for tags in gold]
    return gold, pred


def _entities(rng: random.Random, n: int) -> list[str]:
    tags: list[str] = []
    while len(tags) < n:
        kind = rng.choice(TYPES)
        tags += [f"B-{kind}", *[f"I-{kind}"] * rng.randint(0, 2)] if rng.random() < 0.4 else ["O"]
    return tags[:n]


Ask = Callable[[Any, Any, int | None], float]


class System(NamedTuple):
    """How to ask a system: `make` loads it, and returns what takes gold, predicted and the number of classes."""

    make: Callable[[], Ask]
    tolerance: float = 1e-12
    cases: Callable[..., tuple[Any, Any]] = label_rows
    declared: tuple[int | None, ...] = (DECLARED,)


def scikit_learn(zero_division: float) -> Callable[[], Ask]:
    def make() -> Ask:
        from sklearn.metrics import f1_score

        return lambda gold, pred, n: f1_score(
            gold, pred, labels=None if n is None else list(range(n)), average="macro", zero_division=zero_division
        )

    return make


def torchmetrics(name: str) -> Callable[[], Ask]:
    """Ask a function by its name; the one of old versions guesses the task from the shape."""

    def make() -> Ask:
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

    return make


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


def torcheval(**options: str) -> Callable[[], Ask]:
    def make() -> Ask:
        from torch import tensor
        from torcheval.metrics.functional import multiclass_f1_score

        return lambda gold, pred, n: float(multiclass_f1_score(tensor(pred), tensor(gold), num_classes=n, **options))

    return make


def ignite(*, composed: bool) -> Callable[[], Ask]:
    def make() -> Ask:
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

    return make


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


def flair() -> Ask:
    """Its class Metric, as its trainer fills it; the rest of flair, with all that it needs, is not loaded."""
    package = ModuleType("flair")
    package.__path__ = [f"{folder}/flair" for folder in sys.path if Path(folder, "flair/training_utils.py").exists()]
    sys.modules["flair"] = package
    from flair.training_utils import Metric

    def ask(gold: Any, pred: Any, n: int | None) -> float:
        metric = Metric("")
        add = {(1, 1): metric.add_tp, (0, 1): metric.add_fp, (1, 0): metric.add_fn, (0, 0): metric.add_tn}
        for one, other in zip(gold, pred, strict=True):
            for label in range(n or 0):
                add[one == label, other == label](str(label))
        return metric.macro_avg_f_score()

    return ask


def spacy(*, sets: bool) -> Callable[[], Ask]:
    def make() -> Ask:
        from spacy.scorer import Scorer
        from spacy.tokens import Doc
        from spacy.training import Example
        from spacy.vocab import Vocab

        vocab = Vocab()

        def doc(row: Any, n: int) -> Any:
            found = Doc(vocab, words=["text"])
            found.cats = {str(label): float(row[label] if sets else row == label) for label in range(n)}
            return found

        def ask(gold: Any, pred: Any, n: int | None) -> float:
            count = n or 0
            rows = [Example(doc(other, count), doc(one, count)) for one, other in zip(gold, pred, strict=True)]
            labels = list(map(str, range(count)))
            return Scorer.score_cats(rows, "cats", labels=labels, multi_label=sets)["cats_macro_f"]

        return ask

    return make


def spacy_ner() -> Ask:
    from spacy.scorer import Scorer
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.vocab import Vocab

    vocab = Vocab()

    def ask(gold: Any, pred: Any, _: int | None) -> float:
        docs = [[Doc(vocab, words=["w"] * len(tags), ents=tags) for tags in side] for side in (pred, gold)]
        found = Scorer.score_spans([Example(*pair) for pair in zip(*docs, strict=True)], "ents")["ents_f"]
        return math.nan if found is None else found

    return ask


def fasttext() -> Ask:
    """Train it to read its answer off the text, so that it predicts what a case says."""
    import fasttext as library

    folder = Path(tempfile.mkdtemp())
    train, test = folder / "train.txt", folder / "test.txt"
    train.write_text("".join(f"__label__{label} word{label}\n" for label in range(DECLARED)) * 200)
    model = library.train_supervised(str(train), epoch=50, lr=1.0, verbose=0)

    def ask(gold: Any, pred: Any, _: int | None) -> float:
        test.write_text("".join(f"__label__{one} word{other}\n" for one, other in zip(gold, pred, strict=True)))
        _, precision, recall = model.test(str(test))
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    return ask


def seqeval() -> Ask:
    from seqeval.metrics import f1_score

    return lambda gold, pred, _: f1_score(gold, pred, average="macro", zero_division=0)


def nervaluate() -> Ask:
    from nervaluate import Evaluator

    def ask(gold: Any, pred: Any, _: int | None) -> float:
        found: Any = Evaluator(gold, pred, tags=list(TYPES), loader="list").evaluate()
        if isinstance(found, dict):
            return found["overall"]["strict"].f1
        return found[0]["strict"]["f1"]  # before 1.0

    return ask


def phoenix() -> Ask:
    from phoenix.evals.metrics.precision_recall import PrecisionRecallFScore

    def ask(gold: Any, pred: Any, _: int | None) -> float:
        sides = {"expected": list(map(str, gold)), "output": list(map(str, pred))}
        return next(score.score for score in PrecisionRecallFScore().evaluate(sides) if score.name == "f1")

    return ask


def lm_eval() -> Ask:
    from lm_eval.api.metrics import f1_score

    return lambda gold, pred, _: float(f1_score(list(zip(gold, pred, strict=True))))


def caml_mimic() -> Ask:
    """Its evaluation.py, with the two files that it loads beside it."""
    import numpy as np
    from evaluation import macro_f1

    return lambda gold, pred, _: float(macro_f1(np.array(pred), np.array(gold)))


BOTH = (DECLARED, None)
# torchmetrics, torcheval and Keras compute in single precision; Keras adds 1e-7 below every ratio; flair rounds the
# precision and the recall of every class, and what it makes of them, to 4 decimals.
SYSTEMS: dict[str, System] = {
    "scikit-learn": System(scikit_learn(0), declared=BOTH),
    "scikit-learn-1": System(scikit_learn(1), declared=BOTH),
    "scikit-learn-1-1.3": System(scikit_learn(1), declared=BOTH),
    "scikit-learn-nan": System(scikit_learn(math.nan), declared=BOTH),
    "scikit-learn-nan-1.3": System(scikit_learn(math.nan), declared=BOTH),
    "torchmetrics": System(torchmetrics("multiclass_f1_score"), 1e-6),
    "torchmetrics-multilabel": System(torchmetrics("multilabel_f1_score"), 1e-6, label_sets),
    "torchmetrics-default": System(torchmetrics_default, 1e-6),
    "torchmetrics-before-0.5": System(torchmetrics("old"), 1e-6),
    "torchmetrics-before-0.5 (sets)": System(torchmetrics("old"), 1e-6, label_sets),
    "torchmetrics-0.5-to-0.10": System(torchmetrics("old"), 1e-6),
    "torchmetrics-0.5-to-0.10 (sets)": System(torchmetrics("old"), 1e-6, label_sets),
    "torchmetrics-0.10-to-0.11": System(torchmetrics("multiclass_f1_score"), 1e-6),
    "torcheval": System(torcheval(average="macro"), 1e-6),
    "torcheval-default": System(torcheval(), 1e-6),
    "pycm": System(pycm, declared=BOTH),
    "river": System(river, declared=BOTH),
    "ignite": System(ignite(composed=False), 1e-9),
    "ignite-composed": System(ignite(composed=True), 1e-9),
    "keras": System(keras, 2e-6),
    "autogluon": System(autogluon, declared=BOTH),
    "flair-before-0.4.1": System(flair, 2e-4),
    "flair-0.4.1": System(flair, 2e-4),
    "spacy": System(spacy(sets=False)),
    "spacy (sets)": System(spacy(sets=True), cases=label_sets),
    "spacy-ner": System(spacy_ner, cases=tag_rows, declared=(None,)),
    "fasttext": System(fasttext),
    "seqeval": System(seqeval, cases=tag_rows, declared=(None,)),
    "nervaluate": System(nervaluate, cases=tag_rows, declared=(None,)),
    "phoenix-evals-before-3.1.1": System(phoenix),
    "lm-eval": System(lm_eval, cases=lambda seed, _: label_rows(seed, 2), declared=(2,)),
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
    from macrof1.scoring.systems import system_score

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
