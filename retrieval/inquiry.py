"""Asks after a kept answer: is it still the same, what would be without an edge, and why not.

Everything is computed again from the journal's state of then and what was kept with the answer,
never read off a stored trace. It writes nothing, and asks neither the encoder nor a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.errors import InvalidInput, ModelMismatch, NotFound
from ..core.text import shorten
from ..core.types import Json, Memory, Payload
from ..core.types import Space as SpaceName
from ..graph.adjacency import Adjacency
from ..graph.journal_file import JournalFile
from ..graph.vectors import VectorIndexes
from ..graph.view import Ints
from .counterfactual import Counterfactual, Edge, Link, links_of, standing, without
from .kept import Inputs, Sight, inputs_of
from .question import Question, analyse
from .recall import Ranked, Recaller
from .state import State, prepared, space_of
from .whynot import WhyNot, why_not

#: Scores closer than this are the same: sums in floating point, in whatever order.
TOLERANCE = 1e-9
#: Names the newest answer of a space.
LAST = "last"
#: States of then that are held, for questions one after the other.
_HELD = 4
#: How much of a memory's text tells an edge, characters.
_BEGINNING = 40


@dataclass(frozen=True, slots=True)
class Replay:
    """A kept answer asked again: (id, score) of each memory then and now, best first.

    `differences` say what is not the same, `missing` what is no longer there to ask.
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
class Then:
    """An answer, what it was asked with, and the space as it was then."""

    kept: Payload
    inputs: Inputs
    question: Question
    state: State
    missing: Sequence[str]


