"""Mutation testing of the rooms that decide a number: change the code in small ways, and see whether a test fails.

`make mutants` draws places in the code of every room (`N` of each, with `SEED`), changes one thing at each as
cosmic-ray would, and runs the tests that reach that place, quickest first, until one fails. A survivor wants a test, or
a reason in `EQUIVALENT` why nobody could tell. Tests that start processes of their own are not counted on: the score is
what tests inside one process find.

Every mutant is a fork of this process, in which the libraries are loaded already, and works on a copy of the project.
What each file of tests reaches is kept in build/mutants, and measured again when the file has changed.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import gc
import hashlib
import importlib
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "scoring": "tests/scoring tests/counting/test_array_columns.py tests/counting/test_units.py tests/test_counts.py "
    "tests/test_messages.py src/macrof1/scoring",
    "bounding": "tests/bounding tests/test_messages.py src/macrof1/bounding",
    "auditing": (
        "tests/auditing tests/reporting/test_audits.py tests/cli/test_audit.py tests/test_messages.py "
        "src/macrof1/auditing"
    ),
    "counting": (
        "tests/counting tests/comparing/test_frames.py tests/comparing/test_unit_comparison.py "
        "tests/test_labels.py tests/test_counts.py tests/test_messages.py tests/test_tracebacks.py "
        "tests/scoring/test_recorded.py tests/running "
        "src/macrof1/counting"
    ),
    "reading": (
        "tests/reading tests/counting/test_label_tables.py tests/counting/test_tables_of_counts.py "
        "tests/counting/test_named_tables.py tests/counting/test_many_files.py tests/comparing/test_frames.py "
        "tests/running/test_apart.py tests/cli/test_corpus.py tests/test_messages.py src/macrof1/reading"
    ),
    "sampling": (
        "tests/sampling tests/comparing/test_significance.py tests/comparing/test_weights.py tests/test_messages.py "
        "tests/scoring/test_recorded.py src/macrof1/sampling"
    ),
}
# What some tests read beside their own file.
GOLDEN = {
    "tests/auditing/test_audited_figures.py": "audits.jsonl",
    "tests/auditing/test_recorded.py": "audits.jsonl",
    "tests/test_messages.py": "messages.txt",
    "tests/reading/test_recorded.py": "readings.jsonl",
    "tests/sampling/test_recorded.py": "samples.jsonl",
    "tests/scoring/test_recorded.py": "calls.jsonl",
}
LEFT_OUT = ["--ignore=tests/counting/test_spark.py", "--ignore=tests/counting/test_spark_connect.py"]
# Loaded once, before the forks. Polars is not among them: its threads do not survive a fork.
LIBRARIES = (
    "doctest",
    "hypothesis.strategies",
    "numpy",
    "pandas",
    "pyarrow",
    "pytest",
    "scipy.sparse",
    "sklearn.metrics",
)
MEMORY = 8 * 2**30
NO_TESTS = 5  # pytest's exit status
FIRST_SECONDS = 1.0
# What a mutant makes of a line, and why no test can tell.
EQUIVALENT = {
    "if not all(map(is_number, first[1:])) or (len(first) <= 1 and not is_number(first[0])):": "a row has a cell",
    "return id_column([name for name in tables[ -1].columns if all(name in table.columns for table in tables)])": (
        "the columns that all tables have, and only if one is an id"
    ),
    "said: bool = True  # the text itself calls the figures means over folds, seeds or runs": (
        "given wherever there are readings, and asked for there alone"
    ),
    "is_id: bool = True  # whether its name says so. Otherwise only rows that agree in all columns repeat each other": (
        "taken where repeats are not looked for"
    ),
    "if before is [*precision, *recall, *f1, *macro]:": "another round leaves all as it is",
    "column.max(initial= 1) >= _LARGE or ((column > 0) & (column < _SMALL)).any() for column in columns": "1 is small",
    "return amounts[amounts > 0] if self.where is None else amounts": "no amount is negative",
    "return _tag_note([label for label, found in tags if found[ 1]], outside=outside, what=what)": "both, or neither",
    "if ordered is not labels or ordered != labels:": "the longer way is right, too",
    "if not all(issubclass(kind, Iterable) and  issubclass(kind, str | bytes) for kind in set(map(type, side))):": (
        "then every row is looked at"
    ),
    "gold_end = np.full(len(codes[0]), +1, np.int64)": "an entity ends behind the first place",
    'facts["n_rows"] = len(three[ 1]) if times is None else int(times.sum())': "all three are of one length",
    "_ROUNDED = Fraction(1, 10** 11)": "no two definitions come so near each other",
    "_ROUNDED = Fraction(1, 10** 13)": "no two definitions come so near each other",
    'rank = {name: at for at, name in enumerate(types)} | {"": - 0}': "no rule of a grammar asks for the type of O",
    "if any(side != known[ -1] for side in known):": "all are alike if each is like the last",
    "for k in range(1, n_classes + 2):": "k + Y stays the same, and H falls away from k = Y",
    "if len(columns) <= 1:": "there is a class to average over",
    "if places and len(places) != len(base):": "never more than all",
    "_MOST_ENUMERATED = 20001": "the predictions of three or more classes are never spread in 20,001 ways",
    "_MOST_ENUMERATED = 19999": "the predictions of three or more classes are never spread in 20,000 ways",
    "_MOST_WORK = 20001": "the quotient is the same for every number of sizes that leaves 5 to 40",
    "if n <= 2:": "one class was answered before",
    "g, p = (side[np.diff(side, prepend=- 2) > 0] for side in sides)": "no place is below 0",
    'rank = {name: at for at, name in enumerate(types)} | {"": not 1}': "no rule of a grammar asks for the type of O",
    "cut = _cut(request, request.labels, {kinds[ 1]} - {None})  # type: ignore[arg-type]  # a type of labels": (
        "both columns are of one type"
    ),
    "while step > 1e-6 and best >= enough + 2 * _ROUNDING:": "a limit at the very tolerance is lowered in vain",
    "if f1_of_averages < gap_supremum(n_classes):": "at the supremum the minimum over k is 0, too",
    "if f1_of_averages == gap_supremum(n_classes):": "below the supremum the minimum over k is 0, too",
    "feasible = (k for k in range( 0, n_classes + 1) if beta * k <= n_classes * (2 * k - beta))": "0 is infeasible",
    "feasible = (k for k in range(1, n_classes + 1) if beta * k < n_classes * (2 * k - beta))": "k = n mirrors it",
    "feasible = (k for k in range(1, n_classes + 2) if beta * k <= n_classes * (2 * k - beta))": "k = n gives less",
    "for k in range( 0, n_classes + 1):": "H(0, Y) is 0",
    "if set(map(type, labels)) <= {str} and (met or len(set(labels)) == len(labels)):  # canonical as it is": (
        "a column without labels is the same either way"
    ),
    "mask = os.umask( -1)": "put back at once",
    'undefined, beta = convention.undefined, convention.beta if ratio <= "f" else 1.0': "the first in the alphabet",
    "lack = f\"{'has' if fewer <= 1 else 'have'} fewer classes than all rows together\"": "said of one or more",
    "if len(lines[ -1]) != n:": "all lines are of one length",
    "t_low, t_high = t_low ^ min(c.tp for c in some), t_high + max(c.tp for c in some)": (
        "never above the sum; what a looser bound lets through, the last class rules out"
    ),
    "if len(seen) >= high - low:": "never more than that",
    'if n <= _FEW_CLASSES or below.dtype.kind == "f" or below.min() < -1 or below.max() >= 2**53:': (
        "a sum that wrapped around is at most -2"
    ),
    "kind = np.int32 if {part.dtype for part in parts} <= {np.dtype(np.int32)} else np.int64": "there are parts",
    'inner = [found[2] for _, found in tags if found[ 2] and found[1] in "IELiel"]': "both groups match, or neither",
    "label, again = row.label, found.get(row.label, -1)": "read only where the label is found",
    "return [int(row[ -1]) for row in sums]": "without weights, a row of sums is one number",
    "if all(len({normal_form(label, rest) for label in group}) <= 1 for group in twins):": "no group is empty",
    "groups += [non_classes] if 1 < len(non_classes) is not len(base) else []": "never more than all",
    "_SMALLEST = 1.0": "the other way to multiply differs in a last digit at most",
    'if method <= "combined":': "the ends of a bootstrap are replaced by its percentiles",
    "columns = times[ 1], sum(times[1:]), times[0]": "the hits are not asked for",
    "columns = times[ -1], sum(times[1:]), times[0]": "the hits are not asked for",
    "seen = {formula: float(found[0]) for formula, found in apart(summed(own[ -1][None])).items()}": (
        "two systems are as far apart from either side"
    ),
    "step = -(~len(side) // _MOST_CORNERS) or 1": "fewer corners, and the same pairs",
    "if total <= _NO_DIFFERENCE:": "no gap is the very limit",
    "_EXACT = 1.0**53": "exact where floats would do",
    "return np.array([place.get(key, - 2) for key in normal], np.int64)": "a place below 0 counts nowhere",
    "if len(self.systems) <= 1:": "there is a system",
    "start = next((place for place, line in enumerate(lines) if line.strip()), 1)": "of blank lines none is looked at",
    "mean = sum((size * value for size, value in zip(sizes, values, strict=True)), zero) / (listed or 2)": (
        "nothing is 0 either way"
    ),
    "tps, predictions = [ -1] * n, [0] * n": "all are set before they are read",
    "tps, predictions = [0] * n, [ -1] * n": "all are set before they are read",
    "width = max(map(len, numbers), default= 1)": "a line of a matrix has two numbers or more",
    "hits = tuple(np.isin(key, keys[0], assume_unique=False) for key in keys[1:])": "they are unique",
    "found: Array = np.divide(above, below, out=np.zeros_like(above), where=below > 0)": "no count is negative",
    "tp, fp, fn = report.errors.get(label, (1, 1, 2))": "what is asked is whether they are 0",
    "for _ in range( 99):": "Newton's method needs fewer steps",
    "for _ in range( 101):": "Newton's method needs fewer steps",
    "self.patterns, amounts=cells[at], weights=(there / np.maximum(cells.sum(1), 1.000000000001))[at[0]],": (
        "a class that has rows has at least one"
    ),
    'if published.rounding != "round" and result.status == "contradicts itself" or result.verdict == "either":': (
        "figures that were truncated fit as they do, and a contradiction was tried as truncated before"
    ),
    "if len(tags) < _MOST * len(counts.labels) or not any(outside or kinds[kind] != 1 for kind in inner):": (
        "every kind of an inner tag is there at least once"
    ),
    "if high - low < min(2**30, max(1 << 16, 4 * len(gold))) and abs(low) < 2** 29:": "both ways count the same",
    "if high - low < min(2**30, max(1 | 16, 4 * len(gold))) and abs(low) < 2**30:": "both ways count the same",
    "key = (-1, ~1) if path is None else (-2, len(seen))": "any key that no file has",
    "twice = next(system for system in names if list(systems).count(system) != 1)": "each is there at least once",
    'stop = block.rfind(b"\\n", start, end) + 1 and block.find(b"\\n", end) + 1 or len(block)': (
        "a piece may end with any line"
    ),
    "if x >= (a + 1) / (a + b + 2):": "both ways are right to the last digits there",
    "weights = shares * actual.sum() / np.where(actual > 1, actual, 1.0)": "one row is divided by 1 either way",
    "return np.minimum(low, share), np.where(n != 0, np.maximum(high, share), 1.0)": "no count is negative",
    "rough: tuple[float, float] = field(init=False, repr=False, compare=True)  # the same, as floats, a little wider": (
        "it follows from the bounds"
    ),
    "narrowed = roughly_one_class if isinstance(precision[0][ -1], float) else one_class": "both ends are of one type",
    "return sizes if sizes and len(sizes) >= self.n_classes else None": "never more than the classes",
    "without = [unknown] * ((report.n_classes or -1) - len(report.labels))": "known wherever there are labels",
    "gold, undefined = sums.actual != 0, float(convention.undefined)": "no count is negative",
    "self.worth = max(1.0, float((below.sum(-1) ** 2 / np.where(squares > 0, squares, 2.0)).min()))": (
        "where the squares vanish, so does the square of the sum"
    ),
    'self.smoothed.standard_error("gap") ** 2 / smooth_gap if smooth_gap else -1.0,': "the first is 0 or more",
    'self.delta_error("gap") ** 2 / gap if gap else -1.0,': "the first is 0 or more",
    "while len(found) != _MOST_CONTRADICTIONS and surely_broken(report.only(left)):": "one more at a time",
    "beside[ -1].accuracy, beside[0].name = report.accuracy, None": "there is one beside",
    "beside[0].accuracy, beside[ -1].name = report.accuracy, None": "there is one beside",
    'if separator <= "ampersands":': "the first in the alphabet",
    'if separator >= "tabs":': "the last in the alphabet",
    "if len(ranks) <= 1 and None not in ranks:": "there are lines, and each has a rank or None",
    'if len(name) > 2 and name[0] == name[-1] and name[ -1] in "*_":': "both ends are the same",
    "if len(figures) != 1 or not report.macro:": "an average is there for a figure of its own",
    "_LARGEST_BYTE = 254": "floats count the same",
    'for name, beta in (("2", 2.0), ("0.5", -0.5)):': "only its square is asked for",
    "return math.copysign(root, above / sides[ 1])": "both sides are above 0",
    "return math.copysign(root, above / sides[ -1])": "both sides are above 0",
    "return int(value * 1e12 + -0.5)": "the same steps, each one lower",
    "f, precision, recall = np.moveaxis(sums[..., 0, :] / np.where(below > 0, below, 2.0), -1, 0)": (
        "nothing is 0 either way"
    ),
    "centre, reach = float(printed.value), 10.0**-printed.decimals // _SAME": "what is far away is asked, too",
    "centre, reach = float(printed.value), 10.0**-printed.decimals / _SAME": "what is far away is asked, too",
    'undefined, beta = convention.undefined, convention.beta if ratio == "f" else 2.0': "the longer way to that mean",
    'undefined, beta = convention.undefined, convention.beta if ratio == "f" else 0.0': "the longer way to that mean",
    "keys = [side.pattern * len(labels) - side.label for side in touches]": "any key that no other pair has",
    "for _ in range( 49):": "the end is known to fifteen digits by then",
    "for _ in range( 51):": "the end is known to fifteen digits by then",
    "if most >= _LARGEST_BYTE or draws.shape[1] < _PATTERNS_PER_LABEL * n_labels:": "floats count the same",
    "self.noun, rows = systems[ -1].noun, systems[0].rows": "all systems have the same units",
    "self.noun, rows = systems[0].noun, systems[ -1].rows": "all systems have the same units",
    "line: int = -1": "set before it is read",
    "line: int = 1": "set before it is read",
    "texts = [Cell(printed.unmarked(cell), 1) for cell in printed.cells_of(line, separator)]": "all ends are alike",
    "texts = [Cell(printed.unmarked(cell), -1) for cell in printed.cells_of(line, separator)]": "all ends are alike",
    "start = next((place for place in range(len(words)) if set(kinds[place : place + 3]) >= set(RATIOS)), None)": (
        "three words at a time"
    ),
    "_LONGEST_FIELD: Final = 2147483646  # in C": "no field is that long",
    "_LONGEST_FIELD: Final = 2147483648  # in C": "no field is that long",
    "bare = {place for place, (name, _) in enumerate(rows) if roles[place] and len(phrase(name).split()) <= 1}": (
        "no role without a word"
    ),
    "height, merged_at = 1, _MOST_DISTINCT": "merged once more at most",
    "if all(map(str.isdecimal, parts[ 1])):": "all have the same keys",
    "if all(map(str.isdecimal, parts[ -1])):": "all have the same keys",
    "return (pl.struct(columns) if len(columns) != 1 else pl.col(columns[0])).hash().alias(_HASH)": "there is a key",
    'return tables[0].name if len(tables) <= 1 else f"{tables[0].name} and {len(tables) - 1:,} more"': "there is one",
    'if len(name) > 2 and name[0] is name[-1] and name[0] in "*_":': "Python keeps one object of such a character",
    "_FINE = Fraction(1, 999)": "the unit of a figure is a power of ten",
    "return Fraction( -1), 0": "neither is above 0",
    "return Fraction(0), 1": "the figure is rejected whatever its decimals",
    "return Fraction(0), -1": "the figure is rejected whatever its decimals",
    "_ROUNDED = Fraction(1, 11**12)": "no two definitions come so near each other",
    "_ROUNDED = Fraction(1, 9**12)": "no two definitions come so near each other",
    "tp, fp, fn = report.errors.get(label, (1, 0, 1))": "what is asked is whether they are 0",
    "tp, fp, fn = report.errors.get(label, (1, 2, 1))": "what is asked is whether they are 0",
    "tp, fp, fn = report.errors.get(label, (1, 1, 0))": "what is asked is whether they are 0",
    "digits = max(printed_figures.significant_digits(texts[key]), lost.get(key, 1))": "far fewer than a float has",
    "digits = max(printed_figures.significant_digits(texts[key]), lost.get(key, -1))": "far fewer than a float has",
    "others = [other for other in RATIOS if other is not kind]": "all are names of one tuple",
    "t_low, t_high = t_low - min(c.tp for c in some), t_high + max(c.tp for c in some)": (
        "never above the sum; what a looser bound lets through, the last class rules out"
    ),
    "return Outcome(room, None, fits, outcomes[ 1].has_f1)": "all are of the same figures",
    "return Outcome(room, None, fits, outcomes[ -1].has_f1)": "all are of the same figures",
    'if published.rounding != "round" or result.status <= "contradicts itself" or result.verdict == "either":': (
        "the first in the alphabet"
    ),
    'odd, other = (figures[None, kind] for kind in ((least, "f1") if low <= 2 else ("f1", most)))': (
        "it is 1 or less, or 10 or more"
    ),
    "(1 + square) * p[end] * r[end] / (square * p[end] + r[end]) if p[end] and r[end] else Fraction( -1)": (
        "no F is below 0, and no upper end is 0"
    ),
    "fewest = sum((hits[0] / ends[1] if ends[1] else hits[ 1] for hits, ends in pairs), _ZERO)": (
        "without precision there are no hits"
    ),
    "fewest = sum((hits[0] / ends[1] if ends[1] else hits[ -1] for hits, ends in pairs), _ZERO)": (
        "without precision there are no hits"
    ),
    "_UNKNOWN = (999, 0)": "after every correction that is known",
    "_UNKNOWN = (1_001, 0)": "after every correction that is known",
    "_UNKNOWN = (1_000, 1)": "after every correction that is known",
    "_UNKNOWN = (1_000, -1)": "after every correction that is known",
    "most = max(map(significant_digits, column.values()), default= -1)": "an empty column has no zeros to give back",
    "most = max(map(significant_digits, column.values()), default= 1)": "an empty column has no zeros to give back",
    'found += [Definition("balanced accuracy", words, False)] if len(texts) != 1 else []': "the recall is among them",
    "in_shares(add, -(-size - _NARROW_STRIP), size * len(at))": "the pieces beyond the last are empty",
    "seen = order[first[order] != len(units.codes)]": "no row is further",
    "self.worth = max(1.0, float((below.sum(-1) ** 2 / np.where(squares != 0, squares, 1.0)).min()))": (
        "no square is negative"
    ),
    'listed = f"{len(labels)} classes with figures are" if len(labels) != 1 else "class with figures is"': (
        "there are labels"
    ),
    "tags: dict[Any, int] = {END: 1}": "it takes the first place, and nothing looks it up",
    'if vocabulary.phrase(texts[-1].text) in ("class", "label") and len(texts) != 2:': "no header without columns",
    "if self._n_held and (kind != self._held_as or self._n_held * n_rows > _BLOCK):": "counted now or later",
    "if not 0 < n_rows == _SMALL:": "counted now or later",
    "if most > _LARGEST_BYTE or draws.shape[1] < _PATTERNS_PER_LABEL + n_labels:": "floats count the same",
    "keys.append(to[side.gold.label] * n + to[side.systems[ -1].label])": "each side has one system",
    "slope = (1 + square) / np.where(under > 0, under, 2.0)": "nothing is 0 either way",
    '_demand((n_listed or -1) <= len(names), f"n_listed is {n_listed} for {len(names)} labels", "at most that many")': (
        "neither is more than the labels"
    ),
    "some = values[:: len(values) // 257]": "there are more than 256, and the sample only decides which way is faster",
    'facts["labels"] = tuple(range(1, len(columns[ -1]) + 1))': "all columns are of one length",
    "if self._n_held or (kind != self._held_as or self._n_held + n_rows > _BLOCK):": "counted now or later",
    "if any(empty.row( -1)):": "it has one row",
    "return table.iloc[:, -1]": "it has one column",
    "if float(np.dot(left.astype(np.float64), right.astype(np.float64))) is _FITS:": "both ways are exact",
    "whole = len(matrix.indptr) is matrix.shape[0] + 1 and matrix.indptr[0] == 0": "the longer way is right, too",
    'edges = np.flatnonzero((may_start | (~may_go_on & (prefix[before] > PREFIXES.index("O"))))[pair])': (
        "O is the first prefix"
    ),
    "if quotes_protect(record.encode(), separator, 2):": "with tabs, records are looked at line by line",
    "if quotes_protect(record.encode(), separator, 0):": "with tabs, records are looked at line by line",
    "if tp <= 0:": "no count is negative",
    "value = float(min(number_or_zero(text)[0], Fraction(101)))  # a larger figure is rejected later": (
        "100 percent is the most"
    ),
    "if floats and (min(floats) > 2 or 0 <= min(floats) <= max(floats) <= 1):": "the longer way to the same answer",
    "if floats and (min(floats) > 1 or 0 < min(floats) <= max(floats) <= 1):": "the longer way to the same answer",
    "if floats and (min(floats) > 1 or 0 <= min(floats) <= max(floats) < 1):": "the longer way to the same answer",
    "if height >= min(merged_at, most or merged_at):": "merged once more at most",
    "if packing is not None and binary_format(found.start( 7)):  # Polars needs Parquet and Arrow as plain files": (
        "six bytes tell"
    ),
    "if packing is not None and binary_format(found.start(9)):  # Polars needs Parquet and Arrow as plain files": (
        "six bytes tell"
    ),
    "edge = starts[ -1][-1]": "sides of other lengths are then looked at row by row",
    "table = np.full(high - low + 2, -1, order.dtype)": "nothing is looked up beyond",
    "last_class = max((number for number, role in enumerate(named) if role is None), default=- 2)": "none is lower",
    "sides = [pl.col(name).is_in(listed) if len(listed) > 0 else pl.col(name).eq(listed[0]) for name in columns[:2]]": (
        "to be one of a list of one label is to be that label"
    ),
    "_FITS = 1.0**62": "both ways are exact",
    "if len(known) != len(columns):": "never more than all",
    'gone = {"n_classes_assumed"} if examined.readings[ -1].over else set()': "all of a stage have it, or none has",
    "if n_rows is not None and len(labels) <= 1 and n_classes in (None, 2):": "rows are known of a class",
    "ratios = [(line[-1] / line[entering], place) for place, line in enumerate(table) if line[entering] >= 1e-12]": (
        "no number is the very limit"
    ),
    "below = (square * precision + recall) ** 2 or 2.0": "nothing is 0 either way",
    'if convention.classes <= "seen" or convention.empty == "drop":': (
        "what is gold is not empty, and units have no list"
    ),
    "if self.rows != self.counts.rows:": "only cells are equal without being the same, and no cells count units",
    "return canonical_codes(codes, labels, met=False)": "they are looked at once more, and found to be as they were",
    "if any(type(label) is not kinds[ 1] for label in listed):": "both columns are of one type",
}
# Lines that decide how soon a result comes, not which: tests count with other values in their place.
SPEED = {
    "_AT_ONCE = 1 << 14",
    "_AT_ONCE: Final = 1 << 20",
    "_BLOCK = 1 << 16",
    "_BYTES_PER_REPORT = 1 << 20",
    "_BYTES_PER_THREAD = 4 << 20",
    "_MOST_BYTES = 64 << 20",
    "_MOST_DISTINCT = 1 << 20",
    "_MOST_FILES = 256",
    "_PATIENCE = 10.0",
    "_PIECE: Final = 1 << 19",
    "_PIECE: Final = 1 << 20",
    "_SMALL: Final = 1 << 19",
    "_SMALL_PACKED: Final = 1 << 16",
    "_SOME, _TAIL = 100, 2_000",
    "if isinstance(frame, nw.DataFrame) or frame.implementation.is_polars():",
    "if len(distinct) > _MOST_PAIRS:",
    "if n_distinct > most or 2 * n_distinct < n_rows:",
    "return label_doubts(counts, all_met=True)",
    "if not table_is_faster(n * n, len(gold), weighted=weight is not None):",
    "elif weight is None and n_sparse == 2:",
    "margins_do = pair.gold_labels is pair.pred_labels and listed is None and not cells",
    "n, width = len(patterns.units), len(patterns.labels) * (2 * len(patterns.systems) + 1)",
    "n_threads = min(_threads(len(gold)), max(1, len(gold) // (8 * n)))",
    "_FEW_CODES = 64",
    "_FEW_ROWS = 1 << 14",
    "_FEW_ROWS = 1 << 20",
    "_FIRST_ROWS = 1 << 14",
    "_MANY_CODES = 1 << 10",
    "_FIRST_ROWS = 1 << 17",
    "_MANY = 256",
    "_MOST_BYTES = 1 << 28",
    "_MOST_BYTES = 8 << 20",
    "if high - low <= 4 * len(ids):",
    "if size * n >> 63 - n_rows.bit_length():",
    "if high - low >= max(1 << 16, len(column)):",
    "_MOST_CELLS = 1 << 20",
    "_MOST_NUMBERS = 1 << 21",
    "_MOST_PAIRS = 1 << 20",
    "_MOST_THREADS = 8",
    "_NARROW = 64",
    "_NARROW_STRIP = 16",
    "_PATTERNS_PER_LABEL = 8",
    "fewer = 2 * len(wrong) < len(hit)",
    "_PIECE = 1 << 25",
    "_PIECE: Final = 1 << 22",
    "_STRIP = 256",
    "_VERY_FIRST_ROWS = 1 << 10",
    "for n_rows in (_FIRST_ROWS, 2 * most):",
    "work = size * len(at) // 8",
    "if times > 1 or isinstance(weight, int):",
    "step = max(64, _BLOCK // size)",
    'if weights.dtype.kind == "f" or all_weights <= EXACT_FLOAT:',
    "places, amounts = _amounts(flat, len(codes[0].labels) * n_pred, weight)",
    "if batch and (len(batch) == _MOST_FILES or size + tables[place].file.size > _MOST_BYTES):",
    "obvious = narrow(report, rough=True).broken",
    "_ROWS_PER_THREAD = 1 << 19",
    "step = max(1, _MOST_NUMBERS // max(len(cells), 3 * n))",
    "step = max(1, _PIECE // n)",
    "if compiled.picks(picked, drawn, small) >= 0:",
    "SECONDS = 30.0",
    "_SMALL = 1 << 12",
    "if integers.fits_table(n * len(other.labels), len(one)):",
    "_SMALL, _LARGE = 2.0**-480, 2.0**480",
    "if compiled is None or codes.dtype != np.int32 or to.dtype != np.int32:",
    "n_threads = _threads(4 * shape[0])",
    "if n_threads == 1:",
    "most = int(draws.max(initial=1))",
    "order = np.arange(len(ids), dtype=np.int32 if len(ids) < 1 << 31 else np.int64)",
    "text, step = np.frombuffer(block, np.uint8)[begin:end], 1 << 18",
    # Floats spare exact arithmetic where they are clear; what they leave open is decided exactly.
    "if not (r_low <= _near(tp, sizes) <= r_high and p_low <= _near(tp, predicted) <= p_high):",
}


@dataclass(frozen=True)
class Mutant:
    """A change at one place of a module."""

    module: str
    line: int
    statement: range
    source: str
    before: str
    after: str

    @property
    def code(self) -> str:
        """The line before the change, without its comment."""
        return self.before.partition("  #")[0]


def untested(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the parts of a module that no result depends on: annotations, the words of errors, imports for types.

    How records are declared is a rule of the house, and tests/test_house.py checks it for all of them.
    """
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.AST() as part):
                yield part
            case ast.FunctionDef(decorator_list=parts, returns=returns):
                yield from (part for part in parts if "cache" in ast.unparse(part) or "overload" in ast.unparse(part))
                yield from () if returns is None else (returns,)
            case ast.AnnAssign(annotation=part) | ast.Raise(exc=ast.Call() as part):
                yield part
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield node
            case ast.Assign(targets=[ast.Name(id="__slots__")]):
                yield node
            case ast.Call(func=ast.Name(id="Message" | "Note" | "Argument" | "cast" | "TypeVar")):
                yield node
            case ast.keyword(arg="strict"):  # asserts what the code around it sees to
                yield node
            case ast.ClassDef(decorator_list=[_, *_] as parts):
                yield from parts


