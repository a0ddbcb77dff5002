"""Open threads: promises, questions, uncertainties and failures, whose, and whether still open.

By rule: a promise is what somebody says that they will do, or proposes to do together.
It is kept when a later experience about the same thing tells that it was done: one of whoever
promised it, a thank-you of the other side, or a tool's result. What only sounds alike can be taken
for it: every thread names the memories that opened and closed it, so that a reader can look.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain

from ...core.events import EventKind
from ...core.ids import fold
from ...core.sentences import split_sentences
from ...core.text import Analyser
from ...core.types import MemoryRecord
from ...core.vocabulary import TransitionField
from .experience_views import AGENT, ExperienceView

_PROMISES = re.compile(
    r"\b(?:i|we)(?:['’]ll| will| shall|(?:['’]m|['’]re| am| are) (?:going to|gonna)"
    r"| promise(?:d)?(?: you)?(?: to| that)?)\s+(?P<deed>\S.*)",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"(?:\blet['’]s|\blet us|(?:\A|[,;:–-]\s*)(?:so |and |maybe |then )?we should)\s+"
    r"(?P<deed>\S.*)",
    re.IGNORECASE,
)
#: What begins so says how it is, or is only a manner of speaking.
_NO_ACTION = re.compile(
    r"(?:(?:definitely|certainly|surely|just|also|really) )*(?:not\b|never\b|always\b|be\b(?! (?:"
    r"there|back|at|in|on|home|sending|bringing|working))|have to\b|need\b|miss\b|admit\b|say\b"
    r"|bet\b|see\b|hope\b|think\b|assume\b|face it|love\b|like\b|remember\b|cherish\b"
    r"|keep (?:\w+ing|on|this|that|it)\b|do (?:my|our) best|go for it|let you go"
    r"|make (?:it happen|an impact|a difference)|(?:chat|talk) (?:soon|later))",
    re.IGNORECASE,
)
#: What hangs on something else is not promised yet.
_CONDITION = re.compile(r"\bif (?:i|you)\b", re.IGNORECASE)
#: Whoever it was promised to says so; and whoever promised it, or did it together, says so.
_HAD = re.compile(
    r"\b(?:arrived|received|as promised|thank(?:s| you) for|(?:i|we) got)\b", re.IGNORECASE
)
_DID = re.compile(
    r"\b(?:done|finished|completed|delivered|arrived|as promised|here(?:['’]s| is| are)"
    r"|(?:i|we)(?:['’]ve| have)(?: \w+ly| just| now| already)? \w+"
    r"|(?:i|we)(?: \w+ly| just| already)? (?:sent|made|did|got|found|bought|wrote|brought|gave"
    r"|took|went|put|built|told|saw|met|left|paid|spoke|ran|began|chose|drew|sold|taught"
    r"|\w+ed))\b",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(r"\b(?:not|never|yet|\w+n['’]t|still|forgot|unable)\b", re.IGNORECASE)
#: Words that say when, or nothing of what: two promises do not become one by them.
EMPTY_WORDS = frozenset(
    """go get make do take tell know try come give let keep thing things time bit lot way one today
    tonight tomorrow soon later next week weekend month year day morning evening monday tuesday
    wednesday thursday friday saturday sunday definitely sure then first new good great
    look check turn work happen""".split()
)
#: The share of a promise's information that a later experience must have to be about the same.
_SAME_MIN = 0.4
#: A call is known by its beginning, characters, and is the same again with half of its words.
_CALL_CHARS, _CALL_SHARE = 60, 0.5


class ThreadKind(StrEnum):
    """What was left open."""

    PROMISE = "promise"
    PROPOSAL = "proposal"
    QUESTION = "question"
    UNCERTAINTY = "uncertainty"
    ERROR = "unresolved error"


@dataclass(frozen=True, slots=True)
class Thread:
    """Something that was opened by somebody, and perhaps closed.

    `by` is a name, `AGENT`, of an error the tool, or the kind of a message of somebody unnamed.
    """

    kind: ThreadKind
    by: str
    text: str
    opened: MemoryRecord
    closed: MemoryRecord | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing closed it."""
        return self.closed is None

    @property
    def memories(self) -> tuple[MemoryRecord, ...]:
        """The memories it rests on."""
        return (self.opened,) if self.closed is None else (self.opened, self.closed)


