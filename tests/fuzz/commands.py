"""Commands × arguments × streams: exit code 0 and correct output, or a proper exit code 1 or 2 with one line."""

import io
import json
import os
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from hypothesis import strategies as st

from macrof1.cli import main

from .kinds import exact_of, kind
from .labels import labelled

FOLDER = Path(tempfile.mkdtemp(prefix="macrof1-fuzz-"))
(FOLDER / "p.csv").write_text("gold,pred,w,by\na,a,1,x\nb,a,2,y\nb,b,3,x\n")
(FOLDER / "m.csv").write_text("3,1\n0,4\n")
(FOLDER / "lb.csv").write_text("team,macro_f1,macro_precision,macro_recall\nx,0.5,0.6,0.4\ny,70,80,60\n")
(FOLDER / "all.csv").write_text("gold,one,two\na,a,a\nb,a,b\nc,c,a\na,b,a\n")
(FOLDER / "empty.csv").write_text("")
(FOLDER / "bytes.csv").write_bytes(b"\xff\xfe\0\0,\n")


def run(arguments, stdin=b""):
    """Run mf1 in this process; return its code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin))
    there = Path.cwd()
    os.chdir(FOLDER)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(arguments)
    finally:
        sys.stdin = before
        os.chdir(there)
    return code, out.getvalue(), err.getvalue()


def by_the_book(arguments, stdin=b""):
    """Check the rules that every call keeps."""
    code, out, err = run(arguments, stdin)
    assert code in (0, 1, 2), f"exit {code}: {err}"
    assert "Traceback" not in err
    if code == 2:
        assert out == "", f"printed beside an error: {out!r}"
        assert len(err.splitlines()) == 1, f"an error of several lines: {err!r}"
        assert err.startswith("mf1: ")
    else:
        assert all(line.startswith("mf1: ") for line in err.splitlines()), err
    return code, out, err


OPTIONS = """
    --gold --pred --weight --labels --by --matrix --rows --classes --undefined --beta --convention --missing --no-header
    --header --input-format --format -f --digits --systems --id --published --confidence-level --method --test
    --n-resamples --seed --table --precision --recall --f1 --per-class --support --n-classes --accuracy --correct --total
    --percent --decimals --rounding --task --columns --f1-of-averages --averaged-f1 --closeness --multilabel
    --average --zero-division --help --nonsense -x -- -
""".split()
VALUES = (
    """
    gold pred w by a,b a 1 2 0 -1 0.5 nan inf 1e308 1e-400 x json csv text markdown latex predicted union listed drop
    label error a=0.5/0.5/0.5 a=1 a=120,b=80 99999999999999999999 é 0x10 1_000 ½ 80,1 50% weka a,a = multilabel truncate
    delta bootstrap randomisation combined pairs flips 1000 100 p.csv "
""".split()
    + ["", " ", "9" * 5000, "\ud800"]
)
FILES = ["p.csv", "m.csv", "lb.csv", "all.csv", "empty.csv", "bytes.csv", "nothing.csv", ".", "*.csv", "-", "", "\0"]
COMMANDS = ["score", "compare", "bounds", "audit", "conventions", "count", "cite", "identify", "plan", "scroe", "", "3"]
WORDS = st.one_of(st.sampled_from(OPTIONS), st.sampled_from(VALUES), st.sampled_from(FILES), st.text(max_size=5))
STDIN = st.sampled_from([b"", b"gold,pred\na,a\nb,a\n", b"\xff\0", b"{}", b"[[1,2],[3,4]]", b"1,2\n3,4\n"])


@kind("commands × arguments", st.tuples(st.sampled_from(COMMANDS), st.lists(WORDS, max_size=6), STDIN))
def commands(case):
    command, words, stdin = case
    code, _, _ = by_the_book([command, *words], stdin)
    return f"exit {code}"


FORMATS = [f"--format={name}" for name in ("text", "json", "csv", "markdown", "latex")]
CALLS = {
    "score p.csv": "--weight=w --by=by --labels=a,b,c --classes=seen --classes=gold --undefined=drop --undefined=1 "
    "--beta=2 --convention=weka --missing=drop --digits=2 --gold=pred",
    "conventions p.csv": "--labels=a,b,c --digits=3 --weight=w",
    "count p.csv": "--labels=a,b --weight=w --missing=label",
    "compare all.csv": "--systems=one,two --test=bootstrap --n-resamples=100 --table=pairs --digits=1 --table=summary "
    "--method=delta --confidence-level=0.5 --labels=a,b,c --seed=3",
    "bounds": "--n-classes=3 --precision=0.5 --recall=0.6 --averaged-f1=0.5 --f1-of-averages=0.7 "
    "--support=3,4 --closeness=0.1",
    "audit lb.csv": "--columns=name=team --rounding=truncate --support=a=3 --no-percent --percent",
}


@st.composite
def calls(draw):
    call = draw(st.sampled_from(sorted(CALLS)))
    options = st.sampled_from(CALLS[call].split())
    chosen = draw(st.lists(options, max_size=3, unique_by=lambda option: option.partition("=")[0]))
    formats = [] if call.startswith("count") else draw(st.lists(st.sampled_from(FORMATS), max_size=1))
    return [*call.split(), *chosen, *formats]


@kind("commands × options", calls())
def options(words):
    code, out, _ = by_the_book(words)
    if code == 0 and "--format=json" in words:
        json.loads(out)
    return f"exit {code}"


@kind(
    "mf1 score of standard input", labelled(st.lists(st.sampled_from(["a", "b", "c d", "é"]), min_size=1, unique=True))
)
def standard_input(case):
    gold, pred = case
    table = "gold,pred\n" + "".join(f"{g},{p}\n" for g, p in zip(gold, pred, strict=True))
    code, out, _ = by_the_book(["score", "-", "-f", "json"], table.encode())
    if code == 2:
        return "exit 2"
    found, exact = json.loads(out), exact_of(gold, pred)
    assert abs(found["averaged_f1"] - float(exact.averaged_f1)) < 1e-12
    assert abs(found["f1_of_averages"] - float(exact.f1_of_averages)) < 1e-12
    return "right"


FIGURES = st.one_of(
    st.decimals(0, 1, places=3).map(str), st.sampled_from(["nan", "", "1", "0", "50%", "80,1", "inf", "-0", "1e5"])
)


@kind("mf1 audit", st.tuples(FIGURES, FIGURES, FIGURES, st.sampled_from(["text", "json", "csv", "markdown", "latex"])))
def audits(case):
    precision, recall, f1, output = case
    code, out, _ = by_the_book(["audit", f"--precision={precision}", f"--recall={recall}", f"--f1={f1}", "-f", output])
    if code == 0 and output == "json":
        assert json.loads(out)["verdict"] in ("averaged_f1", "f1_of_averages", "either", "neither")
    return f"exit {code}"


NUMBERS = st.one_of(st.integers(0, 10**6).map(str), st.sampled_from(["0", "1", "3", "7", "-1", "x", "9" * 30]))


@kind("paper's program", st.one_of(st.lists(NUMBERS, max_size=6), st.lists(NUMBERS, min_size=4, max_size=4)))
def program(words):
    code, out, _ = by_the_book(["2", *words])
    assert code == 2 or len(out.splitlines()) == 4
    return f"exit {code}"
