"""Every hostile or sloppy file gives the right number with its note, or a one-line error; docs/sloppy.md tells
the notes."""

import json

import pandas as pd
import polars as pl
import pytest

from macrof1.cli import main
from macrof1.counting.doubts import DOUBTS
from macrof1.reading.columns import find_column
from tests.cli.corpus import CASES


def run(tmp_path, case, *more):
    path = tmp_path / case.name
    path.write_bytes(case.content if isinstance(case.content, bytes) else case.content.encode())
    options = list(case.options)
    files = [str(path)]
    for name, text in case.more.items():
        (tmp_path / name).write_text(text)
        files.append(str(tmp_path / name))
    if "--matrix" in options:
        options[options.index("--matrix") : options.index("--matrix") + 1] = ["--matrix", *files]
        files = []
    return main(["score", *files, *options, *more])


@pytest.mark.parametrize("name", CASES)
def test_each_file_gives_the_right_number_with_its_note_or_one_clear_line(tmp_path, capsys, name):
    case = CASES[name]
    code = run(tmp_path, case, "-f", "json")
    shown = capsys.readouterr()
    if case.error is not None:
        assert code == 2
        assert case.error in shown.err
        assert len(shown.err.splitlines()) == 1
        assert shown.out == ""
        return
    assert code == 0, shown.err
    found = json.loads(shown.out)
    assert found["averaged_f1"] == pytest.approx(case.averaged_f1, abs=1e-12)
    assert set(case.notes) <= set(found["note_codes"])
    assert {"unused_counts", "repeated_ids", "repeated_rows"} & set(found["note_codes"]) <= set(case.notes)
    if not case.notes:
        assert not DOUBTS & set(found["note_codes"])  # sound, or made sound by the option: nothing to doubt


def test_the_corpus_is_large_and_every_doubt_has_a_case():
    assert len(CASES) >= 60
    assert {note for case in CASES.values() for note in case.notes} >= DOUBTS - {"repeated_spans"}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.notes])
def test_strict_runs_fail_on_every_doubt(tmp_path, capsys, name):
    case = CASES[name]
    strict = {"rows_dropped"} - set(case.notes) == {"rows_dropped"}
    assert run(tmp_path, case, "-q", "--strict") == (1 if strict else 0)
    shown = capsys.readouterr()
    assert ("strict: " in shown.err) == strict


# Doubts about the labels themselves, in plain tables: every front end must say them.
LABELS = {
    "never_in_gold", "many_never_in_gold", "no_common_label", "nearly_equal", "probabilities", "vectors", "decimals",
    "tags", "ids", "several_labels", "swapped",
}  # fmt: skip
PLAIN = [
    name
    for name, case in CASES.items()
    if case.notes and set(case.notes) <= LABELS and case.name == "p.csv" and not case.options
]


@pytest.mark.parametrize("name", PLAIN)
def test_every_front_end_says_the_same(tmp_path, capsys, name):
    """The command as JSON and as text, lists, frames of pandas and Polars, and the page."""
    import macrof1
    from macrof1.web.front_door import open_answer
    from macrof1.web.models import MatrixRequest, OpenRequest, Upload
    from macrof1.web.scores import score_answer

    case = CASES[name]
    assert run(tmp_path, case, "-f", "json") == 0
    expected = json.loads(capsys.readouterr().out)
    table = pl.read_csv(
        tmp_path / case.name, separator=";" if ";" in case.content.partition("\n")[0] else ",", infer_schema=False
    )
    sides = {role: table[find_column(table.columns, None, role, source="p")].to_list() for role in ("gold", "pred")}
    results = [macrof1.score(sides["gold"], sides["pred"])]
    results += [
        macrof1.score_frame(make(sides), gold="gold", pred="pred")
        for make in (pd.DataFrame, pl.DataFrame, pl.LazyFrame)
    ]
    for result in results:
        assert result.note_codes == expected["note_codes"]
        assert result.averaged_f1 == pytest.approx(expected["averaged_f1"], abs=1e-12)
    read = open_answer(OpenRequest(files=[Upload(text=case.content)]))
    scored = score_answer(MatrixRequest(labels=read["labels"], matrix=read["matrix"], rows=read["rows"]))
    assert set(case.notes) <= {*(note.code for note in read["notes"]), *scored["note_codes"]}
    assert run(tmp_path, case) == 0
    text = " ".join(capsys.readouterr().out.split())
    for note, code in zip(expected["notes"], expected["note_codes"], strict=True):
        assert code not in LABELS or " ".join(note.split()) in text


def test_the_document_tells_every_note(root):
    text = (root / "docs" / "sloppy.md").read_text()
    assert {note for case in CASES.values() for note in case.notes if f"`{note}`" not in text} == set()
