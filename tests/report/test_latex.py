"""LaTeX that LaTeX itself has read; left out, and said, where there is none (tests/conftest.py)."""

from __future__ import annotations

import subprocess

from macrof1.report.comparisons import render_comparison

from .test_comparisons import long_names, result


def test_comparisons_compile(tmp_path):
    names = ("[best] {a}", "*star_1 50% & #2", "a^b~c\\d $x$ <y> |z| naïve − ≤")
    parts = [
        render_comparison(found, "latex", table=table)
        for found in (result(names), long_names(26))
        for table in (None, "pairs")
    ]
    head = "\\documentclass{article}\n\\usepackage{booktabs,longtable}\n\\begin{document}\n"
    (tmp_path / "t.tex").write_text(head + "\n\n".join(parts) + "\n\\end{document}\n", encoding="utf-8")
    call = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
