"""Audits of single reports: verdicts, corrections, counts, and invalid input."""

import json
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import macrof1
from macrof1.auditing import audited_figures
from macrof1.auditing.feasible import surely_broken
from macrof1.auditing.printed_figures import read_ratio
from macrof1.auditing.repairs import assess

from ..conftest import ROOT
from ..oracles import Exact
from ..reports import misprinted, printed, simulate, simulate_odd


def test_gerbil_issue_87_is_not_f1_of_averages():
    for figures in (
        {"precision": 0.2937, "recall": 0.2283, "f1": 0.2095},
        {"precision": "0.2937", "recall": "0.2283", "f1": "0.2095"},
        {"precision": Decimal("29.37"), "recall": "22.83", "f1": 20.95, "percent": True},
        {"precision": "29,37 %", "recall": "22,83 %", "f1": "20,95 %"},
    ):
        result = macrof1.audit(**figures)
        assert result.verdict == "averaged_f1"
        assert result.findings == ()
        assert "folds" in result.notes[-1]
        assert 0.2568 < result.f1_of_averages[0] < result.f1_of_averages[1] < 0.2570


def test_public_cases_get_their_verdicts():
    # smile, pull request 874: averaged F1 0.822222, F1 of averages 0.860215, precision 8/9, recall 5/6
    smile = {"precision": "0.8889", "recall": "0.8333", "n_classes": 3}
    assert macrof1.audit(f1="0.8222", **smile).verdict == "averaged_f1"
    assert macrof1.audit(f1="0.8602", **smile).verdict == "either"
    # The same with the classes' figures, which decide both ways.
    smile["per_class"] = {
        "0": {"precision": "1.0000", "recall": "0.5000", "f1": "0.6667"},
        "1": {"precision": "0.6667", "recall": "1.0000", "f1": "0.8000"},
        "2": {"precision": "1.0000", "recall": "1.0000", "f1": "1.0000"},
    }
    assert macrof1.audit(f1="0.8222", **smile).verdict == "averaged_f1"
    decided = macrof1.audit(f1="0.8602", **smile)
    assert (decided.verdict, decided.other) == ("f1_of_averages", "0.8222 to 0.8223")
    # scikit-learn, issue 8747: averaged F1 0.604167, F1 of averages 0.636129
    result = macrof1.score(
        [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4], [1, 1, 1, 0, 0, 2, 2, 3, 3, 3, 4, 3, 4, 3], labels=[1, 2, 3, 4]
    )
    issue = {"precision": f"{result.macro_precision:.4f}", "recall": f"{result.macro_recall:.4f}"}
    assert macrof1.audit(f1="0.6042", **issue).verdict == "averaged_f1"
    assert macrof1.audit(f1="0.6361", **issue).verdict == "either"
    assert macrof1.audit(f1="0.7100", **issue).verdict == "neither"


def test_the_notes_table_2_was_truncated():
    # [[1, 1], [9, 19]], predictions as rows: F1 of averages is 0.5553, printed as .55
    result = macrof1.score_matrix([[1, 1], [9, 19]], rows="predicted")
    records = {
        str(record.label): {kind: f"{getattr(record, kind):.4f}" for kind in ("precision", "recall", "f1")}
        for record in result.per_class
    }
    figures = {"per_class": records, "f1": ".55"}
    rounded = macrof1.audit(**figures)
    assert (rounded.verdict, rounded.status, rounded.findings) == ("neither", "fits if", ())
    assert any("truncated" in note for note in rounded.notes)
    per_class = {label: {"precision": r["precision"], "recall": r["recall"]} for label, r in records.items()}
    cut = macrof1.audit(per_class=per_class, f1=".55", n_classes=2, rounding="unknown")
    assert cut.verdict == "f1_of_averages"


