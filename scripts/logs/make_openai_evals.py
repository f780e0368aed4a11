"""Log answers in free text with OpenAI Evals: ``pip install evals`` (3.0), then run this file.

Of its requirements, openai, backoff, blobfile, lz4, zstandard, beartype, dacite, mock, numpy, pyyaml, pydantic,
tiktoken and tqdm are enough.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from items import ITEMS, LOGS, TEXTS

EVAL = """sentiment:
  id: sentiment.dev.v0
  metrics: [accuracy]
sentiment.dev.v0:
  class: evals.elsuite.basic.match:Match
  args: {{samples_jsonl: {data}}}
"""


class Fixed:
    """A completion function that gives the fixed answers."""

    def __init__(self, **_: Any) -> None: ...

    def __call__(self, prompt: list[dict[str, str]], **_: Any) -> Fixed:
        """Take a prompt."""
        self.text = TEXTS[prompt[-1]["content"]]
        return self

    def get_completions(self) -> list[str]:
        """Return the answer."""
        return [self.text]


def make(folder: Path) -> None:
    """Run an eval of the class Match on a registry of its own."""
    data = folder / "samples.jsonl"
    asked = [{"input": [{"role": "user", "content": text}], "ideal": gold} for text, gold in ITEMS]
    data.write_text("".join(json.dumps(each) + "\n" for each in asked), encoding="utf-8")
    for name, text in (
        ("evals", EVAL.format(data=data)),
        ("completion_fns", "fixed:\n  class: make_openai_evals:Fixed\n"),
    ):
        (folder / name).mkdir()
        (folder / name / "one.yaml").write_text(text, encoding="utf-8")
    paths = {"PYTHONPATH": str(Path(__file__).parent), "OPENAI_API_KEY": "none", "EVALS_THREADS": "1"}
    program, log = Path(sys.executable).parent / "oaieval", folder / "log.jsonl"
    options = ["--registry_path", str(folder), "--record_path", str(log)]
    subprocess.run([program, "fixed", "sentiment", *options], check=True, env={**os.environ, **paths})
    text = log.read_text(encoding="utf-8").replace(str(folder), ".").replace(str(program), program.name)
    (LOGS / "openai_evals.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
