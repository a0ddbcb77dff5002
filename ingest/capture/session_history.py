"""The history of one session that a decision needs, and what a person is to the agent.

`SessionHistory` is an immutable value; `after` returns it one event later, so that replaying a
session is a fold over its events. It holds counts, times and hashes, never content.

By rule a relationship grows as far as collaborator, with the message that makes it so; only the
user can make somebody primary. Nothing is stored here, and nothing is guessed from content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, PlainSerializer, Strict

from ...core.entities.common_words import PLACEHOLDER_NAMES
from ...core.entries import RelationshipChanged
from ...core.events import EventKind, is_restricted, speaker_id
from ...core.ids import fold
from ...core.json_values import Flag, Instant, Real
from ...core.time import to_text
from ...core.types import Json, Space
from ...core.vocabulary import CaptureMode, Relationship
from ...language.runs.reported_failures import ReportedFailure, finds
from ...language.runs.tool_calls import Event
from ...language.runs.tool_intent import ToolIntent, solves, tool_intent_of
from ...storage.people import PersonList
from .event_view import EventView

#: Longest name of a person that an event can carry, characters.
_NAME_CHARS_MAX = 256
#: Fields that say whom a session is with, the more telling first; a person's own fields likewise.
_USER_FIELDS = (
    *("user", "person", "sender", "from", "author", "member"),
    *("userName", "user_name", "username", "displayName", "display_name", "senderName"),
    *("sender_name", "userId", "user_id", "senderId", "sender_id"),
)
_NAME_FIELDS = (
    *("displayName", "display_name", "name", "fullName", "full_name", "realName", "real_name"),
    *("userName", "user_name", "username", "handle", "id", "userId", "user_id"),
)


#: From so many interactions, in so many sessions, somebody is a collaborator. The source names the
#: types and no numbers. An interaction is one message: twenty are a long conversation, and three
#: sessions say that they came back after the second time, which a single long conversation, or a
#: question and its follow-up, does not.
COLLABORATOR_INTERACTIONS, COLLABORATOR_SESSIONS = 20, 3
#: What is not said by a person.
_OTHERS = frozenset({EventKind.ASSISTANT_MESSAGE, EventKind.TOOL_RESULT})


def speaks(event: Event, space: Space) -> str | None:
    """Return whose interaction an event is; None for what counts as nobody's."""
    if event["kind"] in _OTHERS or is_restricted(event.get("metadata")):
        return None
    return speaker_id(event, space)


def relationship_by_rule(
    people: PersonList, person: str
) -> tuple[RelationshipChanged | None, bool]:
    """Return what a person has become to the agent, and whether that stands for this session.

    A user becomes a collaborator; nobody is lowered, and primary is never given by rule.
    """
    often, several = COLLABORATOR_INTERACTIONS, COLLABORATOR_SESSIONS
    counted = people.counted_user(person, often, several)
    if counted is None:
        return None, True
    id, threshold, interactions, sessions = counted
    if interactions < often or sessions < several:
        return None, interactions >= often
    before = Relationship.USER  # nobody else is counted
    change = RelationshipChanged(id, Relationship.COLLABORATOR, threshold, "rule", before)
    return change, True


def identity_of(event: Event) -> str | None:
    """Return the name, or else the id, of whom an event is with; None where nothing says so.

    The event's `person` first, unless the agent speaks, for then it names the agent; then user
    fields of the session, of its `meta`, and of the channel (feature 47). Tools and payloads are
    never read for names, and metadata of a wrong shape are passed over.
    """
    if event.get("kind") != EventKind.ASSISTANT_MESSAGE and (own := _name(event.get("person"))):
        return own
    return next((name for fields in _identity_fields(event) if (name := _user_of(fields))), None)


def _identity_fields(event: Event) -> Iterator[Mapping[str, Json]]:
    for holder in (event.get("session"), event.get("channel")):
        if not isinstance(holder, Mapping):
            continue
        for fields in (holder, holder.get("meta"), holder.get("metadata")):
            if isinstance(fields, Mapping):
                yield fields


def _user_of(fields: Mapping[str, Json]) -> str | None:
    for key in _USER_FIELDS:
        value = fields.get(key)
        if isinstance(value, Mapping):
            user_name = next((name for f in _NAME_FIELDS if (name := _name(value.get(f)))), None)
        else:
            user_name = _name(value)
        if user_name:
            return user_name
    return None


