"""The gazetteer: who is named, by whole names and by the parts that are nobody else's."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import encode
from meridia.core.errors import Stranger
from meridia.core.people import Gazetteer, Person, PersonRelation, near_names
from meridia.core.vocabulary import Relationship


def people(*names: str) -> Gazetteer:
    return Gazetteer(Person(f"id-{name}", name) for name in names)


def named(gazetteer: Gazetteer, text: str) -> list[str]:
    return [person.name for person in gazetteer.named_in(text)]


def test_people_are_named_in_the_order_of_first_mention_and_once():
    known = people("Dana", "Bob")
    assert named(known, "Bob met Dana, then Bob left") == ["Bob", "Dana"]


@pytest.mark.parametrize(
    "text", ["dana", "DANA!", "(Dana)", "Dana's dog", "Dana’s dog", "…Dana…", "Ｄａｎａ"]
)
def test_a_name_is_found_however_it_is_written(text):
    assert named(people("Dana"), text) == ["Dana"]


@pytest.mark.parametrize("text", ["Danaë", "Bandana", "dan", "danas", ""])
def test_a_part_of_a_word_is_nobody(text):
    assert named(people("Dana"), text) == []


def test_a_part_of_a_name_names_its_only_bearer():
    known = people("Dana Reed", "Dana Scott")
    assert named(known, "Reed called") == ["Dana Reed"]
    assert named(known, "Dana called") == []
    assert named(known, "dana  scott called") == ["Dana Scott"]


@pytest.mark.parametrize("part", ["Dr", "Prof", "the", "Al"])
def test_titles_and_short_parts_name_nobody(part):
    assert named(people(f"{part} Reed"), f"{part} is here") == []
    assert named(people(f"{part} Reed"), f"{part} Reed is here") == [f"{part} Reed"]


def test_a_whole_name_counts_however_short_it_is():
    assert named(people("Al"), "Al is here") == ["Al"]


def test_a_whole_name_wins_over_the_same_part_of_another():
    known = people("Ruiz", "Dana Ruiz")
    assert named(known, "ruiz") == ["Ruiz"]
    assert known.find("RUIZ") == Person("id-Ruiz", "Ruiz")


def test_someone_is_found_by_name_or_part_and_a_stranger_is_not():
    known = people("Dana Reed")
    assert known.find(" dana\treed ") == known.find("Reed") == known.people[0]
    assert known.find("Bob") is None
    assert known.find("") is None


def test_the_words_of_all_names_are_known_for_leaving_them_out():
    assert people("Dana Ruiz", "Bob").words == {"dana", "ruiz", "bob"}


def test_a_name_that_is_a_word_too_stays_a_word_to_search_for():
    assert people("Will Ruiz", "May").words == {"ruiz"}


def test_both_apostrophes_make_the_same_name():
    assert people("Pat O’Brien").find("Pat O'Brien") is not None


@given(st.lists(st.text(max_size=12), max_size=5), st.text(max_size=60))
def test_no_names_and_no_text_break_it(names, text):
    known = people(*names)
    assert set(known.named_in(text)) <= set(known.people)


@given(st.lists(st.sampled_from(["Ann", "Bea", "Cy", "Di Lee", "Ann Lee"]), unique=True))
def test_everybody_is_found_by_the_whole_name(names):
    known = people(*names)
    for name in names:
        found = known.find(name.upper())
        assert found is not None
        assert found.name == name
        assert name in named(known, f"then {name} said")


names = st.lists(st.sampled_from(["Dana", "Dana Holt", "Bob Holt", "Ann", "Mark"]), unique=True)
spoken = st.lists(st.sampled_from(["dana", "Holt", "Bob's", "marks", "ann", "sails"])).map(" ".join)


@given(names, spoken)
def test_those_whom_a_text_touches_find_in_it_what_everybody_finds(known, text):
    everybody = people(*known)
    touched = Gazetteer(everybody.touching(text))
    assert touched.named_in(text) == everybody.named_in(text)
    said = {word.casefold().removesuffix("'s") for word in text.split()}
    assert said & touched.words == said & everybody.words


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Aunt Fee 🌻", "aunt fee"),
        ("Zoë", "Zoe"),
        ("José María", "jose maria"),
        ("Ann-Kathrin ✨", "Ann-Kathrin"),
    ],
)
def test_somebody_is_found_without_accents_and_pictures(name, asked):
    known = people(name, "Kim")
    assert known.find(asked) == known.find(name) == known.people[0]
    assert known.find("Kam") is None


def test_who_is_found_without_accents_is_nobody_else():
    known = people("Zoë", "Zoé", "Pál", "Pal")
    assert known.find("Zoe") is None
    assert known.find("Pal") == known.people[3]
    assert named(people("Pál", "Renate"), "What will Pal do?") == ["Pál"]


def test_whose_name_does_not_stand_in_a_text_is_not_touched():
    assert people("Dana Holt", "Bob").touching("The Holts met Bob") == [Person("id-Bob", "Bob")]


def test_a_relation_is_written_in_plain_values_and_times_in_utc():
    first = datetime(2026, 3, 1, 11, tzinfo=timezone(timedelta(hours=1)))
    dana = PersonRelation("person_1", "Dana", Relationship.PRIMARY, first, first, 0, 0.0)
    assert encode(dana) == {
        "user_id": "person_1",
        "display_name": "Dana",
        "relationship_type": "primary",
        "first_seen": "2026-03-01T10:00:00.000000Z",
        "last_seen": "2026-03-01T10:00:00.000000Z",
        "interaction_count": 0,
        "capture_threshold_override": 0.0,
    }


def test_names_that_are_near_are_suggested_and_others_are_not():
    known = ["Dana Ruiz", "Daniel", "Oskar"]
    assert near_names("dana", known)[0] == "Dana Ruiz"
    assert near_names("Oscar", known) == ("Oskar",)
    assert near_names("Wilhelmina", known) == ()
    assert not Stranger("Oscar", ("Oskar",))
