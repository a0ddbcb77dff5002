"""`meridia transitions`, `facts`, `episodes`, `artifacts` and `show --kit`."""

from __future__ import annotations

import json
import re

import pytest

SESSIONS = [
    "2026-03-02",
    "2026-03-11",
    "2026-03-24",
    "2026-04-13",
    "2026-04-29",
    "2026-05-15",
    "2026-06-01",
]
NARROW = {"COLUMNS": "80"}


def said(id, at, text, session="s1", person="Dana", **more):
    return {
        "id": id,
        "kind": "user_message",
        "ts": f"2026-03-{at}:00Z",
        "session": {"key": session},
        "person": person,
        "payload": {"text": text},
        **more,
    }


@pytest.fixture
def capture(meridia, db):
    """Capture events and enrich them."""

    def capture_(*events):
        given = "".join(json.dumps(event) + "\n" for event in events)
        assert meridia("capture", "--db", db, stdin=given).status == 0
        done = meridia("enrich", "--db", db)
        assert done.status == 0, done.err

    return capture_


def test_row_45_every_session_has_its_arc_in_one_line(meridia, demo):
    """Row 45: transitions as a session's arc."""
    found = meridia("transitions", *demo.where, "--json").json
    assert [arc["session"] for arc in found] == SESSIONS
    for arc in found:
        assert arc["arc"]
        assert "\n" not in arc["arc"]
    printed = meridia("transitions", *demo.where, env={"COLUMNS": "400"}).out
    assert all(arc["arc"] in printed for arc in found)


def test_row_46_a_transition_says_from_what_to_what_and_with_which_experience(meridia, demo):
    """Row 46: field, from, to, trigger."""
    arcs = meridia("transitions", *demo.where, "--json").json
    arc = max(arcs, key=lambda each: len(each["transitions"]))
    assert arc["transitions"]
    assert meridia("transitions", arc["session"], *demo.where, "--json").json == arc
    for change in arc["transitions"]:
        assert change["field"] in {"engagement", "emotionalSignature", "uncertainty", "focus"}
        assert change["from"] != change["to"]
        assert meridia("show", change["experience"], *demo.where).status == 0
    printed = meridia("transitions", arc["session"], *demo.where, env=NARROW).out.splitlines()
    assert len(printed) >= len(arc["transitions"]) + 2
    assert all(len(line) <= 80 for line in printed)


def test_a_chart_shows_both_curves_and_the_transitions_within_the_terminal(meridia, demo):
    done = meridia("transitions", "2026-05-15", "--plot", *demo.where, env=NARROW)
    plain = meridia("transitions", "2026-05-15", *demo.where, env=NARROW).out.splitlines()
    lines = done.out.splitlines()
    assert done.status == 0
    valence = next(line for line in lines if line.startswith("valence "))
    assert set("▁▂▃▄▅▆▇█") & set(valence)
    assert lines[lines.index(valence) + 1].startswith("intensity ")
    assert all(len(line) <= 80 for line in lines)
    assert set(plain) <= set(lines)


def test_a_picture_is_of_one_session(meridia, demo):
    done = meridia("transitions", "--plot", *demo.where)
    assert done.status == 2
    assert "--plot needs a session" in done.err


def test_a_session_that_is_not_there_is_told(meridia, demo):
    done = meridia("transitions", "never", *demo.where)
    assert (done.status, done.err.count("\n")) == (3, 1)


def test_a_persons_feelings_change_from_their_own(meridia, db, capture):
    capture(
        said("m1", "02T10:00", "I'm so sad about the letter."),
        said("m2", "02T10:05", "I'm so excited about my trip!", person="Robin"),
        said("m3", "02T10:10", "I'm so relieved that it is over."),
    )
    (change,) = meridia("transitions", "Dana", "--db", db, "--json").json
    assert (change["from"]["primary"], change["to"]["primary"]) == (["sad"], ["relieved"])
    assert meridia("transitions", "robin", "--db", db, "--json").json == []
    assert "relieved" in meridia("transitions", "dana", "--db", db).out


def test_row_101_a_fact_that_was_superseded_keeps_its_interval(meridia, db, capture):
    """Row 101: two clocks, supersession by rule."""
    capture(
        said("a", "01T10:00", "I live in Kiel."),
        said("b", "05T10:00", "I live in Hamburg now.", session="s2"),
    )
    facts = {f["object"]: f for f in meridia("facts", "--db", db, "--json").json}
    assert set(facts) == {"Kiel", "Hamburg"}
    assert facts["Kiel"]["t_invalid"] == facts["Hamburg"]["t_valid"]
    assert facts["Kiel"]["superseded_by"] == facts["Hamburg"]["id"]
    assert facts["Hamburg"]["t_invalid"] is None

    def held(*options):
        found = meridia("facts", "--db", db, "--json", *options).json
        return [fact["object"] for fact in found]

    assert held("--as-of", "2026-03-03T00:00:00Z") == ["Kiel"]
    assert held("--as-of", "2026-03-06T00:00:00Z") == ["Hamburg"]
    assert held("--as-of", "2026-02-01T00:00:00Z") == []
    assert held("--known-at", "2026-02-01T00:00:00Z") == []
    assert sorted(held("--about", "dana")) == ["Hamburg", "Kiel"]
    assert held("--about", "nobody") == []
    printed = meridia("facts", "--db", db, env=NARROW).out
    assert re.search(r"2026-03-01 +2026-03-05 +superseded +Dana lives in Kiel", printed)
    assert len(printed.splitlines()) == 3, "a heading, and a line a fact"
    assert all(len(line) <= 80 for line in printed.splitlines())


