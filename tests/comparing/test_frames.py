"""Systems in data frames: the engine groups rows, and the result equals that of `compare` on the same rows."""

import json
from pathlib import Path

import dask.dataframe
import duckdb
import numpy as np
import polars as pl
import pytest

import macrof1
from macrof1.comparing.inputs import compare_inputs
from macrof1.errors import InputError, MissingLabelError
from macrof1.request import Request
from tests.oracles import without_digests

from ..counting.engines import written


def columns(rows=400, labels=("x", "y", "z"), seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.choice(labels, rows)
    found = {"gold": gold}
    for name, right in (("a", 0.8), ("b", 0.7), ("c", 0.5)):
        found[name] = np.where(rng.random(rows) < right, gold, rng.choice(labels, rows))
    found["weight"] = rng.integers(1, 4, rows)
    found["document"] = np.arange(rows) // 8
    return {name: column.tolist() for name, column in found.items()}


def printed(value, without=()):
    """Print numbers without their last bits: rows that are nearly all distinct are summed in the order of the data."""
    if isinstance(value, dict):
        return {name: printed(part, without) for name, part in value.items() if name not in without}
    if isinstance(value, list):
        return [printed(part, without) for part in value]
    return f"{value:.13g}" if isinstance(value, float) else without_digests(value)


def native(frame):
    """Return a frame in every engine."""
    arrow = frame.to_arrow()
    lazy_dask = dask.dataframe.from_pandas(frame.to_pandas(), npartitions=2)
    return frame, frame.lazy(), frame.to_pandas(), arrow, duckdb.from_arrow(arrow), lazy_dask


READERS = {
    "parquet": pl.read_parquet,
    "csv": lambda path: pl.read_csv(path, infer_schema=False),
    "jsonl": pl.read_ndjson,
}

FACTS = [{}, {"sample_weight": "weight"}, {"cluster": "document"}, {"sample_weight": "weight", "cluster": "document"}]


@pytest.mark.parametrize("facts", FACTS)
def test_every_engine_gives_what_compare_gives(facts):
    data = columns()
    arguments = {fact: data[column] for fact, column in facts.items()}
    systems = {name: data[name] for name in "abc"}
    expected = macrof1.compare(data["gold"], systems, n_resamples=200, test="bootstrap", **arguments)
    for df in native(pl.DataFrame(data)):
        found = macrof1.compare_frame(
            df, gold="gold", systems=["a", "b", "c"], n_resamples=200, test="bootstrap", **facts
        )
        assert printed(found.to_dict()) == printed(expected.to_dict())


@pytest.mark.parametrize("policy", ["drop", "label"])
def test_missing_labels_are_rows_and_not_patterns(policy):
    data = columns(60)
    for row in (3, 4, 5, 17):
        data["b"][row] = None
    systems = {name: data[name] for name in "ab"}
    frame = pl.DataFrame(data)
    with pytest.raises(MissingLabelError, match="4 of 60 rows lack"):
        macrof1.compare_frame(frame, gold="gold", systems=["a", "b"])
    expected = macrof1.compare(data["gold"], systems, missing=policy, n_resamples=100)
    found = macrof1.compare_frame(frame, gold="gold", systems=["a", "b"], missing=policy, n_resamples=100)
    assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("facts", FACTS)
def test_large_files_are_grouped_while_they_are_read(tmp_path, monkeypatch, ending, facts):
    data = columns()
    for row in (3, 4, 5):
        data["b"][row] = None
    path = tmp_path / f"predictions.{ending}"
    frame = pl.DataFrame(data)
    written(frame, path)
    inputs = Request(files=[str(path)], gold="gold", systems=["a", "b"], missing="drop", **facts)
    # A small text file is read row by row: both ways must give the same.
    expected = compare_inputs(inputs, n_resamples=100).to_dict()
    monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    assert printed(compare_inputs(inputs, n_resamples=100).to_dict()) == printed(expected)
    arguments = {fact: data[column] for fact, column in facts.items()}
    systems = {name: data[name] for name in "ab"}
    found = macrof1.compare(data["gold"], systems, missing="drop", n_resamples=100, **arguments)
    assert found.to_dict()["systems"] == expected["systems"]


def test_a_short_line_is_found_in_a_grouped_file(tmp_path, monkeypatch):
    monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    path = tmp_path / "predictions.csv"
    path.write_text("gold,a,b,note\nx,x,y,1\nx,y,x\ny,y,y,2\n")
    with pytest.raises(InputError, match="line 3"):
        compare_inputs(Request(files=[str(path)], gold="gold", systems=["a", "b"]))


OF_DRAWS = {"bootstrap", "randomisation", "flip_probability", "probability", "p_decides"}


def check_same(found, expected):
    """Compare results up to rounding, but for what depends on random draws."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected.keys() - OF_DRAWS:
            check_same(found[name], expected[name])
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_same(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=0, abs=1e-12)
    else:
        assert without_digests(found) == without_digests(expected)


@pytest.fixture
def pair_by_pair(monkeypatch):
    """Let no distinct rows of more than two systems be collected."""

    def begin():
        monkeypatch.setattr("macrof1.comparing.frames._MOST_LABELS", 8)
        monkeypatch.setattr("macrof1.comparing.frames.compare_rows", None)

    return begin


@pytest.mark.parametrize("facts", [*FACTS, {"baseline": "b"}, {"missing": "label"}])
def test_pairs_grouped_one_by_one_give_what_all_rows_together_give(facts, pair_by_pair):
    data = columns(rows=3000)
    data["c"][7] = data["gold"][7] = None if "missing" in facts else "x"
    options = {"gold": "gold", "systems": ["a", "b", "c"], "n_resamples": 400, **facts}
    expected = macrof1.compare_frame(pl.DataFrame(data), **options)
    pair_by_pair()
    for df in native(pl.DataFrame(data)):
        found = macrof1.compare_frame(df, **options)
        check_same(found.to_dict(), expected.to_dict())
        for one, other in zip(found.comparisons, expected.comparisons, strict=True):
            assert one.flip_probability == pytest.approx(other.flip_probability, abs=0.1)
            for formula in ("averaged_f1", "f1_of_averages"):
                assert getattr(one, formula).p == pytest.approx(getattr(other, formula).p, abs=0.1)


def test_rows_that_pairs_cannot_judge_are_taken_together(monkeypatch):
    data = columns(rows=300)
    data["c"][7] = None
    options = {"gold": "gold", "systems": ["a", "b", "c"], "n_resamples": 100}
    dropped = macrof1.compare_frame(pl.DataFrame(data), missing="drop", **options)
    cased = {**data, "c": [str(label).upper() for label in data["gold"]]}
    merged = macrof1.compare_frame(pl.DataFrame(cased), normalize="case", **options)
    monkeypatch.setattr("macrof1.comparing.frames._MOST_LABELS", 8)
    assert macrof1.compare_frame(pl.DataFrame(data), missing="drop", **options) == dropped
    assert macrof1.compare_frame(pl.DataFrame(cased), normalize="case", **options) == merged
    with pytest.raises(MissingLabelError, match="1 of 300 rows lack"):
        macrof1.compare_frame(pl.DataFrame(data), **options)


def test_progress_of_pairs_adds_up_to_one(pair_by_pair):
    pair_by_pair()
    steps = []
    frame = pl.DataFrame(columns())
    macrof1.compare_frame(frame, gold="gold", systems=["a", "b", "c"], n_resamples=100, progress=steps.append)
    assert steps == sorted(steps)
    assert steps[-1] == pytest.approx(1)


def test_pairs_that_hardly_repeat_either_are_taken_together(tmp_path, monkeypatch):
    data = columns(rows=400, labels=tuple(range(30)))
    frame, path = pl.DataFrame(data), str(tmp_path / "predictions.parquet")
    frame.write_parquet(path)
    inputs = Request(files=[path], gold="gold", systems=["a", "b", "c"])
    options = {"gold": "gold", "systems": ["a", "b", "c"], "n_resamples": 100}
    expected = macrof1.compare_frame(frame, **options), compare_inputs(inputs, n_resamples=100)
    monkeypatch.setattr("macrof1.comparing.frames._MOST_ROWS_PER_PAIR", 10)
    monkeypatch.setattr("macrof1.comparing.frames._compare_by_pairs", None)
    monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    assert (macrof1.compare_frame(frame, **options), compare_inputs(inputs, n_resamples=100)) == expected


def stacked(data, names="abc"):
    """Return the systems below each other, each in another order of rows."""
    ids = [f"row {row}" for row in range(len(data["gold"]))]
    facts = {"key": ids, **{name: data[name] for name in ("gold", "weight", "document")}}
    return {
        name: pl.DataFrame({**facts, "system": [name] * len(ids), "pred": data[name]}).sample(
            fraction=1, shuffle=True, seed=seed
        )
        for seed, name in enumerate(names)
    }


@pytest.mark.parametrize("facts", [*FACTS, {"cluster": "key"}])
def test_engines_join_systems_by_id(facts):
    data = columns(rows=300)
    data["key"] = [f"row {row}" for row in range(300)]
    by = {"id": "key", "pred": "pred"}
    options = {"gold": "gold", "n_resamples": 100, **facts}
    expected = macrof1.compare_frame(pl.DataFrame(data), systems=["a", "b", "c"], **options).to_dict()
    parts = stacked(data)
    gold = parts["c"].drop("pred", "system")
    split = [native(part.select("key", "pred")) for part in parts.values()]
    below = native(pl.concat(parts.values()))
    for long, base, *systems in zip(below, native(gold), *split, strict=True):
        named = dict(zip("abc", systems, strict=True))
        for found in (
            macrof1.compare_frame(long, systems="system", **by, **options),
            macrof1.compare_frame(base, systems=named, **by, **options),
        ):
            assert printed(found.to_dict()) == printed(expected)
    mixed = {**dict(zip("ab", parts.values(), strict=False)), "c": parts["c"].lazy()}
    found = macrof1.compare_frame(gold, systems=mixed, **by, **options)
    assert printed(found.to_dict()) == printed(expected)


def split_files(folder, data, ending, *, own_gold=False):
    """Write gold and every system to files of their own, the rows of each in another order."""
    ids = [f"row {row}" if ending == "csv" else row for row in range(len(data["gold"]))]
    facts = {"gold": data["gold"], "weight": data["weight"], "document": data["document"]}
    files = {"gold": facts, **{name: {"pred": data[name]} for name in "abc"}}
    for seed, (name, held) in enumerate(files.items()):
        beside = {"gold": data["gold"]} if own_gold and name == "b" else {}
        frame = pl.DataFrame({"key": ids, **held, **beside}).sample(fraction=1, shuffle=True, seed=seed)
        path = folder / f"{name}.{ending}"
        written(frame, path)
    return [str(folder / f"{name}.{ending}") for name in files]


# JSON is slow to read, so that it is not read again for each pair.
PAIRED = [(ending, pairs) for ending in READERS for pairs in (False, True) if ending != "jsonl" or not pairs]


@pytest.mark.parametrize(("ending", "pairs"), PAIRED)
@pytest.mark.parametrize("facts", [*FACTS, {"missing": "drop"}])
def test_large_files_are_joined_by_id_in_the_engine(tmp_path, monkeypatch, pair_by_pair, ending, facts, pairs):
    data = columns(rows=2000)
    if "missing" in facts and not pairs:
        data["b"][5] = data["b"][6] = None
    in_python = split_files(tmp_path, data, "jsonl" if ending == "parquet" else ending, own_gold=True)
    expected = compare_inputs(Request(files=in_python, id="key", pred="pred", **facts), n_resamples=100).to_dict()
    files = split_files(tmp_path, data, ending, own_gold=True)
    inputs = Request(files=files, id="key", pred="pred", **facts)
    monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    if pairs:
        pair_by_pair()
    found = compare_inputs(inputs, n_resamples=100).to_dict()
    check_same(found, expected)
    # Draws of clusters follow their order, which text has in the file and the engine has not.
    assert pairs or "cluster" in facts or printed(found) == printed(expected)


POSITIONS = {
    "as they are": lambda _, frame: frame,
    "one without ids": lambda name, frame: frame.drop("id") if name == "a" else frame,
    "ids by another name": lambda name, frame: frame.rename({"id": "row_id"}) if name == "a" else frame,
    "other ids by another name": lambda name, frame: (
        frame.rename({"id": "row_id"}).with_columns(pl.col("row_id") + 1) if name == "a" else frame
    ),
    "another order": lambda name, frame: frame.reverse() if name == "b" else frame,
    "another order without ids": lambda name, frame: frame.drop("id").reverse() if name == "b" else frame.drop("id"),
    "other texts": lambda name, frame: frame.with_columns(text=pl.lit(name)),
    "no texts at all": lambda _, frame: frame.drop("text"),
    "too few": lambda name, frame: frame.head(199) if name == "c" else frame,
    "too few gold": lambda name, frame: frame.head(199) if name == "gold" else frame,
    "an id twice": lambda name, frame: pl.concat([frame.head(199), frame.head(1)]) if name == "a" else frame,
    "an id twice in gold": lambda name, frame: pl.concat([frame.head(199), frame.head(1)]) if name == "gold" else frame,
    "a row without an id": lambda name, frame: (
        frame.with_columns(id=pl.when(pl.int_range(200) > 0).then("id")) if name == "b" else frame
    ),
    "gold of its own": lambda name, frame: frame.with_columns(label="pred") if name == "b" else frame,
    "empty texts": lambda _, frame: frame.with_columns(text=pl.lit("")),
    "no labels": lambda name, frame: frame.with_columns(pred=pl.lit(None, pl.String)) if name == "b" else frame,
}


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("change", POSITIONS)
@pytest.mark.parametrize(
    "facts", [{}, {"no_id": True}, {"sample_weight": "weight", "cluster": "document", "missing": "drop"}]
)
def test_large_files_are_matched_by_position_in_the_engine(tmp_path, monkeypatch, ending, change, facts):
    data = columns(rows=200)
    beside = {"id": range(200), "text": [f"text {row % 50}" for row in range(200)]}
    held = {"gold": {name: data[name] for name in ("gold", "weight", "document")}} | {
        n: {"pred": data[n]} for n in "abc"
    }

    def compared(ending):
        files = []
        for name, own in held.items():
            files.append(str(tmp_path / f"{name}.{ending}"))
            written(POSITIONS[change](name, pl.DataFrame({**beside, **own})), Path(files[-1]))
        try:
            inputs = Request(files=files, gold="gold", pred="pred", **facts)
            found = json.dumps(printed(compare_inputs(inputs, n_resamples=100).to_dict()))
            return json.loads(found.replace(f".{ending}", ""))  # notes name the files
        except InputError as error:
            return str(error).replace(f".{ending}", "")

    expected = compared("jsonl" if ending == "parquet" else ending)
    monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    found = compared(ending)
    if isinstance(expected, str) or "cluster" not in facts:
        assert found == expected
    else:
        check_same(found, expected)


@pytest.mark.parametrize("column", ["key", "pred"])
@pytest.mark.parametrize("value", [1, 2**70, "\ud800", True, 1.5, ["x"]])
def test_json_lines_of_mixed_types_are_compared_row_by_row(tmp_path, monkeypatch, column, value):
    data = columns(rows=20)
    rows = [{"key": f"row {row}", "gold": gold} for row, gold in enumerate(data["gold"])]
    systems = {name: [{**row, "pred": pred} for row, pred in zip(rows, data[name], strict=True)] for name in "ab"}
    for each in (rows, *systems.values()):
        each[7] = {**each[7], column: value}
    found = []
    for limit in (1 << 19, 0):
        monkeypatch.setattr("macrof1.reading.tables._SMALL", limit)
        files = []
        for name, held in {"gold": rows, **systems}.items():
            files.append(str(tmp_path / f"{name}.jsonl"))
            Path(files[-1]).write_text("\n".join(map(json.dumps, held)))
        try:
            found.append(compare_inputs(Request(files=files, gold="gold", pred="pred", id="key"), n_resamples=100))
        except InputError as error:
            found.append(str(error))
    assert found[0] == found[1]
