"""Who is who: worked out of the journal alone, in the order in which things were said."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.core.people import NameState


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
    assert memory.directory().speakers.find("Wanda").name == "Wilma"


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
    before = memory.digest()
    memory.rebuild()
    assert memory.digest() == before


def test_one_who_spoke_before_under_that_name_is_proposed_and_not_merged(memory):
    memory.remember("I live in Porto.", person="Kim")
    memory.remember("My name is Kim.")
    memory.enrich()
    assert sorted(shown(memory)) == ["Kim", "you"]
    (proposed,) = memory.directory().aliases
    assert (proposed.name, proposed.state) == ("Kim", NameState.PROPOSED)


def test_a_nickname_by_which_somebody_is_addressed_is_heard(memory):
    memory.remember("I painted a sunrise.", person="Melanie", session="s")
    memory.remember("Hey Mel! That is lovely.", person="Caroline", session="s")
    memory.enrich()
    assert memory.directory().speakers.find("Mel").name == "Melanie"


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
