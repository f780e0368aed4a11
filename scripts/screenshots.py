"""Take the pictures of the explorer that the documents show, in a real browser.

Needs Chromium and Playwright: .venv/bin/python scripts/screenshots.py [--out docs/images] [--all]
With --all every view is taken at three widths, light and dark, for a person to look at; the first screen also as it is
before any scrolling, and the static page a second after a first visit began, if `make site` has fetched Pyodide.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import Page, Playwright, sync_playwright

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
    "matrix": ("#/matrix?preset=moderation&moved=240", "#averaged:not(:text('–'))"),
    "compare": ("#/compare?example=germeval-leaderboard", "#compare-chart svg"),
    "audit": ("#/audit?precision=0.2937&recall=0.2283&f1=0.2095", "#verdict:not(:text('–'))"),
    "gallery": ("#/gallery", "#gallery-cases tbody tr"),
    "paper": ("#/paper", "#paper-figures img"),
}
MORE = {
    "germeval": ("#/matrix?preset=germeval&choice=FoSIL%2Fcoarse_1", "#averaged:not(:text('–'))"),
    "matrix20": ("#/matrix?preset=random&skew=0.9&classes=20", "#averaged:not(:text('–'))"),
    "worst": ("#/matrix?preset=worst-case&z=3&classes=5", "#averaged:not(:text('–'))"),
    "tested": ("#/compare?example=germeval-counts", "#compare-chart svg"),
    "flip": ("#/compare?example=germeval-counts&pair=cluzh%2Fcoarse_2,FoSIL%2Fcoarse_1", "#flip-chart svg"),
    "units": ("#/matrix?labels=d1,d2,d3&counts=2,0,2;2,1,3;3,1,2&facts=over,doc&task=multilabel&n=4", "#axis svg"),
    "leaderboard": ("#/audit?example=germeval-leaderboard&support=offense%3D1202%2Cother%3D2330", "#audit-chart svg"),
}
LOOKS = {
    f"{width}-{scheme}": ((width, height), scheme)
    for width, height in ((1280, 900), (768, 1024), (360, 740))
    for scheme in ("light", "dark")
}
PYODIDE = ROOT / "build" / "pyodide" / "node_modules" / "pyodide"
PREVIEW = ROOT / "src" / "macrof1" / "web" / "static" / "preview.jpg"


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
                for look in LOOKS if given.all else ("1280-light",):
                    take_look(playwright, f"{profile}/{look}", address, look, given.out, everything=given.all)
                if given.all and PYODIDE.is_dir():
                    take_static(playwright, given.out)
        finally:
            server.terminate()


def take_static(playwright: Playwright, out: Path) -> None:
    """Visit the exported page for the first time, and save what is seen after a second."""
    from macrof1.web.export import export_site

    with tempfile.TemporaryDirectory() as folder:
        export_site(Path(folder), pyodide=PYODIDE)
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", headless=True, args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(f"http://127.0.0.1:{server.server_address[1]}/", wait_until="commit")
            page.wait_for_timeout(1000)
            page.screenshot(path=out / "static-after-a-second.png")
            browser.close()
            server.shutdown()


def take_look(playwright: Playwright, profile: str, address: str, look: str, out: Path, *, everything: bool) -> None:
    """Visit every view in one look; for the documents also the picture that is shown where a link is shared."""
    size, scheme = LOOKS[look]
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path="/usr/bin/chromium", headless=True, args=FLAGS, color_scheme=scheme
    )
    page = context.new_page()
    for view, (state, ready) in ({**VIEWS, **MORE} if everything else VIEWS).items():
        name = f"{view}-{look}" if everything else f"explorer-{view}"
        take(page, f"{address}{state}", ready, size, out / f"{name}.png", whole=everything)
    if everything:
        take(page, address, VIEWS["matrix"][1], size, out / f"first-{look}.png", whole=False)
    else:
        take(page, f"{address}{VIEWS['matrix'][0]}", VIEWS["matrix"][1], (1200, 630), PREVIEW, whole=False)
    context.close()


def take(page: Page, address: str, ready: str, size: tuple[int, int], path: Path, *, whole: bool) -> None:
    """Visit one state and save it."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(ready, timeout=240_000)
    page.wait_for_timeout(500)
    if path.suffix == ".jpg":
        page.screenshot(path=path, type="jpeg", quality=60)
    else:
        page.screenshot(path=path, full_page=whole)
    print(path)


if __name__ == "__main__":
    main()
