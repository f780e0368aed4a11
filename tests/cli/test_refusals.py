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
    ("scroe", "did you mean 'score'"),
    ("--verison", "did you mean --version?"),
    ("-x", "expected a command first"),
    ("cite x", "unexpected argument 'x' for mf1 cite"),
    ("completion tcsh", "tcsh"),
    ("score --lables a", "did you mean --labels?"),
    ("score --glod gold", "unknown option --glod for mf1 score"),
    ("score x.csv --glod a", "did you mean --gold?"),
    ("score --qqqqqqqq", "mf1 score --help shows the options"),
    ("score x.csv --format yaml", "yaml"),
    (f"score {FOSIL} --digits 99", "--digits 99: expected 0 to 17 decimals"),
    (f"score {FOSIL} --beta x", "x"),
    (f"score {FOSIL} --fail-under 0.7", "expected --fail-under averaged_f1=0.7 or --fail-under f1_of_averages=0.7"),
    (f"score {FOSIL} --labels OTHER OFFENSE", "joined by commas: --labels OTHER,OFFENSE"),
    (f"score {FOSIL} --ignore OTHER", "use --exclude to leave a class out of the averages; its rows still count"),
    ("score {a} --labels a,b,", "has an empty name"),
    ("score {a} --by fold,,gold", "has an empty name"),
    ("""score {a} --labels 'a,"b'""", "an unbalanced quote"),
    *((f"{command} a.csv --formt json", "did you mean --format?")
      for command in ("score", "compare", "bounds", "audit", "conventions")),
    *((f"{command} a.csv --formt json", "unknown option --formt") for command in ("count", "explore")),
    ("score x.csv --average macro", "unknown option --average for mf1 score; mf1 always prints both macro F1s"),
    ("score x.csv --zero-division 0", "unknown option --zero-division for mf1 score; use --undefined"),
    ("score x.csv --zero_division 0", "unknown option --zero_division for mf1 score; use --undefined"),
    # Files and columns
    ("score", "no file given"),
    ("score --by fold", "no file given"),
    ("count", "no file given"),
    ("nothing.csv", "no file 'nothing.csv'"),
    ("score nothing.csv", "no file 'nothing.csv'"),
    ("score examples", "is a directory"),
    (f"score {FOSIL} --gold gld", "did you mean 'gold'"),
    ("score {a} --by flod", "did you mean 'fold'"),
    (f"score {FOSIL} --labels x,y", "none of the listed labels"),
    (f"score {FOSIL} --labels OTHER,OTHER", "twice"),
    (f"score {FOSIL} --beta -1", "--beta -1.0: expected"),
    (f"score {FOSIL} --classes listed", "expected --labels with the classes"),
    ("score {a} --convention wekka", "wekka"),
    # Saved counts, matrices, entities
    ("score {a} {one}", "combined with saved counts"),
    ("score x.counts.json", "no file"),
    *((f"score {{one}} {option}", f"{option.split()[0]} cannot be combined with saved counts")
      for option in ("--gold gold", "--missing drop", "--by fold")),
    ("score {one} {one}", "named twice"),
    ("score {one} {two}", "the class sets differ"),
    ("count {a} -o nowhere/a.counts.json", "cannot write"),
    ("score {a} -o nowhere/x", "cannot write"),
    ("score --matrix {m}", "does not say what its rows are: expected --rows predicted"),
    ("conventions --matrix {m}", "does not say what its rows are"),
    (f"score x.csv {MATRIX}", "x.csv cannot be combined with --matrix"),
    ("score x.csv --rows gold", "--rows needs --matrix"),
    (f"score {MATRIX} --by fold", "cannot be combined with --matrix"),
    ("score {a} --scheme iobes", "--scheme needs --spans"),
    ("score {a} --tag-names O", "--tag-names needs --spans"),
    ("score {conll} --spans --weight x", "--weight cannot be combined with --spans"),
    ("score {conll} --spans --normalize case", "--normalize cannot be combined with --spans"),
    ("score {conll} --spans --by fold", "no column 'fold'"),
    ("score {conll} --spans --scheme iob3", "expected one of iob2, iob1"),
    # Conventions
    ("conventions nothing.csv", "no file"),
    ("conventions --gold x", "--gold needs a file"),
    ("conventions --labels a,b", "--labels needs a file"),
    ("conventions --rows gold", "--rows needs --matrix"),
    ("conventions --matrix m.csv", "no file 'm.csv'"),
    (f"conventions p.csv {MATRIX}", "p.csv cannot be combined with --matrix"),
    *((f"conventions {MATRIX} {option}", f"{option.split()[0]} cannot be combined with --matrix")
      for option in ("--weight w", "--missing drop", "--no-header", "--input-format csv")),
    ("conventions --digts 3", "unknown option --digts for mf1 conventions; did you mean --digits?"),
    ("conventions --digits 30", "0 to 17"),
    # Audits
    ("audit", "no figures given"),
    ("audit --precision 50 --recall 0.5 --f1 0.5", "need --percent\n"),
    ("audit --f1 0.567 --decimals 2", "--decimals 2: expected at least 3"),
    ("audit --f1 x", "expected a number"),
    *((f"audit '--f1={value}'", "--f1") for value in ("nan", "", "-", "n/a")),
    (f"audit {LEADERBOARD} --f1 0.5", "--f1 cannot be combined with a file"),
    ("audit --f1 0.5 --columns a=b", "--columns needs a CSV or TSV file"),
    (f"audit {LEADERBOARD} --support offense", "NAME=VALUE"),
    (f"audit {LEADERBOARD} --n-classes 1", "2 classes listed"),
    (f"audit {LEADERBOARD} --no-percent", "--percent"),
    ("audit --f1 0.5 --per-class a=0.5/0.5", "PRECISION/RECALL/F1"),
    ("audit --f1 0.5 --html /nowhere/x.html", "cannot write"),
    ("audit nothing.csv", "no file"),
    ("audit --f1 0.5 --rounding up", "up"),
    *((f"identify {LEADERBOARD} {option}", f"{option.split()[0]} cannot be combined with a leaderboard: expected it")
      for option in ("--gold x", "--by x", "--normalize case")),
    (f"identify {LEADERBOARD} --scheme iob1", "--scheme needs --spans"),
    # Bounds
    ("bounds", "nothing given"),
    ("bounds --precision 1.2 --recall 0.5", "from 0 to 1"),
    ("bounds --precision 0.5", "recall is missing"),
    ("bounds --precision 0.7 --recall 0.4 --n-classes 2", "one label per row"),
    ("bounds --n-classes 0", "1 or more"),
    ("bounds --n-classes x", "x"),
    ("bounds --averaged-f1 abc", "not a number"),
    ("bounds --averaged-f1 1e999999999", "expected a score"),
    ("bounds --support 3,x", "separated by commas"),
    ("bounds --support 0,3", "1 or more per class"),
    (f"bounds --support 3,4 {FOSIL}", "cannot be combined with a file"),
    (f"bounds {FOSIL} --precision 0.5 --recall 0.5", "--precision cannot be combined with a file"),
    (f"bounds {FOSIL} --averaged-f1 0.5 --versus 0.4", "--averaged-f1 cannot be combined with a file"),
    ("bounds --f1-of-averages 0.5 --averaged-f1 0.4", "--averaged-f1 cannot be combined with --f1-of-averages"),
    ("bounds --precision 70 --recall 60", "--precision 70: expected a score from 0 to 1; divide percentages"),
    ("bounds --gold gold", "--gold needs a file"),
    ("bounds --clases 3", "did you mean --n-classes?"),
    (f"bounds {FOSIL} --gold gld", "did you mean 'gold'"),
    ("bounds nothing.csv --gold gold", "no file"),
    ("bounds --versus 0.5", "--versus needs"),
    ("bounds --n-classes 2 --closeness 0", "closeness"),
    # Experiments and plans
    ("reproduce --out {a} --quick", "is a file"),
    ("reproduce --only figure1a", "did you mean 'fig1a'"),
    ("reproduce --only ,", "has an empty name"),
    ("reproduce --seeds 0", "--seeds 0"),
    ("reproduce --seed x", "x"),
    ("plan {a} --difference 0.01 --systems pred,fold,w", "expected the predictions of one or two systems"),
    ("plan {a} --systems pred", "--difference"),
    ("plan {a} --systems pred --difference 1", "did you mean 0.01"),
    ("plan {a} --systems pred --difference 0.01 --power 80", "--power"),
    # Comparisons
    ("compare", "no file given"),
    ("compare nothing.csv", "no file 'nothing.csv'"),
    ("compare {a} {one}", "saved counts"),
    ("compare {m} {more} --matrix --rows gold", "two systems are named 'm'"),
    ("compare {m} {n} --matrix", "needs --rows"),
    ("compare {m} {n} --matrix --rows gold --gold gold", "--gold cannot be combined with --matrix"),
    (f"compare {LEADERBOARD} --published --missing drop", "--missing cannot be combined with a leaderboard"),
    ("compare examples/germeval2018/counts.csv", "expected --by run"),
]  # fmt: skip

