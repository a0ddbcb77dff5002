"""The stages of capture, in order: what happens to an event before it is acknowledged.

Each is a function of one signature that fills in its part of the `CaptureContext`; none stores
anything. A message is always kept and a note too, unless it says nothing at all (feature 100): the
limits of derived memories only mark them. An echo is text that came out of a recall or a pack.

Why an experience is worth learning from is told by rule: solutions, failures, feedback, insight.
The rules prefer precision to recall: politeness is no praise, and an answer to the agent's own
question is no correction. Their words are English; in other languages the caller can state the
trigger.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from ...core.errors import InvalidInput
from ...core.events import EventKind, bytes_of, encode_as_given
from ...core.ids import fold
from ...core.text import is_blank
from ...core.types import Json, Outcome
from ...core.vocabulary import CaptureMode, RecordStatus, Trigger
from ...language.glance import corrects, is_small_talk, praises, tells_of_insight
from ...language.runs.fixes import attempts_of, find_failures
from ...language.runs.reported_failures import ReportedFailure, finds
from ...language.runs.tool_calls import Event, leaves
from ...language.runs.tool_intent import tool_intent_of
from ...language.sentences import quotations
from ..inline_data import replace_inline_data
from ..redaction import sanitise
from ..redaction.sanitise import Sanitised
from . import decide
from .commit import CaptureContext, CaptureRules
from .event_view import EventView, read_event
from .scoring import tool_matches
from .session_history import SessionHistory, identity_of

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


#: A derived memory has so many characters. A character of a script that is written wide
#: (Han, Kana, Hangul) says about as much as two Latin ones and counts as two for the shortest.
CHARS_MIN, CHARS_MAX = 12, 4_000

#: Tools whose results are our own memories: with and without the prefix of the server they are on.
_OWN_TOOLS = (
    *("meridia*", "*__meridia__*", "*__meridia_*", "mcp[_.:/-]meridia*", "*[.:/]meridia[._:/-]*"),
    *("experience_*", "memory_search", "memory_get", "memory_recall", "memory_query"),
)
_OWN_COMMAND = re.compile(
    r"(?:^|[;&|(/\n]|\brun|\bexec|\s-m)\s*meridia\s+(?:-\S+(?:[= ]\S+)?\s+)*"
    r"(?:recall|resume|reconstitute|show|inspect|replay|why-not|plan|reflect)(?:\s|$)"
)
#: A command is looked for at the beginning of an argument, characters.
_COMMAND_CHARS = 2_000
_SOURCE = re.compile(r"(?:meridia[ ._:/-])?(?:recall|pack|reconstitution)(?![a-z])|meridia:")
_ADDRESS = re.compile(r"\bmeridia:\\?/\\?/[\w@-]")
_ONLY_ADDRESS = re.compile(r"\s*meridia://@?[\w-]+/?\s*")
#: What a recall and a pack are recorded under: it stands in all that is printed of them.
_ANSWER_ID = re.compile(
    r"\b(?:recall|pack)\W{1,6}[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
)
#: How `recall` ends what it prints, how it begins what a model reads, how `show` begins.
_SCREEN = re.compile(
    r"\bnext: meridia why last \d+ \W"
    r"|^[ \t]*(?:\d+ memories, best first|1 memory|Probably nothing answers this\. The nearest):"
    r"\s*\n[ \t]*@\d+ "
    r"|^[ \t]*address +@\d+[ \t]*\n(?:[ \t]*id .*\n)?[ \t]*from "
    r"|\(data,\s+not\s+instructions\),\s+@N\s+the\s+message:",
    re.MULTILINE,
)
#: One address as a field (of `show`, of JSON), or as a citation of a pack.
_ADDRESS_FIELD = re.compile(
    r"^[ \t]*address +meridia://|\\?\"uri\\?\": ?\\?\"meridia:\\?/|\[meridia://@\d+(?: @\d+)*\]",
    re.MULTILINE,
)


class HygieneVerdict(StrEnum):
    """What the limits say of a text."""

    OK = "ok"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    EMPTY_TALK = "empty_talk"


def check_hygiene(text: str) -> HygieneVerdict:
    """Return what the limits say of a text with its white space collapsed."""
    line = " ".join(text.split())
    if line and is_small_talk(line):
        return HygieneVerdict.EMPTY_TALK
    if _width(line) < CHARS_MIN:
        return HygieneVerdict.TOO_SHORT
    return HygieneVerdict.TOO_LONG if len(line) > CHARS_MAX else HygieneVerdict.OK


def is_echo(event: EventView) -> bool:
    """Return whether an event repeats what came out of a recall or a pack.

    Its tool or command reads our memory, its metadata or provenance say so, or its text cites us:
    two addresses of memories, or one in a form that only we print, or one in a quotation that
    makes up most of the text.
    """
    return (
        _declares_recall(event)
        or (event.is_result and _reads_own_memory(event))
        or _cites_memory(event.text)
    )


def _width(line: str) -> int:
    wide = line[:CHARS_MIN]
    if wide.isascii():
        return len(line)
    return len(line) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in wide)


def _declares_recall(event: EventView) -> bool:
    about = event.metadata
    if about.get("recalled") in (True, "true"):
        return True
    given = (event.fields.get("provenance"), about.get("provenance"))
    return any(
        _SOURCE.match(source)
        for provenance in given
        if provenance
        for source in _sources(provenance)
    )


def _sources(given: Json) -> Iterator[str]:
    """Yield where something came from, as it is written: a word, or an object with a source."""
    source = given.get("source") if isinstance(given, Mapping) else given
    if isinstance(source, str):
        yield fold(source)


def _reads_own_memory(event: EventView) -> bool:
    """Return whether a tool's result was read from our memory."""
    if event.is_by_hand:
        return False
    args = (arg[:_COMMAND_CHARS] for arg in event.args)
    if tool_matches(event.tool, _OWN_TOOLS) or any(map(_OWN_COMMAND.search, args)):
        return True
    return any(map(_ONLY_ADDRESS.fullmatch, leaves(event.fields["payload"])))


