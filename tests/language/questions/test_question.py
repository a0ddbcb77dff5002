"""Taking questions apart."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.people import Gazetteer, Person
from meridia.language.analyser import Analyser
from meridia.language.questions.question import parse_question
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
    assert question.event_terms == ("rash",)
