"""The user of an agent in a run: a name, or else an id, where the run itself shows it.

A user says "my user ID is mia_li_3668" or "my name is Mia Li". The name that such an id spells
counts only where somebody uses it as a name, or a tool returns it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...core.events import EventKind

#: Who it is stands in the first messages of a user; so many are read, and of each so much.
_MESSAGES_MAX, _CHARS_MAX = 12, 4_000
#: What an id is called; and an id that begins with a name.
_ASKS_ID = re.compile(
    r"\b(?:user|customer|account|member)[ -]?(?:id|name|profile)\b", re.IGNORECASE
)
_ID = re.compile(r"(?<![\w@./-])([a-z]{2,}(?:_[a-z]{2,})+_\d{2,})(?![\w@/-])")
_SAYS_NAME = re.compile(
    r"\b(?:[Mm]y (?:full )?name is|[Tt]his is|[Mm]y name['’]s) "
    r"([A-Z][a-z'’-]+(?: [A-Z][a-z'’-]+){1,2})\b"
)


class _Message(NamedTuple):
    kind: EventKind
    text: str


def user_of(messages: Sequence[tuple[EventKind, str]]) -> str | None:
    """Return the user of a run, by its messages and results in order; None if nothing shows it."""
    shown = [_Message(kind, text[:_CHARS_MAX]) for kind, text in messages]
    by_user = [n for n, message in enumerate(shown) if message.kind is EventKind.USER_MESSAGE]
    for place in by_user[:_MESSAGES_MAX]:
        before = shown[place - 1].text if place else ""
        match = _ID.search(shown[place].text)
        if match and (_ASKS_ID.search(shown[place].text) or _ASKS_ID.search(before)):
            return _confirmed_name(match[1], shown) or match[1]
        if named := _SAYS_NAME.search(shown[place].text):
            return named[1]
    return None


def _confirmed_name(id: str, shown: Sequence[_Message]) -> str | None:
    """Return the name that an id spells, if the run uses it: whole, or to address them."""
    words = [word.capitalize() for word in id.split("_")[:-1]]
    whole, first = " ".join(map(re.escape, words)), re.escape(words[0])
    returned = rf'"first_name": ?"{first}", ?"last_name": ?"{re.escape(words[-1])}"'
    addressed = rf"\b(?:thank you|thanks|hello|hi|welcome|sorry|great|sure)(?: back)?,? {first}\b"
    pattern = re.compile(rf"\b{whole}\b|{returned}|(?i:{addressed})(?![ ]+[A-Z])")
    return " ".join(words) if any(pattern.search(message.text) for message in shown) else None
