"""Output never overwrites input, and an output that cannot be written gives a one-line error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from macrof1.errors import FileError

pytest.importorskip("resource", reason="streams, links and devices as POSIX has them")

PREDS = "gold,pred\na,a\nb,b\na,b\n"


@pytest.fixture
def folder(tmp_path, said, monkeypatch):  # noqa: ARG001  # which goes to another folder before
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text(PREDS)
    (tmp_path / "all.csv").write_text("gold,one,two\na,a,a\nb,a,b\nc,c,a\na,b,a\n")
    (tmp_path / "m.csv").write_text("2,1\n0,3\n")
    (tmp_path / "link.csv").symlink_to("preds.csv")
    os.link(tmp_path / "preds.csv", tmp_path / "hard.csv")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.counts.json").write_text("{}")
    return tmp_path


def run(folder, *arguments, **options):
    call = [sys.executable, "-m", "macrof1", *arguments]
    options = {"capture_output": True, "text": True, **options}
    return subprocess.run(call, cwd=folder, check=False, **options)


@pytest.mark.parametrize(
    "call",
    [
        ("score", "preds.csv", "--html", "preds.csv"),
        ("score", "preds.csv", "--html", "./link.csv"),
        ("score", "preds.csv", "-o", "preds.csv"),
        ("score", "preds.csv", "--force", "-o", "preds.csv/"),
        ("score", "preds.csv", "-q", "--output", "hard.csv"),
        ("score", "preds.csv", "--config", "m.csv", "-o", "m.csv"),
        ("score", "--report", "m.csv", "-o", "m.csv"),
        ("score", "link.csv", "--html", "preds.csv"),
        ("score", "pre*.csv", "--html", "hard.csv"),
        ("score", "--matrix", "m.csv", "--rows", "gold", "--html", "m.csv"),
        ("compare", "preds.csv", "link.csv", "--html=preds.csv"),
        ("audit", "preds.csv", "--html", "preds.csv"),
        ("count", "parts/*", "-o", "parts/a.counts.json"),
        ("count", "parts", "-o", "parts/a.counts.json"),
    ],
)
def test_an_output_never_destroys_an_input(folder, said, call):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "would overwrite an input" in said(*call, code=2).err
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_nor_the_file_behind_standard_input(folder):
    with (folder / "preds.csv").open() as stdin:
        done = run(folder, "score", "-", "--html", "preds.csv", stdin=stdin)
    assert (done.returncode, "standard input" in done.stderr) == (2, True)
    assert (folder / "preds.csv").read_text() == PREDS


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("call", [("score", "preds.csv"), ("cite",), ("2", "1", "0", "0", "1"), ("--help",)])
def test_a_full_disk_is_one_line(folder, call, unbuffered):
    with Path("/dev/full").open("w") as full:
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        done = run(folder, *call, capture_output=False, stdout=full, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == 2
    assert done.stderr == "mf1: cannot write to standard output: No space left on device\n"


SHORT = """
import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
from macrof1.cli import main
sys.exit(main(["cite"]))
"""


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_short_write_is_an_error(folder, unbuffered):
    with (folder / "out.txt").open("w") as out:
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        call = [sys.executable, "-c", SHORT]
        done = subprocess.run(call, stdout=out, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (2, "mf1: cannot write to standard output: File too large\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("call", ["score preds.csv", "score -", "cite", "score nothing.csv", "score preds.csv -f csv"])
def test_closed_streams_leave_no_traceback(folder, closed, call):
    shell = f"'{sys.executable}' -m macrof1 {call} {closed}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=folder, check=False)
    fine = call in ("cite", "score preds.csv", "score preds.csv -f csv") and ">&-" not in closed.replace("2>&-", "")
    assert done.returncode == (0 if fine else 2), done
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= (4 if fine else 1)
    assert "mf1: " not in done.stdout


EVERY_FORMAT = """
import sys
from macrof1.cli import main
for output in ("text", "json", "csv", "markdown", "latex"):
    assert main(["score", "preds.csv", "-f", output]) == 0
    print("the end of", output, flush=True)
