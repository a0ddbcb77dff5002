"""The worker: it enriches and projects away from the requests, once, and stops when asked."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from fakes import FakeEmbedder

from meridia.core.errors import Unavailable
from meridia.core.settings import PostgresSettings, SinksSettings
from meridia.memory import Memory
from meridia.service import background_worker
from meridia.service.background_worker import LEASE, BackgroundWorker
from tests.service.conftest import SETTINGS


@pytest.fixture
def memory(journal_path):
    with Memory(journal_path, "default", SETTINGS, embedder=FakeEmbedder()) as opened:
        opened.remember("Jonas lives in Bern.", person="Dana", session="s1")
        yield opened


def has_work(worker):
    """Return whether a worker has something to do in the space."""
    return worker._has_work("default", worker._memory.parts.journal.head("default").seq)


def test_what_was_written_is_enriched_and_projected_to_a_graph_that_is_open(memory):
    worker = BackgroundWorker(memory, 0.02)
    assert worker.lag()["enrichment"] > 0
    memory.graph.project()  # an empty one waits for who asks it
    graph = memory.graph.store()
    memory.remember("Jonas moved to Bern.", person="Dana", session="s1")
    worker.start()
    deadline = time.monotonic() + 10

    def is_behind() -> bool:
        return any(worker.lag().values()) or graph.cursor() != memory.parts.journal.head("default")

    while is_behind() and time.monotonic() < deadline:
        time.sleep(0.02)
    worker.stop()
    assert worker.lag() == {"enrichment": 0, "graph": 0}
    assert worker.failures == 0
    assert graph.cursor() == memory.parts.journal.head("default")


def test_a_graph_that_nobody_asked_is_not_opened(memory, journal_path):
    worker = BackgroundWorker(memory, 1)
    worker.run_once()
    assert worker.lag() == {"enrichment": 0, "graph": 0}
    assert not list(journal_path.parent.glob("*.kgl*"))


def test_a_query_has_the_worker_bring_the_graph_up_to_date(memory):
    worker = BackgroundWorker(memory, 1)
    worker.run_once()
    memory.graph.project()  # an empty one waits for who asks it
    graph = memory.graph.store()
    memory.remember("Jonas moved to Bern.", person="Dana", session="s1")
    memory.background.notify("default")
    worker.run_once()
    assert graph.cursor() == memory.parts.journal.head("default")


def test_a_space_where_nothing_happened_is_not_worked_on(memory, monkeypatch):
    worker = BackgroundWorker(memory, 1)
    worker.stop()  # its thread would do the same beside this one
    worker.run_once()
    monkeypatch.setattr(background_worker, "_REPEAT_S", 0.0)
    worked_on = []
    monkeypatch.setattr(worker, "_work", worked_on.append)
    worker.run_once()
    assert worked_on == []
    memory.remember("Jonas lives in Basel.", person="Dana", session="s1")
    worker.run_once()
    assert worked_on == ["default"]


def test_it_rests_while_a_request_is_answered(memory):
    worker = BackgroundWorker(memory, 0.01)
    for number in range(200):
        memory.remember(f"Jonas bought boat {number}.", person="Dana", session="s1")
    with memory.background.resting():
        worker.start()
        time.sleep(0.5)
        # A pause lasts a tenth of a second at most.
        assert worker.lag()["enrichment"] > 0
    deadline = time.monotonic() + 20
    while has_work(worker) and time.monotonic() < deadline:
        time.sleep(0.02)
    worker.stop()
    assert worker.lag()["enrichment"] == 0


def test_postgres_is_filled_by_the_worker_and_does_not_hold_it_up_when_down(
    journal_path, postgres_url
):
    down = "postgresql://u@127.0.0.1:1/x"
    for url, lacks in ((postgres_url, False), (down, True)):
        chosen = SETTINGS.model_copy(
            update={
                "postgres": PostgresSettings(url=url),
                "sinks": SinksSettings(every=2, backoff_s=0.01),
            }
        )
        with Memory(journal_path, "default", chosen, embedder=FakeEmbedder()) as memory:
            for number in range(3):
                memory.remember(f"Message {url[-4:]} {number}.", person="Dana", session="s1")
            worker = BackgroundWorker(memory, 0.02)
            worker.run_once()
            memory._components.fanout.wait()
            assert (worker.lag()["sink postgres"] > 0) == lacks
            assert worker.failures == 0
            (status,) = memory.sinks.status()
            assert (status.failures > 0) == lacks
            assert bool(status.error) == lacks


def test_of_two_replicas_one_does_the_work(memory, journal_path):
    with Memory(journal_path, "default", SETTINGS, embedder=FakeEmbedder()) as other:
        first, second = BackgroundWorker(memory, 1), BackgroundWorker(other, 1)
        gate, began = threading.Event(), threading.Event()
        enrich = memory._components.enrichment.catch_up

        def slow(*arguments, **named):
            began.set()
            gate.wait(10)
            return enrich(*arguments, **named)

        memory._components.enrichment.catch_up = slow
        thread = threading.Thread(target=first.run_once)
        thread.start()
        assert began.wait(10)
        second.run_once()
        assert other._components.embedder().asked == []
        gate.set()
        thread.join()
        memory._components.enrichment.catch_up = enrich
        second.run_once()
        assert other._components.embedder().asked == []
    assert memory._components.embedder().asked


def test_a_failure_is_counted_and_tried_again(memory):
    worker = BackgroundWorker(memory, 1)
    project = memory.background.project
    memory.background.project = lambda *_: (_ for _ in ()).throw(Unavailable("no engine"))
    worker.run_once()
    assert worker.failures == 1
    assert memory.parts.space("default").leases.take("x", "y", memory.parts.clock())
    memory.background.project = project
    worker.run_once()
    assert (worker.failures, has_work(worker)) == (1, False)


def test_it_stops_between_two_batches_and_gives_its_lease_back(memory):
    worker = BackgroundWorker(memory, 0.01)
    working, pause = threading.Event(), memory.background.thread.pause

    def slow():
        working.set()
        time.sleep(0.05)
        pause()

    memory.background.thread.pause = slow
    worker.start()
    assert working.wait(10)
    worker.stop()
    held = memory.parts.space("default").leases
    assert held.take(LEASE, "another", memory.parts.clock() + timedelta(seconds=1))
    assert worker.lag()["enrichment"] > 0


def test_a_space_that_grows_without_end_keeps_no_other_waiting(memory, monkeypatch):
    monkeypatch.setattr(background_worker, "_TURN_S", 0.3)
    quiet = memory.in_space("quiet")
    quiet.remember("The heron is back.", person="Dana")
    writes, embed = iter(range(10**6)), memory._components.embedder().embed

    def embed_and_write(texts):
        memory.remember(f"Message {next(writes)} of many.", person="Dana")
        return embed(texts)

    memory._components.embedder().embed = embed_and_write
    worker = BackgroundWorker(memory, 0.01)
    worker.start()
    deadline = time.monotonic() + 30
    while memory.enrichment.unread("quiet") and time.monotonic() < deadline:
        time.sleep(0.02)
    read = not memory.enrichment.unread("quiet")
    worker.stop()
    assert read
    assert worker.failures == 0


def test_what_another_process_writes_at_the_end_of_a_turn_is_read_next(memory, journal_path):
    with Memory(journal_path, "default", SETTINGS, embedder=FakeEmbedder()) as other:
        worker = BackgroundWorker(memory, 1)
        worker.stop()
        memory.background.project = lambda *_: other.remember("Said late.", person="Dana") and None
        worker.run_once()
        assert has_work(worker)


def test_what_nobody_foresaw_does_not_end_the_work(memory, monkeypatch):
    worker = BackgroundWorker(memory, 0.01)
    monkeypatch.setattr(memory._components.enrichment, "rule_position", {}.__getitem__)
    worker.start()
    deadline = time.monotonic() + 30
    while worker.failures < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    worker.stop()
    assert worker.failures >= 2
