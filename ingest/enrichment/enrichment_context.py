"""One experience while it is enriched: what happened, what was decided, what was found out."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...core.entries import EntryPayload, ExperienceEnriched
from ...core.events import captured_of
from ...core.experience import CaptureDecision, Phenomenology
from ...core.types import Entry, EntryDraft, Json
from ...core.vocabulary import Trigger
from ..capture.commit import decision_of
from ..capture.event_view import Event


@dataclass(slots=True)
class EnrichmentContext:
    """An experience on its way through the stages; they write `found` and `drafts`.

    `found` becomes the payload of `ExperienceEnriched`. `echo` marks what came out of a recall.
    `seq` is that of the entry which brought the whole event: the capture, or an upgrade.
    """

    entry: Entry
    event: Event
    decision: CaptureDecision
    seq: int
    trigger: Trigger = Trigger.NONE
    duplicate_of: str | None = None
    echo: bool = False
    phenomenology: Phenomenology | None = None
    enriched_fields: dict[str, Json] = field(default_factory=dict)
    drafts: list[EntryDraft] = field(default_factory=list)

    def add_entry(self, key: str, payload: EntryPayload) -> None:
        """Add an entry that this experience leads to; it happened when the experience did."""
        self.drafts.append(EntryDraft(key, payload, self.entry.at))

    def enriched_entry(self) -> EntryDraft:
        """Return the entry that says what was found out about the experience itself."""
        id = self.entry.id
        return EntryDraft(id, ExperienceEnriched(id, **self.enriched_fields), self.entry.at)


def enrichment_context_of(entry: Entry, event: Event, seq: int | None = None) -> EnrichmentContext:
    """Return a captured experience, none of whose stages has run; `event` is its whole event.

    `seq` names the entry that brought the event, where that is not the capture.
    """
    payload = captured_of(entry)
    return EnrichmentContext(
        entry=entry,
        event=event,
        decision=decision_of(payload),
        seq=entry.seq if seq is None else seq,
        trigger=payload.trigger,
        duplicate_of=payload.duplicate_of,
        echo="echo" in payload.marks,
    )
