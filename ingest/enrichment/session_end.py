"""The end of a session: skeletons are re-evaluated, open threads recorded, the episode written.

A session ends by a boundary event, or after hours of silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ...core.codec import decode_text, encode_text
from ...core.entries import (
    EpisodeSynthesised,
    ExperienceEnriched,
    ExperienceReevaluated,
    QuestionsAnticipated,
)
from ...core.events import EventKind, captured_of, event_of, is_restricted
from ...core.experience import Phenomenology, RegisterState
from ...core.ids import derived
from ...core.types import Entry, EntryDraft, EntryKind, Space
from ...core.vocabulary import CaptureMode, RecordStatus, Trigger
from ...language.anticipated import anticipated_questions
from ...language.runs.tool_calls import Event
from ...storage.projections.session_states import OpenSession, SessionStates
from ...storage.store import Store
from ..capture.commit import decision_of
from ..capture.event_view import metadata_of, read_event
from ..capture.scoring import Scoring
from ..capture.stages import unsolved
from ..enrichment_state import IDLE_PERIOD
from ..extraction.phenomenology import open_questions
from ..feedback.tracking import ANSWER_WINDOW, ReferenceTracker, SessionTurn
from . import episode, reevaluate, register
from .batch_state import BatchState
from .passes import is_captured

#: Of events that name no session.
_NO_SESSION = ""
_EVER, _NEVER = datetime.min.replace(tzinfo=UTC) + IDLE_PERIOD, datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ClosingExperience:
    """One experience of a session as it stands at the end, and its whole event where it is held."""

    entry: Entry
    view: episode.EpisodeExperience
    status: RecordStatus


class OpenSessions:
    """The sessions that go on, as of the last experience that was read, and which are over.

    A session is over with an event that says so, when another one went on for hours of its own
    time, or when nothing was heard of it for so long: before the next event that came in, or now.
    """

    def __init__(self, states: SessionStates) -> None:
        self._states = states
        self._open = states.open_sessions()
        self._newest = max(states.newest() or _EVER, _EVER)
        self._ending = {name for name, session in self._open.items() if session.over}
        self._changed: dict[str, tuple[OpenSession, bool]] = {}
        #: The last experience of each session that was taken up.
        self._last: dict[str, int] = {}
        #: No session was heard of, or went on, before; they are looked at one by one from then on.
        self._first_heard = min((s.heard_at for s in self._open.values()), default=_NEVER)
        self._first_at = min((s.last_at for s in self._open.values()), default=_NEVER)

    def take(self, entry: Entry, *, ends: bool) -> None:
        """Take up an experience; `ends` where it ends its session."""
        name = entry.stream or _NO_SESSION
        before = self._open.get(name) or (self._changed.get(name) or (None,))[0]
        last_at, heard_at, over = entry.at, entry.recorded_at, entry.seq if ends else 0
        if before is not None:
            last_at, heard_at = max(last_at, before.last_at), max(heard_at, before.heard_at)
            over = over or (before.over if before.over >= entry.seq else 0)
        session = OpenSession(last_at, heard_at, over)
        self._newest = max(self._newest, min(last_at, heard_at))
        self._changed[name], self._last[name] = (session, name == _NO_SESSION), entry.seq
        if name == _NO_SESSION:
            return
        self._open[name] = session
        (self._ending.add if over else self._ending.discard)(name)
        self._first_heard = min(self._first_heard, heard_at)
        self._first_at = min(self._first_at, last_at)

    def over(self, seq: int) -> list[str]:
        """Return those that are over by an event up to a sequence, or by the time of others."""
        names = {name for name in self._ending if self._open[name].over <= seq}
        before = self._newest - IDLE_PERIOD
        if self._first_at <= before:
            names |= {name for name, session in self._open.items() if session.last_at <= before}
            left = (s.last_at for name, s in self._open.items() if name not in names)
            self._first_at = min(left, default=_NEVER)
        return sorted(names, key=lambda name: (self._open[name].last_at, name))

    def silent(self, now: datetime) -> list[str]:
        """Return those of which nothing was heard for long before an instant, the longest first."""
        before = now - IDLE_PERIOD
        if self._first_heard > before:
            return []
        names = [name for name, session in self._open.items() if session.heard_at <= before]
        left = (s.heard_at for s in self._open.values() if s.heard_at > before)
        self._first_heard = min(left, default=_NEVER)
        return sorted(names, key=lambda name: (self._open[name].heard_at, name))

    def close(self, name: str) -> None:
        """Take a session for told; its next event opens it again."""
        session = self._open.pop(name)
        self._ending.discard(name)
        self._changed[name] = replace(session, over=0), True

    def save(self, until: int) -> None:
        """Write what has changed, in the transaction of what was read up to a sequence.

        Where a session was ended from outside behind its last experience, that stays.
        """
        for name, (session, closed) in self._changed.items():
            read = until + 1 if closed else self._last.get(name, until + 1)
            self._states.save_open(name, session, read, closed=closed)


@dataclass(frozen=True, slots=True)
class Closing:
    """What the end of a session leads to.

    `upgraded` are skeletons with their whole events, `shown` the session's last experience where
    something was shown before that may have been used.
    """

    drafts: Sequence[EntryDraft]
    upgraded: Sequence[tuple[Entry, Event]]
    shown: Sequence[int]


class SessionCloser:
    """Tells what is found at the end of a session."""

    def __init__(self, file: Store, scoring: Scoring, tracker: ReferenceTracker) -> None:
        self._file, self._scoring, self._tracker = file, scoring, tracker

    def close(self, session: str, until: int, batch_state: BatchState) -> Closing:
        """Return what a session leads to that ends with the last experience up to a sequence."""
        experiences = self._closing_experiences(session, until, batch_state)
        changes = self._reevaluations(experiences)
        for _, payload in changes:
            batch_state.standing[payload.experience] = payload.status.value, payload.significance
        return Closing(
            [
                *(_reevaluated(experience.entry, payload) for experience, payload in changes),
                *_open_uncertainties(session, experiences, batch_state),
                *_failure_questions(experiences),
                *_episode(session, experiences, batch_state, self._file),
            ],
            [
                (experience.entry, experience.view.event)
                for experience, payload in changes
                if payload.status is RecordStatus.UPGRADED
            ],
            self._shown(session, experiences, batch_state.space),
        )

    def _shown(
        self, session: str, experiences: Sequence[ClosingExperience], space: Space
    ) -> list[int]:
        """Return the last experience of a session, if something may have been used in it."""
        is_agents = any(
            experience.view.event["kind"] == EventKind.ASSISTANT_MESSAGE
            for experience in experiences
        )
        times = [experience.entry.recorded_at for experience in experiences if is_agents]
        if not times:
            return []
        feedback = self._file.space(space).feedback
        return (
            [experiences[-1].entry.seq]
            if feedback.shown_before(
                session, min(times) - ANSWER_WINDOW, max(times) + ANSWER_WINDOW
            )
            else []
        )

    def references(self, space: Space, last: int) -> Sequence[EntryDraft]:
        """Return what became of what was shown, in a session that ended with an experience."""
        journal = self._file.journal
        session = next((e.stream for e in journal.read(space, last - 1, 1) if e.seq == last), None)
        turns = [
            SessionTurn(entry, event_of(entry))
            for entry in (journal.stream(space, session) if session else ())
            if entry.seq <= last and _is_open(entry)
        ]
        return self._tracker.drafts(space, session, turns) if session and turns else ()

    def _closing_experiences(
        self, session: str, until: int, batch_state: BatchState
    ) -> list[ClosingExperience]:
        space = batch_state.space
        entries = [
            entry
            for entry in self._file.journal.stream(space, session)
            if entry.seq <= until and _is_open(entry)
        ]
        standing = {**self._file.catalog.of_session(space, session), **batch_state.standing}
        enriched = self._enriched([entry.id for entry in entries], batch_state)
        return [
            _closing_experience(
                entry,
                standing.get(entry.id),
                enriched.get(entry.id, ExperienceEnriched(entry.id)),
            )
            for entry in entries
        ]

    def _enriched(
        self, ids: Sequence[str], batch_state: BatchState
    ) -> Mapping[str, ExperienceEnriched]:
        """Return what was found out about experiences, what is not written yet included."""
        kind, journal = EntryKind.EXPERIENCE_ENRICHED, self._file.journal
        enriched: dict[str, ExperienceEnriched] = {}
        for entry in journal.by_keys(batch_state.space, kind, ids):
            if isinstance(entry.payload, ExperienceEnriched):
                enriched[entry.key] = entry.payload
        fresh = {id: batch_state.enriched[id] for id in ids if id in batch_state.enriched}
        # As the journal will give it back: with the fields of its mappings in order.
        written = {id: decode_text(ExperienceEnriched, encode_text(e)) for id, e in fresh.items()}
        return enriched | written

    def _reevaluations(
        self, experiences: Sequence[ClosingExperience]
    ) -> list[tuple[ClosingExperience, ExperienceReevaluated]]:
        """Judge the session's skeletons by what stands around them."""
        by_id = {experience.entry.id: experience for experience in experiences}
        verdicts = reevaluate.reevaluate(
            [_neighbour(experience) for experience in experiences], self._scoring
        )
        changes = []
        for verdict in verdicts:
            entry = by_id[verdict.id].entry
            if not verdict.changed:
                continue
            upgraded = verdict.status is RecordStatus.UPGRADED
            if upgraded and not event_of(entry)["payload"]:
                continue  # nothing but its outline is left
            payload = ExperienceReevaluated(
                experience=verdict.id,
                status=verdict.status,
                significance=verdict.significance,
                reason=verdict.reason,
                neighbourhood=verdict.neighbourhood,
                event=entry.provisional if upgraded else None,
                by="rule",
            )
            changes.append((by_id[verdict.id], payload))
        return changes