def test_a_verdict_needs_evidence_that_no_class_is_missing():
    # Averaged F1 of four classes, of which one is not printed: with two decimals the others fit F1 of averages.
    rows = {"a": ("0.75", "0.50", "0.60"), "b": ("0.50", "0.75", "0.60"), "c": ("0.70", "0.70", "0.70")}
    per_class = {label: dict(zip(("precision", "recall", "f1"), row, strict=True)) for label, row in rows.items()}
    figures = {"precision": "0.65", "recall": "0.65", "f1": "0.65", "per_class": per_class}
    result = macrof1.audit(**figures)
    assert (result.verdict, result.findings) == ("either", ())
    assert "no class is missing" in result.reason
    told = next(note for note in result.notes if getattr(note, "code", None) == "all_classes_decide")
    assert "If there are 3 classes, the macro F1 is F1 of averages (n_classes=3)" in told
    assert macrof1.audit(**figures, n_classes=3).verdict == "f1_of_averages"
    assert macrof1.audit(**figures, task="multiclass").verdict == "f1_of_averages"
    # A total that the class sizes add up to shows it too, and so do more decimals.
    sizes = {"a": 30, "b": 20, "c": 30}
    assert macrof1.audit(**figures, support=sizes).verdict == "either"
    assert macrof1.audit(**figures, support=sizes, total=80).verdict == "f1_of_averages"
    longer = {"precision": "0.6500", "recall": "0.6500", "f1": "0.6500"}
    for row in per_class.values():
        row.update({kind: f"{text}00" for kind, text in row.items()})
    assert macrof1.audit(**longer, per_class=per_class).verdict == "f1_of_averages"


@pytest.mark.parametrize(
    ("name", "words"),
    [("weighted_f1", "weighted F1"), ("micro_f1", "micro F1"), ("cohen_kappa", "Cohen's kappa"),
     ("mcc", "Matthews' correlation coefficient")],
)  # fmt: skip
def test_whole_counts_are_held_against_the_table_of_all_definitions(name, words):
    rng = np.random.default_rng(3)
    gold = rng.choice(["a", "b", "c"], 300, p=[0.6, 0.3, 0.1])
    result = macrof1.score(gold, np.where(rng.random(300) < 0.7, gold, rng.choice(["a", "b", "c"], 300)))
    cells = {
        record.label: {"tp": record.tp, "fp": record.predicted - record.tp, "fn": record.actual - record.tp}
        for record in result.per_class
    }
    audited = macrof1.audit(f1=f"{getattr(result, name):.4f}", per_class=cells, n_classes=3)
    assert (audited.verdict, audited.definition, audited.findings) == ("neither", words, ())
    # Two decimals fit something by chance.
    if name in ("cohen_kappa", "mcc"):
        assert macrof1.audit(f1=f"{getattr(result, name):.2f}", per_class=cells, n_classes=3).findings


CELLS = {
    "cat": {"tp": 8, "fp": 2, "fn": 4, "tn": 16},
    "dog": {"tp": 8, "fp": 5, "fn": 2, "tn": 15},
    "eel": {"tp": 5, "fp": 2, "fn": 3, "tn": 20},
}


def test_true_negatives_show_that_no_class_is_missing():
    # Averaged F1 is 0.6965, F1 of averages 0.7035.
    result = macrof1.audit(f1="0.703", per_class=CELLS)
    assert (result.verdict, result.counts.tp) == ("f1_of_averages", (8, 8, 5))
    assert not any("assumed to be all classes" in note for note in result.notes)
    without = {label: {kind: n for kind, n in cells.items() if kind != "tn"} for label, cells in CELLS.items()}
    assert macrof1.audit(f1="0.703", per_class=without).verdict == "either"
    # A row more than the classes hold: a class may be missing.
    more = {label: {**cells, "tn": cells["tn"] + 1} for label, cells in CELLS.items()}
    assert macrof1.audit(f1="0.703", per_class=more).verdict == "either"


def test_four_cells_of_one_class_are_those_of_two():
    result = macrof1.audit(f1="0.7589", per_class={"offensive": {"tp": 628, "fp": 267, "fn": 311, "tn": 1442}})
    assert result.verdict == "averaged_f1"
    assert (result.counts.labels, result.counts.tp) == (("offensive", "not offensive"), (628, 1442))


def test_cells_that_add_up_to_different_rows_are_refused():
    wrong = {**CELLS, "eel": {**CELLS["eel"], "tn": 21}}
    with pytest.raises(macrof1.InputError, match="of cat add up to 30 rows, those of eel to 31") as error:
        macrof1.audit(f1="0.70", per_class=wrong)
    assert error.value.argument == "per_class"


@pytest.mark.parametrize("seed", range(4))
def test_no_simulated_report_gets_an_unsound_verdict(seed):
    rng = np.random.default_rng(seed)
    decided = 0
    for _ in range(500):
        arguments, truth, counts = simulate(rng)
        result = macrof1.audit(**arguments)
        assert result.verdict in (truth, "either"), (arguments, result)
        assert result.findings == (), (arguments, result)
        if result.counts is not None:
            assert (list(result.counts.tp), list(result.counts.predicted)) == counts[:2]
        low, high = getattr(result, truth)
        exact = getattr(Exact(*counts), truth)
        assert low - 1e-15 <= exact <= high + 1e-15
        decided += result.verdict == truth
    assert decided > 100


