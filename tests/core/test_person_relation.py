"""Relation: what is told of somebody the agent has met."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta, timezone

import pytest

from meridia.core.person_relation import PersonRelation
from meridia.core.vocabulary import Relationship

FIRST = datetime(2026, 3, 1, 11, tzinfo=timezone(timedelta(hours=1)))
LAST = datetime(2026, 3, 2, tzinfo=UTC)
DANA = PersonRelation("person_1", "Dana", Relationship.PRIMARY, FIRST, LAST, 12, 0.4)


def test_a_relation_is_told_in_plain_values_and_times_in_utc():
    assert DANA.as_json() == {
        "user_id": "person_1",
        "display_name": "Dana",
        "relationship_type": "primary",
        "first_seen": "2026-03-01T10:00:00.000000Z",
        "last_seen": "2026-03-02T00:00:00.000000Z",
        "interaction_count": 12,
        "capture_threshold_override": 0.4,
    }
    assert json.loads(json.dumps(DANA.as_json())) == DANA.as_json()
    assert type(DANA.as_json()["relationship_type"]) is str


def test_without_a_threshold_of_its_own_none_is_told():
    plain = PersonRelation("person_1", "Dana", Relationship.USER, FIRST, LAST, 1)
    assert "capture_threshold_override" not in plain.as_json()


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_a_threshold_of_nothing_is_a_threshold(threshold):
    strict = PersonRelation("person_1", "Dana", Relationship.USER, FIRST, LAST, 0, threshold)
    assert strict.as_json()["capture_threshold_override"] == threshold
    assert strict.as_json()["interaction_count"] == 0


def test_a_relation_does_not_change():
    with pytest.raises(FrozenInstanceError):
        DANA.interaction_count = 13  # type: ignore[misc]
