"""Recorded intervals, comparisons and plans of small data of every kind.

Other tests check them against theory and simulations; this file records them all, so that no change goes unnoticed.
Each line of tests/golden/samples.jsonl says what was drawn, with columns by name, and what was found. To update it and
review the diff: MACROF1_UPDATE_GOLDEN=1 pytest tests/sampling/test_recorded.py
"""

import json
import os
import re

import pytest

import macrof1
from macrof1.convention import Convention
from macrof1.counting.arrays import confusion
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import checked_random, shuffled_p

from ..conftest import ROOT

GOLDEN = ROOT / "tests" / "golden" / "samples.jsonl"
NUMBER = re.compile(r"(?<![A-Za-z\d])\d+(?:[.,]\d+)*")  # not the 1 of F1
CASES = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
MOST = [(37 * row * row + 11 * row + 5) % 101 for row in range(6000)]
NUMBERS = MOST[:60]
COLUMNS = {
    name: [number % n for number in NUMBERS] for name, n in {"halves": 2, "thirds": 3, "few": 5, "many": 30}.items()
}
COLUMNS |= {
    "weights": [1 + number % 4 / 2 for number in NUMBERS], "nines": [number % 9 for number in NUMBERS],
    "small weights": [(1 + number % 4 / 2) / 40 for number in NUMBERS],
    "eights": [number % 30 % 8 for number in NUMBERS],
    "uneven": [1 + 999 * (row == 7) for row in range(60)], "tenths": [(1 + number % 7) / 10 for number in NUMBERS],
}  # fmt: skip
WORDS = ("null_hypothesis", "signature", "confidence_level", "n_resamples", "places")


def drawn(names="abcd", sets=False, rates=(30, 45, 36), n=60, lean=False, lost=False, **options):
    """Return gold labels, systems that are wrong at these rates in percent, and what is asked for."""
    numbers = MOST[:n]
    options |= {
        key: COLUMNS[value][:n] for key, value in options.items() if isinstance(value, str) and value in COLUMNS
    }
    gold = [names[number % 7 % len(names)] for number in numbers]
    if options.get("outside"):
        options["labels"] = [*"abc"]
        gold = [label if label != "d" else "a" for label in gold]
    systems = {}
    for at, rate in enumerate(rates):
        other = [names[0 if lean else (number + 3 + 7 * at) % len(names)] for number in numbers]
        wrong = [(number * 13 + 3 + 7 * at) % 101 < rate for number in numbers]
        systems[f"s{at}"] = [b if is_wrong else a for a, b, is_wrong in zip(gold, other, wrong, strict=True)]
    if sets:
        also = [{names[number % 3]} - {names[0]} for number in numbers]
        gold, *found = ([{a} | b for a, b in zip(side, also, strict=True)] for side in (gold, *systems.values()))
        systems = dict(zip(systems, found, strict=True))
    for at, side in enumerate((gold, *systems.values()) if lost else ()):
        side[at + 5 :: 17] = [None] * len(side[at + 5 :: 17])
    return gold, systems, options


def tried(call, *arguments, **options):
    """Return a result with its notes' codes and numbers in place of words, or the kind of error."""
    try:
        result = call(*arguments, **options)
    except macrof1.MacroF1Error as error:
        return type(error).__name__
    found = {key: value for key, value in result.to_dict().items() if key not in WORDS}
    return found | {"notes": [[getattr(note, "code", ""), NUMBER.findall(str(note))] for note in result.notes]}


def samples(gold, systems, options):
    found, few = {}, {"n_resamples": 100}
    alone = not {"outside", "cluster"} <= options.keys()  # compare takes these together, and score does not
    result = macrof1.score(gold, systems["s0"], **options) if alone else None
    classes = "ab" if isinstance(gold[0], set) else sorted(set(gold) - {None})
    total = len(classes) * (len(classes) + 1) // 2
    shares = {label: place / total for place, label in enumerate(classes, 1)}
    for of in ("averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall", "f1") if alone else ():
        asked = {"of": of, "confidence_level": 0.9 if "a" in of[3:] else 0.95} | ({"label": "b"} if of == "f1" else {})
        for method in (None, "combined", "delta", "bootstrap"):
            found[f"{of}, {method}"] = tried(result.interval, method=method, **few, **asked)
        found[f"{of}, elsewhere"] = tried(lambda asked=asked: result.at_prevalence(shares).interval(**asked))
        found[f"{of}, fixed"] = tried(lambda asked=asked: result.at_prevalence(None).interval(method="delta", **asked))
    found["gap, half"] = tried(lambda: result.interval("gap", confidence_level=0.5)) if alone else None
    found["systems"] = tried(macrof1.compare, gold, systems, method="bootstrap", **few, **options)
    *most, last = systems.values()
    runs = {"x": most, "y": [last, *most[:1]]}
    found["runs"] = tried(macrof1.compare, gold, runs, baseline="y", equivalent=0.1, **few, **options)
    for names in (["s0"], [*systems][:2]) if "over" not in options else ():  # plans are about rows
        pilot = {name: systems[name] for name in names}
        for paired in (True, False):
            found[f"{names}, {paired}"] = tried(macrof1.plan, gold, pilot, difference=0.05, paired=paired, **options)
    if isinstance(gold[0], str) and not {"sample_weight", "cluster", "over", "missing"} & options.keys():
        given = {key: options[key] for key in ("classes", "undefined", "beta", "exclude") if key in options}
        counts = {name: confusion(gold, pred, labels=options.get("labels")) for name, pred in systems.items()}
        found["counts"] = tried(macrof1.compare, counts, **few, **given)
        # The last has its first half of rows, and no listed classes.
        sides = [counts["s0"], confusion(gold[: len(gold) // 2 + 1], last[: len(gold) // 2 + 1])]
        sides = [Patterns.of_cells(side) for side in sides]
        found["dealt"] = shuffled_p(*sides, Convention(**given), 100, checked_random(1))
    return json.loads(json.dumps(found), parse_float=lambda text: float(f"{float(text):.9g}"))


def same(found, known):
    if isinstance(known, dict):
        return found.keys() == known.keys() and all(same(found[key], known[key]) for key in known)
    if isinstance(known, list):
        return len(found) == len(known) and all(map(same, found, known))
    near = isinstance(known, float) and known not in (0, 1)  # an interval ends there without rounding
    return found == (pytest.approx(known, rel=1e-7, abs=1e-8) if near else known)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_samples_say_is_what_they_said(case):
    found = samples(*drawn(**case["data"]))
    if os.environ.get("MACROF1_UPDATE_GOLDEN") == "1":  # in one process
        case["found"] = found
        GOLDEN.write_text("".join(json.dumps(each) + "\n" for each in CASES), encoding="utf-8")
    assert found.keys() == case["found"].keys()
    assert [key for key in found if not same(found[key], case["found"][key])] == []
