"""Gold in one file, predictions in another: the score of one file that holds both."""

import json
import random

import polars as pl
import pytest

import macrof1

from ..counting.engines import written


def split(rng, folder):
    """Split rows into a file with gold and one with predictions, in any order and format, with ids or without."""
    n = rng.randint(3, 30)
    gold = ["a", "b", *(rng.choice("abc") for _ in range(n))]
    pred = ["a", "b", *(rng.choice("abcd") for _ in range(n))]
    ids = [rng.choice([str, int])(10 + place) for place in range(n + 2)] if rng.random() < 0.5 else range(10, n + 12)
    ids = [type(next(iter(ids)))(each) for each in ids]
    golds, preds = pl.DataFrame({"id": ids, "gold": gold}), pl.DataFrame({"id": ids, "pred": pred})
    if rng.random() < 0.3:
        golds, preds = golds.drop("id"), preds.drop("id")
    else:
        preds = preds.sample(fraction=1, shuffle=True, seed=rng.randint(0, 99))
    files = []
    for name, frame in (("gold", golds), ("pred", preds)):
        files.append(written(frame, folder / f"{name}.{rng.choice(['csv', 'tsv', 'jsonl', 'parquet'])}"))
    return files, macrof1.score(gold, pred)


@pytest.mark.parametrize("seed", range(40))
def test_a_split_file_has_the_same_score(seed, tmp_path):
    (gold, pred), expected = split(random.Random(seed), tmp_path)  # noqa: S311  # test data
    found = macrof1.score_file(gold, pred)
    assert (found.averaged_f1, found.f1_of_averages) == (expected.averaged_f1, expected.f1_of_averages)
    assert found.n_rows == expected.n_rows
    assert found.interval() == expected.interval()


@pytest.mark.slow
def test_a_thousand_split_files_have_the_same_score(tmp_path):
    for seed in range(1000):
        (gold, pred), expected = split(random.Random(f"slow {seed}"), tmp_path)  # noqa: S311  # test data
        assert macrof1.score_file(gold, pred).averaged_f1 == expected.averaged_f1, seed


FILES = {
    "gold.csv": "id,gold\n1,a\n2,b\n3,b\n",
    "pred.csv": "id,pred\n1,a\n2,a\n3,b\n",
    "shuffled.csv": "id,pred\n3,b\n1,a\n2,a\n",
    "short.csv": "id,pred\n3,b\n1,a\n",
    "truth.csv": "id,label\n1,a\n2,b\n3,b\n",
    "kaggle.csv": "id,label\n3,b\n1,a\n2,a\n",
    "gold.txt": "a\nb\nb\n",
    "pred.txt": "a\na\nb\n",
    "commas.txt": "a, b\nb\na\n",
    "answers.txt": "a, b\na\na\n",
    "gold.jsonl": '{"id": 1, "gold": "a"}\n{"id": 2, "gold": "b"}\n{"id": 3, "gold": "b"}\n',
    "sets.csv": "id,gold\n1,a;b\n2,b\n3,\n",
    "setpred.csv": "id,pred\n1,a\n2,b\n3,b\n",
    "both.csv": "id,gold,pred\n1,a,a\n2,b,a\n3,b,b\n",
    "again.csv": "id,gold,pred\n3,b,b\n1,a,a\n2,b,b\n",
    "gold.conll": "EU B-ORG\nrejects O\n\nPeter B-PER\n",
    "right.conll": "EU B-ORG\nrejects O\n\nPeter B-PER\n",
    "pred.conll": "EU B-ORG\nrejects B-PER\n\nPeter B-PER\n",
    "weighted.csv": "id,gold,w,n\n1,a,2,1\n2,b,1,2\n3,b,1,1\n",
}


@pytest.fixture
def folder(tmp_path, said, monkeypatch):  # noqa: ARG001  # which goes to another folder before
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "call",
    [
        "score gold.csv pred.csv", "gold.csv pred.csv", "score gold.csv shuffled.csv",
        "score gold.csv shuffled.csv --id id", "score gold.csv pred.csv --no-id", "score truth.csv kaggle.csv",
        "score gold.txt pred.txt", "score gold.txt pred.txt --no-header", "score gold.jsonl shuffled.csv",
    ],
)  # fmt: skip
def test_first_gestures(call, said):
    assert said(*call.split(), "-q").out == "averaged_f1 0.6667\nf1_of_averages 0.7500\n"


