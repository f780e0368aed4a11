"""Tables read by Polars: Parquet and Arrow in chunks, and text block by block, lazily."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import polars as pl

from macrof1.reading.blocks import block_size, n_lines, record_blocks
from macrof1.reading.diagnosis import first_broken_line, refuse_stray_quotes, warn_of_line_breaks
from macrof1.reading.dialect import quotes_protect, refuse_lone_returns
from macrof1.reading.engine import polars_reads
from macrof1.reading.tables import TableFile, TooManyRowsError
from macrof1.reading.typed_files import scan_arrow

# Whole lines are parsed: with projection pushdown, Polars does not notice lines with too many fields.
WHOLE_LINES = pl.QueryOptFlags(projection_pushdown=False)
# So many rows show quickly whether most are distinct.
_FIRST_ROWS = 1 << 17


def metadata_of(table: TableFile) -> dict[str, str]:
    """Return the metadata of a Parquet file."""
    with polars_reads(table.unreadable):
        return pl.read_parquet_metadata(table.path)


def scan(batch: Sequence[TableFile]) -> pl.LazyFrame:
    """Read typed files lazily; Parquet files of one schema may be read together."""
    table = batch[0]
    if table.format == "parquet":
        found = pl.scan_parquet([part.path for part in batch], glob=False, hive_partitioning=False)
    else:
        found = scan_arrow(table.file)
    return _with_folders(table, found)


class TextBlock(NamedTuple):
    """A block of whole records; `quoted`: whether quotes delimit fields; `read`: the bytes of the file so far."""

    frame: pl.LazyFrame
    quoted: bool
    read: int
    n_lines: int


def text_blocks(table: TableFile) -> Iterator[TextBlock]:
    """Read a text file lazily, block by block."""
    width = len(table.columns)
    names = (table.separator.join(map(str, range(width))) + "\n").encode()  # these need no quotes
    has_header = table.header
    for block, read in record_blocks(table.file, block_size(), header=names):
        quoted = quotes_protect(block, table.separator, width)
        refuse_lone_returns(block, table.name, quoted=quoted)
        frame = pl.scan_csv(
            block,
            separator=table.separator,
            has_header=has_header,
            new_columns=table.columns,
            quote_char='"' if quoted else None,
            infer_schema=False,
            glob=False,
        )
        lines = n_lines(block) - has_header if b'"' in block else 0
        yield TextBlock(_with_folders(table, frame), quoted, read, lines)
        has_header = True


def whole_frame(table: TableFile) -> pl.LazyFrame:
    """Read a table of any format lazily, in one piece."""
    return pl.concat([block.frame for block in text_blocks(table)]) if table.is_text else scan([table])


def _with_folders(table: TableFile, found: pl.LazyFrame) -> pl.LazyFrame:
    added = {name: pl.lit(value) for name, value in table.partition.items() if name not in table.columns}
    return found.with_columns(**added) if added else found


def refuse_quotes(table: TableFile, frame: pl.DataFrame, columns: Sequence[str]) -> None:
    """Reject required values that contain a quote in a block whose quotes do not delimit fields."""
    for column in columns:
        found = frame.filter(pl.col(column).str.contains('"', literal=True))[column] if frame.height else ()
        refuse_stray_quotes(table.name, list(found[:1]), f"column {column!r}")


def refuse_short_lines(table: TableFile) -> None:
    """Check a text file again after a null was read: it may be a field missing at the end of a line."""
    broken = first_broken_line(table.file, table.format, table.separator)
    if broken:
        raise broken


def collected(table: TableFile, wanted: Sequence[str]) -> dict[str, list[Any]]:
    """Return whole columns as lists."""
    with polars_reads(table.unreadable, aloud=table.is_text):
        frame = _plain_text(collected_frame(table, wanted))
    return {column: frame[column].to_list() for column in wanted}


def distinct(
    table: TableFile, wanted: Sequence[str], most: int | None = None
) -> tuple[dict[str, list[Any]], list[int]]:
    """Return the distinct rows of some columns and their frequencies; grouped while the file is read.

    More than `most` distinct rows are rejected before they fill the memory.
    """
    names = list(dict.fromkeys(wanted))
    with polars_reads(table.unreadable, aloud=table.is_text):
        if table.is_text:
            frame = _distinct_text(table, names, most)
        else:
            if most is not None:
                check_first_rows(scan([table]), names, most)
            frame = grouped(scan([table]), names, most)
    return listed(frame, wanted)


def listed(frame: pl.DataFrame, wanted: Sequence[str]) -> tuple[dict[str, list[Any]], list[int]]:
    """Return the columns of grouped rows as lists, and how many rows each stands for."""
    frame = _plain_text(frame)
    return {column: frame[column].to_list() for column in wanted}, frame[AMOUNT].to_list()


def grouped(frame: pl.LazyFrame, names: list[str], most: int | None) -> pl.DataFrame:
    """Group equal rows; reject more than `most` distinct ones."""
    groups = frame.group_by(names).agg(pl.len().alias(AMOUNT))
    return check_few((groups if most is None else groups.head(most + 1)).collect(engine="streaming"), most)


def check_first_rows(frame: pl.LazyFrame, names: list[str], most: int) -> None:
    """Reject a table whose first rows show that it has more than `most` distinct ones.

    Mostly distinct rows would fill the memory while they are grouped. A few rows tell whether that is likely.
    """
    for n_rows in (_FIRST_ROWS, 2 * most):
        n_distinct = frame.head(n_rows).select(names).unique().select(pl.len()).collect(engine="streaming").item()
        if n_distinct > most:
            raise TooManyRowsError
        if 2 * n_distinct < n_rows:
            return


def check_few(frame: pl.DataFrame, most: int | None) -> pl.DataFrame:
    """Reject more than `most` rows."""
    if most is not None and frame.height > most:
        raise TooManyRowsError
    return frame


def _plain_text(frame: pl.DataFrame) -> pl.DataFrame:
    text = [name for name, kind in frame.schema.items() if kind in (pl.Categorical, pl.Enum)]
    return frame.with_columns(pl.col(text).cast(pl.String))


# No column name in a header contains this character.
AMOUNT, _SHORT = "\0rows", "\0short"


def _distinct_text(table: TableFile, names: list[str], most: int | None) -> pl.DataFrame:
    last = pl.col(table.columns[-1])
    parts: list[pl.DataFrame] = []
    for block in text_blocks(table):
        query = block.frame.group_by(names).agg(pl.len().alias(AMOUNT), last.is_null().any().alias(_SHORT))
        part = query.collect(engine="streaming", optimizations=WHOLE_LINES)
        if not block.quoted:
            refuse_quotes(table, part, names)
        warn_of_line_breaks(table.name, int(part[AMOUNT].sum()), block.n_lines)
        if part[_SHORT].any() or any(part[name].has_nulls() for name in names):
            refuse_short_lines(table)
        parts.append(part.drop(_SHORT))
        if most is not None and sum(one.height for one in parts) > most:
            parts = [check_few(_merged(parts, names), most)]
    return _merged(parts, names)


def _merged(parts: list[pl.DataFrame], names: list[str]) -> pl.DataFrame:
    return pl.concat(parts).group_by(names).agg(pl.col(AMOUNT).sum())


def collected_frame(table: TableFile, wanted: Sequence[str]) -> pl.DataFrame:
    """Return whole columns; text is checked while it is read."""
    names = list(dict.fromkeys(wanted))
    if not table.is_text:
        return scan([table]).select(names).collect(engine="streaming")
    last = table.columns[-1]
    parts = []
    for block in text_blocks(table):
        query = block.frame.select(list(dict.fromkeys([*names, last])))
        parts.append(query.collect(engine="streaming", optimizations=WHOLE_LINES))
        if not block.quoted:
            refuse_quotes(table, parts[-1], names)
        warn_of_line_breaks(table.name, parts[-1].height, block.n_lines)
    frame = pl.concat(parts)
    if any(frame[column].has_nulls() for column in frame.columns):
        refuse_short_lines(table)
    return frame.select(names)
