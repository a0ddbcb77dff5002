"""Asking after an answer: it is the same again, whatever has happened to the memory since."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput, NotFound
from meridia.core.settings import EmbeddingSettings, GraphSettings, RecallSettings, Settings
from meridia.retrieval.recall_result import as_json
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock
from tests.retrieval.random_spaces import PEOPLE, fill, questions, world
from tests.thorough import THOROUGH

MANY = 500 if THOROUGH else 25
LATER = 1000 if THOROUGH else 60
SEEDS = count(100)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "world.db"


@pytest.fixture
def small(path: Path) -> Iterator[Memory]:
    with world(path, seed=1) as memory:
        yield memory


def again(path: Path, settings: Settings | None = None) -> Memory:
    """Open a world another time, as another process would."""
    seed = next(SEEDS)
    clock = TickingClock(datetime(2026, 5, 1, tzinfo=UTC))
    return Memory(
        path, "world", settings or Settings(), clock, SeededBytes(seed), embedder=FakeEmbedder()
    )


def asked(memory: Memory, many: int, seed: int = 5) -> list[str]:
    """Ask random questions with random limits and filters; return the recalls' ids."""
    chance = random.Random(seed)
    found = []
    for _ in range(many):
        filters = chance.choice(
            [{}, {}, {}, {"person": chance.choice(PEOPLE)}, {"as_of": chance.randint(5, 80)}]
        )
        recall = memory.recall(questions(chance), limit=chance.choice([1, 5, 10, 40]), **filters)
        found.append(recall.id)
    return found


def not_the_same(memory: Memory, recalls: list[str]) -> list[tuple[str, object]]:
    why = memory.reasons
    replays = [why.replay(id) for id in recalls]
    return [(replay.recall, replay.differences) for replay in replays if not replay.identical]


def test_a_question_asked_again_as_then_is_answered_the_same(small: Memory):
    recalls = asked(small, MANY)
    assert any(len(small.reasons.replay(id).now) > 1 for id in recalls)
    assert not_the_same(small, recalls) == []


def test_a_replay_is_the_same_after_a_restart_more_captures_and_a_rebuild(path: Path):
    with world(path, seed=2) as memory:
        recalls = asked(memory, MANY)
    with again(path) as memory:
        assert not_the_same(memory, recalls) == []
        fill(memory, random.Random(3), LATER)
        assert not_the_same(memory, recalls) == []
        memory.upkeep.rebuild()
        assert not_the_same(memory, recalls) == []


def test_a_replay_is_the_same_with_another_graph_engine(path: Path):
    with world(path, seed=4) as memory:
        recalls = asked(memory, MANY)
    elsewhere = GraphSettings(engine="neo4j", neo4j_uri="bolt://127.0.0.1:1")
    with again(path, Settings(graph=elsewhere)) as memory:
        assert not_the_same(memory, recalls) == []


def test_a_replay_is_asked_with_the_settings_of_then(path: Path):
    with world(path, seed=5, settings=Settings(recall=RecallSettings(spread=False))) as memory:
        recalls = asked(memory, 10)
    with again(path, Settings(recall=RecallSettings(profile="simple"))) as memory:
        recalls += asked(memory, 10)
    with again(path) as memory:
        assert not_the_same(memory, recalls) == []


@pytest.mark.parametrize(
    "recall",
    [
        RecallSettings(policy="sample", walks=50),
        RecallSettings(policy="walk"),
        RecallSettings(policy="walk", tracerank=True),
    ],
    ids=lambda recall: recall.policy,
)
def test_chance_falls_as_it_fell_then(path: Path, recall: RecallSettings):
    with world(path, seed=13, settings=Settings(recall=recall)) as memory:
        recalls = asked(memory, 8)
        fill(memory, random.Random(14), 20)
        memory.upkeep.rebuild()
    with again(path) as memory:
        assert not_the_same(memory, recalls) == []


def test_a_question_asked_while_enrichment_lagged_is_replayed_from_what_there_was(path: Path):
    with world(path, seed=6) as memory:
        pass
    with again(path, Settings(recall=RecallSettings(wait_s=0))) as memory:
        for number in range(30):
            memory.remember(f"storm over the harbour, number {number}", person="Dana")
        recalls = [memory.recall("storm harbour").id]
        assert memory.enrichment.lag(memory.space)
    with again(path) as memory:
        memory.enrich()
        assert memory.recall("storm harbour").hits[0].id
        assert not_the_same(memory, recalls) == []


