"""Messages as other libraries write them are remembered: words, parts, tool calls and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from meridia import InvalidInput, Memory


@pytest.fixture
def memory():
    with Memory.open() as memory:
        yield memory


def kept(memory):
    """Return what is in the memory: kind, person, session, tool, text."""
    return [(m.kind, m.person, m.session, m.tool, m.text) for m in memory.list(limit=1000).memories]


OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "You help with travel."},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "Does it rain in Oslo?"},
            {"type": "image_url", "image_url": {"url": "https://example.org/sky.png"}},
        ],
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    {"role": "assistant", "content": ""},
    {"role": "assistant", "content": "Yes, it rains."},
]
ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "Does it rain in Oslo?"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "no route", "is_error": True}
        ],
    },
]
LANGCHAIN: list[dict[str, Any]] = [
    {"type": "human", "content": "Does it rain in Oslo?", "id": "h1"},
    {
        "type": "ai",
        "content": "",
        "tool_calls": [{"name": "weather", "args": {"city": "Oslo"}, "id": "c1"}],
    },
    {"type": "tool", "content": "rain", "tool_call_id": "c1", "status": "success"},
]


def test_a_chat_of_openai_is_remembered_with_its_tools(memory):
    answers = memory.remember_many(OPENAI, person="Dana", session="s1")
    assert kept(memory) == [
        ("manual_ingest", None, "s1", None, "You help with travel."),
        ("user_message", "Dana", "s1", None, "Does it rain in Oslo?"),
        ("tool_result", None, "s1", "weather", "weather\nOslo\nrain"),
        ("assistant_message", None, "s1", None, "Yes, it rains."),
    ]
    assert len(answers) == 4
    assert memory.list().memories[1].artifacts[0].uri == "https://example.org/sky.png"


def test_a_chat_of_anthropic_is_remembered_with_its_tools(memory):
    memory.remember_many(ANTHROPIC)
    assert kept(memory) == [
        ("user_message", "you", None, None, "Does it rain in Oslo?"),
        ("assistant_message", None, None, None, "Let me look."),
        ("tool_result", None, None, "weather", "weather\nOslo\nno route"),
    ]


def test_messages_of_langchain_are_remembered_under_their_ids(memory):
    memory.remember_many(LANGCHAIN, session="s1", person="Dana")
    again = memory.remember_many(LANGCHAIN[:1], session="s1", person="Dana")
    assert again[0].outcome == "redelivered"
    assert [text for *_, text in kept(memory)] == ["Does it rain in Oslo?", "weather\nOslo\nrain"]
    assert memory.get("h1").person == "Dana"


@dataclass
class Message:
    """A message object of another library."""

    type: str
    content: str

    def model_dump(self):
        return {"type": self.type, "content": self.content, "additional_kwargs": {}}


def test_objects_of_other_libraries_are_messages(memory):
    memory.remember(Message("human", "I sail on Sunday."), person="Dana")
    memory.remember_many([Message("ai", "Have fun."), {"text": "Dana sails.", "role": "note"}])
    assert [(kind, person) for kind, person, *_ in kept(memory)] == [
        ("user_message", "Dana"),
        ("assistant_message", None),
        ("manual_capture", None),
    ]


def test_a_message_says_more_beside_its_content(memory):
    memory.remember_many(
        [
            {
                "role": "human",
                "content": "I sail on Sunday.",
                "person": "Kim",
                "session": "s2",
                "at": "2026-03-01",
                "id": "m-1",
                "metadata": {"topic": "sailing"},
            }
        ],
        person="Dana",
        session="s1",
    )
    got = memory.get("m-1")
    assert (got.person, got.session, got.at.isoformat()) == (
        "Kim",
        "s2",
        "2026-03-01T00:00:00+00:00",
    )
    assert memory.list(where={"topic": "sailing"}).memories == [got]


@pytest.mark.parametrize("role", ["system", "developer", "human", "ai", "model", "USER"])
def test_one_message_at_a_time_may_have_any_usual_role(memory, role):
    memory.remember({"role": role, "content": "I sail on Sunday."}, session="s1")
    assert kept(memory)[0][4] == "I sail on Sunday."


def test_a_loop_that_remembers_message_by_message_loses_nothing(memory):
    for message in OPENAI:
        if message["content"] != "":
            memory.remember(message, session="s1")
    kinds = [(kind, tool) for kind, *_, tool, _ in kept(memory)]
    assert ("tool_result", "weather") in kinds  # the call
    assert ("tool_result", "tool") in kinds  # what it gave back, whose name nothing says
    assert len(kinds) == 5


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([{"role": "wizard", "content": "x"}], "message 0: role is 'wizard'"),
        ([{"content": "fine"}, {"role": "user", "content": 5}], "message 1: content is a number"),
        ([{"role": "user"}], "message 0: has no text: give text, or role and content"),
        (["hello"], "message 0: is str: give a mapping"),
        ([{"role": "user", "content": "x", "at": "soon"}], "message 0: at 'soon' is not a date"),
        ([{"role": "user", "content": "x", "metadata": 3}], "message 0: metadata is of type int"),
        ([{"text": "fine"}, {"text": "x", "colour": 1}], "message 1: got an unexpected keyword"),
        ([{"type": "alien", "content": "x"}], "message 0: 'alien' is of 'alien'"),
    ],
)
def test_the_first_message_that_is_wrong_is_named_and_none_goes_in(memory, messages, told):
    with pytest.raises(InvalidInput, match=told):
        memory.remember_many(messages)
    assert kept(memory) == []


def test_a_message_of_several_events_is_for_remember_many(memory):
    with pytest.raises(InvalidInput, match="contains 2 events: pass it to remember_many"):
        memory.remember(ANTHROPIC[1])
    with pytest.raises(InvalidInput, match="contains 0 events"):
        memory.remember({"role": "assistant", "content": ""})
