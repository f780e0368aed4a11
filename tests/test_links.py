"""Every link in the documentation works: to an existing file, an existing heading, or a well-formed URL."""

import re
from urllib.parse import urlsplit

import pytest

from .conftest import ROOT

PATTERNS = ("*.md", "docs/**/*.md", "examples/**/*.md")
PAGES = sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern) if "_build" not in path.parts)
FENCES = re.compile(r"^(```+|:::+).*?^\1\s*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)\)")
CARD = re.compile(r"^:link: (\S+)\n:link-type: doc$", re.MULTILINE)


def anchors(path):
    """Return the anchors of a page's headings, as MyST and GitHub make them."""
    text = FENCES.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#{1,3} (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"[`*$]|\[([^\]]*)\]\([^)]*\)", r"\1", title).strip().lower() for title in titles)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title)) for title in plain}


def links(path):
    text = re.sub(r"`[^`\n]*`", "", FENCES.sub("", path.read_text(encoding="utf-8")))
    return LINK.findall(text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    broken = []
    for link in links(path):
        address = urlsplit(link)
        if address.scheme:
            sound = address.scheme == "https" and "." in address.netloc and " " not in link
        else:
            target = (path.parent / address.path).resolve() if address.path else path
            sound = target.exists() and (not address.fragment or address.fragment in anchors(target))
        if not sound:
            broken.append(link)
    assert broken == []


def test_cards_and_menus_name_every_page():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert all((ROOT / "docs" / f"{name}.md").exists() for name in CARD.findall(index))
    names = ("index.md", "tutorials/index.md", "guide.md", "background.md", "reference/api.md")
    menus = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in names)
    trees = "\n".join(re.findall(r"```{toctree}\n(.*?)```", menus, re.DOTALL))
    listed = set(re.findall(r"(?:^|<)([\w/-]+)>?$", trees, re.MULTILINE))
    found = (path for path in PAGES if path.is_relative_to(ROOT / "docs"))
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in found}
    unlisted = {page for page in pages if page not in listed and page.rpartition("/")[2] not in listed}
    assert {page for page in unlisted if "generated" not in page} == {"index"}


def test_a_broken_link_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title\n[a](gone.md) [b](page.md#a-title) [c](#nothing) [d](http://insecure.org)\n")
    with pytest.raises(AssertionError, match=r"gone\.md"):
        test_links_lead_somewhere(page)
    assert anchors(page) == {"a-title"}
