"""`meridia people`: who speaks, by which names, and who is whose other name."""

from __future__ import annotations

import json

import pytest

CHAT = ["I'm allergic to peanuts.", "I live in Porto and work as a nurse."]


@pytest.fixture
def run(meridia, tmp_path):
    def run(*arguments, status=0):
        done = meridia("--db", tmp_path / "a.db", *arguments)
        assert done.status == status, done.err
        return done

    return run


def test_the_commands_of_the_first_minutes(run, tmp_path):
    path = tmp_path / "chat.json"
    messages = [{"role": "user", "content": text} for text in CHAT]
    path.write_text(json.dumps(messages), "utf-8")
    done = run("import", path)
    assert "who spoke: you (2)" in done.err
    assert "meridia people name NAME" in done.err
    quoted = "“I'm allergic to peanuts”"
    assert "# The user is back" in run("resume").out
    assert quoted in run("resume").out
    assert "you are called Kim now" in run("people", "name", "Kim").err
    for asked in (("resume",), ("resume", "Kim")):
        assert "# Kim is back" in run(*asked).out
        assert quoted in run(*asked).out
    run("people", "refuse", "Kim")
    assert quoted in run("resume", "me").out


def test_an_import_with_a_name_names_who_has_none(run, tmp_path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": text} for text in CHAT]), "utf-8")
    run("import", path, "--person", "Kim")
    (kim,) = run("people", "--json").json
    assert (kim["name"], kim["owner"], kim["messages"]) == ("Kim", True, 2)
    run("remember", "I row.")
    (kim,) = run("people", "--json").json
    assert kim["messages"] == 3


def test_people_are_merged_and_parted(run):
    run("remember", "I fix clocks.", "--person", "Bob")
    run("remember", "I live in Bergen.", "--person", "Robert Stein")
    merged = run("people", "merge", "Bob", "Robert Stein", "--json")
    assert merged.json["into"]["name"] == "Robert Stein"
    (stein,) = run("people", "--json").json
    assert stein["names"] == [{"name": "Bob", "state": "given", "how": "caller"}]
    assert "Bob (given)" in run("people").out
    run("people", "unmerge", "Bob")
    assert len(run("people", "--json").json) == 2


def test_one_who_may_be_another_is_proposed(run):
    run("remember", "I live in Porto.", "--person", "Kim")
    run("remember", "My name is Kim.")
    assert 'meridia people merge "you" "Kim"' in run("people").err


def test_what_takes_no_such_names_says_so(run):
    run("remember", "I fix clocks.", "--person", "Bob")
    assert "takes 2 names, not 1" in run("people", "merge", "Bob", status=2).err
    assert "nobody called 'Ann'" in run("people", "merge", "Bob", "Ann", status=3).err
    assert "choose from" in run("people", "set", "Bob", "friend", status=2).err
