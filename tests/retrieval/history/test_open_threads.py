"""Open threads: promises, questions, uncertainties, failures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.experience import Transition
from meridia.core.text import Analyser
from meridia.core.vocabulary import TransitionField
from meridia.retrieval.history.experience_views import AGENT
from meridia.retrieval.history.open_threads import ThreadKind, commitments, failures_of, threads_of
from tests.retrieval.history.experience_builders import agent, experience, feeling

ENGLISH = Analyser()
PROMISE = "I'll send you the address of a weaving teacher in Bruges."


def threads(*experiences):
    return threads_of(experiences, ENGLISH)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PROMISE, [("promise", PROMISE)]),
        ("Sure. I will write to Ilse tomorrow!", [("promise", "I will write to Ilse tomorrow!")]),
        ("We’re going to paint the door.", [("promise", "We’re going to paint the door.")]),
        ("I promise to call the school.", [("promise", "I promise to call the school.")]),
        ("Let's bake bread on Sunday.", [("proposal", "Let's bake bread on Sunday.")]),
        ("Maybe we should plant roses.", [("proposal", "Maybe we should plant roses.")]),
        ("Shall I? I'll see. I'll never forget it. I'll be happy.", []),
        ("Will I send it? He will send it. You'll send it.", []),
        ("Will you bring it? I'll bring it?", []),
        ("I will paint the hull if you bring brushes. I'll call if I need help.", []),
        ("I'll let you go.", []),
        ("Let's see. Let's face it. This shows how we should live.", []),
        ("", []),
    ],
)
def test_what_commits_is_told_by_its_form(text, found):
    assert [(experience.kind.value, experience.text) for experience in commitments(text)] == found


def test_a_promise_nobody_spoke_of_again_stays_open_and_says_whose_it_is():
    (thread,) = threads(agent(1, PROMISE), experience(2, "The sheep are out on the meadow."))
    assert (thread.kind, thread.by, thread.is_open) == (ThreadKind.PROMISE, AGENT, True)
    assert [memory.id for memory in thread.memories] == ["m1"]


@pytest.mark.parametrize(
    "later",
    [
        agent(2, "I found the address of the weaving teacher: she lives near the canal."),
        experience(2, "Thank you for the address of the teacher in Bruges!", session="s2"),
        experience(2, "mail sent: weaving teacher Bruges address", None, kind="tool_result"),
    ],
)
def test_a_promise_is_kept_by_what_tells_of_the_same_thing_done(later):
    (thread,) = threads(agent(1, PROMISE), later)
    assert not thread.is_open
    assert [memory.id for memory in thread.memories] == ["m1", "m2"]


@pytest.mark.parametrize(
    "later",
    [
        "I still have not found the address of the weaving teacher in Bruges.",
        "I know a weaving teacher in Bruges.",
        "I sent the parcel.",
        "I'll keep going. I have a weaving teacher in mind for Bruges, not yet an address.",
        "I'll send the address of the weaving teacher in Bruges next week.",
    ],
)
def test_a_promise_is_not_kept_by_less_than_that(later):
    first, *_ = threads(agent(1, PROMISE), agent(2, later))
    assert first.is_open


def test_that_the_other_side_did_something_alike_keeps_no_promise():
    other = experience(2, "I found a weaving teacher in Bruges myself, at this address.")
    (promise,) = threads(agent(1, PROMISE), other)
    assert promise.is_open
    together = agent(1, "Let's find a weaving teacher in Bruges.")
    (proposal,) = threads(together, other)
    assert not proposal.is_open


def test_a_question_is_open_until_somebody_else_speaks_after_it():
    asked = experience(1, "The blanket is planned. How much wool does it need?")
    (thread,) = threads(asked, experience(2, "I would like it blue."))
    assert (thread.kind, thread.by, thread.is_open) == (ThreadKind.QUESTION, "Nora", True)
    assert thread.text == "How much wool does it need?"
    (answered,) = threads(asked, agent(2, "Two kilos."))
    assert answered.closed is not None
    assert answered.closed.id == "m2"


def test_a_question_can_be_answered_in_another_session_by_what_is_about_the_same():
    asked = experience(1, "How much wool does a blanket need?")
    told = agent(2, "A blanket needs two kilos of wool.", "s2")
    (thread,) = threads(asked, told)
    assert not thread.is_open
    (still,) = threads(asked, agent(2, "The weather is fine.", "s2"))
    assert still.is_open


def test_an_uncertainty_is_closed_where_the_register_settled_it():
    field, text = TransitionField.UNCERTAINTY, "Does the brake slip?"
    opened = experience(1, changes=(Transition(field, None, text),))
    settled = experience(2, changes=(Transition(field, text, None),))
    (thread,) = threads(opened, settled)
    assert (thread.kind, thread.text, thread.is_open) == (ThreadKind.UNCERTAINTY, text, False)
    (open_,) = threads(opened)
    assert open_.is_open


def test_an_uncertainty_that_was_only_heard_is_open_and_told_once():
    heard = feeling(-0.3, uncertain=("Does the brake slip?",))
    (thread,) = threads(experience(1, phenomenology=heard), experience(2, phenomenology=heard))
    assert (thread.kind, thread.opened.id) == (ThreadKind.UNCERTAINTY, "m1")


def test_a_question_that_a_register_holds_too_is_told_once():
    text = "How much wool does it need?"
    opened = (Transition(TransitionField.UNCERTAINTY, None, text),)
    (thread,) = threads(experience(1, text, changes=opened))
    assert thread.kind is ThreadKind.QUESTION


def test_what_somebody_unnamed_promised_is_not_the_agents():
    (thread,) = threads(experience(1, PROMISE, None))
    assert thread.by == "user_message"


def step(seq, call, *, error=False, session="s1", tool="bash"):
    return experience(seq, call, None, session, "tool_result", tool=tool, error=error)


def failed(*experiences):
    return [thread.opened.id for thread in failures_of(experiences, ENGLISH)]


def test_a_failure_is_open_until_the_same_call_works_even_in_another_session():
    first = step(1, "publish website", error=True)
    other = step(2, "print labels twice", error=True, session="s2")
    assert failed(first, other) == ["m1", "m2"]
    assert failed(first, other, step(3, "publish website now", session="s3")) == ["m2"]
    assert failed(first, other, step(3, "publish website now", tool="git")) == ["m1", "m2"]
    (thread,) = failures_of([first], ENGLISH)
    assert (thread.kind, thread.by, thread.is_open) == (ThreadKind.ERROR, "bash", True)


def test_a_failure_is_solved_by_any_call_of_the_tool_that_works_in_its_session():
    assert failed(step(1, "publish website", error=True), step(2, "make pages")) == []


def test_of_a_call_that_keeps_failing_the_last_time_stands_for_all():
    assert failed(*(step(n, "publish website", error=True) for n in range(3))) == ["m2"]


WORDS = st.sampled_from("I'll let's we send sent wool teacher done thanks ? . not".split())


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=12))
def test_every_thread_is_opened_by_a_memory_that_says_it_and_closed_by_a_later_one(texts):
    told = [experience(n, text) if n % 2 else agent(n, text) for n, text in enumerate(texts)]
    for thread in threads_of(told, ENGLISH):
        assert thread.text in " ".join(thread.opened.text.split())
        assert thread.closed is None or thread.closed.seq > thread.opened.seq
