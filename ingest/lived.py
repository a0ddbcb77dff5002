"""One experience while it is enriched: what happened, what was decided, what was found out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..core.experience import Decision, Phenomenology
from ..core.types import Draft, Entry, EntryKind, Json, Payload
from ..core.vocabulary import Trigger
from .commit import decision_of
from .reading import Event


@dataclass(slots=True)
class Lived:
    """An experience on its way through the stages; they write `found` and `drafts`.

    `found` becomes the payload of `ExperienceEnriched`. `echo` marks what came out of a recall.
    `seq` is that of the entry which brought the whole event: the capture, or an upgrade.
    """

    entry: Entry
    event: Event
    decision: Decision
    seq: int
    trigger: Trigger = Trigger.NONE
    duplicate_of: str | None = None
    echo: bool = False
    phenomenology: Phenomenology | None = None
    found: dict[str, Json] = field(default_factory=dict)
    drafts: list[Draft] = field(default_factory=list)

    def say(self, kind: EntryKind, key: str, payload: Payload) -> None:
        """Add an entry that this experience leads to; it happened when the experience did."""
        self.drafts.append(Draft(kind, key, payload, self.entry.at))

    def enriched(self) -> Draft:
        """Return the entry that says what was found out about the experience itself."""
        id = self.entry.id
        payload = {"experience": id, **self.found}
        return Draft(EntryKind.EXPERIENCE_ENRICHED, id, payload, self.entry.at)


def lived_of(entry: Entry, event: Event, seq: int | None = None) -> Lived:
    """Return a captured experience, none of whose stages has run; `event` is its whole event.

    `seq` names the entry that brought the event, where that is not the capture.
    """
    payload: Mapping[str, Json] = entry.payload or {}
    return Lived(
        entry=entry,
        event=event,
        decision=decision_of(payload),
        seq=entry.seq if seq is None else seq,
        trigger=Trigger(payload.get("trigger", Trigger.NONE)),
        duplicate_of=payload.get("duplicate_of"),
        echo="echo" in payload.get("marks", ()),
    )
