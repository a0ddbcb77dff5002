"""Experiences with their phenomenology, as of a time and as known at a sequence.

Puts side by side what ingest recorded; nothing is judged, ranked or written. The two bounds select
experiences. Findings about an experience belong to it whenever they were recorded, unless they have
a bound of their own. In a session with several people, a message of the agent belongs to the person
it answers: the one it addresses, else the one it names, else the last speaker before it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from ..core.entries import (
    ExperienceCaptured,
    ExperienceEnriched,
    ExperienceReevaluated,
    StateTransitioned,
    combined_by_experience,
    enrichment_keys,
)
from ..core.events import EventKind, recorded_event
from ..core.experience import EmotionalSignature, Phenomenology, Transition, Utterance
from ..core.ids import session_id
from ..core.text import QUOTES
from ..core.types import EntryKind, Filters, MemoryRecord, Seq, Space
from ..core.vocabulary import RecordStatus, Trigger
from ..language.audience import addressees, sessions_of_several
from ..language.runs.fixes import Attempt, attempt_of
from ..language.runs.reported_failures import ReportedFailure, finds
from ..language.runs.tool_intent import ToolIntent
from ..language.sentences import without_lists
from ..storage.cutoff import NOW, Cutoff
from ..storage.store import Store
from .experience_kit import is_by_hand

#: Experiences read at most, the newest of them.
EXPERIENCES_MAX = 5_000
#: How the side that is no named person is called, and somebody unnamed who speaks with it.
AGENT, A_USER = "the agent", "a user"
#: Names with which a person would pass for the agent, or for a tool.
_RESERVED = re.compile(r"\W*(?:the agent|a user|tool|person)\b", re.IGNORECASE)
#: Where data begins in a tool's result: an object or a list of values.
_DATA = re.compile(r"\{\s*[\"'}]|\[\s*[\"'{\[\]\d]")
_MESSAGES = frozenset({EventKind.USER_MESSAGE, EventKind.ASSISTANT_MESSAGE})
#: Sessions looked up together; only as many are read as are wanted.
_SESSIONS_READ = 100
#: Whose second look at an experience was kept: a rule's, by what became of it, and a model's.
_REEVALUATION_KEYS = (*RecordStatus, "decision", "hindsight")


@dataclass(frozen=True, slots=True)
class ExperienceView:
    """One experience with its phenomenology; `concepts` are its content words by stem.

    `topics` are its topics, by the stems of their words. `tool` is the tool of a result, `attempt`
    what it tried and whether that failed; without a tool, it is a failure that the agent reported
    in words. `settles` says that it solved such a failure. `addressee` is the person for whom the
    agent's message, or its tool's work, was.
    """

    memory: MemoryRecord
    significance: float = 0.0
    phenomenology: Phenomenology = field(default_factory=Phenomenology)
    trigger: Trigger = Trigger.NONE
    concepts: Mapping[str, str] = field(default_factory=dict)
    people: tuple[str, ...] = ()
    changes: tuple[Transition, ...] = ()
    utterances: tuple[Utterance, ...] = ()
    tool: str | None = None
    attempt: Attempt | None = None
    topics: Mapping[str, str] = field(default_factory=dict)
    settles: bool = False
    addressee: str | None = None

    @property
    def error(self) -> bool:
        """Whether it is the result of a tool that failed, or the agent told that it could not."""
        return self.attempt is not None and self.attempt.failed

    @property
    def speaker(self) -> str | None:
        """The speaker, `AGENT` for the agent's own messages; None if nobody spoke."""
        if self.memory.person is not None:
            return self.memory.person
        return AGENT if self.memory.kind == EventKind.ASSISTANT_MESSAGE else None

    @property
    def label(self) -> str:
        """The speaker's name in a pack, which no person can share with the agent or a tool."""
        failed = " failed" if self.error else ""
        if self.tool:
            name = f"tool {self.tool}{failed}"
        else:
            unnamed = A_USER if self.by_somebody else f"{self.memory.kind}{failed}"
            name = self.speaker or unnamed
            if self.memory.person is not None and _RESERVED.match(name):
                name = f"person {name}"
        return name.translate(QUOTES)

    @property
    def by_somebody(self) -> bool:
        """Whether a person said it, named or not: no agent and no tool."""
        return self.memory.person is not None or self.memory.kind == EventKind.USER_MESSAGE

    @property
    def quotable(self) -> str:
        """The text that can be quoted, without data of a tool's result and lists of an agent."""
        if self.tool is None:
            by_agent = self.speaker == AGENT
            return without_lists(self.memory.text) if by_agent else self.memory.text
        text = self.memory.text.removeprefix(self.tool)
        data = _DATA.search(text)
        return (text[: data.start()] if data else text).strip()

    @property
    def is_message(self) -> bool:
        """Whether somebody said it."""
        return self.memory.kind in _MESSAGES

    @property
    def signature(self) -> EmotionalSignature | None:
        """Its emotional signature; None without one, or if it is neutral and has no word."""
        signature = self.phenomenology.signature
        if signature and (signature.primary or signature.intensity or signature.valence):
            return signature
        return None

    @property
    def own_feeling(self) -> EmotionalSignature | None:
        """The emotion that a person states, or the agent in its own notes.

        A tool has none, and the tone of an agent's message is nobody's emotion.
        """
        own = self.by_somebody or is_by_hand(self.memory.kind, self.tool)
        return self.signature if own and self.signature and self.signature.primary else None

    @property
    def valence(self) -> float:
        """From −1 to 1; 0 where none was felt."""
        return (self.signature.valence or 0.0) if self.signature else 0.0

    @property
    def feeling(self) -> float:
        """The strength of the emotion, 0 to 1: intensity times the distance of valence from 0."""
        return self.signature.intensity * abs(self.valence) if self.signature else 0.0


