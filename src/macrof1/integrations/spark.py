"""Both macro F1s as a Spark ML evaluator, for ``CrossValidator`` and ``TrainValidationSplit``.

Needs the extra ``spark``. The cluster groups and counts label pairs; only the cells reach the driver.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from macrof1.convention import FORMULAS, ClassSet, Formula, Undefined, checked_beta, checked_formula
from macrof1.counting.confusion import Confusion
from macrof1.counts import ClassCounts
from macrof1.errors import ColumnError, ConventionError, CountError, MissingExtraError, MissingLabelError
from macrof1.integrations import checked_rules
from macrof1.scoring.score_result import ScoreResult, score_counts

try:
    from pyspark.ml.evaluation import Evaluator
    from pyspark.ml.param import Param, Params
    from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasWeightCol
    from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
except ImportError as missing:
    raise MissingExtraError.needed(package="pyspark", extra="spark", purpose="macrof1.integrations.spark") from missing


def _classes(value: object) -> str:
    if value not in ("union", "gold"):
        raise ConventionError.unknown_value("classes", value, ("union", "gold"))
    return str(value)


def _undefined(value: Any) -> int:
    checked_rules(classes="union", undefined=value, beta=1.0)
    return int(value)


class MacroF1Evaluator(
    Evaluator, HasLabelCol, HasPredictionCol, HasWeightCol, DefaultParamsReadable, DefaultParamsWritable
):
    """Evaluate a data frame of predictions by averaged F1 or F1 of averages; larger is better.

    Parameters
    ----------
    formula
        ``"averaged_f1"`` (the recommended one) or ``"f1_of_averages"``.
    labelCol, predictionCol
        Columns of gold and predicted labels: numbers (compared as doubles, as Spark ML does) or strings.
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
        return self._scored(self._counted(dataset).collect())

    def _counted(self, dataset: Any, *by: str) -> Any:
        """Group by label pairs (and other columns), the only work that depends on the number of rows."""
        from pyspark.sql import functions as F
        from pyspark.sql.types import BooleanType, NumericType

        gold, pred, weight = self.getLabelCol(), self.getPredictionCol(), self._weight()
        for name in (gold, pred, *([weight] if weight else [])):
            if name not in dataset.columns:
                raise ColumnError.not_found(name, columns=dataset.columns, source="the data frame")
        amount = F.lit(1) if weight is None else F.col(f"`{weight}`").cast("double")
        g, p = F.col(f"`{gold}`"), F.col(f"`{pred}`")
        if all(isinstance(dataset.schema[name].dataType, (NumericType, BooleanType)) for name in (gold, pred)):
            g, p = g.cast("double"), p.cast("double")
        return (
            dataset.select(*by, g.alias("g"), p.alias("p"), amount.alias("w"))
            .groupBy(*by, "g", "p")
            .agg(F.sum("w").alias("amount"), F.min("w").alias("least"), F.count("w").alias("known"),
                 F.count("*").alias("rows"))
        )  # fmt: skip

    def _scored(self, rows: Sequence[Any]) -> ScoreResult:
        if not rows:
            warnings.warn(
                "the data frame has no rows, so that both macro F1s are 0 by convention: check the split that made it",
                UserWarning,
                stacklevel=3,
            )
            return score_counts(ClassCounts.of([0.0], tp=[0], predicted=[0], actual=[0], n_rows=0))
        total = sum(row["rows"] for row in rows)
        lacking = sum(row["rows"] for row in rows if _is_missing(row["g"]) or _is_missing(row["p"]))
        if lacking:
            where = f"columns {self.getLabelCol()} and {self.getPredictionCol()}"
            raise MissingLabelError.found(rows=lacking, total=total, where=where)
        # A sum would hide a null, or a negative weight among larger positive ones.
        if any(row["known"] < row["rows"] or row["least"] < 0 for row in rows):
            problem = f"column {self._weight()!r} holds null or negative weights"
            raise CountError(problem, expected="numbers, 0 or larger")
        cells = ((row["g"], row["p"], row["amount"]) for row in rows)
        rules = {name: self.getOrDefault(name) for name in ("classes", "undefined", "beta")}
        return score_counts(Confusion.from_cells(cells, n_rows=total, weighted=self._weight() is not None), **rules)

    def _weight(self) -> str | None:
        return self.getWeightCol() if self.isDefined(self.weightCol) and self.getWeightCol() else None

    def _evaluate(self, dataset: Any) -> float:
        value: float = getattr(self.result(dataset), self.getOrDefault(self.formula))
        return value


def _is_missing(label: object) -> bool:
    return label is None or label != label
