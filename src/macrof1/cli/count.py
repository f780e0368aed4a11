"""`mf1 count`: count one part of the data, to be merged and scored later."""

from __future__ import annotations

import sys

from macrof1.cli.parsing import Given
from macrof1.cli.reading import running
from macrof1.cli.streams import say
from macrof1.errors import InputError


def count(given: Given) -> None:
    """Count prediction files, and save the counts: `mf1 score *.counts.json` merges and scores them.

    Given saved counts, it merges them, so that parts can be merged in steps.
    """
    from macrof1.counting.saved import counts_text, is_saved, save_counts
    from macrof1.counting.written_files import refuse_foreign
    from macrof1.labels import dropped_note
    from macrof1.running.jobs import run_count

    output = given["output"]
    if output not in (None, "-") and not is_saved(output):  # `mf1 score` would not recognise it
        expected = "a name that ends in .counts.json"
        raise InputError(f"--output {output}", argument="output", given=output, expected=expected)
    with running(given.request()) as request:
        part = run_count(request)
    if output in (None, "-"):
        sys.stdout.write(counts_text(part))
    else:
        if not given["force"]:
            refuse_foreign(output, counts_text(part))
        save_counts(part.counts, output, missing=part.missing, weight=part.weight)
        say(f"wrote {output}")
    if part.counts.n_dropped:
        say(f"note: {dropped_note(part.counts.n_dropped)}")
