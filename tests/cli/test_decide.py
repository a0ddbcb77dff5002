"""`meridia decide`: what would become of an event, the arithmetic, and nothing kept."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.usefixtures("without_encoder")

FAILED = {
    "kind": "tool_result",
    "session": {"key": "s1"},
    "tool": {"name": "bash", "isError": True},
    "payload": {"args": {"cmd": "make boat"}, "result": "error: the keel is missing"},
}
LOOKED = {
    "kind": "tool_result",
    "session": {"key": "s1"},
    "tool": {"name": "read"},
    "payload": {"args": {"path": "keel.txt"}, "result": "oak"},
}


def test_row_8_the_arithmetic_adds_up(meridia, db):
    """Row 8: five factors, weighted, and a threshold."""
    decision = meridia("decide", "--db", db, "--json", stdin=json.dumps(LOOKED)).json
    parts = [factor["contribution"] for factor in decision["factors"]]
    assert [factor["name"] for factor in decision["factors"]] == [
        "novelty",
        "impact",
        "relational",
        "temporal",
        "user_intent",
    ]
    assert [f["value"] * f["weight"] for f in decision["factors"]] == pytest.approx(parts)
    assert sum(parts) == pytest.approx(decision["significance"])
    assert all(factor["reason"] for factor in decision["factors"])
    failed = meridia("decide", "--db", db, "--json", stdin=json.dumps(FAILED)).json
    assert "failure" in [factor["name"] for factor in failed["factors"]]
    assert decision["should_capture"] == (decision["significance"] >= decision["threshold"])


def test_the_explanation_is_a_table_that_fits_a_terminal(meridia, db):
    given = json.dumps(FAILED)
    wide = {"COLUMNS": "80"}
    short = meridia("decide", "--db", db, stdin=given, env=wide)
    long = meridia("decide", "--db", db, "--explain", stdin=given, env=wide)
    assert "novelty" not in short.out
    assert short.out.splitlines()[0] == long.out.splitlines()[0]
    shown = [line.split() for line in long.out.splitlines() if line]
    assert shown[1] == ["factor", "value", "weight", "adds", "why"]
    assert [row[0] for row in shown].count("significance") == 1
    assert all(len(line) <= 80 for line in long.out.splitlines())


def test_a_decision_is_what_capture_then_does_and_keeps_nothing(meridia, db):
    for event in (FAILED, LOOKED, LOOKED):
        told = meridia("decide", "--db", db, "--json", stdin=json.dumps(event)).json
        done = meridia("capture", "--db", db, "--json", stdin=json.dumps(event)).lines
        assert told["outcome"] == done[0]["outcome"]
    listed = meridia("list", "--db", db, "--json").json["memories"]
    assert len(listed) == 3, "what was only asked about is not there"


def test_asking_makes_no_journal(meridia, db):
    assert meridia("decide", "--db", db, stdin=json.dumps(FAILED)).status == 0
    assert not db.exists()


def test_what_came_before_counts(meridia, db):
    once = meridia("decide", "--db", db, "--json", stdin=json.dumps(LOOKED)).json
    meridia("capture", "--db", db, stdin=json.dumps(LOOKED))
    again = meridia("decide", "--db", db, "--json", stdin=json.dumps(LOOKED)).json
    assert (once["duplicate_of"], again["outcome"]) == (None, "duplicate")
    assert meridia("show", again["duplicate_of"], "--db", db).status == 0


def test_what_would_be_redacted_is_counted_and_not_shown(meridia, db):
    text = "my password is Vk3ppQ9zRt71"
    event = {"kind": "user_message", "payload": {"text": text}}
    done = meridia("decide", "--db", db, "--explain", stdin=json.dumps(event))
    assert "redacted: 1 password" in done.out
    assert "Vk3ppQ9zRt71" not in done.out + done.err


def test_an_event_is_read_from_a_file(meridia, db, tmp_path):
    (tmp_path / "event.json").write_text(json.dumps(FAILED, indent=2))
    from_file = meridia("decide", tmp_path / "event.json", "--db", db, "--json").json
    assert from_file == meridia("decide", "--db", db, "--json", stdin=json.dumps(FAILED)).json


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b'{"kind": ', "is not JSON"),
        (b"", "is not JSON"),
        (b"[1, 2]", "is not an event: one JSON object is needed"),
        (b'{"kind": "rumour", "payload": {"text": "x"}}', "kind"),
        (b'{"kind": "user_message"}', "payload"),
        (b'{"kind": "user_message", "payload": {"text": "\xff"}}', "UTF-8"),
        (json.dumps(FAILED).encode() * 2, "is not JSON"),
    ],
)
def test_what_is_no_event_is_refused_in_one_line(meridia, db, tmp_path, given, said):
    (tmp_path / "event.json").write_bytes(given)
    for done in (
        meridia("decide", "--db", db, stdin=given),
        meridia("decide", "event.json", "--db", db, cwd=tmp_path),
    ):
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), done.err
        assert said in done.err
    assert "event.json" in done.err


def test_a_file_that_cannot_be_read_is_told_in_one_line(meridia, db):
    done = meridia("decide", "gone.json", "--db", db)
    assert (done.status, done.err) == (
        2,
        "meridia: gone.json cannot be read: No such file or directory\n",
    )
