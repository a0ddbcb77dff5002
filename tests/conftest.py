"""What all tests share: a clock that ticks, chance that repeats itself, journals to write to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from meridia.core.settings import Settings
from meridia.storage.store import Store, open_store
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock
from tests.neo4j_server import neo4j_server  # noqa: F401 - a fixture, used by its name

pytest.register_assert_rewrite("tests.graph.journal_contract", "tests.graph.journal_drafts")

# How long an example takes depends on who else uses the machine.
#: A short look at every run; MERIDIA_THOROUGH=1 looks longer.
_EXAMPLES = 500 if os.environ.get("MERIDIA_THOROUGH") else 25
hypothesis.settings.register_profile("meridia", deadline=None, max_examples=_EXAMPLES)
hypothesis.settings.load_profile("meridia")


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
