"""What the source's optional features gain, each switched on, on LoCoMo's conversations.

    python -m bench.switches --locomo FILE --work FOLDER [--graphiti]

Working set: recall of questions that are asked in the session of their evidence, and in another
one. Lateral thinking: how often its find is evidence that the answer lacks, beside a memory drawn
at random. Daydream: how many proposed pairs stand together in the evidence of one question, and
beside pairs drawn at random. Core summary: how much of what it cites is evidence. `--graphiti`: the
Neo4j that the settings name is filled, and its search is a source of recall.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from bench import locomo
from bench.ablation import Ablation, EvaluationSpace
from bench.baselines import settings
from meridia import Memory
from meridia.core.ports import VectorQuery
from meridia.core.settings import RecallSettings
from meridia.core.settings_loader import load
from meridia.evaluation.questions import locomo_questions
from meridia.ingest.ideas import pairs_of
from meridia.models.encoders import LIGHT, encoder_of
from meridia.resume.pack import Pack
from meridia.retrieval.ranking import optional_terms
from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS, RERANK_WEIGHTS
from meridia.retrieval.recall import Recaller
from meridia.storage.vectors import VectorIndexes

_LIMIT, _PAIRS = 10, 1000
_AS_IT_IS = Ablation("default")


@dataclass
class Tally:
    """Means over all conversations, by what was counted."""

    sums: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, value: float) -> None:
        """Count one value."""
        self.sums.setdefault(name, []).append(value)

    def lines(self) -> list[str]:
        """Return a line for each mean: its name, value and how many it is of."""
        return [f"{name:58}{np.mean(v):9.4f}{len(v):9}" for name, v in self.sums.items()]


def measure_working_set(space: EvaluationSpace, tally: Tally) -> None:
    """Ask each question in the session of its first evidence, and in another one."""
    memory, random_ = space.memory, random.Random(1)
    sessions = sorted({memory.get(id).session or "" for q in space.asked for id in q.evidence})
    for weight in (0.0, 0.3, 3.0):
        chosen = RecallSettings(working_set=weight)
        recaller = space.recaller(Recaller, chosen, (DEFAULT_WEIGHTS, RERANK_WEIGHTS))
        for question in space.asked:
            home = memory.get(min(question.evidence)).session or ""
            for name, session in (("its own", home), ("another", random_.choice(sessions))):
                result = space.result(recaller, question.question, _AS_IT_IS, session)
                ids = space.ids(result.pool.rows[result.order])[:_LIMIT]
                share = len(question.evidence & set(ids)) / len(question.evidence)
                tally.add(f"working set {weight}, asked in {name} session: recall@10", share)


def measure_lateral(space: EvaluationSpace, tally: Tally) -> None:
    """Let every question have a find."""
    recaller = space.recaller(Recaller, RecallSettings(), (DEFAULT_WEIGHTS, RERANK_WEIGHTS))
    random_ = np.random.default_rng(1)
    for number, question in enumerate(space.asked):
        ranked = space.result(recaller, question.question, _AS_IT_IS)
        view = replace(ranked.pool.space, random_seed=number)
        rows = ranked.pool.rows[ranked.order][:_LIMIT]
        found = optional_terms.find_laterally(view, rows, 1.0)
        tally.add("lateral thinking: a find", float(found is not None))
        if found is None:
            continue
        (id,) = space.ids(np.array([found[0]]))
        tally.add("lateral thinking: the find is evidence", float(id in question.evidence))
        others = np.setdiff1d(np.flatnonzero(view.allowed), rows)
        (drawn,) = space.ids(np.array([random_.choice(others)]))
        tally.add("drawn at random: it is evidence", float(drawn in question.evidence))


def measure_daydream(space: EvaluationSpace, tally: Tally) -> None:
    """Propose all pairs at once, and compare with those that questions put together."""
    memory, view = space.memory, space.view
    embedder = memory._components.embedder()  # noqa: SLF001 - the bench is a part of the product
    assert embedder is not None
    model = (embedder.model, embedder.dimension, view.until)
    index = VectorIndexes(memory.parts).index(memory.space, *model)
    together = {
        frozenset(pair) for q in space.asked for pair in combinations(sorted(q.evidence), 2)
    }
    allowed = np.ones(len(view.experiences.seqs), np.bool_)
    for pair in pairs_of(view, index, allowed, 0, 0.7, _PAIRS):
        ids = frozenset(space.ids(np.array([pair.earlier, pair.later])))
        tally.add("daydream: a proposed pair is evidence of one question", float(ids in together))
    random_ = np.random.default_rng(1)
    for _ in range(20_000):
        rows = random_.choice(len(allowed), 2, replace=False)
        tally.add("drawn at random: so is a pair", float(frozenset(space.ids(rows)) in together))


def measure_summary(space: EvaluationSpace, tally: Tally) -> None:
    """Look for the questions' evidence among what a core summary cites."""
    pack = space.memory.reconstitute("core_summary")
    assert isinstance(pack, Pack)
    cited = set(pack.cited)
    evidence = {id for question in space.asked for id in question.evidence}
    tally.add("core summary: memories cited", float(len(cited)))
    tally.add("core summary: tokens", float(pack.tokens))
    tally.add("core summary: cited memories that are evidence", len(cited & evidence) / len(cited))
    everything = {text.event_id for text in space.memory.list(limit=1000).memories}
    tally.add("all memories: that are evidence", len(everything & evidence) / len(everything))


