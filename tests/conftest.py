"""What all tests share: a clock that ticks, chance that repeats itself, journals to write to."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from threadpoolctl import threadpool_limits

from meridia.core.settings import Settings
from meridia.storage.store import Store, open_store
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock
from tests.model_server import ModelServer, model_server
from tests.neo4j_server import neo4j_server  # noqa: F401 - a fixture, used by its name
from tests.postgres_server import postgres_server, postgres_url  # noqa: F401 - fixtures
from tests.shared_postgres import pooled_url, shared_url, shared_urls  # noqa: F401 - fixtures
from tests.thorough import THOROUGH

pytest.register_assert_rewrite("tests.graph.journal_contract", "tests.graph.journal_drafts")

# Tests run beside each other: threads of one that wait for each other in a product would take
# the time of all. `make test-thorough` leaves NumPy as users have it.
if not THOROUGH:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    threadpool_limits(1, "blas")

# How long an example takes depends on who else uses the machine: there is no deadline.
hypothesis.settings.register_profile("quick", deadline=None, max_examples=5)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=500)
hypothesis.settings.load_profile("thorough" if THOROUGH else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave thorough tests out of a quick run; find tests of a Neo4j server that hide it."""
    for item in items:
        uses_server = {"neo4j_server", "open_neo4j"} & set(getattr(item, "fixturenames", ()))
        if uses_server and "neo4j" not in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid}: uses a server, so its name says neo4j")
        if "postgres_server" in getattr(item, "fixturenames", ()) and "postgres" not in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid}: uses a server, so its name says postgres")
    left_out = [item for item in items if item.get_closest_marker("thorough") and not THOROUGH]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Any:
    """Let Python never look for garbage in what is imported and collected: it is most of all."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a file's tests to one process, and all that use the same server to one.

    A server is started once a run and its spaces are emptied between tests, so no two processes
    may use it at a time; `-k neo4j` and `-k postgres` choose the same tests.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            servers = [name for name in ("neo4j", "postgres") if name in nodeid]
            return servers[0] if servers else nodeid.partition("::")[0]

    return ByFile(config, log)


@pytest.fixture
def clock() -> TickingClock:
    """Return a clock that moves by a second whenever it is read."""
    return TickingClock()


@pytest.fixture
def random_bytes() -> SeededBytes:
    """Return random bytes that repeat themselves from run to run."""
    return SeededBytes()


@pytest.fixture
def embedder() -> FakeEmbedder:
    """Return an embedder that needs no weights."""
    return FakeEmbedder()


@pytest.fixture
def journal_path(tmp_path: Path) -> Path:
    """Return where `journal_file` lies."""
    return tmp_path / "journal.db"


@pytest.fixture
def journal_file(
    journal_path: Path, clock: TickingClock, random_bytes: SeededBytes
) -> Iterator[Store]:
    """Open a journal on disk."""
    file = open_store(journal_path, Settings(), clock, random_bytes)
    yield file
    file.close()


@pytest.fixture
def private_file(clock: TickingClock, random_bytes: SeededBytes) -> Iterator[Store]:
    """Open a journal that disappears with the test; quicker than one on disk."""
    file = open_store(None, Settings(), clock, random_bytes)
    yield file
    file.close()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A scripted server of a language model."""
    with model_server() as running:
        yield running
