"""Oversized, slow and too many requests: refused, and others are served meanwhile."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from meridia.service.problems import RequestRefused
from meridia.service.request_limits import RequestRates
from meridia.storage.access.api_keys import Access
from tests.service.conftest import say


def test_a_bucket_of_requests_fills_up_again():
    now = [0.0]
    rates = RequestRates(60, lambda: now[0])
    for _ in range(60):
        rates.check("a")
    with pytest.raises(RequestRefused) as refusal:
        rates.check("a")
    assert refusal.value.retry_after_s == 2
    rates.check("b")
    now[0] = 1.5
    rates.check("a")
    with pytest.raises(RequestRefused):
        rates.check("a")


def test_no_limit_is_no_limit():
    rates = RequestRates(0)
    for _ in range(1000):
        rates.check("a")


def test_too_many_requests_are_told_when_to_come_again(open_service):
    with httpx.Client(base_url=open_service.url) as client:
        answers = [client.get("/v1/status") for _ in range(60)]
    assert {answer.status_code for answer in answers} == {200, 429}
    refused = [answer for answer in answers if answer.status_code == 429]
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(service, chunked):
    body = b'{"text": "' + b"a" * 200_000 + b'"}'
    with service.client("large") as client:
        content = iter([body[:150_000], body[150_000:]]) if chunked else body
        answer = client.post(
            "/v1/remember", content=content, headers={"content-type": "application/json"}
        )
    assert answer.status_code == 413
    assert answer.json()["code"] == "too_large"


def head(service, key, length):
    """Return the head of a request with a body."""
    return (
        f"POST /v1/remember HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def connect(service):
    """Open a connection to the service."""
    return socket.create_connection(("127.0.0.1", int(service.url.rpartition(":")[2])), timeout=10)


def test_slow_clients_are_let_go_and_hold_nobody_up(service):
    key = service.key("slow")
    silent, half, dripping = connect(service), connect(service), connect(service)
    half.sendall(b"POST /v1/remember HTTP/1.1\r\nHost:")
    dripping.sendall(head(service, key, 1000) + b'{"text": "')
    with service.client("slow") as client:
        began = time.monotonic()
        say(client, "A heron.")
        assert time.monotonic() - began < 5
    assert silent.recv(100) == b""
    assert half.recv(100) == b""
    assert dripping.recv(1000).startswith(b"HTTP/1.1 408")
    for connection in (silent, half, dripping):
        connection.close()


def send_until_refused(connection):
    """Send bytes now and then, for at most 20 s."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        connection.sendall(b"G")
        time.sleep(0.05)


def test_a_client_that_reads_nothing_is_let_go(service):
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", int(service.url.rpartition(":")[2])))
    connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n" * 100)
    with connection, pytest.raises(ConnectionError):
        send_until_refused(connection)


def test_a_client_that_goes_away_leaves_nothing_behind(service):
    connection = connect(service)
    connection.sendall(head(service, service.key("gone"), 1000) + b'{"text": "')
    connection.close()
    with service.client("gone") as client:
        assert client.post("/v1/list", json={}).json()["memories"] == []


def test_many_clients_at_once_are_all_served_right(service):
    def ask(number):
        with service.client(f"many {number % 4}", access=Access.ADMIN) as client:
            say(client, f"Message {number}.", id=f"m{number}")
            answer = client.post("/v1/recall", json={"question": f"Message {number}"})
            assert answer.status_code == 200, answer.text
            texts = [hit["text"] for hit in answer.json()["hits"]]
            return all(int(text[8:-1]) % 4 == number % 4 for text in texts)

    with ThreadPoolExecutor(40) as pool:
        assert all(pool.map(ask, range(40)))
    assert threading.active_count() < 100
    for space in range(4):
        with service.client(f"many {space}") as client:
            memories = client.post("/v1/list", json={"limit": 100}).json()["memories"]
        assert sorted(m["event_id"] for m in memories) == sorted(
            f"m{number}" for number in range(40) if number % 4 == space
        )
