"""Resume a relationship: when a person comes back, where things stand with them, cited.

The first form: last meetings, what was last talked about, questions left open. By rule, from the
list of experiences; nothing is written and nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..core.errors import NotFound
from ..core.people import Gazetteer, Person
from ..core.text import Analyser
from ..core.types import Filters, Memory, Space
from ..graph.catalog import Catalog

_MEETINGS = 3
_LAST_MESSAGES = 6
_OPEN_QUESTIONS = 5
_TOPICS = 8
#: Messages looked at for meetings, topics and open questions, newest first.
_LOOKED_AT = 400


@dataclass(frozen=True, slots=True)
class Meeting:
    """One session with the person: when, how long, what about, and its first message."""

    session: str | None
    first: datetime
    last: datetime
    messages: int
    topics: Sequence[str]
    opening: Memory


@dataclass(frozen=True, slots=True)
class Resumption:
    """Where the relationship with a person stands; every line names the memory it rests on."""

    person: Person
    messages: int
    sessions: int
    first_met: datetime
    last_met: datetime
    meetings: Sequence[Meeting]
    last_said: Sequence[Memory]
    open_questions: Sequence[Memory]

    def as_json(self) -> dict[str, Any]:
        """Return the documented shape of `resume --json`."""
        return {
            "person": self.person.name,
            "messages": self.messages,
            "sessions": self.sessions,
            "first_met": self.first_met.isoformat(),
            "last_met": self.last_met.isoformat(),
            "meetings": [
                {
                    "session": meeting.session,
                    "first": meeting.first.isoformat(),
                    "last": meeting.last.isoformat(),
                    "messages": meeting.messages,
                    "topics": list(meeting.topics),
                    "uri": meeting.opening.uri,
                }
                for meeting in self.meetings
            ],
            "last_said": [_line(memory) for memory in self.last_said],
            "open_questions": [_line(memory) for memory in self.open_questions],
        }


def resume(
    catalog: Catalog, space: Space, people: Gazetteer, name: str, analyser: Analyser
) -> Resumption:
    """Gather where things stand with the person called `name`; `NotFound` for a stranger."""
    person = people.find(name)
    spans = {span.id: span for span in catalog.speakers(space)}
    if person is None or person.id not in spans:
        known = ", ".join(p.name for p in people.people) or "nobody yet"
        raise NotFound(f"{name!r} is a stranger in space {space!r}; known: {known}")
    span = spans[person.id]
    spoken = catalog.newest(space, Filters(person=person.name), _LOOKED_AT)
    sessions = list(dict.fromkeys(memory.session for memory in spoken))
    talk = {
        key: catalog.newest(space, Filters(session=key), _LOOKED_AT)
        for key in sessions[:_MEETINGS]
        if key is not None
    }
    loose = [memory for memory in spoken if memory.session is None]
    meetings = [
        _meeting(key, talk.get(key or "", loose), people, analyser) for key in sessions[:_MEETINGS]
    ]
    return Resumption(
        person=person,
        messages=span.experiences,
        sessions=span.sessions,
        first_met=span.first,
        last_met=span.last,
        meetings=meetings,
        last_said=list(reversed(spoken[:_LAST_MESSAGES])),
        open_questions=_open_questions(list(talk.values())),
    )


def _meeting(
    key: str | None, newest_first: Sequence[Memory], people: Gazetteer, analyser: Analyser
) -> Meeting:
    first, last = newest_first[-1], newest_first[0]
    return Meeting(
        session=key,
        first=first.at,
        last=last.at,
        messages=len(newest_first),
        topics=_topics(newest_first, people, analyser),
        opening=first,
    )


def _topics(memories: Sequence[Memory], people: Gazetteer, analyser: Analyser) -> list[str]:
    """Return the words most messages of a session share, as they were written."""
    often: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for memory in memories:
        seen = set()
        for word in analyser.words(memory.text):
            if word.stem and word.surface not in people.words and len(word.surface) > 2:
                shown.setdefault(word.stem, word.surface)
                seen.add(word.stem)
        often.update(seen)
    return [shown[stem] for stem, count in often.most_common(_TOPICS) if count > 1]


def _open_questions(sessions: Sequence[Sequence[Memory]]) -> list[Memory]:
    """Return questions at the end of a session that nobody answered there, newest first.

    A question is taken as answered when somebody else speaks after it in the same session.
    """
    found = []
    for newest_first in sessions:
        for place, memory in enumerate(newest_first):
            if not memory.text.rstrip().endswith(("?", "？")):
                continue
            later = newest_first[:place]
            if all(other.person == memory.person for other in later):
                found.append(memory)
    return found[:_OPEN_QUESTIONS]


def _line(memory: Memory) -> dict[str, Any]:
    return {
        "uri": memory.uri,
        "event_id": memory.event_id,
        "at": memory.at.isoformat(),
        "person": memory.person,
        "text": memory.text,
    }
