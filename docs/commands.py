"""Directives: what a command's help prints, the keys of its JSON output, and the table of conventions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from schemas import OUTPUTS, keys, schema

import macrof1
from macrof1.scoring.system_scores import MEASURE_NAMES


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
        cells = ((nodes.literal(text=key), *more) for key, *more in rows)
        return [first, _table({"key": 30, "type": 20, "meaning": 50}, cells)]


class Catalogue(Directive):
    """``{catalogue}``: every known convention, by what it computes; † was asked and recorded, * was read."""

    def run(self) -> list[nodes.Node]:
        """Make the table."""
        rules: dict[tuple[str, str, str], list[str]] = {}
        for row in macrof1.conventions():
            classes = (row.over or row.classes) + "".join(f" without {label}" for label in row.exclude)
            undefined = f"{row.undefined}" if row.empty is None else f"{row.undefined}, empty {row.empty}"
            mark = {"recorded": "†", "read": "*"}.get(row.evidence, "")
            rule = (MEASURE_NAMES[row.formula], classes, undefined)
            rules.setdefault(rule, []).append(f"{row.name}{mark} {row.versions or ''}".strip())
        head = {"prints": 22, "over": 14, "undefined": 14, "conventions, with versions": 50}
        return [_table(head, ((*rule, "; ".join(names)) for rule, names in rules.items()))]


def _table(head: dict[str, int], rows: Iterable[Iterable[str | nodes.Node]]) -> nodes.table:
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=width) for width in head.values()]
    group += nodes.thead("", _row(*head))
    group += nodes.tbody("", *(_row(*cells) for cells in rows))
    return nodes.table("", group)


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
    app.add_directive("catalogue", Catalogue)
    app.connect("build-finished", _write_schemas)
    return {"parallel_read_safe": True}
