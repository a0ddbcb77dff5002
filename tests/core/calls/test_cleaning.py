"""Signs that no journal can keep are replaced, and counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.calls.cleaning import clean_event, clean_id, clean_text
from meridia.core.events import encode

any_text = st.text(st.characters(), max_size=30) | st.sampled_from(
    [
        "a\0",
        "\x1b[31mred\x1b[0m",
        "\x1b",
        "\x1b\x1b[0m[0m",
        "\ud83d",
        "\udcff x",
        "\ud83d\ude00",
        "␀",
        "�",
    ]
)
any_json = st.recursive(
    any_text | st.integers() | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in (*value, *value.values()) for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []


@given(any_json)
def test_what_is_cleaned_can_be_written_and_loses_no_field(value: Any) -> None:
    counts: Counter[str] = Counter()
    fields = clean_event({"payload": value}, counts)
    encode(clean := fields["payload"])
    assert clean_event(fields, Counter()) is fields
    signs = "".join(_texts(clean))
    before = "".join(_texts(value))
    assert signs.count("␀") - before.count("␀") == counts["nul"]
    assert signs.count("�") - before.count("�") >= counts["invalid_text"]
    if isinstance(value, dict):
        assert len(clean) == len(value)


def test_two_halves_that_belong_together_are_one_sign() -> None:
    assert clean_text("\ud83d\ude00 \ude00") == "😀 �"


def test_what_a_terminal_acts_on_is_dropped_and_what_it_shows_is_kept() -> None:
    link = "\x1b]8;;https://example.com/1\x1b\\the log\x1b]8;;\x1b\\"
    shown = f"\x1b[2m10:02\x1b[0m \x1b[1;31mFAILED\x1b[0m {link} "
    shown += "\x1b]0;title\x07\x1b[2K\x1b[38;5;9m[31m]\x1b(B"
    counts: Counter[str] = Counter()
    event = clean_event({"payload": {"result": [shown]}}, counts)
    assert event == {"payload": {"result": ["10:02 FAILED the log [31m]"]}}
    assert not counts


def test_ids_that_differ_in_what_is_lost_stay_different() -> None:
    assert clean_id("a\0") == "a␀"
    assert clean_id("a\ud800") != clean_id("a\ud801")
    assert clean_id("a\ud800") == clean_id("a\ud800")
    assert clean_id(clean_id("a\ud800")) == clean_id("a\ud800")


def test_the_ids_of_an_event_and_its_session_are_told_from_others() -> None:
    counts: Counter[str] = Counter()
    event = clean_event({"id": "a\ud800", "session": {"key": "\ud800"}, "payload": {}}, counts)
    assert event["id"] == clean_id("a\ud800")
    assert event["session"]["key"] == clean_id("\ud800")
    assert counts == {"invalid_text": 2}
