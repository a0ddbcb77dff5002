"""What entries are in Graphiti's terms: ids that stay, times, and the memory behind each fact."""

import pytest

from meridia.core.types import Space
from meridia.graph.graphiti.mapping import EXPERIENCE, batch_of, group_of, mark_of, uuid_of
from meridia.graph.schema import Partition, partition
from meridia.memory import Memory

TALK = (
    ("Dana", "My sister Mira lives in Bergen."),
    ("Robin", "I work as a sail maker in Bergen."),
    ("Dana", "I moved to Oslo last week, I love sailing there."),
    ("Dana", "The boat is called Lapwing."),
)


@pytest.fixture(scope="module")
def memory():
    with Memory.open(space="a space") as memory:
        for who, text in TALK:
            memory.remember(text, person=who, session="s1")
        memory.capture(
            {"kind": "session_boundary", "session": {"key": "s1"}, "payload": {"boundary": "end"}}
        )
        memory.enrich()
        yield memory


@pytest.fixture(scope="module")
def mapped(memory):
    journal = memory.parts.journal
    mine = partition(journal, memory.space)
    return mine, batch_of(mine, journal.read(memory.space), journal)


def test_a_group_is_the_space_as_far_as_graphiti_allows_it():
    assert group_of(Space("team_1-a")) == "team_1-a"
    assert group_of(Space("a b")) != group_of(Space("a/b"))
    assert group_of(Space("küche")).startswith("k-che-")


def test_an_id_is_the_same_whenever_it_is_made_and_another_in_another_journal():
    one, other = Partition(Space("s"), "1" * 16), Partition(Space("s"), "2" * 16)
    assert uuid_of(one, "fact_1") == uuid_of(one, "fact_1") != uuid_of(other, "fact_1")


def test_people_and_things_are_entities_of_the_group(mapped):
    _, batch = mapped
    names = {node.name: node.labels for node in batch.entities.values()}
    assert names["Dana"] == ["Entity", "Person"]
    assert {"Robin", "Mira"} <= names.keys()
    assert {node.group_id for node in batch.entities.values()} == {group_of(Space("a space"))}


def test_facts_are_edges_that_name_their_times_and_their_memory(memory, mapped):
    _, batch = mapped
    sister = next(edge for edge in batch.facts.values() if "Mira" in edge.fact)
    assert batch.entities[sister.source_node_uuid].name == "Dana"
    assert batch.entities[sister.target_node_uuid].name == "Mira"
    assert sister.name.isupper()
    said = memory.get(sister.attributes[EXPERIENCE])
    assert said.text == TALK[0][1]
    assert sister.valid_at == said.at
    assert sister.invalid_at is None
    assert set(sister.episodes) <= batch.episodes.keys()


def test_an_episode_names_who_spoke_its_facts_and_its_journal(mapped):
    mine, batch = mapped
    (episode,) = batch.episodes.values()
    assert episode.source_description.startswith(mark_of(mine))
    assert episode.content
    assert set(episode.entity_edges) >= {
        uuid for uuid, edge in batch.facts.items() if episode.uuid in edge.episodes
    }
    mentioned = {batch.entities[m.target_node_uuid].name for m in batch.mentions.values()}
    assert {"Dana", "Robin"} <= mentioned


def test_the_same_entries_are_the_same_batch(memory, mapped):
    mine, batch = mapped
    again = batch_of(mine, memory.parts.journal.read(memory.space), memory.parts.journal)
    for name in ("episodes", "mentions", "entities", "facts"):
        both = [
            {uuid: one.model_dump() for uuid, one in getattr(each, name).items()}
            for each in (batch, again)
        ]
        assert both[0] == both[1]


def test_a_fact_that_ended_says_when(memory):
    from dataclasses import replace

    from meridia.core.types import EntryKind
    from tests.drafts import a_payload

    journal, mine = memory.parts.journal, partition(memory.parts.journal, memory.space)
    (asserted, *_) = journal.of_kind(memory.space, EntryKind.FACT_ASSERTED)
    said = {
        "fact": asserted.payload.fact,
        "relation": "supersedes",
        "t_invalid": "2026-05-01T00:00:00.000000Z",
    }
    ended = replace(asserted, payload=a_payload(EntryKind.FACT_SUPERSEDED, said))
    ends = batch_of(mine, [ended], journal).ends
    assert list(ends) == [uuid_of(mine, asserted.payload.fact)]
    ((invalid_at, expired_at),) = ends.values()
    assert invalid_at.isoformat() == "2026-05-01T00:00:00+00:00"
    assert expired_at == asserted.recorded_at
