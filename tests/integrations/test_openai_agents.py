"""Tests of the session for the OpenAI Agents SDK, in runs with a scripted model."""

from __future__ import annotations

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from meridia.integrations.openai_agents import MeridiaSession

set_tracing_disabled(True)


class ScriptedModel(Model):
    """Calls the tool once, then answers; notes what it was given."""

    def __init__(self):
        self.given = []

    async def get_response(self, system_instructions, input, *_, **__):
        self.given.append(input)
        last = input[-1] if isinstance(input, list) else input
        if isinstance(last, dict) and last.get("type") == "function_call_output":
            text = ResponseOutputText(type="output_text", text="It is 4 degrees.", annotations=[])
            output = ResponseOutputMessage(
                id="m1", type="message", role="assistant", status="completed", content=[text]
            )
        else:
            output = ResponseFunctionToolCall(
                type="function_call", call_id=f"c{len(self.given)}", name="weather", arguments="{}"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


@function_tool
def weather() -> str:
    """Return the weather."""
    return "4 degrees and rain"


def test_a_second_run_is_given_what_was_said_in_the_first(memory):
    model = ScriptedModel()
    agent = Agent("helper", model=model, tools=[weather])
    for question in ("I'm in Oslo. Is it warm?", "And now?"):
        session = MeridiaSession(memory, "chat-1", person="Kim")
        result = asyncio.run(Runner.run(agent, question, session=session))
        assert result.final_output == "It is 4 degrees."
    second = model.given[2]
    assert [item.get("role", item.get("type")) for item in second] == [
        "user",
        "function_call",
        "function_call_output",
        "assistant",
        "user",
    ]
    assert second[0]["content"] == "I'm in Oslo. Is it warm?"
    hit = memory.recall("Who is in Oslo?")[0]
    assert (hit.person, hit.text) == ("Kim", "I'm in Oslo. Is it warm?")
    assert any("rain" in record.text for record in memory.list(kind="tool_result"))


def test_items_come_back_as_they_were_and_the_newest_can_be_taken_back(memory):
    async def use():
        session = MeridiaSession(memory, "chat-1")
        items = [
            {"role": "user", "content": "My cat is called Iris."},
            {"type": "reasoning", "id": "r1", "summary": []},
            {"role": "assistant", "content": [{"type": "output_text", "text": "A nice name."}]},
        ]
        assert await session.pop_item() is None
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(limit=2) == items[1:]
        assert await session.get_items(limit=0) == []
        assert await session.pop_item() == items[2]
        assert await session.get_items() == items[:2]
        await session.clear_session()
        await session.clear_session()
        assert await session.get_items() == []

    asyncio.run(use())
    assert memory.recall("cat").hits == []