def read_experiences(
    file: Store,
    space: Space,
    filters: Filters,
    cutoff: Cutoff = NOW,
    limit: int = EXPERIENCES_MAX,
) -> list[ExperienceView]:
    """Return the experiences that filters leave, oldest first; of more than `limit`, the newest."""
    return read_back(file, space, file.catalog.newest(space, cutoff.bound(filters), limit), cutoff)


def shared(
    file: Store, space: Space, spoken: Sequence[MemoryRecord], cutoff: Cutoff, limit: int
) -> list[MemoryRecord]:
    """Return the `spoken` experiences, newest first, and all others of their sessions.

    Of more than `limit`, the newest.
    """
    by_id: dict[str, MemoryRecord] = {}
    streams = [session_id(space, key) for key in _sessions(spoken)]
    for start in range(0, len(streams), _SESSIONS_READ):
        if len(by_id) >= limit:
            break
        some = streams[start : start + _SESSIONS_READ]
        of_them = file.catalog.in_sessions(space, some, cutoff.bound(Filters()), limit)
        by_id |= {memory.id: memory for memory in of_them}
    by_id |= {memory.id: memory for memory in spoken}
    return sorted(by_id.values(), key=_place, reverse=True)[:limit]


def read_back(
    file: Store, space: Space, memories: Iterable[MemoryRecord], cutoff: Cutoff = NOW
) -> list[ExperienceView]:
    """Return some experiences with how they were lived, in the order in which they happened."""
    ordered = sorted(memories, key=_place)
    ids = [memory.id for memory in ordered]
    captured = {
        entry.id: entry.payload
        for entry in file.journal.by_ids(space, ids)
        if isinstance(entry.payload, ExperienceCaptured)
    }
    enrichments, changes = (
        _enrichments(file, space, ids, cutoff),
        _changes(file, space, ordered, cutoff),
    )
    directory = file.space(space).identities.directory()
    scores = _reevaluated_significance(file, space, ids, cutoff)
    for_whom = addressees(ordered, directory.speakers)
    views = []
    waiting: dict[str | None, ReportedFailure] = {}
    for memory, addressee in zip(ordered, for_whom, strict=True):
        payload, more = captured.get(memory.id), enrichments.get(memory.id)
        event = recorded_event(payload) if payload else {}
        decision = payload.decision if payload else None
        attempt, waits = attempt_of(event), waiting.get(memory.session, ReportedFailure.NONE)
        brings = attempt is not None and finds(event, attempt.intent)
        failed = attempt.intent if attempt is not None and attempt.failed else None
        waiting[memory.session] = waits.after(memory.kind, memory.text, failed, finds=brings)
        if memory.kind == EventKind.ASSISTANT_MESSAGE and (reported := waits.tells(memory.text)):
            attempt = Attempt(ToolIntent("", failed=True), None, reported)
        view = ExperienceView(
            memory,
            scores.get(memory.id, float(decision.significance if decision else 0.0)),
            (more and more.phenomenology) or Phenomenology(),
            payload.trigger if payload else Trigger.NONE,
            (more and more.concepts) or {},
            tuple(directory.who(person).name for person in (more and more.people) or ()),
            tuple(changes.get(memory.id, ())),
            (more and more.utterances) or (),
            (event.get("tool") or {}).get("name"),
            attempt,
            (more and more.topics) or {},
            brings and waits is ReportedFailure.ANSWERED,
            addressee,
        )
        views.append(view)
    return _judged(views)


