"""Open threads: what nobody answered, solved or kept."""

from meridia.core.text import Analyser
from meridia.retrieval.packs.seen import Sight
from meridia.retrieval.packs.threads import (
    ThreadKind,
    commitments,
    open_questions,
    uncertainties,
    unresolved_errors,
)
from tests.retrieval.packs.packed import NOW, opened, say, use

TERMS = Analyser().terms


def moments(memory):
    memory.enrich()
    sight = Sight(memory.parts, memory.space, NOW, memory.parts.journal.head(memory.space).seq)
    return sight.seen(sight.newest(100)).moments


def test_a_question_that_somebody_else_answered_is_not_open():
    with opened() as memory:
        say(memory, "Is the shop open?", "Ann")
        say(memory, "Yes, until six.", "Ben")
        say(memory, "I see. And on Sunday?", "Ann")
        found = open_questions(moments(memory))
    assert [(one.text, one.kind) for one in found] == [("And on Sunday?", ThreadKind.QUESTION)]


def test_an_error_is_open_until_the_same_call_works_even_in_another_session():
    with opened() as memory:
        use(memory, "bash", "no such host", "a", error=True, command="publish website")
        use(memory, "bash", "file missing", "a", error=True, command="print labels twice")
        first = [one.memory.event_id for one in unresolved_errors(moments(memory), TERMS)]
        use(memory, "bash", "all done", "b", command="publish website")
        later = [one.memory.event_id for one in unresolved_errors(moments(memory), TERMS)]
    assert first == ["e1"]
    assert later == ["e1"]


def test_a_promise_is_open_until_the_one_who_gave_it_tells_of_it():
    with opened() as memory:
        say(memory, "I will ring Henrike the boatbuilder. I'll be fine.", "Robin")
        say(memory, "Let's paint the hull in May.", "Dana")
        before = [one.text for one in commitments(moments(memory), TERMS)]
        say(memory, "I called: Henrike the boatbuilder, she can ring you back.", "Robin", "b")
        after = [one.text for one in commitments(moments(memory), TERMS)]
    assert before == ["Let's paint the hull in May.", "I will ring Henrike the boatbuilder."]
    assert after == ["Let's paint the hull in May."]


def test_a_question_or_a_condition_is_no_promise():
    with opened() as memory:
        say(memory, "Shall we say I will paint the hull tomorrow?")
        say(memory, "I will paint the hull tomorrow if you bring brushes.")
        assert commitments(moments(memory), TERMS) == []


def test_without_a_model_nothing_is_uncertain():
    with opened() as memory:
        say(memory, "Perhaps the mast holds, perhaps not.")
        assert uncertainties(moments(memory)) == []
