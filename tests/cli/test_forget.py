"""`meridia forget` and `meridia receipt`: first what would go, then that it went."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.usefixtures("without_encoder")


@pytest.fixture
def told(meridia, db):
    """Return a journal in which two people said something."""
    said = [("d1", "Dana", "s1", "The boat is blue."), ("k1", "Kim", "s2", "The regatta is near.")]
    events = "".join(
        json.dumps(
            {
                "id": id,
                "kind": "user_message",
                "person": person,
                "session": {"key": session},
                "payload": {"text": text},
            }
        )
        + "\n"
        for id, person, session, text in said
    )
    meridia("capture", "--db", db, stdin=events)
    return db, events


def test_without_yes_it_shows_what_would_go_and_asks(meridia, told):
    db, _ = told
    asked = meridia("forget", "--db", db, "--person", "dana", stdin="n\n")
    assert asked.status == 1
    assert "would go" in asked.out
    assert "1 memory of space default" in asked.out
    unasked = meridia("forget", "--db", db, "--person", "dana", stdin="")
    assert (unasked.status, "--yes" in unasked.err) == (2, True)
    shown = meridia("forget", "--db", db, "--person", "Dana", "--json").json
    assert (shown["dry_run"], shown["memories"]) == (True, 1)
    rehearsed = meridia("forget", "--db", db, "--person", "Dana", "--dry-run")
    assert (rehearsed.status, "1 memory of space default" in rehearsed.out) == (0, True)
    assert "forgotten" not in rehearsed.out
    assert len(meridia("list", "--db", db, "--json").json["memories"]) == 2


def test_nothing_is_forgotten_where_the_receipt_cannot_be_written(meridia, told, tmp_path):
    db, _ = told
    receipt = str(tmp_path / "no folder" / "receipt.json")
    done = meridia("forget", "--db", db, "--person", "Dana", "--yes", "--receipt", receipt)
    assert done.status == 2
    assert "cannot be written (No such file or directory): nothing was forgotten" in done.err
    assert "Dana" in meridia("people", "--db", db).out


def test_with_yes_it_goes_and_the_receipt_proves_it(meridia, told, tmp_path):
    db, events = told
    receipt = str(tmp_path / "receipt.json")
    done = meridia("forget", "--db", db, "--person", "Dana", "--yes", "--receipt", receipt)
    assert "forgotten: 1 memory" in done.out
    valid = meridia("receipt", "verify", receipt, "--db", db)
    assert (valid.status, valid.out[:6]) == (0, "valid:")
    whole = meridia("verify", "--db", db, "--json").json[0]
    assert (whole["findings"], whole["forgotten"] > 0) == ([], True)
    again = meridia("capture", "--db", db, stdin=events)
    assert "known already" in again.out
    assert "forgotten: it stays out" in again.out
    (row,) = meridia("list", "--db", db, "--json").json["memories"]
    assert row["person"] == "Kim"
    gone = meridia("show", "d1", "--db", db)
    assert (gone.status, "forgotten" in gone.err) == (3, True)
    changed = json.loads((tmp_path / "receipt.json").read_text()) | {"memories": 7}
    (tmp_path / "changed.json").write_text(json.dumps(changed))
    wrong = meridia("receipt", "verify", str(tmp_path / "changed.json"), "--db", db)
    assert (wrong.status, "signature" in wrong.err) == (6, True)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "nothing is selected"),
        (["--person", "Dena"], 3, "did you mean Dana"),
        (["--session", "s9"], 3, "session 's9'"),
        (["--id", "nothing"], 3, "no memory 'nothing'"),
        (["--all", "--person", "Dana"], 2, "alone"),
        (["--person", "Dana", "--dry-run"], 2, "without --yes"),
    ],
)
def test_what_is_wrong_is_told(meridia, told, words, status, message):
    done = meridia("forget", "--db", told[0], *words, "--yes")
    assert (done.status, message in done.err) == (status, True)


def test_an_import_says_what_stays_out(meridia, told, tmp_path):
    db, events = told
    file = tmp_path / "events.jsonl"
    file.write_text(events)
    meridia("forget", "--db", db, "--all", "--yes")
    done = meridia("import", str(file), "--db", db, "--format", "native")
    assert "2 of these were forgotten: they stay out" in done.out
    assert meridia("list", "--db", db, "--json").json["memories"] == []
