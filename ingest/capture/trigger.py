"""Why an experience is worth learning from, by rule: solutions, failures, feedback, insight.

The rules prefer precision to recall: politeness is no praise, and an answer to the agent's own
question is no correction. Their words are English; in other languages the caller can state the
trigger.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.events import EventKind
from ...core.vocabulary import Trigger
from ...language.glance import corrects, praises, tells_of_insight
from ...language.runs.fixes import attempts_of, find_failures
from ...language.runs.reported_failures import ReportedFailure, finds
from ...language.runs.tool_calls import Event
from ...language.runs.tool_intent import tool_intent_of
from .event_view import EventView
from .session_history import SessionHistory

#: Feedback and insight are looked for at the beginning of a text, characters.
_FEEDBACK_CHARS_MAX = 2_000
_TRIGGERS = frozenset(Trigger)


def trigger_of(event: EventView, history: SessionHistory) -> Trigger:
    """Return what made `event` worth learning from; the caller's own word in its metadata wins.

    `history` is the session before the event. A failure that nothing follows has no trigger yet:
    `unsolved` finds it when the session ends.
    """
    own = event.metadata.get("trigger")
    if isinstance(own, str) and own in _TRIGGERS:
        return Trigger(own)
    if event.is_result:
        return Trigger.PROBLEM_SOLUTION if _solves_any(event, history) else Trigger.NONE
    text = event.text[:_FEEDBACK_CHARS_MAX]
    answers = history.last_kind in (EventKind.ASSISTANT_MESSAGE, EventKind.TOOL_RESULT)
    if event.kind == EventKind.USER_MESSAGE and answers:
        if corrects(text, answers_question=history.asked):
            return Trigger.CORRECTIVE_FEEDBACK
        if praises(text):
            return Trigger.POSITIVE_FEEDBACK
    return Trigger.LEARNING_SUCCESS if tells_of_insight(text) else Trigger.NONE


def _solves_any(event: EventView, history: SessionHistory) -> bool:
    answered = history.reported is ReportedFailure.ANSWERED
    if not (history.failures or answered) or event.is_error:
        return False
    intent = tool_intent_of(event.fields, failed=False)
    if answered and finds(event.fields, intent):
        return True
    return len(history.unsolved_after(intent)) < len(history.failures)


def unsolved(events: Sequence[Event]) -> tuple[int, ...]:
    """Return the places of a session's failures that nothing shows to be solved, in order.

    At the end of the session these are its learning failures.
    """
    failures = find_failures(attempts_of(events))
    left = [place for failure in failures if failure.fix is None for place in failure.places]
    return tuple(sorted(left))
