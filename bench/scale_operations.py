"""Every public operation of a memory as a call that `bench.scale` measures, about one thing.

A test compares the table with the public API: a new operation needs a line here. `grows` says why
an operation may cost more where more is remembered: it reads, writes or returns all of something.
Where anything else costs more in a larger space, that is a fault.
"""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bench.synthetic import Language, SyntheticEmbedder
from meridia.core.events import parse_event
from meridia.core.ports import VectorQuery
from meridia.ingest.importers.import_record import ImportRecord
from meridia.memory import Memory
from meridia.resume.builder import PackRequest

#: The objects that a memory's properties give, whose methods are operations too.
ROOTS = tuple(
    "chronicle reasons packs planning curation people graph upkeep feedback ideas "
    "sinks vector_source".split()
)
#: What opens and closes; the parts that operations are made of; what needs another system.
NO_OPERATIONS = frozenset({"open", "close", "parts", "adjacency", "enrichment", "background"})
NO_OPERATIONS |= {
    "curation.people",
    "graph.project_within",
    "sinks.count",
    "sinks.sync",
    "sinks.rebuild",
    "vector_source.name",
}
#: Who speaks seldom; the session that never ends; a space of twenty beside the large one.
SELDOM, ENDLESS, SMALL = "Vesna", "endless", "small"
QUESTION = f"What did {SELDOM} say about the harbour?"
_ALL = "reads or returns all of the space"
_FILE = "reads or writes all of the file"
_COUNTS = "counts in all of the space"
_NEWEST = "reads the newest memories, up to 4,000"
_SINCE = "reads what came since the last meeting"
_FACTS = "reads every fact: any of them may share words with the question"


@dataclass
class Subject:
    """An open space of some size, and what calls need to know of it; `turns` are never the same."""

    memory: Memory
    language: Language
    folder: Path
    turns: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    kept: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """Return a message that was not said before."""
        turn = next(self.turns)
        return f"{self.language.message(np.random.default_rng(turn), turn % 200)} Turn {turn}."

    def remember(self, session: str = "", **given: Any) -> str:
        """Remember a message, in a session of its own unless one is named; return its id."""
        key = session or f"session {next(self.turns)}"
        return self.memory.remember(self.text(), person="Dana", session=key, **given).id

    @cached_property
    def known(self) -> str:
        """A memory among many."""
        return self.memory.get("s10-3").id

    @cached_property
    def recall(self) -> str:
        """A kept answer."""
        return self.memory.recall(QUESTION).id

    @cached_property
    def hit(self) -> str:
        """The best memory of the kept answer."""
        return self.memory.reasons.recall(self.recall).hits[0].id

    @cached_property
    def plan(self) -> Any:
        """A plan."""
        return self.memory.plan(QUESTION)

    @cached_property
    def draft(self) -> Any:
        """The draft of the plan."""
        return self.memory.planning.draft(self.plan, self.memory.planning.load(self.plan))[0]

    @cached_property
    def pack(self) -> Any:
        """A pack."""
        return self.memory.resume(SELDOM)

    @cached_property
    def edge(self) -> Any:
        """An edge that the trace of the best memory names."""
        return self.memory.reasons.counterfactuals(self.recall, self.hit)[0].edge

    @cached_property
    def receipt(self) -> Any:
        """The receipt of a forgetting."""
        return self.memory.forget(ids=[self.remember()]).receipt

    def path(self, name: str) -> Path:
        """Return the path of a file that is not there."""
        return self.folder / f"{name}-{next(self.turns)}"

    @cached_property
    def vector_query(self) -> VectorQuery:
        """A question to a source of vectors."""
        embedder = SyntheticEmbedder(self.language)
        head = int(self.memory.parts.journal.head(self.memory.space).seq)
        vector = embedder.embed([QUESTION])[0]
        return VectorQuery(self.memory.space, QUESTION, vector, embedder.model, 10, head)


Call = Callable[[Subject], object]


def _nothing(subject: Subject) -> None:
    """Prepare nothing."""


