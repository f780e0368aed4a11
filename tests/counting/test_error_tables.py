"""Tables of tp, fp and fn per class, scored directly."""

from __future__ import annotations

import pytest

import macrof1


def written(tmp_path, text, name="counts.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_of_errors_is_scored(tmp_path):
    path = written(tmp_path, "label,tp,fp,fn,tn\ncat,8,2,4,16\ndog,8,5,2,15\neel,5,2,3,20\ntotal,21,9,9,51\n")
    expected = macrof1.ClassCounts.from_errors({"cat": (8, 2, 4), "dog": (8, 5, 2), "eel": (5, 2, 3)})
    result = macrof1.score_file(path)
    assert result.counts == expected
    assert result.averaged_f1 == macrof1.score_counts(expected).averaged_f1
    assert macrof1.audit_text(path.read_text()).reports[0].result.averaged_f1[0] == pytest.approx(result.averaged_f1)


def test_several_labels_per_row_show_in_the_sums(tmp_path):
    path = written(tmp_path, "Class;True positives;False positives;False negatives\na;8;2;4\nb;8;6;2\n")
    counts = macrof1.score_file(path).counts
    assert (counts.task, counts.tp) == ("multilabel", (8, 8))


def test_several_tables_add_up(tmp_path):
    paths = [written(tmp_path, "label,tp,fp,fn\na,8,2,4\nb,3,4,2\n", name) for name in ("one.csv", "two.csv")]
    assert macrof1.score_file(paths).counts.tp == (16, 6)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("label,tp,fp,fn\na,8,2,4\na,3,4,2\n", "row 2: class 'a' again"),
        ("label,tp,fp,fn\na,8,2,4\nb,3,,2\n", "row 2: tp, fp and fn of b are 3, , 2"),
        ("label,tp,fp,fn\na,8,2,-4\nb,3,1,2\n", "expected three whole numbers"),
    ],
)
def test_broken_tables_are_refused(tmp_path, text, match):
    with pytest.raises(macrof1.InputError, match=match):
        macrof1.score_file(written(tmp_path, text))


def test_labels_beside_counts_are_read_as_predictions(tmp_path):
    path = written(tmp_path, "gold,pred,tp,fp,fn\na,a,1,0,0\nb,a,0,1,1\n")
    assert macrof1.score_file(path, gold="gold", pred="pred").n_rows == 2
