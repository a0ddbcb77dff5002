"""Exports of chat apps."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.chat_apps import CHATGPT, CLAUDE
from meridia.ingest.importers.import_record import ImportRecord, ImportSource

# Chatgpt


def chatgpt(mapping: dict[str, Any], **fields: Any) -> list[ImportRecord]:
    body = json.dumps([{"title": "x", "id": "c", "mapping": mapping, **fields}]).encode()
    everything = CHATGPT.read(ImportSource(io.BytesIO(body), "conversations.json"))
    return [record for record in everything if record.skipped is None]


def node(id: str, parent: str | None, text: str = "x", role: str = "user") -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"parent": parent, "message": {"id": id, "author": {"role": role}, "content": content}}


@given(st.lists(st.integers(0, 30), min_size=1, max_size=30), st.data())
def test_imported_is_the_branch_of_the_current_node(
    parents: list[int], data: st.DataObject
) -> None:
    tree = {
        str(at): node(str(at), str(parent % at) if at else None)
        for at, parent in enumerate(parents)
    }
    leaf = data.draw(st.sampled_from(sorted(tree)))
    branch, at = [], leaf
    while at is not None:
        branch.append(at)
        at = tree[at]["parent"]
    events = [record.event for record in chatgpt(tree, current_node=leaf)]
    assert [event and event.id for event in events] == branch[::-1]


def test_a_tree_that_goes_round_ends() -> None:
    assert len(chatgpt({"a": node("a", "b"), "b": node("b", "a")}, current_node="a")) == 2


def test_a_role_that_nobody_knows_is_refused_alone() -> None:
    tree = {"a": node("a", None, role="chief"), "b": node("b", "a")}
    first, second = chatgpt(tree, current_node="b")
    assert "author.role is 'chief'" in str(first.problem)
    assert second.event is not None


def say(content: dict[str, Any], role: str = "assistant", **fields: Any) -> dict[str, Any]:
    author = {"role": role, "name": fields.pop("name", None)}
    return {"id": "m", "author": author, "content": content, **fields}


def chain(*messages: dict[str, Any], **fields: Any) -> list[ImportRecord]:
    tree = {
        str(at): {"parent": str(at - 1) if at else None, "message": {**message, "id": str(at)}}
        for at, message in enumerate(messages)
    }
    return chatgpt(tree, current_node=str(len(messages) - 1), **fields)


CALL = say({"content_type": "code", "text": "print(1)"}, recipient="python")


@pytest.mark.parametrize(
    ("content", "metadata", "failed"),
    [
        ({"content_type": "system_error", "name": "Broken", "text": "the kernel died"}, {}, True),
        (
            {"content_type": "execution_output", "text": "FileNotFoundError: a.png"},
            {"aggregate_result": {"status": "failed_with_in_kernel_exception"}},
            True,
        ),
        (
            {"content_type": "execution_output", "text": "1"},
            {"aggregate_result": {"status": "success"}},
            False,
        ),
    ],
)
def test_a_tool_failed_where_the_export_says_so(
    content: dict[str, Any], metadata: dict[str, Any], failed: bool
) -> None:
    (record,) = chain(CALL, say(content, "tool", name="python", metadata=metadata))
    assert record.event is not None
    assert record.event.tool is not None
    assert record.event.tool.isError == failed
    assert record.event.payload["args"] == "print(1)"


def test_a_page_that_was_not_kept_answers_its_call() -> None:
    page = {"content_type": "tether_browsing_display", "result": "", "summary": ""}
    call = say({"content_type": "code", "text": "search(1)"}, recipient="browser")
    assert chain(call, say(page, "tool", name="browser")) == []


def test_marks_of_citations_are_what_the_app_shows() -> None:
    mark, other = "\ue200cite\ue202turn0search0\ue201", "\ue200cite\ue202turn0news1\ue201"
    shown = {"matched_text": mark, "alt": "([oven.org](https://oven.org))"}
    footnote = {"matched_text": " ", "alt": "Sources"}
    text = {"content_type": "text", "parts": [f"Bake it longer. {mark} At 240 degrees. {other}"]}
    (record,) = chain(say(text, metadata={"content_references": [shown, footnote]}))
    assert record.event is not None
    assert record.event.payload["text"] == (
        "Bake it longer. ([oven.org](https://oven.org)) At 240 degrees."
    )


def test_what_was_spoken_is_its_words_and_its_recording() -> None:
    recording = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_1"}
    chat = {"content_type": "real_time_user_audio_video_asset_pointer"}
    parts = [
        {"content_type": "audio_transcription", "text": "I try it on Saturday.", "direction": "in"},
        {**chat, "audio_asset_pointer": recording, "video_container_asset_pointer": None},
        {**chat, "audio_asset_pointer": None},
    ]
    (record,) = chain(say({"content_type": "multimodal_text", "parts": parts}, "user"))
    assert record.event is not None
    assert record.event.payload == {"text": "I try it on Saturday."}
    assert [artifact.uri for artifact in record.event.artifacts] == ["sediment://file_1"]


def test_a_message_without_a_time_has_that_of_the_one_before() -> None:
    text = {"content_type": "text", "parts": ["x"]}
    said = chain(
        say(text, create_time=None),
        say(text, create_time=1741000000.5),
        say(text),
        create_time=1740000000,
    )
    assert [record.event and record.event.ts for record in said] == [
        datetime.fromtimestamp(seconds, UTC) for seconds in (1740000000, 1741000000.5, 1741000000.5)
    ]


# Claude export


def claude(*messages: Any) -> list[ImportRecord]:
    body = json.dumps({"uuid": "c", "chat_messages": messages}).encode()
    everything = CLAUDE.read(ImportSource(io.BytesIO(body), "conversations.json"))
    return [record for record in everything if record.skipped is None]


def message(**fields: Any) -> dict[str, Any]:
    return {"uuid": "m", "sender": "human", **fields}


def test_what_was_pasted_belongs_to_the_message() -> None:
    pasted = {"file_name": "log.txt", "extracted_content": "pump: stuck"}
    (record,) = claude(message(text="", content=[], attachments=[pasted]))
    assert record.event is not None
    assert record.event.payload == {"text": "log.txt:\npump: stuck"}


def test_older_exports_have_only_the_text() -> None:
    (record,) = claude(message(text="Hello", content=[]))
    assert record.event is not None
    assert record.event.payload == {"text": "Hello"}


def test_a_tool_without_an_id_is_answered_by_its_name() -> None:
    call = {"type": "tool_use", "name": "repl", "input": {"code": "6 * 7"}}
    result = {"type": "tool_result", "name": "repl", "content": "42", "is_error": True}
    (record,) = claude(message(sender="assistant", content=[call, result]))
    assert record.event is not None
    assert record.event.payload == {"args": {"code": "6 * 7"}, "result": "42"}
    assert record.event.tool is not None
    assert record.event.tool.isError


def test_a_message_without_words_is_none() -> None:
    assert claude(message(text="", content=[{"type": "token_budget"}])) == []


def said(*messages: Any, **fields: Any) -> list[str]:
    body = json.dumps({"uuid": "c", "chat_messages": messages, **fields}).encode()
    read_from = ImportSource(io.BytesIO(body), "conversations.json")
    return [str(r.event and r.event.id) for r in CLAUDE.read(read_from) if r.event]


def turn(uuid: str, parent: str) -> dict[str, Any]:
    return {"uuid": uuid, "sender": "human", "text": uuid, "parent_message_uuid": parent}


def test_an_edited_message_and_what_followed_it_are_left_out() -> None:
    turns = [turn("a", "0"), turn("b", "a"), turn("c", "b"), turn("b2", "a"), turn("c2", "b2")]
    assert said(*turns) == ["a", "b2", "c2"]


def test_the_branch_that_the_conversation_ends_in_is_in_force() -> None:
    turns = [turn("a", "0"), turn("b", "a"), turn("c", "b"), turn("b2", "a"), turn("c2", "b2")]
    assert said(*turns, current_leaf_message_uuid="c") == ["a", "b", "c"]


def test_messages_whose_parent_is_missing_stay() -> None:
    assert said(turn("a", "0"), turn("c", "lost"), turn("d", "c")) == ["a", "c", "d"]
    assert said(turn("a", "b"), turn("b", "a"), current_leaf_message_uuid="a") == ["a", "b"]


def test_what_a_search_found_is_words() -> None:
    call = {"type": "tool_use", "id": None, "name": "web_search", "input": {"query": "pdb"}}
    found = {"type": "knowledge", "title": "Budgets", "url": "https://k8s.io", "text": "At most 1."}
    result = {"type": "tool_result", "tool_use_id": None, "name": "web_search", "content": [found]}
    (record,) = claude(message(sender="assistant", content=[call, result]))
    assert record.event is not None
    assert record.event.payload["result"] == "Budgets\nhttps://k8s.io\nAt most 1."


def test_a_spoken_note_is_text() -> None:
    (record,) = claude(message(content=[{"type": "voice_note", "title": "t", "text": "Buy yeast"}]))
    assert record.event is not None
    assert record.event.payload == {"text": "Buy yeast"}
