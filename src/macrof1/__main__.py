"""Run `mf1` as ``python -m macrof1``."""

import sys

from macrof1.cli import main

sys.exit(main())
