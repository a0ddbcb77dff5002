"""Resume a relationship: when a person comes back, where things stand with them, cited.

The first form: last meetings, what was last talked about, questions left open. By rule, from the
list of experiences; nothing is written and nothing is guessed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
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


#: How seldom each stem is in the space.
Rarity = Callable[[Sequence[str]], dict[str, float]]


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
    total = sum(catalog.kinds(space).values())

    def rarity(stems: Sequence[str]) -> dict[str, float]:
        frequency = catalog.frequencies(space, stems)
        return {stem: math.log(total / max(frequency.get(stem, 1), 1)) for stem in stems}

    meetings = [
        _meeting(key, said, _topics(said, people, analyser, rarity))
        for key, said in ((key, talk.get(key or "", loose)) for key in sessions[:_MEETINGS])
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


def _meeting(key: str | None, newest_first: Sequence[Memory], topics: Sequence[str]) -> Meeting:
    first, last = newest_first[-1], newest_first[0]
    return Meeting(key, first.at, last.at, len(newest_first), topics, first)


def _topics(
    memories: Sequence[Memory], people: Gazetteer, analyser: Analyser, rarity: Rarity
) -> list[str]:
    """Return what a session was about, as it was written: said often here, seldom elsewhere.

    A word's weight is the messages of the session that have it times ln(n/df) over the space.
    """
    often: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for memory in memories:
        seen = set()
        for word in analyser.words(memory.text):
            if word.stem and word.surface not in people.words and len(word.surface) > 2:
                shown.setdefault(word.stem, word.surface)
                seen.add(word.stem)
        often.update(seen)
    repeated = [stem for stem, count in often.items() if count > 1]
    weight = rarity(repeated)
    repeated.sort(key=lambda stem: (-often[stem] * weight[stem], stem))
    return [shown[stem] for stem in repeated[:_TOPICS]]


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
