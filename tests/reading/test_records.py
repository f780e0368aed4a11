"""Evaluation logs as tools write them, and records at any path.

The logs next to this file were written by the tools themselves on a sentiment task with three classes:
lm-evaluation-harness 0.4.13 (dummy model), Inspect 0.3.285 (mockllm), promptfoo 0.121.20 (echo provider) and 0.117.11,
HELM 0.5.16 and OpenAI Evals 3.0.1 (fixed answers); scripts/logs made the later ones.
"""

import json
import zipfile
from pathlib import Path

import pytest

import macrof1
from macrof1.errors import ColumnError, EmptyError, FileError, MissingLabelError
from macrof1.reading.files import opened_file
from macrof1.reading.logs import has_path, known_layout, label_path, read_log, value_at, values_of

LOGS = Path(__file__).parent / "logs"
GOLD = ["positive", "negative", "neutral", "positive", "negative", "neutral"]
ANSWERS = ["positive", "negative", "positive", "positive", "neutral", "Sorry, I cannot tell."]


def read(path, records=None):
    with opened_file(path) as file:
        return read_log(file, records)[0]


def labels_of(records):
    layout = known_layout(records[0])
    paths = [label_path(layout, records[0], role, "log") for role in ("gold", "pred")]
    found = [values for _, values in values_of(enumerate(records), paths, layout, "log")]
    return layout.tool, *map(list, zip(*found, strict=True))


CHOICES, GENERATED = (
    [json.loads(line) for line in (LOGS / f"samples_sentiment_{kind}.jsonl").read_text().splitlines()]
    for kind in ("mc", "gen")
)


@pytest.mark.parametrize(
    ("file", "tool"), [("inspect.eval", "Inspect"), ("inspect.json", "Inspect"), ("promptfoo.json", "promptfoo")]
)
def test_logs_of_real_tools_hold_the_answers_that_were_given(file, tool):
    assert labels_of(read(LOGS / file)) == (tool, GOLD, ANSWERS)


def test_choices_of_helm_and_free_text_of_openai_evals_are_read():
    choice = labels_of(read(LOGS / "helm_choice.json"))
    asked = ["positive", "negative", "neutral", "negative"]
    assert choice == ("HELM", asked, ["positive", "neutral", "positive", "positive"])
    found = macrof1.score_file(LOGS / "openai_evals.jsonl", extract=True)
    expected = macrof1.score(asked, ["positive", "negative", "neutral", "?"], labels=set(asked))
    assert (found.averaged_f1, found.unusable_share) == (expected.averaged_f1, 0.25)
    state = json.loads((LOGS / "helm_choice.json").read_text())["request_states"]
    with pytest.raises(FileError, match="is not what HELM writes"):  # a request per choice has no answer of its own
        labels_of([state[0] | {"reference_index": 0}])


def test_multiple_choice_of_lm_evaluation_harness_takes_the_most_likely_choice():
    tool, gold, pred = labels_of(CHOICES)
    assert tool == "lm-evaluation-harness"
    assert gold == [record["doc"]["label_text"] for record in CHOICES]
    # The tool's own accuracy, record by record.
    assert [record["acc"] for record in CHOICES] == [float(a == b) for a, b in zip(gold, pred, strict=True)]


def test_generated_answers_of_lm_evaluation_harness_may_stand_in_lists():
    assert labels_of(GENERATED)[2] == ["lol"] * 12
    assert labels_of([record | {"filtered_resps": [["yes"]]} for record in GENERATED])[2] == ["yes"] * 12
    # Two digits are an answer, and no choice with its likelihood.
    assert labels_of([record | {"filtered_resps": ["10"]} for record in GENERATED])[2] == ["10"] * 12


def test_zipped_logs_may_be_packed_either_way(tmp_path):
    path = tmp_path / "run.eval"
    records = read(LOGS / "inspect.eval")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        for number, record in enumerate(records):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(record))
    assert read(path) == records


@pytest.mark.parametrize(
    ("content", "records", "n"),
    [
        ([{"a": 1}, {"a": 2}], None, 2),
        ({"rows": [{"a": 1}]}, None, 1),
        ({"results": {"outputs": [{"a": 1}] * 3}, "other": [{"b": 1}]}, "results.outputs", 3),
        ({"references": ["x", "y"], "predictions": ["x", "x"]}, None, 2),
        ({"data": {"references": ["x"], "predictions": ["x"]}}, "data", 1),
    ],
)
def test_records_are_found_where_they_are(tmp_path, content, records, n):
    path = tmp_path / "log.json"
    path.write_text(json.dumps(content))
    assert len(read(path, records)) == n


