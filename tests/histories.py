"""Histories for tests: journals, the entries that capture and enrichment leave, and erasure."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from hypothesis import strategies as st

from meridia.core.events import encode
from meridia.core.ids import content_hash, derived, owner_id, person_id, session_id
from meridia.core.settings import JournalSettings
from meridia.core.types import Entry, EntryKind, Outcome, Seq, Space
from meridia.storage.database import Database
from meridia.storage.journal import InlineProjection, Journal
from tests.drafts import a_draft, a_payload

START = datetime(2026, 3, 1, 10, tzinfo=UTC)
#: How long a skeleton's whole event is held, from `START`.
HELD = timedelta(days=7)
#: No two journals of a test share an id.
_JOURNALS = itertools.count(1)


class TestJournal(Journal):
    """A journal in a file that can also erase, as forgetting one day will."""

    __test__ = False

    def __init__(self, path: Path | None = None, inline: Sequence[InlineProjection] = ()) -> None:
        ticks = itertools.count()
        self.clock = lambda: START + timedelta(seconds=next(ticks))
        self.file = Database(path, JournalSettings())
        noise = itertools.count(next(_JOURNALS) << 32)
        super().__init__(self.file, self.clock, lambda n: next(noise).to_bytes(n, "big"), inline)

    def erase(self, id: str) -> None:
        """Erase the payload of an experience and of what was said about it."""
        with self.file.writing() as connection:
            connection.execute(
                "DELETE FROM payload WHERE seq IN (SELECT seq FROM entry WHERE id = ? OR key = ?)",
                (id, id),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.file.close()


@dataclass
class HistoryEvent:
    """One thing that happened, in the words of a test."""

    text: str = "hello"
    person: str | None = None
    session: str | None = "s1"
    concepts: dict[str, str] = field(default_factory=dict)
    mentions: Sequence[str] = ()
    artifacts: Sequence[dict[str, Any]] = ()
    tool: str | None = None
    at: datetime | None = None
    id: str = ""
    felt: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        kind = "tool_result" if self.tool else "user_message"
        event: dict[str, Any] = {"kind": kind, "payload": {"text": self.text}}
        if self.person:
            event["person"] = self.person
        if self.session:
            event["session"] = {"key": self.session}
        if self.tool:
            event["tool"] = {"name": self.tool}
        if self.artifacts:
            event["artifacts"] = list(self.artifacts)
        return event


def capture(journal: Journal, space: Space, *events: HistoryEvent) -> list[str]:
    """Append events in one transaction; return the ids of the experiences."""
    drafts = [
        a_draft(
            EntryKind.EXPERIENCE_CAPTURED,
            event.id,
            {"event": event.as_json()},
            event.at,
            session_id(space, event.session) if event.session else None,
        )
        for event in events
    ]
    return [answer.id for answer in journal.append(space, drafts)]


def outline(journal: Journal, space: Space, event: HistoryEvent) -> str:
    """Append a skeleton, whose whole event is held for a week; return the experience's id."""
    whole = event.as_json()
    fields = {name: whole[name] for name in ("kind", "person", "session", "tool") if name in whole}
    draft = a_draft(
        EntryKind.EXPERIENCE_CAPTURED,
        event.id,
        {
            "decision": {"significance": 0.1, "status": "skeleton"},
            "hash": content_hash(encode(whole)),
            "skeleton": fields | {"payload": {}},
        },
        event.at,
        session_id(space, event.session) if event.session else None,
        Outcome.OUTLINE,
        provisional=whole,
        provisional_until=START + HELD,
    )
    return journal.append(space, [draft])[0].id


def enrich(journal: Journal, space: Space, id: str, event: HistoryEvent) -> None:
    """Append what enrichment says of an experience."""
    people = [{"id": person_id(space, name), "name": name} for name in event.mentions]
    words = dict(event.concepts)
    payload = {"experience": id, "concepts": words, "topics": words, "people": people}
    if event.felt:
        payload["phenomenology"] = dict(event.felt)
    journal.append(space, [a_draft(EntryKind.EXPERIENCE_ENRICHED, id, payload, event.at)])


