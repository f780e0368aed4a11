"""Both macro F1s, always named: averaged F1 and F1 of averages.

>>> import macrof1
>>> result = macrof1.score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
>>> round(result.averaged_f1, 4), round(result.f1_of_averages, 4)
(0.7333, 0.7895)
"""

from importlib import import_module
from types import FunctionType

__version__ = "0.1.0"

TYPE_CHECKING = False  # as in typing, which takes half of the time that this module takes to load
if TYPE_CHECKING:
    from macrof1 import paper, results
    from macrof1.auditing.audited_figures import audit
    from macrof1.auditing.audited_tables import audit_table
    from macrof1.auditing.audited_texts import audit_text
    from macrof1.bounding.bounds import bounds
    from macrof1.catalogue.reader import conventions
    from macrof1.comparing.comparison import compare
    from macrof1.comparing.frames import compare_frame
    from macrof1.convention import Convention, Signature
    from macrof1.counting.arrays import count
    from macrof1.counting.confusion import Confusion
    from macrof1.counting.saved import load_counts, save_counts
    from macrof1.counting.spans import count_spans
    from macrof1.counts import ClassCounts
    from macrof1.entry import Accumulator, averaged_f1, f1_of_averages, score, score_matrix
    from macrof1.errors import InputError, MacroF1Error
    from macrof1.running.calls import compare_file, count_file, score_file, score_frame, score_groups
    from macrof1.running.identifying import identify
    from macrof1.sampling.planning import plan
    from macrof1.scoring.score_result import score_counts

# The module of each public name. Names load on first use, so that one part starts without the rest.
_HOMES = {
    "Accumulator": "entry", "ClassCounts": "counts", "Confusion": "counting.confusion", "Convention": "convention",
    "InputError": "errors", "MacroF1Error": "errors", "Signature": "convention", "audit": "auditing.audited_figures",
    "audit_table": "auditing.audited_tables", "audit_text": "auditing.audited_texts", "averaged_f1": "entry",
    "bounds": "bounding.bounds", "compare": "comparing.comparison", "compare_file": "running.calls",
    "compare_frame": "comparing.frames", "conventions": "catalogue.reader", "count": "counting.arrays",
    "count_file": "running.calls", "count_spans": "counting.spans", "f1_of_averages": "entry",
    "identify": "running.identifying", "load_counts": "counting.saved", "paper": "", "plan": "sampling.planning",
    "results": "", "save_counts": "counting.saved", "score": "entry", "score_counts": "scoring.score_result",
    "score_file": "running.calls", "score_frame": "running.calls", "score_groups": "running.calls",
    "score_matrix": "entry",
}  # fmt: skip

__all__ = [
    "Accumulator", "ClassCounts", "Confusion", "Convention", "InputError", "MacroF1Error", "Signature", "__version__",
    "audit", "audit_table", "audit_text", "averaged_f1", "bounds", "compare", "compare_file", "compare_frame",
    "conventions", "count", "count_file", "count_spans", "f1_of_averages", "identify", "load_counts", "paper", "plan",
    "results", "save_counts", "score", "score_counts", "score_file", "score_frame", "score_groups", "score_matrix",
]  # fmt: skip

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load a public name on first access."""
        if name not in _HOMES:
            raise AttributeError(f"module 'macrof1' has no attribute {name!r}")
        home = _HOMES[name]
        module = import_module(f"macrof1.{home or name}")
        found = getattr(module, name) if home else module
        if isinstance(found, FunctionType):
            found = import_module("macrof1.errors").guarded(found)
            setattr(module, name, found)  # where pickle looks for it
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
