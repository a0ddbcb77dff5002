"""What a memory offers of looking back: the story with a person, and reflection.

The part of `Memory` that reads what was lived and counts it. It changes nothing, and no ranking.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ...core.calls.arguments import checked
from ...core.errors import Stranger, UnknownPerson
from ...core.lazy import lazy_module
from ...core.types import Filters, Space

if TYPE_CHECKING:
    from ...core.people import Gazetteer
    from ...storage.store import Store
    from . import experience_views, reflection, relationship_summary
else:
    experience_views = lazy_module(__package__, "experience_views")
    reflection = lazy_module(__package__, "reflection")
    relationship_summary = lazy_module(__package__, "relationship_summary")


@checked
class HistoryReader:
    """Looks back over one space of an open journal file; `Memory` is one."""

    space: Space
    _file: Store

    @abstractmethod
    def people(self) -> Gazetteer:
        """Return the people the space knows."""

    @abstractmethod
    def _catch_up(self) -> Sequence[str]:
        """Bring enrichment up to date."""

    @abstractmethod
    def _flush(self) -> None:
        """Wait until every recall so far is kept."""

    def relationship(
        self,
        person: str,
        as_of: datetime | int | None = None,
        known_at: datetime | int | None = None,
    ) -> relationship_summary.RelationshipSummary | Stranger:
        """Return the story shared with a person: history, feelings, threads, changes, cautions.

        As of then, as `recall` understands `as_of` and `known_at`. A `Stranger` for an unknown
        person; `NotFound` for somebody who had not been met by then.
        """
        self._catch_up()
        cutoff = experience_views.cutoff_of(self._file, self.space, as_of, known_at)
        try:
            return relationship_summary.summarise_relationship(
                self._file, self.space, self.people(), person, cutoff
            )
        except UnknownPerson as error:
            return error.stranger

    def reflect(
        self,
        since: datetime | None = None,
        until: datetime | None = None,
        person: str | None = None,
    ) -> reflection.Reflection:
        """Return what was lived from `since` until before `until`, from a distance.

        With a `person`: only the sessions shared with them; `NotFound` for a stranger. An empty
        stretch gives an empty reflection.
        """
        self._catch_up()
        self._flush()
        if person is None:
            experiences = experience_views.read_experiences(
                self._file, self.space, Filters(since=since, until=until)
            )
        else:
            *_, shared = relationship_summary.experiences_shared_with(
                self._file, self.space, self.people(), person
            )
            experiences = [
                view
                for view in shared
                if (since is None or view.memory.at >= since)
                and (until is None or view.memory.at < until)
            ]
        recalled = self._file.trace.recalled(self.space)
        return reflection.reflect_on(experiences, recalled, self._file.analyser)
