"""Hostile files, each made in a few lines, which the server must answer in one line."""

import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable

import polars as pl

MANY = 2_000_000
Maker = Callable[[], bytes]


def parquet(frame: pl.DataFrame, **options: object) -> bytes:
    written = io.BytesIO()
    frame.write_parquet(written, **options)
    return written.getvalue()


def arrow(frame: pl.DataFrame, **options: object) -> bytes:
    written = io.BytesIO()
    frame.write_ipc(written, **options)
    return written.getvalue()


def repeated(text: str, rows: int = MANY, dtype: pl.DataType = pl.String) -> pl.DataFrame:
    return pl.select(gold=pl.repeat(text, rows, dtype=pl.String).cast(dtype), pred=pl.lit("a"))


def dictionary_bomb(*, keep_schema: bool) -> bytes:
    """Two million rows of one string of 64 KiB, in some kilobytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.DictionaryArray.from_arrays(pa.array([0] * MANY, pa.int32()), pa.array(["x" * 65536]))
    written = io.BytesIO()
    pq.write_table(pa.table({"gold": column, "pred": column}), written, compression="zstd", store_schema=keep_schema)
    return written.getvalue()


def late_dictionary_bomb() -> bytes:
    """As above, with short strings at the beginning."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    places = pa.array([0] * 100_000 + [1] * (MANY - 100_000), pa.int32())
    column = pa.DictionaryArray.from_arrays(places, pa.array(["a", "x" * 65536]))
    written = io.BytesIO()
    pq.write_table(pa.table({"gold": column, "pred": column}), written, compression="zstd")
    return written.getvalue()


def nested_lists() -> bytes:
    frame = pl.DataFrame({"gold": [[["a"] * 100] * 100] * 100, "pred": ["a"] * 100})
    return parquet(frame)


def long_list() -> bytes:
    frame = pl.select(gold=pl.repeat("a", 5_000_000).implode(), pred=pl.lit("a").implode())
    return parquet(frame, compression="zstd")


def arrow_of_zeros() -> bytes:
    """A buffer of a gigabyte that packs to some kilobytes."""
    frame = pl.select(gold=pl.repeat(0, 1_900_000, dtype=pl.Int64), pred=pl.lit(0, dtype=pl.Int64))
    wide = frame.with_columns(**{f"c{x}": pl.lit(0, dtype=pl.Int64) for x in range(60)})
    return arrow(wide, compression="zstd")


def lying_parquet() -> bytes:
    """A whole Parquet file whose footer says another length."""
    whole = bytearray(parquet(pl.DataFrame({"gold": ["a"], "pred": ["b"]})))
    whole[-8:-4] = struct.pack("<I", 2**31 - 1)
    return bytes(whole)


def spoiled(content: bytes, at: float) -> bytes:
    place = int(len(content) * at)
    return content[:place] + bytes(byte ^ 0xA5 for byte in content[place : place + 40]) + content[place + 40 :]


SMALL = pl.DataFrame({"gold": ["a", "b"] * 500, "pred": ["a", "a"] * 500})

