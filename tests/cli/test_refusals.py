"""Calls that cannot be followed: exit code 2, nothing on standard output, and one line that says what is wrong."""

from __future__ import annotations

import io
import shlex

import pytest

from macrof1.cli import main

FOSIL = "examples/germeval2018/fosil_coarse_1.csv"
LEADERBOARD = "examples/germeval2018/leaderboard.csv"
MATRIX = "--matrix m.csv --rows gold"

CALLS = [
    # Commands and options
    ("--verison", "did you mean --version?"),
    ("cite x", "unexpected argument 'x' for mf1 cite"),
    ("completion tcsh", "tcsh"),
    ("score --lables a", "did you mean --labels?"),
    ("score --glod gold", "unknown option --glod for mf1 score"),
    ("score --qqqqqqqq", "mf1 score --help shows the options"),
    ("score x.csv --format yaml", "yaml"),
    (f"score {FOSIL} --beta x", "x"),
    (f"score {FOSIL} --fail-under 0.7", "expected --fail-under averaged_f1=0.7 or --fail-under f1_of_averages=0.7"),
    (f"score {FOSIL} --labels OTHER OFFENSE", "joined by commas: --labels OTHER,OFFENSE"),
    (f"score {FOSIL} --ignore OTHER", "use --exclude to leave a class out of the averages; its rows still count"),
    ("score {a} --labels a,b,", "has an empty name"),
    ("score {a} --by fold,,gold", "has an empty name"),
    *((f"{command} a.csv --formt json", "did you mean --format?")
      for command in ("score", "compare", "bounds", "audit", "conventions")),
    *((f"{command} a.csv --formt json", "unknown option --formt") for command in ("count", "explore")),
    ("score x.csv --zero_division 0", "unknown option --zero_division for mf1 score; use --undefined"),
    # Files and columns
    ("nothing.csv", "no file 'nothing.csv'"),
    ("score nothing.csv", "no file 'nothing.csv'"),
    ("score {a} --by flod", "did you mean 'fold'"),
    (f"score {FOSIL} --labels OTHER,OTHER", "twice"),
    ("score {a} --convention wekka", "wekka"),
    # Saved counts, matrices, entities
    ("score x.counts.json", "no file"),
    ("score {one} {one}", "named twice"),
    ("score {one} {two}", "the class sets differ"),
    ("count {a} -o nowhere/a.counts.json", "cannot write"),
    ("count {a} -o a.json", "ends in .counts.json"),
    (f"score x.csv {MATRIX}", "x.csv cannot be combined with --matrix"),
    ("score {a} --tag-names O", "--tag-names needs --spans"),
    ("score {conll} --spans --by fold", "no column 'fold'"),
    ("score {conll} --spans --scheme iob3", "expected one of iob2, iob1"),
    # Conventions
    ("conventions --matrix m.csv", "no file 'm.csv'"),
    (f"conventions p.csv {MATRIX}", "p.csv cannot be combined with --matrix"),
    ("conventions --digts 3", "unknown option --digts for mf1 conventions; did you mean --digits?"),
    # Audits
    ("audit --f1 0.567 --decimals 2", "--decimals 2: expected at least 3"),
    ("audit --f1 x", "expected a number"),
    *((f"audit '--f1={value}'", "--f1") for value in ("nan", "", "-", "n/a")),
    (f"audit {LEADERBOARD} --support offense", "NAME=VALUE"),
    (f"audit {LEADERBOARD} --n-classes 1", "2 classes listed"),
    (f"audit {LEADERBOARD} --no-percent", "--percent"),
    ("audit --f1 0.5 --rounding up", "up"),
    *((f"identify {LEADERBOARD} {option}", f"{option.split()[0]} cannot be combined with a leaderboard: expected it")
      for option in ("--gold x", "--by x", "--normalize case")),
    # Bounds
    ("bounds --precision 1.2 --recall 0.5", "from 0 to 1"),
    ("bounds --precision 0.7 --recall 0.4 --n-classes 2", "one label per row"),
    ("bounds --n-classes x", "x"),
    ("bounds --averaged-f1 abc", "not a number"),
    ("bounds --averaged-f1 1e999999999", "expected a score"),
    ("bounds --support 0,3", "1 or more per class"),
    (f"bounds {FOSIL} --precision 0.5 --recall 0.5", "--precision cannot be combined with a file"),
    (f"bounds {FOSIL} --averaged-f1 0.5", "--averaged-f1 cannot be combined with a file"),
    ("bounds --f1-of-averages 0.5 --averaged-f1 0.4", "--averaged-f1 cannot be combined with --f1-of-averages"),
    ("bounds --precision 70 --recall 60", "--precision 70: expected a score from 0 to 1; divide percentages"),
    ("bounds --clases 3", "did you mean --n-classes?"),
    ("bounds --n-classes 2 --closeness 0", "closeness"),
    # Experiments and plans
    ("reproduce --out {a} --quick", "is a file"),
    ("reproduce --only figure1a", "did you mean 'fig1a'"),
    ("reproduce --seeds 0", "--seeds 0"),
    ("reproduce --seed x", "x"),
    ("plan {a} --difference 0.01 --systems pred,fold,w", "expected the predictions of one or two systems"),
    ("plan {a} --systems pred --difference 1", "did you mean 0.01"),
    # Comparisons
    ("compare nothing.csv", "no file 'nothing.csv'"),
    ("compare {m} {more} --matrix --rows gold", "two systems are named 'm'"),
    ("compare {m} {n} --matrix", "does not say what its rows are"),
    (f"compare {LEADERBOARD} --published --missing drop", "--missing cannot be combined with a leaderboard"),
    ("compare examples/germeval2018/counts.csv", "expected --by run"),
]  # fmt: skip

