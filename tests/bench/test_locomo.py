"""LoCoMo's bench: a space a conversation or one for all, in rankings that its scorer counts."""

import json
from pathlib import Path

import pytest
from fakes import FakeEmbedder

from bench.baselines import settings, texts_of
from bench.locomo import MERGED, import_conversations, rank
from meridia import Memory


def conversation(name, told, asked):
    turns = [
        {"speaker": who, "dia_id": f"D1:{place}", "text": text}
        for place, (who, text) in enumerate(told, start=1)
    ]
    session = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns}
    return {"sample_id": name, "qa": asked, "conversation": session}


SAMPLES = [
    conversation(
        "one",
        [("Ann", "The mast of my boat is oak"), ("Ben", "I sold the tractor")],
        [
            {"question": "What is the mast made of?", "evidence": ["D1:1"], "category": 4},
            {"question": "What did Ben sell?", "evidence": ["D:1:2; D1:9"], "category": 1},
            {"question": "Who was never there?", "evidence": ["D1:1"], "category": 5},
            {"question": "What has no evidence?", "evidence": [], "category": 4},
        ],
    ),
    conversation(
        "two",
        [("Cleo", "The mast of this flag is steel")],
        [{"question": "What is the mast made of?", "evidence": ["D1:1"], "category": 4}],
    ),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(SAMPLES), "utf-8")
    return path


@pytest.fixture
def memory():
    with Memory(None, "default", settings(), embedder=FakeEmbedder()) as opened:
        yield opened


def test_each_conversation_is_a_space_of_its_own(memory, data):
    assert import_conversations(memory, data, merged=False) == ["one", "two"]
    rows = list(rank(memory, SAMPLES[1], 20, merged=False))
    assert [row["ranked"] for row in rows] == [["D1:1"]]


def test_merged_the_turns_of_the_own_conversation_alone_stand_under_their_own_ids(memory, data):
    assert import_conversations(memory, data, merged=True) == [MERGED]
    texts = texts_of(memory.in_space(MERGED))
    assert [text.id for text in texts] == ["one/D1:1", "one/D1:2", "two/D1:1"]
    assert {text.session for text in texts} == {"one/session_1", "two/session_1"}
    for sample, own, other in ((SAMPLES[0], "D1:1", "two/D1:1"), (SAMPLES[1], "D1:1", "one/D1:1")):
        ranked = next(rank(memory, sample, 20, merged=True))["ranked"]
        assert {own, other} <= set(ranked)
