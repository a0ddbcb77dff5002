"""A long import: lines in, lines out, and what was committed stays."""

from __future__ import annotations

import json
import socket
import time

from meridia.storage.api_keys import Access


def lines(*numbers):
    """Return events in the native form, a line each."""
    events = [
        {"id": f"e{number}", "kind": "user_message", "payload": {"text": f"Line {number}."}}
        for number in numbers
    ]
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def answer_of(response):
    """Return the lines of an answer."""
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.text.splitlines()]


def test_what_goes_in_and_what_does_not(admin):
    body = lines(1) + b"not json\n" + lines(2, 1)
    *problems, summary = answer_of(admin.post("/v1/import", content=body))
    assert [problem["code"] for problem in problems] == ["invalid_input"]
    assert problems[0]["problem"].startswith("body line 2")
    assert (summary["captured"], summary["text_only"]) == (1, 1)
    assert (summary["redelivered"], summary["refused"]) == (1, 1)
    assert summary["done"] is True


def test_an_import_is_larger_than_any_other_body(admin):
    body = (lines(*range(1000)) for _ in range(2))
    assert answer_of(admin.post("/v1/import", content=body))[-1]["redelivered"] == 1000


def test_another_format_is_named_or_told_by_content(admin):
    body = b"user: Where is the heron?\nassistant: At the pond.\n"
    assert answer_of(admin.post("/v1/import?format=auto", content=body))[-1]["done"]
    wrong = admin.post("/v1/import?format=nothing", content=body)
    assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid_input")


def test_who_may_not_write_may_not_import(service):
    with service.client("imports", access=Access.READ) as reader:
        assert reader.post("/v1/import", content=lines(1)).status_code == 403
        assert reader.post("/v1/import?space=other", content=lines(1)).status_code == 403


def test_what_was_committed_stays_when_the_client_goes_away(service):
    port, key = int(service.url.rpartition(":")[2]), service.key("cut")
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(
        f"POST /v1/import HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n".encode()
    )
    body = lines(*range(400))
    connection.sendall(f"{len(body):x}\r\n".encode() + body + b"\r\n")
    with service.client("cut") as client:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            answer = client.post("/v1/list", json={"limit": 1000}).json()
            if len(answer["memories"]) == 400:
                break
            time.sleep(0.05)
    connection.close()
    assert len(answer["memories"]) == 400
