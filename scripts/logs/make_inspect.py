"""Log three epochs with Inspect: ``pip install inspect-ai`` (0.3), then run this file."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from items import ANSWERS, ITEMS, LOGS


def make(folder: Path) -> None:
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
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
