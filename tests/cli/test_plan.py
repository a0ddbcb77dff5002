"""`meridia plan`: sources by type with reasons, documents on request, a halt that says why."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_timeline import said
from tests.model_server import Reply

pytestmark = pytest.mark.usefixtures("without_encoder")

QUESTION = "Did Oskar ever send the sail maker's address?"
THEN = ("--as-of", "2026-06-20")
WIDE = {"COLUMNS": "500"}
KEYS = ["selected_nodes", "selection_reasons", "coverage", "reasoning"]


def planned(meridia, demo, *more):
    done = meridia("plan", QUESTION, *demo.where, *THEN, "--json", *more)
    assert done.status == 0, done.err
    return done.json


def test_row_67_json_holds_the_plan_in_its_exact_shape(meridia, demo):
    """Row 67: four keys, and around them what the plan was made from."""
    shape = planned(meridia, demo)
    assert list(shape) == [
        *("id", "question", "as_of", "known_at", "plan", "nodes", "expired"),
        *("action", "clarification", "by", "notes"),
    ]
    assert (shape["action"], shape["clarification"], shape["by"]) == ("proceed", None, "rule")
    assert list(shape["plan"]) == KEYS
    selected = [id for ids in shape["plan"]["selected_nodes"].values() for id in ids]
    assert selected == [node["node_id"] for node in shape["nodes"]]
    assert selected
    assert shape["as_of"] == "2026-06-20T00:00:00.000000Z"
    assert shape["known_at"] is None
    assert planned(meridia, demo, "--known-at", "9")["known_at"] == 9


def test_people_read_id_type_confidence_and_reason(meridia, demo):
    shape = planned(meridia, demo)
    done = meridia("plan", QUESTION, *demo.where, *THEN, env=WIDE)
    assert done.status == 0
    for node in shape["nodes"]:
        (line,) = [one for one in done.out.splitlines() if one.startswith(f"  {node['node_id']} ")]
        assert f"{node['confidence']:.2f} {node['band']}" in line
        assert node["reason"] in line
    for type, ids in shape["plan"]["selected_nodes"].items():
        assert (type in done.out.splitlines()) is bool(ids)
    assert " ".join(shape["plan"]["reasoning"].split()) in " ".join(done.out.split())


def test_row_73_nothing_is_loaded_unless_it_is_asked_for(meridia, demo):
    """Row 73 and row 74: the plan first, the documents with --load."""
    assert "documents" not in planned(meridia, demo)
    loaded = planned(meridia, demo, "--load")
    assert [one["node_id"] for one in loaded["documents"]] == [
        node["node_id"] for node in loaded["nodes"]
    ]
    done = meridia("plan", QUESTION, *demo.where, *THEN, "--load", env=WIDE)
    for document in loaded["documents"]:
        heading = f"{document['document']}  {document['node_id']}  {document['source_ref']}"
        assert heading in done.out


def test_row_81_an_archived_turn_is_loaded_whole_on_request(meridia, demo):
    """Row 81: the summary stands for it, the original stays."""
    warm = planned(meridia, demo, "--load")["documents"]
    cold = planned(meridia, demo, "--cold")["documents"]
    assert [one["node_id"] for one in warm] == [one["node_id"] for one in cold]
    old = [(w, c) for w, c in zip(warm, cold, strict=True) if w["archived"]]
    assert old
    assert all("Whole text:" in w["text"] and "Whole text:" not in c["text"] for w, c in old)


def test_row_79_a_draft_is_checked_before_it_is_shown(meridia, demo):
    """Row 79: draft and verdict."""
    shape = planned(meridia, demo, "--draft")
    assert (shape["verdict"], shape["issues"]) == ("pass", [])
    done = meridia("plan", QUESTION, *demo.where, *THEN, "--draft", env=WIDE)
    assert "## Relevant Prior Turns" in done.out
    assert "check: pass" in done.out


def test_row_79_a_plan_asks_back_where_the_question_can_mean_two(meridia, db):
    """Row 79: the question, whom it can mean, and a verdict that keeps the draft back."""
    people = {"person": "Mira", "id": "a"}, {"person": "Edda", "id": "b"}
    events = [said("s", "02T10:00", "I live in a lighthouse.") | one for one in people]
    lines = "\n".join(map(json.dumps, events))
    assert meridia("capture", "--db", db, stdin=lines).status == 0
    asks = ("plan", "Does she live in a lighthouse?", "--db", db)
    shape = meridia(*asks, "--json").json
    assert shape["action"] == "clarify"
    readings = shape["clarification"]["readings"]
    assert {one["text"] for one in readings} == {"Mira", "Edda"}
    done = meridia(*asks, env=WIDE)
    assert done.status == 0
    assert shape["clarification"]["question"] in done.out
    for reading in readings:
        assert f"  {reading['text']}: {', '.join(reading['node_ids'])}" in done.out
    drafted = meridia(*asks, "--draft", "--json").json
    assert drafted["verdict"] == "clarify"
    assert drafted["clarification_question"] == shape["clarification"]["question"]
    assert "check: clarify, Whom does" in meridia(*asks, "--draft", env=WIDE).out
    assert meridia("plan", "--stats", "--db", db, "--json").json["asked"] == 4


def checked(meridia, demo, given):
    text = given if isinstance(given, str) else json.dumps(given)
    return meridia("plan", QUESTION, *demo.where, *THEN, "--check", "-", stdin=text)


def test_row_68_and_76_a_plan_with_an_unknown_id_halts(meridia, demo):
    """Rows 68 and 76: unknown id → invalid → HALT with an intervention, exit 2."""
    plan = planned(meridia, demo)["plan"]
    done = checked(meridia, demo, plan)
    assert done.status == 0
    assert done.json == {"action": "proceed", "plan": plan}
    plan["selected_nodes"]["turn_summary"].append("turn:999999")
    done = checked(meridia, demo, plan)
    assert done.status == 2
    assert done.json["action"] == "halt"
    assert "turn:999999" in done.json["intervention"]["problem"]
    assert "halt in phase 2.1" in done.err


@pytest.mark.parametrize("given", ["", "no JSON", "[]", "{}", '{"selected_nodes": 3}'])
def test_row_76_what_is_no_plan_halts(meridia, demo, given):
    """Row 76: parse failure → HALT."""
    done = checked(meridia, demo, given)
    assert done.status == 2
    assert done.json["intervention"]["needed"]
    assert "Traceback" not in done.err


def of(server, **more):
    """Return the environment in which a server's model is set up."""
    address = {"MERIDIA_MODEL_BASE_URL": f"{server.origin}/v1", "MERIDIA_MODEL_NAME": "m-1"}
    return {"MERIDIA_MODEL_DIALECT": "openai", **address, **WIDE, **more}


