"""The port of a sink, a system that is given copies, and what of the journal may leave for it.

A sink keeps no position: the dispatcher reads the journal, redacts, and delivers batches behind a
cursor of each sink. Whatever a sink holds can be dropped and delivered again. What was erased or is
restricted never leaves, and every text of an entry, whatever its kind, is redacted first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol
from zlib import crc32

from ...core.codec import decode_entry, encode
from ...core.entries import EpisodeSynthesised, ExperienceCaptured, Forgotten
from ...core.errors import InvalidInput
from ...core.events import embedding_text_of, is_restricted, recorded_event
from ...core.experience import Phenomenology
from ...core.settings import SanitiseSettings
from ...core.types import Entry, Payload
from ...graph.schema import Partition
from ..capture.event_view import is_by_hand
from ..redaction.sanitise import Target, clean_for_sink, sanitise_for_sink

#: Texts whose redaction is remembered: names, topics and words come again and again.
_REMEMBERED = 10_000
#: Returns which of some experiences, by id, may not leave: restricted, or erased.
Withheld = Callable[[Sequence[str]], AbstractSet[str]]


def outward_entries(
    entries: Sequence[Entry], withheld: Withheld, policy: SanitiseSettings, target: Target
) -> list[Entry]:
    """Return those entries that may leave, redacted.

    Left out: what was erased, restricted memories, and what is said about either.
    """
    named = {id for entry in entries for id in _experiences(entry)}
    refused = withheld(sorted(named)) if named else set()
    leaving = [
        entry
        for entry in entries
        if entry.payload is not None
        and not isinstance(entry.payload, Forgotten)
        and refused.isdisjoint(_experiences(entry))
    ]
    return [entry for each in leaving if (entry := _outward(each, policy, target)) is not None]


def is_withheld(entry: Entry) -> bool:
    """Return whether a captured experience may not leave: it was erased, or it is restricted."""
    if not isinstance(entry.payload, ExperienceCaptured):
        return True
    return is_restricted(recorded_event(entry.payload).get("metadata"))


def embedded_text(event: Payload, felt: Phenomenology | None = None) -> str:
    """Return what is embedded of an event: what it says, or its captions.

    With `felt`, topic, summary, anchors, uncertainties and texture, each on a line of its own.
    """
    text = embedding_text_of(event)
    if felt is None:
        return text
    payload, metadata = event["payload"], event.get("metadata") or {}
    args = payload.get("args") if is_by_hand(event) else None
    given = {**(args if isinstance(args, Mapping) else {}), **payload, **metadata}
    texture = felt.signature and felt.signature.texture
    anchors = [anchor.phrase for anchor in felt.anchors]
    lines = [
        given.get("topic"),
        given.get("summary") or text,
        *anchors,
        *felt.uncertainties,
        texture,
    ]
    return "\n".join(str(line) for line in dict.fromkeys(lines) if line)


def _experiences(entry: Entry) -> list[str]:
    """Return the experiences that an entry is about, by id."""
    payload = entry.payload
    if isinstance(payload, ExperienceCaptured):
        return [entry.id]
    if isinstance(payload, EpisodeSynthesised):
        return list(payload.sources)
    subject = getattr(payload, "experience", None)
    return [] if subject is None else [subject]


def _outward(entry: Entry, policy: SanitiseSettings, target: Target) -> Entry | None:
    """Return an entry redacted; None where a mark in the place of a text makes it invalid."""
    body = encode(entry.payload)
    clean: dict[str, Any] = {
        name: sanitise_for_sink(value, policy, target).fields
        if isinstance(entry.payload, ExperienceCaptured) and name in {"event", "skeleton"}
        else _map(value, policy)
        for name, value in body.items()
    }
    try:
        return replace(entry, payload=decode_entry(entry.kind, clean), provisional=None)
    except InvalidInput:
        return None


def _map(value: Any, policy: SanitiseSettings) -> Any:
    """Return JSON data with every text redacted, names of fields too."""
    if isinstance(value, str):
        return _clean(value, policy)
    if isinstance(value, dict):
        return {_clean(name, policy): _map(item, policy) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_map(item, policy) for item in value]
    return value


@lru_cache(maxsize=_REMEMBERED)
def _clean(text: str, policy: SanitiseSettings) -> str:
    return clean_for_sink(text, policy)


#: Runs of journal sequences, first and last of each.
Runs = Sequence[tuple[int, int]]


def version_of(*parts: object) -> int:
    """Return a number that is another one as soon as any part is."""
    return crc32(" ".join(map(str, parts)).encode()) & 0x7FFFFFFF


@dataclass(frozen=True, slots=True)
class SinkBatch:
    """Entries of one space on their way to a sink: those after `after`, up to and with `until`.

    In journal order, redacted for the sink's target; erased and restricted ones are left out.
    `partition` is the space together with the journal's id: a sink stores both with all it holds,
    so that two journals that share a server never meet.
    """

    partition: Partition
    after: int
    until: int
    entries: Sequence[Entry]


class Sink(Protocol):
    """One target of the fan-out. Threads may share it; one works on a space at a time.

    Every method raises `Unavailable` where the other system does not answer (it is tried again
    later), and another `MeridiaError` where it refuses what it was given.
    """

    @property
    def name(self) -> str:
        """The name in settings, cursors, status and receipts, such as `postgres`."""
        ...

    @property
    def version(self) -> int:
        """Which edition of the mapping this is, and where to; see `version_of`.

        Another one is delivered from the beginning.
        """
        ...

    @property
    def target(self) -> Target:
        """For what texts are redacted: a graph or a vector store."""
        ...

    def deliver(self, batch: SinkBatch) -> None:
        """Write a batch, keyed by the ids of its entries: the same batch again changes nothing."""
        ...

    def forget(self, partition: Partition, erased: Runs) -> bool:
        """Remove whatever came from some journal sequences; doing it again changes nothing.

        Return False where all of the partition was removed instead: the dispatcher then delivers
        the rest again from the beginning.
        """
        ...

    def drop(self, partition: Partition) -> None:
        """Remove all that is held of the partition, and nothing else."""
        ...

    def count(self, partition: Partition) -> int:
        """Return how many experiences or episodes of the partition are held."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...
