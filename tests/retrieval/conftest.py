"""A memory of the demo conversation, with the real encoder, shared by all tests of recall."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import meridia
from meridia import Memory
from meridia.core.settings import Settings

DEMO = Path(meridia.__file__).parent / "cli" / "data" / "demo.jsonl"


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The demo conversation, enriched. Tests only read it."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    with Memory(path, "demo", Settings()) as memory:
        memory.import_file(DEMO)
        memory.enrich()
        yield memory