@dataclass(frozen=True)
class Operation:
    """A call to measure; `prepare` comes before each and is not measured.

    `name` is that of the method, with its variant behind a blank. `grows` says why it may grow.
    """

    name: str
    call: Call
    prepare: Call = _nothing
    grows: str = ""

    @property
    def method(self) -> str:
        """The name of the public method."""
        return self.name.partition(" ")[0]


def _changed(subject: Subject) -> None:
    """Have something new in the space, remembered and enriched."""
    subject.kept["newest"] = subject.remember()
    subject.memory.enrich()


def _remembered(subject: Subject) -> None:
    subject.kept["newest"] = subject.remember()


def _rated(subject: Subject) -> None:
    subject.memory.feedback(subject.hit, "useful")


def _proposed(subject: Subject) -> None:
    ideas = subject.memory.ideas.listed(None) or subject.memory.ideas.propose()
    subject.kept["idea"] = ideas[0].id


def _told(subject: Subject) -> None:
    """Have two people and two entities that nothing else is about."""
    turn = next(subject.turns)
    names = subject.kept["names"] = (f"Quirin{turn}", f"Ravenna{turn}")
    for name in names:
        subject.memory.remember("I moved the boat.", person=name, session=f"of {name}")
    subject.memory.enrich()


def _merged(subject: Subject) -> None:
    _told(subject)
    subject.memory.curation.merge(*subject.kept["names"])


def _imported(subject: Subject) -> None:
    path = subject.kept["path"] = subject.path("imported.jsonl")
    path.write_text(json.dumps(_event(subject)) + "\n", encoding="utf-8")


def _event(subject: Subject) -> dict[str, Any]:
    return {"kind": "user_message", "person": "Dana", "payload": {"text": subject.text()}}


def _in_small(subject: Subject) -> None:
    subject.memory.in_space(SMALL).graph.release()
    subject.memory.parts.caches.clear()  # as if it was never asked


def _forgotten(subject: Subject) -> None:
    """Have something forgotten, and what that left behind done."""
    subject.memory.forget(ids=[subject.remember()])
    subject.memory.enrich()


def _statement(subject: Subject) -> object:
    statement = "MATCH (e:Experience {id: $id}) RETURN e.id AS id"
    return subject.memory.query(statement, {"id": subject.known})


_WRITES = (
    Operation("remember", lambda s: s.remember()),
    Operation("remember in-an-endless-session", lambda s: s.remember(ENDLESS)),
    Operation("remember_many", lambda s: s.memory.remember_many([{"text": s.text()}])),
    Operation("capture", lambda s: s.memory.capture(_event(s))),
    Operation("capture_many", lambda s: s.memory.capture_many([_event(s)])),
    Operation("explain", lambda s: s.memory.explain(_event(s))),
    Operation("update", lambda s: s.memory.update(s.known, s.text())),
    Operation("upsert", lambda s: s.memory.upsert("own", s.text())),
    Operation("import_file", lambda s: s.memory.import_file(s.kept["path"]), _imported),
    Operation(
        "import_records",
        lambda s: s.memory.import_records([ImportRecord("1", parse_event(_event(s)), None)]),
    ),
    Operation("enrich", lambda s: s.memory.enrich(), _remembered),
    Operation(
        "enrich in-an-endless-session", lambda s: s.memory.enrich(), lambda s: s.remember(ENDLESS)
    ),
    Operation("enrich nothing", lambda s: s.memory.enrich(), lambda s: s.memory.enrich()),
    Operation("feedback", lambda s: s.memory.feedback(s.hit, "useful")),
    Operation("feedback.undo", lambda s: s.memory.feedback.undo(s.hit), _rated),
    Operation("upkeep.retry", lambda s: s.memory.upkeep.retry()),
    Operation("in_space", lambda s: s.memory.in_space(SMALL)),
)

