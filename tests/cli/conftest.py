"""Shared by the command-line tests: `mf1` through its real entry point."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MF1 = Path(sys.executable).with_name("mf1")


@pytest.fixture
def mf1(root):
    """Run mf1 and return what it prints; with code=2, the one line on standard error."""

    def run(*arguments, code=0, **options):
        done = subprocess.run(
            [MF1, *map(str, arguments)], capture_output=True, text=True, cwd=root, check=False, **options
        )
        assert done.returncode == code, done.stderr
        if code == 2:
            assert done.stdout == ""
            assert len(done.stderr.splitlines()) == 1, done.stderr
            assert done.stderr.startswith("mf1: ")
            return done.stderr
        return done.stdout

    return run
