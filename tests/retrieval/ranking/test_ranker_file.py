"""A file of weights is read whole or refused with what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from bench.train_ranker import to_document
from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.settings import RecallSettings, Settings
from meridia.retrieval.ranking import ranking_weights
from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS, RERANK_WEIGHTS
from tests.retrieval.random_spaces import world


def _file(tmp_path, body) -> str:
    path = tmp_path / "ranker.json"
    path.write_text(body if isinstance(body, str) else json.dumps(body), "utf-8")
    return str(path)


def _weights(**parts):
    return {"format": ranking_weights.FORMAT, **parts}


def test_without_a_file_the_weights_are_the_built_in_ones():
    assert ranking_weights.read("") == (DEFAULT_WEIGHTS, RERANK_WEIGHTS)


def test_what_is_written_is_read_again_to_two_digits(tmp_path):
    close = replace(RERANK_WEIGHTS, speaker=2.345, echo=-1.999)
    body = to_document(close, {"coding": 69}, {"left out": {}})
    far, near = ranking_weights.read(_file(tmp_path, body))
    assert (far, near.speaker, near.echo) == (DEFAULT_WEIGHTS, 2.3, -2.0)
    assert near == replace(close, speaker=2.3, echo=-2.0)


def test_a_weight_that_is_not_named_is_the_built_in_one(tmp_path):
    path = _file(tmp_path, _weights(default={"speaker": 3}, close={"when": 0.0}))
    assert ranking_weights.read(path) == (
        replace(DEFAULT_WEIGHTS, speaker=3.0),
        replace(RERANK_WEIGHTS, when=0.0),
    )


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("{", "is not a JSON file"),
        ("[]", "is not a file of weights"),
        ({"close": {}}, "is not a file of weights"),
        (_weights(close=[1]), "has no weights by name under 'close'"),
        (_weights(close={"phase_of_the_moon": 1, "speaker": 1}), "do not exist: phase_of_the_moon"),
        (_weights(default={"speaker": "2"}), "no finite number for default.speaker: '2'"),
        (_weights(close={"speaker": True}), "no finite number for close.speaker: True"),
        (_weights(close={"speaker": None}), "no finite number for close.speaker: None"),
        (_weights(close={"speaker": float("nan")}), "no finite number for close.speaker: nan"),
        (_weights(close={"speaker": float("-inf")}), "no finite number for close.speaker: -inf"),
        (_weights(close={"speaker": 10**400}), "no finite number for close.speaker: 1000"),
    ],
)
def test_a_bad_file_is_refused_with_what_is_wrong(tmp_path, body, told):
    with pytest.raises(InvalidInput, match=r"recall\.ranker: ") as raised:
        ranking_weights.read(_file(tmp_path, body))
    assert told in str(raised.value)
    assert "make train-ranker" in str(raised.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        ranking_weights.read(str(tmp_path / "none.json"))


def _asked(path: str):
    settings = Settings(recall=RecallSettings(ranker=path))
    with world(None, seed=4, settings=settings) as memory:
        hits = memory.recall("What did Dana say about the boat?").hits
        sums = [sum(leaf.value for leaf in hit.trace.leaves()) for hit in hits]
    assert sums == pytest.approx([hit.score for hit in hits], abs=1e-9)
    return hits


def test_recall_ranks_by_the_file_and_reasons_still_add_up(tmp_path):
    plain = _asked("")
    nothing = dict.fromkeys(asdict(DEFAULT_WEIGHTS), 0.0)
    only = _asked(_file(tmp_path, _weights(default=nothing | {"speaker": 9.0}, close=nothing)))
    assert {hit.score for hit in only if hit.memory.person == "Dana"} == {9.0}
    assert [hit.score for hit in plain] != [hit.score for hit in only]


def test_a_bad_file_stops_recall_and_not_capture(tmp_path):
    settings = Settings(recall=RecallSettings(ranker=_file(tmp_path, "{")))
    with Memory(None, "here", settings) as memory:
        assert memory.remember("The mast is made of oak").id
        with pytest.raises(InvalidInput, match="is not a JSON file"):
            memory.recall("mast")


def test_an_answer_is_replayed_with_the_weights_of_then_whatever_became_of_the_file(tmp_path):
    path = _file(tmp_path, _weights(default={"speaker": 7.5}, close={"speaker": 0.25, "when": 0}))
    with world(None, seed=4, settings=Settings(recall=RecallSettings(ranker=path))) as memory:
        recall = memory.recall("What did Dana say about the boat?").id
        record = memory.reasons.record(recall)["inputs"]["weights"]
        assert record == {"default": {"speaker": 7.5}, "close": {"speaker": 0.25, "when": 0.0}}
        _file(tmp_path, _weights(close={"speaker": 99}))
        assert memory.reasons.replay(recall).identical
        _file(tmp_path, "{")
        assert memory.reasons.replay(recall).identical


def test_only_weights_of_a_file_are_kept_with_an_answer():
    with world(None, seed=4) as memory:
        recall = memory.recall("What did Dana say about the boat?").id
        assert memory.reasons.record(recall)["inputs"]["weights"] is None


def test_weights_are_the_same_once_written_and_read():
    weights = replace(DEFAULT_WEIGHTS, speaker=3.0), replace(RERANK_WEIGHTS, echo=0.125)
    assert ranking_weights.from_json(ranking_weights.as_json(weights), "here") == weights
