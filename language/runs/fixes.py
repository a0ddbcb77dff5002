"""Failures of tools and their solutions: which later call worked, and how it differs.

Within one session. A failure without evidence of a solution stays open. Of repeated failures with
one purpose, the last represents all; of solved ones, the last for each reason. The difference is
quoted from the two calls, or is the change made between them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.events import EventKind, text_of
from ...core.text import quote, shorten
from ...core.types import Json
from .command_lines import commands_of, is_shell
from .failure_signs import is_error
from .reported_failures import denial
from .tool_calls import Event, is_result, leaves, tool_of
from .tool_intent import ToolIntent, solves, tool_intent_of
from .tool_result import edits_of, files_of, read_result

#: Longest reason, longest difference and longest value quoted in one, characters.
_REASON_CHARS, _DIFFERENCE_CHARS, _VALUE_CHARS = 160, 200, 60
#: So many changes between a failure and its fix are named, the last ones.
_CHANGES_MAX = 3
#: So many failures wait for a solution, the latest.
_WAITING_MAX = 50
#: Of one result so much is read for its reason.
_CHARS_MAX = 6_000
#: What says why, best first; the first line that matches is quoted.
_REASONS = (
    re.compile(
        r"fatal|no such file|no space left|not found|denied|cannot|could not|refused|timed out"
        r"|^(?:E\s+)?[\w.]*(?:Error|Exception)\b[:(]|\bFAILED\b.* - |does not|not enough",
        re.IGNORECASE,
    ),
    re.compile(r"error|fail|unable|invalid", re.IGNORECASE),
)
#: Changed on the way, and seldom what mends anything.
_DOCUMENTS = re.compile(r"\.(?:md|rst|txt)\Z|changelog|(?:^|/)docs/", re.IGNORECASE)
#: A line that names what failed: a test file, an environment, a node.
_FAILED_NAME = re.compile(r"(?:FAILED|ERROR|FAIL) ([\w./-]+\.\w+)|([\w.-]+): (?:FAIL|failed)\b")
#: Tools that change nothing.
_NO_TRIES = re.compile(r"think|calculate|transfer")
_PATHS = ("path", "file_path", "file", "filename", "notebook_path")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One tool call that returned: what it was out for, with what, and why it failed.

    `reason` is a line of the result of a call that failed, as it stands there; else empty.
    `failing` is what of it failed, where the result names that: test files, environments.
    """

    intent: ToolIntent
    args: Json
    reason: str = ""
    failing: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether it failed."""
        return self.intent.failed

    @property
    def worked(self) -> bool:
        """Whether it worked, and was more than a thought or a sum."""
        return not self.failed and not _NO_TRIES.match(self.intent.tool)

    def judged(self, words: str) -> Attempt:
        """Return it as the agent's next words tell: what did not work, failed."""
        reason = "" if self.failed else denial(words)
        return (
            replace(self, intent=replace(self.intent, failed=True), reason=reason)
            if reason
            else self
        )

    @property
    def call(self) -> str:
        """The call in short: a shell's command line, or the tool and what it was given."""
        words = shorten(" ".join(" ".join(leaf.split()) for leaf in leaves(self.args)), 90)
        return words if is_shell(self.intent.tool) and words else f"{self.intent.tool} {words}"


@dataclass(frozen=True, slots=True)
class Failure:
    """What failed, as places in a sequence of attempts, in order; the last stands for all.

    `fix` is the place of the call that shows it to be solved, None where there is none.
    """

    places: tuple[int, ...]
    fix: int | None = None


def attempt_of(event: Event, failed: bool | None = None) -> Attempt | None:
    """Return what was tried, for a tool's result; `failed` where that was asked before."""
    if not event or not is_result(event) or not tool_of(event):
        return None
    payload = event.get("payload") or {}
    intent = tool_intent_of(event, is_error(event) if failed is None else failed)
    if not intent.failed:  # what worked is known by what it was given
        return Attempt(intent, payload.get("args")) if payload else None
    lines = _lines(read_result(event).texts)
    names = [
        (match[1] or match[2]).casefold() for line in lines if (match := _FAILED_NAME.match(line))
    ]
    return Attempt(intent, payload.get("args"), _reason(lines), tuple(dict.fromkeys(names)))


def attempts_of(events: Sequence[Event]) -> list[Attempt | None]:
    """Return what was tried in the events of a session; None for what is no tool's result.

    A call failed, too, of which the agent says so right after it.
    """
    attempts = [attempt_of(event) for event in events]
    for place, event in enumerate(events[1:]):
        attempt = attempts[place]
        if attempt is not None and event.get("kind") == EventKind.ASSISTANT_MESSAGE:
            attempts[place] = attempt.judged(text_of(event))
    return attempts


def find_failures(attempts: Sequence[Attempt | None]) -> list[Failure]:
    """Return what failed in the attempts of a session, and what solved it, by their last place.

    None stands for what was no attempt. Only so many failures wait for a solution, the latest.
    """
    waiting: list[list[int]] = []
    failures = []
    for place, attempt in enumerate(attempts):
        if attempt is None:
            continue
        same = [
            places for places in waiting[-_WAITING_MAX:] if _solves(attempt, attempts[places[-1]])
        ]
        waiting = [places for places in waiting if places not in same]
        if attempt.failed:
            waiting.append([*(other for places in same for other in places), place])
        else:
            failures += [
                Failure(alike, place) for places in same for alike in _by_reason(attempts, places)
            ]
    failures += [Failure(tuple(places)) for places in waiting]
    return sorted(failures, key=lambda failure: failure.places[-1])


