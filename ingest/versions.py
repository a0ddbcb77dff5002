"""Corrections: the event that says what a memory says from now on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core import events
from ..core.calls.arguments import checked
from ..core.types import MemoryRecord
from ..core.vocabulary import CORRECTS
from .message_event import message_event


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
