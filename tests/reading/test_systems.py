"""Systems in several files: rows are matched by position only if nothing contradicts it."""

import json
import random

import polars as pl
import pytest

from macrof1.cli import main
from macrof1.errors import FileError
from macrof1.reading.alignment import matched

GOLD = [("p", "x"), ("q", "y"), ("r", "x"), ("s", "y")]
PRED = [("p", "x"), ("q", "x"), ("r", "x"), ("s", "y")]


@pytest.fixture
def files(tmp_path):
    def write(name, column, rows, header="text"):
        path = tmp_path / f"{name}.csv"
        path.write_text(f"{header},{column}\n" + "".join(f"{text},{label}\n" for text, label in rows))
        return str(path)

    return write


def scores(output):
    return {row["name"]: row["averaged_f1"] for row in json.loads(output)["systems"]}


@pytest.mark.parametrize("header", ["text", "input"])
def test_a_shared_column_in_another_order_is_refused(files, capsys, header):
    gold, same = files("gold", "gold", GOLD, header), files("same", "pred", PRED, header)
    other = files("other", "pred", PRED[::-1], header)
    assert main(["compare", gold, same, other]) == 2
    said = capsys.readouterr().err
    assert f"--id {header}" in said
    assert main(["compare", gold, same, other, "--id", header, "-f", "json"]) == 0
    found = scores(capsys.readouterr().out)
    assert found["same"] == found["other"]
    assert main(["compare", gold, same, other, "--no-id", "-f", "json"]) == 0
    by_position = scores(capsys.readouterr().out)
    assert by_position["other"] != found["other"]


@pytest.mark.parametrize("header", ["sentence_id", "id"])
def test_ids_match_rows_by_themselves(files, capsys, header):
    gold, same = files("gold", "gold", GOLD, header), files("same", "pred", PRED, header)
    assert main(["compare", gold, same, files("other", "pred", PRED[::-1], header), "-f", "json"]) == 0
    found = scores(capsys.readouterr().out)
    assert found["same"] == found["other"]


def test_columns_that_agree_or_belong_to_one_side_are_no_matter(files, capsys):
    gold, same = files("gold", "gold", GOLD), files("same", "pred", PRED)
    other = files("other", "pred", [(str(n), label) for n, (_, label) in enumerate(PRED)], "confidence")
    assert main(["compare", gold, same, other, "-f", "json"]) == 0
    found = scores(capsys.readouterr().out)
    assert found["same"] == found["other"]


def test_values_that_repeat_cannot_match_rows(files, capsys):
    repeated = [("p", label) for _, label in GOLD]
    gold, other = files("gold", "gold", repeated), files("other", "pred", PRED)
    same = files("same", "pred", [("p", label) for _, label in PRED])
    assert main(["compare", gold, same, other]) == 2
    said = capsys.readouterr().err
    assert "--no-id" in said
    assert "--id text" not in said
    assert main(["compare", gold, same, other, "--id", "text", "--no-id"]) == 2


@pytest.mark.parametrize("kind", [pl.Int8, pl.UInt8, pl.Int64, pl.UInt64, pl.String])
@pytest.mark.parametrize("spread", [1, 1000])
def test_ids_are_matched_alike_in_lists_and_by_the_engine(kind, spread):
    rng = random.Random(f"{kind} {spread}")  # noqa: S311  # test data
    low = 0 if kind in (pl.UInt8, pl.UInt64) else -20
    step = 1 if kind in (pl.Int8, pl.UInt8) else spread
    for _ in range(60):
        n = rng.randint(1, 30)
        gold = [low + step * value for value in rng.sample(range(40), n)]
        other = rng.sample(gold, n) if rng.random() < 0.5 else [low + step * rng.randrange(40) for _ in gold]
        sides = [pl.Series(side).cast(kind) for side in (gold, other)]
        found = []
        for golds, ids in (sides, [side.to_list() for side in sides]):
            try:
                found.append(matched(golds, ids, "gold", "pred").tolist())
            except FileError as error:
                found.append(str(error))
        assert found[0] == found[1]
