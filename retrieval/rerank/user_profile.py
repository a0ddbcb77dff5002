"""User profiles: weights over named archetypes, and the boost for a memory that fits.

A profile says how close a user is to each archetype; the caller names the archetypes (default: the
five of the source). It moves slowly, message by message. Values that cannot be read are ignored.
Which archetype a message speaks for is not decided here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...core.types import Json
from .facets import Boost, BoostLine, capped, parse_texts

ARCHETYPES = ("loyalist", "prestige", "analyst", "achiever", "legacy")
#: How much of a profile stays as it was when a message speaks for an archetype.
SMOOTHING = 0.75
#: An archetype that leads the second by less than this is no winner.
MARGIN_MIN = 0.08
#: K: what a memory would gain that is for one archetype of very many, and that fits in full.
STRENGTH = 0.08
#: The most that fitting a profile may add to a score.
ARCHETYPE_BOOST_MAX = 0.15


@dataclass(frozen=True, slots=True)
class UserProfile:
    """How far somebody is of each archetype: weights from 0 that sum to 1, in order of `names`.

    Made by `neutral`, `profile_of` and `moved`.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]

    @property
    def margin(self) -> float:
        """How far the first archetype leads the second, 0 to 1."""
        best, second, *_ = *sorted(self.weights, reverse=True), 0.0, 0.0
        return best - second

    def as_json(self) -> dict[str, float]:
        """Return the weights by name."""
        return dict(zip(self.names, self.weights, strict=True))


def neutral(names: Sequence[str] = ARCHETYPES) -> UserProfile:
    """Return the profile of somebody of whom nothing is known: 1/n for each of n archetypes."""
    distinct = tuple(parse_texts(list(names)))
    return UserProfile(distinct, tuple(1 / len(distinct) for _ in distinct))


def profile_of(value: Json, names: Sequence[str] = ARCHETYPES) -> UserProfile:
    """Read a profile from an object of weights by archetype, whatever they sum to.

    Unknown names are passed over, and so are weights that are no positive number; with none left
    the profile is neutral. Never raises.
    """
    start = neutral(names)
    return _normal(start, [max(0.0, weight) for weight in _weights(value, start.names)])


def updated_profile(profile: UserProfile, signals: Json) -> UserProfile:
    """Return a profile after a message: s·old + (1 − s)·(old + signal) for each, summing to 1.

    `signals` is an object of numbers by archetype, read as in `profile_of`; they may be negative.
    Do this before recalling for the message, so that its own signals count for it (feature 121).
    """
    signal_values = _weights(signals, profile.names)
    weights = [
        max(0.0, SMOOTHING * old + (1 - SMOOTHING) * (old + signal))
        for old, signal in zip(profile.weights, signal_values, strict=True)
    ]
    return _normal(profile, weights)


def archetype_boost(
    bias: Json, profile: UserProfile, margin: float | None = None, strength: float = STRENGTH
) -> Boost:
    """Return what a memory for the archetypes in `bias` gains, 0 to `ARCHETYPE_BOOST_MAX`.

    strength · alignment · (1 − n/N) · min(margin / MARGIN_MIN, 1): alignment is the weight of
    its n archetypes in the profile, N how many there are. For none and for all it is 0. `margin`
    is the profile's own where it is not given. `bias` may be any JSON value; never raises.
    """
    given = set(parse_texts(bias))
    meant = [name for name in profile.names if name in given]
    if not meant:
        return Boost()
    weights = profile.as_json()
    alignment = math.fsum(weights[name] for name in meant)
    special = 1 - len(meant) / len(profile.names)
    value = strength * alignment * special * _confidence(profile, margin)
    if not value > 0:  # nor a margin that is no number
        return Boost()
    line = BoostLine("archetype", f"is for archetype {', '.join(meant)}", value)
    return capped([line], ARCHETYPE_BOOST_MAX)


def _confidence(profile: UserProfile, margin: float | None) -> float:
    lead = profile.margin if margin is None else margin
    return min(max(lead / MARGIN_MIN, 0.0), 1.0)


def _weights(value: Json, names: Sequence[str]) -> list[float]:
    """Return the number that an object has for each name, 0 where it has none."""
    given: dict[str, float] = {}
    if isinstance(value, Mapping):
        for key, weight in value.items():
            given.setdefault(str(key).lower().strip(), _number(weight))
    return [given.get(name, 0.0) for name in names]


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def _normal(profile: UserProfile, weights: Sequence[float]) -> UserProfile:
    """Scale weights from 0 to a sum of 1; neutral where all are 0."""
    most = max(weights, default=0.0)
    if most <= 0 or not math.isfinite(most):
        return neutral(profile.names)
    # By the largest first: the sum of very large weights has no number.
    scaled = [weight / most for weight in weights]
    total = math.fsum(scaled)
    return UserProfile(profile.names, tuple(weight / total for weight in scaled))
