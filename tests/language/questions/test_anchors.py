"""When something happened that a question reckons from."""

from datetime import UTC, datetime, timedelta

import pytest

from meridia import Memory
from meridia.language.questions.time_order import anchor_time


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        (["I signed up for the race.", "The race is next week!", "I ran the race today."], 2),
        (["When is the race?", "What a race that was.", "The race is long past."], 1),
        (["The race was great.", "I just came home from the race."], 1),
        (["I will run the race.", "I'm training for the race."], 1),
        (["The mast broke."], 0),
    ],
)
def test_it_happened_when_a_memory_comes_from_it(texts, place):
    assert anchor_time([(float(n), text) for n, text in enumerate(texts)]) == place


def test_two_weeks_before_the_race_although_the_race_was_spoken_of_before():
    start = datetime(2026, 3, 1, 9, tzinfo=UTC)
    life = {
        0: "I signed up for the Bergen race; it is going to be great.",
        10: "I bought new shoes.",
        30: "My knee hurts, the physio said rest.",
        46: "I started intervals with Tom.",
        60: "Today I ran the race in 1:52!",
    }
    with Memory.open() as memory:
        for day, text in life.items():
            at = start + timedelta(days=day)
            memory.remember(text, person="Dana", session=f"s{day}", at=at, id=f"d{day}")
        answer = memory.recall("What did Dana begin with two weeks before the race?")
        fits = {h.event_id for h in answer.hits if "two weeks before the race" in str(h.trace)}
    assert fits == {"d46"}


@pytest.mark.parametrize(
    ("texts", "day"),
    [
        (["The race is on the 12th of May.", "I'm training for the race."], (2026, 5, 12)),
        (["The race is on May 12.", "They moved the race to 2026-06-09."], (2026, 6, 9)),
        (["The race was on the 28th of December."], (2025, 12, 28)),
        (["We raced on the 29th of February."], (2024, 2, 29)),
    ],
)
def test_it_happens_on_the_day_that_the_last_mention_writes_out(texts, day):
    said = datetime(2025 if day[0] == 2024 else 2026, 1, 5, tzinfo=UTC).timestamp()
    mentions = [(said + n, text) for n, text in enumerate(texts)]
    assert anchor_time(mentions) == datetime(*day, tzinfo=UTC).timestamp()
    assert anchor_time([*mentions, (said + 9, "I ran the race today!")]) == said + 9
