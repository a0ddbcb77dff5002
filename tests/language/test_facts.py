"""The closed set of facts: what states one, what states none, and where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.facts import facts_in
from meridia.language.sentences import sentence_spans


def stated(text: str) -> list[tuple[str, str]]:
    """Return what the author of a text states: predicate, with "not" where it ends, and object."""
    facts = facts_in(text, sentence_spans(text))
    return [("not " * fact.ends + fact.predicate, fact.object) for fact in facts]


FACTS = [
    ("I live in Porto", ("lives_in", "Porto")),
    ("I've lived in Rome for almost ten years", ("lives_in", "Rome")),
    ("we live in the Netherlands now", ("lives_in", "the Netherlands")),
    ("I moved to New York in 2019", ("lives_in", "New York")),
    ("I've just moved to Leipzig, Germany", ("lives_in", "Leipzig, Germany")),
    ("I'm based in San Jose these days", ("lives_in", "San Jose")),
    ("we moved from Ghent to Aarhus", ("lives_in", "Aarhus")),
    ("I moved back from New York to Lyon", ("lives_in", "Lyon")),
    ("I work for Nordwind", ("works_at", "Nordwind")),
    ("I work in a tea shop", ("works_at", "a tea shop")),
    ("I work nights at a bakery", ("works_at", "a bakery")),
    ("I got a job at Tesla", ("works_at", "Tesla")),
    ("I'm a teacher", ("works_as", "a teacher")),
    ("I work as a waiter", ("works_as", "a waiter")),
    ("I've been a bike mechanic for ten years", ("works_as", "a bike mechanic")),
    ("I'm married to Imre", ("partner", "Imre")),
    ("my husband is called Rui", ("partner", "Rui")),
    ("my girlfriend, Lena, is a vet", ("partner", "Lena")),
    ("my older brother Matteo plays the trombone", ("brother", "Matteo")),
    ("we have a daughter named Freya", ("daughter", "Freya")),
    ("Anna is my sister", ("sister", "Anna")),
    ("I have a dog called Pixel", ("pet", "Pixel")),
    ("we got another cat named Bailey", ("pet", "Bailey")),
    ("my cat Milo is asleep", ("pet", "Milo")),
    ("I'm allergic to penicillin", ("allergic_to", "penicillin")),
    ("I have a peanut allergy", ("allergic_to", "peanut")),
    ("I have celiac disease", ("health", "celiac disease")),
    ("I suffer from migraines", ("health", "migraines")),
    ("I'm lactose intolerant", ("health", "lactose intolerant")),
    ("I'm a strict vegan", ("diet", "vegan")),
    ("I'm fluent in Spanish", ("speaks", "Spanish")),
    ("my mother tongue is Romanian", ("native_language", "romanian")),
    ("my birthday is May 4th", ("birthday", "May 4th")),
    ("I was born on March 3, 1991", ("born", "March 3, 1991")),
    ("June 21 is our wedding anniversary", ("anniversary", "wedding, June 21")),
]
#: In each of these the sentence says something else than that it is so.
FRAMES = [
    "If {}, we can meet.",
    "When {}, it rained.",
    "Because {}, it rained.",
    "I wish {}.",
    "I hope {}.",
    "Imagine {}.",
    "Maybe {}.",
    "She says {}.",
    "You told me that {}.",
    'He wrote: "{}."',
    "In my novel {}.",
    "I dreamed that {}.",
    "Is it true that {}?",
    "{}?",
    "> {}",
    "`{}`",
    "- {}",
    "1. {}",
    "Just kidding, {}.",
]


@pytest.mark.parametrize(("clause", "fact"), FACTS)
def test_a_fact_is_read_from_a_clause_that_is_stated(clause, fact):
    sentence = clause[0].upper() + clause[1:]
    assert stated(f"{sentence}.") == [fact]
    assert fact in stated(f"The weather is fine today. {sentence}, and it rains!")
    assert fact in stated(f"Well, {clause}.")


@pytest.mark.parametrize("frame", FRAMES)
def test_what_is_not_stated_is_no_fact(frame):
    read = [clause for clause, fact in FACTS if fact in stated(frame.format(clause))]
    assert read == []


@pytest.mark.parametrize(
    "text",
    [
        "I live in fear of spiders.",
        "I live in a small town.",
        "I don't live in Bergen.",
        "I want to move to Oslo.",
        "We're moving to Ghent next month.",
        "I lived in Rome for a year.",
        "I moved to Rome for a year.",
        "I work at home.",
        "I work at night.",
        "I'm an aspiring actor.",
        "I'm a bad cook.",
        "I'm a huge singer fan.",
        "My business partner Karl quit.",
        "My ex-wife Ingrid called.",
        "My late grandmother Olga taught me to sew.",
        "Thanks to my sister, Dana!",
        "My sister is French.",
        "My friend's cat Milo is asleep.",
        "My dream dog Rex would be big.",
        "I'm not allergic to anything.",
        "I'm allergic to Mondays.",
        "I'm allergic to animals with fur.",
        "I have anxiety about the exam.",
        "My son has asthma.",
        "I'm learning Italian.",
        "I don't speak Dutch.",
        "I speak a little Dutch.",
        "My birthday is next week.",
        "I never smoked.",
        "My friend Oskar likes tea and hates rain.",
    ],
)
def test_what_is_near_a_fact_is_none(text):
    assert stated(text) == []


def test_names_and_languages_may_be_listed():
    assert stated("My kids Tom and Lea are at school.") == [("child", "Tom"), ("child", "Lea")]
    assert stated("I've got two cats named Luna and Oliver.") == [
        ("pet", "Luna"),
        ("pet", "Oliver"),
    ]
    assert stated("I speak Twi, English and a little Czech.") == [
        ("speaks", "Twi"),
        ("speaks", "English"),
    ]
    assert stated("I'm allergic to nuts, eggs and cow's milk.") == [
        ("allergic_to", "nuts"),
        ("allergic_to", "eggs"),
        ("allergic_to", "cow's milk"),
    ]


def test_a_trade_and_an_employer_may_stand_in_one_clause():
    both = [("works_as", "a software engineer"), ("works_at", "Google")]
    assert stated("I'm a software engineer at Google.") == both
    assert stated("I work for Google as a software engineer.") == both[::-1]
    assert stated("I live in Porto and work as a nurse.") == [
        ("lives_in", "Porto"),
        ("works_as", "a nurse"),
    ]


def test_what_its_own_sentence_ends_is_stated_as_ended():
    assert stated("My aunt Carla died.") == [("not aunt", "Carla")]
    assert stated("My husband Henrik and I have separated.") == [("not partner", "Henrik")]


@given(st.text(max_size=200), st.sampled_from(FACTS))
def test_a_fact_stands_in_its_sentence(noise, fact):
    text = f"{noise}\n{fact[0]}."
    for found in facts_in(text, sentence_spans(text)):
        assert found.object.lower().split(", ")[-1] in text[found.start : found.end].lower()


@given(st.lists(st.sampled_from("I live in work at My name is Rome love , . and if dog".split())))
def test_words_in_any_order_are_read_without_an_error(words):
    assert isinstance(stated(" ".join(words)), list)


@pytest.mark.parametrize(("clause", "fact"), FACTS[:8])
@pytest.mark.parametrize("asked", ["so can you plan for that?", "how do I register?"])
def test_a_question_behind_a_comma_takes_nothing_from_what_is_stated(clause, fact, asked):
    assert stated(f"{clause}, {asked}") == [fact]
    assert stated(f"Do you think {clause}, or what?") == []
