"""Explains a stored answer: replay, counterfactuals, and why a memory is missing.

Everything is computed again from the recall record and the journal as it was; no trace is stored.
It writes nothing, and only the question is encoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.calls.arguments import checked
from ...core.errors import InvalidInput, ModelMismatch, NotFound
from ...core.types import Json, MemoryRecord, Payload
from ...core.types import Space as SpaceName
from ...graph.adjacency import Adjacency
from ...language.questions.question import ParsedQuestion, parse_question
from ...models.tokens import Embedder
from ...storage.projections.catalog import LAST, SCHEME, find_memory
from ...storage.store import Store
from ...storage.trace import RecallSummary
from ...storage.vectors import Matrix, VectorIndexes
from ..candidates.pool import SpaceSnapshot
from ..ranked import Ranked, of_parts
from ..ranking.late_interaction import QuestionTokens, encode_question
from ..recall import Recaller
from ..recall_record import RecallInputs, SnapshotRef, read_inputs, unpacked
from ..recall_result import Recall, as_json
from ..space_snapshot import build_snapshot, space_view
from .activated_graph import ActivatedGraph, activated_graph, node_names
from .counterfactual import (
    Counterfactual,
    Edge,
    Link,
    WhyNot,
    links_of,
    rank_and_score,
    why_not,
    without,
)

#: Scores closer than this are the same: sums in floating point, in whatever order.
TOLERANCE = 1e-9
#: States of then that are held, for questions one after the other.
_SNAPSHOTS_MAX = 4
#: How much of a memory's text tells an edge, characters.
_BEGINNING = 18
#: How an answer's id looks; it may be of one that is kept no more.
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Replay:
    """A stored answer computed again: (id, score) of each memory then and now, best first.

    `differences` say what changed, `missing` which inputs no longer exist.
    """

    recall: str
    then: Sequence[tuple[str, float]]
    now: Sequence[tuple[str, float]]
    differences: Sequence[str]
    missing: Sequence[str]

    @property
    def identical(self) -> bool:
        """Whether order and scores are the same, to 1e-9."""
        return not self.differences

    def as_json(self) -> dict[str, Json]:
        """Return it as plain JSON values."""
        return {
            "recall": self.recall,
            "identical": self.identical,
            "differences": list(self.differences),
            "missing": list(self.missing),
            "then": [{"id": id, "score": score} for id, score in self.then],
            "now": [{"id": id, "score": score} for id, score in self.now],
        }


@dataclass(frozen=True, slots=True)
class PastRecall:
    """A stored answer, its inputs, and the space as it was then; `parts`: see `RecallInputs`."""

    record: Payload
    inputs: RecallInputs
    question: ParsedQuestion
    encoded: tuple[Matrix | None, QuestionTokens | None]
    snapshot: SpaceSnapshot
    missing: Sequence[str]
    parts: Sequence[PastRecall] = ()


@checked
class RecallExplainer:
    """Explains the stored answers of one space; keep the object to explain several."""

    def __init__(
        self,
        file: Store,
        adjacency: Adjacency,
        indexes: VectorIndexes,
        space: SpaceName,
        embedder: Callable[[], Embedder | None],
        flush: Callable[[], None] = lambda: None,
    ) -> None:
        """Ask over a file; `flush` waits until every answer so far is kept."""
        self._file = file
        self._adjacency = adjacency
        self._indexes = indexes
        self._space = space
        self._embedder = embedder
        self._flush = flush
        self._snapshots: dict[SnapshotRef, tuple[SpaceSnapshot, Sequence[str]]] = {}

    def record(self, recall: str) -> Payload:
        """Return the record of a stored answer; "last" is the newest.

        Raises `NotFound` when there is none.
        """
        self._flush()
        trace = self._file.trace
        id = trace.last_recall(self._space) if recall == LAST else recall
        stored = trace.find_recall(self._space, id) if id else None
        if id is None:
            raise NotFound(
                f"no answer is kept in space {self._space!r}: `meridia recall` keeps one, unless "
                "recall.keep is off"
            )
        if stored is None:
            raise NotFound(
                f"there is no recall {recall!r} in space {self._space!r}: each answer names "
                "its own, and "
                "recall.keep must be on"
            )
        record, inputs = {**stored, "recall": id}, stored.get("inputs")
        return {**record, "inputs": unpacked(inputs)} if isinstance(inputs, bytes | str) else record

    def newest(self, limit: int = 50, before: str | None = None) -> list[RecallSummary]:
        """Return the newest stored answers, or those before one of them by its id; newest first.

        Raises `InvalidInput` if `before` is not the id of an answer.
        """
        if before is not None and not _ID.fullmatch(before):
            raise InvalidInput(
                f"before {before!r} is not the id of a recall: give `next_before` of the page "
                "before"
            )
        self._flush()
        return self._file.trace.recalls(self._space, limit, before)

    def answer(self, recall: str) -> dict[str, Json]:
        """Return a stored answer as plain JSON values: see `recall`."""
        return as_json(self.recall(recall))

    def recall(self, recall: str) -> Recall:
        """Return a stored answer with its traces, computed again.

        Memories erased since then are not in it. A note says if it differs from the stored one.
        """
        past = self._past_recall(recall)
        ranked = self._ranked(past, past.snapshot)
        hits = self._recaller(past).hits(ranked, past.question)
        record, given = past.record, [hit["id"] for hit in past.record["hits"]]
        notes = [*record["notes"], *past.missing]
        if [hit.id for hit in hits] != given:
            notes.append(
                "this differs from the answer that was given then: `meridia replay` compares them"
            )
        return Recall(
            id=record["recall"],
            question=record["question"],
            hits=hits,
            profile=record["profile"],
            seq=record["seq"],
            confidence=round(ranked.confidence, 4),
            confident=ranked.confidence >= past.inputs.settings.confidence_min,
            notes=notes,
            reading=past.question.describe(),
            lateral=self._recaller(past).lateral_hits(ranked, past.question),
        )

    def replay(self, recall: str) -> Replay:
        """Ask a stored question again with the same inputs, and compare."""
        past = self._past_recall(recall)
        ranked = self._ranked(past, past.snapshot)
        rows = ranked.pool.rows[ranked.order]
        seqs = past.snapshot.view.experiences.seqs[rows].tolist()
        memories = self._file.catalog.fetch(self._space, seqs)
        now = [
            (memories[seq].id, float(score))
            for seq, score in zip(seqs, ranked.scores[ranked.order], strict=True)
            if seq in memories
        ]
        ids = [hit["id"] for hit in past.record["hits"]]
        was = list(zip(ids, past.inputs.scores, strict=False))
        forgotten = [f"memory {id} was forgotten" for id, _ in was if not self._exists(id)]
        missing = [*past.missing, *forgotten]
        return Replay(past.record["recall"], was, now, _differences(was, now), missing)

    def without(self, recall: str, memory: str, edge: Edge) -> Counterfactual:
        """Return the rank and score of a memory in a stored answer without one edge.

        Raises `NotFound` if the graph of that time has no such edge.
        """
        past = self._past_recall(recall)
        numbers = self._adjacency.numbers(self._space, [edge.source, edge.target])
        ends = [numbers.get(id, -1) for id in (edge.source, edge.target)]
        source, target = past.snapshot.view.nodes_of(np.array(ends, np.int64)).tolist()
        if min(source, target) < 0 or not past.snapshot.view.has(edge.type, source, target):
            raise NotFound(
                f"there was no edge {edge.type} from {edge.source} to {edge.target} at the time: "
                "`meridia what-if RECALL ID` lists those of a trace"
            )
        return self._counterfactuals(past, memory, [(edge.type, source, target)])[0]

    def activation(self, recall: str, limit: int = 300) -> ActivatedGraph:
        """Return the graph that activation reached for a stored answer; at most `limit` nodes."""
        past = self._past_recall(recall)
        ranked = self._ranked(past, past.snapshot)
        id = past.record["recall"]
        return activated_graph(id, ranked, self._file, self._adjacency, limit)

    def counterfactuals(self, recall: str, memory: str) -> list[Counterfactual]:
        """Return the rank and score of a memory without each edge that its trace names."""
        return self._counterfactuals(self._past_recall(recall), memory, None)

    def why_not(self, recall: str, memory: str) -> WhyNot:
        """Return why a memory is not among the results of a stored answer."""
        past, target = self._past_recall(recall), self._memory(recall, memory)
        return why_not(
            self._file, self._ranked(past, past.snapshot), past.inputs, past.question, target
        )

    def _counterfactuals(
        self, past: PastRecall, memory: str, links: Sequence[Link] | None
    ) -> list[Counterfactual]:
        target = self._memory(past.record["recall"], memory)
        ranked = self._ranked(past, past.snapshot)
        row = int(past.snapshot.view.experiences.index_of(np.array([target.seq]))[0])
        stood = rank_and_score(ranked, row)
        if stood is None:
            raise InvalidInput(
                f"{memory} was not a candidate in recall {past.record['recall']}: `meridia "
                "why-not` "
                "says why"
            )
        links = links_of(ranked, row) if links is None else links
        described = self._described(past.snapshot, links)
        answers = []
        for link, (edge, description) in zip(links, described, strict=True):
            other = rank_and_score(self._ranked(past, without(past.snapshot, link)), row)
            rank, score = other or (None, None)
            answers.append(Counterfactual(edge, description, *stood, rank, score))
        return answers

    def _described(self, snapshot: SpaceSnapshot, links: Sequence[Link]) -> list[tuple[Edge, str]]:
        """Return each edge with the ids of its ends, and in words."""
        nodes = {node for _, source, target in links for node in (source, target)}
        view, names = snapshot.view, (self._file, self._adjacency, self._space)
        named = node_names(*names, view, nodes, _BEGINNING)
        words = {n: f"@{seq} “{name}”" if seq else name for n, (_, name, seq) in named.items()}
        return [
            (
                Edge(type, named[source][0], named[target][0]),
                f"{words[source]} {type} {words[target]}",
            )
            for type, source, target in links
        ]

    def _past_recall(self, recall: str) -> PastRecall:
        """Return an answer with everything that it was computed from."""
        record = self.record(recall)
        past = self._past(record, read_inputs(record))
        return replace(past, parts=[self._past(record, part) for part in past.inputs.parts])

    def _past(self, record: Payload, inputs: RecallInputs) -> PastRecall:
        question = parse_question(
            inputs.request.question, self._file.analyser, inputs.gazetteer, inputs.request.now
        )
        snapshot, missing = self._snapshot(inputs.snapshot_ref)
        embedder = None if inputs.texts is None else self._embedder()
        if inputs.texts is None or embedder is None or embedder.model != inputs.snapshot_ref.model:
            if inputs.texts is not None:
                gone = f"the question was encoded by {inputs.snapshot_ref.model}, not in use now"
                missing = [*missing, gone]
            return PastRecall(record, inputs, question, (None, None), snapshot, missing)
        if inputs.parts:  # each is encoded by itself
            return PastRecall(record, inputs, question, (None, None), snapshot, missing)
        encoded = encode_question(inputs.texts, embedder, inputs.settings, self._file.analyser)
        return PastRecall(record, inputs, question, encoded, snapshot, missing)

    def _snapshot(self, snapshot_ref: SnapshotRef) -> tuple[SpaceSnapshot, Sequence[str]]:
        """Return the space as it was seen then, and what of it is gone."""
        if snapshot_ref not in self._snapshots:
            self._adjacency.catch_up(self._space)
            view, index = self._adjacency.view_at(self._space, snapshot_ref.seq), None
            missing = []
            if (gone := snapshot_ref.experiences - len(view.experiences.seqs)) > 0:
                missing.append(
                    f"{gone} of the {snapshot_ref.experiences} memories of then are gone"
                )
            if snapshot_ref.model is not None:
                model = (snapshot_ref.model, snapshot_ref.dimension)
                try:
                    index = self._indexes.index(self._space, *model, snapshot_ref.until)
                except ModelMismatch:
                    missing.append(f"the vectors of {snapshot_ref.model} are gone")
                else:
                    if (less := snapshot_ref.vectors - len(index.rows)) > 0:
                        missing.append(
                            f"{less} of the {snapshot_ref.vectors} vectors "
                            f"of {snapshot_ref.model} are gone"
                        )
            while len(self._snapshots) >= _SNAPSHOTS_MAX:
                del self._snapshots[next(iter(self._snapshots))]
            snapshot = build_snapshot(view, index, read=snapshot_ref.read)
            self._snapshots[snapshot_ref] = snapshot, missing
        return self._snapshots[snapshot_ref]

    def _ranked(self, past: PastRecall, snapshot: SpaceSnapshot) -> Ranked:
        request, (vector, asked) = past.inputs.request, past.encoded
        if past.parts:
            parts = [(p.question.text, self._ranked(p, snapshot)) for p in past.parts]
            return of_parts(parts, request.limit)
        before = past.inputs.matches, past.inputs.candidates
        space = space_view(self._file, self._space, snapshot, request, *before)
        encoder = self._embedder() if past.inputs.encoded else None
        stand_ins = past.inputs.stand_ins
        space = replace(space, encoder=encoder, encoded=past.inputs.encoded, stand_ins=stand_ins)
        return self._recaller(past).rank(space, past.question, vector, request.limit, asked)

    def _recaller(self, past: PastRecall) -> Recaller:
        # Only memory has the graph of then; a graph engine has today's.
        settings = past.inputs.settings.model_copy(update={"traverse": "arrays"})
        return Recaller(self._file, self._adjacency, settings, past.inputs.weights)

    def _memory(self, recall: str, address: str) -> MemoryRecord:
        """Find a memory by its address or an id; a number is its rank in the answer.

        An id names the version that stood when the answer was given.
        """
        record = self.record(recall)
        if address.isascii() and address.isdecimal():
            hits = record["hits"]
            if not 1 <= int(address) <= len(hits):
                raise NotFound(f"recall {recall} has {len(hits)} memories: there is no {address}")
            address = f"{SCHEME}{hits[int(address) - 1]['id']}"
        catalog = self._file.catalog
        memory = find_memory(catalog, self._file.trace, self._space, address, self._flush)
        if address.startswith(("@", SCHEME)) or memory.seq <= record["seq"]:
            return memory
        versions = catalog.versions(self._space, memory.seq)
        return next((v for v in reversed(versions) if v.seq <= record["seq"]), memory)

    def _exists(self, id: str) -> bool:
        try:
            self._file.catalog.find(self._space, id)
        except NotFound:
            return False
        return True


def _differences(then: Sequence[tuple[str, float]], now: Sequence[tuple[str, float]]) -> list[str]:
    """Return the differences between two answers, in order of rank."""
    differences = []
    if len(then) != len(now):
        differences.append(f"{len(then)} memories then, {len(now)} now")
    for rank, ((was, scored), (is_, scores)) in enumerate(zip(then, now, strict=False), start=1):
        if was != is_:
            differences.append(f"rank {rank}: {was} then, {is_} now")
        elif abs(scored - scores) > TOLERANCE:
            differences.append(f"rank {rank}: {was} scored {scored:.9f} then, {scores:.9f} now")
    return differences
