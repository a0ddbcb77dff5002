"""What is asked of the server: the head's lock, leases, errors without secrets, retries."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest

from meridia.core.errors import InvalidInput, Refused, Unavailable
from meridia.core.time import to_text
from meridia.storage.postgres.shared_journal import SharedBatch, SharedJournal
from tests.fakes import START


@pytest.fixture
def shared(shared_url: str) -> Iterator[SharedJournal]:
    journal = SharedJournal(shared_url, 1.0)
    yield journal
    journal.close()


def a_batch(base: int) -> SharedBatch:
    """An entry after `base`."""
    row = (base + 1, "home", "Kind", f"id-{base}", f"k-{base}", None, None, "t", "t", b"p", b"h")
    return SharedBatch(base, base + 1, b"h", lambda: [[(*row, b"salt", "{}", None, None)]])


def test_one_writer_at_a_time_holds_the_head(shared, shared_url):
    other = SharedJournal(shared_url, 0.2)
    assert shared.lock().seq == 0
    with pytest.raises(Unavailable, match="another replica is still writing"):
        other.lock()
    shared.publish(a_batch(0))
    assert other.lock().seq == 1
    other.release()
    other.close()


@pytest.mark.parametrize("written", [False, True])
def test_a_commit_that_was_cut_is_asked_after(shared, shared_url, written):
    shared.lock()
    batch = a_batch(0)
    if written:  # all of it got there, and the answer did not come back
        shared.publish(batch)
    with psycopg.connect(shared_url, autocommit=True) as server:
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'meridia' AND pid <> pg_backend_pid()"
        )
    shared.publish(batch)
    assert [row[0] for row in shared.ask("entries", 0, 9)] == [1]
    assert shared.head()[:2] == (1, b"h")


def test_a_batch_is_not_written_where_others_wrote_meanwhile(shared, shared_url):
    shared.lock()
    with psycopg.connect(shared_url, autocommit=True) as server:
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'meridia' AND pid <> pg_backend_pid()"
        )
        server.execute("UPDATE meridia_head SET seq = 7, hash = 'x'")
    with pytest.raises(Unavailable, match="another replica wrote at the same time"):
        shared.publish(a_batch(0))
    assert shared.ask("entries", 0, 9) == []


def test_serialization_failures_are_tried_again(shared, shared_url):
    shared.head()
    with psycopg.connect(shared_url, autocommit=True) as server:
        server.execute("CREATE SEQUENCE attempts")
        server.execute(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " IF nextval('attempts') < 3 THEN RAISE SQLSTATE '40001'; END IF;"
            " RETURN NEW; END $$"
        )
        server.execute(
            "CREATE TRIGGER fail BEFORE INSERT ON meridia_entry"
            " FOR EACH ROW EXECUTE FUNCTION fail()"
        )
    shared.lock()
    shared.publish(a_batch(0))
    assert shared.head().seq == 1


def test_a_lease_is_taken_over_when_it_is_over(shared):
    def take(owner: str, seconds: int) -> bool:
        now = START + timedelta(seconds=seconds)
        times = [to_text(now + timedelta(seconds=s)) for s in (60, 0, 120)]
        return bool(shared.ask("take_lease", "home", "w", owner, *times))

    assert take("one", 0)
    assert take("one", 30)
    assert not take("other", 60)
    assert take("other", 91)
    assert not take("one", 92)
    shared.ask("release_lease", "home", "w", "other")
    assert take("one", 93)


@pytest.mark.parametrize(
    ("url", "error", "words"),
    [
        ("nonsense", InvalidInput, "is not a valid address"),
        ("postgresql://u:hunter2@127.0.0.1:1/x", Unavailable, "does not answer"),
    ],
)
def test_no_error_shows_a_password(url, error, words):
    with pytest.raises(error, match=words) as raised:
        SharedJournal(url, 1.0).head()
    assert "hunter2" not in str(raised.value)


def test_the_journal_of_a_newer_meridia_is_refused(shared, shared_url):
    shared.head()
    with psycopg.connect(shared_url, autocommit=True) as server:
        server.execute("UPDATE meridia_head SET form = 99")
    with pytest.raises(Refused, match="newer Meridia"):
        SharedJournal(shared_url, 1.0).head()
