"""Consequences: what came of a session by rule, in lines that quote it.

Failures left and solved, what tools changed, decisions, and what somebody said they would do. The
words that decide and commit are known in English (FACTS D27). Nothing is inferred beyond them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from ..core.text import shorten
from .errand import Errand, errand_of, solves
from .quotation import LINE_CHARS_MAX, failure_of, quote, sentences_of, words_of
from .reading import Event, is_error, is_result, read, tool_of
from .scoring import ToolClasses, fits
from .trigger import unsolved

CONSEQUENCES_MAX = 5
#: Tools whose success changed something.
_CHANGES = ToolClasses().high
_COMMITS = re.compile(
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
_DECIDES = re.compile(
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
    left = [f"Left: {failure_of(events[place])}" for place in unsolved(events)]
    said = [(event, sentence) for event, sentence in _statements(events) if stems_of(sentence)]
    decided = [quote(*one, LINE_CHARS_MAX) for one in said if _DECIDES.search(one[1])]
    committed = [
        quote(event, sentence, LINE_CHARS_MAX)
        for event, sentence in _open(events, said)
        if len(stems_of(sentence)) > 1
    ]
    lines = [*left[-2:], *_solved(events)[-2:], *_changed(events), *decided[-2:], *committed[-3:]]
    return list(dict.fromkeys(lines))[:CONSEQUENCES_MAX]


def changes(event: Event) -> bool:
    """Say whether an event is the success of a tool that changes things."""
    return is_result(event) and not is_error(event) and fits(tool_of(event), _CHANGES)


def _solved(events: Sequence[Event]) -> list[str]:
    waiting: list[tuple[Event, Errand]] = []
    lines = []
    for event in filter(is_result, events):
        errand = errand_of(read(event))
        if errand.failed:
            waiting.append((event, errand))
            continue
        lines += [f"Solved: {failure_of(one)}" for one, failed in waiting if solves(errand, failed)]
        waiting = [(one, failed) for one, failed in waiting if not solves(errand, failed)]
    return lines


def _changed(events: Sequence[Event]) -> list[str]:
    """Return what tools changed, in one line; a shell may as well only have looked."""
    changed = [event for event in events if changes(event) and not errand_of(read(event)).programs]
    done = Counter(map(tool_of, changed))
    parts = [tool if count == 1 else f"{tool} ×{count}" for tool, count in done.items()]
    return [shorten(f"Done: {', '.join(parts)}", LINE_CHARS_MAX)] if parts else []


def _statements(events: Sequence[Event]) -> Iterator[tuple[Event, str]]:
    """Yield what was said and asks nothing, sentence by sentence."""
    for event in events:
        for sentence in sentences_of(words_of(event)):
            if not sentence.endswith("?"):
                yield event, sentence


def _open(
    events: Sequence[Event], said: Sequence[tuple[Event, str]]
) -> Iterator[tuple[Event, str]]:
    """Yield the commitments that nobody acted on: those after the last thing a tool did."""
    acted = max((place for place, event in enumerate(events) if is_result(event)), default=-1)
    late = {id(event) for event in events[acted + 1 :]}
    for event, sentence in said:
        vague = _NO_COMMITMENT.search(sentence) or _DECIDES.search(sentence)
        if id(event) in late and _COMMITS.search(sentence) and not vague:
            yield event, sentence
