"""The methods of `Memory` that read: get, list, packs, the story with a person, reflection.

They need no graph engine.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core import events
from ..core.calls.arguments import checked
from ..core.errors import InvalidInput, NotFound, Stranger, UnknownPerson
from ..core.results.results import Listing
from ..core.time import When, read_point, read_time
from ..core.types import Filters, MemoryRecord, Page, Space
from ..core.vocabulary import Emotion, Engagement, word_of
from ..retrieval.rerank import facets as facet_kinds
from ..storage import cutoff
from ..storage.projections import catalog
from . import builder, derived_records, experience_views, reflection, relationship_summary

if TYPE_CHECKING:
    from ..core.people import Gazetteer
    from ..storage.store import Store
    from .builder import PackBuilder
    from .experience_kit import ExperienceKit
    from .layout import TokenCounter
    from .pack import Pack
    from .space_history import SpaceHistory

#: Kinds that `list` has besides those of events: what was derived.
DERIVED_KINDS = frozenset({"fact", "transition"})
#: Memories read at once where all of them are.
_PAGE = 1000


@checked
class Reader:
    """Reads one space of an open journal file; `Memory` is one."""

    space: Space
    _file: Store

    @property
    @abstractmethod
    def chronicle(self) -> SpaceHistory:
        """What the space tells of itself."""

    @property
    @abstractmethod
    def packs(self) -> PackBuilder:
        """The packs of the space: make, issue again, quality."""

    @abstractmethod
    def people(self) -> Gazetteer:
        """Return the people the space knows."""

    @abstractmethod
    def _catch_up(self, wait_s: float | None = None) -> Sequence[str]:
        """Bring the indexes up to date, wait for enrichment if asked to; say what is missing."""

    @abstractmethod
    def _flush(self) -> None:
        """Wait until every recall so far is kept."""

    def catch_up(self, wait_s: float | None = None) -> Sequence[str]:
        """Wait for enrichment at most `wait_s` seconds (`recall.wait_s`); say what is missing."""
        return self._catch_up(wait_s)

    def get(self, id: str) -> MemoryRecord:
        """Return one memory by an id or address; `NotFound` where there is none.

        By Meridia's or the caller's id it is the memory as it stands, also after corrections, with
        the caller's id as its `event_id`. `@SEQ`, which packs and lists cite, and `meridia://ID`
        are the address of one version: `superseded_by` says that a newer one stands. `last 3` is
        the third memory of the newest recall.
        """
        return catalog.find_memory(
            self._file.catalog, self._file.trace, self.space, id, self._flush
        )

    def history(self, id: str) -> Listing[MemoryRecord]:
        """Return every version of a memory, oldest first: what was said, and each correction."""
        versions = self._file.catalog.versions(self.space, int(self.get(id).seq))
        return Listing(versions, "version", lambda each: each.line, MemoryRecord.to_dict)

    def holds(self, id: str) -> bool:
        """Say whether `get` finds a memory."""
        try:
            self.get(id)
        except NotFound:
            return False
        return True

    def resolve(self, uri: str) -> ExperienceKit | None:
        """Return the kit of the memory at an address; None where there is none (feature 35)."""
        try:
            return self.chronicle.kit(self.get(uri).id)
        except NotFound:
            return None

    def read(self, uri: str) -> str:
        """Return what stands at an address as text: a memory's words, or a pack issued again.

        `NotFound` where there is neither.
        """
        try:
            return self.get(uri).text
        except NotFound as no_memory:
            try:
                return self.packs.reissue(uri).text
            except NotFound:
                raise no_memory from None

    def list(  # noqa: PLR0913 - one argument a filter
        self,
        *,
        person: str | None = None,
        session: str | None = None,
        kind: str | None = None,
        since: When | None = None,
        until: When | None = None,
        where: Mapping[str, Any] | None = None,
        emotion: str | None = None,
        engagement: str | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> Page:
        """Return a page of memories in the order they were captured; `after` continues one.

        `limit` is 1 or more. `emotion` and `engagement` filter by how they felt (feature 18); an
        unknown word is an `InvalidInput` that lists those there are. Where one is given, enrichment
        is brought up to date first; and where `kind` is `fact` or `transition`, which lists what
        was derived: see `derived_records`.
        """
        if limit < 1:
            raise InvalidInput(f"limit {limit} is out of range: 1 or more")
        filters = Filters(
            person,
            session,
            kind,
            read_time(since, "since"),
            read_time(until, "until"),
            where=where,
            emotion=word_of(Emotion, emotion, "emotion"),
            engagement=word_of(Engagement, engagement, "engagement"),
        )
        events.check_kind(kind, *DERIVED_KINDS)
        is_derived = kind in DERIVED_KINDS
        if emotion or engagement or is_derived:
            self._catch_up()
        if is_derived:
            return derived_records.derived_page(self._file, self.space, filters, after, limit)
        return self._file.catalog.page(self.space, filters, after, limit)

    def facets(self) -> facet_kinds.Population:
        """Return how many memories have each facet that `recall.rerank` reads (feature 127).

        Reads every memory of the space.
        """
        counted = (facet_kinds.facets_of(dict(m.metadata)) for m in self._all())
        return facet_kinds.population(counted)

    def _all(self) -> Iterator[MemoryRecord]:
        after: int | None = 0
        while after is not None:
            page = self.list(after=after, limit=_PAGE)
            yield from page.memories
            after = page.next_after

    def resume(
        self,
        person: str | None = None,
        tokens: int = 2000,
        as_of: When | None = None,
        count: TokenCounter | None = None,
    ) -> Pack | Stranger | None:
        """Return where things stand with a person who comes back; None where there is nothing.

        Without a name it is the owner of the space, who speaks without one; or, where nobody did,
        the one person who ever spoke. `InvalidInput` where it may be any of several.
        `tokens` is a hard budget, counted by `count` (default: four characters a token). `as_of`
        is a time (what had happened) or a journal sequence (what was known). A person who never
        spoke here is a `Stranger`: false, with the names that are near.
        """
        if person is None:
            person = self._file.space(self.space).identities.directory().speakers.who_returns()
        mode, point = "relationship_resumption", read_point(as_of, "as_of")
        return self.packs.make(builder.PackRequest(mode, person, None, tokens, point, count))

    def reconstitute(
        self,
        mode: str | None = None,
        person: str | None = None,
        query: str | None = None,
        tokens: int | None = None,
        as_of: When | None = None,
        count: TokenCounter | None = None,
    ) -> Pack | Stranger | None:
        """Return what an agent that wakes up needs to go on; None where there is nothing.

        Without a `mode`, the one that fits: see `resume.modes`. `tokens` is a hard
        budget (default: the mode's own), counted and seen as in `resume`.
        """
        point = read_point(as_of, "as_of")
        return self.packs.make(builder.PackRequest(mode, person, query, tokens, point, count))

    def relationship(
        self,
        person: str,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> relationship_summary.RelationshipSummary | Stranger:
        """Return the story shared with a person: history, feelings, threads, changes, cautions.

        As of then, as `recall` understands `as_of` and `known_at`. A `Stranger` for an unknown
        person; `NotFound` for somebody who had not been met by then.
        """
        self._catch_up()
        points = read_point(as_of, "as_of"), read_point(known_at, "known_at")
        then = cutoff.cutoff_of(self._file, self.space, *points)
        try:
            return relationship_summary.summarise_relationship(
                self._file, self.space, self.people(), person, then
            )
        except UnknownPerson as error:
            return error.stranger

    def reflect(
        self,
        since: When | None = None,
        until: When | None = None,
        person: str | None = None,
    ) -> reflection.Reflection:
        """Return what was lived from `since` until before `until`, from a distance.

        With a `person`: only the sessions shared with them; `NotFound` for a stranger. An empty
        stretch gives an empty reflection.
        """
        since, until = read_time(since, "since"), read_time(until, "until")
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
