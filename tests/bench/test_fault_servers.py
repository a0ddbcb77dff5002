"""A line that is cut and mended; servers that are killed or gone."""

from __future__ import annotations

import random
import socket
import threading
from contextlib import closing, suppress

import pytest

from bench import fault_servers
from bench.fault_servers import Line


@pytest.fixture
def echo():
    """Run a server that says what it hears; give its port."""

    def answer(connection):
        with suppress(OSError), connection:
            while block := connection.recv(100):
                connection.sendall(block)

    def serve():
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=listening.accept()[:1], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def heard(line, words):
    with socket.create_connection(("127.0.0.1", line.port), timeout=5) as connection:
        try:
            connection.sendall(words)
            return connection.recv(100)
        except ConnectionError:
            return b""


def test_a_line_forwards_is_cut_and_mended(echo):
    with closing(Line(echo)) as line:
        assert heard(line, b"heron") == b"heron"
        line.cut_after(3)
        assert heard(line, b"heron") == b""
        assert heard(line, b"heron") == b""
        line.mend()
        assert heard(line, b"heron") == b"heron"


@pytest.mark.thorough
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["lose_model", "flood_model", "cut_lines", "kill_neo4j"])
def test_nothing_goes_wrong_where_a_server_fails(kind, tmp_path):
    assert getattr(fault_servers, kind)(tmp_path, random.Random(1), 2) == []
