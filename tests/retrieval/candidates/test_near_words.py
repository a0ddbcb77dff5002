"""Words that nobody used: in another spelling they are found, and an exact match stands above."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from meridia.language.analyser import Analyser
from meridia.retrieval.candidates.postings import stand_ins
from meridia.storage.search.term_index import Vocabulary

ENGLISH = Analyser("english")
LATIN = "abcdefghijklmnopqrstuvwxyz"
LETTERS = LATIN + "äöüßçñабвгдежзийклмнопрстуφχψωאבגדה"
#: Each word is of one alphabet; a letter with marks is one letter.
ALPHABETS = [
    LATIN,
    "абвгдежзийклмнопрстуё",
    "αβγδεζηθικλμνξοπρτυφχψω",
    "aäbcçdeéfghijklmnoöprsßtuüvz",
]
WORDS = st.sampled_from(ALPHABETS).flatmap(
    lambda letters: st.lists(st.sampled_from(letters), min_size=6, max_size=14, unique=True).map(
        "".join
    )
)
#: Words that the stemmer leaves as they are.
STEMS = WORDS.filter(lambda word: ENGLISH.terms(word) == [word])


def found(question: str, *said: str, is_common=lambda _: False) -> dict[str, list[str]]:
    """Return what stands for the words of a question among what was said."""
    known = Vocabulary({term: 0 for text in said for term in ENGLISH.terms(text)})
    known.catch_up()
    absent = frozenset(ENGLISH.terms(question)) - known.words
    given = stand_ins(question, absent, lambda: known, is_common, ENGLISH)
    assert all(0 < share <= 1 for _, share in given.values())
    return {term: list(forms) for term, (forms, _) in given.items()}


def mistyped(word: str, place: int, kind: str) -> str:
    place %= len(word) - 1
    rest = word[place + 1 :]
    return word[:place] + {"left out": rest, "twice": 2 * word[place] + rest}.get(
        kind, rest[:1] + word[place] + rest[1:]
    )


@given(STEMS, st.integers(0, 20), st.sampled_from(["left out", "twice", "exchanged"]))
def test_a_mistyped_word_is_found(word, place, kind):
    wrong = mistyped(word, place, kind)
    assume(wrong != word and ENGLISH.terms(wrong) == [wrong])
    assert word in found(wrong, word, "boat sail harbour").get(wrong, [])


@given(STEMS, st.text(LETTERS, min_size=1, max_size=3).map(str.casefold))
def test_a_word_with_another_ending_is_found_both_ways(word, ending):
    for asked, said in ((word, word + ending), (word + ending, word)):
        terms, there = ENGLISH.terms(asked), ENGLISH.terms(said)
        assume(len(terms) == len(there) == 1 and terms != there)
        assert there[0] in found(asked, said, "boat sail harbour").get(terms[0], [])


@given(st.lists(STEMS, min_size=2, max_size=3))
def test_a_part_of_a_compound_finds_it_and_a_compound_its_parts(parts):
    compound = "".join(parts)
    (whole,) = ENGLISH.terms(compound)
    for part in parts:
        assume(part in whole and part != whole)
        assert found(part, compound)[part] == [whole]
    assume(len(compound) <= 64)
    apart = found(compound, *parts)[whole]
    assert " ".join(parts) in apart or set(apart) & {*parts}


@given(st.lists(st.from_regex(r"[0-9]{2,4}", fullmatch=True), min_size=3, max_size=4))
def test_a_number_is_found_however_its_digits_are_grouped(groups):
    digits = "".join(groups)
    assume(len(digits) >= 7 and digits not in groups)
    assert " ".join(groups) in found(digits, "-".join(groups))[digits]
    forms = [form for each in found(" ".join(groups), digits).values() for form in each]
    assert forms == [] if not forms else digits in forms


@pytest.mark.parametrize("asked", ["+44 20 7946 0958", "0044 2079460958", "(020) 7946-0958"])
@pytest.mark.parametrize("said", ["020 79460958", "+442079460958", "020 7946 0958"])
def test_a_telephone_number_is_found_in_its_other_forms(asked, said):
    terms = [*ENGLISH.terms(asked)]
    stands = found(asked, f"call {said} at noon")
    exact = set(terms) & set(ENGLISH.terms(said))
    assert stands or len("".join(exact)) >= 7


def test_numbers_are_never_taken_for_others_that_are_like_them():
    assert found("4821", "4812 is open") == {}
    assert found("rent 1020", "rent 1200") == {}


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_clock_time_has_all_its_forms(hour, minute):
    half, short = ("am", "pm")[hour >= 12], (hour - 1) % 12 + 1
    written = [
        f"{hour:02}:{minute:02}",
        f"{short}:{minute:02} {half}",
        f"{short}:{minute:02}{half}",
    ]
    phrases = [" ".join(ENGLISH.terms(each)) for each in written]
    for asked in written[1:]:
        forms = found(f"the train at {asked}", "boat")[written[0]]
        assert set(phrases) <= set(forms)


def test_a_word_that_the_encoder_knows_is_not_misspelled():
    assert found("horse", "the house") == {"hors": ["hous"]}
    assert found("horse", "the house", is_common=lambda _: True) == {}
