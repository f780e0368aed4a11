"""The paper's numbers, simulated and counted again, and the lines of its own program, character for character."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given

from macrof1.paper import simulation
from macrof1.paper.experiments import claims_of_figure_1a
from macrof1.paper.program import TABLES, ExactScores, check_all, haskell_double, program_runs, run, table_scores
from macrof1.paper.simulation import Settings, surfaces

from ..oracles import Exact
from ..strategies import matrices


def test_tables_exactly():
    rows = {row["table"]: row for row in table_scores()}
    expected = {"Table 1": ("17/35", "1/2"), "Table 2": ("23/48", "231/416"), "Table 3": ("1/51", "51/101")}
    for name, (averaged, of_averages) in expected.items():
        assert (rows[name]["averaged_f1"], rows[name]["f1_of_averages"]) == (averaged, of_averages)
    assert rows["Table 4"]["averaged_f1"] == rows["Table 4"]["f1_of_averages"] == "1/51"
    assert all(row["same"] for row in program_runs())


# Figures 2 and 3 without noise: what theory gives to the printed digits, and where.
@pytest.mark.parametrize(
    ("figure", "n", "largest", "x"),
    [
        ("fig2", 4, "1.522", "0.385"),
        ("fig2", 13, "1.907", "0.455"),
        ("fig3", 4, "0.752", "0.295"),
        ("fig3", 13, "1.502", "0.252"),
    ],
)
def test_population_maxima(figure, n, largest, x):
    found = simulation.worst_population(figure, n)
    assert f"{found['largest_gap_points']:.3f}" == largest
    assert f"{found['x']:.3f}" == x
    assert found["y"] == 1


@pytest.mark.parametrize("figure", ["fig2", "fig3"])
@pytest.mark.parametrize("n", [2, 4, 13])
def test_cells_are_shares_of_all_rows_with_x_of_them_right(figure, n):
    x, y = np.meshgrid(np.linspace(1 / n, 1, 7), np.linspace(0, 1, 6))
    cells = simulation.cells_of_grid(figure, n, x, y)
    assert np.allclose(cells.sum((-1, -2)), 1)
    assert np.allclose(np.einsum("...ii->...", cells), x)
    gold, wrong = cells.sum(-2)[-1, 0], cells.sum(-1)[-1, 0] - np.diagonal(cells[-1, 0])
    skewed = np.arange(1, n + 1) / (n * (n + 1) / 2)
    assert np.allclose(gold, skewed if figure == "fig2" else 1 / n)
    # Wrong labels: as likely for every class that is not gold, or more likely the later the class.
    assert (np.diff(wrong) < 0).all() if figure == "fig2" else n == 2 or (np.diff(wrong) > 0).all()


def test_the_population_gap_in_fractions():
    # Figure 2 at n = 4, x = 0.385, y = 1, written out: gold 1/10 … 4/10, wrong labels spread over the three others.
    x, gold = Fraction(385, 1000), [Fraction(k, 10) for k in range(1, 5)]
    matrix = [[x * gold[j] if i == j else (1 - x) / 3 * gold[j] for j in range(4)] for i in range(4)]
    exact = Exact.of_matrix(matrix)
    largest = simulation.worst_population("fig2", 4)["largest_gap_points"]
    assert largest == pytest.approx(100 * float(exact.gap), rel=1e-12)


def test_vectorised_scores_are_the_exact_ones():
    rng = np.random.default_rng(2)
    tables = rng.integers(0, 4, (200, 3, 3))
    found = simulation.scores_of(tables)
    for place, table in enumerate(tables.tolist()):
        exact = Exact.of_matrix(table)
        assert found.averaged_f1[place] == pytest.approx(float(exact.averaged_f1), abs=1e-15)
        assert found.f1_of_averages[place] == pytest.approx(float(exact.f1_of_averages), abs=1e-15)
        assert found.gap[place] == pytest.approx(float(exact.gap), abs=1e-15)


def test_every_figure_of_figure_1a_lies_in_our_range():
    _, seeds, summary = simulation.figure_1a(Settings(seeds=20))
    assert len(seeds) == 20
    rows = claims_of_figure_1a(summary)
    assert [row.verdict for row in rows] == ["inside"] * 5
    # Fixed class sizes would put the paper's correlations outside: gold labels were drawn.
    for name, printed in (("pearson", 0.72), ("spearman", 0.69)):
        assert printed + 0.005 < summary["stratified"][name]["low"]


def test_statistics_are_those_of_scipy():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 30, 200) / 7
    y = x + rng.normal(size=200)
    assert simulation.pearson(x, y) == pytest.approx(scipy.stats.pearsonr(x, y).statistic, rel=1e-12)
    assert simulation.spearman(x, y) == pytest.approx(scipy.stats.spearmanr(x, y).statistic, rel=1e-12)
    for r, n in itertools.product((0.0, 0.01, 0.2, -0.5, 0.72, 0.99), (5, 30, 1000)):
        expected = 2 * scipy.stats.t.sf(abs(r) * np.sqrt((n - 2) / (1 - r * r)), n - 2)
        assert simulation.two_sided_p(r, n) == pytest.approx(expected, rel=1e-9)
    assert simulation.two_sided_p(1.0, 10) == 0
    at = np.linspace(-20, 30, 4000)
    assert np.trapezoid(simulation.density(y, at), at) == pytest.approx(1, abs=1e-6)


def test_a_random_classifier_in_the_population():
    expected = {
        "2 classes: 95/5": 0.1270,
        "2 classes: 99/1": 0.1580,
        "3 classes: 80/10/10": 0.0739,
        "4 classes: 40/30/20/10": 0.0136,
        "10 classes: 55, then 5 each": 0.0231,
    }
    for name, value in expected.items():
        shares = simulation.DISTRIBUTIONS[name]
        found, n = simulation.population_of_random(shares), len(shares)
        assert found["gap"] == pytest.approx(value, abs=5e-5)
        # Precision is the class's share and recall is 1/n.
        assert found["averaged_f1"] == pytest.approx(sum(2 * share / (1 + n * share) for share in shares) / n)
        assert found["f1_of_averages"] == pytest.approx(1 / n)
    _, table = simulation.figure_1b(Settings(seeds=1))
    for row in table:
        assert row["mean_gap"] == pytest.approx(row["population_gap"], abs=0.005)


def test_one_seed_is_one_stream_and_parts_do_not_disturb_each_other():
    quick = Settings(seeds=2, quick=True)
    assert surfaces("fig3", quick) == surfaces("fig3", quick)
    other = Settings(seed=1, seeds=2, quick=True)
    assert surfaces("fig3", other)[1] != surfaces("fig3", quick)[1]
    more = Settings(seeds=3, quick=True)
    assert [row for row in surfaces("fig3", more)[1] if row["seed"] < 2] == surfaces("fig3", quick)[1]


@pytest.mark.parametrize(("n", "x"), [(4, 0.5), (13, 0.3), (13, 0.5)])
def test_noise_alone_makes_the_gap_that_theory_says(n, x):
    cells = simulation.cells_of_grid("fig3", n, np.full(4_000, x), np.zeros(4_000))
    drawn = simulation.scores_of(simulation.draw_cells(np.random.default_rng([n, 6]), 2_000, cells)).gap
    assert drawn.mean() == pytest.approx(n * x * (1 - x) / (2 * 2_000), rel=0.05)


@pytest.mark.parametrize(("n", "most", "matrices", "broken"), [(2, 4, 625, 160), (3, 2, 19683, 7596)])
def test_theorems_on_all_small_matrices(n, most, matrices, broken):
    found = check_all(n, most)
    assert found["matrices"] == matrices
    assert found["theorem_2_violations"] == broken
    for key in ("theorem_1", "lemma", "theorem_3", "theorem_2_corrected"):
        assert found[f"{key}_violations"] == 0
    assert found["theorem_2_violations_all_tp_positive"] == 0
    example = Exact.of_matrix(found["theorem_2_counterexample"])
    assert example.precision != example.recall
    assert example.gap == 0
    assert sum(map(sum, found["theorem_2_counterexample"])) == 2
    if n == 3:
        one_sided = Exact.of_matrix(found["theorem_2_positive_gap_one_sided"])
        assert one_sided.gap > 0
        assert not any(p > r for p, r in zip(one_sided.precision, one_sided.recall, strict=True))


def test_exact_scores_are_the_oracles():
    for flat in itertools.product(range(3), repeat=4):
        matrix = [flat[:2], flat[2:]]
        ours, theirs = ExactScores.of_matrix(matrix), Exact.of_matrix(matrix)
        for name in ("averaged_f1", "f1_of_averages", "gap"):
            assert getattr(ours, name) == getattr(theirs, name)
        assert ours.lemma == theirs.lemma()


def test_errata_are_true_of_their_examples():
    """The examples of the table in docs/errata.md."""
    constant, one_sided = [[1, 1], [0, 0]], [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    assert [ExactScores.of_matrix(matrix).gap for matrix in (constant, one_sided)] == [0, Fraction(1, 63)]
    assert ExactScores.of_matrix(TABLES["Table 2"]).f1_of_averages == Fraction(231, 416)
    several, far_apart = [(1, 2, 1), (1, 2, 1)], [(1, 10, 1), (1, 10, 1), (0, 0, 18)]
    assert [ExactScores.of(margins).gap for margins in (several, far_apart)] == [0, 0]
    assert ExactScores.of([(1, 2, 1), (1, 3, 1)]).gap > 0
    assert round(simulation.worst_population("fig3", 13)["largest_gap_points"], 2) == 1.50


def test_claims_tell_inside_from_outside():
    span = {"low": 0.5, "high": 0.6, "mean": 0.55}
    names = ["rmsd", "pearson", "pearson_p", "spearman", "spearman_p", "max_f1_of_averages", "max_averaged_f1"]
    rows = claims_of_figure_1a({**dict.fromkeys(names, span), "stratified": {"pearson": span, "spearman": span}})
    assert [row.verdict for row in rows] == ["outside", "outside", "outside", "inside", "outside"]


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
