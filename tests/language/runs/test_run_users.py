"""Users of runs: named where the run shows it, and nowhere else."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from meridia import Memory
from meridia.core.events import EventKind
from meridia.language.runs.run_ends import user_of
from tests.fakes import WAITING

U, A, T = EventKind.USER_MESSAGE, EventKind.ASSISTANT_MESSAGE, EventKind.TOOL_RESULT


@pytest.mark.parametrize(
    ("messages", "user"),
    [
        ([(U, "Sure, my user ID is mia_li_3668."), (A, "Thank you, Mia. Which flight?")], "Mia Li"),
        ([(A, "What is your user ID?"), (U, "It's mia_li_3668.")], "mia_li_3668"),
        (
            [
                (U, "My username is aya_ito_77"),
                (T, '{"name": {"first_name": "Aya", "last_name": "Ito"}}'),
            ],
            "Aya Ito",
        ),
        (
            [(U, "My user ID is mia_li_3668."), (A, "Thank you, Mia Chen waits.")],
            "mia_li_3668",
        ),
        ([(U, "Hello, my name is Yusuf Rossi, zip 19122.")], "Yusuf Rossi"),
        ([(U, "Run test_case_12, please."), (A, "It passed.")], None),
        ([(U, "my name is not important")], None),
        ([(A, "My user ID is bot_one_11.")], None),
        ([], None),
    ],
)
def test_a_user_is_who_the_run_shows(messages, user):
    assert user_of(messages) == user


def run(task: int, *texts: str, tool: bool = True) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    called = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "name": "look", "content": "fine"},
    ]
    said = [{"role": "user", "content": text} for text in texts]
    return {"task_id": task, "trial": 0, "reward": 1.0, "traj": said + (called if tool else [])}


def test_what_the_user_of_a_run_said_is_by_that_person_and_their_sessions_are_over():
    runs = [run(1, "Hi!", "My user ID is aya_ito_77. Yes, I am Aya Ito."), run(2, "Hi there!")]
    with Memory.open(settings=WAITING) as memory:
        memory.import_file(io.BytesIO(json.dumps(runs).encode()), "tau-bench")
        people = {m.text: m.person for m in memory.list().memories if m.kind == "user_message"}
        memory.enrich()
        episodes = memory.query("MATCH (e:Episode) RETURN count(e) AS n").rows
    assert people == {
        "Hi!": "Aya Ito",
        "My user ID is aya_ito_77. Yes, I am Aya Ito.": "Aya Ito",
        "Hi there!": "you",
    }
    assert [list(row) for row in episodes] == [[1]]


def test_a_conversation_without_tools_names_nobody():
    runs = [run(1, "Hi!", "My name is Aya Ito.", tool=False)]
    with Memory.open(settings=WAITING) as memory:
        memory.import_file(io.BytesIO(json.dumps(runs).encode()), "tau-bench")
        assert {memory.person for memory in memory.list().memories} == {"you"}
