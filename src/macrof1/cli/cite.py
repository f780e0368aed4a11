"""`mf1 cite`: how to cite the paper and the software."""

from __future__ import annotations

from macrof1 import __version__
from macrof1.cli.parsing import Given

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


def cite(_: Given) -> None:
    """Print BibTeX entries for the paper and for this software."""
    print(_BIBTEX.format(version=__version__))
