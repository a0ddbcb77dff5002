"""Ask questions of a memory and count what it finds, how sure it is, how long and how much it is.

Asking changes nothing: no answer is kept. Other settings are tried on a copy of the journal.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..core.errors import InvalidInput
from ..core.settings import Settings
from ..core.settings_loader import changed, keys
from ..core.types import memories_of
from ..memory import Memory
from ..resume.layout import estimate_tokens
from .scores import EvaluationQuestion, Measures, means, measure_places

CUTS = (1, 5, 10, 20)
#: What is said of a memory in the report.
_TEXT_CHARS = 200
#: Sections of settings that change what a question finds.
_TRIED = ("recall", "embedding")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What came of one question; `places` are the ranks at which its evidence stands."""

    asked: EvaluationQuestion
    places: Mapping[str, int]
    shown: Sequence[str]
    confidence: float
    certainty: str
    ms: float
    tokens: int

    @property
    def rank(self) -> int | None:
        """The rank of the first memory that answers; None where none was found."""
        return min(self.places.values(), default=None)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "question": self.asked.question,
            "space": self.asked.space,
            "groups": list(self.asked.groups),
            "rank": self.rank,
            "expected": {id: self.places.get(id) for id in sorted(self.asked.evidence)},
            "confidence": self.confidence,
            "certainty": self.certainty,
            "ms": round(self.ms, 3),
            "tokens": self.tokens,
        }


Progress = Callable[[int, int], None]


def ask_all(
    memory: Memory,
    questions: Sequence[EvaluationQuestion],
    limit: int,
    progress: Progress = lambda done, total: None,
) -> list[AskedQuestion]:
    """Ask each question in its space for `limit` memories."""
    found = []
    for done, question in enumerate(questions, 1):
        here = memory if question.space is None else memory.in_space(question.space)
        started = time.perf_counter()
        recall = here.recall(question.question, limit=limit)
        took = time.perf_counter() - started
        places: dict[str, int] = {}
        for hit in recall.hits:
            names = {hit.event_id, *(repeat.event_id for repeat in hit.repeats)}
            places |= dict.fromkeys(names & question.evidence - places.keys(), hit.rank)
        found.append(
            AskedQuestion(
                question,
                places,
                [hit.event_id for hit in recall.hits],
                recall.confidence,
                recall.certainty,
                took * 1000,
                estimate_tokens(recall.to_text()),
            )
        )
        progress(done, len(questions))
    return found


def scores_of(asked: Sequence[AskedQuestion], limit: int) -> dict[str, Measures]:
    """Return the mean recall at each cut up to `limit` and the mean reciprocal rank, by group."""
    cuts = sorted({*(cut for cut in CUTS if cut < limit), limit})
    return means(
        (one.asked.groups, measure_places([*one.places.values()], len(one.asked.evidence), cuts))
        for one in asked
    )


def report(memory: Memory, asked: Sequence[AskedQuestion], limit: int) -> dict[str, Any]:
    """Return all that the questions say of a memory, as plain JSON values."""
    spaces = dict.fromkeys(one.asked.space or memory.space for one in asked)
    records = {
        (space, record.event_id): record
        for space in spaces
        for record in memories_of(memory.in_space(space).list)
    }
    shown = {(one.asked.space or memory.space, id) for one in asked for id in one.shown}
    wanted: dict[tuple[str, str], list[str]] = {}
    found = set()
    for one in asked:
        for id in one.asked.evidence:
            key = (one.asked.space or memory.space, id)
            wanted.setdefault(key, []).append(one.asked.question)
            found |= {key} if id in one.places else set()
    missed = [key for key in records if key in wanted and key not in found]
    ms = sorted(one.ms for one in asked)
    right, wrong = ([one for one in asked if (one.rank == 1) == first] for first in (True, False))
    counts = Counter(group for one in asked for group in one.asked.groups)
    return {
        "questions": len(asked),
        "limit": limit,
        "memories": len(records),
        "never_shown": len(records.keys() - shown),
        "scores": {
            group: {"questions": counts.get(group, len(asked)), **measures}
            for group, measures in scores_of(asked, limit).items()
        },
        "confidence": {"right_first": _certainties(right), "other": _certainties(wrong)},
        "ms": {"median": statistics.median(ms), "p95": ms[int(0.95 * (len(ms) - 1))]},
        "tokens": statistics.mean(one.tokens for one in asked),
        "never_found": [
            {
                "space": space,
                "id": id,
                "address": records[space, id].address,
                "text": records[space, id].text[:_TEXT_CHARS],
                "questions": wanted[space, id],
            }
            for space, id in missed
        ],
        "in_no_memory": sorted({id for space, id in wanted.keys() - records.keys()}),
        "asked": [one.as_json() for one in asked],
    }


def _certainties(asked: Sequence[AskedQuestion]) -> dict[str, Any]:
    """Return how sure the memory was of some answers: the mean, and how often it said what."""
    said = [one.certainty for one in asked]
    mean = statistics.mean(one.confidence for one in asked) if asked else None
    words = ("sure", "maybe", "probably nothing")
    return {"count": len(asked), "mean": mean, **{word: said.count(word) for word in words}}


def settings_to_ask(settings: Settings, values: Mapping[str, Any] | None = None) -> Settings:
    """Return settings that keep no answer, with some values in the place of theirs.

    Raises `InvalidInput` for a setting that changes nothing that a question finds.
    """
    for key in values or {}:
        if key not in keys() or key.partition(".")[0] not in _TRIED:
            raise InvalidInput(
                f"--with {key}: give a setting of {' or '.join(_TRIED)}, as recall.profile=simple; "
                "`meridia config` lists them"
            )
    return changed(settings, {"recall.keep": False, **(values or {})})


@contextmanager
def opened_with(
    memory: Memory, values: Mapping[str, Any], spaces: Sequence[str]
) -> Iterator[Memory]:
    """Yield a memory over a copy of the journal whose settings have other values, enriched."""
    settings = settings_to_ask(memory.settings, values)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        memory.upkeep.backup(copy)
        with Memory.open(copy, memory.space, settings, enrich="manual") as other:
            for space in spaces:
                other.in_space(space).enrich()
            yield other


def compare(
    before: Sequence[AskedQuestion], after: Sequence[AskedQuestion], limit: int
) -> dict[str, Any]:
    """Return how other settings do on the same questions, and which are found more or less."""
    pairs = list(zip(before, after, strict=True))
    return {
        "scores": scores_of(after, limit),
        "ms": statistics.median(one.ms for one in after),
        "gained": [new.asked.question for old, new in pairs if len(new.places) > len(old.places)],
        "lost": [new.asked.question for old, new in pairs if len(new.places) < len(old.places)],
    }
