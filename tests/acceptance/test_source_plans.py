"""Features 63 to 81 as somebody sees them who types commands: plans, documents, drafts.

Odile's invented table: what she said, what a search found, a page, and a price that ages.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from tests.cli.command import Command, Done
from tests.model_server import ModelServer, Reply

#: The units that these go through have tests of their own.
pytestmark = pytest.mark.thorough

FIELDS = {"node_id", "source_type", "summary", "confidence", "timestamp", "source_ref", "links"}
TYPES = ["turn_summary", "preference", "fact", "research_cache", "visit_record"]
SAID = (
    "I prefer oak over pine. I work as an oak table carver.",
    "The oak table for the hall needs new legs.",
    "I read about oak legs at https://example.org/oak-table-legs today.",
)
FOUND = {
    "args": {"q": "oak table legs"},
    "result": "Oak legs for a table cost 40 euros at Timber & Sons.",
}
QUESTION = "Which oak legs does Odile prefer for the table?"
NEXT_DAY, LATER, ARCHIVED = "2026-03-02", "2026-03-25", "2026-04-25"


def events() -> list[dict[str, Any]]:
    """Return the conversation, and the search of an agent in the middle of it."""
    odile = {"kind": "user_message", "person": "Odile"}
    search = {"kind": "tool_result", "tool": {"name": "web_search"}, "payload": FOUND}
    price = {"metadata": {"content_type": "price"}}
    said = [odile | {"payload": {"text": text}} for text in SAID]
    said += [search, odile | price | {"payload": {"text": "The price of oak legs is 40 euros."}}]
    return [
        event | {"ts": f"2026-03-01T10:0{n}:00Z", "session": {"key": "s1"}}
        for n, event in enumerate(said)
    ]


@pytest.fixture(scope="module")
def db(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the journal of the table."""
    db = tmp_path_factory.mktemp("table") / "agent.db"
    assert meridia("capture", "--db", db, stdin="\n".join(map(json.dumps, events()))).status == 0
    assert meridia("enrich", "--db", db).status == 0
    return db


@pytest.fixture(scope="module")
def plan(meridia: Command, db: Path) -> Any:
    """Give a way to plan the sources of a question."""

    def run(*options: str, question: str = QUESTION, **more: Any) -> Done:
        return meridia("plan", question, "--json", "--db", db, *options, **more)

    return run


def test_rows_63_to_66_the_index_has_five_types_with_seven_fields_and_links_both_ways(plan):
    nodes = {node["node_id"]: node for node in plan("--as-of", NEXT_DAY).json["nodes"]}
    assert all(set(node) >= FIELDS for node in nodes.values())
    assert {node["source_type"] for node in nodes.values()} == set(TYPES)
    assert {"turn:1", "turn:2", "turn:3"} <= set(nodes)
    assert {id.partition(":")[0] for id in nodes} == {"turn", "memory", "visit"}
    for id, node in nodes.items():
        assert 0 <= node["confidence"] <= 1
        for linked in node["links"]:
            assert linked not in nodes or id in nodes[linked]["links"]


def test_rows_67_and_69_to_71_a_plan_has_four_keys_and_they_agree(plan):
    made = plan("--as-of", NEXT_DAY).json["plan"]
    assert list(made) == ["selected_nodes", "selection_reasons", "coverage", "reasoning"]
    selected = made["selected_nodes"]
    assert list(selected) == list(made["selection_reasons"]) == TYPES
    for type, ids in selected.items():
        assert bool(ids) == bool(made["selection_reasons"][type])
    assert made["coverage"] == {
        "has_prior_turns": bool(selected["turn_summary"]),
        "has_memory": bool(selected["preference"] or selected["fact"]),
        "has_cached_research": bool(selected["research_cache"]),
        "has_visit_data": bool(selected["visit_record"]),
    }
    assert 0 < len(made["reasoning"]) <= 800
    assert "\n" not in made["reasoning"]


