"""One space is asked for what is in another, by every command that takes an address or a name."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("without_encoder")

SAID = "My brother Krakoin moved to Flumville, and I love it."
FOREIGN = ("Krakoin", "Flumville", "brother", "zval")


def test_no_command_tells_one_space_of_another(meridia, db):
    theirs = ("--db", db, "--space", "theirs")
    told = ("--person", "Zorblax", "--session", "zsess", "--meta", "zkey=zval", "--id", "z-1")
    meridia("remember", "The heron is back.", "--db", db, "--space", "mine")
    assert meridia("remember", SAID, *told, *theirs).status == 0
    recall = meridia("recall", "Where is Flumville?", *theirs, "--json").json
    seq, id = recall["hits"][0]["seq"], recall["hits"][0]["id"]
    commands = [
        ["show", id], ["why", recall["recall"]], ["update", id, "mine now"], ["export"],
        ["forget", "--person", "Zorblax", "--yes"], ["forget", "--id", f"@{seq}", "--yes"],
        ["resume", "Zorblax"], ["query", "MATCH (n) RETURN n"],
    ]  # fmt: skip
    for command in commands:
        done = meridia(*command, "--db", db, "--space", "mine")
        assert not [word for word in FOREIGN if word in done.out + done.err], command
        assert "Traceback" not in done.err
    (kept,) = meridia("list", *theirs, "--json").json["memories"]
    assert (kept["text"], kept["seq"]) == (SAID, seq)
