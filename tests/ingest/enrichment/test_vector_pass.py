"""Vectors: every experience's meaning, embedded once by the model in use."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest

from meridia.core.errors import ModelMismatch
from meridia.core.ids import content_hash
from meridia.core.types import EntryKind
from meridia.ingest.enrichment.passes import NOTHING, run_pass
from meridia.ingest.enrichment.vector_pass import VectorPass
from meridia.models.embedder import EncodingCache
from meridia.models.tokens import DIMENSION, Encoded, compress, split_chunks
from meridia.storage.vectors import TokenVectors, VectorTable
from tests.fakes import FakeEmbedder, OneByOne
from tests.ingest.ingest_events import result, user
from tests.ingest.ingest_world import HOME, World

IMPORTANT = {"metadata": {"important": True}, "session": {"key": "s1"}}


def vectorising(world: World, embedder: FakeEmbedder | None, words: int = 160) -> VectorPass:
    return VectorPass(world.file, lambda: embedder, EncodingCache(lambda: embedder, 8), words, 8)


def embedded_texts(world: World, *texts: str) -> list[str]:
    """Return which texts have vectors."""
    vectors, hashes = VectorTable(world.file.space(HOME)), list(map(content_hash, texts))
    hashes = vectors.embedded_hashes(world.embedder.model, hashes)
    return [text for text in texts if content_hash(text) in hashes]


def test_messages_and_held_skeletons_are_embedded_by_what_they_say(world):
    world.take(user("The mast is up", 0), result("read", {"path": "/a.py"}, "oak", 5))
    assert run_pass(world.file, HOME, vectorising(world, world.embedder))
    assert world.embedder.asked == ["The mast is up", "read\n/a.py\noak"]
    assert (
        embedded_texts(world, "The mast is up", "read\n/a.py\noak", "read") == world.embedder.asked
    )


def test_a_text_is_embedded_once_in_one_batch_and_in_the_next(world):
    world.take(user("The mast is up", 0), user("The mast is up", 5))
    run_pass(world.file, HOME, vectorising(world, world.embedder))
    world.take(user("The mast is up", 9))
    run_pass(world.file, HOME, vectorising(world, world.embedder))
    assert world.embedder.asked == ["The mast is up"]


def test_row_82_anticipated_questions_have_vectors_of_their_own(world):
    world.live(
        result("bash", {"cmd": "make boat"}, "error: no keel", 0, failed=True, **IMPORTANT),
        result("bash", {"cmd": "make boat"}, "a boat", 900, **IMPORTANT),
    )
    (asked,) = world.payloads_of(EntryKind.QUESTIONS_ANTICIPATED)
    assert len(embedded_texts(world, *asked["questions"])) == len(asked["questions"]) <= 2


def test_without_an_embedder_nothing_can_be_done_and_nothing_is(world):
    world.take(user("The mast is up", 0))
    none = vectorising(world, None)
    assert none.until(HOME) == 0
    assert none.work(HOME, world.entries()) == NOTHING
    assert run_pass(world.file, HOME, none)
    assert embedded_texts(world, "The mast is up") == []


def test_each_model_has_a_cursor_of_its_own(world):
    first, second = vectorising(world, FakeEmbedder("a:1")), vectorising(world, FakeEmbedder("b:1"))
    assert first.name != second.name
    assert "a:1" in first.name


def test_another_models_vectors_are_refused_before_anything_is_embedded(world):
    world.live(user("The mast is up", 0))
    other = FakeEmbedder("other:16:2")
    with pytest.raises(ModelMismatch, match="other:16:2"):
        run_pass(world.file, HOME, vectorising(world, other))
    assert other.asked == []


def test_row_d25_another_models_vectors_are_made_beside_the_old_where_that_is_asked_for(world):
    world.live(user("The mast is up", 0))
    before = world.rows("SELECT model, text_hash, vector FROM embedding")
    other = FakeEmbedder("other:16:2")
    beside = vectorising(world, other)
    beside.allow_other_model(HOME)
    assert run_pass(world.file, HOME, beside)
    assert other.asked == ["The mast is up"]
    after = world.rows("SELECT model, text_hash, vector FROM embedding")
    assert set(before) < set(after)
    assert run_pass(world.file, HOME, vectorising(world, FakeEmbedder("other:16:2")))


def test_a_long_text_has_a_vector_for_each_part(world):
    text = " ".join(f"word{number}" for number in range(40))
    world.take(user(text, 0))
    run_pass(world.file, HOME, vectorising(world, world.embedder, words=16))
    ((row_count,),) = world.rows("SELECT count(*) FROM embedding")
    assert row_count == len(world.embedder.asked) == 3


def test_an_erased_experience_is_passed_over(world):
    world.take(user("The mast is up", 0), user("The sail is new", 5))
    with world.file.database.writing() as connection:
        connection.execute("DELETE FROM payload WHERE seq = 1")
    run_pass(world.file, HOME, vectorising(world, world.embedder))
    assert world.embedder.asked == ["The sail is new"]


# By the word


class WordEmbedder(OneByOne, FakeEmbedder):
    """Encodes each word as one piece, whose vector is the word's own, between two marks."""

    def __init__(self) -> None:
        super().__init__()
        #: Every text that was encoded by the word, in order.
        self.encoded: list[str] = []

    def encode(self, text: str) -> Encoded:
        self.encoded.append(text)
        spans = [(0, 0), *(match.span() for match in re.finditer(r"\w+", text)), (0, 0)]
        pieces = np.stack([of_word(text[start:end]) for start, end in spans])
        return Encoded(super().embed([text])[0], pieces, spans)


