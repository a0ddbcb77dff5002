"""Questions are read from files as people write them, and drawn from what a memory says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.types import memories_of
from meridia.evaluation.questions import (
    draw_questions,
    locomo_questions,
    locomo_samples,
    read_questions,
    some_of,
)

TEXTS = {
    "m-1": "The mast of my boat is oak",
    "m-2": "Ben sold the tractor to a farmer in Bergen",
    "m-3": "Dana wants three reefs in the mainsail",
    "m-4": "Thanks!",
}


@pytest.fixture
def memory():
    with Memory.open(enrich="manual") as opened:
        for id, text in TEXTS.items():
            opened.remember(text, person="Ann", id=id)
        yield opened


@pytest.fixture
def written(tmp_path):
    def write(text, name="asked.jsonl"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


def test_a_line_names_what_answers_by_any_address_or_by_its_text(memory, written):
    rows = [
        {"question": "What is the mast?", "id": "m-1"},
        {"question": "What is the mast?", "id": "@1", "group": "wood", "answer": "oak"},
        {"question": "Who sold what?", "text": "SOLD  the tractor"},
        {"question": "Both?", "id": ["m-1", "m-3"]},
    ]
    asked = read_questions(written("\n".join(map(json.dumps, rows)) + "\n\n"), memory)
    assert [one.evidence for one in asked] == [{"m-1"}, {"m-1"}, {"m-2"}, {"m-1", "m-3"}]
    assert (asked[1].groups, asked[1].answer, asked[1].space) == (("wood",), "oak", "default")


def test_a_table_says_the_same_and_several_ids_stand_in_one_cell(memory, written):
    table = "question,id,text\nBoth?,m-1|m-3,\nReefs?,,three reefs\n"
    asked = read_questions(written(table, "asked.csv"), memory)
    assert [one.evidence for one in asked] == [{"m-1", "m-3"}, {"m-3"}]


def test_what_is_in_no_memory_stays_expected_and_can_never_be_found(memory, written):
    lines = '{"question": "?", "id": "gone"}\n{"question": "?", "text": "never said"}'
    asked = read_questions(written(lines), memory)
    assert [one.evidence for one in asked] == [{"gone"}, {"never said"}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"question": "Who?", "id": "m-1"}\n{"question": 1}', "line 2: question"),
        ('{"question": "Who?"}', "line 1: id or text is missing"),
        ('{"question": "Who?", "id": "m-1", "evidence": "x"}', "line 1: evidence"),
        ("[1]", "line 1: an object"),
        ("who?", "line 1 is not JSON"),
        ("", "contains no question"),
    ],
)
def test_a_wrong_line_is_named(memory, written, text, problem):
    with pytest.raises(InvalidInput, match=problem):
        read_questions(written(text), memory)


def test_a_file_that_cannot_be_read_is_named(memory, tmp_path):
    with pytest.raises(InvalidInput, match=r"none\.csv cannot be read"):
        read_questions(tmp_path / "none.csv", memory)


def test_a_drawn_question_is_some_words_of_the_memory_that_it_is_for(memory):
    asked = draw_questions(memory, 10)
    assert [one.evidence for one in asked] == [{"m-1"}, {"m-2"}, {"m-3"}] or len(asked) == 2
    for one in asked:
        (id,) = one.evidence
        assert set(one.question.split()) < set(TEXTS[id].split())
        assert len(one.question.split()) >= 2


def test_the_same_seed_draws_the_same_and_a_text_said_twice_is_not_asked_for(memory):
    assert draw_questions(memory, 2, 7) == draw_questions(memory, 2, 7)
    memory.remember(TEXTS["m-3"], person="Ben", id="m-5")
    assert {id for one in draw_questions(memory, 10) for id in one.evidence} <= {"m-1", "m-2"}


def test_all_memories_are_listed_once_in_order(memory):
    assert [record.event_id for record in memories_of(memory.list)] == list(TEXTS)


@given(st.lists(st.integers(), unique=True, max_size=20), st.integers(1, 25), st.integers(0, 9))
def test_some_of_a_list_keep_their_order(numbers, count, seed):
    drawn = some_of(numbers, count, seed)
    assert len(drawn) == min(count, len(numbers))
    assert drawn == [number for number in numbers if number in drawn]
    assert some_of(numbers, None, seed) == numbers


SAMPLE = {
    "sample_id": "one",
    "conversation": {"session_1": [{"dia_id": "D1:1"}, {"dia_id": "D1:2"}], "speaker_a": "Ann"},
    "qa": [
        {"question": "Oak?", "evidence": ["D1:1"], "category": 4, "answer": 7},
        {"question": "Sold?", "evidence": ["D:1:2; D1:9"], "category": 1, "answer": "it"},
        {"question": "Never?", "evidence": ["D1:1"], "category": 5},
        {"question": "No evidence?", "evidence": [], "category": 4},
    ],
}


def test_only_questions_with_evidence_among_the_turns_count():
    found = locomo_questions(SAMPLE)
    assert [(one.evidence, one.groups, one.answer, one.space) for one in found] == [
        ({"D1:1"}, ("c4",), "7", "one"),
        ({"D1:2"}, ("c1",), "it", "one"),
    ]


def test_a_file_of_locomo_is_known_by_its_form(written):
    assert locomo_samples(written(json.dumps([SAMPLE]), "a.json")) == [SAMPLE]
    assert locomo_samples(written('[{"id": 1}]', "b.json")) == []
    assert locomo_samples(written("{", "c.json")) == []
    assert locomo_samples(written("{}", "d.jsonl")) == []
