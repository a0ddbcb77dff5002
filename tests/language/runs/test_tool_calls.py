"""Calls: what is read off an event."""

from __future__ import annotations

from meridia.language.runs.tool_calls import args_of, is_result, leaves, tool_of
from tests.ingest.ingest_events import result, user


def test_a_result_names_its_tool_and_the_texts_it_was_given():
    call = result("Book_Flight", args={"seats": 2, "names": ["Ada", None, "Bo"]})
    assert is_result(call)
    assert not is_result(user("hello"))
    assert tool_of(call) == "book_flight"
    assert args_of(call) == ["2", "Ada", "Bo"]
    assert leaves({"a": [{"b": 1.5}], "c": None}) == ["1.5"]