def of_word(word: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big")
    drawn = np.random.default_rng(seed).normal(size=384).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


def stored_tokens(world: World, seq: int) -> list[list[int]] | None:
    model = WordEmbedder().model
    loaded = TokenVectors(world.file.space(HOME)).load(model, [seq])
    return loaded[seq][0].tolist() if seq in loaded else None


def of_words(*words: str) -> list[list[int]]:
    return compress(np.stack([of_word(word) for word in words])).tolist()


def test_content_words_have_vectors_of_their_own(world):
    world.take(user("The mast is up", 0), user("The sail was sewn", 5))
    assert run_pass(world.file, HOME, vectorising(world, WordEmbedder()))
    assert stored_tokens(world, 1) == of_words("mast")
    assert stored_tokens(world, 2) == of_words("sail", "sewn")


def test_a_text_is_encoded_once_for_both_its_vector_and_its_words(world):
    world.take(user("The mast is up", 0))
    embedder = WordEmbedder()
    run_pass(world.file, HOME, vectorising(world, embedder))
    assert embedder.encoded == embedder.asked == ["The mast is up"]
    assert embedded_texts(world, "The mast is up") == ["The mast is up"]


def test_the_same_text_again_has_vectors_of_its_words_too(world):
    for seconds in (0, 9):
        world.take(user("The mast is up", seconds))
        run_pass(world.file, HOME, vectorising(world, WordEmbedder()))
    assert stored_tokens(world, 1) == stored_tokens(world, 2) == of_words("mast")


def test_captions_are_part_of_what_is_said_word_by_word(world):
    picture = [{"uri": "file:///a.png", "description": "an oak keel"}]
    world.take(user("Look at the boat", 0, artifacts=picture))
    run_pass(world.file, HOME, vectorising(world, WordEmbedder()))
    token_rows = stored_tokens(world, 1)
    for row in of_words("boat", "oak", "keel"):
        assert row in token_rows


def test_the_words_of_every_passage_of_a_long_text_are_kept_apart(world):
    words = [f"word{number}" for number in range(40)]
    embedder = WordEmbedder()
    world.take(user(" ".join(words), 0))
    run_pass(world.file, HOME, vectorising(world, embedder, words=16))
    passages = split_chunks(" ".join(words), 16, embedder)
    rows = [of_words(*passage.split()) for passage in passages]
    mark = [0] * DIMENSION
    assert stored_tokens(world, 1) == [row for each in rows for row in (mark, *each)]
    assert embedder.encoded == passages


def test_a_text_that_says_nothing_by_itself_has_no_words_and_hinders_nobody(world):
    world.take(user("It was the", 0), user("The mast", 5))
    assert run_pass(world.file, HOME, vectorising(world, WordEmbedder()))
    assert stored_tokens(world, 1) == []
    assert stored_tokens(world, 2) == of_words("mast")


def test_an_embedder_without_words_leaves_none(world):
    world.take(user("The mast is up", 0))
    run_pass(world.file, HOME, vectorising(world, world.embedder))
    assert world.rows("SELECT count(*) FROM token_vectors") == [(0,)]