_QUESTIONS = (
    Operation("recall", lambda s: s.memory.recall(QUESTION)),
    Operation("recall after-a-change", lambda s: s.memory.recall(QUESTION), _changed),
    Operation("recall not-enriched", lambda s: s.memory.recall(QUESTION), _remembered),
    Operation("recall of-a-person", lambda s: s.memory.recall(QUESTION, person=SELDOM)),
    Operation("recall of-many", lambda s: s.memory.recall(QUESTION, person="Dana")),
    Operation("recall of-a-session", lambda s: s.memory.recall(QUESTION, session="s5")),
    Operation(
        "recall of-a-kind",
        lambda s: s.memory.recall(QUESTION, kind="user_message"),
        grows="reads what is listed of all of the space",
    ),
    Operation(
        "recall since", lambda s: s.memory.recall(QUESTION, since="2024-01-03", until="2024-01-04")
    ),
    Operation("recall as-of", lambda s: s.memory.recall(QUESTION, as_of="2024-01-04")),
    Operation(
        "recall where",
        lambda s: s.memory.recall(QUESTION, where={"colour": "blue"}),
        grows="reads the metadata of all of the space",
    ),
    Operation("recall simple", lambda s: s.memory.recall(QUESTION, profile="simple")),
    Operation(
        "recall reference",
        lambda s: s.memory.recall(QUESTION, profile="reference"),
        grows="reads the rank of all of the space",
    ),
    Operation(
        "recall small-and-cold", lambda s: s.memory.in_space(SMALL).recall("boat"), _in_small
    ),
    Operation("catch_up", lambda s: s.memory.catch_up(), _remembered),
    Operation("resume", lambda s: s.memory.resume(SELDOM), grows=_SINCE),
    Operation("resume after-a-change", lambda s: s.memory.resume(SELDOM), _changed, grows=_SINCE),
    Operation("reconstitute", lambda s: s.memory.reconstitute("topic_reentry", query=QUESTION)),
    Operation("people.relationship", lambda s: s.memory.people.relationship(SELDOM), grows=_SINCE),
    Operation("reflect", lambda s: s.memory.reflect("2024-01-03", "2024-01-04")),
    Operation("packs.make", lambda s: s.memory.packs.make(PackRequest("crisis")), grows=_NEWEST),
    Operation("packs.reissue", lambda s: s.memory.packs.reissue(s.pack.id), grows=_SINCE),
    Operation("packs.prose", lambda s: s.memory.packs.prose(s.pack)),
    Operation("packs.recorded_hash", lambda s: s.memory.packs.recorded_hash(s.pack.id)),
    Operation("packs.quality", lambda s: s.memory.packs.quality()),
    Operation("packs.quality_over_time", lambda s: s.memory.packs.quality_over_time()),
    Operation("plan", lambda s: s.memory.plan(QUESTION), grows=_FACTS),
    Operation("planning.plan", lambda s: s.memory.planning.plan(QUESTION), grows=_FACTS),
    Operation("planning.index", lambda s: s.memory.planning.index(), grows=_ALL),
    Operation("planning.read", lambda s: s.memory.planning.read("{}", s.plan)),
    Operation("planning.stale", lambda s: s.memory.planning.stale(s.plan, [])),
    Operation("planning.load", lambda s: s.memory.planning.load(s.plan)),
    Operation("planning.draft", lambda s: s.memory.planning.draft(s.plan, ())),
    Operation("planning.check", lambda s: s.memory.planning.check(s.plan, s.draft)),
    Operation("planning.statistics", lambda s: s.memory.planning.statistics()),
    Operation("reasons.record", lambda s: s.memory.reasons.record(s.recall)),
    Operation("reasons.newest", lambda s: s.memory.reasons.newest()),
    Operation("reasons.answer", lambda s: s.memory.reasons.answer(s.recall), grows=_ALL),
    Operation("reasons.recall", lambda s: s.memory.reasons.recall(s.recall), grows=_ALL),
    Operation("reasons.replay", lambda s: s.memory.reasons.replay(s.recall), grows=_ALL),
    Operation("reasons.activation", lambda s: s.memory.reasons.activation(s.recall), grows=_ALL),
    Operation(
        "reasons.counterfactuals",
        lambda s: s.memory.reasons.counterfactuals(s.recall, s.hit),
        grows=_ALL,
    ),
    Operation(
        "reasons.without", lambda s: s.memory.reasons.without(s.recall, s.hit, s.edge), grows=_ALL
    ),
    Operation("reasons.why_not", lambda s: s.memory.reasons.why_not(s.recall, s.known), grows=_ALL),
    Operation(
        "vector_source.search",
        lambda s: s.memory.vector_source.search(s.vector_query),
        grows="reads every vector",
    ),
    Operation("vector_source.until", lambda s: s.memory.vector_source.until(s.memory.space)),
    Operation(
        "vector_source.is_available", lambda s: s.memory.vector_source.is_available(s.memory.space)
    ),
)

