"""Relationships: whom a session is with, how often they met, and what that makes of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import encode
from meridia.core.ids import person_id
from meridia.core.people import PersonRelation
from meridia.core.types import EntryKind
from meridia.core.vocabulary import Relationship
from meridia.ingest.capture.decide import decide
from meridia.ingest.capture.event_view import read_event
from meridia.ingest.capture.scoring import Scoring
from meridia.ingest.capture.session_history import SessionHistory, identity_of
from meridia.ingest.curation import CurationService
from tests.ingest.ingest_events import agent, at, result, user
from tests.ingest.ingest_world import HOME

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["user", "meta", "name", "id", "user_id", "sender", "x"]), inner
        )
    ),
    max_leaves=8,
)


def relation(**fields):
    """Return what is known of Dana, whom the agent met once."""
    return replace(PersonRelation("p1", "Dana", Relationship.USER, at(0), at(0), 1), **fields)


def test_row_48_a_relation_has_the_seven_columns():
    """Row 48: the columns of the source's table, under its names."""
    assert encode(relation(capture_threshold_override=0.3)) == {
        "user_id": "p1",
        "display_name": "Dana",
        "relationship_type": "user",
        "first_seen": "2026-03-01T10:00:00.000000Z",
        "last_seen": "2026-03-01T10:00:00.000000Z",
        "interaction_count": 1,
        "capture_threshold_override": 0.3,
    }
    assert [*Relationship] == ["primary", "collaborator", "user", "unknown"]


def talk(world, interactions: int, sessions: int, person: str = "Dana") -> None:
    """Have somebody speak so often, by turns in so many sessions."""
    for number in range(interactions):
        key = {"session": {"key": f"s{number % sessions}"}}
        world.take(user(f"Message {number} by {person}", number, person=person, **key))


def type_of(world, person: str = "Dana") -> Relationship:
    return world.file.space(HOME).people.type_and_threshold(person_id(HOME, person))[0]


@pytest.mark.parametrize(
    ("interactions", "sessions", "expected"),
    [
        (1, 1, Relationship.USER),
        (19, 3, Relationship.USER),
        (50, 2, Relationship.USER),
        (20, 3, Relationship.COLLABORATOR),
        (30, 30, Relationship.COLLABORATOR),
    ],
)
def test_row_48_the_type_grows_with_interactions_and_sessions(
    world, interactions, sessions, expected
):
    """Row 48: user, then collaborator; never primary by rule, however long it lasts."""
    talk(world, interactions, sessions)
    assert type_of(world) is expected


def test_it_grows_with_the_message_that_makes_it_so_whenever_that_is_read(world):
    talk(world, 25, 3)
    kinds = [entry.kind for entry in world.entries()]
    changed = EntryKind.RELATIONSHIP_CHANGED
    assert kinds.index(changed) == 20
    assert kinds.count(changed) == 1


def test_the_word_of_the_user_stands(world):
    curation = CurationService(world.file, HOME)
    talk(world, 1, 1)
    curation.set_relationship("Dana", Relationship.PRIMARY)
    talk(world, 25, 3)
    assert type_of(world) is Relationship.PRIMARY
    talk(world, 25, 3, person="Ravi")
    curation.set_relationship("Ravi", Relationship.USER)
    talk(world, 25, 4, person="Ravi")
    assert type_of(world, "Ravi") is Relationship.USER, "nobody is raised twice"


def test_two_names_of_one_person_count_together(world):
    talk(world, 12, 2)
    talk(world, 1, 1, person="Dana S.")
    CurationService(world.file, HOME).people.merge("Dana S.", "Dana")
    talk(world, 12, 4, person="Dana S.")
    assert type_of(world) is Relationship.COLLABORATOR


def test_what_others_may_not_read_changes_nothing(world):
    talk(world, 19, 3)
    restricted = {"metadata": {"confidentiality": "secret"}}
    world.take(user("Between us", 30, person="Dana", **restricted))
    assert type_of(world) is Relationship.USER


@pytest.mark.parametrize(
    ("kind", "override", "expected"),
    [
        (Relationship.UNKNOWN, None, 0.5),
        (Relationship.USER, None, 0.5),
        (Relationship.COLLABORATOR, None, 0.4),
        (Relationship.PRIMARY, None, 0.35),
        (Relationship.PRIMARY, 0.8, 0.8),
        (Relationship.USER, 0.0, 0.0),
    ],
)
def test_row_49_a_known_relationship_lowers_the_threshold_and_an_override_wins(
    kind, override, expected
):
    """Row 49: the numbers of D8, the same as a decision's."""
    history = SessionHistory(people={"dana": (kind, override)}, interlocutor="dana")
    decision = decide(read_event(result()), history, None, Scoring())
    assert decision.threshold == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"person": "Dana"},
        {"person": " Dana ", "session": {"key": "s", "user": "Ravi"}},
        {"session": {"key": "s", "user": "Dana"}},
        {"session": {"key": "s", "user": {"id": "u7", "name": "Dana"}}},
        {"session": {"key": "s", "user_id": "Dana"}},
        {"session": {"key": "s", "meta": {"userName": "Dana", "userId": "u7"}}},
        {"session": {"key": "s", "metadata": {"sender": {"display_name": "Dana"}}}},
        {"session": {"key": "s"}, "channel": {"id": "c", "type": "chat", "user": "Dana"}},
        {"session": {"key": "s", "user": "user"}, "channel": {"from": {"username": "Dana"}}},
    ],
)
def test_row_47_identity_is_resolved_from_the_event_its_session_and_its_channel(fields):
    """Row 47: the interlocutor, from whichever field says who it is."""
    assert identity_of({"kind": "user_message", "payload": {"text": "hi"}, **fields}) == "Dana"


def test_row_47_an_id_names_somebody_where_no_name_is_known():
    """Row 47: channels that know people by number."""
    assert identity_of(user("hi", session={"key": "s", "user": {"id": 4711}})) == "4711"


def test_row_47_an_agents_own_name_is_not_whom_it_speaks_with():
    """Row 47: the interlocutor of the agent's words is the session's."""
    assert identity_of(agent("hi", person="Claude")) is None
    spoken = agent("hi", person="Claude", session={"key": "s", "user": "Dana"})
    assert identity_of(spoken) == "Dana"


def test_row_47_tools_and_payloads_name_nobody():
    """Row 47: what a tool returns about people is not whom the session is with."""
    fields = {"user": {"name": "Mia"}, "user_id": "mia_li"}
    event = result("get_user", args=fields, output=fields)
    event["tool"]["user"] = "Mia"
    event["metadata"] = {"user": "Mia"}
    assert identity_of(event) is None
    assert identity_of({**event, "session": {"key": "s", "user": "Dana"}}) == "Dana"


@given(JSON, JSON, JSON, st.sampled_from(["user_message", "assistant_message", "tool_result"]))
def test_whatever_the_metadata_are_a_name_or_nothing_comes_of_them(person, session, channel, kind):
    event = {"kind": kind, "person": person, "session": session, "channel": channel}
    name = identity_of(event)
    assert name is None or (0 < len(name) <= 256 and name.isprintable() and name == name.strip())
    assert identity_of({}) is None