def measure_graphiti(space: EvaluationSpace, tally: Tally) -> None:
    """Fill Graphiti, and let its search be a source with several weights."""
    memory = space.memory
    failed = memory.sinks.sync()["graphiti"]
    assert not failed, failed
    source = memory._components.vector_source("graphiti")  # noqa: SLF001 - as above
    nothing = np.zeros(1, np.float32)
    for question in space.asked:
        query = VectorQuery(memory.space, question.question, nothing, "", 20, space.view.until)
        started = time.perf_counter()
        finds = source.search(query)
        tally.add("Graphiti: seconds a search", time.perf_counter() - started)
        for weight in (0.0, 1.0, 2.0, 4.0):
            settings_ = RecallSettings(graphiti=weight)
            recaller = space.recaller(Recaller, settings_, (DEFAULT_WEIGHTS, RERANK_WEIGHTS))
            given = finds if weight else ()
            result = space.result(recaller, question.question, _AS_IT_IS, finds=given)
            ids = space.ids(result.pool.rows[result.order])[:_LIMIT]
            share = len(question.evidence & set(ids)) / len(question.evidence)
            tally.add(f"Graphiti as a source, weight {weight:g}: recall@10", share)


def main(arguments: Sequence[str] | None = None) -> None:
    """Import, measure each feature, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", type=Path, required=True, help="LoCoMo's JSON file")
    parser.add_argument("--work", type=Path, required=True, help="keep what is imported here")
    parser.add_argument("--graphiti", action="store_true", help="the source alone, as configured")
    chosen = parser.parse_args(arguments)
    chosen.work.mkdir(parents=True, exist_ok=True)
    tally, embedder = Tally(), encoder_of(LIGHT)
    given = settings()
    if chosen.graphiti:
        given = given.model_copy(update={"graphiti": load().settings.graphiti})
    measures = (measure_working_set, measure_lateral, measure_daydream, measure_summary)
    with Memory(chosen.work / "locomo.db", "default", given, embedder=embedder) as memory:
        locomo.import_conversations(memory, chosen.locomo, merged=False)
        for sample in json.loads(chosen.locomo.read_text("utf-8")):
            here = memory.in_space(sample["sample_id"])
            space = EvaluationSpace(here, locomo_questions(sample), embedder)
            for measure in (measure_graphiti,) if chosen.graphiti else measures:
                measure(space, tally)
    print("\n".join(tally.lines()))


if __name__ == "__main__":
    main()
