"""What is particular to chat completions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from meridia.models.answer_types import DecisionAnswer, schema_of
from meridia.models.http_endpoint import HttpEndpoint, is_loopback
from meridia.models.model_types import (
    AnswerFormat,
    Dialect,
    ModelAddress,
    ModelReply,
    ModelRequest,
    Usage,
)
from meridia.models.openai_endpoint import open_endpoint
from tests.model_server import ModelServer, Reply, model_server


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def endpoint(server: ModelServer) -> Iterator[HttpEndpoint]:
    opened = open_endpoint(ModelAddress(Dialect.OPENAI, "m-1", f"{server.origin}/v1"))
    yield opened
    opened.close()


def a_request(format: AnswerFormat) -> ModelRequest:
    schema = schema_of(DecisionAnswer)
    return ModelRequest("Be brief.", "How much?", "DecisionAnswer", schema, format, 50, 5.0)


def test_a_schema_is_sent_with_every_key_required(endpoint, server):
    endpoint.send(a_request(AnswerFormat.JSON_SCHEMA))
    sent = server.received[0].body["response_format"]["json_schema"]
    assert sent["name"] == "DecisionAnswer"
    assert sent["schema"]["required"] == ["score", "reason"]
    assert sent["schema"]["additionalProperties"] is False


def test_json_without_a_schema_and_plain_text_are_asked_for_as_such(endpoint, server):
    endpoint.send(a_request(AnswerFormat.JSON_OBJECT))
    endpoint.send(a_request(AnswerFormat.TEXT))
    assert server.received[0].body["response_format"] == {"type": "json_object"}
    assert "response_format" not in server.received[1].body


@pytest.mark.parametrize("format", [*AnswerFormat])
def test_the_words_are_ours_alone_in_every_form(endpoint, server, format):
    endpoint.send(a_request(format))
    assert server.received[0].body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "How much?"},
    ]


def test_the_most_tokens_are_named_as_local_servers_know_it(endpoint, server):
    endpoint.send(a_request(AnswerFormat.TEXT))
    assert server.received[0].body["max_tokens"] == 50
    assert "max_completion_tokens" not in server.received[0].body
    assert server.received[0].body["temperature"] == 0


def test_a_server_that_does_not_count_tokens_leaves_the_usage_open(endpoint, server):
    server.will(Reply("{}", usage=False), Reply("{}"))
    told = [endpoint.send(a_request(AnswerFormat.TEXT)) for _ in range(2)]
    assert [reply.usage for reply in told if isinstance(reply, ModelReply)] == [None, Usage(11, 7)]


def test_an_answer_that_ran_out_of_tokens_is_not_complete(endpoint, server):
    server.will(Reply('{"score"', finish="length"))
    reply = endpoint.send(a_request(AnswerFormat.TEXT))
    assert isinstance(reply, ModelReply)
    assert (reply.text, reply.complete) == ('{"score"', False)


def test_thinking_aloud_is_no_part_of_the_answer(endpoint, server):
    server.will(Reply('<think>{"score": 0.1}?</think>\n{"score": 0.9}'))
    reply = endpoint.send(a_request(AnswerFormat.TEXT))
    assert isinstance(reply, ModelReply)
    assert reply.text.strip() == '{"score": 0.9}'


@pytest.mark.parametrize(
    ("base_url", "here"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://127.8.9.10/v1", True),
        ("http://localhost:1234/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://models.localhost/v1", True),
        ("https://api.example.com/v1", False),
        ("http://localhost.example.com/v1", False),
        ("http://192.168.1.5/v1", False),
        ("", False),
    ],
)
def test_this_machine_is_known_by_its_addresses(base_url, here):
    assert is_loopback(base_url) is here


def test_without_a_key_no_header_for_one_is_sent(endpoint, server):
    endpoint.send(a_request(AnswerFormat.TEXT))
    assert not {"authorization", "x-api-key"} & set(server.received[0].headers)


@pytest.mark.parametrize(("own", "sent"), [(None, 0), (0.6, 0.6), (0.0, 0)])
def test_a_request_may_have_a_temperature_of_its_own(endpoint, server, own, sent):
    """Feature 125."""
    endpoint.send(replace(a_request(AnswerFormat.TEXT), temperature=own))
    assert server.received[0].body["temperature"] == sent
