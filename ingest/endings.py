"""The end of a session: its skeletons get a second look, its open threads a name, and it is told.

A session is over when a boundary says so, or when it has been silent for hours. What was thought
noise at the time may look different now; a failure that nothing solved is one to learn from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from ..core.events import event_of
from ..core.experience import Phenomenology, RegisterState
from ..core.ids import derived
from ..core.types import Draft, Entry, EntryKind, Json, Space
from ..core.vocabulary import RecordStatus, Trigger
from ..graph import session_states
from ..graph.journal_file import JournalFile
from ..graph.session_states import Last
from . import register
from .commit import decision_of
from .episode import IDLE_HOURS, Lived, synthesise
from .feedback_tracking import Tracking, Turn
from .knowledge import Knowing
from .phenomenology import open_questions
from .questions import anticipated
from .reevaluate import Neighbour, neighbour_of, reevaluate
from .scoring import Scoring
from .trigger import unsolved
from .work import GoOn, is_captured

SILENCE = timedelta(hours=IDLE_HOURS)


@dataclass(frozen=True, slots=True)
class Told:
    """One experience of a session as it stands at the end, and its whole event where it is held."""

    entry: Entry
    lived: Lived
    status: RecordStatus


class Endings:
    """Ends the sessions that are over."""

    def __init__(
        self, file: JournalFile, scoring: Scoring, tracking: Tracking | None = None
    ) -> None:
        """End sessions of a file; `tracking` looks for what was shown during one."""
        self._file = file
        self._scoring = scoring
        self._tracking = tracking or Tracking(file)

    def due(self, space: Space) -> list[tuple[str, bool]]:
        """Return the sessions that may be over and are not told yet, and which a boundary ended."""
        number = self._file.journal.number(space)
        with self._file.database.reading() as connection:
            return session_states.due(connection, number, SILENCE, self._file.clock())

    def catch_up(self, space: Space, known: Knowing, go_on: GoOn) -> bool:
        """End every session that is over while `go_on()`; return whether none is left."""
        number = self._file.journal.number(space)
        for session, over in self.due(space):
            if not go_on():
                return False
            told = self._told(space, session)
            if told and not over and self._goes_on(number, session, told):
                continue
            drafts = [
                *self._second_look(told, ended=True),
                *_open_threads(session, told, known),
                *_lessons(told),
                *_episode(space, session, told, self._file),
                *self._tracking.drafts(space, session, [_turn(one) for one in told]),
            ]
            with self._file.database.writing() as connection:
                if told and self._went_on(space, session, told[-1]):
                    known.registers.pop(session, None)
                    continue  # it is told with what came meanwhile
                self._file.journal.append(space, drafts)
                if session in known.registers:
                    state = known.registers[session].as_json()
                    session_states.save_register(connection, number, session, state)
                session_states.tell(connection, number, session)
        return True

    def look_again(self, space: Space) -> int:
        """Give the skeletons of sessions that still go on a second look; count what changed."""
        number, changed = self._file.journal.number(space), 0
        with self._file.database.reading() as connection:
            sessions = session_states.still_open(connection, number)
        for session in sessions:
            drafts = self._second_look(self._told(space, session), ended=False)
            changed += len(self._file.journal.append(space, drafts))
        return changed

    def _goes_on(self, number: int, session: str, told: Sequence[Told]) -> bool:
        """Say whether a session is not silent after all, and remember since when."""
        at = max(one.entry.at for one in told)
        last = Last(told[-1].entry.seq, at, told[-1].entry.recorded_at)
        with self._file.database.writing() as connection:
            newest = session_states.newest(connection, number)
            alone = newest is None or at > newest - SILENCE
            lately = last.heard > self._file.clock() - SILENCE
            if alone and lately:
                session_states.went_on(connection, number, session, last)
            return alone and lately

    def _went_on(self, space: Space, session: str, last: Told) -> bool:
        later = self._file.journal.stream(space, session, last.entry.seq)
        return any(is_captured(entry) for entry in later)

    def _told(self, space: Space, session: str) -> list[Told]:
        entries = [e for e in self._file.journal.stream(space, session) if is_captured(e)]
        standing = self._file.catalog.of_session(space, session)
        kind = EntryKind.EXPERIENCE_ENRICHED
        felt: dict[str, Json] = {}
        for found in self._file.journal.by_keys(space, kind, [entry.id for entry in entries]):
            felt[found.key] = (found.payload or {}).get("phenomenology")
        return [_told(entry, standing.get(entry.id), felt.get(entry.id)) for entry in entries]

    def _second_look(self, told: Sequence[Told], *, ended: bool) -> list[Draft]:
        """Judge the session's skeletons by what stands around them."""
        by_id = {one.entry.id: one for one in told}
        verdicts = reevaluate([_neighbour(one) for one in told], self._scoring, ended=ended)
        drafts = []
        for verdict in verdicts:
            entry = by_id[verdict.id].entry
            if not verdict.changed:
                continue
            payload = {**verdict.as_json(), "by": "rule"}
            if verdict.status is RecordStatus.UPGRADED:
                if entry.provisional is None:
                    continue
                payload["event"] = entry.provisional
            key = f"{entry.id}#{verdict.status}"
            drafts.append(Draft(EntryKind.EXPERIENCE_REEVALUATED, key, payload, entry.at))
        return drafts


