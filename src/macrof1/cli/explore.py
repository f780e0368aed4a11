"""`mf1 explore`: an interactive page about the gap."""

from __future__ import annotations

from typing import Annotated

from macrof1.cli.options import MatrixRows


def explore(
    file: Annotated[str | None, "Predictions or a confusion matrix to start with."] = None,
    /,
    *,
    rows: MatrixRows = None,
    host: Annotated[str, "The address to listen on; other machines can reach any but the default."] = "127.0.0.1",
    port: Annotated[int, "The port to listen on; 0 takes a free one."] = 0,
    browser: Annotated[bool, "Whether to open the page in a browser."] = True,
    export: Annotated[
        str | None,
        "Write the explorer into this folder as static files, which any web server can serve, instead of opening it.",
    ] = None,
    pyodide: Annotated[
        str, "For an export: the folder of the npm package pyodide, which is Python for the browser."
    ] = "node_modules/pyodide",
    url: Annotated[
        str | None,
        "For an export: the address where it will be served, such as https://example.org/f1/. Previews of links "
        "need it.",
    ] = None,
    docs: Annotated[
        str | None,
        "The address of the documentation, for a link on the page; relative to it, such as ../, or with https://.",
    ] = None,
) -> None:
    """Open the explorer: a local page where you edit a confusion matrix and watch both macro F1s."""
    own = None
    if file is not None:
        from macrof1.web.responses import own_matrix

        own = own_matrix(file, rows=rows)
    if export is not None:
        from pathlib import Path

        from macrof1.web.export import export_site

        size = export_site(Path(export), pyodide=Path(pyodide), own=own, url=url, docs=docs)
        print(f"{export}: {size / 1e6:.1f} MB of static files; serve the folder with any web server")
        return
    from macrof1.web.serve import serve

    serve(host=host, port=port, browser=browser, own=own, docs=docs)