def statement_lines(tree: ast.Module, line: int) -> range:
    """Return the lines of the innermost statement at a line: of its head alone where it has a body."""
    lines = range(line, line + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or line
            lines = range(node.lineno, last + 1) if line <= last else lines
    return lines


def places(source: str) -> dict[tuple[int, int], list[tuple[Any, int]]]:
    """Return every place that can be changed, with the operators (and which occurrence of each) that change it."""
    import cosmic_ray.plugins
    from cosmic_ray.ast import ast_nodes, get_ast

    tree = ast.parse(source)
    # One character more, for the @ of a decorator.
    spans = [((n.lineno, n.col_offset - 1), (n.end_lineno, n.end_col_offset)) for n in untested(tree)]  # type: ignore[attr-defined]
    nodes = list(ast_nodes(get_ast(source)))
    found = defaultdict(list)
    for name in cosmic_ray.plugins.operator_names():
        kind = cosmic_ray.plugins.get_operator(name)
        if kind.arguments():  # these want names of variables
            continue
        operator = kind()
        positions = (position for node in nodes for position in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(positions):
            if not any(first <= start < last for first, last in spans):
                found[start].append((operator, occurrence))
    return found


def draw(room: Path, only: str, n: int, seed: int) -> tuple[list[Mutant], int]:
    """Draw n places of a room (or of one part), and one change at each; return them with the number of places."""
    from cosmic_ray.mutating import mutate_code

    chance = random.Random(seed)  # noqa: S311  # a sample, not a secret
    sources = {
        path: path.read_text(encoding="utf-8")
        for path in sorted(room.rglob("*.py"))
        if only in str(path.relative_to(room))
    }
    every = [(path, place, ways) for path, source in sources.items() for place, ways in sorted(places(source).items())]
    mutants: list[Mutant] = []
    for path, (line, _), ways in chance.sample(every, len(every)):
        if len(mutants) == n:
            break
        source = sources[path]
        try:
            after = mutate_code(source, *chance.choice(ways))
            same = after is None or ast.dump(ast.parse(after)) == ast.dump(ast.parse(source))
        except (SyntaxError, AttributeError):  # the latter where it would replace an exception with a dot in its name
            continue
        if same:
            continue
        pairs = zip(source.splitlines(), after.splitlines(), strict=False)
        old, new = next(pair for pair in pairs if pair[0] != pair[1])
        if re.sub(r"([(,] *|^ *)\*,", r"\1/,", old) == new:  # a signature: calls name what follows either way
            continue
        module = str(path.relative_to(room.parents[2]))
        mutants.append(Mutant(module, line, statement_lines(ast.parse(source), line), after, old.strip(), new.strip()))
    return mutants, len(every)


class Plan:
    """A plug-in for pytest that keeps the chosen tests, in their order, and notes what each costs and reaches."""

    def __init__(self, chosen: list[str] | None, coverage: Any = None) -> None:
        self.order = None if chosen is None else {test: place for place, test in enumerate(chosen)}
        self.coverage = coverage
        self.seconds: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep and order tests."""
        if self.order is not None:
            items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda item: self.order[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin a test."""
        self.seconds[nodeid] = -time.process_time()
        if self.coverage:
            self.coverage.switch_context(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """End a test."""
        self.seconds[nodeid] += time.process_time()
        if self.coverage:
            self.coverage.switch_context("")


def run_tests(where: list[str], plan: Plan) -> int:
    """Run tests in this process."""
    import hypothesis
    import pytest

    quick = {"deadline": None, "derandomize": True, "database": None, "max_examples": 25}
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)  # nobody looks at the smallest case
    hypothesis.settings.register_profile("mutants", phases=phases, **quick)
    options = [
        "-q",
        "-x",
        "--hypothesis-profile=mutants",
        "-m",
        "not slow and not xdist_group",
        "--no-header",
        "--tb=line",
    ]
    options += ["-p", "no:schemathesis", "-p", "no:anyio"]  # slow to load, and of no use here
    # Hypothesis and NumPy are loaded before the forks, and before pytest can hear them.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning", "-W", "ignore::PendingDeprecationWarning", *LEFT_OUT]
    return int(pytest.main([*options, *where], plugins=[plan]))


def in_fork(work: Any, *, cpu: float, log: Path) -> int:
    """Do work in a fork with a limit of CPU time and memory, and return its exit status, or minus the signal."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 70
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))  # charts reserve far more addresses than this
        signal.alarm(int(20 * cpu) + 60)  # something that waits for ever uses no CPU
        sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        status = work()
    except BaseException:  # noqa: BLE001  # whatever it is: this process must end here
        traceback.print_exc()
    finally:
        os._exit(status)


def test_files(room: str) -> Iterator[str]:
    """Yield the files of a room's tests, and its code with the examples in it."""
    for place in ROOMS[room].split():
        files = sorted(Path(place).rglob("test_*.py")) if place.startswith("tests/") else []
        yield from (str(file) for file in files or [Path(place)] if f"--ignore={file}" not in LEFT_OUT)


def digest(room: str, place: str) -> str:
    """Return a digest of a room's name and of a file of tests with what it draws on, or of a folder of code."""
    paths = [Path(place)] if Path(place).is_file() else sorted(Path(place).rglob("*.py"))
    if place in GOLDEN:
        paths.append(Path("tests/golden", GOLDEN[place]))
    shared = [Path("tests", name) for name in ("oracles.py", "reports.py", "strategies.py")]
    content = b"".join(str(path).encode() + path.read_bytes() for path in (*paths, *shared))
    return hashlib.sha256(room.encode() + content).hexdigest()


def sources_of(room: str) -> dict[str, str]:
    """Return the code of a room by module."""
    return {str(path): path.read_text(encoding="utf-8") for path in sorted(Path("src/macrof1", room).rglob("*.py"))}


def moved(by_line: dict[str, list[str]], old: str, new: str) -> dict[int, set[str]]:
    """Return which tests reach the lines of changed code: a changed line is reached by those around it."""
    found: dict[int, set[str]] = defaultdict(set)
    lines = [old.splitlines(), new.splitlines()]
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes():
        around = {test for line in range(i1, i2 + 2) for test in by_line.get(str(line), ())}
        for place in range(j1, j2):
            found[place + 1] |= set(by_line.get(str(i1 + place - j1 + 1), ())) if tag == "equal" else around
    return found


def measure(room: str, file: str, record: Path) -> int:
    """Run one file of tests; write down which lines of the room each test reaches, and what it costs."""
    import coverage

    code = Path("src/macrof1", room).resolve()
    watch = coverage.Coverage(source=[str(code)], data_file=None, config_file=False)
    watch.start()
    for path in code.rglob("*.py"):  # what runs on import belongs to no test
        importlib.import_module(
            ".".join(path.relative_to(code.parents[1]).with_suffix("").parts).removesuffix(".__init__")
        )
    plan = Plan(None, watch)
    status = run_tests([file], plan)
    watch.stop()
    data = watch.get_data()
    lines = {str(Path(f).relative_to(Path.cwd())): data.contexts_by_lineno(f) for f in data.measured_files()}
    found = {"sources": sources_of(room), "lines": lines, "seconds": plan.seconds}
    record.write_text(json.dumps(found), encoding="utf-8")
    return 0 if status == NO_TESTS else status


def baseline(room: str, kept: Path) -> tuple[dict[str, dict[int, set[str]]], dict[str, float]]:
    """Return which tests of a room reach each line of each module, and what each costs.

    What a file of tests reached in an earlier run is taken from a folder, and moved along with changes to the code.
    """
    kept.mkdir(parents=True, exist_ok=True)
    reached: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    cost: dict[str, float] = {}
    now, log = sources_of(room), Path("log")
    for file in test_files(room):
        record = kept / f"{digest(room, file)}.json"
        if not record.exists() and in_fork(lambda: measure(room, file, record), cpu=3600, log=log):  # noqa: B023
            record.unlink(missing_ok=True)
            sys.exit(f"the tests of {file} fail as they are:\n{log.read_text(encoding='utf-8')[-3000:]}")
        found = json.loads(record.read_text(encoding="utf-8"))
        cost |= found["seconds"]
        for module in now.keys() & found["lines"].keys():
            for line, tests in moved(found["lines"][module], found["sources"][module], now[module]).items():
                reached[module][line] |= tests
    return reached, cost


def check_order(room: str, seconds: dict[str, float]) -> None:
    """Make sure that all tests pass in forks and in the order of mutants, so that none is killed by its neighbours."""
    plan, log = Plan(sorted(seconds, key=lambda test: seconds[test])), Path("log")
    if in_fork(lambda: run_tests(list(test_files(room)), plan), cpu=3600, log=log):
        sys.exit(f"the tests fail in the order of mutants:\n{log.read_text(encoding='utf-8')[-3000:]}")


def tests_for(
    mutant: Mutant, lines: dict[str, dict[int, set[str]]], seconds: dict[str, float], limit: float
) -> list[str]:
    """Return the tests that reach a mutant, quickest first: all that use its module where it runs on import."""
    of_module = lines.get(mutant.module, {})
    reached = {test for line in mutant.statement for test in of_module.get(line, ())}
    if "" in reached:
        reached = {test for tests in of_module.values() for test in tests}
    elif not reached:  # no test was seen to run it: threads of Polars may, for tests that reach what is above it
        above = (line for line, tests in of_module.items() if line < mutant.line and tests)
        reached = of_module.get(max(above, default=0), set())
    left = limit
    kept: list[str] = []
    for test in sorted((test for test in reached if test), key=lambda test: seconds[test]):
        left -= seconds[test]
        if kept and left < 0:
            break
        kept.append(test)
    return kept


def stages(tests: list[str], seconds: dict[str, float]) -> list[list[str]]:
    """Split tests into those of the quickest files and the rest: the first find most mutants, and are there soon."""
    files: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        files[test.split("::")[0]].append(test)
    cost = {file: sum(seconds[test] for test in some) for file, some in files.items()}
    first, spent = set[str](), 0.0
    for file in sorted(files, key=lambda file: cost[file]):
        spent += cost[file]
        if first and spent > FIRST_SECONDS:
            break
        first.add(file)
    parts = [[test for test in tests if (test.split("::")[0] in first) is early] for early in (True, False)]
    return [part for part in parts if part]


def try_mutant(mutant: Mutant, tests: list[str], seconds: dict[str, float], copy: Path) -> bool:
    """Return whether a test notices a mutant."""
    path = copy / mutant.module
    original = path.read_text(encoding="utf-8")
    path.write_text(mutant.source, encoding="utf-8")
    shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
    try:
        for part in stages(tests, seconds):
            files = list(dict.fromkeys(test.split("::")[0] for test in part))
            cpu = 15 + 3 * sum(seconds[test] for test in part)
            if in_fork(lambda: run_tests(files, Plan(part)), cpu=cpu, log=copy / "log") != 0:  # noqa: B023
                return True
        return False
    finally:
        path.write_text(original, encoding="utf-8")
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)


def main() -> int:
    """Try mutants of the rooms that are asked for, and print the share that was killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), help="a room, or one module: scoring scoring/macro.py")
    parser.add_argument("-n", type=int, default=40, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0, help="leave out the first of the sample: tried before")
    parser.add_argument("--seconds", type=float, default=math.inf, help="try the quickest tests only, for a first look")
    parser.add_argument("--check", action="store_true", help="first run all tests of the room in forks, unchanged")
    given = parser.parse_args()
    for name in LIBRARIES:
        __import__(name)
    gc.freeze()  # no fork need look through all these
    with tempfile.TemporaryDirectory(prefix="macrof1-mutants-") as folder:
        copy = Path(folder).resolve() / "project"
        shutil.copytree(
            ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", "node_modules", "build")
        )
        os.chdir(copy)
        sys.path[:] = [str(copy / "src"), str(copy), *(p for p in sys.path if p != str(ROOT / "src"))]
        os.environ["PYTHONPATH"] = str(copy / "src")
        for name in given.rooms:
            room, _, only = name.partition("/")
            lines, seconds = baseline(room, ROOT / "build/mutants")
            if given.check:
                check_order(room, seconds)
            mutants, total = draw(copy / "src/macrof1" / room, only, given.n, given.seed)
            killed = equivalent = 0
            for mutant in mutants[given.skip :]:
                tests = tests_for(mutant, lines, seconds, given.seconds)
                if try_mutant(mutant, tests, seconds, copy):
                    killed += 1
                elif reason := EQUIVALENT.get(mutant.after) or ("speed" if mutant.code in SPEED else None):
                    equivalent += 1
                    print(f"equivalent ({reason}): {mutant.module}:{mutant.line}: {mutant.after}", flush=True)
                else:
                    print(f"{mutant.module}:{mutant.line}: {len(tests)} tests\n  - {mutant.before}\n  + {mutant.after}")
                    sys.stdout.flush()
            tried = len(mutants) - given.skip - equivalent
            print(f"{name}: {killed} of {tried} killed, {equivalent} equivalent, {total:,} places, seed {given.seed}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
