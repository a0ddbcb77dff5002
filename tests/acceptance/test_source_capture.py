"""Features 1 to 50 as somebody sees them who types commands: capture, feelings, relationships.

One invented session of an agent with Petra about a program called Kestrel. No model, no encoder.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command, Done
from tests.model_server import ModelServer, Reply

#: The units that these go through have tests of their own.
pytestmark = pytest.mark.thorough

WITHOUT = {"MERIDIA_EMBEDDING_ENABLED": "false"}
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
def kestrel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the name of the session's journal; `ask` fills it."""
    return tmp_path_factory.mktemp("kestrel") / "agent.db"


@pytest.fixture(scope="module")
def ask(meridia: Command, kestrel: Path) -> Any:
    """Give a way to run a command over the journal that holds the session, enriched."""

    def run(*arguments: object, stdin: str = "") -> Done:
        done = meridia(*arguments, "--json", "--db", kestrel, stdin=stdin, env=WITHOUT)
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
    assert kit["phenomenology"]["emotionalSignature"]["primary"] == ["focused"]
    assert kit["raw"] == {"toolArgs": CALLS[0][4], "toolResult": "wrote it"}
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


def test_row_7_one_by_one_all_at_once_or_from_a_file_events_are_decided_on_alike(meridia, tmp_path):
    lines = list(map(json.dumps, events()))
    (tmp_path / "events.jsonl").write_text("\n".join(lines))
    ways: dict[str, list[tuple[list[str], str]]] = {
        "single": [(["capture"], line) for line in lines],
        "batch": [(["capture"], "\n".join(lines))],
        "file": [(["import", "--no-enrich", str(tmp_path / "events.jsonl")], "")],
    }
    found = []
    for name, commands in ways.items():
        where = ("--db", tmp_path / f"{name}.db")
        for words, given in commands:
            assert meridia(*words, *where, stdin=given, env=WITHOUT).status == 0
        archive = meridia("export", *where).lines
        told = [line["payload"] for line in archive if line.get("kind") == "ExperienceCaptured"]
        traced = [line["detail"] for line in meridia("trace", *where).lines]
        found.append((told, traced))
    assert len(found[0][0]) == len(lines)
    assert found[0] == found[1] == found[2]


def test_rows_9_10_14_and_16_without_a_model_a_rule_says_how_it_felt(ask):
    error, ordinary = felt(ask, "t4"), felt(ask, "t1")
    worried, signature = error["signature"], ordinary["signature"]
    assert (worried["primary"], worried["valence"]) == (["concerned"], -0.3)
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
    named = how["emotionalSignature"]["primary"]
    assert named == ["excited", "relieved"]  # what is no word of the ten went
    assert how["emotionalSignature"]["texture"] == "flowing"
    assert how["engagementQuality"] == "deep-flow"
    assert how["anchors"][0]["phrase"] == "the delimiter"
    assert how["uncertainties"] == ["Are older files damaged?"]
    assert how["reconstitutionHints"] == ["Look at the header first"]


def test_row_11_a_model_is_shown_3000_characters_and_asked_for_json_alone(
    meridia, db, server: ModelServer
):
    felt = {"emotionalSignature": {"primary": ["curious"], "intensity": 0.5}}
    server.by_rule = lambda request: Reply(json.dumps(felt))
    model = {"MERIDIA_MODEL_DIALECT": "openai", "MERIDIA_MODEL_NAME": "m"}
    model |= WITHOUT | {"MERIDIA_MODEL_BASE_URL": f"{server.origin}/v1"}
    call = {"id": "t", "kind": "tool_result", "tool": {"name": "bash", "isError": True}}
    given = call | {"payload": {"args": {"cmd": "deploy"}, "result": "begin " + "x" * 9000}}
    meridia("capture", "--db", db, stdin=json.dumps(given), env=model)
    assert meridia("enrich", "--db", db, env=model).status == 0
    (asked,) = [one for one in server.received if "<material>" in one.words]
    told = "\n".join(message["content"] for message in asked.body["messages"])
    material = told.partition("<material>\n")[2].partition("\n</material>")[0]
    assert "begin xxx" in material
    assert len(material) <= 3000
    assert (asked.format, "JSON" in told) == ("json_schema", True)
    for word in ("curious", "cautious", "crystalline", "deep-flow", "reconstitutionHints"):
        assert word in json.dumps(asked.body)
    shown = meridia("show", "t", "--db", db, "--json").json
    assert shown["phenomenology"]["signature"]["primary"] == ["curious"]


