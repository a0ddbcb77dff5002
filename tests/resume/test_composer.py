"""What a pack quotes: what was asked for, what is open, threads; within its budget."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime, timedelta

import pytest

from meridia import Memory
from meridia.resume.composer import Omission
from tests.resume.pack_samples import NO_EMBEDDING, opened, say, story, uncited, use

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
_QUOTE = re.compile(r"“([^”]*)”[^@“]*(?:“[^”]*” )*@(\d+)")


def talk(memory: Memory, *lines: tuple[int, str, str]) -> None:
    """Let a person (or "", the agent) say things: day, who, what."""
    for place, (day, who, text) in enumerate(lines):
        at = AT + timedelta(days=day, minutes=place)
        said = {"session": f"day {day}", "at": at, "id": f"t{place}"}
        if who:
            memory.remember(text, person=who, **said)
        else:
            memory.remember(text, role="assistant", **said)


def section(text: str, title: str) -> str:
    """Return the lines of a section."""
    heading = rf"^## [^\n]*{re.escape(title)}[^\n]*\n"
    found = re.search(rf"{heading}((?:(?!##).*\n?)*)", text, re.MULTILINE)
    return found[1] if found else ""


def test_what_was_asked_for_stands_first():
    with opened() as memory:
        talk(
            memory,
            (0, "Priya", "Please always answer me in Spanish."),
            (0, "", "Understood."),
            (0, "Priya", "And never phone me at work."),
            (0, "Priya", "I was at the dentist this morning."),
        )
        text = memory.resume("Priya").text
    asked = section(text, "asked for")
    assert "never phone me at work" in asked
    assert "dentist" not in asked
    assert "always answer me in Spanish" in asked


def test_a_promise_of_the_other_side_in_the_last_meeting_is_open():
    with opened() as memory:
        talk(
            memory,
            (0, "Nora", "The brake of my loom is stuck and the warp is torn."),
            (0, "", "I'll send you the address of the loom teacher in Bruges tomorrow."),
            (0, "Nora", "Which dye keeps its colour on linen yarn?"),
        )
        pack = memory.resume("Nora", as_of=AT + timedelta(hours=3))
        (_, promise) = section(pack.text, "Open since").splitlines()
        assert "the agent: “I'll send you the address" in promise
        assert pack.open_uncertainties == ["2026-03-02 “Which dye keeps its colour on linen yarn?”"]
        memory.remember("Hello again.", person="Nora", session="next", at=AT + timedelta(days=1))
        assert memory.resume("Nora", as_of=AT + timedelta(days=2)).next_actions == []


@pytest.mark.parametrize("thing", ["kiln", "harbour", "violin", "greenhouse"])
@pytest.mark.parametrize("number", ["eight", "Not before noon", "by bus"])
def test_a_short_answer_stands_with_what_was_asked(thing: str, number: str):
    question = f"When shall I come to the {thing}?"
    with opened() as memory:
        talk(
            memory,
            (0, "Nora", f"My {thing} needs somebody who looks after it in the holidays."),
            (0, "", question),
            (0, "Nora", f"{number}."),
        )
        text = memory.resume("Nora").text
    assert f"({'the agent'}: {question})" in text


def test_what_others_told_fills_the_room_that_is_left():
    with opened() as memory:
        talk(
            memory,
            (0, "Nora", "I sold my kiln to a potter in Ghent."),
            (0, "Joss", "My sister Olivia had a daughter in Lisbon on Friday."),
        )
        roomy, tight = (memory.resume("Nora", tokens=tokens).text for tokens in (1000, 65))
    assert "Joss: “My sister Olivia had a daughter in Lisbon on Friday” @" in roomy
    assert "kiln" in tight
    assert "Olivia" not in tight


def test_a_model_hears_what_is_uncertain_until_it_is_settled():
    with opened() as memory:
        story(memory)
        lines = memory.reconstitute("crisis").open_uncertainties
    assert any("regatta in June" in line for line in lines)


def test_every_quote_stands_in_its_message():
    with opened() as memory:
        talk(memory, *((day, "Mei", text) for day, text in enumerate(_LIFE)))
        pack = memory.resume("Mei", tokens=1000)
        checked = 0
        for line in pack.text.splitlines()[1:]:
            for words, seq in _QUOTE.findall(line):
                whole = " ".join(memory.get(f"@{seq}").text.split())
                assert words.rstrip("…") in whole
                checked += 1
        assert uncited(memory, pack.text) == []
    assert checked > 5


@pytest.mark.parametrize("tokens", [200, 300, 500, 900, 2000])
def test_a_budget_is_kept_and_filled_and_what_is_left_out_is_counted(tokens):
    with opened() as memory:
        many = [template.format(thing) for template in _TEMPLATES for thing in _THINGS]
        talk(memory, *((n // 8, "Mei", text) for n, text in enumerate(many)))
        pack = memory.resume("Mei", tokens=tokens)
        ids = {memory.get(f"t{n}").event_id for n in range(len(many))}
    assert pack.tokens <= tokens
    assert pack.quality.budget_use > 0.75 or len(pack.cited) == len(many)
    omitted = [id for omission in pack.omitted for id in omission.event_ids]
    assert len(omitted) == len(set(omitted))
    assert {*omitted, *pack.cited} == ids
    assert all(isinstance(each, Omission) and each.why for each in pack.omitted)


#: What people say to an agent: wishes, orders for once, questions, statements, views.
SAID = [
    "Please keep your answers under five lines.",
    "Keep your replies short.",
    "Can you book a table for four?",
    "Your last answer was too technical.",
    "That shop in Ghent sells good bread.",
    "You should try the soup at the harbour.",
    "He repaired the lamp.",
    "They never open the window.",
    "Use metric units.",
    "Translate the menu.",
    "Congratulations on the new office!",
    "Where does the ferry leave?",
    "My knee hurts.",
    "It rained on the tent.",
    "Is a quince a kind of apple?",
    "Bitte duze mich.",
    "Just call me Mei again.",
    "You may use Mei as my name.",
]


@pytest.mark.parametrize("seed", range(6))
def test_where_all_of_it_fits_what_somebody_said_is_told_whole(seed: int):
    drawn = random.Random(seed).sample(SAID, 8)
    lines = [(place // 4, "Mei", text) for place, text in enumerate(drawn)]
    with opened() as memory:
        talk(memory, *[each for line in lines for each in (line, (line[0], "", "All right."))])
        pack = memory.resume("Mei", tokens=2000)
    assert [text for text in drawn if text.rstrip(".") not in pack.text] == []


def test_what_somebody_else_had_tried_again_is_solved_and_brackets_stay():
    with opened() as memory:
        say(memory, "Please build the wheel.", "Ilse")
        use(memory, "bash", "test_a - assert ['alert'] == []", command="make wheel", error=True)
        say(memory, "Put the header back, please.", "Pavel")
        use(memory, "bash", "wheel built", command="make wheel")
        text = memory.resume("Ilse").text
    failed = section(text, "What failed")
    assert "assert ['alert'] == []" in failed
    assert "no later call" not in failed


def test_who_has_no_name_is_not_who_reads_the_pack():
    with opened() as memory:
        memory.remember("Please never phone me at work.")
        memory.remember("Understood.", role="assistant")
        text = memory.resume("you").text
    assert text.startswith("# The user is back")
    assert "are the user's words" in text
    assert "your" not in text.lower()


def test_what_was_begun_and_left_in_one_message_is_not_open():
    with opened() as memory:
        talk(
            memory,
            (0, "", "Shall we go through the tasks?"),
            (
                0,
                "Nora",
                "I'll send you the first one by 10:00. It's twelve. Let's move on to others!",
            ),
        )
        assert not section(memory.resume("Nora").text, "Open since")


def test_small_talk_is_told_after_all_else():
    with opened() as memory:
        talk(
            memory,
            (0, "Mei", "Hey! Thanks, that is so kind of you. How are you?"),
            (0, "Mei", "I sold my flat in Porto last week."),
        )
        pack = memory.resume("Mei", tokens=200)
    assert pack.cited[0] == "t1"


def test_a_reflection_shows_then_and_now_and_a_thread_has_its_words():
    with opened() as memory:
        lines = [
            (0, "Mei", "My sourdough starter died last night, I cried over the sourdough."),
            (0, "Mei", "I bought rye flour for a new sourdough starter."),
            (20, "Mei", "I baked my first sourdough rye bread, the sourdough starter is alive!"),
            (20, "Mei", "I gave rye sourdough bread to my neighbour Ole."),
            (20, "Mei", "The tax office sent me a letter about my car."),
        ]
        talk(memory, *lines, *((12, "Mei", text) for text in _LIFE))
        text = memory.reconstitute("reflection").text
    changed = section(text, "Then and now")
    assert "sourdough" in changed.casefold()
    assert "→ 2026-03-22" in changed


def test_a_failure_of_a_tool_stands_with_its_words_until_it_is_solved():
    with opened() as memory:
        say(memory, "Please publish the site.")
        use(memory, "bash", "publish: permission denied", error=True, command="make publish")
        pack = memory.reconstitute("crisis")
    assert "permission denied" in section(pack.text, "What failed")
    assert any("make publish" in line for line in pack.next_actions)


def test_row_107_a_core_summary_is_the_same_until_ten_more_memories_are_there():
    with opened(NO_EMBEDDING) as memory:
        assert memory.reconstitute("core_summary") is None
        talk(memory, *((day, "Mei", text) for day, text in enumerate(_LIFE[:10])))
        first = memory.reconstitute("core_summary")
        say(memory, "I moved to Bergen.", person="Mei", session="x", day=30)
        again = memory.reconstitute("core_summary")
    assert first.text == again.text
    assert first.tokens <= 900
    assert len(first.cited) <= 20


_LIFE = [
    "I lost my job at the paper mill last month, and nobody saw it coming.",
    "We adopted a three-legged cat called Miso from the shelter in Bergen!",
    "My daughter Ilka passed her diving exam yesterday.",
    "Thanks, that means a lot!",
    "I'm going to run the half marathon in Porto on the 10th of May.",
    "The roof leaked again, so I had to cancel the concert with Timo.",
    "How have you been?",
    "I started learning the cello with Mrs. Ferrer on Tuesdays.",
    "Nothing beats a quiet evening.",
    "My brother's bakery won the regional prize for rye bread.",
    "I finally sold the old Volvo to a student from Ghent.",
    "We painted the nursery green because Ilka insisted.",
]
_THINGS = """loom kayak piano ladder greenhouse tractor violin kettle canoe trailer chimney
cellar balcony scooter lantern bicycle""".split()
_TEMPLATES = [
    "I bought a {} at the market in Ghent yesterday.",
    "My uncle Bram repaired the old {} last week.",
    "We lost our {} in the storm on Friday.",
    "I finally learned how a {} is built.",
    "The insurance paid 400 euros for the {}.",
    "I'm going to paint the {} next month.",
]


def test_a_line_is_not_told_again_as_what_the_next_one_leans_on():
    with opened() as memory:
        talk(
            memory,
            (0, "", "I ordered new varnish from Ghent for the frame."),
            (0, "Nora", "I thinned it with turpentine."),
        )
        text = memory.resume("Nora", tokens=500).text
    assert "I thinned it with turpentine" in text
    assert text.count("varnish from Ghent") == 1
