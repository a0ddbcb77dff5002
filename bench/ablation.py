"""What each mechanism of recall gives: each is switched off in turn, on every set.

    python -m bench.ablation [--locomo FILE] [--airline FILE] [--model FOLDER] [--json FILE]

The sets are the association pairs and the questions about work that belong to this project, and,
where they are named, LoCoMo's conversations and the airline runs, which do not. Everything is
imported and encoded once; then every question is ranked by the product's own `Recaller` as often
as there are mechanisms, with the weights or the settings of one changed. Nothing of the formula
stands here. The table shows the figures of the default, and how far they fall without each.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bench import association, locomo, work
from bench.baselines import settings, texts_of
from bench.measure import aligned
from bench.scores import ALL, Asked, Measures, score
from meridia import Memory
from meridia.core.settings import RecallSettings
from meridia.core.types import Filters
from meridia.graph.view import Ints
from meridia.models.encoder_ports import TokenEmbedder
from meridia.models.encoders import LIGHT, encoder_of
from meridia.retrieval.query.query_rewrite import rewrite_in_first_person
from meridia.retrieval.query.question import ParsedQuestion, parse_question
from meridia.retrieval.ranking import late_interaction
from meridia.retrieval.ranking.ranking_weights import (
    DEFAULT_WEIGHTS,
    RERANK_WEIGHTS,
    RankingWeights,
)
from meridia.retrieval.recall import Recaller
from meridia.retrieval.recall_record import RecallRequest
from meridia.retrieval.space_snapshot import build_snapshot, space_view
from meridia.storage.vectors import VectorIndexes

CUTS = (5, 10)
_LIMIT = 20
#: What the table shows of each set: group, measure, heading.
_SHOWN = {
    "locomo": (
        (ALL, "recall@10", "locomo @10"),
        ("c1", "recall@10", "multi-hop"),
        (ALL, "MRR", "MRR"),
    ),
    "association": ((ALL, "recall@10", "assoc. @10"),),
    "coding": ((ALL, "recall@10", "coding @10"), (ALL, "MRR", "MRR")),
    "airline": ((ALL, "recall@10", "airline @10"), (ALL, "MRR", "MRR")),
}
FULL = "default"
SomeRecaller = TypeVar("SomeRecaller", bound=Recaller)


@dataclass(frozen=True, slots=True)
class Off:
    """One mechanism switched off: weights set to nothing, settings changed, or inputs left out."""

    name: str
    weights: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    raw: bool = False
    vectors: bool = True

    def applied(self, weights: RankingWeights) -> RankingWeights:
        """Return weights without those of this mechanism."""
        return replace(weights, **dict.fromkeys(self.weights, 0.0))


MECHANISMS = (
    Off(FULL),
    Off("all vectors", vectors=False),
    Off("meaning in context", ("meaning_in_context", "meaning_in_context_unsure")),
    Off("meaning by itself", ("meaning_alone",)),
    Off("in their own voice", raw=True),
    Off("word by word", settings={"rerank_depth": 0}),
    Off("word by word: in the window", ("token_match_around",)),
    Off("word by word: near by", ("token_match_near",)),
    Off("word by word: here", ("token_match",)),
    Off("word by word: as it is asked", ("phrased", "phrased_near", "echo")),
    Off("words", ("words_with_previous", "words_around")),
    Off("words: pairs", ("pairs",)),
    Off("words: matches", ("matches",)),
    Off("session", ("session_words",)),
    Off("speaker", ("speaker",)),
    Off("speaker: in the session", ("session_participant",)),
    Off("times: when", ("when",)),
    Off("times: named dates and periods", ("month", "day", "period")),
    Off("form", ("information", "asks_back", "length", "caption")),
    Off("form: says much", ("information",)),
    Off("form: asks back", ("asks_back",)),
    Off("form: length", ("length",)),
    Off("form: picture", ("caption",)),
    Off("activation", settings={"spread": False}),
    Off("activation: two places away", ("two_before", "two_after")),
    Off("activation: answers", ("answer",)),
    Off("activation: over shared nodes", ("activation",)),
)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A question, analysed and encoded once; `raw` is its vector as it was asked."""

    question: ParsedQuestion
    request: RecallRequest
    vector: NDArray[np.float32]
    raw: NDArray[np.float32]
    asked: late_interaction.QuestionTokens


