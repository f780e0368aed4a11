"""`mf1 explore`: an interactive page about the gap."""

from __future__ import annotations

from macrof1.cli.options import MatrixRows


def explore(
    file: str | None = None,
    /,
    *,
    rows: MatrixRows = None,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
    export: str | None = None,
    pyodide: str = "node_modules/pyodide",
    url: str | None = None,
    docs: str | None = None,
) -> None:
    """Open the explorer: a local page where you edit a confusion matrix and watch both macro F1s.

    Parameters
    ----------
    file
        Predictions or a confusion matrix to start with.
    host
        The address to listen on; other machines can reach any but the default.
    port
        The port to listen on; 0 takes a free one.
    browser
        Whether to open the page in a browser.
    export
        Write the explorer into this folder as static files, which any web server can serve, instead of opening it.
    pyodide
        For an export: the folder of the npm package pyodide, which is Python for the browser.
    url
        For an export: the address where it will be served, such as https://example.org/f1/. Previews of links need it.
    docs
        The address of the documentation, for a link on the page; relative to it, such as ../, or with https://.
    """
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
