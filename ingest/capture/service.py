"""Capture: everything that happens before the acknowledgement, for one event or a stream.

Every event gets exactly one outcome. A refused event is counted, named and traced; the rest of
the input is captured.

Decisions need the history of a session. It is cached in memory and, from time to time, as a
projection; what is missing is folded from the journal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ...core.codec import decode, encode
from ...core.entries import ExperienceCaptured
from ...core.errors import Conflict, InvalidInput, MeridiaError, NotFound
from ...core.events import (
    UNDATED,
    Event,
    EventKind,
    event_of,
    is_empty,
    parse_event,
    speaker_id,
    text_of,
)
from ...core.ids import content_hash, owner_id, person_id, session_id
from ...core.types import (
    Acknowledgement,
    Entry,
    EntryDraft,
    MemoryRecord,
    Outcome,
    Payload,
    Seq,
    Space,
)
from ...core.vocabulary import CORRECTS, CaptureMode
from ...graph import adjacency
from ...storage.journal import Appender, Journal
from ...storage.projections.experience_list import mode_of
from ...storage.space_caches import SpaceCache
from ...storage.store import SpaceStore, Store
from ..redaction.sanitise import check_space
from .commit import CaptureContext, CaptureRules, capture_draft
from .event_view import OWNER_KEY, read_event
from .session_history import Bond, SessionHistory, relationship_by_rule, speaks
from .stages import DECISION_STAGES, PREPARE_STAGES

#: So many events of a session may have to be folded again.
_SAVE_EVERY = 16
#: The end of a session this short leaves no trace in the journal; its next event reopens it.
_SHORT_SESSION = 4
#: The session of events that name none.
_NO_SESSION = ""
#: So many sessions and people are held; what of another was not written is folded again.
_SESSIONS_MAX, _PEOPLE_MAX = 256, 4096
#: About what a session's history takes.
_SESSION_BYTES = 4_000
#: Shorter texts ("ok, thanks") are said again and again and repeat nothing.
_REPEATED_CHARS_MIN = 12


class SessionCache:
    """What the events of one space need to know of the past, while nobody else appends.

    `next_seq` is the sequence that the next entry of the file has as far as this knows: once
    somebody else has appended, it is stale and has to be built again.
    """

    def __init__(self, journal: Journal, space: SpaceStore) -> None:
        self.next_seq = 0
        self._journal = journal
        self._space = space
        self._sessions: dict[str, SessionHistory] = {}
        #: Sessions that have gone on since they were last looked at for saving: their newest event.
        self._changed: dict[str, int] = {}
        #: After how many more events each is written.
        self._unwritten: dict[str, int] = {}
        self._people: dict[str, Bond | None] = {}
        #: People and sessions in which no further message makes them anything else.
        self._settled: set[tuple[str | None, str]] = set()

    def bytes(self) -> int:
        """About what it takes."""
        return _SESSION_BYTES * len(self._sessions)

    def load_history(self, context: CaptureContext) -> None:
        """Tell an arrival its session's history, the people in it, and its double."""
        key = _session_key(context)
        history = self._sessions.pop(key, None) or self._load(key)
        self._sessions[key] = history  # the one that went on last stands at the end
        names = {name for name in (context.event_view.person, history.interlocutor) if name}
        met = {name: self._relationship(name) for name in names}
        people = {name: who for name, who in met.items() if who is not None}
        context.history = history if history.people == people else replace(history, people=people)
        context.duplicate_of = _duplicate_id(self._space, context)

    def record_event(self, context: CaptureContext, seq: int) -> None:
        """Take an arrival that was committed into its session's history."""
        later = context.history.after(context.event_view, context.decision.mode)
        self.next_seq = seq + 1
        key = _session_key(context)
        self._people |= later.people
        self._sessions[key] = later
        self._changed[key] = seq
        self._unwritten[key] = self._unwritten.get(key, 1) - 1

    def grow_relationship(
        self, appender: Appender, context: CaptureContext, at: datetime | None
    ) -> None:
        """Append what the speaker of an arrival that was committed has become with it."""
        person = speaks(context.event, context.space)
        place = person, _session_key(context)
        if person is None or place in self._settled:
            return
        changed, is_settled = relationship_by_rule(self._space.people, person)
        if is_settled:
            self._settled.add(place)
        if changed is None:
            return
        draft = EntryDraft(f"{changed.person}#{changed.type.value}", changed, at)
        answer = appender.append(draft)
        if answer.outcome is not Outcome.REDELIVERED:
            self.next_seq = answer.seq + 1
            self._people.clear()

    def save(self) -> None:
        """Write histories, inside the transaction that appended the events.

        A session's first event here is written at once, later ones now and then: what is missing
        is folded from the journal.
        """
        for key, seq in self._changed.items():
            history = self._sessions[key]
            short = len(history.results) + len(history.messages) < _SHORT_SESSION
            if short or self._unwritten[key] <= 0:
                # Who is known belongs to the space, not to the session.
                self._space.sessions.save_history(key, encode(replace(history, people={})), seq)
                # Events without a session are no stream: nothing of them can be folded again.
                self._unwritten[key] = _SAVE_EVERY if key != _NO_SESSION else 1
        self._changed.clear()
        for key in list(self._sessions)[: max(0, len(self._sessions) - _SESSIONS_MAX)]:
            del self._sessions[key]
            self._unwritten.pop(key, None)
        if len(self._people) > _PEOPLE_MAX:
            self._people.clear()

    def _load(self, key: str) -> SessionHistory:
        stored, seq = self._space.sessions.load_history(key)
        history = None if stored is None else decode(SessionHistory, stored)
        later = self._journal.stream(self._space.name, key, seq) if key != _NO_SESSION else []
        return fold(later, history)

    def _relationship(self, name: str) -> Bond | None:
        if name not in self._people:
            space = self._space.name
            person = owner_id(space) if name == OWNER_KEY else person_id(space, name)
            row = self._space.people.type_and_threshold(person)
            self._people[name] = row
        return self._people[name]


