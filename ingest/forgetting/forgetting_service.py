"""Forgets memories of one space, everywhere, and says what went.

They are erased in the file, in one transaction; then the graph is emptied, the file compacted, the
caches of this process dropped, and the sinks told: those that do not answer, later. A forgetting
that was interrupted is finished by the next one, or when the file is opened next.

What was derived from them is derived again from the memories that stay: a register's change from
where it was, a fact from what ended it or says it too, episodes with their sessions. No question
that was asked is touched.

Retention (`ingest.keep`) forgets in the same way what is older than a kind of events is kept.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf

from ...core.codec import JsonObject
from ...core.entries import ExperienceEnriched, FactSuperseded
from ...core.errors import (
    InvalidInput,
    MeridiaError,
    NotFound,
    Stranger,
    Unavailable,
    UnknownPerson,
)
from ...core.events import event_of, is_restricted
from ...core.experience import RegisterState
from ...core.facts import Fact, fold_facts
from ...core.ids import RandomBytes, derived, fold, session_id
from ...core.people import Gazetteer, near_names
from ...core.settings import TransitionsSettings
from ...core.time import ago, to_text
from ...core.types import EntryDraft, EntryKind, Filters, Payload, Space
from ...core.vocabulary import FactRelation
from ...graph.adjacency import Adjacency
from ...graph.removal import GraphEraser, Removal
from ...language.audience import addressees
from ...storage import work
from ...storage.companion_files import remove_abandoned
from ...storage.forgetting.erasure import Erased, ForgettingRequest, Selection, erase
from ...storage.forgetting.receipts import receipt_of
from ...storage.store import Store
from ...storage.upkeep import finish, is_any_before, newest_forgetting, unfinished
from ..capture.event_view import metadata_of
from ..enrichment import register
from ..enrichment.batch_state import speaker_of, topic_of
from ..enrichment.passes import is_captured
from ..enrichment.rule_pass import FACTS_STAGE
from ..enrichment.worker import LEASE

#: A fact said in so many messages that stay needs no reading of all of them.
_READ_AGAIN_MAX = 200
Drafts = Callable[[], Sequence[EntryDraft]]


def derive_again(
    file: Store, space: Space, thresholds: TransitionsSettings, selection: Selection
) -> Drafts:
    """Look at what is to be forgotten; return what then makes the entries that take its place.

    Messages that may state a forgotten fact are scheduled to be read again.
    """
    gone = set(selection.facts)
    facts = fold_facts(file.space(space).facts.related(sorted(gone)))
    read_again = _stating(file, space, selection, [facts[id] for id in gone if id in facts])

    def drafts() -> Sequence[EntryDraft]:
        tasks = file.space(space).tasks
        for seq in read_again:
            tasks.schedule(seq, FACTS_STAGE, "a fact that it may state was forgotten")
        return [*_successions(facts, gone), *_transitions(file, space, thresholds, selection)]

    return drafts


def _stating(
    file: Store, space: Space, selection: Selection, facts: Sequence[Fact]
) -> Sequence[int]:
    """Return the memories that stay and have all the words of a fact, as it was said, together."""
    index, gone = file.space(space).full_text, set(selection.seqs)
    phrases = set().union(*(file.analyser.readings(fact.object) for fact in facts))
    stating = {seq for terms in phrases for seq in index.phrase(terms)} - gone
    return sorted(stating)[:_READ_AGAIN_MAX]


def _successions(facts: Mapping[str, Fact], gone: set[str]) -> Iterator[EntryDraft]:
    """Let what a forgotten fact ended be ended by what came after that."""
    for fact in facts.values():
        if fact.id in gone or fact.superseded_by not in gone:
            continue
        later: Fact | None = fact
        while later is not None and later.superseded_by in gone:
            later = facts.get(later.superseded_by or "")
        later = facts.get(later.superseded_by or "") if later else None
        if later is None or later.is_end_record or later.predicate != fact.predicate:
            continue
        reason, at = f"since then: {later.text}", to_text(max(later.t_valid, fact.t_valid))
        ended = FactSuperseded(fact.id, later.id, FactRelation.SUPERSEDES, at, reason, later.by)
        yield EntryDraft(f"{fact.id} {ended.relation} {later.id}", ended)


def _transitions(
    file: Store, space: Space, thresholds: TransitionsSettings, selection: Selection
) -> Iterator[EntryDraft]:
    """Tell again how the register changed in sessions of which something is left."""
    for session in selection.sessions:
        state = RegisterState()
        entries = {e.id: e for e in file.journal.stream(space, session) if is_captured(e)}
        kind = EntryKind.EXPERIENCE_ENRICHED
        for enriched in file.journal.by_keys(space, kind, list(entries)):
            entry, payload = entries[enriched.key], enriched.payload
            event = event_of(entry)
            if not isinstance(payload, ExperienceEnriched) or payload.phenomenology is None:
                continue
            if is_restricted(metadata_of(event)):
                continue
            person = speaker_of(event, space)
            state, changes = register.step(
                state,
                payload.phenomenology,
                topic_of(event),
                entry.at,
                entry.key,
                thresholds,
                person,
            )
            for place, change in enumerate(changes):
                if change.before is not None:  # what began with a memory that stays, stands
                    id = derived("transition", space, entry.id, str(place))
                    changed = register.transitioned(change, id, session, entry.id, person)
                    yield EntryDraft(id, changed, entry.at)


#: How long to wait for a worker that enriches the space, and how often to ask, seconds.
_WAIT_S, _POLL_S = 60.0, 0.05
#: Places that are built again from the journal without what went.
_EMPTIED = ("graph",)


@dataclass(frozen=True, slots=True)
class ForgettingResult(JsonObject):
    """What went, or would go: memories, entries of the journal by kind, rows by place.

    `named_in` are the addresses of memories of others that name a person who is forgotten: they
    stay. `receipt` proves it; None for a dry run, and where nothing was to be forgotten.
    """

    space: str
    asked: Payload
    dry_run: bool
    memories: int
    entries: Mapping[str, int]
    places: Mapping[str, int]
    named_in: Sequence[str] = ()
    notes: Sequence[str] = ()
    receipt: Payload | None = None


@dataclass(frozen=True, slots=True)
class ForgettingDependencies:
    """What forgetting needs of an open memory."""

    people: Callable[[], Gazetteer]
    note_removal: Callable[[Space, str, Removal | None], None]
    forget_in_graph: Callable[[Space], None]
    forget_in_sinks: Callable[[Space], Mapping[str, str]]
    store_recalls: Callable[[], None]
    drop_caches: Callable[[], None]
    thresholds: TransitionsSettings
    random_bytes: RandomBytes


class ForgettingService:
    """Forgets in one space of one file."""

    def __init__(self, file: Store, space: Space, dependencies: ForgettingDependencies) -> None:
        self._file = file
        self._space = space
        self._dependencies = dependencies

    def forget(self, request: ForgettingRequest, *, dry_run: bool = False) -> ForgettingResult:
        """Forget what is asked for; with `dry_run`, only say what would go.

        Raises `UnknownPerson`, and `NotFound` for a session of which nothing is there.
        """
        request = self._resolved(request)
        self._dependencies.store_recalls()  # what is stored after the erasure would stay
        with self._leased():
            self._file.space(self._space).full_text.make()
            erased = erase(self._file, self._space, request, self._derive, rehearse=dry_run)
        if request.session is not None and not erased.selection.memories:
            raise NotFound(
                f"there is no session {request.session!r}: `meridia sessions` lists them"
            )
        result = ForgettingResult(
            space=self._space,
            asked=request.as_json(),
            dry_run=dry_run,
            memories=len(erased.selection.memories),
            entries=dict(sorted(erased.selection.kinds.items())),
            places=dict(sorted(erased.places.items())),
            named_in=self._named_in(request, erased),
        )
        if erased.seq is None:
            return result
        self._dependencies.drop_caches()
        remove_abandoned(self._file.path)
        notes = self.resume()
        sinks = self._dependencies.forget_in_sinks(self._space)
        notes += [
            f"{sink} still holds what was forgotten: {why}. It is tried again with the next "
            "delivery; `meridia sinks sync` delivers now"
            for sink, why in sinks.items()
            if why
        ]
        replicas = self._file.replicas(others=True)
        notes += [
            f"replica {each.name} follows this forgetting before it answers next; "
            f"it was seen last at {each.seen_at}"
            for each in replicas
        ]
        self._file.tell_replicas()
        places = {"emptied": list(_EMPTIED), "sinks": list(sinks)}
        if replicas:
            places["replicas"] = [each.name for each in replicas]
        signed = receipt_of(
            self._file, self._space, request, erased, places, self._dependencies.random_bytes
        )
        return replace(result, notes=notes, receipt=signed)

    def resume(self) -> list[str]:
        """Finish every forgetting of the file that was interrupted; say what is in the way."""
        notes = []
        for space, seq in unfinished(self._file):
            try:
                self._dependencies.forget_in_graph(space)
            except MeridiaError as error:
                if space == self._space:
                    notes.append(f"the graph still has the forgotten memories: {error}")
                continue
            try:
                if finish(self._file, space, seq):
                    continue
                why = "others read the file"
            except MeridiaError as error:
                why = str(error)
            notes.append(f"{why}: its free pages are cleaned the next time it is opened")
        return notes

    def _derive(self, selection: Selection) -> Drafts:
        """Look at what is to be forgotten; return what takes it out of the adjacency afterwards.

        And makes the entries that take its place.
        """
        thresholds = self._dependencies.thresholds
        if not selection.everything:
            Adjacency(self._file).catch_up(self._space)
        again = derive_again(self._file, self._space, thresholds, selection)
        removal = GraphEraser(self._file, self._space)
        touched = removal.look([] if selection.everything else selection.entry_ids)

        def drafts() -> Sequence[EntryDraft]:
            if selection.everything:
                Adjacency(self._file).clear(self._space)
            else:
                self._note(removal.remove(touched))
            return again()

        return drafts

    def _note(self, removal: Removal | None) -> None:
        seq = newest_forgetting(self._file, self._space)
        for entry in self._file.journal.read(self._space, seq - 1, 1):
            self._dependencies.note_removal(self._space, entry.id, removal)

    def _resolved(self, request: ForgettingRequest) -> ForgettingRequest:
        """Return a request with the name of the person as it is known."""
        if request.person is None:
            return request
        listed = [person.display_name for person in self._file.space(self._space).people.list_all()]
        people = self._dependencies.people()
        person = people.find(request.person)
        if person is not None:
            return replace(request, person=person.name, answers=self._answers(person.name))
        for name in listed:
            if fold(name) == fold(request.person):
                return replace(request, person=name, answers=self._answers(name))
        names = [*listed, *(person.name for person in people.people)]
        near = near_names(request.person, dict.fromkeys(names))
        raise UnknownPerson(Stranger(request.person, near))

    def _answers(self, person: str) -> list[int]:
        """Return what the agent and its tools said to a person, in the sessions they spoke in."""
        catalog, space = self._file.catalog, self._space
        spoken = catalog.fetch(space, catalog.matching(space, Filters(person=person))).values()
        names = {memory.person for memory in spoken}
        streams = {session_id(space, memory.session) for memory in spoken if memory.session}
        told = catalog.in_sessions(space, sorted(streams), Filters(), sys.maxsize)
        told.sort(key=lambda memory: (memory.at, memory.seq))
        whom = addressees(told, self._file.space(space).identities.directory().speakers)
        return [memory.seq for memory, name in zip(told, whom, strict=True) if name in names]

    def _named_in(self, request: ForgettingRequest, erased: Erased) -> list[str]:
        """Return the memories that stay and name the person, by their addresses."""
        if request.person is None:
            return []
        people = self._dependencies.people()
        person = people.find(request.person)
        names = [n for n, who in people.aliases.items() if who == person] or [request.person]
        index, gone = self._file.space(self._space).full_text, set(erased.selection.seqs)
        phrases = set().union(*map(self._file.analyser.readings, names))
        seqs = sorted({seq for terms in phrases for seq in index.phrase(terms)} - gone)
        memories = self._file.catalog.fetch(self._space, seqs)
        named = [memory for memory in memories.values() if _names(people, memory.text, person)]
        return [memory.uri for memory in named]

    @contextmanager
    def _leased(self) -> Iterator[None]:
        """Let nobody enrich the space meanwhile."""
        owner, held = work.new_owner(), self._file.space(self._space).leases
        deadline = time.monotonic() + _WAIT_S
        while not held.take(LEASE, owner, self._file.clock()):
            if time.monotonic() > deadline:
                raise Unavailable(
                    f"space {self._space!r} is being enriched: try again when that is done"
                )
            time.sleep(_POLL_S)
        try:
            yield
        finally:
            held.release(LEASE, owner)


def _names(people: Gazetteer, text: str, person: object) -> bool:
    return person is None or person in people.named_in(text)


#: Stands for any kind.
_ANY = "*"


def periods_of(keep: Sequence[str]) -> dict[str | None, float]:
    """Return how many days events of a kind are kept; None is any kind.

    Raises `InvalidInput` for what is no kind and number of days.
    """
    periods: dict[str | None, float] = {}
    for rule in keep:
        kind, _, written = rule.partition("=")
        try:
            days = float(written)
        except ValueError:
            days = 0.0
        if not kind or not 0 < days < inf:
            raise InvalidInput(
                f"ingest.keep: {rule!r} is not of the form KIND=DAYS, such as tool_result=30"
            )
        periods[None if kind == _ANY else kind] = days
    return periods


def retain(
    file: Store, space: Space, keep: Sequence[str], forget: Callable[[ForgettingRequest], object]
) -> int:
    """Forget what is older than it is kept; return how many rules had anything to forget."""
    now = file.clock()
    due = [
        ForgettingRequest(kind=kind, before=before)
        for kind, days in periods_of(keep).items()
        if is_any_before(file, space, kind, before := ago(now, days))
    ]
    for request in due:
        forget(request)
    return len(due)
