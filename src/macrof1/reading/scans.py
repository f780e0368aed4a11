"""Tables read by Polars: Parquet and Arrow in chunks, and text block by block.

Memory grows with the distinct rows of the columns wanted, not with rows, except where whole columns are wanted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import polars as pl
from numpy.typing import NDArray

from macrof1.errors import FileError
from macrof1.reading.columns import N_FIRST, Repeats
from macrof1.reading.dialect import TextBlock, count_byte, n_lines, text_blocks, warn_of_line_breaks
from macrof1.reading.engine import polars_reads, scan_arrow
from macrof1.reading.files import Progress
from macrof1.reading.gold_digest import MOST_TEXT_IDS, GoldDigest
from macrof1.reading.rows import rows_of, text_records
from macrof1.reading.tables import TableFile, TooManyRowsError

# Bytes of text per thread: few enough for the caches, and enough to hide the cost of starting a query.
_BYTES_PER_THREAD = 4 << 20
_MOST_BYTES = 64 << 20
# Whole lines are parsed: with projection pushdown, Polars does not notice lines with too many fields.
_WHOLE_LINES = pl.QueryOptFlags(projection_pushdown=False)
# Distinct rows of blocks are merged at this many, or at twice as many as were left the last time.
_MOST_DISTINCT = 1 << 20
# So many rows show quickly whether most are distinct.
_FIRST_ROWS = 1 << 17
# No column name in a header contains this character.
_TIMES, _HASH, _KEY, _ROW = "\0times", "\0hash", "\0key", "\0row"


@contextmanager
def _reading(table: TableFile, names: Sequence[str]) -> Iterator[None]:
    """Let Polars read a table; what is wrong with text is said by Python's reader, which knows the line."""

    def refused(error: BaseException) -> FileError:
        try:
            for _ in rows_of(table, names) if table.is_text else ():
                pass
        except FileError as found:
            return found
        return table.unreadable(error)

    with polars_reads(refused):
        yield


def scan(batch: Sequence[TableFile]) -> pl.LazyFrame:
    """Read typed files lazily; Parquet files of one schema may be read together."""
    table = batch[0]
    if table.format == "parquet":
        found = pl.scan_parquet([part.file.path for part in batch], glob=False, hive_partitioning=False)
    else:
        found = scan_arrow(table.file)
    return _with_folders(table, found)


def _with_folders(table: TableFile, found: pl.LazyFrame) -> pl.LazyFrame:
    added = {name: pl.lit(value) for name, value in table.partition.items() if name not in table.columns}
    return found.with_columns(**added) if added else found


def _text_blocks(table: TableFile) -> Iterator[tuple[pl.LazyFrame, TextBlock, bool]]:
    """Read a text file lazily, block by block; say also whether a block has a header."""
    width = len(table.columns)
    names = (table.separator.join(map(str, range(width))) + "\n").encode()  # these need no quotes
    has_header = table.header
    size = min(_BYTES_PER_THREAD * max(2, pl.thread_pool_size()), _MOST_BYTES)
    for block in text_blocks(table.file, table.separator, width, size, header=names):
        # Without a line end, Polars drops an empty field too many at the end of the file.
        data = block.data if block.data.endswith(b"\n") else block.data + b"\n"
        frame = pl.scan_csv(
            data,
            separator=table.separator,
            has_header=has_header,
            new_columns=table.columns,
            quote_char='"' if block.quoted else None,
            infer_schema=False,
            glob=False,
        )
        if table.separator == "|":
            frame = frame.with_columns(pl.all().str.strip_chars(" "))
        yield _with_folders(table, frame), block._replace(data=data), has_header
        has_header = True


def whole_frame(table: TableFile) -> pl.LazyFrame:
    """Read a table of any format lazily, in one piece."""
    return pl.concat([frame for frame, _, _ in _text_blocks(table)]) if table.is_text else scan([table])


