"""Understanding: what each experience was like and about, entry by entry, in the real journal."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import StorageFull
from meridia.core.ids import person_id, session_id
from meridia.core.time import from_text
from meridia.core.types import EntryKind
from meridia.ingest.enrichment import rule_pass
from meridia.ingest.enrichment.batch_state import BatchState
from meridia.ingest.enrichment.register import STANDARD
from meridia.ingest.enrichment.space_names import NamesCache
from meridia.storage import work
from tests.drafts import recorded
from tests.ingest.ingest_events import EVENTS, agent, at, boundary, hindsight, result, user
from tests.ingest.ingest_world import HOME, World, a_world

S1 = {"session": {"key": "s1"}}
IMPORTANT = {"metadata": {"important": True}}


def felt_as(engagement: str, valence: float, intensity: float = 0.5, **more: Any) -> dict[str, Any]:
    """Return metadata in which the caller says how it was."""
    signature = {"primary": ["focused"], "intensity": intensity, "valence": valence}
    phenomenology = {"emotionalSignature": signature, "engagementQuality": engagement, **more}
    return {"metadata": {"phenomenology": phenomenology}}


def enriched_payloads(world: World) -> list[dict[str, Any]]:
    return world.payloads_of(EntryKind.EXPERIENCE_ENRICHED)


# How it was lived


def test_row_16_a_failure_concerns_and_any_other_result_is_focused_work(world):
    world.live(
        result("bash", {"cmd": "make"}, "error: no keel", 0, failed=True, **IMPORTANT),
        result("bash", {"cmd": "make"}, "a boat", 900, **IMPORTANT),
    )
    failed, worked = (payload["phenomenology"] for payload in enriched_payloads(world))
    assert failed["emotionalSignature"]["primary"] == ["concerned"]
    assert failed["emotionalSignature"]["valence"] == -0.3
    assert worked["emotionalSignature"]["primary"] == ["focused"]
    assert worked["emotionalSignature"]["valence"] == 0.3
    assert worked["engagementQuality"] == "engaged", "above .8"


def test_row_20_the_callers_own_word_wins_and_its_gaps_are_filled(world):
    world.live(user("We did it!", 0, **felt_as("deep-flow", 0.9)), user("Good boat", 5))
    by_caller, by_rule = enriched_payloads(world)
    assert by_caller["by"] == "caller"
    assert by_caller["phenomenology"]["engagementQuality"] == "deep-flow"
    assert by_caller["phenomenology"]["emotionalSignature"]["valence"] == 0.9
    assert by_rule["by"] == "rule"


@pytest.mark.parametrize("tool", ["experience_capture", "mcp__any__experience_capture"])
@pytest.mark.parametrize("nested", [True, False])
def test_row_20_the_tool_of_the_source_captures_with_its_phenomenology(world, tool, nested):
    felt = felt_as("deep-flow", 0.9, anchors=[{"phrase": "land ho", "significance": "the day"}])
    args = felt["metadata"] if nested else felt["metadata"]["phenomenology"]
    (answer,) = world.live(result(tool, {"topic": "first landfall", **args}, "ok", 0))
    (payload,) = enriched_payloads(world)
    assert (answer.outcome, payload["by"]) == ("captured", "caller")
    assert payload["phenomenology"]["engagementQuality"] == "deep-flow"
    assert payload["phenomenology"]["anchors"][0]["phrase"] == "land ho"


def test_a_tool_of_another_name_says_nothing_of_how_it_was(world):
    world.live(result("experience_search", felt_as("deep-flow", 0.9)["metadata"], "x", **IMPORTANT))
    assert "deep-flow" not in str(enriched_payloads(world))


def test_words_outside_the_vocabulary_never_reach_the_journal(world):
    odd = {"emotionalSignature": {"primary": ["smug"], "intensity": 7}, "engagementQuality": "meh"}
    world.live(user("The boat is fine", 0, metadata={"phenomenology": odd}))
    (payload,) = enriched_payloads(world)
    assert "smug" not in str(payload)
    assert payload["phenomenology"]["engagementQuality"] == "routine"


def test_of_a_skeleton_nothing_is_understood(world):
    (answer,) = world.live(result("read", {"path": "/a.py"}, "the boat of Dana", 0))
    assert (answer.outcome, world.file.catalog.find(HOME, answer.id).status) == (
        "text_only",
        "skeleton",
    )
    assert {entry.kind for entry in world.entries()} == {EntryKind.EXPERIENCE_CAPTURED}


def test_rows_34_and_48_files_and_links_and_people_are_named(world):
    world.live(
        user("Ravi sent https://x.example/keel.pdf to me", 0, person="Dana"),
        user("I did", 5, person="Ravi"),
        user("Dana has it from Ravi", 9, person="Dana"),
    )
    first, _, third = enriched_payloads(world)
    assert [artifact["uri"] for artifact in first["artifacts"]] == ["https://x.example/keel.pdf"]
    assert first["people"] == [], "nobody knows of Ravi before Ravi speaks"
    assert [person["name"] for person in third["people"]] == ["Ravi"], "never the speaker"


# Entities and concepts (row 102)


def test_row_102_entities_are_mentioned_with_type_and_confidence_and_people_apart(world):
    world.live(user("Dana runs PostgreSQL in Hamburg and edits src/keel.py", 0, person="Ravi"))
    (payload,) = world.payloads_of(EntryKind.ENTITIES_MENTIONED)
    kinds = {"ORG", "SYSTEM", "PROJECT", "PLACE", "SKILL", "TOOL", "FILE", "CONCEPT"}
    assert 0 < len(payload["entities"]) <= 10
    for entity in payload["entities"]:
        assert entity["type"] in kinds, "a person has a label of its own"
        assert 0.75 <= entity["confidence"] <= 1
    assert "keel.py" in str(payload["entities"])


# The register (rows 44 to 46)


def transitions(world: World) -> list[dict[str, Any]]:
    return world.payloads_of(EntryKind.STATE_TRANSITIONED)


def test_rows_45_and_46_a_change_is_an_entry_with_field_from_to_time_and_trigger(world):
    (_, second) = world.live(
        user("The boat floats", 0, id="a", **S1, **felt_as("routine", 0.0)),
        user("The boat sinks!", 60, id="b", **S1, **felt_as("struggling", 0.0)),
    )
    (change,) = transitions(world)
    assert (change["field"], change["from"], change["to"]) == (
        "engagement",
        "routine",
        "struggling",
    )
    assert (change["trigger"], change["experience"]) == ("b", second.id)
    assert from_text(change["ts"]).minute == 1
    (entry,) = world.entries(EntryKind.STATE_TRANSITIONED)
    assert entry.key == change["transition"]
    assert entry.at == from_text(change["ts"])


@pytest.mark.parametrize(("by", "changes"), [(0.29, 0), (0.3, 1), (0.31, 1)])
@pytest.mark.parametrize("what", ["valence", "intensity"])
def test_row_45_and_d7_a_feeling_changes_from_three_tenths_on(world, what, by, changes):
    before, after = {"valence": 0.1, "intensity": 0.4}, {"valence": 0.1, "intensity": 0.4}
    after[what] = round(after[what] + by, 2)
    world.live(
        user("First words of it", 0, **S1, **felt_as("routine", **before)),
        user("Second words of it", 5, **S1, **felt_as("routine", **after)),
    )
    assert [change["field"] for change in transitions(world)] == ["emotionalSignature"] * changes


def test_row_44_each_session_has_a_register_of_its_own(world):
    world.live(
        user("The boat floats", 0, session={"key": "a"}, **felt_as("routine", 0.0)),
        user("The boat sinks!", 5, session={"key": "b"}, **felt_as("struggling", -0.9)),
        user("No session at all", 9, **felt_as("deep-flow", 0.9)),
    )
    assert transitions(world) == []
    registers = world.rows("SELECT register FROM session_state WHERE register IS NOT NULL")
    assert len(registers) == 2


def test_a_topic_that_changes_is_a_change_of_focus_and_an_uncertainty_always_is_one(world):
    about = felt_as("routine", 0.0, uncertainties=["Will it float?"])["metadata"]
    world.live(
        user("The keel of it", 0, **S1, metadata={"topic": "keel"}),
        user("The mast of it", 5, **S1, metadata={"topic": "mast"}),
        user("The sail of it", 9, **S1, metadata=about),
        user("The hull of it", 12, **S1, metadata=about),
    )
    changes = [(change["field"], change["to"]) for change in transitions(world)]
    assert ("focus", "mast") in changes
    assert changes.count(("uncertainty", "Will it float?")) == 1


#: A session that goes on, so that nothing of it is looked at again.
SESSION = st.lists(
    EVENTS.filter(lambda event: event["kind"] != "session_boundary"), min_size=1, max_size=10
).map(
    lambda events: [
        {**event, "id": f"e-{i}", "ts": at(i).isoformat(), **S1} for i, event in enumerate(events)
    ]
)


def register_of(world: World) -> Any:
    """Return the session's register as one finds it who knows nothing yet."""
    batch_state = BatchState(world.file, HOME, NamesCache(world.file), STANDARD)
    return batch_state.register(session_id(HOME, "s1"), 1_000_000)


