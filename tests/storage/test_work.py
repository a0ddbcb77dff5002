"""Cursors: how far a projection has come, moved with its work, forwards only."""

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

from meridia.core.errors import Refused
from meridia.core.settings import Settings
from meridia.storage import work
from meridia.storage.store import Store, open_store
from tests.fakes import START, numbered, private_journal


def position(file: Store, space: int = 1, projection: str = "p", version: int = 1) -> int:
    return numbered(file, space).cursors.position(projection, version)


def move(file: Store, seq: int, version: int = 1, space: int = 1) -> None:
    numbered(file, space).cursors.move("p", version, seq)


def test_a_projection_that_never_ran_stands_at_nothing(private_file):
    assert position(private_file) == 0


@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=8))
def test_a_cursor_never_goes_back(seqs):
    with private_journal() as file:
        for seq in seqs:
            move(file, seq)
        assert position(file) == max(seqs)


def test_each_space_and_projection_has_its_own(private_file):
    move(private_file, 7)
    assert position(private_file, space=2) == 0
    assert position(private_file, projection="q") == 0
    move(private_file, 3, space=2)
    assert (position(private_file), position(private_file, space=2)) == (7, 3)


def test_a_cursor_of_an_older_version_counts_for_nothing(private_file):
    move(private_file, 7)
    assert position(private_file, version=2) == 0
    move(private_file, 2, version=2)
    assert position(private_file, version=2) == 2


def test_a_cursor_of_a_newer_version_is_refused_so_that_two_do_not_begin_anew_by_turns(
    private_file,
):
    move(private_file, 7, version=2)
    with pytest.raises(Refused, match=r"newer Meridia \(p 2, this one knows 1\): upgrade"):
        position(private_file)
    assert position(private_file, version=2) == 7


def test_a_cursor_is_undone_with_the_work_that_failed(private_file):
    def fail() -> None:
        with private_file.database.writing():
            numbered(private_file).cursors.move("p", 1, 7)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert position(private_file) == 0


def test_one_is_taken_back_and_never_forward(private_file):
    move(private_file, 7)
    numbered(private_file).cursors.take_back("p", 9)
    assert position(private_file) == 7
    numbered(private_file).cursors.take_back("p", 3)
    assert position(private_file) == 3


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
    assert len({work.new_owner() for _ in range(50)}) == 50


def test_a_lease_from_a_clock_that_ran_ahead_is_over(file):
    one, other, more = (work.new_owner() for _ in range(3))
    assert take(file, one, START + timedelta(days=400))
    assert take(file, other)
    assert not take(file, more, START - work.TERM)


def test_a_lease_is_held_until_its_term_is_over(file):
    one, other = work.new_owner(), work.new_owner()
    assert take(file, one)
    assert not take(file, other)
    assert not take(file, other, START + work.TERM)
    assert take(file, other, START + work.TERM + MOMENT)
    assert not take(file, one, START + work.TERM + MOMENT)


def test_a_lease_that_is_renewed_goes_on(file):
    one, other = work.new_owner(), work.new_owner()
    for minute in range(5):
        now = START + minute * work.TERM
        assert take(file, one, now)
        assert not take(file, other, now + work.TERM)


def test_a_lease_that_is_given_back_is_free_at_once(file):
    one, other = work.new_owner(), work.new_owner()
    take(file, one)
    release(file, one)
    assert take(file, other)


def test_only_its_owner_gives_a_lease_back(file):
    one, other = work.new_owner(), work.new_owner()
    take(file, one)
    release(file, other)
    assert not take(file, other)
    later = START + work.TERM + MOMENT
    take(file, other, later)
    release(file, one)
    assert not take(file, one, later)


def test_other_work_and_other_spaces_are_other_leases(file):
    owners = [work.new_owner() for _ in range(3)]
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
            st.sampled_from([timedelta(0), MOMENT, work.TERM - MOMENT, work.TERM, MOMENT * 2]),
        ),
        max_size=30,
    )
)
def test_no_two_owners_ever_hold_one(history):
    owners = [work.new_owner() for _ in range(4)]
    until: dict[str, datetime] = {}
    now = START
    with private_journal() as file:
        for number, how, later in history:
            owner, now = owners[number], now + later
            if how == "release":
                release(file, owner)
                until.pop(owner, None)
            elif take(file, owner, now):
                until[owner] = now + work.TERM
            else:
                assert any(end >= now for other, end in until.items() if other != owner)
                until.pop(owner, None)
            assert len([end for end in until.values() if end >= now]) <= 1


def test_of_workers_that_ask_at_once_one_gets_it(journal_file):
    start = Barrier(4)

    def ask(_: int) -> bool:
        owner = work.new_owner()
        start.wait()
        return take(journal_file, owner)

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(ask, range(4))) == [False, False, False, True]


