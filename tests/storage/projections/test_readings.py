"""What is read in the place of what was read before, in the journal, its lists and the graph."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from meridia import Memory
from meridia.core.entries import ExperienceEnriched, enrichment_keys
from meridia.core.experience import EmotionalSignature, Phenomenology
from meridia.core.types import EntryDraft, EntryKind
from meridia.core.vocabulary import Emotion
from meridia.graph.adjacency import PROJECTION
from meridia.ingest.enrichment import rule_stages
from meridia.ingest.enrichment.enrichment_context import EnrichmentContext
from meridia.storage.upkeep import rebuild_lists, verify
from tests.fakes import WAITING

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
MESSAGES = [
    ("Ola", "I am so sad, my dog Biscuit died yesterday."),
    ("Ola", "I promise I will send you the report tomorrow."),
    ("Ben", "I am really happy about the new garden in Berlin!"),
    ("Ola", "I work as a nurse at Saint Mary's, and I am happy."),
    ("Ben", "I sent the invoice to Acme Corp. I feel anxious about the exam."),
    ("Ben", "We are thrilled: the pottery class starts on Monday."),
]
GRAPH = [
    "MATCH (e:Experience)-[:ABOUT]->(c:Concept) RETURN e.event_id, c.word",
    "MATCH (e:Experience)-[:MENTIONS]->(n:Entity) RETURN e.event_id, n.name",
    "MATCH (e:Experience) RETURN e.event_id, e.emotions, e.valence",
]


def filled(space: str = "default") -> Memory:
    memory = Memory.open(None, space, WAITING, enrich="manual")
    for place, (person, text) in enumerate(MESSAGES):
        at = START + timedelta(hours=place + 30 * (place // 3))
        memory.remember(text, person=person, session=f"s{place // 3}", at=at, id=f"m{place}")
    return memory


def take_rules_away(patch: pytest.MonkeyPatch) -> None:
    """Take most rules away."""
    for name in ("extract_mentions", "feelings_in"):
        patch.setattr(rule_stages, name, lambda *_, **__: ())
    patch.setattr(rule_stages, "extract_topics", lambda *_: {})
    patch.setattr(rule_stages, "fortune_of", lambda *_: None)
    patch.setattr(EnrichmentContext, "utterances", ())


def shown(memory: Memory) -> dict[str, Any]:
    """Return what people see of a memory, without ids and sequences."""
    names = {record.id: record.event_id for record in memory.list().memories}
    enriched = memory.parts.journal.by_keys(
        memory.space, EntryKind.EXPERIENCE_ENRICHED, enrichment_keys(names)
    )
    return {
        "enriched": [
            (names[p.experience], p.phenomenology, p.topics, p.utterances, p.people)
            for entry in enriched
            if (p := entry.payload) is not None
        ],
        "sad": [m.event_id for m in memory.list(emotion="sad").memories],
        "transitions": [
            (change.field, change.before, change.after, names[change.experience])
            for person in ("Ola", "Ben")
            for change in memory.chronicle.transitions_of(person)
        ],
        "arcs": [
            [(m.signature, [(c.field, c.after) for c in m.transitions]) for m in arc.moments]
            for arc in (memory.chronicle.arc("s0"), memory.chronicle.arc("s1"))
        ],
        "entities": {(entity.name, entity.mentions) for entity in memory.chronicle.entities()},
        "episodes": [(e.topic, e.summary, e.emotions) for e in memory.chronicle.episodes()],
        "resume": [memory.resume(person).text for person in ("Ola", "Ben")],
        "graph": [sorted(map(repr, memory.query(text).rows)) for text in GRAPH],
    }


def test_a_journal_read_anew_shows_what_one_read_so_at_once_shows(monkeypatch):
    with filled() as whole, filled() as memory:
        whole.enrich()
        with monkeypatch.context() as patch:
            take_rules_away(patch)
            memory.enrich()
            memory.project()
            before = shown(memory)
        read_by_itself = "resume"  # a pack reads what nobody has read
        assert [n for n, value in shown(whole).items() if value and before[n] == value] == [
            read_by_itself
        ]
        memory.enrich(again=True)
        assert shown(memory) == shown(whole)
        assert memory.parts.space(memory.space).readings.count(0) == len(MESSAGES)
        assert list(verify(memory.parts, memory.space)) == []

        memory.enrich(again=True)  # finds names in what was said before them
        head = memory.parts.journal.head(memory.space)
        memory.enrich(again=True)
        assert memory.parts.journal.head(memory.space) == head, "an unchanged reading adds nothing"

        listed, graph = shown(memory), memory.digest()
        rebuild_lists(memory.parts, memory.space)
        memory.rebuild()
        assert shown(memory) == listed
        assert memory.digest() == graph

        with monkeypatch.context() as patch:
            take_rules_away(patch)
            memory.enrich(again=True)
            assert shown(memory) == before, "what is read no more is gone everywhere"
        memory.enrich(again=True)
        assert shown(memory) == listed


def test_the_word_of_a_model_stays_on_top(monkeypatch):
    with filled() as memory:
        with monkeypatch.context() as patch:
            take_rules_away(patch)
            memory.enrich()
        id = memory.list().memories[-1].id
        felt = Phenomenology(EmotionalSignature((Emotion.CAUTIOUS,), 0.5, 0.5))
        read = ExperienceEnriched(id, phenomenology=felt, by="model")
        memory.parts.journal.append(memory.space, [EntryDraft(f"{id}#session", read)])
        memory.enrich(again=True)
        assert [m.id for m in memory.list(emotion="cautious").memories] == [id]
        position = memory.parts.space(memory.space).cursors.position(*PROJECTION)
        assert not memory.parts.journal.is_outdated(memory.space, position)
