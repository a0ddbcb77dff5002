"""Types that every layer shares. Immutable; no behaviour beyond what their fields mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NewType, Protocol

from .calls.where import alternatives_of
from .results import Line, Listed
from .text import counted, printable
from .vocabulary import Emotion, Engagement, EntryKind, Json, Outcome, Payload

if TYPE_CHECKING:
    from .entries import EntryPayload

#: Named here too, for those that need both.
__all__ = ["EntryKind", "Json", "Outcome", "Payload"]

#: How the journal writes what metadata hold, to be compared with it.
_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_ROLES = {
    "user_message": "user",
    "assistant_message": "assistant",
    "tool_result": "tool",
    "manual_capture": "note",
    "manual_ingest": "system",
}
#: A text that no role of a chat says, such as an imported note, is a document to its reader.
_CALLED = {"system": "document"}
_SHOWN_FIELDS = (
    *("address", "id", "event_id", "seq", "kind", "role", "person", "session", "tool"),
    *("status", "superseded_by", "text"),
)
#: The name of a tenant. Every row, node, key and query carries it.
Space = NewType("Space", str)
#: The name of a space: so many characters at most, and none that controls a terminal.
SPACE_CHARS_MAX, SPACE_PATTERN = 200, r"^[^\x00-\x1f]+$"
#: So many memories are read at once where all are.
_PAGE = 1000
#: The largest budget of a pack.
TOKENS_MAX = 200_000
#: A position in the journal: 1 for the first entry, growing, never reused.
Seq = NewType("Seq", int)


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """An entry that is not in the journal yet.

    `key` makes appending idempotent: it is unique within space and kind. For a captured
    experience it is the caller's event id; an empty one becomes the entry's own id. `at` is when
    it happened; None means now. Entries of one `stream` (a session) know their predecessor.
    `body` is the payload as canonical JSON, where somebody wrote it already. `provisional` is the
    full event of a skeleton, held beside the journal until `provisional_until`. `has_own_key` says
    that a caller gave the key, as to events: with other content it is a `Conflict`.
    """

    key: str
    payload: EntryPayload
    at: datetime | None = None
    stream: str | None = None
    outcome: Outcome = Outcome.CAPTURED
    body: str = ""
    provisional: Payload | None = None
    provisional_until: datetime | None = None
    has_own_key: bool = False

    @property
    def is_callers(self) -> bool:
        """Whether the key, if there is one, is a caller's."""
        return self.has_own_key or self.kind is EntryKind.EXPERIENCE_CAPTURED

    @property
    def kind(self) -> EntryKind:
        """What the entry says happened."""
        return self.payload.kind


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the journal. `payload` is None once it was erased; the chain stays verifiable.

    `provisional` is the full event of a skeleton while it is held: no part of the journal.
    """

    seq: Seq
    space: Space
    kind: EntryKind
    id: str
    key: str
    stream: str | None
    previous: str | None
    at: datetime
    recorded_at: datetime
    payload: EntryPayload | None
    hash: bytes
    provisional: Payload | None = None


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What a caller holds after the commit: the entry is in the journal.

    `cleaned` counts by kind the signs that no journal can keep and that were replaced, `redacted`
    the secrets, `cut` the texts that were too long and are kept as beginning, length and end.
    `forgotten` says that what was sent again is to be forgotten, and stays so. Of an empty event
    there is no entry, and no `id`.
    """

    seq: Seq
    id: str
    event_id: str
    outcome: Outcome
    redacted: Mapping[str, int] = field(default_factory=dict)
    forgotten: bool = False
    cleaned: Mapping[str, int] = field(default_factory=dict)
    cut: int = 0

    @property
    def address(self) -> str:
        """Its short address, as lists and packs cite it: `@12`; empty where there is no entry."""
        return f"@{self.seq}" if self.seq else ""

    def __str__(self) -> str:
        changed = [f"{n} {kind} replaced" for kind, n in {**self.redacted, **self.cleaned}.items()]
        words = "; ".join([self.outcome.word, *changed, *["cut"] * bool(self.cut)])
        return f"[{self.address}] {words}" if self.seq else words


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file, link or image that came with a message; never its bytes."""

    kind: str
    uri: str
    description: str = ""
    sha256: str | None = None


class HasContent(Protocol):
    """A message object of another library, such as one of LangChain."""

    @property
    def content(self) -> Any:
        """What is said: text, or a list of parts."""


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One version of a memory as callers see it.

    `id` is Meridia's; `event_id` is the caller's own id of the memory, or the id of its first
    version. `superseded_by` is the journal sequence of the next version; None where it stands.
    `person` is how who speaks is shown by now, `given_person` the name that the caller gave.
    `corrects` is Meridia's id of the version that it replaces.
    """

    seq: Seq
    id: str
    event_id: str
    kind: str
    text: str
    at: datetime
    person: str | None
    session: str | None
    artifacts: tuple[Artifact, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    status: str = "evaluated"
    tool: str | None = None
    superseded_by: Seq | None = None
    given_person: str | None = None
    corrects: str | None = None

    @property
    def who(self) -> str:
        """Who or what it is from: a person, a tool by its name, else what its role is called."""
        tool = f"tool {self.tool}" if self.tool else ""
        return self.person or tool or _CALLED.get(self.role) or self.role.replace("_", " ")

    @property
    def uri(self) -> str:
        """The address under which `meridia show` finds it."""
        return f"meridia://{self.id}"

    @property
    def address(self) -> str:
        """Its short address, as lists and packs cite it: `@12`."""
        return f"@{self.seq}"

    @property
    def role(self) -> str:
        """Who or what it is from: user, assistant, tool, note or system; else its kind."""
        return _ROLES.get(self.kind, self.kind)

    def to_dict(self) -> dict[str, Json]:
        """Return it as plain JSON values."""
        return {
            **{name: getattr(self, name) for name in _SHOWN_FIELDS},
            "at": self.at.isoformat(),
            "artifacts": [asdict(artifact) for artifact in self.artifacts],
            "metadata": dict(self.metadata),
        }

    def to_json(self) -> str:
        """Return it as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __str__(self) -> str:
        return f"[{self.address}] {self.line.about}: {printable(self.text)}"

    @property
    def line(self) -> Line:
        """What a list shows of it."""
        return Line(self.address, f"{self.who}, {self.at:%Y-%m-%d}", self.text)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which experiences to look at; None means any. Times are half-open: since ≤ at < until.

    `emotion` is one of the words of its feeling, `engagement` how much of the agent was in it.
    `seq_max` bounds the journal (what was known then), `until` the world (what had happened).
    `where` is what metadata must say: see `core.calls.where`.
    """

    person: str | None = None
    session: str | None = None
    kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    seq_max: Seq | None = None
    where: Mapping[str, Json] | None = None
    emotion: Emotion | None = None
    engagement: Engagement | None = None

    def narrows(self) -> bool:
        """Say whether any filter is set."""
        return self != Filters()

    def conditions(self) -> str | None:
        """Return `where` as JSON for SQL; `InvalidInput` for what is no condition."""
        return _CANONICAL.encode(alternatives_of(self.where)) if self.where else None


@dataclass(frozen=True, slots=True)
class NodeUpsert:
    """Create or update one graph node; properties named here replace earlier ones."""

    label: str
    id: str
    properties: Payload


@dataclass(frozen=True, slots=True)
class EdgeUpsert:
    """Create or update one graph edge, identified by its type and its two ends."""

    type: str
    source_label: str
    source: str
    target_label: str
    target: str
    properties: Payload


Mutation = NodeUpsert | EdgeUpsert


@dataclass(frozen=True, slots=True, repr=False)
class Page(Listed[MemoryRecord]):
    """Some memories and how to ask for the next ones (None: there are no more)."""

    memories: Sequence[MemoryRecord]
    next_after: Seq | None

    @property
    def _items(self) -> Sequence[MemoryRecord]:
        return self.memories

    def _line(self, item: MemoryRecord) -> Line:
        return item.line

    def _heading(self) -> str:
        more = "" if self.next_after is None else f"; more after {self.next_after}"
        return counted(len(self.memories), "memory", "memories") + more

    def to_dict(self) -> dict[str, Json]:
        """Return it as plain JSON values."""
        memories = [memory.to_dict() for memory in self.memories]
        return {"memories": memories, "next_after": self.next_after}


def memories_of(read: Callable[..., Page], **filters: Any) -> Iterator[MemoryRecord]:
    """Yield the memories of every page that a memory's `list` returns, in the order of capture."""
    after: int | None = 0
    while after is not None:
        page = read(**filters, after=after, limit=_PAGE)
        yield from page.memories
        after = page.next_after
