"""Failed work: tried again after growing waits, given up in the end, and taken up again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.storage import tasks
from meridia.storage.database import Connection
from tests.fakes import START, private_journal

SPACE = 1
LATER = START + timedelta(days=400)


@pytest.fixture
def connection(private_file) -> Iterator[Connection]:
    with private_file.database.writing() as connection:
        yield connection


def fail(
    connection: Connection, seq: int = 7, stage: str = "s", times: int = 1, space: int = SPACE
):
    """Let one stage of one entry fail so many times; return the task as it stands."""
    found = [tasks.fail(connection, space, seq, stage, f"failure {n}", START) for n in range(times)]
    return found[-1]


def test_a_failure_waits_and_says_why(connection):
    task = fail(connection)
    assert task == tasks.Task(
        7, "s", 1, START + timedelta(seconds=60), dead=False, error="failure 0"
    )
    assert tasks.waiting(connection, SPACE) == [task]
    assert tasks.of_entry(connection, SPACE, 7) == [task]


def test_the_wait_doubles_with_every_failure():
    with private_journal() as file, file.database.writing() as connection:
        due = [fail(connection).due_at for _ in range(4)]
    assert [(at - START).total_seconds() for at in due] == [60, 120, 240, 480]


@given(st.integers(1, 40))
def test_no_wait_is_longer_than_an_hour_however_often_it_fails(times):
    with private_journal() as file, file.database.writing() as connection:
        task = fail(connection, times=times)
    assert timedelta(seconds=30) <= task.due_at - START <= timedelta(hours=1)
    assert (task.attempts, task.dead) == (times, times >= 5)


def test_nothing_is_due_before_its_time(connection):
    task = fail(connection)
    assert tasks.due(connection, SPACE, task.due_at - timedelta(microseconds=1)) == []
    assert tasks.due(connection, SPACE, task.due_at) == [task]


def test_the_fifth_failure_makes_a_dead_letter_which_is_never_due(connection):
    assert not fail(connection, times=4).dead
    letter = fail(connection)
    assert letter.dead
    assert letter.error == "failure 0"
    assert tasks.dead(connection, SPACE) == [letter]
    assert tasks.waiting(connection, SPACE) == []
    assert tasks.due(connection, SPACE, LATER) == []


def test_what_is_done_is_forgotten_and_begins_again_at_one(connection):
    fail(connection, times=3)
    tasks.done(connection, SPACE, 7, "s")
    assert tasks.of_entry(connection, SPACE, 7) == []
    assert fail(connection).attempts == 1


def test_what_never_failed_may_be_done(connection):
    tasks.done(connection, SPACE, 7, "s")
    assert tasks.counts(connection, SPACE) == {"waiting": 0, "dead": 0}


def test_stages_entries_and_spaces_fail_apart(connection):
    fail(connection, times=5)
    for apart in ({"stage": "t"}, {"seq": 8}, {"space": 2}):
        assert fail(connection, **apart).attempts == 1
    assert tasks.counts(connection, SPACE) == {"waiting": 2, "dead": 1}
    assert tasks.counts(connection, 2) == {"waiting": 1, "dead": 0}


def test_tasks_come_in_the_order_of_the_journal(connection):
    for seq, stage in ((9, "a"), (7, "b"), (7, "a"), (8, "c")):
        fail(connection, seq, stage)
    order = [(7, "a"), (7, "b"), (8, "c"), (9, "a")]
    assert [(t.seq, t.stage) for t in tasks.due(connection, SPACE, LATER)] == order
    assert [(t.seq, t.stage) for t in tasks.waiting(connection, SPACE)] == order


def test_a_retry_makes_everything_due_with_all_attempts_before_it(connection):
    fail(connection, times=5)
    fail(connection, 8, times=2)
    fail(connection, space=2, times=5)
    assert tasks.retry(connection, SPACE) == 2
    due = tasks.due(connection, SPACE, START)
    assert [(task.seq, task.attempts, task.dead) for task in due] == [(7, 0, False), (8, 0, False)]
    assert due[0].error == "failure 4", "why it failed is known until it is done"
    assert not fail(connection, times=4).dead
    assert tasks.counts(connection, 2) == {"waiting": 0, "dead": 1}


def test_a_retry_of_nothing_counts_nothing(connection):
    assert tasks.retry(connection, SPACE) == 0


def test_a_long_reason_is_cut_and_kept_on_one_line(connection):
    task = tasks.fail(connection, SPACE, 7, "s", "server\nerror " + "x" * 1000, START)
    assert task.error.startswith("server error x")
    assert len(task.error) == 300
    assert tasks.waiting(connection, SPACE) == [task]


def test_a_failure_is_undone_with_the_transaction_it_belongs_to(private_file):
    def broken() -> None:
        with private_file.database.writing() as connection:
            fail(connection)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    with private_file.database.reading() as connection:
        assert tasks.waiting(connection, SPACE) == []
