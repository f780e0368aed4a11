"""`mf1 plan`: how many test rows it takes to detect a difference."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from macrof1.cli.options import (
    Beta,
    Classes,
    Cluster,
    Format,
    GoldOptions,
    Labels,
    SeveralLabels,
    Weight,
    names_of,
)
from macrof1.cli.printing import print_result
from macrof1.errors import InputError


def plan(
    file: Annotated[str | None, "A pilot: a file with gold and the predictions of one or two systems."] = None,
    /,
    *,
    difference: Annotated[float | None, "The true difference to detect: 0.01 is one point."] = None,
    power: Annotated[float, "The probability of detecting it."] = 0.8,
    paired: Annotated[bool, "Whether both systems will be run on the same rows."] = True,
    reading: GoldOptions,
    systems: Annotated[str | None, "Columns of one or two systems: a,b. Default: all but gold and ids."] = None,
    weight: Weight = None,
    cluster: Cluster = None,
    labels: Labels = None,
    multilabel: SeveralLabels = None,
    classes: Classes = "union",
    beta: Beta = 1.0,
    confidence_level: Annotated[float, "A difference is detected if p is at most 1 minus this."] = 0.95,
    format: Format = "text",
) -> None:
    """Compute how many test rows it takes to detect a difference between two systems.

    - `mf1 plan pilot.csv --difference 0.01`
    - `mf1 plan pilot.csv --difference 0.02 --systems a,b --power 0.9`
    - `mf1 plan pilot.csv --difference 0.01 --no-paired --cluster document`
    """
    from macrof1.comparing.inputs import Inputs, read_pilot
    from macrof1.reporting.plans import render_plan
    from macrof1.sampling.planning import plan as planned

    if file is None or difference is None:
        raise InputError(
            f"{'no file' if file is None else 'no --difference'} given",
            argument="file" if file is None else "difference",
            expected="a pilot file and the difference to detect, as in mf1 plan pilot.csv --difference 0.01",
        )
    inputs = Inputs(
        files=[file],
        **asdict(reading),
        systems=names_of(systems),
        weight=weight,
        cluster=cluster,
        labels=names_of(labels),
        multilabel=multilabel,
    )
    pilot = read_pilot(inputs)
    result = planned(
        **pilot,
        difference=difference,
        power=power,
        paired=paired,
        confidence_level=confidence_level,
        classes=classes,
        beta=beta,
    )
    print_result(render_plan(result, format), format, result.notes)