_READS = (
    Operation("get", lambda s: s.memory.get(s.known)),
    Operation("history", lambda s: s.memory.history(s.known)),
    Operation("holds", lambda s: s.memory.holds(s.known)),
    Operation("read", lambda s: s.memory.read(s.known)),
    Operation("resolve", lambda s: s.memory.resolve(s.known)),
    Operation("list", lambda s: s.memory.list(limit=10)),
    Operation("list of-a-person", lambda s: s.memory.list(person=SELDOM, limit=10)),
    Operation("list of-a-session", lambda s: s.memory.list(session="s5", limit=10)),
    Operation("list facts", lambda s: s.memory.list(kind="fact", limit=10), _changed),
    Operation("list transitions", lambda s: s.memory.list(kind="transition", limit=10), _changed),
    Operation("people.known", lambda s: s.memory.people.known(), _changed),
    Operation("people.directory", lambda s: s.memory.people.directory()),
    Operation("entities", lambda s: s.memory.entities(10), grows=_COUNTS),
    Operation("sessions", lambda s: s.memory.sessions(), grows=_ALL),
    Operation("facets", lambda s: s.memory.facets(), grows=_ALL),
    Operation("spaces", lambda s: s.memory.spaces()),
    Operation("status", lambda s: s.memory.status(), grows="counts what is in the space"),
    Operation("upkeep.trace", lambda s: next(s.memory.upkeep.trace()), grows="reads 1,000 lines"),
    Operation("upkeep.failures", lambda s: s.memory.upkeep.failures()),
    Operation("chronicle.kit", lambda s: s.memory.chronicle.kit(s.known)),
    Operation("chronicle.arc", lambda s: s.memory.chronicle.arc("s5")),
    Operation("chronicle.artifacts", lambda s: s.memory.chronicle.artifacts(10), grows=_COUNTS),
    Operation("chronicle.entities", lambda s: s.memory.chronicle.entities(), grows=_ALL),
    Operation("chronicle.episodes", lambda s: s.memory.chronicle.episodes("s5")),
    Operation("chronicle.facts", lambda s: s.memory.chronicle.facts(), grows=_ALL),
    Operation("chronicle.relations", lambda s: s.memory.chronicle.relations(), grows=_COUNTS),
    Operation("chronicle.transitions_of", lambda s: s.memory.chronicle.transitions_of(SELDOM)),
    Operation("feedback.newest", lambda s: s.memory.feedback.newest()),
    Operation("feedback.rates", lambda s: s.memory.feedback.rates()),
    Operation("ideas.listed", lambda s: s.memory.ideas.listed()),
    Operation("ideas.propose", lambda s: s.memory.ideas.propose(), grows=_ALL),
    Operation("ideas.reject", lambda s: s.memory.ideas.reject(s.kept["idea"]), _proposed),
    Operation("ideas.approve", lambda s: s.memory.ideas.approve(s.kept["idea"]), _proposed),
    Operation("ideas.propose_if_due", lambda s: s.memory.ideas.propose_if_due()),
    Operation("sinks.status", lambda s: s.memory.sinks.status()),
    Operation("sinks.dispatch", lambda s: s.memory.sinks.dispatch()),
)