TWO = "gold,a,b\nx,x,x\ny,y,y\n"
FIGURES = "run,x_precision,x_recall,y_precision,y_recall\na,1,1,1,1\n"
TABLES = [
    ("--systems a,a", "gold,a\nx,x\n", "named twice"),
    ("--systems a", "gold,a\nx,x\ny,y\n", "only one system, 'a'"),
    ("--systems a,c", TWO, "no column 'c'"),
    ("--systems gold,a", "gold,a\nx,x\n", "cannot be a system too"),
    ("", "gold,a,a\nx,x,x\ny,y,y\n", "several columns named 'a'"),
    ("", "gold,a,b\nx,x,x\nx,x,x\n", "only one class"),
    ("", "gold,a,b\nx,x,\ny,y,y\n", "lacks a gold or a predicted label"),
    ("", "gold,a,b\nx,x,x,x\ny,y,y\n", "line 2"),
    ("", "gold,a,b\n", "empty"),
    ("", "a,b\nx,x\n", "no column has a usual name for gold"),
    ("", "gold,a,b,count\nx,x,y,5\ny,y,x,7\n", "column 'count' of standard input shares no label with gold"),
    ("--confidence-level 95", TWO, "did you mean 0.95"),
    ("--confidence-level 0", TWO, "between 0 and 1"),
    ("--confidence-level 1.5", TWO, "such as 0.95\n"),
    ("--n-resamples 5", TWO, "from 100 to 1,000,000"),
    ("--seed -1", TWO, "0 or larger"),
    ("--id id", TWO, "--id with a single file"),
    ("--rows gold", TWO, "--rows needs --matrix"),
    ("--pred a", TWO, "--systems"),
    ("--format yaml", TWO, "yaml"),
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
