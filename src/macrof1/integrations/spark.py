"""Both macro F1s as a Spark ML evaluator, for ``CrossValidator`` and ``TrainValidationSplit``.

Needs the extra ``spark``. The cluster groups and counts label pairs; only the cells reach the driver.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from macrof1.convention import FORMULAS, ClassSet, Formula, Undefined, checked_beta, checked_formula
from macrof1.errors import ConventionError, EmptyError, MissingExtraError
from macrof1.integrations import score_of_nothing
from macrof1.running.calls import score_frame
from macrof1.scoring.score_result import ScoreResult

try:
    from pyspark.ml.evaluation import Evaluator
    from pyspark.ml.param import Param, Params
    from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasWeightCol
    from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
except ImportError as missing:
    raise MissingExtraError.needed(package="pyspark", extra="spark", purpose=__name__) from missing


_classes = partial(ConventionError.one_of, "classes", known=("union", "gold"))
_undefined = partial(ConventionError.one_of, "undefined", known=(0, 1))


class MacroF1Evaluator(
    Evaluator, HasLabelCol, HasPredictionCol, HasWeightCol, DefaultParamsReadable, DefaultParamsWritable
):
    """Evaluate a data frame of predictions by averaged F1 or F1 of averages; larger is better.

    Parameters
    ----------
    formula
        ``"averaged_f1"`` (the recommended one) or ``"f1_of_averages"``.
    labelCol, predictionCol
        Columns of gold and predicted labels: whole numbers of any type (1 and 1.0 are one label) or strings.
    weightCol
        A column of non-negative weights, if any.
    beta, classes, undefined
        As in `macrof1.score`.

    Notes
    -----
    `result` returns the full `ScoreResult`: both scores, the gap, and per-class scores. Spark's own evaluator offers
    support-weighted F1 and per-label F1, but no macro F1.
    """

    formula: Any = Param(
        Params._dummy(), "formula", f"which macro F1: {' or '.join(FORMULAS)}", typeConverter=checked_formula
    )
    beta: Any = Param(Params._dummy(), "beta", "weight of recall against precision", typeConverter=checked_beta)
    classes: Any = Param(Params._dummy(), "classes", "class set averaged over: union or gold", typeConverter=_classes)
    undefined: Any = Param(
        Params._dummy(), "undefined", "what a ratio with denominator 0 counts as: 0 or 1", typeConverter=_undefined
    )

    def __init__(
        self,
        *,
        formula: Formula = "averaged_f1",
        labelCol: str = "label",
        predictionCol: str = "prediction",
        weightCol: str | None = None,
        beta: float = 1.0,
        classes: ClassSet = "union",
        undefined: Undefined = 0,
    ) -> None:
        super().__init__()
        self._setDefault(formula="averaged_f1", beta=1.0, classes="union", undefined=0)
        # Spark wraps exceptions from its converters in its own error; checking here keeps our message intact.
        self._set(
            formula=checked_formula(formula), beta=checked_beta(beta), classes=_classes(classes),
            undefined=_undefined(undefined), labelCol=labelCol, predictionCol=predictionCol,
            **({} if weightCol is None else {"weightCol": weightCol}),
        )  # fmt: skip

    def isLargerBetter(self) -> bool:
        """Return True: larger is better."""
        return True

    def result(self, dataset: Any) -> ScoreResult:
        """Count on the cluster and return the full result."""
        rules = {name: self.getOrDefault(name) for name in ("classes", "undefined", "beta")}
        weight = self.getWeightCol() if self.isDefined(self.weightCol) and self.getWeightCol() else None
        named = {"gold": self.getLabelCol(), "pred": self.getPredictionCol(), "sample_weight": weight}
        # Narwhals would take a dot in a name for the path to a field; Spark ML takes booleans for numbers.
        plain = dataset.toDF(*(name.replace(".", "_") for name in dataset.columns))
        columns = {role: name.replace(".", "_") for role, name in named.items() if name}
        flags = [name for name, kind in plain.dtypes if kind == "boolean" and name in columns.values()]
        plain = plain.withColumns({name: plain[name].cast("double") for name in flags})
        try:
            return score_frame(plain, **columns, **rules)
        except EmptyError:
            return score_of_nothing()

    def _evaluate(self, dataset: Any) -> float:
        value: float = getattr(self.result(dataset), self.getOrDefault(self.formula))
        return value
