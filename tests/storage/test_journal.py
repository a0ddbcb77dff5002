"""The journal in SQLite: the contract of all journals, and what only this file can suffer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import Conflict, Damaged, InvalidInput, MeridiaError, NotFound
from meridia.core.events import encode
from meridia.core.ids import content_hash
from meridia.core.settings import Settings
from meridia.core.types import Entry, EntryDraft, EntryKind, Outcome, Space
from meridia.storage.journal import fingerprints, matching
from meridia.storage.store import Store, open_store
from meridia.storage.upkeep import verify
from tests.drafts import a_draft, recorded
from tests.fakes import START, SeededBytes, TickingClock
from tests.graph.journal_files import before_statement
from tests.in_memory_journal import HEADER, InMemoryJournal
from tests.storage.journal_contract import (
    AWAY,
    HOME,
    JournalContract,
    message_draft,
    person_draft,
    small_journal,
)


class SqliteBackend:
    """A journal in SQLite under test."""

    columns = (
        *(
            ("entry", column)
            for column in "kind id key stream previous at recorded_at payload_hash hash".split()
        ),
        ("payload", "salt"),
        ("payload", "body"),
    )

    def __init__(self, file: Store) -> None:
        self.file = file
        self.journal = file.journal
        path = str(file.database.path)
        self.expression = (
            "__import__('meridia.storage.store').storage.store.open_store("
            f"__import__('pathlib').Path({path!r}), "
            "__import__('meridia.core.settings').core.settings.Settings()).journal"
        )

    def run(self, statement: str, *values: Any) -> list[Any]:
        with self.file.database.writing() as connection:
            return connection.execute(statement, values).fetchall()

    def unlock(self) -> None:
        for (name,) in self.run("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            self.run(f"DROP TRIGGER {name}")

    def value(self, table: str, column: str, seq: int) -> Any:
        return self.run(f"SELECT {column} FROM {table} WHERE seq = ?", seq)[0][0]

    def change(self, table: str, column: str, seq: int, value: Any) -> None:
        self.run(f"UPDATE {table} SET {column} = ? WHERE seq = ?", value, seq)

    def remove(self, table: str, seq: int) -> None:
        self.run(f"DELETE FROM {table} WHERE seq = ?", seq)

    def swap(self, table: str, one: int, other: int) -> None:
        for old, new in ((one, -1), (other, one), (-1, other)):
            self.run(f"UPDATE {table} SET seq = ? WHERE seq = ?", new, old)


class TestSqliteJournal(JournalContract):
    @contextmanager
    def fresh(self, *, shared: bool = False) -> Iterator[SqliteBackend]:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "journal.db" if shared else None
            file = open_store(path, Settings(), TickingClock(), SeededBytes())
            try:
                yield SqliteBackend(file)
            finally:
                file.close()


@pytest.fixture
def backend(private_file) -> SqliteBackend:
    return SqliteBackend(private_file)


def problems(backend: SqliteBackend, space: Space = HOME) -> list[str]:
    """Return everything that `meridia verify` finds in a space."""
    return [found.problem for found in verify(backend.file, space)]


def damaged(backend: SqliteBackend, space: Space = HOME) -> bool:
    """Say whether damage is found, in either of the two ways of saying so."""
    try:
        return bool(problems(backend, space))
    except Damaged:
        return True


# Hashes


def test_the_chain_is_the_same_whenever_the_same_is_written():
    heads = []
    for _ in range(2):
        file = open_store(None, Settings(), TickingClock(), SeededBytes())
        small_journal(file.journal)
        heads.append(file.journal.head(HOME))
        file.close()
    assert heads[0] == heads[1]


def test_the_chain_begins_anew_in_every_space_and_knows_its_name(backend):
    for space in (HOME, AWAY):
        backend.journal.append(space, [message_draft("same", "m-1")])
    home, away = (backend.journal.read(space)[0] for space in (HOME, AWAY))
    assert home.hash != away.hash
    backend.run("UPDATE space SET name = 'hut' WHERE name = 'away'")
    assert damaged(backend, Space("hut"))


def test_a_row_that_was_moved_into_another_space_is_found(backend):
    small_journal(backend.journal)
    seq = backend.journal.append(AWAY, [message_draft("away")])[0].seq
    backend.unlock()
    backend.change("entry", "space", seq, 1)
    assert damaged(backend, HOME)


# What a byte that flipped can do to this file: every case must be found by `meridia verify`


def test_a_payload_that_lost_its_entry_is_found(backend):
    seq = small_journal(backend.journal)[3].seq
    backend.unlock()
    backend.change("payload", "seq", seq, 999)
    assert damaged(backend)


def test_a_derived_payload_that_lost_its_entry_is_found(backend):
    seq = small_journal(backend.journal)[2].seq
    backend.unlock()
    backend.change("payload", "seq", seq, 999)
    assert damaged(backend)


def test_the_newest_experience_that_was_taken_out_is_found(backend):
    seq = small_journal(backend.journal)[-1].seq
    backend.unlock()
    backend.remove("entry", seq)
    assert damaged(backend)


def test_the_newest_derived_entry_that_was_taken_out_is_found(backend):
    backend.journal.append(HOME, [message_draft("one"), person_draft("Dana")])
    backend.unlock()
    backend.remove("entry", 2)
    backend.remove("payload", 2)
    assert damaged(backend)


def test_a_sequence_that_was_changed_is_found(backend):
    seq = small_journal(backend.journal)[-1].seq
    backend.unlock()
    for table in ("entry", "payload"):
        backend.change(table, "seq", seq, seq + 1000)
    assert damaged(backend)


def test_the_space_of_a_payload_that_was_changed_is_found(backend):
    seq = small_journal(backend.journal)[0].seq
    backend.unlock()
    backend.change("payload", "space", seq, 7)
    assert damaged(backend)


def test_a_salt_that_grew_is_found(backend):
    seq = small_journal(backend.journal)[0].seq
    backend.unlock()
    backend.change("payload", "salt", seq, bytes(17))
    assert damaged(backend)


@pytest.mark.parametrize(("table", "column"), [("entry", "kind"), ("payload", "body")])
def test_text_that_is_no_longer_utf_8_is_found(backend, table, column):
    seq = small_journal(backend.journal)[1].seq
    backend.unlock()
    backend.run(f"UPDATE {table} SET {column} = CAST(x'61ff' AS TEXT) WHERE seq = ?", seq)
    assert damaged(backend)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [("entry", "kind", "Rumour"), ("entry", "at", "noon"), ("payload", "body", "{")],
)
def test_reading_a_row_that_makes_no_sense_says_that_it_is_damaged(backend, table, column, value):
    seq = small_journal(backend.journal)[1].seq
    backend.unlock()
    backend.change(table, column, seq, value)
    with pytest.raises(Damaged):
        backend.journal.read(HOME)


def test_an_index_that_lacks_an_entry_is_found(journal_path):
    file = open_store(journal_path, Settings(), TickingClock(), SeededBytes())
    small_journal(file.journal)
    connection = file.database.connection
    definition = "SELECT sql FROM sqlite_master WHERE name = 'entry_by_stream'"
    (right,) = connection.execute(definition).fetchone()
    connection.execute("DROP INDEX entry_by_stream")
    connection.execute(right.replace("IS NOT NULL", "IS NOT NULL AND seq < 6"))
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'entry_by_stream'", (right,))
    file.close()
    again = open_store(journal_path, Settings(), TickingClock(), SeededBytes())
    found = list(islice(verify(again, HOME), 1000))
    again.close()
    assert 0 < len(found) < 1000


def test_a_journal_that_grows_while_it_is_verified_is_not_damaged(tmp_path):
    for place in range(8):
        file, other = (open_store(tmp_path / f"{place}.db", Settings()) for _ in range(2))
        file.journal.append(HOME, [message_draft("first")])
        grow = before_statement(
            place, lambda other=other: other.journal.append(HOME, [message_draft("2")])
        )
        file.database.connection.set_trace_callback(grow)
        found = [finding.problem for finding in verify(file, HOME)]
        file.database.connection.set_trace_callback(None)
        for each in (file, other):
            each.close()
        assert found == []


# Joined transactions


def test_a_refused_batch_leaves_nothing_behind_in_a_transaction_around_it(backend):
    backend.journal.append(HOME, [message_draft("one", "m-1")])
    with backend.file.database.writing(), pytest.raises(Conflict):
        backend.journal.append(HOME, [message_draft("two", "m-2"), message_draft("other", "m-1")])
    assert [entry.key for entry in backend.journal.read(HOME)] == ["m-1"]


def test_appends_inside_of_a_transaction_are_undone_with_it(backend):
    backend.journal.append(HOME, [message_draft("one")])

    def interrupted() -> None:
        with backend.file.database.writing():
            backend.journal.append(HOME, [message_draft("two")])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(backend.journal.read(HOME)) == 1
    assert problems(backend) == []


def test_a_space_that_was_undone_does_not_lend_its_number_to_another(backend):
    def interrupted() -> None:
        with backend.file.database.writing():
            backend.journal.append(HOME, [message_draft("one")])
            backend.journal.append(HOME, [message_draft("two")])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    backend.journal.append(AWAY, [message_draft("of somebody else")])
    backend.journal.append(HOME, [message_draft("mine")])
    assert [recorded(e)["event"]["payload"]["text"] for e in backend.journal.read(HOME)] == ["mine"]


# Small things


def test_entries_of_one_kind_are_found_without_reading_the_rest(backend):
    small_journal(backend.journal)
    backend.journal.append(HOME, [person_draft("Bob")])
    of_kind = backend.journal.of_kind
    assert [recorded(e)["name"] for e in of_kind(HOME, EntryKind.PERSON_MET)] == [
        "Dana",
        "Bob",
    ]
    assert [recorded(e)["name"] for e in of_kind(HOME, EntryKind.PERSON_MET, 3)] == ["Bob"]


def test_entries_are_counted_by_kind(backend):
    small_journal(backend.journal)
    assert backend.journal.count(HOME) == {"ExperienceCaptured": 5, "PersonMet": 1}


def test_an_empty_batch_creates_no_space(backend):
    assert backend.journal.append(HOME, []) == []
    assert backend.journal.spaces() == []


def test_a_space_or_key_that_is_no_text_is_refused(backend):
    with pytest.raises(InvalidInput):
        backend.journal.append(Space("half \ud800"), [message_draft("one")])
    with pytest.raises(InvalidInput):
        backend.journal.append(HOME, [message_draft("one", "half \ud800")])


# Held events


def skeleton(text: str, key: str = "m-1", **more: Any) -> EntryDraft:
    """Return the draft of an experience of which an outline is kept, and the event for a while."""
    event = recorded(message_draft(text))["event"]
    payload = {
        "hash": content_hash(encode(event)),
        "skeleton": {"kind": "user_message", "payload": {}},
    }
    held = {"provisional": event, "provisional_until": START} | more
    return a_draft(EntryKind.EXPERIENCE_CAPTURED, key, payload, outcome=Outcome.OUTLINE, **held)


def readers(backend: SqliteBackend, id: str) -> list[Entry]:
    """Return an entry as each of the ways to read one gives it."""
    journal = backend.journal
    found = [
        journal.read(HOME),
        journal.of_kind(HOME, EntryKind.EXPERIENCE_CAPTURED),
        journal.by_keys(HOME, EntryKind.EXPERIENCE_CAPTURED, [id]),
        journal.by_ids(HOME, [entry.id for entry in journal.read(HOME)]),
    ]
    assert all(len(entries) == 1 for entries in found)
    return [entries[0] for entries in found]


def test_an_event_that_is_held_is_read_with_its_entry_and_is_no_part_of_it(backend):
    (answer,) = backend.journal.append(HOME, [skeleton("secret")])
    assert answer.outcome is Outcome.OUTLINE
    for entry in readers(backend, "m-1"):
        assert entry.provisional == recorded(message_draft("secret"))["event"]
        assert "secret" not in str(entry.payload)
    chained = backend.journal.head(HOME)
    backend.run("DELETE FROM provisional")
    assert problems(backend) == []
    assert backend.journal.head(HOME) == chained
    assert [entry.provisional for entry in readers(backend, "m-1")] == [None] * 4


def test_the_projections_see_the_event_that_is_held(backend):
    backend.journal.append(HOME, [skeleton("secret")])
    assert backend.file.catalog.find(HOME, "m-1").text == "secret"


def test_a_held_event_that_cannot_be_kept_keeps_the_whole_batch_out(backend):
    backend.journal.append(HOME, [message_draft("first")])
    wrong = {"kind": "user_message", "payload": {"text": "nul \0"}}
    for drafts in (
        [skeleton("x", provisional=wrong)],
        [skeleton("x"), message_draft("half \ud800")],
    ):
        with pytest.raises(InvalidInput):
            backend.journal.append(HOME, drafts)
    assert len(backend.journal.read(HOME)) == 1
    assert backend.run("SELECT count(*) FROM provisional") == [(0,)]
    assert problems(backend) == []


def test_the_same_event_again_is_redelivered_whatever_was_decided_about_it(backend):
    first = backend.journal.append(HOME, [skeleton("hello")])[0]
    for again in (skeleton("hello"), message_draft("hello", "m-1")):
        (answer,) = backend.journal.append(HOME, [again])
        assert (answer.seq, answer.outcome) == (first.seq, Outcome.REDELIVERED)
    backend.run("DELETE FROM provisional")
    assert backend.journal.append(HOME, [message_draft("hello", "m-1")])[0].seq == first.seq
    assert len(backend.journal.read(HOME)) == 1


def test_a_whole_event_that_comes_again_as_a_skeleton_is_redelivered(backend):
    backend.journal.append(HOME, [message_draft("hello", "m-1")])
    assert backend.journal.append(HOME, [skeleton("hello")])[0].outcome is Outcome.REDELIVERED
    assert backend.run("SELECT count(*) FROM provisional") == [(0,)]


@pytest.mark.parametrize(
    "again", [message_draft("other", "m-1"), skeleton("other")], ids=["whole", "out"]
)
def test_another_event_under_the_id_of_a_skeleton_is_a_conflict(backend, again):
    backend.journal.append(HOME, [skeleton("hello")])
    with pytest.raises(Conflict):
        backend.journal.append(HOME, [again])


def test_a_body_that_somebody_wrote_already_is_what_is_kept(backend):
    body = '{"aliases":[],"name":"Dana","person":"p"}'
    draft = a_draft(EntryKind.PERSON_MET, "k", {"name": "Dana"}, body=body)
    plain = a_draft(EntryKind.PERSON_MET, "l", {"name": "Dana"})
    backend.journal.append(HOME, [draft, plain])
    assert backend.run("SELECT DISTINCT body FROM payload") == [(body,)]
    assert problems(backend) == []


# Some entries


def test_the_entries_of_a_stream_are_those_of_one_session_in_order(backend):
    answers = small_journal(backend.journal)
    ids = [entry.id for entry in backend.journal.stream(HOME, "s-1")]
    assert ids == [answers[place].id for place in (0, 3, 5)]
    assert [e.id for e in backend.journal.stream(HOME, "s-1", answers[0].seq)] == ids[1:]
    assert backend.journal.stream(HOME, "s-1", answers[5].seq) == []
    assert backend.journal.stream(HOME, "nobody") == []


def test_entries_are_found_by_some_of_their_keys_within_their_kind(backend):
    small_journal(backend.journal)
    by_keys, kind = backend.journal.by_keys, EntryKind.EXPERIENCE_CAPTURED
    asked = ["m-5", "m-1", "m-1", "nobody", "person-Dana"]
    assert [entry.key for entry in by_keys(HOME, kind, asked)] == ["m-1", "m-5"]
    assert [e.key for e in by_keys(HOME, EntryKind.PERSON_MET, asked)] == ["person-Dana"]
    assert by_keys(HOME, kind, []) == []


def test_entries_are_found_by_some_of_their_ids_within_their_space(backend):
    answers = small_journal(backend.journal)
    (away,) = backend.journal.append(AWAY, [message_draft("away")])
    asked = [answers[4].id, away.id, answers[1].id, "nobody", 'a"b']
    found = backend.journal.by_ids(HOME, asked)
    assert [entry.seq for entry in found] == [answers[1].seq, answers[4].seq]
    assert found == [e for e in backend.journal.read(HOME) if e.id in asked]


def test_what_speaks_about_a_session_is_found_by_its_kind(backend):
    kind, journal = EntryKind.STATE_TRANSITIONED, backend.journal
    said = journal.append(HOME, [message_draft("one", f"m{n}", f"s-{n % 2}") for n in range(3)])
    for number, answer in enumerate(said):
        payload = {"session": f"s-{number % 2}", "transition": "t", "experience": answer.id}
        journal.append(HOME, [a_draft(kind, str(number), payload)])
    journal.append(HOME, [a_draft(EntryKind.EPISODE_SYNTHESISED, "s-0#e", {"session": "s-0"})])
    assert [e.key for e in journal.of_sessions(HOME, kind, ["s-0"])] == ["0", "2"]
    backend.run(f"DELETE FROM payload WHERE seq = {said[-1].seq + 1}")
    assert [e.key for e in journal.of_sessions(HOME, kind, ["s-0"])] == ["2"]
    assert journal.of_sessions(HOME, kind, ["s-9"]) == []


# Appending one after the other


def test_a_conflict_within_a_transaction_leaves_the_others_in(backend):
    backend.journal.append(HOME, [message_draft("one", "m-1", "s")])
    with backend.journal.appending(HOME) as appender:
        second = appender.append(message_draft("two", "m-2", "s"))
        assert (second.seq, appender.next_seq) == (2, 3)
        with pytest.raises(Conflict):
            appender.append(message_draft("other", "m-1"))
        third = appender.append(message_draft("three", "m-3", "s"))
    entries = backend.journal.read(HOME)
    assert [entry.key for entry in entries] == ["m-1", "m-2", "m-3"]
    assert entries[2].previous == second.id
    assert backend.journal.head(HOME).seq == third.seq
    assert problems(backend) == []


def test_what_goes_wrong_within_a_transaction_undoes_it_and_its_space(backend):
    def interrupted() -> None:
        with backend.journal.appending(HOME) as appender:
            appender.append(message_draft("one"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert backend.journal.spaces() == []
    with pytest.raises(NotFound):
        backend.journal.scope(HOME)
    backend.journal.append(AWAY, [message_draft("mine")])
    assert problems(backend, AWAY) == []


def test_transactions_with_and_without_entries_follow_each_other(backend):
    for number in range(3):
        with backend.file.database.writing(), backend.journal.appending(HOME) as appender:
            appender.append(message_draft(str(number), stream="s"))
        with backend.journal.appending(HOME) as appender:
            assert appender.next_seq == number + 2
    entries = backend.journal.read(HOME)
    assert [entry.previous for entry in entries] == [None, entries[0].id, entries[1].id]
    assert problems(backend) == []


SALT = bytes(range(16))


@given(st.dictionaries(st.integers(1, 99), st.sampled_from("abcd"), min_size=1, max_size=3))
def test_only_the_same_event_at_the_same_place_matches(hashes):
    events = fingerprints(hashes, SALT)
    for seq in (*hashes, 100):
        for guess in "abcd":
            expected = guess == hashes[seq] if seq in hashes else None
            assert matching([events], seq, guess) is expected


def test_the_same_content_looks_different_in_another_forgetting():
    one, other = fingerprints({1: "a"}, SALT), fingerprints({1: "a"}, bytes(16))
    assert one.fingerprints != other.fingerprints
    assert matching([other, one], 1, "a")


def test_a_hash_costs_less_where_there_are_many():
    costs = [fingerprints(dict.fromkeys(range(n), "a"), SALT).cost for n in (1, 99, 100, 1000)]
    assert costs == [10, 10, 9, 6]
    assert fingerprints({}, SALT) is None
    assert matching([], 1, "a") is None


class InMemoryBackend:
    """A journal in memory under test; like a file, its rows are locked until somebody tampers."""

    columns = (
        *(("entry", column) for column in (*HEADER, "payload_hash", "hash")),
        ("payload", "salt"),
        ("payload", "body"),
    )
    expression = ""

    def __init__(self) -> None:
        self.journal = InMemoryJournal(TickingClock(), SeededBytes())
        self.locked = True

    def unlock(self) -> None:
        self.locked = False

    def value(self, table: str, column: str, seq: int) -> Any:
        return self._table(table)[seq][column]

    def change(self, table: str, column: str, seq: int, value: Any) -> None:
        self._refuse_locked()
        self._table(table)[seq][column] = value

    def remove(self, table: str, seq: int) -> None:
        if table == "entry":
            self._refuse_locked()
        del self._table(table)[seq]

    def swap(self, table: str, first: int, second: int) -> None:
        rows = self._table(table)
        rows[first], rows[second] = rows[second], rows[first]

    def _table(self, name: str) -> dict[int, dict[str, Any]]:
        return {"entry": self.journal.rows.entry, "payload": self.journal.rows.payload}[name]

    def _refuse_locked(self) -> None:
        if self.locked:
            raise MeridiaError("the journal is append-only")


class TestInMemoryJournal(JournalContract):
    # It lives in one process.
    test_processes_lose_nothing_and_double_nothing = None

    @contextmanager
    def fresh(self, *, shared: bool = False) -> Iterator[InMemoryBackend]:
        yield InMemoryBackend()
