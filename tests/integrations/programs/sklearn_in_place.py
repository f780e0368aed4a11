"""A pytest plugin: scikit-learn's own tests, with our averaged F1 wherever they ask for macro-averaged F."""

from functools import wraps

import pytest
import sklearn.metrics

from macrof1.integrations.sklearn import averaged_f1_score

_f1, _fbeta, _all = (
    sklearn.metrics.f1_score,
    sklearn.metrics.fbeta_score,
    sklearn.metrics.precision_recall_fscore_support,
)
calls = 0
users: list[str] = []


def ours(y_true, y_pred, options):
    global calls
    calls += 1
    options = {name: value for name, value in options.items() if name not in ("average", "pos_label", "warn_for")}
    return averaged_f1_score(y_true, y_pred, **options)


@wraps(_f1)
def f1_score(y_true, y_pred, **options):
    return ours(y_true, y_pred, options) if options.get("average") == "macro" else _f1(y_true, y_pred, **options)


@wraps(_fbeta)
def fbeta_score(y_true, y_pred, **options):
    return ours(y_true, y_pred, options) if options.get("average") == "macro" else _fbeta(y_true, y_pred, **options)


@wraps(_all)
def precision_recall_fscore_support(y_true, y_pred, **options):
    found = _all(y_true, y_pred, **options)
    if options.get("average") != "macro":
        return found
    quiet = {**options, "zero_division": options.get("zero_division", 0)}
    return (*found[:2], ours(y_true, y_pred, quiet), *found[3:])


sklearn.metrics.f1_score = f1_score
sklearn.metrics.fbeta_score = fbeta_score
sklearn.metrics.precision_recall_fscore_support = precision_recall_fscore_support


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    before = calls
    yield
    if calls > before:
        users.append(item.name)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"averaged_f1_score was called by {len(users)} tests")