def _name(value: Json) -> str | None:
    """Return a value as a name: one line of printable text that names somebody."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        value = str(value)
    if not isinstance(value, str):
        return None
    name = " ".join(value.split())
    if (
        not name.isprintable()
        or not 0 < len(name) <= _NAME_CHARS_MAX
        or fold(name) in PLACEHOLDER_NAMES
    ):
        return None
    return name


#: So many moments of each class are remembered, captures for as long as a budget's day, and
#: so many actors and failures.
_EVENTS_MAX, _CAPTURES_FOR, _ACTORS_MAX, _FAILURES_MAX = 5, timedelta(hours=24), 256, 20


Count = Annotated[int, Strict(), Field(ge=0)]


def _read_uses(value: Json) -> Json:
    """Return actor → time of a list of objects; whatever else is left for the check of types."""
    if not isinstance(value, list) or not all(isinstance(use, dict) for use in value):
        return value
    return {use.get("actor"): use.get("ts") for use in value}


def _write_uses(used: Mapping[str, datetime | None]) -> list[dict[str, str]]:
    return [{"actor": actor} | ({"ts": to_text(at)} if at else {}) for actor, at in used.items()]


#: Who acted when, written as a list: the order says who acted longest ago.
LastUses = Annotated[
    Mapping[str, Instant | None], BeforeValidator(_read_uses), PlainSerializer(_write_uses)
]


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """One past event: who or what acted, when, and the hash of what it said."""

    actor: str
    hash: str
    at: Annotated[Instant | None, Field(alias="ts")] = None


@dataclass(frozen=True, slots=True)
class CaptureCost:
    """One full capture that a gate let through, and the estimated tokens of its text."""

    at: Annotated[Instant, Field(alias="ts")]
    tokens: Count


#: What somebody known is to the agent, and their own capture threshold, if any.
Bond: TypeAlias = tuple[Relationship, Real | None]
#: That of somebody of whom nothing is known.
NO_BOND: Bond = (Relationship.UNKNOWN, None)


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """The past of one session, and the people known by now (by folded name).

    `interlocutor` is the person who spoke last. `used` says when each tool or speaker acted last.
    `captured` counts full captures of tool results; `captures` are those of a day that had a time,
    `tokens_untimed` is what the others cost. `failures` have not been solved since.
    `asked` says whether the agent's last word was a question, `reported` how far a failure is that
    it put in words.
    """

    people: Mapping[str, Bond] = field(default_factory=dict)
    interlocutor: str | None = None
    results: tuple[SessionEvent, ...] = ()
    messages: tuple[SessionEvent, ...] = ()
    used: LastUses = field(default_factory=dict)
    captured: Count = 0
    captures: tuple[CaptureCost, ...] = ()
    tokens_untimed: Count = 0
    failures: tuple[ToolIntent, ...] = ()
    last_kind: str | None = None
    asked: Flag = False
    reported: ReportedFailure = ReportedFailure.NONE

    def recent_events(self, event: EventView) -> tuple[SessionEvent, ...]:
        """Return the latest events of the same class: tool results, or everything else."""
        return self.results if event.is_result else self.messages

    def relationship_with(self, event: EventView) -> Bond:
        """Return what is known of the person an event is with: its own, or who spoke last."""
        name = event.person or self.interlocutor
        return self.people.get(name, NO_BOND) if name else NO_BOND

    def is_first_contact(self, event: EventView) -> bool:
        """Return whether this event is the first from a person never met before.

        The agent is nobody to be met, and a tool's result is from nobody.
        """
        if event.person is None or event.person in self.people:
            return False
        return event.kind != EventKind.ASSISTANT_MESSAGE and not event.is_result

    def unsolved_after(self, intent: ToolIntent) -> tuple[ToolIntent, ...]:
        """Return the failures that a call that worked leaves unsolved."""
        return tuple(failure for failure in self.failures if not solves(intent, failure))

    def after(self, event: EventView, mode: CaptureMode | None) -> SessionHistory:
        """Return the history as it is once it was decided how much of `event` is kept."""
        moment, result = SessionEvent(event.actor, event.hash, event.at), event.is_result
        counted = result or event.kind == EventKind.SESSION_BOUNDARY
        captured = mode is CaptureMode.FULL
        spent = captured and counted
        untimed = event.tokens if spent and event.at is None else 0
        # Not by `replace`, which takes as long again: this is done for every event.
        return SessionHistory(
            people=_people(self, event),
            interlocutor=_interlocutor(self, event),
            results=_latest(self.results, moment) if result else self.results,
            messages=self.messages if result else _latest(self.messages, moment),
            used=_used(self.used, moment),
            captured=self.captured + (captured and result),
            captures=_captures(self.captures, event) if spent else self.captures,
            tokens_untimed=self.tokens_untimed + untimed,
            failures=_failures(self, event) if result else self.failures,
            last_kind=event.kind,
            asked=_asks_question(event) if event.is_message else self.asked,
            reported=_reported(self.reported, event),
        )


def _people(history: SessionHistory, event: EventView) -> Mapping[str, Bond]:
    if event.person is None or not history.is_first_contact(event):
        return history.people
    return {**history.people, event.person: NO_BOND}


def _interlocutor(history: SessionHistory, event: EventView) -> str | None:
    by_user = event.kind == EventKind.USER_MESSAGE
    return (event.person if by_user else None) or history.interlocutor


def _latest(
    recent_events: tuple[SessionEvent, ...], moment: SessionEvent
) -> tuple[SessionEvent, ...]:
    return (*recent_events, moment)[-_EVENTS_MAX:]


def _used(used: Mapping[str, datetime | None], moment: SessionEvent) -> dict[str, datetime | None]:
    later = dict(used)
    later.pop(moment.actor, None)
    if len(later) >= _ACTORS_MAX:
        later = dict(list(later.items())[1 - _ACTORS_MAX :])
    later[moment.actor] = moment.at
    return later


def _captures(captures: tuple[CaptureCost, ...], event: EventView) -> tuple[CaptureCost, ...]:
    if event.at is None:
        return captures
    spent = (*captures, CaptureCost(event.at, event.tokens))
    newest = max(spending.at for spending in spent)
    return tuple(spending for spending in spent if newest - spending.at < _CAPTURES_FOR)


def _failures(history: SessionHistory, event: EventView) -> tuple[ToolIntent, ...]:
    if not event.is_error and not history.failures:
        return ()
    intent = tool_intent_of(event.fields, event.is_error)
    if intent.failed:
        return (*history.failures, intent)[-_FAILURES_MAX:]
    return history.unsolved_after(intent)


def _reported(state: ReportedFailure, event: EventView) -> ReportedFailure:
    if not event.is_result or (state is ReportedFailure.NONE and not event.is_error):
        return state.after(event.kind, event.text)
    intent = tool_intent_of(event.fields, event.is_error)
    brings = state is ReportedFailure.ANSWERED and finds(event.fields, intent)
    return state.after(event.kind, event.text, intent if intent.failed else None, finds=brings)


def _asks_question(event: EventView) -> bool:
    return event.kind == EventKind.ASSISTANT_MESSAGE and "?" in event.text
