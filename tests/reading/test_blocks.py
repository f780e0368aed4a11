"""Text files in blocks: the same records wherever they are split, in little memory."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counting.arrays import confusion
from macrof1.errors import CountError, FileError
from macrof1.reading import distinct, rows, scans, tables
from macrof1.reading.dialect import record_blocks
from macrof1.reading.files import opened_file
from tests.oracles import count_file

FIELDS = st.text(alphabet='ab"\n,; \r', min_size=1, max_size=6).filter(lambda text: text.strip("\r\n"))


@given(st.lists(st.lists(FIELDS, min_size=2, max_size=2), min_size=1, max_size=20), st.integers(1, 40), st.booleans())
def test_blocks_are_whole_records(tmp_path_factory, rows, size, ends):
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    path = tmp_path_factory.getbasetemp() / "records.csv"
    path.write_bytes(text.getvalue().removesuffix("" if ends else "\n").encode())
    with opened_file(path) as file:
        blocks = list(record_blocks(file, size, header=b"0,1\n"))
    bodies = [block.removeprefix(b"0,1\n" if place else b"") for place, (block, _) in enumerate(blocks)]
    assert b"".join(bodies) == path.read_bytes()
    assert [record for body in bodies for record in csv.reader(io.StringIO(body.decode(), newline=""))] == rows
    assert all(block.startswith(b"0,1\n") for block, _ in blocks[1:])
    done = [sum(map(len, bodies[: place + 1])) for place in range(len(bodies))]
    assert [read for _, read in blocks] == done


pytestmark = pytest.mark.filterwarnings("ignore:.*quoted fields hold line breaks:UserWarning")


@pytest.mark.parametrize("most", [0, 3, 1 << 20])
def test_blocks_of_a_file_add_up_whenever_they_are_merged(tmp_path, monkeypatch, most):
    rows = [("abc"[n % 3], "abc"[n % 2], n % 4 / (4 if n % 5 else 1), "xy"[n % 2]) for n in range(60)]
    text = "gold,pred,w,part\n" + "".join(f"{g},{p},{w},{k}\n" for g, p, w, k in rows)
    path = tmp_path / "a.csv"
    path.write_text(text)

    def counted():
        return [count_file(path), macrof1.score_file(path, sample_weight="w").cells]

    whole = [*counted(), count_file(path, by="part").total]
    seen = []
    monkeypatch.setattr(tables, "_SMALL", 0)
    monkeypatch.setattr(scans, "_MOST_BYTES", 100)
    monkeypatch.setattr(scans, "_MOST_DISTINCT", most)
    found = [*counted(), count_file(path, by="part", progress=seen.append).total]
    assert [one.records() for one in found] == [one.records() for one in whole]
    assert [one.n_rows for one in found] == [60] * 3
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert (seen[0] < 0.5, seen[-1]) == (True, 1)
    grouped = count_file(path, by="part")
    assert [(key, part.n_rows) for key, part in grouped.groups] == [(("x",), 30), (("y",), 30)]


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_more_distinct_rows_than_wanted_are_refused(tmp_path, monkeypatch, kind):
    frame, path = pl.DataFrame({"gold": list("aabb") * 15, "pred": list("abab") * 15}), tmp_path / f"a.{kind}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "arrow": frame.write_ipc}[kind](path)
    monkeypatch.setattr(tables, "_SMALL", 0)
    monkeypatch.setattr(scans, "_MOST_BYTES", 50)

    def read(most):
        with tables.opened_tables(path, True, None) as found:
            return list(distinct.distinct_rows(found, ["gold", "pred"], most=most))

    assert [sorted(part.times) for part in read(4)] == [[15] * 4]
    with pytest.raises(tables.TooManyRowsError):
        read(3)


@pytest.mark.parametrize("small", [0, 1 << 20])
def test_a_damaged_line_is_found_in_any_block(tmp_path, monkeypatch, small):
    monkeypatch.setattr(tables, "_SMALL", small)
    monkeypatch.setattr(scans, "_MOST_BYTES", 8)
    monkeypatch.setattr(rows, "_MOST_BYTES", 8)
    path = tmp_path / "p.csv"
    path.write_text("gold,pred\n" + "a,b\n" * 19 + "b,b\n" * 3)
    assert count_file(path).records() == [("a", "b", 19), ("b", "b", 3)]
    path.write_text("a,b,\n" * 19 + "b,b,\n" * 3)
    assert count_file(path, gold="1", pred="2", header=False).records() == [("a", "b", 19), ("b", "b", 3)]
    for line, message in (
        ("a,b,c", "line 21: 3 fields: expected 2"),
        ("a", "line 21: 1 field: expected 2"),
        ("", "line 21: the line is blank"),
        ('"a,b', "quotes that close"),
    ):
        path.write_text("gold,pred\n" + "a,b\n" * 19 + line + "\n" + "b,b\n" * 3)
        with pytest.raises(FileError, match=message):
            count_file(path)
    path.write_text("gold,pred,n\n" + "a,b,1\n" * 19 + "a,b,-2\n" + "b,b,3\n")
    with pytest.raises(CountError, match="line 21: the count is '-2'"):
        count_file(path, count="n")


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "arrow"])
def test_progress_moves_within_a_file(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(rows, "_BYTES_PER_REPORT", 72)  # of three lines
    path = tmp_path / f"p.{ending}"
    frame = pl.DataFrame({"gold": ["a", "b"] * 100_000, "pred": ["a", "a"] * 100_000})
    if ending == "jsonl":
        frame.head(20).write_ndjson(path)
    elif ending == "parquet":
        frame.write_parquet(path, row_group_size=50_000)
    else:
        frame.write_ipc(path, record_batch_size=50_000)
    seen, n_rows = [], 20 if ending == "jsonl" else 200_000
    assert count_file(path).n_rows == count_file(path, progress=seen.append).n_rows == n_rows
    assert 0 < seen[0] < 1
    assert seen[-1] == 1
    assert seen == sorted(seen)
    assert ending != "jsonl" or seen[:2] == pytest.approx([3 / 20, 6 / 20])


UNDER_A_LIMIT = """
import resource, sys
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
from macrof1 import count_file
cells = count_file(sys.argv[1])
print(cells.n_rows, cells.records())
"""
TEXT = "one of many words, " * 100
PAIRS = [("cat", "cat"), ("dog", "cat"), ("dog", "dog")] * 1000
HEADERS = {"csv": b"text,gold,pred\n", "jsonl": b""}
BODIES = {
    "csv": "".join(f'"{TEXT}",{gold},{pred}\n' for gold, pred in PAIRS).encode(),
    "jsonl": "".join(json.dumps({"gold": g, "pred": p, "text": TEXT}) + "\n" for g, p in PAIRS).encode(),
}


# Polars unpacks by itself, and asks for more memory than it uses.
@pytest.mark.parametrize(("name", "limit"), [("large.csv", 400), ("large.jsonl", 256), ("large.csv.gz", 640)])
def test_text_several_times_larger_than_the_memory(tmp_path, name, limit):
    limit <<= 20
    times = limit // 1_800_000
    header, body = (parts[name.split(".")[1]] for parts in (HEADERS, BODIES))
    assert len(body) * times > 3 * limit
    if name.endswith("gz"):
        header, body = gzip.compress(header), gzip.compress(body, 1)  # gzip files may follow each other in one file
    path = tmp_path / name
    with path.open("wb") as file:
        file.writelines([header, *[body] * times])
    n = 1000 * times
    assert counted_under_a_limit(path, limit) == f"{3 * n} {[('cat', 'cat', n), ('dog', 'cat', n), ('dog', 'dog', n)]}"


def counted_under_a_limit(path, limit):
    """Count a file, and delete it, in a process of little memory."""
    done = subprocess.run(
        [sys.executable, "-c", UNDER_A_LIMIT, path, str(limit)],
        capture_output=True, text=True, check=False, timeout=300, env=os.environ | {"POLARS_MAX_THREADS": "2"},
    )  # fmt: skip
    path.unlink()
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_parquet_several_times_larger_than_the_memory(tmp_path):
    names = pa.array([f"class {code}" for code in range(20)])
    codes = np.random.default_rng(0).integers(0, 20, (2, 100_000))
    gold, pred = (names.take(pa.array(side)) for side in codes)
    part = pa.table({"gold": gold, "pred": pred, "text": pa.array(["classified"] * 100_000)})
    path = tmp_path / "large.parquet"
    # Without dictionaries the labels are as large on the disk as in the memory.
    with pq.ParquetWriter(path, part.schema, compression="none", use_dictionary=False) as writer:
        for _ in range(400):
            writer.write_table(part)
    limit = 400 << 20
    assert path.stat().st_size > 3.5 * limit
    cells = [(g, p, 400 * amount) for g, p, amount in confusion(gold, pred).records()]
    assert counted_under_a_limit(path, limit) == f"40000000 {cells}"