@given(SESSION, st.integers(1, 4), st.sets(st.integers(0, 9)))
def test_it_is_the_same_in_batches_of_any_size_whatever_is_forgotten_between(events, size, lost):
    with a_world() as at_once, a_world() as in_batches:
        at_once.take(*events)
        at_once.catch_up()
        for place, event in enumerate(events):
            if place in lost:
                in_batches.forget_sessions()
            in_batches.take(event)
            if place % size == 0:
                in_batches.another_worker(batch=size).catch_up(HOME)
        in_batches.catch_up()
        kinds = (EntryKind.EXPERIENCE_ENRICHED, EntryKind.STATE_TRANSITIONED)
        for kind in kinds:
            results = [
                [dict(p) for p in world.payloads_of(kind)] for world in (at_once, in_batches)
            ]
            for payload in (*results[0], *results[1]):
                for name in ("experience", "transition", "ts"):
                    payload.pop(name, None)
            assert results[1] == results[0]
        assert register_of(in_batches) == register_of(at_once)


@pytest.mark.parametrize("forgotten", [False, True])
def test_an_upgrade_moves_no_register_for_its_session_has_gone_on(world, forgotten):
    world.live(*hindsight(**S1), {**boundary(425), **S1})
    assert world.payloads_of(EntryKind.EXPERIENCE_REEVALUATED)
    if forgotten:
        world.forget_sessions()
    world.live(user("It sinks", 430, **S1, **felt_as("struggling", -0.9)))
    changes = [(c["from"], c["to"]) for c in transitions(world) if c["field"] == "engagement"]
    assert changes[-1] == ("routine", "struggling")
    assert register_of(world).engagement == "struggling"


