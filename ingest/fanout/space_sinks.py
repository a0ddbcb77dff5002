"""The sinks of one space, as callers see them."""

from __future__ import annotations

from ...core.calls.arguments import checked
from ...core.types import Space
from ...storage.sinks.sink_state import SinkStatus
from ..enrichment.passes import Progress
from .dispatcher import FanoutDispatcher


@checked
class SpaceSinks:
    """What is delivered of one space, and where: see `docs/sinks.md`."""

    def __init__(self, dispatcher: FanoutDispatcher, space: Space) -> None:
        self._dispatcher = dispatcher
        self._space = space

    def status(self) -> list[SinkStatus]:
        """Return where each sink stands: what it lacks, and what went wrong last."""
        return self._dispatcher.status(self._space)

    def sync(
        self, name: str | None = None, progress: Progress = lambda done, total: None
    ) -> dict[str, str]:
        """Deliver all that is missing to one sink or all; return by sink what went wrong, or "".

        `progress` is told how far the slowest is, in journal sequences, and where all will be.
        Raises `NotFound` for a sink that the settings do not name.
        """
        return self._dispatcher.sync(self._space, name, progress)

    def rebuild(
        self, name: str | None = None, progress: Progress = lambda done, total: None
    ) -> dict[str, str]:
        """Empty one sink or all of the space and deliver everything again; see `sync`."""
        return self._dispatcher.rebuild(self._space, name, progress)

    def count(self, name: str) -> int:
        """Ask a sink how many memories it holds of the space; raises `Unavailable`."""
        return self._dispatcher.count(self._space, name)

    def dispatch(self) -> None:
        """Deliver what is due, in the background, and return at once."""
        self._dispatcher.dispatch(self._space)
