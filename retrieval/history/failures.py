"""What tools failed at: left open, or solved by a later call that shows it, with what differed.

With it, what the agent told that it could not, until an answer helped. Over all that was lived, in
order of time: what failed in one session may be solved in another. Each names the memories of the
failure and of the call that worked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.events import EventKind
from ...core.people import NOBODY
from ...core.text import quote
from ...core.types import MemoryRecord
from ...language.runs.fixes import describe_attempts, find_failures, is_left, solution
from .audience import addressees
from .experience_views import ExperienceView

#: Longest quotation, characters.
_QUOTE = 160


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """What a tool failed at, told with the line that says why; without a tool, what was told.

    `opened` is the last time it failed, `closed` what shows it to be solved, and `fix` says how
    it worked then; None and nothing where it is open.
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
    """Return what tools failed at, open and solved, in the order of failing.

    Of calls with one purpose that failed again and again the last one stands for all. What may
    have been solved in another way is told neither as open nor as solved. With a `person` only
    what they asked for: the last message of a user before the call is theirs.
    """
    asked_by = addressees([view.memory for view in experiences], NOBODY.speakers)
    attempts = [None if view.tool is None else view.attempt for view in experiences]
    failures = []
    for failure in find_failures(attempts):
        view, fixed = experiences[failure.places[-1]], failure.fix
        unsure = fixed is None and not is_left(attempts, failure)
        if unsure or (person is not None and asked_by[failure.places[-1]] != person):
            continue
        failures.append(
            ToolFailure(
                tool=view.tool or "",
                text=describe_attempts(attempts, failure),
                opened=view.memory,
                closed=None if fixed is None else experiences[fixed].memory,
                fix="" if fixed is None else solution(attempts, failure),
            )
        )
    failures += [
        failure for place, failure in _reported(experiences) if person in (None, asked_by[place])
    ]
    return sorted(failures, key=lambda failure: (failure.opened.at, failure.opened.seq))


def _reported(experiences: Sequence[ExperienceView]) -> Iterator[tuple[int, ToolFailure]]:
    """Yield what the agent told that it could not, with its place, and the look that found it.

    It is open where no tool worked after it.
    """
    waiting: dict[str | None, list[int]] = defaultdict(list)
    answers: dict[str | None, MemoryRecord] = {}
    for place, view in enumerate(experiences):
        session = view.memory.session
        if view.error and view.tool is None:
            waiting[session].append(place)
            answers.pop(session, None)
        elif view.settles and waiting[session]:
            opened, answer = waiting.pop(session)[-1], answers.pop(session, None)
            fix = "another look found it"
            if answer is not None:
                fix = f"it worked once it was answered: {quote(answer.text, _QUOTE)}"
            yield opened, _reported_failure(experiences[opened], view.memory, fix)
        elif view.attempt is not None and view.attempt.worked:
            waiting.pop(session, None)
        elif view.memory.kind == EventKind.USER_MESSAGE:
            answers[session] = view.memory
    for places in waiting.values():
        yield from ((place, _reported_failure(experiences[place])) for place in places)


def _reported_failure(
    view: ExperienceView, closed: MemoryRecord | None = None, fix: str = ""
) -> ToolFailure:
    reason = view.attempt.reason if view.attempt else ""
    return ToolFailure("", f"the agent said: {quote(reason, _QUOTE)}", view.memory, closed, fix)
