"""Log three outputs per item, and multiple choice, with HELM: ``pip install crfm-helm`` (0.5), then run this file."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation import common_adapter_specs as adapters
from helm.benchmark.metrics.common_metric_specs import get_exact_match_metric_specs
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)
from helm.clients.simple_client import SimpleClient
from items import ANSWERS, CLASSES, ITEMS, LOGS

DEPLOYMENT = """model_deployments:
  - name: simple/fixed
    model_name: simple/model1
    tokenizer_name: simple/tokenizer1
    max_sequence_length: 2048
    client_spec: {class_name: make_helm.Fixed}
"""


class Sentiment(Scenario):  # type: ignore[misc]  # untyped
    """The items, each with all classes as references."""

    name, description, tags = "sentiment", "The sentiment of reviews.", ("classification",)

    def get_instances(self, _: str) -> list[Any]:
        """Return the items."""
        right = {True: [CORRECT_TAG], False: []}
        return [
            Instance(Input(text=text), [Reference(Output(text=one), right[one == gold]) for one in CLASSES], TEST_SPLIT)
            for text, gold in ITEMS
        ]


class Fixed(SimpleClient):  # type: ignore[misc]  # untyped
    """Gives the fixed answers; the letter of the first one, where a choice is asked for."""

    def invoke_model(self, raw_request: Any) -> dict[str, Any]:
        """Return the answers to a prompt."""
        prompt = raw_request["prompt"]
        answers = ANSWERS[next(text for text in ANSWERS if text in prompt)][: raw_request["num_completions"]]
        letters = [f" {'ABC'[CLASSES.index(answer)]}" for answer in answers]
        return {"completions": letters if "A. " in prompt else answers}


@run_spec_function("sentiment")  # type: ignore[untyped-decorator]
def sentiment(kind: str) -> Any:
    """Ask for the class in words, three times, or for its letter."""
    nouns = {"instructions": "Classify.", "input_noun": "Text", "output_noun": "Sentiment", "max_train_instances": 0}
    if kind == "words":
        adapter = adapters.get_generation_adapter_spec(**nouns, num_outputs=3)
    else:
        adapter = adapters.get_multiple_choice_joint_adapter_spec(**nouns)
    scenario = ScenarioSpec(class_name="make_helm.Sentiment")
    metrics = get_exact_match_metric_specs()
    return RunSpec(f"sentiment:kind={kind}", scenario, adapter, metric_specs=metrics, groups=["sentiment"])


def make(folder: Path) -> None:
    """Run both kinds in a suite of their own."""
    (folder / "prod_env").mkdir()
    (folder / "prod_env" / "model_deployments.yaml").write_text(DEPLOYMENT, encoding="utf-8")
    for kind in ("words", "choice"):
        entry = f"sentiment:kind={kind},model_deployment=simple/fixed,model=simple/model1"
        options = shlex.split("--max-eval-instances 10 --suite s --disable-cache --plugins make_helm --exit-on-error")
        call = [sys.executable, "-m", "helm.benchmark.run", "--run-entries", entry, *options]
        paths = {"PYTHONPATH": str(Path(__file__).parent), "HF_HUB_OFFLINE": "1"}
        subprocess.run(call, check=True, cwd=folder, env={**os.environ, **paths})
        (written,) = folder.glob(f"benchmark_output/runs/s/*kind={kind},*/scenario_state.json")
        shutil.copy(written, LOGS / f"helm_{kind}.json")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
