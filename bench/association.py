"""Does a remark recall an earlier remark on the same matter, although they share few words?

    python -m bench.association [--profile default] [--per-session N] [--model FOLDER] [--json FILE]

The pairs of bench/data/association.jsonl: what somebody said (the cue) and a later remark (the
trigger). A trigger has to find its cue among the cues only: put into a conversation about other
things, cues would be found by standing out. By default each cue is a session of its own, so that
no neighbour helps or harms; with `--per-session` they stand together in a random order.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.baselines import (
    CHANCE,
    MEANING,
    NAMES,
    PROFILES,
    PROTOTYPE,
    Baselines,
    Text,
    product,
    settings,
    texts_of,
)
from bench.scores import Ranker, score, table
from meridia import Memory
from meridia.evaluation.questions import EvaluationQuestion, Measures
from meridia.models.encoders import LIGHT, encoder_of
from meridia.models.tokens import Embedder

PAIRS = Path(__file__).parent / "data" / "association.jsonl"
KINDS = ("cause", "state", "goal", "value")
SPACE = "association"
CUTS = (1, 5, 10)
MEASURES = ("recall@1", "recall@5", "recall@10", "MRR")
_FIRST_DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
_ORDER_SEED = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """Two remarks that belong together, how, and why."""

    id: str
    kind: str
    cue: str
    trigger: str
    why: str


def pairs(path: Path = PAIRS) -> list[Pair]:
    """Read the pairs."""
    return [Pair(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def import_cues(
    given: Sequence[Pair], database: Path, per_session: int, embedder: Embedder
) -> list[Text]:
    """Remember every cue under its pair's id, in an order that tells nothing; return them all.

    A day passes between two sessions, each of `per_session` cues.
    """
    order = random.Random(_ORDER_SEED).sample(given, len(given))
    with Memory(database, SPACE, settings(), embedder=embedder) as memory:
        memory.remember_many(
            {
                "text": pair.cue,
                "id": pair.id,
                "session": f"chat-{place // per_session}",
                "at": _FIRST_DAY + timedelta(days=place // per_session, minutes=place),
            }
            for place, pair in enumerate(order)
        )
        memory.enrich()
        return texts_of(memory)


def compare(
    given: Sequence[Pair], profiles: Sequence[str], per_session: int, embedder: Embedder
) -> dict[str, dict[str, Measures]]:
    """Return the scores of the product's profiles and of all baselines, by kind."""
    asked = [EvaluationQuestion(pair.trigger, frozenset({pair.id}), (pair.kind,)) for pair in given]
    scores: dict[str, dict[str, Measures]] = {}
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "association.db"
        baselines = Baselines(import_cues(given, database, per_session, embedder), embedder)
        for profile in profiles:
            with product(database, SPACE, settings(profile), len(given), embedder) as rank:
                scores[NAMES.get(profile, profile)] = score(rank, asked, CUTS)
    others: Mapping[str, Ranker] = {
        MEANING: baselines.by_meaning,
        PROTOTYPE: baselines.by_prototype,
        CHANCE: baselines.at_random,
    }
    return scores | {name: score(rank, asked, CUTS) for name, rank in others.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Import, ask, print the table and write the report that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", action="append", choices=PROFILES, help="may be repeated")
    parser.add_argument("--per-session", type=int, default=1, help="cues that share a session")
    parser.add_argument("--model", default=LIGHT, help="the sentence encoder, as embedding.model")
    parser.add_argument("--json", type=Path, help="write the scores here")
    chosen = parser.parse_args(arguments)
    profiles = chosen.profile or ("default", "simple")
    scores = compare(pairs(), profiles, chosen.per_session, encoder_of(chosen.model))
    print(table(scores, MEASURES))
    if chosen.json:
        chosen.json.write_text(json.dumps(scores, indent=1), "utf-8")


if __name__ == "__main__":
    main()
