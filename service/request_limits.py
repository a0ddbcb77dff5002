"""The checks that every request passes first: where it comes from, key, rate, size and time.

An ASGI middleware. It also gives each request an id, counts it and logs it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..core.errors import MeridiaError
from ..core.settings import ServiceSettings
from .dispatcher import Dispatcher
from .inspector.pages import is_page
from .monitoring import Metrics, tracer
from .problems import CONTENT_TYPE, RequestRefused, encoded, headers_of, problem, problem_of

#: Paths that anybody may ask for: they name no space and no memory.
OPEN_PATHS = frozenset({"/healthz", "/readyz", "/metrics", "/openapi.json"})
#: Bodies that are read while they are worked on.
STREAMED_PATHS = frozenset({"/v1/import"})
#: What browsers say of a request that no other site's page made.
_OWN_SITES = frozenset({"same-origin", "none"})
_BUCKETS_MAX = 10_000
#: NUL, and bytes that are no UTF-8: what no JSON text holds as it is.
_UNFIT = re.compile("[\0\udc80-\udcff]")


class RequestRates:
    """How often each caller asked lately: a bucket of tokens that fills up again."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def check(self, caller: str) -> None:
        """Count a request; raise `RequestRefused` where there were too many."""
        if not self._per_minute:
            return
        now, full, per_second = self._clock(), float(self._per_minute), self._per_minute / 60
        tokens, at = self._buckets.pop(caller, (full, now))
        tokens = min(full, tokens + (now - at) * per_second)
        is_allowed = tokens >= 1
        self._buckets[caller] = (tokens - 1 if is_allowed else tokens), now
        while len(self._buckets) > _BUCKETS_MAX:
            self._buckets.popitem(last=False)
        if not is_allowed:
            wait_s = int((1 - tokens) / per_second) + 1
            raise RequestRefused(
                "rate_limited", "too many requests: wait before you send more", wait_s
            )


