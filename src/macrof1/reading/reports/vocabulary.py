"""The vocabulary of printed reports: what a column, a row or a key is called, tool by tool.

A new tool adds words here, rarely code. Phrases are compared without case, markup and punctuation: ``F1-score``,
``f1_score``, ``F$_1$ score`` and ``**F1 score (%)**`` are one phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

KINDS: Final[dict[str, tuple[str, ...]]] = {
    "precision": (
        "precision", "prec", "p", "pre", "ppv", "pos pred value", "positive predictive value", "precision score",
        "precision or positive predictive value", "präzision", "précision", "precisión", "precisão", "precisione",
        "precisie", "precyzja", "точность", "kesinlik", "精确率", "精确度", "精度", "查准率", "適合率", "정밀도",
        "presisi",
    ),
    "recall": (
        "recall", "rec", "r", "sensitivity", "sens", "tpr", "tp rate", "true positive rate", "recall score",
        "sensitivity recall hit rate or true positive rate", "trefferquote", "sensitivität", "rappel", "exhaustividad",
        "sensibilidad", "recuperación", "cobertura", "revocação", "sensibilidade", "abrangência", "richiamo",
        "sensibilità", "czułość", "pełność", "полнота", "duyarlılık", "召回率", "查全率", "再現率", "재현율",
    ),
    "f1": (
        "f1", "f1 score", "f1 scores", "f score", "f measure", "f", "fscore", "fmeasure", "f meas", "fb1", "f1 measure",
        "f1score", "f 1", "f 1 score", "fb 1", "f1 score harmonic mean of precision and sensitivity", "f1 m",
        "f1 wert", "f wert", "f maß", "f1 maß", "f mesure", "f1 mesure", "mesure f1", "f medida", "medida f",
        "medida f1", "puntuación f1", "valor f1", "pontuação f1", "misura f1", "f1 мера", "f мера", "мера f1",
        "f beta", "f beta score", "fbeta", "fbeta score", "f1 skoru", "f skoru", "miara f1", "f1值", "f1分数", "f值",
        "f値", "f1値", "f1スコア", "f1 점수",
    ),
    "support": ("support", "n", "gold", "instances", "examples", "# examples", "# instances", "n gold", "occurrences",
                "condition positive or support", "nb", "sup", "#", "count", "samples", "# samples",
                "n samples", "num samples", "number of samples", "# of samples", "number", "frequency", "freq",
                "cases", "items", "support n", "anzahl", "effectif", "soporte", "suporte", "supporto", "aantal",
                "liczność", "wsparcie", "поддержка", "destek", "支持数", "支持度", "样本数", "サポート", "지원"),
    "predicted": ("predicted", "n predicted", "n pred", "found"),
    "tp": ("tp", "true positive", "true positives", "true positive hit", "true pos"),
    "fp": ("fp", "false positive", "false positives", "false positive type 1 error false alarm", "false pos"),
    "fn": ("fn", "false negative", "false negatives", "false negative miss type 2 error", "false neg"),
    "tn": ("tn", "true negative", "true negatives", "true negative correct rejection", "true neg"),
    "cells": ("tn fp fn tp",),
    "accuracy": ("accuracy", "acc", "overall accuracy", "overall acc", "accuracy score", "exact match", "akurasi",
                 "genauigkeit", "exactitude", "exactitud", "acurácia", "accuratezza", "准确率", "正解率", "정확도"),
    "n_classes": ("labels", "of classes", "# of classes", "number of classes", "n classes", "num classes"),
}  # fmt: skip

RATIOS: Final = ("precision", "recall", "f1")
ERRORS: Final = ("tp", "fp", "fn")
FIELDS: Final = (*RATIOS, "support", *ERRORS)
AVERAGES: Final = ("macro", "micro", "weighted", "samples")

_OTHER = (
    "fp rate", "fpr", "mcc", "roc area", "prc area", "auc", "roc auc", "specificity", "tnr", "neg pred value", "npv",
    "prevalence", "detection rate", "detection prevalence", "balanced accuracy", "kappa", "ppcr", "time", "loss",
    "epoch", "full recall", "full f1 score", "full support", "total", "iou", "threshold",
)  # fmt: skip
_LABEL_WORDS: Final = {
    "class", "classes", "label", "labels", "category", "categories", "entity", "entities", "type", "types", "tag",
    "tags", "field", "fields", "name", "intent", "emotion", "sentiment", "topic", "language", "relation",
}  # fmt: skip
_SYSTEM_WORDS: Final = {
    "model", "models", "system", "systems", "team", "run", "method", "methods", "approach", "submission",
    "participant", "classifier", "algorithm", "experiment", "architecture",
}  # fmt: skip
_NAMES_OF_ROLES: Final = {
    "macro": ("macro", "unweighted", "makro", "макро", "매크로", "宏平均", "マクロ平均", "makrodurchschnitt"),
    "micro": ("micro", "mikro", "микро", "마이크로", "微平均", "マイクロ平均", "ミクロ平均"),
    "weighted": ("weighted", "wtd", "gewichtet", "gewichteter", "gewichtetes", "pondérée", "pondéré", "ponderado",
        "ponderada", "ponderata", "взвешенное", "加权平均", "加重平均"),
    "samples": ("samples", "sample"),
    "accuracy": ("accuracy", "acc", "genauigkeit", "exactitude", "exactitud", "准确率", "正解率", "akurasi", "acurácia",
        "doğruluk"),
}  # fmt: skip
_ROLES: Final = {word: role for role, words in _NAMES_OF_ROLES.items() for word in words}
_AVERAGE: Final = {
    "avg", "average", "averaged", "averages", "mean", "durchschnitt", "mittelwert", "moyenne", "promedio",
    "gemiddelde", "średnia", "среднее", "ortalama", "평균",
}  # fmt: skip
_OR_A_CLASS = frozenset({"mittel", "media", "média"})
_TOTAL = frozenset({"all", "total", "totals", "overall", "sum", "global", "gesamt", "insgesamt"})
_FILLER: Final = {
    "f1", "score", "scores", "the", "of", "over", "by", "and", "per", "class", "classes", "f", "precision",
    "recall", "fields", "labels", "entities", "measure", "measures", "types",
}  # fmt: skip
SECTIONS: Final = {
    "evaluation", "metrics", "metric", "result", "results", "report", "stats", "statistics", "summary", "test",
    "dev", "validation", "train", "training", "scores", "score", "confusion", "matrix", "performance", "detailed",
    "by", "val", "valid", "eval", "epoch", "step", "iteration", "batch",
}  # fmt: skip
"""Heading words that do not name a class."""

_NEUTRAL: Final = {
    "classification", "per", "each", "every", "overall", "breakdown", "table", "aggregate", "aggregated", "averages",
    "averaged", "total", "final", "main", "key", "full", "measures", "level", "wise", "individual", "distribution",
    "a", "an", "in", "with", "to", "on", "for", "from", "is", "are", "detail", "details", "figures", "output", "begin",
    "tabular", "center", "centering", "normalized", "raw", "counts", "quality", "model", "set", "span", "entity",
}  # fmt: skip
"""Heading words that begin no other section, beside those of figures and averages."""

_SPLIT_WORDS: Final = {
    "test", "dev", "validation", "train", "training", "val", "valid", "eval", "epoch", "step", "iteration", "batch",
}  # fmt: skip
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@lru_cache(maxsize=4096)
def phrase(text: str) -> str:
    """Return a text as the normalized phrase that vocabularies use."""
    plain = re.sub(r"\\(?:text|math)\w+|\\%|[↑↓]|\(%\)|\[%\]", " ", text.translate(_SUBSCRIPTS))
    plain = re.sub(r"(?<=[A-Za-z])\$?_?\{?(1)\}?\$(?![\w])", r"\1", plain)
    plain = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", plain).casefold()
    return " ".join(re.findall(r"[^\W_]+|#", plain))


_KIND_OF = {words.casefold(): kind for kind, known in KINDS.items() for words in known}
_KNOWN = frozenset(_KIND_OF) | frozenset(_OTHER)


# In PyCM, PRE is prevalence, P and N are condition positive and negative: PPV and TPR beside them tell.
PYCM: Final = {"PPV": "precision", "TPR": "recall", "F1": "f1", "P": "support", "TP": "tp", "FP": "fp", "FN": "fn"}


def kind_of(text: str) -> str | None:
    """Return what a column or a key measures, if the whole phrase is known."""
    found = _KIND_OF.get(phrase(text))
    if found is None and "(" in text:
        # PyCM names a figure twice: PPV(Precision or positive predictive value), P(Condition positive or support).
        short, _, long = text.partition("(")
        known = phrase(short) if len(phrase(short)) > 1 and phrase(long) not in _OTHER else ""
        found = _KIND_OF.get(phrase(long)) or _KIND_OF.get(known)
    return found


# Words that say nothing by themselves; every phrase has another.
_COMMON = frozenset(("of", "or", "value", "score", "rate", "and", "1", "m", "the", "mean", "hit", "type", "2", "error"))
_LETTERS = frozenset("prfn#")
_NUMBER = re.compile(r"(?<![fF])\d|\d[\d.,%]")  # not the 1 of F1
_TOKEN = re.compile(r"[A-Z]+(?![a-z])[^\W_A-Za-z]*|[A-Z]?[^\W_A-Z]+|#")


def _words_of(kinds: Iterable[str]) -> frozenset[str]:
    return frozenset(word for kind in kinds for words in KINDS[kind] for word in words.casefold().split()) - _COMMON


_ANCHORS = _words_of(KINDS) | {"f₁", "macro", "micro"}
_TELLING = _words_of((*RATIOS, *ERRORS, "cells")) | {"f₁", "macro"}


def may_name_figures(line: str) -> tuple[bool, bool]:
    """Whether a line may be a header of figures, and whether it may name a figure at all: most lines do neither."""
    words = set(map(str.casefold, _TOKEN.findall(line)))
    telling = words & _TELLING
    is_header = bool(telling - _LETTERS) or len(telling) > 1
    return is_header, not _ANCHORS.isdisjoint(words) and _NUMBER.search(line) is not None


def is_neutral(heading: str) -> bool:
    """Whether a heading only announces figures: ``## Per-class results``, ``Macro average:``."""
    known = SECTIONS - _SPLIT_WORDS | _NEUTRAL | _LABEL_WORDS | _FILLER | _AVERAGE | _TOTAL | _ROLES.keys()
    return all(word in known or word in _KIND_OF for word in phrase(heading).split())


