"""Tests of the session store by the SDK's own suite, and of the hook in a run of its client."""

from __future__ import annotations

import asyncio
import json

import pytest

pytest.importorskip("claude_agent_sdk")
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Transport
from claude_agent_sdk.testing import run_session_store_conformance

from meridia import Memory
from meridia.integrations.claude_agent_sdk import MeridiaSessionStore, hooks

KEY = {"project_key": "boat", "session_id": "s1"}


def test_the_store_passes_the_suite_of_the_sdk():
    opened = []

    def fresh():
        opened.append(Memory.open(enrich="manual"))
        return MeridiaSessionStore(opened[-1])

    asyncio.run(run_session_store_conformance(fresh))
    for memory in opened:
        memory.close()
    assert len(opened) > 13


def test_what_was_said_is_recalled_and_an_entry_is_kept_once(memory):
    store = MeridiaSessionStore(memory, person="Kim")
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "4 degrees and rain"}
    entries = [
        {"type": "user", "uuid": "1", "message": {"role": "user", "content": "Is Oslo warm?"}},
        {"type": "user", "uuid": "2", "message": {"role": "user", "content": [result]}},
        {
            "type": "assistant",
            "uuid": "3",
            "message": {"content": [{"type": "text", "text": "No, it rains."}]},
        },
        {"type": "summary", "summary": "Weather"},
    ]

    async def use():
        await store.append(KEY, entries)
        await store.append(KEY, entries[:3])  # tried again
        return await store.load(KEY)

    assert asyncio.run(use()) == entries
    assert [(m.role, m.person, m.text) for m in memory.list().memories][:3] == [
        ("user", "Kim", "Is Oslo warm?"),
        ("tool", None, "tool\n4 degrees and rain"),
        ("assistant", None, "No, it rains."),
    ]


class ScriptedProgram(Transport):
    """Stands for the program that the SDK starts: asks the hook, as with a prompt of a user."""

    def __init__(self):
        self.written, self.wakes = [], asyncio.Event()

    async def connect(self):
        pass

    async def write(self, data):
        self.written.append(json.loads(data))
        self.wakes.set()

    async def _until(self, wanted):
        while True:
            for message in self.written:
                if wanted(message):
                    return message
            self.wakes.clear()
            await self.wakes.wait()

    async def read_messages(self):
        first = await self._until(lambda m: m["type"] == "control_request")
        matchers = first["request"]["hooks"]["UserPromptSubmit"]
        yield {
            "type": "control_response",
            "response": {"subtype": "success", "request_id": first["request_id"], "response": {}},
        }
        given = {"hook_event_name": "UserPromptSubmit", "prompt": "Which snack?", "session_id": "s"}
        asked = {"subtype": "hook_callback", "callback_id": matchers[0]["hookCallbackIds"][0]}
        yield {
            "type": "control_request",
            "request_id": "r1",
            "request": asked | {"input": given, "tool_use_id": None},
        }
        await self._until(lambda m: m["type"] == "control_response")

    async def close(self):
        pass

    def is_ready(self):
        return True

    async def end_input(self):
        pass


@pytest.mark.parametrize("known", [True, False])
def test_the_hook_tells_what_is_known_with_each_prompt(memory, known):
    if known:
        memory.remember("I'm allergic to peanuts, so never suggest any.", person="Kim")

    async def use():
        program = ScriptedProgram()
        options = ClaudeAgentOptions(hooks=hooks(memory, "Kim"))
        async with ClaudeSDKClient(options=options, transport=program) as client:
            async for _ in client.receive_messages():
                pass
        return program.written[-1]["response"]

    answer = asyncio.run(use())
    assert answer["subtype"] == "success"
    told = answer["response"].get("hookSpecificOutput", {}).get("additionalContext", "")
    assert ("peanuts" in told) is known
