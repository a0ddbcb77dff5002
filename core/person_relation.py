"""Relation: what an agent knows of somebody it has met (feature 48)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .json_validation import without_none
from .time import to_text
from .types import Json
from .vocabulary import Relationship


@dataclass(frozen=True, slots=True)
class PersonRelation:
    """One person the agent has met: who, what they are to it, since when and how often.

    `user_id` is the person's id. Without an override the default threshold counts.
    """

    user_id: str
    display_name: str
    relationship_type: Relationship
    first_seen: datetime
    last_seen: datetime
    interaction_count: int
    capture_threshold_override: float | None = None

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values; what is not known is left out."""
        return without_none(
            user_id=self.user_id,
            display_name=self.display_name,
            relationship_type=self.relationship_type.value,
            first_seen=to_text(self.first_seen),
            last_seen=to_text(self.last_seen),
            interaction_count=self.interaction_count,
            capture_threshold_override=self.capture_threshold_override,
        )