def test_row_18_four_columns_and_two_indexes_hold_what_is_asked_for_and_the_rest_does_not(
    ask, kestrel
):
    ask("status")
    with closing(sqlite3.connect(kestrel)) as file:
        columns = "emotional_primary, emotional_intensity, emotional_valence, engagement_quality"
        row = file.execute(f"SELECT {columns} FROM experience WHERE event_id = 't5'").fetchone()
        names = [name for _, name, *_ in file.execute("PRAGMA table_info(experience)")]
        plans = [
            file.execute(f"EXPLAIN QUERY PLAN SELECT seq FROM experience WHERE {of}").fetchall()
            for of in (
                "space = 1 AND engagement_quality = 'deep-flow'",
                "space = 1 AND emotional_intensity > 0.5",
            )
        ]
    assert (json.loads(row[0]), *row[1:]) == (["excited", "relieved"], 0.8, 0.7, "deep-flow")
    assert not [name for name in names if re.search("anchor|uncertain|hint|texture", name)]
    assert len({re.search(r"USING (?:COVERING )?INDEX (\w+)", str(plan))[1] for plan in plans}) == 2
    assert felt(ask, "t5")["anchors"]


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


def test_row_39_each_of_the_fourteen_components_is_seen_at_work_in_one_session(
    meridia, ask, kestrel
):
    kit, traced = ask("show", "t1", "--kit").json, ask("trace").lines
    hits = ask("recall", "Which rows did the import lose?").json["hits"]
    secret = {"kind": "user_message", "payload": {"text": "ghp_" + "a1B2" * 9}}
    held = meridia("capture", "--json", "--db", kestrel.with_name("b.db"), stdin=json.dumps(secret))
    away = {"MERIDIA_SINKS_ATTEMPTS": "1", "MERIDIA_POSTGRES_URL": "postgresql://u@127.0.0.1:1/x"}
    at_work = {
        1: kit["kind"] == "tool_result" and kit["session"]["runId"] == "r-1",
        2: "gate_deny" in {line["decision"] for line in traced},
        3: kit["capture"]["significance"] > kit["capture"]["threshold"],
        4: kit["phenomenology"]["emotionalSignature"]["primary"] == ["focused"],
        5: {"src/load.py"} < {one["uri"] for one in ask("artifacts").json},
        6: kit["version"] == 2,
        7: ask("list", "--limit", 1).json["memories"][0]["text"] == "hi",
        8: len([line for line in traced if line["kind"] == "event"]) == len(events()),
        9: meridia("sinks", "sync", "--db", kestrel, env=away).status == 5,
        10: "m2" in {one["event_id"] for one in hits},
        11: ask("reconstitute", "--person", "Petra").json["citations"],
        12: held.json["redacted"] == {"github_token": 1},
        13: meridia("verify", "--db", kestrel).status == 0,
        14: ask("status").json[0]["ingest"]["events"] == len(events()),
    }
    assert {number for number, there in at_work.items() if there} == set(range(1, 15))


def test_row_41_a_skeleton_holds_a_hash_and_some_200_bytes_and_noise_is_none(meridia, db):
    outlines = WITHOUT | {"MERIDIA_INGEST_SKELETON_DAYS": "0"}
    call = {"kind": "tool_result", "ts": "2026-03-01T10:00:00Z", "session": {"key": "s1"}}
    looked = [
        call | {"id": f"look{n}", "tool": {"name": "read"}, "payload": {"result": f"zinnober {n}"}}
        for n in range(5)
    ]
    search = {"tool": {"name": "memory_search"}, "payload": {"result": "nothing"}}
    given = [*looked, call | search | {"id": "search"}]
    meridia("capture", "--db", db, stdin="\n".join(map(json.dumps, given)), env=outlines)
    assert meridia("enrich", "--db", db, env=outlines).status == 0
    kits = [meridia("show", one["id"], "--kit", "--json", "--db", db).json for one in given]
    scores = [kit["capture"]["significance"] for kit in kits]
    assert [kit["capture"]["status"] for kit in kits] == ["skeleton"] * 5 + ["noise"]
    assert min(scores[:5]) > 0.2 >= scores[5]
    assert not [kit for kit in kits if "raw" in kit]
    assert not [path for path in db.parent.iterdir() if b"zinnober" in path.read_bytes()]
    (status,) = meridia("status", "--db", db, "--json").json
    assert 0 < status["ingest"]["outlines"]["mean_payload_bytes"] <= 256
    # The hash tells what came before from anything else, without the words.
    again = meridia("capture", "--json", "--db", db, stdin=json.dumps(looked[0]))
    assert again.json["outcome"] == "redelivered"
    other = looked[0] | {"payload": {"result": "zinnober 9"}}
    assert meridia("capture", "--db", db, stdin=json.dumps(other)).status == 1


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
