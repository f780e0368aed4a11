"""The main job on real data: one GermEval 2018 run under both macro F1s, and the paper's own example."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from macrof1.cli import main


def show(comment: str, *arguments: str) -> None:
    """Print a command and what it answers."""
    print(f"# {comment}\n$ mf1 {shlex.join(arguments)}")
    code = main(arguments)
    if code:
        sys.exit(code)
    print()


os.chdir(Path(__file__).parents[1])
show(
    "A real run of GermEval 2018: above the majority baseline (39.75) under one formula, below it under the other.",
    "score",
    "examples/germeval2018/fosil_coarse_1.csv",
)
show(
    "The paper's own example: the same errors, two classes, two very different macro F1s.",
    *["2", "100", "10000", "0", "100"],
)
