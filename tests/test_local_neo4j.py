"""The launcher of a Neo4j for development says what is in its way."""

from __future__ import annotations

import socket
import sys

import pytest

from meridia.core.errors import Unavailable
from tests import local_neo4j


def test_a_port_that_is_taken_is_named_before_anything_is_started(monkeypatch, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=f"port {port} of this machine is taken"):
            local_neo4j.checked_port(port)
        monkeypatch.setattr(sys, "argv", ["local_neo4j", "--port", str(port)])
        with pytest.raises(SystemExit, match=f"port {port} .* --port"):
            local_neo4j.main()
    assert local_neo4j.checked_port(port) == port
