"""Builds packs: the context that an agent needs to continue, with citations and within a budget.

A pack reads the journal and its projections as of one moment and one sequence, so that it can be
issued again. Its request, its citations and its hash are stored, but never its text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import fmean

from ..core.calls.arguments import checked
from ..core.errors import InvalidInput, NotFound, Stranger, UnknownPerson
from ..core.ids import time_of_id
from ..core.people import Gazetteer
from ..core.text import check_text, shorten
from ..core.time import from_text, to_text
from ..core.types import TOKENS_MAX, Filters, Json, MemoryRecord, Payload, Seq, Space
from ..language.audience import sessions_of_several
from ..models.model_types import Model
from ..retrieval.ranking.contributions import Evidence
from ..retrieval.recall_result import Recall
from ..storage.cutoff import Cutoff
from ..storage.store import Store
from . import modes
from .composer import FittedPack, PackScope, compose, head_of, shown_name
from .experience_views import ExperienceView, concerning, read_back, shared
from .layout import TokenCounter, cited, estimate_tokens
from .modes import STRATEGIES, MemoryScope, Mode, Signals, Strategy, detect
from .pack import Pack, PackMetadata, PackQuality, citation_of
from .prose import Prose, render_prose
from .relationship_summary import find_person

#: A core summary changes after this many new memories.
TENS = 10


class SnapshotReader:
    """Reads a space as of a time (what had happened) and a sequence (what was recorded)."""

    def __init__(self, file: Store, space: Space, at: datetime, seq: int) -> None:
        self._file = file
        self._space = space
        self.at = at
        self.seq = seq
        self.then = Cutoff(at, Seq(seq), Seq(seq))

    def newest(self, limit: int, *, person: str | None = None) -> list[MemoryRecord]:
        """Return the newest visible memories, newest first; with `person`, only theirs."""
        return self._file.catalog.newest(
            self._space, self.then.bound(Filters(person=person)), limit
        )

    def shared_with(self, person: str, limit: int) -> list[MemoryRecord]:
        """Return the experiences of the sessions in which a person spoke, newest first."""
        spoken = self.newest(limit, person=person)
        return shared(self._file, self._space, spoken, self.then, limit)

    def fetch(self, seqs: Iterable[int]) -> list[MemoryRecord]:
        """Return the memories of some sequences."""
        return list(self._file.catalog.fetch(self._space, seqs).values())

    def tens(self, limit: int) -> list[MemoryRecord]:
        """Return the newest of the memories that a core summary covers: full tens."""
        seqs = self._file.catalog.matching(self._space, self.then.bound(Filters()))
        return self.fetch(seqs[: len(seqs) // TENS * TENS][-limit:])

    def read(self, memories: Sequence[MemoryRecord]) -> list[ExperienceView]:
        """Return memories with all that was known about them by the sequence, oldest first."""
        return read_back(self._file, self._space, memories, self.then)


_TITLE_CHARS = 60
#: A memory that scores below this share of the best does not belong to the topic.
_TOPIC_SHARE_MIN = 0.5
_TITLES = {
    Mode.SESSION_BOOTSTRAP: "Where we are",
    Mode.TOPIC_REENTRY: "Back to {about}",
    Mode.RELATIONSHIP_RESUMPTION: "{about} is back",
    Mode.REFLECTION: "Looking back",
    Mode.CRISIS: "After a break",
    Mode.CORE_SUMMARY: "The core",
}


@dataclass(frozen=True, slots=True)
class PackRequest:
    """A request for a pack; None means that the mode decides.

    `as_of` is a time (what had happened) or a sequence (what was known). `count` counts tokens.
    """

    mode: str | None = None
    person: str | None = None
    query: str | None = None
    tokens: int | None = None
    as_of: datetime | int | None = None
    count: TokenCounter | None = None

    def check(self) -> None:
        """Raise `InvalidInput` if the person or the query is empty or not valid text."""
        for name, text in {"person": self.person, "query": self.query}.items():
            check_text(name, text or "")
            if text is not None and not text.strip():
                raise InvalidInput(f"{name} is empty: give a {name}, or omit it")


@dataclass(frozen=True, slots=True)
class PackDependencies:
    """The parts of a memory that packs need.

    `catch_up` returns notes on what is not enriched yet; `recall(question, limit, as_of,
    known_at)` answers a question; `clean` removes secrets from a text; `keep` says whether packs
    are stored. `model` opens the language model, if the settings name one; it has `prose_s`
    seconds for prose.
    """

    people: Callable[[], Gazetteer]
    catch_up: Callable[[], Sequence[str]]
    recall: Callable[[str, int, datetime, int], Recall]
    new_id: Callable[[], str]
    clean: Callable[[str], str] = str
    keep: bool = True
    model: Callable[[], Model | None] = lambda: None
    prose_s: float = 15.0


@dataclass(frozen=True, slots=True)
class _ResolvedRequest:
    """A request with every choice made, so that the pack can be composed again."""

    id: str
    mode: Mode
    why: str
    person: str | None
    query: str | None
    tokens: int
    at: datetime
    seq: int
    recalled: Sequence[tuple[int, float, bool, bool]] = ()

    def as_json(self) -> dict[str, Json]:
        return {
            "why": self.why,
            "person": self.person,
            "query": self.query,
            "tokens": self.tokens,
            "as_of": to_text(self.at),
            "seq": self.seq,
            "found": [list(hit) for hit in self.recalled],
        }


@checked
class PackBuilder:
    """Makes the packs of one space, reissues them, and reports their quality."""

    def __init__(self, file: Store, space: Space, dependencies: PackDependencies) -> None:
        self._file = file
        self._space = space
        self._dependencies = dependencies

    def make(self, request: PackRequest) -> Pack | Stranger | None:
        """Return a pack; None if there are no memories, a `Stranger` for an unknown person.

        Raises `InvalidInput` for an unknown mode and for a budget without room for one line.
        """
        notes = tuple(self._dependencies.catch_up())
        try:
            resolved = self._resolve(request)
        except UnknownPerson as error:
            return replace(error.stranger, notes=notes)
        if resolved is None:
            return None
        pack = self._compose(resolved, request.count or estimate_tokens)
        if pack is not None and self._dependencies.keep:
            body: dict[str, Json] = {"pack": pack.id, "mode": pack.mode.value, "hash": pack.hash}
            body |= {"cited": list(pack.cited), "ids": [c.uri for c in pack.citations]}
            body |= {"quality": pack.quality.as_json(), "ask": resolved.as_json()}
            self._file.space(self._space).packs.add(body)
        return replace(pack, notes=notes) if pack is not None and notes else pack

    def reissue(self, id: str, count: TokenCounter | None = None) -> Pack:
        """Compose an earlier pack again from the journal: the same text, with the same hash.

        Memories erased since then are not in it. A pack made with another `count` needs the same
        one. Raises `NotFound` if no pack is stored under `id`.
        """
        record = self._record(id)
        request = record["ask"]
        resolved = _ResolvedRequest(
            id=record["pack"],
            mode=modes.mode_of(record["mode"]),
            why=request["why"],
            person=request["person"],
            query=request["query"],
            tokens=request["tokens"],
            at=from_text(request["as_of"]),
            seq=request["seq"],
            recalled=[(seq, near, *by) for seq, near, *by in request["found"]],
        )
        pack = self._compose(resolved, count or estimate_tokens)
        if pack is None:
            raise NotFound(f"pack {id} is empty now: all memories it cited were erased")
        return pack

    def prose(self, pack: Pack, count: TokenCounter | None = None) -> Prose:
        """Return a pack as prose, written by the model of the settings or else by rule.

        A model's text is used only if every paragraph cites what the pack cites and the text fits
        the pack's budget. Prose is not stored.
        """
        model = self._dependencies.model()
        try:
            prose = render_prose(pack, model, self._dependencies.prose_s, count or estimate_tokens)
        finally:
            if model is not None:
                model.close()
        if prose.record is not None:
            outcome = str(prose.record["outcome"])
            self._file.trace.write(self._space, "model", outcome, pack.id, prose.record)
        return prose

    def recorded_hash(self, id: str) -> str:
        """Return the hash that a pack had when it was made."""
        return str(self._record(id)["hash"])

    def quality(self, limit: int = 100) -> list[Payload]:
        """Return `pack`, `mode`, `as_of`, `hash` and quality of the latest packs, newest first."""
        return [
            {"pack": record["pack"], "mode": record["mode"], "as_of": record["ask"]["as_of"]}
            | {"hash": record["hash"], "cited": len(record["cited"])}
            | record["quality"]
            for record in self._file.space(self._space).packs.latest(limit)
        ]

    def quality_over_time(self, limit: int = 1000) -> list[Payload]:
        """Return by week how many of the latest packs were made and their mean quality.

        Oldest first: `week`, `packs`, and the means of what `quality` tells of each.
        """
        weeks: dict[str, list[Payload]] = defaultdict(list)
        for record in reversed(self._file.space(self._space).packs.latest(limit)):
            year, week, _ = time_of_id(record["pack"]).isocalendar()
            weeks[f"{year}-W{week:02}"].append(record["quality"])
        return [
            {"week": week, "packs": len(rows)}
            | {name: round(fmean(row[name] for row in rows), 3) for name in rows[0]}
            for week, rows in weeks.items()
        ]

    def _record(self, id: str) -> Payload:
        record = self._file.space(self._space).packs.find(id.removeprefix("meridia://"))
        if record is None:
            raise NotFound(f"no pack {id!r} is stored in space {self._space!r}")
        return record

    def _resolve(self, request: PackRequest) -> _ResolvedRequest | None:
        """Choose what the request leaves open: moment, sequence, mode, budget, memories found.

        Return None if nothing had happened by then.
        """
        request.check()
        head = self._file.journal.head(self._space).seq
        seq = request.as_of if isinstance(request.as_of, int) else head
        at = request.as_of if isinstance(request.as_of, datetime) else self._file.clock()
        reader = SnapshotReader(self._file, self._space, at, seq)
        newest = reader.newest(1)
        if not newest:
            if request.person is not None and request.as_of is None:
                raise UnknownPerson(Stranger(request.person))
            return None
        if isinstance(request.as_of, int):  # use the time of its last event
            reader = SnapshotReader(self._file, self._space, newest[0].at, seq)
        person = self._resolve_person(request.person)
        mode, why = self._mode(request, person, reader, newest[0])
        if mode is Mode.RELATIONSHIP_RESUMPTION and person is None:
            raise InvalidInput("mode relationship_resumption needs a person: name one")
        if mode is Mode.TOPIC_REENTRY and request.query is None:
            raise InvalidInput("mode topic_reentry needs a topic: give a query")
        strategy = STRATEGIES[mode]
        tokens = strategy.tokens if request.tokens is None else request.tokens
        if not 1 <= tokens <= TOKENS_MAX:
            raise InvalidInput(f"tokens {tokens} is out of range: give 1 to {TOKENS_MAX:,}")
        return _ResolvedRequest(
            id=self._dependencies.new_id(),
            mode=mode,
            why=why,
            person=person,
            query=None if request.query is None else self._dependencies.clean(request.query),
            tokens=tokens,
            at=reader.at,
            seq=seq,
            recalled=self._recalled(request.query, strategy, reader),
        )

    def _resolve_person(self, name: str | None) -> str | None:
        people = self._dependencies.people
        return name and find_person(self._file, self._space, people(), name)[0].name

    def _mode(
        self, request: PackRequest, person: str | None, reader: SnapshotReader, last: MemoryRecord
    ) -> tuple[Mode, str]:
        gap_h = (reader.at - last.at).total_seconds() / 3600
        broken = last.session or "?" if last.kind == "tool_result" else None
        return detect(Signals(request.mode, person, request.query, broken, gap_h))

    def _recalled(
        self, query: str | None, strategy: Strategy, reader: SnapshotReader
    ) -> list[tuple[int, float, bool, bool]]:
        """Return a recall's hits: sequence, relevance 0 to 1, found by meaning, by the graph."""
        if query is None or strategy.retrieval.scope is not MemoryScope.QUESTION:
            return []
        recall = self._dependencies.recall(
            query, strategy.retrieval.memories_max, reader.at, reader.seq
        )
        hits = recall.usable
        best = max((hit.score for hit in hits), default=0.0)
        worst = min((hit.score for hit in hits), default=0.0)
        recalled = []
        for hit in hits:
            if hit.score < _TOPIC_SHARE_MIN * best:
                continue
            near = (hit.score - worst) / (best - worst) if best > worst else 1.0
            reasons = [leaf for leaf in hit.trace.leaves() if leaf.value > 0]
            by_graph = any(leaf.edge is not None for leaf in reasons)
            by_meaning = any(leaf.evidence is Evidence.MEANING for leaf in reasons)
            recalled.append((int(hit.memory.seq), round(near, 6), by_meaning, by_graph))
        return recalled

    def _compose(self, resolved: _ResolvedRequest, count: TokenCounter) -> Pack | None:
        strategy = STRATEGIES[resolved.mode]
        reader = SnapshotReader(self._file, self._space, resolved.at, resolved.seq)
        memories = _memories(reader, resolved, strategy)
        of = resolved.person if strategy.retrieval.scope is MemoryScope.PERSON else None
        everybody = reader.read(memories)
        views = everybody if of is None else concerning(everybody, of)
        if not views:
            return None
        is_core = resolved.mode is Mode.CORE_SUMMARY  # its text must not depend on the time
        at = views[-1].memory.at if is_core else resolved.at
        title = head_of(_title(resolved), views, of, at, resolved.tokens)
        relevance = {seq: near for seq, near, *_ in resolved.recalled}
        found = {memory.session for memory in memories} if relevance else set()
        scope = PackScope(
            strategy,
            of,
            at,
            title,
            relevance,
            everybody,
            found or sessions_of_several(memories),
        )
        fitted = compose(scope, views, self._file.analyser, resolved.tokens, count)
        return _pack(resolved, views, fitted)