def test_row_72_a_question_without_hints_and_one_with_odd_words_are_planned(plan):
    for question in ("oak", "???", "Which legs, please -- and why?"):
        done = plan("--as-of", NEXT_DAY, question=question)
        assert (done.status, done.json["action"]) == (0, "proceed")


def test_row_75_a_plan_asks_for_nothing_of_the_phase_before(plan):
    bare = plan("--as-of", NEXT_DAY)
    assert (bare.status, bare.json["plan"]["coverage"]["has_prior_turns"]) == (0, True)
    with_purpose = plan("--as-of", NEXT_DAY, "--purpose", "to order new legs")
    assert with_purpose.status == 0
    assert "turn:2" in with_purpose.json["plan"]["selected_nodes"]["turn_summary"]


def test_row_125_one_model_at_six_tenths_narrows_a_plan_and_words_a_draft_with_quotes(
    plan, server: ModelServer
):
    theirs = plan("--as-of", NEXT_DAY).json["plan"]
    theirs["selected_nodes"]["turn_summary"] = ["turn:2"]
    line = {"node_id": "turn:2", "quote": "oak table for the hall", "text": "The table is of oak."}
    wrong = line | {"quote": "pine table", "text": "The table is of pine."}
    server.will(Reply(json.dumps(theirs)), Reply(json.dumps({"lines": [line, wrong]})))
    model = {"MERIDIA_MODEL_DIALECT": "openai", "MERIDIA_MODEL_NAME": "m"}
    model["MERIDIA_MODEL_BASE_URL"] = f"{server.origin}/v1"
    done = plan("--as-of", NEXT_DAY, "--model", "--draft", env=model)
    assert (done.status, done.json["verdict"]) == (0, "pass"), done.err
    text = "\n".join(section["text"] for section in done.json["sections"])
    assert "The table is of oak. (“oak table for the hall”) [turn:2]" in text
    assert "of pine" not in text
    assert [one.body["temperature"] for one in server.received] == [0.6, 0.6]
    assert {one.body["model"] for one in server.received} == {"m"}
    used = {id for section in done.json["sections"] for id in section["_meta"]["node_ids"]}
    assert {"turn:2"} <= used
    assert not {"turn:1", "turn:3"} & used


def test_rows_73_and_74_documents_come_on_request_and_each_type_has_its_own(plan):
    assert "documents" not in plan("--as-of", NEXT_DAY).json
    shape = plan("--as-of", NEXT_DAY, "--load").json
    types = {node["node_id"]: node["source_type"] for node in shape["nodes"]}
    loaded = {one["document"]: one for one in shape["documents"]}
    assert set(loaded) == {"context.md", "memory.md", "research.md", "visit.md"}
    names = dict(zip(TYPES, ("context", "memory", "memory", "research", "visit"), strict=True))
    for one in shape["documents"]:
        assert one["document"] == f"{names[types[one['node_id']]]}.md"
    assert "Timber & Sons" in loaded["research.md"]["text"]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda made: made["selected_nodes"]["fact"].append("memory:invented"), "memory:invented"),
        (lambda made: made["selection_reasons"].update(turn_summary=""), "turn_summary"),
        (lambda made: made["coverage"].update(has_memory=False), "has_memory"),
        (lambda made: made.pop("reasoning"), "reasoning"),
        (lambda made: made.update(reasoning="one\n\ntwo"), "reasoning"),
    ],
)
def test_rows_68_and_76_what_is_no_plan_halts_and_says_what_is_needed(plan, spoil, told):
    made = plan("--as-of", NEXT_DAY).json["plan"]
    spoil(made)
    done = plan("--as-of", NEXT_DAY, "--check", "-", stdin=json.dumps(made))
    assert (done.status, done.json["action"]) == (2, "halt")
    problem = done.json["intervention"]
    assert told in problem["problem"] + problem["needed"]