class Inquiry:
    """Asks after the kept answers of one space; hold it to ask several."""

    def __init__(
        self,
        file: JournalFile,
        adjacency: Adjacency,
        indexes: VectorIndexes,
        space: SpaceName,
        settle: Callable[[], None] = lambda: None,
    ) -> None:
        """Ask over a file; `settle` waits until every answer so far is kept."""
        self._file = file
        self._adjacency = adjacency
        self._indexes = indexes
        self._space = space
        self._settle = settle
        self._held: dict[Sight, tuple[State, Sequence[str]]] = {}

    def kept(self, recall: str) -> Payload:
        """Return a kept answer with its traces, as it was given; "last" is the newest.

        Raises `NotFound` when there is none.
        """
        self._settle()
        trace = self._file.trace
        id = trace.last_recall(self._space) if recall == LAST else recall
        found = trace.find_recall(self._space, id) if id else None
        if found is None:
            raise NotFound(
                f"no recall {recall!r} in space {self._space!r}: each answer names its own, and "
                "recall.keep must be on"
            )
        return found

    def replay(self, recall: str) -> Replay:
        """Ask a kept question again, exactly as then, and compare."""
        then = self._then(recall)
        ranked = self._ranked(then, then.state)
        rows = ranked.pool.rows[ranked.order]
        seqs = then.state.view.experiences.seqs[rows].tolist()
        memories = self._file.catalog.fetch(self._space, seqs)
        now = [
            (memories[seq].id, float(score))
            for seq, score in zip(seqs, ranked.scores[ranked.order], strict=True)
            if seq in memories
        ]
        was = [(hit["id"], hit["score"]) for hit in then.kept["hits"]]
        forgotten = [f"memory {id} was forgotten" for id, _ in was if not self._exists(id)]
        missing = [*then.missing, *forgotten]
        return Replay(then.kept["recall"], was, now, _differences(was, now), missing)

    def without(self, recall: str, memory: str, edge: Edge) -> Counterfactual:
        """Return where a memory would have stood in a kept answer without one edge.

        Raises `NotFound` when the graph of then has no such edge.
        """
        then = self._then(recall)
        numbers = self._adjacency.numbers(self._space, [edge.source, edge.target])
        found = [numbers.get(id, -1) for id in (edge.source, edge.target)]
        source, target = then.state.view.nodes_of(np.array(found, np.int64)).tolist()
        if min(source, target) < 0 or not then.state.view.has(edge.type, source, target):
            raise NotFound(
                f"no edge {edge.type} from {edge.source} to {edge.target} as of then: "
                "`meridia what-if RECALL ID` lists those of a trace"
            )
        return self._counterfactuals(then, memory, [(edge.type, source, target)])[0]

    def counterfactuals(self, recall: str, memory: str) -> list[Counterfactual]:
        """Return where a memory would have stood without each edge that its trace names."""
        return self._counterfactuals(self._then(recall), memory, None)

    def why_not(self, recall: str, memory: str) -> WhyNot:
        """Return why a memory was not among the results of a kept answer."""
        then, found = self._then(recall), self._memory(memory)
        return why_not(
            self._file, self._ranked(then, then.state), then.inputs, then.question, found
        )

    def _counterfactuals(
        self, then: Then, memory: str, links: Sequence[Link] | None
    ) -> list[Counterfactual]:
        found = self._memory(memory)
        ranked = self._ranked(then, then.state)
        row = int(then.state.view.experiences.index_of(np.array([found.seq]))[0])
        stood = standing(ranked, row)
        if stood is None:
            raise InvalidInput(
                f"{memory} was no candidate in recall {then.kept['recall']}: `meridia why-not` "
                "says why"
            )
        links = links_of(ranked, row) if links is None else links
        described = self._described(then.state, links)
        answers = []
        for link, (edge, told) in zip(links, described, strict=True):
            other = standing(self._ranked(then, without(then.state, link)), row)
            rank, score = other or (None, None)
            answers.append(Counterfactual(edge, told, *stood, rank, score))
        return answers

    def _described(self, state: State, links: Sequence[Link]) -> list[tuple[Edge, str]]:
        """Return each edge with the ids of its ends, and in words."""
        view = state.view
        nodes = sorted({node for _, source, target in links for node in (source, target)})
        numbers = view.numbers[np.array(nodes, np.int64)].tolist()
        named = self._adjacency.identify(self._space, numbers)
        rows: Ints = view.experience_of[np.array(nodes, np.int64)]
        texts = self._file.catalog.fetch(
            self._space, view.experiences.seqs[rows[rows >= 0]].tolist()
        )
        ids: dict[int, str] = {}
        words: dict[int, str] = {}
        for node, number, row in zip(nodes, numbers, rows.tolist(), strict=True):
            ids[node], words[node] = named.get(number, (str(number), str(number)))
            memory = texts.get(int(view.experiences.seqs[row])) if row >= 0 else None
            if memory is not None:
                words[node] = f"“{shorten(memory.text, _BEGINNING)}”"
        return [
            (Edge(type, ids[source], ids[target]), f"{words[source]} {type} {words[target]}")
            for type, source, target in links
        ]

    def _then(self, recall: str) -> Then:
        """Return an answer with everything that it was computed from."""
        kept = self.kept(recall)
        inputs = inputs_of(kept)
        question = analyse(
            inputs.request.question, self._file.analyser, inputs.gazetteer, inputs.request.now
        )
        return Then(kept, inputs, question, *self._state(inputs.sight))

    def _state(self, sight: Sight) -> tuple[State, Sequence[str]]:
        """Return the space as it was seen then, and what of it is gone."""
        if sight not in self._held:
            self._file.index(self._space)
            self._adjacency.catch_up(self._space)
            view, index = self._adjacency.view_at(self._space, sight.seq), None
            missing = []
            if (gone := sight.experiences - len(view.experiences.seqs)) > 0:
                missing.append(f"{gone} of the {sight.experiences} memories of then are gone")
            if sight.model is not None:
                number = self._file.journal.number(self._space)
                model = (sight.model, sight.dimension)
                try:
                    index = self._indexes.index(number, *model, sight.until)
                except ModelMismatch:
                    missing.append(f"the vectors of {sight.model} are gone")
                else:
                    if (less := sight.vectors - len(index.rows)) > 0:
                        told = f"{less} of the {sight.vectors} vectors of {sight.model} are gone"
                        missing.append(told)
            while len(self._held) >= _HELD:
                del self._held[next(iter(self._held))]
            self._held[sight] = prepared(view, index), missing
        return self._held[sight]

    def _ranked(self, then: Then, state: State) -> Ranked:
        inputs = then.inputs
        # Only memory has the graph of then; a graph engine has today's.
        settings = inputs.settings.model_copy(update={"traverse": "arrays"})
        recaller = Recaller(self._file, self._adjacency, settings, inputs.weights)
        space = space_of(self._file, self._space, state, inputs.request, inputs.matches)
        limit = inputs.request.limit
        return recaller.rank(space, then.question, inputs.vector, limit, inputs.asked)

    def _memory(self, id: str) -> Memory:
        return self._file.catalog.find(self._space, id.removeprefix("meridia://").strip("/"))

    def _exists(self, id: str) -> bool:
        try:
            self._memory(id)
        except NotFound:
            return False
        return True


def _differences(then: Sequence[tuple[str, float]], now: Sequence[tuple[str, float]]) -> list[str]:
    """Say where two answers differ, in order of rank."""
    found = []
    if len(then) != len(now):
        found.append(f"{len(then)} memories then, {len(now)} now")
    for rank, ((was, scored), (is_, scores)) in enumerate(zip(then, now, strict=False), start=1):
        if was != is_:
            found.append(f"rank {rank}: {was} then, {is_} now")
        elif abs(scored - scores) > TOLERANCE:
            found.append(f"rank {rank}: {was} scored {scored:.9f} then, {scores:.9f} now")
    return found
