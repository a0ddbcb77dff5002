"""Leases: one worker at a time, also when workers are killed, in whatever process they are."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.settings import Settings
from meridia.storage import leases
from meridia.storage.store import Store, open_store
from tests.fakes import START, numbered, private_journal

WORK, SPACE = "enrichment", 1
MOMENT = timedelta(microseconds=1)


@pytest.fixture
def file(private_file) -> Store:
    return private_file


def take(
    file: Store, owner: str, now: datetime = START, work: str = WORK, space: int = SPACE
) -> bool:
    return numbered(file, space).leases.take(work, owner, now)


def release(file: Store, owner: str, work: str = WORK, space: int = SPACE) -> None:
    numbered(file, space).leases.release(work, owner)


def test_every_worker_has_a_name_of_its_own():
    assert len({leases.new_owner() for _ in range(50)}) == 50


def test_a_lease_from_a_clock_that_ran_ahead_is_over(file):
    one, other, more = (leases.new_owner() for _ in range(3))
    assert take(file, one, START + timedelta(days=400))
    assert take(file, other)
    assert not take(file, more, START - leases.TERM)


def test_a_lease_is_held_until_its_term_is_over(file):
    one, other = leases.new_owner(), leases.new_owner()
    assert take(file, one)
    assert not take(file, other)
    assert not take(file, other, START + leases.TERM)
    assert take(file, other, START + leases.TERM + MOMENT)
    assert not take(file, one, START + leases.TERM + MOMENT)


def test_a_lease_that_is_renewed_goes_on(file):
    one, other = leases.new_owner(), leases.new_owner()
    for minute in range(5):
        now = START + minute * leases.TERM
        assert take(file, one, now)
        assert not take(file, other, now + leases.TERM)


def test_a_lease_that_is_given_back_is_free_at_once(file):
    one, other = leases.new_owner(), leases.new_owner()
    take(file, one)
    release(file, one)
    assert take(file, other)


def test_only_its_owner_gives_a_lease_back(file):
    one, other = leases.new_owner(), leases.new_owner()
    take(file, one)
    release(file, other)
    assert not take(file, other)
    later = START + leases.TERM + MOMENT
    take(file, other, later)
    release(file, one)
    assert not take(file, one, later)


def test_other_work_and_other_spaces_are_other_leases(file):
    owners = [leases.new_owner() for _ in range(3)]
    assert take(file, owners[0])
    assert take(file, owners[1], work="opinions")
    assert take(file, owners[2], space=2)
    release(file, owners[1])
    assert not take(file, owners[2], work="opinions")


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from(["take", "release"]),
            st.sampled_from([timedelta(0), MOMENT, leases.TERM - MOMENT, leases.TERM, MOMENT * 2]),
        ),
        max_size=30,
    )
)
def test_no_two_owners_ever_hold_one(history):
    owners = [leases.new_owner() for _ in range(4)]
    until: dict[str, datetime] = {}
    now = START
    with private_journal() as file:
        for number, how, later in history:
            owner, now = owners[number], now + later
            if how == "release":
                release(file, owner)
                until.pop(owner, None)
            elif take(file, owner, now):
                until[owner] = now + leases.TERM
            else:
                assert any(end >= now for other, end in until.items() if other != owner)
                until.pop(owner, None)
            assert len([end for end in until.values() if end >= now]) <= 1


def test_of_workers_that_ask_at_once_one_gets_it(journal_file):
    start = Barrier(4)

    def ask(_: int) -> bool:
        owner = leases.new_owner()
        start.wait()
        return take(journal_file, owner)

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(ask, range(4))) == [False, False, False, True]


_WORKER = """
import sys
from datetime import datetime
from pathlib import Path
from meridia.core.settings import Settings
from meridia.storage import leases
from meridia.storage.space_scope import SpaceScope
from meridia.storage.leases import Leases
from meridia.storage.store import open_store
file = open_store(Path(sys.argv[1]), Settings())
owner = leases.new_owner()
held = Leases(SpaceScope(file.database, 1))
taken = held.take("enrichment", owner, datetime.fromisoformat(sys.argv[2]))
print(taken, flush=True)
sys.stdin.read()
"""


@contextmanager
def worker(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that took the lease and holds on to it."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WORKER, str(path), START.isoformat()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"True"
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "ended"])
def test_the_lease_of_a_process_that_is_gone_is_over_at_once(journal_path, killed):
    file = open_store(journal_path, Settings())
    try:
        with worker(journal_path) as process:
            mine = leases.new_owner()
            assert not take(file, mine)
            if killed:
                process.kill()
            process.communicate(timeout=60)
            assert take(file, mine)
    finally:
        file.close()


def test_what_runs_on_another_machine_is_not_taken_for_gone(file):
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    elsewhere = f"another:machine:{gone.pid}:0123"
    assert take(file, elsewhere)
    assert not take(file, leases.new_owner())
    assert take(file, leases.new_owner(), START + leases.TERM + MOMENT)


def test_a_process_of_somebody_else_counts_as_running(file, monkeypatch):
    def refuse(_process: int, _signal: int) -> None:
        raise PermissionError

    take(file, leases.new_owner())
    monkeypatch.setattr(leases.os, "kill", refuse)
    assert not take(file, leases.new_owner())


def test_a_lease_that_was_taken_in_a_transaction_that_is_undone_was_never_taken(file):
    class Undone(Exception):
        pass

    def interrupted() -> None:
        with file.database.writing():
            assert numbered(file, SPACE).leases.take(WORK, leases.new_owner(), START)
            raise Undone

    with pytest.raises(Undone):
        interrupted()
    assert take(file, leases.new_owner())
