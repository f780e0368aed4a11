"""lm-evaluation-harness runs tasks with our aggregation: its results equal the scores of the logged answers."""

import json

import pytest

import macrof1

lm_eval = pytest.importorskip("lm_eval", reason="lm-evaluation-harness is not installed")

ROWS = [("good", 2), ("bad", 0), ("so so", 1), ("fine", 2), ("awful", 0), ("meh", 1), ("great", 2), ("poor", 0)]
NAMES = ["negative", "neutral", "positive"]
TASK = """task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: "{data}"}}}}
test_split: test
output_type: {kind}
doc_to_text: "{{{{text}}}}"
doc_to_target: {target}
{more}
metric_list:
  - metric: {metric}
    aggregation: !function macrof1.integrations.lm_eval.{aggregation}
    higher_is_better: true
"""


def run(tmp_path, monkeypatch, model, **options):
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps({"text": t, "label": k, "name": NAMES[k]}) + "\n" for t, k in ROWS))
    (tmp_path / "task.yaml").write_text(TASK.format(data=data, **options))
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    found = lm_eval.simple_evaluate(model=model, tasks=[options["name"]], task_manager=manager, bootstrap_iters=0)
    return found["results"][options["name"]], found["samples"][options["name"]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("aggregation", ["averaged_f1", "f1_of_averages"])
def test_multiple_choice(tmp_path, monkeypatch, aggregation):
    results, samples = run(
        tmp_path, monkeypatch, "dummy", name="choice", kind="multiple_choice", target="label",
        more=f"doc_to_choice: {NAMES}", metric="f1", aggregation=aggregation,
    )  # fmt: skip
    gold = [sample["doc"]["label"] for sample in samples]
    pred = []
    for sample in samples:
        likelihoods = [float(answer[0]) for answer in sample["filtered_resps"]]
        pred.append(likelihoods.index(max(likelihoods)))
    expected = macrof1.score(gold, pred, classes="gold")
    assert len(gold) == len(ROWS)
    assert results["f1,none"] == pytest.approx(getattr(expected, aggregation), abs=1e-15)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("aggregation", ["averaged_f1", "f1_of_averages"])
def test_generated_answers(tmp_path, monkeypatch, aggregation):
    from lm_eval.api.model import LM

    answers = {"good": " positive", "bad": "negative", "so so": "positive", "great": "I like it"}

    class Rule(LM):
        """Answers a few texts, and the others with one class."""

        def generate_until(self, requests):
            return [answers.get(request.args[0], "neutral") for request in requests]

        def loglikelihood(self, requests):
            raise NotImplementedError

        def loglikelihood_rolling(self, requests):
            raise NotImplementedError

    function = f"!function macrof1.integrations.lm_eval.{aggregation}"
    results, _ = run(
        tmp_path, monkeypatch, Rule(), name="generated", kind="generate_until", target="name", more="", metric=function,
        aggregation=aggregation,
    )  # fmt: skip
    gold = [NAMES[label] for _, label in ROWS]
    pred = [answers.get(text, "neutral").strip() for text, _ in ROWS]
    expected = getattr(macrof1.score(gold, pred, classes="gold"), aggregation)
    assert 0 < expected < 1
    assert results[f"{aggregation},none"] == pytest.approx(expected, abs=1e-15)
