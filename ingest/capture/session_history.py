"""What a decision needs to know of the past of one session: an immutable value.

`SessionHistory.after` returns the history one event later, so that replaying a session is a fold
over its events. It holds counts, times and hashes, never what was said. No storage, no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ...core.events import EventKind
from ...core.experience import CaptureDecision
from ...core.json_validation import (
    optional,
    read_count,
    read_list,
    read_number,
    read_object,
    read_text,
    read_word,
    without_none,
)
from ...core.time import parse, to_text
from ...core.types import Json
from ...core.vocabulary import Relationship
from .event_view import EventView
from .tool_intent import ToolIntent, solves, tool_intent_of

#: So many moments of each class are remembered, captures for as long as a budget's day, and
#: so many actors and failures.
_EVENTS_MAX, _CAPTURES_FOR, _ACTORS_MAX, _FAILURES_MAX = 5, timedelta(hours=24), 256, 20


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """One past event: who or what acted, when, and the hash of what it said."""

    actor: str
    at: datetime | None
    hash: str

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return without_none(actor=self.actor, ts=_time_text(self.at), hash=self.hash)

    @classmethod
    def from_json(cls, value: Json) -> SessionEvent:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "moment")
        return cls(
            actor=read_text(fields.get("actor"), "moment.actor"),
            at=_parse_time(fields.get("ts")),
            hash=read_text(fields.get("hash"), "moment.hash"),
        )


@dataclass(frozen=True, slots=True)
class CaptureCost:
    """One full capture that a gate let through, and the estimated tokens of its text."""

    at: datetime
    tokens: int

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return {"ts": to_text(self.at), "tokens": self.tokens}

    @classmethod
    def from_json(cls, value: Json) -> CaptureCost:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "captures")
        return cls(
            at=parse(read_text(fields.get("ts"), "captures.ts")),
            tokens=read_count(fields.get("tokens"), "captures.tokens"),
        )


@dataclass(frozen=True, slots=True)
class PersonRelationship:
    """Somebody known: what they are to the agent, and their own capture threshold, if any."""

    relationship: Relationship = Relationship.UNKNOWN
    threshold: float | None = None

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return without_none(relationship=self.relationship.value, threshold=self.threshold)

    @classmethod
    def from_json(cls, value: Json) -> PersonRelationship:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "people")
        return cls(
            relationship=read_word(Relationship, fields.get("relationship"), "people.relationship"),
            threshold=optional(
                fields.get("threshold"), lambda v: read_number(v, "people.threshold")
            ),
        )


#: Somebody of whom nothing is known.
_UNKNOWN_PERSON = PersonRelationship()


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """The past of one session, and the people known by now (by folded name).

    `interlocutor` is the person who spoke last. `used` says when each tool or speaker acted last.
    `captured` counts full captures of tool results; `captures` are those of a day that had a time,
    `tokens_untimed` is what the others cost. `failures` have not been solved since. `asked` says
    whether the agent's last word was a question.
    """

    people: Mapping[str, PersonRelationship] = field(default_factory=dict)
    interlocutor: str | None = None
    results: tuple[SessionEvent, ...] = ()
    messages: tuple[SessionEvent, ...] = ()
    used: Mapping[str, datetime | None] = field(default_factory=dict)
    captured: int = 0
    captures: tuple[CaptureCost, ...] = ()
    tokens_untimed: int = 0
    failures: tuple[ToolIntent, ...] = ()
    last_kind: str | None = None
    asked: bool = False

    def recent_events(self, event: EventView) -> tuple[SessionEvent, ...]:
        """Return the latest events of the same class: tool results, or everything else."""
        return self.results if event.is_result else self.messages

    def relationship_with(self, event: EventView) -> PersonRelationship:
        """Return what is known of the person an event is with: its own, or who spoke last."""
        name = event.person or self.interlocutor
        return self.people.get(name, _UNKNOWN_PERSON) if name else _UNKNOWN_PERSON

    def is_first_contact(self, event: EventView) -> bool:
        """Say whether this event is the first from a person never met before.

        The agent is nobody to be met, and a tool's result is from nobody.
        """
        if event.person is None or event.person in self.people:
            return False
        return event.kind != EventKind.ASSISTANT_MESSAGE and not event.is_result

    def after(self, event: EventView, decision: CaptureDecision) -> SessionHistory:
        """Return the history as it is once `event` was decided on."""
        moment, result = SessionEvent(event.actor, event.at, event.hash), event.is_result
        counted = result or event.kind == EventKind.SESSION_BOUNDARY
        spent = decision.captured and counted
        untimed = event.tokens if spent and event.at is None else 0
        # Not by `replace`, which takes as long again: this is done for every event.
        return SessionHistory(
            people=_people(self, event),
            interlocutor=_interlocutor(self, event),
            results=_latest(self.results, moment) if result else self.results,
            messages=self.messages if result else _latest(self.messages, moment),
            used=_used(self.used, moment),
            captured=self.captured + (decision.captured and result),
            captures=_captures(self.captures, event) if spent else self.captures,
            tokens_untimed=self.tokens_untimed + untimed,
            failures=_failures(self.failures, event) if result else self.failures,
            last_kind=event.kind,
            asked=_asks_question(event) if event.is_message else self.asked,
        )

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values; what is empty is left out."""
        return without_none(
            people={name: person.as_json() for name, person in self.people.items()} or None,
            interlocutor=self.interlocutor,
            results=[moment.as_json() for moment in self.results] or None,
            messages=[moment.as_json() for moment in self.messages] or None,
            # A list: the order says who acted longest ago, and an object's names lose it.
            used=[without_none(actor=actor, ts=_time_text(at)) for actor, at in self.used.items()]
            or None,
            captured=self.captured or None,
            captures=[spending.as_json() for spending in self.captures] or None,
            tokens_untimed=self.tokens_untimed or None,
            failures=[failure.as_json() for failure in self.failures] or None,
            last_kind=self.last_kind,
            asked=self.asked or None,
        )

    @classmethod
    def from_json(cls, value: Json) -> SessionHistory:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "history")
        people = read_object(fields.get("people") or {}, "history.people")
        return cls(
            people={name: PersonRelationship.from_json(person) for name, person in people.items()},
            interlocutor=_optional_text(fields, "interlocutor"),
            results=read_list(fields.get("results"), "history.results", SessionEvent.from_json),
            messages=read_list(fields.get("messages"), "history.messages", SessionEvent.from_json),
            used=dict(read_list(fields.get("used"), "history.used", _last_use)),
            captured=read_count(fields.get("captured") or 0, "history.captured"),
            captures=read_list(fields.get("captures"), "history.captures", CaptureCost.from_json),
            tokens_untimed=read_count(fields.get("tokens_untimed") or 0, "history.tokens_untimed"),
            failures=read_list(fields.get("failures"), "history.failures", ToolIntent.from_json),
            last_kind=_optional_text(fields, "last_kind"),
            asked=fields.get("asked") is True,
        )


