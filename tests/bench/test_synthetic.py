"""A synthetic space is what was asked for, built once, and looks like a conversation."""

import numpy as np
import pytest

from bench.synthetic import PEOPLE, SPACE, Language, SyntheticEmbedder, built, events, opened


@pytest.fixture(scope="module")
def language():
    return Language()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("spaces")


def test_a_built_space_has_as_many_memories_as_asked_for_all_enriched(folder, language):
    with opened(built(120, folder, language), language) as space:
        counts = space.file.journal.count(SPACE)
        assert counts["ExperienceCaptured"] == counts["ExperienceEnriched"] == 120
        view = space.adjacency.view(SPACE)
        assert len(view.experiences.seqs) == 120
        assert len(view.links("NEXT").of(view.experiences.node).target) > 100


def test_a_second_run_takes_the_built_file(folder, language):
    first = built(120, folder, language)
    before = first.stat().st_mtime_ns
    assert built(120, folder, language) == first
    assert first.stat().st_mtime_ns == before
    assert [path.name for path in folder.iterdir() if path.is_dir()] == []


def test_questions_are_made_of_words_of_one_memory(folder, language):
    with opened(built(120, folder, language), language) as space:
        texts = [set(language.indices(event["payload"]["text"])) for event in events(120, language)]
        for question in space.questions(6):
            # A name may be a word of the made-up language, too.
            asked = set(language.indices(question.partition(" about ")[2]))
            assert asked
            assert any(asked <= said for said in texts)


def test_messages_are_as_long_as_promised_and_people_take_turns(language):
    found = list(events(200, language))
    assert all(12 <= len(event["payload"]["text"].split()) <= 25 for event in found)
    assert {event["person"] for event in found} <= set(PEOPLE)
    assert len({event["id"] for event in found}) == 200
    assert 8 <= len({event["session"]["key"] for event in found}) <= 14


def test_frequent_words_are_much_more_frequent(language):
    said = [i for e in events(500, language) for i in language.indices(e["payload"]["text"])]
    common = sum(index < 300 for index in said)
    assert 0.2 < common / len(said) < 0.7


def test_a_text_always_has_the_same_unit_vector_and_kindred_texts_are_closer(language):
    embedder = SyntheticEmbedder(language)
    topic = [word for word, of in zip(language.words, language.topic_of, strict=True) if of == 3]
    near, same, far = embedder.embed(
        [" ".join(topic[:6]), " ".join(topic[6:12]), " ".join(language.words[:6])]
    )
    assert np.array_equal(near, embedder.embed([" ".join(topic[:6])])[0])
    assert np.linalg.norm(near) == pytest.approx(1, abs=1e-5)
    assert near @ same > near @ far + 0.1


def test_a_text_without_a_known_word_has_a_unit_vector_too(language):
    assert np.linalg.norm(SyntheticEmbedder(language).embed(["?"])[0]) == pytest.approx(1)
