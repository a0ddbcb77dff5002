"""Features 1 to 50 as somebody sees them who types commands: capture, feelings, relationships.

One invented session of an agent with Petra about a program called Kestrel. No model, no encoder.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command, Done

CODE = "def load(): pass\n"
FELT = {
    "emotionalSignature": {
        "primary": ["excited", "relieved", "jubilant"],
        "intensity": 0.8,
        "valence": 0.7,
        "texture": "flowing",
    },
    "engagementQuality": "deep-flow",
    "anchors": [{"phrase": "the delimiter", "significance": "the turn"}],
    "uncertainties": ["Are older files damaged?"],
    "reconstitutionHints": ["Look at the header first"],
}
BY_HAND = {"topic": "Kestrel import", "summary": "It clicked.", "phenomenology": FELT}
CALLS = (
    ("t1", "10:01:00", "write", False, {"path": "src/load.py", "content": CODE}, "wrote it"),
    ("t2", "10:02:00", "browser", False, {"url": "https://example.org/csv"}, "see /tmp/shot.png"),
    ("t3", "10:03:00", "write", False, {"path": "src/b.py"}, "deployed to production"),
    ("t4", "10:09:00", "bash", True, {"cmd": "pytest"}, "1 failed: rows lost"),
    ("t5", "10:16:00", "experience_capture", False, BY_HAND, "ok"),
    ("t6", "10:17:00", "read", False, {"path": "a"}, "a"),
)


def events() -> list[dict[str, Any]]:
    """Return the session's events in order."""

    def event(id: str, at: str, kind: str, **more: Any) -> dict[str, Any]:
        session = {"key": "s1", "id": "u-1", "runId": "r-1"}
        return {"id": id, "kind": kind, "ts": f"2026-03-01T{at}Z", "session": session, **more}

    said = (
        ("m1", "10:00:00", "hi"),
        ("m2", "10:00:30", "I am really frustrated: the import of Kestrel lost rows. Why?"),
        ("m3", "10:18:00", "Wonderful, I am so relieved now!"),
    )
    result = [
        event(id, at, "user_message", person="Petra", payload={"text": text})
        for id, at, text in said
    ]
    for id, at, tool, failed, args, output in CALLS:
        call = {"name": tool, "callId": f"c-{id}", "isError": failed}
        result.append(
            event(id, at, "tool_result", tool=call, payload={"args": args, "result": output})
        )
    result.append(event("b1", "10:20:00", "session_boundary", payload={"boundary": "end"}))
    return sorted(result, key=lambda one: one["ts"])


