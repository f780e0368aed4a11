"""Inspect runs a task with our scorer: its metrics equal the scores of the mock model's answers."""

from __future__ import annotations

import pytest

import macrof1

pytest.importorskip("inspect_ai", reason="Inspect is not installed")

ROWS = [("good", "positive"), ("bad", "negative"), ("so so", "neutral"), ("fine", "positive"), ("awful", "negative")]
ANSWERS = ["positive", " negative\n", "positive", "Positive", "Sorry, I cannot tell."]


def run(tmp_path, monkeypatch, **options):
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.solver import generate

    class Words:
        """Counts tokens as words: the tool's own tokenizer is downloaded on first use."""

        def encode(self, text, **_):
            return text.split()

    import tiktoken

    monkeypatch.setattr(tiktoken, "get_encoding", lambda _: Words())
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in ANSWERS]
    task = Task(dataset=[Sample(input=text, target=gold) for text, gold in ROWS], solver=generate(), **options)
    (log,) = evaluate(
        task,
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(tmp_path),
        display="none",
        max_samples=1,
    )
    assert log.status == "success"
    return {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}, log.location


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ignore_case", [False, True])
def test_metrics_equal_the_scores_of_the_answers(tmp_path, monkeypatch, ignore_case):
    from macrof1.integrations.inspect_ai import label

    found, _ = run(tmp_path, monkeypatch, scorer=label(ignore_case=ignore_case))
    pred = [answer.strip().casefold() if ignore_case else answer.strip() for answer in ANSWERS]
    expected = macrof1.score([gold for _, gold in ROWS], pred, classes="gold")
    assert found["averaged_f1"] == pytest.approx(expected.averaged_f1, abs=1e-15)
    assert found["f1_of_averages"] == pytest.approx(expected.f1_of_averages, abs=1e-15)


@pytest.mark.filterwarnings("ignore")
def test_a_scorer_without_targets_is_told_what_is_missing():
    from inspect_ai.scorer import SampleScore, Score

    from macrof1.integrations.inspect_ai import averaged_f1

    with pytest.raises(macrof1.InputError, match="lacks the target"):
        averaged_f1()([SampleScore(score=Score(value="C", answer="a"))])
