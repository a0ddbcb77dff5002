from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.format_detection import detect
from meridia.ingest.importers.import_options import ImportOptions
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportRecord

WORDS = st.text("abc ,.\n", min_size=1).filter(str.strip)


def turns(text: str, **mapping: str) -> list[tuple[str | None, str]]:
    """Return who says what; a role stands in capitals."""
    options = ImportOptions(mapping=mapping)
    records = read(io.BytesIO(text.encode()), "text", options=options)
    return [spoken(record) for record in records]


def spoken(record: ImportRecord) -> tuple[str | None, str]:
    if record.event is None:
        return "REFUSED", str(record.problem)
    name = record.event.person or record.event.kind.value.upper()
    return name, record.event.payload.get("text") or record.event.payload["result"]


@given(st.lists(st.tuples(st.sampled_from(["Dana", "Jean-Luc P.", "Ødis"]), WORDS), min_size=2))
def test_every_turn_is_a_message_of_its_speaker(said: list[tuple[str, str]]) -> None:
    text = "\n".join(f"{name}: {words}" for name, words in said)
    assert turns(text) == [(name, words.strip()) for name, words in said]


@pytest.mark.parametrize(
    "form",
    [
        *(
            "{}: {}",
            "**{}:** {}",
            "**{}**: {}",
            "## {}\n\n{}",
            "- {}: {}",
            "[2026-03-01 10:00] {}: {}",
        ),
        *("**{}**\n\n{}", "**{}**\n\n{}\n\n---"),
    ],
)
@pytest.mark.parametrize("names", [("User", "Claude"), ("You", "ChatGPT"), ("Human", "Cursor")])
def test_a_turn_may_be_marked_in_several_ways(form: str, names: tuple[str, str]) -> None:
    text = "\n\n".join(form.format(*turn) for turn in zip(names, ("Hi", "Hello"), strict=True))
    assert turns(text) == [("USER_MESSAGE", "Hi"), ("ASSISTANT_MESSAGE", "Hello")]


@pytest.mark.parametrize(
    "remark", ["Note: x", "http://x.org", "10:30 sharp", "step: two", "Here is why: x"]
)
def test_a_remark_within_a_turn_belongs_to_it(remark: str) -> None:
    assert turns(f"Dana: a\n{remark}\nRobin: b") == [("Dana", f"a\n{remark}"), ("Robin", "b")]


def test_where_roles_speak_other_labels_are_text_unless_they_are_mapped() -> None:
    text = "User: hi\nAssistant: see\nRobin: x\nUser: thanks"
    assert turns(text)[1] == ("ASSISTANT_MESSAGE", "see\nRobin: x")
    assert turns(text, Robin="user")[2] == ("USER_MESSAGE", "x")


def test_names_are_given_roles_or_left_out() -> None:
    text = "Dana: hi\nRobin: hello\nBell: ding\nDana: bye"
    assert turns(text, Robin="assistant", Bell="tool", Dana="user") == [
        ("USER_MESSAGE", "hi"),
        ("ASSISTANT_MESSAGE", "hello"),
        ("TOOL_RESULT", "ding"),
        ("USER_MESSAGE", "bye"),
    ]
    assert [name for name, _ in turns(text, Bell="skip")] == ["Dana", "Robin", "Dana"]


def test_what_is_no_name_can_be_mapped_to_text() -> None:
    text = "Dana: hi\nSummary: we agree\nRobin: ok"
    assert [name for name, _ in turns(text)] == ["Dana", "Summary", "Robin"]
    assert turns(text, Summary="text")[0] == ("Dana", "hi\nSummary: we agree")


def test_a_text_without_names_is_refused_with_what_to_write() -> None:
    ((who, problem),) = turns("Dear diary")
    assert (who, problem) == (
        "REFUSED",
        "no line begins with a name and a colon: write `Name: text`",
    )


def test_words_in_bold_alone_on_a_line_are_text_where_nobody_talks_with_a_program() -> None:
    text = "Dana: see\n**Kiln**\nhot\nRobin: yes\n**Loom**\nold"
    assert turns(text) == [("Dana", "see\n**Kiln**\nhot"), ("Robin", "yes\n**Loom**\nold")]


@pytest.mark.parametrize(
    "text",
    [
        "Ben: Are you home?\nCleo: Not yet.\n",
        "10:00 Ben: Are you home?\n[10:01] Cleo: Not yet.\n",
        "太郎：猫にえさをあげた？\n花子：うん、一時間前に。\n太郎：ありがとう。\n",
    ],
)
def test_two_lines_and_wide_colons_are_a_dialogue(text: str) -> None:
    assert detect(text.encode()) == "text"