def _told(entry: Entry, standing: tuple[str, float | None] | None, felt: Json) -> Told:
    payload = entry.payload or {}
    decision = decision_of(payload)
    status, significance = standing or (decision.status.value, decision.significance)
    if payload.get("duplicate_of"):  # what it says is kept elsewhere: nothing to upgrade
        status = RecordStatus.EVALUATED.value
    lived = Lived(
        id=entry.id,
        event=event_of(entry),
        at=entry.at,
        significance=decision.significance if significance is None else significance,
        phenomenology=None if felt is None else Phenomenology.from_json(felt),
        trigger=Trigger(payload.get("trigger", Trigger.NONE)),
        captured=decision.captured,
    )
    return Told(entry, lived, RecordStatus(status))


def _turn(told: Told) -> Turn:
    return Turn(told.entry, told.lived.event)


def _neighbour(told: Told) -> Neighbour:
    payload, lived = told.entry.payload or {}, told.lived
    decision = replace(decision_of(payload), status=told.status)
    neighbour = neighbour_of(lived.id, told.entry.seq, lived.event, decision, lived.trigger)
    # A skeleton does not keep its threshold: the profile's counts.
    known = "threshold" in (payload.get("decision") or {})
    return neighbour if known else replace(neighbour, threshold=None)


def _open_threads(session: str, told: Sequence[Told], known: Knowing) -> list[Draft]:
    """Open an uncertainty for every question of the session that nobody answered."""
    drafts = []
    for question in open_questions([one.lived.event for one in told]):
        entry = told[question.place].entry
        before: RegisterState = known.register(session, told[-1].entry.seq + 1)
        after, changes = register.step(
            before,
            Phenomenology(uncertainties=(question.text,)),
            None,
            entry.at,
            entry.key,
            known.thresholds,
        )
        known.registers[session] = after
        for change in changes:
            id = derived("transition", entry.space, entry.id, "open", question.text)
            payload = {"transition": id, "session": session, "experience": entry.id}
            said = payload | change.as_json()
            drafts.append(Draft(EntryKind.STATE_TRANSITIONED, id, said, entry.at))
    return drafts


def _lessons(told: Sequence[Told]) -> list[Draft]:
    """Anticipate what is asked about failures that nothing solved."""
    drafts = []
    for place in unsolved([one.lived.event for one in told]):
        entry, event = told[place].entry, told[place].lived.event
        asked = anticipated(event, Trigger.LEARNING_FAILURE)
        if asked and told[place].lived.trigger is Trigger.NONE and "event" in (entry.payload or {}):
            payload = {
                "experience": entry.id,
                "questions": asked,
                "trigger": Trigger.LEARNING_FAILURE.value,
                "by": "rule",
            }
            drafts.append(Draft(EntryKind.QUESTIONS_ANTICIPATED, entry.id, payload, entry.at))
    return drafts


def _episode(space: Space, session: str, told: Sequence[Told], file: JournalFile) -> list[Draft]:
    payload = synthesise(session, [one.lived for one in told], file.analyser)
    if payload is None:
        return []
    said = {"episode": derived("episode", space, session), **payload}
    last = told[-1].entry
    key = f"{session}#{last.seq}"
    return [Draft(EntryKind.EPISODE_SYNTHESISED, key, said, last.at)]