def _is_open(entry: Entry) -> bool:
    """Return whether an entry is an experience of which others may read."""
    return is_captured(entry) and not is_restricted(metadata_of(event_of(entry)))


def _reevaluated(entry: Entry, payload: ExperienceReevaluated) -> EntryDraft:
    return EntryDraft(f"{entry.id}#{payload.status}", payload, entry.at)


def _closing_experience(
    entry: Entry, standing: tuple[str, float | None] | None, enriched: ExperienceEnriched
) -> ClosingExperience:
    payload = captured_of(entry)
    decision = decision_of(payload)
    status, significance = standing or (decision.status.value, decision.significance)
    if payload.duplicate_of:  # what it says is kept elsewhere: nothing to upgrade
        status = RecordStatus.EVALUATED.value
    view = episode.EpisodeExperience(
        id=entry.id,
        event=event_of(entry),
        at=entry.at,
        significance=decision.significance if significance is None else significance,
        phenomenology=enriched.phenomenology,
        utterances=enriched.utterances or (),
        topics=enriched.topics or {},
        trigger=payload.trigger,
        captured=decision.mode is CaptureMode.FULL,
    )
    return ClosingExperience(entry, view, RecordStatus(status))


def _neighbour(experience: ClosingExperience) -> reevaluate.Neighbour:
    payload, view = captured_of(experience.entry), experience.view
    # A skeleton does not keep its threshold: the profile's counts.
    decision = replace(decision_of(payload), status=experience.status)
    return reevaluate.neighbour_of(
        view.id, experience.entry.seq, view.event, decision, view.trigger
    )


