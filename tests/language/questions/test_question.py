"""Taking questions apart."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.people import Gazetteer, Person
from meridia.language.analyser import Analyser
from meridia.language.questions.question import asked_about, parse_question, questions_in
from meridia.language.questions.time_order import TimeOrder

ANALYSER = Analyser()
NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
PEOPLE = Gazetteer([Person("p1", "Dana Holm"), Person("p2", "Oskar")])


def test_terms_are_stems_without_stop_words_and_names():
    question = parse_question("When did Dana's boats leave the harbours?", ANALYSER, PEOPLE, NOW)
    assert question.terms == ("boat", "leav", "harbour")
    assert question.pairs == (("boat", "leav"), ("leav", "harbour"))


def test_people_are_found_by_name_and_by_a_part_that_is_nobody_elses():
    question = parse_question("What did Oskar tell Dana?", ANALYSER, PEOPLE, NOW)
    assert [person.id for person in question.people] == ["p2", "p1"]


def test_a_question_about_several_prefers_no_speaker():
    assert parse_question(
        "What do Dana and Oskar have in common?", ANALYSER, PEOPLE, NOW
    ).asks_of_several
    assert not parse_question(
        "What did Dana and her sister do?", ANALYSER, PEOPLE, NOW
    ).asks_of_several


def test_asking_for_a_time_is_noticed():
    assert parse_question("When was it?", ANALYSER, PEOPLE, NOW).asks_when
    assert parse_question("In which month did it rain?", ANALYSER, PEOPLE, NOW).asks_when
    assert not parse_question("He smiled when it rained.", ANALYSER, PEOPLE, NOW).asks_when


@given(st.text())
def test_any_text_is_a_question(text: str):
    question = parse_question(text, ANALYSER, PEOPLE, NOW)
    assert len(set(question.terms)) == len(question.terms)


def test_words_that_only_say_which_is_asked_for_are_left_out():
    question = parse_question("latest news from Dana about the boat", ANALYSER, PEOPLE, NOW)
    assert question.order is TimeOrder.LAST
    assert question.terms == ("boat",)
    assert parse_question("Where does she live in May 2025?", ANALYSER, PEOPLE, NOW).order is None


def test_an_event_that_a_question_is_about_is_named_by_its_words():
    question = parse_question("What happened after the rash?", ANALYSER, PEOPLE, NOW)
    assert question.event_terms == (("rash",),)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Where does Dana keep the boat trailer? Which oven did Oskar buy?", 2),
        ("Wo steht der Anhänger vom Boot? Welchen Ofen hat Oskar gekauft?", 2),
        ("我表哥今年多大了？另外，音乐会的规模是什么？", 2),
        ("أين تقع مدرسة الموسيقى؟ متى موعد طبيب الأسنان؟", 2),
        ("What is the name of my bike shop? Where is the boat trailer? Which oven did we buy?", 3),
        # What needs the question before, or is none, belongs to it.
        ("What is the name of my bike shop? Where is it on the city map?", 1),
        ("Which oven did Oskar buy? And when?", 1),
        ("Hello, how are you? Which oven did Oskar buy?", 1),
        ("Which three ovens did Oskar buy for the bakery? Mention only their names in order.", 1),
        # Marks that end no question.
        ("What did the note “Where is the trailer key?” in the kitchen drawer mean?", 1),
        ("Which bakery has the page https://bread.example/oven?size=two on its flyer?", 1),
        ("Was ist das für ein Ofen?", 1),
        ("", 1),
    ],
)
def test_questions_that_can_be_read_alone_are_several(text: str, count: int):
    questions = questions_in(text, ANALYSER, PEOPLE)
    assert len(questions) == count
    assert " ".join(questions).replace(" ", "") == text.replace(" ", "")


def test_many_questions_at_once_are_a_text():
    text = " ".join(f"Which room has number {n} of the plan?" for n in range(5))
    assert questions_in(text, ANALYSER, PEOPLE) == [text]


@given(st.lists(st.sampled_from(["Which boat sank?", "Why?", "A list.", "？", " ", "Dana?"])))
def test_nothing_of_a_text_is_lost_between_its_questions(parts: list[str]):
    text = " ".join(parts)
    found = questions_in(text, ANALYSER, PEOPLE)
    assert found
    assert "".join(found).replace(" ", "") == text.replace(" ", "")


_CONTENTS = (
    "how my essay went",
    "what Ana said of the boat",
    "where the keys are",
    "the trip to Lisbon",
    "my plans for the garden",
)
_ASKING = (
    "{}?",
    "Tell me {}.",
    "Please list {}",
    "Could you please describe {}?",
    "I'd like you to explain {}.",
    "Can you give me a short overview of {} across our chats?",
    "Can you list the order in which we discussed {}, in order? Mention only three items.",
    "Would you walk us through {} during our conversations?",
    "Do you remember {}?",
    "What can you tell me about {}?",
    "Summarise {} throughout our talks, in order. Keep it short.",
)


@pytest.mark.parametrize("content", _CONTENTS)
@pytest.mark.parametrize("asking", _ASKING)
def test_how_an_answer_is_asked_for_is_not_what_is_asked_about(asking: str, content: str):
    assert asked_about(asking.format(content)).rstrip("?., ") == content


@pytest.mark.parametrize(
    "text",
    [
        "List order",
        "Walk the dog",
        "Share price of the bakery",
        "Explain plan",
        "Remind me to call Ana",
        "Can you swim?",
        "What did we say in our last talk?",
        "Show me",
        "My oven is old. Use gas or power?",
    ],
)
def test_what_only_looks_like_asking_for_an_answer_stays(text: str):
    assert asked_about(text) == text


@given(text=st.text(max_size=80))
def test_something_is_always_asked_about(text: str):
    about = asked_about(text)
    assert about == text or (about.strip() and about in text)
