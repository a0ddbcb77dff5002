"""Identifiers: sorted by time where something happened, the same for ever where derived."""

from __future__ import annotations

import unicodedata
import uuid
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.ids import (
    artifact_id,
    concept_id,
    content_hash,
    derived,
    fold,
    person_id,
    session_id,
    uuid7,
)
from tests.fakes import SeededBytes, TickingClock

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
#: Letters whose other case is one letter too, so that changing case loses nothing.
cased = st.text(st.sampled_from("abcxyzäöüéñçßσςжщЯאبクか漢 -'’"), max_size=20)
spaces = st.text(st.sampled_from(" \t\n\u00a0\u2003\u3000"), min_size=1, max_size=3)


# Version 7


def test_an_id_says_its_version_variant_and_time():
    now = datetime(2026, 3, 1, 10, 0, 5, 123000, tzinfo=UTC)
    made = uuid.UUID(uuid7(now, SeededBytes()))
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == int(now.timestamp() * 1000)


@given(st.binary(min_size=10, max_size=10), st.binary(min_size=10, max_size=10))
def test_what_is_made_later_sorts_later_whatever_chance_says(first, second):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    later = now + timedelta(milliseconds=1)
    assert uuid7(now, lambda _: first) < uuid7(later, lambda _: second)


@given(st.integers(0, 2**74 - 1))
def test_all_74_bits_of_chance_are_kept(chance):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    made = uuid.UUID(uuid7(now, lambda count: chance.to_bytes(count, "big"))).int
    assert (made >> 64 & 0xFFF) << 62 | made & (1 << 62) - 1 == chance


def test_ids_made_in_a_row_are_all_different():
    clock, chance = TickingClock(step=timedelta(0)), SeededBytes()
    assert len({uuid7(clock(), chance) for _ in range(1000)}) == 1000


# Derived


def test_derived_ids_are_the_same_for_ever():
    assert derived("person", "home", "dana") == "person_5dcddc964dcd7144a20b56e4"
    assert person_id("home", "Dana") == "person_5dcddc964dcd7144a20b56e4"
    assert session_id("home", "s9") == "session_777bb68d77f096a13635a528"
    assert concept_id("home", "walk") == "concept_64352e2b06d69bfa19281115"
    assert artifact_id("home", "file:a", None) == "artifact_f4373066e04e635e5a96f49b"
    assert content_hash("naïve") == "7b633f5f88cb0dd8617039f481fe52e9"


@given(st.lists(names, max_size=3), st.lists(names, max_size=3))
def test_parts_never_run_into_each_other(first, second):
    same = derived("x", "s", *first) == derived("x", "s", *second)
    assert same == (first == second)


@given(names, names)
def test_a_space_never_shares_an_id_with_another(one, other):
    assert (person_id(one, "Dana") == person_id(other, "Dana")) == (one == other)


def test_kinds_of_things_never_share_an_id():
    assert len({f("home", "walk") for f in (person_id, session_id, concept_id)}) == 3


def test_an_artifact_is_known_by_its_content_wherever_it_lies():
    assert artifact_id("s", "file:a", "c0ffee") == artifact_id("s", "file:b", "c0ffee")
    assert artifact_id("s", "file:a", None) != artifact_id("s", "file:b", None)


def test_the_key_of_a_session_is_taken_to_the_letter():
    assert session_id("s", "A") != session_id("s", "a")


# Folding


@given(cased, spaces)
def test_case_and_white_space_do_not_make_another_person(name, space):
    written = [name.upper(), name.lower(), name.casefold(), space + name + space]
    written.append(space.join(name.split()))
    assert {person_id("s", other) for other in written} == {person_id("s", name)}


@given(names)
def test_folding_twice_is_folding_once(name):
    assert fold(fold(name)) == fold(name)


@given(names)
def test_a_name_is_the_same_however_its_accents_are_written(name):
    assert fold(unicodedata.normalize("NFD", name)) == fold(unicodedata.normalize("NFC", name))


def test_greek_capitals_with_two_accents_are_the_same_name():
    assert fold("Ϊ́ΩΝ") == fold("ΐων")


# Content


@given(names, names)
def test_the_hash_of_a_content_tells_contents_apart(one, other):
    assert (content_hash(one) == content_hash(other)) == (one == other)
    assert len(content_hash(one)) == 32