@pytest.mark.parametrize(
    ("text", "records", "error", "part"),
    [
        ("{", None, FileError, "not valid JSON"),
        ("[" * 100_000, None, FileError, "not valid JSON"),
        ("3", None, FileError, "holds a JSON int"),
        ("[]", None, EmptyError, "holds no records"),
        ("[1, 2]", None, FileError, "record 1 is a int"),
        ('{"a": 1, "b": 2}', None, ColumnError, "records="),
        ('{"a": [{}], "b": [{}]}', None, ColumnError, "records="),
        ('{"a": 1}', "x.y", ColumnError, 'nothing at records="x.y"'),
        ('{"references": ["x"], "predictions": []}', None, FileError, "'references' has 1, 'predictions' has 0"),
    ],
)
def test_what_is_no_log_gets_one_line(tmp_path, text, records, error, part):
    path = tmp_path / "log.json"
    path.write_text(text)
    with pytest.raises(error) as raised:
        read(path, records)
    assert part in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_damaged_zip_gets_one_line(tmp_path):
    path = tmp_path / "run.eval"
    data = bytearray((LOGS / "inspect.eval").read_bytes())
    start = data.index(b"samples/2") + 40
    data[start : start + 200] = b"\0" * 200
    path.write_bytes(data)
    with pytest.raises(FileError, match="a sample is damaged"):
        read(path)


def test_paths():
    record = {"a": {"b": [1, {"c": 2}]}, "a.b": 3, "only": {"x": {"y": 4}}, "two": {"x": 1, "y": 2}}
    assert value_at(record, "a.b.1.c") == 2
    assert value_at(record, "a.b") == 3  # a name with a dot comes before a path
    assert value_at(record, "only.*.y") == 4
    for wrong in ("a.c", "a.b.7", "two.*", "a.b.0.c", "a.b.-1"):
        assert not has_path(record, wrong)


@pytest.mark.parametrize(
    "vary",
    [
        lambda record: record | {"target": int(record["target"])},
        lambda record: record | {"target": record["doc"]["label_text"]},
        lambda record: record | {"arguments": [list(each.values()) for each in record["arguments"].values()]},
        lambda record: record | {"filtered_resps": [[float(x), False] for x, _ in record["filtered_resps"]]},
        # With mutual information every choice is asked for again, without its context.
        lambda record: (
            record
            | {
                "filtered_resps": [*record["filtered_resps"], *([["0.0", "False"]] * 3)],
                "arguments": record["arguments"]
                | {f"again {key}": {"arg_0": "", "arg_1": each["arg_1"]} for key, each in record["arguments"].items()},
            }
        ),
    ],
)
def test_multiple_choice_is_read_however_the_harness_writes_it(vary):
    assert labels_of(list(map(vary, CHOICES))) == labels_of(CHOICES)


def test_choices_that_differ_in_context_only_go_by_their_numbers():
    records = [
        record | {"arguments": {key: {"arg_0": f"text {key}", "arg_1": " same"} for key in record["arguments"]}}
        for record in CHOICES
    ]
    _, gold, pred = labels_of(records)
    assert gold == [record["target"] for record in records]
    assert [float(a == b) for a, b in zip(gold, pred, strict=True)] == [record["acc"] for record in records]


def test_a_record_that_the_tool_would_not_write_gets_one_line():
    records = [CHOICES[0], CHOICES[1] | {"arguments": 3}]
    with pytest.raises(FileError, match=r"log, record 1 is not what lm-evaluation-harness writes.*gold= and pred="):
        labels_of(records)


SAMPLES = json.loads((LOGS / "inspect.json").read_text())["samples"]


@pytest.mark.parametrize("scores", [{}, None])
def test_samples_of_inspect_without_scores_have_the_completion(scores):
    records = [sample | {"scores": scores, "target": [sample["target"]]} for sample in SAMPLES]
    assert labels_of(records) == ("Inspect", GOLD, ANSWERS)


def test_several_scorers_of_inspect_are_told_apart_by_a_path():
    records = [sample | {"scores": sample["scores"] | {"other": {"answer": "x"}}} for sample in SAMPLES]
    layout = known_layout(records[0])
    with pytest.raises(ColumnError, match=r"several answers per record.*pred=\"scores\.exact\.answer\""):
        label_path(layout, records[0], "pred", "log")
    found = values_of(enumerate(records), ("right", "scores.other.answer"), layout, "log")
    assert [values for _, values in found] == [(gold, "x") for gold in GOLD]


def test_a_log_of_a_run_that_only_started_holds_no_records(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(json.loads((LOGS / "inspect.json").read_text()) | {"samples": []}))
    with pytest.raises(EmptyError, match="holds no records"):
        read(path)


def test_the_inner_results_of_promptfoo_are_found_too(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(json.loads((LOGS / "promptfoo.json").read_text())["results"]))
    assert labels_of(read(path)) == ("promptfoo", GOLD, ANSWERS)


def test_tests_of_promptfoo_without_an_answer_are_said_even_if_they_come_first(tmp_path):
    log = json.loads((LOGS / "promptfoo.json").read_text())
    for record in log["results"]["results"][:2]:
        record["error"] = "API call error: 500"
        record["response"] = {"error": "API call error: 500"}
    path = tmp_path / "results.json"
    path.write_text(json.dumps(log))
    with pytest.raises(MissingLabelError, match="2 of 6 rows lack"):
        macrof1.score_file(path)
    result = macrof1.score_file(path, missing="drop")
    assert result.note_codes[0] == "incomplete_log"
    assert "2 tests ended in an error; only what was answered is scored" in result.notes[0]
    assert result.averaged_f1 == macrof1.score(GOLD[2:], ANSWERS[2:]).averaged_f1
    assert "incomplete_log" not in macrof1.score_file(LOGS / "promptfoo.json").note_codes  # assertions fail there
