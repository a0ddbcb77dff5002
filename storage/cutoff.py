"""When one looks back from: what had happened, what was known, and the facts that held then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..core.errors import InvalidInput
from ..core.facts import Fact, fold_facts, with_shown_names
from ..core.types import Entry, EntryKind, Filters, Seq, Space
from .store import Store

_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Cutoff:
    """When one looks back from: what had happened by `moment`, of what was known at `seq`.

    `found` bounds what was found of experiences afterwards, so that looking back again sees the
    same. None means now.
    """

    moment: datetime | None = None
    seq: Seq | None = None
    enriched_seq: Seq | None = None

    def __post_init__(self) -> None:
        if self.moment is not None and self.moment.tzinfo is None:
            raise InvalidInput("as_of has no timezone: add one, such as +00:00")

    def bound(self, filters: Filters) -> Filters:
        """Return filters that leave nothing of what came later; a closer bound stays."""
        ends = [filters.until, self.moment and _after(self.moment)]
        seqs = [seq for seq in (filters.seq_max, self.seq) if seq is not None]
        return replace(
            filters,
            until=min((end for end in ends if end is not None), default=None),
            seq_max=min(seqs, default=None),
        )

    def includes(self, entry: Entry) -> bool:
        """Return whether what an entry tells of an experience had been found by then."""
        return self.enriched_seq is None or entry.seq <= self.enriched_seq


NOW = Cutoff()


def cutoff_of(
    file: Store,
    space: Space,
    as_of: datetime | int | None,
    known_at: datetime | int | None = None,
) -> Cutoff:
    """Return the point to look back from, as `recall` understands it.

    `as_of` is a time (what had happened) or a journal sequence (what was known); `known_at` bounds
    what was known together with a time. `InvalidInput` for a time without a timezone.
    """
    if isinstance(known_at, datetime) and known_at.tzinfo is None:
        raise InvalidInput("known_at has no timezone: add one, such as +00:00")
    recorded_seq = file.catalog.sequence(space, known_at)
    bounds = [bound for bound in (as_of, recorded_seq) if isinstance(bound, int)]
    moment = as_of if isinstance(as_of, datetime) else None
    return Cutoff(moment, Seq(min(bounds)) if bounds else None)


def facts_as_of(file: Store, space: Space, cutoff: Cutoff = NOW) -> dict[str, Fact]:
    """Return every fact that had been found by then, by id, as it stood.

    What a memory said that was corrected by then is left out: its correction speaks for itself.
    """
    kinds = (EntryKind.FACT_ASSERTED, EntryKind.FACT_SUPERSEDED)
    entries = [entry for kind in kinds for entry in file.journal.of_kind(space, kind)]
    included = sorted(filter(cutoff.includes, entries), key=lambda entry: entry.seq)
    facts = fold_facts((entry.payload, entry.recorded_at) for entry in included)
    corrected = {id for _, id, _ in file.catalog.superseded(space, seq_max=cutoff.seq)}
    current = {id: fact for id, fact in facts.items() if fact.experience not in corrected}
    return with_shown_names(current, file.space(space).identities.directory())


def _after(moment: datetime) -> datetime:
    try:
        return moment + _INSTANT
    except OverflowError:
        return moment
