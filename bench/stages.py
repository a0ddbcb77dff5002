"""Timers for the stages of the recall core, installed from outside and removed again.

The product knows nothing of them. A stage inside of another is told apart ("gate: words"), and
each stage's time is its own, without the stages inside of it.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from meridia.graph.adjacency import Adjacency
from meridia.retrieval import recall, recall_service
from meridia.retrieval.candidates import activation, query_targets
from meridia.retrieval.candidates.postings import WordLookup
from meridia.retrieval.ranking import formula, late_interaction, people_terms, spreading
from meridia.storage import vectors
from meridia.storage.search.term_index import TermIndex
from meridia.storage.vectors import VectorIndex

_CORE = "the rest"
#: Where the functions are that make up the core, in the order of their first call.
_STAGES: tuple[tuple[Any, str, str], ...] = (
    (recall_service.RecallService, "rank", _CORE),
    (recall_service, "parse_question", "analyse"),
    (TermIndex, "match", "match"),
    (recall, "gather", "gather"),
    (VectorIndex, "similarities", "similarities"),
    (Adjacency, "numbers", "numbers"),
    (WordLookup, "postings", "postings"),
    (query_targets, "target_masks", "favoured"),
    (activation.Activator, "activate", "activate"),
    (formula, "estimate_lexical_confidence", "gate"),
    (TermIndex, "phrase", "phrase"),
    (formula, "information", "information"),
    (formula, "meaning", "meaning"),
    (spreading, "chains", "edges"),
    (spreading, "words", "words"),
    (formula, "pairs", "pairs"),
    (formula, "session", "session"),
    (people_terms, "speaker", "speaker"),
    (formula, "priors", "priors"),
    (vectors.TokenVectorCache, "load", "word by word: load"),
    (late_interaction, "max_similarities", "word by word: nearest"),
    (spreading, "token_match", "word by word: spread"),
    (spreading, "phrased", "word by word: wording"),
    (recall, "total", "total"),
)


class Stages:
    """While entered, adds up the time of every stage of the recall core, for one thread."""

    def __init__(self) -> None:
        self._questions: list[dict[str, float]] = []
        self._open: list[tuple[str, float]] = []
        self._before: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Self:
        for owner, attribute, name in _STAGES:
            function = getattr(owner, attribute)
            self._before.append((owner, attribute, function))
            setattr(owner, attribute, self._timed(function, name))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        while self._before:
            owner, attribute, function = self._before.pop()
            setattr(owner, attribute, function)

    def median_ms(self) -> dict[str, float]:
        """Return the median milliseconds of each stage over all questions, longest first."""
        names = dict.fromkeys(name for question in self._questions for name in question)
        medians = {
            name: statistics.median(question.get(name, 0.0) for question in self._questions) * 1000
            for name in names
        }
        return dict(sorted(medians.items(), key=lambda item: -item[1]))

    def _timed(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            # The core's own frame is the outermost; its name would stand before every other.
            above = self._open[-1][0] if len(self._open) > 1 else ""
            if name == _CORE:
                self._questions.append(defaultdict(float))
            path = f"{above}: {name}" if above else name
            self._open.append((path, 0.0))
            started = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                passed = time.perf_counter() - started
                inside = self._open.pop()[1]
                if self._open or name == _CORE:
                    self._questions[-1][path] += passed - inside
                if self._open:
                    outer, before = self._open[-1]
                    self._open[-1] = (outer, before + passed)

        return timed
