"""A memory that plans are made of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from meridia import Memory
from tests.retrieval.plans.plan_samples import filled


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with filled() as opened:
        yield opened
