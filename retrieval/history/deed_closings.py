"""What closed a commitment: that it was done, given up, or set for another time.

Reads the commitments that enrichment recorded. Done is what the same side tells done to the same
thing, what the other side thanks for, and what a tool returned for an agent that set out to do it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from ...core.events import EventKind
from ...core.experience import Commitment
from ...core.text import Analyser
from ...core.vocabulary import CommitmentKind
from .experience_views import AGENT, ExperienceView

#: What leaves something to be done.
UNDERTAKINGS = frozenset(
    {
        CommitmentKind.PROMISE,
        CommitmentKind.PLAN,
        CommitmentKind.REMINDER,
        CommitmentKind.DEADLINE,
        CommitmentKind.PROPOSAL,
    }
)
#: The share of what a deed is about that must come up again, when the verb is another.
_SHARE_MIN = 0.5
#: A time this much later is another time.
_OTHER_TIME = timedelta(days=1)
#: Looking for something is done when it was found, and giving it when it is there.
_SEARCHING = frozenset("check find get search look retriev gather".split())
_GIVING = frozenset("share send give show bring provid review explor calcul".split()) | _SEARCHING
#: Verbs for which a tool is often called by another of them: `update_booking` upgrades one.
_CHANGING = frozenset("chang updat modifi upgrad downgrad switch edit rebook".split())
#: Verbs behind which a noun names the deed: "proceed with the booking".
_NOMINAL = frozenset({"", "proceed", "process", "complet", "handl", "make", "finish"})
#: So long after it was due something later can be the same deed.
LASTS = timedelta(days=30)


class ThreadState(StrEnum):
    """What became of something that was opened."""

    OPEN = "open"
    KEPT = "kept"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Telling:
    """One commitment of an experience: where the experience stands, and who speaks."""

    place: int
    author: str
    session: str | None
    commitment: Commitment


class DeedIndex:
    """The commitments of experiences in order, by what they are about."""

    def __init__(self, experiences: Sequence[ExperienceView], analyser: Analyser) -> None:
        self._experiences = experiences
        self._analyser = analyser
        self._by_stem: dict[str, list[Telling]] = defaultdict(list)
        self._bare: dict[str | None, list[Telling]] = defaultdict(list)
        self._sessions: dict[str | None, list[int]] = defaultdict(list)
        self._frequency: Counter[str] = Counter()
        for place, view in enumerate(experiences):
            self._sessions[view.memory.session].append(place)
            for commitment in view.commitments:
                telling = Telling(place, author_of(view), view.memory.session, commitment)
                stems = {commitment.verb, *commitment.objects} - {""}
                self._frequency.update(stems)
                for stem in stems:
                    self._by_stem[stem].append(telling)
                if not commitment.objects:
                    self._bare[view.memory.session].append(telling)

    def closing(self, opened: Telling) -> tuple[ThreadState, ExperienceView] | None:
        """Return what became of an undertaking and the experience that shows it, if anything."""
        closings = [*self._by_tellings(opened), *self._by_tools(opened)]
        if not closings:
            return None
        place, state = min(closings)
        return state, self._experiences[place]

    def _by_tellings(self, opened: Telling) -> Iterator[tuple[int, ThreadState]]:
        about = self._about(opened)
        stems = {*about, opened.commitment.verb} - {""}
        later = {
            id(telling): telling
            for stem in stems
            for telling in self._by_stem.get(stem, ())
            if telling.place > opened.place and self._in_time(opened, telling)
        }
        later |= {id(t): t for t in self._bare[opened.session] if t.place > opened.place}
        for telling in later.values():
            if (state := self._state(opened, about, telling)) is not None:
                yield telling.place, state

    def _state(self, opened: Telling, about: frozenset[str], later: Telling) -> ThreadState | None:
        """Return what a later commitment makes of an earlier one; None where nothing."""
        own = later.author == opened.author
        together = opened.commitment.kind is CommitmentKind.PROPOSAL
        kind = later.commitment.kind
        if kind in UNDERTAKINGS:
            changed = own and _other_time(opened.commitment, later.commitment)
            same = changed and self._is_same(opened, about, later)
            return ThreadState.SUPERSEDED if same else None
        if kind is CommitmentKind.CANCEL:
            if not later.commitment.objects:
                recent = later.session == opened.session and self._is_last_before(opened, later)
                return ThreadState.CANCELLED if recent else None
            same = (own or together) and self._is_same(opened, about, later)
            return ThreadState.CANCELLED if same else None
        done = own or together if kind is CommitmentKind.DONE else not own
        if not (done and self._is_same(opened, about, later)):
            return None
        given_up = later.commitment.verb == "cancel" != opened.commitment.verb
        return ThreadState.CANCELLED if given_up and "cancel" not in about else ThreadState.KEPT

    def _is_same(self, opened: Telling, about: frozenset[str], later: Telling) -> bool:
        """Say whether two commitments are about the same deed."""
        before, after = opened.commitment, later.commitment
        objects = frozenset(after.objects)
        here = later.session == opened.session
        same_verb = bool(before.verb) and before.verb == after.verb
        if not objects:
            return here and (same_verb or {before.verb, after.verb} <= _SEARCHING)
        shared = about & objects
        dated = before.due is not None and after.due is not None
        if (here or dated) and (
            (before.verb in _NOMINAL and after.verb in about)
            or (after.verb in _NOMINAL and before.verb in objects)
        ):
            return True
        if not before.objects:
            return len(shared) > 1
        if same_verb:
            return bool(shared)
        if not after.verb and after.kind is CommitmentKind.DONE:
            return before.verb in _GIVING and (about <= objects or (here and bool(shared)))
        whole = sum(map(self._information, about))
        enough = sum(map(self._information, shared)) >= _SHARE_MIN * whole
        return enough and len(shared) > 1

    def _in_time(self, opened: Telling, later: Telling) -> bool:
        """Say whether something later can be the same deed: not long after it was due.

        What has neither a time nor an object is not recognised for longer either.
        """
        due = opened.commitment.due
        if due is None and not opened.commitment.objects:
            due = self._experiences[opened.place].memory.at
        return due is None or self._experiences[later.place].memory.at < due + LASTS

    def _about(self, opened: Telling) -> frozenset[str]:
        """Return the stems of what a deed is about; of "I'll check it", of what was spoken of."""
        if opened.commitment.objects:
            return frozenset(opened.commitment.objects)
        places = self._sessions[opened.session]
        near = places[max(0, bisect_right(places, opened.place) - 2) :][:2]
        stems = {s for place in near for s in self._experiences[place].concepts}
        return frozenset(stems)

    def _is_last_before(self, opened: Telling, later: Telling) -> bool:
        """Say whether nothing else was undertaken between the two in their session."""
        places = self._sessions[opened.session]
        between = places[bisect_right(places, opened.place) : bisect_right(places, later.place - 1)]
        return not any(
            commitment.kind in UNDERTAKINGS
            for place in between
            for commitment in self._experiences[place].commitments
        )

    def _by_tools(self, opened: Telling) -> Iterator[tuple[int, ThreadState]]:
        """Yield the result that does what an agent set out to do.

        Right behind the promise any result does; once somebody spoke, one whose tool is called
        like the deed: by its verb, or by a verb of the same family and what it is done to.
        """
        if opened.author != AGENT:
            return
        places, asked = self._sessions[opened.session], False
        deed = {opened.commitment.verb, *opened.commitment.objects}
        families = (_SEARCHING, _CHANGING)
        family = next((f for f in families if opened.commitment.verb in f), frozenset[str]())
        for place in places[bisect_right(places, opened.place) :]:
            view = self._experiences[place]
            asked = asked or view.memory.kind == EventKind.USER_MESSAGE
            if view.tool is None or view.error:
                continue
            named = self._analyser.terms(view.tool)
            alike = not family.isdisjoint(named[:1]) and not deed.isdisjoint(named[1:])
            if not asked or alike or deed & set(named[:1]):
                yield place, ThreadState.KEPT
                return

    def _information(self, stem: str) -> float:
        return math.log(1 + len(self._experiences) / max(self._frequency[stem], 1))


def author_of(view: ExperienceView) -> str:
    """Return who speaks: a name, `AGENT`, or the kind of a message of somebody unnamed."""
    return view.speaker or (view.memory.kind if view.is_message else AGENT)


def _other_time(before: Commitment, after: Commitment) -> bool:
    return (
        before.due is not None and after.due is not None and after.due - before.due >= _OTHER_TIME
    )