def _open_uncertainties(
    session: str, experiences: Sequence[ClosingExperience], batch_state: BatchState
) -> list[EntryDraft]:
    """Open an uncertainty for every question of the session that nobody answered."""
    drafts = []
    for question in open_questions([experience.view.event for experience in experiences]):
        entry = experiences[question.place].entry
        before: RegisterState = batch_state.register(session, experiences[-1].entry.seq + 1)
        after, changes = register.step(
            before,
            Phenomenology(uncertainties=(question.text,)),
            None,
            entry.at,
            entry.key,
            batch_state.thresholds,
        )
        batch_state.registers[session] = after
        for change in changes:
            id = register.opening_id(entry.space, entry.id, question.text)
            payload = register.transitioned(change, id, session, entry.id)
            drafts.append(EntryDraft(id, payload, entry.at))
    return drafts


def _failure_questions(experiences: Sequence[ClosingExperience]) -> list[EntryDraft]:
    """Anticipate what is asked about failures that nothing solved."""
    drafts = []
    for place in unsolved([experience.view.event for experience in experiences]):
        entry, event = experiences[place].entry, experiences[place].view.event
        questions = anticipated_questions(event, read_event(event).gist, Trigger.LEARNING_FAILURE)
        if (
            questions
            and experiences[place].view.trigger is Trigger.NONE
            and captured_of(entry).event is not None
        ):
            trigger = Trigger.LEARNING_FAILURE
            payload = QuestionsAnticipated(entry.id, tuple(questions), trigger, by="rule")
            drafts.append(EntryDraft(entry.id, payload, entry.at))
    return drafts


def _episode(
    session: str,
    experiences: Sequence[ClosingExperience],
    batch_state: BatchState,
    file: Store,
) -> list[EntryDraft]:
    space = batch_state.space
    id, views = derived("episode", space, session), [e.view for e in experiences]
    payload = episode.synthesise(id, session, views, file.analyser)
    last = experiences[-1].entry if experiences else None
    if payload is None or last is None:
        return []
    draft = EntryDraft(f"{session}#{last.id}", payload, last.at)
    keys = [draft.key, f"{session}#{last.seq}"]  # as older journals name it
    earlier = file.journal.by_keys(space, draft.kind, keys)
    before = earlier[0].payload if earlier else None
    if not isinstance(before, EpisodeSynthesised):
        return [draft]
    read_anew = file.space(space).readings.count(earlier[0].seq) or any(
        enriched.replaces for enriched in batch_state.enriched.values()
    )
    if replace(before, replaces=()) == payload or not read_anew:
        return []
    # Changed, because messages were read again since: it replaces the one before.
    key = f"{draft.key}#again-{file.journal.head(space).seq}"
    return [replace(draft, key=key, payload=replace(payload, replaces=((earlier[0].seq, key),)))]
