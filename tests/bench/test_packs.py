"""How much of what others summarised, and of what people asked for, packs tell."""

from __future__ import annotations

from bench.baselines import Text
from bench.packs import (
    EventJudge,
    baselines,
    events_of,
    measure_instructions,
    normalised_ids,
    picked,
    talks_of,
)

TALKS = """A note.

# t1 tune coding Priya
--- 2026-02-02
U|Hi, let's get started on the importer.
A|Sure. What format are the files in?
I1|Please always answer me in Spanish.
I2|Never touch the migrations folder.
--- 2026-02-04
W1|You can answer me in English again, I don't need Spanish any more.
U|I was at the dentist yesterday.
"""


def test_an_event_is_told_by_a_quote_that_has_its_rare_words():
    texts = [Text(f"m{n}", f"I like tea and bread number{n}.", "Dana", "s") for n in range(50)]
    judge = EventJudge([*texts, Text("x", "The kiln in Ghent exploded.", "Dana", "s")])
    events = ["Dana's kiln exploded in Ghent.", "Dana moves to Oslo."]
    assert judge.told(events, ["My kiln exploded!", "I like tea"]) == 1
    assert judge.told(events, ["I like tea and bread"]) == 0


def test_events_are_those_of_each_speaker():
    sample = {"event_summary": {"1": {"Dana": ["a"], "date": "x"}, "2": {"Dana": ["b"], "Jo": []}}}
    assert events_of(sample) == {"Dana": ["a", "b"], "Jo": []}


def test_baselines_keep_the_budget():
    own = [f"I saw heron number {n} in Ghent. How are you?" for n in range(99)]
    for texts in baselines(own, 100).values():
        assert sum(len(text) + 10 for text in texts) <= 400
    assert picked("I sold 3 flats in Porto.") > picked("How are you?")


def test_instructions_and_what_was_withdrawn_are_counted(tmp_path):
    file = tmp_path / "talks.txt"
    file.write_text(TALKS, "utf-8")
    ((person, turns),) = talks_of(file)
    assert (person, [kind for kind, *_ in turns]) == ("Priya", ["U", "A", "I", "I", "W", "U"])
    measured = measure_instructions(file, tmp_path)
    assert measured["instructions"] == measured["told in the pack"] == 1
    assert measured["withdrawn"] == 1


def test_leading_zeros_do_not_matter():
    assert normalised_ids(["D1:03", "x"]) == {"D1:3", "x"}
