"""Protection of the page and the server.

Another page in the same browser must not be able to use the server, neither through a domain name that resolves to it
(a foreign Host header) nor by cross-origin requests (a foreign Origin). The Content-Security-Policy restricts what the
page may load and run to files of this server, and nothing inline.
"""

from __future__ import annotations

import asyncio
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from macrof1.web.models import BODY_WITHIN, MOST_BODY, MOST_BYTES

_TOO_MUCH: Final = f"too much data: expected at most {MOST_BYTES // 2**20} MiB; the command mf1 takes more"

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-cache",
}


def is_loopback(host: str) -> bool:
    """Return whether a server that listens on this host is reachable only from this machine."""
    address = _address(host)
    return host.lower() == "localhost" or (address is not None and address.is_loopback)


def _address(host: str) -> Any:
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


class Guard:
    """Answer requests from this server's own page, or from programs that call it deliberately.

    On loopback, only loopback names are answered. Elsewhere, also every numeric address and the name of the `host` that
    the server listens on, but no foreign name that resolves to it.
    """

    def __init__(self, app: ASGIApp, *, host: str) -> None:
        self.app = app
        self.host = host.strip("[]").lower()
        self.local = is_loopback(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject foreign hosts and origins; pass the others on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._foreign(scope)
        if refused is None:
            await self.app(scope, receive, with_headers)
        else:
            await JSONResponse({"error": refused}, status_code=403)(scope, receive, with_headers)

    def _foreign(self, scope: Scope) -> str | None:
        hosts, origins = _header(scope, b"host"), _header(scope, b"origin")
        if len(hosts) != 1 or not self._known(hosts[0]):
            return "unknown Host header: expected the address that mf1 explore printed"
        foreign = any(origin.lower() != f"{scope['scheme']}://{hosts[0].lower()}" for origin in origins)
        if foreign or (scope["path"].startswith("/api") and "cross-site" in _header(scope, b"sec-fetch-site")):
            return "request from another page: expected one from the explorer's own page"
        return None

    def _known(self, header: str) -> bool:
        try:
            name = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        return is_loopback(name) or (not self.local and (name == self.host or _address(name) is not None))


async def body_of(request: Request) -> str:
    """Return the whole body as text, or refuse it if it is too large, whatever its header says, or too late."""
    declared, body = request.headers.get("content-length", "0"), bytearray()
    try:
        async with asyncio.timeout(BODY_WITHIN):
            if declared.isdecimal() and int(declared) <= MOST_BODY:
                async for piece in request.stream():
                    body += piece
                    if len(body) > MOST_BODY:
                        break
                else:
                    return body.decode("utf-8", "replace")
    except (TimeoutError, ClientDisconnect):
        raise HTTPException(408, f"the request did not arrive within {BODY_WITHIN:g} s") from None
    raise HTTPException(413, _TOO_MUCH)
