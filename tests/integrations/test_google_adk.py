"""Tests of ADK's memory service, in runs of its own runner with a scripted model."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("google.adk")
from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai import types
from pydantic import Field

from meridia.integrations.google_adk import MeridiaMemoryService

KIM = {"app_name": "support", "user_id": "kim@example.com"}


class ScriptedModel(BaseLlm):
    """Answers the same each time; notes what it was given."""

    given: list = Field(default_factory=list)

    async def generate_content_async(self, llm_request, stream=False):
        self.given.append(llm_request.model_dump_json())
        parts = [types.Part.from_text(text="I noted your oboe.")]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def said(text, role="user"):
    return types.Content(role=role, parts=[types.Part.from_text(text=text)])


def test_a_later_session_is_told_what_an_earlier_one_said(memory):
    model, service, sessions = (
        ScriptedModel(model="scripted"),
        MeridiaMemoryService(memory),
        InMemorySessionService(),
    )
    agent = LlmAgent(name="helper", model=model, tools=[preload_memory])
    runner = Runner(
        agent=agent, app_name="support", session_service=sessions, memory_service=service
    )

    async def ask(session_id, text):
        await sessions.create_session(**KIM, session_id=session_id)
        run = runner.run_async(
            user_id=KIM["user_id"], session_id=session_id, new_message=said(text)
        )
        async for _ in run:
            pass
        session = await sessions.get_session(**KIM, session_id=session_id)
        for _ in range(2):  # a session may be added several times
            await service.add_session_to_memory(session)

    asyncio.run(ask("s1", "My oboe is at the repair shop in Bergen."))
    asyncio.run(ask("s2", "Where is the oboe?"))
    assert "PAST_CONVERSATIONS" in model.given[-1]
    assert "repair shop in Bergen" in model.given[-1]
    here = memory.in_space("support/kim@example.com")
    assert [(m.person, m.session) for m in here.list().memories] == [
        ("kim@example.com", "s1"),
        (None, "s1"),
        ("kim@example.com", "s2"),
        (None, "s2"),
    ]


def test_each_user_of_each_app_has_memories_of_their_own(memory):
    service = MeridiaMemoryService(memory)
    users = [("a/b", "c"), ("a", "b/c"), ("a", "b")]

    async def use():
        for number, (app, user) in enumerate(users):
            event = Event(author="user", content=said(f"My boat has number {number}."))
            await service.add_events_to_memory(app_name=app, user_id=user, events=[event])
        return [
            (await service.search_memory(app_name=app, user_id=user, query="boat")).memories
            for app, user in users
        ]

    found = asyncio.run(use())
    texts = [[entry.content.parts[0].text for entry in entries] for entries in found]
    assert texts == [[f"My boat has number {number}."] for number in range(3)]
    assert memory.recall("boat").hits == []


def test_entries_are_added_found_with_their_reason_and_deleted_for_good(memory):
    service = MeridiaMemoryService(memory)
    entry = MemoryEntry(
        id="e1", content=said("The harbour opens at six."), custom_metadata={"k": 1}
    )

    async def use():
        await service.add_memory(**KIM, memories=[entry])
        (found,) = (
            await service.search_memory(**KIM, query="When does the harbour open?")
        ).memories
        await service.delete_memory(**KIM, memory_id=found.id)
        await service.delete_memory(**KIM, memory_id=found.id)
        await service.add_memory(**KIM, memories=[entry])
        return found, await service.search_memory(**KIM, query="harbour")

    found, left = asyncio.run(use())
    assert found.content.parts[0].text == "The harbour opens at six."
    assert found.custom_metadata["reason"]
    assert left.memories == []


def test_thoughts_and_parts_of_a_stream_are_not_remembered(memory):
    service = MeridiaMemoryService(memory)
    thought = types.Content(role="model", parts=[types.Part(text="Hm, boats.", thought=True)])
    events = [
        Event(author="helper", content=said("A part of boats", "model"), partial=True),
        Event(author="helper", content=thought),
        Event(author="helper"),
    ]
    asyncio.run(service.add_events_to_memory(**KIM, events=events, session_id="s1"))
    assert memory.in_space("support/kim@example.com").list().memories == []
