"""Replicas over a real PostgreSQL: the contract of all journals, following, forgetting, moving."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from bench.replicas import lists, settings_of
from meridia import Memory
from meridia.core.errors import Conflict, Refused, Unavailable
from meridia.core.settings import Settings
from meridia.core.types import Outcome, Space
from meridia.storage.api_keys import Access
from meridia.storage.postgres.following import Follower, move_in, open_journal
from meridia.storage.postgres.shared_journal import SharedJournal
from meridia.storage.store import Store, open_store
from meridia.storage.upkeep import rebuild_lists, verify
from meridia.storage.work import new_owner
from tests.fakes import SeededBytes, TickingClock
from tests.storage.journal_contract import HOME, JournalContract, message_draft
from tests.storage.test_journal import SqliteBackend

SECRET = "the harbour code is zyxomma"
Open = Callable[[str], Memory]


class TestPostgresJournal(JournalContract):
    """A replica's journal keeps the contract; PostgreSQL holds the same afterwards."""

    @pytest.fixture(autouse=True)
    def _server(self, postgres_server, shared_urls):
        type(self).urls = staticmethod(shared_urls)

    @contextmanager
    def fresh(self, *, shared: bool = False) -> Iterator[SqliteBackend]:
        url = self.urls()
        with TemporaryDirectory() as folder:
            path = Path(folder) / "journal.db" if shared else None
            file = open_journal(path, settings_of(url), TickingClock(), SeededBytes())
            backend = SqliteBackend(file)
            backend.expression = (
                "(f := __import__('meridia.storage.postgres.following', fromlist=['x']), "
                "s := __import__('meridia.core.settings', fromlist=['x']), "
                "f.open_journal(__import__('pathlib').Path("
                f"{str(path)!r}), s.Settings(journal=s.JournalSettings(url={url!r})), "
                "__import__('meridia.core.time', fromlist=['x']).system_clock, "
                "__import__('os').urandom).journal)[-1]"
            )
            try:
                yield backend
            finally:
                file.close()


@pytest.fixture
def replica(shared_url: str, tmp_path: Path) -> Iterator[Open]:
    """Opens replicas of one journal by name; nothing is enriched but when asked."""
    with ExitStack() as opened:

        def open(name: str) -> Memory:
            path = tmp_path / f"{name}.db"
            memory = Memory.open(path, settings=settings_of(shared_url), enrich="manual")
            return opened.enter_context(memory)

        yield open


def held(*memories: Memory) -> None:
    """Check that replicas hold the same, whole, and as a rebuild makes it."""
    heads = {memory.parts.journal.head(memory.space) for memory in memories}
    assert len(heads) == 1
    for memory in memories:
        assert list(verify(memory.parts, memory.space)) == []
    for other in memories[1:]:
        assert lists(other) == lists(memories[0])
        assert other.graph.digest() == memories[0].graph.digest()
    before = lists(memories[0])
    rebuild_lists(memories[0].parts, memories[0].space)
    assert lists(memories[0]) == before


def test_what_one_replica_acknowledged_another_answers_at_once(replica):
    one, other = replica("one"), replica("other")
    one.remember("Dana keeps bees in Bergen", person="Dana", id="m-1")
    assert [memory.text for memory in other.list()] == ["Dana keeps bees in Bergen"]
    again = other.remember("Dana keeps bees in Bergen", person="Dana", id="m-1")
    assert again.outcome is Outcome.REDELIVERED
    with pytest.raises(Conflict):
        other.remember("Dana keeps wasps in Bergen", person="Dana", id="m-1")
    other.update("m-1", "Dana keeps bees in Oslo")
    assert one.get("m-1").text == "Dana keeps bees in Oslo"
    held(one, other)


def test_a_call_asks_once_for_the_head_however_many_calls_it_makes(replica, monkeypatch):
    one, other = replica("one"), replica("other")
    one.remember("Dana keeps bees in Bergen", person="Dana", id="m-1")
    asked, head = [], SharedJournal.head
    monkeypatch.setattr(SharedJournal, "head", lambda shared: asked.append(1) or head(shared))
    for call in (lambda: other.history("m-1"), lambda: other.holds("m-1"), other.list):
        assert call()
        assert asked == [1]
        asked.clear()
    one.remember("Dana keeps wasps in Oslo", person="Dana")
    assert len(other.list()) == 2  # the next call asks again


def test_a_repetition_is_told_from_what_another_replica_captured(replica):
    one, other = replica("one"), replica("other")
    one.remember("the ferry to Bergen leaves at nine", person="Dana")
    answer = other.remember("the ferry to Bergen leaves at nine", person="Dana")
    assert answer.outcome is Outcome.DUPLICATE


