"""Build and check the sdist and the wheel, and run `mf1 selftest` in every environment available here.

``make dist`` runs this. Every installation goes into an empty environment outside the checkout:

- the wheel, on every installed Python from 3.11 on;
- the sdist without a compiler, so that NumPy counts;
- the wheel on the lowest version of every dependency that pyproject.toml allows (with uv).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
TOOLS = ("build", "check-wheel-contents", "cffconvert", "twine", "uv")
EXTRAS = "charts,web"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def run(*command: str | Path, **environment: str) -> str:
    """Run a command; show what it printed only if it fails."""
    done = subprocess.run(
        list(map(str, command)),
        env={**os.environ, "PYTHONPATH": "", **environment},
        cwd=tempfile.gettempdir(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n{' '.join(map(str, command))} failed ({done.returncode})")
    return done.stdout


def environment(folder: Path, python: str) -> Path:
    """Make an empty environment and return its python."""
    run(python, "-m", "venv", folder)
    return next(path for path in (folder / "bin" / "python", folder / "Scripts" / "python.exe") if path.exists())


def selftest(python: Path, *, path: str) -> None:
    """Run the self-test of an installation, on the counting path that is expected there."""
    printed = run(python, "-m", "macrof1", "selftest")
    if f"({path})" not in printed:
        sys.exit(f"{printed}\nexpected the {path} counting path")
    print(f"  {printed.splitlines()[-1]}, {path} kernel, Python {run(python, '-c', VERSION).strip()}")


VERSION = "import platform; print(platform.python_version())"


def interpreters() -> list[str]:
    """Return the Pythons of this machine that macrof1 supports: on the PATH, or installed by pyenv."""
    found = []
    for version in PYTHONS:
        candidates = [shutil.which(f"python{version}"), *Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
        working = [
            str(path)
            for path in candidates
            if path and subprocess.run([path, "-c", VERSION], capture_output=True, check=False).returncode == 0
        ]
        found += working[:1]
    return found


def main() -> None:
    """Build, check, install, test."""
    with tempfile.TemporaryDirectory() as scratch:
        tools = environment(Path(scratch) / "tools", sys.executable)
        run(tools, "-m", "pip", "install", "--quiet", *TOOLS)
        print("Building the sdist and the wheel")
        shutil.rmtree(DIST, ignore_errors=True)
        run(tools, "-m", "build", "--outdir", DIST, ROOT)
        sdist, wheel = next(DIST.glob("*.tar.gz")), next(DIST.glob("*.whl"))
        run(tools, "-m", "twine", "check", "--strict", sdist, wheel)
        run(tools, "-m", "check_wheel_contents", "--ignore", "W002,W004", wheel)
        run(tools.with_name("cffconvert"), "--validate", "--infile", ROOT / "CITATION.cff")
        print(f"  {sdist.name}, {wheel.name}: checked")

        constraints = ["--constraint", ROOT / "constraints.txt"]
        print("The wheel in an empty environment")
        for number, interpreter in enumerate(interpreters()):
            python = environment(Path(scratch) / f"wheel{number}", interpreter)
            run(python, "-m", "pip", "install", "--quiet", *constraints, f"{wheel}[{EXTRAS}]")
            selftest(python, path="compiled")

        print("The sdist without a compiler")
        python = environment(Path(scratch) / "plain", sys.executable)
        run(python, "-m", "pip", "install", "--quiet", *constraints, sdist, CC="false")
        selftest(python, path="numpy")

        print("The wheel on the lowest allowed versions")
        python = environment(Path(scratch) / "lowest", sys.executable)
        uv = tools.with_name("uv")
        run(uv, "pip", "install", "--quiet", "--resolution", "lowest-direct", "--python", python, f"{wheel}[{EXTRAS}]")
        selftest(python, path="compiled")
    print("Ready to release; RELEASING.md says what comes next.")


if __name__ == "__main__":
    main()
