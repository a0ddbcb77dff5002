"""Stage normalise: is this an event that a journal can keep? Shape and size only; no storage."""

from __future__ import annotations

from ..core.errors import InvalidInput
from ..core.events import encode
from ..core.types import Payload


def check(event: Payload, event_bytes_max: int) -> None:
    """Raise `InvalidInput` for an event that no journal can keep.

    It is larger than the limit (bytes of JSON in UTF-8), or holds text that cannot be written.
    """
    size = len(encode(event).encode("utf-8"))
    if size > event_bytes_max:
        raise InvalidInput(
            f"event {event.get('id') or 'without id'} has {size:,} bytes, more than the limit of "
            f"{event_bytes_max:,}: split it, or raise journal.event_bytes_max"
        )