def test_no_odd_report_gets_an_unsound_verdict():
    rng = np.random.default_rng(6)
    for _ in range(600):
        arguments, truth, exact, counts = simulate_odd(rng)
        result = macrof1.audit(**arguments)
        assert result.verdict in (truth, "either"), (arguments, result)
        assert result.findings == (), (arguments, result)
        for formula in ("averaged_f1", "f1_of_averages"):
            low, high = getattr(result, formula)
            assert low - 1e-15 <= getattr(exact, formula) <= high + 1e-15
        if result.counts is not None:
            columns = (result.counts.tp, result.counts.predicted, result.counts.actual)
            rows = zip(*columns, strict=True)
            assert dict(zip(result.counts.labels, rows, strict=True)) == counts


def test_floats_call_nothing_broken_that_fractions_do_not(monkeypatch):
    """What floats rule out at once is impossible for fractions too, and floats never get into what is proved."""
    seen = Counter()
    exact = assess

    def both(report):
        broken, outcome = surely_broken(report), exact(report)
        seen[broken, outcome.consistent] += 1
        ends = [
            end for name in ("macro_precision", "macro_recall", "averaged_f1") for end in getattr(outcome.room, name)
        ]
        assert all(isinstance(end, Fraction) for end in ends)
        return outcome

    monkeypatch.setattr("macrof1.auditing.repairs.tried", both)
    rng = np.random.default_rng(21)
    for _ in range(200):
        try:
            macrof1.audit(**misprinted(rng, simulate_odd(rng)[0])[0])
        except macrof1.InputError:
            continue
    assert seen[True, True] == 0
    assert min(seen[True, False], seen[False, True]) > 50


def test_a_misprint_that_shows_is_among_the_figures_that_can_be_blamed(monkeypatch):
    rng = np.random.default_rng(8)
    kinds = Counter()
    for number in range(400):
        arguments, name = misprinted(rng, simulate_odd(rng)[0])
        try:
            result = macrof1.audit(**arguments)
        except macrof1.InputError:  # 0.93 became 9.93
            continue
        for finding in result.findings:
            kinds[finding.kind] += 1
            assert any(words.startswith(name) for words in (finding.figure or "", *finding.alternatives)), arguments
        if number % 8 == 0:
            # Figures outside a contradiction are passed over; looking at all of them finds no more.
            with monkeypatch.context() as patched:
                patched.setattr("macrof1.auditing.repairs.conflicts", lambda _: [])
                assert macrof1.audit(**arguments) == result
    assert kinds["wrong_figure"] > 40
    assert kinds["one_of"] > 20
    assert not kinds["contradiction"]


def test_a_figure_that_can_be_blamed_is_named_though_no_correction_was_found():
    # Two decimals of a macro recall are wrong, and whole counts allow few values in a wide range.
    total = macrof1.audit(precision="0.30", recall="0.30", f1="0.30", correct=60, total=30)
    (finding,) = total.findings
    assert finding.kind == "one_of"
    assert "total 30 should be at least 60 (the smallest change is 60)" in finding.message
    figures = read_ratio("0.03", "recall", percent=False, rounding="unknown")
    assert figures.steps_of((Fraction(0), Fraction(1))) == range(101)


def test_two_classes_can_prove_f1_of_averages_from_macro_figures_alone():
    result = macrof1.score_matrix([[900, 5], [600, 95]], rows="gold")
    figures = {
        "precision": f"{result.macro_precision:.4f}",
        "recall": f"{result.macro_recall:.4f}",
        "f1": f"{result.f1_of_averages:.4f}",
    }
    assert macrof1.audit(**figures, n_classes=2, task="multiclass").verdict == "f1_of_averages"
    assert macrof1.audit(**figures).verdict == "either"
    assert macrof1.audit(**figures, n_classes=2, task="multilabel").verdict == "either"
    # One label per row is an assumption: a verdict that rests on nothing else is not given, and the note says which.
    open_verdict = macrof1.audit(**figures, n_classes=2)
    assert open_verdict.verdict == "either"
    assert "With one label per row the macro F1 is F1 of averages" in " ".join(open_verdict.notes)
    impossible = {"precision": "0.60", "recall": "0.40", "f1": "0.45", "n_classes": 2}
    assert macrof1.audit(**impossible).findings == ()
    certain = macrof1.audit(**impossible, task="multiclass")
    assert certain.verdict != "f1_of_averages"
    # Before a figure is blamed: weighted averages, whose class sizes are not printed, could be these.
    assert str(certain.definition).startswith("weighted F1")
    assert "above 0.5" in certain.reason