# People (rows 47 to 50)


def relation(world: World, name: str) -> Any:
    with world.file.database.reading():
        return world.file.space(HOME).people.find(person_id(HOME, name))


def test_rows_47_and_48_whom_the_session_names_is_met_and_counted(world):
    named = {"session": {"key": "s1", "user": {"displayName": "Dana"}}}
    world.live(user("Hi, it is me again", 0, **named), user("And so on and on", 60, **named))
    person = relation(world, "dana")
    assert (person.display_name, person.interaction_count) == ("Dana", 2)
    assert person.relationship_type == "user"
    assert person.capture_threshold_override is None
    assert (person.last_seen - person.first_seen).total_seconds() == 60
    assert [met["name"] for met in world.payloads_of(EntryKind.PERSON_MET)] == ["Dana"]


def test_row_48_somebody_who_keeps_coming_back_becomes_a_collaborator_by_rule(world):
    for number in range(21):
        session = {"session": {"key": f"s{number % 3}"}}
        world.take(user(f"Message {number} about the boat", number, person="Dana", **session))
    world.take(user("Only here once", 30, person="Ravi", **S1))
    world.catch_up()
    changed = world.payloads_of(EntryKind.RELATIONSHIP_CHANGED)
    dana = person_id(HOME, "Dana")
    change = {"type": "collaborator", "threshold": None, "by": "rule", "before": "user"}
    assert changed == [{"person": dana, **change}]
    assert relation(world, "Dana").relationship_type == "collaborator"
    assert relation(world, "Ravi").relationship_type == "user"


