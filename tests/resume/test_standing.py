"""What stands: asked for good, and open since the last meeting."""

import pytest

from meridia.language.analyser import Analyser
from meridia.resume.quotes import Quotable
from meridia.resume.standing import (
    asked_for,
    hard_things,
    open_items,
    undertaken,
    without_ended,
)
from tests.resume.experience_builders import agent, experience, feeling

HELLO = experience(0, "Hello, I have a question about the budget.")


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


def test_what_a_friend_takes_back_stands_no_more():
    wish = experience(1, "Please always text before you come round.", session="a")
    back = experience(2, "You can forget the texting now, just come round.", session="b")
    assert asked_for(talk(wish, back), "Nora", 9) == []


@pytest.mark.parametrize(
    ("wish", "back"),
    [
        ("Please only write text messages, never ring.", "You may phone me again from now on."),
        ("Always answer me in Swedish, please.", "English is fine again from now on."),
        ("Never suggest any meat to me.", "I'm not vegetarian any more, so that's over."),
    ],
)
def test_another_word_for_the_same_ends_what_was_asked_for(wish, back):
    views = [experience(1, wish), agent(2, "All right."), experience(3, back)]
    assert len(asked_for(talk(*views[:2]), "Nora", 9)) == 1
    assert 1 not in [each.quote.memory.seq for each in asked_for(talk(*views), "Nora", 9)]


@pytest.mark.parametrize(
    "wish",
    [
        "The lodger moved out, so from now on leave the parcels at my door.",
        "I keep bees in the yard, so never send the mower in summer.",
        "Bitte schreib mir immer auf Deutsch.",
        "Nunca me llames por la noche, por favor.",
        "Ne touche jamais au dossier des photos.",
    ],
)
def test_a_wish_with_its_reason_and_one_in_another_language_stand(wish):
    views = [experience(1, wish), agent(2, "All right.")]
    assert len(asked_for(talk(*views), "Nora", 9)) == 1


@pytest.mark.parametrize(
    "once",
    [
        "Fix that with a test, please.",
        "Please ask the workshop once more today.",
        "I want to sell the boat this year.",
        "My boss wants me at the counter every Saturday now.",
        "Remind me on Friday about the cake.",
        "I don't think so.",
        "I've never solved a puzzle with coins before, and I want to learn how.",
        "I switched to another password hash and never looked back.",
    ],
)
def test_what_is_wanted_once_or_by_others_was_not_asked_for_good(once):
    assert asked_for(talk(experience(1, once), agent(2, "All right.")), "Nora", 9) == []


def test_what_was_asked_for_a_day_stands_in_its_meeting_only():
    wish = experience(1, "Please no new chapters from Friday on.", session="a")
    served = agent(2, "Understood.", session="a")
    assert len(asked_for(talk(wish, served), "Nora", 9)) == 1
    later = experience(3, "The exam went well.", session="b")
    assert asked_for(talk(wish, served, later), "Nora", 9) == []


@pytest.mark.parametrize(
    "wish",
    [
        "Please never call me before 9 am.",
        "Never schedule meetings before 10:00, please.",
        "No calls after 6pm, please.",
        "Never plan a delivery on Sundays.",
    ],
)
def test_a_time_of_day_and_days_that_recur_are_asked_for_good(wish):
    views = [HELLO, experience(1, wish), agent(2, "All right.")]
    views += [experience(3, HELLO.memory.text, session="later")]
    assert [each.quote.memory.seq for each in asked_for(talk(*views), "Nora", 9)] == [1]


@pytest.mark.parametrize(
    ("older", "later"),
    [
        ("Always answer in German.", "Always answer in short sentences."),
        ("Write commit messages in the imperative.", "Write tests for every commit."),
        ("Use tabs in Go files.", "Use type hints in Python files."),
    ],
)
def test_an_order_that_a_later_one_may_replace_is_told_behind_it(older, later):
    views = [HELLO, experience(1, older), experience(2, later), agent(3, "Sure.")]
    (standing,) = asked_for(talk(*views), "Nora", 9)
    assert (standing.quote.text, [q.text for q in standing.others]) == (later, [older])


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


@pytest.mark.parametrize(
    ("later", "lets_off"),
    [
        ("You don't need to answer in Spanish any more for the invoices.", True),
        ("You don't need to answer me in Spanish any more, English is fine.", False),
    ],
)
def test_an_exception_leaves_the_rule_as_it_is(later, lets_off):
    views = [experience(1, "Please always answer me in Spanish."), agent(2, "Gladly.")]
    (standing,) = asked_for(talk(*views, experience(3, later)), "Nora", 9)
    assert [quote.memory.seq for quote in standing.others] == [1]
    assert standing.lets_off is lets_off


@pytest.mark.parametrize(
    "told",
    [
        ("Shall I order the cat food again?", "Yes, and always the one without fish."),
        ("Done.", "You sent two copies last time, please attach only one."),
    ],
)
def test_an_answer_and_a_correction_are_asked_for_good(told):
    before, wish = told
    views = [HELLO, agent(1, before), experience(2, wish), agent(3, "All right.")]
    assert [each.quote.memory.seq for each in asked_for(talk(*views), "Nora", 9)] == [2]


