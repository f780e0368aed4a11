"""The command `mf1`.

The paper's own program is tried first and loads only what it needs; any other call loads one command and its imports.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from macrof1.cli.streams import close_quietly, option, prepare, quiet_interrupts, say, say_what_was_kept
from macrof1.errors import MacroF1Error
from macrof1.message import spelled


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `mf1` and return its exit code: 0 success, 1 a gate not met, 2 invalid input, 3 a bug in mf1."""
    if arguments is None:
        # Without this, NumPy starts idle threads as it is imported: more processor time than most commands need.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        prepare()
        with spelled(option), quiet_interrupts():
            if given and given[0].lstrip("+-")[:1].isdecimal():
                from macrof1.paper.program import run

                print("\n".join(run(given)))
                code = 0
            else:
                from macrof1.cli.commands import run_app

                code = run_app(given)
        sys.stdout.flush()
        say_what_was_kept()
    except MacroF1Error as error:
        say(error.worded(option))
        return 2
    except BrokenPipeError:
        # The reader closed the pipe; keep Python from complaining at exit.
        close_quietly()
        return 0
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        if error.filename is None:
            close_quietly()
            reason = f"cannot write to standard output: {reason}"
        say(f"{error.filename}: {reason}" if error.filename else reason)
        return 2
    except MemoryError:
        say("not enough memory for this")
        return 2
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    except Exception:  # noqa: BLE001  # a bug in mf1: show the whole traceback
        import traceback

        traceback.print_exc()
        say("this is a bug in mf1, not in your input: please report it with the lines above")
        return 3
    return code
