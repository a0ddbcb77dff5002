"""What a user says about a file: who the names are, what columns hold, whose words, and when.

What a run of an agent shows of its user fills in where neither the file nor an option says it.

The words for roles that many formats share stand here too. Options only fill in or rename: they
never overwrite a person or a time that the file states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ...core.errors import InvalidInput
from ...core.events import Event, EventKind, encode, parse_event
from ...language.runs.run_ends import user_of
from .import_record import ImportRecord

#: A longer session is cut here: what comes later is looked at by itself.
_RECORDS_MAX = 2_000
USER, ASSISTANT, TOOL, SYSTEM, SKIP = "user", "assistant", "tool", "system", "skip"
#: What a name can be mapped to; the messages of a skipped name are left out.
ROLES = (USER, ASSISTANT, TOOL, SKIP)
#: What a column can be mapped to.
FIELDS = ("text", "person", "role", "at", "session", "id", "tool_name")
#: Words that name a role, in any case → the role.
_ROLE_WORDS = {
    **dict.fromkeys(("user", "human", "customer", "client", "me", "you"), USER),
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


def name_users(records: Iterable[ImportRecord]) -> Iterator[ImportRecord]:
    """Yield the records; of runs, the messages of a user whom the run shows name that user.

    A run is a session in which tools were called. Who is named already is left alone.
    """
    run: list[ImportRecord] = []
    session = None
    for record in records:
        of_record = _session(record)
        if len(run) == _RECORDS_MAX or (of_record is not None and of_record != session):
            yield from _named(run)
            run, session = [], of_record
        run.append(record)
    yield from _named(run)


def _session(record: ImportRecord) -> tuple[str | None, str] | None:
    event = record.event
    return None if event is None or event.session is None else (record.space, event.session.key)


def _named(run: Sequence[ImportRecord]) -> Iterator[ImportRecord]:
    events = [record.event for record in run if record.event and record.event.session]
    unnamed = [e for e in events if e.kind is EventKind.USER_MESSAGE and e.person is None]
    if not unnamed or not any(event.kind is EventKind.TOOL_RESULT for event in events):
        yield from run
        return
    user = user_of([(event.kind, _text(event)) for event in events])
    for record in run:
        named = user and any(record.event is event for event in unnamed)
        yield replace(record, event=_with_person(record.event, user)) if named else record


def _with_person(event: Event | None, user: str | None) -> Event | None:
    return event and parse_event(event.as_json() | {"person": user})


def _text(event: Event) -> str:
    payload = event.payload
    value = payload.get("result" if event.kind is EventKind.TOOL_RESULT else "text")
    return value if isinstance(value, str) else encode(value)
