"""Print the lowest declared version of every dependency: ``pip install $(python scripts/lowest_versions.py)``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path


def main() -> None:
    """Read the dependencies of the core from pyproject.toml."""
    content = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    for dependency in content["project"]["dependencies"]:
        name, floor = re.fullmatch(r"([\w.-]+)>=([\d.]+)", dependency).groups()
        print(f"{name}=={floor}")


if __name__ == "__main__":
    main()
