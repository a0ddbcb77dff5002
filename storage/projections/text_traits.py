"""Traits of a text that ranking uses: its length, whether it asks, whether it names a time.

Computed once, when an experience is captured, and stored as a bit set.
"""

from __future__ import annotations

from enum import IntFlag

from ...core.events import document_of, says
from ...core.vocabulary import Json
from ...language.glance import names_a_time


class Trait(IntFlag):
    """What can be said of a text at a glance."""

    ENDS_AS_QUESTION = 1
    ASKS = 2
    HAS_CAPTION = 4
    NAMES_A_TIME = 8
    #: It came out of a recall, and repeats what is remembered already.
    ECHO = 16
    #: Too short, too long or too empty to be what others repeat.
    UNFIT = 32
    #: Its metadata restrict who may see it (`core.events.is_restricted`).
    RESTRICTED = 64
    #: A boundary of a session: it says where something began or ended, and is no memory.
    BOUNDARY = 128
    #: Its metadata call it planned or out of use (`is_inactive`).
    INACTIVE = 256


def is_inactive(metadata: Json) -> bool:
    """Return whether metadata call a memory, or the document it is part of, planned or out of use.

    A memory's own `status` has many uses: only planned, deprecated and inactive count against it.
    A document's counts unless it is active, or is not said.
    """
    own = any(says(metadata, "status", word, absent=False) for word in _INACTIVE)
    return own or not says(document_of(metadata), "status", "active")


def hiding_traits(*, restricted: bool, inactive: bool = False) -> Trait:
    """Return the traits of which none may be a candidate of any answer, whatever the profile.

    A session's boundary never is; what is restricted, and what is inactive, where they are asked.
    """
    hidden = Trait.BOUNDARY
    hidden |= Trait(0) if restricted else Trait.RESTRICTED
    return hidden if inactive else hidden | Trait.INACTIVE


_INACTIVE = ("planned", "deprecated", "inactive")
_NO_TRAITS, _CAPTIONED = Trait(0), Trait.HAS_CAPTION


def traits_of(text: str, captions: list[str]) -> Trait:
    """Return the traits of a text and the captions that came with it."""
    traits = _CAPTIONED if captions else _NO_TRAITS
    if "?" in text or "？" in text or "؟" in text:
        traits |= Trait.ASKS
        if text.rstrip().endswith(("?", "？", "؟")):
            traits |= Trait.ENDS_AS_QUESTION
    if names_a_time(text):
        traits |= Trait.NAMES_A_TIME
    return traits
