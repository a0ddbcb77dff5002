"""Who is who in a space, as it is read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.ids import owner_id, person_id
from meridia.core.people import NameState, PersonRelation
from meridia.core.types import EntryKind
from meridia.core.vocabulary import Relationship
from meridia.storage import people
from tests.drafts import a_draft
from tests.fakes import numbered, private_journal
from tests.graph.listed import AWAY, HOME
from tests.histories import START, HistoryEvent, capture, outline


def test_a_name_leads_to_all_under_which_somebody_spoke():
    with Memory.open() as memory:
        memory.remember("I fix clocks.", person="Bob")
        memory.remember("I live in Bergen.", person="Robert Stein")
        memory.curation.people.merge("Bob", "Robert Stein")
        identities = memory.parts.space(memory.space).identities
        both = identities.members("Robert Stein")
        assert len(both) == 2
        assert identities.members("bob") == both
        assert len(identities.members("nobody at all")) == 1
        assert list(identities.merges()) == both[1:]


@pytest.fixture
def memory():
    with Memory.open() as opened:
        yield opened


def shown(memory: Memory) -> list[str]:
    memory.enrich()
    return [one.person for one in memory.list().memories]


def test_who_says_no_name_is_you_until_they_say_it(memory):
    memory.remember("I'm allergic to peanuts.")
    assert shown(memory) == ["you"]
    memory.remember("My name is Kim.")
    assert shown(memory) == ["Kim", "Kim"]
    assert memory.resume().person == memory.resume("me").person == "Kim"


def test_the_name_asked_for_comes_before_the_one_introduced_and_a_user_s_before_both(memory):
    memory.remember("My name is Wanda.")
    memory.remember("Call me Wan, not Wanda.")
    assert shown(memory) == ["Wan", "Wan"]
    memory.curation.people.name("Wilma")
    assert set(shown(memory)) == {"Wilma"}
    assert memory.people.directory().speakers.find("Wanda").name == "Wilma"


def test_a_later_message_under_the_owner_s_name_is_the_owner_s(memory):
    memory.remember("My name is Kim.")
    memory.enrich()
    memory.remember("I live in Porto.", person="Kim")
    assert len(memory.chronicle.relations()) == 1
    memory.curation.people.unmerge("Kim")
    assert len(memory.chronicle.relations()) == 2


def test_it_is_the_order_of_what_was_said_that_counts_and_not_when_it_was_read(memory):
    memory.remember("My name is Kim.")
    memory.remember("I live in Porto.", person="Kim")
    memory.enrich()
    assert len(memory.chronicle.relations()) == 1
    memory.enrich()
    before = memory.graph.digest()
    memory.upkeep.rebuild()
    assert memory.graph.digest() == before


def test_one_who_spoke_before_under_that_name_is_proposed_and_not_merged(memory):
    memory.remember("I live in Porto.", person="Kim")
    memory.remember("My name is Kim.")
    memory.enrich()
    assert sorted(shown(memory)) == ["Kim", "you"]
    (proposed,) = memory.people.directory().aliases
    assert (proposed.name, proposed.state) == ("Kim", NameState.PROPOSED)


def test_a_nickname_by_which_somebody_is_addressed_is_heard(memory):
    memory.remember("I painted a sunrise.", person="Melanie", session="s")
    memory.remember("Hey Mel! That is lovely.", person="Caroline", session="s")
    memory.enrich()
    assert memory.people.directory().speakers.find("Mel").name == "Melanie"


def test_a_name_goes_with_the_message_that_gave_it(memory):
    memory.remember("I'm allergic to peanuts.")
    introduced = memory.remember("My name is Kim.")
    memory.enrich()
    memory.forget(ids=[introduced.id])
    assert shown(memory) == ["you"]


def test_somebody_who_is_called_you_is_not_the_owner(memory):
    memory.remember("I row.", person="you")
    memory.remember("I sail.")
    assert sorted(shown(memory)) == ["you", "you (the owner)"]


DANA, KIM = person_id(HOME, "Dana"), person_id(HOME, "Kim")
HOUR = timedelta(hours=1)


def of(file, person: str, space: int = 1) -> PersonRelation | None:
    return numbered(file, space).people.find(person)


def change(file, person: str, type: str, threshold: float | None = None) -> None:
    payload = {"person": person, "type": type, "threshold": threshold, "by": "user"}
    file.journal.append(HOME, [a_draft(EntryKind.RELATIONSHIP_CHANGED, "", payload)])


def test_somebody_who_spoke_is_known_by_the_first_name_they_were_given(private_file):
    for name, hour in (("Dana", 2), ("DANA", 0), (" dana", 1)):
        capture(private_file.journal, HOME, HistoryEvent(person=name, at=START + hour * HOUR))
    assert of(private_file, DANA) == PersonRelation(
        DANA, "Dana", Relationship.USER, START, START + 2 * HOUR, interaction_count=3
    )


def test_somebody_never_met_is_not_known(private_file):
    capture(private_file.journal, HOME, HistoryEvent(person="Dana"))
    assert of(private_file, KIM) is None
    assert [one.user_id for one in numbered(private_file).people.list_all()] == [DANA]


def test_who_speaks_without_a_name_is_the_owner(private_file):
    capture(private_file.journal, HOME, HistoryEvent(person=None), HistoryEvent(person=None))
    (owner,) = numbered(private_file).people.list_all()
    assert (owner.user_id, owner.display_name) == (owner_id(HOME), "you")
    assert owner.interaction_count == 2


@pytest.mark.parametrize("kind", ["assistant_message", "tool_result"])
def test_the_agent_and_its_tools_are_nobody(private_file, kind):
    event = {"kind": kind, "payload": {"text": "hello"}, "person": "Dana"}
    private_file.journal.append(
        HOME, [a_draft(EntryKind.EXPERIENCE_CAPTURED, "", {"event": event})]
    )
    assert numbered(private_file).people.list_all() == []


def test_a_skeleton_is_an_encounter_too(private_file):
    outline(private_file.journal, HOME, HistoryEvent(person="Dana"))
    assert of(private_file, DANA).interaction_count == 1


def test_the_same_event_sent_twice_is_one_encounter(private_file):
    for _ in range(2):
        capture(private_file.journal, HOME, HistoryEvent(person="Dana", id="m-1"))
    assert of(private_file, DANA).interaction_count == 1


def test_those_met_most_often_come_first(private_file):
    for name in ("Kim", "Dana", "Dana"):
        capture(private_file.journal, HOME, HistoryEvent(person=name))
    known = numbered(private_file).people.list_all()
    assert [(one.display_name, one.interaction_count) for one in known] == [("Dana", 2), ("Kim", 1)]


def test_what_somebody_has_become_stays_until_it_changes_again(private_file):
    capture(private_file.journal, HOME, HistoryEvent(person="Dana"), HistoryEvent(person="Kim"))
    change(private_file, DANA, "primary", 0.4)
    capture(private_file.journal, HOME, HistoryEvent(person="Dana"))
    dana = of(private_file, DANA)
    assert (dana.relationship_type, dana.capture_threshold_override) == (Relationship.PRIMARY, 0.4)
    assert (of(private_file, KIM).relationship_type, dana.interaction_count) == ("user", 2)
    change(private_file, DANA, "collaborator")
    dana = of(private_file, DANA)
    assert (dana.relationship_type, dana.capture_threshold_override) == ("collaborator", None)


def test_nobody_becomes_anything_before_they_were_met(private_file):
    capture(private_file.journal, HOME, HistoryEvent(person="Dana"))
    change(private_file, KIM, "primary")
    assert of(private_file, KIM) is None


def test_what_a_user_says_is_counted_as_far_as_is_asked(private_file):
    for session in ("a", "b", "a", None):
        capture(private_file.journal, HOME, HistoryEvent(person="Dana", session=session))
    people = numbered(private_file).people
    assert people.counted_user(DANA, 9, 9) == (DANA, None, 4, 2)
    assert people.counted_user(DANA, 3, 1) == (DANA, None, 3, 1), "no further than is asked"
    assert people.counted_user(KIM, 1, 1) is None
    change(private_file, DANA, "primary")
    assert people.counted_user(DANA, 9, 9) is None


def test_spaces_know_their_own_people_and_one_can_be_cleared(private_file):
    for space in (HOME, AWAY):
        capture(private_file.journal, space, HistoryEvent(person="Dana"))
    away = person_id(AWAY, "Dana")
    assert of(private_file, away, 1) is None
    people.clear(numbered(private_file, 1).space_scope)
    assert of(private_file, DANA) is None
    assert of(private_file, away, 2).interaction_count == 1


@given(st.lists(st.tuples(st.sampled_from(["Dana", "Kim"]), st.integers(-50, 50)), min_size=1))
def test_first_and_last_are_by_the_time_of_the_world_in_whatever_order_it_is_told(spoken):
    with private_journal() as file:
        for name, hour in spoken:
            capture(file.journal, HOME, HistoryEvent(person=name, at=START + hour * HOUR))
        for name in {name for name, _ in spoken}:
            at = [START + hour * HOUR for who, hour in spoken if who == name]
            known = of(file, person_id(HOME, name))
            assert (known.first_seen, known.last_seen) == (min(at), max(at))
            assert known.interaction_count == len(at)