@pytest.mark.usefixtures("folder")
def test_sets_weights_and_counts_of_files_apart():
    sets = macrof1.score_file("sets.csv", "setpred.csv", multilabel=";")
    assert sets.averaged_f1 == macrof1.score([{"a", "b"}, {"b"}, set()], [{"a"}, {"b"}, {"b"}]).averaged_f1
    weighted = macrof1.score_file("weighted.csv", "pred.csv", gold="gold", sample_weight="w")
    expected = macrof1.score(["a", "b", "b"], ["a", "a", "b"], sample_weight=[2, 1, 1])
    assert weighted.averaged_f1 == expected.averaged_f1
    assert weighted.interval().low == pytest.approx(expected.interval().low, rel=1e-12)
    counted = macrof1.score_file("weighted.csv", "pred.csv", gold="gold", count="n")
    assert counted.averaged_f1 == macrof1.score(["a", "b", "b", "b"], ["a", "a", "a", "b"]).averaged_f1
    assert macrof1.count_file(["gold.csv", "pred.csv"]).n_rows == 3


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("policy", "expected"), [("wrong", (2 / 3 + 1) / 2), ("drop", 1.0)])
def test_predictions_that_are_missing_are_wrong_or_left_out(policy, expected, said):
    found = macrof1.score_file("gold.csv", "short.csv", missing_predictions=policy)
    assert found.averaged_f1 == expected
    assert (found.n_rows, found.n_classes) == (3 if policy == "wrong" else 2, 2)
    assert [row.actual for row in found.per_class] == ([1, 2] if policy == "wrong" else [1, 1])
    assert "1 of the gold rows (33.3%) have no prediction in short.csv" in found.notes[0]
    assert f"|missing_predictions:{policy}|" in found.signature()
    assert macrof1.Signature.parse(found.signature()).facts[-1] == ("missing_predictions", policy)
    shown = said("score", "gold.csv", "short.csv", "--missing-predictions", policy, "-f", "json").out
    assert json.loads(shown)["note_codes"][0] == "missing_predictions"
    whole = macrof1.score_file("gold.csv", "pred.csv", missing_predictions=policy)
    assert whole.averaged_f1 == macrof1.score_file("gold.csv", "pred.csv").averaged_f1
    sets = macrof1.score_file("sets.csv", "short.csv", multilabel=";", missing_predictions=policy)
    assert sets.n_rows == found.n_rows
    assert sets.counts.tp == (1, 0)


@pytest.mark.usefixtures("folder")
def test_a_gold_file_and_several_of_predictions_are_compared(said):
    files = ("gold.csv", "pred.csv", "shuffled.csv", "-f", "json")
    compared = said("compare", *files)
    assert [row["averaged_f1"] for row in json.loads(compared.out)["systems"]] == pytest.approx([2 / 3] * 2)
    for shown in (said("score", *files), said(*files)):
        assert shown.err == "mf1: gold.csv and 2 files of predictions: compared, as by mf1 compare\n"
        assert shown.out == compared.out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", [[], ["--id", "id"], ["--gold", "gold"]])
def test_files_that_all_have_gold_are_all_of_systems(options, said):
    shown = said("compare", "both.csv", "again.csv", "-f", "json", *options).out
    found = {row["name"]: row["averaged_f1"] for row in json.loads(shown)["systems"]}
    assert found == {"both": pytest.approx(2 / 3), "again": 1.0}


@pytest.mark.usefixtures("folder")
def test_entities_of_files_apart(said):
    shown = said("score", "gold.conll", "pred.conll", "--spans", "-q").out
    assert shown == "averaged_f1 0.8333\nf1_of_averages 0.8571\n"
    shown = said("compare", "gold.conll", "pred.conll", "right.conll", "--spans", "-q").out
    assert shown == "right averaged_f1 1.0000 f1_of_averages 1.0000\npred averaged_f1 0.8333 f1_of_averages 0.8571\n"


@pytest.mark.usefixtures("folder")
def test_labels_with_commas_in_files_of_one_label_per_line():
    found = macrof1.score_file("commas.txt", "answers.txt")
    assert [row.label for row in found.per_class] == ["a", "a, b", "b"]
    assert found.n_rows == 3
