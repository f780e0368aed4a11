"""What the page links to is there."""

import pytest

import macrof1
from macrof1.web.export import linked

from .conftest import expect


def test_the_documentation_is_linked_where_its_address_is_known():
    page = '<p><span id="documentation"></span>Source</p>'
    assert linked(page, "../index.html") == '<p><a href="../index.html">Documentation</a>. Source</p>'
    assert linked(page, None) == "<p>Source</p>"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "docs", 'https://x"><script>', "//a b", ""])
def test_what_is_no_address_is_not_linked(address):
    with pytest.raises(macrof1.InputError, match="is not a valid address: expected one that begins with https://"):
        linked("", address)


def test_links_of_the_page_lead_somewhere(look, server):
    page = look()
    foot = page.locator("footer.foot")
    expect(foot.get_by_role("link", name="Macro F1 and Macro F1")).to_have_attribute(
        "href", "https://arxiv.org/abs/1911.03347"
    )
    target = foot.get_by_role("link", name="the JSON interface").get_attribute("href")
    assert page.request.get(f"{server.address}{target}").ok
