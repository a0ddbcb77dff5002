"""`meridia hook` as an agent calls it: quickly, and never with a failure."""

from __future__ import annotations

import json
import time

import pytest

ENV = {"MERIDIA_EMBEDDING_ENABLED": "false"}


def wait_for(meridia, db, count):
    """Return what is remembered, as soon as it is so much."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        listed = meridia("list", "--db", db, "--json", env=ENV).json["memories"]
        if len(listed) >= count:
            return listed
        time.sleep(0.1)
    raise AssertionError(f"{len(listed)} of {count}")


def test_what_happens_is_captured_and_a_session_begins_with_it(meridia, db):
    def hook(**fields):
        done = meridia("hook", "--db", db, stdin=json.dumps({"session_id": "s1"} | fields), env=ENV)
        assert done.status == 0
        return done.out

    assert hook(hook_event_name="SessionStart") == ""
    said = "The race is on the 12th of May."
    assert hook(hook_event_name="UserPromptSubmit", prompt=said) == ""
    tool = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {}, "tool_response": "ok"}
    for _ in range(2):
        assert hook(hook_event_name="PostToolUse", **tool) == ""
    assert hook(hook_event_name="PreCompact", trigger="auto") == ""
    kinds = [memory["kind"] for memory in wait_for(meridia, db, 3)]
    assert sorted(kinds) == ["session_boundary", "tool_result", "user_message"]
    assert not db.with_name(f"{db.name}-hook.log").exists()
    answer = json.loads(hook(hook_event_name="SessionStart", session_id="s2"))
    assert said[:-1] in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("given", [b"", b"{", b"[]", b"\xff", b'{"hook_event_name": 1}'])
def test_nothing_makes_it_fail(meridia, db, given):
    done = meridia("hook", "--db", db, stdin=given, env=ENV)
    assert (done.status, done.out) == (0, "")


def test_what_a_tool_printed_is_kept_whatever_it_is(meridia, db):
    begun = b'{"session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Bash", '
    log = b"line of the build log\\n" * 70_000 + b"E77"
    printed = [rb"./a\u0000./b", b"raw\0byte", b"caf\xe9", rb"half \ud83d", b"a\tb", log]
    for number, result in enumerate(printed):
        call = b'"tool_use_id": "t%d", "tool_response": "%b"}' % (number, result)
        assert meridia("hook", "--db", db, stdin=begun + call, env=ENV).status == 0
    texts = [memory["text"] for memory in wait_for(meridia, db, len(printed))]
    wanted = ("./a␀./b", "raw␀byte", "caf�", "half �", "a\tb", "E77")
    assert all(any(text.endswith(end) for text in texts) for end in wanted)
    log_path = db.with_name(f"{db.name}-hook.log")
    assert not log_path.exists()


def test_an_error_goes_to_the_log_and_the_agent_goes_on(meridia, tmp_path):
    (tmp_path / "a.db").write_text("no journal", "utf-8")
    event = json.dumps({"hook_event_name": "SessionStart"})
    for options in ([], ["--bogus"], ["--tokens", "x"]):
        done = meridia("hook", "--db", tmp_path / "a.db", *options, stdin=event, env=ENV)
        assert (done.status, done.out) == (0, "")
    assert "Damaged" in (tmp_path / "a.db-hook.log").read_text("utf-8")


def test_it_is_installed_after_a_look(meridia, tmp_path):
    looked = meridia("hook", "install", "--dry-run", "--space", "work", cwd=tmp_path)
    assert (looked.status, list(tmp_path.iterdir())) == (0, [])
    assert "hook --space work" in looked.out
    assert meridia("hook", "install", "--agent", "cursor", cwd=tmp_path).status == 0
    assert "meridia hook" in (tmp_path / ".cursor/hooks.json").read_text("utf-8")
    assert meridia("hook", "remove", "--agent", "cursor", cwd=tmp_path).status == 0
    assert "meridia" not in (tmp_path / ".cursor/hooks.json").read_text("utf-8")
    (tmp_path / ".cursor/hooks.json").write_text("{", "utf-8")
    assert meridia("hook", "install", "--agent", "cursor", cwd=tmp_path).status == 2
