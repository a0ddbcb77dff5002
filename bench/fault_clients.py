"""Kinds of faults that clients of the service make: slow bodies, and pages of other sites.

Each is a function that returns what went wrong: who held others up, what was answered or stored.
"""

from __future__ import annotations

import http.client
import http.server
import json
import logging
import random
import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from html import escape
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import structlog

from bench.fault_checks import QUICK, SPACE, message, wrong_in
from meridia.core.settings import ServiceSettings
from meridia.memory import Memory
from meridia.service.operations import OPERATIONS
from meridia.service.server import open_server
from meridia.storage.api_keys import Access
from tests.chromium import NAMES, running_browser

_LIMITS = ServiceSettings(port=0, poll_s=60, transfer_s=1, timeout_s=3, import_s=3)
_SLOW_CLIENTS, _HELD_S = 12, 8.0
#: How long an import of one line may take beside them.
_LONG_S = 2.0
_PATHS = ("/v1/remember", "/v1/recall", "/v1/import", "/mcp")
#: What a page can ask for without a script: the element, and where the address stands in it.
_ELEMENTS = (
    '<img src="{}">',
    '<script src="{}"></script>',
    '<link rel="stylesheet" href="{}">',
    '<link rel="prefetch" href="{}">',
    '<iframe src="{}"></iframe>',
    '<object data="{}"></object>',
    '<video src="{}"></video>',
    "<style>body {{ background: url('{}') }}</style>",
)
#: What it does with one: `url` is the address, `body` a JSON document.
_SCRIPTS = (
    "fetch(url, {mode: 'no-cors'})",
    "fetch(url, {mode: 'no-cors', method: 'POST', body: body})",
    "navigator.sendBeacon(url, body)",
    "window.open(url)",
    "new EventSource(url)",
)


@contextmanager
def running_service(path: Path, *, needs_keys: bool) -> Iterator[tuple[int, Memory]]:
    """Run a service in a thread; yield its port and its memory."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    settings = QUICK.model_copy(update={"service": _LIMITS})
    memory = Memory(path, SPACE, settings)
    server, listening = open_server(memory, needs_keys=needs_keys)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield listening.getsockname()[1], memory
    finally:
        server.should_exit = True
        thread.join()


def slow_bodies(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Send bodies in drips, at once and by one key: each ends with 408, and others are served."""
    path, wrong, acknowledged = folder / "slow.db", list[str](), list[str]()
    for turn in range(rounds):
        with running_service(path, needs_keys=True) as (port, memory):
            keys = [memory.parts.api_keys.create(Access.WRITE, (SPACE,))[1] for _ in range(2)]
            with ThreadPoolExecutor(_SLOW_CLIENTS) as pool:
                dripping = [
                    pool.submit(_drip, port, draw.choice(_PATHS), keys[0], draw.uniform(0.05, 0.9))
                    for _ in range(_SLOW_CLIENTS)
                ]
                wrong += _imports_beside(port, keys[1], draw, f"b{turn}", acknowledged)
                ends = [drip.result() for drip in dripping]
            wrong += [
                f"a slow body ended with {end[:60]!r}" for end in ends if not _is_problem(end)
            ]
    return wrong + wrong_in(path, acknowledged)


def _imports_beside(
    port: int, key: str, draw: random.Random, name: str, acknowledged: list[str]
) -> list[str]:
    """Import some events while others send slowly; return which took long or were refused."""
    wrong = []
    for number in range(5):
        id, began = f"{name}-{number}", time.monotonic()
        payload = {"text": message(id)["text"]}
        line = json.dumps({"id": id, "kind": "user_message", "payload": payload})
        status = _post(port, "/v1/import", key, line)
        took_s = time.monotonic() - began
        if status == HTTPStatus.OK:
            acknowledged.append(id)
        if status != HTTPStatus.OK or took_s > _LONG_S:
            wrong.append(f"an import beside slow bodies: {status} after {took_s:.1f} s")
        time.sleep(draw.uniform(0, 0.5))
    return wrong


