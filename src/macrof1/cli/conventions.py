"""`mf1 conventions`: what real systems would report as macro F1 on the same predictions."""

from __future__ import annotations

from dataclasses import replace

from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_document
from macrof1.cli.reading import request_of, running
from macrof1.errors import InputError
from macrof1.message import Argument, Message


def conventions(given: Given) -> None:
    """Print what scikit-learn, torchmetrics, Weka and others would call macro F1 on this file, grouped by value.

    Some systems average over all declared classes, seen or not: --labels declares them. Without a file, print the
    table of conventions, with a source for every row.
    """
    from macrof1.reporting.document import checked_digits
    from macrof1.reporting.rendering import document

    digits, number = checked_digits(given["digits"]), given["number"]
    if not given.words and given["matrix"] is None:
        from macrof1.catalogue.reader import conventions as known_conventions
        from macrof1.reporting.convention_documents import catalogue_document

        if given["rows"] is not None:
            raise InputError(Message(Argument("rows"), " needs ", Argument("matrix")), given=given["rows"])
        given.request().check("conventions", "nothing")
        print_document(given, catalogue_document(known_conventions()))
        return
    from macrof1.running.jobs import read_counts
    from macrof1.scoring.system_scores import score_conventions

    with running(request_of(given)) as request:
        found = read_counts(request, "conventions")
    result = score_conventions(found.counts)
    result = replace(result, notes=(*found.making.notes, *result.notes))
    result = result if number is None else result.marked(number)
    print_document(given, document(result, digits=digits))
