"""An integration whose library is not installed says how to install it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from macrof1.errors import install_command

from ..conftest import ROOT


@pytest.mark.parametrize(
    ("module", "packages", "extra"),
    [
        ("torch", ["torch", "torchmetrics"], "torch"),
        ("spark", ["pyspark"], "spark"),
        ("sklearn", ["sklearn"], "sklearn"),
        ("inspect_ai", ["inspect_ai", "inspect_ai.scorer"], "inspect"),
    ],
)
def test_a_missing_library_names_the_command(module, packages, extra, monkeypatch):
    probe = (
        f"import sys; sys.modules.update(dict.fromkeys({packages!r}))\n"
        f"try:\n    import macrof1.integrations.{module}\n"
        "except ImportError as error:\n    print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.startswith(f"MissingExtraError macrof1.integrations.{module} needs ")
    monkeypatch.chdir(ROOT)
    assert install_command(extra) in done.stdout
