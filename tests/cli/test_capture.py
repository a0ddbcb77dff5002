"""`meridia capture`: one acknowledgement an event, and bad input that keeps nothing good out."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest


def event(id, text="Hello", **more):
    return {"id": id, "kind": "user_message", "payload": {"text": text}, **more}


def lines(*events):
    return "".join(json.dumps(one) + "\n" for one in events)


def kept(meridia, db, *more):
    """Return what the journal holds, by the caller's id."""
    page = meridia("list", "--db", db, "--json", "--limit", 1000, *more)
    assert page.status == 0, page.err
    return {memory["event_id"]: memory for memory in page.json["memories"]}


def test_each_event_is_acknowledged_by_its_outcome_and_address(meridia, db):
    done = meridia("capture", "--db", db, stdin=lines(event("a"), event("b", "Bye"), event("a")))
    said = (line.rpartition(" ") for line in done.out.splitlines())
    outcomes, _, addresses = zip(*said, strict=True)
    assert done.status == 0
    assert outcomes == ("kept", "kept", "known already")
    assert addresses[0] == addresses[2] != addresses[1]
    assert done.err == "2 kept, 1 known already\n"
    assert meridia("show", addresses[1], "--db", db, "--json").json["event_id"] == "b"


def test_with_json_each_acknowledgement_is_one_object_a_line(meridia, db):
    done = meridia("capture", "--db", db, "--json", stdin=lines(event("a"), event("b")))
    assert [line["event_id"] for line in done.lines] == ["a", "b"]
    assert [line["seq"] for line in done.lines] == [1, 2]
    assert set(done.lines[0]) == {
        *("outcome", "id", "event_id", "seq"),
        *("redacted", "cleaned", "cut"),
    }


def test_what_was_redacted_is_counted_by_rule_and_marked(meridia, db):
    stdin = lines(event("a"), event("b", "login with password: Sommer2026!"))
    done = meridia("capture", "--db", db, "--json", stdin=stdin)
    assert [line["redacted"] for line in done.lines] == [{}, {"password": 1}]
    assert done.err.endswith("redacted by rule: 1 password; `meridia show` marks them\n")
    assert meridia("show", "b", "--db", db, "--json").json["redacted"] == {"password": 1}
    again = meridia("capture", "--db", db, stdin=stdin)
    assert "redacted" not in again.err, "nothing went in now"


def test_quiet_says_nothing_unless_something_was_refused(meridia, db):
    done = meridia("capture", "-q", "--db", db, stdin=lines(event("a")))
    assert (done.out, done.err) == ("", "")
    done = meridia("capture", "-q", "--db", db, stdin=lines(event("a", "other words")))
    assert (done.status, done.out) == (1, "")
    assert "already taken" in done.err
    assert done.err.endswith("1 refused\n")


def test_a_file_is_read_like_standard_input(meridia, db, tmp_path):
    (tmp_path / "events.jsonl").write_text(lines(event("a")))
    assert meridia("capture", tmp_path / "events.jsonl", "--db", db).status == 0
    assert meridia("capture", "-", "--db", db, stdin=lines(event("b"))).status == 0
    assert list(kept(meridia, db)) == ["a", "b"]


def test_nothing_to_capture_is_no_failure(meridia, db):
    done = meridia("capture", "--db", db)
    assert (done.status, done.out, done.err) == (0, "", "nothing to capture\n")


def test_the_space_is_made_by_the_first_event(meridia, db):
    meridia("capture", "--db", db, "--space", "a/b c", stdin=lines(event("a")))
    assert [row["space"] for row in meridia("spaces", "--db", db, "--json").json] == ["a/b c"]
    assert meridia("list", "--db", db).status == 3


def test_an_event_comes_back_whole(meridia, db):
    given = event(
        "a",
        "Ein Boot: 船",
        ts="2026-03-01T10:00:05+02:00",
        person="Dana",
        session={"key": "s9"},
        metadata={"channel": "chat"},
        artifacts=[{"kind": "image", "uri": "file:///mast.jpg", "description": "a mast"}],
        unknown={"kept": True},
    )
    meridia("capture", "--db", db, stdin=lines(given))
    shown = meridia("show", "a", "--db", db, "--json").json
    assert shown["text"] == "Ein Boot: 船"
    assert shown["at"] == "2026-03-01T08:00:05+00:00"
    assert (shown["person"], shown["session"], shown["kind"]) == ("Dana", "s9", "user_message")
    assert shown["metadata"] == {"channel": "chat"}
    assert shown["artifacts"] == [
        {"kind": "image", "uri": "file:///mast.jpg", "description": "a mast"}
    ]


BROKEN = {
    "broken JSON": '{"kind": "user_message", ',
    "no object": "[1, 2]",
    "no kind": '{"payload": {"text": "x"}}',
    "no payload": '{"kind": "user_message"}',
    "unknown kind": '{"kind": "rumour", "payload": {"text": "x"}}',
    "wrong date": '{"kind": "user_message", "ts": "yesterday", "payload": {"text": "x"}}',
    "date without a zone": '{"kind": "user_message", "ts": "2026-03-01", "payload": {"text": "x"}}',
    "date as a number": '{"kind": "user_message", "ts": 1772000000, "payload": {"text": "x"}}',
    "empty id": '{"id": "", "kind": "user_message", "payload": {"text": "x"}}',
    "not a number": '{"kind": "user_message", "payload": {"x": NaN}}',
    "deep nesting": '{"kind": "user_message", "payload": {"x": ' + "[" * 500 + "]" * 500 + "}}",
    "10 MB without a newline": b"x" * 10_000_000,
}


