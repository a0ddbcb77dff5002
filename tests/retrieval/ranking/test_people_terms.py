"""Who a question names lifts what they say, and what is said with them alone."""

import math
from datetime import timedelta

import numpy as np
import pytest
from fakes import START
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import Settings
from meridia.retrieval.ranking import people_terms
from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS
from tests.retrieval.ranking.test_formula import _asked, _ranked, _terms
from tests.thorough import examples


def test_a_named_person_gives_weight_to_what_they_say(demo: Memory):
    ranked = _ranked(demo, "What did Oskar promise?")
    speaker = next(
        contribution for contribution in ranked.contributions if contribution.term == "speaker"
    )
    assert set(np.unique(speaker.values)) <= {0.0, DEFAULT_WEIGHTS.speaker}
    names = demo._components.recalls.snapshot(demo.space, None, 0).view.people
    oskar = names.index(demo.people.known().find("Oskar").id)
    persons = ranked.pool.space.view.experiences.person[ranked.pool.rows]
    assert np.array_equal(speaker.values > 0, persons == oskar)


def test_nobody_named_gives_nothing_for_speaking(demo: Memory):
    assert "speaker" not in _terms(_ranked(demo, "What was broken?"))


def test_who_is_asked_about_lifts_the_sessions_that_they_speak_in_by_how_few(demo: Memory):
    names = [person.name for person in demo.people.known().people]
    pool = _ranked(demo, "boat").pool
    question = _asked(demo, f"What did {names[0]} buy?")
    (contribution,) = people_terms.participant(pool, question, DEFAULT_WEIGHTS, pool)
    experiences, count = pool.space.view.experiences, len(pool.space.view.sessions)
    place = list(pool.space.view.people).index(question.people[0].id)
    theirs = set(experiences.session[experiences.person == place].tolist())
    often = len(theirs)
    rarity = 0.0 if often == count else math.log(1 + (count - often + 0.5) / (often + 0.5))
    wanted = [
        DEFAULT_WEIGHTS.participant * rarity * (int(session) in theirs)
        for session in experiences.session[pool.rows]
    ]
    assert contribution.values.tolist() == pytest.approx(wanted)
    nobody = _asked(demo, "Where is the boat?")
    assert people_terms.participant(pool, nobody, DEFAULT_WEIGHTS, pool) == []


def test_what_an_agent_says_to_one_person_alone_counts_as_said_for_them(tmp_path, embedder):
    with Memory(tmp_path / "m.db", "work", Settings(), embedder=embedder) as memory:
        memory.remember("Please book the train", person="Ana", session="alone")
        memory.remember("The train is booked", role="assistant", session="alone")
        memory.remember("Please book the train", person="Ana", session="shared")
        memory.remember("And one train for me", person="Ben", session="shared")
        memory.remember("Both trains are booked", role="assistant", session="shared")
        memory.enrich()
        hits = memory.recall("What train did Ana take?").hits
        label = "session with Ana"
        given = {
            hit.text: sum(leaf.value for leaf in hit.trace.leaves() if leaf.label == label)
            for hit in hits
        }
    assert given["The train is booked"] > given["Both trains are booked"] > 0
    assert given["And one train for me"] < given["Both trains are booked"]


def test_what_nobody_known_says_outside_of_sessions_has_the_average(tmp_path, embedder):
    with Memory(tmp_path / "m.db", "work", Settings(), embedder=embedder) as memory:
        memory.remember("I booked the train", person="Ana", id="hers")
        memory.remember("I booked a train too", person="Ben", id="his")
        memory.remember("The train is booked", role="tool", tool="trains", id="nobody")
        memory.enrich()
        hits = memory.recall("What train did Ana book?").hits
        speaker = {
            hit.event_id: sum(leaf.value for leaf in hit.trace.leaves() if "says it" in leaf.label)
            for hit in hits
        }
    assert speaker["hers"] > speaker["nobody"] > speaker["his"] == 0


