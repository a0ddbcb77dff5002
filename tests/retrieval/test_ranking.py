"""Every mechanism of the formula gives what it says, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings import RecallSettings
from meridia.core.types import Filters
from meridia.retrieval import ranking
from meridia.retrieval.profile import DEFAULT
from meridia.retrieval.question import analyse
from meridia.retrieval.recollection import Request


def _ranked(demo: Memory, question: str, limit: int = 20):
    recollection = demo._recollection
    state = recollection.state(demo.space, demo._embedder(), demo.enrichment.cursor(demo.space))
    vector = demo._embedder().embed([question])[0]
    asked = analyse(question, demo.parts.analyser, demo.people())
    return recollection.rank(demo.space, state, Request(question, limit, Filters()), asked, vector)


def _terms(ranked) -> dict[str, float]:
    found: dict[str, float] = {}
    for share in ranked.shares:
        found[share.term] = found.get(share.term, 0.0) + float(np.abs(share.values).sum())
    return found


def test_scores_are_the_sum_of_the_shares(demo: Memory):
    ranked = _ranked(demo, "Why did publishing the website fail?")
    summed = sum(share.values for share in ranked.shares)
    assert np.allclose(summed, ranked.scores, atol=1e-9)


def test_the_order_is_that_of_the_scores_and_ties_go_to_the_earlier(demo: Memory):
    ranked = _ranked(demo, "boat")
    scores = ranked.scores[ranked.order]
    assert (scores[:-1] >= scores[1:]).all()


def test_a_named_person_gives_weight_to_what_they_say(demo: Memory):
    ranked = _ranked(demo, "What did Oskar promise?")
    speaker = next(share for share in ranked.shares if share.term == "speaker")
    assert set(np.unique(speaker.values)) <= {0.0, DEFAULT.speaker}
    names = demo._recollection.state(demo.space, None, 0).view.people
    oskar = names.index(demo.people().find("Oskar").id)
    persons = ranked.pool.space.view.experiences.person[ranked.pool.rows]
    assert np.array_equal(speaker.values > 0, persons == oskar)


def test_nobody_named_gives_nothing_for_speaking(demo: Memory):
    assert "speaker" not in _terms(_ranked(demo, "What was broken?"))


def test_words_trusts_a_question_that_names_somebody(demo: Memory):
    ranked = _ranked(demo, "What happened to Dana?")
    empty = ranking.Postings((), (), np.zeros(0))
    question = replace(_question(demo, "Dana"), people=tuple(demo.people().people[:1]))
    assert ranking.gate(ranked.pool, question, empty) == 1.0


def test_words_are_not_trusted_where_nothing_is_covered(demo: Memory):
    ranked = _ranked(demo, "zygote quasar")
    found = ranking.postings(ranked.pool.space.view, ["zygote"], [-1])
    assert ranking.gate(ranked.pool, _question(demo, "zygote"), found) == 0.0


def _question(demo: Memory, text: str):
    return analyse(text, demo.parts.analyser, demo.people())


def test_asking_when_prefers_what_names_a_time(demo: Memory):
    assert "time" in _terms(_ranked(demo, "When does the job start?"))
    assert "time" not in _terms(_ranked(demo, "Where does the job start?"))


def test_spreading_is_a_switch():
    with Memory(None, "s", _settings(spread=False)) as memory:
        for place in range(5):
            memory.remember(f"the boat needs paint {place}", session="a", person="Dana")
        leaves = [leaf for hit in memory.recall("boat paint").hits for leaf in hit.trace.leaves()]
        assert leaves
        assert not [leaf for leaf in leaves if "strong match" in leaf.label]


def _settings(**recall):
    from meridia.core.settings import Settings

    return Settings(recall=RecallSettings(**recall))


@pytest.mark.parametrize("question", ["", "   ", "the of and", "🦊🦊", "東京", "x" * 100_000])
def test_odd_questions_get_an_answer(demo: Memory, question: str):
    recall = demo.recall(question)
    assert len(recall.hits) <= 10
