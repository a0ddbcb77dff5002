"""Histories for tests: journals, the entries that capture and enrichment leave, and erasure."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from hypothesis import strategies as st

from meridia.core.ids import person_id, session_id
from meridia.core.settings import JournalSettings
from meridia.core.types import Draft, Entry, EntryKind, Seq, Space
from meridia.graph.database import Database
from meridia.graph.journal import SqliteJournal

START = datetime(2026, 3, 1, 10, tzinfo=UTC)
#: No two journals of a test share an id.
_JOURNALS = itertools.count(1)


class TestJournal(SqliteJournal):
    """A journal in a file that can also erase, as forgetting one day will."""

    __test__ = False

    def __init__(self, path: Path | None = None) -> None:
        ticks = itertools.count()
        clock = lambda: START + timedelta(seconds=next(ticks))  # noqa: E731
        self.file = Database(path, JournalSettings(), clock)
        noise = itertools.count(next(_JOURNALS) << 32)
        super().__init__(self.file, clock, lambda n: next(noise).to_bytes(n, "big"))

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
class Event:
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


def capture(journal: SqliteJournal, space: Space, *events: Event) -> list[str]:
    """Append events in one transaction; return the ids of the experiences."""
    drafts = [
        Draft(
            EntryKind.EXPERIENCE_CAPTURED,
            event.id,
            {"event": event.as_json()},
            event.at,
            session_id(space, event.session) if event.session else None,
        )
        for event in events
    ]
    return [answer.id for answer in journal.append(space, drafts)]


def enrich(journal: SqliteJournal, space: Space, id: str, event: Event) -> None:
    """Append what enrichment says of an experience."""
    people = [{"id": person_id(space, name), "name": name} for name in event.mentions]
    payload = {"experience": id, "concepts": dict(event.concepts), "people": people}
    journal.append(space, [Draft(EntryKind.EXPERIENCE_ENRICHED, id, payload, event.at)])


def meet(journal: SqliteJournal, space: Space, name: str, aliases: Sequence[str] = ()) -> None:
    """Append that a person was met."""
    id = person_id(space, name)
    payload = {"person": id, "name": name, "aliases": list(aliases)}
    journal.append(space, [Draft(EntryKind.PERSON_MET, id, payload, START)])


def live(journal: SqliteJournal, space: Space, *events: Event) -> list[str]:
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
        "payload": payload,
        "hash": b"",
    }
    return Entry(**(made | fields))


#: Text that a journal can keep: no half surrogate pairs, no NUL.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
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
events = st.builds(
    Event,
    text=texts,
    person=st.none() | names,
    session=st.none() | st.sampled_from(["s1", "s2", "été"]),
    concepts=st.dictionaries(words, words, max_size=4),
    mentions=st.lists(names, max_size=2),
    artifacts=st.lists(artifacts, max_size=2),
    tool=st.none() | st.sampled_from(["bash", "read"]),
    at=st.none() | times,
)

#: What can happen to a journal: (how, event or the number of the experience it happens to).
Step = tuple[str, Any]
steps: st.SearchStrategy[Step] = st.one_of(
    st.tuples(st.just("live"), events),
    st.tuples(st.just("capture"), events),
    st.tuples(st.just("enrich"), st.integers(0, 30)),
    st.tuples(st.just("meet"), names),
    st.tuples(st.just("erase"), st.integers(0, 30)),
)
histories = st.lists(steps, max_size=14)


def play(
    journal: TestJournal, space: Space, history: Sequence[Step], after_each: Callable[[], Any]
) -> None:
    """Let a history happen; `after_each` is called after every step."""
    ids: list[str] = []
    for how, what in history:
        if how == "live":
            ids += live(journal, space, what)
        elif how == "capture":
            ids += capture(journal, space, what)
        elif how == "meet":
            meet(journal, space, what, [what.upper()])
        elif ids and how == "enrich":
            enrich(journal, space, ids[what % len(ids)], Event(concepts={"late": "late"}))
        elif ids and how == "erase":
            journal.erase(ids[what % len(ids)])
        after_each()