def _memories(
    reader: SnapshotReader, resolved: _ResolvedRequest, strategy: Strategy
) -> list[MemoryRecord]:
    look = strategy.retrieval
    if look.scope is MemoryScope.PERSON and resolved.person is not None:
        return reader.shared_with(resolved.person, look.memories_max)
    if look.scope is MemoryScope.QUESTION:
        return reader.fetch(seq for seq, *_ in resolved.recalled)
    if look.scope is MemoryScope.TENS:
        return reader.tens(look.memories_max)
    return reader.newest(look.memories_max)


def _title(resolved: _ResolvedRequest) -> str:
    about = shorten(resolved.person or resolved.query or "", _TITLE_CHARS)
    title = _TITLES[resolved.mode].format(about=shown_name(about))
    return title[:1].upper() + title[1:]


def _pack(resolved: _ResolvedRequest, views: Sequence[ExperienceView], fitted: FittedPack) -> Pack:
    memories = cited(fitted.sections)
    felt = {view.memory.seq for view in views if view.signature is not None}
    anchored = {view.memory.seq for view in views if view.phenomenology.anchors}
    sources = _sources(resolved, memories)
    sessions = {memory.session for memory in memories if memory.session is not None}
    times = [memory.at for memory in memories]
    meta = PackMetadata(
        records=len(memories),
        sessions=len(sessions),
        first=min(times, default=None),
        last=max(times, default=None),
        sources=sources,
        tokens=fitted.tokens,
        tokens_max=resolved.tokens,
        truncated=bool(fitted.omitted),
    )
    quality = PackQuality(
        budget_use=fitted.tokens / resolved.tokens,
        source_diversity=sum(1 for count in sources.values() if count) / len(sources),
        anchor_coverage=sum(m.seq in anchored for m in memories) / max(len(memories), 1),
        phenomenology_coverage=sum(m.seq in felt for m in memories) / max(len(memories), 1),
    )
    return Pack(
        id=resolved.id,
        mode=resolved.mode,
        why=resolved.why,
        person=resolved.person,
        query=resolved.query,
        at=resolved.at,
        seq=resolved.seq,
        text=fitted.text,
        tokens=fitted.tokens,
        cited=[memory.event_id for memory in memories],
        omitted=fitted.omitted,
        sections=fitted.sections,
        strongest=fitted.strongest,
        citations=[citation_of(memory) for memory in memories],
        meta=meta,
        quality=quality,
    )


def _sources(resolved: _ResolvedRequest, memories: Sequence[MemoryRecord]) -> dict[str, int]:
    """Count the cited memories: all, those that edges led to, those that meaning found."""
    cited_seqs = {memory.seq for memory in memories}
    by_meaning = {seq for seq, _, meaning, _ in resolved.recalled if meaning}
    by_graph = {seq for seq, _, _, graph in resolved.recalled if graph}
    return {
        "canonical": len(cited_seqs),
        "graph": len(cited_seqs & by_graph),
        "vector": len(cited_seqs & by_meaning),
    }
