"""Classes read out of free-text answers, in every call, and the answers that name none."""

import json

import pytest

import macrof1
from macrof1.counting.answers import answer_reader

READ = {
    "B": ["B", " B.", "(B)", "**B**", "Answer: B", "The answer is (B).", "answer is option B", "B) Paris", "#### B",
          "<answer>B</answer>", r"so \boxed{B}", "I choose (B), not the rest", "Answer: A\nAnswer: B", "B\nsince A",
          "B, I think"],
    "not spam": ['{"label": "not spam", "why": "no spam in it"}', 'So:\n```json\n{"x": {"Label": "not spam"}}\n```',
                 "{'label': 'not spam'}", "Label = not spam", '{"kind": "not spam"}', "{} Answer: not spam"],
    1: ["1", 1, '{"answer": 1}', "Class: 1"],
    False: ["False", False, '{"verdict": false}'],
}  # fmt: skip
UNREAD = [
    "", "?", "It is not spam", "A or B", "Answer: A/B", "(A), then (B)", '{"a": "A", "b": "B"}', '{"label": "none"}',
    "Answer: 1.5", "Answer: unsure, perhaps B", "Bravo", "Answer: Bravo", "A: B", None, 2,
]  # fmt: skip


def test_the_class_is_read_or_none_is():
    read = answer_reader(["A", "B", "spam", "not spam", 1, False], lambda label: label)
    assert [(text, read(text)) for label, texts in READ.items() for text in texts if read(text) is not label] == []
    assert [text for text in UNREAD if read(text) is not None] == []


GOLD = ["spam", "ham", "ham", "spam", "ham", "spam"]
ANSWERS = ["Answer: spam", '{"label": "ham"}', "Ham", "ham", "cannot say", "no idea"]
PRED = ["spam", "ham", "ham", "ham", "?", "?"]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = zip(GOLD, ANSWERS, range(6), strict=True)
    path.write_text("".join(json.dumps({"gold": g, "pred": p, "text": t}) + "\n" for g, p, t in rows))
    return path


@pytest.mark.parametrize("outside", ["wrong", "drop", "class"])
def test_every_call_reads_answers_and_counts_those_it_cannot_read(path, outside, said):
    options = {"extract": True, "normalize": "case", "outside": outside}
    expected = macrof1.score(GOLD, PRED, labels=["ham", "spam"], outside=outside)
    grouped = macrof1.score_groups(gold=GOLD, pred=ANSWERS, by={"half": [1, 1, 1, 2, 2, 2]}, **options)
    compared = macrof1.compare(GOLD, {"a": ANSWERS, "b": PRED}, **options)
    found = [
        macrof1.score(GOLD, ANSWERS, **options), macrof1.score_file(path, **options),
        macrof1.score_file(path, cluster="text", **options), grouped.total, compared.systems[0],
        macrof1.identify(GOLD, ANSWERS, "0.1", **options).scores[0],
    ]  # fmt: skip
    assert {getattr(one, "averaged_f1", getattr(one, "value", None)) for one in found} == {expected.averaged_f1}
    assert f"normalize:case|extract:yes|outside:{outside}|unusable:0.333" in found[0].signature()
    note = next(note for note in found[0].notes if "could not be read" in note)
    assert note.startswith("3 of 6 answers were read out of other text or spelling; 2 could not be read ('cannot say'")
    shown = said("score", path, "--extract", "--normalize", "case", "--outside", outside, "-f", "json").out
    assert json.loads(shown)["averaged_f1"] == expected.averaged_f1
    assert found[2].interval().n_clusters == (6 if outside != "drop" else 4)


def test_sets_have_no_answers_to_read():
    with pytest.raises(macrof1.InputError, match="extract= cannot be combined"):
        macrof1.score([{"a"}, {"b"}], [{"a"}, {"b"}], extract=True)
