"""Stage normalise: an event becomes a draft of the journal. Shape and size only; no storage."""

from __future__ import annotations

from ..core.errors import InvalidInput
from ..core.events import Event, encode
from ..core.ids import session_id
from ..core.types import Draft, EntryKind, Space

#: Bytes of the payload around the event.
_AROUND = len(encode({"event": {}})) - len("{}")


def normalise(event: Event, space: Space, event_bytes_max: int) -> Draft:
    """Return the draft that captures `event`.

    Raises `InvalidInput` when the event is larger than the limit (bytes of JSON in UTF-8) or
    holds text that no journal can keep.
    """
    payload = {"event": event.as_json()}
    body = encode(payload)
    size = len(body.encode("utf-8")) - _AROUND
    if size > event_bytes_max:
        raise InvalidInput(
            f"event {event.id or 'without id'} has {size:,} bytes, more than the limit of "
            f"{event_bytes_max:,}: split it, or raise journal.event_bytes_max"
        )
    return Draft(
        kind=EntryKind.EXPERIENCE_CAPTURED,
        key=event.id or "",
        payload=payload,
        at=event.ts,
        stream=session_id(space, event.session.key) if event.session else None,
        body=body,
    )
