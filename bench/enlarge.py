"""Enlarge a synthetic space by renamed copies of what is in it, without reading every text again.

    python -m bench.enlarge FILE --to 1000000

Reading a message by the rules is most of what a load costs, and does not depend on what is there.
So the entries of the first `--base` memories (by the real capture and enrichment) are appended
again and again, through the journal: other words of the same topics, other sessions, later days,
ids of their own, with what the rules and the associations found in the originals. Lists, full text,
vectors (each text is embedded) and edges come about as they always do. Associations stay within
a copy; people and stated names stay the same.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from bench.scale import opened
from bench.scale_operations import ENDLESS, SELDOM
from bench.synthetic import PEOPLE, SPACE, Language
from meridia.core.codec import decode_entry, encode_text
from meridia.core.ids import person_id, session_id
from meridia.core.types import Entry, EntryDraft, EntryKind
from meridia.ingest.enrichment_state import ASSOCIATIONS, RULES
from meridia.memory import Memory

_BASE, _PAGE = 10_000, 5_000
#: More sessions than so many memories have.
_SESSIONS = _BASE // 15
#: What is renamed: ids of entries, made ids, keys of events and sessions, days, words, the blue.
_NAMES = re.compile(
    r"([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?:session|fact|transition|episode)_[0-9a-f]{24}"
    rf"|\bs\d+(?:-\d+)?\b|\b20\d\d-\d\d-\d\d|\b[a-z]{{4,}}\b|\b{SELDOM}\b"
    rf"|{person_id(SPACE, SELDOM)})"
)
#: Said once of a space: who was met, and what they are to it.
_ONCE = frozenset({EntryKind.PERSON_MET, EntryKind.RELATIONSHIP_CHANGED})


@dataclass(frozen=True, slots=True)
class Original:
    """An entry that is copied: its texts, cut where something is renamed (every second part)."""

    entry: Entry
    key: Sequence[str]
    body: Sequence[str]


class Names:
    """What things are called in one copy."""

    def __init__(self, copy: int, days: int, language: Language) -> None:
        self._copy, self._shift = copy, timedelta(days=days * copy)
        draw, words = np.random.default_rng(copy), language.words
        self._known = {session_id(SPACE, ENDLESS): session_id(SPACE, ENDLESS), "blue": "grey"}
        self._known |= {SELDOM: PEOPLE[0], person_id(SPACE, SELDOM): person_id(SPACE, PEOPLE[0])}
        for number in range(_SESSIONS):
            key = f"s{number}"
            self._known[session_id(SPACE, key)] = session_id(SPACE, self._new(key))
        for topic in range(int(language.topic_of.max()) + 1):
            places = np.flatnonzero(language.topic_of == topic)
            others = draw.permutation(places)
            # Four letters are what `_NAMES` cuts out.
            self._known |= {words[a]: words[b] for a, b in zip(places, others, strict=True)}

    def later(self, at: datetime) -> datetime:
        """Return a time in the copy."""
        return at + self._shift

    def called(self, entry: str, copied: str) -> None:
        """Note what the copy of an entry is called."""
        self._known[entry] = copied

    def renamed(self, parts: Sequence[str]) -> str:
        """Return a text in the copy."""
        known, made = self._known, list(parts)
        for place in range(1, len(made), 2):
            name = made[place]
            if (new := known.get(name)) is None:
                new = known[name] = self._new(name)
            made[place] = new
        return "".join(made)

    def _new(self, name: str) -> str:
        if name[:2] == "20":
            return f"{self.later(datetime.fromisoformat(name)):%Y-%m-%d}"
        kind, _, made = name.partition("_")
        if made:
            return f"{kind}_{hashlib.sha256(f'{name} {self._copy}'.encode()).hexdigest()[:24]}"
        return f"{name}c{self._copy}" if re.fullmatch(r"s\d+(-\d+)?", name) else name


def originals(memory: Memory, base: int) -> Iterator[Original]:
    """Yield the entries of the first memories of a space that are copied."""
    after, captured = 0, 0
    while entries := memory.parts.journal.read(SPACE, after, _PAGE):
        after = entries[-1].seq
        for entry in entries:
            captured += entry.kind is EntryKind.EXPERIENCE_CAPTURED
            if captured > base:
                return
            if entry.payload is not None and entry.kind not in _ONCE:
                body = _NAMES.split(encode_text(entry.payload))
                yield Original(entry, _NAMES.split(entry.key), body)


def add_copy(memory: Memory, copied: Sequence[Original], names: Names) -> None:
    """Append a copy, and have it embedded and listed like everything else."""
    store = memory.parts
    for start in range(0, len(copied), _PAGE):
        with store.writing(), store.journal.appending(SPACE) as appender:
            for each in copied[start : start + _PAGE]:
                entry, body = each.entry, names.renamed(each.body)
                draft = EntryDraft(
                    key=names.renamed(each.key),
                    payload=decode_entry(entry.kind, body),
                    at=names.later(entry.at),
                    stream=entry.stream and names.renamed(("", entry.stream)),
                    body=body,
                )
                names.called(entry.id, appender.append(draft).id)
    head = store.journal.head(SPACE).seq
    with store.writing():
        for name, version in (RULES, ASSOCIATIONS):
            store.space(SPACE).cursors.move(name, version, head)
    memory.enrich()


def enlarge(memory: Memory, size: int, language: Language, base: int = _BASE) -> None:
    """Add copies to a space until it has at least so many memories."""
    counted = memory.parts.journal.count(SPACE)[EntryKind.EXPERIENCE_CAPTURED]
    copied = list(originals(memory, base))
    days = 2 + (max(e.entry.at for e in copied) - min(e.entry.at for e in copied)).days
    for copy in range(counted // base, -(-size // base)):
        started = time.process_time()
        add_copy(memory, copied, Names(copy, days, language))
        print(f"{(copy + 1) * base:,} memories: {time.process_time() - started:.1f} s", flush=True)


def main() -> None:
    """Enlarge the space of a file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--to", type=int, default=100_000, help="how many memories")
    parser.add_argument("--base", type=int, default=_BASE, help="how many are copied")
    given = parser.parse_args()
    language = Language()
    with opened(given.file, language) as memory:
        enlarge(memory, given.to, language, given.base)


if __name__ == "__main__":
    main()