@pytest.fixture(scope="module")
def ask(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Give a way to run a command over the journal that holds the session, enriched."""
    db: Path = tmp_path_factory.mktemp("kestrel") / "agent.db"
    without = {"MERIDIA_EMBEDDING_ENABLED": "false"}

    def run(*arguments: object, stdin: str = "") -> Done:
        done = meridia(*arguments, "--json", "--db", db, stdin=stdin, env=without)
        assert done.status == 0, done.err
        return done

    run("capture", stdin="\n".join(map(json.dumps, events())))
    run("enrich")
    return run


def felt(ask: Any, id: str) -> dict[str, Any]:
    shown: dict[str, Any] = ask("show", id).json["phenomenology"]
    return shown


def test_rows_1_and_19_one_form_holds_the_event_the_decision_how_it_felt_and_what_it_names(ask):
    kit = ask("show", "t1", "--kit").json
    assert kit["kind"] == "tool_result"
    assert kit["session"] == {"key": "s1", "id": "u-1", "runId": "r-1"}
    assert kit["tool"] == {"name": "write", "callId": "c-t1", "isError": False}
    assert kit["capture"]["mode"] == "full"
    assert kit["phenomenology"]["signature"]["primary"] == ["focused"]
    assert kit["raw"] == {"tool_args": CALLS[0][4], "tool_result": "wrote it"}
    assert kit["version"] == 2


def test_rows_2_3_6_and_8_every_decision_is_traced_with_its_factors_and_its_limit(ask):
    lines = [line for line in ask("trace").lines if line["kind"] == "event"]
    assert len(lines) == len(events())
    of = {line["detail"].get("limited", {}).get("reason"): line for line in lines}
    assert of["min_interval"]["decision"] == "gate_deny"
    assert "300 s must lie between two" in of["min_interval"]["detail"]["limited"]["detail"]
    weights = {"novelty": 0.25, "impact": 0.3, "relational": 0.15}
    weights |= {"temporal": 0.1, "user_intent": 0.2}
    for line in lines:
        factors = line["detail"]["factors"]
        assert weights.items() <= {name: weight for name, _, weight, _, _ in factors}.items()
        total = sum(share for _, _, _, share, _ in factors)
        assert line["detail"]["significance"] == pytest.approx(total, abs=1e-5)


def test_row_3_ten_full_captures_an_hour_and_the_next_says_so(meridia, tmp_path):
    day = [
        {
            "kind": "tool_result",
            "ts": f"2026-03-01T10:{5 * n:02}:00Z",
            "session": {"key": "s"},
            "tool": {"name": "bash", "isError": True},
            "payload": {"result": f"deploy {n} failed: {'x' * n}"},
        }
        for n in range(12)
    ]
    given = "\n".join(map(json.dumps, day))
    done = meridia("capture", "--json", "--db", tmp_path / "a.db", stdin=given)
    outcomes = [line["outcome"] for line in done.lines]
    assert outcomes == ["captured"] * 10 + ["text_only"] * 2
    traced = meridia("trace", "--db", tmp_path / "a.db").lines[-1]
    assert traced["detail"]["limited"]["reason"] == "max_per_hour"


def test_rows_9_10_14_and_16_without_a_model_a_rule_says_how_it_felt(ask):
    error, ordinary = felt(ask, "t4"), felt(ask, "t1")
    assert (error["signature"]["primary"], error["signature"]["valence"]) == (["concerned"], -0.3)
    signature = ordinary["signature"]
    assert (signature["primary"], signature["valence"]) == (["focused"], 0.3)
    significance = ask("show", "t1", "--kit").json["capture"]["significance"]
    assert signature["intensity"] == pytest.approx(significance, abs=1e-4)
    assert ordinary["engagement"] == "routine"
    for one in (error, ordinary):
        assert not {"anchors", "uncertainties", "hints"} & set(one)
    assert felt(ask, "m2")["signature"]["primary"] == ["frustrated"]


def test_rows_12_13_15_17_and_20_a_capture_by_hand_says_itself_how_it_felt(ask):
    kit = ask("show", "t5", "--kit").json
    assert kit["content"] == {"topic": "Kestrel import", "summary": "It clicked."}
    how = kit["phenomenology"]
    assert how["signature"]["primary"] == ["excited", "relieved"]  # what is no word of the ten went
    assert how["signature"]["texture"] == "flowing"
    assert how["engagement"] == "deep-flow"
    assert how["anchors"][0]["phrase"] == "the delimiter"
    assert how["uncertainties"] == ["Are older files damaged?"]
    assert how["hints"] == ["Look at the header first"]


def test_row_18_memories_are_listed_by_emotion_and_engagement(ask):
    def ids(*options: str) -> set[str]:
        return {one["event_id"] for one in ask("list", *options).json["memories"]}

    assert ids("--emotion", "excited") == {"t5"}
    assert ids("--engagement", "deep-flow") == {"t5"}
    assert ids("--emotion", "concerned") == {"t4"}


def test_row_34_artifacts_are_addresses_sizes_and_hashes_never_bytes(ask):
    found = {one["uri"]: one for one in ask("artifacts").json}
    assert {uri: one["kind"] for uri, one in found.items()} == {
        "src/load.py": "file",
        "src/b.py": "file",
        "https://example.org/csv": "link",
        "/tmp/shot.png": "image",
    }
    assert found["src/load.py"]["sha256"] == hashlib.sha256(CODE.encode()).hexdigest()
    assert found["src/load.py"]["sizeBytes"] == len(CODE)


def test_row_35_an_address_is_a_kit_and_one_that_is_none_says_so(meridia, ask, tmp_path):
    uri = ask("show", "m2").json["uri"]
    assert uri.startswith("meridia://")
    assert ask("show", uri, "--kit").json["content"]["summary"].startswith("I am really frustrated")
    assert meridia("show", "meridia://nobody", "--db", tmp_path / "b.db").status == 3


def test_row_37_a_reflection_counts_what_was_felt_the_agents_own_word_too(ask):
    found = ask("reflect").json
    assert found["emotions"] == {"relieved": 2, "frustrated": 1, "excited": 1}
    assert found["engagement"]["deep-flow"] == 1
    assert found["periods"][0]["emotions"] == found["emotions"]


def test_rows_42_and_43_what_was_a_skeleton_is_judged_again_when_the_session_ends(ask):
    statuses = {one["id"]: ask("show", one["id"]).json["status"] for one in events()}
    assert statuses["t1"] == statuses["t4"] == "evaluated"
    assert set(statuses.values()) <= {"evaluated", "upgraded", "skeleton", "noise"}
    assert "upgraded" in statuses.values()


def test_rows_44_to_46_changes_of_the_session_come_in_the_order_in_which_they_happened(ask):
    told = ask("transitions", "s1").json
    changes = told["transitions"]
    assert [one["ts"] for one in changes] == sorted(one["ts"] for one in changes)
    assert {"field", "from", "to", "ts", "trigger", "experience"} <= set(changes[0])
    fields = {one["field"] for one in changes}
    assert fields <= {"engagement", "emotionalSignature", "uncertainty", "focus"}
    feelings = [
        (one["from"]["primary"], one["to"]["primary"], one["trigger"])
        for one in changes
        if one["field"] == "emotionalSignature"
    ]
    # An upgrade, enriched when all is over, is no change from the end back to the beginning.
    assert feelings == [
        (["focused"], ["concerned"], "t4"),
        (["concerned"], ["excited", "relieved"], "t5"),
        (["frustrated"], ["relieved"], "m3"),
    ]
    kinds = ask("list", "--kind", "transition").json["memories"]
    assert len(kinds) == len(changes)


def test_rows_47_to_50_who_is_known_has_a_lower_bar_and_a_first_meeting_is_kept(ask):
    first = json.loads(ask("trace").out.splitlines()[0])["detail"]
    assert first["reason"] == "first meeting with this person"
    assert first["significance"] < first["threshold"]
    (petra,) = ask("people").json
    named = {"name": "Petra", "relationship": "user", "messages": 3, "threshold": None}
    assert named.items() <= petra.items()
    assert (petra["first"][:16], petra["last"][:16]) == ("2026-03-01T10:00", "2026-03-01T10:18")
    call = {"kind": "tool_result", "tool": {"name": "bash"}, "session": {"key": "s1"}}
    given = json.dumps(call | {"payload": {"result": "of a session with Petra"}})
    bars = [ask("decide", stdin=given).json["threshold"]]
    for rank in ("collaborator", "primary"):
        ask("people", "set", "Petra", rank)
        bars.append(ask("decide", stdin=given).json["threshold"])
    ask("people", "set", "Petra", "primary", "--threshold", "0.25")
    bars.append(ask("decide", stdin=given).json["threshold"])
    assert bars == pytest.approx([0.5, 0.4, 0.35, 0.25])
