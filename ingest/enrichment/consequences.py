"""Consequences: what came of a session by rule, in lines that quote it.

Failures left and solved, what tools changed, decisions, and what somebody said they would do. The
words that decide and commit are known in English. Nothing is inferred beyond them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from ...core.text import shorten
from ..capture.event_view import Event, is_error, is_result, read_event, tool_of
from ..capture.scoring import ToolClasses, tool_matches
from ..capture.tool_intent import ToolIntent, solves, tool_intent_of
from ..capture.trigger import unsolved
from ..extraction.quotations import (
    LINE_CHARS_MAX,
    describe_failure,
    quotable_sentences,
    quote,
    spoken_text,
)

CONSEQUENCES_MAX = 5
#: Tools whose success changed something.
_CHANGING_TOOLS = ToolClasses().high
_COMMITMENTS = re.compile(
    r"\b(?:i['’]ll|i will|we['’]ll|we will|let['’]s|i(?:['’]m| am) (?:going to|gonna|planning)"
    r"|gonna|we(?:['’]re| are) (?:going to|planning)|i promise|(?:i|we) plan to)\b",
    re.IGNORECASE,
)
_NO_COMMITMENT = re.compile(
    r"\b(?:i['’]ll|i will|we['’]ll) (?:need|be (?:happy|glad|sure|able|there)|have to|never|always"
    r"|assume|then|now|first|just|let you|see you|take it|definitely|def)\b|\bif you\b"
    r"|\blet['’]s (?:see|say|be|chat|talk|catch)\b",
    re.IGNORECASE,
)
_DECISIONS = re.compile(
    r"\b(?:(?:i|we)(?:['’]ve| have)? (?:decided|chose|chosen|settled on|picked|opted)"
    r"|(?:i['’]ll|i will|let['’]s|we['’]ll|i['’]d like to) (?:go (?:with|for)|take the|stick with)"
    r"|the decision|made (?:up my mind|a decision))\b",
    re.IGNORECASE,
)


def consequences_of(
    events: Sequence[Event], stems_of: Callable[[str], Collection[str]]
) -> list[str]:
    """Return at most five lines: failures left, failures solved, changes, decisions, commitments.

    `events` are those of one session in their order, none of them erased; `stems_of` returns the
    content words of a text, as a sentence with less than two commits to nothing in particular.
    """
    failures = [f"Left: {describe_failure(events[place])}" for place in unsolved(events)]
    statements = [
        (event, sentence) for event, sentence in _statements(events) if stems_of(sentence)
    ]
    decided = [
        quote(*statement, LINE_CHARS_MAX)
        for statement in statements
        if _DECISIONS.search(statement[1])
    ]
    committed = [
        quote(event, sentence, LINE_CHARS_MAX)
        for event, sentence in _open_commitments(events, statements)
        if len(stems_of(sentence)) > 1
    ]
    lines = [
        *failures[-2:],
        *_solved(events)[-2:],
        *_changed(events),
        *decided[-2:],
        *committed[-3:],
    ]
    return list(dict.fromkeys(lines))[:CONSEQUENCES_MAX]


def is_change(event: Event) -> bool:
    """Say whether an event is the success of a tool that changes things."""
    return (
        is_result(event) and not is_error(event) and tool_matches(tool_of(event), _CHANGING_TOOLS)
    )


def _solved(events: Sequence[Event]) -> list[str]:
    waiting: list[tuple[Event, ToolIntent]] = []
    lines = []
    for event in filter(is_result, events):
        intent = tool_intent_of(read_event(event))
        if intent.failed:
            waiting.append((event, intent))
            continue
        lines += [
            f"Solved: {describe_failure(failure)}"
            for failure, failed in waiting
            if solves(intent, failed)
        ]
        waiting = [(failure, failed) for failure, failed in waiting if not solves(intent, failed)]
    return lines


def _changed(events: Sequence[Event]) -> list[str]:
    """Return what tools changed, in one line; a shell may as well only have looked."""
    changed = [
        event
        for event in events
        if is_change(event) and not tool_intent_of(read_event(event)).programs
    ]
    done = Counter(map(tool_of, changed))
    tool_counts = [tool if count == 1 else f"{tool} ×{count}" for tool, count in done.items()]
    return [shorten(f"Done: {', '.join(tool_counts)}", LINE_CHARS_MAX)] if tool_counts else []


def _statements(events: Sequence[Event]) -> Iterator[tuple[Event, str]]:
    """Yield what was said and asks nothing, sentence by sentence."""
    for event in events:
        for sentence in quotable_sentences(spoken_text(event)):
            if not sentence.endswith("?"):
                yield event, sentence


def _open_commitments(
    events: Sequence[Event], statements: Sequence[tuple[Event, str]]
) -> Iterator[tuple[Event, str]]:
    """Yield the commitments that nobody acted on: those after the last thing a tool did."""
    acted = max((place for place, event in enumerate(events) if is_result(event)), default=-1)
    late = {id(event) for event in events[acted + 1 :]}
    for event, sentence in statements:
        vague = _NO_COMMITMENT.search(sentence) or _DECISIONS.search(sentence)
        if id(event) in late and _COMMITMENTS.search(sentence) and not vague:
            yield event, sentence
