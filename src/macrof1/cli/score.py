"""`mf1 score`: both macro F1s of a prediction file, of entities, or of a confusion matrix."""

from __future__ import annotations

from typing import Any

from macrof1.cli.gates import check_scores, thresholds
from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_document
from macrof1.cli.reading import request_of, running
from macrof1.errors import InputError
from macrof1.message import Argument


def score(given: Given) -> int:
    """Score a prediction file, entities, or a confusion matrix, under both macro F1s.

    - `mf1 score preds.csv`
    - `mf1 score preds.csv --gold label --pred model --labels a,b,c`
    - `mf1 score dev.conll --spans`
    - `mf1 score --matrix confusion.csv --rows gold`
    - `mf1 score --report report.txt`
    - `mf1 score preds.csv --fail-under averaged_f1=0.70`
    - `mf1 score part-*.counts.json -f json`
    """
    from macrof1.reporting.document import checked_digits
    from macrof1.reporting.rendering import document
    from macrof1.reporting.score_documents import render_quietly
    from macrof1.running.jobs import run_score
    from macrof1.sampling.intervals import checked_level

    digits, chosen = checked_digits(given["digits"]), given["format"]
    if given["also"] and chosen == "csv":
        raise InputError.beside("also", Argument("format", chosen), expected="another format")
    request = request_of(given)
    gates = thresholds(request)  # reject an invalid gate before reading anything
    level = checked_level(request.confidence_level) if given["interval"] else None
    with running(request) as asked:
        result: Any = run_score(asked)
    found = document(result, digits=digits, confidence_level=level, also=given["also"])
    quiet = render_quietly(getattr(result, "total", result), chosen, digits=digits) if given["quiet"] else None
    print_document(given, found, text=quiet)
    return check_scores(result, gates, strict=request.strict, level=request.confidence_level)
