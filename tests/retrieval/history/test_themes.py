"""Themes: content words that keep coming back together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.retrieval.history.themes import themes_of
from tests.retrieval.history.experience_builders import experience, feeling


def about(seq, words, session="s1", **lived):
    return experience(seq, session=session, topics={word: word for word in words.split()}, **lived)


def test_words_that_share_their_memories_are_one_theme():
    themes = themes_of(
        [
            about(1, "loom warp"),
            about(2, "loom warp"),
            about(3, "bread oven", "s2"),
            about(4, "bread", "s2"),
            about(5, "train", "s2"),
        ]
    )
    assert {frozenset(theme.words) for theme in themes} == {
        frozenset({"loom", "warp"}),
        frozenset({"bread"}),
    }
    loom = next(theme for theme in themes if "loom" in theme.words)
    assert [memory.id for memory in loom.memories] == ["m1", "m2"]
    assert loom.last == loom.memories[-1].at


def test_a_compound_is_named_as_it_was_written():
    compound = {"birth certif": "birth certificate"}
    lived = [experience(n, topics=compound) for n in (1, 2)]
    (theme,) = themes_of([*lived, about(3, "bread"), about(4, "train")])
    assert theme.name == "birth certificate"
    apart = [about(n, "birth certif") for n in (5, 6, 7)]
    (theme,) = themes_of([*lived, *apart, about(3, "bread"), about(4, "train"), about(8, "boat")])
    assert set(theme.words) != {"birth certificate"}


def test_a_form_of_address_is_no_theme():
    lived = [experience(n, topics={"ms": "Ms"}) for n in (1, 2)]
    assert themes_of([*lived, about(3, "bread"), about(4, "train")]) == []


def test_what_is_said_everywhere_is_no_theme():
    told = [about(n, "well loom" if n in (2, 3) else "well", f"s{n}") for n in range(6)]
    assert next(theme.name for theme in themes_of(told)) == "loom"


def test_a_theme_says_how_it_felt_where_it_was_felt():
    told = [
        about(1, "loom", phenomenology=feeling(-0.6)),
        about(2, "loom", phenomenology=feeling(-0.2)),
        about(3, "loom"),
        about(4, "bread"),
        about(5, "bread"),
    ]
    loom, bread = sorted(themes_of(told), key=lambda theme: theme.name, reverse=True)
    assert (loom.valence, loom.valence_count) == (-0.4, 2)
    assert (bread.valence, bread.valence_count) == (None, 0)


def test_numbers_and_words_that_say_nothing_are_no_themes():
    told = [about(1, "18 thing"), about(2, "18 thing"), about(3, "bread"), about(4, "rain")]
    assert themes_of(told) == []


def test_nothing_has_no_themes():
    assert themes_of([]) == []


@given(st.lists(st.text("abcd ", max_size=8), max_size=20))
def test_a_theme_rests_on_memories_that_have_its_words(texts):
    told = [about(place, text) for place, text in enumerate(texts)]
    having = {experience.memory.id: set(experience.topics) for experience in told}
    for theme in themes_of(told):
        assert len(theme.memories) >= 2
        for memory in theme.memories:
            assert having[memory.id] & set(theme.words)