def _judged(views: list[ExperienceView]) -> list[ExperienceView]:
    """Return the experiences; each tool call has the verdict of the agent's next words."""
    last: dict[str | None, int] = {}
    for place, view in enumerate(views):
        before = last.get(view.memory.session)
        if before is not None and view.memory.kind == EventKind.ASSISTANT_MESSAGE:
            call = views[before]
            if call.tool is not None and call.attempt is not None:
                views[before] = replace(call, attempt=call.attempt.judged(view.memory.text))
        last[view.memory.session] = place
    return views


def concerning(
    views: Sequence[ExperienceView], person: str, *, with_others: bool = False
) -> list[ExperienceView]:
    """Return the experiences that concern a person.

    If an agent serves several people in one session, a person has what they said and what was said
    to them, and with `with_others` what the others said. If people talk with each other, all of it.
    """
    several = sessions_of_several(view.memory for view in views)
    return [
        view
        for view in views
        if view.memory.session not in several
        or person in (view.memory.person, view.addressee)
        or not (view.by_somebody or view.addressee)
        or (with_others and view.by_somebody)
    ]


def _enrichments(
    file: Store, space: Space, ids: Sequence[str], cutoff: Cutoff
) -> dict[str, ExperienceEnriched]:
    """Return what enrichment found of each experience: a model's word replaces a rule's."""
    keys = enrichment_keys(ids)
    entries = file.journal.by_keys(space, EntryKind.EXPERIENCE_ENRICHED, keys)
    return combined_by_experience(entry.payload for entry in filter(cutoff.includes, entries))


def _sessions(memories: Sequence[MemoryRecord]) -> list[str]:
    return list(dict.fromkeys(memory.session for memory in memories if memory.session is not None))


def _changes(
    file: Store, space: Space, memories: Sequence[MemoryRecord], cutoff: Cutoff
) -> dict[str, list[Transition]]:
    changes: dict[str, list[Transition]] = defaultdict(list)
    streams = [session_id(space, key) for key in _sessions(memories)]
    for entry in file.journal.of_sessions(space, EntryKind.STATE_TRANSITIONED, streams):
        if isinstance(entry.payload, StateTransitioned) and cutoff.includes(entry):
            changes[entry.payload.experience].append(entry.payload)
    return changes


def _reevaluated_significance(
    file: Store, space: Space, ids: Sequence[str], cutoff: Cutoff
) -> dict[str, float]:
    """Return the significance that a second look gave to experiences, the last one's."""
    keys = [f"{id}#{look}" for id in ids for look in _REEVALUATION_KEYS]
    entries = file.journal.by_keys(space, EntryKind.EXPERIENCE_REEVALUATED, keys)
    return {
        payload.experience: float(payload.significance)
        for entry in entries
        if isinstance(payload := entry.payload, ExperienceReevaluated)
        and payload.significance is not None
        and cutoff.includes(entry)
    }


def _place(memory: MemoryRecord) -> tuple[datetime, Seq]:
    return memory.at, memory.seq


def text_with_uris(
    text: str, memories: Sequence[MemoryRecord], **more: object
) -> dict[str, object]:
    """Return the values as plain JSON, with the addresses of their memories."""
    return {"text": text, **more, "uris": [memory.uri for memory in memories]}
