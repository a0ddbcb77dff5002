"""What is derived depends on the journal alone: not on batches, restarts, kills or processes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.derived import Plan, compare, history
from meridia.core.settings import Settings
from meridia.memory import Memory
from tests.fakes import FakeEmbedder
from tests.thorough import THOROUGH

_EXAMPLES = 200 if THOROUGH else 4
_STEPS = 80 if THOROUGH else 30
_SEEDS = st.integers(0, 2**32)


def differences(seed: int, *plans: Plan, steps: int = _STEPS) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="meridia-derived-") as folder:
        return compare(Path(folder), history(seed, steps), plans, FakeEmbedder())


@settings(max_examples=_EXAMPLES, derandomize=True)
@given(_SEEDS)
def test_batches_of_any_size_derive_the_same(seed: int):
    assert differences(seed, *(Plan(batch=batch) for batch in (1, 2, 7))) == []


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
