"""Several workers on one journal: everything is done once, whoever is killed on the way."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from meridia.core.types import EntryKind
from meridia.storage.upkeep import verify
from tests.drafts import recorded
from tests.fakes import FakeEmbedder
from tests.ingest.ingest_events import user
from tests.ingest.ingest_world import HOME, World, a_world

#: Enriches one journal with the tests' embedder, slowly if it is told to.
_WORKER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.core.types import Space
from meridia.storage.store import open_store
from meridia.storage.vectors import VectorIndexes
from meridia.ingest.enrichment.worker import EnrichmentWorker
from tests.fakes import FakeEmbedder
pause = float(sys.argv[3])
class Slow(FakeEmbedder):
    def embed(self, texts):
        print("embedding", flush=True)
        time.sleep(pause)
        return super().embed(texts)
file = open_store(Path(sys.argv[1]), Settings())
embedder = Slow()
settings = Settings(embedding=EmbeddingSettings(batch=3))
worker = EnrichmentWorker(file, lambda: embedder, VectorIndexes(file), settings)
print("done" if worker.catch_up(Space("home")) else "stopped", flush=True)
file.close()
"""
_ROOT = str(Path(__file__).parents[2])


def start(path: Path, pause: float = 0.0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WORKER, str(path), _ROOT, str(pause)],
        stdout=subprocess.PIPE,
        text=True,
    )


def fill(world: World, count: int) -> None:
    world.take(
        *[
            user(
                f"Message {n} says that mast {n % 5} is up",
                n,
                person=f"P{n % 4}",
                session={"key": f"s{n % 3}"},
            )
            for n in range(count)
        ]
    )


def check_done_once(world: World, count: int) -> None:
    entries = world.entries()
    assert len({(entry.kind, entry.key) for entry in entries}) == len(entries)
    kinds = Counter(entry.kind for entry in entries)
    assert kinds[EntryKind.EXPERIENCE_ENRICHED] == count
    assert kinds[EntryKind.PERSON_MET] == 4
    assert world.enrichment.lag(HOME) == 0
    assert world.rows("SELECT count(DISTINCT text_hash) FROM embedding") == [(count,)]
    assert list(verify(world.file, HOME)) == []


def enriched_lines(world: World) -> list[tuple[str, str]]:
    """Return what was found out, with the callers' ids for ours."""
    keys = {entry.id: entry.key for entry in world.entries(EntryKind.EXPERIENCE_CAPTURED)}
    lines = []
    for entry in world.entries():
        text = repr(recorded(entry))
        for id, key in keys.items():
            text = text.replace(id, key)
        if entry.kind in (EntryKind.EXPERIENCE_ENRICHED, EntryKind.MEMORIES_ASSOCIATED):
            lines.append((entry.kind.value, text))
    return sorted(lines)


def test_threads_with_batches_of_their_own_do_everything_once(tmp_path: Path):
    with a_world(tmp_path / "journal.db", embedder=FakeEmbedder()) as world:
        fill(world, 20)
        workers = [world.another_worker(batch) for batch in (1, 2, 3, 5)]
        with ThreadPoolExecutor(4) as threads:
            assert all(threads.map(lambda worker: worker.catch_up(HOME), workers))
        check_done_once(world, 20)


@pytest.mark.slow
def test_two_processes_do_everything_once_and_say_what_one_says(tmp_path: Path):
    with a_world(tmp_path / "one.db", embedder=FakeEmbedder()) as alone:
        fill(alone, 24)
        alone.catch_up()
        expected = [kind for kind, _ in enriched_lines(alone)]
    with a_world(tmp_path / "two.db", embedder=FakeEmbedder()) as world:
        fill(world, 24)
        path = tmp_path / "two.db"
        processes = [start(path, 0.02), start(path, 0.02)]
        outputs = [process.communicate(timeout=120)[0] for process in processes]
        assert [output.splitlines()[-1] for output in outputs] == ["done", "done"]
        check_done_once(world, 24)
        assert [kind for kind, _ in enriched_lines(world)] == expected


@pytest.mark.slow
def test_the_lease_of_a_killed_process_is_taken_over_at_once(tmp_path: Path):
    path = tmp_path / "journal.db"
    with a_world(path, embedder=FakeEmbedder()) as world:
        fill(world, 12)
        process = start(path, 60.0)
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "embedding", "it has the lease"
        assert not world.enrichment.catch_up(HOME, should_continue=lambda: False), "and keeps it"
        process.kill()
        process.wait()
        process.stdout.close()
        begun = time.monotonic()
        world.catch_up()
        assert time.monotonic() - begun < 20, "far less than the lease's term"
        check_done_once(world, 12)
