"""Where the service listens, and where it refuses to."""

from __future__ import annotations

import socket
import time

import httpx
import pytest

from meridia.core.errors import InvalidInput, Refused, Unavailable
from meridia.core.settings import ServiceSettings, Settings
from meridia.memory import Memory
from meridia.service.request_limits import is_loopback
from meridia.service.server import open_server


def listen(**settings):
    with Memory(None, "default", Settings(service=ServiceSettings(**settings))) as memory:
        return open_server(memory, needs_keys=settings.get("address") is None)


def test_without_keys_nobody_else_may_reach_it():
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("example.org")
    with pytest.raises(Refused, match="0.0.0.0"):
        listen(address="0.0.0.0", port=0)


def test_an_address_that_cannot_be_had_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=str(port)):
            listen(port=port)
    with pytest.raises((InvalidInput, Refused)):
        listen(address="not an address", port=0)


def test_an_answer_on_an_open_connection_waits_for_nothing(service):
    """Its body does not wait until the client, after 40 ms, says that it has the head."""
    took_s = []
    with httpx.Client(base_url=service.url) as client:
        for _ in range(20):
            started = time.perf_counter()
            assert client.get("/healthz").status_code == 200
            took_s.append(time.perf_counter() - started)
    assert min(took_s[1:]) < 0.03
