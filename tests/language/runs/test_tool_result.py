"""A tool's result by field: how it ended only where something says so, and its words in order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import text_of
from meridia.language.runs.failure_signs import is_error
from meridia.language.runs.tool_result import ResultFields, edits_of, read_result, shown_text

WORDS = st.text(alphabet="abcdef ", min_size=1).map(str.strip).filter(bool)


def event(result: Any) -> dict[str, Any]:
    return {"kind": "tool_result", "tool": {"name": "run_job"}, "payload": {"result": result}}


@pytest.mark.parametrize(
    ("result", "ok"),
    [
        ({"exit_code": 0, "stdout": "", "stderr": "warning: old"}, True),
        ({"exit_code": 2, "stdout": "built", "stderr": ""}, False),
        ('{"output": "3 tests failed", "metadata": {"exit_code": 1}}', False),
        ({"success": True}, True),
        ({"success": False}, False),
        ({"success": True, "error": "no such user"}, False),
        ({"stdout": "", "stderr": "", "interrupted": True}, False),
        ({"content": [{"type": "text", "text": "gone"}], "isError": True}, False),
        ({"response": {"error": "quota exceeded"}}, False),
        ({"status": 204}, True),
        ({"status": "cancelled", "error": None}, None),
        ({"stdout": "done", "stderr": "", "interrupted": False}, None),
        ("all good", None),
        ([], None),
        (None, None),
    ],
)
def test_how_a_call_ended_is_said_only_where_something_says_so(result: Any, ok: bool) -> None:
    assert read_result(event(result)).ok is ok
    if ok is not None:
        assert is_error(event(result)) is not ok


def test_the_words_that_say_what_went_wrong_come_first() -> None:
    result = read_result(event({"exit_code": 1, "stderr": "ld: not found", "stdout": "linking"}))
    assert result.texts == ["ld: not found", "linking"]
    assert result.exit_code == 1


def test_a_picture_is_no_words() -> None:
    blocks = [{"type": "image", "data": "iVBORw0KGgo"}, {"type": "text", "text": "the page"}]
    assert read_result(event(blocks)).texts == ["the page"]


@given(WORDS, WORDS, st.integers(-3, 3))
def test_an_object_and_its_json_text_are_read_alike(out: str, err: str, code: int) -> None:
    fields = {"stdout": out, "stderr": err, "exit_code": code}
    assert read_result(event(fields)) == read_result(event(json.dumps(fields)))
    assert read_result(event(fields)).ok is (code == 0)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | WORDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_result_can_be_read(result: Any) -> None:
    assert isinstance(read_result(event(result)), ResultFields)


def test_an_edit_is_shown_as_old_and_new_and_a_result_in_the_order_people_read() -> None:
    edit = {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
    call = event("ok") | {"payload": {"args": edit, "result": "ok"}}
    assert shown_text(call).splitlines() == ["run_job", "a.py", "x = 1 → x = 2", "ok"]
    ended = event({"exit_code": 2, "stderr": "no rule", "stdout": "make: started"})
    assert shown_text(ended).splitlines() == ["run_job", "make: started", "no rule", "exit code 2"]


@pytest.mark.parametrize(
    "args",
    [
        {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"},
        {"file_path": "a.py", "edits": [{"old_string": "x = 1", "new_string": "x = 2"}]},
        {"command": "str_replace", "path": "a.py", "old_str": "x = 1", "new_str": "x = 2"},
        {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch"},
        {"patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"},
    ],
)
def test_every_way_to_write_an_edit_is_shown_as_old_and_new(args):
    assert edits_of(args) == [("x = 1", "x = 2")]
    payload = {"args": args, "result": "ok"}
    shown = shown_text({"kind": "tool_result", "tool": {"name": "edit"}, "payload": payload})
    assert "a.py\nx = 1 → x = 2\nok" in shown
    assert shown.count("x = 2") == 1


def test_fields_are_shown_in_the_order_in_which_they_came():
    payload = {"args": {"title": "Rent", "body": "is due"}, "result": {"zone": "n", "area": "k"}}
    event = {"kind": "tool_result", "tool": {"name": "post"}, "payload": payload}
    assert shown_text(event) == text_of(event) == "post\nRent\nis due\nn\nk"


def test_bytes_are_no_words():
    inline = f"inline:{'a' * 64}"
    payload = {"args": {}, "result": [{"type": "text", "text": "taken"}, {"content": inline}]}
    event = {"kind": "tool_result", "tool": {"name": "shot"}, "payload": payload}
    assert shown_text(event) == "shot\ntaken"
    assert inline not in text_of(event)
