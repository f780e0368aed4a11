"""`mf1 compare` on every kind of input."""

import json

import numpy as np
import polars as pl
import pytest

import macrof1
from macrof1.counting.arrays import confusion

COUNTS = ("examples/germeval2018/counts.csv", "--by", "run", "--count", "count")


@pytest.fixture
def files(tmp_path):
    """Gold and two systems, 60 rows, as one table and as files of their own."""
    rng = np.random.default_rng(0)
    gold = rng.choice(["cat", "dog", "owl"], 60)
    table = {"id": [f"r{i}" for i in range(60)], "gold": gold.tolist()}
    for name, right in (("alpha", 0.9), ("beta", 0.5)):
        table[name] = np.where(rng.random(60) < right, gold, rng.choice(["cat", "dog", "owl"], 60)).tolist()
    frame = pl.DataFrame(table)
    frame.write_csv(tmp_path / "all.csv")
    frame.write_parquet(tmp_path / "all.parquet")
    frame.write_ndjson(tmp_path / "all.jsonl")
    frame.select("id", "gold").write_csv(tmp_path / "gold.csv")
    for name in ("alpha", "beta"):
        frame.select("id", pred=name).write_csv(tmp_path / f"{name}.csv")
        frame.select("id", pred=name).reverse().write_csv(tmp_path / f"{name}_reversed.csv")
        frame.select(name).write_csv(tmp_path / f"{name}_alone.csv")
        frame.select("gold", pred=name).write_csv(tmp_path / f"{name}_with_gold.csv")
    return tmp_path, table


def parsed(text):
    content = json.loads(text)
    return {system["name"]: system["averaged_f1"] for system in content["systems"]}, content


def expected(table, names=("alpha", "beta")):
    own = {"alpha": table["alpha"], "beta": table["beta"]}
    return {
        name: macrof1.score(table["gold"], pred).averaged_f1 for name, pred in zip(names, own.values(), strict=True)
    }


def test_germeval_2018_from_counts_and_from_the_published_table(mf1):
    published = json.loads(mf1("compare", "examples/germeval2018/leaderboard.csv", "-f", "json"))
    assert (published["rank_changes"], published["discordant_pairs"], published["pairs"]) == (45, 92, 1275)
    assert len(published["flips"]) == 92
    assert published["paired"] is None
    text = mf1("compare", *COUNTS, "--n-resamples", 100)
    assert "45 change rank" in text
    assert "92 of 1,275 pairs flip" in text
    assert "… and 82 smaller flips" in text
    assert "(unpaired)" in text


@pytest.mark.parametrize("name", ["all.csv", "all.parquet", "all.jsonl"])
def test_columns_of_one_file(mf1, files, name):
    folder, table = files
    scores, content = parsed(mf1("compare", folder / name, "--gold", "gold", "--systems", "alpha,beta", "-f", "json"))
    assert scores == expected(table)
    assert content["paired"] is True
    # Gold by its usual name, ids left aside, everything else a system.
    assert parsed(mf1("compare", folder / name, "-f", "json"))[0] == scores


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow"])
def test_columns_of_parts_of_one_table(mf1, files, ending):
    folder, whole = files[0], pl.read_csv(files[0] / "all.csv").with_columns(copy="beta", unit=pl.col("gold"))
    (folder / "parts").mkdir()
    written = [whole, *whole.iter_slices(25)]
    paths = [folder / f"one.{ending}", *(folder / "parts" / f"part-{number}.{ending}" for number in range(3))]
    for frame, path in zip(written, paths, strict=True):
        write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
        write.get(ending, frame.write_ipc)(path)
    one, *parts = paths
    sources = [parts, [folder / "parts" / f"part-*.{ending}"], *([[folder / "parts"]] if ending == "parquet" else [])]
    for options in ((), ("--cluster", "unit"), ("--over", "column:unit", "--positive", "cat")):
        asked = ("--gold", "gold", "--systems", "alpha,beta,copy", *options, "-f", "json", "--n-resamples", 100)
        expected = mf1("compare", one, *asked)
        assert all(mf1("compare", *source, *asked) == expected for source in sources)
    assert "is named twice" in mf1("compare", *parts, parts[0], *asked, code=2)
    written[1].drop("copy").write_csv(folder / "short.csv")
    assert "short.csv has no column 'copy'" in mf1("compare", one, folder / "short.csv", *asked, code=2)
    assert "--systems names the columns" in mf1("compare", *sources[1], code=2)


