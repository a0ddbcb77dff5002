"""A text without a number, a name or a time does not answer a question for one."""

from __future__ import annotations

import pytest

from meridia.language.counterparts import lacks_counterpart, names_within


def lacks(question: str, text: str, *, asks_when: bool = False, names_time: bool = False) -> bool:
    return lacks_counterpart(question, text, asks_when=asks_when, names_time=names_time)


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("How much does it cost?", "The course is full", "It is eighty euros"),
        ("How many pages does chapter 3 have?", "chapter 3 is with her", "chapter 3 has 41"),
        ("Was hat das Bild gekostet?", "Das Bild hängt im Flur", "Das Bild: 30 Euro"),
        ("Combien coûte un bol ?", "Les bols sont bleus", "Un bol : 12 euros"),
        ("¿Cuánto debe el hotel?", "El hotel paga tarde", "El hotel debe 90"),
        ("Who is the florist?", "Transit from somewhere", "I asked Mona, the florist"),
        ("Who is the florist?", "nobody else came", "my cousin is the florist"),
        ("What is the midwife's name?", "the midwife comes", "the midwife, Judit, comes"),
    ],
)
def test_what_a_question_asks_for_is_missed(question, text, answer):
    assert lacks(question, text)
    assert not lacks(question, answer)


def test_a_past_event_is_dated_by_its_message_and_a_coming_one_is_not():
    text = "The poster for the conference was accepted"
    assert lacks("When is the conference?", text, asks_when=True)
    assert not lacks("When is the conference?", text, asks_when=True, names_time=True)
    assert not lacks("When was the poster accepted?", text, asks_when=True)


def test_of_other_questions_nothing_is_said():
    for question in ("What did she paint?", "Where is it?", "我什么时候去？", ""):
        assert not lacks(question, "")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("When does the contract with Halberd end?", ["Halberd"]),
        ("Who is Marta's deputy in Turin?", ["Marta", "Turin"]),
        ("What is the PIN of my card?", []),
        ("Which novel did we read? The long one?", []),
    ],
)
def test_names_are_words_with_a_capital_inside_of_a_sentence(text, names):
    assert names_within(text) == names
