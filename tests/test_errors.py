"""Hints name what works in the user's interface."""

from __future__ import annotations

from pathlib import Path

from macrof1.errors import MissingExtraError, install_command

from .conftest import ROOT


def test_a_clone_is_installed_from_where_it_is(monkeypatch, tmp_path):
    package = ROOT / "src" / "macrof1"
    monkeypatch.chdir(ROOT)
    assert install_command("web", package=package) == "pip install -e '.[web]'"
    monkeypatch.chdir(tmp_path)
    assert install_command("web", package=package) == f"pip install -e '{ROOT}[web]'"


def test_an_installed_package_is_installed_from_the_index(tmp_path):
    installed = tmp_path / "lib" / "site-packages" / "macrof1"
    assert install_command("charts", package=installed) == "pip install 'macrof1-score[charts]'"
    # A folder called src that is not a clone.
    assert install_command("charts", package=tmp_path / "src" / "macrof1") == "pip install 'macrof1-score[charts]'"


def test_every_missing_extra_says_so(monkeypatch):
    monkeypatch.chdir(ROOT)
    error = MissingExtraError.needed(package="Altair", extra="charts", purpose="drawing charts")
    assert str(error).startswith("drawing charts needs Altair, which is not installed: pip install ")
    assert isinstance(error, ImportError)
    assert Path.cwd() == ROOT
