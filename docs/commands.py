"""Directives of the reference: what a command's help prints, and the keys of its JSON output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from schemas import OUTPUTS, keys, schema


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


class OutputSchema(Directive):
    """``{output-schema} score``: the command, a link to the schema, and a table of the keys."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Make the table."""
        name = self.arguments[0]
        made = schema(name)
        file = f"schemas/{name}.json"
        link = nodes.raw("", f'<a class="reference" href="../{file}">{file}</a>', format="html")
        first = nodes.paragraph("", "", nodes.literal(text=made["title"]), nodes.Text(" · "), link)
        rows = keys(made.get("items", made))
        group = nodes.tgroup(cols=3)
        group += [nodes.colspec(colwidth=width) for width in (30, 20, 50)]
        group += nodes.thead("", _row("key", "type", "meaning"))
        group += nodes.tbody("", *(_row(nodes.literal(text=key), kind, words) for key, kind, words in rows))
        return [first, nodes.table("", group)]


def _row(*cells: str | nodes.Node) -> nodes.row:
    shown = [nodes.Text(cell) if isinstance(cell, str) else cell for cell in cells]
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in shown))


def _write_schemas(app, error) -> None:
    """Publish every schema as a file."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir) / "schemas"
        folder.mkdir(exist_ok=True)
        for name in OUTPUTS:
            (folder / f"{name}.json").write_text(json.dumps(schema(name), indent=2) + "\n", encoding="utf-8")


def setup(app) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("command-help", CommandHelp)
    app.add_directive("output-schema", OutputSchema)
    app.connect("build-finished", _write_schemas)
    return {"parallel_read_safe": True}
