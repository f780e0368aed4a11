"""identify(): the same answer for labels, files, frames, matrices, counts, entities, results and leaderboards."""

import json
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import macrof1
from macrof1.cli import main
from macrof1.errors import InputError

from ..scoring.test_identification import rows


def answer(capsys, *arguments):
    assert main(["identify", *map(str, arguments), "-f", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_kind_of_input_gives_the_same_answer(tmp_path, capsys):
    gold, pred = rows(5, 200, 4)
    result = macrof1.score(gold, pred)
    shown = f"{result.f1_of_averages:.4f}"
    expected = macrof1.identify(gold, pred, shown)
    assert expected.matches[0].definition == "f1_of_averages"
    frame = pl.DataFrame({"gold": gold, "pred": pred, "fold": np.arange(200) % 5})
    matrix = result.cells.to_matrix(rows="gold")
    for given_ in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow()):
        assert macrof1.identify(given_, shown).to_dict() == expected.to_dict()
    # A matrix has no order of rows, and so no batches.
    unordered = macrof1.identify(result, shown)
    assert unordered.matches == expected.matches
    assert unordered.tried < expected.tried
    for given_ in (
        result.cells, macrof1.score_matrix(matrix, rows="gold"),
        macrof1.score_frame(frame, gold="gold", pred="pred"),
    ):  # fmt: skip
        assert macrof1.identify(given_, shown).to_dict() == unordered.to_dict()
    assert macrof1.identify(list(gold), pl.Series(pred), shown) == expected
    # Without cells it is not known which rows are whose.
    fewer = macrof1.identify(result.counts, shown)
    assert fewer.matches == tuple(match for match in expected.matches if "without_rows" not in match.definition)
    assert fewer.tried < unordered.tried

    frame.write_csv(tmp_path / "preds.csv")
    frame.write_ndjson(tmp_path / "preds.jsonl")
    frame.write_parquet(tmp_path / "preds.parquet")
    macrof1.save_counts(result.cells, tmp_path / "preds.counts.json")
    (tmp_path / "matrix.csv").write_text("\n".join(",".join(map(str, row)) for row in matrix.tolist()))
    same = expected.to_dict()
    for name in ("preds.csv", "preds.jsonl", "preds.parquet"):
        assert macrof1.identify(tmp_path / name, shown).to_dict() == same
        assert macrof1.identify(str(tmp_path / name), shown).to_dict() == same
        assert answer(capsys, tmp_path / name, shown) == same
    assert answer(capsys, tmp_path / "preds.counts.json", shown) == unordered.to_dict()
    found = answer(capsys, "--matrix", tmp_path / "matrix.csv", "--rows", "gold", shown)
    assert found["matches"][0]["value"] == pytest.approx(result.f1_of_averages)
    assert (found["tried"], found["distinct"]) == (unordered.tried, unordered.distinct)
    by = macrof1.identify(frame, shown, by="fold")
    assert by == macrof1.identify(macrof1.score_groups(frame, gold="gold", pred="pred", by="fold"), shown)
    assert by.to_dict() == macrof1.identify(tmp_path / "preds.csv", shown, by="fold").to_dict()


def test_several_labels_per_row_from_every_kind_of_input(tmp_path, capsys):
    gold = [{"a", "c"}, {"b"}, {"a", "b"}, set()]
    pred = [{"a"}, {"b", "c"}, {"a", "b"}, set()]
    expected = macrof1.identify(gold, pred, "0.583333")
    assert expected.matches[0].definition == "averaged_f1 over rows"
    frame = pl.DataFrame({"gold": [sorted(row) for row in gold], "pred": [sorted(row) for row in pred]})
    frame.write_parquet(tmp_path / "preds.parquet")
    frame.write_ndjson(tmp_path / "preds.jsonl")
    joined = frame.with_columns(pl.all().list.join(";"))
    joined.write_csv(tmp_path / "preds.csv")
    assert macrof1.identify(frame, "0.583333") == expected
    for name in ("preds.parquet", "preds.jsonl"):
        assert macrof1.identify(tmp_path / name, "0.583333").to_dict() == expected.to_dict()
        assert answer(capsys, tmp_path / name, "0.583333") == expected.to_dict()
    assert answer(capsys, tmp_path / "preds.csv", "0.583333", "--multilabel", ";") == expected.to_dict()


def test_entities_are_identified(tmp_path, capsys):
    path = tmp_path / "tags.conll"
    path.write_text("a B-PER B-PER\nb I-PER O\nc O O\nd B-LOC B-LOC\n\ne B-ORG B-LOC\n")
    result = macrof1.score_file(path, spans=True)
    shown = f"{result.averaged_f1:.4f}"
    found = answer(capsys, path, shown, "--spans")
    assert found["matches"][0]["definition"] == "averaged_f1"
    assert found == macrof1.identify(result, shown).to_dict()


def test_a_leaderboard_is_identified_row_by_row(root, tmp_path, capsys):
    board = root / "src/macrof1/web/data/germeval2018_leaderboard.csv"
    support = {"offense": 1202, "other": 2330}
    found = macrof1.identify(board, support=support)
    assert found == macrof1.identify(macrof1.audit_table(board, support=support))
    known = [row for row in found.rows if row.result is not None]
    assert len(known) > 40
    first = [row.result.matches[0].definition for row in known if row.result.matches]
    assert set(first) <= {"f1_of_averages", "averaged_f1"}
    assert next(iter(found.definitions.items())) == ("f1_of_averages", 50)
    assert found.summary.endswith("f1_of_averages prints 50 of them.")
    content = answer(capsys, board, "--support", "offense=1202,other=2330")
    assert content["rows"] == found.to_dict()["rows"]
    unknown = macrof1.identify(board)
    assert all(row.result is None and row.note for row in unknown.rows)
    assert "class sizes" in unknown.summary
    (tmp_path / "preds.csv").write_text("gold,pred\na,a\nb,a\n")
    assert main(["identify", str(tmp_path / "preds.csv")]) == 2
    assert "no number given" in capsys.readouterr().err


SPELLED = (
    ["Cat", "dog", "cat", "dog", "bird", "Bird", "cat", "dog"],
    ["cat", "dog", "cat", "Cat", "bird", "dog", "x", "y"],
)


@pytest.mark.parametrize(
    "policies",
    [{"normalize": "case"}, {"normalize": "case", "outside": "drop", "labels": ["cat", "dog", "bird"]},
     {"normalize": "case", "outside": "class", "labels": ["cat", "dog", "bird"]}],
)  # fmt: skip
def test_labels_are_treated_as_for_a_score(policies, tmp_path, capsys):
    gold, pred = SPELLED
    frame = pl.DataFrame({"gold": gold, "pred": pred, "fold": [1, 2] * 4})
    frame.write_csv(tmp_path / "preds.csv")
    made = macrof1.score(gold, pred, **policies)
    shown = f"{made.averaged_f1:.9f}"
    expected = macrof1.identify(made, shown).to_dict()
    assert expected["matches"][0]["definition"] == "averaged_f1"
    for data in ((gold, pred), (frame, None), (str(tmp_path / "preds.csv"), None)):
        given_ = [*data, shown] if data[1] else [data[0], shown]
        assert macrof1.identify(*given_, **policies).to_dict() == expected
    options = [part for name, value in policies.items()
               for part in (f"--{name}", ",".join(value) if name == "labels" else value)]  # fmt: skip
    assert answer(capsys, tmp_path / "preds.csv", shown, *options) == expected
    grouped = macrof1.score_frame(frame, gold="gold", pred="pred", by="fold", **policies)
    shown = f"{grouped.mean_of_scores('averaged_f1'):.9f}"
    expected = macrof1.identify(grouped, shown).to_dict()
    assert expected["matches"][0]["definition"] == "mean over fold of averaged_f1"
    assert answer(capsys, tmp_path / "preds.csv", shown, "--by", "fold", *options) == expected
    assert macrof1.identify(frame, shown, by="fold", **policies).to_dict() == expected
    assert macrof1.identify(str(tmp_path / "preds.csv"), shown, by="fold", **policies).to_dict() == expected
    by = macrof1.identify(gold, pred, shown, by=[1, 2] * 4, **policies)
    assert [match.value for match in by.matches] == [match["value"] for match in expected["matches"]]


def test_means_over_rows_are_those_of_the_labels_as_they_are_treated(tmp_path, capsys):
    gold, pred = [["A", "c"], ["b"], ["a", "b"], []], [["a"], ["B", "c"], ["a", "b"], []]
    lowered = [[{label.lower() for label in row} for row in side] for side in (gold, pred)]
    expected = macrof1.identify(*lowered, "0.583333").to_dict()
    assert expected["matches"][0]["definition"] == "averaged_f1 over rows"
    pl.DataFrame({"gold": gold, "pred": pred}).write_parquet(tmp_path / "preds.parquet")
    path = tmp_path / "preds.parquet"
    assert answer(capsys, path, "0.583333", "--normalize", "case")["matches"] == expected["matches"]
    for given_ in ((path,), (pl.read_parquet(path),), tuple([set(row) for row in side] for side in (gold, pred))):
        assert macrof1.identify(*given_, "0.583333", normalize="case").to_dict()["matches"] == expected["matches"]


def test_weighted_means_over_rows_are_found_in_frames_too():
    gold, pred = [["a", "c"], ["b"], ["a", "b"]], [["a"], ["b", "c"], ["a"]]
    frame = pl.DataFrame({"gold": gold, "pred": pred, "weight": [1, 2, 5], "fold": [1, 1, 2]})
    rows = [macrof1.score([set(g)], [set(p)]).micro_f1 for g, p in zip(gold, pred, strict=True)]
    shown = f"{(rows[0] + 2 * rows[1] + 5 * rows[2]) / 8:.9f}"
    for options in ({}, {"by": "fold"}):
        found = macrof1.identify(frame, shown, sample_weight="weight", **options)
        assert "averaged_f1 over rows" in [match.definition for match in found.matches]


def test_labels_that_can_be_read_once_have_groups_too():
    gold, pred, folds = ["a", "b", "a", "b"], ["a", "b", "b", "b"], [1, 1, 2, 2]
    found = macrof1.identify(iter(gold), iter(pred), "0.7", by=iter(folds), sample_weight=iter([1, 2, 1, 1]))
    assert found == macrof1.identify(gold, pred, "0.7", by=folds, sample_weight=[1, 2, 1, 1])


@pytest.mark.parametrize("number", [0.7333, Decimal("0.7333"), np.float64(0.7333), np.float32(0.7333), "0.7333"])
def test_numbers_of_every_type_are_read(number):
    found = macrof1.identify(["a", "a", "b", "b"], ["a", "b", "b", "b"], number)
    assert (found.value, found.matches[0].definition) == ("0.7333", "averaged_f1")


def test_columns_with_other_names_are_named_in_a_score(tmp_path):
    frame = pl.DataFrame({"left": ["a", "b"], "right": ["a", "a"]})
    frame.write_csv(tmp_path / "preds.csv")
    for data in (frame, tmp_path / "preds.csv"):
        with pytest.raises(InputError, match=r"score_(frame|file) .*names? columns") as caught:
            macrof1.identify(data, "0.5")
        assert "pred=" not in str(caught.value)
    named = macrof1.score_frame(frame, gold="left", pred="right")
    assert macrof1.identify(named, "0.3333").matches[0].definition == "averaged_f1"
