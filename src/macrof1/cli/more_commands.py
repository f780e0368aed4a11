"""The commands that score nothing: the explorer, the paper's experiments, how to cite, completion."""

from __future__ import annotations

from pathlib import Path

from macrof1.cli.parsing import Given
from macrof1.cli.printing import progress_bar
from macrof1.errors import InputError, counted

_SHELLS = ("bash", "zsh", "fish")
_BIBTEX = """\
@misc{{opitz2019macrof1,
  title         = {{Macro {{F1}} and Macro {{F1}}}},
  author        = {{Opitz, Juri and Burst, Sebastian}},
  year          = {{2019}},
  eprint        = {{1911.03347}},
  archivePrefix = {{arXiv}},
  primaryClass  = {{cs.LG}}
}}

@software{{macrof1,
  title   = {{macrof1: both macro {{F1}} scores, always named}},
  author  = {{{{The macrof1 developers}}}},
  version = {{{version}}},
  year    = {{2026}}
}}"""


def explore(given: Given) -> None:
    """Open the explorer: a local page where you edit a confusion matrix and watch both macro F1s."""
    own, docs, export = None, given["docs"], given["export"]
    if given.words:
        from macrof1.web.front_door import own_answer

        own = own_answer(given.words, rows=given["rows"])
    if export is None:
        from macrof1.web.serve import serve

        where = {name: given[name] for name in ("host", "port", "browser", "public_url")}
        serve(**where, own=own, docs=docs)
        return
    from macrof1.web.export import export_site

    size = export_site(Path(export), pyodide=Path(given["pyodide"]), own=own, url=given["url"], docs=docs)
    print(f"{export}: {size / 1e6:.1f} MB of static files; serve the folder with any web server")


def reproduce(given: Given) -> None:
    """Run the paper's experiments and checks again, and write a report with all figures and numbers."""
    from macrof1.paper.claims import VERDICT_WORDS
    from macrof1.paper.reproduction import reproduce as reproduce_paper

    settings = {name: given[name] for name in ("only", "seeds", "seed", "quick", "force")}
    with progress_bar("reproducing") as progress:
        result = reproduce_paper(given["out"], **settings, progress=progress)
    found = result.claims
    print(f"{counted(len(found), 'claim')} checked:" if found else "No claims to check in the parts that ran.")
    for verdict, words in VERDICT_WORDS.items():
        names = [claim.name for claim in found if claim.verdict == verdict]
        if names:
            print(f"  {len(names):>3} {words}")
        if verdict in ("outside", "false"):
            print(*(f"        {name}\n" for name in names), sep="", end="")
    print(f"Report: {result.folder / 'report.html'}")


def cite(_: Given) -> None:
    """Print BibTeX entries for the paper and for this software."""
    from macrof1 import __version__

    print(_BIBTEX.format(version=__version__))


def completion(given: Given) -> None:
    """Print a completion script for your shell.

    For bash: `mf1 completion bash > ~/.local/share/bash-completion/completions/mf1`, then a new shell.
    """
    from macrof1.cli.commands import COMMANDS
    from macrof1.cli.help import completion_script

    shell = given.words[0]
    if shell not in _SHELLS:
        raise InputError(f"SHELL {shell!r} is not valid", expected=f"one of {', '.join(_SHELLS)}")
    print(completion_script(shell, list(COMMANDS)))
