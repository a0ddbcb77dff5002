"""What a server is sent, in each protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from meridia.core.settings import ModelSettings
from meridia.models.answer_types import DecisionAnswer
from meridia.models.model_client import ModelClient, is_loopback
from meridia.models.model_factory import open_model
from meridia.models.model_types import AnswerFormat, ModelAnswer, Prompt
from tests.model_server import ModelServer, Received, Reply, model_server

PROMPT = Prompt("decision", 1, 50, "Be brief.", "How much is {{it}}?")
GOOD = Reply('{"score": 0.9}')


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        running.by_rule = lambda request: GOOD
        yield running


def opened(server: ModelServer, dialect: str) -> Iterator[ModelClient]:
    base_url = server.origin + ("/v1" if dialect == "openai" else "")
    client = open_model(ModelSettings(dialect=dialect, name="claude-haiku-4-5", base_url=base_url))
    yield client
    client.close()


@pytest.fixture
def openai(server: ModelServer) -> Iterator[ModelClient]:
    yield from opened(server, "openai")


@pytest.fixture
def anthropic(server: ModelServer) -> Iterator[ModelClient]:
    yield from opened(server, "anthropic")


@pytest.fixture(params=["openai", "anthropic"])
def client(server: ModelServer, request: pytest.FixtureRequest) -> Iterator[ModelClient]:
    yield from opened(server, request.param)


def ask(client: ModelClient, prompt: Prompt = PROMPT) -> ModelAnswer[DecisionAnswer]:
    return client.ask(prompt, {"it": "it"}, DecisionAnswer, 10)


def refuse(server: ModelServer, *forms: AnswerFormat) -> None:
    """Have the server answer 400 to these forms."""

    def rule(request: Received) -> Reply:
        return Reply("unknown", status=400) if request.format in forms else GOOD

    server.by_rule = rule


def test_a_schema_is_sent_with_every_key_required(openai, anthropic, server):
    ask(openai)
    ask(anthropic)
    first, second = server.received
    named = first.body["response_format"]["json_schema"]
    assert named["name"] == "DecisionAnswer"
    for schema in (named["schema"], second.body["output_config"]["format"]["schema"]):
        assert schema["required"] == ["score", "reason"]
        assert schema["additionalProperties"] is False
        assert "description" not in schema


def test_the_words_of_chat_completions_are_ours_alone_in_every_form(openai, server):
    refuse(server, AnswerFormat.JSON_SCHEMA, AnswerFormat.JSON_OBJECT)
    ask(openai)
    assert server.formats == [*AnswerFormat]
    assert server.received[1].body["response_format"] == {"type": "json_object"}
    for request in server.received:
        assert request.body["messages"] == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How much is it?"},
        ]


def test_the_words_of_messages_are_ours_alone_and_there_is_no_form_but_schema_and_text(
    anthropic, server
):
    refuse(server, AnswerFormat.JSON_SCHEMA)
    ask(anthropic)
    assert server.formats == [AnswerFormat.JSON_SCHEMA, AnswerFormat.TEXT]
    for request in server.received:
        assert [part["text"] for part in request.body["system"]] == ["Be brief."]
        (message,) = request.body["messages"]
        assert message["role"] == "user"
        assert [part["text"] for part in message["content"]] == ["How much is it?"]


def test_the_most_tokens_are_named_as_local_servers_know_it(client, server):
    ask(client)
    assert server.received[0].body["max_tokens"] == 50
    assert "max_completion_tokens" not in server.received[0].body


@pytest.mark.parametrize(("own", "sent"), [(None, 0), (0.6, 0.6), (0.0, 0)])
def test_a_prompt_may_have_a_temperature_of_its_own_every_time_it_is_sent(
    client, server, own, sent
):
    """Feature 125."""
    server.will(Reply(status=503))
    ask(client, replace(PROMPT, temperature=own))
    assert [request.body["temperature"] for request in server.received] == [sent, sent]


def test_thinking_aloud_is_no_part_of_the_answer(openai, server):
    server.will(Reply('<think>{"score": 0.1}?</think>\n{"score": 0.9}'))
    value = ask(openai).value
    assert value is not None
    assert value.score == 0.9


def test_a_model_that_declines_has_answered_with_nothing(anthropic, server):
    server.will(Reply("", finish="refusal"))
    assert ask(anthropic).value is not None
    assert len(server.received) == 2


def test_without_a_key_no_header_for_one_is_sent(client, server):
    ask(client)
    assert not {"authorization", "x-api-key"} & set(server.received[0].headers)


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
