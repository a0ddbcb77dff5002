"""Tests of clients that remember, with the real clients of OpenAI and Anthropic over HTTP."""

from __future__ import annotations

import asyncio
import json

import pytest

from meridia.core.lazy import LazyLibrary
from meridia.integrations.clients import remembering
from tests.model_server import Reply

# Loaded by who runs these tests, not by each process that collects them.
anthropic_sdk, openai_sdk = LazyLibrary("anthropic"), LazyLibrary("openai")
ASKED = [{"role": "user", "content": "My oboe is at the shop in Bergen."}]
AGAIN = [{"role": "user", "content": "Where is my oboe?"}]


@pytest.fixture
def openai(server):
    with openai_sdk.OpenAI(base_url=f"{server.origin}/v1", api_key="k", max_retries=0) as client:
        yield client


@pytest.fixture
def anthropic(server):
    with anthropic_sdk.Anthropic(base_url=server.origin, api_key="k", max_retries=0) as client:
        yield client


def said(memory):
    return [(record.role, record.person, record.text) for record in memory.list()]


def test_openai_is_told_what_was_said_before_and_its_answers_are_kept(memory, server, openai):
    server.will(Reply("Noted."), Reply("In Bergen."))
    client = remembering(openai, memory, person="Kim", session="s1")
    client.chat.completions.create(model="m", messages=ASKED)
    answer = client.chat.completions.create(model="m", messages=AGAIN)
    assert answer.choices[0].message.content == "In Bergen."
    assert "Bergen" not in json.dumps(server.received[0].body["messages"][:-1])
    told = server.received[1].body["messages"][0]
    assert told["role"] == "system"
    assert "shop in Bergen" in told["content"]
    assert said(memory) == [
        ("user", "Kim", "My oboe is at the shop in Bergen."),
        ("assistant", None, "Noted."),
        ("user", "Kim", "Where is my oboe?"),
        ("assistant", None, "In Bergen."),
    ]


def test_anthropic_is_told_beside_its_own_system_prompt(memory, server, anthropic):
    server.will(Reply("Noted."), Reply("In Bergen."), Reply("In Bergen."))
    client = remembering(anthropic, memory, person="Kim")
    client.messages.create(model="m", max_tokens=9, messages=ASKED)
    for system in ("Be brief.", [{"type": "text", "text": "Be brief."}]):
        client.messages.create(model="m", max_tokens=9, messages=AGAIN, system=system)
        told = json.dumps(server.received[-1].body["system"])
        assert "Be brief." in told
        assert "shop in Bergen" in told
    assert ("assistant", None, "In Bergen.") in said(memory)


def test_awaited_calls_are_remembered_too(memory, server):
    async def use():
        key = {"api_key": "k", "max_retries": 0}
        async with openai_sdk.AsyncOpenAI(base_url=f"{server.origin}/v1", **key) as plain:
            client = remembering(plain, memory, person="Kim")
            await client.chat.completions.create(model="m", messages=ASKED)
        async with anthropic_sdk.AsyncAnthropic(base_url=server.origin, **key) as plain:
            client = remembering(plain, memory, person="Kim")
            await client.messages.create(model="m", max_tokens=9, messages=AGAIN)

    server.will(Reply("Noted."), Reply("In Bergen."))
    asyncio.run(use())
    assert len(said(memory)) == 4


def test_a_stream_is_remembered_whole(memory, server, openai):
    parts = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in ("In ", "Bergen.")]
    lines = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
    server.will(Reply(raw=lines, content_type="text/event-stream"))
    client = remembering(openai, memory, person="Kim")
    stream = client.chat.completions.create(model="m", messages=AGAIN, stream=True)
    assert [chunk.choices[0].delta.content for chunk in stream] == ["In ", "Bergen."]
    assert said(memory)[-1] == ("assistant", None, "In Bergen.")


def test_without_room_nothing_is_told_and_the_rest_of_a_client_is_its_own(memory, server, openai):
    server.will(Reply("Noted."), Reply("In Bergen."))
    client = remembering(openai, memory, person="Kim", tokens=0)
    assert client.base_url == openai.base_url
    assert client.models is openai.models
    client.chat.completions.create(model="m", messages=ASKED)
    client.chat.completions.create(model="m", messages=AGAIN)
    assert server.received[1].body["messages"] == AGAIN


def test_a_call_that_fails_leaves_nothing_behind(memory, server, openai):
    server.will(Reply("no", status=400))
    client = remembering(openai, memory, person="Kim")
    with pytest.raises(Exception, match="400"):
        client.chat.completions.create(model="m", messages=ASKED)
    assert said(memory) == []
