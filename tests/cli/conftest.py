"""Shared by the command-line tests: `mf1` in this process, or through its real entry point."""

import subprocess
import sys
from pathlib import Path

import pytest

MF1 = Path(sys.executable).with_name("mf1")


@pytest.fixture
def mf1(said):
    """Run mf1 and return what it prints; with code=2, the one line on standard error."""

    def run(*arguments, code=0, **options):
        shown = said(*arguments, code=code, **options)
        return shown.err if code == 2 else shown.out

    return run


@pytest.fixture
def real_mf1(root):
    """Run mf1 as people do, in a process of its own, and return what it prints."""

    def run(*arguments, code=0, **options):
        command = [MF1, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False, **options)
        assert done.returncode == code, done.stderr
        return done.stderr if code == 2 else done.stdout

    return run