def test_what_the_encoder_was_asked_is_kept_and_asked_again(demo: Memory):
    texts = ["Why did publishing the website fail?", "What did Oskar promise Dana?", "zygote"]
    recalls = [demo.recall(text).id for text in texts]
    record = demo.reasons.record(recalls[1])["inputs"]
    assert set(record["texts"][1]) == {"dana", "oskar"}
    assert not_the_same(demo, recalls) == []


def test_what_is_kept_of_an_answer_is_small(demo: Memory):
    recall = demo.recall("Why did publishing the website fail?", limit=10)
    demo.reasons.record(recall.id)  # waits until it is kept
    kept = demo.parts.trace.find_recall(demo.space, recall.id)
    assert len(kept.pop("inputs")) + len(json.dumps(kept)) < 2048


def test_an_answer_is_shown_as_it_was_given(small: Memory):
    recall = small.recall("storm over the harbour, in the rain with a rope")
    for number in range(5):
        small.remember(f"another storm over the harbour, number {number}", person="Dana")
    assert small.reasons.answer(recall.id) == as_json(recall)


def test_an_answer_whose_encoder_is_not_in_use_says_so(path: Path):
    with world(path, seed=5) as memory:
        recall = memory.recall("storm over the harbour")
    with Memory(path, "world", Settings(embedding=EmbeddingSettings(enabled=False))) as memory:
        notes = memory.reasons.answer(recall.id)["notes"]
    assert any("fake-bag-of-words:16:1, not in use now" in note for note in notes)


def test_a_replay_says_what_differs_and_what_is_gone(small: Memory):
    recall = small.recall("storm over the harbour, in the rain with a rope")
    number = small.parts.journal.scope(small.space).number
    first = recall.hits[0]
    with small.parts.database.writing() as connection:
        values = (number, int(first.memory.seq))
        connection.execute("DELETE FROM experience WHERE space = ? AND seq = ?", values)
    replay = small.reasons.replay(recall.id)
    assert not replay.identical
    assert f"memory @{first.memory.seq} was forgotten" in replay.missing
    assert any("1 of the 60 memories of then are gone" in line for line in replay.missing)
    assert replay.as_json()["identical"] is False


def test_a_replay_says_which_vectors_are_gone(small: Memory):
    recall = small.recall("storm over the harbour")
    with small.parts.database.writing() as connection:
        connection.execute("DELETE FROM embedding")
        row = (small.parts.journal.scope(small.space).number, "other:2:1", "x", 0, b"\0\0\0\0")
        connection.execute("INSERT INTO embedding VALUES (?, ?, ?, ?, ?, 0)", row)
    small.close()
    with again(small.parts.database.path) as memory:
        replay = memory.reasons.replay(recall.id)
    assert any("fake-bag-of-words:16:1 are gone" in line for line in replay.missing)
    assert not replay.identical


def test_an_unknown_recall_is_not_found(small: Memory):
    with pytest.raises(NotFound, match="no recall 'nope' in space 'world'"):
        small.reasons.replay("nope")


def test_a_question_that_held_a_secret_is_kept_without_what_it_was_asked_with(small: Memory):
    recall = small.recall("is AKIAJ4T7QXZ2WNB6KD3P the key of the server?")
    assert "AKIAJ4T7QXZ2WNB6KD3P" not in str(small.reasons.record(recall.id))
    with pytest.raises(InvalidInput, match="had a secret"):
        small.reasons.replay(recall.id)


def test_an_answer_that_an_earlier_version_kept_says_so(small: Memory):
    id = small.recall("What did Ann say?").id
    record = dict(small.reasons.record(id))
    # The form of before: plain, with what the encoder had said, and without the texts it was asked.
    before = {"vector": None, "asked": None}
    record["inputs"] = {
        name: value for name, value in {**record["inputs"], **before}.items() if name != "texts"
    }
    small.parts.trace.keep_recall(small.space, "old", {**record, "recall": "old"})
    for ask in (small.reasons.answer, small.reasons.replay):
        with pytest.raises(
            InvalidInput, match="old was stored by an earlier version.*ask the quest"
        ):
            ask("old")


def test_another_space_has_answers_of_its_own(small: Memory):
    recall = small.recall("storm")
    other = small.in_space("elsewhere")
    other.remember("storm", person="Dana")
    with pytest.raises(NotFound):
        other.reasons.replay(recall.id)
