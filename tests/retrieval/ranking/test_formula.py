"""Every mechanism of the formula gives what it says, and nothing else."""

from dataclasses import fields, replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from meridia import Memory
from meridia.core.settings import RecallSettings, Settings
from meridia.core.types import Filters
from meridia.graph.view import Experiences
from meridia.language.questions.question import parse_question
from meridia.retrieval.candidates.postings import Postings, postings
from meridia.retrieval.ranking import formula
from meridia.retrieval.ranking.contributions import Contribution, Evidence, total
from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS
from meridia.retrieval.recall_service import RecallRequest

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)


def _ranked(demo: Memory, question: str, limit: int = 20):
    recall_service = demo._components.recalls
    snapshot = recall_service.snapshot(
        demo.space, demo._components.embedder(), demo.enrichment.cursor(demo.space)
    )
    vector = demo._components.embedder().embed([question])[0]
    asked = parse_question(question, demo.parts.analyser, demo.people.known(), NOW)
    return recall_service.rank(
        demo.space, snapshot, RecallRequest(question, limit, Filters()), asked, vector
    )


def _terms(ranked) -> dict[str, float]:
    found: dict[str, float] = {}
    for contribution in ranked.contributions:
        found[contribution.term] = found.get(contribution.term, 0.0) + float(
            np.abs(contribution.values).sum()
        )
    return found


def test_scores_are_the_sum_of_the_shares(demo: Memory):
    ranked = _ranked(demo, "Why did publishing the website fail?")
    summed = sum(contribution.values for contribution in ranked.contributions)
    assert np.allclose(summed, ranked.scores, atol=1e-9)


def test_the_order_is_that_of_the_scores_and_ties_go_to_the_earlier(demo: Memory):
    ranked = _ranked(demo, "boat")
    scores = ranked.scores[ranked.order]
    assert (scores[:-1] >= scores[1:]).all()


def test_words_trusts_a_question_that_names_somebody(demo: Memory):
    ranked = _ranked(demo, "What happened to Dana?")
    empty = Postings((), (), np.zeros(0), np.zeros(0))
    question = replace(_question(demo, "Dana"), people=tuple(demo.people.known().people[:1]))
    assert formula.estimate_lexical_confidence(ranked.pool, question, empty, 1.0) == 1.0


def test_words_are_not_trusted_where_nothing_is_covered(demo: Memory):
    ranked = _ranked(demo, "zygote quasar")
    found = postings(ranked.pool.space.view, ["zygote"], [-1])
    question = _question(demo, "zygote")
    assert formula.estimate_lexical_confidence(ranked.pool, question, found, 1.0) == 0.0


@pytest.mark.parametrize(("competence", "trust"), [(1.0, 0.0), (0.75, 0.5), (0.5, 1.0), (0.0, 1.0)])
def test_what_the_encoder_cannot_read_is_left_to_words(demo: Memory, competence, trust):
    ranked = _ranked(demo, "zygote quasar")
    found = postings(ranked.pool.space.view, ["zygote"], [-1])
    question = _question(demo, "zygote")
    sure = formula.estimate_lexical_confidence(ranked.pool, question, found, competence)
    assert sure == pytest.approx(trust)


def _question(demo: Memory, text: str):
    return parse_question(text, demo.parts.analyser, demo.people.known(), NOW)


def test_asking_when_prefers_what_names_a_time(demo: Memory):
    assert "time" in _terms(_ranked(demo, "When does the job start?"))
    assert "time" not in _terms(_ranked(demo, "Where does the job start?"))


def test_spreading_is_a_switch():
    with Memory(None, "s", _settings(spread=False)) as memory:
        for place in range(5):
            memory.remember(f"the boat needs paint {place}", session="a", person="Dana")
        leaves = [leaf for hit in memory.recall("boat paint").hits for leaf in hit.trace.leaves()]
        assert leaves
        assert not [leaf for leaf in leaves if leaf.word and leaf.edge == "NEXT"]


def _settings(**recall):

    return Settings(recall=RecallSettings(**recall))


def test_words_of_the_next_message_are_told_as_those_of_the_message_after():
    with Memory(None, "home", _settings(rerank_depth=0)) as memory:
        memory.remember("good morning", session="a", id="greeting")
        said = memory.remember("the boat leaks", session="a", id="news")
        hits = {hit.event_id: hit for hit in memory.recall("boat").hits}
        words = [leaf for leaf in hits["greeting"].trace.leaves() if leaf.word == "boat"]
    beside = [leaf for leaf in words if leaf.edge == "NEXT"]
    assert [leaf.label for leaf in words if leaf.edge == "IN_SESSION"] == ["session says “boat”"]
    assert [(leaf.offset, leaf.seq) for leaf in beside] == [(1, said.seq)]
    assert beside[0].label.startswith("the message after")


@pytest.mark.parametrize("question", ["", "   ", "the of and", "🦊🦊", "東京", "x" * 100_000])
def test_odd_questions_get_an_answer(demo: Memory, question: str):
    recall = demo.recall(question)
    assert len(recall.hits) <= 10


