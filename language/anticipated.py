"""Stage anticipated questions: the questions that this experience is expected to answer (row 82).

Only for experiences worth learning from (row 83): a problem that was solved, a failure that was
not. Without a model, templates over the failure and its topic; at most two.
"""

from __future__ import annotations

import re

from ..core.events import EventKind
from ..core.text import shorten
from ..core.vocabulary import Trigger
from .runs.failure_signs import is_error
from .runs.tool_calls import Event, tool_of
from .runs.tool_result import read_result

QUESTIONS_MAX = 2
_TRIGGERS_WITH_QUESTIONS = frozenset({Trigger.PROBLEM_SOLUTION, Trigger.LEARNING_FAILURE})
_CHARS_MAX = 120
_END_OF_CLAUSE = re.compile(r"\s*[.;:!?…]+(?:\s|$)")
#: First words of a sentence that are no names.
_LOWERED = frozenset("a an the my our your this that these those it we when if there after".split())


def anticipated_questions(event: Event, gist: str, trigger: Trigger) -> list[str]:
    """Return at most two questions that an event answers; none for other triggers."""
    if trigger not in _TRIGGERS_WITH_QUESTIONS:
        return []
    if event["kind"] != EventKind.TOOL_RESULT:
        return _about_words(_clause(gist), trigger)
    subject, error = shorten(gist, _CHARS_MAX), _error_line(event)
    if trigger is Trigger.PROBLEM_SOLUTION:
        questions = [
            f"How was {subject} fixed?",
            f"What made {tool_of(event) or subject} work again?",
        ]
    else:
        questions = [f"Why did {subject} fail?", *([f"What does “{error}” mean?"] if error else [])]
    return list(dict.fromkeys(questions))[:QUESTIONS_MAX]


def _about_words(subject: str, trigger: Trigger) -> list[str]:
    """Return questions about what somebody said, whether it is a sentence or a name."""
    if trigger is Trigger.PROBLEM_SOLUTION:
        return [f"What solved this: {subject}?", f"What can I do about this: {subject}?"]
    return [f"Why did this go wrong: {subject}?"]


def _clause(text: str) -> str:
    """Return the first clause of a text, as it stands within a sentence."""
    clause = _END_OF_CLAUSE.split(" ".join(text.split()), maxsplit=1)[0]
    first, _, rest = clause.partition(" ")
    if rest and first.lower() in _LOWERED:
        clause = f"{first.lower()} {rest}"
    return shorten(clause, _CHARS_MAX)


def _error_line(event: Event) -> str | None:
    """Return the line of a failed result that says what went wrong, the last one that does."""
    if not is_error(event):
        return None
    lines = [
        line.strip()
        for text in reversed(read_result(event).texts)
        for line in text.splitlines()
        if line.strip()
    ]
    error_lines = [line for line in lines if "error" in line.lower() or "fail" in line.lower()]
    return shorten((error_lines or lines)[-1], _CHARS_MAX) if lines else None
