"""A small history to forget from: two people, four sessions, facts that end each other."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings

PLAIN = Settings(embedding=EmbeddingSettings(enabled=False))
START = datetime(2026, 3, 1, 10, tzinfo=UTC)
#: Person, session, text; a memory's id is "m-" and its place.
SAID = [
    ("Dana", "s1", "I live in Paris and I work as a baker."),
    ("Kim", "s1", "I am so happy, I was promoted at the harbour office!"),
    ("Dana", "s1", "I am really worried about the rent."),
    ("Dana", "s2", "I moved to Berlin, so I live in Berlin now."),
    ("Kim", "s2", "My sister Maya lives in Oslo."),
    ("Kim", "s2", "I promise to send the map of the fjord on Friday."),
    ("Dana", "s3", "I live in Berlin, near the old brewery."),
    ("Kim", "s3", "What a sad day: my old dog Biscuit died."),
    ("Dana", "s4", "I live in Lisbon since last week, and I love it."),
    ("Kim", "s4", "The regatta begins on Sunday, and I am excited about it."),
]


def tell(memory: Memory, places: range | list[int] | None = None) -> None:
    """Remember what was said at some places, or all of it, and enrich it."""
    for place in range(len(SAID)) if places is None else places:
        person, session, text = SAID[place]
        at = START + timedelta(hours=9 * place)
        memory.remember(
            text,
            person=person,
            session=session,
            at=at,
            id=f"m-{place}",
            metadata={"topic": f"topic {place}", "place": place},
        )
    memory.enrich()


def described(memory: Memory) -> dict[str, Any]:
    """Return what a memory tells of itself, without ids and addresses."""
    people = ("Dana", "Kim")
    questions = ("Where does Dana live?", "What about the dog of Kim?", "When is the regatta?")
    derived = {
        kind: sorted(record.text for record in memory.list(kind=kind).memories)
        for kind in ("fact", "transition")
    }
    return {
        "memories": [record.event_id for record in memory.list().memories],
        "people": sorted(person.name for person in memory.people.known().people),
        "answers": [[hit.text for hit in memory.recall(q).hits[:1]] for q in questions],
        "packs": [
            re.sub(r"@\d+", "@", pack.text) if (pack := memory.resume(person)) else None
            for person in people
        ],
        "episodes": sorted(episode.summary for episode in memory.chronicle.episodes()),
        **derived,
    }


def folder_bytes(folder: Path) -> bytes:
    """Return all bytes of all files of a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