sys.exit(main(["score", "ł.csv"]))
"""


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-8"])
def test_any_encoding_can_be_printed(folder, encoding):
    (folder / "preds.csv").write_text("gold,pred\nłódź,łódź\nb,łódź\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    call = [sys.executable, "-c", EVERY_FORMAT]
    done = subprocess.run(call, capture_output=True, cwd=folder, env=environment, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    shown = done.stdout.decode(encoding).split("the end of ")
    assert ["łódź" in each for each in shown] == [encoding == "utf-8"] * 5 + [False]


def test_names_that_are_no_text(folder):
    name = os.fsencode(folder) + b"/\xff.csv"
    Path(os.fsdecode(name)).write_text(PREDS)
    call = [os.fsencode(sys.executable), b"-m", b"macrof1", b"score"]
    done = subprocess.run([*call, name], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 2)
    done = subprocess.run([*call, name, b"--gold", b"\xfe"], capture_output=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "call",
    [
        ("score", "preds.csv", "-o", "mine"),
        ("score", "preds.csv", "-f", "json", "-o", "mine"),
        ("score", "preds.csv", "--html", "mine"),
        ("audit", "--f1", "0.5", "--html", "mine"),
        ("score", "preds.csv", "--junit", "mine"),
        ("score", "preds.csv", "--junit", "mine/"),
        ("compare", "all.csv", "--table", "pairs", "-o", "mine"),
        ("task", "init", "preds.csv", "-o", "mine"),
        ("count", "preds.csv", "-o", "mine.counts.json"),
    ],
)
def test_what_we_did_not_write_stays_unless_forced(folder, said, call):
    for name in ("mine", "mine.counts.json"):
        (folder / name).write_text("my notes on averaged F1\n")
    refused = "exists and is no earlier output of this command: expected another name; --force replaces it"
    assert refused in said(*call, code=2).err
    assert (folder / call[-1]).read_text() == "my notes on averaged F1\n"
    said(*call, "--force")
    assert (folder / call[-1]).read_text() != "my notes on averaged F1\n"
    said(*call)  # now it is ours


def test_two_outputs_never_share_a_file(folder, said):
    (folder / "y.html").symlink_to("x.html")
    for other in ("x.html", "./x.html", "y.html"):
        shown = said("score", "preds.csv", "--html", "x.html", "-o", other, code=2)
        assert "two outputs would be written to" in shown.err
        assert not (folder / "x.html").exists()


def test_an_output_is_not_the_file_that_is_printed_to(folder):
    for words in ("--html out.txt", "-o /dev/stdout", "--junit ./out.txt"):
        (folder / "out.txt").write_text("kept averaged F1\n")
        with (folder / "out.txt").open("a") as out:
            done = run(folder, "score", "preds.csv", *words.split(), capture_output=False, stdout=out, stderr=-1)
        assert (done.returncode, "is also where mf1 prints" in done.stderr) == (2, True)
        assert (folder / "out.txt").read_text() == "kept averaged F1\n"


def test_a_task_file_that_was_edited_stays(folder, said):
    said("task", "init", "preds.csv")
    said("task", "init", "preds.csv")
    edited = (folder / "task.toml").read_text().replace("100", "5")
    (folder / "task.toml").write_text(edited)
    assert "no earlier output" in said("task", "init", "preds.csv", code=2).err
    assert (folder / "task.toml").read_text() == edited


@pytest.mark.parametrize(
    "words",
    ["score preds.csv -f csv --junit no/x", "score preds.csv --html no/x", "score preds.csv -o x\0y",
     "score sets.jsonl --fail-under accuracy=1", "compare all.csv --method bootstrap -f csv -o no/x",
     "score preds.csv link* all.csv --no-header"],
)  # fmt: skip
def test_what_cannot_be_written_or_checked_is_said_before_anything_is_printed(folder, said, words):
    (folder / "sets.jsonl").write_text('{"gold": ["a"], "pred": ["a", "b"]}\n' * 4)
    shown = said(*words.split(), code=2)
    assert (shown.out, len(shown.err.splitlines())) == ("", 1)


def test_a_link_to_itself_is_an_output_like_any_other(folder, said):
    (folder / "self").symlink_to("self")
    said("score", "preds.csv", "-o", "self")
    assert "averaged F1" in (folder / "self").read_text()


def test_an_explorer_is_not_exported_among_other_files(folder):
    from macrof1.web import export

    (folder / "index.html").write_text("mine")
    (folder / "package").mkdir()
    for name in export._PYODIDE:
        (folder / "package" / name).touch()
    with pytest.raises(FileError, match="holds files that are no earlier export: expected another folder"):
        export.export_site(folder, pyodide=folder / "package")
    assert (folder / "index.html").read_text() == "mine"


def test_a_folder_of_somebody_else_stays_as_it_is(folder, said):
    (folder / "report.html").write_text("mine")
    shown = said("reproduce", "--out", ".", "--quick", "--only", "tables", code=2)
    assert "'report.html' in '.' was not written by an earlier run: expected another folder; --force" in shown.err
    assert (folder / "report.html").read_text() == "mine"