# Questions (rows 82 and 83)


def test_rows_82_and_83_a_solution_anticipates_at_most_two_questions(world):
    world.live(
        result("bash", {"cmd": "make boat"}, "error: no keel", 0, failed=True, **S1, **IMPORTANT),
        result("bash", {"cmd": "make boat"}, "a boat with a keel", 900, **S1, **IMPORTANT),
        user("Thanks, that is a fine boat", 960, **S1),
    )
    (asked,) = world.payloads_of(EntryKind.QUESTIONS_ANTICIPATED)
    assert 1 <= len(asked["questions"]) <= 2
    assert "make boat" in asked["questions"][0]
    assert asked["by"] == "rule"
    solved = world.entries(EntryKind.EXPERIENCE_CAPTURED)[1]
    assert asked["experience"] == solved.id
    assert recorded(solved)["trigger"] == "problem-solution"


@pytest.mark.parametrize(
    "trigger", ["learning-success", "positive-feedback", "corrective-feedback", "none"]
)
def test_row_83_other_triggers_anticipate_nothing(world, trigger):
    world.live(user("The keel goes first, then the mast", 0, metadata={"trigger": trigger}))
    assert world.payloads_of(EntryKind.QUESTIONS_ANTICIPATED) == []


# Facts (row 101)


def test_row_101_what_is_stated_has_four_times_a_stability_and_its_successor(world):
    world.live(
        user("I live in Hamburg.", 0, id="a", person="Dana"),
        user("I live in Lisbon now.", 3600, id="b", person="Dana"),
    )
    old, new = world.payloads_of(EntryKind.FACT_ASSERTED)
    assert (old["object"], new["object"]) == ("Hamburg", "Lisbon")
    assert old["subject_id"] == new["subject_id"] == person_id(HOME, "Dana")
    assert old["stability"] in ("static", "dynamic", "ephemeral", "unknown")
    assert from_text(old["t_valid"]).hour == 10
    (ended,) = world.payloads_of(EntryKind.FACT_SUPERSEDED)
    assert (ended["fact"], ended["by_fact"]) == (old["fact"], new["fact"])
    assert ended["relation"] == "supersedes"
    assert from_text(ended["t_invalid"]).hour == 11
    assert {payload["by"] for payload in (old, new, ended)} == {"rule"}


def test_a_fact_said_again_is_asserted_once_in_one_batch_or_in_two(world):
    message = user("I live in Hamburg.", 0, person="Dana")
    world.take(message, {**message, "ts": "2026-03-02T10:00:00+00:00"})
    world.catch_up()
    world.live({**message, "ts": "2026-03-03T10:00:00+00:00"})
    assert len(world.payloads_of(EntryKind.FACT_ASSERTED)) == 1


def test_an_echo_of_a_recall_states_nothing_and_repeats_nothing(world):
    world.live(
        user("I live in Hamburg.", 0, person="Dana"),
        user("I live in Hamburg.", 9, person="Dana", metadata={"recalled": True}),
        user("I live in Lisbon.", 12, person="Dana", metadata={"recalled": True}),
    )
    assert [fact["object"] for fact in world.payloads_of(EntryKind.FACT_ASSERTED)] == ["Hamburg"]
    assert world.payloads_of(EntryKind.MEMORY_REINFORCED) == []


def test_what_the_agent_or_a_tool_says_states_nothing_about_a_person(world):
    world.live(
        agent("I live in Hamburg.", 0),
        result("bash", {}, "I live in Hamburg.", 5, **IMPORTANT),
    )
    assert world.payloads_of(EntryKind.FACT_ASSERTED) == []


# What cannot be understood


class Stumbling:
    """A stage that fails at texts with a word in them, as often as it is told to."""

    def __init__(self, at: str, times: int, error: type[Exception] = ZeroDivisionError) -> None:
        self.at = at
        self.times = times
        self.error = error

    def __call__(self, context: Any, _batch_state: Any) -> None:
        if self.at in str(context.event) and self.times:
            self.times -= 1
            raise self.error("a secret word: keel")