def test_a_bad_line_is_refused_in_one_message_and_the_rest_goes_in(meridia, db):
    bad = [one if isinstance(one, bytes) else one.encode() for one in BROKEN.values()]
    good = [f"before {name}" for name in BROKEN] + ["last"]
    stdin = b"".join(
        lines(event(id, f"Hello, {id}")).encode() + broken + b"\n"
        for id, broken in zip(good, [*bad, b""], strict=True)
    )
    done = meridia("capture", "--db", db, stdin=stdin)
    *messages, summary = done.err.splitlines()
    assert done.status == 1
    for number, (name, message) in enumerate(zip(BROKEN, messages, strict=True), 1):
        assert message.startswith(f"standard input line {2 * number}: "), name
        assert len(message) < 1000, name
    assert summary == f"{len(good)} kept, {len(bad)} refused"
    assert list(kept(meridia, db)) == good


CLEANED = {
    "NUL byte": (b'"a\0b"', "a␀b"),
    "escaped NUL": (rb'"a\u0000b"', "a␀b"),
    "half a surrogate pair": (rb'"a\ud800"', "a�"),
    "bytes that are no UTF-8": (b'"caf\xe9 noir"', "caf� noir"),
}


def test_what_can_be_cleaned_is_kept_and_counted(meridia, db):
    rows = [
        b'{"kind": "user_message", "id": "%d", "payload": {"text": %b}}' % (number, written)
        for number, (written, _) in enumerate(CLEANED.values())
    ]
    large = json.dumps(event("big", "word " * 2_000_000)).encode()
    empty = b'{"kind": "user_message", "payload": {}}'
    done = meridia("capture", "--db", db, stdin=b"\n".join([*rows, large, empty]))
    assert done.status == 0
    assert done.err.splitlines() == [
        "5 kept, 1 empty",
        "replaced: 2 invalid_text, 2 nul; cut: 1 text",
    ]
    texts = {id: memory["text"] for id, memory in kept(meridia, db).items()}
    assert [texts[str(n)] for n in range(4)] == [kept for _, kept in CLEANED.values()]
    assert "characters] …" in texts["big"]


def test_a_locked_journal_is_waited_for_and_then_told(meridia, db):
    meridia("capture", "--db", db, stdin=lines(event("a")))
    impatient = {"MERIDIA_JOURNAL_BUSY_TIMEOUT_S": "0.2"}
    with closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = meridia("capture", "--db", db, stdin=lines(event("b")), env=impatient)
        assert (done.status, done.out) == (5, "")
        assert done.err.count("\n") == 1
        assert "is locked by process " in done.err
        assert list(kept(meridia, db)) == ["a"], "reading goes on meanwhile"
    assert meridia("capture", "--db", db, stdin=lines(event("b")), env=impatient).status == 0
    assert list(kept(meridia, db)) == ["a", "b"]


@pytest.mark.parametrize("command", [["capture"], ["list"], ["recall", "x"], ["verify"]])
def test_a_file_that_is_no_journal_is_damage(meridia, db, command):
    db.write_bytes(b"This was a database once. " * 400)
    done = meridia(*command, "--db", db, stdin=lines(event("a")))
    assert (done.status, done.err.count("\n")) == (6, 1), done.err
    assert "not a SQLite database" in done.err
    assert db.read_bytes().startswith(b"This was"), "what is there is left as it is"


def limited(bytes_max):
    """Return what makes a process unable to write files larger than this."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max))


def test_a_full_disk_ends_capture_and_loses_nothing_acknowledged(meridia, db):
    events = [event(f"e{number}", f"word {number} " * 100) for number in range(400)]
    done = meridia("capture", "--db", db, "--json", stdin=lines(*events), before=limited(300_000))
    acknowledged = [line["event_id"] for line in done.lines]
    summary, message = done.err.splitlines()
    assert done.status == 1
    assert 0 < len(acknowledged) < 400
    assert summary == f"{len(acknowledged)} kept"
    assert "cannot grow (disk full" in message
    assert list(kept(meridia, db)) == acknowledged
    assert meridia("verify", "--db", db).status == 0
    again = meridia("capture", "--db", db, "-q", stdin=lines(*events))
    assert again.status == 0, again.err
    assert list(kept(meridia, db)) == [f"e{number}" for number in range(400)]


def test_several_writers_share_a_journal(meridia, db):
    def capture(writer):
        given = lines(*(event(f"{writer}-{number}") for number in range(60)))
        return subprocess.run(
            [meridia.script, "capture", "--db", db],
            input=given.encode(),
            capture_output=True,
            check=False,
            env=meridia.environment(),
        )

    with ThreadPoolExecutor(3) as writers:
        finished = list(writers.map(capture, "abc"))
    assert [done.returncode for done in finished] == [0, 0, 0], [done.stderr for done in finished]
    assert set(kept(meridia, db)) == {f"{writer}-{n}" for writer in "abc" for n in range(60)}
    assert meridia("verify", "--db", db).status == 0


def test_files_are_readable_by_their_owner_only(meridia, demo):
    modes = {path.name: path.stat().st_mode & 0o077 for path in demo.db.parent.iterdir()}
    assert set(modes.values()) == {0}, modes
    assert all(name.startswith(demo.db.name) for name in modes)
