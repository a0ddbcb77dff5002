"""Daydreaming: proposals are in no graph and no recall until a person approves them."""

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput, NotFound
from meridia.core.settings import DaydreamSettings, Settings
from meridia.ingest.ideas import IdeaState
from meridia.service.background_worker import BackgroundWorker

SETTINGS = Settings(
    daydream=DaydreamSettings(enabled=True, insight_min=0.1, interval_s=3600, memories_min=8)
)


@pytest.fixture
def memory(embedder, clock, random_bytes):
    with Memory(None, "s", SETTINGS, clock, random_bytes, embedder) as memory:
        for count in range(8):
            memory.remember(f"Number {count} is about the weather", session=f"d{count}")
        memory.remember("The loom in the attic needs a shuttle", session="a")
        memory.remember("My grandmother taught weaving on her loom", session="b")
        memory.enrich()
        yield memory


def edges(memory: Memory) -> int:
    return memory.graph.counts().get("RELATED", 0)


def head(memory: Memory) -> int:
    return memory.parts.journal.head(memory.space).seq


def answers(memory: Memory) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in memory.recall("the loom in the museum").hits]


def test_row_106_a_proposal_is_stored_nowhere_until_it_is_approved(memory):
    before, at, digest = answers(memory), head(memory), memory.graph.digest()
    (idea, *_) = memory.ideas.propose()
    assert "loom" in idea.earlier.text
    assert "loom" in idea.later.text
    assert idea.state is IdeaState.PROPOSED
    assert (answers(memory), head(memory), memory.graph.digest()) == (before, at, digest)
    related = edges(memory)
    assert memory.ideas.approve(idea.id).state is IdeaState.APPROVED
    assert edges(memory) == related + 1
    approved = memory.graph.digest()
    memory.upkeep.rebuild()
    assert memory.graph.digest() == approved
    assert idea.id not in [other.id for other in memory.ideas.listed()]
    with pytest.raises(InvalidInput, match="was already approved"):
        memory.ideas.reject(idea.id)


def test_what_was_rejected_is_proposed_no_more_and_can_still_be_approved(memory):
    (idea, *_) = memory.ideas.propose()
    related = edges(memory)
    assert memory.ideas.reject(idea.id).state is IdeaState.REJECTED
    assert edges(memory) == related
    assert idea.id not in [other.id for other in memory.ideas.propose()]
    assert memory.ideas.approve(idea.id).state is IdeaState.APPROVED
    assert memory.ideas.listed(IdeaState.REJECTED) == []


def test_an_idea_goes_with_either_of_its_memories(memory):
    (idea, *_) = memory.ideas.propose()
    memory.forget(ids=[idea.earlier.id])
    assert memory.ideas.listed(None) == []
    with pytest.raises(NotFound, match="no idea"):
        memory.ideas.approve(idea.id)


def test_the_service_proposes_when_it_is_idle_and_enough_is_new(memory, clock):
    worker = BackgroundWorker(memory, 1)
    worker.run_once()  # busy
    assert memory.ideas.listed() == []
    worker.run_once()
    first = memory.ideas.listed()
    assert first
    for count in range(8):
        memory.remember(f"A loom, and number {count} of something", session=f"e{count}")
    worker.run_once()
    worker.run_once()
    assert memory.ideas.listed() == first, "less than an hour ago"
    clock.now += 2 * (clock.now - clock.now.replace(hour=0, minute=0))
    worker.run_once()
    worker.run_once()
    assert len(memory.ideas.listed()) > len(first)


def test_it_needs_vectors_and_three_memories(embedder):
    with Memory(None, "s", Settings(embedding={"enabled": False})) as memory:
        memory.remember("The loom", session="a")
        with pytest.raises(InvalidInput, match=r"embedding\.enabled"):
            memory.ideas.propose()
    with Memory(None, "s", SETTINGS, embedder=embedder) as memory:
        memory.remember("The loom in the attic", session="a")
        memory.remember("The loom in a museum", session="b")
        memory.enrich()
        assert memory.ideas.propose() == []