def test_a_permission_ends_what_was_forbidden():
    rule = experience(1, "Never rename things in the API without telling me.")
    views = [rule, agent(2, "Understood.")]
    assert [each.quote.memory.seq for each in asked_for(talk(*views), "Nora", 9)] == [1]
    views.append(experience(3, "You can rename in the API now, the app people have moved on."))
    assert all(each.quote.memory.seq != 1 for each in asked_for(talk(*views), "Nora", 9))


def test_an_order_replaces_what_is_most_like_it_and_nothing_beside_it():
    views = [
        experience(1, "Tests go next to the file they test, and write them before the code."),
        experience(2, "Levin is new, so explain to him why, not only what."),
        agent(3, "Understood."),
        experience(4, "From now on write the tests after the code, Levin does it like that."),
    ]
    standing = asked_for(talk(*views), "Nora", 9)
    assert [[q.memory.seq for q in each.others] for each in standing] == [[1], []]


def test_what_somebody_else_may_have_ended_is_told_by_neither():
    views = [
        experience(1, "Explain each migration in long sentences from now on, please."),
        agent(2, "Gladly."),
        experience(3, "You can stop the long sentences for each migration now.", person="Bo"),
    ]
    assert asked_for(talk(*views), "Nora", 9) == []


def test_a_rule_on_something_else_replaces_nothing():
    views = [
        experience(1, "Please always write to me in German."),
        agent(2, "Gladly."),
        experience(3, "Please never mention the surprise when others read along."),
    ]
    standing = asked_for(talk(*views), "Nora", 9)
    assert [(each.quote.memory.seq, each.others) for each in standing] == [(3, ()), (1, ())]


def test_what_an_agent_says_in_fields_alone_serves_too():
    views = [experience(1, "Please always answer me in Spanish."), agent(2, "Fixed: all lines.")]
    assert len(asked_for(talk(*views), "Nora", 9)) == 1


def opened(*views, partly=()):
    """Return what is open of Nora's, in the words in which it was said."""
    return [quote.text for quote in open_items(talk(*views), "Nora", partly, 9)]


ASKED = "Can you tell me when the ferry to Bergen leaves?"


@pytest.mark.parametrize("reply", ["No idea, sorry.", "Hm.", "At nine."])
def test_a_question_is_open_as_long_as_nobody_else_said_anything_behind_it(reply):
    asked = experience(1, ASKED)
    assert opened(asked) == opened(asked, experience(2, "I am at the quay.")) == [ASKED]
    assert opened(asked, experience(2, reply, person="Bo")) == []
    assert opened(asked, partly={asked.memory.session}) == []


def test_what_was_undertaken_is_open_in_the_meeting_that_was_the_last():
    promise = agent(1, "I'll send you the invoice tomorrow.")
    assert opened(promise, experience(2, "Fine.")) == ["I'll send you the invoice tomorrow."]
    assert opened(promise, experience(2, "Hello again.", session="later")) == []


def test_undertakings_of_one_message_are_told_once():
    said = "I'll run the audit of the pages on Monday. I'll send you the figures of it by Tuesday."
    assert opened(experience(1, said)) == [said]


def test_a_question_asks_for_nothing_for_good_unless_it_says_so():
    once = experience(1, "Hmm, so how do I make sure that only the first page is loaded?")
    assert asked_for(talk(once, agent(2, "Like this.")), "Nora", 9) == []
    always = experience(1, "Could you please always answer me in German from now on?")
    assert len(asked_for(talk(always, agent(2, "Gladly.")), "Nora", 9)) == 1


@pytest.mark.parametrize(
    "later",
    ["Thanks for the invoice, it arrived.", "Never mind, I bought it myself."],
)
def test_a_later_word_of_either_side_closes_a_promise(later):
    promise = agent(1, "I'll send you the invoice tomorrow.")
    assert opened(promise, experience(2, later)) == []


def test_a_deed_in_the_words_of_its_promise_closes_it():
    views = [
        experience(1, "I will repair the gate on Saturday."),
        experience(2, "I repaired the gate this morning."),
    ]
    assert opened(*views) == []


def test_what_was_undertaken_is_shown_with_the_question_that_it_answers():
    views = [
        experience(1, "Can my sister be on my policy?"),
        agent(2, "I'll ask the insurers today."),
    ]
    (item,) = open_items(talk(*views), "Nora", (), 9)
    assert item.about == "Nora: Can my sister be on my policy?"


def test_formulas_and_small_talk_are_never_open():
    views = (experience(1, "Thank you!"), agent(2, "Let me know if you need a table for Friday."))
    assert opened(*views) == []
    assert opened(experience(1, "How have you been?")) == opened(experience(1, "Seriously?")) == []


