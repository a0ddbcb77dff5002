"""A story told end to end: four sessions with a person, a month, a return, feedback, a crash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.resume.pack import Pack
from tests.fakes import waiting

PLAIN = Settings(embedding=EmbeddingSettings(enabled=False))
MET = datetime(2026, 3, 2, 9, tzinfo=UTC)
BACK = MET + timedelta(days=51)
#: Event id, day, session, who (None: the agent), what was said.
SAID = (
    ("met", 0, "first", "Nora", "Hello, I am Nora. I am restoring an old loom in Ghent."),
    ("kept", 0, "first", None, "Welcome, Nora! I'll look up how the brake of a loom is set."),
    ("anger", 7, "second", "Nora", "I am so frustrated! The warp keeps snapping, nothing helps."),
    (
        "advice",
        7,
        "second",
        None,
        "I looked up how the brake of a loom is set: turn the left screw.",
    ),
    ("no", 7, "second", "Nora", "No, that's wrong: my loom has no left screw."),
    ("relief", 14, "third", "Nora", "What a relief! I replaced the brake rope and the warp holds."),
    ("owed", 14, "third", None, "Wonderful! I'll send you the address of a teacher in Bruges."),
    (
        "sister",
        21,
        "fourth",
        "Nora",
        "My sister Ilse came to see it. She wants to weave a blanket.",
    ),
    ("wool", 21, "fourth", None, "Blue wool would suit a blanket."),
    ("asked", 21, "fourth", "Nora", "How much wool does a blanket need?"),
)
BRAKE = "How is the brake of a loom set?"


def live(memory: Memory) -> None:
    """Live through the four sessions."""
    for place, (id, day, session, person, text) in enumerate(SAID):
        event = {
            "id": id,
            "kind": "user_message" if person else "assistant_message",
            "ts": (MET + timedelta(days=day, minutes=place)).isoformat(),
            "session": {"key": session},
            "payload": {"text": text},
        }
        memory.capture({**event, "person": person} if person else event)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(None, "studio", waiting(PLAIN)) as opened:
        live(opened)
        yield opened


def line_with(pack: Pack, words: str) -> str:
    """Return the line of a pack that says something."""
    return next(line for line in pack.text.splitlines() if words in line)


def cited_in(memory: Memory, line: str) -> set[str]:
    """Return the caller's ids of the memories that a line cites."""
    return {memory.get(found).event_id for found in re.findall(r"@\d+", line)}


def test_a_month_later_resume_quotes_what_was_and_cites_it(memory):
    pack = memory.resume("Nora", as_of=BACK)
    assert pack is not None
    assert pack.tokens <= 2000
    for words, id in (
        ("I am so frustrated", "anger"),
        ("I replaced the brake rope", "relief"),
        ("my loom has no left screw", "no"),
    ):
        assert id in cited_in(memory, line_with(pack, words))
    assert "the agent: “I'll send you" in line_with(pack, "address of a teacher in Bruges")
    assert set(pack.cited) <= {id for id, *_ in SAID}


def test_the_story_behind_it_says_the_same(memory):
    story = memory.people.relationship("Nora", as_of=BACK)
    assert [turn.words for turn in story.trajectory.turns] == ["frustrated → relieved"]


def test_before_the_relief_there_was_only_frustration(memory):
    pack = memory.resume("Nora", as_of=MET + timedelta(days=8))
    assert pack is not None
    assert "frustrated" in pack.text
    assert "relief" not in pack.text
    assert "Bruges" not in pack.text


def test_feedback_moves_the_ranking_the_next_time_and_can_be_taken_back(memory):
    before = memory.recall(BRAKE)
    advice = next(hit for hit in before.hits if hit.event_id == "advice")
    given = memory.feedback(advice, "wrong", note="there is no left screw")
    moved = {hit.event_id: hit.score for hit in memory.recall(BRAKE).hits}
    assert moved["advice"] < advice.score
    others = {hit.event_id: hit.score for hit in before.hits if hit.event_id != "advice"}
    # What was said before it had made room for it.
    rest = {id: score for id, score in moved.items() if id != "advice"}
    assert rest == pytest.approx(others, abs=0.011)
    memory.feedback.undo(given)
    again = memory.recall(BRAKE)
    assert [(hit.id, hit.score) for hit in again.hits] == [
        (hit.id, hit.score) for hit in before.hits
    ]


def test_after_a_crash_a_pack_brings_the_agent_back_to_its_unfinished_step(memory):
    broke = BACK + timedelta(days=1)
    for minute, (id, tool, arguments, result, failed) in enumerate(
        (
            ("read", "read", {"path": "patterns/blanket.txt"}, "twill, 12 ends", False),
            ("order", "bash", {"command": "order_wool blue"}, "error: no supplier", True),
        )
    ):
        memory.capture(
            {
                "id": id,
                "kind": "tool_result",
                "ts": (broke + timedelta(minutes=minute)).isoformat(),
                "session": {"key": "errand"},
                "tool": {"name": tool, "isError": failed},
                "payload": {"args": arguments, "result": result},
            }
        )
    pack = memory.reconstitute(as_of=broke + timedelta(minutes=30))
    assert pack is not None
    assert (pack.mode.value, "errand" in pack.why) == ("crisis", True)
    step = line_with(pack, "broke off at")
    assert "order_wool blue" in step
    assert cited_in(memory, step) == {"order"}
    assert cited_in(memory, line_with(pack, "Last good state")) == {"read"}
    assert "Bruges" in pack.text, "what was promised is not forgotten over it"


def test_looking_back_and_packs_change_no_ranking(memory):
    before = [(hit.id, hit.score) for hit in memory.recall(BRAKE).hits]
    memory.resume("Nora", as_of=BACK)
    memory.reconstitute(as_of=BACK)
    memory.reflect()
    assert [(hit.id, hit.score) for hit in memory.recall(BRAKE).hits] == before
