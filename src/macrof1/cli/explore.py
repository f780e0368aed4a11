"""`mf1 explore`: an interactive page about the gap."""

from __future__ import annotations

from macrof1.cli.parsing import Given


def explore(given: Given) -> None:
    """Open the explorer: a local page where you edit a confusion matrix and watch both macro F1s."""
    own, docs = None, given["docs"]
    if given.words:
        from macrof1.web.front_door import own_answer

        own = own_answer(given.words, rows=given["rows"])
    export = given["export"]
    if export is not None:
        from pathlib import Path

        from macrof1.web.export import export_site

        size = export_site(Path(export), pyodide=Path(given["pyodide"]), own=own, url=given["url"], docs=docs)
        print(f"{export}: {size / 1e6:.1f} MB of static files; serve the folder with any web server")
        return
    from macrof1.web.serve import serve

    serve(
        host=given["host"], port=given["port"], browser=given["browser"], own=own, docs=docs,
        public_url=given["public_url"],
    )  # fmt: skip
