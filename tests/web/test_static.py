"""The explorer without a server: the same Python in the browser gives the same bytes, offline too."""

import functools
import http.client
import http.server
import json
import re
import tarfile
import threading
from collections import Counter
from pathlib import Path
from typing import ClassVar

import pytest

import macrof1

from .conftest import PATIENCE, accessible, complaints_of, drop, expect, germeval, link, shows
from .test_matrix_view import TABLE_3, agrees, cell
from .test_story import from_paste_to_signature

MOST_BYTES = 17_000_000
MOST_PACKED = 7_000_000
PUBLISHED = (
    "system,rude precision,rude recall,hateful precision,hateful recall\n"
    "one,0.81,0.62,0.44,0.71\ntwo,0.74,0.70,0.58,0.49\nthree,0.74,0.70,0.58,0.49\n"
)
REPORT = """              precision    recall  f1-score   support

         cat       0.83      0.71      0.77         7
         dog       0.78      0.88      0.82         8

    accuracy                           0.80        15
   macro avg       0.81      0.79      0.80        15
weighted avg       0.80      0.80      0.80        15
"""
READY = 120_000  # milliseconds, on a machine that does other things too


@pytest.fixture(scope="session")
def site(pyodide, tmp_path_factory) -> Path:
    from macrof1.web.export import export_site

    folder = tmp_path_factory.mktemp("site")
    size = export_site(folder, pyodide=pyodide)
    assert size == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return folder


class Quiet(http.server.SimpleHTTPRequestHandler):
    sent: ClassVar[Counter[str]] = Counter()  # bytes by path

    def log_message(self, *_):
        pass

    def copyfile(self, source, outputfile):
        content = source.read()
        Quiet.sent[self.path] += len(content)
        outputfile.write(content)