def meet(journal: Journal, space: Space, name: str, aliases: Sequence[str] = ()) -> None:
    """Append that a person was met."""
    id = person_id(space, name)
    payload = {"person": id, "name": name, "aliases": list(aliases)}
    journal.append(space, [a_draft(EntryKind.PERSON_MET, id, payload, START)])


def live(journal: Journal, space: Space, *events: HistoryEvent) -> list[str]:
    """Capture and enrich each event; return the ids of the experiences."""
    ids = []
    for event in events:
        (id,) = capture(journal, space, event)
        if event.person:
            meet(journal, space, event.person)
        enrich(journal, space, id, event)
        ids.append(id)
    return ids


def an_entry(kind: EntryKind, payload: dict[str, Any] | None, **fields: Any) -> Entry:
    """Return an entry as a journal would, without one."""
    made: dict[str, Any] = {
        "seq": Seq(7),
        "space": Space("home"),
        "kind": kind,
        "id": "e-7",
        "key": "event-7",
        "stream": None,
        "previous": None,
        "at": START,
        "recorded_at": START,
        "payload": payload if payload is None else a_payload(kind, payload),
        "hash": b"",
    }
    return Entry(**(made | fields))


@dataclass
class RecordedHistory:
    """What was told so far: experiences, their sessions, skeletons' events, facts, entities."""

    ids: list[str] = field(default_factory=list)
    sessions: dict[str, str] = field(default_factory=dict)
    held: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)

    def take(self, space: Space, event: HistoryEvent, id: str, *, held: bool = False) -> None:
        """Take in an experience."""
        self.ids.append(id)
        if event.session:
            self.sessions[id] = session_id(space, event.session)
        if held:
            self.held[id] = event.as_json()


def entity_id(space: Space, name: str) -> str:
    """Return the id of a project of some name."""
    return derived("entity", space, "project", name)


def append_later(
    journal: Journal, space: Space, recorded: RecordedHistory, kind: EntryKind, *picks: int
) -> None:
    """Append an entry of a kind about what was told before; `picks` choose what, and how."""
    if not recorded.ids:
        return
    first, second = (recorded.ids[pick % len(recorded.ids)] for pick in picks[:2])
    way = picks[2]
    key, payload = _OF_KIND[kind](space, recorded, first, second, way)
    if payload:
        journal.append(space, [a_draft(kind, key, payload, START + timedelta(minutes=way))])


