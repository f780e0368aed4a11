"""The same table in every engine that Narwhals supports, and in files of every format."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

EAGER = ["pandas", "pandas with Arrow types", "Polars", "PyArrow"]
LAZY = ["Polars lazy", "DuckDB", "Dask", "Ibis"]
SPARK = pytest.param("Spark", marks=pytest.mark.xdist_group("spark"))
ENGINES = [*EAGER, *LAZY, SPARK]


def build(engine, columns, request, *, categorical=()):
    """Turn lists of Python values into a frame of an engine; named columns become categoricals where it has them."""
    arrays = {name: pa.array(values) for name, values in columns.items()}
    for name in categorical:
        arrays[name] = arrays[name].dictionary_encode()
    table = pa.table(arrays)
    if engine == "Spark":
        return _spark(table, request)
    if engine == "pandas":
        return table.to_pandas()
    if engine == "pandas with Arrow types":
        return table.to_pandas(types_mapper=pd.ArrowDtype)
    if engine == "Polars":
        return pl.from_arrow(table)
    if engine == "Polars lazy":
        return pl.from_arrow(table).lazy()
    if engine == "PyArrow":
        return table
    if engine == "DuckDB":
        import duckdb

        return duckdb.from_arrow(table)
    if engine == "Dask":
        import dask.dataframe as dd

        nested = any(pa.types.is_nested(column.type) for column in table.columns)
        return dd.from_pandas(table.to_pandas(types_mapper=pd.ArrowDtype if nested else None), npartitions=3)
    import ibis

    return ibis.memtable(table)


def _spark(table, request):
    # Through a file: a frame from Python rows would start Python workers, which take longer than all the tests.
    folder = request.getfixturevalue("tmp_path")
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    pq.write_table(table, path)
    return request.getfixturevalue("spark").read.parquet(str(path))


def engine_rows(engine, frame):
    """How many rows the engine itself counts."""
    if engine == "Polars lazy":
        return frame.select(pl.len()).collect().item()
    if engine == "DuckDB":
        return frame.count("*").fetchall()[0][0]
    if engine == "Ibis":
        return frame.count().to_pyarrow().as_py()
    return frame.count() if engine == "Spark" else len(frame)


def written(frame, path):
    """Write a Polars frame in the format and the compression that the name of a file tells; return its path."""
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    packed = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix, "uncompressed")
    if name.endswith((".csv", ".tsv")):
        frame.lazy().sink_csv(path, separator="\t" if name.endswith("tsv") else ",", compression=packed)
    elif name.endswith(".jsonl"):
        frame.lazy().sink_ndjson(path, compression=packed)
    else:
        (frame.write_parquet if name.endswith(".parquet") else frame.write_ipc)(path)
    return path
