"""`meridia list`, `people`, `sessions` and `entities`."""

from __future__ import annotations

import json
from pathlib import Path

from meridia.cli import main

DEMO = Path(main.__file__).with_name("data") / "demo.jsonl"
EVENTS = [json.loads(line) for line in DEMO.read_text("utf-8").splitlines()]


def test_a_list_is_in_the_order_of_capture_and_continues(meridia, demo):
    seen, after = [], 0
    while after is not None:
        page = meridia("list", *demo.where, "--json", "--limit", 50, "--after", after).json
        seen += [memory["event_id"] for memory in page["memories"]]
        after = page["next_after"]
    assert seen == [event["id"] for event in EVENTS]


def test_a_list_that_goes_on_says_how_to_go_on(meridia, demo):
    done = meridia("list", *demo.where, "--limit", 2, env={"COLUMNS": "200"})
    assert done.out.splitlines()[0].split() == ["seq", "event", "at", "session", "who", "text"]
    assert len(done.out.splitlines()) == 3
    assert done.err == "more: --after 2\n"


def test_filters_narrow_a_list(meridia, demo):
    def listed(*options):
        page = meridia("list", *demo.where, "--json", "--limit", 1000, *options).json
        return [memory["event_id"] for memory in page["memories"]]

    assert listed("--person", "Oskar") == [e["id"] for e in EVENTS if e.get("person") == "Oskar"]
    assert listed("--kind", "tool_result") == [
        e["id"] for e in EVENTS if e["kind"] == "tool_result"
    ]
    assert listed("--session", "2026-05-15") == [
        e["id"] for e in EVENTS if e["session"]["key"] == "2026-05-15"
    ]
    assert listed("--since", "2026-04-01", "--until", "2026-05-01T00:00:00Z") == [
        e["id"] for e in EVENTS if "2026-04-01" <= e["ts"] < "2026-05-01"
    ]
    assert listed("--person", "Nobody") == []
    assert listed("--where", "channel=none") == []


def test_the_people_of_a_space_with_what_they_said(meridia, demo):
    people = {row["name"]: row for row in meridia("people", *demo.where, "--json").json}
    said = [event["person"] for event in EVENTS if event.get("person")]
    assert {name: row["messages"] for name, row in people.items()} == {
        name: said.count(name) for name in set(said)
    }
    assert people["Dana"]["sessions"] == 7
    assert people["Dana"]["first"] == "2026-03-02T09:00:00+00:00"
    assert "Dana" in meridia("people", *demo.where).out


def test_the_sessions_of_a_space_in_order(meridia, demo):
    sessions = meridia("sessions", *demo.where, "--json").json
    keys = list(dict.fromkeys(event["session"]["key"] for event in EVENTS))
    assert [row["session"] for row in sessions] == keys
    assert sum(row["messages"] for row in sessions) == len(EVENTS)
    assert all(row["first"] <= row["last"] for row in sessions)
    assert keys[0] in meridia("sessions", *demo.where).out


def test_entities_come_most_shared_first_with_their_weight(meridia, demo):
    rows = meridia("entities", *demo.where, "--json", "--limit", 5).json
    assert len(rows) == 5
    assert [row["memories"] for row in rows] == sorted((r["memories"] for r in rows), reverse=True)
    assert {row["label"] for row in rows} <= {"Person", "Concept"}
    everything = meridia("entities", *demo.where, "--json", "--limit", 10000).json
    concepts = [row for row in everything if row["label"] == "Concept"]
    common = [row for row in concepts if row["memories"] > 0.05 * len(EVENTS)]
    assert common
    assert {row["weight"] for row in common} == {0.0}, "what is too common tells nothing apart"
    assert "weight" in meridia("entities", *demo.where).out.splitlines()[0]