def letters(world: World) -> list[work.Task]:
    with world.file.database.reading():
        return [*world.file.space(HOME).tasks.waiting(), *world.file.space(HOME).tasks.dead()]


def test_one_that_raises_is_put_aside_and_the_others_go_on(world, monkeypatch):
    stages = (*rule_pass.STAGES[:6], Stumbling("keel", 1), *rule_pass.STAGES[6:])
    monkeypatch.setattr(rule_pass, "STAGES", stages)
    words = ["The mast is up", "The keel is down", "The sail is new"]
    answers = world.live(*[user(text, i, **S1) for i, text in enumerate(words)])
    assert [p["experience"] for p in enriched_payloads(world)] == [answers[0].id, answers[2].id]
    (letter,) = letters(world)
    assert (letter.seq, letter.stage, letter.attempts) == (answers[1].seq, "understanding", 1)
    assert letter.error == "ZeroDivisionError in understanding", "nothing of what was said"
    world.later(hours=1)
    world.live(user("And the boat floats", 9, **S1))
    assert letters(world) == []
    assert answers[1].id in [p["experience"] for p in enriched_payloads(world)]


@pytest.mark.parametrize("error", [OSError, MemoryError, sqlite3.OperationalError, StorageFull])
def test_what_is_wrong_for_all_of_them_puts_none_aside(world, monkeypatch, error):
    monkeypatch.setattr(rule_pass, "STAGES", (Stumbling("keel", 1, error), *rule_pass.STAGES))
    with pytest.raises((error, StorageFull)):
        world.live(user("The keel is down", 0), user("The mast is up", 1))
    assert letters(world) == []
    world.catch_up()
    assert len(enriched_payloads(world)) == 2


def test_what_is_due_is_tried_again_although_nothing_new_came(world, monkeypatch):
    monkeypatch.setattr(rule_pass, "STAGES", (Stumbling("keel", 1), *rule_pass.STAGES))
    world.live(user("The keel is down", 0))
    world.later(hours=1)
    world.catch_up()
    assert letters(world) == []
    assert len(enriched_payloads(world)) == 1


def test_what_fails_five_times_is_a_dead_letter_until_somebody_retries_it(world, monkeypatch):
    monkeypatch.setattr(rule_pass, "STAGES", (Stumbling("keel", 5), *rule_pass.STAGES))
    world.live(user("The keel is down", 0))
    for place in range(6):
        world.later(hours=3)
        world.live(user(f"Another thing {place}", place))
    (letter,) = letters(world)
    assert (letter.dead, letter.attempts) == (True, 5)
    assert world.file.space(HOME).tasks.retry() == 1
    world.live(user("One more thing", 9))
    assert letters(world) == []
    assert "keel" in str([payload["concepts"] for payload in enriched_payloads(world)])


def test_one_that_raised_leaves_no_trace_in_the_register(world, monkeypatch):
    stages = (*rule_pass.STAGES, Stumbling("keel", 99))
    monkeypatch.setattr(rule_pass, "STAGES", stages)
    world.live(
        user("The boat floats", 0, **S1, **felt_as("routine", 0.0)),
        user("The keel is off", 5, **S1, **felt_as("struggling", 0.0)),
        user("The boat floats on", 9, **S1, **felt_as("routine", 0.0)),
    )
    assert transitions(world) == []


def test_an_upgrade_that_raises_is_tried_again(world, monkeypatch):
    monkeypatch.setattr(rule_pass, "STAGES", (Stumbling("purpleheart", 2), *rule_pass.STAGES))
    world.live(*hindsight("purpleheart", **S1), {**boundary(460), **S1})
    judged = world.payloads_of(EntryKind.EXPERIENCE_REEVALUATED)
    upgraded = [payload for payload in judged if payload["status"] == "upgraded"]
    texts = [world.file.catalog.find(HOME, payload["experience"]).text for payload in upgraded]
    assert "purpleheart" in str(texts)
    (letter,) = letters(world)
    assert letter.attempts == 1
    world.later(hours=1)
    world.catch_up()
    assert letters(world) == []
    ids = {payload["experience"] for payload in upgraded}
    assert ids <= {payload["experience"] for payload in enriched_payloads(world)}