def _checked_blocks(table: TableFile, names: Sequence[str]) -> Iterator[tuple[pl.DataFrame, int]]:
    """Yield the rows of a text file by blocks, and the bytes read; reject damage, and stray quotes in some columns."""
    last, width, looked = table.columns[-1], len(table.columns), False
    for lazy, block, has_header in _text_blocks(table):
        frame = lazy.collect(engine="streaming", optimizations=_WHOLE_LINES)
        if frame[last].has_nulls() and not looked:  # an empty field ends a line, or the line is too short
            n_marks = count_byte(block.data, table.separator.encode(), 0, len(block.data))
            whole = n_marks == (frame.height + has_header) * (width - 1) and b'"' not in block.data
            looked = not whole
            for _ in text_records(table) if looked else ():  # names the line that is too short
                pass
        frame = frame.with_columns(pl.col(pl.String).fill_null(""))
        if not block.quoted:
            quoted = pl.any_horizontal(pl.col(list(names)).cast(pl.String).str.contains('"', literal=True))
            for _ in rows_of(table, names) if frame.select(quoted.any()).item() else ():  # names the line
                pass
        if b'"' in block.data:
            warn_of_line_breaks(table.name, frame.height, n_lines(block.data) - has_header)
        yield frame, block.read


def distinct_by_engine(
    batch: Sequence[TableFile],
    names: list[str],
    *,
    repeats: Repeats,
    progress: Progress | None = None,
    most: int | None = None,
    digest: GoldDigest | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield the distinct rows of tables of one schema, with how often each occurs as last column; at most `most`."""
    table = batch[0]
    with _reading(table, names):
        if not table.is_text:
            whole = scan(batch)
            # Some first rows show whether more than `most` rows are distinct, which would fill the memory.
            for n_rows in (_FIRST_ROWS, 2 * most) if most is not None else ():
                n_distinct = n_rows_of(whole.head(n_rows).select(names).unique())
                if most is not None and n_distinct > most:
                    raise TooManyRowsError
                if 2 * n_distinct < n_rows:
                    break
            add_hashes(repeats, whole.select, n_rows_of(whole) if repeats.others else 0)
            yield grouped_rows(whole, names, most, progress, digest)
            return
        parts: list[pl.DataFrame] = []
        height, merged_at = 0, _MOST_DISTINCT
        for frame, read in _checked_blocks(table, names):
            add_hashes(repeats, frame.lazy().select, frame.height)
            parts.append(grouped_rows(frame.lazy(), names, None, None, digest))
            height += parts[-1].height
            if height > min(merged_at, most or merged_at):
                parts = [_merged(parts, names)]
                height = parts[0].height
                merged_at = max(_MOST_DISTINCT, 2 * height)
                if most is not None and height > most:
                    raise TooManyRowsError
            if progress is not None:
                progress(min(1.0, read / max(1, table.file.size)))
        if parts:
            yield _merged(parts, names)


def n_rows_of(frame: pl.LazyFrame) -> int:
    """Return the number of rows; of typed files, from their metadata."""
    return int(frame.select(pl.len()).collect(engine="streaming").item())


def _merged(parts: list[pl.DataFrame], names: list[str]) -> pl.DataFrame:
    return parts[0] if len(parts) == 1 else pl.concat(parts).group_by(names).agg(pl.col(_TIMES).sum())


def _plain_text(frame: pl.DataFrame) -> pl.DataFrame:
    text = [name for name, kind in frame.schema.items() if kind in (pl.Categorical, pl.Enum)]
    return frame.with_columns(pl.col(text).cast(pl.String)) if text else frame


def grouped_rows(
    frame: pl.LazyFrame,
    names: list[str],
    most: int | None,
    progress: Progress | None = None,
    digest: GoldDigest | None = None,
) -> pl.DataFrame:
    """Return the distinct rows, with how often each occurs as last column; reject more than `most`."""
    whole, key, sums = frame, [], []
    if digest is not None:
        if digest.ids is None:
            frame = frame.select(names).with_row_index(_ROW, offset=digest.n_rows)
        key = [digest.key(frame, _ROW).alias(_KEY)]
        sums = [pl.col(_KEY).sum(), *([] if digest.ids is None else [pl.col(_KEY).null_count().alias(_ROW)])]
    frame = frame.select(*names, *key)
    if progress is not None:
        n_rows, seen, lock = n_rows_of(frame), 0, threading.Lock()  # several threads may call at once

        def passed(piece: pl.DataFrame) -> pl.DataFrame:
            nonlocal seen
            with lock:
                seen += piece.height
                progress(seen / n_rows)
            return piece

        frame = frame.map_batches(passed, streamable=True)
    # Nothing sorts rows with several labels later, and what is drawn at random must not depend on threads.
    lists = any(kind.is_nested() for kind in frame.collect_schema().values())
    groups = frame.group_by(names, maintain_order=lists).agg(*sums, pl.len().alias(_TIMES))
    found = (groups if most is None else groups.head(most + 1)).collect(engine="streaming")
    if most is not None and found.height > most:
        raise TooManyRowsError
    found = _plain_text(found)
    if digest is None:
        return found
    digest.add_sums(found[digest.gold].to_list(), found[_KEY].to_list())
    digest.n_rows += int(found[_TIMES].sum())
    n_text_ids = 0 if digest.ids is None else int(found[_ROW].sum())
    if digest.n_text_ids + n_text_ids > MOST_TEXT_IDS:
        digest.n_text_ids += n_text_ids
    elif n_text_ids:
        text = whole.filter(digest.key(whole, _ROW).is_null()).select(digest.columns).collect(engine="streaming")
        digest.add(*(text[name].to_list() for name in digest.columns))
    return found.drop(_KEY, _ROW, strict=False)


def whole_columns(table: TableFile, wanted: Sequence[str], labels: Sequence[str] = ()) -> pl.DataFrame:
    """Return whole columns, in which nothing is null; text is checked while it is read.

    In columns of labels of a typed file, each distinct text is stored once.
    """
    names = list(dict.fromkeys(wanted))
    with _reading(table, names):
        if table.is_text:
            parts = [frame.select(names) for frame, _ in _checked_blocks(table, names)]
            frame = pl.concat(parts) if parts else pl.DataFrame(schema=dict.fromkeys(names, pl.String))
            frame = frame.with_columns(pl.when(pl.all() != "").then(pl.all()))
        else:
            lazy = scan([table]).select(names)
            text = [name for name, kind in lazy.collect_schema().items() if name in labels and kind == pl.String]
            stored = pl.col(text).cast(pl.Categorical(pl.Categories.random()))
            frame = lazy.with_columns(stored).collect(engine="streaming")
            return _plain_text(frame.drop(text)).with_columns(frame.select(text)) if text else _plain_text(frame)
        return _plain_text(frame)


Select = Callable[[list[str]], pl.LazyFrame]  # reads some columns of a table, or of a part of it


def add_hashes(repeats: Repeats, select: Select, n_rows: int) -> None:
    """Tell `repeats` about more rows, by the hashes of what identifies them."""
    if repeats.key is None and repeats.others:
        first = select(repeats.others).head(N_FIRST).collect(engine="streaming")
        repeats.choose({name: first[name].to_list() for name in repeats.others})
    if repeats.key is None or not repeats.expect(n_rows):
        return
    hashed = select(repeats.columns()).select(_known(repeats, select), _hashed(repeats)).filter("known")
    found = hashed.select(pl.col(_HASH).reinterpret(signed=True)).collect(engine="streaming")
    repeats.hashes.append(found[_HASH].to_numpy())


def matching_rows(table: TableFile, repeats: Repeats, again: NDArray[Any]) -> list[tuple[Any, int]]:
    """Return the key and a hash of the whole row, of all rows of a table whose keys have certain hashes."""
    with _reading(table, ()):
        pieces = [frame for frame, _, _ in _text_blocks(table)] if table.is_text else [scan([table])]
        return [row for piece in pieces for row in rows_with(repeats, piece.select, again)]


def rows_with(repeats: Repeats, select: Select, again: NDArray[Any]) -> list[tuple[Any, int]]:
    """Return the key and a hash of the whole row, of all rows whose keys have certain hashes."""
    wanted = pl.Series(again).reinterpret(signed=False).implode()
    rows = select(list(dict.fromkeys([*repeats.columns(), *repeats.whole()])))
    rows = rows.filter(_known(repeats, select) & _hashed(repeats).is_in(wanted))
    whole = pl.struct(repeats.whole()).hash().alias(_HASH)
    return rows.select(pl.col(repeats.key or ""), whole).collect(engine="streaming").rows()


def _hashed(repeats: Repeats) -> pl.Expr:
    columns = repeats.columns()
    return (pl.struct(columns) if len(columns) > 1 else pl.col(columns[0])).hash().alias(_HASH)


def _known(repeats: Repeats, select: Select) -> pl.Expr:
    name = repeats.key or ""
    known = pl.col(name).is_not_null()
    if select([name]).collect_schema()[name] == pl.String:
        known &= pl.col(name) != ""
    return known.alias("known")
