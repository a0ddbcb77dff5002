"""Upkeep of one space: where it stands, whether it is whole, building it again."""

import pytest
from fakes import FakeEmbedder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.errors import NotFound
from meridia.core.ids import session_id
from meridia.core.settings import Settings
from meridia.storage import upkeep
from meridia.storage.projections.session_states import SessionStates
from meridia.storage.upkeep import chosen_spaces, rebuild_lists, verify
from tests.fakes import numbered
from tests.graph.listed import (
    AWAY,
    HOME,
    expected_terms,
    indexed,
    journal_with_lists,
    of_seqs,
    rows,
)
from tests.histories import HELD, START, HistoryEvent, every_kind, histories, outline, play


@pytest.fixture
def memory():
    with Memory(None, "s", Settings(), embedder=FakeEmbedder()) as opened:
        for place in range(12):
            opened.remember(
                f"the boat needs paint {place}", person="Dana", session=f"s{place // 5}"
            )
        opened.capture(
            {
                "kind": "tool_result",
                "tool": {"name": "bash"},
                "payload": {"result": "painted", "args": {"cmd": "make paint", "at": "noon"}},
            }
        )
        opened.enrich()
        yield opened


def _answers(memory: Memory):
    return [(hit.id, hit.score) for hit in memory.recall("make the boat painted").hits]


def test_a_projection_that_is_up_to_date_has_no_lag(memory: Memory):
    memory.project()
    status = memory.status(graph=True)
    assert {name: status.lag(name) for name in status.cursors} == {
        "search": 0,
        "enrichment": 0,
        "adjacency": 0,
        "graph": 0,
    }
    assert status.experiences == {"tool_result": 1, "user_message": 12}


def test_what_is_not_projected_yet_is_a_lag(memory: Memory):
    memory.project()
    memory.remember("one more")
    status = memory.status(graph=True)
    assert {status.lag(name) for name in ("search", "adjacency", "graph", "enrichment")} == {1}


def test_rebuilding_everything_changes_no_answer_and_no_digest(memory: Memory):
    digest, answers = memory.digest(), _answers(memory)
    memory.rebuild()
    assert memory.digest() == digest
    assert _answers(memory) == answers
    assert list(verify(memory.parts, memory.space)) == []


def test_row_38_everything_but_the_journal_can_be_dropped(memory: Memory):
    digest, answers = memory.digest(), _answers(memory)
    with memory.parts.database.writing() as connection:
        for table in ("experience", "node", "edge", "cursor"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("DROP TABLE search_1")
    memory.graph().drop()
    memory.rebuild()
    memory.enrich()
    assert memory.digest() == digest
    assert _answers(memory) == answers


def test_a_lost_row_of_the_list_is_found(memory: Memory):
    with memory.parts.database.writing() as connection:
        connection.execute("DELETE FROM experience WHERE seq = 3")
    assert ["rebuild" in found.problem for found in verify(memory.parts, memory.space)] == [True]


def test_a_held_event_that_was_changed_is_found():
    with journal_with_lists() as (journal, file):
        outline(journal, HOME, HistoryEvent("what was said"))
        assert list(verify(file, HOME)) == []
        with file.database.writing() as connection:
            connection.execute("UPDATE provisional SET body = replace(body, 'what', 'that')")
        assert list(verify(file, HOME)) != []


def test_all_spaces_are_meant_where_none_is_named(memory: Memory):
    memory.in_space("other").remember("hello")
    assert chosen_spaces(memory.parts, None) == ["other", "s"]
    assert chosen_spaces(memory.parts, memory.space) == ["s"]
    with pytest.raises(NotFound, match="'nowhere'"):
        chosen_spaces(memory.parts, "nowhere")


# The lists


def without(history, *ways):
    return [step for step in history if step[0] not in ways]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(histories, st.integers(0, 25))
def test_lists_built_again_are_the_lists_that_were_lived(history, expired_after):
    with journal_with_lists() as (journal, file):
        count = 0

        def now_and_then():
            nonlocal count
            count += 1
            if count == expired_after and journal.spaces():
                numbered(file).held_events.expire(START + HELD)

        play(journal, HOME, without(history, "erase"), now_and_then)
        if journal.spaces():
            lived = rows(file)
            rebuild_lists(file, HOME)
            assert rows(file) == lived
            assert list(verify(file, HOME)) == []


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(histories)
def test_lists_built_again_say_the_same_of_all_that_was_not_erased(history):
    with journal_with_lists() as (journal, file):
        play(journal, HOME, history, lambda: None)
        if not journal.spaces():
            return
        lived = rows(file)
        rebuild_lists(file, HOME)
        kept = {entry.seq for entry in journal.read(HOME, 0, 1000) if entry.payload is not None}
        again = rows(file)
        assert again["experience"] == of_seqs(lived["experience"], kept, 1)
        assert again["search"] == of_seqs(lived["search"], kept, 0)
        assert again["search"] == expected_terms(file)
        assert set(again["fact_entry"]) <= set(lived["fact_entry"])
        assert list(verify(file, HOME)) == []
        rebuild_lists(file, HOME)
        assert rows(file) == again


def test_a_life_with_every_kind_of_entry_is_listed_again_row_by_row():
    with journal_with_lists() as (journal, file):
        every_kind(journal, HOME)
        lived = rows(file)
        assert all(lived.values())
        with file.database.writing() as connection:
            for table in ("experience", "relationship", "entity", "fact_entry", "session_state"):
                connection.execute(f"DELETE FROM {table}")
            connection.execute("DROP TABLE search_1")
        rebuild_lists(file, HOME)
        assert rows(file) == lived


def test_a_rebuild_leaves_other_spaces_alone():
    with journal_with_lists() as (journal, file):
        for space in (HOME, AWAY):
            every_kind(journal, space)
        connection = file.database.connection
        lived = rows(file)
        away = indexed(connection, 2), lived
        rebuild_lists(file, HOME)
        assert (indexed(connection, 2), rows(file)) == away


def test_a_rebuild_takes_pages_of_any_size(monkeypatch):
    with journal_with_lists() as (journal, file):
        every_kind(journal, HOME)
        lived = rows(file)
        monkeypatch.setattr(upkeep, "_PAGE", 3)
        rebuild_lists(file, HOME)
        assert rows(file) == lived


def test_a_rebuild_keeps_vectors_and_looks_for_the_ends_of_sessions_again(memory: Memory):
    connection = memory.parts.database.connection
    count = "SELECT count(*) FROM embedding"
    before = connection.execute(count).fetchone()
    rebuild_lists(memory.parts, memory.space)
    assert before == connection.execute(count).fetchone() != (0,)
    sessions = [session_id(memory.space, f"s{number}") for number in range(3)]
    assert numbered(memory.parts).sessions.open_sessions() == sorted(sessions)


def test_a_rebuild_that_fails_changes_nothing(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    with journal_with_lists() as (journal, file):
        every_kind(journal, HOME)
        lived = rows(file)
        monkeypatch.setattr(SessionStates, "rebuild", broken)
        with pytest.raises(ZeroDivisionError):
            rebuild_lists(file, HOME)
        assert rows(file) == lived


def test_the_status_tells_what_ingest_made_of_a_space(memory: Memory):
    tally = memory.status().tally
    assert sum(tally.statuses.values()) == sum(memory.status().experiences.values())
    assert (tally.dead, tally.waiting) == (0, 0)
