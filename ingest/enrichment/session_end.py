"""The end of a session: skeletons are re-evaluated, open threads recorded, the episode written.

A session ends by a boundary event, or after hours of silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...core.entries import (
    EpisodeSynthesised,
    ExperienceEnriched,
    ExperienceReevaluated,
    QuestionsAnticipated,
)
from ...core.events import captured_of, event_of, is_restricted
from ...core.experience import Phenomenology, RegisterState
from ...core.ids import derived
from ...core.lazy import lazy_module
from ...core.types import Entry, EntryDraft, EntryKind, Space
from ...core.vocabulary import RecordStatus, Trigger
from ...storage.projections.session_states import LastEvent, SessionStates
from ...storage.store import Store
from ..capture.commit import decision_of
from ..capture.event_view import metadata_of
from ..capture.scoring import Scoring
from ..capture.trigger import unsolved
from ..enrichment_state import IDLE_PERIOD
from ..extraction.phenomenology import open_questions
from ..feedback.tracking import ReferenceTracker, SessionTurn
from . import register
from .batch_state import BatchState
from .passes import ShouldContinue, is_captured
from .questions import anticipated_questions

if TYPE_CHECKING:
    from . import episode, reevaluate
else:
    # Most processes end no session.
    episode = lazy_module(__package__, "episode")
    reevaluate = lazy_module(__package__, "reevaluate")


@dataclass(frozen=True, slots=True)
class ClosingExperience:
    """One experience of a session as it stands at the end, and its whole event where it is held."""

    entry: Entry
    view: episode.EpisodeExperience
    status: RecordStatus


class SessionCloser:
    """Ends the sessions that are over."""

    def __init__(
        self, file: Store, scoring: Scoring, tracker: ReferenceTracker | None = None
    ) -> None:
        """End sessions of a file; `tracking` looks for what was shown during one."""
        self._file = file
        self._scoring = scoring
        self._tracker = tracker or ReferenceTracker(file)

    def due(self, space: Space) -> list[tuple[str, bool]]:
        """Return the sessions that may be over without an episode, and which a boundary ended."""
        return self._file.space(space).sessions.due(IDLE_PERIOD, self._file.clock())

    def catch_up(
        self, space: Space, batch_state: BatchState, should_continue: ShouldContinue
    ) -> bool:
        """End every session that is over while `go_on()`; return whether none is left."""
        sessions = self._file.space(space).sessions
        for session, over in self.due(space):
            if not should_continue():
                return False
            experiences = self._closing_experiences(space, session)
            if experiences and not over and self._is_active(sessions, session, experiences):
                continue
            drafts = [
                *self._reevaluation_drafts(experiences, ended=True),
                *_open_uncertainties(session, experiences, batch_state),
                *_failure_questions(experiences),
                *_episode(space, session, experiences, self._file),
                *self._tracker.drafts(
                    space, session, [_session_turn(experience) for experience in experiences]
                ),
            ]
            with self._file.writing():
                if experiences and self._has_later_events(space, session, experiences[-1]):
                    batch_state.registers.pop(session, None)
                    continue  # its episode includes what came meanwhile
                self._file.journal.append(space, drafts)
                if session in batch_state.registers:
                    state = batch_state.registers[session]
                    sessions.save_register(session, state)
                sessions.mark_processed(session)
        return True

    def reevaluate_open_sessions(self, space: Space) -> int:
        """Give the skeletons of sessions that still go on a second look; count what changed."""
        changed = 0
        for session in self._file.space(space).sessions.open_sessions():
            drafts = self._reevaluation_drafts(
                self._closing_experiences(space, session), ended=False
            )
            changed += len(self._file.journal.append(space, drafts))
        return changed

    def _is_active(
        self, sessions: SessionStates, session: str, experiences: Sequence[ClosingExperience]
    ) -> bool:
        """Say whether a session is not silent after all, and remember since when."""
        at = max(experience.entry.at for experience in experiences)
        last = LastEvent(experiences[-1].entry.seq, at, experiences[-1].entry.recorded_at)
        with self._file.writing():
            newest = sessions.newest()
            is_newest = newest is None or at > newest - IDLE_PERIOD
            is_recent = last.recorded_at > self._file.clock() - IDLE_PERIOD
            if is_newest and is_recent:
                sessions.update_last_event(session, last)
            return is_newest and is_recent

    def _has_later_events(self, space: Space, session: str, last: ClosingExperience) -> bool:
        later = self._file.journal.stream(space, session, last.entry.seq)
        return any(is_captured(entry) for entry in later)

    def _closing_experiences(self, space: Space, session: str) -> list[ClosingExperience]:
        entries = [
            entry
            for entry in self._file.journal.stream(space, session)
            if is_captured(entry) and not is_restricted(metadata_of(event_of(entry)))
        ]
        standing = self._file.catalog.of_session(space, session)
        kind = EntryKind.EXPERIENCE_ENRICHED
        enriched_by_id: dict[str, ExperienceEnriched] = {}
        for enriched in self._file.journal.by_keys(space, kind, [entry.id for entry in entries]):
            if isinstance(payload := enriched.payload, ExperienceEnriched):
                before = enriched_by_id.get(enriched.key)
                enriched_by_id[enriched.key] = before.updated(payload) if before else payload
        return [
            _closing_experience(
                entry,
                standing.get(entry.id),
                enriched_by_id.get(entry.id, ExperienceEnriched(entry.id)),
            )
            for entry in entries
        ]

    def _reevaluation_drafts(
        self, experiences: Sequence[ClosingExperience], *, ended: bool
    ) -> list[EntryDraft]:
        """Judge the session's skeletons by what stands around them."""
        by_id = {experience.entry.id: experience for experience in experiences}
        verdicts = reevaluate.reevaluate(
            [_neighbour(experience) for experience in experiences], self._scoring, ended=ended
        )
        drafts = []
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
            drafts.append(EntryDraft(f"{entry.id}#{verdict.status}", payload, entry.at))
        return drafts


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
        captured=decision.captured,
    )
    return ClosingExperience(entry, view, RecordStatus(status))


