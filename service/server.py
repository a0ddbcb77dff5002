"""Runs the service: uvicorn over the HTTP API, with limits on slow clients and a clean shutdown.

On SIGTERM nothing new is accepted, running requests are finished, the worker ends after its batch,
and the journal is closed.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ..core.errors import InvalidInput, Refused, Unavailable
from ..core.settings import ServiceSettings
from ..memory import Memory
from .http_app import create_app
from .monitoring import configure_logs
from .request_limits import is_loopback

_BACKLOG = 512


def serve(memory: Memory, *, needs_keys: bool, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `on_ready` hears the address. Closes the memory.

    Raises `Refused` where no keys are wanted on an address that others reach, and `Unavailable`
    where the address cannot be had.
    """
    server, listening = open_server(memory, needs_keys=needs_keys)
    configure_logs()
    address, port, *_ = listening.getsockname()
    on_ready(f"http://{f'[{address}]' if ':' in address else address}:{port}")
    server.run(sockets=[listening])


def open_server(memory: Memory, *, needs_keys: bool) -> tuple[uvicorn.Server, socket.socket]:
    """Return a server that is not running yet, and the socket that it listens on."""
    settings = memory.settings.service
    if not needs_keys and not is_loopback(settings.address):
        raise Refused(
            f"without keys the service listens on this machine only, not on {settings.address}: "
            "use 127.0.0.1, or make a key with `meridia keys create`"
        )
    listening = _listen(settings)
    config = uvicorn.Config(
        create_app(memory, needs_keys=needs_keys),
        http=type("Protocol", (PatientProtocol,), {"transfer_s": settings.transfer_s}),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=settings.drain_s,
        timeout_keep_alive=int(max(5, settings.transfer_s)),
    )
    return uvicorn.Server(config), listening


def _listen(settings: ServiceSettings) -> socket.socket:
    try:
        family, *_, where = socket.getaddrinfo(
            settings.address, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(where[:2], family=family, backlog=_BACKLOG)
    except socket.gaierror as error:
        raise InvalidInput(
            f"{settings.address!r} is not a valid address: {error.strerror}"
        ) from None
    except OSError as error:
        raise Unavailable(
            f"cannot listen on {settings.address}:{settings.port}: {error.strerror}"
        ) from None


class PatientProtocol(H11Protocol):
    """uvicorn's protocol, which also ends who sends no whole headers or reads nothing in time."""

    transfer_s = 20.0
    _waits: asyncio.TimerHandle | None = None
    _reads: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        # An answer's body would wait until the client, after 40 ms, says that it has the head:
        # asyncio does this only for sockets that name their protocol, which ours does not.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Wait on, or no longer."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        if self._waits is not None:
            self._waits.cancel()
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for the client to read: closing would wait for it too, for ever."""
        super().pause_writing()
        self._expect_less(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Wait for no reading any more."""
        if self._reads is not None:
            self._reads.cancel()
        super().resume_writing()

    def _expect_less(self, unread: int) -> None:
        self._reads = self.loop.call_later(self.transfer_s, self._abort_unless_less, unread)

    def _abort_unless_less(self, than: int) -> None:
        unread = self.transport.get_write_buffer_size()
        if unread < than:
            self._expect_less(unread)
        else:
            self.transport.abort()

    def _watch(self) -> None:
        if not self._is_idle() and self._waits is not None:
            self._waits.cancel()
            self._waits = None
        elif self._is_idle() and self._waits is None:
            self._waits = self.loop.call_later(self.transfer_s, self._end)

    def _end(self) -> None:
        self._waits = None
        if self._is_idle():
            self.transport.close()

    def _is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete
