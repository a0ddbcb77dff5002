"""Identifiers: time-ordered for events, deterministic for derived nodes.

A UUIDv7 sorts by its time. People, sessions, concepts, artifacts and edges have an id that is a
hash of what identifies them, so that a rebuild, or another engine, produces the same id.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache

#: Longer texts are no names, and not worth remembering how they fold.
_NAME_CHARS = 256
#: Before the id of a person: the id of what they are to the agent.
_RELATIONSHIP = "relationship_"
RandomBytes = Callable[[int], bytes]
#: Behind the key of an event whose id was used before, for what is forgotten.
REUSED = "\x1e"


def event_id_of(key: str) -> str:
    """Return the caller's id of an event from the key of its entry."""
    return key.rstrip(REUSED)


def time_of_id(id: str) -> datetime:
    """Return when a UUID of version 7 was made."""
    return datetime.fromtimestamp(int(id.replace("-", "")[:12], 16) / 1000, UTC)


def uuid7(now: datetime, random_bytes: RandomBytes) -> str:
    """Make a UUID version 7 (RFC 9562, section 5.7): milliseconds and 74 random bits."""
    milliseconds = int(now.timestamp() * 1000) & (1 << 48) - 1
    random = int.from_bytes(random_bytes(10), "big")
    value = milliseconds << 80 | 0x7 << 76 | (random >> 62 & 0xFFF) << 64 | 0b10 << 62
    digits = f"{value | random & (1 << 62) - 1:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


@lru_cache(maxsize=4096)
def derived(kind: str, space: str, *parts: str) -> str:
    """Return the id of a derived thing: its kind and 96 bits of a hash over space and parts."""
    digest = hashlib.blake2b(digest_size=12)
    for component in (kind, space, *parts):
        encoded = component.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(4, "big") + encoded)
    return f"{kind}_{digest.hexdigest()}"


def fold(name: str) -> str:
    """Fold a name for comparison: Unicode NFKC, case-folded, one apostrophe, one white space."""
    return _folded(name) if len(name) <= _NAME_CHARS else _folded.__wrapped__(name)


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.replace("’", "'").split())


def person_id(space: str, name: str) -> str:
    """Return the id of the person called `name` in `space`."""
    return derived("person", space, fold(name))


def owner_id(space: str) -> str:
    """Return the id of the person whose side of `space` speaks without a name."""
    # Two parts: no name, which is one part, has this id.
    return derived("person", space, "", "owner")


def relationship_id(person: str) -> str:
    """Return the id of what somebody is to the agent, from theirs."""
    return _RELATIONSHIP + person


def person_of(relationship: str) -> str:
    """Return the id of the person of a relationship, from its own."""
    return relationship.removeprefix(_RELATIONSHIP)


def session_id(space: str, key: str) -> str:
    """Return the id of the session whose caller's key is `key` in `space`."""
    return derived("session", space, key)


def concept_id(space: str, lemma: str) -> str:
    """Return the id of a concept in `space`."""
    return derived("concept", space, lemma)


def word_id(space: str, stem: str) -> str:
    """Return the id of a word of the index in `space`."""
    return derived("word", space, stem)


def artifact_id(space: str, uri: str, content_hash: str | None) -> str:
    """Return the id of an artifact: by content where its hash is known, by address otherwise."""
    return derived("artifact", space, content_hash or uri)


def content_hash(text: str) -> str:
    """Return a 128-bit BLAKE2b hash of a text, in hexadecimal."""
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).hexdigest()