def _session_turn(experience: ClosingExperience) -> SessionTurn:
    return SessionTurn(experience.entry, experience.view.event)


def _neighbour(experience: ClosingExperience) -> reevaluate.Neighbour:
    payload, view = captured_of(experience.entry), experience.view
    decision = replace(decision_of(payload), status=experience.status)
    neighbour = reevaluate.neighbour_of(
        view.id, experience.entry.seq, view.event, decision, view.trigger
    )
    # A skeleton does not keep its threshold: the profile's counts.
    has_threshold = payload.decision is not None and payload.decision.threshold is not None
    return neighbour if has_threshold else replace(neighbour, threshold=None)


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
            id = derived("transition", entry.space, entry.id, "open", question.text)
            payload = register.transitioned(change, id, session, entry.id)
            drafts.append(EntryDraft(id, payload, entry.at))
    return drafts


def _failure_questions(experiences: Sequence[ClosingExperience]) -> list[EntryDraft]:
    """Anticipate what is asked about failures that nothing solved."""
    drafts = []
    for place in unsolved([experience.view.event for experience in experiences]):
        entry, event = experiences[place].entry, experiences[place].view.event
        questions = anticipated_questions(event, Trigger.LEARNING_FAILURE)
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
    space: Space, session: str, experiences: Sequence[ClosingExperience], file: Store
) -> list[EntryDraft]:
    id, views = derived("episode", space, session), [e.view for e in experiences]
    payload = episode.synthesise(id, session, views, file.analyser)
    last = experiences[-1].entry if experiences else None
    if payload is None or last is None:
        return []
    draft = EntryDraft(f"{session}#{last.seq}", payload, last.at)
    earlier = file.journal.by_keys(space, draft.kind, [draft.key])
    before = earlier[0].payload if earlier else None
    read_anew = earlier and file.space(space).readings.count(earlier[0].seq)
    same = not isinstance(before, EpisodeSynthesised) or replace(before, replaces=()) == payload
    if same or not read_anew:
        return [draft]
    # Changed, because messages were read again since: it replaces the one before.
    key = f"{draft.key}#again-{file.journal.head(space).seq}"
    return [replace(draft, key=key, payload=replace(payload, replaces=((earlier[0].seq, key),)))]
