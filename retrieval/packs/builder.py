"""Packs: what an agent needs to go on, within a budget, cited, and the same when asked for again.

Reads the journal and its projections as of one moment and one sequence. What is kept of a pack is
how it was asked for and what it cited, never its text. Nothing here changes what a recall returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ...core.errors import InvalidInput, NotFound
from ...core.people import Gazetteer
from ...core.text import shorten
from ...core.time import from_text, to_text
from ...core.types import Json, MemoryRecord, Payload, Space
from ...models.model_types import Model
from ...storage import pack_records as kept_packs
from ...storage.journal_file import JournalFile
from ..history.experience_views import Cutoff
from ..history.relationship_summary import find_person, summarise_relationship
from ..recall import Recall
from .fit import Fitted, Room, fit
from .layout import Count, Section, cited, tokens_of
from .modes import STRATEGIES, Format, Mode, Reach, Signals, Strategy, detect, mode_of
from .pack import Meta, Pack, Quality, citation_of
from .pack_sections import ANCHORS, KNOWN, day, sections_of
from .person_section import sections_of_story
from .prose import Prose, prose_of
from .selection import Choice
from .snapshot import Seen, Sight

#: The most tokens that a pack may be asked for.
TOKENS_MAX = 200_000
_TITLE_CHARS = 60
#: What a recall finds below this, of its best, is no part of a topic.
_RELEVANCE_MIN = 0.15
_TITLES = {
    Mode.SESSION_BOOTSTRAP: "Where we are",
    Mode.TOPIC_REENTRY: "Back to {about}",
    Mode.RELATIONSHIP_RESUMPTION: "{about} is back",
    Mode.REFLECTION: "Looking back",
    Mode.CRISIS: "After a break",
}


@dataclass(frozen=True, slots=True)
class Ask:
    """What a pack is asked for; None takes what fits, or the mode's own.

    `as_of` is a time (what had happened) or a journal sequence (what was known). `count` counts
    the tokens of a text; without one, four characters are a token.
    """

    mode: str | None = None
    person: str | None = None
    query: str | None = None
    tokens: int | None = None
    as_of: datetime | int | None = None
    count: Count | None = None
    format: str | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """What packs ask of the memory that they belong to.

    `catch_up` brings enrichment up to date; `recall(question, limit, as_of, known_at)` answers;
    `clean` takes out of a text what may not be kept; `keep` says whether packs are kept. `model`
    opens the language model, if the settings name one, that has `prose_s` seconds for prose.
    """

    people: Callable[[], Gazetteer]
    catch_up: Callable[[], object]
    recall: Callable[[str, int, datetime, int], Recall]
    new_id: Callable[[], str]
    clean: Callable[[str], str] = str
    keep: bool = True
    model: Callable[[], Model | None] = lambda: None
    prose_s: float = 15.0


@dataclass(frozen=True, slots=True)
class _Settled:
    """An ask with nothing left open: what makes a pack the same when it is asked for again."""

    id: str
    mode: Mode
    why: str
    format: Format
    person: str | None
    query: str | None
    tokens: int
    at: datetime
    seq: int
    found: Sequence[tuple[int, float, bool, bool]] = ()

    def as_json(self) -> dict[str, Json]:
        return {
            "why": self.why,
            "format": self.format.value,
            "person": self.person,
            "query": self.query,
            "tokens": self.tokens,
            "as_of": to_text(self.at),
            "seq": self.seq,
            "found": [list(one) for one in self.found],
        }


class Packs:
    """The packs of one space: makes them, issues them again, and tells how good they were."""

    def __init__(self, file: JournalFile, space: Space, host: Host) -> None:
        self._file = file
        self._space = space
        self._host = host

    def make(self, ask: Ask) -> Pack | None:
        """Return a pack; None where there is nothing to tell (FACTS D9).

        Raises `InvalidInput` for a mode that is none, a budget without room for one line, and
        `NotFound` for a person whom the space does not know.
        """
        if self._space not in self._file.journal.spaces():
            return None
        self._host.catch_up()
        settled = self._settle(ask)
        if settled is None:
            return None
        pack = self._compose(settled, ask.count or tokens_of)
        if pack is not None and self._host.keep:
            body = {"pack": pack.id, "mode": pack.mode.value, "hash": pack.hash}
            shown = {"cited": list(pack.cited), "ids": [c.uri for c in pack.citations]}
            told = {"quality": pack.quality.as_json(), "ask": settled.as_json()}
            kept_packs.keep(self._file, self._space, body | shown | told)
        return pack

    def reissue(self, id: str, count: Count | None = None) -> Pack:
        """Return an earlier pack again from the journal: the same text, as its hash shows.

        `NotFound` where none is kept under `id`. What was erased since is not in it, and a pack
        that was counted another way needs the same `count`.
        """
        kept = self._kept(id)
        ask = kept["ask"]
        settled = _Settled(
            id=kept["pack"],
            mode=mode_of(kept["mode"]),
            why=ask["why"],
            format=Format(ask["format"]),
            person=ask["person"],
            query=ask["query"],
            tokens=ask["tokens"],
            at=from_text(ask["as_of"]),
            seq=ask["seq"],
            found=[(seq, near, *by) for seq, near, *by in ask["found"]],
        )
        pack = self._compose(settled, count or tokens_of)
        if pack is None:
            raise NotFound(f"nothing is left of pack {id}: what it told of was erased")
        return pack

    def prose(self, pack: Pack, count: Count | None = None) -> Prose:
        """Return a pack as prose: by the model of the settings, else by its twin by rule.

        What a model tells is taken only when every paragraph cites what the pack cites and the
        pack's budget holds; it is not kept.
        """
        model = self._host.model()
        try:
            prose = prose_of(pack, model, self._host.prose_s, count or tokens_of)
        finally:
            if model is not None:
                model.close()
        if prose.record is not None:
            said = str(prose.record["outcome"])
            self._file.trace.write(self._space, "model", said, pack.id, prose.record)
        return prose

    def kept_hash(self, id: str) -> str:
        """Return the hash that a pack had when it was given."""
        return str(self._kept(id)["hash"])

    def quality(self, limit: int = 100) -> list[Payload]:
        """Return `pack`, `mode`, `as_of`, `hash` and quality of the latest packs, newest first."""
        return [
            {"pack": kept["pack"], "mode": kept["mode"], "as_of": kept["ask"]["as_of"]}
            | {"hash": kept["hash"], "cited": len(kept["cited"])}
            | kept["quality"]
            for kept in kept_packs.latest(self._file, self._space, limit)
        ]

    def _kept(self, id: str) -> Payload:
        kept = kept_packs.find(self._file, self._space, id.removeprefix("meridia://"))
        if kept is None:
            raise NotFound(f"no pack {id!r} is kept in space {self._space!r}")
        return kept

    def _settle(self, ask: Ask) -> _Settled | None:
        """Fix what was left open: the moment, the sequence, the mode, the budget, what was found.

        None where nothing had happened by then.
        """
        for name, text in (("person", ask.person), ("query", ask.query)):
            if text is not None and not text.strip():
                raise InvalidInput(f"{name} is empty: name one, or leave it out")
        head = self._file.journal.head(self._space).seq
        seq = ask.as_of if isinstance(ask.as_of, int) else head
        at = ask.as_of if isinstance(ask.as_of, datetime) else self._file.clock()
        if at.tzinfo is None:
            raise InvalidInput("as_of has no timezone: add one, such as +00:00")
        sight = Sight(self._file, self._space, at, seq)
        newest = sight.newest(1)
        if not newest:
            return None
        if isinstance(ask.as_of, int):  # a sequence has no time: that of what was last heard
            sight = Sight(self._file, self._space, newest[0].at, seq)
        person = None if ask.person is None else self._known(ask.person)
        mode, why = self._mode(ask, person, sight, newest[0])
        if mode is Mode.RELATIONSHIP_RESUMPTION and person is None:
            raise InvalidInput("relationship_resumption resumes with somebody: name the person")
        if mode is Mode.TOPIC_REENTRY and ask.query is None:
            raise InvalidInput("topic_reentry goes back to a topic: give a query")
        strategy = STRATEGIES[mode]
        tokens = strategy.tokens if ask.tokens is None else ask.tokens
        if not 1 <= tokens <= TOKENS_MAX:
            raise InvalidInput(f"{tokens} tokens are out of range: 1 to {TOKENS_MAX}")
        return _Settled(
            id=self._host.new_id(),
            mode=mode,
            why=why,
            format=strategy.format if ask.format is None else _format(ask.format),
            person=person,
            query=None if ask.query is None else self._host.clean(ask.query),
            tokens=tokens,
            at=sight.at,
            seq=seq,
            found=self._found(ask.query, strategy, sight),
        )

    def _known(self, name: str) -> str:
        return find_person(self._file, self._space, self._host.people(), name)[0].name

    def _mode(
        self, ask: Ask, person: str | None, sight: Sight, last: MemoryRecord
    ) -> tuple[Mode, str]:
        gap_h = (sight.at - last.at).total_seconds() / 3600
        broken = last.session or "?" if last.kind == "tool_result" else None
        return detect(Signals(ask.mode, person, ask.query, broken, gap_h))

    def _found(
        self, query: str | None, strategy: Strategy, sight: Sight
    ) -> list[tuple[int, float, bool, bool]]:
        """Return what a recall finds: sequence, relevance 0 to 1, by meaning, by the graph."""
        if query is None or strategy.retrieval.reach is not Reach.QUESTION:
            return []
        hits = self._host.recall(query, strategy.retrieval.memories_max, sight.at, sight.seq).hits
        best = max((hit.score for hit in hits), default=0.0)
        worst = min((hit.score for hit in hits), default=0.0)
        found = []
        for hit in hits:
            near = (hit.score - worst) / (best - worst) if best > worst else 1.0
            if near < _RELEVANCE_MIN:
                continue
            given = {reason.label for reason in hit.trace.leaves() if reason.value > 0}
            by_graph = any(r.edge is not None for r in hit.trace.leaves() if r.value > 0)
            by_meaning = any("meaning" in label for label in given)
            found.append((int(hit.memory.seq), round(near, 6), by_meaning, by_graph))
        return found

    def _compose(self, settled: _Settled, count: Count) -> Pack | None:
        strategy = STRATEGIES[settled.mode]
        sight = Sight(self._file, self._space, settled.at, settled.seq)
        seen = _seen(sight, settled, strategy)
        if not seen.moments:
            return None
        analyser = self._file.analyser
        drafted = [
            *sections_of(seen, settled.mode, settled.person, analyser),
            *self._story(settled, sight.then),
        ]
        choice = Choice(seen, strategy.ranking, analyser.terms, strategy.line_chars)
        room = Room(settled.tokens, count, _title(settled), settled.format)
        fitted = fit(room, drafted, choice, [one.memory for one in seen.moments])
        return _pack(settled, seen, fitted)

    def _story(self, settled: _Settled, then: Cutoff) -> list[Section]:
        """Return what the story of a relationship adds, in the mode that resumes one."""
        if settled.mode is not Mode.RELATIONSHIP_RESUMPTION or settled.person is None:
            return []
        people = self._host.people()
        return sections_of_story(
            summarise_relationship(self._file, self._space, people, settled.person, then)
        )


def _seen(sight: Sight, settled: _Settled, strategy: Strategy) -> Seen:
    look, relevance = strategy.retrieval, {seq: near for seq, near, *_ in settled.found}
    if look.reach is Reach.PERSON and settled.person is not None:
        return sight.seen(sight.shared_with(settled.person, look.memories_max))
    if look.reach is Reach.QUESTION:
        return sight.seen(sight.of(relevance), relevance)
    return sight.seen(sight.since(look.lookback_h, look.memories_min, look.memories_max))


def _format(name: str) -> Format:
    try:
        return Format(name)
    except ValueError:
        raise InvalidInput(
            f"there is no format {name!r}: choose from {', '.join(Format)}"
        ) from None


def _title(settled: _Settled) -> str:
    about = shorten(settled.person or settled.query or "", _TITLE_CHARS)
    title = _TITLES[settled.mode].format(about=about)
    return f"{title} ({day(settled.at)}; see one: meridia show @N)"


def _pack(settled: _Settled, seen: Seen, fitted: Fitted) -> Pack:
    memories = cited(fitted.sections)
    felt = {one.memory.seq for one in seen.moments if one.phenomenology.signature is not None}
    sources = _sources(settled, fitted, memories)
    sessions = {memory.session for memory in memories if memory.session is not None}
    times = [memory.at for memory in memories]
    meta = Meta(
        records=len(memories),
        sessions=len(sessions),
        first=min(times, default=None),
        last=max(times, default=None),
        sources=sources,
        tokens=fitted.tokens,
        tokens_max=settled.tokens,
        truncated=bool(fitted.omitted),
    )
    quality = Quality(
        budget_use=fitted.tokens / settled.tokens,
        source_diversity=sum(1 for count in sources.values() if count) / len(sources),
        anchor_coverage=float(any(section.title == ANCHORS for section in fitted.sections)),
        phenomenology_coverage=sum(m.seq in felt for m in memories) / max(len(memories), 1),
    )
    return Pack(
        id=settled.id,
        mode=settled.mode,
        why=settled.why,
        format=settled.format,
        person=settled.person,
        query=settled.query,
        at=settled.at,
        seq=settled.seq,
        text=fitted.text,
        tokens=fitted.tokens,
        cited=[memory.event_id for memory in memories],
        omitted=fitted.omitted,
        sections=fitted.sections,
        citations=[citation_of(memory) for memory in memories],
        meta=meta,
        quality=quality,
    )


def _sources(settled: _Settled, fitted: Fitted, memories: Sequence[MemoryRecord]) -> dict[str, int]:
    """Count cited memories: all, those that meaning found, those that edges or facts led to."""
    told = {memory.seq for memory in memories}
    by_meaning = {seq for seq, _, meaning, _ in settled.found if meaning}
    by_graph = {seq for seq, _, _, graph in settled.found if graph}
    known = [section for section in fitted.sections if section.title == KNOWN]
    by_graph |= {memory.seq for memory in cited(known)}
    return {
        "canonical": len(told),
        "graph": len(told & by_graph),
        "vector": len(told & by_meaning),
    }