@given(st.lists(st.integers(0, 30), min_size=4, max_size=4), st.integers(1, 3), st.booleans())
def test_true_figures_of_two_classes_never_contradict_each_other(cells, decimals, truncated):
    a, b, c, d = cells
    tp, predicted, actual = (a, d), (a + c, b + d), (a + b, c + d)
    assume(all(actual))
    exact = Exact(tp, predicted, actual)

    def show(value):
        return printed(value, decimals, truncated=truncated, percent=False)

    result = macrof1.audit(
        precision=show(exact.macro_precision),
        recall=show(exact.macro_recall),
        f1=show(exact.f1_of_averages),
        n_classes=2,
        accuracy=show(Fraction(a + d, sum(cells))),
        support={"x": actual[0], "y": actual[1]},
        rounding="truncate" if truncated else "round",
    )
    assert result.findings == ()
    assert result.verdict in ("f1_of_averages", "either")
    assert result.n_solutions is None or result.n_solutions >= 1


CLASSES = {
    "cat": {"precision": "0.8000", "recall": "0.6667", "f1": "0.7273"},
    "dog": {"precision": "0.6154", "recall": "0.8000", "f1": "0.6957"},
    "eel": {"precision": "0.7143", "recall": "0.6250", "f1": "0.6667"},
}


@pytest.mark.parametrize(
    ("label", "kind", "typo"),
    [("cat", "recall", "0.6776"), ("dog", "f1", "0.7957"), ("eel", "precision", "0.7413"), ("dog", "recall", "0.9000")],
)
def test_a_typo_is_found_and_corrected(label, kind, typo):
    # 120, 100 and 80 rows; tp 80, 80, 50; predicted 100, 130, 70
    right = CLASSES[label][kind]
    figures = {name: dict(values) for name, values in CLASSES.items()}
    figures[label][kind] = typo
    given = {"support": {"cat": 120, "dog": 100, "eel": 80}, "n_classes": 3, "task": "multiclass"}
    macro = {"precision": "0.7099", "recall": "0.6972", "f1": "0.6965"}
    fine = macrof1.audit(per_class=CLASSES, **given, **macro)
    assert (fine.verdict, fine.status, fine.findings, fine.explanations) == ("averaged_f1", "fits", (), ())
    result = macrof1.audit(per_class=figures, **given, **macro)
    assert (result.status, {each.fits for each in result.explanations}) == ("contradicts itself", {False})
    (finding,) = result.findings
    assert (finding.kind, finding.figure, finding.published, finding.correction) == (
        "wrong_figure",
        f"{label} {kind.replace('f1', 'F1')}",
        typo,
        right,
    )
    assert finding.message.endswith(f"should be {right}.")
    assert result.verdict == "averaged_f1"
    assert result.reason.startswith(f"Leaving out {finding.figure} {typo}")
    assert result.counts is None or list(result.counts.tp) == [80, 80, 50]


def test_an_f1_that_is_too_low_may_be_a_mean():
    figures = {**CLASSES, "dog": {**CLASSES["dog"], "f1": "0.6597"}}
    result = macrof1.audit(per_class=figures, precision="0.7099", recall="0.6972", f1="0.6965")
    assert (result.status, result.findings) == ("fits if", ())
    assert result.fits_if == "the figures are means over folds, seeds or groups"


def test_trailing_zeros_count():
    loose = macrof1.audit(precision=0.8, recall=0.7, f1=0.7)
    strict = macrof1.audit(precision=0.8, recall=0.7, f1=0.7, decimals=3)
    named = macrof1.audit(precision="0.8", recall="0.7", f1="0.7", decimals={"precision": 3, "recall": 3, "f1": 3})
    assert [result.verdict for result in (loose, strict, named)] == ["either", "averaged_f1", "averaged_f1"]


