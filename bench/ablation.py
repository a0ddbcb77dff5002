"""What each mechanism of recall gives: each is switched off in turn, on every set.

    python -m bench.ablation [--locomo FILE] [--airline FILE] [--only NAME] [--json FILE]

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
from bench.scores import score
from meridia import Memory
from meridia.core.settings import RecallSettings
from meridia.core.types import Filters
from meridia.evaluation.questions import ALL, EvaluationQuestion, Measures, locomo_questions
from meridia.graph.view import GraphView, Ints
from meridia.language.questions.question import (
    ParsedQuestion,
    parse_question,
    rewrite_in_first_person,
)
from meridia.models.encoders import LIGHT, encoder_of
from meridia.models.tokens import TokenEmbedder
from meridia.retrieval.ranked import Ranked
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
class Ablation:
    """One mechanism switched off: weights set to nothing, settings changed, or inputs left out."""

    name: str
    weights: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    raw: bool = False
    vectors: bool = True
    #: Ages are counted to the newest memory, and not to the time that questions are read from.
    late: bool = False

    def applied(self, weights: RankingWeights) -> RankingWeights:
        """Return weights without those of this mechanism."""
        return replace(weights, **dict.fromkeys(self.weights, 0.0))


MECHANISMS = (
    Ablation(FULL),
    Ablation("all vectors", vectors=False),
    Ablation("meaning in context", ("meaning_in_context",)),
    Ablation("meaning by itself", ("meaning_alone",)),
    Ablation("in their own voice", raw=True),
    Ablation("word by word", settings={"rerank_depth": 0}),
    Ablation("word by word: nearest words", ("token_match",)),
    Ablation("word by word: best of many passages", ("passages",)),
    Ablation("word by word: as it is asked", ("phrased", "phrased_around", "echo")),
    Ablation("words", ("words",)),
    Ablation("words: pairs", ("pairs",)),
    Ablation("words: matches", ("matches", "matches_unread")),
    Ablation("session", ("session_words",)),
    Ablation("speaker", ("speaker",)),
    Ablation("speaker: who asks", ("asker",)),
    Ablation("speaker: in the session", ("participant",)),
    Ablation("times: when", ("when",)),
    Ablation("times: named dates and periods", ("month", "day", "period")),
    Ablation("form", ("information", "asks_back", "length")),
    Ablation("form: says much", ("information",)),
    Ablation("form: asks back", ("asks_back",)),
    Ablation("form: length", ("length",)),
    Ablation("spreading", settings={"spread": False}),
    Ablation("walk", ("walk",)),
    Ablation("beside: significance 1", settings={"significance": 1.0}),
    Ablation("beside: recency 1", settings={"recency": 1.0}, late=True),
    Ablation("beside: diversity 1", settings={"diversity": 1.0}),
)


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """A question, analysed and encoded once; `raw` is its vector as it was asked."""

    question: ParsedQuestion
    request: RecallRequest
    vector: NDArray[np.float32]
    raw: NDArray[np.float32]
    asked: late_interaction.QuestionTokens


class EvaluationSpace:
    """One imported space with its questions, everything that no mechanism changes worked out."""

    def __init__(
        self, memory: Memory, asked: Sequence[EvaluationQuestion], embedder: TokenEmbedder
    ) -> None:
        self.asked = asked
        self.memory, self._file = memory, memory.parts
        view = memory.adjacency.view(memory.space, None)
        index = VectorIndexes(self._file).index(
            memory.space, embedder.model, embedder.dimension, view.until
        )
        self._snapshot = build_snapshot(view, index)
        seqs = {text.id: memory.get(text.id).seq for text in texts_of(memory)}
        self._ids = {int(seq): id for id, seq in seqs.items()}
        self._questions = {
            question.question: self._encoded(question.question, embedder) for question in asked
        }

    def ranker(self, ablation: Ablation) -> Callable[[str], list[str]]:
        """Return the product's ranking of this space without one mechanism."""
        chosen = settings().recall.model_copy(update=dict(ablation.settings))
        recaller = self.recaller(
            Recaller, chosen, (ablation.applied(DEFAULT_WEIGHTS), ablation.applied(RERANK_WEIGHTS))
        )
        return lambda text: self.ranked(recaller, text, ablation)

    def recaller(
        self,
        kind: type[SomeRecaller],
        chosen: RecallSettings,
        weights: tuple[RankingWeights, RankingWeights],
    ) -> SomeRecaller:
        """Return a recaller over this space's file."""
        return kind(self._file, self.memory.adjacency, chosen, weights)

    def ranked(self, recaller: Recaller, text: str, ablation: Ablation) -> list[str]:
        """Return the ids that a recaller ranks for one of the questions, best first."""
        result = self.result(recaller, text, ablation)
        return self.ids(result.pool.rows[result.order])

    def result(
        self,
        recaller: Recaller,
        text: str,
        ablation: Ablation,
        session: str | None = None,
        finds: Sequence[tuple[int, float]] = (),
    ) -> Ranked:
        """Return what a recaller ranks for one of the questions, asked in a session."""
        encoded = self._questions[text]
        request = replace(encoded.request, current_session=session, finds=finds)
        space = space_view(self._file, self.memory.space, self._snapshot, request)
        if ablation.late:
            space = replace(space, now=float(space.view.experiences.at.max(initial=0)))
        vector = encoded.raw if ablation.raw else encoded.vector
        inputs = (vector, encoded.asked) if ablation.vectors else (None, None)
        return recaller.rank(space, encoded.question, inputs[0], _LIMIT, inputs[1])

    @property
    def view(self) -> GraphView:
        """The space's graph."""
        return self._snapshot.view

    def ids(self, rows: Ints) -> list[str]:
        """Return the ids of rows of experiences."""
        return [self._ids[int(seq)] for seq in self._snapshot.view.experiences.seqs[rows]]

    def _encoded(self, text: str, embedder: TokenEmbedder) -> EncodedQuestion:
        people, analyser = self.memory.people.known(), self._file.analyser
        encoded, rewritten = embedder.encode(text), rewrite_in_first_person(text, people)
        turned = encoded if rewritten == text else embedder.encode(rewritten)
        asked = late_interaction.question_tokens(
            text, encoded, embedder.model, analyser, people.words
        )
        request = RecallRequest(text, _LIMIT, Filters())
        return EncodedQuestion(
            parse_question(text, analyser, people, request.now),
            request,
            turned.vector,
            encoded.vector,
            late_interaction.with_rewritten_tokens(asked, rewritten, turned, analyser),
        )


