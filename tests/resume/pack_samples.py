"""A small story to make packs of, and how a pack's lines are checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
from tests.fakes import SeededBytes, TickingClock, waiting

NOW = datetime(2026, 4, 1, 9, tzinfo=UTC)
NO_EMBEDDING = waiting(Settings(embedding=EmbeddingSettings(enabled=False)))
_QUOTED, _CITED = re.compile(r"“[^”]*”"), re.compile(r"(?<![^\s\[])@\d+")


@contextmanager
def opened(settings: Settings = NO_EMBEDDING) -> Iterator[Memory]:
    """Open an empty memory whose clock stands in April 2026."""
    with Memory(None, "s", settings, TickingClock(NOW), SeededBytes(1)) as memory:
        yield memory


def memory_count(memory: Memory) -> int:
    """Return how many memories there are; the next one's id is made of it."""
    there = memory.space in memory.parts.journal.spaces()
    return sum(memory.parts.catalog.kinds(memory.space).values()) if there else 0


def say(memory: Memory, text: str, person: str = "Dana", session: str = "a", day: int = 1) -> str:
    """Let somebody say something on a day of March 2026; return its caller's id."""
    count = memory_count(memory)
    at = datetime(2026, 3, day, 10, tzinfo=UTC) + timedelta(minutes=count)
    id = f"e{count}"
    memory.remember(text, person=person, session=session, at=at, id=id)
    return id


def use(memory: Memory, tool: str, result: str, session: str = "a", **more: object) -> str:
    """Let a tool answer on a day of March 2026; return its caller's id."""
    count = memory_count(memory)
    at = datetime(2026, 3, int(str(more.get("day", 1))), 10, tzinfo=UTC) + timedelta(minutes=count)
    event = {
        "kind": "tool_result",
        "id": f"e{count}",
        "ts": at.isoformat(),
        "session": {"key": session},
        "tool": {"name": tool, "isError": bool(more.get("error"))},
        "payload": {"args": {"command": str(more.get("command", "make"))}, "result": result},
    }
    memory.capture(event)
    return f"e{count}"


def story(memory: Memory) -> None:
    """Tell of a boat: two sessions, a promise, an open question, a failed step."""
    say(memory, "The mast of my boat Lapwing is rotten, I am really frustrated.", day=2)
    say(memory, "I will ring the boatbuilder Henrike.", person="Robin", day=2)
    say(memory, "My sister Mira lives in Bergen.", day=2)
    use(memory, "bash", "41 photos shrunk", session="b", day=9)
    use(memory, "bash", "publish: permission denied", session="b", day=9, error=True)
    say(memory, "Great news, the new oak mast step costs 1,850 euros!", session="b", day=9)
    say(memory, "Will she be ready for the regatta in June?", session="b", day=9)


def uncited(memory: Memory, text: str) -> list[str]:
    """Return the lines of a pack's text that cite no memory, or one that is not there."""
    wrong = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        addresses = _CITED.findall(_QUOTED.sub("“”", line))
        if not addresses or not all(memory.holds(address) for address in addresses):
            wrong.append(line)
    return wrong