# Looked at closely


@st.composite
def _closely(draw):
    """Draw a pool's size, which of it was looked at closely, and shares of all and of those."""
    count = draw(st.integers(1, 8))
    places = np.array(sorted(draw(st.sets(st.integers(0, count - 1)))), np.int64)

    def contributions(length: int) -> list[Contribution]:
        values = arrays.arrays(np.float64, length, elements=st.floats(-20, 20))
        source = st.none() | arrays.arrays(np.int64, length, elements=st.integers(-1, 99))
        made = st.builds(
            Contribution,
            st.sampled_from("ab"),
            st.sampled_from(Evidence),
            st.just("x"),
            values,
            st.none(),
            source,
        )
        return draw(st.lists(made, max_size=4))

    return count, places, contributions(count), contributions(len(places))


@given(_closely())
def test_those_looked_at_closely_have_their_own_scores_and_the_others_come_after_them(drawn):
    count, places, far, near = drawn
    scores = total(formula.merge_reranked(far, near, places, count), count)
    rest = np.setdiff1d(np.arange(count), places)
    assert np.allclose(scores[places], total(near, len(places)), atol=1e-9)
    if len(places) and len(rest):
        assert scores[rest].max() < scores[places].min()
    # Among themselves the others stand as before: all of them moved by the same.
    moved = (scores - total(far, count))[rest]
    assert np.allclose(moved, moved[:1], atol=1e-9)
    assert (moved <= 1e-9).all()
    if not len(places):
        assert np.allclose(moved, 0)


@given(_closely())
def test_every_share_is_as_long_as_the_pool_and_names_a_source_only_where_it_had_one(drawn):
    count, places, far, near = drawn
    found = formula.merge_reranked(far, near, places, count)
    for contribution in found:
        assert contribution.values.shape == (count,)
    for before, after in zip(near, found, strict=False):
        assert (before.term, before.label, before.edge) == (after.term, after.label, after.edge)
        assert (before.source is None) == (after.source is None)
        if before.source is not None:
            assert np.array_equal(after.source[places], before.source)
            assert (np.delete(after.source, places) == -1).all()


# Times


def _asked(demo: Memory, text: str, now: datetime = NOW):
    return parse_question(text, demo.parts.analyser, demo.people.known(), now)


def test_what_happened_in_a_named_period_counts_and_nothing_else(demo: Memory):
    pool = _ranked(demo, "boat").pool
    at = pool.space.view.experiences.at[pool.rows]
    now = datetime.fromtimestamp(float(at.max()), UTC)
    question = _asked(demo, "What happened in the last 30 days?", now)
    (contribution,) = formula.times(pool, question, question.periods, DEFAULT_WEIGHTS)
    recent = at >= now.timestamp() - 31 * 86_400
    assert contribution.label == "happened “last 30 days”"
    assert (contribution.values[recent] > 0).all()
    assert not contribution.values[~recent].any()
    assert 0 < recent.sum() < len(recent)


def test_how_a_question_was_read_is_told(demo: Memory):
    answer = demo.recall("When did Dana sail in the summer of 2025?", limit=1)
    assert answer.reading["times"] == ["summer of 2025 (2025-06-01 to 2025-08-31)"]
    assert answer.reading["form"] == ["asks when"]
    assert "sail" in answer.reading["words"]


@pytest.mark.parametrize("often", [1, 2, 3, 256, 257])
def test_two_pairs_count_in_full_and_so_do_however_many_more(demo: Memory, often):
    pool = _ranked(demo, "boat").pool
    (contribution,) = formula.pairs(
        pool, [pool.rows[:1]] * often, DEFAULT_WEIGHTS, lexical_confidence=1.0
    )
    assert contribution.values[0] == pytest.approx(DEFAULT_WEIGHTS.pairs * min(often, 2) / 2)
    assert not contribution.values[1:].any()


@given(arrays.arrays(float, st.integers(1, 60), elements=st.floats(0, 1e6)))
def test_a_quantile_is_that_of_numpy_to_the_last_bit(values):
    assert formula.quantile(values, 0.9) == float(np.quantile(values, 0.9))


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(-1, 3)), max_size=12))
def test_without_a_session_the_only_one_that_was_going_on_counts(told):
    """Against a look at every session of every memory."""
    at, session = (np.array([each[of] for each in told], np.int64) for of in (0, 1))
    columns = {field.name: session for field in fields(Experiences)}
    found = formula.sessions_then(Experiences(**{**columns, "at": at}), 4)
    for when, known, then in zip(at, session, found, strict=True):
        spans = {s: (at[session == s].min(), at[session == s].max()) for s in {*session} - {-1}}
        on = [s for s, (first, last) in spans.items() if first - 120 <= when <= last + 120]
        assert then == (known if known >= 0 else on[0] if len(on) == 1 else -1)
