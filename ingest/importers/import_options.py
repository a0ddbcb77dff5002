"""What a user says about a file: who the names are, what columns hold, whose words, and when.

The words for roles that many formats share stand here too. Options only fill in or rename: they
never overwrite a person or a time that the file states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ...core.errors import InvalidInput
from ...core.events import Event, EventKind, parse_event
from .import_record import ImportRecord

USER, ASSISTANT, TOOL, SYSTEM, SKIP = "user", "assistant", "tool", "system", "skip"
#: What a name can be mapped to; the messages of a skipped name are left out.
ROLES = (USER, ASSISTANT, TOOL, SKIP)
#: What a column can be mapped to.
FIELDS = ("text", "person", "role", "at", "session", "id", "tool_name")
#: Words that name a role, in any case → the role.
_ROLE_WORDS = {
    **dict.fromkeys(("user", "human", "customer", "client", "me"), USER),
    **dict.fromkeys(("assistant", "ai", "bot", "agent", "gpt", "chatgpt", "claude"), ASSISTANT),
    **dict.fromkeys(("model", "chatbot", "gemini", "bing", "bard"), ASSISTANT),
    **dict.fromkeys(("tool", "function", "observation", "tool_result"), TOOL),
    **dict.fromkeys(("system", "developer"), SYSTEM),
}


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options of one import.

    `person` said the user messages that name nobody; `at` is the time of events without one;
    `mapping` leads from names to roles and from columns to fields.
    """

    person: str | None = None
    at: datetime | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, target in self.mapping.items():
            if target not in (*ROLES, *FIELDS):
                raise InvalidInput(
                    f"{name!r} cannot be mapped to {target!r}: map a name to one of "
                    f"{', '.join(ROLES)}, or a column to one of {', '.join(FIELDS)}"
                )


def role_of(word: str) -> str | None:
    """Return the role that a word names: user, assistant, tool or system; None for other words."""
    return _ROLE_WORDS.get(word.strip().lower())


def apply_options(
    records: Iterable[ImportRecord], options: ImportOptions, matched: set[str]
) -> Iterator[ImportRecord]:
    """Yield the records as the options say; those of names that are skipped are left out.

    The names that occur are added to `matched`.
    """
    for record in records:
        if record.event and record.event.person:
            matched.add(record.event.person)
        if record.event is None:
            yield record
        elif (event := _adjusted(record.event, options)) is not None:
            yield replace(record, event=event)


def _adjusted(event: Event, options: ImportOptions) -> Event | None:
    fields: dict[str, Any] = {}
    role = options.mapping.get(event.person or "")
    if role == SKIP:
        return None
    if role in ROLES:
        fields = _in_role(event, role)
    by_user = event.kind is EventKind.USER_MESSAGE and event.person is None
    if options.person and (by_user or role == USER):
        fields["person"] = options.person
    if options.at and event.ts is None:
        fields["ts"] = options.at
    if not fields:
        return event
    given = event.as_json() | fields
    return parse_event({name: value for name, value in given.items() if value is not None})


def _in_role(event: Event, role: str) -> dict[str, Any]:
    """Return the fields that change where a named speaker has a role."""
    if role == TOOL:
        tool = {"name": event.person, "isError": False}
        result = {"result": event.payload.get("text")}
        return {"kind": EventKind.TOOL_RESULT, "person": None, "tool": tool, "payload": result}
    kind = EventKind.USER_MESSAGE if role == USER else EventKind.ASSISTANT_MESSAGE
    return {"kind": kind, "person": None}
