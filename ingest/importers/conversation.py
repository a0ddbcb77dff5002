"""What transcripts share: messages of a session in their order, results joined with their calls.

System prompts and reasoning are no messages that anybody lived through: they are set aside, and
become records only where the conversation holds nothing else. What is malformed is refused alone.
Nothing here knows a format, and no message is repaired.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePath

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .content import (
    Answer,
    Call,
    Content,
    by_reference,
    read_call,
    read_content,
    read_result,
    tells_error,
)
from .record import Limits, Piece, Record, Source, admit, json_type, label, lines, refuse, values

_FIRST_LINE = re.compile(rb"\s*+(?:\[|[^\n]*\n)")
#: A list, or an object that goes on behind its first line; torn lines seldom end like this.
_SPREAD = re.compile(rb"\s*+(?:\[|\{(?:[^\n]*[\[{,:])?[ \t\r]*\n)")
#: More seconds than any date has; such a number counts milliseconds.
_SECONDS_MAX = 1e11


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: in the file, among ids, in time.

    `kept` are the fields that become no part of the event; they are its metadata.
    """

    where: str
    id: str
    ts: str | None = None
    kept: Mapping[str, Json] = field(default_factory=dict)

    def numbered(self, number: int) -> Place:
        """Return the place of the n-th event of a message; the first one has the message's id."""
        return replace(self, id=f"{self.id}/{number}") if number else self


