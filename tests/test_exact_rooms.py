"""The exact packages need nothing but the standard library."""

from __future__ import annotations

import subprocess
import sys

PROBE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"numpy", "polars", "rich", "narwhals", "cyclopts", "pandas", "scipy", "pyarrow"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import macrof1
from macrof1.scoring.system_scores import score_conventions
from macrof1.scoring.gap import gap_pairs

counts = macrof1.ClassCounts.from_errors({"cat": (629, 155, 159), "dog": (10, 0, 5)})
counts = counts + macrof1.ClassCounts.of(["cat", "bird"], tp=[1, 2], predicted=[1, 3], actual=[2, 2])
result = macrof1.score_counts(counts, undefined=1)
print(result.averaged_f1, result.f1_of_averages, result.gap, gap_pairs(counts)[0].contribution)
print(result, result.accuracy, result.mcc, len(result.per_class), result.signature(), result.explanation)
print(len(score_conventions(counts).scores), len(macrof1.conventions()), macrof1.Signature.parse(result.signature()))
print(macrof1.bounds(precision="0.2937", recall="0.2283"), macrof1.bounds(support=[30, 20, 100]).gap.high)
print(macrof1.audit(precision="0.2937", recall="0.2283", f1="0.2095").to_dict()["verdict"])
print(result.to_dict()["n_classes"])
matrix = macrof1.Confusion.from_matrix([[n % 7 for n in range(at, at + 60)] for at in range(60)], rows="predicted")
cells = macrof1.score_counts(matrix)
print(cells.averaged_f1, cells.gap, cells.notes, cells.noise_floor, matrix.predicted_for([1])[0][:3])
try:
    macrof1.score_counts([1, 2])
except macrof1.InputError as error:
    print(error)
print(sorted({name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)))
"""


def test_counts_scores_bounds_and_audits_need_nothing_but_python():
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-5:-3] == ["averaged_f1", "3"]
    assert lines[-3].endswith("None [1, 2, 3]")  # cells without NumPy: scores, and no noise floor
    loaded = set(lines[-1].replace("'", "").strip("[]").split(", "))
    assert "macrof1" in loaded
    assert not {"numpy", "polars", "rich"} & loaded
