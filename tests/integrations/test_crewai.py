"""Tests of CrewAI's memory, in a crew with a scripted model, and by its own operations."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
pytest.importorskip("crewai")
from crewai import Agent, BaseLLM, Crew, Task
from pydantic import Field

from meridia.integrations.crewai import MeridiaMemory

pytestmark = pytest.mark.filterwarnings("ignore")


class ScriptedModel(BaseLLM):
    """Answers the same each time; notes what it was given."""

    given: list = Field(default_factory=list)

    def call(self, messages, *_, **__):
        self.given.append(str(messages))
        return "Thought: I now can give a great answer\nFinal Answer: The oboe is in Bergen."


def test_a_second_crew_is_told_what_the_first_found_out(memory):
    for question in ("Find out where Kim's oboe is.", "Say where the oboe of Kim is."):
        model = ScriptedModel(model="scripted")
        agent = Agent(role="Finder", goal="Find things", backstory="You find.", llm=model)
        task = Task(description=question, expected_output="A place", agent=agent)
        crew = Crew(agents=[agent], tasks=[task], memory=MeridiaMemory(memory))
        assert str(crew.kickoff()) == "The oboe is in Bergen."
        model.given, given = [], model.given
    assert any("The oboe is in Bergen" in each for each in given[:1])
    first, second = memory.list().memories
    assert "Find out where Kim's oboe is" in first.text
    assert "Say where the oboe" in second.text


@pytest.fixture
def crew_memory(memory):
    kept = MeridiaMemory(memory)
    kept.remember("The mast of the boat is oak.", scope="/boat/rig", categories=["wood"])
    kept.remember("The hull of the boat is steel.", scope="/boat", importance=0.9)
    kept.remember("The boathouse door is red.", scope="/boathouse", metadata={"by": "Kim"})
    yield kept
    kept.close()


def test_records_are_found_within_their_scope_and_categories(crew_memory):
    (first, second) = crew_memory.recall("What is the boat made of?", scope="/boat")
    assert {first.record.scope, second.record.scope} == {"/boat", "/boat/rig"}
    assert first.match_reasons
    (wood,) = crew_memory.recall("boat", categories=["wood", "stone"])
    assert wood.record.content == "The mast of the boat is oak."
    inner = crew_memory.scope("/boat")
    assert [match.record.scope for match in inner.recall("mast", limit=1)] == ["/boat/rig"]


def test_private_records_are_shown_to_their_source_alone(crew_memory):
    crew_memory.remember("The safe of the boat is green.", source="Kim", private=True)
    found = {
        source: any("safe" in m.record.content for m in crew_memory.recall("safe", source=source))
        for source in ("Kim", "Ann", None)
    }
    assert found == {"Kim": True, "Ann": False, None: False}
    assert any("safe" in m.record.content for m in crew_memory.recall("safe", include_private=True))


def test_records_are_listed_changed_and_forgotten(crew_memory):
    assert crew_memory.list_scopes("/") == ["/boat", "/boathouse"]
    assert crew_memory.list_scopes("/boat") == ["/boat/rig"]
    assert crew_memory.list_categories() == {"wood": 1}
    info = crew_memory.info("/boat")
    assert (info.record_count, info.categories, info.child_scopes) == (2, ["wood"], ["/boat/rig"])
    newest = crew_memory.list_records(limit=1)[0]
    assert newest.content == "The boathouse door is red."
    changed = crew_memory.update(newest.id, content="The boathouse door is blue.")
    assert crew_memory.recall("door", limit=1)[0].record == changed
    past = datetime.now(UTC) - timedelta(days=1)
    assert crew_memory.forget(older_than=past) == 0
    assert crew_memory.forget(metadata_filter={"by": "Kim"}) == 1
    assert crew_memory.forget(scope="/boat/rig") == 1
    assert crew_memory.forget(record_ids=["nobody"]) == 0
    assert [record.scope for record in crew_memory.list_records()] == ["/boat"]
    crew_memory.reset()
    assert crew_memory.list_records() == []
