"""Oversized, slow and too many requests: refused, and others are served meanwhile."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from meridia.service.operations import OPERATIONS
from meridia.service.problems import RequestRefused
from meridia.service.request_limits import RequestRates
from meridia.storage.api_keys import Access
from tests.service.conftest import SETTINGS, run_service, say


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


def drip(service, path, key, body, *, pause_s=0.1, within_s=15.0):
    """Send a body in bytes with pauses, and for ever; return the answer and how long it took."""
    connection, began = connect(service), time.monotonic()
    connection.settimeout(pause_s)
    connection.sendall(
        f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
        "Content-Type: application/json\r\nContent-Length: 90000\r\n\r\n".encode()
    )
    answer = b""
    with connection:
        while time.monotonic() - began < within_s:
            try:
                connection.sendall(body)
            except OSError:
                break
            try:
                answer += connection.recv(10_000)
            except TimeoutError:
                continue
            break
        took_s = time.monotonic() - began
        connection.settimeout(5)
        with contextlib.suppress(OSError):
            answer += connection.recv(10_000)
    return answer, took_s


@pytest.mark.parametrize("path", ["/v1/remember", "/v1/recall", "/v1/import"])
@pytest.mark.parametrize("piece", [b" ", b"  \n" * 3], ids=["byte", "lines"])
def test_a_body_that_comes_in_drips_ends_with_a_problem(service, path, piece):
    answer, took_s = drip(service, path, service.key("drips"), piece)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408"), answer
    assert b"application/problem+json" in head
    assert json.loads(body)["code"] == "client_timeout"
    assert took_s < 5


@pytest.mark.parametrize("path", ["/v1/remember", "/v1/import"])
def test_a_body_that_comes_fast_enough_and_never_ends_ends_with_a_problem(patient_service, path):
    key = patient_service.key("endless")
    answer, took_s = drip(patient_service, path, key, b" " * 200, pause_s=0.05)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408"), answer
    assert json.loads(body)["code"] == "client_timeout"
    assert 1.5 < took_s < 6


@pytest.fixture(scope="module")
def patient_service(tmp_path_factory):
    """Give a service whose bodies have two seconds in all."""
    limits = SETTINGS.service.model_copy(update={"timeout_s": 2, "import_s": 2})
    path = tmp_path_factory.mktemp("patient") / "patient.db"
    yield from run_service(path, SETTINGS.model_copy(update={"service": limits}))


def test_slots_for_imports_are_shared_by_keys_and_given_back(service):
    first, second = service.key("one"), service.key("two")
    with ThreadPoolExecutor(6) as pool:
        dripping = [
            pool.submit(drip, service, "/v1/import", first, b" ", pause_s=0.05) for _ in range(6)
        ]
        time.sleep(0.3)
        began = time.monotonic()
        answer = httpx.post(
            f"{service.url}/v1/import",
            content=b"",
            headers={"authorization": f"Bearer {second}"},
        )
        assert answer.status_code == 200, answer.text
        assert time.monotonic() - began < 1
        statuses = sorted(one.result()[0][9:12] for one in dripping)
    assert statuses == [b"408"] * 2 + [b"503"] * 4
    for _ in range(3):
        with httpx.Client(
            base_url=service.url, headers={"authorization": f"Bearer {first}"}
        ) as one:
            assert one.post("/v1/import", content=b"").status_code == 200


#: Host, Origin, Sec-Fetch-Site → whether a service without keys answers.
FROM = [
    ("127.0.0.1:1", None, None, True),
    ("localhost:1", None, "none", True),
    ("[::1]:1", "http://[::1]:1", "same-origin", True),
    ("[::1]", None, None, True),
    ("127.0.0.1:1", None, "cross-site", False),
    ("127.0.0.1:1", None, "same-site", False),
    ("localhost", None, "something new", False),
    ("127.0.0.1:1", "http://evil.example", "cross-site", False),
    ("127.0.0.1:1", "null", None, False),
    ("127.0.0.1:1", "http://127.0.0.1:2", "same-site", False),
    ("evil.example:1", "http://evil.example:1", "same-origin", False),
    ("evil.example", None, "none", False),
    ("127.0.0.1.evil.example", None, None, False),
    ("localhost.evil.example:1", None, None, False),
    ("evil.example:1@127.0.0.1", None, None, False),
    ("[::1", None, None, False),
    ("", None, None, False),
    ("0.0.0.0:1", None, None, False),
    ("http://friend.example", "http://friend.example", "cross-site", False),
    ("127.0.0.1:1", "http://friend.example", "cross-site", True),
]


@pytest.fixture(scope="module")
def keyless(tmp_path_factory):
    """Give a service without keys that one web origin may ask."""
    limits = SETTINGS.service.model_copy(update={"cors_origins": ("http://friend.example",)})
    path = tmp_path_factory.mktemp("keyless") / "keyless.db"
    settings = SETTINGS.model_copy(update={"service": limits})
    yield from run_service(path, settings, needs_keys=False)


@pytest.mark.parametrize(("host", "origin", "site", "is_answered"), FROM)
def test_without_keys_no_page_of_another_site_is_answered(keyless, host, origin, site, is_answered):
    given = {"host": host, "origin": origin, "sec-fetch-site": site}
    headers = {name: value for name, value in given.items() if value is not None}
    with httpx.Client(base_url=keyless.url) as client:
        for operation in OPERATIONS:
            method = "GET" if operation.takes_query else "POST"
            answer = client.request(method, operation.path, headers=headers)
            assert (answer.status_code == 403) is not is_answered, operation.name
        # Pages and health name no memory, but the name of the machine counts for them too.
        for path in ("/inspect", "/readyz", "/metrics", "/openapi.json"):
            answer = client.get(path, headers={"host": host})
            allowed = is_answered or (origin, site) != (None, None)
            assert allowed or answer.status_code == 403, path


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

    with ThreadPoolExecutor(20) as pool:
        assert all(pool.map(ask, range(20)))
    assert threading.active_count() < 100
    for space in range(4):
        with service.client(f"many {space}") as client:
            memories = client.post("/v1/list", json={"limit": 100}).json()["memories"]
        assert sorted(m["event_id"] for m in memories) == sorted(
            f"m{number}" for number in range(20) if number % 4 == space
        )
