"""Inspect runs a task with our scorer: its metrics equal the scores of the mock model's answers."""

import pytest

import macrof1

pytest.importorskip("inspect_ai", reason="Inspect is not installed")

ROWS = [("good", "positive"), ("bad", "negative"), ("so so", "neutral"), ("fine", "positive"), ("awful", "negative")]
ANSWERS = ["positive", " negative\n", "positive", "Positive", "Sorry, I cannot tell."]


def run(tmp_path, monkeypatch, *, status="success", how=None, **options):
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
    options = {"solver": generate(), **options}
    task = Task(dataset=[Sample(input=text, target=gold) for text, gold in ROWS], **options)
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = evaluate(task, model=model, log_dir=str(tmp_path), display="none", max_samples=1, **(how or {}))
    assert log.status == status
    if log.results is None:
        return {}, log.location
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


def _failing(at):
    from inspect_ai.solver import solver

    @solver
    def fails():
        async def solve(state, generate):
            if state.input_text == at:
                raise ValueError("the server is down")
            return await generate(state)

        return solve

    return fails()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_run_that_broke_off_is_said_to_be_no_whole_run(tmp_path, monkeypatch, log_format):
    from inspect_ai.scorer import exact

    _, path = run(
        tmp_path, monkeypatch, status="error", how={"log_format": log_format}, solver=_failing("fine"), scorer=exact()
    )
    result = macrof1.score_file(path, missing="drop")
    note = result.notes[0]
    assert note.code == "incomplete_log"
    assert "the run has the status 'error'" in note
    assert "ended in an error" in note
    assert result.n_rows == 3


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("how", "solver", "part"),
    [
        ({"limit": 3}, None, "3 of the 5 samples of the data set are there; only"),
        ({"fail_on_error": False}, "fine", "1 sample ended in an error; only"),
        ({}, None, None),
    ],
)
def test_what_a_finished_run_left_out_is_said(tmp_path, monkeypatch, how, solver, part):
    from inspect_ai.scorer import exact

    options = {} if solver is None else {"solver": _failing(solver)}
    _, path = run(tmp_path, monkeypatch, how=how, scorer=exact(), **options)
    found = [note for note in macrof1.score_file(path, missing="drop").notes if note.code == "incomplete_log"]
    assert [part in note for note in found] == ([True] if part else [])


@pytest.mark.filterwarnings("ignore")
def test_a_killed_run_has_no_header(tmp_path, monkeypatch):
    import zipfile

    from inspect_ai.scorer import exact

    _, path = run(tmp_path, monkeypatch, scorer=exact())
    killed = tmp_path / "killed.eval"
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(killed, "w") as part:
        for name in whole.namelist():
            if name.startswith("_journal/start") or name in ("samples/1_epoch_1.json", "samples/2_epoch_1.json"):
                part.writestr(name, whole.read(name))
    note = macrof1.score_file(killed).notes[0]
    assert "the run has the status 'started', and 2 of the 5 samples of the data set are there" in note
