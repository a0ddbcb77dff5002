"""The list of entities: every mention counts, a merge can be undone."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.entries import ExperienceEnriched, enrichment_keys
from meridia.core.errors import InvalidInput
from meridia.core.experience import EmotionalSignature, Phenomenology
from meridia.core.facts import fold_facts
from meridia.core.types import EntryDraft, EntryKind, Space
from meridia.core.vocabulary import Emotion
from meridia.graph.adjacency import PROJECTION
from meridia.ingest.enrichment import rule_stages
from meridia.ingest.enrichment.batch_state import EnrichmentContext
from meridia.storage.projections import entry_indexes
from meridia.storage.projections.entry_indexes import EntityRow, subject_key
from meridia.storage.upkeep import rebuild_lists, verify
from tests.drafts import a_draft, a_payload
from tests.fakes import WAITING, numbered, private_journal
from tests.graph.listed import AWAY, HOME
from tests.ingest.forgetting.told import PLAIN, tell


def mention(file, key: str, *entities: tuple[str, str], space: Space = HOME) -> None:
    named = [
        {"id": id, "type": "project", "name": name, "confidence": 0.9} for id, name in entities
    ]
    payload = {"experience": key, "entities": named}
    file.journal.append(space, [a_draft(EntryKind.ENTITIES_MENTIONED, key, payload)])


def merge(file, entity: str, into: str | None) -> None:
    if into is None:
        draft = a_draft(EntryKind.ENTITIES_UNMERGED, "", {"entity": entity})
    else:
        payload = {"entity": entity, "into": into, "reason": "the same", "by": "user"}
        draft = a_draft(EntryKind.ENTITIES_MERGED, "", payload)
    file.journal.append(HOME, [draft])


def listed(file, space: int = 1) -> list[EntityRow]:
    return numbered(file, space).entities.list_all()


def test_an_entity_keeps_the_first_name_it_was_mentioned_by(private_file):
    mention(private_file, "e-1", ("x", "Kestrel"), ("y", "Osprey"))
    mention(private_file, "e-2", ("x", "kestrel"))
    assert listed(private_file) == [
        EntityRow("x", "project", "Kestrel", 2, None),
        EntityRow("y", "project", "Osprey", 1, None),
    ]
    assert numbered(private_file).entities.counts() == (2, 0)


def test_an_experience_that_is_told_of_twice_counts_once(private_file):
    for _ in range(2):
        mention(private_file, "e-1", ("x", "Kestrel"))
    assert listed(private_file)[0].mentions == 1


def test_nothing_mentioned_is_nothing_listed(private_file):
    mention(private_file, "e-1")
    assert listed(private_file) == []
    assert numbered(private_file).entities.counts() == (0, 0)


def test_a_merge_says_into_what_and_can_be_undone(private_file):
    mention(private_file, "e-1", ("x", "Kestrel"), ("y", "Kestrels"))
    merge(private_file, "y", "x")
    assert [(one.id, one.merged_into) for one in listed(private_file)] == [("x", None), ("y", "x")]
    assert numbered(private_file).entities.counts() == (2, 1)
    mention(private_file, "e-2", ("y", "Kestrels"))
    assert [(one.id, one.mentions) for one in listed(private_file)] == [("y", 2), ("x", 1)]
    merge(private_file, "y", None)
    assert [one.merged_into for one in listed(private_file)] == [None, None]
    assert numbered(private_file).entities.counts() == (2, 0)


def test_a_merge_of_what_was_never_mentioned_lists_nothing(private_file):
    mention(private_file, "e-1", ("x", "Kestrel"))
    merge(private_file, "nobody", "x")
    assert [one.id for one in listed(private_file)] == ["x"]


def test_spaces_list_their_own_and_one_can_be_cleared(private_file):
    mention(private_file, "e-1", ("x", "Kestrel"))
    mention(private_file, "e-1", ("x", "Elsewhere"), space=AWAY)
    mention(private_file, "e-2", ("y", "Kestrels"))
    merge(private_file, "x", "y")
    assert [one.merged_into for one in listed(private_file, 2)] == [None]
    numbered(private_file, 1).space_scope.run("entities/clear")
    assert listed(private_file, 1) == []
    assert [one.name for one in listed(private_file, 2)] == ["Elsewhere"]


@pytest.mark.parametrize("missing", ["id", "type", "name"])
def test_a_mention_without_its_parts_is_no_entry(missing):
    entity: dict[str, Any] = {"id": "x", "type": "project", "name": "Kestrel", "confidence": 1.0}
    del entity[missing]
    with pytest.raises(InvalidInput, match=missing):
        a_payload(EntryKind.ENTITIES_MENTIONED, {"experience": "e", "entities": [entity]})


ids = st.sampled_from("xyz")
happenings = st.lists(
    st.tuples(st.just("mention"), st.sets(ids, min_size=1), st.none())
    | st.tuples(st.just("merge"), ids, st.none() | ids)
)


@given(happenings)
def test_the_list_is_what_a_simple_model_says(history):
    mentions: Counter[str] = Counter()
    merged: dict[str, str | None] = {}
    with private_journal() as file:
        mention(file, "first", ("x", "x"))
        mentions["x"] += 1
        for number, (how, what, into) in enumerate(history):
            if how == "mention":
                mention(file, str(number), *((id, id) for id in sorted(what)))
                mentions.update(what)
            else:
                merge(file, what, into)
                if what in mentions:
                    merged[what] = into
        found = {one.id: (one.mentions, one.merged_into) for one in listed(file)}
        assert found == {id: (count, merged.get(id)) for id, count in mentions.items()}
        whole = len(mentions), len([into for into in merged.values() if into is not None])
        assert numbered(file).entities.counts() == whole


ASSERTED, SUPERSEDED = EntryKind.FACT_ASSERTED, EntryKind.FACT_SUPERSEDED


def assert_(file, fact: str, subject: str, id: str | None = None, space: Space = HOME) -> None:
    payload = {
        "fact": fact,
        "experience": "e-1",
        "subject": subject,
        "subject_id": id,
        "predicate": "lives_in",
        "object": "Oslo",
        "text": f"{subject} lives in Oslo",
        "stability": "dynamic",
        "t_valid": "2026-03-01T10:00:00Z",
        "confidence": 0.9,
        "by": "rule",
    }
    file.journal.append(space, [a_draft(ASSERTED, fact, payload)])


def supersede(file, fact: str, by: str | None = None, space: Space = HOME) -> None:
    payload: dict[str, Any] = {"fact": fact, "by_fact": by, "relation": "supersedes"}
    more = {"t_invalid": None, "reason": "moved", "by": "rule"}
    file.journal.append(space, [a_draft(SUPERSEDED, "", payload | more)])


def about(file, *subjects: str, space: int = 1) -> list[tuple[str, str]]:
    told = numbered(file, space).facts.about(subjects)
    return [(payload.kind, payload.fact) for payload, _ in told]


@pytest.mark.parametrize(
    ("id", "name", "key"),
    [
        ("person_1", "Dana", "person_1"),
        (None, "Dana", "dana"),
        (None, " DANA  K. ", "dana k."),
        ("", "Dana", "dana"),
    ],
)
def test_a_subject_is_its_id_or_else_its_folded_name(id, name, key):
    assert subject_key(id, name) == key


def test_what_was_told_of_a_subject_is_found_in_order(private_file):
    assert_(private_file, "f-1", "Dana", "person_1")
    assert_(private_file, "f-2", "the boat")
    assert_(private_file, "f-3", "Dana", "person_1")
    supersede(private_file, "f-1", "f-3")
    assert about(private_file, "person_1") == [
        (ASSERTED, "f-1"),
        (ASSERTED, "f-3"),
        (SUPERSEDED, "f-1"),
    ]
    assert about(private_file, "the boat") == [(ASSERTED, "f-2")]
    assert about(private_file, "dana", "nobody") == []
    assert about(private_file) == []


def test_several_subjects_are_told_together_in_the_order_of_the_journal(private_file):
    for fact, subject in (("f-1", "a"), ("f-2", "b"), ("f-3", "a")):
        assert_(private_file, fact, subject)
    assert [fact for _, fact in about(private_file, "b", "a", "a")] == ["f-1", "f-2", "f-3"]


def test_what_is_told_is_the_entry_s_payload_and_when_it_was_learned(private_file):
    assert_(private_file, "f-1", "Dana")
    (entry,) = private_file.journal.read(HOME)
    told = numbered(private_file).facts.list_all()
    assert told == [(entry.payload, entry.recorded_at)]


def test_a_supersession_of_what_nobody_asserted_is_filed_nowhere(private_file):
    assert_(private_file, "f-1", "Dana")
    supersede(private_file, "f-9", "f-1")
    assert len(numbered(private_file).facts.list_all()) == 1


def test_a_supersession_of_another_space_s_fact_is_filed_nowhere(private_file):
    for space, other in ((HOME, AWAY), (AWAY, HOME)):
        assert_(private_file, f"of {space}", "Dana", space=space)
        if other in private_file.journal.spaces():
            supersede(private_file, f"of {other}", space=space)
    supersede(private_file, "of away", space=HOME)
    for space in (1, 2):
        assert [kind for kind, _ in about(private_file, "dana", space=space)] == [ASSERTED]


def test_what_was_erased_is_told_no_more(private_file):
    assert_(private_file, "f-1", "Dana")
    supersede(private_file, "f-1")
    with private_file.database.writing() as connection:
        connection.execute("DELETE FROM payload WHERE seq = 1")
    assert about(private_file, "dana") == [(SUPERSEDED, "f-1")]


def test_spaces_have_their_own_files_and_one_can_be_cleared(private_file):
    assert_(private_file, "f-1", "Dana")
    assert_(private_file, "f-1", "Kim", space=AWAY)
    supersede(private_file, "f-1", space=AWAY)
    assert about(private_file, "kim") == []
    assert about(private_file, "kim", space=2) == [(ASSERTED, "f-1"), (SUPERSEDED, "f-1")]
    numbered(private_file, 2).space_scope.run("facts/clear")
    assert about(private_file, "kim", space=2) == []
    assert about(private_file, "dana") == [(ASSERTED, "f-1")]


subjects = st.sampled_from(["Dana", "DANA ", "Kim"])


@given(st.lists(st.tuples(subjects, st.none() | st.integers(0, 9)), min_size=1, max_size=12))
def test_the_files_of_all_subjects_together_are_list_all(history):
    with private_journal() as file:
        facts: list[str] = []
        for subject, superseded in history:
            if superseded is not None and facts:
                supersede(file, facts[superseded % len(facts)])
            else:
                facts.append(f"f-{len(facts)}")
                assert_(file, facts[-1], subject)
        everything = numbered(file).facts.list_all()
        assert len(everything) == len(file.journal.read(HOME))
        assert sorted(about(file, "dana") + about(file, "kim")) == sorted(
            (payload.kind, payload.fact) for payload, _ in everything
        )
        kims = {p.fact for p, _ in everything if getattr(p, "subject", None) == "Kim"}
        assert {fact for _, fact in about(file, "kim")} == kims


MADE = st.lists(
    st.tuples(
        st.sampled_from(["asserts", "supersedes", "contradicts"]),
        st.integers(0, 7),
        st.integers(0, 7),
        st.sampled_from([None, "2026-03-02T10:00:00Z", "2026-02-02T10:00:00Z"]),
    ),
    max_size=25,
)


@given(MADE, st.sets(st.integers(0, 7), max_size=2))
def test_how_facts_stand_is_the_same_looked_up_and_folded_from_all(made, asked):
    with private_journal() as file:
        file.journal.append(HOME, [a_draft(EntryKind.PERSON_MET, "p", {})])
        for what, fact, other, ended in made:
            if what == "asserts":
                assert_(file, f"f-{fact}", "Dana")
            else:
                payload = {"fact": f"f-{fact}", "by_fact": f"f-{other}", "relation": what}
                more = {"t_invalid": ended, "reason": "moved", "by": "rule"}
                file.journal.append(HOME, [a_draft(SUPERSEDED, "", payload | more)])
        facts, ids = numbered(file).facts, {f"f-{number}" for number in asked}
        whole, some = fold_facts(facts.list_all()), fold_facts(facts.related(sorted(ids)))
        assert {id: some.get(id) for id in ids} == {id: whole.get(id) for id in ids}


@pytest.fixture
def memory():
    with Memory(None, "default", PLAIN) as opened:
        tell(opened)
        opened.remember("The heron stands there.", person="Kim", id="h-1")
        opened.remember("The heron stands there.", person="Kim", id="h-2")
        opened.feedback("m-0", "useful")
        yield opened


def kinds_about(memory: Memory, id: str) -> set[str]:
    """Return the kinds of the entries that are about a memory."""
    rows = memory.parts.database.connection.execute(
        "SELECT e.kind FROM about a JOIN entry e ON e.space = a.space AND e.seq = a.seq "
        "WHERE a.memory = ?",
        (memory.get(id).seq,),
    )
    return {kind for (kind,) in rows}


def test_what_was_derived_repeated_and_judged_is_about_a_memory(memory: Memory):
    assert {"ExperienceEnriched", "FactAsserted", "FeedbackGiven"} <= kinds_about(memory, "m-0")
    assert "ExperienceCaptured" in kinds_about(memory, "h-1")
    assert "FeedbackGiven" not in kinds_about(memory, "m-1")


@pytest.mark.parametrize("forgotten", [[], ["h-1", "m-0"]])
def test_it_is_the_same_after_a_rebuild_from_the_journal(memory: Memory, forgotten: list[str]):
    if forgotten:
        memory.forget(ids=forgotten)
        memory.enrich()
    connection = memory.parts.database.connection
    what = "SELECT a.memory, a.seq FROM about a JOIN payload p ON p.seq = a.seq ORDER BY 1, 2"
    before = connection.execute(what).fetchall()
    with memory.parts.writing():
        entry_indexes.rebuild_references(memory.parts.space(memory.space).space_scope)
    assert connection.execute(what).fetchall() == before
    assert before


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
            memory.graph.project()
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

        listed, graph = shown(memory), memory.graph.digest()
        rebuild_lists(memory.parts, memory.space)
        memory.upkeep.rebuild()
        assert shown(memory) == listed
        assert memory.graph.digest() == graph

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
