"""What every journal owes its callers, whatever it is kept in.

A backend's test file makes a class of its own from `JournalContract` and says in `fresh` how one
is opened. Nothing here knows SQL: a backend that is tampered with does that itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia.core.entries import EntitiesUnmerged
from meridia.core.errors import Conflict, InvalidInput, MeridiaError, NotFound
from meridia.core.ids import person_id
from meridia.core.types import Acknowledgement, Entry, EntryDraft, EntryKind, Outcome, Space
from meridia.storage.journal import Journal
from tests.drafts import a_draft, recorded
from tests.graph.journal_drafts import (
    AWAY,
    CAPTURED,
    HOME,
    MET,
    WRITER,
    another,
    check_written,
    facts,
    findings,
    flips,
    message_draft,
    person_draft,
    small_journal,
    texts,
    write_all,
)

# The same tests run for every backend, one class each.
inherited = settings(suppress_health_check=[HealthCheck.differing_executors])


class Backend(Protocol):
    """A journal under test, and the ways to it that its users do not have."""

    journal: Journal
    #: A Python expression that opens the same journal in another process.
    expression: str
    #: The columns that a row's hash covers, and the tables they are in.
    columns: Sequence[tuple[str, str]]

    def unlock(self) -> None:
        """Take away whatever keeps rows from being changed."""

    def value(self, table: str, column: str, seq: int) -> Any:
        """Return one value as stored."""

    def change(self, table: str, column: str, seq: int, value: Any) -> None:
        """Overwrite one value."""

    def remove(self, table: str, seq: int) -> None:
        """Remove one row."""

    def swap(self, table: str, first: int, second: int) -> None:
        """Let two rows change places."""


class JournalContract:
    """The tests; a subclass whose name begins with Test says how a journal is opened."""

    def fresh(self, *, shared: bool = False) -> AbstractContextManager[Backend]:
        """Open a new journal; with `shared`, one that other processes can open too."""
        raise NotImplementedError

    @pytest.fixture
    def backend(self) -> Iterator[Backend]:
        with self.fresh() as backend:
            yield backend

    @pytest.fixture
    def journal(self, backend: Backend) -> Journal:
        return backend.journal

    # Appending and reading

    def test_entries_come_back_in_the_order_they_went_in(self, journal):
        answers = small_journal(journal)
        entries = journal.read(HOME)
        assert [entry.seq for entry in entries] == [answer.seq for answer in answers]
        assert [entry.id for entry in entries] == [answer.id for answer in answers]
        assert all(earlier.seq < later.seq for earlier, later in pairwise(entries))
        assert [entry.key for entry in entries[:4]] == ["m-1", "m-2", "person-Dana", "m-3"]
        assert {answer.outcome for answer in answers} == {Outcome.CAPTURED}

    def test_an_entry_without_a_key_is_known_by_its_own_id(self, journal):
        (answer,) = journal.append(HOME, [message_draft()])
        assert answer.event_id == answer.id == journal.read(HOME)[0].key
        assert journal.append(HOME, [message_draft()])[0].outcome is Outcome.CAPTURED

    @inherited
    @given(st.dictionaries(texts, st.none() | st.integers() | texts | st.lists(texts), max_size=4))
    def test_any_payload_comes_back_as_it_went_in(self, payload):
        event = {"kind": "user_message", "payload": payload}
        with self.fresh() as backend:
            backend.journal.append(HOME, [a_draft(CAPTURED, "k", {"event": event})])
            assert recorded(backend.journal.read(HOME)[0])["event"] == event
            assert findings(backend.journal) == []

    def test_an_entry_says_when_it_happened_and_when_it_was_learned(self, journal):
        then = datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
        journal.append(HOME, [message_draft("past", at=then), message_draft("now")])
        past, now = journal.read(HOME)
        assert past.at == then < past.recorded_at
        assert now.at == now.recorded_at >= past.recorded_at

    def test_an_entry_tells_its_predecessor_in_its_stream(self, journal):
        ids = [answer.id for answer in small_journal(journal)]
        previous = [entry.previous for entry in journal.read(HOME)]
        assert previous == [None, None, None, ids[0], None, ids[3]]

    def test_streams_of_one_batch_know_their_predecessors_too(self, journal):
        batch = [message_draft(str(i), f"m-{i}", f"s-{i % 2}") for i in range(6)]
        ids = [answer.id for answer in journal.append(HOME, batch)]
        assert [e.previous for e in journal.read(HOME)] == [None, None, *ids[:4]]

    def test_reading_goes_page_by_page_without_gap_or_repetition(self, journal):
        small_journal(journal)
        whole = facts(journal, HOME)
        for limit in (1, 2, 4, 6, 7):
            after, pages = 0, []
            while page := journal.read(HOME, after, limit):
                assert len(page) <= limit
                pages += [entry.id for entry in page]
                after = page[-1].seq
            assert pages == [fact[2] for fact in whole]
        assert journal.read(HOME, whole[-1][0]) == []

    def test_kinds_narrow_what_a_page_shows(self, journal):
        small_journal(journal)
        assert [entry.key for entry in journal.read(HOME, kinds=[MET])] == ["person-Dana"]
        assert journal.read(HOME, limit=2, kinds=[MET]) == []
        assert len(journal.read(HOME, kinds=[MET, CAPTURED])) == 6

    def test_the_newest_entries_are_those_of_the_space_before_a_sequence(self, journal):
        for number in range(3):
            journal.append(HOME, [message_draft(f"here {number}")])
            journal.append(AWAY, [message_draft(f"there {number}")])
        seqs = [entry.seq for entry in journal.read(HOME)]
        assert [entry.seq for entry in journal.newest(HOME, 2)] == seqs[:0:-1]
        assert [entry.seq for entry in journal.newest(HOME, 9, before=seqs[1])] == seqs[:1]

    def test_the_head_is_the_last_entry(self, journal):
        small_journal(journal)
        head, last = journal.head(HOME), journal.read(HOME)[-1]
        assert (head.seq, head.hash) == (last.seq, last.hash)

    # Looking up

    def test_entries_are_looked_up_by_kind_stream_key_and_id(self, journal):
        seqs = [answer.seq for answer in small_journal(journal)]
        entries = journal.read(HOME)

        def places(found: list[Entry]) -> list[int]:
            return [seqs.index(entry.seq) for entry in found]

        assert places(journal.of_kind(HOME, MET)) == [2]
        assert places(journal.of_kind(HOME, CAPTURED, seqs[1])) == [3, 4, 5]
        assert places(journal.of_kind(HOME, CAPTURED, seqs[0], 2)) == [1, 3]
        assert places(journal.stream(HOME, "s-1")) == [0, 3, 5]
        assert places(journal.stream(HOME, "s-1", seqs[0])) == [3, 5]
        assert places(journal.by_keys(HOME, CAPTURED, ["m-5", "m-2", "none"])) == [1, 5]
        assert places(journal.by_keys(HOME, MET, ["m-2"])) == []
        assert journal.by_ids(HOME, [entries[4].id, entries[0].id, "none"]) == [
            entries[0],
            entries[4],
        ]
        assert journal.count(HOME) == {CAPTURED: 5, MET: 1}

    def test_entries_about_sessions_are_found_by_their_kind(self, journal):
        kind = EntryKind.EPISODE_SYNTHESISED
        drafts = [a_draft(kind, f"{key}#m", {"session": key}) for key in ("s-1", "s-2", "s-3")]
        journal.append(HOME, [*drafts, a_draft(MET, "s-1#m", {"session": "s-1"})])
        found = journal.of_sessions(HOME, kind, ["s-3", "s-1", "none"])
        assert [entry.key for entry in found] == ["s-1#m", "s-3#m"]

    def test_entries_about_what_somebody_said_are_found_by_their_kind(self, journal):
        said = [("Dana", "m-1"), ("Bob", "m-2"), ("Dana", "m-3")]
        events = [
            {"kind": "user_message", "payload": {"text": key}, "person": person}
            for person, key in said
        ]
        drafts = [a_draft(CAPTURED, event["payload"]["text"], {"event": event}) for event in events]
        ids = [answer.id for answer in journal.append(HOME, drafts)]
        kind = EntryKind.STATE_TRANSITIONED
        told = [{"session": "s", "transition": key, "experience": key} for key in ids]
        journal.append(HOME, [a_draft(kind, each["experience"], each) for each in told])
        other = EntryKind.EXPERIENCE_ENRICHED
        journal.append(HOME, [a_draft(other, ids[0], {"experience": ids[0]})])
        found = journal.of_speakers(HOME, kind, [person_id(HOME, "Dana"), "nobody"])
        assert [entry.key for entry in found] == [ids[0], ids[2]]

    def test_a_conflict_leaves_the_others_in_whoever_goes_on(self, journal):
        with journal.appending(HOME) as appender:
            seq = appender.next_seq
            assert appender.append(message_draft("one", "m-1", "s")).seq == seq
            assert appender.next_seq == seq + 1
            with pytest.raises(Conflict):
                appender.append(message_draft("other", "m-1"))
            appender.append(message_draft("two", "m-2", "s"))
        entries = journal.read(HOME)
        assert [entry.key for entry in entries] == ["m-1", "m-2"]
        assert entries[1].previous == entries[0].id

    # Spaces

    def test_a_space_that_nothing_was_written_to_does_not_exist(self, journal):
        small_journal(journal)
        for ask in (journal.read, journal.head, lambda space: list(journal.verify(space))):
            with pytest.raises(NotFound, match="'nowhere' does not exist"):
                ask(Space("nowhere"))

    def test_spaces_share_nothing(self, journal):
        small_journal(journal)
        (answer,) = journal.append(AWAY, [message_draft("other content", "m-1", "s-1")])
        assert answer.outcome is Outcome.CAPTURED
        (entry,) = journal.read(AWAY)
        assert (entry.space, entry.previous) == (AWAY, None)
        assert len(journal.read(HOME)) == 6
        assert journal.spaces() == [AWAY, HOME]

    @inherited
    @given(st.lists(texts.filter(bool), min_size=1, max_size=4, unique=True))
    def test_a_space_may_have_any_name(self, names):
        with self.fresh() as backend:
            for name in names:
                backend.journal.append(Space(name), [message_draft(name)])
            assert backend.journal.spaces() == sorted(names)
            for name in names:
                assert len(backend.journal.read(Space(name))) == 1
                assert findings(backend.journal, Space(name)) == []

    # Idempotence, and all or nothing

    def test_the_same_again_is_acknowledged_and_not_appended(self, journal):
        first = journal.append(HOME, [message_draft("one", "m-1", "s")])[0]
        before = facts(journal, HOME)
        again = journal.append(HOME, [message_draft("one", "m-1", "s")])[0]
        assert again == Acknowledgement(first.seq, first.id, "m-1", Outcome.REDELIVERED)
        assert facts(journal, HOME) == before

    def test_the_order_of_fields_makes_no_other_content(self, journal):
        event_payload = {
            "event": {"kind": "user_message", "payload": {"text": "x"}, "metadata": {}}
        }
        reordered_payload = {"event": dict(reversed(event_payload["event"].items()))}
        journal.append(HOME, [a_draft(CAPTURED, "m", event_payload)])
        assert (
            journal.append(HOME, [a_draft(CAPTURED, "m", reordered_payload)])[0].outcome
            is Outcome.REDELIVERED
        )

    def test_other_content_under_a_key_of_a_callers_own_is_a_conflict_for_every_kind(self, journal):
        def draft(entity: str, *, own: bool) -> EntryDraft:
            return EntryDraft("key", EntitiesUnmerged(entity, by="user"), has_own_key=own)

        journal.append(HOME, [draft("a", own=True)])
        assert journal.append(HOME, [draft("a", own=True)])[0].outcome is Outcome.REDELIVERED
        with pytest.raises(Conflict, match="'key' is already taken"):
            journal.append(HOME, [draft("b", own=True)])
        # What is worked out is recorded once: the first wins.
        assert journal.append(HOME, [draft("b", own=False)])[0].outcome is Outcome.REDELIVERED
        assert len(journal.read(HOME)) == 1

    def test_the_same_twice_in_one_batch_is_one_entry(self, journal):
        answers = journal.append(HOME, [message_draft("one", "m"), message_draft("one", "m")])
        assert [a.outcome for a in answers] == [Outcome.CAPTURED, Outcome.REDELIVERED]
        assert len(journal.read(HOME)) == 1

    def test_other_content_under_the_same_id_keeps_the_whole_batch_out(self, journal):
        journal.append(HOME, [message_draft("one", "m-1")])
        before = facts(journal, HOME)
        with pytest.raises(Conflict, match=r"'m-1' is already taken in space 'home'"):
            journal.append(
                HOME,
                [
                    message_draft("new", "m-2"),
                    message_draft("other", "m-1"),
                    message_draft("newer", "m-3"),
                ],
            )
        assert facts(journal, HOME) == before

    def test_a_conflict_within_a_batch_leaves_no_trace_of_its_space(self, journal):
        with pytest.raises(Conflict):
            journal.append(HOME, [message_draft("one", "m"), message_draft("two", "m")])
        assert journal.spaces() == []
        with pytest.raises(NotFound):
            journal.read(HOME)

    def test_of_a_derived_entry_the_first_one_stands(self, journal):
        journal.append(HOME, [person_draft("Dana")])
        other = a_draft(MET, "person-Dana", {"person": "person-Dana", "name": "DANA"})
        assert journal.append(HOME, [other])[0].outcome is Outcome.REDELIVERED
        assert [recorded(entry)["name"] for entry in journal.read(HOME)] == ["Dana"]

    def test_a_key_belongs_to_its_kind(self, journal):
        journal.append(HOME, [message_draft("one", "same"), a_draft(MET, "same", {"name": "x"})])
        assert len(journal.read(HOME)) == 2

    @pytest.mark.parametrize(
        "wrong",
        [
            message_draft("nul \0"),
            message_draft("half \ud800"),
            message_draft("naive", at=datetime(2026, 3, 1)),  # noqa: DTZ001 - this is what is tried
            a_draft(CAPTURED, "k", {"event": {"x": object()}}),
            a_draft(CAPTURED, "k", {"event": {"x": float("nan")}}),
        ],
        ids=["nul", "surrogate", "naive time", "no JSON", "no number"],
    )
    def test_input_that_cannot_be_kept_keeps_the_whole_batch_out(self, journal, wrong):
        journal.append(HOME, [message_draft("first")])
        before = facts(journal, HOME)
        with pytest.raises(InvalidInput):
            journal.append(HOME, [message_draft("good"), wrong])
        assert facts(journal, HOME) == before
        assert findings(journal) == []

    @inherited
    @given(
        st.lists(
            st.lists(
                st.tuples(st.sampled_from("abcd"), st.sampled_from("xy"), st.booleans()),
                min_size=1,
                max_size=4,
            ),
            max_size=8,
        )
    )
    def test_any_history_leaves_what_a_simple_model_says(self, history):
        with self.fresh() as backend:
            model: dict[str, str] = {}
            for batch in history:
                trial = dict(model)
                clash = any(trial.setdefault(key, text) != text for key, text, _ in batch)
                drafts = [
                    message_draft(text, key, "s" if in_session else None)
                    for key, text, in_session in batch
                ]
                try:
                    answers = backend.journal.append(HOME, drafts)
                except Conflict:
                    assert clash
                    continue
                assert not clash
                new = sum(answer.outcome is Outcome.CAPTURED for answer in answers)
                assert new == len(trial) - len(model)
                model = trial
            if model:
                entries = backend.journal.read(HOME)
                contents = {e.key: recorded(e)["event"]["payload"]["text"] for e in entries}
                assert list(contents.items()) == list(model.items())
                assert findings(backend.journal) == []

    # Several writers

    def test_threads_lose_nothing_and_double_nothing(self):
        with self.fresh(shared=True) as backend, ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda name: write_all(backend.journal, name), range(4)))
            check_written(backend.journal, answers)

    def test_processes_lose_nothing_and_double_nothing(self):
        with self.fresh(shared=True) as backend:
            writers = [
                subprocess.Popen(
                    [sys.executable, "-c", WRITER, backend.expression, str(name)],
                    stdout=subprocess.PIPE,
                )
                for name in range(3)
            ]
            outputs = [writer.communicate(timeout=60)[0] for writer in writers]
            assert [writer.returncode for writer in writers] == [0, 0, 0]
            check_written(backend.journal, [json.loads(output) for output in outputs])

    # Verification

    def test_nothing_is_found_in_what_nobody_touched(self, backend):
        small_journal(backend.journal)
        backend.journal.append(AWAY, [message_draft("elsewhere")])
        assert findings(backend.journal) == []

    def test_rows_can_neither_be_changed_nor_removed(self, backend):
        seq = small_journal(backend.journal)[2].seq
        before = facts(backend.journal, HOME)
        for table, column in backend.columns:
            with pytest.raises(MeridiaError, match=r"append-only|never changed"):
                backend.change(table, column, seq, backend.value(table, column, seq))
        with pytest.raises(MeridiaError, match="append-only"):
            backend.remove("entry", seq)
        assert facts(backend.journal, HOME) == before

    @inherited
    @given(st.data())
    def test_any_value_that_was_changed_is_found(self, data):
        with self.fresh() as backend:
            answers = small_journal(backend.journal)
            backend.unlock()
            table, column = data.draw(st.sampled_from(backend.columns))
            seq = data.draw(st.sampled_from([answer.seq for answer in answers]))
            old = backend.value(table, column, seq)
            new = data.draw(another(old))
            backend.change(table, column, seq, new)
            assert seq in [damaged for damaged, _ in findings(backend.journal)]

    def test_every_flipped_bit_of_a_payload_is_found(self):
        with self.fresh() as backend:
            seq = backend.journal.append(HOME, [message_draft("ab")])[0].seq
            backend.unlock()
            for column in ("body", "salt"):
                old = backend.value("payload", column, seq)
                for new in flips(old):
                    backend.change("payload", column, seq, new)
                    assert findings(backend.journal) == [
                        (seq, "its payload is not what was written")
                    ]
                backend.change("payload", column, seq, old)
            assert findings(backend.journal) == []

    @inherited
    @given(st.data())
    def test_two_rows_that_changed_places_are_found(self, data):
        with self.fresh() as backend:
            seqs = [answer.seq for answer in small_journal(backend.journal)]
            backend.unlock()
            first, second = data.draw(
                st.lists(st.sampled_from(seqs), min_size=2, max_size=2, unique=True)
            )
            backend.swap(data.draw(st.sampled_from(["entry", "payload"])), first, second)
            assert {first, second} <= {damaged for damaged, _ in findings(backend.journal)}

    @pytest.mark.parametrize("place", range(5))
    def test_an_entry_that_was_taken_out_is_found(self, backend, place):
        seqs = [answer.seq for answer in small_journal(backend.journal)]
        backend.unlock()
        backend.remove("entry", seqs[place])
        assert seqs[place + 1] in [damaged for damaged, _ in findings(backend.journal)]

    def test_a_payload_that_was_erased_is_no_damage(self, backend):
        seqs = [answer.seq for answer in small_journal(backend.journal)]
        backend.remove("payload", seqs[3])
        assert findings(backend.journal) == []
        entries = backend.journal.read(HOME)
        assert [entry.seq for entry in entries if entry.payload is None] == [seqs[3]]

    def test_what_was_erased_does_not_come_back_by_sending_it_again(self, backend):
        seq = backend.journal.append(HOME, [message_draft("secret", "m-1")])[0].seq
        backend.remove("payload", seq)
        assert backend.journal.append(HOME, [message_draft("secret", "m-1")])[0].outcome is (
            Outcome.REDELIVERED
        )
        assert backend.journal.read(HOME)[0].payload is None

    def test_damage_in_one_space_is_no_concern_of_another(self, backend):
        seq = backend.journal.append(HOME, [message_draft("one")])[0].seq
        backend.journal.append(AWAY, [message_draft("two")])
        backend.unlock()
        backend.change("payload", "body", seq, "{}")
        assert findings(backend.journal, AWAY) == []
