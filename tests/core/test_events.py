"""Events: what is let in, what is refused and how it is said, and the one canonical form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.calls.cleaning import clean_text
from meridia.core.errors import InvalidInput
from meridia.core.events import (
    EventKind,
    captions_of,
    embedding_text_of,
    encode,
    event_hash,
    event_of,
    parse_event,
    recorded_event,
    text_of,
)
from meridia.core.ids import content_hash
from meridia.core.types import EntryKind
from tests.drafts import a_payload
from tests.histories import an_entry

#: Any text that a journal can keep: all of Unicode but NUL and halves of surrogate pairs.
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(texts, parts, max_size=4),
    max_leaves=12,
)


def message(text: str = "hello", **fields: Any) -> dict[str, Any]:
    return {"kind": "user_message", "payload": {"text": text}, **fields}


def encoded(fields: dict[str, Any]) -> dict[str, Any]:
    """Return an event as the journal keeps it."""
    return json.loads(encode(parse_event(fields).as_json()))


# The canonical form


@given(plain)
def test_whatever_is_plain_json_comes_back_as_it_went_in(value):
    assert json.loads(encode(value)) == value


@given(st.dictionaries(texts, plain, max_size=6))
def test_the_order_of_fields_does_not_matter(fields):
    assert encode(fields) == encode(dict(reversed(fields.items())))


@given(texts)
def test_any_unicode_survives_an_event_without_the_codes_of_a_terminal(text):
    def told(said):
        artifacts = [{"uri": "file:x", "description": said}]
        return message(said, metadata={said: said}, artifacts=artifacts)

    assert encoded(told(text)) == told(clean_text(text))
    assert clean_text(text) == text or "\x1b" in text


@pytest.mark.parametrize("text", ["\0", "a\0b", "\\\0", "\\\\\0", '"\0"', "\0\\u0000"])
def test_nul_is_refused_with_advice(text):
    with pytest.raises(InvalidInput, match="NUL characters: remove them"):
        encode({"text": text})
    with pytest.raises(InvalidInput, match="NUL characters: remove them"):
        encode({text: 1})


@given(st.lists(st.sampled_from(["\\", "u0000", "u", "0000", '"', "n", "\n"])).map("".join))
def test_what_only_looks_like_an_escaped_nul_is_text(text):
    assert json.loads(encode({"text": text})) == {"text": text}


@given(st.integers(0xD800, 0xDFFF), texts)
def test_half_a_surrogate_pair_is_refused_by_its_number(half, text):
    with pytest.raises(InvalidInput, match=rf"U\+{half:04X}.*decode it as UTF-8"):
        encode({"text": text + chr(half)})


@pytest.mark.parametrize("half", ["\ud83d", "x\udcff"])
@pytest.mark.parametrize(
    "place",
    [
        message,
        lambda half: message(id=half),
        lambda half: message(person=half),
        lambda half: message(session={"key": half}),
        lambda half: message(metadata={"note": half}),
        lambda half: message(artifacts=[{"uri": half}]),
        lambda half: message(metadata={half: "note"}),
    ],
    ids=["text", "id", "person", "session", "metadata", "artifact", "metadata key"],
)
def test_half_a_surrogate_pair_is_replaced_and_counted_wherever_it_stands(place, half):
    event = parse_event(place(half))
    assert "\N{REPLACEMENT CHARACTER}" in encode(event.as_json())
    assert event.cleaned == {"invalid_text": 1}


def test_what_json_has_no_word_for_is_refused():
    for value in ({1, 2}, object(), b"bytes", 1j):
        with pytest.raises(InvalidInput, match="not plain JSON"):
            encode({"value": value})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_lacks_are_refused(number):
    with pytest.raises(InvalidInput):
        encode({"value": number})


def test_an_event_too_deep_to_read_again_is_refused():
    value: Any = 1
    for _ in range(5000):
        value = {"deeper": value}
    with pytest.raises(InvalidInput):
        encoded(message(metadata=value))


def test_the_same_instant_written_in_two_ways_of_utc_is_the_same_event():
    zulu = encoded(message(ts="2026-03-01T10:00:05Z"))
    assert zulu == encoded(message(ts="2026-03-01T10:00:05+00:00"))


# What is let in


@pytest.mark.parametrize("kind", list(EventKind))
def test_every_kind_of_event_needs_no_more_than_a_payload(kind):
    assert parse_event({"kind": kind.value, "payload": {"x": 1}}).kind is kind


def test_fields_that_nobody_knows_are_kept():
    fields = message(mood="calm", session={"key": "s", "room": 7}, tool={"name": "sh", "v": [1]})
    assert encoded(fields) == fields


def test_what_was_not_given_is_not_made_up():
    assert encoded(message()) == message()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"payload": {"text": "x"}}, "kind"),
        ({"kind": "user_message"}, "payload"),
        ({"kind": "rumour", "payload": {"text": "x"}}, "kind"),
        (message() | {"payload": "text"}, "payload"),
        (message(id=""), "id"),
        (message(id=7), "id"),
        (message(id="x" * 513), "id"),
        (message(person=""), "person"),
        (message(person="x" * 257), "person"),
        (message(session={}), "session.key"),
        (message(session={"key": ""}), "session.key"),
        (message(tool={"name": ""}), "tool.name"),
        (message(artifacts=[{"uri": "ok"}, {}]), "artifacts.1.uri"),
        (message(metadata=[1]), "metadata"),
        ("text", "event"),
        (None, "event"),
        ([message()], "event"),
    ],
)
def test_a_field_that_is_wrong_is_named(fields, named):
    with pytest.raises(InvalidInput, match=rf"event is not valid: {named}:"):
        parse_event(fields)


def test_all_wrong_fields_are_named_at_once():
    with pytest.raises(InvalidInput) as refusal:
        parse_event({"kind": "rumour", "payload": 1, "id": ""})
    assert all(f"{name}: " in str(refusal.value) for name in ("kind", "payload", "id"))


@pytest.mark.parametrize(
    "ts",
    [
        "2026-03-01T10:00:05",
        "2026-03-01",
        "yesterday",
        "",
        1_700_000_000,
        1.5,
        True,
        "1700000000",
        "9999-12-31T23:59:59-05:00",
        "0001-01-01T00:00:00+05:00",
    ],
)
def test_a_time_that_is_no_plain_instant_is_refused(ts):
    with pytest.raises(InvalidInput, match="ts"):
        parse_event(message(ts=ts))


def test_the_message_of_a_refusal_does_not_repeat_the_content():
    with pytest.raises(InvalidInput) as refusal:
        parse_event(message(id=["my secret"], payload="another secret"))
    assert "secret" not in str(refusal.value)


# What an event says


def test_a_message_says_its_text():
    assert text_of(message("Try with one job.")) == "Try with one job."
    assert embedding_text_of(message("Try with one job.")) == "Try with one job."


def test_a_tool_result_says_the_tool_and_every_leaf_of_its_payload():
    event = {
        "kind": "tool_result",
        "tool": {"name": "sh"},
        "payload": {"args": {"cmd": "make"}, "lines": ["a", None, 3, [True]], "text": 5},
    }
    assert text_of(event).splitlines() == ["sh", "make", "a", "3", "True", "5"]


def test_a_note_without_a_text_says_what_its_fields_are():
    payload = {"topic": "the mast", "feelings": ["proud", "tired"], "intensity": 0.7, "more": None}
    event = {"kind": "manual_capture", "payload": payload}
    assert text_of(event) == "topic: the mast\nfeelings: proud, tired\nintensity: 0.7"


def test_a_picture_without_words_means_its_captions():
    event = message(
        "",
        artifacts=[
            {"uri": "a", "description": "a red barn"},
            {"uri": "b"},
            {"uri": "c", "description": "snow"},
        ],
    )
    assert captions_of(event) == ["a red barn", "snow"]
    assert text_of(event) == ""
    assert embedding_text_of(event) == "a red barn snow"


@given(st.dictionaries(texts, plain, min_size=1, max_size=4))
def test_every_payload_has_a_text(payload):
    assert isinstance(text_of({"kind": "manual_capture", "payload": payload}), str)


# What is left of an event

OUTLINE = {"kind": "user_message", "payload": {}}


def a_captured(said: dict[str, Any]) -> Any:
    return a_payload(EntryKind.EXPERIENCE_CAPTURED, said)


def captured(payload: dict[str, Any] | None, **fields: Any) -> Any:
    return an_entry(EntryKind.EXPERIENCE_CAPTURED, payload, **fields)


def test_the_journal_has_an_event_whole_or_its_outline():
    assert recorded_event(a_captured({"event": message()})) == message()
    assert recorded_event(a_captured({"skeleton": OUTLINE, "hash": "x"})) == OUTLINE


def test_an_event_that_is_held_is_whole_and_otherwise_as_recorded():
    assert event_of(captured({"event": message()})) == message()
    skeleton = {"skeleton": OUTLINE, "hash": "x"}
    assert event_of(captured(skeleton)) == OUTLINE
    assert event_of(captured(skeleton, provisional=message())) == message()


def test_an_upgraded_event_stands_before_the_recorded_one():
    upgraded = message("more")
    assert event_of(captured({"event": message()}, provisional=upgraded)) == upgraded


@given(st.dictionaries(texts, plain, min_size=1, max_size=3))
def test_an_event_has_one_hash_whether_it_is_kept_whole_or_in_outline(payload):
    event = {"kind": "manual_capture", "payload": payload}
    skeleton = {"skeleton": OUTLINE, "hash": content_hash(encode(event))}
    assert event_hash(a_captured({"event": event})) == event_hash(a_captured(skeleton))
    assert event_hash(a_captured({"event": dict(reversed(event.items()))})) == event_hash(
        a_captured(skeleton)
    )


def test_another_event_has_another_hash_whatever_was_decided_about_it():
    one = {"event": message("one"), "decision": {"significance": 0.1}}
    assert event_hash(a_captured(one)) == event_hash(
        a_captured({"event": message("one"), "marks": ["echo"]})
    )
    assert event_hash(a_captured(one)) != event_hash(a_captured({"event": message("two")}))