def _is_problem(answer: bytes) -> bool:
    """Say whether a slow body was told so, or that its key has other imports running."""
    refused = answer.startswith((b"HTTP/1.1 408", b"HTTP/1.1 503"))
    return refused and b"application/problem+json" in answer


def _drip(port: int, path: str, key: str, pause_s: float) -> bytes:
    """Send a byte now and then; return the answer, nothing where none came in time."""
    end = time.monotonic() + _HELD_S
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(pause_s)
        connection.sendall(
            f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
            "Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n".encode()
        )
        while time.monotonic() < end:
            try:
                connection.sendall(b" ")
            except OSError:
                return b"" if time.monotonic() >= end else _read(connection)
            if answer := _read(connection):
                return answer
    return b""


def _read(connection: socket.socket) -> bytes:
    try:
        return connection.recv(4000)
    except OSError:
        return b""


def _post(port: int, path: str, key: str, body: str) -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("POST", path, body, {"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        answer.read()
        return answer.status


def foreign_pages(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Open pages of other sites in a real browser: nothing of a service without keys answers them.

    They are on another port, under another name of this machine, and under a name of their own that
    leads here (as after DNS rebinding), there with the service's own port.
    """
    path, wrong = folder / "pages.db", list[str]()
    if not any(map(shutil.which, NAMES)):
        print("pages: left out, there is no Chromium")
        return []
    with running_service(path, needs_keys=False) as (port, memory):
        acknowledged = [memory.remember(**message(f"p{n}", person="Dana")).event_id for n in (0, 1)]
        memory.enrich()
        for _ in range(rounds):
            before = _tables(path)
            page = _page(port, draw)
            answered = _answers(page, port)
            wrong += [f"answered with {status}: {url}" for url, status in answered]
            if _tables(path) != before:
                wrong.append(
                    f"a page of another site had something stored: {_tables(path) ^ before}"
                )
    return wrong + wrong_in(path, acknowledged)


def _page(port: int, draw: random.Random) -> str:
    """Return a page that asks for every operation in some ways."""
    parts, given = [], {"person": "Dana", "question": "heron", "address": "1", "text": "planted"}
    for operation in OPERATIONS:
        url = f"http://127.0.0.1:{port}{operation.path}?{urlencode(given)}"
        parts += [form.format(escape(url)) for form in draw.sample(_ELEMENTS, 3)]
        values = f"const url = {json.dumps(url)}, body = {json.dumps(json.dumps(given))};"
        parts += [f"<script>{{ {values} {run} }}</script>" for run in draw.sample(_SCRIPTS, 2)]
    return "<!doctype html>" + "\n".join(parts)


def _answers(page: str, port: int) -> list[tuple[str, int]]:
    """Open a page on three sites; return what the service answered other than with a refusal."""
    answered: list[tuple[str, int]] = []

    def note(response: Any) -> None:
        if f":{port}/v1/" in response.url and response.status != 403:
            answered.append((response.url, response.status))

    with (
        _serving(page) as own_port,
        running_browser("--host-resolver-rules=MAP evil.example 127.0.0.1") as browser,
    ):
        for address in (f"127.0.0.1:{own_port}", f"localhost:{own_port}"):
            context = browser.new_context()
            context.on("response", note)
            context.new_page().goto(f"http://{address}/", wait_until="load")
            time.sleep(1)
            context.close()
        context = browser.new_context()
        context.on("response", note)
        tab = context.new_page()
        tab.goto(f"http://evil.example:{port}/inspect")
        tab.evaluate("fetch('/v1/resume', {method: 'POST', body: '{\"person\": \"Dana\"}'})")
        tab.goto(f"http://evil.example:{port}/v1/people")
        context.close()
    return answered


@contextmanager
def _serving(page: str) -> Iterator[int]:
    """Serve a page on a port of its own."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def _tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as file:
        # The worker's lease is its own affair.
        return {line for line in file.iterdump() if not line.startswith('INSERT INTO "lease"')}
