"""Which memories a pack tells of."""

from meridia import Memory
from meridia.core.text import Analyser
from meridia.retrieval.packs.layout import SectionTitle
from meridia.retrieval.packs.modes import Ranking
from meridia.retrieval.packs.selection import MemorySelector
from meridia.retrieval.packs.snapshot import SnapshotReader
from tests.fakes import WAITING
from tests.retrieval.packs.pack_samples import NOW, opened, say, use

TERMS = Analyser().terms


def chosen(memory, ranking, chars, without=(), stated=None):
    sight = SnapshotReader(memory.parts, memory.space, NOW, 10**9)
    seen = sight.read(sight.newest(100))
    found = MemorySelector(seen, ranking, TERMS, 80).select(chars, set(without), stated or {})
    return [one.experience.memory.event_id for one in found]


def test_what_says_much_comes_before_what_says_little_and_again():
    with opened() as memory:
        say(memory, "Henrike offers oak timbers for 1,850 euros.")
        say(memory, "Henrike offers oak timbers for 1,850 euros today.")
        say(memory, "Mira bakes rye bread in Bergen on Sundays.")
        say(memory, "ok")
        assert chosen(memory, Ranking(repeat_factor=0.1), 150) in (["e1", "e2"], ["e2", "e1"])


def test_what_tells_nothing_is_left_out_however_much_room_there_is():
    with opened() as memory:
        say(memory, "Henrike offers oak timbers for 1,850 euros.")
        say(memory, "You're welcome!", person="Robin")
        assert chosen(memory, Ranking(), 4000) == ["e0"]


def test_what_somebody_orders_in_a_run_is_not_left_out():
    order = "Great. Please don't push to main directly, open a branch. "
    order += "And leave the retry settings alone, Piotr is working on them."
    with Memory.open(settings=WAITING) as memory:
        memory.remember("The nightly job fails since April.", person="Nora", session="a")
        use(memory, "bash", "8 passed")
        memory.remember(order, person="Nora", session="a")
        (line,) = memory.reconstitute("crisis").lines(SectionTitle.HISTORY)
    assert "push to main" in line


def test_sums_and_ids_that_a_tool_was_given_are_not_told():
    with Memory.open(settings=WAITING) as memory:
        memory.remember("Please work out what both seats cost.", person="Nora", session="a")
        use(memory, "calculate", "(404 + 202) * 3")
        use(memory, "update_reservation", "credit_card_7231150")
        use(memory, "think", "The gift card covers a part of the difference.")
        (line,) = memory.reconstitute("session_bootstrap").lines(SectionTitle.HISTORY)
    assert "gift card covers" in line
    assert "404" not in line
    assert "7231150" not in line


def test_what_is_all_that_a_person_said_is_told():
    with Memory.open(settings=WAITING) as memory:
        memory.remember("insulin dose raised from 8 to 12 units", person="Priya", session="a")
        assert "insulin dose raised" in memory.resume("Priya").text
        memory.remember("Thanks!", person="Tom", session="b")
        assert "Thanks" not in memory.resume("Tom").text


def test_recency_lifts_what_is_new():
    with opened() as memory:
        say(memory, "The red sail was torn in the storm.", day=1)
        say(memory, "The blue sail was sewn in the attic.", session="b", day=31)
        late = chosen(memory, Ranking(recency=50, half_life_h=24), 90)
    assert late == ["e1"]


def test_what_is_told_already_is_left_out_and_room_is_kept():
    with opened() as memory:
        say(memory, "The red sail was torn in the storm.")
        seq = memory.get("e0").seq
        assert chosen(memory, Ranking(), 400, [seq]) == []
        assert chosen(memory, Ranking(), 10) == []


def test_with_little_room_the_newest_session_comes_first():
    with opened() as memory:
        say(memory, "Henrike offers oak timbers and larch planks for 1,850 euros.", day=2)
        say(memory, "The blue sail was sewn.", session="b", day=9)
        assert chosen(memory, Ranking(), 80) == ["e1"]


def test_row_53_the_data_that_tools_return_is_not_quoted():
    with opened() as memory:
        say(memory, "I want to change my flight to Oslo to the evening one.")
        use(memory, "get_user", '{"name": "Dana", "cards": [{"id": "card_7", "amount": 2048}]}')
        use(memory, "change_flight", "Error: not enough seats on flight HAT229", error=True)
        about_dana = memory.resume("Dana").text
        for mode in ("session_bootstrap", "crisis", "reflection"):
            pack = memory.reconstitute(mode=mode)
            assert "card_7" not in pack.text
            assert "not enough seats" in pack.text
    assert "tool get_user" not in about_dana


def test_what_a_fact_tells_is_left_out_and_what_it_only_touches_is_not():
    with opened() as memory:
        say(memory, "My sister Adaeze just had her second baby, a girl.")
        seq = memory.get("e0").seq
        assert chosen(memory, Ranking(), 400, stated={seq: "has a sister, Adaeze"}) == ["e0"]
        told = "sister Adaeze had her second baby, a girl"
        assert chosen(memory, Ranking(), 400, stated={seq: told}) == []


def test_cheers_are_no_news_but_another_language_may_be():
    with Memory.open(settings=WAITING) as memory:
        for said in ("I moved to Ulm last week.", "Go get 'em, Jon!", "昨日、妹が引っ越しました。"):
            memory.remember(said, person="Dana", session="a")
        text = memory.resume("Dana").text
    assert "Ulm" in text
    assert "引っ越しました" in text
    assert "Go get" not in text
