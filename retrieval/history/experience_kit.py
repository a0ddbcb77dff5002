"""The experience kit: one captured experience with all that is known of it.

Built when somebody asks, from what the journal recorded: the sanitised event, what was decided, how
it was lived, what it names. Nothing here reads, decides or guesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.entries import DecisionRecord, ExperienceEnriched, combined
from ...core.events import captured_of, event_of, text_of
from ...core.experience import Phenomenology
from ...core.ids import artifact_id
from ...core.json_values import Instant, Whole
from ...core.text import shorten
from ...core.types import Entry, Payload
from ...core.vocabulary import Json

#: The edition of the form; 1 was the record before there were kits.
VERSION = 2
_TOPIC_CHARS, _SUMMARY_CHARS = 120, 300


@dataclass(frozen=True, slots=True)
class ExperienceKit:
    """One experience in the canonical form; `raw` is what a tool was given and gave, sanitised.

    `codec.encode` without aliases gives its JSON; what is not known is left out.
    """

    id: str
    ts: Instant
    kind: str
    content: Whole
    artifacts: tuple[Whole, ...]
    version: int
    capture: DecisionRecord | None = None
    session: Whole | None = None
    tool: Whole | None = None
    phenomenology: Phenomenology | None = None
    raw: Whole | None = None
    links: Whole | None = None


def build_experience_kit(
    entry: Entry, enriched: Sequence[ExperienceEnriched], links: Payload
) -> ExperienceKit:
    """Put together the kit of a captured experience.

    `enriched` are its enrichments, oldest first: a later one adds to an earlier one. An entry whose
    payload was erased has no kit: `InvalidInput`.
    """
    captured = captured_of(entry)
    event = event_of(entry)
    enrichment = combined(enriched)
    metadata = event.get("metadata") or {}
    payload, text = event["payload"], text_of(event)
    topic = metadata.get("topic") or payload.get("topic") or shorten(text, _TOPIC_CHARS)
    return ExperienceKit(
        id=entry.id,
        ts=entry.at,
        kind=event["kind"],
        session=event.get("session"),
        tool=event.get("tool"),
        content=_given(
            topic=topic, summary=shorten(text, _SUMMARY_CHARS), tags=metadata.get("tags")
        ),
        artifacts=tuple(
            {"id": artifact_id(entry.space, a["uri"], a.get("sha256")), **a}
            for a in enrichment.artifacts or event.get("artifacts") or ()
        ),
        version=VERSION,
        capture=captured.decision,
        phenomenology=enrichment.phenomenology,
        raw=_given(tool_args=payload.get("args"), tool_result=payload.get("result")) or None,
        links=links or None,
    )


def _given(**fields: Json) -> Payload:
    return {name: value for name, value in fields.items() if value is not None}