FILES: dict[str, tuple[str, Maker]] = {
    "dictionary of one long string": ("x.parquet", lambda: dictionary_bomb(keep_schema=False)),
    "categories of one long string": ("x.parquet", lambda: dictionary_bomb(keep_schema=True)),
    "long categories after short ones": ("x.parquet", late_dictionary_bomb),
    "lists in lists": ("x.parquet", nested_lists),
    "one row with five million labels": ("x.parquet", long_list),
    "sixty columns of zeros": ("x.arrow", arrow_of_zeros),
    "twenty million rows of null": ("x.parquet", lambda: parquet(pl.select(gold=pl.repeat(None, 20_000_000)))),
    "more rows than are taken": ("x.parquet", lambda: parquet(repeated("a", MANY + 1))),
    "five thousand columns": ("x.parquet", lambda: parquet(pl.DataFrame({f"c{x}": [1] for x in range(5000)}))),
    "a million labels": ("x.parquet", lambda: parquet(pl.select(gold=pl.int_range(1_000_000), pred=pl.lit(1)))),
    "labels of 9,000 bytes": ("x.parquet", lambda: parquet(repeated("x" * 9000, 100_000), compression="zstd")),
    "a footer that lies": ("x.parquet", lying_parquet),
    "half of a Parquet file": ("x.parquet", lambda: parquet(SMALL)[: len(parquet(SMALL)) // 2]),
    "a spoiled Parquet file": ("x.parquet", lambda: spoiled(parquet(SMALL), 0.3)),
    "a spoiled footer": ("x.parquet", lambda: spoiled(parquet(SMALL), 0.9)),
    "only the magic of Parquet": ("x.parquet", lambda: b"PAR1PAR1"),
    "half of an Arrow file": ("x.arrow", lambda: arrow(SMALL)[: len(arrow(SMALL)) // 2]),
    "a spoiled Arrow file": ("x.arrow", lambda: spoiled(arrow(SMALL), 0.5)),
    "only the magic of Arrow": ("x.arrow", lambda: b"ARROW1\0\0"),
    "Arrow called Parquet": ("x.parquet", lambda: arrow(SMALL)[:-9]),
    "structs": ("x.parquet", lambda: parquet(pl.DataFrame({"gold": [{"a": 1}] * 9, "pred": [{"a": 2}] * 9}))),
    "bytes": ("x.parquet", lambda: parquet(pl.DataFrame({"gold": [b"\xff\xfe"] * 9, "pred": [b"a"] * 9}))),
    "labels that are NaN": ("x.parquet", lambda: parquet(pl.DataFrame({"gold": [float("nan")], "pred": [1.0]}))),
    "gzip of nothing, 200,000 times": ("x.csv.gz", lambda: gzip.compress(b"") * 200_000),
    "gzip of a gigabyte": ("x.csv.gz", lambda: gzip.compress(b"a," * 2**22) * 128),
    "gzip in gzip": ("x.csv.gz", lambda: gzip.compress(gzip.compress(b"gold,pred\na,a\n"))),
    "half of a gzip file": ("x.csv.gz", lambda: gzip.compress(b"gold,pred\na,b\n" * 999)[:60]),
    "gzip with a wrong checksum": ("x.csv.gz", lambda: gzip.compress(b"gold,pred\na,b\n")[:-8] + b"\0" * 8),
    "gzip and then rubbish": ("x.csv.gz", lambda: gzip.compress(b"gold,pred\na,b\n") + b"rubbish"),
    "zlib without a header": ("x.csv.gz", lambda: zlib.compress(b"gold,pred\na,b\n")),
    "a zip file": ("x.csv", lambda: zipped()),
    "400,000 labels": ("x.csv", lambda: b"gold,pred\n" + b"".join(b"a%d,a%d\n" % (x, x) for x in range(400_000))),
    "a million columns": ("x.csv", lambda: b"gold," + b"x," * 1_000_000 + b"pred\n"),
    "one line of eight million letters": ("x.csv", lambda: b"a" * 8_000_000),
    "one label of a million letters": ("x.csv", lambda: b"gold,pred\n" + b"a" * 1_000_000 + b",b\n"),
    "a quote that never ends": ("x.csv", lambda: b'gold,pred\n"' + b"a,b\n" * 1_000_000),
    "only quotes": ("x.csv", lambda: b'"' * 4_000_000),
    "only commas": ("x.csv", lambda: b"," * 4_000_000),
    "only line ends": ("x.csv", lambda: b"\n" * 4_000_000 + b"1"),
    "a matrix of 2,000 classes": ("x.csv", lambda: (b",".join([b"1"] * 2000) + b"\n") * 2000),
    "a matrix that is not square": ("x.csv", lambda: b"1,2\n3\n" * 100_000),
    "cells that are not finite": ("x.csv", lambda: b"nan,inf\n1e999,-1\n"),
    "digits without end": ("x.csv", lambda: b"9" * 100_000 + b",1\n1,1\n"),
    "nul bytes": ("x.csv", lambda: b"gold,pred\n\0,a\n" * 9),
    "half of a character": ("x.csv", lambda: b"gold,pred\n\xff\xfe,a\n"),
    "names made of controls": ("\u202e\x1b[31m\x07.csv", lambda: b"gold,pred\n\x1b[31m,\x07\n\x1b[32m,\x08\n"),
    "JSON without end": ("x.jsonl", lambda: b'{"gold":' + b"[" * 1_000_000),
    "JSON nested a hundred thousand times": (
        "x.jsonl", lambda: b'{"gold":' + b"[" * 100_000 + b"]" * 100_000 + b',"pred":1}\n',
    ),
    "JSON with a long number": ("x.jsonl", lambda: b'{"gold": ' + b"9" * 1_000_000 + b', "pred": 1}\n'),
    "a JSON matrix in a matrix": ("x.json", lambda: json.dumps({"matrix": [[[1]] * 3] * 3}).encode()),
    "nothing": ("x.csv", lambda: b""),
    "only a byte order mark": ("x.csv", lambda: b"\xef\xbb\xbf"),
}  # fmt: skip


def zipped() -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as folder:
        folder.writestr("x.csv", b"gold,pred\n" + b"a,a\n" * 1_000_000)
    return written.getvalue()
