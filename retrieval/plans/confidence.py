"""The confidence of a source: it decays with age, by content type.

Pure functions of an age. Nothing is deleted by time: expired sources are left out of a plan, which
says so; an archived turn is represented by its summary, and its document stays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ...core.time import DAY_S
from ...core.vocabulary import Stability


class ContentType(StrEnum):
    """What a source says something about; a caller may say so in `metadata.content_type`."""

    AVAILABILITY = "availability"
    PRICE = "price"
    PRODUCT_SPEC = "product_spec"
    VENDOR_INFO = "vendor_info"
    STRATEGY = "strategy"
    SITE_PATTERN = "site_pattern"
    PREFERENCE = "preference"
    GENERAL_FACT = "general_fact"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Decay:
    """How fast confidence falls, per day, and what it falls to."""

    rate: float
    floor: float


#: Eight kinds, and one for everything else.
DECAY: Mapping[ContentType, Decay] = {
    ContentType.AVAILABILITY: Decay(0.20, 0.10),
    ContentType.PRICE: Decay(0.10, 0.20),
    ContentType.PRODUCT_SPEC: Decay(0.03, 0.50),
    ContentType.VENDOR_INFO: Decay(0.02, 0.60),
    ContentType.STRATEGY: Decay(0.02, 0.50),
    ContentType.SITE_PATTERN: Decay(0.01, 0.70),
    ContentType.PREFERENCE: Decay(0.005, 0.80),
    ContentType.GENERAL_FACT: Decay(0.005, 0.80),
    ContentType.DEFAULT: Decay(0.02, 0.30),
}
#: Below this a source is expired.
EXPIRED_BELOW = 0.30
#: What a source loses that was proven stale, once.
_STALE = 0.10
_BANDS = ((0.80, "high"), (0.50, "medium"), (EXPIRED_BELOW, "low"))

#: Predicates that say something perishable, or something of a kind of its own.
_OF_PREDICATE: Mapping[str, ContentType] = {
    "price": ContentType.PRICE,
    "cost": ContentType.PRICE,
    "costs": ContentType.PRICE,
    "available": ContentType.AVAILABILITY,
    "availability": ContentType.AVAILABILITY,
    "in_stock": ContentType.AVAILABILITY,
    "spec": ContentType.PRODUCT_SPEC,
    "product_spec": ContentType.PRODUCT_SPEC,
    "vendor": ContentType.VENDOR_INFO,
    "vendor_info": ContentType.VENDOR_INFO,
    "strategy": ContentType.STRATEGY,
    "site_pattern": ContentType.SITE_PATTERN,
    "prefers": ContentType.PREFERENCE,
    "likes": ContentType.PREFERENCE,
    "dislikes": ContentType.PREFERENCE,
    "preference": ContentType.PREFERENCE,
}
_FAVOURITE = "favourite"


def decayed(confidence: float, type: ContentType, days: float) -> float:
    """Return what is left of a confidence (0 to 1) after some days; an age below 0 counts as 0.

    It falls from its first value towards the floor of its kind. What began below the floor stays
    where it began: time makes nothing surer.
    """
    decay = DECAY[type]
    if confidence <= decay.floor:
        return confidence
    left = math.exp(-decay.rate * max(days, 0.0))
    return min(decay.floor + (confidence - decay.floor) * left, confidence)  # rounding adds nothing


def lowered(confidence: float, floor: float) -> float:
    """Return the confidence of a source that was proven stale: .10 less, not below its floor.

    `floor` is what time alone would leave of it.
    """
    return max(confidence - _STALE, min(confidence, floor))


def band(confidence: float) -> str:
    """Return `high` (from .80), `medium` (from .50), `low` (from .30) or `expired`."""
    return next((name for least, name in _BANDS if confidence >= least), "expired")


def days_between(earlier: datetime, later: datetime) -> float:
    """Return the days from one instant to another, negative when they stand the other way."""
    return (later - earlier).total_seconds() / DAY_S


def type_of_fact(predicate: str, stability: Stability) -> ContentType:
    """Return how a fact decays: by its predicate, else by how long such facts tend to hold."""
    if predicate in _OF_PREDICATE:
        return _OF_PREDICATE[predicate]
    if predicate.startswith(_FAVOURITE):
        return ContentType.PREFERENCE
    ephemeral = stability is Stability.EPHEMERAL
    return ContentType.AVAILABILITY if ephemeral else ContentType.GENERAL_FACT


def stated_type(metadata: Mapping[str, object]) -> ContentType:
    """Return the kind that a caller gave to a memory; anything unknown is `default`."""
    try:
        return ContentType(str(metadata.get("content_type")))
    except ValueError:
        return ContentType.DEFAULT
