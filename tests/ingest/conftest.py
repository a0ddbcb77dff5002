"""A whole ingest, with an embedder that needs no weights."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes import FakeEmbedder
from tests.ingest.ingest_world import World, a_world


@pytest.fixture
def world(embedder: FakeEmbedder) -> Iterator[World]:
    """Open a world that disappears with the test."""
    with a_world(embedder=embedder) as opened:
        yield opened