def _duplicate_id(space: SpaceStore, context: CaptureContext) -> str | None:
    """Return the first memory of the same words by the same speaker or tool.

    A note under the caller's own id is a record: another that says the same is not said again, and
    stays when one of them is forgotten.
    """
    if context.event["kind"] == EventKind.MANUAL_CAPTURE and context.event.get("id"):
        return None
    meaning = context.event_view.meaning
    if len(meaning.strip()) < _REPEATED_CHARS_MIN:
        return None
    who = speaker_id(context.event, context.space)
    return space.first_with_text(content_hash(meaning), context.event["kind"], who)


def fold(entries: Iterable[Entry], history: SessionHistory | None = None) -> SessionHistory:
    """Return the history of a session after some of its entries in the journal, in order."""
    history = history or SessionHistory()
    for entry in entries:
        if isinstance(entry.payload, ExperienceCaptured):
            history = history.after(read_event(event_of(entry)), mode_of(entry.payload))
    return replace(history, people={})


def _session_key(context: CaptureContext) -> str:
    session = context.event.get("session")
    return session_id(context.space, session["key"]) if session else _NO_SESSION


if TYPE_CHECKING:
    from ..importers.import_record import ImportRecord
    from ..importers.import_report import ImportReport

#: Called for every event after its commit, or with the reason why it was refused.
OnAnswer: TypeAlias = "Callable[[ImportRecord, Acknowledgement | MeridiaError], None]"

#: Commits one prepared event inside the transaction that is open.
Commit = Callable[[CaptureContext], Acknowledgement]
#: The answer to each event of a batch: all acknowledged, or some refused.
Answer = TypeVar("Answer", bound=Acknowledgement | MeridiaError)

_BATCH = 200
#: Index captured events after this many entries: in batches it costs a tenth.
_INDEX_EVERY = 128
#: So many problems are kept word for word; all are counted.
_PROBLEMS_MAX = 100


@dataclass(slots=True)
class CaptureSummary:
    """What became of a stream of events: outcomes by space, and problems with their place.

    `read` is the report on the input, if one was read. Of newly captured events, `cleaned` and
    `redacted` count replacements by kind, and `cut` counts shortened texts. `forgotten` counts
    redelivered events that stay out, because they were forgotten.
    """

    outcomes: dict[Space, Counter[Outcome]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)
    forgotten: int = 0
    read: ImportReport | None = None
    cleaned: Counter[str] = field(default_factory=Counter)
    cut: int = 0

    def add(self, space: Space, where: str, given: Acknowledgement | MeridiaError) -> None:
        """Count one event; `where` is its place in the input, for error messages."""
        if isinstance(given, MeridiaError):
            outcome = Outcome.REFUSED
            if len(self.problems) < _PROBLEMS_MAX:
                self.problems.append(f"{where}: {given}")
        else:
            outcome = given.outcome
            self.forgotten += given.forgotten
            if outcome is not Outcome.REDELIVERED:
                self.redacted.update(given.redacted)
                self.cleaned.update(given.cleaned)
                self.cut += given.cut
        self.outcomes.setdefault(space, Counter())[outcome] += 1

    def total(self, *outcomes: Outcome) -> int:
        """Return how many events had one of these outcomes, or any if none is named."""
        return sum(
            number
            for counter in self.outcomes.values()
            for outcome, number in counter.items()
            if not outcomes or outcome in outcomes
        )

    @property
    def clean(self) -> bool:
        """Whether every event was accepted."""
        return self.total(Outcome.REFUSED, Outcome.FAILED) == 0