def test_enrichment_is_done_once_and_by_turns(replica):
    one, other = replica("one"), replica("other")
    for turn in range(6):
        writer, reader = (one, other) if turn % 2 else (other, one)
        writer.remember(f"I moved to town {turn} and I am happy", person="Dana", session="s")
        reader.enrich()
        head = one.parts.journal.head(one.space)
        writer.enrich()
        assert writer.parts.journal.head(one.space) == head
    assert one.parts.journal.count(one.space) == other.parts.journal.count(one.space)
    held(one, other)


def test_one_file_and_two_replicas_derive_the_same(replica, tmp_path):
    texts = [f"I moved to town {n} and I {word} it" for n in range(8) for word in ("love", "hate")]
    alone = Memory.open(tmp_path / "alone.db", settings=settings_of(""), enrich="manual")
    one, other = replica("one"), replica("other")
    for number, text in enumerate(texts):
        event = {"person": "Dana", "session": f"s-{number % 3}", "id": f"m-{number}"}
        at = f"2026-03-0{1 + number % 7}T09:{number:02}:00+00:00"
        alone.remember(text, at=at, **event)
        (one, other)[number % 2].remember(text, at=at, **event)
        if number % 5 == 4:
            alone.enrich()
            (one, other)[number % 3 % 2].enrich()
    alone.enrich()
    other.enrich()
    assert alone.parts.journal.count("default") == one.parts.journal.count("default")
    assert [m.text for m in alone.list(limit=99)] == [m.text for m in one.list(limit=99)]
    alone.close()
    held(one, other)


def test_a_lease_of_one_replica_keeps_the_other_out_until_it_ends(replica):
    one, other = replica("one"), replica("other")
    one.remember("something", person="Dana")
    other.list()
    leases = [m.parts.space(m.space).leases for m in (one, other)]
    owners, now = [new_owner(), new_owner()], one.parts.clock()
    assert leases[0].take("enrichment", owners[0], now)
    assert not leases[1].take("enrichment", owners[1], now)
    leases[0].release("enrichment", owners[0])
    assert leases[1].take("enrichment", owners[1], now)


@pytest.mark.parametrize("away", [False, True])
def test_what_is_forgotten_on_one_replica_is_gone_from_the_other(
    replica,
    tmp_path,
    shared_url,
    away,
):
    one, other = replica("one"), replica("other")
    one.remember(SECRET, person="Dana", session="s", id="m-1")
    one.remember("Kim likes tea and rain", person="Kim", session="s")
    one.enrich()
    other.enrich()
    assert other.recall("harbour code").hits
    if away:
        other.close()
    result = one.forget(person="Dana")
    assert result.receipt is not None
    assert ["replica" in note for note in result.notes] == [True]
    assert len(one.upkeep.check_receipt(result.receipt)) == 1  # the other has not followed yet
    if away:
        other = replica("other")
    assert [m.person for m in other.list()] == ["Kim"]
    assert not any("zyxomma" in hit.text for hit in other.recall("harbour code").hits)
    assert one.upkeep.check_receipt(result.receipt) == []
    assert other.upkeep.check_receipt(result.receipt) == []
    held(one, other)
    again = other.remember(SECRET, person="Dana", session="s", id="m-1")
    assert again.forgotten
    other.close()
    for file in tmp_path.glob("other.db*"):
        assert b"zyxomma" not in file.read_bytes()
    with psycopg.connect(shared_url) as connection:
        tables = connection.execute(
            "SELECT string_agg(x, '') FROM (SELECT body AS x FROM meridia_payload"
            " UNION ALL SELECT body FROM meridia_held) every"
        ).fetchone()
    assert "zyxomma" not in str(tables)


def test_a_new_replica_knows_what_was_forgotten_before_it(replica):
    one = replica("one")
    one.remember(SECRET, person="Dana", id="m-1")
    one.remember("Kim likes tea and rain", person="Kim")
    one.forget(person="Dana")
    other = replica("other")
    assert other.remember(SECRET, person="Dana", id="m-1").forgotten
    held(one, other)


def test_a_file_with_a_journal_of_its_own_is_refused_and_can_be_moved(
    tmp_path,
    shared_url,
):
    path = tmp_path / "own.db"
    with Memory.open(path, settings=settings_of(""), enrich="manual") as memory:
        memory.remember("Dana keeps bees", person="Dana")
        memory.in_space("work").remember("deploy on Friday", person="Kim")
        memory.enrich()
        digest, head = memory.graph.digest(), memory.parts.journal.head(memory.space)
    with pytest.raises(Refused, match="meridia move"):
        Memory.open(path, settings=settings_of(shared_url))
    heads = move_in(path, settings_of(""), shared_url)
    assert heads[Space("default")] == head
    for name in ("own", "new"):
        replica = Memory.open(tmp_path / f"{name}.db", settings=settings_of(shared_url))
        with replica:
            assert replica.graph.digest() == digest
            assert replica.parts.journal.spaces() == ["default", "work"]
            assert replica.upkeep.verify() == []
    stranger = tmp_path / "stranger.db"
    with Memory.open(stranger, settings=settings_of(""), enrich="manual") as memory:
        memory.remember("another journal")
    with pytest.raises(Refused, match="does not fit"):
        Memory.open(stranger, settings=settings_of(shared_url))


