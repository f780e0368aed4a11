"""The paper's own program: the same lines, character for character, or as in the paper's text where its code
differs."""

import json

import pytest
from hypothesis import given

from macrof1.paper.program import haskell_double, run

from ..oracles import Exact
from ..strategies import matrices


def vectors(root):
    return json.loads((root / "tests/golden/paper_program.json").read_text())["vectors"]


def test_both_runs_in_the_paper_character_for_character(root):
    printed = {vector["name"]: vector for vector in vectors(root)}
    for name in ("paper_tab3", "paper_tab4"):
        assert run(printed[name]["argv"]) == printed[name]["stdout"]


def test_all_vectors_to_1e_12(root):
    for vector in vectors(root):
        for ours, theirs in zip(run(vector["argv"]), vector["stdout"], strict=True):
            name, value = ours[1:-1].split(",")
            their_name, their_value = theirs[1:-1].split(",")
            assert name == their_name
            if their_value != "NaN":
                assert float(value) == pytest.approx(float(their_value), abs=1e-12)


@given(matrices())
def test_undefined_ratios_are_0_as_the_paper_says(matrix):
    exact = Exact.of_matrix(matrix)
    lines = run([str(len(matrix)), *(str(cell) for row in matrix for cell in row)])
    values = [float(line[1:-1].split(",")[1]) for line in lines]
    assert values == [float(x) for x in (exact.f1_of_averages, exact.averaged_f1, exact.gap, exact.lemma())]


def test_nothing_counted_gives_0():
    assert [line.split(",")[1] for line in run(["1", "0"])] == ["0.0)"] * 4


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0, "1.0"), (0.1, "0.1"), (0.09, "9.0e-2"), (1e7, "1.0e7"), (9999999.5, "9999999.5"), (1.5e-13, "1.5e-13")],
)
def test_numbers_look_as_haskell_shows_them(value, shown):
    assert haskell_double(value) == shown
