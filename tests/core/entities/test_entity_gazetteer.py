"""Known entities and where texts name them (feature 102)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entities.common_words import is_common_word, is_common_word_name
from meridia.core.entities.entity_gazetteer import (
    EntityGazetteer,
    EntityType,
    FoldedText,
    GazetteerEntity,
    entity_id,
    norm_key,
    starts_sentence,
)
from meridia.core.errors import InvalidInput


def entry(
    type: str, name: str, *aliases: str, into: GazetteerEntity | None = None
) -> GazetteerEntity:
    kind = EntityType(type)
    id = entity_id("s", kind, name)
    return GazetteerEntity(id, kind, name, aliases, into.id if into else None)


def named(text: str, *entities: GazetteerEntity) -> list[str]:
    return [entity.name for entity in EntityGazetteer(entities).named_in(text)]


def test_row_102_there_are_nine_types():
    nine = "PERSON ORG SYSTEM PROJECT PLACE SKILL TOOL FILE CONCEPT".split()
    assert [*EntityType] == [*nine, "PET", "WORK", "PRODUCT", "EVENT"]


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
        entry("PLACE", "York"),
        entry("PLACE", "New York"),
        entry("ORG", "New York Times"),
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
    assert named(text, entry("PLACE", "York")) == []


@pytest.mark.parametrize(
    "text", ["York's", "(York)", "YORK!", "in York.", "York", "“York”", "Ｙｏｒｋ", "York-based"]
)
def test_a_name_is_found_beside_any_sign(text):
    assert named(text, entry("PLACE", "York")) == ["York"]


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
    assert named(text, entry("ORG", name)) == [name]


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
    assert named(text, entry("ORG", name)) == []


def test_a_company_called_like_a_word_is_found_as_it_is_written():
    target, us = entry("ORG", "Target"), entry("PLACE", "US")
    assert named("we missed the target, tell us", target, us) == []
    assert named("I was at Target in the US", target, us) == ["Target", "US"]
    assert named("Us? At Target.", target, us) == ["Target"]


def test_several_words_are_found_in_any_case():
    assert named("we drove to lake tahoe", entry("PLACE", "Lake Tahoe")) == ["Lake Tahoe"]


def test_a_person_is_found_in_small_letters_unless_the_name_is_a_word():
    dana, grace, will = entry("PERSON", "Dana"), entry("PERSON", "Grace"), entry("PERSON", "Will")
    assert named("dana will say grace", dana, grace, will) == ["Dana"]
    assert named("Will you come? I asked Will and Grace", grace, will) == ["Will", "Grace"]
    assert named("Will you come?", will) == []


@pytest.mark.parametrize("name", ["it", "may", "7", "x", "--", " ", "monday", "\u0301"])
def test_words_signs_and_numbers_are_not_sought(name):
    assert named(f"it may be 7 x -- monday {name}", entry("CONCEPT", name)) == []


def test_tools_and_files_called_like_words_are_known_and_not_sought():
    read, search, notes = (
        entry("TOOL", "read"),
        entry("TOOL", "search_flights"),
        entry("FILE", "notes"),
    )
    gazetteer = EntityGazetteer([read, search, notes])
    text = "I read my notes about search_flights"
    assert [entity.name for entity in gazetteer.named_in(text)] == ["search_flights"]
    assert gazetteer.find("Read") == (read,)


def test_an_alias_names_its_entity_and_is_not_its_own_name():
    postgres = entry("SYSTEM", "PostgreSQL", "pg")
    gazetteer = EntityGazetteer([postgres])
    (span,) = gazetteer.spans_in(FoldedText("the pg server"))
    assert (span.start, span.end, span.entities, span.own) == (4, 6, (postgres,), False)


def test_an_alias_of_two_entities_names_neither_and_a_name_beats_an_alias():
    lakes, labs = entry("ORG", "Acme Lakes", "Acme"), entry("ORG", "Acme Labs", "Acme")
    assert named("at Acme today", lakes, labs) == []
    acme = entry("ORG", "Acme")
    assert named("at Acme today", lakes, labs, acme) == ["Acme"]
    item = entry("ORG", "Acme Labs", "Acme", into=lakes)
    assert named("at Acme today", lakes, item) == ["Acme Lakes"]


def test_entities_of_several_types_with_one_name_are_all_named():
    planet, project = entry("PLACE", "Mercury"), entry("PROJECT", "Mercury")
    (span,) = EntityGazetteer([planet, project]).spans_in(FoldedText("to Mercury"))
    assert span.entities == (planet, project)


def test_merges_are_followed_when_names_are_read_and_not_where_they_stand():
    full = entry("PERSON", "Dana Reed")
    middle = entry("PERSON", "D. Reed", into=full)
    short = entry("PERSON", "Dana", into=middle)
    gazetteer = EntityGazetteer([short, middle, full])
    assert gazetteer.canonical_of(short.id) == full.id
    assert gazetteer.named_in("Dana and D. Reed") == [full]
    assert [s.entities for s in gazetteer.spans_in(FoldedText("ask Dana"))] == [(short,)]


def test_an_entity_merged_into_one_that_is_not_listed_is_still_named():
    gone = GazetteerEntity("gone", EntityType.ORG, "Gone")
    acme = entry("ORG", "Acme", into=gone)
    gazetteer = EntityGazetteer([acme])
    assert gazetteer.canonical_of(acme.id) == "gone"
    assert gazetteer.named_in("at Acme") == [acme]


def test_merges_in_a_circle_are_refused():
    a = GazetteerEntity("a", EntityType.ORG, "Acme", canonical="b")
    b = GazetteerEntity("b", EntityType.ORG, "Apex", canonical="a")
    with pytest.raises(InvalidInput, match="merged into itself"):
        EntityGazetteer([a, b])


def test_an_entity_merged_into_itself_stands_alone():
    acme = GazetteerEntity("a", EntityType.ORG, "Acme", canonical="a")
    assert EntityGazetteer([acme]).canonical_of("a") == "a"


def test_a_sentence_begins_at_the_start_and_behind_its_end():
    text = "Will it? Will it, Will\n- Will"
    starts = [index for index in range(len(text)) if text.startswith("Will", index)]
    assert [starts_sentence(text, start) for start in starts] == [True, True, False, True]


def test_ordinary_words_are_function_words_and_times():
    assert is_common_word("the")
    assert is_common_word("friday")
    assert not is_common_word("harbour")
    assert is_common_word_name("grace")
    assert not is_common_word_name("dana")


NAMES = st.text(st.sampled_from("abAB 東京é'-.+ß9_"), min_size=1, max_size=8)
TEXTS = st.text(st.sampled_from("abAB 東京é'-.+ß9_\n,"), max_size=40)


@given(st.lists(NAMES, max_size=6), TEXTS)
def test_spans_lie_in_order_apart_from_each_other_and_hold_a_name(names, text):
    gazetteer = EntityGazetteer(entry("ORG", name) for name in names)
    words = FoldedText(text)
    last_end = 0
    for span in gazetteer.spans_in(words):
        assert last_end <= span.start < span.end <= len(words.text)
        last_end = span.end
        surface = words.text[span.start : span.end]
        assert all(entity in gazetteer.find(surface) for entity in span.entities)


@given(st.text(st.sampled_from("kzKZé東京ж"), min_size=2, max_size=8))
def test_a_name_of_letters_is_found_where_it_stands_alone(name):
    assert named(f"see {name} there", entry("ORG", name)) == [name]


@given(st.dictionaries(st.sampled_from("abcde"), st.sampled_from("abcde")))
def test_what_stands_for_an_entity_stands_for_itself(merges):
    entities = [
        GazetteerEntity(id, EntityType.ORG, f"Name {id}", canonical=merges.get(id))
        for id in "abcde"
    ]
    try:
        gazetteer = EntityGazetteer(entities)
    except InvalidInput:
        return
    for id in "abcde":
        end = gazetteer.canonical_of(id)
        assert gazetteer.canonical_of(end) == end
