"""`meridia resume` and `reconstitute`: packs on the command line."""

import re

import pytest

pytestmark = pytest.mark.usefixtures("without_encoder")

WIDE = {"COLUMNS": "400"}


def body(printed):
    """Return the lines of a printed pack that must cite: no heading, no last line about it."""
    lines = [line for line in printed.splitlines() if line and not line.startswith("#")]
    assert lines[-1].startswith("pack ")
    return lines[:-1]


def test_a_known_person_is_resumed_with_every_line_cited(meridia, demo):
    done = meridia("resume", "Dana", *demo.where, env=WIDE)
    assert done.status == 0
    assert done.out.startswith("# Dana is back (")
    assert "64 messages in 7 sessions, 2026-03-02 to" in done.out
    assert all(re.search(r" @\d+", line) for line in body(done.out))


def test_a_pack_as_json_cites_memories_that_exist(meridia, demo):
    found = meridia("resume", "dana", "--tokens", "500", *demo.where, "--json").json
    assert (found["person"], found["mode"]) == ("Dana", "relationship_resumption")
    assert found["meta"]["tokens"] <= 500
    cited = found["citations"][-1]
    for address in (cited["id"], cited["uri"], f"meridia://{cited['id']}"):
        shown = meridia("show", address, *demo.where, "--json").json
        assert shown["event_id"] == cited["event_id"]


def test_a_short_address_is_found_in_whichever_space_it_is(meridia, demo):
    shown = meridia("show", "@5", "--db", demo.db, "--json").json
    assert shown["event_id"] == "d1-05"
    assert meridia("show", "@99999", "--db", demo.db).status == 3


def test_a_stranger_is_said_to_be_one_with_the_names_that_are_near(meridia, demo):
    done = meridia("resume", "Dane", *demo.where)
    assert done.status == 0
    assert "Nobody called Dane has spoken here" in done.out
    assert "Dana" in done.out
    assert meridia("resume", "Xq", *demo.where, "--json").json == {"stranger": "Xq", "near": []}


@pytest.mark.parametrize("command", [["resume", "Dana"], ["reconstitute"]])
def test_before_anything_happened_there_is_nothing(meridia, demo, command):
    done = meridia(*command, "--as-of", "2020-01-01", *demo.where)
    assert (done.status, done.out.strip()) == (0, "there are no memories by then")
    assert meridia(*command, "--as-of", "2020-01-01", *demo.where, "--json").json is None


def test_the_mode_is_the_one_that_fits_or_is_named(meridia, demo):
    def mode(*arguments):
        return meridia("reconstitute", *arguments, *demo.where, "--json").json["mode"]

    assert mode("--query", "mast") == "topic_reentry"
    assert mode("--person", "Dana") == "relationship_resumption"
    assert mode("--as-of", "2026-06-01T23:00:00Z") == "session_bootstrap"
    assert mode("--mode", "reflection") == "reflection"


def test_a_pack_can_be_issued_again_and_shown_by_its_address(meridia, demo_copy):
    where = ("--db", demo_copy, "--space", "demo")
    first = meridia("reconstitute", "--mode", "crisis", *where, "--json").json
    again = meridia("reconstitute", "--again", first["pack"], *where, "--json").json
    assert again["hash"] == first["hash"]
    assert again["text"] == first["text"]
    assert first["pack"] in meridia("reconstitute", "--quality", *where, env=WIDE).out


def test_without_a_model_prose_is_told_by_rule(meridia, demo):
    where = ("reconstitute", "--mode", "crisis", "--prose", *demo.where)
    told = meridia(*where, "--json").json["prose"]
    assert told["by"] == "rule"
    assert told["text"].startswith("# After a break")
    assert "prose by rule" in meridia(*where, env=WIDE).out


def test_modes_are_listed(meridia, demo):
    out = meridia("reconstitute", "--modes", env=WIDE).out
    assert len(re.findall(r"^\w+_?\w+ ", out, re.MULTILINE)) >= 5


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["reconstitute", "--mode", "panic"], 2),
        (["reconstitute", "--mode", "topic-reentry"], 2),
        (["reconstitute", "--tokens", "0"], 2),
        (["reconstitute", "--tokens", "9"], 2),
        (["reconstitute", "--again", "nothing"], 3),
        (["resume", "Dana", "--as-of", "soon"], 2),
        (["resume", "Dana", "--as-of", ""], 2),
    ],
)
def test_what_cannot_be_is_refused(meridia, demo, arguments, status):
    done = meridia(*arguments, *demo.where)
    assert done.status == status
    assert done.err


def test_a_core_summary_with_nothing_to_tell_does_not_deny_the_memories(meridia, tmp_path):
    db = ("--db", str(tmp_path / "short.db"))
    meridia("remember", "We sail on the 12th of May.", "--person", "Dana", *db)
    printed = meridia("reconstitute", "--mode", "core_summary", *db).out
    assert "no memories" not in printed
    assert "nothing is to be summed up" in printed
