"""The experience kit: one captured experience with everything that is known about it.

It is built on request from what the journal recorded: the sanitised event, the decision, how it
felt, and what it names. Nothing here reads texts, decides or guesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..core.codec import encode
from ..core.entries import DecisionRecord, ExperienceEnriched, combined
from ..core.events import EventKind, captured_of, event_of, text_of
from ..core.experience import Phenomenology, artifacts_of
from ..core.ids import artifact_id
from ..core.json_values import Instant, Whole
from ..core.text import shorten
from ..core.types import Entry, Payload
from ..core.vocabulary import CaptureMode, Json

#: The edition of the form; 1 was the record before there were kits.
VERSION = 2
_CAPTURED = frozenset({CaptureMode.FULL, CaptureMode.LIGHT})
_BY_HAND = "experience_capture"
_TOPIC_CHARS, _SUMMARY_CHARS = 120, 300


@dataclass(frozen=True, slots=True)
class ExperienceKit:
    """One experience in the canonical form; `raw` has a tool's arguments and result, sanitised."""

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

    def as_json(self) -> dict[str, Json]:
        """Return the documented shape of `show --kit`, without unknown fields.

        The names are those of the source documents: see experience-kit.schema.json.
        """
        written = encode(self)
        if self.capture is None:
            return written
        limited = self.capture.limited
        return written | {
            "capture": {
                "shouldCapture": self.capture.mode in _CAPTURED,
                **encode(self.capture),
                **({"limited": {"reason": limited.value}} if limited else {}),
            }
        }


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
    given = {**_arguments_by_hand(event), **payload, **metadata}
    summary = given.get("summary") or text
    return ExperienceKit(
        id=entry.id,
        ts=entry.at,
        kind=event["kind"],
        session=event.get("session"),
        tool=event.get("tool"),
        content=_given(
            topic=given.get("topic") or shorten(text, _TOPIC_CHARS),
            summary=shorten(str(summary), _SUMMARY_CHARS),
            tags=given.get("tags"),
        ),
        artifacts=tuple(
            {"id": artifact_id(entry.space, a["uri"], a.get("sha256")), **a}
            for a in enrichment.artifacts or artifacts_of(event)
        ),
        version=VERSION,
        capture=captured.decision,
        phenomenology=enrichment.phenomenology,
        raw=_given(toolArgs=payload.get("args"), toolResult=payload.get("result")) or None,
        links=links or None,
    )


def is_by_hand(kind: str, tool: str | None) -> bool:
    """Return whether the agent asked for a capture: by a note, or by the source's tool."""
    return kind == EventKind.MANUAL_CAPTURE or (tool or "").rpartition("__")[2] == _BY_HAND


def _arguments_by_hand(event: Payload) -> Payload:
    """Return the arguments of the tool by which an agent asks for a capture (feature 20)."""
    tool, args = event.get("tool") or {}, event["payload"].get("args")
    asked = is_by_hand(event["kind"], tool.get("name"))
    return dict(args) if asked and isinstance(args, Mapping) else {}


def _given(**fields: Json) -> Payload:
    return {name: value for name, value in fields.items() if value is not None}