_DECISIONS = (
    Operation(
        "curation.set_relationship",
        lambda s: s.memory.curation.set_relationship(SELDOM, "collaborator"),
    ),
    Operation("curation.duplicates", lambda s: s.memory.curation.duplicates(), grows=_ALL),
    Operation("people.has", lambda s: s.memory.people.has(SELDOM)),
    Operation("people.name", lambda s: s.memory.people.name(f"Kim{next(s.turns)}")),
    Operation("people.introduce", lambda s: s.memory.people.introduce("Somebody")),
    Operation("people.refuse", lambda s: s.memory.people.refuse("Vee", SELDOM)),
    Operation("curation.merge", lambda s: s.memory.curation.merge(*s.kept["names"]), _told),
    Operation("curation.unmerge", lambda s: s.memory.curation.unmerge(s.kept["names"][0]), _merged),
    Operation(
        "people.merge",
        lambda s: s.memory.people.merge(*s.kept["names"]),
        _told,
    ),
    Operation(
        "people.unmerge",
        lambda s: s.memory.people.unmerge(s.kept["names"][0]),
        _merged,
    ),
)

_GRAPH = (
    Operation("graph.project", lambda s: s.memory.graph.project(), _changed),
    Operation("query", _statement),
    Operation("query after-a-change", _statement, _changed),
    Operation("graph.store", lambda s: s.memory.graph.store()),
    Operation("graph.counts", lambda s: s.memory.graph.counts(), grows=_ALL),
    Operation("graph.digest", lambda s: s.memory.graph.digest(), grows=_ALL),
    Operation("graph.networkx", lambda s: s.memory.graph.networkx(), grows=_ALL),
    Operation(
        "graph.release",
        lambda s: s.memory.graph.release(),
        lambda s: s.memory.graph.project(),
        grows="writes all of the graph",
    ),
)

_FORGETTING = (
    Operation("forget", lambda s: s.memory.forget(ids=[s.kept["newest"]]), _changed),
    Operation("forget dry-run", lambda s: s.memory.forget(ids=[s.known], dry_run=True)),
    Operation("forget a-person", lambda s: s.memory.forget(person=s.kept["names"][0]), _told),
    Operation("upkeep.check_receipt", lambda s: s.memory.upkeep.check_receipt(s.receipt)),
    Operation("recall after-forgetting", lambda s: s.memory.recall(QUESTION), _forgotten),
    Operation("query after-forgetting", _statement, _forgotten),
    Operation("remember after-forgetting", lambda s: s.remember(), _forgotten),
    Operation("forget_space", lambda s: s.memory.in_space(SMALL).forget_space()),
)

_WHOLE = (
    Operation("upkeep.backup", lambda s: s.memory.upkeep.backup(s.path("backup")), grows=_FILE),
    Operation("upkeep.export", lambda s: [*s.memory.upkeep.export()], grows=_FILE),
    Operation("upkeep.export_events", lambda s: [*s.memory.upkeep.export_events()], grows=_ALL),
    Operation("upkeep.verify", lambda s: s.memory.upkeep.verify(), grows=_FILE),
    Operation("upkeep.doctor", lambda s: s.memory.upkeep.doctor(quick=True), grows=_FILE),
    Operation("upkeep.rebuild", lambda s: s.memory.upkeep.rebuild(), grows=_ALL),
)

#: In the order in which they are measured: what throws caches away comes last.
OPERATIONS = (*_READS, *_QUESTIONS, *_WRITES, *_DECISIONS, *_GRAPH, *_FORGETTING, *_WHOLE)


def public_operations(memory: Memory) -> set[str]:
    """Return the names of all public operations of a memory and of what its properties give."""
    found = set()
    for root in ("", *ROOTS):
        owner: Any = memory
        for part in root.split(".") if root else ():
            owner = getattr(owner, part)
        found |= {f"{root}.{name}".strip(".") for name in _public(type(owner))}
    return (found | {"feedback"}) - (set(ROOTS) - {"feedback"}) - NO_OPERATIONS


def _public(kind: type) -> Iterator[str]:
    fields = getattr(kind, "__dataclass_fields__", {})
    for name, member in inspect.getmembers_static(kind):
        is_operation = isinstance(member, property | classmethod) or callable(member)
        if is_operation and not name.startswith("_") and name not in fields:
            yield name
