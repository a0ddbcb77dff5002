"""Baselines rank what they say they do: by meaning, by prototype G's sum, by chance."""

import pytest
from fakes import FakeEmbedder

from bench.baselines import PROFILES, Baselines, Text, product, settings, texts_of
from meridia import Memory

TEXTS = [
    Text("one", "The heron came back to the pond", "Dana", "s1"),
    Text("two", "Splendid", "Oskar", "s1"),
    Text("three", "Rent is due on Friday", "Oskar", "s2"),
    Text("four", "Nothing to see", "Dana", "s3"),
    Text("five", "The heron ate my goldfish", "Oskar", "s4"),
    Text("six", "A quiet evening", "Dana", "s5"),
]


@pytest.fixture
def baselines():
    return Baselines(TEXTS, FakeEmbedder())


def test_every_baseline_ranks_every_text_once(baselines):
    everything = sorted(text.id for text in TEXTS)
    for rank in (baselines.by_meaning, baselines.by_prototype, baselines.at_random):
        assert sorted(rank("Where is the heron?")) == everything


def test_meaning_puts_the_same_words_first(baselines):
    assert baselines.by_meaning("Rent is due on Friday")[0] == "three"


def test_the_prototype_lifts_the_neighbour_of_what_it_finds():
    apart = [Text(t.id, t.text, t.person, t.id) for t in TEXTS]
    question = "heron back pond"
    near = Baselines(TEXTS, FakeEmbedder()).by_prototype(question)
    assert near[0] == "one"
    assert near.index("two") < Baselines(apart, FakeEmbedder()).by_prototype(question).index("two")


def test_the_prototype_prefers_the_speaker_that_is_named(baselines):
    asked = [
        baselines.by_prototype(f"What did {name} say of a heron?") for name in ("Dana", "Oskar")
    ]
    assert [ranked.index("one") < ranked.index("five") for ranked in asked] == [True, False]


def test_the_prototype_reaches_what_shares_a_rare_concept():
    filler = [Text(f"f{n}", f"word{n} thing{n}", None, None) for n in range(60)]
    texts = [
        *filler,
        Text("asked", "osprey nesting crane", None, None),
        Text("linked", "crane rental invoice", None, None),
    ]
    ranked = Baselines(texts, FakeEmbedder()).by_prototype("osprey nesting")
    assert ranked[0] == "asked"
    assert ranked.index("linked") < len(texts) / 2


def test_chance_repeats_itself_for_a_question_and_differs_between_questions(baselines):
    first = [baselines.at_random(f"question {n}") for n in range(5)]
    assert first == [baselines.at_random(f"question {n}") for n in range(5)]
    assert len(set(map(tuple, first))) > 1


def test_the_product_ranks_the_space_it_is_told_with_the_profile_it_is_told(tmp_path):
    database, embedder = tmp_path / "b.db", FakeEmbedder()
    with Memory(database, "pond", settings(), embedder=embedder) as memory:
        for text in TEXTS:
            memory.remember(text.text, id=text.id, person=text.person, session=text.session)
        assert texts_of(memory) == TEXTS
    for profile in ("default", "simple"):
        with product(database, "pond", settings(profile), 3, embedder) as rank:
            ranked = rank("heron goldfish")
        assert ranked[0] == "five"
        assert len(ranked) <= 3


def test_the_products_profiles_can_all_be_chosen():
    assert {"default", "simple"} <= set(PROFILES)
    assert settings("simple").recall.profile == "simple"
    assert settings(flags={"recall.spread": False}).recall.spread is False
