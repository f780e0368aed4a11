"""Recorded intervals, comparisons and plans of small data of every kind.

Other tests check them against theory and simulations; this file records them all, so that no change goes unnoticed. To
update tests/golden/samples.jsonl and review the diff: MACROF1_UPDATE_GOLDEN=1 pytest tests/sampling/test_recorded.py
"""

import json
import os

import pytest

import macrof1

from ..conftest import ROOT

GOLDEN = ROOT / "tests" / "golden" / "samples.jsonl"
LINES = GOLDEN.read_text(encoding="utf-8").splitlines()
KNOWN = {name: kept for line in LINES for name, kept in json.loads(line).items()}
NUMBERS = [(37 * row * row + 11 * row + 5) % 101 for row in range(60)]
WEIGHTS, CLUSTERS = [1 + number % 4 / 2 for number in NUMBERS], [number % 9 for number in NUMBERS]
WORDS = ("notes", "null_hypothesis", "signature", "confidence_level", "n_resamples", "places")
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
}  # fmt: skip


def drawn(names="abcd", sets=False, rates=(30, 45, 36), **options):
    """Return gold labels, systems that are wrong at these rates in percent, and what is asked for."""
    gold = [names[number % 7 % len(names)] for number in NUMBERS]
    if options.get("outside"):
        options["labels"] = [*"abc"]
        gold = [label if label != "d" else "a" for label in gold]
    systems = {}
    for at, rate in enumerate(rates):
        other = [names[(number + 3 + 7 * at) % len(names)] for number in NUMBERS]
        wrong = [(number * 13 + 3 + 7 * at) % 101 < rate for number in NUMBERS]
        systems[f"s{at}"] = [b if is_wrong else a for a, b, is_wrong in zip(gold, other, wrong, strict=True)]
    if sets:
        also = [{names[number % 3]} - {names[0]} for number in NUMBERS]
        gold, *found = ([{a} | b for a, b in zip(side, also, strict=True)] for side in (gold, *systems.values()))
        systems = dict(zip(systems, found, strict=True))
    return gold, systems, options


def tried(call, *arguments, **options):
    """Return a result without its words, or the kind of error."""
    try:
        found = call(*arguments, **options).to_dict()
    except macrof1.MacroF1Error as error:
        return type(error).__name__
    return {key: value for key, value in found.items() if key not in WORDS}


def samples(gold, systems, options):
    found, few = {}, {"n_resamples": 100}
    result = macrof1.score(gold, systems["s0"], **options)
    classes = sorted(set(gold)) if isinstance(gold[0], str) else "ab"
    total = len(classes) * (len(classes) + 1) // 2
    shares = {label: place / total for place, label in enumerate(classes, 1)}
    for of in ("averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall", "f1"):
        asked = {"of": of, "confidence_level": 0.9 if "a" in of[3:] else 0.95} | ({"label": "b"} if of == "f1" else {})
        for method in (None, "combined", "delta", "bootstrap"):
            found[f"{of}, {method}"] = tried(result.interval, method=method, **few, **asked)
        found[f"{of}, elsewhere"] = tried(lambda asked=asked: result.at_prevalence(shares).interval(**asked))
    found["systems"] = tried(macrof1.compare, gold, systems, method="bootstrap", **few, **options)
    *most, last = systems.values()
    runs = {"x": most, "y": [last, *most[:1]]}
    found["runs"] = tried(macrof1.compare, gold, runs, method="delta", baseline="y", equivalent=0.1, **few, **options)
    for names in (["s0"], [*systems][:2]) if "over" not in options else ():  # plans are about rows
        pilot = {name: systems[name] for name in names}
        for paired in (True, False):
            found[f"{names}, {paired}"] = tried(macrof1.plan, gold, pilot, difference=0.05, paired=paired, **options)
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
    assert [key for key in found if not same(found[key], KNOWN[name].get(key))] == []
