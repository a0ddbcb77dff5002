"""Stage anticipated questions: the questions that this experience is expected to answer (row 82).

Only for experiences worth learning from (row 83): a problem that was solved, a failure that was
not. Without a model, templates over the failure and its topic; at most two.
"""

from __future__ import annotations

from ...core.runs.failure_signs import is_error
from ...core.runs.tool_calls import Event, leaves, tool_of
from ...core.vocabulary import Trigger
from ..capture.event_view import read_event

QUESTIONS_MAX = 2
_TRIGGERS_WITH_QUESTIONS = frozenset({Trigger.PROBLEM_SOLUTION, Trigger.LEARNING_FAILURE})
_CHARS_MAX = 120


def anticipated_questions(event: Event, trigger: Trigger) -> list[str]:
    """Return at most two questions that `event` answers; none for other triggers."""
    if trigger not in _TRIGGERS_WITH_QUESTIONS:
        return []
    subject = _shortened(read_event(event).gist)
    error = _error_line(event)
    if trigger is Trigger.PROBLEM_SOLUTION:
        questions = [
            f"How was {subject} fixed?",
            f"What made {tool_of(event) or subject} work again?",
        ]
    else:
        questions = [f"Why did {subject} fail?", *([f"What does “{error}” mean?"] if error else [])]
    return list(dict.fromkeys(questions))[:QUESTIONS_MAX]


def _error_line(event: Event) -> str | None:
    """Return the line of a failed result that says what went wrong, the last one that does."""
    if not is_error(event):
        return None
    lines = [
        line.strip()
        for leaf in leaves(event["payload"].get("result"))
        for line in leaf.splitlines()
        if line.strip()
    ]
    error_lines = [line for line in lines if "error" in line.lower() or "fail" in line.lower()]
    return _shortened((error_lines or lines)[-1]) if lines else None


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CHARS_MAX else line[: _CHARS_MAX - 1] + "…"
