"""Help and completion scripts, made from the commands' signatures and docstrings by cyclopts."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin

import cyclopts

from macrof1.cli.commands import COMMANDS, load
from macrof1.cli.parsing import described, flattened


def help_app() -> cyclopts.App:
    """Return an app that knows all commands and runs none."""
    app = cyclopts.App(
        name="mf1",
        help=(
            "Both macro F1s, always named: averaged F1 (the mean of the per-class F1 scores, recommended) and "
            "F1 of averages (the harmonic mean of macro precision and macro recall).\n\n"
            "`mf1 N CELL…` runs the paper's own program on N x N cells, predictions as rows: `mf1 2 100 10000 0 100`."
        ),
        help_format="markdown",
    )
    for name in COMMANDS:
        app.command(_described(load(name)), name=name)
    return app


def _described(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a stand-in whose annotations are cyclopts' own."""
    parameters = []
    for parameter in flattened(function):
        hint = parameter.annotation
        type_, extra = described(hint)
        bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        shown = {"help": extra.help, "alias": extra.alias}
        given: dict[str, Any] = {key: value for key, value in shown.items() if value}
        if type_ is not bool or parameter.name.startswith("no_"):
            given["negative"] = ""
        annotation = Annotated[bare, cyclopts.Parameter(**given)]  # type: ignore[valid-type]  # made at run time
        parameters.append(parameter.replace(annotation=annotation))

    def stand_in(*_: Any, **__: Any) -> None:
        """Never called."""

    stand_in.__doc__, stand_in.__name__ = function.__doc__, function.__name__
    stand_in.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # functions take any attribute
    stand_in.__annotations__ = {each.name: each.annotation for each in parameters}
    return stand_in