def test_row_76_text_that_is_no_json_halts_and_the_plan_itself_is_taken(plan):
    assert plan("--as-of", NEXT_DAY, "--check", "-", stdin="a plan").status == 2
    made = json.dumps(plan("--as-of", NEXT_DAY).json["plan"])
    assert plan("--as-of", NEXT_DAY, "--check", "-", stdin=made).json["action"] == "proceed"


def test_row_77_an_empty_plan_is_valid_and_goes_on_with_the_question(meridia, tmp_path):
    Memory.open(tmp_path / "new.db").close()
    done = meridia("plan", "Anything?", "--json", "--draft", "--db", tmp_path / "new.db")
    assert (done.status, done.json["verdict"]) == (0, "pass")
    assert [section["title"] for section in done.json["sections"]] == ["Constraints"]


def test_row_79_a_draft_names_its_sources_and_is_checked(plan):
    draft = plan("--as-of", NEXT_DAY, "--draft").json
    assert draft["verdict"] == "pass"
    for section in draft["sections"]:
        meta = section["_meta"]
        assert {"source_type", "node_ids", "confidence_avg", "provenance"} == set(meta)
    ids = {id for section in draft["sections"] for id in section["_meta"]["node_ids"]}
    assert "turn:4" in ids


def test_row_80_a_price_is_left_out_when_it_is_old_and_a_fact_stays(plan):
    def confidence(day: str) -> dict[str, float]:
        shapes = [plan("--as-of", day, question=asked).json for asked in (QUESTION, price)]
        nodes = [node for shape in shapes for node in (*shape["nodes"], *shape["expired"])]
        return {node["node_id"]: node["confidence"] for node in nodes}

    price = "What is the price of oak legs?"
    fresh, later = confidence(NEXT_DAY), confidence(LATER)
    # .20 + .80 · e^(−.10 · days), said on the first at 10:04
    assert fresh["turn:5"] == pytest.approx(0.20 + 0.80 * 2.718281828 ** (-0.1 * 0.5806), abs=1e-3)
    assert later["turn:5"] < 0.30
    shape = plan("--as-of", LATER, question=price).json
    assert [node["node_id"] for node in shape["expired"]] == ["turn:5"]
    assert "turn:5" in shape["plan"]["reasoning"]
    facts = [id for id in fresh if id.startswith("memory:fact_")]
    assert facts
    assert all(later.get(id, 1) >= 0.8 for id in facts)


def test_row_81_after_thirty_days_a_turn_is_its_summary_unless_it_is_asked_for(meridia, db):
    long = "The oak legs are turned on a lathe. " + "They taper towards the floor. " * 60
    event = {"kind": "user_message", "person": "Odile", "payload": {"text": long}}
    event |= {"ts": "2026-03-01T11:00:00Z", "session": {"key": "s2"}}
    meridia("capture", "--db", db, stdin=json.dumps(event))
    ask = ("plan", "How are the oak legs turned on a lathe?", "--json", "--load", "--db", db)

    def lengths(*options: str) -> dict[str, tuple[bool, int]]:
        found = meridia(*ask, *options).json["documents"]
        return {one["node_id"]: (one["archived"], len(one["text"])) for one in found}

    (turn,) = [id for id, (_, size) in lengths("--as-of", NEXT_DAY).items() if size > len(long)]
    archived, size = lengths("--as-of", ARCHIVED)[turn]
    assert archived
    assert size < 700
    assert lengths("--as-of", ARCHIVED, "--cold")[turn][1] > len(long)


def test_row_78_the_stored_plans_are_counted_by_type(meridia, db, plan):
    plan("--as-of", NEXT_DAY)
    stats = meridia("plan", "--stats", "--json", "--db", db).json
    assert stats["plans"] > 0
    assert set(stats["types"]) <= set(TYPES)
    assert stats["mean_nodes"] > 0
    assert {"halted", "failures", "failure_rate", "mean_nodes_failed"} <= set(stats)
