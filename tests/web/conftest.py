"""A real server on loopback, and a real browser."""

import base64
import contextlib
import http.client
import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import macrof1

PATIENCE = 60_000  # milliseconds: events decide, and a machine that does other things too may take long for them
PAPER = 180_000  # the paper's experiments, which take seconds on a machine of their own
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextlib.contextmanager
def explorer(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run `mf1 explore` and yield its address."""
    command = [sys.executable, "-m", "macrof1", "explore", "--no-browser", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert "http://" in line, process.stderr.read() if process.stderr else line
            yield next(word for word in line.split() if word.startswith("http://")), process
        finally:
            process.terminate()
            process.wait(60)


@dataclass
class Server:
    """Ask the server as a program would."""

    address: str

    @property
    def port(self) -> int:
        return int(self.address.rstrip("/").rpartition(":")[2])

    def ask(
        self, path: str, body: Any = None, *, method: str | None = None, headers: dict[str, str] | None = None,
        raw: bytes | None = None,
    ) -> tuple[int, Any, dict[str, str]]:  # fmt: skip
        if path == "/api/open" and isinstance(body, dict) and "files" not in body:  # one file
            file = {name: body[name] for name in ("text", "data", "name") if name in body}
            body = {"files": [file], **{name: value for name, value in body.items() if name not in file}}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            data = raw if raw is not None else None if body is None else json.dumps(body).encode()
            sent = {"content-type": "application/json", **(headers or {})} if data is not None else headers or {}
            connection.request(method or ("GET" if data is None else "POST"), path, body=data, headers=sent)
            answer = connection.getresponse()
            content = answer.read().decode("utf-8")
            found = {name.lower(): value for name, value in answer.getheaders()}
            is_json = found.get("content-type", "").startswith("application/json")
            return answer.status, json.loads(content) if is_json else content, found
        finally:
            connection.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    pytest.importorskip("fastapi", reason="the explorer needs FastAPI")
    with explorer() as (address, _):
        yield Server(address)


# Playwright keeps a loop running in the thread: not longer than this folder needs it.
@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Any]:
    """Open an empty page in a context of its own."""
    opened = []

    def open_page(**options: Any) -> Any:
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(COUNTED)
        opened.append(context)
        return context.new_page()

    yield open_page
    for context in opened:
        context.close()


@pytest.fixture
def look(visit: Any, server: Server) -> Iterator[Any]:
    """Open a state of the explorer, and wait until an element shows a text, if both are given.

    Afterwards check that nothing left the machine and nothing was complained about.
    """
    opened = []

    def open_page(
        state: str = "", *ready: str, address: str | None = None, complaints: bool = False, **options: Any
    ) -> Any:
        page = visit(**{"viewport": {"width": 1280, "height": 900}, **options})
        asked, errors = [], complaints_of(page)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address or server.address}{state}")
        shows(page, *(ready or ("#version", macrof1.__version__)))
        opened.append((page.context, asked, [] if complaints else errors, address or server.address))
        return page

    yield open_page
    for context, asked, errors, home in opened:
        context.close()
        assert asked
        assert [url for url in asked if not url.startswith((home, "data:", "blob:" + home))] == []
        assert errors == []


def complaints_of(page: Any) -> list[str]:
    """Return the errors that a page has in its console, as they come."""
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    return errors


# Counts the requests whose answers the page has not worked up yet: what follows from an answer happens before the next
# turn of the event loop.
COUNTED = """(() => {
    let unanswered = 0;
    const { fetch, setTimeout } = window;
    const { text } = Response.prototype;
    const counted = new WeakSet();
    const over = () => setTimeout(() => { unanswered -= 1; });
    window.fetch = async (path, options) => {
        if (!/^api\\/(?!progress)/.test(path)) return fetch(path, options);
        unanswered += 1;
        try {
            const response = await fetch(path, options);
            counted.add(response);
            return response;
        } catch (error) {
            over();
            throw error;
        }
    };
    Response.prototype.text = async function () {
        try {
            return await text.call(this);
        } finally {
            if (counted.has(this)) over();
        }
    };
    window.isAnswered = () => unanswered === 0;
})()"""


def settled(page: Any) -> None:
    """Wait until the page has worked up the answers to all that it asked."""
    page.wait_for_function("() => isAnswered()")


def held(page: Any, pattern: str) -> tuple[Any, Any]:
    """Hold requests back: wait until so many are held, and let them go until the page has worked up the answers."""
    from playwright.sync_api import Error

    waiting: list[Any] = []
    page.route(pattern, lambda route: waiting.append(route))  # Playwright marks its handlers

    def holds(n: int) -> None:
        for _ in range(PATIENCE // 100):
            if len(waiting) == n:
                return
            page.wait_for_timeout(100)
        pytest.fail(f"{len(waiting)} requests are held, expected {n}")

    def let_go(*, wait: bool = True) -> None:
        page.unroute(pattern)
        for route in waiting:
            # One that the page has given up itself cannot go on.
            with contextlib.suppress(Error):
                route.continue_()
        if wait:
            settled(page)

    return holds, let_go


def link(page: Any) -> str:
    """Return the state in the address, as the page knows it: Playwright hears of it later.

    The page changes it after a third of a second at most, and timers come in their order.
    """
    return str(page.evaluate("new Promise((found) => { setTimeout(() => found(location.hash), 400); })"))


def drop(page: Any, name: str, content: str | bytes, *, head: str = "", times: int = 1) -> None:
    """Drop a file onto the page, as a person does; `content` many times after `head` makes a large one."""
    raw = content.encode("utf-8") if isinstance(content, str) else content
    page.evaluate(
        """([name, head, content, times]) => {
            const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
            const transfer = new DataTransfer();
            transfer.items.add(new File([head, ...Array(times).fill(bytes)], name));
            const how = {bubbles: true, cancelable: true, dataTransfer: transfer};
            document.body.dispatchEvent(new DragEvent("drop", how));
        }""",
        [name, head, base64.b64encode(raw).decode("ascii"), times],
    )


def expect(what: Any) -> Any:
    """Return what Playwright expects of a page or an element, where there is Playwright."""
    return importlib.import_module("playwright.sync_api").expect(what)


def shows(page: Any, selector: str, text: str) -> None:
    """Wait until an element shows a text."""
    patience = PAPER if "paper" in selector else PATIENCE
    expect(page.locator(selector).first).to_contain_text(text, timeout=patience, use_inner_text=False)


TWO_SYSTEMS = "gold,one,two\n" + "a,a,a\nb,b,a\nb,a,b\nc,c,c\na,b,a\n" * 10
# What the views show, and when they are ready.
STATES = {
    "story": ("#/", "#averaged", "0.6831"),
    "matrix": ("#/matrix?preset=germeval", "#averaged", "0.3727"),
    "worst case": ("#/matrix?preset=worst-case&z=3&classes=5", "#gap", "0.4787"),
    "compare": ("#/compare?example=germeval-leaderboard", "#compare-headline", "92 of 1,275 pairs flip"),
    "audit": ("#/audit?precision=0.2937&recall=0.2283&f1=0.2095", "#verdict", "averaged F1"),
    "board": ("#/audit?example=germeval-leaderboard&support=offense%3D1202%2Cother%3D2330", "#verdict", "averages"),
    "gallery": ("#/gallery", "#gallery-cases", "TUWienKBS"),
    "paper": ("#/paper", "#paper-claims", "Theorem 2"),
}
LOOKS = [(width, scheme) for width in (1280, 768, 320) for scheme in ("light", "dark")]
GROUNDS = {"dark": "rgb(11, 18, 32)", "light": "rgb(243, 244, 246)"}


def accessible(page: Any) -> None:
    """Check in every look that nothing sticks out, and all that axe knows, best practice included."""
    package = pytest.importorskip("axe_playwright_python", reason="needs axe")
    if not page.evaluate("'axe' in window"):
        page.evaluate((Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    # Nothing is dimmed, and nothing fades: colours would be neither here nor there.
    page.wait_for_selector("[aria-busy]", state="detached")
    for width, scheme in LOOKS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == GROUNDS[scheme]
        found = page.evaluate("axe.run()")["violations"]
        issues = [(issue["id"], [node["html"][:200] for node in issue["nodes"]][:3]) for issue in found]
        assert issues == [], (width, scheme)


def germeval(root: Path, name: str) -> str:
    return (root / "examples" / "germeval2018" / name).read_text(encoding="utf-8")