def test_what_was_undertaken_before_stands_with_the_later_word_and_was_due():
    promise = experience(1, "I'll bring the loom to Ghent tomorrow.", session="a")
    later = experience(480, "The loom in Ghent needs a belt.", session="b")
    (item,) = undertaken(talk(promise, later), "Nora", 9)
    assert (item.was_due, [quote.memory.seq for quote in item.others]) == (True, [480])
    done = experience(481, "I brought the loom to Ghent myself.", session="c")
    assert undertaken(talk(promise, later, done), "Nora", 9) == []
    assert undertaken(talk(promise), "Nora", 9) == []
    sessions = [experience(n, "It rains.", session=f"s{n}") for n in range(500, 505)]
    assert undertaken(talk(promise, *sessions), "Nora", 9) == []


def test_a_hard_thing_is_very_likely_one_and_told_in_no_good_tone():
    lost = "I lost my job last week and my mother died in the hospital."
    bad = experience(1, lost, phenomenology=feeling(-0.4))
    good = experience(1, lost, phenomenology=feeling(0.4))
    assert [each.memory.event_id for each in hard_things(talk(bad), None, 9)] == ["e1"]
    assert hard_things(talk(good), None, 9) == []
    assert hard_things(talk(experience(1, "My manager shouted at Tom.")), None, 9) == []


@pytest.mark.parametrize("when", ["today", "this week", "until she is back"])
def test_what_is_for_now_was_not_asked_for_good(when):
    wish = experience(1, f"Please never send me long answers {when}.")
    assert asked_for(talk(wish, agent(2, "Understood.")), "Nora", 9) == []


ENDS = [
    ("I have a cat called Momo", "We gave Momo away"),
    ("I play the cello", "I gave up the cello"),
    ("I work at Nordwind", "Nordwind fired me"),
    ("I live in Bergen", "I moved to Leipzig"),
    ("I am married to Kurt", "Kurt and I are separated"),
    ("I live in Porto and work as a cook", "I'm a beekeeper now, I gave up cooking"),
    ("I live in Ghent", "We moved from Ghent to Aarhus"),
]


def told(*said):
    """Return what is told of some people's words, after those of each that nobody ended."""
    quotes = talk(*(experience(place, text, who) for place, (who, text) in enumerate(said, 1)))
    return without_ended(quotes, quotes.quotes)


@pytest.mark.parametrize(("older", "later"), ENDS)
def test_what_a_later_word_ends_is_told_behind_it(older, later):
    quotes = told(("Dana", f"{older}."), ("Dana", "The soup was good."), ("Dana", f"{later}."))
    assert [quote.text for quote in quotes] == ["The soup was good", later]
    assert [quote.text for quote in quotes[-1].ends] == [older]


@pytest.mark.parametrize(("older", "later"), ENDS)
def test_only_what_one_states_oneself_and_later_ends_anything(older, later):
    for said in (
        [("Dana", f"{older}."), ("Omar", f"{later}.")],
        [("Dana", f"{older}."), ("Dana", f"If {later}, what then?")],
        [("Dana", f"Did I say that {older}?"), ("Dana", f"{later}.")],
        [("Dana", f"{older}."), ("Dana", f"{older}.")],
    ):
        assert not any(quote.ends for quote in told(*said))


@pytest.mark.parametrize("who", ["My sister", "They", "Mein Chef", "Mio fratello"])
@pytest.mark.parametrize("how", ["always", "never", "immer", "sempre"])
def test_the_habits_of_others_are_asked_for_by_nobody(who, how):
    habit = experience(1, f"{who} {how} answers my mails.")
    assert asked_for(talk(habit, agent(2, "Understood.")), "Nora", 9) == []


def test_a_request_after_which_nothing_happened_is_open():
    hello = experience(1, "My loom is broken."), agent(2, "That cannot be repaired.")
    wish = experience(3, "Please put me through to the loom workshop.")
    assert len(open_items(talk(*hello, wish), "Nora", (), 9)) == 1
    assert not open_items(talk(*hello, wish, agent(4, "I did.")), "Nora", (), 9)
    tool = experience(4, "transferred", None, kind="tool_result")
    assert not open_items(talk(*hello, wish, tool), "Nora", (), 9)


def test_what_somebody_plans_themselves_is_no_order_and_ends_none():
    order = experience(1, "Always include the page when I ask about a book on looms.")
    plan = experience(
        3,
        "I want to make sure I'm reading the new book on looms from the library, so no page of it"
        " is left out, and I always include what I've never tried on my own loom before.",
    )
    views = [order, agent(2, "All right."), plan, agent(4, "Good.")]
    assert [each.quote.memory.seq for each in asked_for(talk(*views), "Nora", 9)] == [1]


def test_an_order_that_recurs_at_a_time_is_asked_for_good():
    views = [experience(1, "Send the report every Monday at 8."), agent(2, "All right.")]
    assert len(asked_for(talk(*views), "Nora", 9)) == 1
    once = [experience(1, "Send the report on Monday at 8."), agent(2, "All right.")]
    assert not asked_for(talk(*once), "Nora", 9)
