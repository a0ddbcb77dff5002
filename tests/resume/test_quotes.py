"""What could be quoted of a message, and what it is worth."""

from dataclasses import replace

from meridia.language.analyser import Analyser
from meridia.resume.quotes import CHARS_MAX, Quotable, QuoteChoice, merged
from tests.resume.experience_builders import agent, experience


def quotes(*views):
    return Quotable(views, Analyser()).quotes


def test_a_sentence_that_leans_is_quoted_with_the_one_before_it():
    first, second = quotes(experience(1, "I wove a blanket for Timo. It took me nine weeks."))
    assert second.text == "I wove a blanket for Timo. It took me nine weeks"
    (alone,) = quotes(experience(1, "It took me nine weeks."))
    assert alone.worth < second.worth
    assert first.text == "I wove a blanket for Timo"


def test_small_talk_is_worth_less_than_news():
    talk, news = quotes(
        experience(1, "Thanks, you are so kind to me."),
        experience(2, "I crashed the old Volvo near Ghent yesterday."),
    )
    assert talk.is_idle
    assert news.worth > 5 * talk.worth


def test_a_long_sentence_is_cut_with_a_mark_and_marks_in_it_become_single():
    birds = " ".join(f"heron{number}" for number in range(60))
    (quote,) = quotes(experience(1, f"I said “no” to {birds}"))
    assert len(quote.text) <= CHARS_MAX + 1
    assert quote.text.endswith("…")
    assert quote.quoted.count("“") == quote.quoted.count("”") == 1


def test_of_an_agents_message_no_list_is_quoted():
    lines = "I booked the ferry to Oslo for you.\n- Date: May 2\n- Cabin: 12"
    assert [quote.text for quote in quotes(agent(1, lines))] == [
        "I booked the ferry to Oslo for you"
    ]


def test_what_a_quote_leans_on_stands_behind_it_in_the_words_of_who_said_it():
    asked = experience(1, "Hello! That lasagna looks great!", "Ilse")
    got = experience(2, "I got it from a nearby restaurant.")
    (quoted,) = [each for each in quotes(asked, got) if each.view is got]
    assert (
        quoted.quoted
        == "“I got it from a nearby restaurant” (after Ilse: That lasagna looks great!)"
    )
    sold = quotes(asked, experience(2, "I sold my flat in Porto."))
    assert sold[-1].about == ""


def test_a_short_tail_that_turns_a_sentence_is_quoted_with_it():
    first, *_ = quotes(experience(1, "The move to Bergen is on. But not before May. Timo knows."))
    assert first.text == "The move to Bergen is on. But not before May."


def test_quotes_of_one_message_are_one_with_a_mark_where_something_is_left_out():
    first, second, third, other = quotes(
        experience(
            1, "I sold the Volvo in Ghent. I bought a tandem. Our cousin Timo built a canoe."
        ),
        experience(2, "I painted the shed green."),
    )
    apart = merged([third, other, first])
    assert [each.text for each in apart] == [
        "I sold the Volvo in Ghent … Our cousin Timo built a canoe",
        "I painted the shed green",
    ]
    (whole,) = merged([apart[0], second])
    assert (
        whole.text == "I sold the Volvo in Ghent. I bought a tandem. Our cousin Timo built a canoe"
    )
    assert whole.words.keys() == first.words.keys() | second.words.keys() | third.words.keys()


def test_of_quotes_that_are_worth_the_same_the_shorter_one_is_chosen_first():
    views = [
        experience(1, "I sold the old Volvo to a nice man from the far side of Ghent yesterday."),
        experience(2, "I sold the old Volvo yesterday."),
    ]
    long, short = (replace(each, worth=0.5) for each in quotes(*views))
    assert QuoteChoice().fill([long, short], room=1) == []
    assert QuoteChoice().fill([long, short], room=70) == [short]


def test_a_quote_leans_on_the_message_right_before_it_alone():
    asked, got = experience(1, "That lasagna looks great!", "Ilse"), "I got it from a restaurant."
    between = experience(2, "oven at 180", None, kind="tool_result")
    assert quotes(asked, between, experience(3, got))[-1].about == ""
    by_others = Quotable(
        [asked, experience(3, got)],
        Analyser(),
        [asked, experience(2, "I brought plates.", "Timo"), experience(3, got)],
    )
    assert by_others.quotes[-1].about == ""
    assert quotes(experience(1, "Good luck!", "Ilse"), experience(2, got))[-1].about == ""


def test_an_item_of_a_list_says_little_without_what_announces_it():
    first, milk, flour, last = quotes(
        experience(1, "We need things for the pancakes:\n- oat milk from Bremen\n- dark spelt flour"
        "\nMy brother Timo brings the pan.")
    )  # fmt: skip
    assert milk.needs_more
    assert flour.needs_more
    assert not last.needs_more
    assert milk.start == first.start


def test_what_only_speaks_of_the_other_is_worth_little_but_to_an_agent():
    words = "You moved the whole orchard to Bergen last spring."
    (alone,) = quotes(experience(1, words))
    (served, *_) = quotes(experience(1, words), agent(2, "Right."))
    assert alone.worth < 0.5 * served.worth


def test_a_set_phrase_of_an_agent_is_one_in_any_clause():
    told, offered = quotes(
        agent(1, "I booked the ferry to Oslo. If the ferry is late, feel free to reach out.")
    )
    assert offered.is_phrase
    assert not told.is_phrase


def test_what_several_sentences_lean_on_is_quoted_and_counted_once():
    said = "I wove a blanket for Timo. He loves it. It took me nine weeks."
    first, _, last = quotes(experience(1, said))
    assert last.text == said.rstrip(".")
    choice, rest = QuoteChoice(), len(last.text) - len(first.text) + 4
    assert choice.fill([first], 80) == [first]
    assert choice.fill([last], rest) == [last]
    assert choice.fill([first, last], 80) == []


def test_a_short_sentence_that_turns_the_next_one_is_quoted_with_it():
    said = "Nothing is broken. Levin merged the passes and found a bug with summer time."
    *_, last = quotes(experience(1, said))
    assert last.text == said.rstrip(".")
