"""Vectors: every experience's meaning, embedded once by the model in use."""

from __future__ import annotations

import pytest

from meridia.core.errors import ModelMismatch
from meridia.core.ids import content_hash
from meridia.core.types import EntryKind
from meridia.graph import vectors
from meridia.ingest.vectorise import Vectorising
from meridia.ingest.work import Work, run
from tests.fakes import FakeEmbedder
from tests.ingest.happenings import result, user
from tests.ingest.world import HOME, World

IMPORTANT = {"metadata": {"important": True}, "session": {"key": "s1"}}


def vectorising(world: World, embedder: FakeEmbedder | None, words: int = 160) -> Vectorising:
    return Vectorising(world.file, lambda: embedder, words, 8)


def known(world: World, *texts: str) -> list[str]:
    """Return which texts have vectors."""
    with world.file.database.reading() as connection:
        number, model = world.file.journal.number(HOME), world.embedder.model
        found = vectors.known(connection, number, model, [content_hash(text) for text in texts])
    return [text for text in texts if content_hash(text) in found]


def test_messages_and_held_skeletons_are_embedded_by_what_they_say(world):
    world.take(user("The mast is up", 0), result("read", {"path": "/a.py"}, "oak", 5))
    assert run(world.file, HOME, vectorising(world, world.embedder))
    assert world.embedder.asked == ["The mast is up", "read\n/a.py\noak"]
    assert known(world, "The mast is up", "read\n/a.py\noak", "read") == world.embedder.asked


def test_a_text_is_embedded_once_in_one_batch_and_in_the_next(world):
    world.take(user("The mast is up", 0), user("The mast is up", 5))
    run(world.file, HOME, vectorising(world, world.embedder))
    world.take(user("The mast is up", 9))
    run(world.file, HOME, vectorising(world, world.embedder))
    assert world.embedder.asked == ["The mast is up"]


def test_row_82_anticipated_questions_have_vectors_of_their_own(world):
    world.live(
        result("bash", {"cmd": "make boat"}, "error: no keel", 0, failed=True, **IMPORTANT),
        result("bash", {"cmd": "make boat"}, "a boat", 900, **IMPORTANT),
    )
    (asked,) = world.told(EntryKind.QUESTIONS_ANTICIPATED)
    assert len(known(world, *asked["questions"])) == len(asked["questions"]) <= 2


def test_without_an_embedder_nothing_can_be_done_and_nothing_is(world):
    world.take(user("The mast is up", 0))
    none = vectorising(world, None)
    assert none.until(HOME) == 0
    assert none.work(HOME, world.entries()) == Work()
    assert run(world.file, HOME, none)
    assert known(world, "The mast is up") == []


def test_each_model_has_a_cursor_of_its_own(world):
    one, other = vectorising(world, FakeEmbedder("a:1")), vectorising(world, FakeEmbedder("b:1"))
    assert one.name != other.name
    assert "a:1" in one.name


def test_another_models_vectors_are_refused_before_anything_is_embedded(world):
    world.live(user("The mast is up", 0))
    other = FakeEmbedder("other:16:2")
    with pytest.raises(ModelMismatch, match="other:16:2"):
        run(world.file, HOME, vectorising(world, other))
    assert other.asked == []


def test_a_long_text_has_a_vector_for_each_part(world):
    text = " ".join(f"word{number}" for number in range(40))
    world.take(user(text, 0))
    run(world.file, HOME, vectorising(world, world.embedder, words=16))
    ((parts,),) = world.rows("SELECT count(*) FROM embedding")
    assert parts == len(world.embedder.asked) == 3


def test_an_erased_experience_is_passed_over(world):
    world.take(user("The mast is up", 0), user("The sail is new", 5))
    with world.file.database.writing() as connection:
        connection.execute("DELETE FROM payload WHERE seq = 1")
    run(world.file, HOME, vectorising(world, world.embedder))
    assert world.embedder.asked == ["The sail is new"]
