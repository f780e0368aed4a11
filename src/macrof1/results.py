"""Every result type by name, for annotations: ``def report(result: macrof1.results.ScoreResult) -> None: ...``."""

from macrof1.auditing.audit_results import AuditFinding, AuditResult
from macrof1.auditing.audited_tables import AuditRow, AuditSummary, AuditTableResult
from macrof1.auditing.audited_texts import AuditedReport, AuditTextResult
from macrof1.bounding.bounds import BoundsResult, ScoreRange
from macrof1.bounding.largest_gap import LargestGapResult, WitnessResult
from macrof1.catalogue.reader import NamedConvention
from macrof1.comparing.compared import CompareResult, Difference, Flip, RunScores, SystemPair, SystemScore
from macrof1.result import Result
from macrof1.sampling.intervals import IntervalResult
from macrof1.sampling.planning import PlanResult
from macrof1.scoring.definitions import DefinedScore
from macrof1.scoring.gap import GapPair
from macrof1.scoring.group_scores import GroupScore, GroupsResult
from macrof1.scoring.identification import IdentifiedRow, IdentifyMatch, IdentifyResult, IdentifyTableResult
from macrof1.scoring.score_result import ClassScore, ScoreResult
from macrof1.scoring.system_scores import ConventionScore, ScoreConventionsResult

__all__ = [
    "AuditFinding", "AuditResult", "AuditRow", "AuditSummary", "AuditTableResult", "AuditTextResult",
    "AuditedReport", "BoundsResult", "ClassScore", "CompareResult", "ConventionScore", "DefinedScore", "Difference",
    "Flip", "GapPair", "GroupScore", "GroupsResult", "IdentifiedRow", "IdentifyMatch", "IdentifyResult",
    "IdentifyTableResult", "IntervalResult", "LargestGapResult", "NamedConvention", "PlanResult",
    "Result", "RunScores", "ScoreConventionsResult", "ScoreRange", "ScoreResult", "SystemPair", "SystemScore",
    "WitnessResult",
]  # fmt: skip
