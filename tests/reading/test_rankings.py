"""Rankings beside relevance, and answers beside gold answers: queries and questions as units."""

import json
from fractions import Fraction

import pytest

import macrof1
from macrof1.errors import FileError, InputError
from tests.conftest import ROOT
from tests.oracles import close

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\nq2 0 d2 1\nq2 0 d3 1\nq3 0 d1 1\nq3 0 d2 1\n"
RUN = "q1 Q0 d1 1 9.0 x\nq1 Q0 d2 2 8.0 x\nq2 Q0 d1 1 9.0 x\nq3 Q0 d2 1 9.0 x\nq3 Q0 d1 2 9.0 x\n"
QUESTIONS = [
    {"id": "1", "answers": [{"text": "the Eiffel Tower"}, {"text": "Tower"}]},
    {"id": "2", "answers": []},
    {"id": "3", "answers": [{"text": "in 1889, in Paris"}]},
    {"id": "4", "answers": []},
]
SQUAD = {"version": "2.0", "data": [{"title": "t", "paragraphs": [{"context": "c", "qas": QUESTIONS}]}]}
ANSWERS = {"1": "Eiffel  tower!", "2": "", "3": "In Paris in a park", "4": "a guess"}


@pytest.fixture
def written(tmp_path):
    def write(**texts):
        paths = []
        for name, text in texts.items():
            paths.append(tmp_path / name)
            paths[-1].write_text(text)
        return paths

    return write


def test_qrels_and_a_run(written):
    files = written(qrels=QRELS, run=RUN)
    found = macrof1.score_file(*files)
    assert close(found.averaged_f1, Fraction(13, 18))
    assert close(found.f1_of_averages, Fraction(70, 87))
    assert "|over:query|relevance:1|" in found.signature()
    assert close(macrof1.score_file(*written(qrels=QRELS * 2000, run=RUN)).averaged_f1, Fraction(13, 18))  # large
    cut = macrof1.score_file(*written(qrels=QRELS, run=RUN), k=1, relevance=2)
    # q1 has nothing of relevance 2, q2 has its only one first, q3 nothing.
    assert [(unit.tp, unit.predicted, unit.actual) for unit in cut.per_class] == [(0, 1, 0), (1, 1, 1), (0, 1, 0)]
    assert "|over:query|cutoff:1|relevance:2|" in cut.signature()


def test_of_equal_scores_the_later_name_comes_first(written):
    run = "q1 Q0 d1 1 1.0 x\nq1 Q0 d2 2 1.0 x\n"
    found = macrof1.score_file(*written(qrels="q1 0 d2 1\nq2 0 d2 1\n", run=run), k=1)
    assert [(unit.tp, unit.predicted) for unit in found.per_class] == [(1, 1), (0, 0)]


def test_qrels_as_beir_writes_them(written):
    rows = [line.split() for line in QRELS.splitlines()]
    beir = "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{n}\n" for q, _, d, n in rows)
    assert close(macrof1.score_file(*written(beir=beir, run=RUN)).averaged_f1, Fraction(13, 18))


def test_equal_to_trec_eval(written):
    record = json.loads((ROOT / "tests" / "golden" / "trec_eval.json").read_text())
    for case in record["cases"]:
        qrels = "".join(f"{q} 0 {d} {grade}\n" for q, d, grade in case["qrels"])
        run = "".join(f"{q} Q0 {d} 0 {score} x\n" for q, d, score in case["run"])
        files = written(qrels=qrels, run=run)
        found = macrof1.score_counts(
            macrof1.count_file(files, relevance=case["relevance"]), convention="trec-eval"
        )  # fmt: skip
        means = found.macro_precision, found.macro_recall, found.averaged_f1
        assert means == pytest.approx(case["printed"], abs=1e-6)


def test_answers_share_words_with_the_gold_answer_that_fits_best(written):
    found = macrof1.score_file(*written(gold=json.dumps(SQUAD), answers=json.dumps(ANSWERS)), convention="squad")
    # "in paris in park" and "in 1889 in paris" share three of four words; no answer to no question is right.
    f1 = [unit.f1 for unit in found.per_class]
    assert f1 == pytest.approx([1, 1, 3 / 4, 0])
    assert "|over:question|overlap:words|" in found.signature()
    assert "question 3" not in found.explanation


def test_runs_are_compared_by_query(written):
    other = RUN.replace("q3 Q0 d1", "q3 Q0 d9")
    result = macrof1.compare_file([str(path) for path in written(qrels=QRELS, a=RUN, b=other)], k=10)
    assert [system.name for system in result.systems] == ["a", "b"]
    assert result.comparisons[0].n_differing == 1
    assert "|over:query|cutoff:10|" in result.signature()


@pytest.mark.parametrize(
    ("texts", "options", "reason"),
    [
        ({"qrels": QRELS, "run": "q1 Q0 d1 1 9.0\n"}, {}, "has 5 fields"),
        ({"qrels": QRELS, "run": RUN + "q1 Q0 d1 3 1.0 x\n"}, {}, "again for 'q1'"),
        ({"qrels": QRELS, "run": "q1 Q0 d1 1 high x\n"}, {}, "the score is 'high'"),
        ({"qrels": QRELS, "run": "q1 Q0 d1 1 nan x\n"}, {}, "the score is 'nan'"),
        ({"qrels": "q 0 d 1\nq 0 d 1\nq 0 d 0\n", "run": RUN}, {}, "line 3: 'd' again for 'q', of another relevance"),
        ({"qrels": QRELS, "run": RUN}, {"k": 0}, "k=0"),
        ({"qrels": QRELS, "run": RUN}, {"labels": ["a"]}, "labels= cannot be combined"),
        ({"qrels": QRELS, "run": RUN}, {"by": "x"}, "by= cannot be combined"),
        ({"qrels": QRELS, "run": RUN}, {"over": "classes"}, "over= cannot be combined"),
        ({"gold": json.dumps(SQUAD), "answers": "{}"}, {}, "4 questions have no answer"),
        ({"gold": json.dumps(SQUAD), "answers": "[]"}, {}, "holds no answers"),
        ({"gold": json.dumps(SQUAD), "answers": "{"}, {}, "not complete JSON"),
        ({"gold": json.dumps(SQUAD), "answers": json.dumps(ANSWERS)}, {"k": 3}, "k= cannot be combined"),
    ],
)
def test_refusals(written, texts, options, reason):
    with pytest.raises((FileError, InputError), match=reason):
        macrof1.score_file([str(path) for path in written(**texts)], **options)


def test_queries_without_a_line_in_the_qrels_are_left_out(written):
    found = macrof1.score_file(*written(qrels=QRELS, run=RUN + "q9 Q0 d1 1 1.0 x\n"))
    assert found.n_classes == 3
    assert "1 query of" in found.notes[0]
