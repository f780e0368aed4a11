"""Clusters of rows: the same interval from lists, frames and files, and unsupported requests."""

import numpy as np
import polars as pl
import pytest

import macrof1
from macrof1.errors import InputError, LengthError, MissingLabelError

FORMULAS = ("averaged_f1", "f1_of_averages")


def documents(n_documents=30, size=8, seed=0, spread=1.0):
    """Rows of documents that differ in how hard they are."""
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(n_documents), size)
    gold = rng.choice(3, len(document), p=[0.5, 0.3, 0.2])
    right = 1 / (1 + np.exp(-(0.8 + spread * rng.normal(size=n_documents))))
    pred = np.where(rng.random(len(document)) < right[document], gold, rng.integers(0, 3, len(document)))
    names = np.array(list("abc"))
    return [f"doc {at}" for at in document], names[gold].tolist(), names[pred].tolist()


def test_lists_frames_and_files_give_the_same_interval(tmp_path):
    document, gold, pred = documents()
    scored = macrof1.score(gold, pred, cluster=document)
    frame = pl.DataFrame({"document": document, "gold": gold, "pred": pred})
    frame.write_csv(tmp_path / "rows.csv")
    others = [
        macrof1.score_frame(frame, gold="gold", pred="pred", cluster="document"),
        macrof1.score_file(tmp_path / "rows.csv", cluster="document"),
    ]
    plain = macrof1.score(gold, pred)
    for formula in FORMULAS:
        found = scored.interval(formula)
        assert found.n_clusters == 30
        assert found.estimate == getattr(plain, formula)
        assert found.standard_error > plain.interval(formula).standard_error
        for other in others:
            again = other.interval(formula)
            assert (again.low, again.high) == (pytest.approx(found.low), pytest.approx(found.high))
        for method in ("delta", "bootstrap"):
            assert scored.interval(formula, method=method).n_clusters == 30
    assert scored.to_dict()["averaged_f1"] == plain.averaged_f1


def test_groups_of_clusters():
    document, gold, pred = documents()
    domain = ["news" if at < 120 else "web" for at in range(len(gold))]
    frame = pl.DataFrame({"domain": domain, "document": document, "gold": gold, "pred": pred})
    found = macrof1.score_frame(frame, gold="gold", pred="pred", by="domain", cluster="document")
    alone = macrof1.score(gold[:120], pred[:120], cluster=document[:120])
    assert found["news"].interval().low == pytest.approx(alone.interval().low)
    assert found["news"].averaged_f1 == alone.averaged_f1
    whole = macrof1.score(gold, pred, cluster=document)
    assert found.total.interval().high == pytest.approx(whole.interval().high)


def test_one_cluster_that_holds_nearly_all_rows_leaves_one_degree_of_freedom():
    result = macrof1.score(["a", "b"] * 500, ["a", "a"] * 500, cluster=[1] * 999 + [2])
    assert result.rows.patterns().df == 1.0


def test_the_bootstrap_draws_whole_clusters():
    document, gold, pred = documents(n_documents=40, spread=1.5)
    scored = macrof1.score(gold, pred, cluster=document)
    boot = scored.interval(method="bootstrap", n_resamples=2000)
    rng = np.random.default_rng(1)
    codes = np.unique(document, return_inverse=True)[1]
    rows_of = [np.flatnonzero(codes == at) for at in range(40)]
    gold, pred = np.array(gold), np.array(pred)
    by_hand = []
    for _ in range(1000):
        picked = np.concatenate([rows_of[at] for at in rng.integers(0, 40, 40)])
        by_hand.append(macrof1.averaged_f1(gold[picked], pred[picked], labels=list("abc")))
    assert boot.standard_error == pytest.approx(np.std(by_hand), rel=0.1)


def test_few_clusters_are_said_and_one_is_refused():
    document, gold, pred = documents(n_documents=6)
    assert any("6 clusters are few" in note for note in macrof1.score(gold, pred, cluster=document).interval().notes)
    with pytest.raises(InputError, match="one cluster"):
        macrof1.score(gold, pred, cluster=["x"] * len(gold))
    with pytest.raises(LengthError, match="cluster has 3"):
        macrof1.score(gold, pred, cluster=["x", "y", "z"])
    with pytest.raises(MissingLabelError, match="no cluster"):
        macrof1.score(gold, pred, cluster=[None, *document[1:]])


def test_clusters_of_label_sets():
    rng = np.random.default_rng(2)
    gold = rng.random((120, 4)) < 0.3
    pred = gold ^ (rng.random((120, 4)) < 0.15)
    sets = [[{str(at) for at in np.flatnonzero(row)} for row in side] for side in (gold, pred)]
    cluster = np.repeat(np.arange(30), 4)
    dense, by_sets = macrof1.score(gold, pred, cluster=cluster), macrof1.score(*sets, cluster=cluster)
    assert dense.averaged_f1 == by_sets.averaged_f1
    assert dense.interval().standard_error == pytest.approx(by_sets.interval().standard_error)
    frame = pl.DataFrame(
        {"gold": [sorted(row) for row in sets[0]], "pred": [sorted(row) for row in sets[1]], "c": cluster}
    )
    with pytest.raises(InputError, match="several labels"):
        macrof1.score_frame(frame, gold="gold", pred="pred", cluster="c").interval()


def test_comparisons_take_clusters():
    document, gold, first = documents(n_documents=40, spread=1.5)
    _, _, second = documents(n_documents=40, spread=1.5, seed=1)
    second = [b if at % 3 else a for at, (a, b) in enumerate(zip(first, second, strict=True))]
    plain = macrof1.compare(gold, {"a": first, "b": second}, n_resamples=300)
    found = macrof1.compare(gold, {"a": first, "b": second}, cluster=document, n_resamples=300)
    assert found.n_clusters == 40
    assert plain.n_clusters is None
    pair, rows = found.comparisons[0], plain.comparisons[0]
    assert pair.averaged_f1.difference == rows.averaged_f1.difference
    assert pair.averaged_f1.standard_error != rows.averaged_f1.standard_error
    assert pair.averaged_f1.df == 39
    assert set(pair.averaged_f1.p) == {"delta", "bootstrap", "randomisation"}


@pytest.mark.parametrize(("n", "few"), [(19, True), (20, False), (21, False)])
def test_fewer_than_twenty_clusters_are_few(n, few):
    gold, pred = np.random.default_rng(0).integers(0, 2, (2, 100))
    found = macrof1.score(gold, pred, cluster=np.arange(100) % n).interval("averaged_f1")
    assert ("few_clusters" in [note.code for note in found.notes]) == few
