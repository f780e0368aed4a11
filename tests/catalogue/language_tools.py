"""How to call tools for language and language models for what they report as F1; see systems.py."""

from __future__ import annotations

import asyncio
import contextlib
import io
import math
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from .cases import DECLARED, TYPES, Ask, spans


def flair_metric() -> Ask:
    """The class Metric of old versions, as its trainer fills it; the rest of flair is not loaded."""
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


def flair() -> Ask:
    """Classifier.evaluate, of a model that predicts what the case says, of whole sentences or of entities in them."""
    from flair.data import Sentence
    from flair.nn import Classifier

    class Given(Classifier):  # type: ignore[misc, type-arg]  # the library is not here when types are checked
        label_type = "gold"
        forward_loss = _get_state_dict = get_used_tokens = lambda *_: None

        def predict(self, sentences: Any, **_: Any) -> None:
            for sentence in sentences:
                annotate(sentence, "predicted", self.answers[id(sentence)])

    def annotate(sentence: Any, name: str, row: Any) -> None:
        if isinstance(row, int):
            sentence.add_label(name, str(row))
        elif isinstance(row[0], int):
            for label in [label for label, one in enumerate(row) if one]:
                sentence.add_label(name, str(label))
        else:
            for kind, start, end in spans(row):
                sentence[start:end].add_label(name, kind)

    def ask(gold: Any, pred: Any, _: int | None) -> float:
        rows = [Sentence(["word"] * (1 if isinstance(row, int) else len(row))) for row in gold]
        for sentence, row in zip(rows, gold, strict=True):
            annotate(sentence, "gold", row)
        model = Given()
        model.answers = {id(sentence): row for sentence, row in zip(rows, pred, strict=True)}
        with contextlib.redirect_stderr(io.StringIO()):
            result = model.evaluate(rows, "gold", return_loss=False)
        # With a single label on one side, and none on the other, it says that it could not evaluate, and scores 0.
        return float(result.scores.get(("macro avg", "f1-score"), result.main_score))

    return ask


def spacy(*, sets: bool) -> Ask:
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


def lm_eval_macro() -> Ask:
    """The functions of those tasks that print averaged F1: all must give the same."""
    from lm_eval.tasks.aradice.piqa.metrics import macro_f1_score
    from lm_eval.tasks.noreval.norec.utils import multi_f1
    from lm_eval.tasks.portuguese_bench.assin2_utils import macro_f1

    def ask(gold: Any, pred: Any, _: int | None) -> float:
        items = list(zip(gold, pred, strict=True))
        found = {float(f1(items)) for f1 in (macro_f1, macro_f1_score)}
        found.add(float(multi_f1([pair[::-1] for pair in items])))
        return found.pop() if len(found) == 1 else math.nan

    return ask


def lm_eval_weighted() -> Ask:
    from lm_eval.utils import weighted_f1_score

    return lambda gold, pred, _: float(weighted_f1_score(list(zip(gold, pred, strict=True))))


def lm_eval_cb() -> Ask:
    from lm_eval.tasks.super_glue.cb.aggregate import cb_multi_fi

    return lambda gold, pred, _: float(cb_multi_fi(list(zip(pred, gold, strict=True))))


def inspect() -> Ask:
    """The scorer on every sample, and its first metric on the scores."""
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import SampleScore, Target, f1, mean
    from inspect_ai.solver import TaskState

    scorer, metric = f1(), mean()

    async def scores(gold: Any, pred: Any) -> list[Any]:
        found = []
        for one, other in zip(gold, pred, strict=True):
            output = ModelOutput.from_content("mockllm/model", f"class{other}")
            state = TaskState("mockllm/model", 1, 1, "input", [], output=output)
            found.append(SampleScore(score=await scorer(state, Target(f"class{one}"))))
        return found

    return lambda gold, pred, _: float(metric(asyncio.run(scores(gold, pred))))


def helm(metric: str) -> Ask:
    """Its metrics, on requests that were answered; several labels are one answer with commas."""
    from helm.benchmark.adaptation.request_state import RequestState
    from helm.benchmark.metrics import classification_metrics
    from helm.benchmark.scenarios.scenario import CORRECT_TAG, Input, Instance, Output, Reference
    from helm.common.request import GeneratedOutput, Request, RequestResult

    def state(one: list[str], other: list[str]) -> Any:
        references = [Reference(Output(text=label), tags=[CORRECT_TAG]) for label in one]
        answer = GeneratedOutput(text=",".join(other), logprob=0.0, tokens=[])
        result = RequestResult(success=True, embedding=[], completions=[answer], cached=False)
        return RequestState(Instance(Input(text=""), references), None, None, 0, None, Request(), result, 0, False)

    def ask(gold: Any, pred: Any, n: int | None) -> float:
        sets = isinstance(gold[0], list)
        sides = [_names(row) for row in gold], [_names(row) for row in pred]
        if metric == "inferred" and not any(sides[0]):
            return math.nan  # it refuses data without a gold label
        options: dict[str, Any] = {"labels": list(map(str, range(n or 0)))} if metric == "labels" else {}
        options |= {"delimiter": ","} if sets else {}
        if metric == "choice":
            asked = classification_metrics.MultipleChoiceClassificationMetric()
        else:
            asked = classification_metrics.ClassificationMetric(**options)
        with contextlib.redirect_stderr(io.StringIO()):
            stats = asked.evaluate_instances([state(*pair) for pair in zip(*sides, strict=True)], "")
        return float(next(stat.mean for stat in stats if stat.name.name == "classification_macro_f1"))

    return ask


def _names(row: Any) -> list[str]:
    return [str(row)] if isinstance(row, int) else [str(label) for label, one in enumerate(row) if one]


def hipe(name: str) -> Ask:
    """The scorer of HIPE on two files in its format; every sentence is a segment."""
    from hipe_evaluation.ner_eval import Evaluator

    folder = Path(tempfile.mkdtemp())

    def ask(gold: Any, pred: Any, _: int | None) -> float:
        for side, rows in (("gold", gold), ("pred", pred)):
            segments = ("".join(f"word\t{tag}\t_\n" for tag in tags) for tags in rows)
            text = "TOKEN\tNE-COARSE-LIT\tMISC\n# document_id = 1\n"
            (folder / side).write_text(text + "# segment\n".join(segments))
        with contextlib.redirect_stdout(io.StringIO()):
            found, _by_type = Evaluator(str(folder / "gold"), str(folder / "pred")).evaluate(
                "NE-COARSE-LIT", eval_type="nerc"
            )
        return float(found["strict"][name])

    return ask
