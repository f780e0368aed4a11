"""The gallery of audits is what its script makes of the recorded figures."""

from __future__ import annotations

import subprocess
import sys


def test_the_gallery_is_what_its_script_writes(root):
    command = [sys.executable, str(root / "scripts" / "make_gallery.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr
    text = (root / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert text.count("\n## ") == 12
    assert text.count("```sh\nmf1 ") == 12