@dataclass(frozen=True, slots=True)
class Commitment:
    """One sentence that promises or proposes something, and what."""

    kind: ThreadKind
    text: str
    action: str


def commitments(text: str) -> Iterator[Commitment]:
    """Yield the sentences of a text in which somebody says what they will do, or proposes it.

    English only, by form ("I will…", "I'll…", "let's…"); a question commits to nothing, and
    neither does what hangs on a condition.
    """
    for sentence in split_sentences(text):
        if sentence.rstrip('"”’) ').endswith(("?", "？")) or _CONDITION.search(sentence):
            continue
        for kind, pattern in (
            (ThreadKind.PROMISE, _PROMISES),
            (ThreadKind.PROPOSAL, _PROPOSES),
        ):
            match = pattern.search(sentence)
            if match and not _NO_ACTION.match(match["deed"]):
                yield Commitment(kind, sentence, match["deed"])
                break


def threads_of(experiences: Sequence[ExperienceView], analyser: Analyser) -> list[Thread]:
    """Return every thread of experiences in order, open and closed, in the order of opening.

    A question that a register holds for an uncertainty is told once, as a question. What tools
    failed at is told apart, by `failures_of`.
    """
    talk = _ConversationIndex(experiences, analyser)
    threads: list[Thread] = []
    for place, view in enumerate(experiences):
        if view.is_message:
            threads += _promises(place, talk)
            threads += _questions(place, talk)
    asked = {(thread.opened.session, fold(thread.text)) for thread in threads}
    threads += [
        t for t in _uncertainties(experiences) if (t.opened.session, fold(t.text)) not in asked
    ]
    return sorted(threads, key=lambda thread: (thread.opened.at, thread.opened.seq))


def failures_of(experiences: Sequence[ExperienceView], analyser: Analyser) -> list[Thread]:
    """Return what tools failed at and never did later, in the order of failing.

    Done is the same call again, by half of the words of the failed one; in the same session, any
    call of the tool. Of calls that failed again and again the last one stands for all.
    """
    worked: dict[str, list[tuple[str | None, frozenset[str]]]] = defaultdict(list)
    failures = []
    for view in reversed(experiences):
        if view.tool is None:
            continue
        words, later = frozenset(analyser.terms(view.memory.text[:_CALL_CHARS])), worked[view.tool]
        solved = any(
            session == view.memory.session or len(earlier_words & words) >= _CALL_SHARE * len(words)
            for session, earlier_words in later
        )
        if view.error and not solved:
            failures.append(Thread(ThreadKind.ERROR, view.tool, view.memory.text, view.memory))
        if not (view.error and solved):
            later.append((view.memory.session, words))
    return failures[::-1]


