"""Every event has exactly one outcome, and `meridia status` accounts for all of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from meridia.core.vocabulary import outcomes_in_words
from tests.cli.command import Command

START = datetime(2026, 3, 1, 10, tzinfo=UTC)
#: All seven outcomes occur only where skeletons become outlines.
WEEK = {"MERIDIA_INGEST_SKELETON_DAYS": "7"}
OUTCOMES = "captured text_only outline duplicate redelivered empty refused failed".split()


def event(id: str, minutes: float, kind: str, payload: Any, **more: Any) -> dict[str, Any]:
    at = (START + timedelta(minutes=minutes)).isoformat()
    session = {"key": f"s{id[-1]}"}
    return {"id": id, "kind": kind, "ts": at, "session": session, "payload": payload, **more}


def result(id: str, minutes: float, tool: str, args: Any, output: Any, **more: Any) -> Any:
    about = {"name": tool, **more}
    return event(id, minutes, "tool_result", {"args": args, "result": output}, tool=about)


def a_day() -> list[dict[str, Any]]:
    """Return what two sessions are made of: talk, work that fails and succeeds, and repetition."""
    events = []
    for session in range(2):
        for n in range(12):
            id, minutes = f"e{n}-{session}", 300 * session + 3 * n
            events += [
                result(f"look-{id}", minutes, "read", {"path": f"src/{id}.py"}, f"line {n}"),
                result(f"make-{id}", minutes, "bash", {"cmd": f"make {id}"}, "built"),
                result(
                    f"fail-{id}",
                    minutes,
                    "bash",
                    {"cmd": f"deploy {id} to production"},
                    f"error: step {n} of {session} could not write /srv/{id}",
                    isError=True,
                ),
                event(f"said-{id}", minutes, "user_message", {"text": f"And boat {id}?"}),
                event(f"told-{id}", minutes, "assistant_message", {"text": f"Boat {id} floats."}),
            ]
            # The same again, under another id.
            events.append(result(f"twice-{id}", minutes, "bash", {"cmd": f"make {id}"}, "built"))
        noted = {"text": f"Remember: plan {session} is the good one."}
        events.append(event(f"note-{session}", 300 * session, "manual_capture", noted))
        events.append(event(f"end-{session}", 300 * session + 40, "session_boundary", noted))
    return events


REFUSED = [
    '{"kind": "tool_result", "payload": ',
    '{"kind": "rumour", "payload": {"text": "x"}}',
    "[1, 2]",
    # An id that is taken, by something else.
    '{"id": "said-e0-0", "kind": "user_message", "payload": {"text": "other words"}}',
]


EMPTY = '{"kind": "user_message", "payload": {}}'


@pytest.fixture(scope="module")
def imported(
    meridia: Command, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, int, Counter[str]]:
    """Give a journal, how many events came to it in all, and what import said of them."""
    folder = tmp_path_factory.mktemp("journal")
    good = [json.dumps(one) for one in a_day()]
    # What is refused before there is a space is told on the spot; nothing can hold it.
    files = {
        "day.jsonl": [*good, EMPTY, *REFUSED],
        "bad.jsonl": REFUSED[:3],
        "again.jsonl": good[:100],
    }
    said: Counter[str] = Counter()
    for name, written in files.items():
        (folder / name).write_text("\n".join(written) + "\n")
        shown = ["--json", "--format", "native"]
        done = meridia("import", "--db", folder / "a.db", *shown, folder / name, env=WEEK)
        assert "lose their text after 7 days" in done.err
        assert done.status == (0 if name == "again.jsonl" else 1), done.err
        for row in done.json["imported"]:
            said.update({outcome: row[outcome] for outcome in OUTCOMES})
    return folder / "a.db", sum(map(len, files.values())), said


@pytest.mark.parametrize("words", ["ok thanks", "...", "Gracias!"])
def test_row_100_a_note_that_says_nothing_is_refused_and_a_message_never(meridia, db, words):
    said = {"kind": "user_message", "payload": {"text": words}}
    assert meridia("capture", "--db", db, stdin=json.dumps(said)).status == 0
    note = {"kind": "manual_capture", "payload": {"text": words}}
    refused = meridia("capture", "--db", db, stdin=json.dumps(note))
    assert refused.status == 1
    assert "Traceback" not in refused.err
    assert "says nothing beyond an answer" in refused.err
    (status,) = meridia("status", "--db", db, "--json").json
    assert (status["ingest"]["outcomes"]["refused"], status["ingest"]["events"]) == (1, 2)


@pytest.mark.slow
def test_d33_the_outcomes_sum_to_the_number_of_events(meridia, imported):
    """D33, and `empty` for what says nothing."""
    db, count, said = imported
    ingest = meridia("status", "--db", db, "--json").json[0]["ingest"]
    assert list(ingest["outcomes"]) == OUTCOMES
    assert sum(said.values()) == count
    assert ingest["outcomes"] == dict(said)
    assert ingest["events"] == count
    assert said["redelivered"] == 100
    assert (said["empty"], said["refused"]) == (1, 3 + len(REFUSED))
    assert min(said[name] for name in ("captured", "text_only", "outline", "duplicate")) > 0


def test_every_experience_has_a_status(meridia, imported):
    db, _, said = imported
    (status,) = meridia("status", "--db", db, "--json").json
    kept = said["captured"] + said["text_only"] + said["outline"] + said["duplicate"]
    assert sum(status["ingest"]["statuses"].values()) == kept
    assert sum(status["experiences"].values()) == status["entries"]["ExperienceCaptured"] == kept


def test_row_42_a_skeleton_is_small_in_the_journal(meridia, imported):
    """Row 42: at most 256 bytes of payload, on average."""
    db, _, said = imported
    skeletons = meridia("status", "--db", db, "--json").json[0]["ingest"]["outlines"]
    assert skeletons["count"] >= said["outline"] > 0
    assert 0 < skeletons["mean_payload_bytes"] <= 256


def test_d34_a_tool_result_is_whole_unless_outlines_are_asked_for_and_all_say_so(meridia, db):
    looked = result("look", 0, "read", {"path": "keel.py"}, "the keel is of oak")
    file = db.with_name("look.jsonl")
    file.write_text(json.dumps(looked))
    for where, env in ((db, {}), (db.with_name("week.db"), WEEK)):
        captured = meridia("import", "--db", where, file, env=env)
        notes = [captured.err, meridia("status", "--db", where, env=env).err]
        shown = meridia("show", "--db", where, "look", "--json", env=env).json
        assert [("lose their text after 7 days" in note) for note in notes] == [bool(env)] * 2
        assert (shown["status"], shown["outline"]) == ("skeleton", bool(env))
        assert "the keel is of oak" in shown["text"]
        assert ("an outline" in meridia("show", "--db", where, "look", env=env).out) is bool(env)
    asked = "MATCH (e:Experience) RETURN e.text AS text"
    assert "the keel is of oak" in meridia("query", "--db", db, asked).out


def test_the_table_shows_what_became_of_all(meridia, imported):
    db, count, said = imported
    shown = meridia("status", "--db", db, env={"COLUMNS": "80"}).out
    assert all(len(line) <= 80 for line in shown.splitlines())
    events = re.search(r"events ([\d,]+) \(([^)]*)\)", " ".join(shown.split()))
    assert events is not None
    numbers = [int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", events[2])]
    assert int(events[1].replace(",", "")) == sum(numbers) == count
    assert sorted(numbers) == sorted(outcomes_in_words(said).values())
