"""Upkeep of the lists: damage is found, and lists built again say what they said."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.ports import Finding, FindingKind
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.core.types import Seq, Space
from meridia.storage import upkeep
from meridia.storage.forgetting.erasure import ForgettingRequest, erase
from meridia.storage.projections.session_states import SessionStates
from meridia.storage.upkeep import (
    erased_count,
    explain,
    finish,
    newest_forgetting,
    rebuild_lists,
    unfinished,
    verify,
)
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
from tests.ingest.forgetting.told import PLAIN, tell


def test_a_held_event_that_was_changed_is_found():
    with journal_with_lists() as (journal, file):
        outline(journal, HOME, HistoryEvent("what was said"))
        assert list(verify(file, HOME)) == []
        with file.database.writing() as connection:
            connection.execute("UPDATE provisional SET body = replace(body, 'what', 'that')")
        assert list(verify(file, HOME)) != []


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
            connection.execute("DELETE FROM full_text")
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


@pytest.mark.parametrize("kind", FindingKind)
def test_a_finding_is_explained_by_its_kind(kind):
    diagnosis = explain(Finding(Space("s"), Seq(3), "whatever it says", kind))
    assert diagnosis.finding == "entry 3: whatever it says"
    command = "meridia rebuild" if kind is FindingKind.LIST else "meridia restore BACKUP --replace"
    assert diagnosis.command == command
    assert diagnosis.damage
    assert diagnosis.meaning


def test_what_verify_finds_has_its_kind():
    with Memory(None, "s", Settings(embedding=EmbeddingSettings(enabled=False))) as memory:
        memory.remember("A heron.")
        memory.enrich()
        run = memory.parts.database.connection.execute
        run("UPDATE experience SET significance = 0.123")
        assert {finding.kind for finding in memory.upkeep.verify()} == {FindingKind.LIST}
        run("DELETE FROM experience")
        assert {finding.kind for finding in memory.upkeep.verify()} == {FindingKind.LIST}
        run("DROP TRIGGER payload_is_never_changed")
        run("UPDATE payload SET body = '{}' WHERE seq = 1")
        assert FindingKind.JOURNAL in {finding.kind for finding in memory.upkeep.verify()}


def test_it_waits_for_who_reads_what_was_there_before(tmp_path):
    path = tmp_path / "journal.db"
    with Memory(path, "default", PLAIN) as memory, Memory(path, "default", PLAIN) as reader:
        tell(memory, range(3))
        file, space = memory.parts, memory.space
        assert newest_forgetting(file, space) == erased_count(file, space) == 0
        file.database.connection.execute("PRAGMA busy_timeout = 50")
        with reader.parts.snapshot():
            reader.parts.journal.read(space)
            done = erase(file, space, ForgettingRequest(session="s1"), lambda _: tuple)
            assert unfinished(file) == [(space, done.seq)]
            assert not finish(file, space, done.seq)
        assert finish(file, space, done.seq)
        assert unfinished(file) == []
        assert newest_forgetting(file, space) == done.seq
        assert erased_count(file, space) == len(done.selection.entries)
