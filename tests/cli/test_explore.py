"""`mf1 explore` and the reports, through the real command."""

import contextlib
import socket
import subprocess
import sys

import pytest

import macrof1
from macrof1.entry import score_matrix
from macrof1.reporting.rendering import document, render


def run(*arguments, cwd=None):
    command = [sys.executable, "-m", "macrof1", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd, check=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["--port", "70000"], "--port 70000: expected 0 (a free one) to 65535"),
        (["--port", "many"], "port"),
        (["--host", "192.0.2.1"], "cannot listen on 192.0.2.1"),
        (["--host", "no such host"], "cannot listen on no such host"),
        (["--rows", "columns"], "rows"),
    ],
)
def test_what_cannot_be_explored_is_said_in_one_line(arguments, said):
    done = run("explore", "--no-browser", *arguments)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_said_in_one_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run("explore", "--no-browser", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "address already in use" in done.stderr


def test_a_broken_file_is_refused_before_the_server_starts(tmp_path):
    (tmp_path / "x.csv").write_text("gold,pred\na,a\nb\n")
    done = run("explore", "--no-browser", "x.csv", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "line 3" in done.stderr


def test_a_fixed_port_keeps_links_alive_and_gives_way_if_it_is_taken():
    from macrof1.web.serve import PORT

    command = [sys.executable, "-m", "macrof1", "explore", "--no-browser"]
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):  # another explorer may run on this machine
            taken.bind(("127.0.0.1", PORT))
            taken.listen()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert "http://127.0.0.1:" in process.stdout.readline()
            process.terminate()
            assert f"port {PORT} is taken" in process.stderr.read()


def score_page(result):
    """Return the page of a score."""
    return render(document(result, confidence_level=0.95), "html")


def test_a_report_of_many_classes_and_of_another_beta():
    n = 60
    table = [[9 if i == j else (i + j) % 3 for j in range(n)] for i in range(n)]
    assert score_page(score_matrix(table, rows="predicted")).count("<figure ") == 2
    assert "What other tools" not in score_page(score_matrix([[3, 1], [2, 5]], rows="gold", beta=2))


def test_a_report_where_undefined_ratios_are_left_out():
    counts = macrof1.count([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 3, 0], labels=range(5))
    page = score_page(macrof1.score_counts(counts, convention="yardstick"))
    assert page.count("<figure ") == 1
    assert "Pairs of classes" not in page
