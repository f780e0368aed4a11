"""From files of tagged tokens to sentences of tags.

CoNLL columns and CoNLL-U, in one file or in two parallel files; records with a list of tags or spans per sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from macrof1.errors import ColumnError, EmptyError, FileError, InputError, counted
from macrof1.message import Argument, Message
from macrof1.reading.columns import listed_columns, plain_name
from macrof1.reading.distinct import columns_of
from macrof1.reading.files import InputFile, Source, bare_name, opened_files
from macrof1.reading.rows import rows_of
from macrof1.reading.tables import TableFile, inspected

_DOCUMENT_START = "-DOCSTART-"
_CONLL_U_WIDTH = 10
_MISC = 9
_MISC_KEYS = ("ner", "entity", "ne")  # how CoNLL-U files store a tag: MISC holds NER=B-PER


@dataclass(slots=True)
class ColumnText:
    """A file with one token per line: its lines, sentence by sentence, and their numbers."""

    name: str
    mark: str | None = None  # the field separator: a tab, or any whitespace (None)
    sentences: list[list[str]] = field(default_factory=list)  # lines: a list of fields per token would cost too much
    lines: list[list[int]] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    names: list[str] | None = None  # names of the columns, if the file gives them (CoNLL-U Plus)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.sentences[0][0].split(self.mark))

    @property
    def is_conll_u(self) -> bool:
        """Whether the tags are in the MISC column of CoNLL-U."""
        return self.width == _CONLL_U_WIDTH and self.names is None and self.column(0)[0][0] == "1"

    def tags(self, column: int | str) -> list[list[str]]:
        """Return one tag per token, from a column or from a key in the MISC column."""
        if isinstance(column, int):
            return self.column(column)
        found = re.compile(rf"(?:^|\|){re.escape(column)}=([^|]*)", re.IGNORECASE)
        return [[tag[1] if (tag := found.search(misc)) else "O" for misc in line] for line in self.column(_MISC)]

    def column(self, place: int) -> list[list[str]]:
        """Return one field of every token."""
        mark = self.mark
        return [[line.split(mark)[place] for line in sentence] for sentence in self.sentences]

    def where(self, sentence: int, token: int) -> str:
        """Name the line of a token for a message."""
        lines = self.lines[sentence]
        return f"{self.name}, line {lines[min(token, len(lines) - 1)]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedSentences:
    """Gold and predicted tags (or spans) of the same sentences, the group of each, and how to name their locations."""

    gold: list[Any]
    pred: list[Any]
    groups: list[tuple[Any, ...]]
    where: Callable[[str, int, int], str]


def read_tagged(
    source: Source,
    *,
    gold: str | None = None,
    pred: str | None = None,
    by: Sequence[str] = (),
    records: str | None = None,
) -> TaggedSentences:
    """Read sentences of tags, in columns or records: from a file with both, or one of gold and one of predicted."""
    with opened_files(source) as files:
        starts = [(file.start(64).lstrip(b"\xef\xbb\xbf \r\n"), Path(file.name).suffix) for file in files]
        packed = (b"{", b"PK", b"PAR1", b"ARROW1")
        if any(s.startswith(packed) or (s[:1] == b"[" and ending in (".json", ".gz", "")) for s, ending in starts):
            return _from_records(files, gold, pred, by, records)
        if len(files) == 1 and bare_name(files[0].name).endswith(".csv"):
            return _from_token_table(files[0], gold, pred, by)
        if records is not None:
            raise FileError(f"{files[0].name} holds columns", argument="records", expected="a JSON file")
        wrong = [name for name in by if name != "document"]
        if wrong:
            raise ColumnError.not_found(wrong[0], columns=["document"], source=files[0].name, argument="by")
        return pair_columns([parse_columns(file.text(), file.name) for file in files], gold, pred, by=by)


def _from_records(
    files: Sequence[InputFile], gold: str | None, pred: str | None, by: Sequence[str], records: str | None
) -> TaggedSentences:
    found: list[tuple[str, Any, Any, tuple[Any, ...]]] = []
    for file in files:
        table = inspected(file, True, None, records)
        columns = [_tag_field(table, wanted, role) for wanted, role in ((gold, "gold"), (pred, "pred"))]
        columns += [table.find(name, "by") for name in by]
        for number, (tags, answer, *groups) in _numbered_rows(table, columns, first=1):
            where = f"{file.name}, {table.unit} {number}"
            for column, value in zip(columns, (tags, answer), strict=False):
                if not isinstance(value, list):
                    expected = "a list of tags, or of spans (start, end, type)"
                    raise ColumnError(f"{where}: {column!r} is {value!r}", expected=expected)
            found.append((where, tags, answer, tuple(groups)))
    return TaggedSentences(
        gold=[row[1] for row in found],
        pred=[row[2] for row in found],
        groups=[row[3] for row in found],
        where=lambda side, sentence, token: f"{found[sentence][0]}, {side}, item {token + 1}",
    )


def _numbered_rows(table: TableFile, columns: Sequence[str], *, first: int) -> Iterable[tuple[int, tuple[Any, ...]]]:
    """Return the rows of a table of any size with their numbers; those of a large one count from `first`."""
    if table.in_rows:
        return rows_of(table, columns)
    return enumerate(zip(*columns_of(table, columns).values(), strict=True), first)


# What token tables call the column that identifies the sentence.
_SENTENCES = ("sentence", "sentence_id", "sentence_#", "sentence_number", "sent", "sent_id", "sentence_idx")


def _from_token_table(file: InputFile, gold: str | None, pred: str | None, by: Sequence[str]) -> TaggedSentences:
    """Read a table with one token per row; the sentence number may be given in the first row only."""
    table = inspected(file, True, None)
    sentence = next((column for column in table.names if plain_name(column) in _SENTENCES), None)
    if sentence is None:
        problem = f"{file.name} has no column that tells sentences apart: it has {listed_columns(table.names)}"
        expected = "sentence_id beside the tags, or tokens in columns with blank lines between sentences"
        raise ColumnError(problem, expected=expected)
    columns = [_tag_field(table, gold, "gold"), _tag_field(table, pred, "pred"), sentence]
    columns += [table.find(name, "by") for name in by]
    text, rows, last = ColumnText(file.name), list[list[tuple[Any, ...]]](), None
    for number, row in _numbered_rows(table, columns, first=2):
        if not rows or (row[2] and row[2] != last):
            last = row[2]
            rows.append([])
            text.lines.append([])
        rows[-1].append(row)
        text.lines[-1].append(number)
    return TaggedSentences(
        gold=[[row[0] for row in each] for each in rows],
        pred=[[row[1] for row in each] for each in rows],
        groups=[each[0][3:] for each in rows],
        where=lambda _, at, token: text.where(at, token),
    )


# Tag fields besides the usual names of gold and predicted labels.
_TAG_FIELDS = {
    "gold": ("tags", "ner_tags", "gold_tags", "spans", "gold_spans", "entities", "gold_entities"),
    "pred": ("pred_tags", "predicted_tags", "pred_spans", "predicted_spans", "pred_entities", "predicted_entities"),
}


def _tag_field(table: TableFile, wanted: str | None, role: str) -> str:
    usual = [column for column in table.names if wanted is None and column.lower() in _TAG_FIELDS[role]]
    return usual[0] if len(usual) == 1 else table.find(wanted, role)


def parse_columns(text: str, name: str) -> ColumnText:
    """Read one token per line, with blank lines between sentences; fields are separated by tabs or spaces."""
    found = ColumnText(name)
    document, width, n_documents, inside = "1", 0, 0, False
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        if not line.strip():
            inside = False
            continue
        if line.startswith(_DOCUMENT_START):
            inside = False
            n_documents += 1
            document = str(n_documents)
            continue
        # "# text = …" of CoNLL-U; a token may be a hash sign.
        key, equals, value = line[1:].partition("=")
        if line.startswith("# ") and not inside and "\t" not in line and (equals or key.split()[:1] == ["newdoc"]):
            if key.strip() == "global.columns":
                found.names = value.split()
            elif key.split()[:1] == ["newdoc"]:
                n_documents += 1
                document = value.strip() or str(n_documents)
            continue
        if not width:
            found.mark = "\t" if "\t" in line else None
        fields = line.split(found.mark)
        width = width or len(fields)
        if len(fields) != width:
            problem = f"{name}, line {number}: {counted(len(fields), 'column')}"
            raise FileError(problem, expected=f"{width} as in the first lines")
        if width == _CONLL_U_WIDTH and re.fullmatch(r"\d+[-.]\d+", fields[0]):
            continue  # a range of words (3-4) or an empty node (3.1): not a token of its own
        if not inside:
            inside = True
            found.documents.append(document)
            found.sentences.append([])
            found.lines.append([])
        found.sentences[-1].append(line)
        found.lines[-1].append(number)
    if not found.sentences:
        raise EmptyError(f"{name} holds no tokens", expected="one token per line, its tags in columns")
    return found


def pair_columns(
    texts: Sequence[ColumnText], gold: str | None, pred: str | None, *, by: Sequence[str] = ()
) -> TaggedSentences:
    """Align gold and predicted tags: two columns of one file, or one column each of two files."""
    if len(texts) > 2:
        problem = f"{counted(len(texts), 'file')} of tags given"
        raise InputError(problem, expected="one file with both tags, or gold and predicted")
    one = len(texts) == 1
    first, second = texts[0], texts[-1]
    if not one:
        _check_same_tokens(first, second)
    columns = [
        _column(text, wanted, role, last=-2 if one and role == "gold" else -1)
        for text, wanted, role in ((first, gold, "gold"), (second, pred, "pred"))
    ]
    if one and columns[0] == columns[1]:
        same = f"{first.name}: gold and predicted tags would be the same column; name them with "
        problem = Message(same, Argument("gold"), " and ", Argument("pred"))
        raise ColumnError(problem, expected="two columns of tags, or two files")
    return TaggedSentences(
        gold=first.tags(columns[0]),
        pred=second.tags(columns[1]),
        groups=[(document,) if by else () for document in first.documents],
        where=lambda side, sentence, token: (first if side == "gold" else second).where(sentence, token),
    )


def _column(text: ColumnText, wanted: str | None, role: str, *, last: int) -> int | str:
    """Find a tag column by name, by 1-based position, or as one of the last."""
    if wanted is None:
        if text.is_conll_u:
            for key in _MISC_KEYS:
                if any(f"{key}=" in misc.lower() for sentence in text.column(_MISC) for misc in sentence):
                    return key
            expected = "NER=B-PER there, or the position of another column"
            raise ColumnError(f"{text.name}: no token has a tag in its MISC column", argument=role, expected=expected)
        if text.width < 1 - last:
            both = last == -2
            expected = "a token, its gold tag and its predicted tag" if both else "a token and its tag"
            hint = "give a file of gold tags and a file of predicted ones" if both else None
            problem = f"{text.name} has {counted(text.width, 'column')}"
            raise ColumnError(problem, argument=role, expected=expected, hint=hint)
        return text.width + last
    if text.names and wanted in text.names:
        return text.names.index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= text.width:
        return int(wanted) - 1
    if text.is_conll_u and not wanted.isdecimal():
        return wanted.lower()
    known = text.names or list(map(str, range(1, text.width + 1)))
    hint = "columns have positions, counted from 1"
    raise ColumnError.not_found(wanted, columns=known, source=text.name, argument=role, hint=hint)


def _check_same_tokens(gold: ColumnText, pred: ColumnText) -> None:
    """Reject two files whose sentences or tokens differ: tags of different tokens would be compared."""
    place = 1 if gold.is_conll_u and pred.is_conll_u else 0
    compared = gold.width > 1 and pred.width > 1
    for at, tokens in enumerate(zip(gold.column(place), pred.column(place), strict=False)):
        if len(tokens[0]) != len(tokens[1]) or (compared and tokens[0] != tokens[1]):
            differ = (i for i, (a, b) in enumerate(zip(*tokens, strict=False)) if a != b)
            token = next(differ, min(map(len, tokens))) if compared else min(map(len, tokens))
            seen = [repr(side[token]) if token < len(side) else "no token" for side in tokens]
            problem = f"{gold.where(at, token)} has {seen[0]} and {pred.where(at, token)} has {seen[1]}"
            raise FileError(problem, expected="the same tokens in both files")
    if len(gold.sentences) != len(pred.sentences):
        n_gold, n_pred = counted(len(gold.sentences), "sentence"), f"{len(pred.sentences):,}"
        raise FileError(
            f"{gold.name} has {n_gold} and {pred.name} has {n_pred}", expected="the same sentences in both files"
        )
