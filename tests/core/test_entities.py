"""Known entities and where texts name them (FACTS row 102)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entities import (
    EntityGazetteer,
    EntityType,
    KnownEntity,
    Words,
    entity_id,
    is_also_word,
    is_ordinary,
    norm_key,
    opens_sentence,
)
from meridia.core.errors import InvalidInput


def known(type: str, name: str, *aliases: str, into: KnownEntity | None = None) -> KnownEntity:
    kind = EntityType(type)
    id = entity_id("s", kind, name)
    return KnownEntity(id, kind, name, aliases, into.id if into else None)


def named(text: str, *entities: KnownEntity) -> list[str]:
    return [entity.name for entity in EntityGazetteer(entities).named_in(text)]


def test_row_102_there_are_nine_types():
    assert [*EntityType] == ("PERSON ORG SYSTEM PROJECT PLACE SKILL TOOL FILE CONCEPT".split())


def test_the_key_of_an_entity_is_its_type_and_its_folded_name():
    assert norm_key(EntityType.ORG, "  ACME   Inc ") == "ORG:acme inc"
    assert entity_id("s", EntityType.ORG, "ACME Inc") == entity_id("s", EntityType.ORG, "Acme inc")


def test_space_type_and_name_make_different_ids():
    ids = {
        entity_id(space, type, name)
        for space in ("s", "t")
        for type in (EntityType.ORG, EntityType.PLACE)
        for name in ("Acme", "Apex")
    }
    assert len(ids) == 8


def test_the_longest_name_wins():
    york, new_york, times = (
        known("PLACE", "York"),
        known("PLACE", "New York"),
        known("ORG", "New York Times"),
    )
    assert named("The New York Times is in New York, not York", york, new_york, times) == [
        "New York Times",
        "New York",
        "York",
    ]


@pytest.mark.parametrize(
    "text", ["Yorkshire", "a New  Yorker", "york_db", "acme.York", "x@York.com"]
)
def test_a_part_of_a_word_or_an_address_is_not_named(text):
    assert named(text, known("PLACE", "York")) == []


@pytest.mark.parametrize(
    "text", ["York's", "(York)", "YORK!", "in York.", "York", "“York”", "Ｙｏｒｋ", "York-based"]
)
def test_a_name_is_found_beside_any_sign(text):
    assert named(text, known("PLACE", "York")) == ["York"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("東京", "私は東京に行った"),
        ("NTT東日本", "昨日NTT東日本で"),
        ("Tokyo", "私はTokyoに行った"),
        ("กรุงเทพ", "ฉันอยู่กรุงเทพนะ"),
        ("Москва", "Из Москва, в Омск"),
        ("दिल्ली", "मैं दिल्ली में हूँ"),
        ("القاهرة", "زرت القاهرة أمس"),
        ("Straße 9", "in der STRASSE 9 wohnt"),
        ("C++", "I write C++, mostly"),
        (".NET", "the .NET runtime"),
        ("AT&T", "with AT&T since"),
        ("O'Brien Labs", "at O’Brien Labs today"),
        ("Node.js", "on Node.js now"),
    ],
)
def test_names_are_found_in_any_script_and_with_any_signs(name, text):
    assert named(text, known("ORG", name)) == [name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("NTT東日本", "xNTT東日本"),
        ("दिल्", "मैं दिल्ली में हूँ"),
        ("東京", "東の京"),
        ("C++", "I write C, mostly"),
        (".NET", "the net"),
    ],
)
def test_what_only_resembles_a_name_is_not_found(name, text):
    assert named(text, known("ORG", name)) == []


def test_a_company_called_like_a_word_is_found_as_it_is_written():
    target, us = known("ORG", "Target"), known("PLACE", "US")
    assert named("we missed the target, tell us", target, us) == []
    assert named("I was at Target in the US", target, us) == ["Target", "US"]
    assert named("Us? At Target.", target, us) == ["Target"]


def test_several_words_are_found_in_any_case():
    assert named("we drove to lake tahoe", known("PLACE", "Lake Tahoe")) == ["Lake Tahoe"]


def test_a_person_is_found_in_small_letters_unless_the_name_is_a_word():
    dana, grace, will = known("PERSON", "Dana"), known("PERSON", "Grace"), known("PERSON", "Will")
    assert named("dana will say grace", dana, grace, will) == ["Dana"]
    assert named("Will you come? I asked Will and Grace", grace, will) == ["Will", "Grace"]
    assert named("Will you come?", will) == []


@pytest.mark.parametrize("name", ["it", "may", "7", "x", "--", " ", "monday", "\u0301"])
def test_words_signs_and_numbers_are_not_sought(name):
    assert named(f"it may be 7 x -- monday {name}", known("CONCEPT", name)) == []


def test_tools_and_files_called_like_words_are_known_and_not_sought():
    read, search, notes = (
        known("TOOL", "read"),
        known("TOOL", "search_flights"),
        known("FILE", "notes"),
    )
    gazetteer = EntityGazetteer([read, search, notes])
    text = "I read my notes about search_flights"
    assert [entity.name for entity in gazetteer.named_in(text)] == ["search_flights"]
    assert gazetteer.find("Read") == (read,)


def test_an_alias_names_its_entity_and_is_not_its_own_name():
    postgres = known("SYSTEM", "PostgreSQL", "pg")
    gazetteer = EntityGazetteer([postgres])
    (span,) = gazetteer.spans_in(Words("the pg server"))
    assert (span.start, span.end, span.entities, span.own) == (4, 6, (postgres,), False)


def test_an_alias_of_two_entities_names_neither_and_a_name_beats_an_alias():
    lakes, labs = known("ORG", "Acme Lakes", "Acme"), known("ORG", "Acme Labs", "Acme")
    assert named("at Acme today", lakes, labs) == []
    acme = known("ORG", "Acme")
    assert named("at Acme today", lakes, labs, acme) == ["Acme"]
    one = known("ORG", "Acme Labs", "Acme", into=lakes)
    assert named("at Acme today", lakes, one) == ["Acme Lakes"]


def test_entities_of_several_types_with_one_name_are_all_named():
    planet, project = known("PLACE", "Mercury"), known("PROJECT", "Mercury")
    (span,) = EntityGazetteer([planet, project]).spans_in(Words("to Mercury"))
    assert span.entities == (planet, project)


def test_merges_are_followed_when_names_are_read_and_not_where_they_stand():
    full = known("PERSON", "Dana Reed")
    middle = known("PERSON", "D. Reed", into=full)
    short = known("PERSON", "Dana", into=middle)
    gazetteer = EntityGazetteer([short, middle, full])
    assert gazetteer.canonical_of(short.id) == full.id
    assert gazetteer.named_in("Dana and D. Reed") == [full]
    assert [s.entities for s in gazetteer.spans_in(Words("ask Dana"))] == [(short,)]


def test_an_entity_merged_into_one_that_is_not_listed_is_still_named():
    gone = KnownEntity("gone", EntityType.ORG, "Gone")
    acme = known("ORG", "Acme", into=gone)
    gazetteer = EntityGazetteer([acme])
    assert gazetteer.canonical_of(acme.id) == "gone"
    assert gazetteer.named_in("at Acme") == [acme]


def test_merges_in_a_circle_are_refused():
    a = KnownEntity("a", EntityType.ORG, "Acme", canonical="b")
    b = KnownEntity("b", EntityType.ORG, "Apex", canonical="a")
    with pytest.raises(InvalidInput, match="circle"):
        EntityGazetteer([a, b])


def test_an_entity_merged_into_itself_stands_alone():
    acme = KnownEntity("a", EntityType.ORG, "Acme", canonical="a")
    assert EntityGazetteer([acme]).canonical_of("a") == "a"


def test_a_sentence_begins_at_the_start_and_behind_its_end():
    text = "Will it? Will it, Will\n- Will"
    starts = [index for index in range(len(text)) if text.startswith("Will", index)]
    assert [opens_sentence(text, start) for start in starts] == [True, True, False, True]


def test_ordinary_words_are_function_words_and_times():
    assert is_ordinary("the")
    assert is_ordinary("friday")
    assert not is_ordinary("harbour")
    assert is_also_word("grace")
    assert not is_also_word("dana")


NAMES = st.text(st.sampled_from("abAB 東京é'-.+ß9_"), min_size=1, max_size=8)
TEXTS = st.text(st.sampled_from("abAB 東京é'-.+ß9_\n,"), max_size=40)


@given(st.lists(NAMES, max_size=6), TEXTS)
def test_spans_lie_in_order_apart_from_each_other_and_hold_a_name(names, text):
    gazetteer = EntityGazetteer(known("ORG", name) for name in names)
    words = Words(text)
    reached = 0
    for span in gazetteer.spans_in(words):
        assert reached <= span.start < span.end <= len(words.text)
        reached = span.end
        surface = words.text[span.start : span.end]
        assert all(entity in gazetteer.find(surface) for entity in span.entities)


@given(st.text(st.sampled_from("kzKZé東京ж"), min_size=2, max_size=8))
def test_a_name_of_letters_is_found_where_it_stands_alone(name):
    assert named(f"see {name} there", known("ORG", name)) == [name]


@given(st.dictionaries(st.sampled_from("abcde"), st.sampled_from("abcde")))
def test_what_stands_for_an_entity_stands_for_itself(merges):
    entities = [
        KnownEntity(id, EntityType.ORG, f"Name {id}", canonical=merges.get(id)) for id in "abcde"
    ]
    try:
        gazetteer = EntityGazetteer(entities)
    except InvalidInput:
        return
    for id in "abcde":
        end = gazetteer.canonical_of(id)
        assert gazetteer.canonical_of(end) == end
