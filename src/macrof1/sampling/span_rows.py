"""Sentences with entities as patterns: a sentence is one draw, with all its entities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.spans import SpanPairs, Spans
from macrof1.counts import ClassCounts
from macrof1.sampling.patterns import LabelIncidence, Patterns


@dataclass(frozen=True, slots=True, eq=False)
class SpanRows:
    """The entities behind the counts; resampling draws sentences."""

    pairs: SpanPairs
    counts: ClassCounts

    def patterns(self) -> Patterns:
        """Return one pattern per sentence."""
        place = {label: at for at, label in enumerate(self.counts.labels)}
        order = np.array([place[kind] for kind in self.pairs.types], np.int64)
        gold, _ = _incidence(self.pairs.gold, order)
        pred, by_sentence = _incidence(self.pairs.pred, order)
        return Patterns(
            labels=self.counts.labels,
            amounts=np.ones(self.pairs.n_sentences, np.int64),
            gold=gold,
            systems=(pred,),
            hits=(self.pairs.hit[by_sentence],),
            n_listed=self.counts.n_listed,
            task="multilabel",
        )


def _incidence(spans: Spans, order: NDArray[np.int64]) -> tuple[LabelIncidence, NDArray[np.int64]]:
    sentence = spans.sentence
    by_sentence = np.argsort(sentence, kind="stable")
    return LabelIncidence(sentence[by_sentence], order[spans.kind[by_sentence]]), by_sentence
