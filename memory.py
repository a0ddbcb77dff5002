"""The public class `Memory`: opens the components of one journal and calls them.

It contains no rules. What it caches (views, vectors, graph stores) can be rebuilt. Operations of
one subject stand in groups, such as `memory.graph`: see `memory_groups`.
"""

from __future__ import annotations

import builtins
import copy
import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from . import memory_groups
from .components import MemoryComponents, following
from .core import events, settings_loader
from .core.calls.arguments import checked
from .core.errors import InvalidInput, MeridiaError, NotFound, Stranger
from .core.ids import RandomBytes, uuid7
from .core.results import Listing
from .core.time import Clock, When, read_point, read_time, system_clock
from .core.types import (
    Acknowledgement,
    Artifact,
    Filters,
    HasContent,
    MemoryRecord,
    Outcome,
    Page,
    Space,
    memories_of,
)
from .core.vocabulary import ANEW, Emotion, Engagement, word_of
from .graph import maintenance
from .ingest import message_event
from .ingest.forgetting import forgetting_service
from .ingest.importers import import_reader
from .resume import builder, reflection, space_history
from .retrieval import recall_service
from .retrieval.rerank import facets, reranker
from .storage import upkeep
from .storage.forgetting import erasure
from .storage.projections import catalog

if TYPE_CHECKING:
    from .core.events import Event
    from .core.ports import Table, VectorSource
    from .core.settings import Settings
    from .graph.adjacency import Adjacency
    from .ingest.background_enrichment import BackgroundEnrichment
    from .ingest.capture.commit import CaptureContext
    from .ingest.capture.service import CaptureSummary, OnAnswer
    from .ingest.curation import CurationService
    from .ingest.enrichment.passes import Progress
    from .ingest.enrichment.worker import EnrichmentWorker
    from .ingest.fanout.dispatcher import SpaceSinks
    from .ingest.feedback.service import FeedbackService
    from .ingest.forgetting.forgetting_service import ForgettingResult, ForgettingService
    from .ingest.ideas import IdeaService
    from .ingest.importers.import_options import ImportOptions
    from .ingest.importers.import_record import ImportRecord
    from .memory_groups import Graph, People, Upkeep
    from .models.tokens import Embedder
    from .resume.builder import PackBuilder
    from .resume.experience_kit import ExperienceKit
    from .resume.layout import TokenCounter
    from .resume.pack import Pack
    from .resume.space_history import SpaceHistory
    from .retrieval.explain.recall_explainer import RecallExplainer
    from .retrieval.plans.plan_service import PlanResult, PlanService
    from .retrieval.recall_result import Recall
    from .storage.projections.catalog import ActivitySummary
    from .storage.store import Store


