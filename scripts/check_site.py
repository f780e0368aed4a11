"""Check the built site: links, the way to every page, its size and its sidebar, what is loaded, and the search.

No link is dead, every page is at most two clicks away, nothing is loaded from another host, and no page is too large or
has an empty sidebar. Where Chromium is there, a search finds the right page first.

``make docs`` runs this on docs/_build/html. ``--list`` prints the links to other sites; ``make linkcheck`` checks them.
"""

from __future__ import annotations

import re
import shutil
import sys
from functools import cache
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote_plus, unquote, urlsplit

SITE = Path(__file__).parents[1] / "docs" / "_build" / "html"
LARGEST = 600_000  # bytes of a page
# What people look for, and the page that has to come first.
FIRST = {
    "install": "install",
    "two files": "two-files",
    "which macro f1": "start",
    "macro over questions": "units",
    "compare systems": "comparing",
    "confidence interval": "intervals",
    "significance": "testing",
    "seeds": "tutorials/seeds",
    "spark": "tutorials/spark",
    "gallery": "gallery",
}
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """The links, what is loaded, and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to, and what it can be referred to by."""
        for name, value in attrs:
            if value is None:
                continue
            if name in ("id", "name"):
                self.anchors.add(value)
            elif (tag, name) in LOADED:
                self.loaded.append(value)
            elif name == "href":
                self.links.append(value)


@cache
def page(path: Path) -> Page:
    """Read a page once."""
    return Page(path)


def is_broken(path: Path, link: str) -> bool:
    """Tell whether a link from a page leads nowhere inside the site."""
    address = urlsplit(link)
    if address.scheme or address.netloc:
        return False
    target = (path.parent / unquote(address.path)).resolve() if address.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return True
    # A view of the explorer is named by the fragment; "#" alone is the top of a page.
    inside = target.suffix == ".html" and "explorer" not in target.relative_to(SITE).parts[:1]
    return bool(address.fragment and inside and address.fragment not in page(target).anchors)


def far_away(pages: list[Path], clicks: int = 2) -> list[Path]:
    """Return the pages that so many clicks from the first do not reach."""
    reached = frontier = {SITE / "index.html"}
    for _ in range(clicks):
        links = ((path, urlsplit(link).path) for path in frontier for link in page(path).links)
        frontier = {(path.parent / link).resolve() for path, link in links if link.endswith(".html")} & set(pages)
        reached = reached | frontier
    # The index and the search have buttons of their own.
    return [path for path in pages if path not in reached and path.name not in ("genindex.html", "search.html")]


def searched() -> dict[str, str]:
    """Ask the site's own search in Chromium; return the first page for each query, or nothing without Chromium."""
    chromium = shutil.which("chromium")
    if chromium is None or find_spec("playwright") is None:
        return {}
    from playwright.sync_api import sync_playwright

    found = {}
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page()
        for query in FIRST:
            tab.goto(f"{(SITE / 'search.html').as_uri()}?q={quote_plus(query)}")
            link = tab.locator("ul.search > li > a").first.get_attribute("href", timeout=20_000) or ""
            found[query] = urlsplit(link).path.removesuffix(".html")
        browser.close()
    return found


def main() -> None:
    """Check all pages."""
    own = (path for path in SITE.rglob("*.html") if path.relative_to(SITE).parts[0] not in ("explorer", "_static"))
    pages = sorted(own)
    outside: set[str] = set()
    problems = []
    for path in pages:
        name = path.relative_to(SITE)
        links = [*page(path).links, *page(path).loaded]
        problems += [f"{name}: {link} leads nowhere" for link in links if is_broken(path, link)]
        loaded = [link for link in page(path).loaded if urlsplit(link).netloc]
        problems += [f"{name}: loads {link} from another host" for link in loaded]
        outside |= {link for link in page(path).links if urlsplit(link).netloc}
        if path.stat().st_size > LARGEST:
            problems.append(f"{name}: {path.stat().st_size:,} bytes, of {LARGEST:,} at most")
        sidebar = re.search(r'<nav class="bd-docs-nav.*?</nav>', path.read_text(encoding="utf-8"), re.DOTALL)
        if sidebar and "<li" not in sidebar[0]:
            problems.append(f"{name}: an empty sidebar")
    problems += [f"{path.relative_to(SITE)}: more than two clicks from the start" for path in far_away(pages)]
    answers = searched()
    problems += [
        f"search {query!r}: {page} first, not {FIRST[query]}" for query, page in answers.items() if page != FIRST[query]
    ]
    problems += [f"{link}: not a sound address" for link in outside if urlsplit(link).scheme != "https"]
    if "--list" in sys.argv:
        print("\n".join(sorted(outside)))
    if problems or not pages:
        sys.exit("\n".join(problems) or f"no pages in {SITE}: make docs builds them")
    print(f"{len(pages)} pages, no broken link, each at most two clicks away; {len(outside)} links to other sites")
    print(
        f"{len(answers)} searches find their page first"
        if answers
        else "search not tried: it needs Playwright and Chromium"
    )


if __name__ == "__main__":
    main()
