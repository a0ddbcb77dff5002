"""A long import as a stream: events are read line by line, results are written line by line.

Each line of the response is a JSON object: `{"committed": N}` says that so many events are in the
journal, `{"problem": …}` what could not be imported, and the last one has the summary or the error.
"""

from __future__ import annotations

import io
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import anyio
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from ..core.errors import MeridiaError
from ..core.types import Acknowledgement, Outcome
from ..ingest.capture.service import CaptureSummary
from ..ingest.importers.import_reader import read
from ..ingest.importers.import_record import BlockFile, ImportRecord
from ..storage.api_keys import Access
from .dispatcher import Caller, Dispatcher
from .problems import CONTENT_TYPE, RequestRefused, encoded, headers_of, problem_of

_TYPE = "application/x-ndjson"
_PROGRESS_S = 1.0
#: Imports at once, and those of one key: each holds a thread for as long as its client sends.
_IMPORTS_MAX, _IMPORTS_OF_A_KEY_MAX = 8, 2


class _BodyFile(BlockFile):
    """The body of a request as a file, read from a thread of the import."""

    name = "body"

    def __init__(self, receive: Receive) -> None:
        super().__init__(self._received)
        self._receive = receive
        self._is_over = False

    def _received(self) -> bytes:
        body = b""
        while not body and not self._is_over:
            message = anyio.from_thread.run(self._next)
            if message["type"] == "http.disconnect":
                raise RequestRefused("client_timeout", "the client closed the connection")
            body, self._is_over = message.get("body", b""), not message.get("more_body")
        return body

    async def _next(self) -> Message:
        return await self._receive()


class ImportSlots:
    """Which imports run: few at once, and of one key only a share."""

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()

    @contextmanager
    def taken(self, key: str) -> Iterator[None]:
        """Hold a slot for a key; raise `RequestRefused` where none is free."""
        if self._running[key] >= _IMPORTS_OF_A_KEY_MAX:
            raise RequestRefused(
                "busy", "this key has too many imports running: try again later", 5
            )
        if self._running.total() >= _IMPORTS_MAX:
            raise RequestRefused("busy", "too many imports are running: try again later", 5)
        self._running[key] += 1
        try:
            yield
        finally:
            self._running[key] -= 1
            self._running += Counter()  # forgets the keys that have none


class ImportStream(Response):
    """The answer to an import; it begins with the first commit, so that errors have a status."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        slots: ImportSlots,
        caller: Caller,
        space: str | None,
        format: str,
        receive: Receive,
    ) -> None:
        super().__init__(media_type=_TYPE)
        self._dispatcher = dispatcher
        self._slots = slots
        self._key = caller.key.id
        self._memory = dispatcher.memory_for(caller, space, Access.WRITE)
        self._format = None if format == "auto" else format
        self._body = receive
        self._has_begun = False
        self._committed = 0
        self._reported_at = time.monotonic()

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Import, and tell of it."""
        self._send = send
        try:
            with self._slots.taken(self._key):
                summary = await anyio.to_thread.run_sync(self._import)
        except (MeridiaError, RequestRefused) as failure:
            await self._fail(failure)
        else:
            await self._line(_document(summary), more=False)
        finally:
            self._dispatcher.on_write()

    def _import(self) -> CaptureSummary:
        memory = self._memory
        source = io.BufferedReader(_BodyFile(self._body))
        with read(source, self._format) as records:
            summary = memory.import_records(records, memory.space, self._answered)
        return replace(summary, read=records.report)

    def _answered(self, record: ImportRecord, answer: Acknowledgement | MeridiaError) -> None:
        if isinstance(answer, MeridiaError):
            line = {"problem": f"{record.where}: {answer}", "code": answer.code}
            anyio.from_thread.run(self._line, line)
            return
        self._committed += 1
        if time.monotonic() - self._reported_at > _PROGRESS_S:
            self._reported_at = time.monotonic()
            anyio.from_thread.run(self._line, {"committed": self._committed})

    async def _line(self, document: dict[str, Any], *, more: bool = True) -> None:
        if not self._has_begun:
            await self._begin(200, _TYPE, {})
        body = encoded(document) + b"\n"
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def _fail(self, error: MeridiaError | RequestRefused) -> None:
        status, document = problem_of(error)
        if not self._has_begun:
            body = encoded(document)
            size = {"content-length": str(len(body))}
            await self._begin(status, CONTENT_TYPE, size | headers_of(error))
            await self._send({"type": "http.response.body", "body": body})
        else:
            await self._line({"error": document, "committed": self._committed}, more=False)

    async def _begin(self, status: int, type: str, headers: dict[str, str]) -> None:
        self._has_begun = True
        pairs = {"content-type": type, **headers}
        raw = [(name.encode(), value.encode()) for name, value in pairs.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})


def _document(summary: CaptureSummary) -> dict[str, Any]:
    return {
        "done": True,
        **{outcome.value: summary.total(outcome) for outcome in Outcome},
        "redacted": dict(summary.redacted),
        "cleaned": dict(summary.cleaned),
        "cut": summary.cut,
        "forgotten": summary.forgotten,
        "read": summary.read and summary.read.as_json(),
    }


def import_documentation() -> dict[str, Any]:
    """Return what OpenAPI says of an import."""
    example = '{"kind": "user_message", "payload": {"text": "Hello"}}\n'
    return {
        "summary": "Import many events as a stream",
        "description": (
            "One event in the native form on each line, or with `format` a file of another known "
            "format. The answer is a stream of JSON lines. Needs write access."
        ),
        "openapi_extra": {
            "requestBody": {
                "required": True,
                "content": {_TYPE: {"schema": {"type": "string"}, "example": example}},
            }
        },
        "responses": {
            200: {
                "description": "JSON lines: what was committed, what was refused, a summary",
                "content": {_TYPE: {"schema": {"type": "string"}}},
            }
        },
    }
