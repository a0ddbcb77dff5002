"""Tests of the session for the OpenAI Agents SDK, in runs with a scripted model."""

from __future__ import annotations

import asyncio

# The SDK is loaded by who runs these tests, not by each process that collects them.


def test_a_second_run_is_given_what_was_said_in_the_first(memory):
    from agents import Agent, Runner

    from meridia.integrations.openai_agents import MeridiaSession
    from tests.integrations.scripted_agent import ScriptedModel, weather

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
    from meridia.integrations.openai_agents import MeridiaSession

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
