"""Load-test the explorer, and measure the latency of edits: figures to read, no timing fails.

Opens 50 connections for 20 seconds from this process to a server in another, on loopback; then edits a matrix of 20
classes in a real browser, if Playwright and Chromium are installed, and visits the static page, if `make site` has
fetched Pyodide. Run: .venv/bin/python benchmarks/explorer.py
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import http.client
import http.server
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

CONNECTIONS = 50
SECONDS = 20.0
N_CLASSES = 20
VISITS = 5


def main() -> None:
    command = [sys.executable, "-m", "macrof1", "explore", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
            load(address, server.pid)
            with chromium() as browser:
                if browser is not None:
                    edits(browser, address, "server")
        finally:
            server.terminate()
    with chromium() as browser, exported() as site:
        if browser is not None and site is not None:
            visits(browser, site)
            edits(browser, site, "static", "html[data-ready]")


def resident(process: int) -> float:
    """Return the memory of a process in MiB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def load(address: str, process: int) -> None:
    port = int(address.rstrip("/").rpartition(":")[2])
    matrix = [[90 if i == j else (3 * i + j) % 7 for j in range(N_CLASSES)] for i in range(N_CLASSES)]
    score = json.dumps({"labels": [f"c{x}" for x in range(N_CLASSES)], "matrix": matrix}).encode()
    audit = json.dumps({"precision": "0.2937", "recall": "0.2283", "f1": "0.2095"}).encode()
    requests = [
        ("POST", "/api/score", score),
        ("GET", "/api/presets/worst-case?z=3", None),
        ("POST", "/api/audit", audit),
        ("GET", "/static/app.js", None),
    ]
    times: list[float] = []
    errors: list[str] = []
    stop = time.monotonic() + SECONDS

    def one(first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        turn = first
        while time.monotonic() < stop:
            method, path, body = requests[turn % len(requests)]
            turn += 1
            begun = time.perf_counter()
            try:
                headers = {"content-type": "application/json"} if body else {}
                connection.request(method, path, body=body, headers=headers)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    errors.append(f"{path}: {answer.status}")
            except (OSError, http.client.HTTPException) as error:
                errors.append(f"{path}: {error!r}")
                connection.close()
            times.append(time.perf_counter() - begun)
        connection.close()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    memory = []
    while time.monotonic() < stop:
        time.sleep(2)
        memory.append(resident(process))
    for thread in threads:
        thread.join()
    cuts = statistics.quantiles(times, n=100)
    print(f"{CONNECTIONS} connections, {SECONDS:g} s: {len(times):,} requests, {len(errors)} errors {errors[:3]}")
    print(f"  {len(times) / SECONDS:,.0f} per second; median {1000 * cuts[49]:.0f} ms, 99% {1000 * cuts[98]:.0f} ms")
    print(f"  memory of the server every 2 s, MiB: {' '.join(f'{value:.0f}' for value in memory)}")


EDIT = """async (turn) => {
    const cell = document.querySelector('input[data-row="3"][data-column="5"]');
    const shown = document.querySelector("#averaged");
    const done = new Promise((resolve) => new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now()));
    }).observe(document.querySelector("#conventions"), {childList: true}));
    const begun = performance.now();
    cell.value = String(100 + turn);
    cell.dispatchEvent(new Event("input", {bubbles: true}));
    return (await done) - begun;
}"""


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser that keeps what it has loaded, as a person's does; None where there is none."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("the page: not measured, Playwright is not installed")
        yield None
        return
    found = shutil.which("chromium")
    if found is None:
        print("the page: not measured, Chromium is not installed")
        yield None
        return
    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        browser = playwright.chromium.launch_persistent_context(profile, executable_path=found, args=flags)
        yield browser
        browser.close()


def edits(browser: Any, address: str, where: str, ready: str = "#conventions tbody tr") -> None:
    page = browser.new_page()
    page.goto(f"{address}#/matrix?preset=random&skew=0.5&classes={N_CLASSES}")
    page.wait_for_selector(ready, state="attached", timeout=120_000)
    page.wait_for_selector("#conventions tbody tr")
    times = [page.evaluate(EDIT, turn) for turn in range(60)]
    page.close()
    cuts = statistics.quantiles(times[5:], n=20)
    print(f"{where}: an edit among {N_CLASSES} classes until everything is drawn: median {cuts[9]:.0f} ms, "
          f"95% {cuts[18]:.0f} ms")  # fmt: skip


SLIDE = """async () => {
    const [slider, shown] = [document.querySelector("#slider-moved"), document.querySelector("#story-rank")];
    const begun = performance.now();
    const done = new Promise((resolve) => new MutationObserver((_, observer) => {
        if (!shown.textContent.includes("280 of 300")) return;
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now()));
    }).observe(shown, {childList: true}));
    slider.value = "0";
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    return (await done) - begun;
}"""
TYPE = """async () => {
    const shown = document.querySelector("#averaged");
    const done = new Promise((resolve) => new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now()));
    }).observe(shown, {childList: true, characterData: true, subtree: true}));
    const cell = document.querySelector('input[data-row="0"][data-column="1"]');
    cell.value = "500";
    cell.dispatchEvent(new Event("input", {bubbles: true}));
    return [await done, performance.now()];
}"""


def visits(browser: Any, address: str) -> None:
    """Time visits of the static page with a CPU four times slower: the slider, and an edit typed as soon as it shows.

    The browser slows the page's own thread; Python runs in another one, whose speed is that of the machine.
    """
    for number in range(1 + VISITS):
        page = browser.new_page()
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
        Quiet.sent.clear()
        page.goto(address)
        page.wait_for_selector("#story-axis svg")
        painted = page.evaluate("performance.now()")
        slid = page.evaluate(SLIDE)
        edited, _ = page.evaluate(TYPE)
        print(f"static, {'later' if number else 'first'} visit, CPU 4x slower: story {painted / 1000:.2f} s, "
              f"slider {slid:.0f} ms, edit answered {edited / 1000:.2f} s after the visit began; "
              f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
        while not page.evaluate("caches.match('memory').then(Boolean)"):  # written for later visits
            page.wait_for_timeout(100)
        twice = [path for path, n in Quiet.sent.items() if n > 1]
        print(f"  fetched {sum(Quiet.sent.values())} files; more than once: {', '.join(twice) or 'none'}")
        page.close()


@contextlib.contextmanager
def exported() -> Iterator[str | None]:
    """Serve the explorer as static files; None without the npm package pyodide."""
    pyodide = Path(__file__).parents[1] / "build" / "pyodide" / "node_modules" / "pyodide"
    if not pyodide.is_dir():
        print("the static page: not measured, make site fetches the npm package pyodide")
        yield None
        return
    from macrof1.web.export import export_site

    with tempfile.TemporaryDirectory() as folder:
        size = export_site(Path(folder), pyodide=pyodide)
        packed = sum(len(gzip.compress(path.read_bytes())) for path in Path(folder).rglob("*") if path.is_file())
        print(f"static: {size / 1e6:.2f} MB, packed {packed / 1e6:.2f} MB")
        handler = functools.partial(Quiet, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_address[1]}/"
            server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    sent: ClassVar[Counter[str]] = Counter()  # answers with a body, by path

    def log_message(self, *_: object) -> None:
        pass

    def copyfile(self, source: Any, outputfile: Any) -> None:
        Quiet.sent[self.path] += 1
        super().copyfile(source, outputfile)


if __name__ == "__main__":
    main()
