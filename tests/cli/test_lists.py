"""`meridia list`, `people`, `sessions` and `entities`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from meridia.cli import main

pytestmark = pytest.mark.usefixtures("without_encoder")

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
    assert done.out.splitlines()[0].split() == ["address", "id", "at", "session", "who", "text"]
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


def test_row_18_a_list_by_emotion_and_engagement(meridia, db):
    line = {
        "kind": "manual_capture",
        "payload": {
            "text": "The harbour opens.",
            "phenomenology": {
                "emotionalSignature": {"primary": ["excited"], "intensity": 0.7},
                "engagementQuality": "deep-flow",
            },
        },
    }
    meridia("capture", "--db", db, stdin=json.dumps({**line, "id": "felt"}))
    meridia("capture", "--db", db, stdin='{"kind": "user_message", "payload": {"text": "A walk."}}')
    meridia("enrich", "--db", db)
    options = ["--emotion", "excited", "--engagement", "deep-flow"]
    page = meridia("list", "--db", db, *options, "--json").json
    assert [memory["event_id"] for memory in page["memories"]] == ["felt"]
    assert meridia("list", "--db", db, "--emotion", "relieved", "--json").json["memories"] == []
    assert meridia("list", "--db", db, "--emotion", "gleeful").status == 2


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
    assert {row["label"] for row in rows} <= {"Person", "Concept", "Entity"}
    everything = meridia("entities", *demo.where, "--json", "--limit", 10000).json
    assert "boat" in {row["entity"] for row in everything if row["label"] == "Concept"}
    assert "Word" not in {row["label"] for row in everything}
    assert "weight" in meridia("entities", *demo.where).out.splitlines()[0]


def test_row_47_what_a_person_is_to_the_agent_can_be_said(meridia, demo_copy):
    """Row 47: relationship types; row 48: a threshold of one's own."""
    where = ["--db", demo_copy, "--space", "demo"]
    done = meridia("people", "set", "Oskar", "primary", "--threshold", "0.4", *where)
    assert (done.status, done.out, done.err) == (0, "", "Oskar is primary now\n")
    people = {row["name"]: row for row in meridia("people", *where, "--json").json}
    assert (people["Oskar"]["relationship"], people["Oskar"]["threshold"]) == ("primary", 0.4)
    assert people["Dana"]["relationship"] != "primary"
    said = meridia("people", "set", "Oskar", "user", *where, "--json")
    assert said.json == {"name": "Oskar", "relationship": "user", "threshold": None}
    again = {row["name"]: row for row in meridia("people", *where, "--json").json}["Oskar"]
    assert (again["relationship"], again["threshold"]) == ("user", None)


def test_a_person_who_was_never_met_cannot_be_anything(meridia, demo):
    done = meridia("people", "set", "Nobody", "primary", *demo.where)
    assert (done.status, done.err.count("\n")) == (3, 1)
    assert meridia("people", "set", "Dana", *demo.where).status == 2
    assert meridia("people", "set", "Dana", "friend", *demo.where).status == 2
    assert meridia("people", "set", "Dana", "user", "--threshold", "2", *demo.where).status == 2


def entity(meridia, where, name):
    """Return what is listed under a name as an entity: a tool, a file, a place."""
    rows = meridia("entities", *where, "--json", "--limit", 10000).json
    return next(row for row in rows if row["entity"] == name and row["label"] == "Entity")


def test_row_102_entities_are_merged_and_parted_again(meridia, demo_copy):
    """Row 102: merges and unmerges are events, and reversible."""
    where = ["--db", demo_copy, "--space", "demo"]
    before = entity(meridia, where, "bash")
    merged = meridia("entities", "merge", "bash", "fetch", *where)
    assert (merged.status, merged.err) == (0, "bash is now replaced by fetch\n")
    assert entity(meridia, where, "bash")["stands_for"] == "fetch"
    assert meridia("entities", "merge", "fetch", "bash", *where).status == 2, "no circles"
    parted = meridia("entities", "unmerge", "bash", *where)
    assert (parted.status, parted.err) == (0, "the merge of bash is undone\n")
    assert entity(meridia, where, "bash") == before
    assert meridia("entities", "unmerge", "bash", *where).status != 0, "there is no merge to undo"
    kinds = meridia("status", *where, "--json").json[0]["entries"]
    assert (kinds["EntitiesMerged"], kinds["EntitiesUnmerged"]) == (1, 1)
    assert meridia("rebuild", "--verify", *where, "--json").json[0]["identical"] == "yes"


