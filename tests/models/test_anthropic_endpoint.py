"""What is particular to messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from meridia.models.answer_types import DecisionAnswer, schema_of
from meridia.models.anthropic_endpoint import open_endpoint
from meridia.models.http_endpoint import HttpEndpoint
from meridia.models.model_types import AnswerFormat, Dialect, ModelAddress, ModelReply, ModelRequest
from tests.model_server import ModelServer, Reply, model_server


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def endpoint(server: ModelServer) -> Iterator[HttpEndpoint]:
    opened = open_endpoint(ModelAddress(Dialect.ANTHROPIC, "claude-haiku-4-5", server.origin))
    yield opened
    opened.close()


def a_request(format: AnswerFormat) -> ModelRequest:
    schema = schema_of(DecisionAnswer)
    return ModelRequest("Be brief.", "How much?", "DecisionAnswer", schema, format, 50, 5.0)


def test_there_is_no_form_between_a_schema_and_text(endpoint):
    assert endpoint.formats == (AnswerFormat.JSON_SCHEMA, AnswerFormat.TEXT)


def test_a_schema_is_sent_with_every_key_required(endpoint, server):
    endpoint.send(a_request(AnswerFormat.JSON_SCHEMA))
    schema = server.received[0].body["output_config"]["format"]["schema"]
    assert schema["required"] == ["score", "reason"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("format", [AnswerFormat.JSON_SCHEMA, AnswerFormat.TEXT])
def test_the_words_are_ours_alone_in_every_form(endpoint, server, format):
    endpoint.send(a_request(format))
    body = server.received[0].body
    assert [part["text"] for part in body["system"]] == ["Be brief."]
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert [part["text"] for part in body["messages"][0]["content"]] == ["How much?"]
    assert body["max_tokens"] == 50


def test_a_model_that_declines_has_answered_with_nothing(endpoint, server):
    server.will(Reply("", finish="refusal"))
    reply = endpoint.send(a_request(AnswerFormat.TEXT))
    assert isinstance(reply, ModelReply)
    assert reply.text == ""


def test_an_answer_that_ran_out_of_tokens_is_not_complete(endpoint, server):
    server.will(Reply('{"score"', finish="max_tokens"))
    reply = endpoint.send(a_request(AnswerFormat.TEXT))
    assert isinstance(reply, ModelReply)
    assert (reply.text, reply.complete) == ('{"score"', False)


def test_without_a_key_no_header_for_one_is_sent(endpoint, server):
    endpoint.send(a_request(AnswerFormat.TEXT))
    assert not {"authorization", "x-api-key"} & set(server.received[0].headers)


@pytest.mark.parametrize(("own", "sent"), [(None, 0), (0.6, 0.6), (0.0, 0)])
def test_a_request_may_have_a_temperature_of_its_own(endpoint, server, own, sent):
    """Feature 125."""
    endpoint.send(replace(a_request(AnswerFormat.TEXT), temperature=own))
    assert server.received[0].body["temperature"] == sent
