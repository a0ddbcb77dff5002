"""Small random worlds to ask in: people, sessions, tools, and words that often meet again."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

from meridia import Memory
from meridia.core.settings import Settings
from tests.fakes import START, FakeEmbedder, SeededBytes, TickingClock

PEOPLE = ("Dana", "Oskar", "Mira", "Jens")
WORDS = (
    "boat sail harbour storm paint mast rope engine trailer regatta kids school garden roof ladder "
    "rain invoice website photos upload script error server kitchen bread yeast oven market piano "
    "lesson concert doctor knee train ticket Berlin hotel passport dog vet walk forest mushroom "
    "knife soup winter snow car tyre garage loan bank letter"
).split()


def sentence(chance: random.Random, length: int = 9) -> str:
    words = " ".join(chance.choices(WORDS, k=chance.randint(1, length)))
    return chance.choice(["{}.", "{}?", "I {} yesterday.", "We both {} in May."]).format(words)


def question(chance: random.Random) -> str:
    """Return a question: some name somebody, some ask when, some say nothing that is known."""
    words = " ".join(chance.choices(WORDS, k=chance.randint(0, 5)))
    asked = chance.choice(
        ["What did {} say about {}?", "When did {} {}?", "{}: {}", "{} {} zygote"]
    )
    return asked.format(chance.choice([*PEOPLE, "", "somebody"]), words)


def questions(chance: random.Random) -> str:
    """Return a question, or two of them, one after the other."""
    asked = question(chance)
    if chance.random() < 0.2:
        asked = f"Where is the {chance.choice(WORDS)} of the {chance.choice(WORDS)}? {asked}"
    return asked


def fill(memory: Memory, chance: random.Random, count: int) -> None:
    """Capture messages and tool results in a few sessions that go on in turn."""
    sessions = [f"s{chance.randint(0, 10**6)}" for _ in range(max(1, count // 12))]
    messages = [
        {
            "text": sentence(chance),
            "person": chance.choice(PEOPLE),
            "session": chance.choice(sessions),
            "at": START + timedelta(minutes=7 * number + chance.randint(0, 90)),
        }
        for number in range(count)
    ]
    memory.remember_many(messages)
    memory.enrich()


def world(
    path: Path | None, seed: int, count: int = 60, settings: Settings | None = None
) -> Memory:
    """Open a world of its own, whose sentence encoder needs no weights."""
    memory = Memory(
        path,
        "world",
        settings or Settings(),
        TickingClock(),
        SeededBytes(seed),
        embedder=FakeEmbedder(),
    )
    fill(memory, random.Random(seed), count)
    return memory