@pytest.fixture(scope="session")
def hosted(site):
    """Serve the folder as any web server does, below a folder of its own."""
    handler = functools.partial(Quiet, directory=str(site.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/{site.name}/"
        server.shutdown()


def ready(page):
    page.wait_for_selector("html[data-ready]", state="attached", timeout=READY)


def remembered(page):
    """Wait until the memory of Python is kept; Playwright takes the promise of a condition for its truth."""
    for _ in range(READY // 100):
        if page.evaluate("caches.match('memory').then(Boolean)"):
            return
        page.wait_for_timeout(100)
    pytest.fail("the memory of Python is not kept")


def resumed(page):
    """Visit the page again, once the memory of the first visit is kept."""
    remembered(page)
    page.reload()
    ready(page)


def matrix(labels, cells, **options):
    return "/api/score", {"labels": labels, "matrix": cells, **options}


def opened(given):
    return {"files": [{name: given.pop(name) for name in ("text", "name") if name in given}], **given}


def audit(**figures):
    return "/api/audit", figures


def inputs(root):
    """Forty questions and more that need no NumPy: answers and refusals."""
    board = germeval(root, "leaderboard.csv")
    classes = [
        {"label": "OFFENSE", "precision": "71.87", "recall": "65.47", "f1": "68.52", "support": "1202"},
        {"label": "OTHER", "precision": "82.97", "recall": "86.78", "f1": "84.83", "support": "2330"},
    ]
    big = 2**53 - 1
    wide = [[9 if i == j else (3 * i + j) % 7 for j in range(20)] for i in range(20)]
    gets = ["health", "presets", "plane", "gallery", "examples/germeval-counts", "examples/nothing"]
    gets += [f"presets/{name}" for name in ("table-1", "germeval", "nothing", "worst-case?z=2.5&classes=7")]
    gets += ["presets/random?skew=0.35&classes=9", "presets/random?skew=7", "presets/moderation?moved=33"]
    return [
        *((f"/api/{path}", None) for path in gets),
        matrix(["x", "y"], [[100, 10_000], [0, 100]]),
        matrix(["x", "y"], [[100, 10_000], [0, 100]], rows="gold"),
        matrix(["x", "y"], [[1, 2], [3, 4]], beta=2),
        matrix(["x", "y"], [[1, 0], [3, 0]], undefined=1),
        matrix(["x", "y", "z"], [[0.1, 0.2, 0.3], [1e-9, 2.5, 0], [0, 1e12, 7]]),
        matrix(["ä", "😀", "<b>", ""], [[1, 0, 0, 2], [0, 1, 0, 0], [3, 0, 1, 0], [0, 0, 0, 1]]),
        matrix([str(x) for x in range(20)], wide),
        matrix(["a", "b"], [[big, 1], [1, big]]),
        matrix(["a", "a"], [[1, 2], [3, 4]]),
        matrix(["a", "b"], [[0, 0], [0, 0]]),
        matrix(["a", "b"], [[1, 2], [3]]),
        matrix(["a"], [[-1]]),
        matrix(["a"], [["many"]]),
        ("/api/score", {"labels": ["d1", "d2"], "counts": [[2, 0], [2, 1], [3, 1]], "facts": [["over", "doc"]]}),
        ("/api/score", {"labels": ["d1", "d2"], "counts": [[2, 0], [2, 1]]}),
        (
            "/api/move",
            {"labels": ["a", "b"], "matrix": [[50, 10], [10, 30]], "place": 1, "precision": 0.5, "recall": 1},
        ),
        ("/api/open", opened({"text": "\tcat\tdog\ncat\t1,200\t2\ndog\t3\t4\n"})),
        ("/api/open", opened({"text": "array([[5, 1],\n       [2, 7]])"})),
        ("/api/open", opened({"text": "| | a | b |\n|---|---|---|\n| a | 5 | 1 |\n| b | 2 | 7 |\n", "rows": "gold"})),
        ("/api/open", opened({"text": "1,2\n3\n", "name": "broken.csv"})),
        ("/api/open", opened({"text": "", "name": "empty.csv"})),
        audit(precision="0.2937", recall="0.2283", f1="0.2095"),
        audit(precision="0.2937", recall="0.2283", f1="0.2095", rounding="truncate"),
        audit(f1="51.3"),
        audit(f1="76.77", percent=True, per_class=classes),
        audit(f1="76.77", percent=True, per_class=classes, accuracy="79.53", correct="2809", total="3532"),
        audit(precision="0.5", recall="0.5", f1="0.9", n_classes=3),
        audit(f1="many"),
        audit(precision="29.37", percent=False),
        ("/api/audit/table", {"text": board, "name": "board.csv", "support": "offense=1202,other=2330"}),
        ("/api/audit/table", {"text": "\n".join(board.splitlines()[:6]), "rounding": "unknown"}),
        ("/api/audit/table", {"text": "team,score\nx,1\n", "name": "board.csv"}),
        ("/api/audit/table", {"text": REPORT}),
        ("/api/audit/table", {"text": "nothing to see here"}),
        ("/api/compare", {"text": board, "name": "board.csv"}),
        ("/api/compare", {"text": PUBLISHED}),
        ("/api/compare", {"text": PUBLISHED.replace("system", "what"), "by": "what"}),
        ("/api/compare", {"text": PUBLISHED.replace("0.81", "81").replace("0.", "")}),
        ("/api/compare", {"text": PUBLISHED.replace("two", "one")}),
        ("/api/compare", {"text": PUBLISHED.replace("0.44", "many")}),
        ("/api/compare", {"text": "\n".join(PUBLISHED.splitlines()[:2])}),
    ]


ASK = """async (questions) => {
    const { reply } = await import("./static/local.js");
    const found = [];
    for (const [path, body] of questions) {
        const { status, text } = await reply(path, body ?? undefined);
        found.push([status, text]);
    }
    return found;
}"""


def test_server_and_browser_answer_with_the_same_bytes(visit, server, hosted, root):
    questions = inputs(root)
    assert len(questions) >= 40
    page = visit()
    page.goto(hosted)
    ready(page)
    answers = page.evaluate(ASK, [list(question) for question in questions])
    resumed(page)
    again = page.evaluate(ASK, [list(question) for question in questions])
    assert again == answers, "a later visit, which begins with Python as the first one left it"
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    for (path, body), (status, text) in zip(questions, answers, strict=True):
        data = None if body is None else json.dumps(body).encode()
        link.request("GET" if data is None else "POST", path, body=data)
        reply = link.getresponse()
        assert (reply.status, reply.read().decode("utf-8")) == (status, text), (path, body)
    link.close()


def test_the_page_is_small_first_shown_without_python_and_then_edited(visit, site, hosted, tmp_path):
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    packed = tmp_path / "site.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(site, "site")
    assert size < MOST_BYTES
    assert packed.stat().st_size < MOST_PACKED
    page = visit()
    seen, errors = [], complaints_of(page)
    page.on("request", lambda request: seen.append(request.url))
    page.route("**/pyodide/*", lambda _: None)  # Python never comes
    page.goto(hosted)
    shows(page, "#averaged", "0.6831")
    shows(page, "#version", macrof1.__version__)
    page.unroute("**/pyodide/*")
    page.reload()
    ready(page)
    cell(page, 0, 1).fill("500")
    agrees(page, [[5930, 500, 20], [60, 930, 240], [10, 0, 40]], ["fine", "rude", "hateful"])
    assert [url for url in seen if not url.startswith((hosted, "data:", "blob:"))] == []
    assert errors == []


def test_a_first_visit_answers_from_what_is_frozen_and_fetches_everything_once(visit, hosted, site):
    Quiet.sent.clear()
    page = visit()
    page.goto(hosted)
    shows(page, "#story-rank", "Finds 40 of 300")
    # The slider does not wait for Python; an edit does, and is told why.
    page.locator("#slider-moved").fill("0")
    shows(page, "#story-rank", "Finds 280 of 300")
    cell(page, 0, 1).fill("500")
    agrees(page, [[5930, 500, 20], [60, 690, 0], [10, 240, 280]], ["fine", "rude", "hateful"])
    page.wait_for_selector("#starting", state="hidden")
    remembered(page)
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    for name in ("pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "pyodide/pyodide.asm.mjs", "macrof1.zip"):
        assert Quiet.sent[f"/{site.name}/{name}"] == (site / name).stat().st_size, name


def test_what_waits_for_python_says_so_and_what_does_not_need_it_goes_on(visit, hosted):
    page = visit()
    page.route("**/pyodide/pyodide.asm.wasm", lambda _: None)  # it never comes
    page.goto(hosted)
    shows(page, "#story-rank", "Finds 40 of 300")
    cell(page, 0, 1).fill("500")
    shows(page, "#starting", "Starting Python, once")
    page.wait_for_selector("#starting")
    page.get_by_role("button", name="Show it").click()
    shows(page, "#story-rank", "Finds 40 of 300")
    page.locator("#slider-moved").fill("120")
    shows(page, "#story-rank", "Finds 160 of 300")
    page.wait_for_selector("#starting", state="hidden")


def test_links_hold_and_what_needs_numpy_says_so(visit, hosted):
    page = visit()
    page.goto(f"{hosted}#/matrix?rows=predicted&labels=x,y&cells=100,10000;0,100")
    ready(page)
    agrees(page, [[100, 10_000], [0, 100]], ["x", "y"])
    page.goto(f"{hosted}#/audit?precision=0.2937&recall=0.2283&f1=0.2095")
    shows(page, "#verdict", "averaged F1")
    page.goto(f"{hosted}#/compare?example=germeval-leaderboard")
    shows(page, "#compare-headline", "92 of 1,275 pairs flip")
    page.goto(f"{hosted}#/compare")
    page.get_by_role("button", name="GermEval 2018: 51 runs").click()
    shows(page, "#compare-headline", "51 systems on 3,532 rows")
    page.goto(f"{hosted}#/compare?name=x.csv&text=gold%2Ca%2Cb%0Ax%2Cx%2Cy%0Ay%2Cy%2Cx%0A")
    shows(page, "#notice-text", "this needs the explorer on your own machine: pip install")
    page.goto(f"{hosted}#/paper")
    shows(page, "#paper-claims", "Theorem 2")
    page.goto(f"{hosted}#/gallery")
    shows(page, "#gallery-cases", "TUWienKBS")


def test_every_view_says_what_needs_the_local_explorer(visit, hosted):
    page = visit()
    page.goto(hosted)
    shows(page, "#averaged", "0.6831")
    shows(page, "#no-interval", "No intervals here: they need NumPy.")
    shows(page, "#no-interval", "mf1 score --matrix matrix.csv")
    for view, needs in (("matrix", "intervals"), ("compare", "predictions and counts"), ("audit", "Parquet")):
        page.goto(f"{hosted}#/{view}")
        said = page.locator(f"#view-{view} .local")
        said.wait_for()
        assert "Needs NumPy" in said.inner_text()
        assert needs in said.inner_text()
        assert "mf1 explore" in said.inner_text()
        assert page.get_by_role("button", name="Save a report").count() == 0
    # What needs it is refused with the same advice, and nothing else happens.
    page.goto(f"{hosted}#/matrix")
    ready(page)
    page.get_by_role("button", name="Paste a table").first.click()
    page.locator("#paste-text").fill("gold,pred\na,a\nb,a\n")
    page.locator("#paste-ok").click()
    shows(page, "#notice-text", "this needs the explorer on your own machine: pip install")
    shows(page, "#averaged", "0.6831")


def test_a_published_leaderboard_is_compared_in_the_browser(visit, hosted):
    page = visit()
    page.goto(f"{hosted}#/compare")
    ready(page)
    drop(page, "board.csv", PUBLISHED)
    rows = [line.split(",") for line in PUBLISHED.splitlines()[1:]]
    given = {name: {"rude": (float(a), float(b)), "hateful": (float(c), float(d))} for name, a, b, c, d in rows}
    expected = macrof1.compare(given)
    assert expected.flips
    for number, system in enumerate(expected.systems, start=1):
        start = f"{system.name}{system.averaged_f1:.4f}{system.rank_averaged_f1}{system.f1_of_averages:.4f}"
        shows(page, f"#compare-systems-table tbody tr:nth-child({number})", start)
    shows(page, "#compare-signature", expected.signature("averaged_f1"))
    expect(page.locator("#compare-chart svg .system")).to_have_count(3)
    expect(page.locator("#compare-flips tbody tr")).to_have_count(len(expected.flips))
    other = visit()
    other.goto(hosted + link(page))
    shows(other, "#compare-signature", expected.signature("averaged_f1"))


def test_from_paste_to_copied_signature_with_the_keyboard_alone(visit, hosted):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{hosted}{TABLE_3}")
    ready(page)
    shows(page, "#averaged", "0.0196")
    from_paste_to_signature(page)


def test_a_long_audit_shows_how_far_it_is(visit, hosted, root):
    page = visit()
    page.goto(f"{hosted}#/audit")
    ready(page)
    page.evaluate(
        """() => {
            const bar = document.getElementById("progress");
            window.seen = [];
            new MutationObserver(() => { if (bar.hasAttribute("value")) seen.push(bar.value); })
                .observe(bar, { attributeFilter: ["value"] });
        }"""
    )
    head, *rows = germeval(root, "leaderboard.csv").splitlines()
    page.locator("#audit-support").fill("offense=1202,other=2330")
    many = [f"{number} {row}" for number in range(19) for row in rows]
    page.clock.install()
    drop(page, "board.csv", "\n".join([head, *many]))
    # The bar comes after a second, which a fast machine may not need.
    for _ in range(PATIENCE // 10):
        if "Read as a leaderboard: board.csv" in page.text_content("#audit-source"):
            break
        page.clock.fast_forward(500)
        page.wait_for_timeout(10)
    shows(page, "#audit-source", "Read as a leaderboard: board.csv")
    shares = page.evaluate("seen")
    assert shares == sorted(shares)
    assert [share for share in shares if 0 < share < 1]


def test_it_works_offline_once_it_was_opened(visit, hosted):
    page = visit()
    page.goto(hosted)
    ready(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.context.set_offline(True)
    page.reload()
    ready(page)
    cell(page, 0, 1).fill("500")
    agrees(page, [[5930, 500, 20], [60, 930, 240], [10, 0, 40]], ["fine", "rude", "hateful"])


def test_a_broken_memory_is_forgotten_and_python_starts_anew(visit, hosted):
    page = visit()
    page.goto(hosted)
    ready(page)
    resumed(page)
    page.evaluate(
        """async () => {
            const [name] = (await caches.keys()).filter((one) => one.startsWith("macrof1-"));
            await (await caches.open(name)).put("memory", new Response(new Uint8Array(100_000)));
        }"""
    )
    page.reload()
    ready(page)
    cell(page, 0, 1).fill("500")
    agrees(page, [[5930, 500, 20], [60, 930, 240], [10, 0, 40]], ["fine", "rude", "hateful"])


def test_python_that_cannot_be_loaded_is_said_in_one_line(visit, hosted):
    page = visit(service_workers="block")
    page.route("**/python_stdlib.zip", lambda route: route.abort())
    page.goto(hosted)
    shows(page, "#averaged", "0.6831")
    cell(page, 0, 1).fill("500")
    shows(page, "#notice-text", "Python could not be loaded into this page")
    assert "\n" not in page.text_content("#notice-text")
    page.wait_for_selector("#progress", state="hidden")


def test_what_the_page_needs_first_is_asked_for_at_once(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    asked = set(re.findall(r'rel="modulepreload" href="static/(\w+)\.js"', page))
    imported = {
        name
        for path in (site / "static").glob("*.js")
        if path.name != "worker.js"
        for name in re.findall(r'(?:from |import\()"\./(\w+)\.js"', path.read_text(encoding="utf-8"))
    }
    assert asked == imported
    assert '<link rel="preload" href="frozen.json" as="fetch" crossorigin>' in page


def test_the_page_says_what_it_may_do_and_names_no_other_host(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    assert "default-src 'none'; script-src 'self' 'wasm-unsafe-eval';" in page
    assert "unsafe-inline" not in page
    assert "'unsafe-eval'" not in page
    assert re.findall(r"<(\w+)[^>]*://", page) == ["a"]


def test_previews_of_links_are_given_whole_addresses(pyodide, tmp_path):
    from macrof1.web.export import export_site

    export_site(tmp_path, pyodide=pyodide, url="https://example.org/f1")
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<meta property="og:image" content="https://example.org/f1/static/preview.jpg">' in page
    assert '<meta property="og:url" content="https://example.org/f1/">' in page
    assert (tmp_path / "static" / "preview.jpg").stat().st_size > 10_000
    with pytest.raises(macrof1.InputError, match="not a valid address: expected one that begins with https://"):
        export_site(tmp_path, pyodide=pyodide, url="example.org")


def test_another_page_frames_it(visit, hosted):
    page = visit()
    other = hosted.replace("127.0.0.1", "localhost")  # another origin
    page.goto(f"{other}static/style.css")
    page.evaluate(
        "(source) => { document.body.innerHTML = `<iframe src='${source}' width=800 height=600></iframe>`; }",
        f"{hosted}?embed#/matrix?preset=moderation&moved=240",
    )
    framed = page.frame_locator("iframe")
    framed.locator("#averaged").filter(has_text="0.6831").wait_for(timeout=READY)
    framed.locator("#slider-moved").wait_for()
    framed.locator("header.top").wait_for(state="hidden")


def test_opened_as_a_file_it_says_what_to_do(visit, site):
    page = visit()
    page.goto((site / "index.html").as_uri())
    page.get_by_text("python3 -m http.server").wait_for(timeout=READY)


def test_nothing_sticks_out_and_nothing_is_inaccessible(visit, hosted):
    page = visit()
    page.goto(hosted)
    ready(page)
    shown = {"": "#averaged", "compare": "#compare-empty", "audit": "#verdict", "gallery": "#gallery-cases a"}
    for view, selector in {**shown, "paper": "#paper-figures img"}.items():
        page.evaluate("(view) => { location.hash = `#/${view}`; }", view)
        page.wait_for_selector(selector)
        accessible(page)


def test_an_export_is_the_same_twice_and_names_what_is_missing(site, pyodide, tmp_path):
    from macrof1.web.export import export_site

    export_site(tmp_path / "again", pyodide=pyodide)
    names = sorted(path.relative_to(site) for path in site.rglob("*") if path.is_file())
    assert names == sorted(
        path.relative_to(tmp_path / "again") for path in (tmp_path / "again").rglob("*") if path.is_file()
    )
    for name in names:
        if not name.name.startswith("frozen-paper"):  # its charts are drawn with names made at random
            assert (site / name).read_bytes() == (tmp_path / "again" / name).read_bytes() or name.name == "sw.js"
    with pytest.raises(macrof1.MacroF1Error, match="npm package pyodide"):
        export_site(tmp_path / "none", pyodide=tmp_path)
