"""LongMemEval and BEAM are read as their authors lay them out."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from meridia.core.errors import InvalidInput
from meridia.evaluation.questions import samples_of


def instance(id="q1", **changed):
    return {
        "question_id": id,
        "question_type": "single-session-user",
        "question": "What is the mast of my boat made of?",
        "answer": "oak",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_session_ids": ["answer_1", "filler", "filler"],
        "haystack_dates": [
            "2023/05/20 (Sat) 02:21",
            "2023/05/21 (Sun) 09:00",
            "2023/05/22 (Mon) 09:00",
        ],
        "haystack_sessions": [
            [
                {"role": "user", "content": "The mast of my boat is oak.", "has_answer": True},
                {"role": "assistant", "content": "A good wood."},
            ],
            [{"role": "user", "content": "Which bread keeps longest?"}],
            [{"role": "user", "content": "Which cheese melts well?", "has_answer": False}],
        ],
        "answer_session_ids": ["answer_1"],
        **changed,
    }


def longmemeval(folder, *instances):
    path = folder / "longmemeval_oracle.json"
    path.write_text(json.dumps(instances), "utf-8")
    return path


CHAT = [
    {
        "batch_number": 1,
        "turns": [
            [
                {
                    "role": "user",
                    "id": 0,
                    "time_anchor": "March-15-2024",
                    "content": "My sprint ends on March 29. ->-> 1,1",
                },
                {"role": "assistant", "id": 1, "content": "Noted, the 29th."},
            ]
        ],
    },
    {
        "batch_number": 2,
        "turns": [[{"role": "user", "id": 2, "content": "Please answer with version numbers."}]],
    },
]
PROBES = {
    "abstention": [{"question": "What is my cat called?", "ideal_response": "Nothing is said."}],
    "information_extraction": [
        {
            "question": "When does my sprint end?",
            "answer": "On March 29.",
            "source_chat_ids": [0],
            "rubric": ["should state: March 29"],
        }
    ],
    "knowledge_update": [
        {"question": "When?", "answer": "x", "source_chat_ids": {"old": [0], "new": [[1], 99]}}
    ],
    "instruction_following": [
        {
            "question": "Which libraries are used?",
            "expected_compliance": "With versions.",
            "source_chat_ids": [2],
        }
    ],
}


def beam(folder):
    chat = folder / "100K" / "1"
    (chat / "probing_questions").mkdir(parents=True)
    (chat / "chat.json").write_text(json.dumps(CHAT), "utf-8")
    (chat / "probing_questions" / "probing_questions.json").write_text(json.dumps(PROBES), "utf-8")
    return folder / "100K"


def test_each_question_of_longmemeval_has_a_history_of_its_own(tmp_path):
    abstains = instance("q2_abs", answer="It was not said.")
    first, second = samples_of(longmemeval(tmp_path, instance(), abstains))
    (question,) = first.questions
    assert (question.space, question.evidence) == ("q1", {"0.0"})
    assert (question.answer, question.groups) == ("oak", ("single-session-user",))
    assert question.day == "2023/06/01 (Thu) 10:00"
    assert [message["id"] for message in first.messages] == ["0.0", "0.1", "1.0", "2.0"]
    assert first.messages[0]["at"] == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    assert len({message["session"] for message in first.messages}) == 3
    assert second.questions[0].evidence == frozenset()
    assert second.questions[0].groups == ("single-session-user", "abstention")


def test_the_conversations_of_beam_have_their_questions_by_kind(tmp_path):
    (sample,) = samples_of(beam(tmp_path))
    assert sample.space == "100K 1"
    assert [message["text"] for message in sample.messages] == [
        "My sprint ends on March 29.",
        "Noted, the 29th.",
        "Please answer with version numbers.",
    ]
    assert {message["at"] for message in sample.messages} == {datetime(2024, 3, 15, tzinfo=UTC)}
    asked = {question.groups[0]: question for question in sample.questions}
    assert asked["information_extraction"].evidence == {"0"}
    assert asked["information_extraction"].answer == "On March 29.\n- should state: March 29"
    assert asked["knowledge_update"].evidence == {"0", "1"}
    assert asked["instruction_following"].answer == "With versions."
    assert asked["abstention"].evidence == frozenset()


def test_other_files_and_folders_are_of_neither(tmp_path):
    (tmp_path / "chat.json").write_text("[]", "utf-8")
    (tmp_path / "notes.json").write_text('[{"text": "x"}]', "utf-8")
    assert samples_of(tmp_path) == []
    assert samples_of(tmp_path / "notes.json") == []
    assert samples_of(tmp_path / "gone.json") == []


@pytest.mark.parametrize(
    "changed",
    [
        {"haystack_dates": ["2023/05/20 (Sat) 02:21"]},
        {"haystack_dates": ["someday"] * 3},
        {"haystack_sessions": [None] * 3},
        {"haystack_sessions": [[{"role": "user"}]] * 3},
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_refused_by_name(tmp_path, changed):
    with pytest.raises(InvalidInput, match="longmemeval_oracle.json does not have the form"):
        samples_of(longmemeval(tmp_path, instance(**changed)))
    (tmp_path / "longmemeval_oracle.json").write_text('[{"haystack_sessions"', "utf-8")
    with pytest.raises(InvalidInput, match="not have the form"):
        samples_of(tmp_path / "longmemeval_oracle.json")
