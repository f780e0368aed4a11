"""Log three answers to each item with lm-evaluation-harness: ``pip install lm_eval`` (0.4), then run this file."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from items import ANSWERS, ITEMS, LOGS

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


def make(folder: Path) -> None:
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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
