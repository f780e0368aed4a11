"""A directive that prints a command's help as the command itself prints it."""

from __future__ import annotations

import os
import subprocess
import sys

from docutils import nodes
from docutils.parsers.rst import Directive


class CommandHelp(Directive):
    """``{command-help} score``: what ``mf1 score --help`` prints at 80 columns."""

    required_arguments = 0
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Run the command and keep what it prints."""
        words = [*self.arguments, "--help"]
        done = subprocess.run(
            [sys.executable, "-m", "macrof1", *words],
            env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"},
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout.strip()
        return [nodes.literal_block(text, text, language="none")]


def setup(app) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
