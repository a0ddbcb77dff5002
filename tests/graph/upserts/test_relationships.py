"""What somebody is to the agent is a node, with its transitions."""

from __future__ import annotations

from meridia.core.ids import relationship_id
from meridia.core.types import EntryKind
from meridia.graph.mutations import index_mutations, mutations
from tests.graph.test_mutations import EDGE, by_name, of
from tests.histories import START, an_entry

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
    assert plain["IN_RELATIONSHIP", "person_x", RELATIONSHIP] == EDGE
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
        ("IN_RELATIONSHIP", "person_x", RELATIONSHIP): EDGE,
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