_WORKER = """
import sys
from datetime import datetime
from pathlib import Path
from meridia.core.errors import Refused
from meridia.core.settings import Settings
from meridia.storage import work as leases
from meridia.storage.space_scope import SpaceScope
from meridia.storage.work import Leases
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
            mine = work.new_owner()
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
    assert not take(file, work.new_owner())
    assert take(file, work.new_owner(), START + work.TERM + MOMENT)


def test_a_process_of_somebody_else_counts_as_running(file, monkeypatch):
    def refuse(_process: int, _signal: int) -> None:
        raise PermissionError

    take(file, work.new_owner())
    monkeypatch.setattr(work.os, "kill", refuse)
    assert not take(file, work.new_owner())


def test_a_lease_that_was_taken_in_a_transaction_that_is_undone_was_never_taken(file):
    class Undone(Exception):
        pass

    def interrupted() -> None:
        with file.database.writing():
            assert numbered(file, SPACE).leases.take(WORK, work.new_owner(), START)
            raise Undone

    with pytest.raises(Undone):
        interrupted()
    assert take(file, work.new_owner())


SPACE = 1
LATER = START + timedelta(days=400)


@pytest.fixture
def queue(private_file) -> Iterator[Store]:
    with private_file.writing():
        yield private_file


def fail(queue: Store, seq: int = 7, stage: str = "s", times: int = 1, space: int = SPACE):
    """Let one stage of one entry fail so many times; return the task as it stands."""
    found = [
        numbered(queue, space).tasks.fail(seq, stage, f"failure {n}", START) for n in range(times)
    ]
    return found[-1]


def test_a_failure_waits_and_says_why(queue):
    task = fail(queue)
    assert task == work.Task(
        7, "s", 1, START + timedelta(seconds=60), dead=False, error="failure 0"
    )
    assert numbered(queue, SPACE).tasks.waiting() == [task]
    assert numbered(queue, SPACE).tasks.of_entry(7) == [task]


def test_the_wait_doubles_with_every_failure():
    with private_journal() as queue, queue.writing():
        due = [fail(queue).due_at for _ in range(4)]
    assert [(at - START).total_seconds() for at in due] == [60, 120, 240, 480]


@given(st.integers(1, 40))
def test_no_wait_is_longer_than_an_hour_however_often_it_fails(times):
    with private_journal() as queue, queue.writing():
        task = fail(queue, times=times)
    assert timedelta(seconds=30) <= task.due_at - START <= timedelta(hours=1)
    assert (task.attempts, task.dead) == (times, times >= 5)


def test_nothing_is_due_before_its_time(queue):
    task = fail(queue)
    assert numbered(queue, SPACE).tasks.due(task.due_at - timedelta(microseconds=1)) == []
    assert numbered(queue, SPACE).tasks.due(task.due_at) == [task]


def test_the_fifth_failure_makes_a_dead_letter_which_is_never_due(queue):
    assert not fail(queue, times=4).dead
    letter = fail(queue)
    assert letter.dead
    assert letter.error == "failure 0"
    assert numbered(queue, SPACE).tasks.dead() == [letter]
    assert numbered(queue, SPACE).tasks.waiting() == []
    assert numbered(queue, SPACE).tasks.due(LATER) == []


def test_what_is_done_is_forgotten_and_begins_again_at_one(queue):
    fail(queue, times=3)
    numbered(queue, SPACE).tasks.done(7, "s")
    assert numbered(queue, SPACE).tasks.of_entry(7) == []
    assert fail(queue).attempts == 1


def test_what_never_failed_may_be_done(queue):
    numbered(queue, SPACE).tasks.done(7, "s")
    assert numbered(queue, SPACE).tasks.counts() == {"waiting": 0, "dead": 0}


def test_stages_entries_and_spaces_fail_apart(queue):
    fail(queue, times=5)
    for apart in ({"stage": "t"}, {"seq": 8}, {"space": 2}):
        assert fail(queue, **apart).attempts == 1
    assert numbered(queue, SPACE).tasks.counts() == {"waiting": 2, "dead": 1}
    assert numbered(queue, 2).tasks.counts() == {"waiting": 1, "dead": 0}


def test_tasks_come_in_the_order_of_the_journal(queue):
    for seq, stage in ((9, "a"), (7, "b"), (7, "a"), (8, "c")):
        fail(queue, seq, stage)
    order = [(7, "a"), (7, "b"), (8, "c"), (9, "a")]
    assert [(t.seq, t.stage) for t in numbered(queue, SPACE).tasks.due(LATER)] == order
    assert [(t.seq, t.stage) for t in numbered(queue, SPACE).tasks.waiting()] == order


def test_a_retry_makes_everything_due_with_all_attempts_before_it(queue):
    fail(queue, times=5)
    fail(queue, 8, times=2)
    fail(queue, space=2, times=5)
    assert numbered(queue, SPACE).tasks.retry() == 2
    due = numbered(queue, SPACE).tasks.due(START)
    assert [(task.seq, task.attempts, task.dead) for task in due] == [(7, 0, False), (8, 0, False)]
    assert due[0].error == "failure 4", "why it failed is known until it is done"
    assert not fail(queue, times=4).dead
    assert numbered(queue, 2).tasks.counts() == {"waiting": 0, "dead": 1}


def test_a_retry_of_nothing_counts_nothing(queue):
    assert numbered(queue, SPACE).tasks.retry() == 0


def test_a_long_reason_is_cut_and_kept_on_one_line(queue):
    task = numbered(queue, SPACE).tasks.fail(7, "s", "server\nerror " + "x" * 1000, START)
    assert task.error.startswith("server error x")
    assert len(task.error) == 300
    assert numbered(queue, SPACE).tasks.waiting() == [task]


def test_a_failure_is_undone_with_the_transaction_it_belongs_to(private_file):
    def broken() -> None:
        with private_file.writing():
            fail(private_file)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert numbered(private_file, SPACE).tasks.waiting() == []
