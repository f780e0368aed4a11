"""Recorded intervals, comparisons and plans of small data of every kind.

Other tests check them against theory and simulations; this file records them all, so that no change goes unnoticed. To
update tests/golden/samples.jsonl and review the diff: MACROF1_UPDATE_GOLDEN=1 pytest tests/sampling/test_recorded.py
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
LINES = GOLDEN.read_text(encoding="utf-8").splitlines()
KNOWN = {name: kept for line in LINES for name, kept in json.loads(line).items()}
MOST = [(37 * row * row + 11 * row + 5) % 101 for row in range(6000)]
NUMBERS = MOST[:60]
WEIGHTS, CLUSTERS = [1 + number % 4 / 2 for number in NUMBERS], [number % 9 for number in NUMBERS]
UNEVEN, TENTHS = [1 + 999 * (row == 7) for row in range(60)], [(1 + number % 7) / 10 for number in NUMBERS]
WORDS = ("null_hypothesis", "signature", "confidence_level", "n_resamples", "places")
MANY, FEW = ([number % n for number in NUMBERS] for n in (30, 5))
DATA = {
    "rows": {}, "many classes": {"names": "abcdefg"}, "two classes": {"names": "ab", "rates": (10, 20, 12)},
    "nearly right": {"rates": (2, 4, 3)}, "all right": {"rates": (0, 20, 10)}, "listed": {"labels": [*"abcdx"]},
    "gold": {"names": "abcdef", "classes": "gold"}, "seen": {"names": "abcdefg", "classes": "seen"},
    "ones": {"undefined": 1, "labels": [*"abcdxy"]}, "beta": {"beta": 2.0}, "excluded": {"exclude": ["a"]},
    "weights": {"sample_weight": WEIGHTS}, "clusters": {"cluster": CLUSTERS}, "outside": {"outside": "drop"},
    "both": {"sample_weight": WEIGHTS, "cluster": CLUSTERS, "beta": 0.5}, "sets": {"sets": True},
    "sets and weights": {"sets": True, "sample_weight": WEIGHTS}, "one system": {"rates": (30,)},
    "sets and clusters": {"sets": True, "cluster": CLUSTERS}, "units": {"over": MANY, "positive": "a"},
    "sets as units": {"sets": True, "over": "rows", "empty": "drop"},
    "weighted units": {"over": MANY, "exclude": ["a"], "sample_weight": WEIGHTS},
    "small weights": {"sample_weight": [weight / 40 for weight in WEIGHTS]},
    "few units": {"over": FEW, "positive": "b", "beta": 2.0},
    "clusters of units": {"over": MANY, "positive": "a", "cluster": [place % 8 for place in MANY]},
    "few rows": {"n": 14}, "hardly any rows": {"n": 5, "names": "abc", "rates": (60, 30)},
    "rare classes": {"names": "aaaaabc"}, "rare classes as ones": {"names": "aaaaabc", "undefined": 1, "beta": 0.5},
    "some hundred rows": {"n": 606, "names": "aaabc"}, "thousands of rows": {"n": 6000, "names": "ab"},
    "hardly an error": {"n": 1010, "rates": (1, 2, 20)}, "one class": {"names": "aa", "rates": (30, 60)},
    "one of two": {"names": "ab", "labels": ["b"]}, "leaning": {"rates": (30, 50, 70), "lean": True},
    "leaning far": {"n": 303, "rates": (40, 60, 80), "lean": True},
    "only one answer": {"rates": (101, 90), "lean": True},
    "leaning with weights": {"sample_weight": WEIGHTS, "rates": (40, 70), "lean": True, "beta": 2.0},
    "leaning clusters": {"cluster": CLUSTERS, "rates": (40, 70), "lean": True, "undefined": 1},
    "tenths": {"n": 12, "sample_weight": TENTHS[:12]}, "uneven weights": {"sample_weight": UNEVEN},
    "weight 0": {"sample_weight": [number % 3 for number in NUMBERS], "cluster": CLUSTERS},
    "two clusters": {"cluster": [number % 2 for number in NUMBERS]}, "lost": {"lost": True, "missing": "drop"},
    "lost in clusters": {"lost": True, "missing": "drop", "cluster": CLUSTERS, "sample_weight": WEIGHTS},
    "outside as wrong": {"outside": "wrong"}, "outside as a class": {"outside": "class"},
    "outside and weights": {"outside": "drop", "sample_weight": WEIGHTS, "cluster": CLUSTERS},
    "spelling": {"names": "abAC", "normalize": "case"}, "gold classes of two": {"names": "abc", "classes": "gold"},
    "few sets": {"sets": True, "n": 9, "undefined": 1},
    "sets of listed": {"sets": True, "labels": [*"abcdx"], "beta": 2.0},
    "sets in other letters": {"sets": True, "names": "abAC", "normalize": "case", "labels": [*"abcx"]},
    "two units": {"over": [number % 2 for number in NUMBERS], "positive": "a"},
    "uneven units": {"sets": True, "over": "rows", "sample_weight": UNEVEN},
    "units right": {"over": MANY, "positive": "a", "rates": (0, 4)},
    "gold units": {"over": MANY, "positive": "a", "classes": "gold"},
    "seen units": {"over": MANY, "positive": "c", "classes": "seen", "undefined": 1},
}  # fmt: skip


def drawn(names="abcd", sets=False, rates=(30, 45, 36), n=60, lean=False, lost=False, **options):
    """Return gold labels, systems that are wrong at these rates in percent, and what is asked for."""
    numbers = MOST[:n]
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
    return found == (pytest.approx(known, rel=1e-7, abs=1e-8) if isinstance(known, float) else known)


@pytest.mark.parametrize("name", DATA)
def test_what_samples_say_is_what_they_said(name):
    found = samples(*drawn(**DATA[name]))
    if os.environ.get("MACROF1_UPDATE_GOLDEN") == "1":  # in one process
        KNOWN[name] = found
        lines = [json.dumps({each: kept}) for each, kept in KNOWN.items()]
        GOLDEN.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    assert found.keys() == KNOWN[name].keys()
    assert [key for key in found if not same(found[key], KNOWN[name][key])] == []
