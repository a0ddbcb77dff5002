"""The ids that callers give: the same id with the same content is one entry, acknowledged again.

With other content it is an error in every operation, never a silent acknowledgement.
"""

from __future__ import annotations

from ..entries import EntryPayload, ExperienceCaptured
from ..errors import Conflict
from ..events import event_hash


def check_same_content(key: str, stored: EntryPayload, given: EntryPayload, space: str) -> None:
    """Raise `Conflict` where an id is taken by other content than is given under it."""
    if isinstance(stored, ExperienceCaptured) and isinstance(given, ExperienceCaptured):
        # What was decided about an event is no part of its content.
        what, is_same = "event id", event_hash(stored) == event_hash(given)
        way_out = "send the same event again, or `upsert` its next version"
    else:
        what, is_same, way_out = "id", stored == given, "or send the same again"
    if not is_same:
        raise Conflict(
            f"{what} {key!r} is already taken in space {space!r} by other content: give a new id, "
            f"{way_out}"
        )