def test_outside_of_sessions_who_speaks_between_somebody_is_rather_another_one(tmp_path, embedder):
    """In a session that is going on; there the words of the session count for it as well."""
    talk = [("Ana", "I booked the train"), ("", "it is a slow train"), ("Ana", "the train is late")]
    talk += [("Ben", "which train?"), ("", "the train to Ulm"), ("Ben", "that train is fine")]
    with Memory(tmp_path / "m.db", "work", Settings(), embedder=embedder) as memory:
        for place, (name, text) in enumerate(talk):
            at = START + timedelta(seconds=10 * place)
            known = {"person": name, "session": "talk"} if name else {}
            memory.remember(text, at=at, id=f"{place}", **known)
        memory.remember("a train", at=START + timedelta(hours=3), id="later")
        memory.enrich()
        hits = {hit.event_id: hit for hit in memory.recall("What train did Ana book?").hits}
    leaves = {
        id: {leaf.label: leaf.value for leaf in hit.trace.leaves()} for id, hit in hits.items()
    }
    during = "during a session with Ana"
    assert leaves["4"][during] == pytest.approx(3 * leaves["1"][during])
    assert not leaves["later"].get(during)
    assert not leaves["0"].get(during)
    says = "the session that was going on says"
    assert leaves["1"][says] == leaves["4"][says]
    assert not leaves["later"].get(says)


ABOUT_ME = [
    "When did I buy the piano?",
    "What is my sister called?",
    "Which of my friends moved?",
    "What would you suggest for my garden?",
    "Can you list what I planned?",
    "How long did I say it takes?",
]
ABOUT_THE_AGENT = [
    "What did you recommend for my garden?",
    "Which book have you suggested to me?",
    "What was it that you told me about taxes?",
    "Remind me of your advice on my back pain.",
    "How did you say I should prune the roses?",
    "Where in your last answer did my name stand?",
]


@pytest.mark.parametrize("asked", [*ABOUT_ME, *ABOUT_THE_AGENT])
def test_who_asks_is_somebody_unless_the_agents_words_are_asked_for(asked):
    with Memory.open(enrich="manual") as memory:
        for text in ("I planted roses in my garden", "My sister bought a piano"):
            memory.remember(text, session="s")
            memory.remember(f"You said: {text}", role="assistant", session="s")
        memory.enrich()
        hits = memory.recall(asked).hits
        own = {hit.text for hit in hits if "who asks says it" in str(hit.trace.as_json())}
    mine = {"I planted roses in my garden", "My sister bought a piano"}
    assert own == (mine if asked in ABOUT_ME else set())


_FIRST, _LAST = st.sampled_from(["Anna", "Piotr", "Noor"]), ["Krol", "Berg", "Dias"]


@settings(max_examples=examples(3), deadline=None)
@given(_FIRST, st.permutations(_LAST), st.sampled_from(["lives in {}", "from work moved to {}"]))
def test_what_others_tell_of_a_person_by_name_counts_as_what_they_say(
    first: str, last: list[str], tells: str
):
    """Not what they tell of somebody who shares a part of the name, nor what is said to them."""
    asked, other = f"{first} {last[0]}", f"{first} {last[1]}"
    telling, address = (
        f"{asked} {tells.format('Gdansk')}.",
        f"Hey {asked}, what a nice hat you have!",
    )
    texts = [f"My sister {other} {tells.format('Oslo')}.", telling, address]
    with Memory(None, "told", Settings()) as memory:
        for person, text in [
            *(("Dana", text) for text in texts),
            (asked, "Cake!"),
            (other, "Tea!"),
        ]:
            memory.remember(text, person=person)
        memory.enrich()
        answer = memory.recall(f"Where does {asked} live?")
        assert answer.hits[0].text == telling
        of_name = {
            hit.text: [
                leaf.value for leaf in hit.trace.leaves() if leaf.label.startswith("tells of")
            ]
            for hit in answer.hits
        }
        assert [text for text, leaves in of_name.items() if leaves] == [telling]
        assert memory.reasons.replay(answer.id).identical