class Calls:
    """The calls that wait for their results."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str | None, str | None], list[Call]] = {}

    def add(self, call: Call) -> None:
        """Let a call wait."""
        self._waiting.setdefault(_key(call.id, call.name), []).append(call)

    def take(self, answer: Answer) -> Call | None:
        """Return the oldest call that this answers, which then waits no more."""
        key = _key(answer.call_id, answer.name)
        if not (found := self._waiting.get(key)):
            return None
        call = found.pop(0)
        if not found:
            del self._waiting[key]
        return call

    def unanswered(self) -> Iterator[Record]:
        """Refuse every call that still waits; none does so afterwards."""
        left, self._waiting = self._waiting, {}
        for call in (call for several in left.values() for call in several):
            named = "tool call" if call.id is None else f"tool call {call.id!r}"
            yield refuse(call.where, f"{named} of {call.name} has no result: left out")


class Conversation:
    """One session while it is read.

    `name` is the key of the format in the metadata. Conversations of one file may share `calls`.
    """

    def __init__(self, name: str, key: str, limits: Limits, calls: Calls | None = None) -> None:
        self.key = key
        self.calls = Calls() if calls is None else calls
        self._name, self._limits = name, limits
        self._about: Mapping[str, Json] = {}
        self._aside: list[tuple[Place, Mapping[str, Json]]] = []
        self._spoken = False

    def describe(self, about: Mapping[str, Json]) -> None:
        """Keep fields that concern the conversation as a whole: they go with the next event."""
        self._about = about

    def message(
        self,
        place: Place,
        kind: EventKind,
        content: Json,
        calls: Json = None,
        person: str | None = None,
    ) -> Iterator[Record]:
        """Yield what a message holds: the results in it first, then what was said.

        `content` is text or a list of parts, `calls` a list of tool calls. The first event has
        the place's id, the n-th behind it "<id>/<n>".
        """
        try:
            found, given = read_content(content, place.where), _list_of_calls(calls)
        except InvalidInput as error:
            yield refuse(place.where, str(error))
            return
        yield from (refuse(place.where, problem) for problem in found.problems)
        yield from self._wait_for(given, found.calls, place.where)
        for number, answer in enumerate(found.answers):
            yield from self.result(place.numbered(number), answer)
        if found.said or found.artifacts:
            yield self._said(place.numbered(len(found.answers)), kind, found, person)
        elif found.thoughts:
            self.aside(place, EventKind.ASSISTANT_MESSAGE, "\n".join(found.thoughts))
        elif found.strange:
            types = ", ".join(sorted({repr(part["type"][:80]) for part in found.kept}))
            yield refuse(place.where, f"content holds only what is not known: {types}")
        elif not (given or found.calls or found.answers or found.problems):
            yield refuse(place.where, "content is empty: nothing was said")

    def result(self, place: Place, answer: Answer) -> Iterator[Record]:
        """Yield the result of a tool, joined with the call that it answers."""
        call = self.calls.take(answer)
        name = answer.name or (call.name if call else None)
        if not name:
            yield refuse(
                place.where,
                f"result of {answer.call_id!r} answers no call of this conversation and names no "
                "tool: left out",
            )
            return
        artifacts: dict[str, Json] = {}
        result = read_result(answer.content, artifacts)
        tool = {
            "name": name,
            "isError": tells_error(result) if answer.failed is None else answer.failed,
            **({} if answer.call_id is None else {"callId": answer.call_id}),
        }
        args = {"args": by_reference(call.args, artifacts)} if call else {}
        payload = {**args, "result": result}
        happened = {"kind": EventKind.TOOL_RESULT.value, "tool": tool, "payload": payload}
        yield self._event(place, happened, artifacts)

    def wait(self, call: Call) -> None:
        """Let a call wait for its result."""
        self._spoken = True
        self.calls.add(call)

    def aside(self, place: Place, kind: EventKind, content: Json) -> None:
        """Set apart what nobody lived through, such as a system prompt."""
        if self._spoken:
            return
        try:
            found = read_content(content, place.where)
        except InvalidInput:
            return
        if text := found.said or "\n".join(found.thoughts):
            apart = replace(place, kept={**place.kept, "aside": True})
            self._aside.append((apart, {"kind": kind.value, "payload": {"text": text}}))

    def finish(self) -> Iterator[Record]:
        """Yield what was set apart if there was nothing else, and refuse calls without results."""
        for place, happened in [] if self._spoken else list(self._aside):
            yield self._event(place, happened, {})
        yield from self.calls.unanswered()

    def _wait_for(self, given: list[Json], in_content: list[Call], where: str) -> Iterator[Record]:
        """Let the calls of a message wait; one that stands in its content too is the same."""
        known = set()
        for one in given:
            try:
                call = read_call(one, where)
            except InvalidInput as error:
                yield refuse(where, str(error))
            else:
                known.add(call.id)
                self.wait(call)
        for call in in_content:
            if call.id not in known:
                self.wait(call)

    def _said(self, place: Place, kind: EventKind, found: Content, person: str | None) -> Record:
        happened: dict[str, Json] = {"kind": kind.value, "payload": {"text": found.said}}
        if person:
            happened["person"] = person
        parts = {"parts": found.kept} if found.kept else {}
        return self._event(replace(place, kept={**place.kept, **parts}), happened, found.artifacts)

    def _event(
        self, place: Place, happened: Mapping[str, Json], artifacts: Mapping[str, Json]
    ) -> Record:
        self._spoken = True
        about = {"conversation": dict(self._about)} if self._about else {}
        kept = by_reference({**place.kept, **about}, {})
        event = {
            **happened,
            "id": place.id,
            "session": {"key": self.key},
            **({"ts": place.ts} if place.ts else {}),
            **({"artifacts": list(artifacts.values())} if artifacts else {}),
            **({"metadata": {self._name: kept}} if kept else {}),
        }
        record = admit(place.where, event, self._limits)
        if record.event is not None:
            self._about = {}
        return record


def pieces(source: Source, limits: Limits) -> Iterator[Piece]:
    """Cut into lines, or into values where a list or an object spreads over several lines."""
    spread = _SPREAD.match(source.head(_FIRST_LINE))
    return (values if spread else lines)(source, limits.document_bytes_max)


def stem(source: Source) -> str:
    """Return the file's name without its suffix: the last resort of a session key."""
    return PurePath(source.name).stem.encode("utf-8", "replace").decode("utf-8") or "unnamed"


def named(fields: Mapping[str, Json], *names: str) -> str | None:
    """Return the first of some fields that can name something, or None."""
    for name in names:
        try:
            return label(fields, name)
        except InvalidInput:
            continue
    return None


def instant(value: Json) -> str | None:
    """Return a time as ISO 8601 text; null stays null.

    It may be ISO 8601 text, taken as UTC without a timezone, or seconds or milliseconds since
    1970. `InvalidInput` for what is no time.
    """
    if value is None:
        return None
    problem = InvalidInput(f"{str(value)[:80]!r} is no time: write ISO 8601 with a timezone")
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip())
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise problem
        seconds = value / 1000 if abs(value) > _SECONDS_MAX else value
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        raise problem from None


def unread(fields: Mapping[str, Json], read: frozenset[str]) -> dict[str, Json]:
    """Return the fields that are not read, without nulls: they are kept as metadata."""
    return {name: value for name, value in fields.items() if name not in read and value is not None}


def _list_of_calls(calls: Json) -> list[Json]:
    if calls is None:
        return []
    if not isinstance(calls, list):
        raise InvalidInput(f"tool_calls is {json_type(calls)}: a list of calls is needed")
    return calls


def _key(id: str | None, name: str | None) -> tuple[str | None, str | None]:
    return (None, name) if id is None else (id, None)
