"""Open threads: promises, plans, questions, uncertainties; whose, and what became of them.

Promises and plans are read from the commitments that enrichment recorded; experiences enriched
before there were any have none. Every thread names the memory that opened it, and the one that
closed it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import chain

from ...core.experience import TELL, Commitment
from ...core.ids import fold
from ...core.sentences import split_sentences
from ...core.text import Analyser
from ...core.types import MemoryRecord
from ...core.vocabulary import TransitionField
from .deed_closings import UNDERTAKINGS, DeedIndex, Telling, ThreadState, author_of
from .experience_views import AGENT, ExperienceView
from .requests import accepted, is_bare, wants_to_hear

#: Words that say when, or nothing of what: two questions are not the same by them.
EMPTY_WORDS = frozenset(
    """go get make do take tell know try come give let keep thing things time bit lot way one today
    tonight tomorrow soon later next week weekend month year day morning evening monday tuesday
    wednesday thursday friday saturday sunday definitely sure then first new good great
    look check turn work happen""".split()
)
#: The share of a question's information that a later experience must have to be about the same.
_SAME_MIN = 0.4
#: What is overdue by more than this is no longer open, and nor is a question nobody came back to.
GRACE, QUESTION_LASTS = timedelta(days=3), timedelta(days=14)
#: So long after it was due it is still told, and so long is open what nobody set a time for.
OVERDUE_SHOWN, UNDATED_LASTS = timedelta(days=10), timedelta(days=21)

#: Reminds somebody of what they undertook; and the words that it must share with that message.
_REMINDS_OF = re.compile(
    r"\b(?:you (?:were going|promised|said you|offered)|did you (?:ever|manage|get)"
    r"|(?:promised|offered|owes?) |still waiting|what about the)\b",
    re.IGNORECASE,
)
_SHARED_WORDS_MIN = 2


class ThreadKind(StrEnum):
    """What was left open."""

    PROMISE = "promise"
    PLAN = "plan"
    REMINDER = "reminder"
    DEADLINE = "deadline"
    PROPOSAL = "proposal"
    QUESTION = "question"
    UNCERTAINTY = "uncertainty"


#: Kinds of what somebody is to do.
TO_DO = frozenset(ThreadKind(kind.value) for kind in UNDERTAKINGS)


@dataclass(frozen=True, slots=True)
class Thread:
    """Something that was opened by somebody, and what became of it.

    `by` is a name, `AGENT`, or the kind of a message of somebody unnamed.
    `due` is when it is over, where that was named; what `expired` was due and never came up again.
    `deed` is the verb and the objects of what is to be done, where it has any.
    """

    kind: ThreadKind
    by: str
    text: str
    opened: MemoryRecord
    closed: MemoryRecord | None = None
    state: ThreadState = ThreadState.OPEN
    due: datetime | None = None
    deed: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it is still to be done or answered."""
        return self.state is ThreadState.OPEN

    def was_due(self, now: datetime) -> bool:
        """Whether it was due not long ago, and nobody spoke of it since."""
        if self.state is not ThreadState.EXPIRED or self.due is None:
            return False
        return now < self.due + OVERDUE_SHOWN

    def repeats(self, before: Thread) -> bool:
        """Whether it is the same to do as one before, and not at another time."""
        same = self.deed and (self.by, self.deed) == (before.by, before.deed)
        return bool(same) and (None in (self.due, before.due) or self.due == before.due)

    @property
    def memories(self) -> tuple[MemoryRecord, ...]:
        """The memories it rests on."""
        return (self.opened,) if self.closed is None else (self.opened, self.closed)


def threads_of(
    experiences: Sequence[ExperienceView], analyser: Analyser, now: datetime | None = None
) -> list[Thread]:
    """Return every thread of experiences in order, open and closed, in the order of opening.

    `now` decides what is overdue; None is the time of the last experience. A question that a
    register holds for an uncertainty is told once, as a question. What tools failed at is told
    apart, in `failures`.
    """
    if not experiences:
        return []
    moment = experiences[-1].memory.at if now is None else now
    threads = [*_undertakings(experiences, analyser), *_questions(experiences, analyser)]
    asked = {(thread.opened.session, fold(thread.text)) for thread in threads}
    threads += [
        t for t in _uncertainties(experiences) if (t.opened.session, fold(t.text)) not in asked
    ]
    last = experiences[-1].memory.at
    reminders = _Reminders(experiences, analyser)
    threads = [
        thread if reminders.came_after(thread, last) else _as_of(thread, moment, last)
        for thread in threads
    ]
    return sorted(threads, key=lambda thread: (thread.opened.at, thread.opened.seq))


def _undertakings(experiences: Sequence[ExperienceView], analyser: Analyser) -> Iterator[Thread]:
    deeds = DeedIndex(experiences, analyser)
    for place, commitment in _commitments(experiences, analyser):
        view = experiences[place]
        author = author_of(view)
        telling = Telling(place, author, view.memory.session, commitment)
        state, closed = deeds.closing(telling) or (ThreadState.OPEN, None)
        if commitment.awaits and closed is None:
            continue  # the other side never did what it waited for
        text = view.memory.text[commitment.start : commitment.end]
        yield Thread(
            ThreadKind(commitment.kind.value),
            author,
            " ".join(text.split()),
            view.memory,
            None if closed is None else closed.memory,
            state,
            commitment.due,
            (commitment.verb, *commitment.objects) if commitment.objects else (),
        )


