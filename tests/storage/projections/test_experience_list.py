"""What is listed of an experience: judged, felt, held for a while, and then really gone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from meridia.core.ids import content_hash
from meridia.core.types import EntryKind, Outcome
from meridia.language.analyser import Analyser
from meridia.storage.projections import experience_list
from meridia.storage.projections.experience_list import HeldEvents
from meridia.storage.projections.text_traits import Trait
from meridia.storage.store import Store
from meridia.storage.upkeep import verify
from meridia.storage.vectors import VectorTable
from tests.drafts import a_draft, a_payload, recorded
from tests.fakes import numbered
from tests.graph.listed import AWAY, HOME, bytes_of, expected_terms, indexed, journal_with_lists
from tests.histories import (
    HELD,
    START,
    HistoryEvent,
    Step,
    capture,
    enrich,
    histories,
    outline,
    play,
)

OVER = START + HELD
#: Words that stand nowhere else in a file.
ODD = HistoryEvent(
    "the zanzibar heliograph", "Dana", "s1", artifacts=[{"uri": "u", "description": "q"}]
)
MODEL = "fake:2:1"


def expire(file: Store, now: Any = OVER, space: int = 1) -> int:
    return numbered(file, space).held_events.expire(now)


def reevaluate(file: Store, id: str, status: str, **more: Any) -> None:
    payload = {"experience": id, "status": status, "reason": "", "neighbourhood": []} | more
    draft = a_draft(EntryKind.EXPERIENCE_REEVALUATED, f"{id}#{status}", payload)
    file.journal.append(HOME, [draft])


def found(file: Store, term: str) -> list[int]:
    return [seq for seq, _ in numbered(file).full_text.match(file.analyser.terms(term), 9)]


def columns(file: Store, names: str, seq: int = 1) -> tuple[Any, ...]:
    statement = f"SELECT {names} FROM experience WHERE seq = ?"
    row: tuple[Any, ...] = file.database.connection.execute(statement, (seq,)).fetchone()
    return row


def held(file: Store) -> list[tuple[int, str | None]]:
    statement = "SELECT seq, expires_at FROM provisional ORDER BY seq"
    return file.database.connection.execute(statement).fetchall()


def embed(file: Store, *texts: str) -> None:
    for text in texts:
        rows = np.array([[0.5, 0.25]], np.float32)
        VectorTable(numbered(file)).record(MODEL, content_hash(text), rows)


def embedded(file: Store, *texts: str) -> set[str]:
    hashes = {content_hash(text): text for text in texts}
    embedded_hashes = VectorTable(numbered(file)).embedded_hashes(MODEL, list(hashes))
    return {hashes[one] for one in embedded_hashes}


# What capture says


def test_an_experience_that_nobody_decided_about_is_evaluated_and_captured(private_file):
    capture(private_file.journal, HOME, HistoryEvent("a walk"))
    assert columns(private_file, "status, outcome, significance") == ("evaluated", "captured", None)


def test_what_was_decided_stands_in_columns(private_file):
    decision = {"significance": 0.4, "status": "evaluated", "mode": "light", "threshold": 0.3}
    payload = {"event": HistoryEvent("a walk").as_json(), "decision": decision}
    private_file.journal.append(HOME, [a_draft(EntryKind.EXPERIENCE_CAPTURED, "", payload)])
    assert columns(private_file, "status, outcome, significance") == ("evaluated", "text_only", 0.4)


@pytest.mark.parametrize(
    ("payload", "outcome"),
    [
        ({"event": {}}, Outcome.CAPTURED),
        ({"event": {}, "decision": {"mode": "full"}}, Outcome.CAPTURED),
        ({"event": {}, "decision": {"mode": "light"}}, Outcome.TEXT_ONLY),
        ({"event": {}, "decision": {"mode": "trace_only"}}, Outcome.TEXT_ONLY),
        ({"skeleton": {}}, Outcome.OUTLINE),
        ({"skeleton": {}, "decision": {"significance": 0.1}}, Outcome.OUTLINE),
        ({"event": {}, "duplicate_of": "e-1"}, Outcome.DUPLICATE),
        ({"skeleton": {}, "duplicate_of": "e-1"}, Outcome.DUPLICATE),
    ],
)
def test_a_payload_tells_what_became_of_its_event(payload, outcome):
    assert experience_list.outcome_of(a_payload(EntryKind.EXPERIENCE_CAPTURED, payload)) is outcome


@pytest.mark.parametrize(
    ("marks", "traits"),
    [
        ([], Trait(0)),
        (["echo"], Trait.ECHO),
        (["short"], Trait.UNFIT),
        (["echo", "short", "banal"], Trait.ECHO | Trait.UNFIT),
    ],
)
def test_what_capture_marked_is_a_trait(private_file, marks, traits):
    payload = {"event": HistoryEvent("a walk?").as_json(), "marks": marks}
    private_file.journal.append(HOME, [a_draft(EntryKind.EXPERIENCE_CAPTURED, "", payload)])
    asks = Trait.ASKS | Trait.ENDS_AS_QUESTION
    assert columns(private_file, "traits") == (asks | traits,)


# What enrichment says


def test_how_it_was_lived_stands_in_columns(private_file):
    felt = {"emotionalSignature": {"primary": ["curious"], "intensity": 0.6, "valence": -0.2}}
    (id,) = capture(private_file.journal, HOME, HistoryEvent("a walk"))
    enrich(
        private_file.journal, HOME, id, HistoryEvent(felt=felt | {"engagementQuality": "engaged"})
    )
    names = "emotional_primary, emotional_intensity, emotional_valence, engagement_quality"
    assert columns(private_file, names) == ('["curious"]', 0.6, -0.2, "engaged")


def test_row_18_two_of_these_columns_are_indexed_within_a_space(private_file):
    """Row 18: schema v2 has four columns and two indexes; all else stays in the payload."""
    rows = private_file.database.connection.execute(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'experience'"
    )
    written = [row[0] for row in rows if row[0]]
    for column in ("engagement_quality", "emotional_intensity"):
        assert any(f"(space, {column})" in statement for statement in written)


def test_an_enrichment_without_feelings_leaves_the_columns_empty(private_file):
    (id,) = capture(private_file.journal, HOME, HistoryEvent("a walk"))
    enrich(private_file.journal, HOME, id, HistoryEvent(concepts={"walk": "walk"}))
    assert columns(private_file, "emotional_intensity, engagement_quality") == (None, None)


def test_another_space_s_experience_is_neither_felt_nor_judged(private_file):
    (away,) = capture(private_file.journal, AWAY, HistoryEvent("a walk"))
    capture(private_file.journal, HOME, HistoryEvent("a walk"))
    enrich(private_file.journal, HOME, away, HistoryEvent(felt={"engagementQuality": "engaged"}))
    reevaluate(private_file, away, "upgraded", event=HistoryEvent("other").as_json())
    reevaluate(private_file, "nobody", "noise")
    for seq in (1, 2):
        row = columns(private_file, "engagement_quality, status", seq)
        assert row == (None, "evaluated")
    assert held(private_file) == []


# Skeletons


def test_a_skeleton_is_whole_while_its_event_is_held(private_file):
    id = outline(private_file.journal, HOME, ODD)
    memory = private_file.catalog.find(HOME, id)
    assert (memory.text, memory.status) == ("the zanzibar heliograph", "skeleton")
    assert memory.artifacts[0].description == "q"
    assert found(private_file, "heliograph") == [1]
    assert columns(private_file, "outcome, words") == ("outline", 3)


def test_nothing_is_over_before_its_time(private_file):
    outline(private_file.journal, HOME, ODD)
    before = OVER - timedelta(microseconds=1)
    assert not numbered(private_file).held_events.is_due(before)
    assert expire(private_file, before) == 0
    assert numbered(private_file).held_events.is_due(OVER)
    assert not numbered(private_file, 2).held_events.is_due(OVER)


def test_what_is_over_leaves_its_outline_and_no_row_with_its_words(private_file):
    id = outline(private_file.journal, HOME, ODD)
    embed(private_file, ODD.text)
    assert expire(private_file) == 1
    memory = private_file.catalog.find(HOME, id)
    assert (memory.text, memory.status, memory.kind) == ("", "skeleton", "user_message")
    assert (memory.person, memory.session, memory.artifacts) == ("Dana", "s1", ())
    assert held(private_file) == []
    assert indexed(private_file.database.connection) == []
    assert embedded(private_file, ODD.text) == set()
    assert columns(private_file, "words, traits, text_hash") == (0, 0, "")
    assert list(verify(private_file, HOME)) == []


def test_of_a_tool_s_result_only_the_name_of_the_tool_is_found_later(private_file):
    event = {"kind": "tool_result", "tool": {"name": "bash"}, "payload": {"result": "zanzibar"}}
    draft = a_draft(
        EntryKind.EXPERIENCE_CAPTURED,
        "",
        {"hash": "x", "skeleton": event | {"payload": {}}},
        provisional=event,
        provisional_until=OVER,
    )
    private_file.journal.append(HOME, [draft])
    assert [found(private_file, word) for word in ("bash", "zanzibar")] == [[1], [1]]
    expire(private_file)
    assert [found(private_file, word) for word in ("bash", "zanzibar")] == [[1], []]


def test_expiring_twice_finds_nothing_more(private_file):
    outline(private_file.journal, HOME, ODD)
    assert [expire(private_file), expire(private_file)] == [1, 0]


def test_what_is_not_over_or_lies_in_another_space_stays(private_file):
    outline(private_file.journal, HOME, ODD)
    outline(private_file.journal, AWAY, replace(ODD, text="elsewhere"))
    later = HistoryEvent("later words").as_json()
    draft = a_draft(
        EntryKind.EXPERIENCE_CAPTURED,
        "",
        {"hash": "x", "skeleton": later | {"payload": {}}},
        provisional=later,
        provisional_until=OVER + timedelta(seconds=1),
    )
    private_file.journal.append(HOME, [draft])
    assert expire(private_file) == 1
    assert [seq for seq, _ in held(private_file)] == [2, 3]
    assert found(private_file, "later") == [3]
    assert numbered(private_file, 2).full_text.match(["elsewher"], 9) != []


def test_a_vector_that_another_experience_needs_stays(private_file):
    outline(private_file.journal, HOME, HistoryEvent("said twice"))
    outline(private_file.journal, HOME, HistoryEvent("said once"))
    capture(private_file.journal, HOME, HistoryEvent("said twice"))
    embed(private_file, "said twice", "said once")
    expire(private_file)
    assert embedded(private_file, "said twice", "said once") == {"said twice"}
    assert found(private_file, "twice") == [3]


def test_what_was_marked_stays_marked_when_the_words_are_gone(private_file):
    payload = {"hash": "x", "skeleton": {"kind": "user_message", "payload": {}}, "marks": ["echo"]}
    draft = a_draft(
        EntryKind.EXPERIENCE_CAPTURED,
        "",
        payload,
        provisional=HistoryEvent("a walk?").as_json(),
        provisional_until=OVER,
    )
    private_file.journal.append(HOME, [draft])
    expire(private_file)
    assert columns(private_file, "traits") == (Trait.ECHO,)


def test_no_sentence_of_what_is_over_is_left_in_the_file(journal_file):
    outline(journal_file.journal, HOME, ODD)
    assert b"zanzibar heliograph" in bytes_of(journal_file)
    expire(journal_file)
    assert b"zanzibar heliograph" not in bytes_of(journal_file)


def test_no_word_of_what_is_over_is_left_in_the_file(journal_file):
    outline(journal_file.journal, HOME, ODD)
    capture(journal_file.journal, HOME, HistoryEvent("a walk"))
    expire(journal_file)
    left = bytes_of(journal_file)
    assert b"zanzibar" not in left
    assert b"heliograph" not in left


def test_what_is_over_is_gone_from_full_text_also_after_the_language_changed(private_file):
    outline(private_file.journal, HOME, HistoryEvent("the boats were painted"))
    HeldEvents(numbered(private_file).space_scope, Analyser("german")).expire(OVER)
    assert indexed(private_file.database.connection) == []


def test_the_held_event_of_an_erased_experience_expires_too(private_file):
    outline(private_file.journal, HOME, ODD)
    with private_file.database.writing() as connection:
        connection.execute("DELETE FROM payload")
    expire(private_file)
    assert held(private_file) == []


# A second look


def test_an_upgraded_skeleton_never_expires(private_file):
    id = outline(private_file.journal, HOME, ODD)
    embed(private_file, ODD.text)
    reevaluate(private_file, id, "upgraded", event=ODD.as_json(), significance=0.7)
    assert not numbered(private_file).held_events.is_due(OVER + 100 * HELD)
    assert expire(private_file, OVER + 100 * HELD) == 0
    memory = private_file.catalog.find(HOME, id)
    assert (memory.text, memory.status) == (ODD.text, "upgraded")
    assert columns(private_file, "significance, outcome") == (0.7, "outline")
    assert held(private_file) == [(1, None)]
    assert found(private_file, "heliograph") == [1]
    assert embedded(private_file, ODD.text) == {ODD.text}
    assert list(verify(private_file, HOME)) == []


def test_an_upgrade_brings_back_what_had_expired(private_file):
    id = outline(private_file.journal, HOME, ODD)
    expire(private_file)
    reevaluate(private_file, id, "upgraded", event=ODD.as_json())
    assert private_file.catalog.find(HOME, id).text == ODD.text
    assert found(private_file, "heliograph") == [1]
    assert columns(private_file, "words, significance") == (3, 0.1)


def test_noise_stays_what_it_was_until_its_time_is_over(private_file):
    id = outline(private_file.journal, HOME, ODD)
    reevaluate(private_file, id, "noise", significance=0.05)
    assert private_file.catalog.find(HOME, id).text == ODD.text
    assert columns(private_file, "status, significance") == ("noise", 0.05)
    assert expire(private_file) == 1
    assert columns(private_file, "status") == ("noise",)


# Any history


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(histories)
def test_after_its_time_only_what_was_upgraded_is_held(history: Sequence[Step]):
    with journal_with_lists() as (journal, file):
        kept = [step for step in history if step[0] != "erase"]
        play(journal, HOME, kept, lambda: None)
        if not journal.spaces():
            return
        expire(file)
        assert {until for _, until in held(file)} <= {None}
        upgraded = {
            recorded(entry)["experience"]
            for entry in journal.of_kind(HOME, EntryKind.EXPERIENCE_REEVALUATED)
            if entry.payload is not None and "event" in recorded(entry)
        }
        by_seq = {entry.seq: entry for entry in journal.read(HOME)}
        assert {by_seq[seq].id for seq, _ in held(file)} == upgraded
        for entry in by_seq.values():
            if entry.payload is not None and "skeleton" in recorded(entry):
                kept_whole = entry.id in upgraded
                assert (entry.provisional is not None) == kept_whole
                assert recorded(entry)["skeleton"]["payload"] == {}
        assert indexed(file.database.connection) == expected_terms(file)
        assert list(verify(file, HOME)) == []


def test_a_skeleton_s_outline_in_the_journal_says_nothing(private_file):
    outline(private_file.journal, HOME, ODD)
    statement = "SELECT body FROM payload WHERE seq = 1"
    (body,) = private_file.database.connection.execute(statement).fetchone()
    assert "zanzibar" not in body
    assert set(json.loads(body)) == {"decision", "hash", "skeleton"}
