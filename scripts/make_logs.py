"""Make the logs of several answers per item in tests/reading/logs with the real tools: ``python scripts/make_logs.py``.

It needs lm-evaluation-harness (0.4) and Inspect (0.3), no network and no model: the answers are fixed.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

LOGS = Path(__file__).parents[1] / "tests" / "reading" / "logs"
ITEMS = [("great film", "positive"), ("bad film", "negative"), ("so so", "neutral"), ("awful", "negative")]
ANSWERS = {
    "great film": ["positive", "positive", "neutral"],
    "bad film": ["neutral", "negative", "negative"],
    "so so": ["positive", "negative", "neutral"],
    "awful": ["positive", "positive", "positive"],
}
TASK = """task: repeated
dataset_path: json
dataset_kwargs: {{data_files: {{test: "{data}"}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{text}}}}"
doc_to_target: name
repeats: 3
filter_list:
  - name: all
    filter: [{{function: take_first_k, k: 3}}]
  - name: first
    filter: [{{function: take_first}}]
metric_list: [{{metric: bypass}}]
"""


def lm_eval_log(folder: Path) -> None:
    """Run lm-evaluation-harness with three answers to each question, all of them kept by one filter."""
    os.environ |= {"HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    class Fixed(LM):  # type: ignore[misc]  # untyped
        """Gives the fixed answers in turn."""

        def generate_until(self, requests: list[Any]) -> list[str]:
            turns = {text: iter(answers) for text, answers in ANSWERS.items()}
            return [next(turns[request.args[0]]) for request in requests]

        def loglikelihood(self, requests: list[Any]) -> list[Any]:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    data = folder / "data.jsonl"
    data.write_text("".join(json.dumps({"text": t, "name": g}) + "\n" for t, g in ITEMS), encoding="utf-8")
    (folder / "task.yaml").write_text(TASK.format(data=data), encoding="utf-8")
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    tracker = EvaluationTracker(output_path=str(folder / "out"))
    found = lm_eval.simple_evaluate(
        model=Fixed(), tasks=["repeated"], task_manager=manager, bootstrap_iters=0, evaluation_tracker=tracker
    )
    tracker.date_id = "now"
    tracker.save_results_samples("repeated", found["samples"]["repeated"])
    (written,) = (folder / "out").rglob("samples_*.jsonl")
    shutil.copy(written, LOGS / "samples_repeated.jsonl")


def inspect_log(folder: Path) -> None:
    """Run Inspect for three epochs."""
    import tiktoken
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import exact
    from inspect_ai.solver import generate

    class Words:
        """Counts tokens as words: the tool's own tokenizer is downloaded on first use."""

        def encode(self, text: str, **_: Any) -> list[str]:
            return text.split()

    tiktoken.get_encoding = lambda _: Words()
    outputs = [
        ModelOutput.from_content("mockllm/model", ANSWERS[text][epoch]) for epoch in range(3) for text, _ in ITEMS
    ]
    task = Task(dataset=[Sample(input=text, target=gold) for text, gold in ITEMS], solver=generate(), scorer=exact())
    (log,) = evaluate(
        task, model=get_model("mockllm/model", custom_outputs=outputs), log_dir=str(folder), display="none",
        max_samples=1, epochs=3,
    )  # fmt: skip
    shutil.copy(log.location.removeprefix("file://"), LOGS / "inspect_epochs.eval")


if __name__ == "__main__":
    for make in (lm_eval_log, inspect_log):
        with tempfile.TemporaryDirectory() as name:
            make(Path(name))