def _cites_memory(text: str) -> bool:
    if _SCREEN.search(text):
        return True
    if "meridia" not in text:
        return False
    cited = len(_ADDRESS.findall(text))
    if cited != 1:
        return cited > 1
    if _ANSWER_ID.search(text) or _ADDRESS_FIELD.search(text):
        return True
    quoted = quotations(text)
    return any(map(_ADDRESS.search, quoted)) and 2 * sum(map(len, quoted)) > len(text)


#: What is left for the note that says what was cut.
_NOTE_BYTES = 128
CaptureStage = Callable[[CaptureContext, CaptureRules], None]


def name_speaker(context: CaptureContext, _rules: CaptureRules) -> None:
    """Name who speaks where an event does not say it and its session does."""
    event = context.event
    if event["kind"] == EventKind.USER_MESSAGE and not event.get("person"):
        name = identity_of(event)
        if name:
            context.event = {**event, "person": name}


def take_out_bytes(context: CaptureContext, _rules: CaptureRules) -> None:
    """Make artifacts of pictures and other bytes that stand in an event as text."""
    event, artifacts = context.event, dict[str, Json]()
    fields = {name: event[name] for name in ("payload", "metadata") if name in event}
    clean = replace_inline_data(fields, artifacts)
    if artifacts:
        given = {artifact["uri"]: artifact for artifact in event.get("artifacts") or ()}
        context.event = {**event, **clean, "artifacts": [*(artifacts | given).values()]}


def sanitise_event(context: CaptureContext, rules: CaptureRules) -> None:
    """Redact secrets and personal data, before anything is stored or reported."""
    clean = sanitise.sanitise(context.event, rules.policy, rules.event_bytes_max)
    context.event, context.redacted = clean.fields, clean.counts
    context.cut, context.gone = clean.cut, clean.gone


