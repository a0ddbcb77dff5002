"""What stands: asked for, open, hard."""

import pytest

from meridia.language.analyser import Analyser
from meridia.resume.quotes import Quotable
from meridia.resume.standing import asked_for, hard_things, open_items
from tests.resume.experience_builders import agent, experience, feeling


def talk(*views):
    return Quotable(views, Analyser())


def test_an_order_to_an_agent_stands_and_among_friends_what_is_asked_for_good():
    order = experience(1, "Answer me in Spanish from now on.")
    served = talk(order, agent(2, "Gladly."))
    among = talk(order, experience(2, "Haha, sure.", person="Ilse"))
    assert [each.quote.memory.event_id for each in asked_for(served, "Nora", 9)] != []
    assert asked_for(among, "Nora", 9) == []
    wish = experience(1, "Please never ring the bell after nine, the baby sleeps.")
    assert len(asked_for(talk(wish), "Nora", 9)) == 1


def test_a_friend_takes_back_what_they_asked_for():
    wish = experience(1, "Please always text before you come round.", session="a")
    back = experience(2, "You can forget the texting now, just come round.", session="b")
    (stands,) = asked_for(talk(wish, back), "Nora", 9)
    assert stands.quote.memory.event_id == "e2"
    assert [each.memory.event_id for each in stands.others] == ["e1"]
    assert asked_for(talk(back), "Nora", 9) == []


def test_what_the_other_asks_in_the_last_meeting_is_open_and_a_question_back_is_not():
    asked = experience(1, "Could you look after the hens in May?", person="Rita")
    talked = talk(asked, experience(2, "I bought a loom today."))
    views = [asked, experience(2, "I bought a loom today.")]
    assert [each.quote.memory.person for each in open_items(talked, views, "Nora", 9)] == ["Rita"]
    later = experience(3, "The new job starts in June.", session="later")
    assert open_items(talk(*views, later), [*views, later], "Nora", 9) == []


def test_what_the_body_needs_stands_among_friends_too():
    allergy = talk(experience(1, "I'm allergic to peanuts, so please no satay."))
    assert len(asked_for(allergy, None, 9)) == 1


def test_what_was_told_in_a_good_tone_is_no_hard_thing():
    lost = "I lost my job at the mill last week."
    bad = experience(1, lost, phenomenology=feeling(-0.4))
    good = experience(1, lost, phenomenology=feeling(0.4))
    assert [each.memory.event_id for each in hard_things(talk(bad), None, 9)] == ["e1"]
    assert hard_things(talk(good), None, 9) == []


def test_the_likeliest_bad_news_comes_first_and_is_not_repeated():
    views = [
        experience(1, "I broke my leg on Friday and lost my job at the mill."),
        experience(2, "I broke my leg on Friday, it hurts."),
        experience(3, "The concert was wonderful!"),
    ]
    hard = hard_things(talk(*views), "Nora", 9)
    assert [quote.memory.seq for quote in hard] in ([1], [2])


def test_an_intention_is_open_until_it_lapses():
    views = [experience(1, "I'll bring the loom to Ghent on Friday.")]
    (item,) = open_items(talk(*views), views, "Nora", 9)
    assert item.others == ()


def test_the_newest_word_on_a_thing_stands_with_what_it_takes_back():
    views = [
        experience(1, "Please always answer me in Spanish."),
        agent(2, "Gladly."),
        experience(3, "Never touch the migrations folder."),
        experience(4, "You don't need to answer me in Spanish any more, English is fine."),
    ]
    standing = asked_for(talk(*views), "Nora", 9)
    assert [each.quote.memory.seq for each in standing] == [4, 3]
    assert [quote.memory.seq for quote in standing[0].others] == [1]


def test_what_an_agent_says_in_fields_alone_serves_too():
    views = [experience(1, "Please always answer me in Spanish."), agent(2, "Fixed: all lines.")]
    assert len(asked_for(talk(*views), "Nora", 9)) == 1


@pytest.mark.parametrize(
    ("replies", "is_open"),
    [
        ([], True),
        (["No idea, sorry."], True),
        (["Hm."], True),
        (["Maybe, we'll see."], True),
        (["Which cat do you mean?"], True),
        (["Not yet."], True),
        (["Olga has it."], False),
        (["Hm.", "I asked Olga, she has the cat until August."], False),
        (["Hm.", "The loom needs a new belt."], True),
    ],
)
def test_a_question_is_open_until_somebody_says_something_of_it(replies, is_open):
    asked = experience(1, "Who takes care of the cat in July, Rita?")
    answers = [experience(2 + at, text, person="Rita") for at, text in enumerate(replies)]
    views = [asked, *answers]
    items = [each.quote.quoted for each in open_items(talk(*views), views, "Nora", 9)]
    assert items == ["“Who takes care of the cat in July, Rita?”"] * is_open


def opened(*views):
    """Return what is open of Nora's, in the words in which it was said."""
    return [item.quote.memory.text for item in open_items(talk(*views), views, "Nora", 9)]


ASKED = "Can you tell me when the ferry to Bergen leaves?"


@pytest.mark.parametrize(
    "reply", ["No idea, sorry.", "Hm.", "My cat is asleep on the sofa.", "Which ferry?"]
)
def test_a_question_stays_open_until_a_reply_shares_its_subject(reply):
    views = (experience(1, ASKED), experience(2, reply, person="Bo"))
    assert opened(*views) == [ASKED]
    assert opened(*views, experience(3, "The ferry leaves at nine.", person="Bo")) == []


def test_a_reply_right_behind_a_question_may_answer_by_its_form():
    assert opened(experience(1, ASKED), experience(2, "At nine.", person="Bo")) == []
    asked = "Did you water the tomatoes in the greenhouse?"
    assert opened(experience(1, asked), agent(2, "Yes, twice.")) == []


@pytest.mark.parametrize(
    "later",
    ["Thanks for the invoice, it arrived.", "Never mind, I bought it myself."],
)
def test_a_later_word_of_either_side_closes_a_promise(later):
    promise = agent(1, "I'll send you the invoice tomorrow.")
    assert opened(promise, experience(2, "Fine.")) != []
    assert opened(promise, experience(2, later)) == []


def test_what_is_not_done_yet_stays_open_beside_the_later_word():
    views = (
        experience(1, "I'll send you the invoice tomorrow."),
        experience(2, "The invoice has not arrived yet.", person="Bo"),
    )
    (item,) = open_items(talk(*views), views, "Nora", 9)
    assert [quote.memory.seq for quote in item.others] == [2]


def test_a_deed_in_the_words_of_its_promise_closes_it():
    views = [
        experience(1, "I will repair the gate on Saturday."),
        experience(2, "I repaired the gate this morning."),
    ]
    assert opened(*views) == []


def test_what_an_agent_undertakes_is_open_whomever_it_names_first():
    for promise in ("I'll book the table for Friday.", "Nora, I'll book the table for Friday."):
        assert opened(experience(1, "I need a table."), agent(2, promise)) == [promise]


def test_formulas_are_never_open():
    views = (experience(1, "Thank you!"), agent(2, "Let me know if you need a table for Friday."))
    assert opened(*views) == []


def test_what_named_a_time_that_is_over_was_due():
    views = [
        experience(1, "I'll bring the loom to Ghent tomorrow."),
        experience(480, "Hello again."),
    ]
    assert [item.was_due for item in open_items(talk(*views), views, "Nora", 9)] == [True]
