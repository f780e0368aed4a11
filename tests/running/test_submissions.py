"""A shared task: a task file, thirty submissions of which some are bad, and a leaderboard."""

import json
import random
import shutil
from pathlib import Path

import pytest

import macrof1
from macrof1.cli import main

LABELS = ["OFFENSE", "OTHER", "abuse"]
N = 200


@pytest.fixture
def task(tmp_path, monkeypatch):
    """Make a task with thirty submissions in a folder."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(28)  # noqa: S311  # test data
    gold = [rng.choice(LABELS) for _ in range(N)]
    Path("gold.csv").write_text("id,gold\n" + "".join(f"{row},{label}\n" for row, label in enumerate(gold)))
    folder = Path("submissions")
    folder.mkdir()

    def submit(name, right, line="{row},{label}\n", rows=range(N), change=str):
        answers = [label if rng.random() < right else rng.choice(LABELS) for label in gold]
        text = "".join(line.format(row=row, label=change(answers[row])) for row in rows)
        (folder / f"{name}.csv").write_text(f"id,pred\n{text}")

    for place in range(21):
        submit(f"team{place:02}", 0.3 + place / 40)
    shutil.copy(folder / "team07.csv", folder / "twin.csv")
    submit("capitals", 0.8, change=str.upper)
    submit("swapped", 0.8, line="{label},{row}\n")
    submit("extra", 0.8, rows=[*range(N), 0])
    submit("short", 0.8, rows=range(N - 20))
    submit("ragged", 0.8, line="{row},{label},\n")
    submit("blank", 0.8, change=lambda label: "" if label == "OTHER" else label)
    (folder / "empty.csv").write_text("")
    (folder / "binary.csv").write_bytes(b"\x80\x04pickled")
    assert len(list(folder.iterdir())) == 30
    return folder


BAD = {
    "binary.csv": "pickle",
    "blank.csv": "lack",
    "empty.csv": "is empty",
    "extra.csv": "1 id occurs more than once ('0')",
    "ragged.csv": "line 2: 3 fields",
    "short.csv": "lacks 20 of the 200 ids of gold.csv ('180', '181', '182', … (17 more))",
    "swapped.csv": "ids occur more than once",
}


def test_thirty_submissions_with_and_without_a_task_file(task, capsys):
    assert main(["task", "init", "gold.csv"]) == 0
    assert Path("task.toml").read_text().startswith('gold_file = "gold.csv"\ngold = "gold"\nid = "id"\n')
    assert main(["compare", "--config", "task.toml", str(task), "-f", "json"]) == 1
    shown = capsys.readouterr()
    assert "mf1: 7 submissions could not be scored" in shown.err
    found = json.loads(shown.out[shown.out.index("{") :])
    assert list(found["rejected"]) == sorted(BAD)
    for name, problem in BAD.items():
        assert problem in found["rejected"][name]
    assert len(found["systems"]) == 23
    assert "The predictions of team07 and twin are identical." in found["notes"]
    assert any("System capitals: " in note and "--normalize case" in note for note in found["notes"])
    best = found["systems"][0]
    assert found["places"][best["name"]][0] == 1 < found["places"][best["name"]][1]
    assert "|rows:200|gold:" in best["signature"]
    assert "|config:task.toml@" in best["signature"]
    # The same without the file, except for what it fixes.
    files = sorted(map(str, task.iterdir()))
    assert main(["compare", "gold.csv", *files, "--labels", ",".join(LABELS), "--classes", "listed", "-f", "json"]) == 1
    again = json.loads(capsys.readouterr().out)
    assert [each["averaged_f1"] for each in again["systems"]] == [each["averaged_f1"] for each in found["systems"]]
    # What a participant runs, and one bad submission alone.
    assert main(["score", "--config", "task.toml", str(task / "team20.csv"), "-f", "json"]) == 0
    own = json.loads(capsys.readouterr().out)
    assert own["averaged_f1"] == next(each["averaged_f1"] for each in found["systems"] if each["name"] == "team20")
    assert main(["score", "--config", "task.toml", str(task / "short.csv")]) == 2


@pytest.mark.parametrize("output", ["markdown", "csv", "json", "html"])
def test_a_leaderboard_is_the_same_twice(task, output, capsys):
    texts = []
    for _ in range(2):
        assert main(["compare", "gold.csv", str(task), "-f", output, "--public"]) == 1
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert "gold:" in texts[0]
    for private in ("'abuse'", "'180'", "only in case"):
        assert private not in texts[0]
    assert ("table.sorts" in texts[0]) == (output == "html")


@pytest.mark.usefixtures("task")
def test_ranks_follow_the_formula_and_the_ties_of_the_task():
    files = ["gold.csv", *(f"submissions/team{place:02}.csv" for place in (1, 10, 20))]
    for rank_by in ("averaged_f1", "f1_of_averages"):
        found = macrof1.compare_file(files, rank_by=rank_by, ties="score")
        scores = [getattr(system, rank_by) for system in found.systems]
        assert scores == sorted(scores, reverse=True)
        assert list(found.places.values()) == [(1, 1), (2, 2), (3, 3)]
    tested = macrof1.compare_file(files).places
    assert tested["team20"] == (1, 1)


@pytest.mark.usefixtures("task")
def test_missing_predictions_of_several_systems():
    files = ["gold.csv", "submissions/team20.csv", "submissions/short.csv"]
    for policy in ("wrong", "drop"):
        found = macrof1.compare_file(files, missing_predictions=policy)
        scores = {system.name: system.averaged_f1 for system in found.systems}
        assert f"|missing_predictions:{policy}|" in found.signature()
        alone = macrof1.score_file(files[0], files[2], missing_predictions=policy)
        assert scores["short"] == pytest.approx(alone.averaged_f1)
