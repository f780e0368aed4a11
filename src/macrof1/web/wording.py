"""What the library says to people who type commands, said to people who look at the page."""

from __future__ import annotations

import re
from typing import Any, Final

from macrof1.convention import FORMULA_NAMES

_FIELDS: Final = {
    r"percent=True": "“percentages” under “Figures are”",
    r"--percent reads all as percentages": "expected all of them as percentages, or none",
    r"n_classes= says": "“Number of classes” says",
    r'task="multilabel" says': "“Labels per row” says",
    r'rounding="truncate"': "“truncation” under “Cut by”",
    r"--columns (\S+=NAME) says": r"“Columns with other names” says (\1)",
    r"--by (?=to name)|--by$|\(--by\)": "“Column with the system's name” ",
    r"--by (\w+)": r"“Column with the system's name”: \1",
    r"add --no-header( and give positions, counted from 1)?": "put a line with the names of the columns above it",
    r"name one with --gold NAME, [^;]*$": "expected one column such as “gold”, or its name in “Gold column” (Compare)",
    r"name one with --pred NAME, [^;]*$": "expected one column such as “pred”",
    r"name its format with --input-format": "an ending that tells its format (.csv, .tsv, .jsonl)",
    r"--labels, --gold, --pred, --systems, --weight, --beta or --classes": "--gold, --systems or --weight",
    r"--weight": "“Column with counts or weights”",
    r"--systems": "“System columns”",
    r"--gold": "“Gold column”",
}
"""Options of the command line and of functions, and the fields of the page that do the same."""

_SENTENCES: Final = frozenset({"message", "notes", "not_tested", "reason", "sentences"})


def for_the_page(text: str) -> str:
    """Name the fields of the page where a message names options.

    Examples
    --------
    >>> for_the_page("expected a number from 0 to 1; percentages need percent=True")
    'expected a number from 0 to 1; percentages need “percentages” under “Figures are”'
    """
    for option, field in _FIELDS.items():
        text = re.sub(option, field, text)
    for formula, name in FORMULA_NAMES.items():
        text = re.sub(rf"\b{formula}\b(?= \d)", name, text)
    return " ".join(text.split())


def worded(answer: Any, *, sentence: bool = False) -> Any:
    """Return an answer with its sentences worded for the page, and everything else as it is."""
    if isinstance(answer, dict):
        return {name: worded(value, sentence=name in _SENTENCES) for name, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [worded(value, sentence=sentence) for value in answer]
    return for_the_page(answer) if sentence and isinstance(answer, str) else answer
