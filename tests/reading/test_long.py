"""Systems below each other in one file: results equal those of systems side by side, whatever reads the file."""

import json
import random

import polars as pl
import pytest

import macrof1
from macrof1.comparing.inputs import compare_inputs
from macrof1.errors import ColumnError, CountError, FileError, MacroF1Error, MissingLabelError
from macrof1.request import Request

from ..comparing.test_frames import OF_DRAWS, printed
from ..counting.engines import written

LONG = {"systems": ["system"], "id": "key", "gold": "gold", "pred": "pred"}
ENDINGS = ["csv", "parquet", "jsonl", "csv.gz"]


@pytest.fixture(params=[*ENDINGS, "large csv", "large jsonl"])
def ending(request, monkeypatch):
    """The format of a file; a large one is read by the engine, whatever its size."""
    if request.param.startswith("large"):
        monkeypatch.setattr("macrof1.reading.tables._SMALL", 0)
    return request.param.removeprefix("large ")


def saved(frame, path):
    return [str(written(frame, path))]


def side_by_side(rng, n_rows=40, names=("a", "b", "c"), labels=("x", "y", "z"), absent=0.0):
    """Return gold, the predictions of every system and what else is known of a row."""
    gold = [rng.choice(labels) for _ in range(n_rows)]
    columns = {
        name: [
            None if rng.random() < absent else (label if rng.random() < 0.6 else rng.choice(labels)) for label in gold
        ]
        for name in names
    }
    weights = [rng.randint(1, 3) for _ in gold]
    facts = {
        "key": [f"r{row}" for row in range(n_rows)],
        "weight": weights,
        "part": [row // 4 for row in range(n_rows)],
    }
    return pl.DataFrame({**facts, "gold": gold, **columns})


def below_each_other(wide, names=("a", "b", "c"), seed=None):
    """Return one row per id and system, in any order of the rows if there is a seed."""
    facts = ["key", "weight", "part", "gold"]
    long = wide.unpivot(on=list(names), index=facts, variable_name="system", value_name="pred")
    if seed is None:
        return long
    # The first rows name the systems in their order, on which random draws depend.
    first = long.group_by("system", maintain_order=True).head(1)
    rest = (
        long.join(first, on=["key", "system"], how="anti")
        .select(first.columns)
        .sample(fraction=1, shuffle=True, seed=seed)
    )
    return pl.concat([first, rest])


def compared(files, *, test="delta", **wanted):
    options = {name: wanted.pop(name) for name in ("normalize", "outside", "baseline") if name in wanted}
    found = compare_inputs(Request(files=files, **wanted), n_resamples=100, test=test, **options)
    return printed(found.to_dict())


FACTS = [
    {},
    {"sample_weight": "weight"},
    {"cluster": "part"},
    {"sample_weight": "weight", "cluster": "part"},
    {"cluster": "key"},
    {"missing": "drop"},
    {"missing": "label"},
    {"labels": ["x", "y"], "outside": "drop"},
    {"normalize": "case", "labels": ["X", "y", "z"]},
    {"baseline": "b"},
]


@pytest.mark.parametrize("facts", FACTS)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_long_file_gives_what_a_wide_one_gives(tmp_path, ending, facts, seed):
    wide = side_by_side(random.Random(seed or 0), absent=0.1 if "missing" in facts else 0.0)  # noqa: S311
    expected = compared(saved(wide, tmp_path / f"data.{ending}"), gold="gold", systems=["a", "b", "c"], **facts)
    found = compared(saved(below_each_other(wide, seed=seed), tmp_path / f"data.{ending}"), **LONG, **facts)
    # Draws of clusters follow their order in a small file.
    drawn = OF_DRAWS if "cluster" in facts else ()
    assert printed(found, drawn) == printed(expected, drawn)


def test_systems_that_hardly_share_rows_are_compared_pair_by_pair(tmp_path, monkeypatch, ending):
    wide = pl.DataFrame(
        {
            "key": list(range(60)), "weight": 1, "part": 0, "gold": [row % 7 for row in range(60)],
            **{name: [row * at % 7 for row in range(60)] for at, name in enumerate("abc", 2)},
        }
    )  # fmt: skip
    files = saved(below_each_other(wide, seed=3), tmp_path / f"data.{ending}")
    expected = compared(files, **LONG)
    monkeypatch.setattr("macrof1.comparing.frames._MOST_LABELS", 0)
    monkeypatch.setattr("macrof1.comparing.frames._MOST_ROWS_PER_PAIR", 0)
    found = compared(files, **LONG)
    assert found["systems"] == expected["systems"]
    assert [pair["averaged_f1"]["p"] for pair in found["comparisons"]] == [
        pair["averaged_f1"]["p"] for pair in expected["comparisons"]
    ]


def test_runs_of_a_long_file_are_those_of_a_wide_one(tmp_path, ending):
    names = ["m@1", "m@2", "n@1", "n@2", "n@3"]
    wide = side_by_side(random.Random(5), names=names)  # noqa: S311
    expected = compared(saved(wide, tmp_path / f"data.{ending}"), gold="gold", systems=names)
    name = pl.col("system").str.split("@").list
    long = below_each_other(wide, names).with_columns(name.get(0).alias("system"), name.get(1).alias("seed"))
    found = compared(saved(long, tmp_path / f"data.{ending}"), **LONG, runs="seed")
    assert found == expected


@pytest.mark.parametrize("kind", [pl.Int64, pl.Int8, pl.Float64, pl.Boolean, pl.Categorical, pl.Date])
def test_ids_and_systems_may_be_of_any_plain_type(tmp_path, kind):
    wide = pl.DataFrame({"key": [0, 1], "weight": 1, "part": 0, "gold": ["x", "y"], "a": ["x", "y"], "b": ["y", "y"]})
    long = below_each_other(wide, "ab")
    expected = compared(saved(long, tmp_path / "data.parquet"), **LONG)
    number = pl.col("key").cast(pl.Int64)
    typed = number.cast(pl.String).cast(kind) if kind == pl.Categorical else number.cast(kind)
    found = compared(saved(long.with_columns(typed.alias("key")), tmp_path / "data.parquet"), **LONG)
    assert found == expected
    part = pl.col("system").replace_strict({"a": 0, "b": 1})
    named = long.with_columns(
        (part.cast(pl.String).cast(kind) if kind == pl.Categorical else part.cast(kind)).alias("system")
    )
    found = compared(saved(named, tmp_path / "data.parquet"), **LONG)
    assert [{**each, "name": None} for each in found["systems"]] == [
        {**each, "name": None} for each in expected["systems"]
    ]


SIMPLE = pl.DataFrame(
    {
        "system": ["a", "a", "a", "b", "b", "b"],
        "seed": ["1"] * 6,
        "key": ["r1", "r2", "r3"] * 2,
        "gold": ["x", "y", "x"] * 2,
        "weight": [1, 2, 3] * 2,
        "part": ["p", "q", "q"] * 2,
        "pred": ["x", "y", "y", "x", "x", "x"],
    }
)


def changed(column, row, value):
    return SIMPLE.with_columns(
        pl.when(pl.int_range(pl.len()) == row).then(pl.lit(value)).otherwise(column).alias(column)
    )


OF_ID = (
    "NAME, row {}: gold, weight, cluster or unit of id {!r} differs from an earlier row: "
    "expected the same for every system and run"
)
ONCE = "id 'r2' occurs twice for "
SEED = '; runs="NAME" names the column of the runs, such as the seed'


@pytest.mark.parametrize(
    ("frame", "wanted", "said"),
    [
        (changed("system", 1, None), {}, "NAME, row 2: nothing in column 'system': expected a value in every row"),
        (changed("key", 4, None), {}, "NAME, row 5: nothing in column 'key': expected a value in every row"),
        (changed("seed", 2, None), {"runs": "seed"}, "NAME, row 3: nothing in column 'seed'"),
        (changed("key", 2, "r2"), {}, f"NAME, row 3: {ONCE}system 'a': expected every id once{SEED}"),
        (changed("key", 5, "r2"), {"runs": "seed"}, f"NAME, row 6: {ONCE}run '1' of system 'b': expected"),
        (changed("gold", 3, "z"), {}, OF_ID.format(4, "r1")),
        (changed("gold", 4, None), {}, OF_ID.format(5, "r2")),
        (
            changed("weight", 3, 7),
            {"sample_weight": "weight"},
            OF_ID.format(4, "r1"),
        ),
        (
            changed("part", 5, "w"),
            {"cluster": "part"},
            OF_ID.format(6, "r3"),
        ),
        (SIMPLE.head(5), {}, "NAME: system 'b' lacks 1 id that others have ('r3')"),
        (SIMPLE.tail(4), {}, "NAME: system 'a' lacks 2 ids that others have ('r1', 'r2')"),
        (SIMPLE.tail(4), {"runs": "seed"}, "NAME: run '1' of system 'a' lacks 2 ids that others have ('r1', 'r2')"),
        (SIMPLE.with_columns(system=pl.format("s{}", pl.int_range(6))), {}, "NAME: system 's0' lacks 2 ids"),
        (
            # The first row that is wrong is named, and what is wrong first in it.
            pl.concat([changed("gold", 5, "z"), SIMPLE.head(1)]),
            {},
            "NAME, row 6: gold, weight, cluster or unit of id 'r3'",
        ),
        (pl.concat([SIMPLE, changed("gold", 0, "z").head(1)]), {}, "NAME, row 7: id 'r1' occurs twice for system 'a'"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_long_file_is_said_with_its_row(tmp_path, ending, frame, wanted, said):
    files = saved(frame, tmp_path / f"data.{ending}")
    with pytest.raises(FileError) as error:
        compare_inputs(Request(files=files, **LONG, **wanted))
    name = str(error.value).partition(",")[0].partition(":")[0]
    assert str(error.value).replace(name, "NAME", 1).startswith(said)
    assert name.endswith(f"data.{ending}")


@pytest.mark.parametrize(
    ("frame", "wanted", "error", "said"),
    [
        (changed("pred", 1, None), {}, MissingLabelError, "lack"),
        (changed("weight", 0, -1).tail(5), {}, FileError, "lacks"),
        (SIMPLE.with_columns(weight=pl.lit(-1)), {"sample_weight": "weight"}, CountError, "-1"),
        (SIMPLE, {"sample_weight": "gold"}, ColumnError, "named for two purposes"),
        (SIMPLE.head(0), {}, MacroF1Error, "no rows|blank|empty|nothing"),
        (SIMPLE.head(3), {}, MacroF1Error, "only one system"),
    ],
)
def test_long_files_are_refused_as_wide_ones_are(tmp_path, ending, frame, wanted, error, said):
    files = saved(frame, tmp_path / f"data.{ending}")
    with pytest.raises(error, match=said):
        compare_inputs(Request(files=files, **LONG, **wanted))


def test_labels_of_json_lines_keep_their_types(tmp_path, monkeypatch):
    path = tmp_path / "data.jsonl"
    rows = [
        {"key": key, "system": system, "gold": gold, "pred": pred}
        for system in ("a", "b")
        for key, gold, pred in ((1, 1, 1), ("1", "1", "1"), (2.0, 1, "1"))
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    expected = macrof1.compare([1, "1", 1], {name: [1, "1", "1"] for name in "ab"}, n_resamples=100)
    sets = macrof1.compare([{"u"}] * 3, {name: [{"u", "v"}] * 3 for name in "ab"}, n_resamples=100)
    for limit in (1 << 19, 0):
        monkeypatch.setattr("macrof1.reading.tables._SMALL", limit)
        path.write_text("\n".join(map(json.dumps, rows)))
        assert compared([str(path)], **LONG) == printed(expected.to_dict())
        path.write_text("\n".join(json.dumps({**row, "gold": ["u"], "pred": ["u", "v"]}) for row in rows))
        assert compared([str(path)], **LONG) == printed(sets.to_dict())


@pytest.mark.parametrize("key", [["r"], {"r": 1}])
@pytest.mark.parametrize("column", ["key", "system"])
def test_ids_and_systems_that_are_no_plain_values_are_refused(tmp_path, column, key):
    rows = [{"key": at, "system": "ab"[at % 2], "gold": "x", "pred": "x", column: key} for at in range(4)]
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    typed = saved(pl.DataFrame(rows), tmp_path / "data.parquet")
    for files in ([str(path)], typed):
        with pytest.raises(FileError, match=f"column '{column}' holds lists or objects: expected text or numbers"):
            compare_inputs(Request(files=files, **LONG))


@pytest.mark.parametrize("small", [1 << 40, 0])
def test_a_bad_weight_is_named_whoever_reads_the_file(tmp_path, monkeypatch, small):
    monkeypatch.setattr("macrof1.reading.tables._SMALL", small)
    files = saved(SIMPLE.with_columns(weight=pl.Series([1, 2, -3] * 2)), tmp_path / "data.csv")
    with pytest.raises(CountError, match=r"data\.csv, line 4: the weight is '-3'"):
        compare_inputs(Request(files=files, **LONG, sample_weight="weight"))
