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
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from macrof1.web.models import BODY_WITHIN, HEADERS_WITHIN, MOST_BODY, MOST_BYTES

BUG: Final = "something went wrong in the server: a bug; its terminal says what"
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
    if host.lower() == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def _address(host: str) -> Any:
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


def _refusal(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": message}, status_code=status)


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


class SameSite:
    """Answer only requests from this server's own page or from programs that call it deliberately.

    Parameters
    ----------
    host
        The host that the server listens on. On loopback, only loopback names are answered. Elsewhere, also every
        numeric address and the given name, but no foreign name that resolves to this server.
    """

    def __init__(self, app: ASGIApp, *, host: str) -> None:
        self.app = app
        self.host = host.strip("[]").lower()
        self.local = is_loopback(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject foreign hosts and origins."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        hosts, origins = _header(scope, b"host"), _header(scope, b"origin")
        if len(hosts) != 1 or not self._known(hosts[0]):
            refused = _refusal(403, "unknown Host header: expected the address that mf1 explore printed")
            await refused(scope, receive, send)
            return
        foreign = any(origin.lower() != f"{scope['scheme']}://{hosts[0].lower()}" for origin in origins)
        crossing = scope["path"].startswith("/api") and "cross-site" in _header(scope, b"sec-fetch-site")
        if foreign or crossing:
            refused = _refusal(403, "request from another page: expected one from the explorer's own page")
            await refused(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _known(self, header: str) -> bool:
        try:
            name = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        if is_loopback(name):
            return True
        return not self.local and (name == self.host or _address(name) is not None)


class BodyLimit:
    """Reject bodies that are too large, whether declared in the header or simply streamed."""

    def __init__(self, app: ASGIApp, *, most: int = MOST_BODY) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the whole body, and pass it on if it is small enough."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        declared = _header(scope, b"content-length")
        if declared and (not declared[0].isdecimal() or int(declared[0]) > self.most):
            await _refusal(413, _TOO_MUCH)(scope, receive, send)
            return
        try:
            body = await asyncio.wait_for(self._read(receive), BODY_WITHIN)
        except TimeoutError:
            await _refusal(408, f"the request did not arrive within {BODY_WITHIN:g} s")(scope, receive, send)
            return
        except OverflowError:
            await _refusal(413, _TOO_MUCH)(scope, receive, send)
            return
        if body is None:
            return
        whole: Message = {"type": "http.request", "body": body, "more_body": False}
        handed = False

        async def replay() -> Message:
            nonlocal handed
            if handed:
                return await receive()
            handed = True
            return whole

        await self.app(scope, replay, send)

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the body; None if the client disconnected."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            part = message.get("body", b"")
            size += len(part)
            if size > self.most:
                raise OverflowError
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)


class SafeHeaders:
    """Add the security headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers that are missing."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


class PromptProtocol(H11Protocol):
    """uvicorn's protocol with a deadline for the headers of every request on a connection."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timer."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Stop the timer once the headers are complete; a partial next request restarts it."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADERS_WITHIN, self._late)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        self._deadline = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()
