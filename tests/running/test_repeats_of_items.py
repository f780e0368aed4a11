"""Several answers to an item in logs of real tools: their mean, a vote, any right answer, or rows in clusters."""

import json

import pytest

import macrof1

from ..conftest import ROOT

LOGS = ROOT / "tests" / "reading" / "logs"
GOLD = ["positive", "negative", "neutral", "negative"]
# As scripts/logs had the tools log them: three answers to each of four texts.
ANSWERS = [
    ["positive", "positive", "neutral"], ["neutral", "negative", "negative"], ["positive", "negative", "neutral"],
    ["positive", "positive", "positive"],
]  # fmt: skip
ANY = [gold if gold in said else said[0] for gold, said in zip(GOLD, ANSWERS, strict=True)]
CALLS = {
    "lm-evaluation-harness": ("samples_repeated.jsonl", {"by": "filter"}), "Inspect": ("inspect_epochs.eval", {}),
    "promptfoo": ("promptfoo_repeat.json", {}), "HELM": ("helm_words.json", {}),
}  # fmt: skip


def scored(tool, **options):
    name, more = CALLS[tool]
    found = macrof1.score_file(LOGS / name, **more, **options)
    return found["all"] if more else found


@pytest.mark.parametrize("tool", CALLS)
def test_answers_to_one_item_are_settled(tool):
    vote = ["positive", "negative", "positive", "positive"]  # of three different ones, the first
    for how, pred in (("vote", vote), ("any", ANY)):
        found, expected = scored(tool, repeats=how), macrof1.score(GOLD, pred)
        assert (found.averaged_f1, found.n_rows) == (expected.averaged_f1, 4)
        assert f"|repeats:{how}|" in found.signature()
        assert macrof1.Signature.parse(found.signature()).facts == (("repeats", how),)


@pytest.mark.parametrize("how", ["mean", "cluster"])
@pytest.mark.parametrize("tool", CALLS)
def test_answers_may_be_rows_in_clusters(tool, how):
    found = scored(tool, repeats=how)
    rows = [(gold, pred, item) for item, gold in enumerate(GOLD) for pred in ANSWERS[item]]
    gold, pred, item = zip(*rows, strict=True)
    expected = macrof1.score(gold, pred, cluster=item, sample_weight=[1 / 3] * 12 if how == "mean" else None)
    assert (found.averaged_f1, found.n_rows) == (expected.averaged_f1, 12)
    assert f"|repeats:{how}|" in found.signature()
    assert "repeated_rows" not in found.note_codes
    ours, theirs = found.interval(), expected.interval()
    assert (ours.low, ours.high, ours.n_clusters) == pytest.approx((theirs.low, theirs.high, 4), rel=1e-12)


def test_without_a_word_several_answers_are_refused(said, tmp_path):
    first = f"{LOGS / 'samples_repeated.jsonl'}"
    shown = said("score", first, code=2).err
    assert "has 3 answers to one question: expected one answer per example; --repeats vote takes" in shown
    assert "--by filter scores them apart" in said("score", first, "--repeats", "vote", code=2).err
    single = [json.loads(line) for line in (LOGS / "samples_repeated.jsonl").read_text().splitlines()]
    for record in single:
        record["filtered_resps"] = record["filtered_resps"][0][:1]
    (tmp_path / "two_filters.jsonl").write_text("".join(json.dumps(record) + "\n" for record in single))
    assert "--by filter scores them apart" in said("score", tmp_path / "two_filters.jsonl", code=2).err
    assert "--by epoch scores them apart" in said("score", LOGS / "inspect_epochs.eval", code=2).err
    shown = said("score", LOGS / "promptfoo_repeat.json")
    assert "4 questions of" in shown.err + shown.out
    assert "--repeats mean lets questions count alike" in " ".join((shown.err + shown.out).split())
    assert "repeated_items" not in macrof1.score_file(LOGS / "promptfoo_repeat.json", repeats="vote").note_codes
    assert "repeated_items" not in macrof1.score_file(LOGS / "promptfoo.json").note_codes


def test_items_count_alike_in_the_mean_and_free_text_is_read_before_the_vote(tmp_path):
    records = [json.loads(line) for line in (LOGS / "samples_repeated.jsonl").read_text().splitlines()]
    records = [record for record in records if record["filter"] == "all"]
    texts = [["Answer: positive", "neutral", '{"label": "positive"}'], ["(Negative)"], ["neutral"], ["?", "negative"]]
    for record, said in zip(records, texts, strict=True):
        record["filtered_resps"] = [said]
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    options = {"extract": True, "normalize": "case"}
    gold = [GOLD[item] for item, said in enumerate(texts) for _ in said]
    pred = ["positive", "neutral", "positive", "negative", "neutral", "?", "negative"]
    expected = macrof1.score(gold, pred, labels=set(GOLD), sample_weight=[1 / 3] * 3 + [1, 1, 1 / 2, 1 / 2])
    found = macrof1.score_file(path, repeats="mean", **options)
    assert found.averaged_f1 == pytest.approx(expected.averaged_f1, rel=1e-15)
    assert "|repeats:mean|normalize:case|extract:yes|" in found.signature()
    found = macrof1.score_file(path, repeats="vote", **options)
    assert found.averaged_f1 == macrof1.averaged_f1(GOLD, ["positive", "negative", "neutral", "?"], labels=set(GOLD))
    assert macrof1.score_file(path, repeats="any", **options).averaged_f1 == 1


def test_an_item_without_any_answer_has_none(tmp_path):
    records = [json.loads(line) for line in (LOGS / "samples_repeated.jsonl").read_text().splitlines()]
    records = [record for record in records if record["filter"] == "all"]
    records[0]["filtered_resps"] = [[None, "neutral", None]]
    records[1]["filtered_resps"] = [[None, None, None]]
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(macrof1.InputError, match="1 of 4 rows lacks"):
        macrof1.score_file(path, repeats="vote")
    found = macrof1.score_file(path, repeats="vote", missing="drop")
    expected = macrof1.score(["positive", "neutral", "negative"], ["neutral", "positive", "positive"])
    assert found.averaged_f1 == expected.averaged_f1