@pytest.mark.parametrize(
    "options", [{}, {"over": "rows"}, {"over": "column:unit"}, {"over": "rows", "cluster": "unit"}]
)
def test_lists_of_labels_in_typed_files_compare_as_in_json_lines(tmp_path, options):
    rng = np.random.default_rng(0)
    some = [list("abcdef")[:n] for n in range(5)]
    sides = {name: [some[n] for n in rng.integers(0, 5, 90)] for name in ("gold", "x", "y")}
    wide = pl.DataFrame({"id": range(90), "unit": rng.integers(0, 9, 90), **sides})
    long = pl.concat([wide.select("id", "unit", "gold", pred=name, system=pl.lit(name)) for name in "xy"])
    frames = {"wide": wide, "gold": wide.drop("x", "y"), "x": wide.select("id", "x"), "y": wide.select("id", "y")}
    found = []
    for ending in ("ndjson", "parquet", "ipc"):
        at = {name: tmp_path / f"{name}.{ending}" for name in (*frames, "long")}
        for name, frame in {**frames, "long": long}.items():
            getattr(frame, f"write_{ending}")(at[name])
        given = {**options, "n_resamples": 100}
        apart = [at[name] for name in ("gold", "x", "y")]
        results = [
            macrof1.compare_file(at["wide"], systems=["x", "y"], **given), macrof1.compare_file(apart, **given),
            macrof1.compare_file(at["long"], systems="system", id="id", **given),
        ]  # fmt: skip
        found.append([result.to_dict() for result in results])
    assert found[0] == found[1] == found[2]
    wide.with_columns(y=pl.lit("a")).write_parquet(at["wide"])
    with pytest.raises(macrof1.InputError, match="beside lists"):
        macrof1.compare_file(at["wide"], systems=["x", "y"])


def test_a_gold_file_and_a_file_per_system(mf1, files):
    folder, table = files
    gold, alpha, beta = folder / "gold.csv", folder / "alpha.csv", folder / "beta.csv"
    assert parsed(mf1("compare", gold, alpha, beta, "-f", "json"))[0] == expected(table)
    assert parsed(mf1("compare", gold, alpha, beta, "--id", "id", "-f", "json"))[0] == expected(table)
    turned = [folder / f"{name}_reversed.csv" for name in ("alpha", "beta")]
    by_id = parsed(mf1("compare", gold, *turned, "--id", "id", "-f", "json"))[0]
    assert by_id == expected(table, ("alpha_reversed", "beta_reversed"))
    alone = [folder / f"{name}_alone.csv" for name in ("alpha", "beta")]
    assert parsed(mf1("compare", gold, *alone, "-f", "json"))[0] == expected(table, ("alpha_alone", "beta_alone"))
    with_gold = [folder / f"{name}_with_gold.csv" for name in ("alpha", "beta")]
    assert set(parsed(mf1("compare", gold, *with_gold, "-f", "json"))[0].values()) == set(expected(table).values())


def test_confusion_matrices(mf1, tmp_path):
    (tmp_path / "a.csv").write_text(",x,y\nx,8,2\ny,0,5\n")
    (tmp_path / "b.json").write_text('{"labels": ["x", "y"], "matrix": [[5, 5], [5, 0]]}')
    scores, content = parsed(
        mf1("compare", tmp_path / "a.csv", tmp_path / "b.json", "--matrix", "--rows", "gold", "-f", "json")
    )
    assert scores["a"] == macrof1.score_matrix([[8, 2], [0, 5]], rows="gold").averaged_f1
    assert content["paired"] is False


def test_labels_of_typed_files_keep_their_type(mf1, tmp_path):
    frame = pl.DataFrame({"gold": [0, 1, 2, 1], "a": [0, 1, 2, 1], "b": [0, 1, 1, 1]})
    frame.write_parquet(tmp_path / "t.parquet")
    content = json.loads(mf1("compare", tmp_path / "t.parquet", "--labels", "0,1", "-f", "json"))
    assert content["systems"][0]["n_classes"] == 2


def test_a_table_of_predictions_by_system(mf1):
    lines = "model,gold,pred\n" + "m1,a,a\nm1,b,b\nm1,b,a\nm2,a,b\nm2,b,b\nm2,b,b\n"
    scores, content = parsed(mf1("compare", "-", "--by", "model", "-f", "json", input=lines))
    assert scores["m1"] == macrof1.score(["a", "b", "b"], ["a", "b", "a"]).averaged_f1
    assert content["paired"] is False
    whole = "run,gold,pred,n\nx,a,a,2.0\nx,b,a,1.0\ny,a,b,3\ny,b,b,1\n"
    assert "undecided" in mf1("compare", "-", "--by", "run", "--count", "n", input=whole)


def test_saved_counts_of_every_system(mf1, tmp_path):
    gold = ["a", "b", "b", "c"] * 20
    for name, pred in {"one": ["a", "b", "b", "b"] * 20, "two": ["a", "b", "c", "c"] * 20}.items():
        macrof1.save_counts(confusion(gold, pred), tmp_path / f"{name}.counts.json")
    paths = [tmp_path / f"{name}.counts.json" for name in ("one", "two")]
    scores, content = parsed(mf1("compare", *paths, "-f", "json"))
    assert scores["one"] == macrof1.score(gold, ["a", "b", "b", "b"] * 20).averaged_f1
    assert content["paired"] is False


def test_a_first_line_that_is_data_is_not_lost(mf1, tmp_path):
    table = tmp_path / "rows.csv"
    text = "names a column 'a', which is also a label: expected a header; if the first line is data, add --no-header"
    table.write_text("x,a,b\na,a,b\nb,b,b\n")
    for columns in (("--gold", "2"), ("--gold", "x", "--systems", "2,3")):
        assert text in mf1("compare", table, *columns, code=2)
    assert "on 3 rows" in mf1("compare", table, "--gold", "2", "--no-header")


def test_help_offers_what_compare_takes(mf1):
    text = " ".join(mf1("compare", "--help").replace("│", " ").split())
    assert "those of --labels that occur (seen)" in text
    assert "drop_with_parts" not in text
