"""The peers, each as a function of gold and predicted labels that computes averaged F1 or the counts behind it."""

from __future__ import annotations

import numpy as np

__all__ = ["CAPS", "PEERS"]


def _scikit_learn():
    from sklearn.metrics import f1_score

    return lambda gold, pred: f1_score(gold, pred, average="macro")


def _classification_report():
    from sklearn.metrics import classification_report

    return lambda gold, pred: classification_report(gold, pred)


def _torchmetrics():
    import torch
    from torchmetrics.functional import f1_score

    def score(gold, pred):
        if gold.ndim == 2:
            task = {"task": "multilabel", "num_labels": gold.shape[1]}
            return f1_score(torch.from_numpy(pred).int(), torch.from_numpy(gold).int(), average="macro", **task)
        n = int(max(gold.max(), pred.max())) + 1
        task = {"task": "multiclass", "num_classes": max(n, 2), "validate_args": False}
        return f1_score(torch.from_numpy(pred), torch.from_numpy(gold), average="macro", **task)

    return score


def _bincount():
    def score(gold, pred):
        n = int(max(gold.max(), pred.max())) + 1
        if n > 2000:
            return np.bincount(gold[gold == pred], minlength=n), np.bincount(pred), np.bincount(gold)
        return np.bincount(gold.astype(np.int64) * n + pred, minlength=n * n)

    return score


def _polars():
    import polars as pl

    def score(gold, pred):
        return pl.DataFrame({"gold": gold, "pred": pred}).group_by("gold", "pred").len()

    return score


def _duckdb():
    import duckdb
    import pyarrow as pa

    def score(gold, pred):
        frame = pa.table({"gold": gold, "pred": pred})  # noqa: F841  # the query names it
        return duckdb.sql("select gold, pred, count(*) from frame group by all").fetchall()

    return score


def _pycm():
    from pycm import ConfusionMatrix

    def score(gold, pred):
        matrix = ConfusionMatrix(list(gold), list(pred)) if isinstance(gold, list) else ConfusionMatrix(gold, pred)
        return matrix.F1_Macro

    return score


def _river():
    from river.metrics import MacroF1

    def score(gold, pred):
        metric = MacroF1()
        for one_gold, one_pred in zip(gold, pred, strict=True):
            metric.update(one_gold, one_pred)
        return metric.get()

    return score


def _installed(make):
    try:
        return make()
    except ImportError:
        return None


PEERS = {
    "scikit-learn": _installed(_scikit_learn),
    "classification_report": _installed(_classification_report),
    "torchmetrics": _installed(_torchmetrics),
    "NumPy bincount": _installed(_bincount),
    "Polars": _installed(_polars),
    "DuckDB": _installed(_duckdb),
    "PyCM": _installed(_pycm),
    "river": _installed(_river),
}


def _no_more_than(rows):
    def cap(_case):
        return rows

    return cap


# How many rows a peer is given at the most; beyond, its time is scaled up.
CAPS = {
    "scikit-learn": lambda case: (
        10**6 if "categoricals" in case.name else 10**5 if "Arrow" in case.name or "pandas" in case.name else 10**7
    ),
    "torchmetrics": _no_more_than(10**7),
    "NumPy bincount": _no_more_than(10**8),
    "Polars": _no_more_than(10**8),
    "DuckDB": _no_more_than(10**7),
    "PyCM": _no_more_than(10**5),
    "river": _no_more_than(10**5),
}
