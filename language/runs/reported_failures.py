"""Failures that an agent reports in words: "I couldn't find that reservation. What is its number?"

Recognised: something could not be looked up, or something went wrong. A refusal by rule is no
failure, and what a tool already printed is not counted twice. The failure is solved when the user
answers the question, or the agent says what it tries next, and the next look-up succeeds. English
only.
"""

from __future__ import annotations

import re
from enum import StrEnum

from ...core.events import EventKind
from ..sentences import split_sentences
from .command_lines import is_shell
from .tool_calls import Event, is_result, tool_of
from .tool_intent import ToolIntent

#: Longest text read, characters.
_CHARS_MAX = 2_000
_NOT_ABLE = (
    r"\b(?:i|we)(?:['’]m| am|['’]re| are| was| were|['’]ve been| have been)?"
    r" (?:\w+ly |still )?(?:unable to|not able to|cannot|can not|can['’]t|could not|couldn['’]t"
    r"|did not|didn['’]t|failed to|haven['’]t(?: been able to)?)"
    r" (?:\w+ly |seem to |be able to )*"
)
_LOOK = (
    r"(?:find|found|locate|located|access|search|retrieve|look up|pull up|see|view|open|read|load"
    r"|reach|fetch|connect|identify|provide (?:any )?information)"
)
_TELLS = re.compile(
    rf"{_NOT_ABLE}{_LOOK}\b"
    r"|\b(?:i|we)(?:['’]m| am|['’]re| are|['’]ve been)? (?:still )?(?:having|had) "
    r"(?:some |a bit of )?(?:trouble|difficulty|difficulties|problems|issues) (?:with )?"
    r"(?:finding|locating|accessing|retrieving|looking up|pulling up|opening|reading|loading)\b"
    r"|\b(?:i|we) (?:ran into|run into|encountered|hit|got|received) (?:an? |some )?(?:\w+ )?"
    r"(?:error|problem|issue)\b"
    r"|\b(?:there (?:was|is|seems to (?:be|have been))) (?:an? |some )?(?:\w+ )?"
    r"(?:error|problem|issue) (?:with|while|when|processing|accessing|retrieving|finding)\b",
    re.IGNORECASE,
)
#: No failure: what would be, what is not wanted, and what was looked for and is rightly not there.
_NO_FAILURE = re.compile(
    r"\b(?:if|unless|whether|in case|because (?:there|of))\b|\?\s*\Z"
    r"|\b(?:any|no) (?:\w+ )?(?:errors?|issues?|problems?|bugs?|reason|conflicts?|differences?)\b"
    r"|\b(?:find|see) (?:any|a) (?:other|more|better)\b|\bcannot be\b",
    re.IGNORECASE,
)
#: What an agent says of its own last step: "It did not work", "My edit did not change the file".
_DENIES = re.compile(
    r"\b(?:it|that|this|(?:the|my|our) (?:[\w'’-]+ ){1,3}?)\W?\s?(?:still |also )?"
    r"(?:(?:did|does|has|was|is)(?: not|n['’]t) (?:\w+ )?(?:work|us|chang|appl|fix|help|succe|solv"
    r"|correct|right|enough|tak|go|produc|creat|updat|pass|run|execut|found|save)\w*"
    r"|fail(?:s|ed)\b|(?:is|was) (?:incorrect|wrong|unsuccessful|rejected|invalid)\b)"
    r"|\b(?:error|failure|problem|issue|test)s? (?:still )?(?:persists?|remains?|fails?)\b"
    r"|\bi (?:made|see) (?:a|my|the) mistake\b|\bstill (?:fail|not work|get(?:ting)? the same)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|\bplease (?:provide|share|give|tell|send|confirm|check again|double-check|verify)\b"
    r"|\blet me know (?:the|your|which|what|if (?:there|you))",
    re.IGNORECASE,
)
#: Goes on looking without an answer.
_TRIES = re.compile(
    r"\b(?:let me|i['’]ll|i will|i am going to|i['’]m going to) (?:now |also |instead )?"
    r"(?:try|search|look (?:for|up|in|at)|check|use)\b",
    re.IGNORECASE,
)
_THINKS = "think"
_EMPTY = ("", "[]", "{}", "null", "None", "[[]]")


class ReportedFailure(StrEnum):
    """What a session waits for: an answer to a reported failure, then a look-up that succeeds.

    After a call that `FAILED`, what the agent says of it is no other failure. Nor is it after one
    that looked for a thing and got `MISSING`; an answer helps there too.
    """

    NONE = ""
    FAILED = "failed"
    MISSING = "missing"
    REPORTED = "reported"
    ANSWERED = "answered"

    def after(
        self, kind: str, text: str, failed: ToolIntent | None = None, *, finds: bool = False
    ) -> ReportedFailure:
        """Return what a session waits for after one more event; `failed` is a call that did."""
        if kind == EventKind.TOOL_RESULT:
            if failed is not None:
                looks = failed.read_only and not is_shell(failed.tool)
                return ReportedFailure.MISSING if looks else ReportedFailure.FAILED
            solved = finds and self is ReportedFailure.ANSWERED
            return ReportedFailure.NONE if solved or self in _CALLED else self
        if kind == EventKind.USER_MESSAGE:
            waits = self not in {ReportedFailure.NONE, ReportedFailure.FAILED}
            return ReportedFailure.ANSWERED if waits else ReportedFailure.NONE
        if kind == EventKind.ASSISTANT_MESSAGE and self.tells(text):
            if _ASKS.search(text):
                return ReportedFailure.REPORTED
            return ReportedFailure.ANSWERED if _TRIES.search(text) else ReportedFailure.NONE
        return self

    def tells(self, text: str) -> str:
        """Return the sentence in which the agent tells of a failure; "" where it tells none."""
        return "" if self in _CALLED else reported_failure(text)


_CALLED = frozenset({ReportedFailure.FAILED, ReportedFailure.MISSING})


def reported_failure(text: str) -> str:
    """Return the first sentence of an agent's message that tells of a failure, or ""."""
    if not _TELLS.search(text, 0, _CHARS_MAX):
        return ""
    sentences = split_sentences(text[:_CHARS_MAX])
    return next((s for s in sentences if _TELLS.search(s) and not _NO_FAILURE.search(s)), "")


def denial(text: str) -> str:
    """Return the sentence in which an agent says that its last step did not work, or ""."""
    first = split_sentences(text[:_CHARS_MAX])[:2]
    return next((s for s in first if _DENIES.search(s) and not _NO_FAILURE.search(s)), "")


def finds(event: Event, intent: ToolIntent) -> bool:
    """Return whether a call looked for something and brought it."""
    if not is_result(event) or intent.failed or not intent.read_only or tool_of(event) == _THINKS:
        return False
    result = (event.get("payload") or {}).get("result")
    return bool(result) and str(result).strip() not in _EMPTY
