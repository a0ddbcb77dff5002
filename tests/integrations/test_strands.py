"""Tests of Strands' sessions and memory store, in runs of an agent with a scripted model."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("strands")
from strands import Agent, tool
from strands.memory import MemoryManager
from strands.models import Model
from strands.session import RepositorySessionManager
from strands.types.session import SessionMessage

from meridia.integrations.strands import MeridiaMemoryStore, MeridiaSessions


class ScriptedModel(Model):
    """Calls the tool once for each question, then answers; notes what it was given."""

    def __init__(self):
        self.given = []

    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    def structured_output(self, *_, **__):
        raise NotImplementedError

    async def stream(self, messages, tool_specs=None, system_prompt=None, **_):
        self.given.append(list(messages))
        answered = any("toolResult" in block for block in messages[-1]["content"])
        yield {"messageStart": {"role": "assistant"}}
        if answered or not tool_specs:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "It is 4 degrees."}}}
        else:
            start = {"toolUse": {"toolUseId": f"t{len(self.given)}", "name": "weather"}}
            yield {"contentBlockStart": {"start": start}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": "{}"}}}}
        yield {"contentBlockStop": {}}
        yield {
            "messageStop": {"stopReason": "end_turn" if answered or not tool_specs else "tool_use"}
        }


@tool
def weather() -> str:
    """Return the weather."""
    return "4 degrees and rain"


def test_a_second_agent_goes_on_where_the_first_ended(memory):
    for question in ("I'm in Oslo. Is it warm?", "And now?"):
        model = ScriptedModel()
        manager = RepositorySessionManager("chat-1", MeridiaSessions(memory, person="Kim"))
        agent = Agent(
            model=model,
            tools=[weather],
            agent_id="helper",
            session_manager=manager,
            callback_handler=None,
        )
        assert str(agent(question)).strip() == "It is 4 degrees."
        agent.state.set("asked", question)
    roles = [message["role"] for message in model.given[0]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert model.given[0][0]["content"][0]["text"] == "I'm in Oslo. Is it warm?"
    hit = memory.recall("Who is in Oslo?")[0]
    assert (hit.person, hit.text) == ("Kim", "I'm in Oslo. Is it warm?")
    assert any("rain" in record.text for record in memory.list(kind="tool_result"))


def test_a_redacted_message_is_forgotten(memory):
    repository = MeridiaSessions(memory, person="Kim")
    messages = [
        SessionMessage({"role": "user", "content": [{"text": f"Word number {n}, secretly."}]}, n)
        for n in range(4)
    ]
    for message in messages:
        repository.create_message("s1", "a1", message)
    assert [m.message for m in repository.list_messages("s1", "a1", limit=2, offset=1)] == [
        m.message for m in messages[1:3]
    ]
    messages[1].redact_message = {"role": "user", "content": [{"text": "[taken back]"}]}
    repository.update_message("s1", "a1", messages[1])
    shown = repository.read_message("s1", "a1", 1)
    assert shown.to_message() == messages[1].redact_message
    assert [m.message_id for m in repository.list_messages("s1", "a1")] == [0, 1, 2, 3]
    assert "number 1" not in str([record.metadata for record in memory.list().memories])
    assert repository.read_message("s1", "a1", 9) is None
    assert repository.read_agent("s1", "a1") is None
    assert repository.read_session("s1") is None


def test_bytes_of_a_message_come_back(memory):
    repository = MeridiaSessions(memory)
    image = {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}
    repository.create_message("s", "a", SessionMessage({"role": "user", "content": [image]}, 0))
    assert repository.list_messages("s", "a")[0].to_message()["content"] == [image]


def test_the_manager_tells_the_model_what_the_memory_knows_and_adds_to_it(memory):
    memory.remember("I'm allergic to peanuts, so never suggest any.", person="Kim")
    store = MeridiaMemoryStore(memory, person="Kim")
    manager = MemoryManager(stores=[store], search_tool_config=False, add_tool_config=False)
    model = ScriptedModel()
    agent = Agent(model=model, plugins=[manager], callback_handler=None)
    agent("Which snack fits my allergic reactions?")
    assert "peanuts" in str(model.given[0])
    asyncio.run(manager.add("My boat is called Iris, and it is red."))
    (entry,) = asyncio.run(store.search("What is the boat called?", {"max_search_results": 1}))
    assert entry.content == "My boat is called Iris, and it is red."
    assert entry.metadata["reason"]
    assert memory.list().memories[-1].person == "Kim"
