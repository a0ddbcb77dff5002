"""What a decision needs to know of the past of one session: an immutable value.

`SessionHistory.after` returns the history one event later, so that replaying a session is a fold
over its events. It holds counts, times and hashes, never what was said. No storage, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from ..core.events import EventKind, meaning_of, text_of
from ..core.experience import Decision
from ..core.ids import content_hash, fold
from ..core.plain import (
    given,
    optional,
    read_list,
    read_number,
    read_object,
    read_text,
    read_texts,
    read_word,
)
from ..core.time import parse, to_text
from ..core.types import Json
from ..core.vocabulary import Relationship
from .errands import Errand, errand_of, pursues

Event = Mapping[str, Any]

MESSAGES = frozenset({EventKind.USER_MESSAGE, EventKind.ASSISTANT_MESSAGE})

#: So many moments of each class are remembered; captures for as long as a budget's day.
_MOMENTS, _CAPTURES_FOR = 5, timedelta(hours=24)
#: Failures that wait for their solution.
_FAILURES_MAX = 20


@dataclass(frozen=True, slots=True)
class Moment:
    """One past event: who or what acted, when, and the hash of what it said."""

    actor: str
    at: datetime | None
    hash: str


@dataclass(frozen=True, slots=True)
class Spending:
    """One full capture of a tool result, and what its text costs, in estimated tokens."""

    at: datetime | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """Somebody known: what they are to the agent, and their own capture threshold, if any."""

    relationship: Relationship = Relationship.UNKNOWN
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """The past of one session, and the people known when it began (by folded name).

    `used` says when each tool or speaker acted last. `tokens_untimed` is what was spent by events
    without a time. `failures` are errands that failed and have not succeeded since.
    """

    people: Mapping[str, Acquaintance] = field(default_factory=dict)
    interlocutor: str | None = None
    results: tuple[Moment, ...] = ()
    messages: tuple[Moment, ...] = ()
    used: Mapping[str, datetime | None] = field(default_factory=dict)
    captures: tuple[Spending, ...] = ()
    tokens_untimed: int = 0
    failures: tuple[Errand, ...] = ()
    last_kind: str | None = None
    asked: bool = False

    def moments(self, event: Event) -> tuple[Moment, ...]:
        """Return the latest events of the same class: tool results, or everything said."""
        return self.results if event["kind"] == EventKind.TOOL_RESULT else self.messages

    def acquaintance(self, event: Event) -> Acquaintance:
        """Return what is known of the person an event is with: its own, or the last who spoke."""
        name = person_of(event) or self.interlocutor
        return self.people.get(name, Acquaintance()) if name else Acquaintance()

    def meets(self, event: Event) -> bool:
        """Say whether this event is the first from a person never met before."""
        name = person_of(event)
        spoken_by_agent = event["kind"] == EventKind.ASSISTANT_MESSAGE
        return name is not None and not spoken_by_agent and name not in self.people

    def after(self, event: Event, decision: Decision) -> SessionHistory:
        """Return the history as it is once `event` was decided on."""
        kind, at, name = event["kind"], at_of(event), person_of(event)
        moment = Moment(actor_of(event), at, hash_of(event))
        later = replace(self, last_kind=str(kind), used={**self.used, moment.actor: at})
        if self.meets(event) and name:
            later = replace(later, people={**self.people, name: Acquaintance()})
        if kind == EventKind.TOOL_RESULT:
            later = later._after_result(event, moment, decision)
        elif kind != EventKind.SESSION_BOUNDARY:
            later = replace(later, messages=(*self.messages, moment)[-_MOMENTS:])
        if kind == EventKind.USER_MESSAGE:
            later = replace(later, interlocutor=name or self.interlocutor)
        if kind in MESSAGES:
            asked = kind == EventKind.ASSISTANT_MESSAGE and "?" in text_of(event)
            later = replace(later, asked=asked)
        return later

    def _after_result(self, event: Event, moment: Moment, decision: Decision) -> SessionHistory:
        errand = errand_of(event)
        if errand.failed:
            failures = (*self.failures, errand)[-_FAILURES_MAX:]
        else:
            failures = tuple(failed for failed in self.failures if not pursues(errand, failed))
        later = replace(self, results=(*self.results, moment)[-_MOMENTS:], failures=failures)
        return later._spending(Spending(moment.at, tokens_of(event)), decision)

    def _spending(self, spending: Spending, decision: Decision) -> SessionHistory:
        if not decision.captured:
            return self
        captures = (*self.captures, spending)
        newest = max((capture.at for capture in captures if capture.at), default=None)
        kept = tuple(
            capture
            for capture in captures
            if capture.at and newest and newest - capture.at < _CAPTURES_FOR
        )
        untimed = spending.tokens if spending.at is None else 0
        return replace(self, captures=kept, tokens_untimed=self.tokens_untimed + untimed)

