"""Users' files are opened in `reading/` and nowhere else."""

import ast

OPENERS = {"open", "read_text", "read_bytes", "fdopen"}
ENGINES = ("scan_", "read_csv", "read_parquet", "read_ipc", "read_ndjson")
# What opens files of its own: our data, what we write, and nothing that a user names to be read.
OWN_FILES = {
    "catalogue/reader.py": {"read_text"},
    "cli/parsing.py": {"read_text"},
    "cli/more_commands.py": {"read_text"},
    "cli/data_commands.py": {"fdopen", "open"},  # standard error, and the summary of a CI job
    "cli/streams.py": {"open", "stdin"},
    "counting/saved.py": {"fdopen"},
    "integrations/_cuda.py": {"read_bytes"},
    "paper/experiments.py": {"read_text"},  # our table of claims
    "paper/reproduction.py": {"open", "read_bytes"},
    "counting/written_files.py": {"open", "read_text"},  # what we write, and whether we wrote it before
    "reporting/charts.py": {"read_text"},  # our theme
    "reporting/as_markup.py": {"read_text"},  # our style and script
    "web/app.py": {"read_text"},
    "web/front_door.py": {"read_bytes"},  # what the explorer is started with, passed on as if it had been dropped
    "web/presets.py": {"read_text"},
    "web/export.py": {"read_bytes"},
    "web/serve.py": {"open"},
    "web/workers.py": {"open", "read_text"},
}


def openings(tree):
    """Name every call that opens a file, and every use of standard input."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name in OPENERS or name.startswith(ENGINES):
                yield name
        elif isinstance(node, ast.Attribute) and node.attr == "stdin":
            yield "stdin"


def test_no_other_room_opens_a_file(root):
    source = root / "src/macrof1"
    found = {}
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(source).as_posix()
        calls = set(openings(ast.parse(path.read_text(encoding="utf-8")))) - OWN_FILES.get(name, set())
        if calls and not name.startswith("reading/"):
            found[name] = calls
    assert not found
