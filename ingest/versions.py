"""Corrections: the event that says what a memory says from now on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core import events
from ..core.calls.arguments import checked
from ..core.calls.cleaning import clean_id
from ..core.errors import Conflict, NotFound
from ..core.types import MemoryRecord
from ..core.vocabulary import CORRECTS
from .message_event import message_event


def version_before(
    versions: Sequence[MemoryRecord], id: str, version_id: str | None
) -> MemoryRecord:
    """Return what a version corrects: the newest, or what it corrected when it first came.

    `versions` are those of the memory `id`, oldest first. Raises `NotFound` where none is left,
    and `Conflict` where `version_id` is that of the memory itself.
    """
    if not versions:
        raise NotFound(f"memory {id!r} was forgotten")
    wanted = version_id and clean_id(version_id)
    again = next((each for each in versions if wanted and each.event_id == wanted), None)
    if again is None:
        return versions[-1]
    for each in versions:
        if each.id == again.corrects:
            return each
    raise Conflict(f"{version_id!r} is the memory itself: give its correction another id")


def next_version(before: MemoryRecord, text: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the event that corrects a version: what is not given is as it was."""
    role = events.ROLE_OF_KIND.get(before.kind, "note")
    fields: dict[str, Any] = {
        "person": before.given_person,
        "session": before.session,
        "metadata": before.metadata,
        "artifacts": before.artifacts,
        "role": role,
        "tool": before.tool if before.kind == "tool_result" else None,
    }
    fields |= {name: value for name, value in given.items() if value is not None}
    fields["metadata"] = {**fields["metadata"], CORRECTS: before.id}
    return checked(message_event)(text, **fields)
