"""Open threads: promises, questions, uncertainties, failures."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.experience import Commitment, Transition
from meridia.core.text import Analyser
from meridia.core.vocabulary import CommitmentKind, TransitionField
from meridia.retrieval.history.deed_closings import ThreadState
from meridia.retrieval.history.open_threads import ThreadKind, threads_of
from tests.retrieval.history.experience_builders import MET, agent, experience, feeling

ENGLISH = Analyser()
SENTENCE = "I'll send you the address of a weaving teacher in Bruges."
PROMISE = Commitment(CommitmentKind.PROMISE, 0, len(SENTENCE), "send", ("address", "teacher"))


def threads(*experiences, now=None):
    return threads_of(experiences, ENGLISH, now)


def promised(seq, *, due=None, kind=CommitmentKind.PROMISE, **fields):
    commitment = replace(PROMISE, due=due, kind=kind, **fields)
    return experience(seq, SENTENCE, commitments=(commitment,))


def test_a_promise_nobody_spoke_of_again_stays_open_and_says_whose_it_is():
    (thread,) = threads(promised(1), experience(2, "The sheep are out on the meadow."))
    assert (thread.kind, thread.by, thread.is_open) == (ThreadKind.PROMISE, "Nora", True)
    assert (thread.text, thread.state) == (SENTENCE, ThreadState.OPEN)
    assert [memory.id for memory in thread.memories] == ["m1"]


def test_a_promise_that_was_kept_names_the_memory_that_kept_it():
    done = Commitment(CommitmentKind.DONE, 0, 5, "send", ("address",))
    (thread,) = threads(promised(1), experience(2, "x", commitments=(done,)))
    assert (thread.state, thread.is_open) == (ThreadState.KEPT, False)
    assert [memory.id for memory in thread.memories] == ["m1", "m2"]


def test_experiences_without_recorded_commitments_have_no_promises():
    assert threads(experience(1, SENTENCE)) == []


def test_what_was_due_some_days_ago_is_no_longer_open():
    due = MET + timedelta(days=2)
    (open_,) = threads(promised(1, due=due), now=due + timedelta(days=1))
    (late,) = threads(promised(1, due=due), now=due + timedelta(days=9))
    (forgotten,) = threads(promised(1, due=due), now=due + timedelta(days=90))
    assert (open_.is_open, open_.due, open_.was_due(due)) == (True, due, False)
    assert (late.state, late.closed) == (ThreadState.EXPIRED, None)
    assert late.was_due(due + timedelta(days=9))
    assert not forgotten.was_due(due + timedelta(days=90))


def test_what_never_came_up_again_expires_by_what_was_lived_since_and_a_reminder_never():
    later = experience(24 * 40, "The sheep are out.")
    long_after = MET + timedelta(days=90)
    assert not threads(promised(1), later)[0].is_open
    assert threads(promised(1), now=long_after)[0].is_open, "nobody has spoken since"
    assert threads(promised(1, kind=CommitmentKind.REMINDER), later)[0].is_open


def test_what_waited_for_the_other_side_in_vain_is_no_promise():
    assert threads(promised(1, awaits=True)) == []


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
    (thread,) = threads(experience(1, SENTENCE, None, commitments=(PROMISE,)))
    assert thread.by == "user_message"


def test_a_question_nobody_came_back_to_is_not_open_weeks_later():
    asked = experience(1, "How much wool does a blanket need?")
    (thread,) = threads(asked, experience(24 * 20, "The sheep are out.", session="s2"))
    assert (thread.state, thread.closed) == (ThreadState.EXPIRED, None)
    assert threads(experience(1, "How are you?")) == []


WORDS = st.sampled_from("How much wool needs a blanket ? . not".split())


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=12))
def test_every_thread_is_opened_by_a_memory_that_says_it_and_closed_by_a_later_one(texts):
    views = [experience(n, text) if n % 2 else agent(n, text) for n, text in enumerate(texts)]
    for thread in threads_of(views, ENGLISH):
        assert thread.text in " ".join(thread.opened.text.split())
        assert thread.closed is None or thread.closed.seq > thread.opened.seq


def test_news_that_nobody_wants_to_hear_are_not_promised():
    text = "I'll keep you posted!"
    bare = Commitment(CommitmentKind.PROMISE, 0, len(text), "tell")
    promise = experience(2, text, commitments=(bare,))
    assert threads(experience(1, "Have fun!", "Ben"), promise) == []
    (thread,) = threads(experience(1, "Keep me posted.", "Ben"), promise)
    assert (thread.kind, thread.by) == (ThreadKind.PROMISE, "Nora")


def test_what_was_asked_for_and_accepted_is_a_promise():
    asked = experience(1, "Let me know how it goes!", "Ben")
    (thread,) = threads(asked, experience(2, "Sure thing! Bye."))
    assert (thread.kind, thread.by, thread.text) == (ThreadKind.PROMISE, "Nora", "Sure thing!")


def test_a_deed_without_time_and_object_is_not_recognised_weeks_later():
    text = "I'll try it."
    tried = Commitment(CommitmentKind.DONE, 0, 1, "try", ("soup", "recip"))
    opened = experience(
        1,
        text,
        concepts=("soup", "recip"),
        commitments=(Commitment(CommitmentKind.PROMISE, 0, len(text), "try"),),
    )
    assert threads(opened, experience(20, "x", commitments=(tried,)))[0].closed is not None
    assert threads(opened, experience(24 * 40, "x", commitments=(tried,)))[0].closed is None


def test_a_promise_that_somebody_is_reminded_of_stays_open():
    early, late = promised(1), MET + timedelta(days=40)
    asks = experience(960, "You promised me the teacher's address in Bruges.", "Tilda", "s2")
    assert [t.state for t in threads(early, asks, now=late)] == [ThreadState.OPEN]
    other = experience(960, "You promised me a cake.", "Tilda", "s2")
    assert [t.state for t in threads(early, other, now=late)] == [ThreadState.EXPIRED]


def test_the_same_promise_repeats_unless_it_is_for_another_time_or_names_no_thing():
    due = MET + timedelta(days=2)
    first, again = threads(promised(1, due=due), promised(2))
    assert again.repeats(first)
    first, later = threads(promised(1, due=due), promised(2, due=due + timedelta(days=7)))
    assert not later.repeats(first)
    first, other = threads(promised(1, objects=()), promised(2, objects=()))
    assert not other.repeats(first)
