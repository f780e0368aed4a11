"""Every public name, brought together: what ``import macrof1`` offers.

In a room of its own, so that a part (the note's program above all) starts without loading the rest.
"""

import macrof1.paper as paper
from macrof1._version import __version__
from macrof1.auditing.audit import audit
from macrof1.auditing.result import AuditFinding, AuditResult
from macrof1.auditing.table import AuditRow, AuditSummary, AuditTableResult, audit_table
from macrof1.bounding.bounds import BoundsResult, NoFlipResult, ScoreRange, bounds, no_flip
from macrof1.bounding.largest_gap import LargestGapResult, largest_gap
from macrof1.bounding.witness import WitnessResult, witness
from macrof1.catalogue.reader import NamedConvention, conventions
from macrof1.comparing.comparison import compare, compare_counts, compare_published
from macrof1.comparing.result import CompareResult, Difference, Flip, SystemPair, SystemScore
from macrof1.convention import Convention, Signature
from macrof1.counting.arrays import confusion, count
from macrof1.counting.confusion import ClassCounts, Confusion
from macrof1.counting.frames import count_frame
from macrof1.counting.multilabel import count_multilabel
from macrof1.counting.saved import load_counts, save_counts
from macrof1.errors import InputError, MacroF1Error
from macrof1.sampling.intervals import IntervalResult
from macrof1.scoring.definitions import ConventionScore, ScoreConventionsResult, score_conventions
from macrof1.scoring.files import score_file, score_file_groups
from macrof1.scoring.frames import score_frame
from macrof1.scoring.gap import GapPair, gap, gap_pairs, gap_shares
from macrof1.scoring.groups import GroupScore, GroupsResult, score_groups
from macrof1.scoring.macro import averaged_f1, f1_of_averages, score, score_counts, score_matrix
from macrof1.scoring.result import ClassScore, ScoreResult
from macrof1.scoring.streaming import Accumulator

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
