"""Consequences: the results of a session by rule, in lines that quote it.

Failures left and solved, changes made by tools, decisions, and commitments. Words of decision and
commitment are recognised in English. Nothing is inferred beyond them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from ...core.text import shorten
from ...language.closings import commits, decides
from ...language.quotations import LINE_CHARS_MAX, quotable_sentences, quote, spoken_text
from ...language.runs.failure_signs import is_error
from ...language.runs.fixes import (
    Attempt,
    Failure,
    attempts_of,
    describe_attempts,
    find_failures,
    solution,
)
from ...language.runs.run_ends import completes_run
from ...language.runs.tool_calls import Event, is_result, tool_of
from ..capture.scoring import ToolClasses, tool_matches

CONSEQUENCES_MAX = 5
#: Longest line that tells a failure and what solved it, characters.
LESSON_CHARS_MAX = 400
#: Tools whose success changed something.
_CHANGING_TOOLS = ToolClasses().high


def consequences_of(
    events: Sequence[Event], stems_of: Callable[[str], Collection[str]]
) -> list[str]:
    """Return at most five lines: failures left, failures solved, changes, decisions, commitments.

    `events` are those of one session in their order, none of them erased; `stems_of` returns the
    content words of a text, as a sentence with less than two commits to nothing in particular.
    """
    attempts = attempts_of(events)
    failures = find_failures(attempts)
    left = [_left(attempts, failure) for failure in failures if failure.fix is None]
    solved = [_solved(attempts, failure) for failure in failures if failure.fix is not None]
    statements = [
        (event, sentence) for event, sentence in _statements(events) if stems_of(sentence)
    ]
    decided = [
        quote(*statement, LINE_CHARS_MAX) for statement in statements if decides(statement[1])
    ]
    committed = [
        quote(event, sentence, LINE_CHARS_MAX)
        for event, sentence in _open_commitments(events, statements)
        if len(stems_of(sentence)) > 1
    ]
    ended = [f"Ended with: {tool_of(event)}" for event in events if completes_run(event)]
    lines = [
        *ended[-1:],
        *left[-2:],
        *solved[-2:],
        *_changed(events, attempts),
        *decided[-2:],
        *committed[-3:],
    ]
    return list(dict.fromkeys(lines))[:CONSEQUENCES_MAX]


def is_change(event: Event) -> bool:
    """Return whether an event is the success of a tool that changes things."""
    return (
        is_result(event) and not is_error(event) and tool_matches(tool_of(event), _CHANGING_TOOLS)
    )


def _left(attempts: Sequence[Attempt | None], failure: Failure) -> str:
    return shorten(f"Left: {describe_attempts(attempts, failure)}", LESSON_CHARS_MAX)


def _solved(attempts: Sequence[Attempt | None], failure: Failure) -> str:
    fix = f"; {solution(attempts, failure)}"
    failed = f"Solved: {describe_attempts(attempts, failure)}"
    return shorten(failed, LESSON_CHARS_MAX - len(fix)) + fix


def _changed(events: Sequence[Event], attempts: Sequence[Attempt | None]) -> list[str]:
    """Return what tools changed, in one line; a shell may as well only have looked."""
    changed = [
        event
        for event, attempt in zip(events, attempts, strict=True)
        if is_change(event)
        and not completes_run(event)
        and not (attempt and attempt.intent.programs)
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
        if id(event) in late and commits(sentence):
            yield event, sentence
