"""`mf1 compare`: several systems under both macro F1s."""

from __future__ import annotations

from macrof1.cli.gates import check_margin, check_non_inferior, doubtful, failure
from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_document
from macrof1.cli.reading import request_of, running
from macrof1.comparing.inputs import compare_inputs


def compare(given: Given) -> int:
    """Compare systems under both macro F1s: ranks, flips, intervals, tests.

    - `mf1 compare gold.csv a.csv b.csv`: gold, and one file per system
    - `mf1 compare all.parquet --gold gold --systems a,b`: columns of one file
    - `mf1 compare long.csv --systems system --runs seed --id row`: several runs per system
    - `mf1 compare counts.csv --by run --count n`: counts of several systems
    - `mf1 compare a.csv b.csv --matrix --rows gold`: confusion matrices
    - `mf1 compare leaderboard.csv --published`: published precision and recall of each class
    """
    from macrof1.reporting.comparison_documents import checked_table, render_scores_only
    from macrof1.reporting.document import checked_digits
    from macrof1.reporting.rendering import document

    digits = checked_digits(given["digits"])
    checked_table(given["format"], given["table"])
    request = request_of(given)
    check_margin(request.non_inferior, request.baseline)
    with running(request, "resampling") as asked:
        result = compare_inputs(asked)
    quiet = render_scores_only(result, given["format"], digits=digits) if given["quiet"] else None
    print_document(given, document(result, digits=digits), text=quiet, table=given["table"])
    code = failure(doubtful(result.notes) if request.strict else ())
    return code if request.non_inferior is None else check_non_inferior(result, request.non_inferior) or code
