"""Every public name, brought together: what ``import macrof1`` offers.

In a room of its own, so that a part (the note's program above all) starts without loading the rest.
"""

import macrof1.paper as paper
from macrof1._version import __version__
from macrof1.audit_tables import AuditRow, AuditSummary, AuditTableResult, audit_table
from macrof1.auditing import AuditFinding, AuditResult, audit
from macrof1.catalogue import NamedConvention, conventions
from macrof1.compared import CompareResult, Difference, Flip, SystemPair, SystemScore
from macrof1.comparison import compare, compare_counts, compare_published
from macrof1.convention import Convention, Signature
from macrof1.counts.arrays import confusion, count
from macrof1.counts.confusion import ClassCounts, Confusion
from macrof1.counts.frames import count_frame
from macrof1.counts.multilabel import count_multilabel
from macrof1.counts.saved import load_counts, save_counts
from macrof1.errors import InputError, MacroF1Error
from macrof1.scores.bounding import BoundsResult, NoFlipResult, ScoreRange, bounds, no_flip
from macrof1.scores.files import score_file, score_file_groups
from macrof1.scores.frames import score_frame
from macrof1.scores.gap import GapPair, gap, gap_pairs, gap_shares
from macrof1.scores.groups import GroupScore, GroupsResult, score_groups
from macrof1.scores.known import ConventionScore, ScoreConventionsResult, score_conventions
from macrof1.scores.largest_gap import LargestGapResult, largest_gap
from macrof1.scores.macro import averaged_f1, f1_of_averages, score, score_counts, score_matrix
from macrof1.scores.result import ClassScore, ScoreResult
from macrof1.scores.streaming import Accumulator
from macrof1.scores.supremum import WitnessResult, witness
from macrof1.scores.uncertainty import IntervalResult

__all__ = [
    "Accumulator",
    "AuditFinding",
    "AuditResult",
    "AuditRow",
    "AuditSummary",
    "AuditTableResult",
    "BoundsResult",
    "ClassCounts",
    "ClassScore",
    "CompareResult",
    "Confusion",
    "Convention",
    "ConventionScore",
    "Difference",
    "Flip",
    "GapPair",
    "GroupScore",
    "GroupsResult",
    "InputError",
    "IntervalResult",
    "LargestGapResult",
    "MacroF1Error",
    "NamedConvention",
    "NoFlipResult",
    "ScoreConventionsResult",
    "ScoreRange",
    "ScoreResult",
    "Signature",
    "SystemPair",
    "SystemScore",
    "WitnessResult",
    "__version__",
    "audit",
    "audit_table",
    "averaged_f1",
    "bounds",
    "compare",
    "compare_counts",
    "compare_published",
    "confusion",
    "conventions",
    "count",
    "count_frame",
    "count_multilabel",
    "f1_of_averages",
    "gap",
    "gap_pairs",
    "gap_shares",
    "largest_gap",
    "load_counts",
    "no_flip",
    "paper",
    "save_counts",
    "score",
    "score_conventions",
    "score_counts",
    "score_file",
    "score_file_groups",
    "score_frame",
    "score_groups",
    "score_matrix",
    "witness",
]
