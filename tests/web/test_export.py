"""The export runs on the standard library alone, a missing extra is named, and links lead somewhere."""

import io
import subprocess
import sys
import zipfile
from importlib.resources import files

import pytest

import macrof1
from macrof1.web.export import linked

from .conftest import expect

BLOCKED = """
import importlib.abc, json, sys

class Block(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"numpy", "polars", "narwhals", "altair", "fastapi", "starlette", "pydantic"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Block())
sys.path.insert(0, sys.argv[1])
from macrof1.web.routes import answer

matrix = {"labels": ["x", "y"], "matrix": [[100, 10000], [0, 100]]}
score = answer("POST", "/api/score", json.dumps(matrix))
audit = answer("POST", "/api/audit", '{"precision": "0.2937", "recall": "0.2283", "f1": "0.2095"}')
read = answer("POST", "/api/open", '{"files": [{"text": "1,2\\\\n3,4\\\\n"}]}')
gallery = answer("GET", "/api/gallery")
plane = answer("GET", "/api/plane")
board = "name,a precision,a recall,b precision,b recall\\nx,0.5,0.6,0.7,0.8\\ny,0.6,0.5,0.8,0.7\\n"
compared = answer("POST", "/api/compare", json.dumps({"text": board}))
needs = answer("POST", "/api/open", '{"files": [{"text": "gold,pred\\\\na,b\\\\n"}]}')
print(score.status, audit.status, read.status, gallery.status, plane.status, compared.status, needs.status, needs.text)
"""


def test_the_packed_library_answers_without_any_other_library(tmp_path):
    from macrof1.web.export import _sources, packed

    zipfile.ZipFile(io.BytesIO(packed(_sources(files("macrof1"), "macrof1")))).extractall(tmp_path)
    command = [sys.executable, "-I", "-c", BLOCKED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("200 200 200 200 200 200 501 "), done.stderr
    assert "this needs the explorer on your own machine" in done.stdout


@pytest.mark.parametrize("missing", ["fastapi", "starlette", "uvicorn"])
def test_without_the_extra_the_message_says_which_to_install(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; from macrof1.web.serve import serve; serve(browser=False)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtraError: the explorer needs FastAPI and uvicorn" in done.stderr


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
