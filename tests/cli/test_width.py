"""No command prints wider than the terminal, whatever the classes and systems are called."""

import random

import pytest

from macrof1.cli import main
from macrof1.cli.commands import COMMANDS
from macrof1.reporting.as_text import shown_width

CLASSES = [
    "a label that somebody has written as a whole sentence, with commas",
    "an_identifier_without_any_spaces_that_goes_on_and_on_and_on_1",
    "short",
    "とても長い分類の名前",
]
SYSTEMS = ["a_system_with_quite_a_long_name_v1", "a_system_with_quite_a_long_name_v2", "pred"]
TEXTS = {
    "score": "score {file}",
    "score, many digits": "score {file} --digits 12",
    "score by group": "score {file} --by part",
    "score, the others too": "score {file} --cluster document --also",
    "score a report": "score --report examples/tutorials/report.txt",
    "compare": "compare {file} --systems {systems} --n-resamples 100",
    "compare runs": "compare examples/tutorials/seeds.csv --systems system --runs seed --id row",
    "compare, one table": "compare {file} --systems {systems} --n-resamples 100 --table summary",
    "audit figures": "audit --precision 0.2937 --recall 0.2283 --f1 0.2095",
    "audit a leaderboard": "audit examples/germeval2018/leaderboard.csv",
    "audit a report": "audit examples/tutorials/report.txt",
    "identify": "identify {file} 0.7186",
    "conventions": "conventions {file}",
    "the catalogue": "conventions",
    "plan": "plan {file} --systems {systems} --difference 0.02 --cluster document",
    "bounds of a file": "bounds {file}",
    "bounds of scores": "bounds --precision 0.7 --recall 0.6 --n-classes 2",
    "bounds of classes": "bounds --n-classes 5",
    "cite": "cite",
    "selftest": "selftest",
    **{f"help of {name}": f"{name} --help" for name in COMMANDS},
    "help": "--help",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rng = random.Random(1)  # noqa: S311  # test data
    lines = [",".join(["document", "part", "gold", *SYSTEMS])]
    for row in range(300):
        gold = rng.choice(CLASSES)
        preds = [gold if rng.random() < right else rng.choice(CLASSES) for right in (0.7, 0.8, 0.6)]
        lines.append(
            ",".join([str(row // 10), f"part {row % 3} with a long name", *(f'"{x}"' for x in (gold, *preds))])
        )
    path = tmp_path_factory.mktemp("wide") / "p.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", TEXTS)
def test_text_fits_the_terminal(name, columns, file, root, capsys, monkeypatch):
    monkeypatch.chdir(root)
    monkeypatch.setenv("COLUMNS", str(columns))
    call = TEXTS[name].format(file=file, systems=",".join(SYSTEMS[: 2 if name == "plan" else 3]))
    assert main(call.split(" ")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    # A signature, an address and the line for a paper stay whole, so that they can be copied.
    wide = [line for line in lines if shown_width(line) > columns and not _copied(line)]
    assert wide == []


def _copied(line):
    return "(95% CI " in line or (("|version:" in line or "://" in line) and len(line.split()) <= 2)
