"""Files × mutations × readers, against Python's csv and json modules."""

import csv
import gzip
import io
import json
import tempfile
import warnings
from pathlib import Path

import polars as pl
from hypothesis import strategies as st

import macrof1
from macrof1.counting.confusion import read_matrix
from macrof1.errors import MacroF1Error

from ..oracles import Exact
from .kinds import assert_right, exact_of, kind

FOLDER = Path(tempfile.mkdtemp(prefix="macrof1-fuzz-"))
CELLS = st.text(st.sampled_from("ab \"',;\t|x1é"), min_size=1, max_size=6).filter(lambda text: text.strip())
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12)


def _written(rows, delimiter, quoting, end):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows([("gold", "pred"), *rows])
    return out.getvalue()


def _scored(name, data):
    path = FOLDER / name
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return macrof1.score_file(path)


def _judged(compute, expected):
    """Compute a result; it is that of the labels which `expected` returns, or refused in one line."""
    try:
        result = compute()
    except MacroF1Error as error:
        assert "\n" not in str(error)
        return "refused"
    labels = expected()
    assert labels is not None, "scored, though Python's modules refuse or find no labels"
    assert_right(result, labels if isinstance(labels, Exact) else exact_of(*labels))
    return "right"


WRITTEN = st.tuples(
    ROWS, st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), st.sampled_from(["\n", "\r\n"]), st.booleans()
)


@kind("CSV as written", WRITTEN)
def written(case):
    rows, quoting, end, final = case
    text = _written(rows, ",", quoting, end)
    data = (text if final else text.removesuffix(end)).encode()
    return _judged(lambda: _scored("w.csv", data), lambda: zip(*rows, strict=True))


MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["delete", "insert", "flip", "cut"]), st.floats(0, 1), st.sampled_from('",\n\r\t;a\0\xff')
    ),
    min_size=1,
    max_size=2,
)


def _mutated(data, mutations):
    for how, where, sign in mutations:
        at = int(where * len(data))
        byte = sign.encode("latin-1")
        if how == "delete":
            data = data[:at] + data[at + 1 :]
        elif how == "insert":
            data = data[:at] + byte + data[at:]
        elif how == "flip":
            data = data[:at] + byte + data[at + 1 :]
        else:
            data = data[: max(1, at)]
    return data


def _by_csv(data, delimiter=","):
    """Read as Python's csv module does, strictly; None where that has no two columns of labels."""
    try:
        text = data.decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row]
    except (csv.Error, UnicodeDecodeError):
        return None
    if len(rows) < 2 or [name.strip() for name in rows[0]] != ["gold", "pred"] or any(len(row) != 2 for row in rows):
        return None
    if any(not cell for row in rows for cell in row):
        return None
    return [row[0] for row in rows[1:]], [row[1] for row in rows[1:]]


@kind("CSV mutated", st.tuples(WRITTEN, MUTATIONS))
def mutated(case):
    (rows, quoting, end, final), mutations = case
    text = _written(rows, ",", quoting, end)
    data = _mutated((text if final else text.removesuffix(end)).encode(), mutations)
    return _judged(lambda: _scored("m.csv", data), lambda: _by_csv(data))


PLAIN = st.text(st.sampled_from("ab \"'x1é"), min_size=1, max_size=6).filter(lambda text: text.strip())


@kind("TSV", st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=12))
def tabs(rows):
    data = ("gold\tpred\n" + "".join(f"{g}\t{p}\n" for g, p in rows)).encode()
    try:
        result = _scored("t.tsv", data)
    except MacroF1Error as error:
        assert "\n" not in str(error)
        return "refused"
    assert result.n_rows == len(rows), f"{result.n_rows} rows of {len(rows)}"
    return "right"


@kind("JSON lines", st.tuples(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=10), st.booleans(), MUTATIONS))
def json_lines(case):
    rows, whole, mutations = case
    data = "".join(json.dumps({"gold": g, "pred": p}) + "\n" for g, p in rows).encode()
    data = data if whole else _mutated(data, mutations)

    def by_json():
        records = [json.loads(line) for line in data.decode("utf-8-sig").split("\n") if line.strip()]
        return [str(each["gold"]) for each in records], [str(each["pred"]) for each in records]

    return _judged(lambda: _scored("l.jsonl", data), by_json)


@kind("compressed and damaged", st.tuples(ROWS, st.booleans(), MUTATIONS))
def compressed(case):
    rows, whole, mutations = case
    plain = _written(rows, ",", csv.QUOTE_MINIMAL, "\n").encode()
    data = gzip.compress(plain, mtime=0)
    data = data if whole else _mutated(data, mutations)
    return _judged(lambda: _scored("c.csv.gz", data), lambda: _by_csv(gzip.decompress(data)))


@kind("Parquet and Arrow", st.tuples(ROWS, st.sampled_from(["p.parquet", "p.arrow"]), st.booleans(), MUTATIONS))
def binary(case):
    rows, name, whole, mutations = case
    gold, pred = map(list, zip(*rows, strict=True))
    out = io.BytesIO()
    frame = pl.DataFrame({"gold": gold, "pred": pred})
    (frame.write_parquet if name.endswith("parquet") else frame.write_ipc)(out)
    if whole:
        return _judged(lambda: _scored(name, out.getvalue()), lambda: (gold, pred))
    try:
        _scored(name, _mutated(out.getvalue(), mutations))
    except MacroF1Error as error:
        assert "\n" not in str(error)
        return "refused"
    return "right"


@kind("matrix files", st.tuples(st.integers(1, 4), st.data(), st.sampled_from([",", "\t", ";"]), st.booleans()))
def matrices(case):
    n, data, delimiter, named = case
    cells = data.draw(st.lists(st.lists(st.integers(0, 999), min_size=n, max_size=n), min_size=n, max_size=n))
    if not any(map(any, cells)):
        cells[0][0] = 1
    lines = [delimiter.join(map(str, row)) for row in cells]
    if named:
        names = [f"c{place}" for place in range(n)]
        lines = [delimiter.join(line) for line in zip(["", *names], [delimiter.join(names), *lines], strict=True)]
    path = FOLDER / "m.csv"
    path.write_text("\n".join(lines) + "\n")
    return _judged(
        lambda: macrof1.score_counts(read_matrix(str(path), rows="predicted"), classes="listed"),
        lambda: Exact.of_matrix(cells),
    )


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)),
    max_leaves=8,
)


@kind("saved counts damaged", st.tuples(ROWS, st.data()))
def saved(case):
    rows, data = case
    path = FOLDER / "s.counts.json"
    counts = macrof1.count(*map(list, zip(*rows, strict=True)))
    macrof1.save_counts(counts, path)
    content = json.loads(path.read_text())
    key = data.draw(st.sampled_from([*content, None]))
    if key is not None:
        content[key] = data.draw(JSON)
    path.write_text(json.dumps(content))
    try:
        result = macrof1.score_counts(macrof1.load_counts(path))
    except MacroF1Error as error:
        assert "\n" not in str(error)
        return "refused"
    if key is None:
        assert_right(result, exact_of(*map(list, zip(*rows, strict=True))))
    return "right"
