"""Scores as assertions of a test."""

from __future__ import annotations

from macrof1.request import Request
from macrof1.running.gates import check_request, gates_of
from macrof1.scoring.group_scores import GroupsResult
from macrof1.scoring.score_result import ScoreResult


def assert_scores(result: ScoreResult | GroupsResult, **least: float) -> None:
    """Fail unless every score is at least as given: of all rows and, if there are groups, of each group.

    Parameters
    ----------
    result
        What `score`, `score_file` or another call returned.
    **least
        The smallest accepted score by name, as for ``mf1 score --fail-under``: ``averaged_f1=0.70``.

    Examples
    --------
    >>> import macrof1
    >>> assert_scores(macrof1.score(["a", "b", "b"], ["a", "a", "b"]), averaged_f1=0.7)
    Traceback (most recent call last):
    AssertionError: averaged_f1 is 0.666667, below 0.7
    """
    __tracebackhide__ = True  # pytest shows the test that failed, not this line
    request = Request(fail_under=tuple(f"{name}={value}" for name, value in least.items()))
    check_request(request)
    failed = [gate.failure for gate in gates_of(result, request) if gate.failure]
    if failed:
        raise AssertionError("\n".join(failed))
