"""Tests of Pydantic AI's history, tools and processor, with its own function model."""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from meridia.integrations.pydantic_ai import MeridiaHistory, context, toolset


def test_a_run_goes_on_where_the_one_before_ended(memory):
    given = []

    def answer(messages, _info):
        given.append(messages)
        return ModelResponse(parts=[TextPart("Hello Kim.")])

    agent = Agent(FunctionModel(answer))
    for question in ("My name is Kim Larsen.", "Who am I, please?"):
        history = MeridiaHistory(memory, "chat-1", person="Kim")
        result = asyncio.run(agent.run(question, message_history=history.messages()))
        history.add(result.new_messages())
    assert [part.content for m in given[1] for part in m.parts] == [
        "My name is Kim Larsen.",
        "Hello Kim.",
        "Who am I, please?",
    ]
    assert MeridiaHistory(memory, "chat-1").messages() == result.all_messages()
    assert [(r.person, r.role) for r in memory.list()][:2] == [("Kim", "user"), (None, "assistant")]
    history.clear()
    assert history.messages() == []


def test_the_tools_remember_recall_and_resume(memory):
    told = {}

    def answer(messages, info):
        done = [p for m in messages for p in m.parts if p.part_kind == "tool-return"]
        told.update((p.tool_name, p.content) for p in done)
        calls = [
            ToolCallPart("remember", {"text": "Kim's oboe is at the repair shop in Bergen."}),
            ToolCallPart("recall", {"question": "Where is the oboe?"}),
            ToolCallPart("resume", {}),
        ]
        assert [tool.name for tool in info.function_tools] == [c.tool_name for c in calls]
        return ModelResponse(parts=[calls[len(done)] if len(done) < 3 else TextPart("done")])

    agent = Agent(FunctionModel(answer), toolsets=[toolset(memory)])
    assert asyncio.run(agent.run("Keep this.")).output == "done"
    assert told["remember"] == "remembered as @1"
    assert "@1" in told["recall"]
    assert "oboe" in told["recall"]
    assert told["resume"]


def test_the_model_is_told_what_it_should_know_before_it_answers(memory):
    memory.remember("I'm allergic to peanuts, so never suggest any.", person="Kim", session="s0")
    given = []

    def answer(messages, _info):
        given.append(messages)
        return ModelResponse(parts=[TextPart("Fruit.")])

    agent = Agent(FunctionModel(answer), instructions=context(memory, "Kim"))
    asyncio.run(agent.run("Which snack, given my allergic reactions?"))
    assert "peanuts" in given[0][-1].instructions
