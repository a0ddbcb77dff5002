"""Problem documents: every code has a status and a title."""

from __future__ import annotations

import json

from meridia.core.errors import STATUS, NotFound, Unavailable
from meridia.service.problems import RequestRefused, encoded, headers_of, problem, problem_of


def test_every_code_of_an_error_has_a_problem():
    for code, (_, status) in STATUS.items():
        given, document = problem(code, "why")
        assert given == document["status"] == status
        assert document["title"]


def test_an_error_becomes_its_problem():
    status, document = problem_of(NotFound("there is no memory"))
    assert status == 404
    assert document["detail"] == "there is no memory"
    assert document["type"] == "urn:meridia:problem:not_found"


def test_headers_say_when_to_ask_again_and_how():
    assert headers_of(RequestRefused("rate_limited", "slowly", 7)) == {"retry-after": "7"}
    assert headers_of(RequestRefused("unauthenticated", "who")) == {"www-authenticate": "Bearer"}
    assert headers_of(Unavailable("busy")) == {"retry-after": "1"}
    assert headers_of(NotFound("no")) == {}


def test_whatever_was_given_can_be_written():
    assert json.loads(encoded({"a": "\ud800"})) == {"a": "\ud800"}
