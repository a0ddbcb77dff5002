"""The experience kit: one captured experience with all that is known of it (features 17 and 19).

Built when somebody asks, from what the journal recorded: the sanitised event, what was decided, how
it was lived, what it names. Nothing here reads, decides or guesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from .events import event_of, text_of
from .ids import artifact_id
from .json_validation import without_none
from .text import shorten
from .time import to_text
from .types import Entry, Json, Payload

#: The edition of the form; 1 was the record before there were kits.
VERSION = 2
_TOPIC_CHARS, _SUMMARY_CHARS = 120, 300


@dataclass(frozen=True, slots=True)
class ExperienceKit:
    """One experience in the canonical form; `raw` is what a tool was given and gave, sanitised."""

    id: str
    ts: datetime
    kind: str
    session: Payload | None
    tool: Payload | None
    capture: Payload
    phenomenology: Payload | None
    content: Payload
    artifacts: Sequence[Payload]
    raw: Payload
    links: Payload

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values under the source's names; what is not known is left out."""
        return without_none(
            id=self.id,
            ts=to_text(self.ts),
            kind=self.kind,
            session=self.session,
            tool=self.tool,
            capture=self.capture,
            phenomenology=self.phenomenology,
            content=self.content,
            artifacts=list(self.artifacts),
            raw=self.raw or None,
            links=self.links or None,
            version=VERSION,
        )


def build_experience_kit(
    entry: Entry, enriched: Sequence[Payload], links: Payload
) -> ExperienceKit:
    """Put together the kit of a captured experience.

    `enriched` are the payloads of its `ExperienceEnriched` entries, oldest first: a later one adds
    to an earlier one. An entry whose payload was erased has no kit: `ValueError`.
    """
    if entry.payload is None:
        raise ValueError(f"the payload of {entry.id} was erased")
    event = event_of(entry)
    enrichment: dict[str, Json] = {}
    for payload in enriched:
        enrichment |= payload
    metadata = event.get("metadata") or {}
    payload, text = event["payload"], text_of(event)
    topic = metadata.get("topic") or payload.get("topic") or shorten(text, _TOPIC_CHARS)
    return ExperienceKit(
        id=entry.id,
        ts=entry.at,
        kind=event["kind"],
        session=event.get("session"),
        tool=event.get("tool"),
        capture=entry.payload.get("decision") or {},
        phenomenology=enrichment.get("phenomenology"),
        content=without_none(
            topic=topic, summary=shorten(text, _SUMMARY_CHARS), tags=metadata.get("tags")
        ),
        artifacts=[
            {"id": artifact_id(entry.space, a["uri"], a.get("sha256")), **a}
            for a in enrichment.get("artifacts") or event.get("artifacts") or ()
        ],
        raw=without_none(tool_args=payload.get("args"), tool_result=payload.get("result")),
        links=links,
    )
