"""`mf1 explore`: a page where the gap can be seen and played with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from macrof1.cli.options import MatrixRows
from macrof1.errors import FileError, InputError

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion
    from macrof1.counting.matrix import Rows


def explore(
    file: str | None = None,
    /,
    *,
    rows: MatrixRows = None,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
) -> None:
    """Open the explorer: a page on this machine where a confusion matrix is edited and both macro F1s follow.

    Parameters
    ----------
    file
        Predictions or a confusion matrix to start with.
    host
        The address to listen on; other machines can reach any but the default.
    port
        The port to listen on; 0 takes a free one.
    browser
        Whether to open the page in a browser.
    """
    own = None if file is None else _read(file, rows)
    from macrof1.web.serve import serve

    serve(host=host, port=port, browser=browser, own=own)


def _read(file: str, rows: Rows | None) -> Confusion:
    """Read predictions or a matrix, whichever the file holds."""
    from macrof1.counting.matrix_tables import parse_matrix
    from macrof1.counting.tables import count_file_cells
    from macrof1.reading.tables import opened_tables
    from macrof1.web.limits import MOST_CLASSES
    from macrof1.web.uploads import holds_predictions

    with opened_tables(file, True, None) as tables:
        small = len(tables) == 1 and tables[0].is_text and tables[0].in_rows
        text = tables[0].file.text() if small else ""
        if text and not holds_predictions(text):
            cells = parse_matrix(text, rows=rows or "predicted", name=file)
            if rows is None:
                raise InputError(
                    f"{file} holds a confusion matrix",
                    expected="--rows predicted (as in the paper) or --rows gold (scikit-learn)",
                )
        else:
            cells = count_file_cells(tables)
    if len(cells.labels) > MOST_CLASSES:
        raise FileError(
            f"{file} has {len(cells.labels):,} classes: expected at most {MOST_CLASSES}; mf1 score takes more"
        )
    return cells
