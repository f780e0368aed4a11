"""Rankings and answers beside gold, one unit per query or question.

- TREC: qrels (query, iteration, document, relevance) and a run (query, Q0, document, rank, score, tag), or qrels as
  BEIR writes them (a header, then query, document, relevance). As in trec_eval, documents are ranked by score, and of
  equal scores the later name comes first; the ranks in the file are not read.
- SQuAD: questions with gold answers, and an answer for each id. An answer has the words it shares with the gold answer
  that it fits best, without case, punctuation and articles (Rajpurkar et al. 2016 and 2018).
"""

from __future__ import annotations

import json
import math
import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from macrof1.counts import ClassCounts, Making, trusted_counts
from macrof1.errors import EmptyError, FileError, InputError, counted, quote_some
from macrof1.message import Message, Note
from macrof1.reading.files import InputFile

Units: TypeAlias = tuple[dict[str, tuple[int, int, int]], Making]
"""How much of each unit is right, predicted and gold, and how they were made."""

_START = 1 << 16
_BEIR = ("query-id", "corpus-id", "score")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def count_rankings(gold: InputFile, given: InputFile, *, k: int | None, relevance: int | None) -> ClassCounts:
    """Count queries or questions, as `holds_gold` says, whose rankings or answers are in a file of their own."""
    if holds_gold(gold) != "squad":
        if k is not None and k < 1:
            raise InputError.bad_value("k", k, expected="a whole number, 1 or larger")
        units, making = _read_rankings(gold, given, k, 1 if relevance is None else relevance)
    elif k is None and relevance is None:
        units, making = _read_answers(gold, given)
    else:
        name = "relevance" if k is None else "k"
        raise InputError.beside(name, Message("answers"), expected="it with rankings of documents")
    if not units:
        raise EmptyError.nothing(gold.name)
    columns = tuple(np.array(list(units.values()), np.int64).T.copy())
    return trusted_counts(labels=tuple(units), columns=columns, n_rows=None, task="multilabel", making=making)


def holds_gold(file: InputFile) -> str | None:
    """Return which kind of gold a file holds, by its first lines: trec, beir, squad, or None."""
    start = file.start(_START)
    text = start.decode("utf-8-sig", errors="replace")
    if text.lstrip().startswith("{") and re.search(r'"paragraphs"\s*:', text):
        return "squad"
    lines = text.splitlines()[: -1 if len(start) == _START else None]
    fields = [line.split() for line in lines[:20] if line.strip()]
    if fields and tuple(fields[0]) == _BEIR:
        return "beir"
    told = [len(row) == 4 and row[1] in ("0", "Q0") and _is_whole(row[3]) for row in fields]
    return "trec" if told and all(told) else None


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _read_rankings(gold: InputFile, run: InputFile, k: int | None, relevance: int) -> Units:
    """Count the relevant documents that were retrieved, per query of the qrels; one that the run lacks has none."""
    grades: dict[str, dict[str, int]] = {}
    beir = holds_gold(gold) == "beir"
    for number, row in _fields(gold, 3 if beir else 4, skip=beir):
        query, document, grade = row[0], row[-2], row[-1]
        if not _is_whole(grade):
            raise FileError(f"{gold.name}, line {number}: the relevance is {grade!r}", expected="a whole number")
        if grades.setdefault(query, {}).setdefault(document, int(grade)) != int(grade):
            again = f"{gold.name}, line {number}: {document!r} again for {query!r}, of another relevance"
            raise FileError(again, expected="each once")
    ranked: dict[str, dict[str, float]] = {}
    for number, (query, _, document, _, score, _) in _fields(run, 6):
        own = ranked.setdefault(query, {})
        if document in own:
            raise FileError(f"{run.name}, line {number}: {document!r} again for {query!r}", expected="each once")
        try:
            own[document] = float(score)
        except ValueError:
            own[document] = math.nan
        if math.isnan(own[document]):
            raise FileError(f"{run.name}, line {number}: the score is {score!r}", expected="a number")
    units = {}
    for query, judged in grades.items():
        wanted = {document for document, grade in judged.items() if grade >= relevance}
        best = sorted(ranked.pop(query, {}).items(), key=lambda each: (each[1], each[0]), reverse=True)[:k]
        units[query] = sum(document in wanted for document, _ in best), len(best), len(wanted)
    text = f"{counted(len(ranked), 'query', 'queries')} of {run.name} without a line in {gold.name} left out."
    facts = ("over", "query"), *([] if k is None else [("cutoff", str(k))]), ("relevance", str(relevance))
    notes = (Note(text, code="foreign_queries"),) if ranked else ()
    return units, Making(facts=facts, notes=notes)


def _fields(file: InputFile, width: int, *, skip: bool = False) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(file.text().splitlines(), 1):
        row = line.split()
        if not row or (skip and number == 1):
            continue
        if len(row) != width:
            raise FileError(f"{file.name}, line {number} has {len(row)} fields", expected=f"{width} in every line")
        yield number, row


def _read_answers(gold: InputFile, answers: InputFile) -> Units:
    """Count the words that answers share with gold answers, per question."""
    given = _json(answers)
    if not isinstance(given, Mapping) or not all(isinstance(answer, str) for answer in given.values()):
        raise FileError(f"{answers.name} holds no answers", expected='{"id of a question": "answer", …}')
    units, lost = {}, []
    for name, golds in _questions(_json(gold), gold.name):
        if name not in given:
            lost.append(name)
            continue
        predicted = _words(given[name])
        each = [((predicted & words).total(), predicted.total(), words.total()) for words in golds]
        units[name] = max(each, key=lambda own: 2 * own[0] / (own[1] + own[2]) if any(own) else 1.0)
    if lost:
        problem = f"{len(lost):,} questions have no answer in {answers.name} ({quote_some(lost, most=3)})"
        raise FileError(problem, expected="an answer to every question", hint='"" is no answer')
    return units, Making(facts=(("over", "question"), ("overlap", "words")))


def _json(file: InputFile) -> Any:
    try:
        return json.loads(file.text())
    except ValueError as error:
        raise FileError(f"{file.name} is not complete JSON ({error})", expected="questions, or answers by id") from None


def _questions(content: Any, name: str) -> Iterator[tuple[str, list[Counter[str]]]]:
    """Return the id of every question, and the words of its gold answers; none of one that has no answer."""
    try:
        for article in content["data"]:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    golds = [words for answer in question["answers"] if (words := _words(answer["text"]))]
                    yield str(question["id"]), golds or [Counter()]
    except (KeyError, TypeError):
        raise FileError(f"{name} is not laid out as SQuAD", expected="data, paragraphs, qas, answers") from None


def _words(text: str) -> Counter[str]:
    return Counter(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())
