"""Start the explorer's server on a socket, and print its URL."""

from __future__ import annotations

import contextlib
import socket
import sys
import webbrowser
from typing import Any, Final

from macrof1.errors import InputError, MissingExtraError
from macrof1.message import Argument, Message

PORT: Final = 8911  # the default, unless it is taken: links survive a restart


def serve(*, host: str = "127.0.0.1", port: int | None = None, browser: bool = True, **page: Any) -> None:
    """Serve the explorer until interrupted; `page` as in `make_app`; port 0 picks a free one."""
    try:
        import uvicorn

        from macrof1.web.app import make_app
        from macrof1.web.security import is_loopback
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("fastapi", "starlette", "uvicorn", "pydantic"):
            raise
        raise MissingExtraError.needed(package="FastAPI and uvicorn", extra="web", purpose="the explorer") from None
    if not is_loopback(host):
        print(
            f"mf1: warning: {host} can be reached by other machines, and the explorer asks nobody for a password; "
            "the default, 127.0.0.1, can be reached from this machine only",
            file=sys.stderr,
        )
    app = make_app(host=host, **page)
    try:
        opened = _listen(host, PORT if port is None else port)
    except InputError:
        if port is not None:
            raise
        opened = _listen(host, 0)
        print(f"mf1: port {PORT} is taken: links from earlier sessions lead there", file=sys.stderr)
    taken = opened.getsockname()[1]
    address = f"http://{f'[{host}]' if ':' in host else host}:{taken}/"
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=2,
        timeout_keep_alive=30,
    )  # fmt: skip
    print(f"The explorer is at {address}  (Ctrl+C stops it)", flush=True)
    if browser:
        webbrowser.open(address)
    # uvicorn shuts down cleanly, and then re-raises Ctrl+C.
    with opened, contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[opened])


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise InputError.bad_value("port", port, expected="0 (a free one) to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(128)
    except OSError as error:
        opened.close()
        told = f"cannot listen on {host}, port {port} ({(error.strerror or str(error)).lower()})"
        expected, hint = "an address of this machine and a free port", Message(Argument("port", 0), " takes a free one")
        raise InputError(told, argument="port", given=port, expected=expected, hint=hint) from None
    return opened