def _commitments(
    experiences: Sequence[ExperienceView], analyser: Analyser
) -> Iterator[tuple[int, Commitment]]:
    """Yield what is undertaken, with its place; also what was asked for and accepted.

    To tell how it went is undertaken by people who were asked to, or say of what.
    """
    before: dict[str | None, ExperienceView] = {}
    for place, view in enumerate(experiences):
        if not view.is_message:
            continue
        last = before.get(view.memory.session)
        before[view.memory.session] = view
        request = "" if last is None or last.speaker == view.speaker else last.memory.text
        own = [c for c in view.commitments if c.kind in UNDERTAKINGS]
        person = view.speaker != AGENT
        if not own and person and (promise := accepted(request, view.memory.text, analyser)):
            own = [promise]
        for commitment in own:
            text = view.memory.text[commitment.start : commitment.end]
            bare = commitment.verb == TELL and person and is_bare(text)
            if not bare or wants_to_hear(request):
                yield place, commitment


def _as_of(thread: Thread, now: datetime, last: datetime) -> Thread:
    """Return a thread that time has closed as expired.

    What has a time expires after it; all else when it never came up again for long, by `last`, the
    time of the last experience: while nobody speaks, nothing is forgotten.
    """
    if not thread.is_open:
        return thread
    if thread.due is not None:
        expired = thread.due + GRACE < now
    elif thread.kind in {ThreadKind.QUESTION, ThreadKind.UNCERTAINTY}:
        expired = thread.opened.at + QUESTION_LASTS < last
    else:
        expired = thread.kind is not ThreadKind.REMINDER and thread.opened.at + UNDATED_LASTS < last
    return replace(thread, state=ThreadState.EXPIRED) if expired else thread


class _Reminders:
    """The messages that remind somebody of what they undertook."""

    def __init__(self, experiences: Sequence[ExperienceView], analyser: Analyser) -> None:
        self._analyser = analyser
        self._reminding = [
            (view, frozenset(analyser.terms(view.memory.text)))
            for view in experiences
            if view.is_message and _REMINDS_OF.search(view.memory.text)
        ]

    def came_after(self, thread: Thread, last: datetime) -> bool:
        """Say whether somebody else reminded of it not long before `last`."""
        if not self._reminding or not thread.is_open or thread.kind not in TO_DO:
            return False
        stems = frozenset(self._analyser.terms(thread.opened.text))
        return any(
            view.memory.at > thread.opened.at
            and view.memory.at + UNDATED_LASTS > last
            and author_of(view) != thread.by
            and len(stems & shared) >= _SHARED_WORDS_MIN
            for view, shared in self._reminding
        )


class _TopicIndex:
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

    def _information(self, stem: str) -> float:
        often = len(self._having.get(stem, ()))
        return math.log(1 + len(self.experiences) / max(often, 1))


def _questions(experiences: Sequence[ExperienceView], analyser: Analyser) -> Iterator[Thread]:
    """Yield the questions that messages end with, and what answered them.

    Answered is what somebody else spoke after in the same session, or spoke of elsewhere later.
    """
    talk = _TopicIndex(experiences, analyser)
    for place, opened in enumerate(experiences):
        asked = split_sentences(opened.memory.text) if opened.is_message else ()
        if not asked or not asked[-1].endswith(("?", "？")):
            continue
        wanted = talk.topic_stems(asked[-1])
        if not wanted:  # "How are you?", "Anything new?"
            continue
        elsewhere = talk.about(wanted, place) if len(wanted) > 1 else ()
        later = map(experiences.__getitem__, chain(talk.later_in_session(place), elsewhere))
        answers = (view for view in later if view.is_message and view.speaker != opened.speaker)
        answer = next((view.memory for view in answers), None)
        state = ThreadState.OPEN if answer is None else ThreadState.ANSWERED
        yield Thread(
            ThreadKind.QUESTION, author_of(opened), asked[-1], opened.memory, answer, state
        )


def _uncertainties(experiences: Sequence[ExperienceView]) -> list[Thread]:
    """Return what was heard stay open, or what a register took for it; settled there, closed."""
    threads: dict[tuple[str | None, str], Thread] = {}
    for view in experiences:
        changes = [c for c in view.changes if c.field is TransitionField.UNCERTAINTY]
        opened = (change.after for change in changes if change.before is None)
        for text in (*view.phenomenology.uncertainties, *opened):
            thread = Thread(ThreadKind.UNCERTAINTY, author_of(view), text, view.memory)
            threads.setdefault((view.memory.session, fold(text)), thread)
        for text in (change.before for change in changes if change.before is not None):
            before = threads.get((view.memory.session, fold(text)))
            if before is not None and before.is_open:
                threads[view.memory.session, fold(text)] = replace(
                    before, closed=view.memory, state=ThreadState.ANSWERED
                )
    return list(threads.values())
