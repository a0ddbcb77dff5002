"""Full text is a projection: whenever it is brought up to date, it says what the list says."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.storage import full_text_index
from meridia.storage.store import Store
from tests.fakes import numbered
from tests.graph.journal_drafts import message_draft
from tests.graph.journal_files import opened
from tests.graph.listed import AWAY, HOME, expected_terms, indexed, journal_with_lists
from tests.histories import HELD, START, HistoryEvent, Step, capture, histories, outline, play

BATCHES = st.integers(1, 3)


def expire(file: Store) -> None:
    numbered(file).held_events.expire(START + HELD)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(histories, st.integers(0, 20), st.sets(st.integers(0, 20)), BATCHES)
def test_full_text_says_what_the_experiences_say_after_any_history(
    history: Sequence[Step], expired_after: int, moments: set[int], batch: int
):
    """Indexed at any moments, in batches of any size, with texts that expire in between."""
    before, full_text_index._BATCH = full_text_index._BATCH, batch
    try:
        with journal_with_lists() as (journal, file):
            count = 0

            def now_and_then() -> None:
                nonlocal count
                count += 1
                if not journal.spaces():
                    return
                if count in moments:
                    file.index(HOME)
                if count == expired_after:
                    expire(file)

            kept = [step for step in history if step[0] != "erase"]
            play(journal, HOME, kept, now_and_then)
            if journal.spaces():
                file.index(HOME)
                assert indexed(file.database.connection) == expected_terms(file)
                assert numbered(file).full_text.until() == journal.head(HOME).seq
    finally:
        full_text_index._BATCH = before


def test_what_is_over_before_anybody_asked_is_indexed_by_its_outline():
    with journal_with_lists() as (journal, file):
        outline(journal, HOME, HistoryEvent("the zanzibar heliograph"))
        capture(journal, HOME, HistoryEvent("a walk"))
        expire(file)
        file.index(HOME)
        assert {term for _, _, term in indexed(file.database.connection)} == {"walk"}


def test_what_is_indexed_twice_is_found_once(private_file):
    for text in ("red barn", "red fox"):
        private_file.journal.append(HOME, [message_draft(text)])
        private_file.index(HOME)
        private_file.index(HOME)
    assert numbered(private_file).full_text.frequencies(["red"]) == {"red": 2}


def test_what_another_version_indexed_is_indexed_anew(private_file, monkeypatch):
    private_file.journal.append(HOME, [message_draft("red barn")])
    private_file.index(HOME)
    monkeypatch.setattr(full_text_index, "PROJECTION", ("search", 99))
    private_file.index(HOME)
    assert indexed(private_file.database.connection) == expected_terms(private_file)
    assert numbered(private_file).full_text.frequencies(["red"]) == {"red": 1}


def test_an_experience_whose_payload_was_erased_is_passed_over(private_file):
    private_file.journal.append(HOME, [message_draft("red barn")])
    with private_file.database.writing() as connection:
        connection.execute("DELETE FROM payload")
    private_file.index(HOME)
    assert numbered(private_file).full_text.match(["red"], 9) == []
    assert numbered(private_file).full_text.until() == 1


def test_every_space_is_brought_up_to_date_alone(private_file):
    for space in (HOME, AWAY):
        private_file.journal.append(space, [message_draft("red barn")])
    private_file.index(AWAY)
    assert [numbered(private_file, number).full_text.until() for number in (1, 2)] == [0, 2]
    assert numbered(private_file).full_text.match(["red"], 9) == []
    assert [seq for seq, _ in numbered(private_file, 2).full_text.match(["red"], 9)] == [2]


def test_who_recalls_finds_what_was_captured_a_moment_ago():
    settings = Settings(embedding=EmbeddingSettings(enabled=False))
    with Memory.open(settings=settings) as memory:
        memory.remember("a walk in the rain")
        assert [hit.text for hit in memory.recall("rain").hits] == ["a walk in the rain"]
        memory.remember("the heron stands in the reeds")
        assert [hit.text for hit in memory.recall("heron").hits] == [
            "the heron stands in the reeds"
        ]


def test_a_file_of_before_is_indexed_as_far_as_it_was(tmp_path):
    """Up to schema 5 an experience was indexed in the transaction that captured it."""
    with opened(tmp_path / "journal.db") as file:
        file.journal.append(HOME, [message_draft("red barn")])
        file.index(HOME)
        with file.database.writing() as connection:
            connection.execute("DELETE FROM cursor WHERE projection = 'search'")
            connection.execute("DELETE FROM migration WHERE name >= '0006'")
            connection.execute("DROP TABLE edge_type")
            connection.execute("DROP TABLE api_key")
            for table in ("person_name", "person_merge", "person_identity", "person_change"):
                connection.execute(f"DROP TABLE {table}")
            connection.execute("ALTER TABLE recall DROP COLUMN inputs")
            connection.execute("ALTER TABLE token_vectors DROP COLUMN pieces")
            connection.execute("ALTER TABLE token_vectors DROP COLUMN checksum")
            connection.execute("ALTER TABLE embedding DROP COLUMN checksum")
            connection.execute("DROP TABLE forgetting")
            connection.execute("DROP TABLE reading")
            connection.execute("DROP TABLE meta")
            connection.execute("DROP INDEX experience_superseded")
            connection.execute("ALTER TABLE experience DROP COLUMN superseded_by")
            connection.execute("PRAGMA user_version = 5")
    with opened(tmp_path / "journal.db") as file:
        file.journal.append(HOME, [message_draft("red fox")])
        file.index(HOME)
        assert numbered(file).full_text.frequencies(["red", "barn"]) == {
            "red": 2,
            "barn": 1,
        }
