"""Benchmark counting entities in a million tokens against seqeval, in one run: CPU time, best of a few tries each.

python benchmarks/spans.py
"""

from __future__ import annotations

import time
import warnings

import numpy as np
import seqeval.metrics
from seqeval.scheme import IOB2

from macrof1.counting.spans import count_spans

TYPES = ["PER", "LOC", "ORG", "MISC"]


def sentences(n_tokens, rng):
    """Draw IOB2 sentences, a fifth of the tokens in entities, as in CoNLL-2003, and predictions that are 95% right."""
    tags = ["O", *(f"{letter}-{kind}" for kind in TYPES for letter in "BI")]
    gold, n = [], 0
    while n < n_tokens:
        sentence = []
        for _ in range(rng.integers(1, 4)):
            sentence += ["O"] * int(rng.integers(2, 12))
            kind = rng.choice(TYPES)
            sentence += [f"B-{kind}", *([f"I-{kind}"] * int(rng.integers(0, 3)))]
        gold.append(sentence)
        n += len(sentence)
    wrong = rng.random(n) < 0.05
    drawn = rng.integers(len(tags), size=n)
    pred, at = [], 0
    for sentence in gold:
        pred.append([tags[drawn[at + i]] if wrong[at + i] else tag for i, tag in enumerate(sentence)])
        at += len(sentence)
    return gold, pred


def best(function, tries):
    """Return the least CPU time of a few tries, and the result."""
    times = []
    for _ in range(tries):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
    return min(times), result


def main():
    warnings.simplefilter("ignore")
    gold, pred = sentences(1_000_000, np.random.default_rng(0))
    print(f"{sum(map(len, gold)):,} tokens, {len(gold):,} sentences")
    for mode, options in (("conll", {}), ("strict", {"mode": "strict", "scheme": IOB2})):
        ours, counts = best(lambda mode=mode: count_spans(gold, pred, mode=mode), 5)
        theirs, f1 = best(lambda options=options: seqeval.metrics.f1_score(gold, pred, average="macro", **options), 2)
        scores = [2 * tp / (p + g) for tp, p, g in zip(counts.tp, counts.predicted, counts.actual, strict=True)]
        assert abs(sum(scores) / len(scores) - f1) < 1e-12
        print(f"{mode:7} macrof1 {1000 * ours:6.0f} ms   seqeval {1000 * theirs:6.0f} ms   {theirs / ours:.1f} x")


if __name__ == "__main__":
    main()
