"""`mf1 plan`: how many test rows it takes to detect a difference."""

from __future__ import annotations

from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_document
from macrof1.cli.reading import running
from macrof1.errors import InputError


def plan(given: Given) -> None:
    """Compute how many test rows it takes to detect a difference between two systems.

    - `mf1 plan pilot.csv --difference 0.01`
    - `mf1 plan pilot.csv --difference 0.02 --systems a,b --power 0.9`
    - `mf1 plan pilot.csv --difference 0.01 --no-paired --cluster document`
    """
    from macrof1.comparing.inputs import run_plan
    from macrof1.reporting.rendering import document

    if not given.words or given["difference"] is None:
        raise InputError(
            f"{'no --difference' if given.words else 'no file'} given",
            argument="difference" if given.words else "file",
            expected="a pilot file and the difference to detect, as in mf1 plan pilot.csv --difference 0.01",
        )
    with running(given.request()) as request:
        result = run_plan(request)
    print_document(given, document(result))
