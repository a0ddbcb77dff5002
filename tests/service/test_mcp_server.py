"""MCP through the SDK's own client: over standard streams, and over HTTP with keys."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from meridia.storage.api_keys import Access
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


async def six_tools(client):
    """Call each default tool as a model would, from what the answers before say."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(tools) == ["remember", "recall", "resume", "show", "update", "forget"]
    answers = []

    async def said(tool, **arguments):
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        answers.append(result.content[0].text + json.dumps(result.structured_content))
        return result.content[0].text

    stored = await said("remember", text="The race is on the 12th.", person="Dana", at=None)
    (address,) = re.findall(r"@\d+", stored)
    assert f"{address} Dana" in await said("recall", question="When is the race?", limit="3")
    assert "race" in await said("resume", person="Dana")
    new = (await said("update", address=address, text="The race is on the 13th.")).split()[0]
    assert "13th" in await said("show", address=new)
    assert "Nothing is erased yet" in await said("forget", ids=f'["{new}"]')
    assert "Erased for good" in await said("forget", ids=[new], dry_run=False)
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", "".join(answers))
    assert "recall" in await refusal(client, "show", address=new)
    known = await refusal(client, "recall", topics="race")
    assert "'topics'" in known
    assert "question (required)" in known
    asked = [client.call_tool("recall", {"question": f"Who is {n}?"}) for n in range(6)]
    assert not any(result.is_error for result in await asyncio.gather(*asked))
    with pytest.raises(MCPError, match="choose from remember, recall"):
        await client.call_tool("fly", {})
    with pytest.raises(MCPError, match="--tools default,explain"):
        await client.call_tool("explain", {})


async def story(client):
    """Run the whole story with every tool: capture, recall, explain, resume, feedback, forget."""
    event = {"kind": "user_message", "person": "Dana", "payload": {"text": "I bought red shoes."}}
    first = await call(client, "capture", **event)
    await call(client, "remember", text="The race is on the 12th.", person="Dana", session="s1")
    recall = await call(client, "recall", question="I bought red shoes.")
    assert recall["hits"][0]["address"] == f"@{first['seq']}"
    explained = await call(client, "explain")
    assert explained["hits"][0]["trace"]["children"]
    why_not = await call(client, "why_not", address=first["id"])
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
    packs = [each for each in listed if each.name.startswith("pack")]
    read = [await client.read_resource(each.uri) for each in packs]
    assert packed.structured_content["text"] in [each.contents[0].text for each in read]
    prompt = await client.get_prompt("resume", {"person": "Dana"})
    assert "red shoes" in prompt.messages[0].content.text
    assert (await call(client, "forget", ids=[first["id"]], dry_run=False))["erased"]
    assert "not_found" in await refusal(client, "show", address=first["id"])
    with pytest.raises(MCPError, match="not_found"):
        await client.read_resource(f"meridia://{first['id']}")


def test_what_a_memory_says_reaches_a_client_without_signs_that_nobody_sees(service):
    said = "\x9b31mred\u202e [meridia://@1]"
    stored = service.memory.in_space("signs").remember(said, id="\x1b[2Jone")

    async def run():
        async with over_http(service, service.key("signs", access=Access.READ)) as client:
            asked = await client.call_tool("show", {"address": f"@{stored.seq}"})
            (resource,) = (await client.list_resources()).resources
            (memory,) = (await client.read_resource(resource.uri)).contents
            return asked, resource.title, memory.text

    asked, title, text = asyncio.run(run())
    assert asked.structured_content["text"] == said
    for shown in (asked.content[0].text, title, text):
        assert "31mred" in shown
        assert not {"\x9b", "\u202e"} & set(shown)


def test_every_default_tool_over_http(service):
    async def run():
        async with over_http(service, service.key("mcp six", access=Access.ADMIN)) as client:
            await six_tools(client)

    asyncio.run(run())


