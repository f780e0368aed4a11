"""LaTeX output, compiled with LaTeX; skipped, with a message, if LaTeX is not installed (tests/conftest.py)."""

import subprocess

import macrof1
from macrof1.reporting.rendering import document, render

from .test_comparisons import long_names, render_comparison, result


def test_comparisons_compile(tmp_path):
    names = ("[best] {a}", "*star_1 50% & #2", "a^b~c\\d $x$ <y> |z| naïve − ≤")
    parts = [
        render_comparison(found, "latex", table=table)
        for found in (result(names), long_names(26))
        for table in (None, "pairs")
    ]
    _compiled(parts, tmp_path)


def test_audits_compile(root, tmp_path):
    leaderboard = macrof1.audit_table(
        root / "examples/germeval2018/leaderboard.csv", support={"offense": 1202, "other": 2330}
    )
    figures = {"system": "a_1 & 50%", "macro_precision": "0.29", "macro_recall": "0.23", "macro_f1": "0.41"}
    found = (leaderboard, macrof1.audit_table([figures]), macrof1.audit(precision="0.29", recall="0.23", f1="0.11"))
    _compiled([render(document(result), "latex") for result in found], tmp_path)


def _compiled(parts, tmp_path):
    head = "\\documentclass{article}\n\\usepackage{booktabs,longtable}\n\\begin{document}\n"
    (tmp_path / "t.tex").write_text(head + "\n\n".join(parts) + "\n\\end{document}\n", encoding="utf-8")
    call = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
