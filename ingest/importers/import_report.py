"""What an import found: what the input was read as, and what became of everything in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from ...core.events import EventKind
from ...core.text import counted
from ...core.time import to_text
from ..redaction.sanitise import sanitise
from .import_record import ImportRecord

#: Files that could not be read, and remarks, that are kept word for word; all are counted.
_LISTED_MAX = 100
#: The word for what was left out, which is counted: of one thing it has no s.
_PLURAL = re.compile(r"^((?:\w+ )?\w+[^s\W])s\b")
_WORDS = {
    EventKind.USER_MESSAGE: "message",
    EventKind.ASSISTANT_MESSAGE: "message",
    EventKind.TOOL_RESULT: "tool result",
    EventKind.MANUAL_INGEST: "note",
    EventKind.MANUAL_CAPTURE: "note",
    EventKind.SESSION_BOUNDARY: "session boundary",
}


@dataclass(slots=True)
class ImportReport:
    """The account of one input: each thing in it is counted once, in one of these.

    `read_as` counts files by format, `events` things by what they are ("message"), `speakers` the
    messages of each person as stored (None: of the user, without a name), `skipped` what was left
    out by what it is ("system lines"); `no_time` are the events that the input gives no time for,
    and `at` the time that stands in for it (None: now). `unread` are files that nothing could be
    made of, with the reason.
    """

    name: str
    at: datetime | None = None
    read_as: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    speakers: Counter[str | None] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    no_time: int = 0
    first: datetime | None = None
    last: datetime | None = None
    unread: list[str] = field(default_factory=list)
    unread_files: int = 0
    remarks: list[str] = field(default_factory=list)

    def count(self, record: ImportRecord) -> None:
        """Count what one record is."""
        if record.skipped is not None:
            self.skipped[record.skipped] += record.count
        elif record.event is None:
            self.refused += 1
        else:
            self.events[_WORDS[record.event.kind]] += 1
            if record.event.kind is EventKind.USER_MESSAGE:
                self.speakers[record.event.person and _without_secrets(record.event.person)] += 1
            if record.event.ts is not None:
                self.first = min(self.first or record.event.ts, record.event.ts)
                self.last = max(self.last or record.event.ts, record.event.ts)

    def add_unread(self, name: str, reason: str) -> None:
        """Count a file that nothing could be made of."""
        self.unread_files += 1
        if len(self.unread) < _LISTED_MAX:
            self.unread.append(f"{name} {reason}")

    def add_remark(self, remark: str) -> None:
        """Keep what a reader says of the whole, once."""
        if remark not in self.remarks and len(self.remarks) < _LISTED_MAX:
            self.remarks.append(remark)

    @property
    def total(self) -> int:
        """How many events there are."""
        return self.events.total()

    @property
    def people(self) -> int:
        """How many people speak; the user without a name is one."""
        return len(self.speakers)

    def headline(self) -> str:
        """Return the account in one line."""
        kinds = [
            label if count == 1 else f"{label} ({count:,} files)"
            for label, count in self.read_as.most_common()
        ]
        held = [counted(count, word) for word, count in self.events.items()]
        if self.speakers and held:
            who = "person" if self.people == 1 else "people"
            at = next((n for n, w in enumerate(self.events) if w == "message"), 0)
            held[at] += f" by {self.people:,} {who}"
        parts = [f"read as: {', '.join(kinds) or 'nothing'}", ", ".join(held) or "no message"]
        if self.skipped:
            left_out = ", ".join(_amount(n, what) for what, n in self.skipped.most_common())
            parts.append(f"skipped: {left_out}")
        if self.refused:
            parts.append(f"refused: {self.refused:,}")
        if self.unread_files:
            parts.append(f"not read: {counted(self.unread_files, 'file')}")
        parts.append(f"no time: {self.no_time:,}")
        return "; ".join(parts)

    def lines(self) -> list[str]:
        """Return the headline, and what has to be said besides."""
        more = list(self.remarks)
        if self.no_time:
            have = "message has" if self.no_time == 1 else "messages have"
            taken = "now (--at TIME sets it)" if self.at is None else to_text(self.at)
            more.append(f"{self.no_time:,} {have} no time: taken as {taken}")
        more += [f"not read: {name}" for name in self.unread]
        if self.unread_files > len(self.unread):
            more.append(f"not read: {self.unread_files - len(self.unread):,} more")
        return [self.headline(), *more]

    def as_json(self) -> Mapping[str, Any]:
        """Return the fields that docs/json.md names."""
        return {
            "file": self.name,
            "read_as": dict(self.read_as),
            "events": dict(self.events),
            "people": {name: n for name, n in self.speakers.items() if name is not None},
            "unnamed": self.speakers.get(None, 0),
            "skipped": dict(self.skipped),
            "refused": self.refused,
            "no_time": self.no_time,
            "first": self.first and to_text(self.first),
            "last": self.last and to_text(self.last),
            "unread": list(self.unread),
            "unread_files": self.unread_files,
            "remarks": list(self.remarks),
        }


@lru_cache(maxsize=1024)
def _without_secrets(name: str) -> str:
    return str(sanitise({"person": name}).fields["person"])


def _amount(number: int, what: str) -> str:
    return f"{number:,} {_PLURAL.sub(lambda match: match[1], what) if number == 1 else what}"