class World:
    """One imported space with its questions, everything that no mechanism changes worked out."""

    def __init__(self, memory: Memory, asked: Sequence[Asked], embedder: TokenEmbedder) -> None:
        self.asked = asked
        self._memory, self._file = memory, memory.parts
        number = self._file.journal.number(memory.space)
        view = memory.adjacency.view(memory.space, None)
        index = VectorIndexes(self._file.database).index(
            number, embedder.model, embedder.dimension, view.until
        )
        self._snapshot = build_snapshot(view, index)
        seqs = {text.id: memory.get(text.id).seq for text in texts_of(memory)}
        self._ids = {int(seq): id for id, seq in seqs.items()}
        self._questions = {one.question: self._encoded(one.question, embedder) for one in asked}

    def ranker(self, off: Off) -> Callable[[str], list[str]]:
        """Return the product's ranking of this space without one mechanism."""
        chosen = settings().recall.model_copy(update=dict(off.settings))
        recaller = self.recaller(
            Recaller, chosen, (off.applied(DEFAULT_WEIGHTS), off.applied(RERANK_WEIGHTS))
        )
        return lambda text: self.ranked(recaller, text, off)

    def recaller(
        self,
        kind: type[SomeRecaller],
        chosen: RecallSettings,
        weights: tuple[RankingWeights, RankingWeights],
    ) -> SomeRecaller:
        """Return a recaller over this space's file."""
        return kind(self._file, self._memory.adjacency, chosen, weights)

    def ranked(self, recaller: Recaller, text: str, off: Off) -> list[str]:
        """Return the ids that a recaller ranks for one of the questions, best first."""
        one = self._questions[text]
        space = space_view(self._file, self._memory.space, self._snapshot, one.request)
        vector = one.raw if off.raw else one.vector
        seen = (vector, one.asked) if off.vectors else (None, None)
        found = recaller.rank(space, one.question, seen[0], _LIMIT, seen[1])
        return self.ids(found.pool.rows[found.order])

    def ids(self, rows: Ints) -> list[str]:
        """Return the ids of rows of experiences."""
        return [self._ids[int(seq)] for seq in self._snapshot.view.experiences.seqs[rows]]

    def _encoded(self, text: str, embedder: TokenEmbedder) -> Encoded:
        people, analyser = self._memory.people(), self._file.analyser
        encoded, rewritten = embedder.encode(text), rewrite_in_first_person(text, people)
        turned = encoded if rewritten == text else embedder.encode(rewritten)
        asked = late_interaction.question_tokens(
            text, encoded, embedder.model, analyser, people.words
        )
        request = RecallRequest(text, _LIMIT, Filters())
        return Encoded(
            parse_question(text, analyser, people, request.now),
            request,
            turned.vector,
            encoded.vector,
            late_interaction.with_rewritten_tokens(asked, rewritten, turned, analyser),
        )


def measured(worlds: Sequence[World], off: Off) -> dict[str, Measures]:
    """Return the scores over the worlds of one set, by group, every question counting once."""
    by_group: dict[str, list[tuple[int, Measures]]] = {}
    for world in worlds:
        counts = {
            group: sum(group in one.groups for one in world.asked)
            for one in world.asked
            for group in one.groups
        }
        counts[ALL] = len(world.asked)
        for group, found in score(world.ranker(off), world.asked, CUTS).items():
            by_group.setdefault(group, []).append((counts[group], found))
    return {
        group: {
            name: sum(count * found[name] for count, found in rows)
            / sum(count for count, _ in rows)
            for name in rows[0][1]
        }
        for group, rows in by_group.items()
    }


def table(found: Mapping[str, Mapping[str, Mapping[str, Measures]]]) -> str:
    """Write scores (set → mechanism → group → measure): the default's, and what others lose."""
    shown = [(name, *column) for name in found for column in _SHOWN[name]]
    lines = [("without", *(heading for *_, heading in shown))]
    for off in next(iter(found.values())):
        line = [off]
        for name, group, measure, _ in shown:
            value, full = (100 * found[name][which][group][measure] for which in (off, FULL))
            line.append(f"{value:.1f}" if off == FULL else f"{value - full:+.1f}")
        lines.append(tuple(line))
    return aligned(lines, right=set(range(1, len(shown) + 1)))


def worlds(
    stack: ExitStack, folder: Path, chosen: argparse.Namespace, embedder: TokenEmbedder
) -> dict[str, list[World]]:
    """Import every set that is there; the files are closed with `stack`."""

    def opened(name: str, space: str) -> Memory:
        memory = Memory(folder / f"{name}.db", space, settings(), embedder=embedder)
        return stack.enter_context(memory)

    found: dict[str, list[World]] = {}
    if chosen.locomo:
        memory = opened("locomo", "default")
        locomo.take_in(memory, chosen.locomo, merged=False)
        found["locomo"] = [
            World(memory.in_space(sample["sample_id"]), locomo.asked_of(sample), embedder)
            for sample in json.loads(chosen.locomo.read_text("utf-8"))
        ]
    pairs = association.pairs()
    association.import_cues(pairs, folder / "association.db", 1, embedder)
    asked = [Asked(pair.trigger, frozenset({pair.id}), (pair.kind,)) for pair in pairs]
    found["association"] = [World(opened("association", association.SPACE), asked, embedder)]
    files = {"coding": work.CODING} | ({"airline": chosen.airline} if chosen.airline else {})
    for name, data in files.items():
        if not (folder / f"{name}.db").exists():
            work.import_set(name, data, folder / f"{name}.db", embedder)
        asked = [
            Asked(one.question, frozenset(one.evidence), (one.kind,))
            for one in work.questions()
            if one.set == name
        ]
        found[name] = [World(opened(name, name), asked, embedder)]
    return found


def sets_parser(description: str) -> argparse.ArgumentParser:
    """Return a parser of what `imported` has to know."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--locomo", type=Path, help="LoCoMo's JSON file")
    parser.add_argument("--airline", type=Path, help="tau-bench's airline runs, a JSON file")
    parser.add_argument("--model", default=LIGHT, help="the sentence encoder, as embedding.model")
    parser.add_argument("--work", type=Path, help="keep what is imported in this folder")
    return parser


@contextmanager
def imported(chosen: argparse.Namespace) -> Iterator[dict[str, list[World]]]:
    """Give every set that is there, imported into the folder that is named, or one that goes."""
    with ExitStack() as stack:
        folder = chosen.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        yield worlds(stack, folder, chosen, encoder_of(chosen.model))


def main(arguments: Sequence[str] | None = None) -> None:
    """Import, rank with each mechanism off in turn, print the table and write the report."""
    parser = sets_parser(__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the scores here")
    chosen = parser.parse_args(arguments)
    with imported(chosen) as sets:
        found = {
            name: {off.name: measured(of_set, off) for off in MECHANISMS}
            for name, of_set in sets.items()
        }
    print(table(found))
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1), "utf-8")


if __name__ == "__main__":
    main()
