"""Try all kinds in turn until the time is over; print what was tried by kind, and what was found."""

import argparse
import sys
import time
import traceback
import warnings

from hypothesis import HealthCheck, Phase, given, seed, settings

from . import bodies, commands, files, labels, mistaken  # noqa: F401  # they register their kinds
from .kinds import KINDS

EXAMPLES = 40


def attempt(kind, number, examples=EXAMPLES):
    """Try some cases of a kind; return what was found, in words."""

    @seed(number)
    @settings(
        max_examples=examples, database=None, deadline=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink], print_blob=False,
    )  # fmt: skip
    @given(kind.cases)
    def cases(case):
        kind.outcomes[kind.check(case)] += 1

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cases()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        notes = "\n".join(getattr(error, "__notes__", []))
        return (
            f"{kind.name}: {''.join(traceback.format_exception_only(error))}{notes}\n{traceback.format_exc(limit=-3)}"
        )
    return None


def main():
    """Fuzz for some seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    kinds = [kind for kind in KINDS if arguments.only in kind.name]
    end, found, rounds = time.monotonic() + arguments.seconds, [], 0
    while time.monotonic() < end and kinds:
        for kind in list(kinds):
            problem = attempt(kind, 1000 * arguments.seed + rounds)
            if problem is not None:
                # One finding of a kind is enough to mend first.
                found.append(problem)
                print(f"{problem}\n", flush=True)
                kinds.remove(kind)
            if time.monotonic() > end:
                break
        rounds += 1
    for kind in KINDS:
        shown = ", ".join(f"{n:,} {outcome}" for outcome, n in sorted(kind.outcomes.items()))
        print(f"{kind.name:<30} {sum(kind.outcomes.values()):>7,}   {shown}")
    total = sum(sum(kind.outcomes.values()) for kind in KINDS)
    tried = sum(bool(kind.outcomes) for kind in KINDS)
    print(f"{total:,} cases of {tried} kinds, seed {arguments.seed}, {rounds:,} rounds: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