def solution(attempts: Sequence[Attempt | None], failure: Failure) -> str:
    """Return how it worked in the end: "it worked with price 385 instead of 375".

    It must be solved. Where no difference is known, a later call did not fail.
    """
    changed = difference(attempts, failure)
    return f"it worked {changed}" if changed else "a later call did not fail"


def difference(attempts: Sequence[Attempt | None], failure: Failure) -> str:
    """Return what differs in the call that worked, or was changed before it; "" for unknown.

    It must be solved. At most 200 characters.
    """
    assert failure.fix is not None
    before, after = attempts[failure.places[-1]], attempts[failure.fix]
    assert before is not None
    assert after is not None
    if before.intent.tool != after.intent.tool:
        return shorten(f"with {after.call}", _DIFFERENCE_CHARS)
    given, given_then = after.args, before.args
    objects = isinstance(given, Mapping) and isinstance(given_then, Mapping)
    if objects and given != given_then and not is_shell(after.intent.tool):
        return shorten(f"with {_object_difference(given_then, given)}", _DIFFERENCE_CHARS)
    between = [a for a in attempts[failure.places[-1] + 1 : failure.fix] if a is not None]
    again = before.call in after.call and any(_is_change(a, after) for a in between)
    if before.call != after.call and not again:
        return shorten(f"as `{after.call}`", _DIFFERENCE_CHARS)
    changes = dict.fromkeys(_change(a) for a in between if _is_change(a, after))
    telling = [change for change in changes if not _DOCUMENTS.search(change.partition(":")[0])]
    named = "; ".join((telling or list(changes))[-_CHANGES_MAX:])
    return shorten(f"after {named}", _DIFFERENCE_CHARS) if named else ""


def describe_attempts(attempts: Sequence[Attempt | None], failure: Failure) -> str:
    """Return what failed, how often if more than once, and what it printed that says why."""
    attempt, times = attempts[failure.places[-1]], len(failure.places)
    assert attempt is not None
    name = f"`{attempt.call}`" if is_shell(attempt.intent.tool) else attempt.intent.tool
    often = f" {times} times, the last time" if times > 1 else ""
    return f"{name} failed{often}" + (
        f": {quote(attempt.reason, _REASON_CHARS)}" if attempt.reason else ""
    )


def _solves(success: Attempt, failure: Attempt | None) -> bool:
    """Return whether a call shows a failure to be solved; one on all parts that failed does."""
    assert failure is not None
    if solves(success.intent, failure.intent):
        return True
    if not failure.failing or not (
        {*success.intent.programs} & {*failure.intent.programs}
        or (success.intent.checks and failure.intent.checks)
    ):
        return False
    targets = [
        target
        for line in leaves(success.args)
        for command in commands_of(line)
        for target in command.targets
    ]
    return all(any(name in target for target in targets) for name in failure.failing)


def _by_reason(
    attempts: Sequence[Attempt | None], places: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Yield the places of each reason for which the same failed, in order."""
    by_reason: dict[str, list[int]] = defaultdict(list)
    for place in places:
        attempt = attempts[place]
        by_reason[attempt.reason if attempt else ""].append(place)
    yield from map(tuple, by_reason.values())


def _is_change(attempt: Attempt, fix: Attempt) -> bool:
    """Return whether a call in between changed something: it worked, and is not another try."""
    intent = attempt.intent
    tries_again = {*intent.programs} & {*fix.intent.programs} or (
        not intent.programs and intent.tool == fix.intent.tool
    )
    return attempt.worked and not (intent.read_only or tries_again)


def _change(attempt: Attempt) -> str:
    args = attempt.args if isinstance(attempt.args, Mapping) else {}
    edits = edits_of(args)
    path = next((args[name] for name in _PATHS if isinstance(args.get(name), str)), "")
    if not (path := path or ", ".join(files_of(args))):
        return attempt.call
    if not edits:
        return f"{attempt.intent.tool} {path}"
    old, new = edits[-1]
    return f"{attempt.intent.tool} {path}: {_value(new)} instead of {_value(old)}"


def _object_difference(before: Mapping[str, Json], after: Mapping[str, Json]) -> str:
    parts = []
    for name in dict.fromkeys([*after, *before]):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        gone, come = Counter(leaves(old)) - Counter(leaves(new)), Counter(leaves(new))
        come -= Counter(leaves(old))
        if come and gone:
            parts.append(f"{name} {_listed(come)} instead of {_listed(gone)}")
        elif come or gone:
            parts.append(
                f"{name} with {_listed(come)}" if come else f"{name} without {_listed(gone)}"
            )
        else:
            parts.append(f"{name} in another order")
    return ", ".join(parts)


def _listed(values: Counter[str]) -> str:
    return " ".join(_value(value) for value in values)


def _value(text: str) -> str:
    return shorten(" ".join(text.split()), _VALUE_CHARS)


def _lines(texts: Sequence[str]) -> list[str]:
    return [
        line for text in texts for line in map(str.strip, text[-_CHARS_MAX:].splitlines()) if line
    ]


def _reason(lines: Sequence[str]) -> str:
    """Return the line of a failed result that says why, as it stands there."""
    for pattern in _REASONS:
        if (matching := next((line for line in lines if pattern.search(line)), None)) is not None:
            return shorten(matching, _REASON_CHARS)
    return shorten(lines[-1], _REASON_CHARS) if lines else ""
