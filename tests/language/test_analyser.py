"""The analyser: any text becomes terms, and what is asked is always among what was indexed."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.language.analyser import Analyser, is_english, stop_words

english = Analyser()


anything = st.text(st.characters(codec=None), max_size=80)


pieces = st.lists(
    st.sampled_from(
        [
            "walking",
            "Walked",
            "the",
            "It's",
            "don’t",
            "x" * 200,
            "naïve",
            "STRASSE",
            "straße",
            "東京",
            "東",
            "ひらがな",
            "カタカナ",
            "ภาษาไทย",
            "ລາວ",
            "ខ្មែរ",
            "မြန်မာ",
            "हिन्दी",
            "한국어",
            "العربية",
            "a1b2",
            "3.14",
            "foo_bar",
            "C++",
            "e-mail",
            " ",
            "\n",
            "'",
            "’s",
            "𠮷",
            "🙂",
            "½",
            "ﬁ",
        ]
    ),
    max_size=12,
).map("".join)


def asked(analyser: Analyser, text: str) -> list[str]:
    """Return the terms that a question with this text looks for."""
    return [stem for _, stem in analyser.words(text) if stem is not None]


@given(anything | pieces)
@example("".join(map(chr, range(0x3000))))
@example("'" * 1000)
def test_no_text_is_too_strange(text):
    assert all(english.terms(text))
    assert all(word or stem is None for word, stem in english.words(text))


@given(anything | pieces)
def test_what_a_text_would_ask_is_what_it_is_indexed_by(text):
    assert set(asked(english, text)) <= set(english.terms(text))


@given(pieces, pieces)
def test_words_apart_by_white_space_are_terms_of_their_own(one, other):
    terms = Analyser(fixed=True).terms
    assert terms(f"{one}\n{other}") == terms(one) + terms(other)


@given(anything)
def test_no_term_is_long_or_holds_a_separator(text):
    for term in english.terms(text):
        assert len(term) <= 64
        assert not any(character.isspace() or character in "\"'’_" for character in term)


@given(st.text(st.characters(codec="ascii"), max_size=80))
def test_what_stands_beside_it_does_not_change_the_terms_of_a_plain_text(text):
    assert english.terms(f"{text} 東") == [*english.terms(text), "東"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The cats were walking", ["cat", "walk"]),
        ("Dana's dog, Dana’s cat", ["dana", "dog", "dana", "cat"]),
        ("don't isn’t o'clock", ["oclock"]),
        ("NAÏVE nai\u0308ve", ["naïv", "naïv"]),
        ("STRASSE straße", ["strass", "strass"]),
        ("ｆｕｌｌ ﬁne", ["full", "fine"]),
        ("foo_bar a-b", ["foo", "bar", "b"]),
        ("C3PO 1984", ["c3po", "1984"]),
        ("हिन्दी", ["हिन्द"]),
        ("?!… 🙂", ["🙂"]),
        ("🎂🎉", ["🎂", "🎉", "🎂🎉"]),
        ("", []),
    ],
)
def test_terms_are_folded_stemmed_words_without_stop_words(text, terms):
    assert english.terms(text) == terms


@pytest.mark.parametrize("word", ["שָׁלוֹם", "مُحَمَّد", "བོད"])
def test_a_word_written_with_vowel_signs_is_one_word(word):
    assert len(english.terms(word)) == 1


def test_a_run_without_spaces_is_indexed_by_characters_and_pairs():
    assert english.terms("東京都") == ["東", "京", "都", "東京", "京都"]
    assert asked(english, "東京都") == ["東京", "京都"]
    assert asked(english, "東") == ["東"]


def test_any_part_of_a_run_finds_it():
    run = "東京都庁前駅"
    indexed = set(english.terms(run))
    for start in range(len(run)):
        for end in range(start + 1, len(run) + 1):
            assert set(asked(english, run[start:end])) <= indexed


def test_words_keep_how_they_were_written_and_say_which_carry_nothing():
    words = list(english.words("The Runner's shoes"))
    assert words == [("the", None), ("runner", "runner"), ("shoes", "shoe")]


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [("german", "Die Häuser", ["haus"]), ("french", "les maisons", ["maison"])],
)
def test_another_language_has_its_own_stems_and_stop_words(language, text, terms):
    assert Analyser(language).terms(text) == terms


def test_an_unknown_language_is_refused_with_those_that_are_known():
    with pytest.raises(InvalidInput, match=r"'klingon' is not known: choose from .*english"):
        Analyser("klingon")


def test_a_language_without_a_list_has_no_stop_words():
    assert stop_words("klingon") == frozenset()


def test_threads_may_share_an_analyser():
    text = " ".join(f"walking{i} running{i % 7} nations{i % 11}" for i in range(300))
    shared, expected = Analyser(), Analyser().terms(text)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda _: shared.terms(text), range(8)))
    finally:
        sys.setswitchinterval(before)
    assert all(terms == expected for terms in found)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("My sister moved to Ulm with her dog.", True),
        ("Go get 'em, Jon!", True),
        ("昨日、妹がベルリンに引っ越しました。", False),
        ("Вчера моя сестра переехала в Берлин.", False),
        ("Gestern ist meine Schwester mit dem Hund nach Ulm gezogen.", False),
    ],
)
def test_english_is_known_by_its_commonest_words(text: str, english: bool):
    assert is_english(text) is english


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Meine Katzen schlafen nachts in den Häusern der Nachbarn.", "Wo ist die Katze im Haus?"),
        ("Les chevaux de ma sœur sont dans une ferme.", "Où est le cheval, dans les fermes ?"),
        ("Mis primas compraron una casa con jardines.", "¿Qué casas y qué jardín tiene mi prima?"),
        ("Kitaplarımı çok seviyorum ama bu evde yer yok.", "Bu kitap için ne çok sevilir?"),
        ("Моя сестра переехала в новые города.", "В каком городе сёстры?"),
        ("Οι γάτες της γιαγιάς", "Η γάτα"),
        ("Včera jsme koupili nové stany pro naši dovolenou.", "Který stan jsme koupili my?"),
        ("Moje koty śpią w domach sąsiadów.", "Gdzie jest kot i czy ten dom jest jego?"),
        (
            "Mijn katten slapen in het huis van de buren",
            "Waar is de kat van het huis en zijn buur?",
        ),
    ],
)
def test_words_are_stemmed_by_the_language_of_their_text(text: str, asked: str):
    """Another form of a word is the same term, in a space without a language of its own."""
    assert set(english.terms(text)) & set(english.terms(asked))
    assert set(english.terms(text)) & set(english.of(text).terms(text.rsplit(maxsplit=1)[-1]))


def test_a_text_that_does_not_tell_is_of_the_language_that_is_set():
    assert Analyser("german").terms("Katzen") == ["katz"]
    assert Analyser("german").terms("The cats of my sisters") == ["cat", "sister"]
    assert Analyser("german", fixed=True).terms("The cats") == ["the", "cat"]


def test_a_name_is_among_its_readings_whatever_the_language_of_the_text():
    for text in ("Ayer vi a Dana en el parque con su perro.", "I saw Dana.", "Dana ist nicht hier"):
        terms = english.terms(text)
        assert any(set(reading) <= set(terms) for reading in english.readings("Dana"))
