"""A source that did not answer is left alone for a while, and asked again then."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from meridia.core.errors import InvalidInput, Unavailable
from meridia.core.ports import VectorQuery
from meridia.core.types import Space
from meridia.retrieval.vector_sources import sources
from meridia.retrieval.vector_sources.sources import PausedSource

HOME = Space("home")
QUERY = VectorQuery(HOME, "who?", np.zeros(2, np.float32), "m", 3, 9)


class Flaky:
    """A source that raises what it is told to, and counts how often it is asked."""

    name = "flaky"

    def __init__(self) -> None:
        self.raises: Exception | None = None
        self.asked = 0

    def is_available(self, space: Space) -> bool:
        return self.raises is None

    def until(self, space: Space) -> int:
        self._ask()
        return 9

    def search(self, query: VectorQuery) -> list[tuple[int, float]]:
        self._ask()
        return [(7, 0.5)]

    def _ask(self) -> None:
        self.asked += 1
        if self.raises is not None:
            raise self.raises


@pytest.mark.parametrize("ask", [lambda s: s.until(HOME), lambda s: s.search(QUERY)])
def test_what_did_not_answer_is_asked_again_after_half_a_minute(
    ask: Callable[[PausedSource], object], monkeypatch: pytest.MonkeyPatch
):
    now = [100.0]
    monkeypatch.setattr(sources, "time", SimpleNamespace(monotonic=lambda: now[0]))
    flaky = Flaky()
    source = PausedSource(flaky)
    assert (source.name, source.until(HOME), source.search(QUERY)) == ("flaky", 9, [(7, 0.5)])
    flaky.raises, flaky.asked = Unavailable("down"), 0
    with pytest.raises(Unavailable, match="down"):
        ask(source)
    flaky.raises = None
    with pytest.raises(Unavailable, match="not asked again"):
        source.search(QUERY)
    assert (flaky.asked, source.is_available(HOME)) == (1, True)
    now[0] += 30
    assert source.search(QUERY) == [(7, 0.5)]


def test_what_refuses_a_question_is_asked_the_next_one():
    flaky = Flaky()
    flaky.raises = InvalidInput("not this")
    source = PausedSource(flaky)
    for _ in range(2):
        with pytest.raises(InvalidInput):
            source.search(QUERY)
    assert flaky.asked == 2