def over_streams(folder, *options):
    """Give a client that starts the server itself."""
    command = Command(folder)
    parameters = StdioServerParameters(
        command=str(command.script),
        args=["mcp", "--db", str(folder / "a.db"), "--space", "agent", *options],
        env=command.environment({"MERIDIA_EMBEDDING_ENABLED": "false"}),
    )
    return Client(stdio_client(parameters))


def test_every_default_tool_over_standard_streams(tmp_path):
    async def run():
        async with over_streams(tmp_path) as client:
            await six_tools(client)
            long = await client.call_tool("remember", {"text": "x" * 2_000_000})
            assert "only its beginning and its end are kept" in long.content[0].text
            said = await refusal(client, "show", address="@1", space="other")
            assert said.startswith("refused")

    asyncio.run(run())


def test_a_line_that_is_no_request_is_answered_and_the_next_one_is_served(tmp_path):
    """Nobody waits for an answer that never comes."""
    command = Command(tmp_path)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
    hello["clientInfo"] = {"name": "client", "version": "1"}
    half = "Half \ud83d of a pair is in this note."
    request = {"jsonrpc": "2.0", "id": 3, "method": "tools/call"}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": "recall"}',
        json.dumps(request | {"params": {"name": "remember", "arguments": {"text": half}}}),
        *("nonsense", "[]", "null", '{"jsonrpc": "1.0", "id": true, "method": "ping"}'),
        '{"jsonrpc": "2.0", "id": 4, "method": "ping"}',
    ]
    with subprocess.Popen(
        [str(command.script), "mcp", "--db", str(tmp_path / "a.db")],
        env=command.environment({"MERIDIA_EMBEDDING_ENABLED": "false"}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("\n".join(lines) + "\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(8)]
        server.stdin.close()
    told = {each["id"]: each for each in answers}
    assert sorted(told, key=str) == [1, 2, 3, 4, None]
    assert (told[2]["error"]["code"], told[None]["error"]["code"]) == (-32600, -32600)
    assert "Stored as @1" in json.dumps(told[3])
    assert "result" in told[4]


@pytest.mark.thorough
def test_every_other_tool_over_standard_streams(tmp_path):
    async def run():
        async with over_streams(tmp_path, "--tools", "all") as client:
            await story(client)

    asyncio.run(run())


def test_tools_say_what_they_do_and_keys_see_what_they_may_use(service):
    async def tools(access):
        async with over_http(service, service.key("mcp tools", access=access)) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    everything = asyncio.run(tools(Access.ADMIN))
    assert len(everything) == 6
    assert everything["recall"].annotations.read_only_hint
    assert everything["forget"].annotations.destructive_hint
    assert not everything["remember"].annotations.read_only_hint
    assert not everything["remember"].annotations.destructive_hint
    assert everything["recall"].input_schema["required"] == ["question"]
    assert not {"remember", "update", "forget"} & asyncio.run(tools(Access.READ)).keys()
    assert "forget" not in asyncio.run(tools(Access.WRITE))


def test_a_key_is_asked_for_and_holds(service):
    service.memory.in_space("mcp secret").remember("The password of the pond.", id="s-1")

    async def run():
        async with over_http(service, service.key("mcp own", access=Access.READ)) as client:
            assert (await refusal(client, "remember", text="a")).startswith("refused")
            assert "mcp secret" not in await refusal(client, "recall", question="a", space="x")
            said = await refusal(client, "recall", question="a", space="mcp secret")
            assert said == "refused: this key does not open that space: it opens mcp own"
            with pytest.raises(MCPError):
                await client.read_resource("meridia://s-1")
            assert "question" in await refusal(client, "recall")

    asyncio.run(run())
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    for more in ({}, {"authorization": "Bearer meridia_0_0"}):
        answer = httpx2.post(f"{service.url}/mcp", content=body, headers=headers | more)
        assert answer.status_code == 401
