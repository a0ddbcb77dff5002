"""Whom an agent's line was for, where several people share a session.

It belongs to the person it answers: who is addressed in it, else who is named, else who spoke last
before it. A function of what was said, in order; nothing is stored.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from ..core.events import EventKind
from ..core.people import Gazetteer
from ..core.types import MemoryRecord

_OF_AGENTS = (EventKind.ASSISTANT_MESSAGE, EventKind.TOOL_RESULT)
#: Before a name by which somebody is addressed: nothing, punctuation, or a word of greeting.
_BEFORE = re.compile(r"(?:^|[,.!?;:–—\n(@])\s*(?:[^\W\d_]+[ ])?@?\Z")
_BEHIND = re.compile(r"\s*(?:[,.!?;:–—)\n]|\Z)")


def addressees(ordered: Sequence[MemoryRecord], people: Gazetteer) -> list[str | None]:
    """Return for each memory the name of whom it was for; None for what a person says.

    `ordered` is in the order in which it happened; `people` finds who is named.
    """
    speaking: dict[str | None, set[str]] = defaultdict(set)
    for memory in ordered:
        if memory.person is not None and memory.kind == EventKind.USER_MESSAGE:
            speaking[memory.session].add(memory.person)
    last: dict[str | None, str] = {}
    names: list[str | None] = []
    for memory in ordered:
        before = last.get(memory.session)
        if memory.kind == EventKind.ASSISTANT_MESSAGE:
            names.append(_addressee(memory.text, before, speaking[memory.session], people))
        elif memory.kind == EventKind.USER_MESSAGE and memory.person is not None:
            last[memory.session] = memory.person
            names.append(None)
        else:
            names.append(None if memory.person is not None else before)
    return names


def sessions_of_several(memories: Iterable[MemoryRecord]) -> set[str | None]:
    """Return the sessions in which an agent or its tools serve several people."""
    people: dict[str | None, set[str]] = defaultdict(set)
    served = set()
    for memory in memories:
        if memory.kind == EventKind.USER_MESSAGE and memory.person is not None:
            people[memory.session].add(memory.person)
        elif memory.kind in _OF_AGENTS:
            served.add(memory.session)
    return {session for session in served if len(people[session]) > 1}


def _addressee(text: str, before: str | None, speakers: set[str], people: Gazetteer) -> str | None:
    if len(speakers) < 2:
        return before
    mentions = [m for m in people.mentions(text) if m[2].name in speakers]
    addressed = [
        person.name
        for start, end, person in mentions
        if _BEFORE.search(text[:start]) and _BEHIND.match(text[end:])
    ]
    named = list(dict.fromkeys(person.name for *_, person in mentions))
    if addressed:
        return addressed[0]
    return before if before in named or not named else named[0]
