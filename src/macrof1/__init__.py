"""Both macro F1s, always named: averaged F1 and F1 of averages.

>>> import macrof1
>>> result = macrof1.score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
>>> round(result.averaged_f1, 4), round(result.f1_of_averages, 4)
(0.7333, 0.7895)
"""

from macrof1._version import __version__
from macrof1.convention import Convention, Signature
from macrof1.counts.arrays import confusion, count
from macrof1.counts.confusion import ClassCounts, Confusion
from macrof1.counts.frames import count_frame
from macrof1.counts.multilabel import count_multilabel
from macrof1.counts.saved import load_counts, save_counts
from macrof1.errors import InputError, MacroF1Error
from macrof1.scores.frames import score_frame
from macrof1.scores.gap import GapPair, gap, gap_pairs, gap_shares
from macrof1.scores.groups import GroupScore, GroupsResult, score_groups
from macrof1.scores.macro import (
    ClassScore,
    ScoreResult,
    averaged_f1,
    f1_of_averages,
    score,
    score_counts,
    score_matrix,
)
from macrof1.scores.streaming import Accumulator

__all__ = [
    "Accumulator",
    "ClassCounts",
    "ClassScore",
    "Confusion",
    "Convention",
    "GapPair",
    "GroupScore",
    "GroupsResult",
    "InputError",
    "MacroF1Error",
    "ScoreResult",
    "Signature",
    "__version__",
    "averaged_f1",
    "confusion",
    "count",
    "count_frame",
    "count_multilabel",
    "f1_of_averages",
    "gap",
    "gap_pairs",
    "gap_shares",
    "load_counts",
    "save_counts",
    "score",
    "score_counts",
    "score_frame",
    "score_groups",
    "score_matrix",
]
