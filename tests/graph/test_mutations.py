"""What an entry means to the graph, entry by entry."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.ids import artifact_id, concept_id, person_id, relationship_id, word_id
from meridia.core.types import EdgeUpsert, EntryKind, NodeUpsert, Space
from meridia.graph.mutations import index_mutations, mutations
from meridia.graph.schema import EDGES, LABELS, EdgeType
from tests.histories import START, TestJournal, an_entry, every_kind, histories, play

HOME = Space("home")
VALID = datetime(2026, 3, 1, 10, tzinfo=UTC)


def captured(event: dict[str, Any], **fields: Any) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return an experience's mutations by label and id, or by type and ends."""
    base = {"kind": "user_message", "payload": {"text": "hi"}}
    entry = an_entry(EntryKind.EXPERIENCE_CAPTURED, {"event": base | event}, **fields)
    return by_name(mutations(entry))


def by_name(changes: list[Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    return {
        (c.label, c.id) if isinstance(c, NodeUpsert) else (c.type, c.source, c.target): dict(
            c.properties
        )
        for c in changes
    }


EDGE = {"weight": 1.0, "since": START, "source_seq": 7, "space": "home"}


def test_an_experience_is_a_node_with_what_is_known_of_it():
    assert captured({"kind": "assistant_message"}) == {
        ("Experience", "e-7"): {
            "space": "home",
            "event_id": "event-7",
            "kind": "assistant_message",
            "speaker": "assistant",
            "text": "hi",
            "name": "hi",
            "at": START,
            "seq": 7,
        }
    }


def test_a_tool_s_result_names_its_tool():
    event = {"kind": "tool_result", "tool": {"name": "bash"}, "payload": {"result": "ok"}}
    node = captured(event)["Experience", "e-7"]
    assert (node["tool"], node["text"]) == ("bash", "bash\nok")


def test_an_experience_hangs_on_its_session_and_its_predecessor():
    found = captured({"session": {"key": "s9"}}, stream="session-id", previous="e-6")
    assert found["Session", "session-id"] == {"key": "s9", "name": "s9", "space": "home"}
    assert found["IN_SESSION", "e-7", "session-id"] == EDGE
    assert found["NEXT", "e-6", "e-7"] == EDGE


def test_an_experience_hangs_on_who_spoke():
    found = captured({"person": "Dana"})
    dana = person_id("home", "Dana")
    assert found["Person", dana] == {"name": "Dana", "space": "home"}
    assert found["SPOKEN_BY", "e-7", dana] == EDGE


def test_artifacts_are_known_by_content_or_by_address():
    image = {"uri": "file:///a.png", "kind": "image", "sha256": "aa", "description": "a boat"}
    found = captured({"artifacts": [image, {"uri": "file:///b"}]})
    first, second = artifact_id("home", "", "aa"), artifact_id("home", "file:///b", None)
    assert found["Artifact", first] == {
        "uri": "file:///a.png",
        "media": "image",
        "description": "a boat",
        "name": "a boat",
        "space": "home",
    }
    named = {"uri": "file:///b", "media": "file", "name": "b", "space": "home"}
    assert found["Artifact", second] == named
    assert found["REFERENCES", "e-7", first] == found["REFERENCES", "e-7", second] == EDGE


def test_words_are_of_the_adjacency_alone():
    payload = {"experience": "e-1", "concepts": {"rain": "rain"}, "topics": {"rain": "rain"}}
    entry = an_entry(EntryKind.EXPERIENCE_ENRICHED, payload)
    graph, index = mutations(entry), index_mutations(entry)
    assert index[: len(graph)] == graph
    node, edge = index[len(graph) :]
    assert (node.label, node.id, node.properties["word"]) == (
        "Word",
        word_id("home", "rain"),
        "rain",
    )
    assert (edge.type, edge.source, edge.target) == ("HAS_WORD", "e-1", node.id)


def test_enrichment_adds_topics_and_the_people_mentioned():
    payload = {
        "experience": "e-1",
        "topics": {"engin": "engine"},
        "people": [{"id": "person_x", "name": "Kim"}],
    }
    found = by_name(mutations(an_entry(EntryKind.EXPERIENCE_ENRICHED, payload)))
    concept = concept_id("home", "engin")
    assert found == {
        ("Concept", concept): {
            "lemma": "engin",
            "word": "engine",
            "name": "engine",
            "space": "home",
        },
        ("ABOUT", "e-1", concept): EDGE,
        ("Person", "person_x"): {"name": "Kim", "space": "home"},
        ("INVOLVES", "e-1", "person_x"): EDGE,
    }


def of(kind: EntryKind, payload: dict[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return the mutations of an entry by label and id, or by type and ends."""
    return by_name(mutations(an_entry(kind, payload)))


def test_a_skeleton_is_a_node_that_says_nothing_but_what_it_was():
    payload = {
        "decision": {"significance": 0.1, "status": "skeleton"},
        "hash": "x",
        "skeleton": {"kind": "tool_result", "tool": {"name": "bash"}, "payload": {}},
    }
    held = {"kind": "tool_result", "payload": {"result": "secret"}}
    entry = an_entry(EntryKind.EXPERIENCE_CAPTURED, payload, provisional=held)
    node = by_name(mutations(entry))["Experience", "e-7"]
    assert (node["text"], node["tool"]) == ("bash", "bash")
    assert (node["status"], node["significance"]) == ("skeleton", 0.1)


def test_enrichment_says_how_it_was_lived_and_what_came_with_it():
    felt = {"primary": ["curious"], "intensity": 0.6, "valence": -0.2}
    payload = {
        "experience": "e-1",
        "phenomenology": {"emotionalSignature": felt, "engagementQuality": "engaged"},
        "artifacts": [{"uri": "file:///b", "kind": "link"}],
    }
    file = artifact_id("home", "file:///b", None)
    assert of(EntryKind.EXPERIENCE_ENRICHED, payload) == {
        ("Experience", "e-1"): {
            "emotions": ["curious"],
            "intensity": 0.6,
            "valence": -0.2,
            "engagement": "engaged",
            "space": "home",
        },
        ("Artifact", file): {"uri": "file:///b", "media": "link", "name": "b", "space": "home"},
        ("REFERENCES", "e-1", file): EDGE,
    }


def test_an_experience_without_a_feeling_has_no_property_for_one():
    payload = {"experience": "e-1", "phenomenology": {}}
    assert of(EntryKind.EXPERIENCE_ENRICHED, payload) == {("Experience", "e-1"): {"space": "home"}}


def test_an_upgraded_experience_gets_its_text_and_noise_keeps_what_it_has():
    verdict = {"experience": "e-1", "reason": "", "neighbourhood": []}
    event = {"kind": "user_message", "payload": {"text": "whole"}}
    upgraded = verdict | {"status": "upgraded", "significance": 0.7, "event": event}
    assert of(EntryKind.EXPERIENCE_REEVALUATED, upgraded) == {
        ("Experience", "e-1"): {
            "status": "upgraded",
            "significance": 0.7,
            "text": "whole",
            "name": "whole",
            "space": "home",
        }
    }
    assert of(EntryKind.EXPERIENCE_REEVALUATED, verdict | {"status": "noise"}) == {
        ("Experience", "e-1"): {"status": "noise", "space": "home"}
    }


def test_related_memories_are_tied_as_closely_as_they_are_alike():
    payload = {"experience": "e-3", "related": [["e-1", 0.75], ["e-2", 1]]}
    found = of(EntryKind.MEMORIES_ASSOCIATED, payload)
    assert found == {
        ("RELATED", "e-3", "e-1"): EDGE | {"weight": 0.75},
        ("RELATED", "e-3", "e-2"): EDGE,
    }
    assert type(found["RELATED", "e-3", "e-2"]["weight"]) is float
    assert of(EntryKind.MEMORIES_ASSOCIATED, {"experience": "e-3", "related": []}) == {}


def test_what_repeats_another_names_it():
    payload = {"experience": "e-2", "canonical": "e-1", "reason": "near", "similarity": 0.97}
    assert of(EntryKind.MEMORY_REINFORCED, payload) == {
        ("Experience", "e-2"): {"canonical": "e-1", "space": "home"}
    }


def test_a_mention_is_as_heavy_as_it_is_sure():
    payload = {
        "experience": "e-1",
        "entities": [{"id": "x", "type": "project", "name": "Kestrel", "confidence": 0.8}],
    }
    assert of(EntryKind.ENTITIES_MENTIONED, payload) == {
        ("Entity", "x"): {"kind": "project", "name": "Kestrel", "space": "home"},
        ("MENTIONS", "e-1", "x"): EDGE | {"weight": 0.8},
    }


def test_a_merged_entity_names_the_other_and_an_unmerged_one_itself():
    merged = {"entity": "x", "into": "y", "reason": "", "by": "user"}
    found = of(EntryKind.ENTITIES_MERGED, merged)
    assert found == {("Entity", "x"): {"canonical": "y", "space": "home"}}
    found = of(EntryKind.ENTITIES_UNMERGED, {"entity": "x"})
    assert found == {("Entity", "x"): {"canonical": "x", "space": "home"}}


FACT = {
    "fact": "f-1",
    "experience": "e-1",
    "subject": "Dana",
    "subject_id": "person_x",
    "predicate": "lives_in",
    "object": "Oslo",
    "text": "Dana lives in Oslo",
    "stability": "dynamic",
    "t_valid": "2026-03-01T10:00:00Z",
    "confidence": 0.9,
    "by": "rule",
}


def test_a_fact_is_a_sentence_that_was_stated_somewhere_and_holds_for_a_time():
    learned = START + timedelta(days=1)
    entry = an_entry(EntryKind.FACT_ASSERTED, FACT, recorded_at=learned)
    fields = "subject predicate object text stability confidence".split()
    created = {"t_created": learned, "t_valid": VALID, "name": FACT["text"], "space": "home"}
    assert by_name(mutations(entry)) == {
        ("Fact", "f-1"): {name: FACT[name] for name in fields} | created,
        ("STATED_IN", "f-1", "e-1"): EDGE,
        ("ABOUT", "f-1", "person_x"): EDGE,
    }


def test_a_fact_is_about_what_it_names_and_relatives_know_each_other():
    oskar = {"id": person_id("home", "Oskar"), "type": "PERSON", "name": "Oskar", "confidence": 1.0}
    maya = {"id": "entity_maya", "type": "PERSON", "name": "Maya", "confidence": 0.8}
    rex = {"id": "entity_rex", "type": "PET", "name": "Rex", "confidence": 0.9}
    fact = FACT | {"predicate": "friend", "about": [oskar, maya, rex]}
    made = mutations(an_entry(EntryKind.FACT_ASSERTED, fact))
    edges = {
        (e.type, e.source, e.target_label, e.target) for e in made if isinstance(e, EdgeUpsert)
    }
    assert edges == {
        ("STATED_IN", "f-1", "Experience", "e-1"),
        ("ABOUT", "f-1", "Person", "person_x"),
        ("ABOUT", "f-1", "Person", oskar["id"]),
        ("ABOUT", "f-1", "Entity", "entity_maya"),
        ("ABOUT", "f-1", "Entity", "entity_rex"),
        ("KNOWS", "person_x", "Person", oskar["id"]),
        ("KNOWS", "person_x", "Entity", "entity_maya"),
    }
    kinds = {e.properties["kind"] for e in made if isinstance(e, EdgeUpsert) and e.type == "KNOWS"}
    assert kinds == {"friend"}
    likes = mutations(an_entry(EntryKind.FACT_ASSERTED, fact | {"predicate": "likes"}))
    assert all(e.type != "KNOWS" for e in likes if isinstance(e, EdgeUpsert))


def test_a_fact_that_another_follows_ends_and_one_that_is_taken_back_ends_alone():
    said = {"fact": "f-1", "relation": "supersedes", "reason": "", "by": "rule"}
    ended = {"t_invalid": "2026-03-02T10:00:00Z", "by_fact": "f-2"}
    node = {"t_invalid": VALID + timedelta(days=1), "t_expired": START, "space": "home"}
    assert of(EntryKind.FACT_SUPERSEDED, said | ended) == {
        ("Fact", "f-1"): node,
        ("SUPERSEDES", "f-2", "f-1"): EDGE,
    }
    assert of(EntryKind.FACT_SUPERSEDED, said | ended | {"by_fact": None}) == {
        ("Fact", "f-1"): node
    }


def test_a_contradicted_fact_goes_on_and_names_the_other():
    said = {"fact": "f-1", "by_fact": "f-2", "relation": "contradicts", "t_invalid": None}
    assert of(EntryKind.FACT_SUPERSEDED, said) == {
        ("Fact", "f-1"): {"contradicted_by": "f-2", "space": "home"}
    }


def test_an_experience_knows_the_questions_that_it_answers():
    payload = {"experience": "e-1", "questions": ("why?", "how?"), "by": "rule"}
    assert of(EntryKind.QUESTIONS_ANTICIPATED, payload) == {
        ("Experience", "e-1"): {"questions": ["why?", "how?"], "space": "home"}
    }


def test_an_episode_sums_up_its_sources():
    payload = {
        "episode": "ep-1",
        "session": "session-id",
        "topic": "boat",
        "summary": "The boat was mended.",
        "sources": ["e-1", "e-2"],
        "tools": [],
        "emotions": ["curious"],
        "from": "2026-03-01T10:00:00Z",
        "until": "2026-03-01T11:00:00Z",
        "significance": 0.5,
    }
    assert of(EntryKind.EPISODE_SYNTHESISED, payload) == {
        ("Episode", "ep-1"): {
            "topic": "boat",
            "name": "boat",
            "text": "The boat was mended.",
            "at": VALID,
            "until": VALID + timedelta(hours=1),
            "significance": 0.5,
            "emotions": ["curious"],
            "space": "home",
        },
        ("SUMMARIZES", "ep-1", "e-1"): EDGE,
        ("SUMMARIZES", "ep-1", "e-2"): EDGE,
    }


def test_every_kind_of_entry_but_feedback_and_forgetting_means_something():
    with TestJournal() as journal:
        every_kind(journal, HOME)
        entries = journal.read(HOME, 0, 1000)
    missing = set(EntryKind) - {entry.kind for entry in entries}
    assert not missing, f"{missing}: add it to _OF_KIND in tests/histories.py"
    meaning = {entry.kind for entry in entries if mutations(entry)}
    assert meaning == set(EntryKind) - {EntryKind.FEEDBACK_GIVEN, EntryKind.FORGOTTEN}


def test_an_erased_entry_means_nothing():
    for kind in EntryKind:
        assert mutations(an_entry(kind, None, previous="e-6")) == []


@given(histories)
def test_every_mutation_keeps_to_the_schema_and_names_its_ends_first(history):
    journal = TestJournal()
    play(journal, HOME, history, lambda: None)
    entries = journal.read(HOME, 0, 1000) if journal.spaces() else []
    journal.close()
    nodes: set[tuple[str, str]] = set()
    erased = {("Experience", entry.id) for entry in entries if entry.payload is None}
    subjects = {("Person", getattr(entry.payload, "subject_id", None)) for entry in entries}
    for entry in entries:
        for change in mutations(entry):
            if isinstance(change, NodeUpsert):
                assert set(change.properties) <= set(LABELS[change.label].properties)
                empty = {name for name, value in change.properties.items() if value is None}
                # None takes a property away; nothing but a relationship's threshold is.
                assert empty <= ({"threshold"} if change.label == "Relationship" else set())
                nodes.add((change.label, change.id))
            else:
                assert isinstance(change, EdgeUpsert)
                pair = EdgeType(change.type, change.source_label, change.target_label)
                assert pair in EDGES[change.type]
                assert set(change.properties) == set(pair.properties)
                # An experience that was erased is no node, nor is somebody whom facts alone name;
                # the projector leaves out their edges.
                assert (change.target_label, change.target) in nodes | erased | subjects
            assert change.properties["space"] == HOME


@given(st.text(max_size=400))
def test_what_a_browser_shows_of_a_text_is_one_line_of_bounded_length(text):
    name = captured({"payload": {"text": text}})["Experience", "e-7"]["name"]
    assert 0 < len(name) <= 60
    assert "\n" not in name
    assert name == "user_message" or text.split()[0].startswith(name.split()[0].rstrip("…"))


RELATIONSHIP = relationship_id("person_x")


def test_a_person_met_has_a_name_and_aliases_and_their_relationship_a_first_time():
    payload = {"person": "person_x", "name": "Dana", "aliases": ["D"]}
    assert by_name(mutations(an_entry(EntryKind.PERSON_MET, payload))) == {
        ("Person", "person_x"): {"name": "Dana", "aliases": ["D"], "space": "home"},
        ("Relationship", RELATIONSHIP): {"since": START, "space": "home"},
        ("IN_RELATIONSHIP", "person_x", RELATIONSHIP): EDGE,
    }


def test_a_transition_hangs_between_its_session_and_what_triggered_it():
    payload = {
        "transition": "t-1",
        "session": "session-id",
        "experience": "e-1",
        "field": "engagement",
        "from": None,
        "to": {"valence": 0.5, "primary": ["été"]},
    }
    assert of(EntryKind.STATE_TRANSITIONED, payload) == {
        ("Transition", "t-1"): {
            "field": "engagement",
            "after": "été",
            "after_valence": 0.5,
            "name": "engagement: – → été",
            "at": START,
            "space": "home",
        },
        ("UNDERWENT", "session-id", "t-1"): EDGE,
        ("TRIGGERED_BY", "t-1", "e-1"): EDGE,
    }
    whose = payload | {"from": "routine", "to": "engaged", "person": "person_x"}
    plain = of(EntryKind.STATE_TRANSITIONED, whose)
    assert plain["UNDERWENT", RELATIONSHIP, "t-1"] == EDGE
    # Only the meeting says since when: which of two entries is later depends on the enrichment.
    assert ("IN_RELATIONSHIP", "person_x", RELATIONSHIP) not in plain
    node = plain["Transition", "t-1"]
    assert (node["before"], node["after"]) == ("routine", "engaged")


def test_a_relationship_says_what_somebody_has_become_and_what_they_were():
    payload = {"person": "person_x", "type": "primary", "threshold": 0.0, "by": "user"}
    found = of(EntryKind.RELATIONSHIP_CHANGED, payload | {"before": "user"})
    (change,) = (id for label, id, *_ in found if label == "Transition")
    assert found == {
        ("Person", "person_x"): {"space": "home"},
        ("Relationship", RELATIONSHIP): {
            "kind": "primary",
            "name": "primary",
            "changed": START,
            "threshold": 0.0,
            "space": "home",
        },
        ("UNDERWENT", RELATIONSHIP, change): EDGE,
        ("Transition", change): {
            "field": "relationship",
            "before": "user",
            "after": "primary",
            "name": "relationship: user → primary",
            "at": START,
            "space": "home",
        },
    }
    before = of(EntryKind.RELATIONSHIP_CHANGED, payload)["Transition", change]
    assert "before" not in before


def test_what_somebody_is_to_the_agent_is_no_affair_of_the_ranking():
    changed = {"person": "person_x", "type": "primary", "threshold": None}
    met = {"person": "person_x", "name": "Dana", "aliases": []}
    for kind, payload in (
        (EntryKind.RELATIONSHIP_CHANGED, changed),
        (EntryKind.PERSON_MET, met),
    ):
        index = index_mutations(an_entry(kind, payload))
        assert [(each.label, each.id) for each in index] == [("Person", "person_x")]
