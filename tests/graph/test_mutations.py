"""What an entry means to the graph, entry by entry."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from meridia.core.ids import artifact_id, concept_id, person_id
from meridia.core.types import EdgeUpsert, EntryKind, NodeUpsert, Space
from meridia.graph.mutations import mutations
from meridia.graph.schema import EDGE_PROPERTIES, EDGES, LABELS
from tests.histories import START, TestJournal, an_entry, histories, play

HOME = Space("home")


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
    assert captured({}) == {
        ("Experience", "e-7"): {
            "space": "home",
            "event_id": "event-7",
            "kind": "user_message",
            "text": "hi",
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
    assert found["Session", "session-id"] == {"key": "s9", "space": "home"}
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
        "space": "home",
    }
    assert found["Artifact", second] == {"uri": "file:///b", "media": "file", "space": "home"}
    assert found["REFERENCES", "e-7", first] == found["REFERENCES", "e-7", second] == EDGE


def test_enrichment_adds_concepts_and_the_people_mentioned():
    payload = {
        "experience": "e-1",
        "concepts": {"engin": "engine"},
        "people": [{"id": "person_x", "name": "Kim"}],
    }
    found = by_name(mutations(an_entry(EntryKind.EXPERIENCE_ENRICHED, payload)))
    concept = concept_id("home", "engin")
    assert found == {
        ("Concept", concept): {"lemma": "engin", "word": "engine", "space": "home"},
        ("ABOUT", "e-1", concept): EDGE,
        ("Person", "person_x"): {"name": "Kim", "space": "home"},
        ("INVOLVES", "e-1", "person_x"): EDGE,
    }


def test_a_person_met_has_a_name_aliases_and_a_first_time():
    payload = {"person": "person_x", "name": "Dana", "aliases": ["D"]}
    assert by_name(mutations(an_entry(EntryKind.PERSON_MET, payload))) == {
        ("Person", "person_x"): {"name": "Dana", "aliases": ["D"], "since": START, "space": "home"}
    }


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
    for entry in entries:
        for change in mutations(entry):
            if isinstance(change, NodeUpsert):
                assert set(change.properties) <= set(LABELS[change.label].properties)
                assert None not in change.properties.values()
                nodes.add((change.label, change.id))
            else:
                assert isinstance(change, EdgeUpsert)
                edge = EDGES[change.type]
                assert (change.source_label, change.target_label) == (edge.source, edge.target)
                assert set(change.properties) == set(EDGE_PROPERTIES)
                # An experience that was erased is no node; the projector leaves out its edges.
                assert (change.target_label, change.target) in nodes | erased
            assert change.properties["space"] == HOME
