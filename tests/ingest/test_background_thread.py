"""A thread behind the caller's back: it rests, stops, lets the process fork, and ends by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from meridia.ingest.background_enrichment import BackgroundThread


class Steps:
    """Work of small steps, until it has nothing left."""

    def __init__(self, count: int) -> None:
        self.left, self.done = count, 0
        self.finished = threading.Event()
        self.thread = BackgroundThread("steps", self.work)

    def work(self) -> float | None:
        while self.left:
            self.thread.pause()
            self.left -= 1
            self.done += 1
            time.sleep(0.001)
        self.finished.set()
        return None


def test_it_works_when_it_is_woken_and_not_before():
    steps = Steps(3)
    assert not steps.finished.wait(0.05)
    steps.thread.wake()
    assert steps.finished.wait(30)
    assert steps.done == 3


def test_it_stops_between_two_steps_and_stays_stopped():
    steps = Steps(1_000_000)
    steps.thread.wake()
    assert steps.thread.stop(30)
    done = steps.done
    steps.thread.wake()
    time.sleep(0.05)
    assert steps.done == done < 1_000_000


def test_it_rests_while_somebody_waits_for_an_answer():
    steps = Steps(1_000_000)
    steps.thread.wake()
    while not steps.done:
        time.sleep(0.01)
    with steps.thread.resting():
        time.sleep(0.05)  # the step at hand
        before = steps.done
        time.sleep(0.3)
        assert steps.done - before < 20  # one each tenth of a second, not one a millisecond
    assert steps.thread.stop(30)


def test_a_pause_in_another_thread_is_none():
    steps = Steps(0)
    with steps.thread.resting():
        steps.thread.pause()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_waits_for_the_step_at_hand_and_the_child_works_on_by_itself():
    code = """
import os, time
from meridia.ingest.background_enrichment import BackgroundThread
done = []
def work():
    for _ in range(10**6):
        thread.pause(); done.append(1); time.sleep(.001)
thread = BackgroundThread("work", work)
thread.wake()
while not done: time.sleep(.01)
child = os.fork()
if not child:
    before = len(done); time.sleep(.05)
    alone = len(done) == before
    thread.wake(); time.sleep(.5)
    os._exit(0 if alone and len(done) > before else 1)
before = len(done)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert len(done) > before
"""
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert time.monotonic() - started < 60


def test_a_failure_of_the_work_ends_no_later_work(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _: None)  # which says it, as it should
    begun = [threading.Event(), threading.Event()]
    left = list(begun)

    def work() -> None:
        left.pop(0).set()
        raise ValueError("nobody foresaw this")

    thread = BackgroundThread("failing", work)
    for event in begun:
        deadline = time.monotonic() + 30
        while not event.wait(0.02) and time.monotonic() < deadline:
            thread.wake()
        assert event.is_set()
    assert thread.stop(30)