def test_row_125_a_model_puts_the_plan_into_another_order(meridia, demo, server):
    """Row 125: one model, temp .6."""
    shape = planned(meridia, demo)
    theirs = shape["plan"]
    theirs["selected_nodes"]["turn_summary"].reverse()
    server.by_rule = lambda request: Reply(json.dumps(theirs))
    ask = ("plan", QUESTION, *demo.where, *THEN)
    done = meridia(*ask, "--model", "--json", env=of(server))
    assert done.status == 0, done.err
    assert (done.json["plan"], done.json["by"]) == (theirs, "scripted-1")
    assert [node["node_id"] for node in done.json["nodes"]] == [
        id for ids in theirs["selected_nodes"].values() for id in ids
    ]
    always = of(server, MERIDIA_PLAN_MODEL="on", MERIDIA_PLAN_TEMPERATURE="0.3")
    assert ", by scripted-1" in meridia(*ask, env=always).out
    assert [request.body["temperature"] for request in server.received] == [0.6, 0.3]
    meridia(*ask, env=of(server))
    meridia(*ask, "--no-model", env=always)
    meridia(*ask, "--check", "-", stdin=json.dumps(theirs), env=always)
    assert len(server.received) == 2, "nobody else asks it"


costly = pytest.mark.thorough


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply("I would load them all."), "the model's answer was invalid"),
        pytest.param(
            Reply(status=500, text="oh"), "the model's answer was server_error", marks=costly
        ),
        pytest.param(Reply(wait_s=5), "the model's answer was timed_out", marks=costly),
    ],
)
def test_a_model_that_fails_leaves_the_plan_to_the_rules(meridia, demo, server, reply, why):
    server.by_rule = lambda request: reply
    rule = planned(meridia, demo)
    ask = ("plan", QUESTION, *demo.where, *THEN, "--model")
    done = meridia(*ask, "--json", env=of(server, MERIDIA_MODEL_PROSE_S="4"))
    assert done.status == 0, done.err
    assert (done.json["plan"], done.json["by"]) == (rule["plan"], "rule")
    assert why in done.json["notes"][-1]
    assert server.received


def test_without_a_model_a_note_says_that_none_is_set_up(meridia, demo):
    done = meridia("plan", QUESTION, *demo.where, *THEN, "--model", env=WIDE)
    assert done.status == 0
    assert "no model is set up (model.dialect, model.name)" in done.err


def test_row_77_a_question_about_nothing_known_has_an_empty_plan(meridia, demo):
    """Row 77: before anything happened, nothing is selected, and that is an answer."""
    done = meridia("plan", QUESTION, *demo.where, "--as-of", "2020-01-01")
    assert done.status == 0
    assert "Nothing is selected" in done.out
    assert meridia("plan", QUESTION, *demo.where, "--as-of", "0").status == 0


def test_row_78_stats_sum_up_what_became_of_plans(meridia, db):
    """Row 78: distribution, mean, downstream failures."""
    encoder = {"MERIDIA_EMBEDDING_ENABLED": "true"}
    event = said("a", "02T10:00", "I live in Bergen and own a red boat.")
    assert meridia("capture", "--db", db, stdin=json.dumps(event)).status == 0
    assert meridia("enrich", "--db", db, env=encoder).status == 0
    assert meridia("plan", "Where is the boat?", "--db", db, env=encoder).status == 0
    assert meridia("plan", "Who owns a boat?", "--db", db, "--draft", env=encoder).status == 0
    assert meridia("plan", "Who owns a boat?", "--db", db, "--check", "-", env=encoder).status == 2
    found = meridia("plan", "--stats", "--db", db, "--json").json
    assert (found["plans"], found["halted"], found["checked"], found["failures"]) == (3, 1, 1, 0)
    assert found["types"]["turn_summary"] >= 3
    assert found["mean_nodes"] > 0
    printed = meridia("plan", "--stats", "--db", db).out
    assert "mean nodes" in printed
    assert "selected: turn_summary" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the question is missing"),
        (("Where?", "--as-of", "yesterday"), "not a date or time"),
        (("Where?", "--limit", "0"), "--limit"),
        (("Where?", "--check", "not-there.json"), "cannot be read"),
    ],
)
def test_wrong_input_is_named(meridia, demo, arguments, message):
    done = meridia("plan", *arguments, *demo.where)
    assert done.status == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_space_that_is_not_there_is_named(meridia, demo, tmp_path):
    assert meridia("plan", "Where?", "--db", demo.db, "--space", "nowhere").status == 3
    nothing = meridia("plan", "Where?", "--db", tmp_path / "none.db")
    assert (nothing.status, "there is no journal" in nothing.err) == (3, True)
