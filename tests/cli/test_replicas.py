"""`meridia follow` and `move`, as they are typed, over a real PostgreSQL."""

from __future__ import annotations

import pytest

from tests.cli.command import Command

WITHOUT = {"MERIDIA_EMBEDDING_ENABLED": "false"}


@pytest.fixture
def shared(shared_url: str) -> dict[str, str]:
    """The variables of a replica."""
    return WITHOUT | {"MERIDIA_JOURNAL_URL": shared_url}


def test_a_journal_moves_to_postgres_and_back(meridia: Command, tmp_path, shared):
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    meridia("remember", "The ferry leaves at nine.", "--person", "Dana", "--db", one, env=WITHOUT)
    refused = meridia("list", "--db", one, env=shared)
    assert (refused.status, "meridia move --to" in refused.err) == (4, True)
    to = shared["MERIDIA_JOURNAL_URL"]
    moved = meridia("move", "--db", one, "--to", to, "--json", env=WITHOUT).json
    meridia("remember", "Deploy on Friday.", "--person", "Kim", "--db", other, env=shared)
    listed = meridia("list", "--db", one, "--json", env=shared).json["memories"]
    assert [memory["person"] for memory in listed] == ["Dana", "Kim"]
    back = meridia("move", "--db", other, "--to", tmp_path / "b.db", "--json", env=shared).json
    assert [space["seq"] for space in moved["spaces"] + back["spaces"]] == [1, 2]
    listed = meridia("list", "--db", tmp_path / "b.db", "--json", env=WITHOUT).json["memories"]
    assert [memory["person"] for memory in listed] == ["Dana", "Kim"]


def test_who_follows_postgres_is_shown_and_forgotten(meridia: Command, tmp_path, shared):
    for name in ("one", "other"):
        db = tmp_path / f"{name}.db"
        meridia("remember", f"{name} says hello", "--db", db, env=shared)
    told = meridia("follow", "--db", db, "--json", env=shared).json
    behind = {each["replica"].rpartition("/")[2]: each["behind"] for each in told["replicas"]}
    assert (told["head"], behind) == (2, {"one.db": 1, "other.db": 0})
    assert "1 sequence behind" in meridia("doctor", "--db", db, env=shared).out
    (gone,) = [r["replica"] for r in told["replicas"] if r["behind"]]
    told = meridia("follow", "--db", db, "--forget", gone, "--json", env=shared).json
    assert len(told["replicas"]) == 1
    assert meridia("follow", "--db", db, "--forget", gone, env=shared).status == 3


def test_a_file_that_does_not_fit_postgres_is_made_again(meridia: Command, tmp_path, shared):
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    meridia("remember", "shared by all", "--db", one, env=shared)
    meridia("remember", "another journal", "--db", other, env=WITHOUT)
    refused = meridia("list", "--db", other, env=shared)
    assert (refused.status, "meridia follow --again" in refused.err) == (4, True)
    again = meridia("follow", "--again", "--db", other, env=shared)
    assert (again.status, "other.db.replaced-" in again.err) == (0, True)
    listed = meridia("list", "--db", other, "--json", env=shared).json["memories"]
    assert [memory["text"] for memory in listed] == ["shared by all"]


def test_new_replicas_of_postgres_take_a_key_before_anything_else(
    meridia: Command, tmp_path, shared
):
    text = meridia("keys", "create", "--db", tmp_path / "elsewhere.db").out.strip()
    for name in ("one", "other"):
        db = tmp_path / f"{name}.db"
        taken = meridia("keys", "create", "--given", "-", "--db", db, stdin=text, env=shared)
        assert taken.status == 0, taken.err
        meridia("remember", f"{name} says hello", "--db", db, env=shared)
    listed = meridia("list", "--db", tmp_path / "one.db", "--json", env=shared).json["memories"]
    assert [memory["text"] for memory in listed] == ["one says hello", "other says hello"]


def test_without_postgres_the_commands_say_what_is_missing(meridia: Command, tmp_path):
    done = meridia("follow", "--db", tmp_path / "a.db", env=WITHOUT)
    assert (done.status, "journal.url is not set" in done.err) == (2, True)
    done = meridia("move", "--db", tmp_path / "a.db", "--to", "b.db", env=WITHOUT)
    assert (done.status, "a file already" in done.err) == (2, True)


def test_what_is_captured_goes_to_postgres(meridia: Command, tmp_path, shared):
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    event = '{"kind": "user_message", "payload": {"text": "The ferry leaves at nine."}}'
    assert meridia("decide", "--db", one, stdin=event, env=shared).status == 0
    assert meridia("capture", "--db", one, stdin=event, env=shared).status == 0
    listed = meridia("list", "--db", other, "--json", env=shared).json["memories"]
    assert [memory["text"] for memory in listed] == ["The ferry leaves at nine."]


def test_without_its_postgres_a_replica_can_only_be_read(meridia: Command, tmp_path, shared):
    db, own = tmp_path / "one.db", tmp_path / "own.db"
    event = '{"kind": "user_message", "payload": {"text": "The ferry leaves at ten."}}'
    meridia("remember", "The ferry leaves at nine.", "--db", db, env=shared)
    for command in (("remember", "It leaves at ten."), ("capture",), ("forget", "--all", "--yes")):
        refused = meridia(*command, "--db", db, stdin=event, env=WITHOUT)
        assert (refused.status != 0, "set journal.url" in refused.err) == (True, True)
    assert "at nine" in meridia("list", "--db", db, env=WITHOUT).out
    assert "set journal.url" in meridia("doctor", "--db", db, env=WITHOUT).out
    meridia("backup", own, "--db", db, env=WITHOUT)
    assert meridia("remember", "It leaves at ten.", "--db", own, env=WITHOUT).status == 0
    assert meridia("remember", "It leaves at ten.", "--db", db, env=shared).status == 0