def measured(spaces: Sequence[EvaluationSpace], ablation: Ablation) -> dict[str, Measures]:
    """Return the scores over the worlds of one set, by group, every question counting once."""
    by_group: dict[str, list[tuple[int, Measures]]] = {}
    for space in spaces:
        counts = {
            group: sum(group in question.groups for question in space.asked)
            for question in space.asked
            for group in question.groups
        }
        counts[ALL] = len(space.asked)
        for group, scores in score(space.ranker(ablation), space.asked, CUTS).items():
            by_group.setdefault(group, []).append((counts[group], scores))
    return {
        group: {
            name: sum(count * scores[name] for count, scores in rows)
            / sum(count for count, _ in rows)
            for name in rows[0][1]
        }
        for group, rows in by_group.items()
    }


def table(scores: Mapping[str, Mapping[str, Mapping[str, Measures]]]) -> str:
    """Write scores (set → mechanism → group → measure): the default's, and what others lose."""
    shown = [(name, *column) for name in scores for column in _SHOWN[name]]
    lines = [("without", *(heading for *_, heading in shown))]
    for ablation in next(iter(scores.values())):
        line = [ablation]
        for name, group, measure, _ in shown:
            value, full = (100 * scores[name][which][group][measure] for which in (ablation, FULL))
            line.append(f"{value:.1f}" if ablation == FULL else f"{value - full:+.1f}")
        lines.append(tuple(line))
    return aligned(lines, right=set(range(1, len(shown) + 1)))


def worlds(
    stack: ExitStack, folder: Path, chosen: argparse.Namespace, embedder: TokenEmbedder
) -> dict[str, list[EvaluationSpace]]:
    """Import every set that is there; the files are closed with `stack`."""

    def opened(name: str, space: str) -> Memory:
        memory = Memory(folder / f"{name}.db", space, settings(), embedder=embedder)
        return stack.enter_context(memory)

    sets: dict[str, list[EvaluationSpace]] = {}
    if chosen.locomo:
        memory = opened("locomo", "default")
        locomo.import_conversations(memory, chosen.locomo, merged=False)
        sets["locomo"] = [
            EvaluationSpace(
                memory.in_space(sample["sample_id"]), locomo_questions(sample), embedder
            )
            for sample in json.loads(chosen.locomo.read_text("utf-8"))
        ]
    pairs = association.pairs()
    association.import_cues(pairs, folder / "association.db", 1, embedder)
    asked = [EvaluationQuestion(pair.trigger, frozenset({pair.id}), (pair.kind,)) for pair in pairs]
    sets["association"] = [
        EvaluationSpace(opened("association", association.SPACE), asked, embedder)
    ]
    files = {"coding": work.CODING} | ({"airline": chosen.airline} if chosen.airline else {})
    for name, data in files.items():
        if not (folder / f"{name}.db").exists():
            work.import_set(name, data, folder / f"{name}.db", embedder)
        asked = [
            EvaluationQuestion(question.question, frozenset(question.evidence), (question.kind,))
            for question in work.questions()
            if question.set == name
        ]
        sets[name] = [EvaluationSpace(opened(name, name), asked, embedder)]
    return sets


def sets_parser(description: str) -> argparse.ArgumentParser:
    """Return a parser of what `imported` has to know."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--locomo", type=Path, help="LoCoMo's JSON file")
    parser.add_argument("--airline", type=Path, help="tau-bench's airline runs, a JSON file")
    parser.add_argument("--model", default=LIGHT, help="the sentence encoder, as embedding.model")
    parser.add_argument("--work", type=Path, help="keep what is imported in this folder")
    return parser


@contextmanager
def imported(chosen: argparse.Namespace) -> Iterator[dict[str, list[EvaluationSpace]]]:
    """Give every set that is there, imported into the folder that is named, or one that goes."""
    with ExitStack() as stack:
        folder = chosen.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        yield worlds(stack, folder, chosen, encoder_of(chosen.model))


def main(arguments: Sequence[str] | None = None) -> None:
    """Import, rank with each mechanism off in turn, print the table and write the report."""
    parser = sets_parser(__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the scores here")
    parser.add_argument("--only", default="", help="mechanisms whose name begins so")
    chosen = parser.parse_args(arguments)
    mechanisms = [one for one in MECHANISMS if one.name in FULL or one.name.startswith(chosen.only)]
    with imported(chosen) as sets:
        scores = {
            name: {ablation.name: measured(of_set, ablation) for ablation in mechanisms}
            for name, of_set in sets.items()
        }
    print(table(scores))
    if chosen.json:
        chosen.json.write_text(json.dumps(scores, indent=1), "utf-8")


if __name__ == "__main__":
    main()
