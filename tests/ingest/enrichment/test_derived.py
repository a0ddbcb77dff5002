"""What is derived depends on the journal alone: not on batches, restarts, kills or processes."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from bench.derived import Plan, compare, history, plans
from meridia.core.settings import GraphSettings, Settings
from meridia.memory import Memory
from tests.fakes import FakeEmbedder
from tests.neo4j_server import Neo4jServer
from tests.thorough import THOROUGH

_EXAMPLES = 200 if THOROUGH else 1
_STEPS = 80 if THOROUGH else 30
_SEEDS = st.integers(0, 2**32)


def differences(seed: int, *plans: Plan, steps: int = _STEPS) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="meridia-derived-") as folder:
        return compare(Path(folder), history(seed, steps), plans, FakeEmbedder())


@settings(max_examples=_EXAMPLES, derandomize=True)
@given(_SEEDS)
def test_batches_of_any_size_and_restarts_anywhere_derive_the_same(seed: int):
    chosen = plans(random.Random(seed), _STEPS)
    assert differences(seed, *(chosen if THOROUGH else chosen[::2])) == []


@pytest.mark.slow
def test_who_is_killed_in_it_and_how_many_take_turns_changes_nothing():
    kills = Plan(batch=2, kills=(0.0, 0.05, 0.1))
    turns = Plan(batch=3, enriched=frozenset(range(0, _STEPS, 4)), workers=3)
    assert differences(7, kills, turns) == []


def test_neo4j_holds_the_same_too(neo4j_server: Neo4jServer, tmp_path: Path):
    graph = GraphSettings(
        engine="neo4j",
        neo4j_uri=neo4j_server.uri,
        neo4j_user=neo4j_server.user,
        neo4j_password=SecretStr(neo4j_server.password),
    )
    chosen = [Plan(batch=1), Plan(batch=3, enriched=frozenset(range(0, 20, 3)))]
    assert compare(tmp_path, history(11, 20), chosen, FakeEmbedder(), graph) == []


#: Only the third says what Oslo is: rules guess a name where it stands among others.
_TEXTS = (
    "oslo was closed, said the sign of Oslo",
    "Oslo again.",
    "We moved to Oslo last spring.",
    "Oslo is rainy in autumn.",
    "What about Oslo?",
    "Oslo, said the letter.",
)


def mentions(memory: Memory) -> list[str]:
    """Return which of the texts mention something, in order."""
    pattern = "MATCH (e:Experience)-[:MENTIONS]->(n:Entity) WHERE n.name = 'Oslo' "
    rows = memory.query(pattern + "RETURN e.event_id AS id ORDER BY id").rows
    return [row[0] for row in rows]


@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize("each", [False, True])
def test_a_name_is_known_from_the_message_on_that_introduces_it(
    tmp_path: Path, reopened: bool, each: bool
):
    def opened() -> Memory:
        return Memory(tmp_path / "names.db", "names", Settings(), embedder=FakeEmbedder())

    memory = opened()
    for number, text in enumerate(_TEXTS):
        memory.remember(text, id=f"t{number}")
        if each:
            memory.enrich()
        if reopened:
            memory.close()
            memory = opened()
    memory.enrich()
    assert mentions(memory) == ["t2", "t3", "t4", "t5"]
    memory.enrich(again=True)
    assert mentions(memory) == ["t0", "t1", "t2", "t3", "t4", "t5"], "said before, read again"
    memory.close()