def _nobody(_space: Space) -> None:
    return None


class CaptureService:
    """Takes events into a journal."""

    def __init__(
        self,
        file: Store,
        rules: CaptureRules = CaptureRules(),  # noqa: B008 - frozen
        on_captured: Callable[[Space], None] = _nobody,
    ) -> None:
        """Capture into a file's journal; `on_captured` is called with the space after a commit."""
        self._file, self._rules, self._on_captured = file, rules, on_captured
        #: Read and changed only under the journal's lock.
        self._session_caches = SpaceCache[SessionCache](file.caches, SessionCache.bytes)

    def capture_event(self, space: Space, event: Event) -> Acknowledgement:
        """Capture one event durably.

        Raises `InvalidInput` if it is too large or not text, `Conflict` if its id is taken.
        """
        return self.capture_atomically(space, [event])[0]

    def capture_atomically(self, space: Space, events: Sequence[Event]) -> list[Acknowledgement]:
        """Capture all events of a batch in one transaction, or none if one is invalid."""
        try:
            spoken = {place: event for place, event in enumerate(events) if not is_empty(event)}
            prepared = [self._prepare(space, event) for event in spoken.values()]
            committed = self._transact(space, lambda do: [*map(do, prepared)]) if prepared else []
        except (InvalidInput, Conflict) as error:
            self._trace_refusal(space, error)
            raise
        answers = dict(zip(spoken, committed, strict=True))
        return [answers.get(n) or self._say_nothing(space, e) for n, e in enumerate(events)]

    def capture_events(
        self,
        space: Space,
        events: Sequence[Event],
        *,
        imported: bool = False,
        other_ids: Sequence[str | None] = (),
    ) -> list[Acknowledgement | MeridiaError]:
        """Capture a batch in one transaction; each event has its own answer, in order.

        If another session already has an event's id, the id at its place in `other_ids` is used.
        """
        answers: dict[int, Acknowledgement | MeridiaError] = {}
        contexts: dict[int, CaptureContext] = {}
        for place, event in enumerate(events):
            if is_empty(event):
                answers[place] = self._say_nothing(space, event)
                continue
            try:
                contexts[place] = self._prepare(space, event, imported=imported)
            except InvalidInput as error:
                answers[place] = error
        if contexts:
            committed = self._transact(
                space,
                lambda commit: [
                    self._commit_or_conflict(
                        commit, context, other_ids[place] if other_ids else None
                    )
                    for place, context in contexts.items()
                ],
            )
            answers |= zip(contexts, committed, strict=True)
        for answer in answers.values():
            if isinstance(answer, MeridiaError):
                self._trace_refusal(space, answer)
        return [answers[place] for place in range(len(events))]

    def explain(self, space: Space, event: Event) -> CaptureContext:
        """Return the decision on an event with its arithmetic, and write nothing."""
        context = self._prepare(space, event)
        with suppress(NotFound), self._file.snapshot():
            SessionCache(self._file.journal, self._file.space(space)).load_history(context)
        for stage in DECISION_STAGES:
            stage(context, self._rules)
        return context

    def says_the_same(self, space: Space, event: Event, memory: MemoryRecord) -> bool:
        """Return whether an event, as it would be stored, equals a memory, except for times."""
        fields = self._prepare(space, event).event
        session, tool = fields.get("session") or {}, fields.get("tool") or {}
        there = (memory.kind, memory.text, memory.given_person, memory.session, memory.tool)
        given = (fields["kind"], text_of(fields), fields.get("person"))
        uris = [artifact["uri"] for artifact in fields.get("artifacts", ())]
        metadata = {**fields.get("metadata", {})}
        metadata.pop(CORRECTS, None)
        return (
            (*given, session.get("key"), tool.get("name")) == there
            and metadata == memory.metadata
            and uris == [artifact.uri for artifact in memory.artifacts]
        )

    def stream(
        self,
        records: Iterable[ImportRecord],
        space_of: Callable[[ImportRecord], Space],
        batch: int = _BATCH,
        on_answer: OnAnswer | None = None,
        *,
        imported: bool = False,
    ) -> CaptureSummary:
        """Capture a stream in batches; `on_answer` is called for each event after its commit.

        `imported` events happened earlier: one without a time is marked as undated.
        """
        summary, remaining = CaptureSummary(), iter(records)
        while chunk := list(islice(remaining, batch)):
            for space in dict.fromkeys(space_of(record) for record in chunk):
                mine = [record for record in chunk if space_of(record) == space]
                self._capture_records(space, mine, summary, on_answer, imported=imported)
        return summary

    def take_in(
        self,
        records: Iterable[ImportRecord],
        into: Space | None,
        otherwise: Space,
        on_answer: OnAnswer | None = None,
    ) -> CaptureSummary:
        """Capture an importer's records `into` a space, or each into its own, or into `otherwise`.

        The sessions of new events end with the last record, as no more of them will come.
        """
        ended: dict[Space, dict[str, None]] = {}

        def space_of(record: ImportRecord) -> Space:
            if not hasattr(record, "where"):
                kind = type(record).__name__
                raise InvalidInput(f"a record is of type {kind}: give records of an importer")
            return into or (Space(record.space) if record.space else otherwise)

        def note(record: ImportRecord, answer: Acknowledgement | MeridiaError) -> None:
            went_in = (
                isinstance(answer, Acknowledgement) and answer.outcome is not Outcome.REDELIVERED
            )
            if went_in and record.event is not None and record.event.session is not None:
                ended.setdefault(space_of(record), {})[record.event.session.key] = None
            if on_answer:
                on_answer(record, answer)

        summary = self.stream(records, space_of, on_answer=note, imported=True)
        for name, keys in ended.items():
            self.end_sessions(name, keys)
        return summary

    def end_sessions(self, space: Space, keys: Iterable[str]) -> None:
        """Mark sessions, by their callers' keys, as ended; their next event reopens them."""
        with self._file.writing(appends=False):
            head = int(self._file.journal.head(space).seq)
            for key in keys:
                self._file.space(space).sessions.end(session_id(space, key), head)

    def _capture_records(
        self,
        space: Space,
        records: Sequence[ImportRecord],
        summary: CaptureSummary,
        on_answer: OnAnswer | None,
        *,
        imported: bool,
    ) -> None:
        events = [record.event for record in records if record.event is not None]
        other_ids = [record.other_id for record in records if record.event is not None]
        answers = iter(self.capture_events(space, events, imported=imported, other_ids=other_ids))
        for record in records:
            answer = next(answers) if record.event else self._unreadable(space, record)
            summary.add(space, record.where, answer)
            if on_answer:
                on_answer(record, answer)

    def _unreadable(self, space: Space, record: ImportRecord) -> InvalidInput:
        error = InvalidInput(record.problem or "unreadable")
        self._trace_refusal(space, error)
        return error

    def _prepare(self, space: Space, event: Event, *, imported: bool = False) -> CaptureContext:
        more = event.model_extra or {}
        if (own := more.get("space")) not in (None, space):
            raise InvalidInput(
                f"event: space is {own!r}, but it was sent to {space!r}: use one space"
            )
        undated = more.get(UNDATED) is True or (imported and event.ts is None)
        context = CaptureContext(space, event.as_json(), undated, cleaned=event.cleaned)
        for stage in PREPARE_STAGES:
            stage(context, self._rules)
        return context

    def _transact(self, space: Space, work: Callable[[Commit], list[Answer]]) -> list[Answer]:
        """Hold the journal's lock for a batch of one space, and save histories at its end."""
        check_new_space(self._file, space)
        with self._file.journal.appending(space) as appender:
            first = appender.next_seq
            space_store = self._file.space(space)
            cache = self._session_caches.pop(space)
            if cache is None or cache.next_seq != appender.next_seq:
                cache = SessionCache(self._file.journal, space_store)
                cache.next_seq = appender.next_seq
            answers = work(partial(self._commit, appender, space_store, cache))
            cache.save()
        # Reached only after the commit: a rolled back batch leaves no cache.
        self._session_caches.put(space, cache)
        if first // _INDEX_EVERY != cache.next_seq // _INDEX_EVERY:
            self._index(space)
        self._on_captured(space)
        return answers

    def _index(self, space: Space) -> None:
        """Index captured events, so that questions have little left to index; ignore failures."""
        with suppress(MeridiaError):
            adjacency.Adjacency(self._file).catch_up(space)

    def _commit(
        self,
        appender: Appender,
        space: SpaceStore,
        cache: SessionCache,
        context: CaptureContext,
    ) -> Acknowledgement:
        self._resolve_correction(context)
        cache.load_history(context)
        for stage in DECISION_STAGES:
            stage(context, self._rules)
        draft = capture_draft(context, self._rules, now := self._file.clock())
        answer = appender.append(draft)
        if answer.outcome is not Outcome.REDELIVERED:
            cache.record_event(context, answer.seq)
            cache.grow_relationship(appender, context, draft.at)
        outcome = _trace_outcome(context, answer)
        space.trace(now, ("event", outcome, answer.id), _trace_detail(context, answer))
        if not (context.cleaned or context.redacted or context.cut):
            return answer
        redacted, cleaned = dict(context.redacted), dict(context.cleaned)
        return replace(answer, redacted=redacted, cleaned=cleaned, cut=context.cut)

    def _resolve_correction(self, context: CaptureContext) -> None:
        """Replace the caller's id of the corrected version by Meridia's."""
        about = context.event.get("metadata") or {}
        if not isinstance(before := about.get(CORRECTS), str):
            return
        with suppress(NotFound):
            id = self._file.catalog.find(context.space, before).id
            if id != before:
                context.event = {**context.event, "metadata": {**about, CORRECTS: id}}

    def _commit_or_conflict(
        self, commit: Commit, context: CaptureContext, other_id: str | None
    ) -> Acknowledgement | MeridiaError:
        try:
            return commit(context)
        except Conflict as error:
            if other_id is None or not self._is_of_another_session(context):
                return error
        try:
            event = parse_event({**context.event, "id": other_id}, context.cleaned)
            renamed = self._prepare(context.space, event, imported=context.undated)
            return commit(replace(renamed, redacted=context.redacted, cut=context.cut))
        except (Conflict, InvalidInput) as error:
            return error

    def _is_of_another_session(self, context: CaptureContext) -> bool:
        """Return whether the event that has this id already is in another session."""
        session = (context.event.get("session") or {}).get("key")
        with suppress(NotFound):
            there = self._file.catalog.find(context.space, str(context.event.get("id")))
            return there.session != session
        return False

    def _say_nothing(self, space: Space, event: Event) -> Acknowledgement:
        """Count an event that says nothing; the journal does not get it."""
        self._trace_refusal(space, None)
        return Acknowledgement(Seq(0), "", event.id or "", Outcome.EMPTY)

    def _trace_refusal(self, space: Space, error: MeridiaError | None) -> None:
        """Trace a refusal; `error` is None for an event that says nothing.

        In a file that takes no line, and in a space that holds nothing, it is not traced.
        """
        outcome = Outcome.EMPTY if error is None else Outcome.REFUSED
        detail = {"outcome": outcome.value} | ({"error": type(error).__name__} if error else {})
        decision = "empty" if error is None else "error"
        with suppress(MeridiaError):  # the caller is told; what went in with it is acknowledged
            self._file.trace.write(space, "event", decision, None, detail)


def check_new_space(file: Store, space: Space) -> None:
    """Raise `InvalidInput` for a name that is not valid for a new space, see `check_space`."""
    try:
        file.space(space)
    except NotFound:
        check_space(space)


def _trace_outcome(context: CaptureContext, answer: Acknowledgement) -> str:
    """Return the trace's word for what became of an event."""
    if answer.outcome is Outcome.REDELIVERED:
        return "redelivered"
    if context.decision.limited:
        return "gate_deny"
    return "skip" if context.decision.mode is CaptureMode.TRACE_ONLY else "capture"


def _trace_detail(context: CaptureContext, answer: Acknowledgement) -> Payload:
    """Return the decision and its reasons, without content or redacted text."""
    if answer.outcome is Outcome.REDELIVERED:  # decided when it first came
        return {"outcome": answer.outcome.value}
    decision = context.decision
    detail = {**decision.outline(), "factors": decision.factors}
    if context.cleaned:
        detail["cleaned"] = dict(context.cleaned)
    if context.redacted:
        detail["redacted"] = dict(context.redacted)
    if context.cut:
        detail["cut"] = context.cut
    if context.duplicate_of is not None:
        detail["duplicate_of"] = context.duplicate_of
    return detail
