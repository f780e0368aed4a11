"""Both macro F1s for the library `evaluate`: loaded by its path, copied by it, and run on its own.

::

    import evaluate
    from macrof1.integrations.huggingface import EVALUATE_MODULE

    evaluate.load(EVALUATE_MODULE).compute(predictions=[0, 1, 1], references=[0, 0, 1])
"""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

import macrof1

_DESCRIPTION = """Averaged F1 (the mean of the per-class F1 scores) and F1 of averages (the harmonic mean of macro
precision and macro recall): both are called macro F1, and they differ."""
_ARGUMENTS = """
Args:
    predictions: predicted labels; lists of labels for several labels per row (config "multilabel").
    references: gold labels.
    labels, sample_weight, undefined, …: as in macrof1.score.
    average: not an option: both averages are returned, by name.
Returns:
    averaged_f1, f1_of_averages, gap, macro_precision, macro_recall, and the signature of averaged_f1.
"""
_CITATION = """@article{opitz2019macro, title={Macro F1 and Macro F1}, author={Opitz, Juri and Burst, Sebastian},
journal={arXiv preprint arXiv:1911.03347}, year={2019}}"""


class MacroF1(evaluate.Metric):
    """Both macro F1s."""

    def _info(self) -> Any:
        kind = datasets.Value("string") if self.config_name == "text" else datasets.Value("int64")
        if self.config_name == "multilabel":
            kind = datasets.Sequence(kind)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_ARGUMENTS,
            features=datasets.Features({"predictions": kind, "references": kind}),
            reference_urls=["https://arxiv.org/abs/1911.03347"],
        )

    def _compute(self, predictions: Any, references: Any, average: object = None, **options: Any) -> dict[str, Any]:
        if average is not None:
            by_name = "no average: averaged_f1 and f1_of_averages are returned, by name"
            raise macrof1.InputError(f"average={average!r}", expected=by_name)
        sides = [references, predictions]
        if self.config_name == "multilabel":
            sides = [[set(row) for row in side] for side in sides]
        result = macrof1.score(*sides, **options)
        return {**result.metrics(), "signature": result.signature("averaged_f1")}
