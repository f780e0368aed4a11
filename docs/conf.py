"""How the site is built: offline, with nothing loaded from another host."""

from __future__ import annotations

import sys
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

sys.path.insert(0, str(Path(__file__).parent))

import macrof1

project = "macrof1"
author = "The macrof1 developers"
copyright = "the macrof1 developers"  # noqa: A001  # Sphinx's own name
version = release = macrof1.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx_design", "commands"]
exclude_patterns = ["_build", "images"]
nitpicky = False

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
# Example sessions end in an empty line, so that they can be run one after the other.
highlight_language = "none"

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "macrof1"
html_static_path = ["_static", "images"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "scorer.js")
# Pages of the top row without pages below them have nothing to show beside the text.
html_sidebars = {page: [] for page in ("index", "install", "start", "gallery", "search", "genindex")}
# The explorer as static files, which `make docs` exports where npm is there: served at explorer/.
_EXPORTED = Path(__file__).parents[1] / "build" / "pages"
html_extra_path = [str(_EXPORTED)] if (_EXPORTED / "explorer" / "index.html").exists() else []
if html_extra_path:
    tags.add("explorer")  # noqa: F821  # Sphinx's own name
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}


def _visit_math(translator, node: nodes.math) -> None:
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _visit_math_block(translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app) -> None:
    """Write formulas as MathML, which browsers draw by themselves: no script is needed."""
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_math_block, None))
