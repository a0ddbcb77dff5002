"""Failed work: tried again after growing waits, given up in the end, and taken up again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.storage import tasks
from meridia.storage.store import Store
from tests.fakes import START, numbered, private_journal

SPACE = 1
LATER = START + timedelta(days=400)


@pytest.fixture
def file(private_file) -> Iterator[Store]:
    with private_file.writing():
        yield private_file


def fail(file: Store, seq: int = 7, stage: str = "s", times: int = 1, space: int = SPACE):
    """Let one stage of one entry fail so many times; return the task as it stands."""
    found = [
        numbered(file, space).tasks.fail(seq, stage, f"failure {n}", START) for n in range(times)
    ]
    return found[-1]


def test_a_failure_waits_and_says_why(file):
    task = fail(file)
    assert task == tasks.Task(
        7, "s", 1, START + timedelta(seconds=60), dead=False, error="failure 0"
    )
    assert numbered(file, SPACE).tasks.waiting() == [task]
    assert numbered(file, SPACE).tasks.of_entry(7) == [task]


def test_the_wait_doubles_with_every_failure():
    with private_journal() as file, file.writing():
        due = [fail(file).due_at for _ in range(4)]
    assert [(at - START).total_seconds() for at in due] == [60, 120, 240, 480]


@given(st.integers(1, 40))
def test_no_wait_is_longer_than_an_hour_however_often_it_fails(times):
    with private_journal() as file, file.writing():
        task = fail(file, times=times)
    assert timedelta(seconds=30) <= task.due_at - START <= timedelta(hours=1)
    assert (task.attempts, task.dead) == (times, times >= 5)


def test_nothing_is_due_before_its_time(file):
    task = fail(file)
    assert numbered(file, SPACE).tasks.due(task.due_at - timedelta(microseconds=1)) == []
    assert numbered(file, SPACE).tasks.due(task.due_at) == [task]


def test_the_fifth_failure_makes_a_dead_letter_which_is_never_due(file):
    assert not fail(file, times=4).dead
    letter = fail(file)
    assert letter.dead
    assert letter.error == "failure 0"
    assert numbered(file, SPACE).tasks.dead() == [letter]
    assert numbered(file, SPACE).tasks.waiting() == []
    assert numbered(file, SPACE).tasks.due(LATER) == []


def test_what_is_done_is_forgotten_and_begins_again_at_one(file):
    fail(file, times=3)
    numbered(file, SPACE).tasks.done(7, "s")
    assert numbered(file, SPACE).tasks.of_entry(7) == []
    assert fail(file).attempts == 1


def test_what_never_failed_may_be_done(file):
    numbered(file, SPACE).tasks.done(7, "s")
    assert numbered(file, SPACE).tasks.counts() == {"waiting": 0, "dead": 0}


def test_stages_entries_and_spaces_fail_apart(file):
    fail(file, times=5)
    for apart in ({"stage": "t"}, {"seq": 8}, {"space": 2}):
        assert fail(file, **apart).attempts == 1
    assert numbered(file, SPACE).tasks.counts() == {"waiting": 2, "dead": 1}
    assert numbered(file, 2).tasks.counts() == {"waiting": 1, "dead": 0}


def test_tasks_come_in_the_order_of_the_journal(file):
    for seq, stage in ((9, "a"), (7, "b"), (7, "a"), (8, "c")):
        fail(file, seq, stage)
    order = [(7, "a"), (7, "b"), (8, "c"), (9, "a")]
    assert [(t.seq, t.stage) for t in numbered(file, SPACE).tasks.due(LATER)] == order
    assert [(t.seq, t.stage) for t in numbered(file, SPACE).tasks.waiting()] == order


def test_a_retry_makes_everything_due_with_all_attempts_before_it(file):
    fail(file, times=5)
    fail(file, 8, times=2)
    fail(file, space=2, times=5)
    assert numbered(file, SPACE).tasks.retry() == 2
    due = numbered(file, SPACE).tasks.due(START)
    assert [(task.seq, task.attempts, task.dead) for task in due] == [(7, 0, False), (8, 0, False)]
    assert due[0].error == "failure 4", "why it failed is known until it is done"
    assert not fail(file, times=4).dead
    assert numbered(file, 2).tasks.counts() == {"waiting": 0, "dead": 1}


def test_a_retry_of_nothing_counts_nothing(file):
    assert numbered(file, SPACE).tasks.retry() == 0


def test_a_long_reason_is_cut_and_kept_on_one_line(file):
    task = numbered(file, SPACE).tasks.fail(7, "s", "server\nerror " + "x" * 1000, START)
    assert task.error.startswith("server error x")
    assert len(task.error) == 300
    assert numbered(file, SPACE).tasks.waiting() == [task]


def test_a_failure_is_undone_with_the_transaction_it_belongs_to(private_file):
    def broken() -> None:
        with private_file.writing():
            fail(private_file)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert numbered(private_file, SPACE).tasks.waiting() == []
