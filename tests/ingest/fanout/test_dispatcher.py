"""The dispatcher: no sink waits for another, a full queue skips, and nobody waits for it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from meridia.core.errors import NotFound
from meridia.core.settings import SinksSettings
from meridia.ingest.fanout.delivery import DeliveryContext
from meridia.ingest.fanout.dispatcher import FanoutDispatcher
from meridia.ingest.fanout.sink import SinkBatch
from meridia.ingest.redaction.sanitise import DEFAULT
from tests.ingest.fanout.fake_sink import FakeSink
from tests.ingest.ingest_events import user
from tests.ingest.ingest_world import HOME, World

Open = Callable[..., FanoutDispatcher]


class SlowSink(FakeSink):
    """Takes nothing until it is let go."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.began, self.go_on = threading.Event(), threading.Event()

    def deliver(self, batch: SinkBatch) -> None:
        self.began.set()
        assert self.go_on.wait(20)
        super().deliver(batch)


@pytest.fixture
def dispatcher_of(world: World) -> Iterator[Open]:
    opened = []

    def open(*sinks: FakeSink, **settings: float) -> FanoutDispatcher:
        chosen = SinksSettings(every=1, backoff_s=0, **settings)
        until = world.enrichment.cursor
        context = DeliveryContext(world.file, chosen, DEFAULT, until)
        opened.append(FanoutDispatcher(context, sinks))
        return opened[-1]

    yield open
    for dispatcher in opened:
        dispatcher.close()


@pytest.fixture(autouse=True)
def told(world: World) -> None:
    world.live(user("The boat is blue."), user("The boat is old."))


def test_a_slow_sink_holds_up_neither_the_caller_nor_another_sink(world, dispatcher_of):
    slow, quick = SlowSink("slow"), FakeSink("quick")
    dispatcher = dispatcher_of(slow, quick)
    began = time.monotonic()
    dispatcher.dispatch(HOME)
    assert time.monotonic() - began < 5
    assert slow.began.wait(20)
    while not quick.batches:
        time.sleep(0.01)
    assert not slow.batches
    world.live(user("It is captured while a sink is slow."))
    slow.go_on.set()
    dispatcher.wait()
    assert slow.batches


def test_a_failing_sink_is_told_in_its_own_status_alone(dispatcher_of):
    good, bad = FakeSink("good"), FakeSink("bad")
    bad.down = True
    dispatcher = dispatcher_of(good, bad)
    assert dispatcher.sync(HOME) == {"good": "", "bad": "bad is down"}
    status = {sink.name: sink for sink in dispatcher.status(HOME)}
    assert (status["good"].lag, status["good"].failures) == (0, 0)
    assert (status["bad"].failures, status["bad"].error) == (1, "bad is down")
    bad.down = False
    assert dispatcher.sync(HOME, "bad") == {"bad": ""}


def test_a_delivery_waits_once_and_a_full_queue_skips_and_says_so(world, dispatcher_of):
    slow, other = SlowSink("slow"), FakeSink("other")
    dispatcher = dispatcher_of(slow, other, concurrency=1, queue_max=1)
    for _ in range(3):
        dispatcher.dispatch(HOME)
    lines = [line for line in world.file.trace.read(HOME, 0) if line.kind == "sink"]
    assert {(line.decision, line.subject) for line in lines} == {("skipped", "other")}
    slow.go_on.set()
    dispatcher.wait()
    assert len(slow.batches) == 1
    while other.count(next(iter(slow.rows))) == 0:
        dispatcher.dispatch(HOME)
        dispatcher.wait()


def test_who_asks_for_all_waits_for_the_delivery_at_hand(dispatcher_of):
    slow = SlowSink("slow")
    dispatcher = dispatcher_of(slow)
    dispatcher.dispatch(HOME)
    assert slow.began.wait(20)
    threading.Timer(0.2, slow.go_on.set).start()
    assert dispatcher.sync(HOME) == {"slow": ""}
    assert dispatcher.status(HOME)[0].lag == 0


def test_deliveries_go_on_under_captures_that_never_rest_and_end_at_once_for_who_asks(
    world, dispatcher_of, monkeypatch
):
    monkeypatch.setattr("meridia.ingest.fanout.dispatcher._LATEST_S", 0.5)
    sink = FakeSink()
    dispatcher = dispatcher_of(sink, batch=1)
    began = time.monotonic()
    dispatcher.dispatch(HOME)
    while len(sink.batches) < 2:
        world.live(user(f"It is said {time.monotonic()} seconds after the start."))
        time.sleep(0.02)
        assert time.monotonic() - began < 30
    took = time.monotonic() - began
    assert took > 0.2  # it never begins at once
    assert dispatcher.sync(HOME) == {"fake": ""}
    assert dispatcher.status(HOME)[0].lag == 0


def test_a_journal_at_rest_is_delivered_at_once(dispatcher_of):
    sink = FakeSink()
    dispatcher = dispatcher_of(sink, batch=1)
    began = time.monotonic()
    dispatcher.dispatch(HOME)
    dispatcher.wait()
    assert time.monotonic() - began < 1.5
    assert (len(sink.batches) > 2, dispatcher.status(HOME)[0].lag) == (True, 0)


def test_rebuilding_empties_a_sink_and_fills_it_again(dispatcher_of):
    sink = FakeSink()
    dispatcher = dispatcher_of(sink)
    dispatcher.sync(HOME)
    (mine,) = sink.rows
    before = dict(sink.rows[mine])
    sink.rows[mine] |= {"left over": next(iter(before.values()))}
    assert dispatcher.rebuild(HOME) == {"fake": ""}
    assert sink.rows[mine] == before
    assert dispatcher.count(HOME, "fake") == 2


def test_a_sink_that_is_configured_no_more_is_told_until_it_is_back(dispatcher_of):
    dispatcher_of(FakeSink("gone")).sync(HOME)
    dispatcher = dispatcher_of()
    (status,) = dispatcher.status(HOME)
    assert (status.name, status.is_configured) == ("gone", False)
    assert "settings" in dispatcher.forget(HOME)["gone"]


def test_a_sink_that_was_never_filled_is_not_asked_to_forget(dispatcher_of):
    sink = FakeSink()
    sink.down = True
    assert dispatcher_of(sink).forget(HOME) == {}


def test_who_waits_is_told_how_far_the_slowest_sink_is(dispatcher_of):
    dispatcher, seen = dispatcher_of(FakeSink("a"), FakeSink("b"), batch=1), []
    assert dispatcher.sync(HOME, progress=lambda *far: seen.append(far)) == {"a": "", "b": ""}
    head = dispatcher.status(HOME)[0].seq
    assert {total for _, total in seen} == {head}
    assert max(done for done, _ in seen) == head
    assert len({done for done, _ in seen}) > 1


def test_an_interrupt_ends_a_delivery_after_the_batch_at_hand(dispatcher_of):
    class Interrupted(FakeSink):
        def deliver(self, batch: SinkBatch) -> None:
            if batch.after == 0:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.5)
            super().deliver(batch)

    dispatcher = dispatcher_of(Interrupted("a"), batch=1)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            dispatcher.sync(HOME)
    finally:
        signal.signal(signal.SIGINT, before)
    (status,) = dispatcher.status(HOME)
    assert status.lag > 1


def test_an_unknown_sink_is_an_error_that_names_the_known(dispatcher_of):
    with pytest.raises(NotFound, match="'x'.*fake"):
        dispatcher_of(FakeSink()).sync(HOME, "x")


def test_closing_releases_every_sink(dispatcher_of):
    sink = FakeSink()
    dispatcher_of(sink).close()
    assert sink.closed
