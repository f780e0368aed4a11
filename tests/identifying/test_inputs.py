"""identify(): the same answer for labels, files, frames, matrices, counts, entities, results and leaderboards."""

from __future__ import annotations

import json

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
    for given_ in (
        result, result.cells, frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(),
        macrof1.score_matrix(matrix, rows="gold"), macrof1.score_frame(frame, gold="gold", pred="pred"),
    ):  # fmt: skip
        assert macrof1.identify(given_, shown).to_dict() == expected.to_dict()
    assert macrof1.identify(list(gold), pl.Series(pred), shown) == expected
    # Without cells it is not known which rows are whose.
    fewer = macrof1.identify(result.counts, shown)
    assert fewer.matches == tuple(match for match in expected.matches if "without_rows" not in match.definition)
    assert fewer.tried < expected.tried

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
    assert answer(capsys, tmp_path / "preds.counts.json", shown) == same
    assert answer(capsys, "--matrix", tmp_path / "matrix.csv", "--rows", "gold", shown)["matches"][0]["value"] == (
        pytest.approx(result.f1_of_averages)
    )
    for output in ("text", "csv", "markdown", "latex"):
        assert main(["identify", str(tmp_path / "preds.csv"), shown, "-f", output]) == 0
        assert "f1_of_averages" in capsys.readouterr().out.replace("\\_", "_")
    by = macrof1.identify(frame, shown, by="fold")
    assert by == macrof1.identify(macrof1.score_groups(frame, gold="gold", pred="pred", by="fold"), shown)
    assert by.to_dict() == macrof1.identify(tmp_path / "preds.csv", shown, by="fold").to_dict()


def test_several_labels_per_row_from_every_kind_of_input(tmp_path, capsys):
    gold = [{"a", "c"}, {"b"}, {"a", "b"}, set()]
    pred = [{"a"}, {"b", "c"}, {"a", "b"}, set()]
    expected = macrof1.identify(gold, pred, "0.583333")
    assert expected.matches[0].definition == "mean over rows of f1"
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
    for output in ("text", "csv", "markdown", "latex"):
        assert main(["identify", str(board), "--support", "offense=1202,other=2330", "-f", output]) == 0
        assert "averages" in capsys.readouterr().out
    unknown = macrof1.identify(board)
    assert all(row.result is None and row.note for row in unknown.rows)
    assert "class sizes" in unknown.summary
    (tmp_path / "preds.csv").write_text("gold,pred\na,a\nb,a\n")
    assert main(["identify", str(tmp_path / "preds.csv")]) == 2
    assert "no number given" in capsys.readouterr().err


@pytest.mark.parametrize("data", [5, ["a", "b"], object()])
def test_one_thing_that_is_neither_file_nor_counts_is_refused(data):
    with pytest.raises(InputError, match="a file, a frame, counts or a result"):
        macrof1.identify(data, "0.5")
