"""Installing hooks: what others have in the settings of an agent stays."""

from __future__ import annotations

import json

import pytest

from meridia.core.errors import InvalidInput, Refused
from meridia.service.agent_hooks import AGENTS, change, installed_command

COMMAND = "/usr/bin/meridia hook --space work"
OTHERS = {
    "model": "opus",
    "hooks": {
        "PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}]
    },
}


@pytest.mark.parametrize("agent", AGENTS)
def test_it_is_there_once_however_often_it_is_installed_and_gone_when_removed(agent, tmp_path):
    path = tmp_path / AGENTS[agent].file
    planned = change(agent, tmp_path, COMMAND)
    assert not path.exists(), "nothing is written before it is asked for"
    planned.write()
    assert set(json.loads(path.read_text("utf-8"))["hooks"]) == set(AGENTS[agent].events.split())
    again = change(agent, tmp_path, COMMAND)
    assert again.diff() == ""
    change(agent, tmp_path, "/opt/meridia hook").write()
    text = path.read_text("utf-8")
    assert text.count("meridia hook") == len(AGENTS[agent].events.split())
    assert COMMAND not in text
    change(agent, tmp_path, None).write()
    assert "meridia" not in path.read_text("utf-8")


def test_what_others_have_stays(tmp_path):
    path = tmp_path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps(OTHERS), "utf-8")
    planned = change("claude-code", tmp_path, COMMAND)
    assert "+" in planned.diff()
    planned.write()
    installed = json.loads(path.read_text("utf-8"))
    assert installed["model"] == "opus"
    assert installed["hooks"]["PostToolUse"][0] == OTHERS["hooks"]["PostToolUse"][0]
    change("claude-code", tmp_path, None).write()
    assert json.loads(path.read_text("utf-8")) == OTHERS


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": 1}', '{"hooks": {"Stop": "x"}}', "\udcff"])
def test_settings_that_are_not_right_are_left_alone(tmp_path, text):
    path = tmp_path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match=r"settings\.json"):
        change("claude-code", tmp_path, COMMAND)
    assert path.read_bytes() == before


def test_a_folder_that_may_not_be_written_is_named(tmp_path):
    (tmp_path / ".claude").write_text("a file", "utf-8")
    with pytest.raises((InvalidInput, Refused), match="claude"):
        change("claude-code", tmp_path, COMMAND).write()


def test_words_with_spaces_stay_one_word():
    assert installed_command(["/a b/meridia", "hook"]).startswith(("'/a b/meridia'", '"/a b/'))
