"""Who a question names lifts what they say, and what is said with them alone."""

import numpy as np

from meridia import Memory
from meridia.core.settings import Settings
from meridia.retrieval.ranking import people_terms
from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS
from tests.retrieval.ranking.test_formula import _asked, _ranked, _terms


def test_a_named_person_gives_weight_to_what_they_say(demo: Memory):
    ranked = _ranked(demo, "What did Oskar promise?")
    speaker = next(
        contribution for contribution in ranked.contributions if contribution.term == "speaker"
    )
    assert set(np.unique(speaker.values)) <= {0.0, DEFAULT_WEIGHTS.speaker}
    names = demo._components.recalls.snapshot(demo.space, None, 0).view.people
    oskar = names.index(demo.people().find("Oskar").id)
    persons = ranked.pool.space.view.experiences.person[ranked.pool.rows]
    assert np.array_equal(speaker.values > 0, persons == oskar)


def test_nobody_named_gives_nothing_for_speaking(demo: Memory):
    assert "speaker" not in _terms(_ranked(demo, "What was broken?"))


def test_who_is_asked_about_lifts_the_sessions_that_they_speak_in(demo: Memory):
    names = [person.name for person in demo.people().people]
    pool = _ranked(demo, "boat").pool
    (contribution,) = people_terms.session_participant(
        pool, _asked(demo, f"What did {names[0]} buy?"), DEFAULT_WEIGHTS
    )
    experiences = pool.space.view.experiences
    asked = _asked(demo, f"What did {names[0]} buy?").people[0]
    place = list(pool.space.view.people).index(asked.id)
    theirs = set(experiences.session[experiences.person == place].tolist())
    wanted = [
        DEFAULT_WEIGHTS.session_participant * (int(session) in theirs)
        for session in experiences.session[pool.rows]
    ]
    assert contribution.values.tolist() == wanted
    assert (
        people_terms.session_participant(pool, _asked(demo, "Where is the boat?"), DEFAULT_WEIGHTS)
        == []
    )


def test_what_an_agent_says_to_one_person_alone_counts_as_said_for_them(tmp_path, embedder):
    with Memory(tmp_path / "m.db", "work", Settings(), embedder=embedder) as memory:
        memory.remember("Please book the train", person="Ana", session="alone")
        memory.remember("The train is booked", role="assistant", session="alone")
        memory.remember("Please book the train", person="Ana", session="shared")
        memory.remember("And one train for me", person="Ben", session="shared")
        memory.remember("Both trains are booked", role="assistant", session="shared")
        memory.enrich()
        hits = memory.recall("What train did Ana take?").hits
        label = "session with Ana alone"
        given = {hit.text: any(leaf.label == label for leaf in hit.trace.leaves()) for hit in hits}
    assert given["The train is booked"]
    assert not given["Both trains are booked"]
    assert not given["And one train for me"]