class _ConversationIndex:
    """Experiences in order, and where each word stands in them."""

    def __init__(self, experiences: Sequence[ExperienceView], analyser: Analyser) -> None:
        self.experiences = experiences
        self._analyser = analyser
        self._empty = frozenset(analyser.terms(" ".join(EMPTY_WORDS)))
        self._having: dict[str, list[int]] = defaultdict(list)
        for place, view in enumerate(experiences):
            for stem in set(analyser.terms(view.memory.text)):
                self._having[stem].append(place)
        self._sessions: dict[str, list[int]] = defaultdict(list)
        for place, view in enumerate(experiences):
            if view.memory.session is not None:
                self._sessions[view.memory.session].append(place)
        self._actions: dict[tuple[int, bool], list[frozenset[str]]] = {}

    def topic_stems(self, text: str) -> frozenset[str]:
        """Return the stems of a text that say what it is about."""
        return frozenset(self._analyser.terms(text)) - self._empty

    def about(self, wanted: frozenset[str], after: int) -> Iterator[int]:
        """Yield, in order, where the same comes up again: two words, enough information."""
        whole = sum(self._information(stem) for stem in wanted)
        shared: dict[int, list[str]] = defaultdict(list)
        for stem in wanted:
            places = self._having.get(stem, [])
            for place in places[bisect_right(places, after) :]:
                shared[place].append(stem)
        for place in sorted(shared):
            shared_information = sum(self._information(stem) for stem in shared[place])
            if (
                len(shared[place]) >= min(2, len(wanted))
                and shared_information >= _SAME_MIN * whole
            ):
                yield place

    def later_in_session(self, place: int) -> Sequence[int]:
        """Return the places that follow in the same session."""
        places = self._sessions.get(self.experiences[place].memory.session or "", [])
        return places[bisect_right(places, place) :]

    def reports_action(self, place: int, wanted: frozenset[str], own: bool) -> bool:
        """Say whether an experience tells of something done to what is `wanted`.

        A tool's result does; of a message, a sentence that says so, and names some of it. `own`:
        it is of the side that was to do it.
        """
        view = self.experiences[place]
        if not view.is_message:
            return view.memory.kind == EventKind.TOOL_RESULT
        if (place, own) not in self._actions:
            sentences = split_sentences(view.memory.text)
            actions = [sentence for sentence in sentences if _reports_action(sentence, own)]
            self._actions[place, own] = [
                frozenset(self._analyser.terms(action)) for action in actions
            ]
        return any(wanted & action for action in self._actions[place, own])

    def _information(self, stem: str) -> float:
        often = len(self._having.get(stem, ()))
        return math.log(1 + len(self.experiences) / max(often, 1))


def _promises(place: int, talk: _ConversationIndex) -> Iterator[Thread]:
    opened = talk.experiences[place]
    for commitment in commitments(opened.memory.text):
        if wanted := talk.topic_stems(commitment.action):
            both = commitment.kind is ThreadKind.PROPOSAL
            fulfilled = next(
                (
                    later
                    for later in talk.about(wanted, place)
                    if talk.reports_action(
                        later, wanted, both or talk.experiences[later].speaker == opened.speaker
                    )
                ),
                None,
            )
            closed = None if fulfilled is None else talk.experiences[fulfilled].memory
            yield Thread(commitment.kind, _author(opened), commitment.text, opened.memory, closed)


def _questions(place: int, talk: _ConversationIndex) -> Iterator[Thread]:
    """Yield the question that a message ends with, and what answered it.

    Answered is what somebody else spoke after in the same session, or spoke of elsewhere later.
    """
    opened = talk.experiences[place]
    asked = split_sentences(opened.memory.text)
    if not asked or not asked[-1].endswith(("?", "？")):
        return
    wanted = talk.topic_stems(asked[-1])
    elsewhere = talk.about(wanted, place) if len(wanted) > 1 else ()
    later = map(talk.experiences.__getitem__, chain(talk.later_in_session(place), elsewhere))
    answers = (view for view in later if view.is_message and view.speaker != opened.speaker)
    answer = next((view.memory for view in answers), None)
    yield Thread(ThreadKind.QUESTION, _author(opened), asked[-1], opened.memory, answer)


def _uncertainties(experiences: Sequence[ExperienceView]) -> list[Thread]:
    """Return what was heard stay open, or what a register took for it; settled there, closed."""
    threads: dict[tuple[str | None, str], Thread] = {}
    for view in experiences:
        changes = [c for c in view.changes if c.field is TransitionField.UNCERTAINTY]
        opened = (change.after for change in changes if change.before is None)
        for text in (*view.phenomenology.uncertainties, *opened):
            thread = Thread(ThreadKind.UNCERTAINTY, _author(view), text, view.memory)
            threads.setdefault((view.memory.session, fold(text)), thread)
        for text in (change.before for change in changes if change.before is not None):
            before = threads.get((view.memory.session, fold(text)))
            if before is not None and before.is_open:
                threads[view.memory.session, fold(text)] = replace(before, closed=view.memory)
    return list(threads.values())


def _author(view: ExperienceView) -> str:
    return view.speaker or (view.memory.kind if view.is_message else AGENT)


def _reports_action(sentence: str, own: bool) -> bool:
    return bool(
        (_DID if own else _HAD).search(sentence)
        and not _NOT_DONE.search(sentence)
        and not sentence.endswith(("?", "？"))
        and not any(commitments(sentence))
    )