def columns_of(words: list[str]) -> list[str] | None:
    """Split words into known phrases, longest first; None if a word is in none of them."""
    found, place = [], 0
    while place < len(words):
        for length in (4, 3, 2, 1):
            words_here = " ".join(words[place : place + length])
            key = key_of(words_here) if length == 1 else None  # f1_weighted names a column on its own
            known = phrase(words_here) in _KNOWN or (key is not None and key.role is not None and not key.rest)
            if place + length <= len(words) and known:
                found.append(words_here)
                place += length
                break
        else:
            return None
    return found


def names_labels(text: str) -> bool:
    """Whether a header says that its column holds classes."""
    words = phrase(text).split()
    return not words or (words[-1] in _LABEL_WORDS and len(words) <= 3) or words[0] in _LABEL_WORDS


def names_systems(text: str) -> bool:
    """Whether a header says that its column holds systems."""
    return bool(_SYSTEM_WORDS.intersection(phrase(text).split()))


_RUN = re.compile(r"(?:cv )?(?:(?:fold|run|seed|split|trial|epoch) ?#?|iteration ?#) ?\d+")


@lru_cache(maxsize=4096)
def role_of(text: str) -> str | None:
    """Return the role of a row that is not a class: an average, accuracy, a total, one run, or something else."""
    words = phrase(text).split()
    named = [word for word in words if word in _ROLES]
    rest = [word for word in words if word not in _ROLES and word not in _AVERAGE and word not in _TOTAL]
    if named:
        rest = [word for word in rest if word not in _OR_A_CLASS]
    if _RUN.fullmatch(" ".join(words)):
        return "run"
    if not words or any(word not in _FILLER for word in rest):
        # instance_macro is another average; known-tokens are part of the rows: neither is a class.
        return "other" if words and (words[-1] in AVERAGES or words[1:] == ["tokens"]) and rest else None
    if named:
        return _ROLES[named[0]]
    averaged, summed = any(word in _AVERAGE for word in words), any(word in _TOTAL for word in words)
    if averaged:
        # Old versions of scikit-learn called the weighted average "avg / total".
        return "weighted" if words == ["avg", "total"] else "average"
    return "total" if summed and not rest else None


class Key(NamedTuple):
    """What a key of a key-value line means: ``P_macro_doc`` is precision, macro, and also "doc"."""

    kind: str
    role: str | None
    rest: tuple[str, ...]


@lru_cache(maxsize=4096)
def key_of(text: str) -> Key | None:
    """Read a key such as ``Macro-F1``, ``macro precision``, ``eval_f1_macro`` or ``F1 (macro)``; None if unknown."""
    words = phrase(text).split()
    for length in range(min(len(words), 8), 0, -1):
        for start in range(len(words) - length + 1):
            kind = _KIND_OF.get(" ".join(words[start : start + length]))
            if kind is None:
                continue
            others = words[:start] + words[start + length :]
            roles = [_ROLES[word] for word in others if word in _ROLES]
            kept = tuple(word for word in others if word not in _ROLES and word not in _AVERAGE and word not in _FILLER)
            averaged = any(word in _AVERAGE for word in others)
            return Key(kind, roles[0] if roles else "average" if averaged and not kept else None, kept)
    return None