def _people(history: SessionHistory, event: EventView) -> Mapping[str, PersonRelationship]:
    if event.person is None or not history.is_first_contact(event):
        return history.people
    return {**history.people, event.person: _UNKNOWN_PERSON}


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


def _failures(failures: tuple[ToolIntent, ...], event: EventView) -> tuple[ToolIntent, ...]:
    if not event.is_error and not failures:
        return ()
    intent = tool_intent_of(event)
    if intent.failed:
        return (*failures, intent)[-_FAILURES_MAX:]
    return tuple(failure for failure in failures if not solves(intent, failure))


def _asks_question(event: EventView) -> bool:
    return event.kind == EventKind.ASSISTANT_MESSAGE and "?" in event.text


def _last_use(value: Json) -> tuple[str, datetime | None]:
    fields = read_object(value, "history.used")
    return read_text(fields.get("actor"), "history.used.actor"), _parse_time(fields.get("ts"))


def _time_text(at: datetime | None) -> str | None:
    return None if at is None else to_text(at)


def _parse_time(value: Json) -> datetime | None:
    return optional(value, lambda at: parse(read_text(at, "ts")))


def _optional_text(fields: Mapping[str, Json], name: str) -> str | None:
    return optional(fields.get(name), lambda text: read_text(text, f"history.{name}"))
