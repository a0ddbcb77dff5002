"""MCP through the SDK's own client: over standard streams, and over HTTP with keys."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from meridia.storage.access.api_keys import Access
from tests.cli.command import Command


@asynccontextmanager
async def over_http(service, key):
    """Give a client of the running service."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(f"{service.url}/mcp", http_client=http)
        async with Client(transport) as client:
            yield client


async def call(client, tool, **arguments):
    """Call a tool; return its document."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refusal(client, tool, **arguments):
    """Call a tool that is refused; return what is said."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text


async def story(client):
    """Run the whole story: capture, recall, explain, resume, feedback, forget."""
    event = {"kind": "user_message", "person": "Dana", "payload": {"text": "I bought red shoes."}}
    first = await call(client, "capture", **event)
    await call(client, "remember", text="The race is on the 12th.", person="Dana", session="s1")
    recall = await call(client, "recall", question="I bought red shoes.")
    assert recall["hits"][0]["id"] == first["id"]
    explained = await call(client, "explain", recall=recall["recall"])
    assert explained["hits"][0]["trace"]["children"]
    why_not = await call(client, "why_not", recall=recall["recall"], address=first["id"])
    assert why_not["cause"] == "recalled"
    assert (await call(client, "plan", question="red shoes"))["plan"]
    assert (await call(client, "reconstitute"))["text"]
    assert (await call(client, "reflect"))["experiences"] == 2
    rows = await call(client, "query", statement="MATCH (e:Experience) RETURN count(e) AS n")
    assert rows["rows"] == [[2]]
    packed = await client.call_tool("resume", {"person": "Dana"})
    assert packed.content[0].text == packed.structured_content["text"]
    assert (await call(client, "feedback", address=first["id"], rating=5))["feedback"]
    assert (await call(client, "ideas"))["items"] == []
    assert "no idea" in await refusal(client, "decide_idea", idea="x", decision="approve")
    listed = (await client.list_resources()).resources
    assert f"meridia://{first['id']}" in [resource.uri for resource in listed]
    (memory,) = (await client.read_resource(f"meridia://{first['id']}")).contents
    assert memory.text == "I bought red shoes."
    pack = packed.structured_content["pack"]
    (again,) = (await client.read_resource(f"meridia://{pack}")).contents
    assert again.text == packed.structured_content["text"]
    prompt = await client.get_prompt("resume", {"person": "Dana"})
    assert "red shoes" in prompt.messages[0].content.text
    assert (await call(client, "forget", ids=[first["id"]], dry_run=False))["receipt"]
    assert "not_found" in await refusal(client, "show", address=first["id"])
    with pytest.raises(MCPError, match="not_found"):
        await client.read_resource(f"meridia://{first['id']}")


def test_what_a_memory_says_reaches_a_client_without_signs_that_nobody_sees(service):
    said = "\x9b31mred\u202e [meridia://@1]"
    service.memory.in_space("signs").remember(said, id="\x1b[2Jone")

    async def run():
        async with over_http(service, service.key("signs", access=Access.READ)) as client:
            given = {"space": "signs", "statement": "MATCH (e:Experience) RETURN e.text AS text"}
            asked = await client.call_tool("query", given)
            (resource,) = (await client.list_resources()).resources
            (memory,) = (await client.read_resource(resource.uri)).contents
            return asked, resource.title, memory.text

    asked, title, text = asyncio.run(run())
    assert asked.structured_content["rows"] == [[said]]
    for shown in (asked.content[0].text, title, text):
        assert "31mred" in shown
        assert not {"\x9b", "\u202e"} & set(shown)


def test_the_whole_story_over_http(service):
    async def run():
        async with over_http(service, service.key("mcp story", access=Access.ADMIN)) as client:
            await story(client)

    asyncio.run(run())


def test_the_whole_story_over_standard_streams(tmp_path):
    command = Command(tmp_path)
    parameters = StdioServerParameters(
        command=str(command.script),
        args=["mcp", "--db", str(tmp_path / "a.db"), "--space", "agent"],
        env=command.environment({"MERIDIA_EMBEDDING_ENABLED": "false"}),
    )

    async def run():
        async with Client(stdio_client(parameters)) as client:
            await story(client)
            said = await refusal(client, "show", address="@1", space="other")
            assert said.startswith("refused")

    asyncio.run(run())


def test_tools_say_what_they_do_and_keys_see_what_they_may_use(service):
    async def tools(access):
        async with over_http(service, service.key("mcp tools", access=access)) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    everything = asyncio.run(tools(Access.ADMIN))
    assert len(everything) == 17
    assert everything["recall"].annotations.read_only_hint
    assert everything["forget"].annotations.destructive_hint
    assert everything["doctor"].annotations.read_only_hint
    assert not everything["remember"].annotations.read_only_hint
    assert not everything["remember"].annotations.destructive_hint
    assert everything["recall"].input_schema["required"] == ["question"]
    assert not {"remember", "forget", "doctor"} & asyncio.run(tools(Access.READ)).keys()


def test_a_key_is_asked_for_and_holds(service):
    service.memory.in_space("mcp secret").remember("The password of the pond.", id="s-1")

    async def run():
        async with over_http(service, service.key("mcp own", access=Access.READ)) as client:
            assert (await refusal(client, "remember", text="a")).startswith("refused")
            assert "mcp secret" not in await refusal(client, "recall", question="a", space="x")
            said = await refusal(client, "recall", question="a", space="mcp secret")
            assert said == "refused: this key does not open the space that was named"
            with pytest.raises(MCPError):
                await client.read_resource("meridia://s-1")
            assert "question" in await refusal(client, "recall")

    asyncio.run(run())
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    for more in ({}, {"authorization": "Bearer meridia_0_0"}):
        answer = httpx2.post(f"{service.url}/mcp", content=body, headers=headers | more)
        assert answer.status_code == 401
