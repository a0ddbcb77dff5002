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
from meridia.service.background_worker import LEASE, BackgroundWorker
from tests.service.conftest import SETTINGS


@pytest.fixture
def memory(journal_path):
    with Memory(journal_path, "default", SETTINGS, embedder=FakeEmbedder()) as opened:
        opened.remember("Jonas lives in Bern.", person="Dana", session="s1")
        yield opened


def test_what_was_written_is_enriched_and_projected(memory):
    worker = BackgroundWorker(memory, 0.02)
    assert worker.lag()["enrichment"] > 0
    worker.start()
    deadline = time.monotonic() + 10
    while any(worker.lag().values()) and time.monotonic() < deadline:
        time.sleep(0.02)
    worker.stop()
    assert worker.lag() == {"search": 0, "enrichment": 0, "graph": 0}
    assert worker.failures == 0


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
            assert (worker.lag()["graph"], worker.failures) == (0, 0)
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
    project, memory_of = memory.project, memory.in_space
    failing = memory_of("default")
    failing.project = lambda progress: (_ for _ in ()).throw(Unavailable("no engine"))
    memory.in_space = lambda space: failing
    worker.run_once()
    assert worker.failures == 1
    assert memory.parts.space("default").leases.take("x", "y", memory.parts.clock())
    failing.project = project
    worker.run_once()
    assert (worker.failures, worker.lag()["graph"]) == (1, 0)


def test_it_stops_between_two_batches_and_gives_its_lease_back(memory):
    worker = BackgroundWorker(memory, 1)
    worker.stop()
    worker._work("default")
    held = memory.parts.space("default").leases
    assert held.take(LEASE, "another", memory.parts.clock() + timedelta(seconds=1))
    assert worker.lag()["enrichment"] > 0