def test_a_time_that_is_none_is_told(meridia, demo):
    done = meridia("facts", "--as-of", "yesterday", *demo.where)
    assert (done.status, done.err.count("\n")) == (2, 1)


def test_row_32_a_session_that_is_over_is_told(meridia, demo):
    """Row 32: the episode at a session's end, its sources kept."""
    found = meridia("episodes", *demo.where, "--json").json
    assert len(found) == len(SESSIONS)  # an import ends the sessions it brings
    known = {
        m["id"] for m in meridia("list", *demo.where, "--json", "--limit", 500).json["memories"]
    }
    for told in found:
        assert set(told["sources"]) <= known
        assert len(told["anchors"]) <= 10
        assert len(told["emotions"]) <= 5
    (one,) = meridia("episodes", "2026-03-02", *demo.where, "--json").json
    assert one == found[0]
    printed = meridia("episodes", "2026-03-02", *demo.where, env=NARROW).out
    assert printed.startswith(one["topic"][:60])
    assert "2026-03-02 09:00 to 2026-03-02 09:30" in printed


def test_a_session_that_goes_on_has_no_episode_yet(meridia, db):
    events = [
        {"kind": "user_message", "session": {"key": "s1"}, "payload": {"text": f"We sail {n}."}}
        for n in range(4)
    ]
    meridia("capture", "--db", db, stdin="".join(json.dumps(e) + "\n" for e in events))
    done = meridia("episodes", "--db", db)
    assert (done.status, meridia("episodes", "--db", db, "--json").json) == (0, [])
    assert "no session with three experiences has ended" in done.out


def test_row_34_artifacts_are_kept_once_with_what_refers_to_them(meridia, db, capture):
    """Row 34: stored once per content, the latest first, never the bytes."""
    image = {"kind": "image", "uri": "file:///mast.jpg", "description": "a mast"}
    capture(
        said("a", "01T10:00", "Look at this.", artifacts=[image]),
        said("b", "01T11:00", "And once more at this.", artifacts=[image]),
        said("c", "01T12:00", "It says so at https://example.org/mast indeed."),
    )
    found = meridia("artifacts", "--db", db, "--json").json
    assert [row["uri"] for row in found] == ["https://example.org/mast", "file:///mast.jpg"]
    assert [row["memories"] for row in found] == [1, 2]
    assert found[1]["description"] == "a mast"
    (latest,) = meridia("artifacts", "--db", db, "--json", "--limit", 1).json
    assert latest == found[0]
    assert "file:///mast.jpg" in meridia("artifacts", "--db", db).out


def test_row_19_a_kit_is_all_that_is_known_of_an_experience(meridia, db, capture):
    """Row 19: the experience kit."""
    failed = {
        "id": "t1",
        "kind": "tool_result",
        "ts": "2026-03-01T10:00:00Z",
        "session": {"key": "s1"},
        "tool": {"name": "bash", "isError": True},
        "payload": {
            "args": {"cmd": "make deploy to production"},
            "result": "error: could not write /srv/site/index.html: permission denied",
        },
        "metadata": {"important": True},
    }
    capture(failed)
    kit = meridia("show", "--kit", "t1", "--db", db).json
    shown = meridia("show", "t1", "--db", db, "--json").json
    assert kit["id"] == shown["id"]
    assert kit["tool"]["name"] == "bash"
    assert kit["raw"]["toolArgs"] == failed["payload"]["args"]
    assert kit["raw"]["toolResult"] == failed["payload"]["result"]
    felt = shown["phenomenology"]
    assert kit["phenomenology"]["emotionalSignature"] == felt["signature"]
    assert kit["phenomenology"]["engagementQuality"] == felt["engagement"]
    assert kit["capture"]["status"] == shown["status"] == "evaluated"
    assert kit == meridia("show", "--kit", "t1", "--db", db, "--json").json
    printed = meridia("show", "t1", "--db", db).out
    assert "feeling" in printed
    assert "phenomenology" not in printed


def test_row_100_a_memory_that_says_another_again_names_it(meridia, db, capture):
    """Row 100: an exact duplicate reinforces what it repeats."""
    capture(
        said("a", "01T10:00", "The keel is of oak."), said("b", "01T11:00", "The keel is of oak.")
    )
    first, second = (meridia("show", id, "--db", db, "--json").json for id in "ab")
    assert first["repeats"] is None
    assert second["repeats"] == first["id"]
    assert f"repeats  @{first['seq']}" in meridia("show", "b", "--db", db).out
    assert "repeats" not in meridia("show", "a", "--db", db).out


def test_what_is_in_another_space_is_shown_with_its_kit(meridia, db):
    event = said("a", "01T10:00", "The keel is of oak.")
    meridia("capture", "--db", db, "--space", "boats", stdin=json.dumps(event))
    id = meridia("show", "a", "--db", db, "--space", "boats", "--json").json["id"]
    assert meridia("show", "--kit", f"meridia://{id}", "--db", db).json["id"] == id