def _reevaluated(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    held = recorded.held.get(first) if way % 2 else None
    status = "upgraded" if held else "noise"
    payload = {"experience": first, "status": status, "reason": "seen again", "neighbourhood": []}
    if way % 3:
        payload["significance"] = way / 10
    return f"{first}#{status}", payload | ({"event": held} if held else {})


def _transitioned(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    before, after = (None, "deep-flow") if way % 2 else (["curious"], {"valence": 0.5})
    id = derived("transition", space, first, str(way))
    payload = {"transition": id, "experience": first, "field": "engagement"}
    session = recorded.sessions.get(first)
    return id, payload | {"session": session, "from": before, "to": after} if session else None


def _related(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    return first, {"experience": first, "related": [[second, way / 10]] if first != second else []}


def _repeated(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    payload = {"experience": first, "canonical": second, "reason": "near", "similarity": 0.97}
    return first, payload if first != second else None


def _relation(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    type = ("primary", "collaborator", "user", "unknown")[way % 4]
    payload = {"person": person_id(space, "Dana"), "type": type, "by": "user"}
    return "", payload | {"threshold": way / 10 if way % 2 else None}


def _mentioned(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    named = ["Meridia", "Kestrel", "Osprey"][way % 3 :]
    recorded.entities += [entity_id(space, name) for name in named]
    entities = [
        {"id": entity_id(space, name), "type": "project", "name": name, "confidence": 0.8}
        for name in named
    ]
    return first, {"experience": first, "entities": entities}


def _merged(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    if not recorded.entities:
        return "", None
    entity, into = recorded.entities[way % len(recorded.entities)], recorded.entities[0]
    return "", {"entity": entity, "into": into, "reason": "the same", "by": "user"}


def _unmerged(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    return "", {
        "entity": recorded.entities[way % len(recorded.entities)]
    } if recorded.entities else None


def _asserted(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    subject, object = ("Dana", "Kim")[way % 2], f"town {way % 3}"
    fact = derived("fact", space, subject, object, first)
    recorded.facts.append(fact)
    statement: dict[str, Any] = {"subject": subject, "predicate": "lives_in", "object": object}
    ids = {"Robin": person_id(space, "Robin"), "Maya": entity_id(space, "Maya")}
    named = [{"id": ids[n], "type": "PERSON", "name": n, "confidence": 0.8} for n in ids]
    if about := named[: way % 3]:
        statement |= {"predicate": "friend", "about": about}
    how = {"stability": "dynamic", "t_valid": "2026-03-01T10:00:00Z", "confidence": 0.9}
    id = person_id(space, subject) if way % 5 else None
    payload = {"fact": fact, "experience": first, "subject_id": id, "by": "rule"}
    return fact, payload | statement | how | {"text": f"{subject} lives in {object}"}


def _superseded(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    if not recorded.facts:
        return "", None
    fact, new = (recorded.facts[place % len(recorded.facts)] for place in (way, way // 2))
    relation = "supersedes" if way % 3 else "contradicts"
    ended = {"relation": relation, "t_invalid": "2026-03-02T10:00:00Z", "reason": "moved"}
    return "", {"fact": fact, "by_fact": new if new != fact else None, "by": "rule"} | ended


def _asked(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    return first, {"experience": first, "questions": [f"how {way}?", "why?"], "by": "rule"}


def _episode(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    session = session_id(space, "s1")
    payload = {"episode": derived("episode", space, session), "session": session, "by": "rule"}
    story = {"topic": f"boat {way}", "summary": "A boat was mended.", "tools": ["bash"] * (way % 2)}
    span = {"from": "2026-03-01T10:00:00Z", "until": "2026-03-01T11:00:00Z", "significance": 0.5}
    sources = {"sources": sorted({first, second}), "emotions": ["curious"] * (way % 2)}
    return f"{session}#{way}", payload | story | span | sources


def _forgotten(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    far = 10**9 + way  # of nothing that a test tells of
    return "", {"scope": "ids", "erased": [[far, far]], "memories": 1, "by": "user"}


def _feedback(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    judged = {first: ["useful", 100], second: ["ignored", -5]}
    return "", {"shown": list(judged), "verdict": "useful", "effects": judged, "by": "user"}


def _someone(space: Space, way: int) -> str:
    """Return one of those who speak in histories; the owner, who need not, seldom."""
    return owner_id(space) if way > 9 else person_id(space, ("Dana", "Kim")[way % 2])


def _named(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    how = ("introduced", "addressed", "user")[way % 3]
    named = {"person": _someone(space, way), "name": ("Kim", "Dee", "Holt")[way % 3], "how": how}
    return "", named | ({} if how == "user" else {"experience": first})


def _name_refused(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    return "", {"person": _someone(space, way), "name": ("Kim", "Dee", "Holt")[way % 3]}


def _people_merged(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    return "", {"person": _someone(space, way), "into": _someone(space, way // 2 + 1)}


def _people_unmerged(
    space: Space, recorded: RecordedHistory, first: str, second: str, way: int
) -> tuple[str, Any]:
    return "", {"person": _someone(space, way)}


_OF_KIND: dict[EntryKind, Callable[[Space, RecordedHistory, str, str, int], tuple[str, Any]]] = {
    EntryKind.EXPERIENCE_REEVALUATED: _reevaluated,
    EntryKind.STATE_TRANSITIONED: _transitioned,
    EntryKind.PERSON_NAMED: _named,
    EntryKind.NAME_REFUSED: _name_refused,
    EntryKind.PEOPLE_MERGED: _people_merged,
    EntryKind.PEOPLE_UNMERGED: _people_unmerged,
    EntryKind.RELATIONSHIP_CHANGED: _relation,
    EntryKind.ENTITIES_MENTIONED: _mentioned,
    EntryKind.ENTITIES_MERGED: _merged,
    EntryKind.ENTITIES_UNMERGED: _unmerged,
    EntryKind.MEMORIES_ASSOCIATED: _related,
    EntryKind.MEMORY_REINFORCED: _repeated,
    EntryKind.FACT_ASSERTED: _asserted,
    EntryKind.FACT_SUPERSEDED: _superseded,
    EntryKind.QUESTIONS_ANTICIPATED: _asked,
    EntryKind.EPISODE_SYNTHESISED: _episode,
    EntryKind.FEEDBACK_GIVEN: _feedback,
    EntryKind.FORGOTTEN: _forgotten,
}


def every_kind(journal: Journal, space: Space) -> list[str]:
    """Append entries of every kind there is, each more than once; return the experiences."""
    recorded = RecordedHistory()
    felt = {
        "emotionalSignature": {"primary": ["curious"], "intensity": 0.6, "valence": -0.2},
        "engagementQuality": "engaged",
    }
    for n in range(4):
        event = HistoryEvent(
            f"word {n}", ("Dana", "Kim")[n % 2], concepts={f"w{n}": "w"}, felt=felt
        )
        recorded.take(space, event, *live(journal, space, event))
    event = HistoryEvent("held words", "Dana", tool="bash")
    recorded.take(space, event, outline(journal, space, event), held=True)
    for way in range(6):
        for kind in _OF_KIND:
            append_later(journal, space, recorded, kind, way, way + 3, way)
    return recorded.ids


#: Text that a journal can keep: no half surrogate pairs, no NUL, no codes of a terminal.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\x1b"), max_size=40)
names = st.sampled_from(["Dana", "dana", "Kim Ørsted", "阿里", "O'Neil", "Ali`s"])
words = st.sampled_from(["boat", "engine", "repair", "été", "日本", "`x`", "{label}", "it's"])
times = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001
artifacts = st.fixed_dictionaries(
    {"uri": st.sampled_from(["file:///a.png", "https://example.org/b"])},
    optional={
        "kind": st.sampled_from(["image", "link"]),
        "description": texts,
        "sha256": st.sampled_from(["aa", "bb"]),
    },
)
feelings = st.fixed_dictionaries(
    {"engagementQuality": st.sampled_from(["engaged", "routine"])},
    optional={
        "emotionalSignature": st.fixed_dictionaries(
            {
                "primary": st.sampled_from([[], ["curious", "focused"]]),
                "intensity": st.sampled_from([0.0, 0.5]),
                "valence": st.sampled_from([-1.0, 0.25]),
            }
        )
    },
)
events = st.builds(
    HistoryEvent,
    text=texts,
    person=st.none() | names,
    session=st.none() | st.sampled_from(["s1", "s2", "été"]),
    concepts=st.dictionaries(words, words, max_size=4),
    mentions=st.lists(names, max_size=2),
    artifacts=st.lists(artifacts, max_size=2),
    tool=st.none() | st.sampled_from(["bash", "read"]),
    at=st.none() | times,
    felt=st.just({}) | feelings,
)

#: What can happen to a journal: (how, event or the number of the experience it happens to).
Step = tuple[str, Any]
_tellings = st.tuples(
    st.sampled_from([kind.value for kind in _OF_KIND]), st.tuples(*[st.integers(0, 11)] * 3)
)
steps: st.SearchStrategy[Step] = st.one_of(
    st.tuples(st.just("live"), events),
    st.tuples(st.just("capture"), events),
    st.tuples(st.just("outline"), events),
    st.tuples(st.just("enrich"), st.integers(0, 30)),
    st.tuples(st.just("meet"), names),
    st.tuples(st.just("erase"), st.integers(0, 30)),
    # Twice: there are many kinds.
    _tellings,
    _tellings,
)
histories = st.lists(steps, max_size=20)


def play(
    journal: TestJournal, space: Space, history: Sequence[Step], after_each: Callable[[], Any]
) -> None:
    """Let a history happen; `after_each` is called after every step."""
    recorded = RecordedHistory()
    for how, what in history:
        ids = recorded.ids
        if how == "live":
            recorded.take(space, what, *live(journal, space, what))
        elif how == "capture":
            recorded.take(space, what, *capture(journal, space, what))
        elif how == "outline":
            recorded.take(space, what, outline(journal, space, what), held=True)
        elif how == "meet":
            meet(journal, space, what, [what.upper()])
        elif ids and how == "enrich":
            enrich(journal, space, ids[what % len(ids)], HistoryEvent(concepts={"late": "late"}))
        elif ids and how == "erase":
            journal.erase(ids[what % len(ids)])
        elif how in _OF_KIND:
            append_later(journal, space, recorded, EntryKind(how), *what)
        after_each()
