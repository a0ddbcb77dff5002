"""Failures of tools: left open, or solved by a later call that the session shows.

They include what the agent said that it could not do, until an answer helped. Each failure names
its memories and those of the call that worked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..core.events import EventKind
from ..core.people import NOBODY
from ..core.text import quote
from ..core.types import MemoryRecord
from ..core.vocabulary import Trigger
from ..language.audience import addressees
from ..language.closings import ClosingWord, closing_of
from ..language.runs.fixes import describe_attempts, find_failures, solution
from .experience_views import ExperienceView
from .quotes import sentences_of

#: Longest quotation, characters.
_QUOTE = 160


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """A failure of a tool with the line that says why, or one that the agent reported in words.

    `opened` is the last failure, `closed` the memory that shows the solution, and `fix` how it
    worked then; an open failure has None and "".
    """

    tool: str
    text: str
    opened: MemoryRecord
    closed: MemoryRecord | None = None
    fix: str = ""

    @property
    def is_open(self) -> bool:
        """Whether nothing shows it to be solved."""
        return self.closed is None

    @property
    def memories(self) -> tuple[MemoryRecord, ...]:
        """The memories it rests on."""
        return (self.opened,) if self.closed is None else (self.opened, self.closed)


def failures_of(
    experiences: Sequence[ExperienceView], person: str | None = None
) -> list[ToolFailure]:
    """Return the failures of tools, open and solved, in the order of failing.

    Of calls with the same purpose that failed repeatedly, the last one is returned. A failure that
    nothing solved is open until somebody says that it works. With a `person`, only what they asked
    for: the last message of a user before the call is theirs.
    """
    asked_by = addressees([view.memory for view in experiences], NOBODY.speakers)
    sessions: dict[str | None, list[int]] = defaultdict(list)
    for place, view in enumerate(experiences):
        sessions[view.memory.session].append(place)
    failures = [
        (places[place], failure)
        for places in sessions.values()
        for place, failure in _of_session([experiences[place] for place in places])
    ]
    return [
        failure
        for place, failure in sorted(failures, key=lambda placed: placed[0])
        if person in (None, asked_by[place])
    ]


def _of_session(views: Sequence[ExperienceView]) -> Iterator[tuple[int, ToolFailure]]:
    """Yield what failed in a session, with the place of the last failing, and what solved it."""
    attempts = [None if view.tool is None else view.attempt for view in views]
    praised = [n for n, view in enumerate(views) if _tells_done(view)]
    for failure in find_failures(attempts):
        last, fixed = failure.places[-1], failure.fix
        if fixed is None and praised and praised[-1] > last:
            continue
        yield (
            last,
            ToolFailure(
                tool=views[last].tool or "",
                text=describe_attempts(attempts, failure),
                opened=views[last].memory,
                closed=None if fixed is None else views[fixed].memory,
                fix="" if fixed is None else solution(attempts, failure),
            ),
        )
    yield from _reported(views)


def _tells_done(view: ExperienceView) -> bool:
    """Return whether somebody tells that something was done or works, or is glad of it."""
    if view.trigger is Trigger.POSITIVE_FEEDBACK:
        return True
    return view.is_message and any(
        closing_of(each.sentence_of(view.memory.text)) is ClosingWord.DONE
        for each in sentences_of(view)
    )


def _reported(views: Sequence[ExperienceView]) -> Iterator[tuple[int, ToolFailure]]:
    """Yield what the agent told that it could not, with its place, and the look that found it.

    It is open where no tool worked after it.
    """
    waiting: list[int] = []
    answer: MemoryRecord | None = None
    for place, view in enumerate(views):
        if view.error and view.tool is None:
            waiting, answer = [*waiting, place], None
        elif view.settles and waiting:
            fix = "another look found it"
            if answer is not None:
                fix = f"it worked once it was answered: {quote(answer.text, _QUOTE)}"
            yield waiting[-1], _reported_failure(views[waiting[-1]], view.memory, fix)
            waiting, answer = [], None
        elif view.attempt is not None and view.attempt.worked:
            waiting = []
        elif view.memory.kind == EventKind.USER_MESSAGE:
            answer = view.memory
    yield from ((place, _reported_failure(views[place])) for place in waiting)


def _reported_failure(
    view: ExperienceView, closed: MemoryRecord | None = None, fix: str = ""
) -> ToolFailure:
    reason = view.attempt.reason if view.attempt else ""
    return ToolFailure("", f"the agent said: {quote(reason, _QUOTE)}", view.memory, closed, fix)
