"""Which event ends its session: one that says so, or the submission of a run's result."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...core.events import EventKind
from .command_lines import commands_of, is_shell
from .failure_signs import is_error
from .tool_calls import Event, command_lines, tool_of

#: Tools and commands by which an agent ends a run: it hands in what it did, or hands over.
_COMPLETES = re.compile(
    r"submit|finish|attempt_completion|final_answer|(?:complete|end)_task|task_(?:complete|done)"
    r"|(?:transfer|escalate|hand_?off|hand_over)_to_(?:a_)?human(?:_agents?)?"
)
#: Fields of a boundary that say of what kind it is.
_BOUNDARY_FIELDS = ("boundary", "type", "event", "phase", "action", "reason", "name", "state")
_COMPACTION_WORDS = re.compile(r"compact|checkpoint|snapshot|pause", re.IGNORECASE)
_END_WORDS = re.compile(
    r"(?:^|[^a-z])(?:end|ended|ends|stop|clos|finish|over|exit|reset|new\b|clear)"
)
_START_WORDS = re.compile(r"(?:^|[^a-z])(?:start|begin|began|begun|open|resum|bootstrap|creat)")


def ends_session(event: Event) -> bool:
    """Return whether an event ends its session: a boundary that does not say anything else.

    Boundaries that start or resume a session, and those around a compaction, end nothing. A run
    ends with what hands in its result, see `completes_run`.
    """
    if event.get("kind") != EventKind.SESSION_BOUNDARY:
        return completes_run(event)
    payload = event.get("payload")
    fields = payload if isinstance(payload, Mapping) else {}
    values = [fields.get(name) for name in (*_BOUNDARY_FIELDS, "text")]
    words = " ".join(word for word in values if isinstance(word, str)).casefold()
    if _COMPACTION_WORDS.search(words):
        return False
    return bool(_END_WORDS.search(words)) or not _START_WORDS.search(words)


def completes_run(event: Event) -> bool:
    """Return whether an event hands in the result of a run, or hands the run to a human."""
    if event.get("kind") != EventKind.TOOL_RESULT or is_error(event):
        return False
    lines = command_lines(event) if is_shell(tool_of(event)) else []
    names = [command.program for line in lines for command in commands_of(line)]
    return any(_COMPLETES.fullmatch(name) for name in names or [tool_of(event)])


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