def test_names_of_nothing_cannot_be_merged(meridia, demo):
    done = meridia("entities", "merge", "bash", "the moon", *demo.where)
    assert (done.status, done.err.count("\n")) == (3, 1)
    assert "the moon" in done.err
    assert meridia("entities", "merge", "bash", *demo.where).status == 2
    assert "takes no names, not 1" in meridia("entities", "list", "bash", *demo.where).err


def test_what_may_be_one_is_proposed_and_never_merged_silently(meridia, db):
    texts = ["Look at src/keel.py please.", "Then open lib/src/keel.py in the editor."]
    events = [
        {"id": f"e{n}", "kind": "user_message", "person": "Dana", "payload": {"text": text}}
        for n, text in enumerate(texts)
    ]
    meridia("capture", "--db", db, stdin="".join(json.dumps(e) + "\n" for e in events))
    assert meridia("enrich", "--db", db).status == 0
    (pair,) = meridia("entities", "duplicates", "--db", db, "--json").json
    names = {pair["entity"]["name"], pair["into"]["name"]}
    assert names == {"src/keel.py", "lib/src/keel.py"}
    assert 0 < pair["score"] <= 1
    assert pair["reason"]
    shown = meridia("entities", "duplicates", "--db", db).out
    assert all(name in shown for name in names)
    assert "EntitiesMerged" not in meridia("status", "--db", db, "--json").json[0]["entries"]
    ids = [pair["entity"]["id"], pair["into"]["id"]]
    assert meridia("entities", "merge", *ids, "--db", db).status == 0
    assert meridia("entities", "duplicates", "--db", db, "--json").json == []


def test_facts_and_transitions_are_listed_with_the_memory_they_come_from(meridia, demo):
    for kind in ("fact", "transition"):
        rows = meridia("list", *demo.where, "--kind", kind, "--json").json["memories"]
        assert rows
        assert {row["kind"] for row in rows} == {kind}
        assert {row["event_id"] for row in rows} <= {event["id"] for event in EVENTS}
        assert all(row["status"] and row["metadata"]["experience"] for row in rows)


def test_what_was_said_has_room_on_a_terminal_of_eighty_columns(meridia, tmp_path):
    db = ["--db", tmp_path / "m.db"]
    text = "The tide turns at six."
    meridia("remember", text, "--person", "Dana", *db)
    assert text in meridia("list", *db, env={"COLUMNS": "80"}).out
    meridia("remember", "It is high at noon.", "--id", "noon-1", *db)
    assert "noon-1" not in meridia("list", *db, env={"COLUMNS": "80"}).out
    assert "noon-1" in meridia("list", *db, env={"COLUMNS": "100"}).out


def test_ids_and_times_are_whole_where_a_table_is_wider_than_the_terminal(meridia, tmp_path):
    db = ["--db", tmp_path / "m.db"]
    who = "Annemarie von der Lippe"
    told = "The registrar moved the hearing about the allotment to the autumn."
    meridia("remember", told, "--person", who, "--at", "2026-03-01T10:05:00Z", *db)
    person = meridia("people", *db, "--json").json[0]
    assert person["name"] == who
    assert meridia("people", *db, env={"COLUMNS": "60"}).out.count("2026-03-01") == 2
    asked = ["--named", "last_messages", "--param", f"person={who}", *db]
    row = meridia("query", *asked, "--json").json["rows"][0]
    shown = meridia("query", *asked, env={"COLUMNS": "80"}).out
    assert all(value in shown for value in row if value != told)


def test_a_kind_that_does_not_exist_is_told(meridia, tmp_path):
    meridia("remember", "The mast is oak.", "--db", tmp_path / "some.db")
    for command in (["list"], ["recall", "x"]):
        refused = meridia(*command, "--kind", "nonsense", "--db", tmp_path / "some.db")
        assert refused.status == 2
        assert "choose from tool_result" in refused.err


def test_the_result_of_a_tool_names_its_tool_as_json(meridia, tmp_path):
    db = ("--db", str(tmp_path / "run.db"))
    event = {
        "kind": "tool_result",
        "id": "step",
        "tool": {"name": "bash"},
        "payload": {"args": {"command": "make pages"}, "result": "42 pages"},
    }
    meridia("capture", *db, stdin=json.dumps(event))
    (row,) = meridia("list", *db, "--json").json["memories"]
    (hit,) = meridia("recall", "make pages", *db, "--json").json["hits"]
    shown = meridia("show", "step", *db, "--json").json
    assert [row["tool"], hit["tool"], shown["tool"]] == ["bash"] * 3


def test_a_list_of_nobody_says_so(meridia, demo):
    assert "did you mean Dana?" in meridia("list", "--person", "Dan", *demo.where).err
    assert "Dana" not in meridia("list", "--person", "Dana", *demo.where).err
