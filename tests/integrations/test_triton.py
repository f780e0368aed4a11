"""The kernels' logic, on the host: Triton interprets them. tests/integrations/test_torch_cuda.py compiles them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .parts import part

part("torch")
part("triton")


def test_kernels_count_what_the_host_counts():
    script = Path(__file__).with_name("programs") / "interpreted_kernels.py"
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "kernels agree with the host" in done.stdout