@following
@checked
class Memory:
    """A memory over one SQLite journal. Use `Memory.open`; safe to share between threads."""

    def __init__(
        self,
        path: Path | None,
        space: str,
        settings: Settings,
        clock: Clock = system_clock,
        random_bytes: RandomBytes = os.urandom,
        embedder: Embedder | None = None,
    ) -> None:
        """Open the parts; `embedder` replaces the sentence encoder that is loaded on first use."""
        self.space = Space(space)
        self.settings = settings
        self._clock, self._random_bytes = clock, random_bytes
        self._components = MemoryComponents(path, settings, clock, random_bytes, embedder)
        self._file = self._components.file
        self._components.open_space(self.space)
        if upkeep.unfinished(self._file):
            self._forgetting().resume()
            self._file.tell_replicas()

    @classmethod
    def open(
        cls,
        path: os.PathLike[str] | str | None = None,
        space: str = "default",
        settings: Settings | None = None,
        *,
        enrich: str = "background",
    ) -> Memory:
        """Open or create the memory whose journal is the file `path`; default: in memory.

        The names of companion files start with the journal's; only their owner can read them.
        `settings` default to those of the file and the environment (`meridia config` shows them).
        A background thread enriches captured events until the memory is closed or the process
        ends; with `enrich="manual"`, only `enrich()` and waiting for enrichment do so.
        """
        if enrich not in ("background", "manual"):
            raise InvalidInput(f"enrich={enrich!r} is not known: give background or manual")
        chosen = settings or settings_loader.load().settings
        memory = cls(None if path is None else Path(path), space, chosen)
        memory._components.manual = enrich == "manual"
        return memory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish writing and release every file and connection."""
        self._components.close()

    def in_space(self, space: str) -> Memory:
        """Return a memory for another space; both share all parts, and closing one closes both."""
        other = copy.copy(self)
        other.space = Space(space)
        self._components.open_space(other.space)
        return other

    # Writing: every method returns after the commit

    def remember(
        self,
        text: str | Mapping[str, Any] | HasContent,
        *,
        person: str | None = None,
        session: str | None = None,
        at: When | None = None,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        artifacts: Sequence[Artifact | Mapping[str, Any]] = (),
        role: str = "user",
        tool: str | None = None,
        error: bool = False,
    ) -> Acknowledgement:
        """Remember what `person` said, or what an agent or a tool did.

        `person` is the speaker: leave it out for the agent's own answers, also those to a person.
        `role` is user, assistant, tool (with the name of the `tool`, and `error` if it failed),
        note or system, or as others call these: human, ai, model, function, developer. `at` is a
        time (default: now); `id` is the caller's own: the same id with the same content is one
        memory, with other content a `Conflict` (see `upsert`). `artifacts` are files, links and
        images by `uri` and `description`; `where` filters by `metadata`. `text` may also be one
        message as OpenAI, Anthropic or LangChain write it. Raises `InvalidInput` for an empty
        text.
        """
        if not isinstance(text, str):
            more = {"at": at, "id": id, "metadata": metadata}
            return self.capture(message_event.read_one(text, person, session, more))
        return self.capture(
            message_event.message_event(
                text, person, session, at, id, metadata, artifacts, role, tool, error
            )
        )

    def remember_many(
        self,
        messages: Iterable[Mapping[str, Any] | HasContent],
        *,
        person: str | None = None,
        session: str | None = None,
    ) -> builtins.list[Acknowledgement]:
        """Remember messages, all or none; return an acknowledgement for each event, in order.

        Each is a mapping of `remember`'s arguments, or a message as OpenAI, Anthropic or LangChain
        write it, perhaps with `person`, `session`, `at`, `metadata`. A tool call is stored with
        its result; an empty message is not an event. `person` and `session` are for messages
        without one. Raises `InvalidInput` or `Conflict`, which names the first wrong message.
        """
        drafts = message_event.MessageReader(person, session).read(messages)
        return self._components.capture.capture_atomically(self.space, drafts)

    def update(
        self,
        id: str,
        text: str,
        *,
        at: When | None = None,
        metadata: Mapping[str, Any] | None = None,
        version_id: str | None = None,
    ) -> Acknowledgement:
        """Correct a memory: from now on `text` is found instead; `history` shows both.

        Person, session, role and metadata are those of the earlier version; `metadata` adds to
        them. Nothing is lost: the earlier version stays in the journal and under its own address.
        `version_id` is the caller's id for the new version; the same id again, even after later
        versions, adds no version.
        Raises `NotFound` for an unknown id.
        """
        seq = int(self.get(id).seq)  # before the lock, for which the keeper of answers may wait
        with self._file.writing():
            there = self._file.catalog.versions(self.space, seq)
            before = message_event.version_before(there, id, version_id)
            given = {"metadata": {**before.metadata, **(metadata or {})}}
            return self.capture(
                message_event.next_version(before, text, {"at": at, "id": version_id} | given)
            )

    def upsert(
        self,
        id: str,
        text: str,
        *,
        person: str | None = None,
        session: str | None = None,
        at: When | None = None,
        metadata: Mapping[str, Any] | None = None,
        artifacts: Sequence[Artifact | Mapping[str, Any]] | None = None,
        role: str | None = None,
        tool: str | None = None,
    ) -> Acknowledgement:
        """Set the text of the memory under the caller's own `id`, whether it exists or not.

        A new id is remembered, as by `remember`. Other content under a known id is its next
        version, as by `update`: omitted arguments keep their values; given `metadata` replaces
        the earlier metadata. The same content is acknowledged again. An id that was forgotten
        starts again, even with the same content. Afterwards `get(id)` has this text.
        """
        if catalog.is_address(id):
            raise InvalidInput(f"{id!r} is an address: upsert takes an id of your own")
        given: dict[str, Any] = {"person": person, "session": session, "at": at, "role": role}
        given |= {"metadata": metadata, "artifacts": artifacts, "tool": tool}
        with self._file.writing():
            try:
                before = catalog.find_memory(self._file.catalog, self._file.trace, self.space, id)
            except NotFound:
                return self._begin(id, text, given)
            event = events.parse_event(message_event.next_version(before, text, given))
            if self._components.capture.says_the_same(self.space, event, before):
                return Acknowledgement(before.seq, before.id, id, Outcome.REDELIVERED)
            return dataclasses.replace(self.capture(event), event_id=id)

    def _begin(self, id: str, text: str, given: Mapping[str, Any]) -> Acknowledgement:
        fields = {name: value for name, value in given.items() if value is not None}
        event = checked(message_event.message_event)(text, id=id, **fields)
        answer = self.capture(event)
        if not answer.forgotten:
            return answer
        # Not sent again by a file or a queue: said anew by somebody, after it was forgotten.
        return self.capture({**event, ANEW: self._file.journal.head(self.space).seq})

    def forget(
        self,
        *,
        person: str | None = None,
        session: str | None = None,
        ids: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        kind: str | None = None,
        before: When | None = None,
        dry_run: bool = False,
    ) -> ForgettingResult:
        """Forget the memories that match all given filters, everywhere and for good.

        `person`: everything that they said and were told. `ids`: ids or addresses. `before`: what
        happened before a time. With `dry_run`, only return what would be erased, and from where. A
        corrected memory is forgotten with all its versions. Raises `InvalidInput` without a filter,
        `UnknownPerson`, and `NotFound` for an unknown session or id. See docs/forgetting.md.
        """
        events.check_kind(kind)
        seqs = None if ids is None else [int(self.get(id).seq) for id in ids]
        request = erasure.ForgettingRequest(
            person, session, seqs, where or None, kind, read_time(before, "before")
        )
        if request.scope == "space":
            raise InvalidInput(
                "nothing is selected: give a person, session, ids, where, kind or before; "
                "`forget_space`, or --all, forgets everything"
            )
        return self._forget(request, dry_run)

    def forget_space(self, *, dry_run: bool = False) -> ForgettingResult:
        """Forget everything in the space; its name stays, and forgotten events stay out."""
        return self._forget(erasure.ForgettingRequest(), dry_run)

    def _forget(self, request: erasure.ForgettingRequest, dry_run: bool) -> ForgettingResult:
        if not dry_run:
            self._components.carry_arrays(self.space)
        result = self._forgetting().forget(request, dry_run=dry_run)
        if result.receipt is not None:
            if self._components.background.manual:
                self.enrich()
            self._components.background.notify(self.space)
        return result

    def capture(self, event: Event | Mapping[str, Any]) -> Acknowledgement:
        """Capture one event in the native form: `kind` and `payload` are required."""
        return self._components.capture.capture_event(self.space, events.parse_event(event))

    def capture_many(
        self, given: Iterable[Event | Mapping[str, Any]]
    ) -> builtins.list[Acknowledgement | MeridiaError]:
        """Capture events in the native form in one transaction; each has its own answer."""
        answers: dict[int, Acknowledgement | MeridiaError] = {}
        parsed: dict[int, Event] = {}
        for place, event in enumerate(given):
            try:
                parsed[place] = events.parse_event(event)
            except InvalidInput as error:
                answers[place] = error
        captured = self._components.capture.capture_events(self.space, list(parsed.values()))
        answers |= zip(parsed, captured, strict=True)
        return [answers[place] for place in sorted(answers)]

    def explain(self, event: Event | Mapping[str, Any]) -> CaptureContext:
        """Return the decision that an event would get now, and why; store nothing."""
        return self._components.capture.explain(self.space, events.parse_event(event))

    def import_file(
        self,
        source: Path | BinaryIO,
        format: str | None = None,
        space: str | None = None,
        options: ImportOptions | None = None,
    ) -> CaptureSummary:
        """Capture every event of a file, folder, zip archive or binary stream.

        The format is detected from the content. Events go to `space`, else to the space that the
        format suggests, else to this memory's. Refused events are counted, and the others are
        stored; `read` of the result says how the input was read, and what was left out.
        """
        with import_reader.read(source, format, options=options) as records:
            return dataclasses.replace(self.import_records(records, space), read=records.report)

    def import_records(
        self,
        records: Iterable[ImportRecord],
        space: str | None = None,
        on_answer: OnAnswer | None = None,
    ) -> CaptureSummary:
        """Capture records of an importer; see `import_file`.

        The last record ends the sessions that are still open.
        """
        into = None if space is None else Space(space)
        return self._components.capture.take_in(records, into, self.space, on_answer)

    # Reading

    def recall(
        self,
        question: str,
        *,
        limit: int | None = None,
        person: str | None = None,
        session: str | None = None,
        kind: str | None = None,
        since: When | None = None,
        until: When | None = None,
        where: Mapping[str, Any] | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        hints: Mapping[str, Any] | None = None,
        current_session: str | None = None,
        profile: str | None = None,
        policy: str | None = None,
        random_seed: int | None = None,
        keep: bool = True,
        wait_s: float | None = None,
    ) -> Recall:
        """Return the memories that answer `question`, best first, each with its reasons.

        `limit` is 1 to 1,000. Filters narrow the results. `as_of` is a time (what had happened by
        then) or a journal sequence (what was recorded by then); `known_at`, together with a time,
        limits what was recorded, by a sequence or a time of recording. `hints` are for reranking
        (docs/rerank.md), `current_session` is the asking session (docs/associative.md). `profile`
        and `policy` replace those of the settings; `random_seed` is the seed of draws. Without
        `keep` the answer cannot be explained later. Memories that are not enriched yet are found
        by their words and counted in `unread`; `wait_s` waits at most that long for enrichment.
        """
        count = self.settings.recall.usual_limit if limit is None else limit
        if not 1 <= count <= 1000:
            raise InvalidInput(f"limit {count} is out of range: give 1 to 1000")
        events.check_kind(kind)
        since, until = read_time(since, "since"), read_time(until, "until")
        filters = Filters(person, session, kind, since, until, where=where)
        filters.conditions()
        notes = self._components.catch_up(self.space, wait_s)
        happened, known = read_point(as_of, "as_of"), read_point(known_at, "known_at")
        recorded_seq = self._file.catalog.sequence(self.space, known)
        asked = None if hints is None else reranker.validate_hints(hints)
        request = recall_service.RecallRequest(
            question,
            count,
            filters,
            happened,
            recorded_seq,
            random_seed,
            hints=asked,
            current_session=current_session,
        )
        opened = self._components
        enriched = opened.enrichment_state.cursor(self.space)
        behind = opened.enrichment_state.behind(self.space)
        people = opened.people.of(self.space)
        info = recall_service.SpaceInfo(people, enriched, notes, *behind)
        service = self._recall_service(profile, policy, keep)
        with opened.background.resting():
            return service.answer(self.space, self._new_id(), request, opened.embedder(), info)

    def _recall_service(
        self, profile: str | None, policy: str | None, keep: bool
    ) -> recall_service.RecallService:
        """Return what answers, with the settings of one call in the place of the usual ones."""
        usual = self._components.recalls
        if not (profile or policy) and keep:
            return usual
        store = keep and self.settings.recall.keep
        given = {"recall.profile": profile, "recall.policy": policy, "recall.keep": store}
        return usual.with_settings(settings_loader.changed(self.settings, given).recall)

    def get(self, id: str) -> MemoryRecord:
        """Return one memory by an id or address; raise `NotFound` if there is none.

        Meridia's or the caller's id gives the memory with all corrections, and the caller's id as
        its `event_id`. `@SEQ`, which packs and lists cite, and `meridia://ID` are the address of
        one version: `superseded_by` is the sequence of a newer one. `last 3` is the third memory
        of the newest recall.
        """
        return catalog.find_memory(
            self._file.catalog, self._file.trace, self.space, id, self._components.flush
        )

    def history(self, id: str) -> Listing[MemoryRecord]:
        """Return every version of a memory, oldest first: the original and each correction."""
        versions = self._file.catalog.versions(self.space, int(self.get(id).seq))
        return Listing(versions, "version", lambda each: each.line, MemoryRecord.to_dict)

    def holds(self, id: str) -> bool:
        """Return whether `get` finds a memory."""
        try:
            self.get(id)
        except NotFound:
            return False
        return True

    def resolve(self, uri: str) -> ExperienceKit | None:
        """Return the experience kit of the memory at an address, or None (feature 35)."""
        try:
            return self.chronicle.kit(self.get(uri).id)
        except NotFound:
            return None

    def read(self, uri: str) -> str:
        """Return the text at an address: that of a memory, or of a pack, which is issued again.

        `NotFound` where there is neither.
        """
        try:
            return self.get(uri).text
        except NotFound as no_memory:
            try:
                return self.packs.reissue(uri).text
            except NotFound:
                raise no_memory from None

    def list(
        self,
        *,
        person: str | None = None,
        session: str | None = None,
        kind: str | None = None,
        since: When | None = None,
        until: When | None = None,
        where: Mapping[str, Any] | None = None,
        emotion: str | None = None,
        engagement: str | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> Page:
        """Return a page of memories in the order they were captured; `after` continues one.

        `limit` is 1 or more. `emotion` and `engagement` filter by phenomenology (feature 18); an
        unknown word raises `InvalidInput`, which lists the known ones. These two, and the `kind`
        `fact` or `transition`, which lists derived data (see `space_history`), bring enrichment up
        to date first.
        """
        if limit < 1:
            raise InvalidInput(f"limit {limit} is out of range: give 1 or more")
        filters = Filters(
            person,
            session,
            kind,
            read_time(since, "since"),
            read_time(until, "until"),
            where=where,
            emotion=word_of(Emotion, emotion, "emotion"),
            engagement=word_of(Engagement, engagement, "engagement"),
        )
        events.check_kind(kind, *space_history.DERIVED_KINDS)
        is_derived = kind in space_history.DERIVED_KINDS
        if emotion or engagement or is_derived:
            self._components.catch_up(self.space)
        if is_derived:
            return space_history.derived_page(self._file, self.space, filters, after, limit)
        return self._file.catalog.page(self.space, filters, after, limit)

    def facets(self) -> facets.Population:
        """Return how many memories have each facet that `recall.rerank` reads (feature 127).

        Reads every memory of the space.
        """
        counted = (facets.facets_of(dict(m.metadata)) for m in memories_of(self.list))
        return facets.population(counted)

    def resume(
        self,
        person: str | None = None,
        tokens: int = 2000,
        as_of: When | None = None,
        count: TokenCounter | None = None,
    ) -> Pack | Stranger | None:
        """Return a pack for a person who comes back; None if there are no memories.

        Without a name it is the owner of the space, or else the only person who ever spoke;
        `InvalidInput` if there are several. `tokens` is a hard budget, counted by `count` (default:
        four characters a token). `as_of` is a time (what had happened by then) or a journal
        sequence (what was recorded by then). For an unknown person the result is a `Stranger`,
        which is false and has similar names.
        """
        if person is None:
            person = self._file.space(self.space).identities.directory().speakers.who_returns()
        mode, point = "relationship_resumption", read_point(as_of, "as_of")
        return self.packs.make(builder.PackRequest(mode, person, None, tokens, point, count))

    def reconstitute(
        self,
        mode: str | None = None,
        person: str | None = None,
        query: str | None = None,
        tokens: int | None = None,
        as_of: When | None = None,
        count: TokenCounter | None = None,
    ) -> Pack | Stranger | None:
        """Return a pack for an agent that starts or continues work; None if there are no memories.

        The default `mode` is detected: see `resume.modes`. `tokens` is a hard budget (default:
        that of the mode); `count` and `as_of` are as in `resume`.
        """
        point = read_point(as_of, "as_of")
        return self.packs.make(builder.PackRequest(mode, person, query, tokens, point, count))

    def reflect(
        self,
        since: When | None = None,
        until: When | None = None,
        person: str | None = None,
    ) -> reflection.Reflection:
        """Summarise the period from `since` until before `until`.

        With a `person`: only the sessions shared with them; `NotFound` for an unknown person. An
        empty period gives an empty reflection.
        """
        period = read_time(since, "since"), read_time(until, "until")
        self._components.catch_up(self.space)
        self._components.flush()
        return reflection.reflect(self._file, self.space, self.people.known(), period, person)

    def plan(
        self,
        question: str,
        *,
        limit: int | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> PlanResult:
        """Select the sources that answer a question; `planning` loads and checks them."""
        return self.planning.plan(question, limit=limit, as_of=as_of, known_at=known_at)

    def query(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        all_spaces: bool = False,
        wait_s: float | None = None,
        progress: Progress = lambda done, total: None,
    ) -> Table:
        """Run a read-only Cypher statement over the space's graph.

        It answers at once; notes say what is not enriched and how far the graph is behind, and
        `wait_s` waits at most that long for both, while `progress` hears how far the graph is.
        Raises `Refused` before anything runs if the statement could do more than read, and if it
        takes longer than `graph.query_timeout_s`; `InvalidInput` if it is not valid Cypher.
        """
        notes = self._components.catch_up(self.space, wait_s)
        waited = self.settings.recall.wait_s if wait_s is None else wait_s
        notes = [*notes, *self.graph.project_within(waited, progress)]
        self._components.project_vectors(self.space, statement)
        limits = self.settings.graph
        table = self.graph.store().query(
            statement,
            parameters or {},
            limits.query_timeout_s,
            limits.query_rows_max,
            all_spaces=all_spaces,
        )
        return dataclasses.replace(table, notes=(*notes, *table.notes)) if notes else table

    def entities(self, limit: int = 50) -> Listing[space_history.Entity]:
        """Return people, concepts and entities, most shared first; see `space_history`."""
        count = sum(self._file.catalog.kinds(self.space).values())
        rows = self._components.edges.most_shared(self.space, limit)
        weighed = space_history.weigh(rows, count, self.settings.recall.concept_share_max)
        return Listing(weighed, "entity", lambda each: each.line, asdict)

    def sessions(self) -> Listing[ActivitySummary]:
        """Return the sessions of the space in the order they began, by the caller's key."""
        rows = self._file.catalog.sessions(self.space)
        return Listing(rows, "session", lambda each: each.line, lambda each: each.to_dict())

    def spaces(self) -> builtins.list[Space]:
        """Return the spaces of the journal that are not empty."""
        return self._file.journal.spaces()

    # Enrichment

    def enrich(
        self,
        progress: Progress = lambda done, total: None,
        *,
        reembed: bool = False,
        again: bool = False,
    ) -> None:
        """Bring enrichment, full text and adjacency of the space up to date.

        A configured model does what it does better than rules; `upkeep.failures` lists its
        failures. `reembed` adds vectors of the current encoder to those of another one; without
        it, another encoder raises `ModelMismatch`. With `again`, the rules read every message
        again, with all names known by now, and facts that they no longer find are withdrawn.
        """
        if again:
            self._components.enrichment.restart(self.space)
        if reembed:
            self._components.enrichment.reembed(self.space)
        self._components.enrich(self.space, progress)
        self._components.edges.catch_up(self.space)
        self._components.background.failures.pop(self.space, None)
        if keep := self.settings.ingest.keep:
            forgetting_service.retain(self._file, self.space, keep, self._forgetting().forget)

    def catch_up(self, wait_s: float | None = None) -> Sequence[str]:
        """Wait for enrichment, `wait_s` seconds at most; return notes on what is missing.

        `wait_s` is by default the setting `recall.wait_s`.
        """
        return self._components.catch_up(self.space, wait_s)

    def status(self, graph: bool = False) -> maintenance.Status:
        """Return counts and the lag of each projection; with `graph`, the graph's cursor too."""
        return self._components.status(self.space, graph=graph)

    # Operations by subject

    @property
    def people(self) -> People:
        """The people of the space: their names, the history with each, and merges."""
        return memory_groups.People(self._components, self.space)

    @property
    def graph(self) -> Graph:
        """The graph of the space, for upkeep; `query` asks it."""
        return memory_groups.Graph(self._components, self.space)

    @property
    def upkeep(self) -> Upkeep:
        """Maintenance: verify, diagnose, rebuild, copy, try again."""
        return memory_groups.Upkeep(self._components, self.space)

    @property
    def chronicle(self) -> SpaceHistory:
        """The history of the space: arcs, facts, episodes, entities, relations, kits."""
        return self._components.chronicle(self.space)

    @property
    def reasons(self) -> RecallExplainer:
        """Explanations of earlier answers: replay, counterfactuals, why not."""
        return self._components.reasons(self.space)

    @property
    def packs(self) -> PackBuilder:
        """The packs for an agent that comes back: `resume` and `reconstitute` make them."""
        keep, prose_s = self.settings.recall.keep, self.settings.model.prose_s
        opened = self._components
        needed = builder.PackDependencies(
            self.people.known,
            self.catch_up,
            self._recall_as_of,
            self._new_id,
            opened.clean,
            keep,
            opened.model,
            prose_s,
        )
        return builder.PackBuilder(self._file, self.space, needed)

    @property
    def planning(self) -> PlanService:
        """The planner: selects sources for a question, and loads them later; see its `plan`."""
        return self._components.planning(self.space, self.recall)

    @property
    def curation(self) -> CurationService:
        """Decisions of a person about the space: merges of entities, relationships."""
        return self._components.curated(self.space)

    @property
    def ideas(self) -> IdeaService:
        """Pairs of memories that daydreaming proposes: list, approve, reject."""
        return self._components.ideas(self.space)

    @property
    def sinks(self) -> SpaceSinks:
        """Other systems that receive copies: see its `status`, `sync` and `rebuild`."""
        return self._components.sinks(self.space)

    @property
    def vector_source(self) -> VectorSource:
        """The index of vectors that names candidates, as `recall.vector_source` says."""
        return self._components.vector_source(self.settings.recall.vector_source)

    @property
    def feedback(self) -> FeedbackService:
        """Feedback on shown memories: call it to give some; see its `undo` and `rates`."""
        return self._components.feedback(self.space)

    # For upkeep inside one process

    @property
    def parts(self) -> Store:
        """The open journal file, for upkeep: verification, rebuilding, status."""
        return self._file

    @property
    def adjacency(self) -> Adjacency:
        """The adjacency projection, for upkeep."""
        return self._components.edges

    @property
    def enrichment(self) -> EnrichmentWorker:
        """The enrichment worker, for upkeep."""
        return self._components.enrichment

    @property
    def background(self) -> BackgroundEnrichment:
        """Enrichment in the background, for upkeep: it rests while somebody waits for an answer."""
        return self._components.background

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return memory_groups.moved(self, name)

    def _forgetting(self) -> ForgettingService:
        return self._components.forgetting(self.space)

    def _new_id(self) -> str:
        return uuid7(self._clock(), self._random_bytes)

    def _recall_as_of(self, question: str, limit: int, as_of: datetime, known_at: int) -> Recall:
        return self.recall(question, limit=limit, as_of=as_of, known_at=known_at)
