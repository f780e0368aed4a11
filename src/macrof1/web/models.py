"""What the page may send: checked at the boundary, so that the library only sees what it was made for."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from macrof1.web.limits import MOST_CLASSES

_LONGEST_NAME = 200

Name = Annotated[str, Field(max_length=_LONGEST_NAME)]
Cell = Annotated[int | float, Field(ge=0, allow_inf_nan=False)]
Printed = Annotated[str, Field(max_length=40)]
RowsAre = Literal["predicted", "gold"]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ErrorAnswer(BaseModel):
    """What went wrong, in one line."""

    error: str


class MatrixRequest(_Request):
    """A confusion matrix and the convention to score it with."""

    labels: list[Name] = Field(min_length=1, max_length=MOST_CLASSES)
    matrix: list[list[Cell]] = Field(min_length=1, max_length=MOST_CLASSES)
    rows: RowsAre = "predicted"
    beta: float = Field(default=1.0, ge=0, le=1000, allow_inf_nan=False)
    undefined: Literal[0, 1] = 0

    @model_validator(mode="before")
    @classmethod
    def _few_enough(cls, data: Any) -> Any:
        """Refuse too many classes before every cell is looked at."""
        if isinstance(data, dict):
            for name in ("labels", "matrix"):
                given = data.get(name)
                if isinstance(given, list) and len(given) > MOST_CLASSES:
                    message = f"{len(given):,} classes: expected at most {MOST_CLASSES}; mf1 score takes more"
                    raise ValueError(message)
        return data

    @model_validator(mode="after")
    def _square(self) -> Self:
        sizes = {len(row) for row in self.matrix} | {len(self.matrix), len(self.labels)}
        if len(sizes) > 1:
            message = (
                f"{len(self.labels)} labels and {len(self.matrix)} rows of {min(map(len, self.matrix))} to "
                f"{max(map(len, self.matrix))} cells: expected a square matrix with one label per class"
            )
            raise ValueError(message)
        return self


class Dropped(_Request):
    """A table that was pasted or dropped: its text, or in base64 the bytes of a file that is no text."""

    text: str = ""
    data: str = ""
    name: Name = "pasted text"


class ReadRequest(Dropped):
    """A confusion matrix, or predictions to be counted."""

    rows: RowsAre = "predicted"


class CompareRequest(Dropped):
    """A table with several systems, and how to read it where the names of its columns do not tell."""

    gold: Name = ""
    systems: Annotated[str, Field(max_length=20_000)] = ""
    by: Name = ""
    weight: Name = ""
    test: Literal["delta", "bootstrap"] = "delta"


class ClassFigures(_Request):
    """What was printed for one class; empty where nothing was."""

    label: Name
    precision: Printed = ""
    recall: Printed = ""
    f1: Printed = ""
    support: Printed = ""


class AuditRequest(_Request):
    """What a paper printed, as text: trailing zeros count."""

    precision: Printed = ""
    recall: Printed = ""
    f1: Printed = ""
    accuracy: Printed = ""
    correct: Printed = ""
    total: Printed = ""
    n_classes: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    per_class: list[ClassFigures] = Field(default=[], max_length=20)
    percent: bool | None = None
    rounding: Literal["round", "truncate", "unknown"] = "round"
    task: Literal["multiclass", "multilabel"] = "multiclass"


class TableRequest(Dropped):
    """A leaderboard."""

    support: Annotated[str, Field(max_length=2000)] = ""
    columns: Annotated[str, Field(max_length=2000)] = ""
    rounding: Literal["round", "truncate", "unknown"] = "round"
