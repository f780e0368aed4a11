"""`mf1 score --spans`: entity files through the command."""

import json

import pytest

CONLL = """-DOCSTART- O O

EU B-ORG B-ORG
rejects O O

Peter B-PER B-PER
B I-PER O

-DOCSTART- O O

x B-ORG I-ORG
"""


@pytest.fixture
def dev(tmp_path):
    path = tmp_path / "dev.conll"
    path.write_text(CONLL)
    return str(path)


def test_both_scores_over_types(dev, said):
    found = json.loads(said("score", dev, "--spans", "-f", "json").out)
    assert (found["averaged_f1"], found["n_classes"], found["n_rows"], found["task"]) == (0.5, 2, 3, "spans")
    assert found["accuracy"] is None
    assert found["note_codes"] == ["malformed_spans"]
    assert "|task:spans|weights:no|spans:iob2-conll|" in found["signature"]["averaged_f1"]


def test_strict_mode_and_documents(dev, said):
    found = json.loads(said("score", dev, "--spans", "--mode", "strict", "--by", "document", "-f", "json").out)
    assert [group["averaged_f1"] for group in found["groups"]] == [0.5, 0.0]
    assert found["mean_of_scores"]["averaged_f1"] == 0.25


def test_intervals_draw_sentences(dev, said):
    shown = said("score", dev, "--spans", "--fail-under-low", "averaged_f1=0.9", "-q", code=1)
    assert "the lower end of the interval of averaged_f1 is 0." in shown.err


def test_sentences_without_entities_score_0_over_listed_types(tmp_path, said):
    path = tmp_path / "dev.conll"
    path.write_text("a O O\n")
    assert "averaged F1      0.0000" in said("score", str(path), "--spans", "--labels", "PER").out
