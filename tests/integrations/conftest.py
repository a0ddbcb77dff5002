"""What the tests of integrations share: a memory that enriches when it is asked to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from meridia import Memory, Settings
from tests.fakes import FakeEmbedder


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(None, "default", Settings(), embedder=FakeEmbedder()) as memory:
        yield memory