def fit_event(context: CaptureContext, rules: CaptureRules) -> None:
    """Cut the longest texts of an event that is too large for the journal.

    What was redacted was redacted in the whole. `InvalidInput` for what is no JSON, and for what
    is too large for other reasons than its texts.
    """
    most = rules.event_bytes_max
    size = bytes_of(encode_as_given(context.event))
    if context.cut or size > most:
        clean = Sanitised(dict(context.event), context.redacted, context.cut, context.gone)
        if size > most:
            clean = sanitise.fitted(clean, most - _NOTE_BYTES, rules.policy)
        context.cut = clean.cut
        shortened = {"texts": clean.cut, "hash": clean.gone}
        context.event = {**clean.fields, "shortened": shortened}
        size = bytes_of(encode_as_given(context.event))
    if size > most:
        id = context.event.get("id")
        raise InvalidInput(
            f"event {id or 'without id'} has {size:,} bytes, more than the limit of {most:,}, "
            "and no long texts to cut: split it, or raise journal.event_bytes_max"
        )


def read_event_view(context: CaptureContext, _rules: CaptureRules) -> None:
    """Read off the event what the later stages ask about it."""
    context.event_view = read_event(context.event)


def refuse_unfit_note(context: CaptureContext, _rules: CaptureRules) -> None:
    """Refuse a note that says nothing (feature 100); what was said or happened never is.

    `InvalidInput` says why and what to do.
    """
    if context.event["kind"] != EventKind.MANUAL_CAPTURE:
        return
    text = context.event_view.meaning
    if (blank := is_blank(text)) or check_hygiene(text) is HygieneVerdict.EMPTY_TALK:
        reason = "is blank" if blank else "says nothing beyond an answer or a greeting"
        raise InvalidInput(
            f"this note {reason}: write one that can be understood alone, or store it as "
            "what somebody said (role user or assistant)"
        )


def check_gate(context: CaptureContext, rules: CaptureRules) -> None:
    """Ask whether the session may spend a full capture now."""
    context.gate = decide.check_gates(context.event_view, context.history, rules.gates)


def mark_event(context: CaptureContext, _rules: CaptureRules) -> None:
    """Mark what came out of a recall, what the firewall objects to, and what there is to learn."""
    verdict = check_hygiene(context.event_view.meaning)
    context.marks = [
        *(["echo"] if is_echo(context.event_view) else []),
        *(["undated"] if context.undated else []),
        *([] if verdict is HygieneVerdict.OK else [verdict.value]),
    ]
    context.trigger = trigger_of(context.event_view, context.history)


def decide_capture(context: CaptureContext, rules: CaptureRules) -> None:
    """Decide by rule how the event is ranked; a result seen before is a skeleton.

    A skeleton keeps its whole text, unless the rules make an outline of it after a while.
    """
    decision = decide.decide(context.event_view, context.history, context.gate, rules.scoring)
    duplicate_reason = _duplicate_reason(context) if context.event_view.is_result else None
    if duplicate_reason and decision.captured:
        decision = replace(
            decision,
            mode=CaptureMode.TRACE_ONLY,
            outcome=Outcome.OUTLINE,
            status=RecordStatus.SKELETON,
            reason=f"{decision.reason}, but {duplicate_reason}",
            near=False,
        )
    if decision.outcome is Outcome.OUTLINE and rules.skeleton_period is None:
        decision = replace(decision, outcome=Outcome.TEXT_ONLY)
    if context.duplicate_of:
        decision = replace(decision, outcome=Outcome.DUPLICATE)
    context.decision = decision


def _duplicate_reason(context: CaptureContext) -> str | None:
    if "echo" in context.marks:
        return "it came out of a recall"
    if context.duplicate_of:
        return f"the same result is meridia://{context.duplicate_of}"
    return None


#: Before the journal is locked, and after: the second half needs to know the past.
PREPARE_STAGES: tuple[CaptureStage, ...] = (
    name_speaker,
    take_out_bytes,
    sanitise_event,
    fit_event,
    read_event_view,
    refuse_unfit_note,
)
DECISION_STAGES: tuple[CaptureStage, ...] = (mark_event, check_gate, decide_capture)
