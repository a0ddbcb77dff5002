"""A pack as callers see it: its text, its seven parts, and figures of its quality.

Values only. The parts are those of feature 27: summary, approach guidance, anchors, open
uncertainties, next actions, citations, meta.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from ..core.codec import JsonObject, to_object
from ..core.results import Line, Listed
from ..core.text import counted
from ..core.time import to_text
from ..core.types import Json, MemoryRecord
from .composer import Omission
from .layout import UNSOLVED, PackItem, PackSection, SectionTitle, estimate_tokens, line_text
from .modes import Mode


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited memory: its short address in the text, its full one, and the caller's id."""

    short: str
    uri: str
    event_id: str
    kind: str


@dataclass(frozen=True, slots=True)
class PackAnchor:
    """A phrase that recalls something, what to do with it, and its citation."""

    phrase: str
    instruction: str
    citation: str


@dataclass(frozen=True, slots=True)
class PackMetadata:
    """Counts of the contents of a pack. `sources` counts cited memories by what led to them."""

    records: int
    sessions: int
    first: datetime | None
    last: datetime | None
    sources: dict[str, int]
    tokens: int
    tokens_max: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class PackQuality(JsonObject):
    """Figures of the quality of a pack, each 0 to 1 (feature 36).

    `budget_use` of the tokens; `source_diversity` of the three sources; `anchor_coverage`
    and `phenomenology_coverage` of the cited memories: those with an anchor, and with a feeling.
    """

    budget_use: float
    source_diversity: float
    anchor_coverage: float
    phenomenology_coverage: float


@dataclass(frozen=True, slots=True, repr=False)
class Pack(Listed[PackItem]):
    """A text for an agent; every line of `text` except headings cites.

    `cited` are the callers' event ids in order of appearance. `seq` and `at` are the journal
    sequence and the time that it reads: a pack issued again is identical, as its `hash` (SHA-256
    of the text) shows. `why` says how the mode was chosen; `notes` of a new pack say what is not
    enriched yet; `strongest` are its best quotes.
    """

    id: str
    mode: Mode
    why: str
    person: str | None
    query: str | None
    at: datetime
    seq: int
    text: str
    tokens: int
    cited: Sequence[str]
    omitted: Sequence[Omission]
    sections: Sequence[PackSection]
    citations: Sequence[Citation]
    meta: PackMetadata
    quality: PackQuality
    notes: Sequence[str] = ()
    strongest: Sequence[PackItem] = ()

    @property
    def _items(self) -> Sequence[PackItem]:
        return [i for section in self.sections for line in section.lines for i in line.items]

    def _line(self, item: PackItem) -> Line:
        addresses = " ".join(memory.address for memory in item.memories)
        return Line(addresses, "", item.text)

    def _heading(self) -> str:
        about = self.person or self.query or self.mode.value
        return f"pack for {about}: {counted(len(self._items), 'item')}, {self.tokens} tokens"

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Json]:
        """Return it as plain JSON values: see `as_json`."""
        return self.as_json()

    def to_text(
        self, max_tokens: int | None = None, count: Callable[[str], int] | None = None
    ) -> str:
        """Return its text; as many of its items as have room, where the budget is smaller."""
        tokens = (count or estimate_tokens)(self.text)
        if max_tokens is None or tokens <= max_tokens:
            return self.text
        return Listed.to_text(self, max_tokens, count)

    @property
    def hash(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return sha256(self.text.encode("utf-8")).hexdigest()

    @property
    def uri(self) -> str:
        """The address of the pack itself."""
        return f"meridia://{self.id}"

    def lines(self, title: str) -> list[str]:
        """Return what one section says, a text a line, without addresses.

        `title` is how the title ends: "Robin asked for" is found by "asked for".
        """
        matching = [section for section in self.sections if section.title.endswith(title)]
        return [line_text(line) for section in matching for line in section.lines]

    @property
    def summary(self) -> str:
        """The summary: counts, and what was said last."""
        head = self.text.partition("\n")[0].removeprefix("# ")
        lines = [*self.lines(SectionTitle.BROKE_OFF), *self.lines(SectionTitle.LAST)]
        return "\n".join([head, *lines])

    @property
    def approach_guidance(self) -> list[str]:
        """How to engage: standing requests, and hints of a model."""
        return [*self.lines(SectionTitle.ASKED), *self.lines(SectionTitle.ENGAGE)]

    @property
    def anchors(self) -> list[PackAnchor]:
        """Phrases that bring something back, each with an instruction.

        A model names them; without one they are the quotes that are most worth telling.
        """
        named = [section for section in self.sections if section.title == SectionTitle.ANCHORS]
        items = [item for s in named for line in s.lines for item in line.items]
        return [_anchor(item) for item in items or self.strongest]

    @property
    def open_uncertainties(self) -> list[str]:
        """The questions that stayed open."""
        return [line for line in self.lines(SectionTitle.OPEN) if _asks(line)]

    @property
    def next_actions(self) -> list[str]:
        """The next actions: what is open and due, and failures without a solution."""
        left = [line for line in self.lines(SectionTitle.OPEN) if not _asks(line)]
        failed = self.lines(SectionTitle.FAILED)
        return [*left, *(line for line in failed if line.endswith(UNSOLVED))]

    def as_json(self) -> dict[str, Json]:
        """Return the documented shape of `reconstitute --json` and `resume --json`."""
        span = (self.meta.first, self.meta.last)
        return {
            "pack": self.id,
            "mode": self.mode.value,
            "why": self.why,
            "person": self.person,
            "query": self.query,
            "as_of": to_text(self.at),
            "seq": self.seq,
            "hash": self.hash,
            "text": self.text,
            "notes": list(self.notes),
            "summary": self.summary,
            "approach_guidance": self.approach_guidance,
            "anchors": [to_object(anchor) for anchor in self.anchors],
            "open_uncertainties": self.open_uncertainties,
            "next_actions": self.next_actions,
            "citations": [
                {"id": c.short, "uri": c.uri, "event_id": c.event_id, "kind": c.kind}
                for c in self.citations
            ],
            "omitted": [to_object(omission) for omission in self.omitted],
            "meta": {
                "record_count": self.meta.records,
                "session_count": self.meta.sessions,
                "time_range": _range(*span),
                "sources": self.meta.sources,
                "tokens": self.tokens,
                "tokens_max": self.meta.tokens_max,
                "truncated": self.meta.truncated,
            },
            "quality": self.quality.as_json(),
        }


def citation_of(memory: MemoryRecord) -> Citation:
    """Return how a memory is cited."""
    return Citation(f"@{memory.seq}", memory.uri, memory.event_id, memory.kind)


def _asks(line: str) -> bool:
    return line.partition("→")[0].rstrip().endswith(("?”", "？”"))


def _anchor(item: PackItem) -> PackAnchor:
    phrase, _, instruction = item.text.removeprefix("“").partition("”: ")
    return PackAnchor(phrase.rstrip("”"), instruction or "return to it", item.memories[0].uri)


def _range(first: datetime | None, last: datetime | None) -> Json:
    return None if first is None or last is None else {"from": to_text(first), "to": to_text(last)}
