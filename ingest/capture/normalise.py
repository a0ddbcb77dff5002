"""Stage normalise: can a journal store this event? Checks shape and size only; no storage."""

from __future__ import annotations

from ...core.errors import InvalidInput
from ...core.events import encode
from ...core.types import Payload
from ..redaction.sanitise import DEFAULT, RedactionPolicy, sanitise


def validate_event(event: Payload, event_bytes_max: int, policy: RedactionPolicy = DEFAULT) -> str:
    """Return an event as the journal writes it, or raise `InvalidInput` where it cannot be stored.

    Refused are events larger than the limit (bytes of JSON in UTF-8) and text that cannot be
    written. The message names the event by its id, redacted by `policy`.
    """
    body = encode(event)
    size = len(body) if body.isascii() else len(body.encode("utf-8"))
    if size > event_bytes_max:
        id = event.get("id")
        event_name = sanitise({"id": id}, policy).fields["id"] if id else "without id"
        raise InvalidInput(
            f"event {event_name} has {size:,} bytes, more than the limit of "
            f"{event_bytes_max:,}: split it, or raise journal.event_bytes_max"
        )
    return body
