"""Why an experience is worth learning from, by rule: solutions, failures, feedback, insight.

The rules prefer precision to recall: politeness is no praise, and an answer to the agent's own
question is no correction. Their words are English; in other languages the caller can state the
trigger.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.events import EventKind
from ...core.vocabulary import Trigger
from ...language.runs.fixes import attempts_of, find_failures
from ...language.runs.reported_failures import ReportedFailure, finds
from ...language.runs.tool_calls import Event
from ...language.runs.tool_intent import tool_intent_of
from ..lazy_pattern import LazyPattern
from .event_view import EventView
from .session_history import SessionHistory

#: Feedback and insight are looked for at the beginning of a text, characters.
_FEEDBACK_CHARS_MAX = 2_000
_TRIGGERS = frozenset(Trigger)


def _any(*phrases: str, pieces: Sequence[str] = ()) -> LazyPattern:
    return LazyPattern("|".join(phrases), re.IGNORECASE, pieces)


_CORRECTS = _any(
    r"\bthat(?:['’]s| is| was|['’]s still| is still) (?:not (?:right|correct|true|it|what)"
    r"|wrong|incorrect|a mistake)\b",
    r"\b(?:isn['’]t|is not|wasn['’]t|not) what i (?:asked|meant|wanted|said|need(?:ed)?)\b",
    r"\byou(?:['’]ve| have)? (?:forgot|missed|misunderstood|misread|broke|overlooked|ignored)\b",
    r"\byou (?:should(?:n['’]t| not) have(?! to)|were not supposed to|weren['’]t supposed to)\b",
    r"\b(?:as|like) i (?:already )?(?:said|told you|asked)\b",
    r"\bi (?:told you (?:to|not|already|twice)|asked you (?:to|not|for)|meant(?! to\b))\b",
    r"\bi said,? (?:not|no [a-z]|don['’]t|only|just|use|the|\d|[\"“'‘`]"
    r"|to (?!(?:him|her|them|my|us)\b))",
    r"\b(?:revert|undo|roll back) (?:that|this|it|your)\b",
    r"\bwrong (?:file|one|way|place|branch|answer|date|number|version)\b",
    r"\bstill (?:failing|broken|wrong|fails|not working|doesn['’]t work|does not work)\b",
    r"\b(?:it|that|this) (?:doesn['’]t|does not|didn['’]t|did not) work\b",
    r"\b(?:please )?(?:stop|don['’]t) (?:doing|do) (?:that|this)\b",
)
#: At the beginning, and no answer: a "no" that takes something back.
_NO = re.compile(
    r"\s*no+\b[,.!:;–-]+\s*(?:(?:that|this|it)(?:['’]s| is| was)? (?:not|wrong|still)\b"
    r"|i (?:wanted|want|asked|need|needed)\b"
    r"|(?:you|use|leave|keep|put|not|don['’]t|do not|wrong)\b)",
    re.IGNORECASE,
)
_PRAISES = _any(
    r"\b(?:that|this|it)(?:['’]s| is| was)? (?:now )?"
    r"(?:works|working|worked|fixed|solved)\b(?! for me)",
    r"\b(?:that|this|it) (?:did|does) the trick\b",
    r"\b(?:well done|good job|great job|nice work|great work|good work|nicely done|lgtm)\b",
    r"\b(?:looks|look) (?:good|great|perfect|right)\b",
    r"\b(?:exactly|just|precisely) what i (?:wanted|needed|asked for|meant)\b",
    r"\bthat(?:['’]s| is| was) (?:perfect|great|awesome|excellent|amazing|brilliant"
    r"|very helpful|super helpful|helpful)\b",
    r"(?:^|[.!]\s+)(?:perfect|excellent|brilliant|awesome|amazing|fantastic)\b(?: work\b)?[.!,]",
    r"\b(?:thanks|thank you) (?:so much|very much|a lot|a million) for (?:all )?(?:your|the) "
    r"(?:help|assistance|support|work|effort)\b",
    r"\breally appreciate (?:all )?(?:your|the) (?:help|work|effort|assistance|support)\b",
    r"\bi (?:really )?(?:love|like) (?:it|this|that|what you|how you)\b",
)
_RESERVATIONS = _any(
    r"\bbut\b", r"\bhowever\b", r"\bexcept\b", r"\bunfortunately\b", r"\bnot (?:quite|yet)\b"
)
_QUESTION = re.compile(r"[^.!?\n]*\?")
_LEARNS = _any(
    r"\b(?:lesson learned|til)\b[:,.]?",
    r"\b(?:i|we)(?:['’]ve| have)? (?:just )?(?:learned|learnt|realised|realized|figured out"
    r"|found out|discovered) (?:that|how|why|what|to)\b",
    r"\b(?:it )?turns out\b",
    r"\bnow i (?:understand|see|know|get) (?:that|how|why|what|it)\b",
    r"\bthe (?:trick|key|root cause|solution|fix) (?:is|was)\b",
    pieces=(
        *("lesson", "til", "learn", "reali", "figured", "found", "discovered", "turns out"),
        *("now i", "the trick", "the key", "the root", "the solution", "the fix"),
    ),
)


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
        if _CORRECTS.search(text) or (not history.asked and _NO.match(text)):
            return Trigger.CORRECTIVE_FEEDBACK
        if _praises(text):
            return Trigger.POSITIVE_FEEDBACK
    return Trigger.LEARNING_SUCCESS if _LEARNS.search(text) else Trigger.NONE


def _solves_any(event: EventView, history: SessionHistory) -> bool:
    answered = history.reported is ReportedFailure.ANSWERED
    if not (history.failures or answered) or event.is_error:
        return False
    intent = tool_intent_of(event.fields, failed=False)
    if answered and finds(event.fields, intent):
        return True
    return len(history.unsolved_after(intent)) < len(history.failures)


def _praises(text: str) -> bool:
    """Return whether a text praises without reserve, outside of its questions."""
    return not _RESERVATIONS.search(text) and bool(_PRAISES.search(_QUESTION.sub(" ", text)))


def unsolved(events: Sequence[Event]) -> tuple[int, ...]:
    """Return the places of a session's failures that nothing shows to be solved, in order.

    At the end of the session these are its learning failures.
    """
    failures = find_failures(attempts_of(events))
    left = [place for failure in failures if failure.fix is None for place in failure.places]
    return tuple(sorted(left))