def is_loopback(address: str) -> bool:
    """Say whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


class PatientReceive:
    """Receives a body that comes fast enough; raises `RequestRefused` for one that does not.

    Only waiting for the client counts. It may keep us waiting for `transfer_s`; each byte gives
    back what it may take at `bytes_per_s_min`. In all a body has `total_s` to come.
    """

    def __init__(self, receive: Receive, settings: ServiceSettings, total_s: float) -> None:
        self._receive = receive
        self._most_s = self._patience_s = settings.transfer_s
        self._rate = settings.bytes_per_s_min
        self._total_s = total_s
        self._end = time.monotonic() + total_s

    async def __call__(self) -> Message:
        """Return the next message."""
        began = time.monotonic()
        left_s = self._end - began
        if left_s <= 0:
            raise self._refusal(f"more than {self._total_s:g} s in all")
        try:
            message = await asyncio.wait_for(self._receive(), min(self._patience_s, left_s))
        except TimeoutError:
            slow = f"less than {self._rate:,} bytes a second, or more than {self._total_s:g} s"
            raise self._refusal(slow) from None
        came_s = len(message.get("body", b"")) / self._rate
        left_s = self._patience_s - (time.monotonic() - began) + came_s
        self._patience_s = max(0.0, min(self._most_s, left_s))
        return message

    def _refusal(self, why: str) -> RequestRefused:
        return RequestRefused(
            "client_timeout", f"the body arrived too slowly ({why}): send it faster, or in parts"
        )


class RequestLimits:
    """The middleware: it refuses, or hands on with `caller` in the request's state."""

    def __init__(self, app: ASGIApp, dispatcher: Dispatcher, metrics: Metrics) -> None:
        self._app = app
        self._dispatcher = dispatcher
        self._metrics = metrics
        self._settings = dispatcher.settings
        self._rates = RequestRates(self._settings.requests_per_minute)
        self._log = structlog.get_logger("meridia.request")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, answer = time.perf_counter(), _Reply(send, self._settings.transfer_s)
        with tracer.start_as_current_span(f"{scope['method']} {scope['path']}") as span:
            try:
                await self._serve(scope, receive, answer)
            except (MeridiaError, RequestRefused) as refusal:
                await answer.problem(refusal)
            except TimeoutError:
                # The client reads no more: there is nobody to tell.
                answer.status = answer.status or 408
            except Exception:  # noqa: BLE001 - the edge: it is logged, and answered
                self._log.exception("request_failed", request=answer.id)
                await answer.failure()
            span.set_attribute("http.response.status_code", answer.status)
        seconds = time.perf_counter() - began
        route = scope.get("route")
        operation = str(getattr(route, "path", "other"))
        self._metrics.count(operation, answer.status, seconds)
        self._log.info(
            "request",
            request=answer.id,
            method=scope["method"],
            operation=operation,
            status=answer.status,
            ms=round(seconds * 1000, 1),
            key=scope["state"]["caller"].key.id if "caller" in scope.get("state", {}) else None,
        )

    async def _serve(self, scope: Scope, receive: Receive, answer: _Reply) -> None:
        headers = Headers(scope=scope)
        client = scope.get("client") or ("unknown",)
        path = scope["path"]
        is_open = path in OPEN_PATHS or is_page(path) or scope["method"] == "OPTIONS"
        if not self._dispatcher.needs_keys:
            self._check_page(headers, is_open=is_open)
        if not is_open:
            try:
                caller = self._dispatcher.caller(headers.get("authorization"))
            except RequestRefused:
                self._rates.check(f"address {client[0]}")
                raise
            scope.setdefault("state", {})["caller"] = caller
            self._rates.check(caller.key.id)
        if path in STREAMED_PATHS:
            patient = PatientReceive(receive, self._settings, self._settings.import_s)
            await self._app(scope, patient, answer)
            return
        body = await self._body(headers, receive)
        await self._app(scope, _replayed(_readable(body), receive), answer)

    def _check_page(self, headers: Headers, *, is_open: bool) -> None:
        """Where no key is needed, refuse what another site's page makes a browser ask.

        A page reaches this machine by an address of it, or by a name of its own that leads here.
        An image or a script comes without an `Origin`, but the browser says from which site.
        """
        address = headers.get("host", "")
        try:
            is_local = "@" not in address and is_loopback(urlsplit(f"//{address}").hostname or "")
        except ValueError:
            is_local = False
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        is_own = origin in (None, f"http://{address}") and site in _OWN_SITES
        is_allowed = is_open or is_own or origin in self._settings.cors_origins
        if not is_local or not is_allowed:
            raise RequestRefused("refused", "without keys, only this machine may send requests")

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        """Read a body whole, no larger and no slower than the settings allow."""
        most, body = self._settings.body_bytes_max, bytearray()
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > most:
            raise RequestRefused("too_large", f"the body is larger than {most:,} bytes")
        patient = PatientReceive(receive, self._settings, self._settings.timeout_s)
        while True:
            message = await patient()
            body += message.get("body", b"")
            if len(body) > most:
                raise RequestRefused("too_large", f"the body is larger than {most:,} bytes")
            if message["type"] == "http.disconnect" or not message.get("more_body"):
                return bytes(body)


class _Reply:
    """Sends an answer, no slower than allowed, with the id of the request; knows its status."""

    def __init__(self, send: Send, transfer_s: float) -> None:
        self._send = send
        self._transfer_s = transfer_s
        self.id = uuid.uuid4().hex
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["x-request-id"] = self.id
            headers["x-content-type-options"] = "nosniff"
            headers["cache-control"] = "no-store"
        await asyncio.wait_for(self._send(message), self._transfer_s)

    async def problem(self, refusal: MeridiaError | RequestRefused) -> None:
        """Answer with a problem, unless an answer has begun."""
        await self._whole(*problem_of(refusal), headers_of(refusal))

    async def failure(self) -> None:
        """Answer that something went wrong that nobody foresaw."""
        await self._whole(
            *problem("failed", f"an unexpected error; the log has it under request {self.id}"), {}
        )

    async def _whole(self, status: int, document: dict[str, Any], headers: dict[str, str]) -> None:
        if self.status:
            return
        body = encoded(document)
        raw = {"content-type": CONTENT_TYPE, "content-length": str(len(body)), **headers}
        pairs = [(name.encode(), value.encode()) for name, value in raw.items()]
        await self({"type": "http.response.start", "status": status, "headers": pairs})
        await self({"type": "http.response.body", "body": body})


def _readable(body: bytes) -> bytes:
    """Return a body in which what JSON cannot hold is escaped: see `cleaning`."""
    try:
        text = body.decode("utf-8")
        if b"\0" not in body:
            return body
    except UnicodeDecodeError:
        text = body.decode("utf-8", "surrogateescape")
    return _UNFIT.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text).encode("utf-8")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body that was read, and then what comes after it."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
