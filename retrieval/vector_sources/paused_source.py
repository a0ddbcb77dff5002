"""A source that is not asked for a while after a failure, so that only one answer waits for it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...core.calls.arguments import checked
from ...core.errors import Unavailable
from ...core.ports import VectorQuery, VectorSource
from ...core.types import Space

#: What did not answer is asked again so much later, seconds.
_PAUSE_S = 30.0


@checked
class PausedSource:
    """A `VectorSource` over another one."""

    def __init__(self, source: VectorSource) -> None:
        self._source = source
        self._asked_again_at = 0.0

    @property
    def name(self) -> str:
        """The name of the source itself."""
        return self._source.name

    def is_available(self, space: Space) -> bool:
        """Ask the source itself, pause or not."""
        return self._source.is_available(space)

    def until(self, space: Space) -> int:
        """Return what the source says; raises what `search` does."""
        with self._pausing():
            return self._source.until(space)

    def search(self, query: VectorQuery) -> Sequence[tuple[int, float]]:
        """Return what the source finds; `Unavailable` too for a while after it raised that."""
        with self._pausing():
            return self._source.search(query)

    @contextmanager
    def _pausing(self) -> Iterator[None]:
        if time.monotonic() < self._asked_again_at:
            raise Unavailable("left alone for a while after the last try")
        try:
            yield
        except Unavailable:
            self._asked_again_at = time.monotonic() + _PAUSE_S
            raise
