"""Take the pictures of the explorer that the documents show, in a real browser.

Needs Chromium and Playwright: .venv/bin/python scripts/screenshots.py [--out docs/images] [--all]
With --all every view is taken at desktop and phone width, in light and dark, for a person to look at.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEWS = {
    "matrix": ("#/matrix?preset=germeval&choice=FoSIL%2Fcoarse_1", "#averaged:not(:text('–'))"),
    "compare": ("#/compare?example=germeval-leaderboard", "#compare-chart img"),
    "audit": ("#/audit?precision=0.2937&recall=0.2283&f1=0.2095", "#verdict:not(:text('–'))"),
    "note": ("#/note", "#note-figures img"),
}
MORE = {
    "matrix20": ("#/matrix?preset=random&skew=0.9&classes=20", "#averaged:not(:text('–'))"),
    "worst": ("#/matrix?preset=worst-case&z=3&classes=5", "#averaged:not(:text('–'))"),
    "tested": ("#/compare?example=germeval-counts", "#compare-chart img"),
    "leaderboard": ("#/audit?example=germeval-leaderboard&support=offense%3D1202%2Cother%3D2330", "#audit-chart img"),
}
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


def main() -> None:
    """Start the explorer, visit every view, and save what is seen."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    reader.add_argument("--all", action="store_true")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "macrof1", "explore", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
            with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
                for scheme in ("light", "dark") if given.all else ("light",):
                    context = playwright.chromium.launch_persistent_context(
                        f"{profile}/{scheme}",
                        executable_path="/usr/bin/chromium",
                        headless=True,
                        args=FLAGS,
                        color_scheme=scheme,
                    )
                    page = context.new_page()
                    views = {**VIEWS, **MORE} if given.all else VIEWS
                    for size in SIZES if given.all else ("desktop",):
                        for view, (state, ready) in views.items():
                            name = f"{view}-{size}-{scheme}" if given.all else f"explorer-{view}"
                            take(page, f"{address}{state}", ready, size, given.out / f"{name}.png", whole=given.all)
                    context.close()
        finally:
            server.terminate()


def take(page: Page, address: str, ready: str, size: str, path: Path, *, whole: bool) -> None:
    """Visit one state and save it."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(ready, timeout=120_000)
    page.wait_for_timeout(300)
    page.screenshot(path=path, full_page=whole)
    print(path)


if __name__ == "__main__":
    main()