def test_two_typos_have_no_single_correction():
    figures = {name: dict(values) for name, values in CLASSES.items()}
    figures["cat"]["f1"], figures["dog"]["f1"] = "0.9273", "0.8957"
    result = macrof1.audit(per_class=figures, f1="0.6965")
    assert result.verdict == "neither"
    (finding,) = result.findings
    assert finding.kind == "contradiction"
    assert "no single correction repairs the report" in finding.message
    # No figure to spare: each set is a contradiction, and what is left of it without one of its figures is none.
    for name, names in zip(("cat", "dog"), finding.conflicting, strict=True):
        assert all(figure.startswith(name) for figure in names)
        assert f"{name} F1 {figures[name]['f1']}" in finding.message
        own = {figure.rpartition(" ")[2].lower(): figures[name][figure.rpartition(" ")[2].lower()] for figure in names}
        assert macrof1.audit(per_class={name: own}, n_classes=3).findings
        for kind in own:
            rest = {other: value for other, value in own.items() if other != kind}
            assert not macrof1.audit(per_class={name: rest}, n_classes=3).findings
    assert result.averaged_f1 is None
    assert result.counts is None


def test_macro_figures_alone_leave_open_which_is_wrong():
    result = macrof1.audit(precision="0.60", recall="0.70", f1="0.80")
    assert result.verdict == "neither"
    (finding,) = result.findings
    assert finding.kind == "one_of"
    assert finding.alternatives
    corrected = {"macro F1": "f1", "macro precision": "precision", "macro recall": "recall"}[finding.figure]
    figures = {"precision": "0.60", "recall": "0.70", "f1": "0.80", corrected: finding.correction}
    assert macrof1.audit(**figures).verdict != "neither"


def test_sizes_that_do_not_add_up_are_a_finding():
    sizes = {"cat": 12, "dog": 10, "eel": 8}
    figures = {"per_class": CLASSES, "support": sizes, "f1": "0.6965", "correct": 21}
    result = macrof1.audit(**figures, total=29, task="multiclass")
    (finding,) = result.findings
    assert (finding.figure, finding.correction) == ("total", "30")
    assert "add up to 30, not to the total 29" in finding.message
    assert result.verdict == "averaged_f1"
    # Unless every row is said to have one label, and every class to be listed, that explains it.
    assert macrof1.audit(**figures, total=31).status == "fits if"
    several = {"task": "multilabel", "support": {"cat": 12, "dog": 10, "eel": 8}, "total": 20}
    assert macrof1.audit(per_class=CLASSES, f1="0.6965", **several).findings == ()


@pytest.mark.parametrize(
    ("figures", "figure", "correction"),
    [
        ({"accuracy": "0.80", "correct": 24, "total": 30}, None, None),
        ({"accuracy": "0.80", "correct": 29, "total": 30}, "correct", "24"),
        ({"accuracy": "0.70", "correct": 21, "total": 30, "support": {"a": 15, "b": 15}}, None, None),
    ],
)
def test_accuracy_correct_and_total_are_compared(figures, figure, correction):
    result = macrof1.audit(f1="0.70", **figures)
    if figure is None:
        assert result.findings == ()
    else:
        named = (result.findings[0].figure, result.findings[0].correction)
        assert named == (figure, correction) or any(
            f"{figure} 29 should" in text and correction in text for text in result.findings[0].alternatives
        )


def test_what_there_was_no_time_to_try_is_said_and_nobody_is_blamed(monkeypatch):
    cases = [json.loads(line) for line in (ROOT / "tests/golden/audits.jsonl").read_text(encoding="utf-8").splitlines()]
    # Those that fit the last explanation of all.
    late = [case["arguments"] for case in cases if case["kind"] == "beta" and case["facts"]["status"] == "fits if"]
    assert late
    monkeypatch.setattr(audited_figures, "SECONDS", -1.0)
    for arguments in [*late, *({**arguments, "task": "multiclass"} for arguments in late)]:
        result = macrof1.audit(**arguments)
        assert (result.verdict, result.status, result.findings) == ("either", "fits if", ())
        assert (result.explanations[-1].name, result.explanations[-1].fits) == ("not_tried", None)
        assert result.averaged_f1 is result.counts is None


def test_counts_of_300_classes_show_that_rows_have_several_labels():
    counts = {str(place): {"tp": 1, "fp": int(place == 0), "fn": 0} for place in range(300)}
    notes = macrof1.audit(f1="0.9989", per_class=counts).notes
    assert "one_label_assumed" not in {getattr(note, "code", None) for note in notes}