TWO = "gold,a,b\nx,x,x\ny,y,y\n"
FIGURES = "run,x_precision,x_recall,y_precision,y_recall\na,1,1,1,1\n"
TABLES = [
    ("--systems a", "gold,a\nx,x\ny,y\n", "only one system, 'a'"),
    ("--systems a,c", TWO, "no column 'c'"),
    ("--systems gold,a", "gold,a\nx,x\n", "cannot be a system too"),
    ("", "gold,a,a\nx,x,x\ny,y,y\n", "several columns named 'a'"),
    ("", "gold,a,b\nx,x,x\nx,x,x\n", "only one class"),
    ("", "gold,a,b\nx,x,\ny,y,y\n", "lacks a gold or a predicted label"),
    ("", "gold,a,b\nx,x,x,x\ny,y,y\n", "line 2"),
    ("", "gold,a,b\n", "empty"),
    ("", "gold,a,b,count\nx,x,y,5\ny,y,x,7\n", "column 'count' of standard input shares no label with gold"),
    ("--confidence-level 1.5", TWO, "such as 0.95\n"),
    ("--n-resamples 5", TWO, "from 100 to 1,000,000"),
    ("--seed -1", TWO, "0 or larger"),
    ("--pred a", TWO, "--systems"),
    ("--by run", "gold,pred\nx,x\n", "no column 'run'"),
    ("--by run --count n", "run,gold,pred,n\na,x,x,many\n", "the count is 'many'"),
    ("--by run --count n", "run,gold,pred,n\na,x,x,-1\n", "the count is '-1'"),
    ("--by run", "run,gold,pred\n,x,x\na,x,x\n", "nothing in column 'run'"),
    ("--by run", "run,gold,pred\na,x,\nb,x,x\n", "1 of 2 rows lack"),
    ("--by run --test randomisation", "run,gold,pred\na,x,y\nb,x,x\n", "without rows"),
    ("--by run --systems a,b", "run,gold,pred\na,x,y\nb,x,x\n", "--systems cannot be combined with --by"),
    ("--published", "run,x_precision,x_recall\na,1,1\n", "precision and recall of 1 class:"),
    ("--published", FIGURES.replace("1\n", "no\n"), "y_recall is 'no'"),
    ("--published", FIGURES + "a,1,1,1,1\n", "named 'a'"),
    ("--published", FIGURES.replace("run", "q"), "--by"),
    ("--published --beta 2", FIGURES, "--beta"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("refused")
    (path / "a.csv").write_text("fold,gold,pred,w\n1,x,x,1\n1,y,x,2\n")
    (path / "a.conll").write_text("EU B-ORG B-ORG\nrejects O O\n")
    (path / "more").mkdir()
    for name in ("m.csv", "n.csv", "more/m.csv"):
        (path / name).write_text("a,b\n8,2\n0,5\n")
    for name, more in (("one", []), ("two", ["--labels", "x,y"])):
        assert main(["count", str(path / "a.csv"), *more, "-o", str(path / f"{name}.counts.json")]) == 0
    names = {"a": "a.csv", "conll": "a.conll", "m": "m.csv", "n": "n.csv", "more": "more/m.csv"}
    return {name: path / file for name, file in names.items()} | {x: path / f"{x}.counts.json" for x in ("one", "two")}


def refused(words, message, capsys):
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("mf1: ")
    assert len(shown.err.splitlines()) == 1
    assert message in shown.err


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_a_call_that_cannot_be_followed_gets_one_line(call, message, folder, capsys, monkeypatch, root):
    monkeypatch.chdir(root)
    refused([word.format(**folder) for word in shlex.split(call)], message, capsys)


@pytest.mark.parametrize(("options", "table", "message"), TABLES)
def test_a_table_that_cannot_be_compared_gets_one_line(options, table, message, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(table.encode())))
    refused(["compare", "-", *options.split()], message, capsys)