def test_a_connection_that_is_cut_loses_and_doubles_nothing(replica, postgres_server):
    one = replica("one")
    one.remember("before", id="m-0")
    for number in range(1, 6):
        with psycopg.connect(postgres_server.url, autocommit=True) as server:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'meridia'"
            )
        one.remember(f"number {number}", id=f"m-{number}")
    assert len(one.list()) == 6
    held(one, replica("other"))


def test_a_server_that_is_down_is_told_and_nothing_is_kept(replica, postgres_server):
    if not postgres_server.can_be_killed:
        pytest.skip("the server is not ours to kill")
    one = replica("one")
    one.remember("before", id="m-0")
    postgres_server.kill()
    try:
        with pytest.raises(Unavailable, match="does not answer"):
            one.remember("meanwhile", id="m-1")
        with pytest.raises(Unavailable, match="does not answer"):
            one.list()
    finally:
        postgres_server.start()
    assert one.remember("meanwhile", id="m-1").outcome is not Outcome.REDELIVERED
    assert [m.text for m in one.list()] == ["before", "meanwhile"]


def test_an_entry_that_does_not_fit_the_chain_is_not_taken_in(
    replica,
    shared_url,
):
    one = replica("one")
    one.remember("Dana keeps bees", person="Dana")
    with psycopg.connect(shared_url) as server:
        server.execute("UPDATE meridia_payload SET body = replace(body, 'bees', 'wasps')")
    with pytest.raises(Exception, match="does not fit the chain"):
        replica("other")


def test_what_was_committed_there_and_not_here_is_taken_in(replica):
    one = replica("one")
    one.remember("before", id="m-0")
    file: Store = one.parts
    with suppress(ZeroDivisionError), file.database.writing(shared=True):
        file.journal.append(HOME, [message_draft("meanwhile")])
        assert isinstance(file.database.sharing, Follower)
        file.database.sharing.publish()  # as if the process ended right after it
        raise ZeroDivisionError
    assert file.follow() == {HOME}
    assert file.journal.head(HOME) == replica("other").parts.journal.head(HOME)


def test_a_part_of_a_transaction_that_is_undone_is_not_published(replica):
    one = replica("one")
    file: Store = one.parts
    with file.writing():
        one.remember("kept", id="m-0")
        with suppress(ZeroDivisionError), file.writing():
            one.remember("undone", id="m-1")
            raise ZeroDivisionError
    assert [m.text for m in replica("other").list()] == ["kept"]


def test_a_replica_may_be_ahead_of_the_head_that_it_asked_for_in_postgres(replica, monkeypatch):
    one, other = replica("one"), replica("other")
    one.remember("Dana keeps bees", id="m-1")
    ask = SharedJournal.ask

    def asked(shared: SharedJournal, statement: str, *values: object):
        if statement == "entries":  # another writes between the head and what it is read for
            monkeypatch.setattr(SharedJournal, "ask", ask)
            one.remember("Dana keeps wasps", id="m-2")
        return ask(shared, statement, *values)

    monkeypatch.setattr(SharedJournal, "ask", asked)
    assert [memory.text for memory in other.list()] == ["Dana keeps bees", "Dana keeps wasps"]
    held(one, other)


def test_replicas_share_the_keys_of_callers(replica):
    one, other = replica("one"), replica("other")
    key, text = one.parts.api_keys.create(Access.WRITE, ["a"], "laptop")
    assert other.parts.api_keys.check(text) == key
    other.parts.api_keys.revoke(key.id)
    assert one.parts.api_keys.check(text) is None
    assert one.parts.api_keys.list_all() == replica("late").parts.api_keys.list_all()


def test_a_file_takes_its_keys_with_it_and_a_copy_opens_nothing_revoked(
    replica, shared_url, tmp_path
):
    path = tmp_path / "own.db"
    with Memory.open(path, enrich="manual") as alone:
        alone.remember("Dana keeps bees.")
        kept, text = alone.parts.api_keys.create(Access.READ, ["a"])
        revoked, _ = alone.parts.api_keys.create(Access.READ, ["b"])
        alone.parts.api_keys.revoke(revoked.id)
    move_in(path, Settings(), shared_url)
    other = replica("other")
    assert other.parts.api_keys.check(text) == kept
    other.parts.api_keys.revoke(kept.id)
    replica("own").close()
    store = open_store(path, Settings())
    assert store.api_keys.check(text) is None
    assert [each.revoked is None for each in store.api_keys.list_all()] == [False, False]
    store.close()
