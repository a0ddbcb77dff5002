"""A language model's server on loopback that answers as scripted: well, badly, slowly, or by half.

It speaks the two protocols that the model client knows, chat completions and messages
(`/v1/chat/completions`, `/v1/messages`), over real HTTP. It holds no model; the script says what
is "answered".
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it arrived; header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def format(self) -> str:
        """Which form of answer is asked for: json_schema, json_object or text."""
        asked = self.body.get("response_format") or {}
        structured = (self.body.get("output_config") or {}).get("format") or {}
        return str(asked.get("type") or structured.get("type") or "text")

    @property
    def words(self) -> str:
        """All that the model is told, system and user alike, as JSON text."""
        return json.dumps([self.body.get("system"), self.body["messages"]], ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server does with one request; the defaults are a good answer, `text`."""

    text: str | None = "{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    wait_s: float = 0.0  # before the first byte
    drip_s: float = 0.0  # between every ten bytes of the body
    cut: bool = False  # half of the promised body, then the connection closes
    drop: bool = False  # the connection closes before any byte
    raw: str | None = None  # the body as it stands (surrogates: bytes), instead of one of `text`
    usage: bool = True
    finish: str | None = None
    empty: bool = False  # a list of choices, or of content, with nothing in it

    def body(self, messages: bool) -> bytes:
        """Return the body in one of the dialects: `messages`, or chat completions."""
        if self.raw is not None:
            return self.raw.encode("utf-8", "surrogateescape")
        if self.status >= 400:
            return json.dumps({"error": {"message": self.text, "type": "scripted"}}).encode()
        return json.dumps(self._message() if messages else self._completion()).encode()

    def _completion(self) -> Json:
        message = {"role": "assistant", "content": self.text}
        choice = {"index": 0, "message": message, "finish_reason": self.finish or "stop"}
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "scripted-1",
            "choices": [] if self.empty else [choice],
            **({"usage": usage} if self.usage else {}),
        }

    def _message(self) -> Json:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "scripted-1",
            "content": [] if self.empty else [{"type": "text", "text": self.text}],
            "stop_reason": self.finish or "end_turn",
            "stop_sequence": None,
            **({"usage": {"input_tokens": 11, "output_tokens": 7}} if self.usage else {}),
        }


Script = Callable[[Received], Reply]


class ModelServer:
    """The running server: what it will answer, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}"
        self.received: list[Received] = []
        self.by_rule: Script = lambda request: Reply()
        self._script: deque[Reply] = deque()
        self._lock = threading.Lock()
        self.leaving = threading.Event()

    @property
    def formats(self) -> list[str]:
        """The forms of answer asked for, one a request."""
        return [request.format for request in self.received]

    def will(self, *replies: Reply) -> None:
        """Answer with these, in order, and by `by_rule` when they are used up."""
        self._script.extend(replies)

    def take(self, request: Received) -> Reply:
        """Note the request and return the reply to it."""
        with self._lock:
            self.received.append(request)
            if self._script:
                return self._script.popleft()
        return self.by_rule(request)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    model: ClassVar[ModelServer]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.model.take(Received(self.path, headers, body))
        if self.model.leaving.wait(reply.wait_s):
            return
        try:
            self._send(reply)
        except ConnectionError:
            self.close_connection = (
                True  # the client gave up first, which is what some tests are for
            )

    def _send(self, reply: Reply) -> None:
        if reply.drop:
            self.close_connection = True
            return
        body = reply.body(messages="/v1/messages" in self.path)
        self.send_response(reply.status)
        for name, value in {"content-type": reply.content_type, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if reply.cut:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        step = 10 if reply.drip_s else len(body)
        for start in range(0, len(body), step or 1):
            self.wfile.write(body[start : start + step])
            time.sleep(reply.drip_s)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing: tests read `received`."""


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Run a scripted server on a free port of loopback."""
    handler: type[_Handler] = type("Handler", (_Handler,), {})
    http = _Http(("127.0.0.1", 0), handler)
    server = handler.model = ModelServer(http.server_address[1])
    thread = threading.Thread(
        target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.leaving.set()
        http.shutdown()
        http.server_close()
        thread.join()
