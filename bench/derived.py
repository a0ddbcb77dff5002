"""Whether what is derived depends on the journal alone: one history, enriched in many ways.

    python -m bench.derived [--rounds N] [--seed N] [--steps N]

A history is drawn from a seed: people, places and tools whose names are said before and after they
are introduced, sessions that interleave, end and go on, corrections, merges. It is captured and
enriched by `Plan`s that differ in batch sizes, in when enrichment runs and where the journal is
opened anew, in who is killed in it, and in how many processes take turns. Everything derived is
compared by what it says and what it is about, never by its number in the journal; `--seed` draws
the same again. Exit status 1 where two plans differ.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from meridia.core.codec import encode
from meridia.core.errors import MeridiaError
from meridia.core.settings import EmbeddingSettings, GraphSettings, Settings
from meridia.core.types import Entry, EntryKind
from meridia.graph.schema import EDGES, LABELS, for_edge, for_label
from meridia.memory import Memory
from meridia.models.tokens import Embedder

SPACE = "derived"
START = datetime(2026, 3, 1, 10, tzinfo=UTC)
#: After so long without a word every session is over.
_SILENCE = timedelta(hours=5)
#: Steps of a history that is drawn.
_STEPS = 60
_ROOT = Path(__file__).parent.parent
_PEOPLE = ("Dana", "Robin", "Sol Berg", "Mika", "Ana Maria", None, None)
_PLACES = ("Bergen", "Porto", "Lake Inari", "Uppsala")
_TOOLS = ("bash", "read", "web_search", "submit")
_SAID = (
    "We moved to {place} last spring.",
    "The ferry to {place} was late again.",
    "{place} is rainy in autumn, {name} says.",
    "the road to {lower} was closed",
    "My name is {name}.",
    "Thanks, {name}, that helped a lot!",
    "I live in {place} and work as a carpenter.",
    "I live in {place} now.",
    "My sister {name} lives in {place}.",
    "I love sailing, but I am sad that {name} left.",
    "Will {name} come to {place} in May?",
    "I will send {name} the letter by Friday.",
    "I have sent the letter to {name}.",
    "{company} opened an office in {place}.",
    "We hired somebody at {company} yesterday.",
    "Remember that my cat is called {name}.",
    "Where did I put the keys?",
    "No, that is wrong: use the blue one instead.",
    "Perfect, exactly what I wanted.",
    "See https://github.com/{lower}/pond for the plan.",
)
_COMPANIES = ("Fjord Works GmbH", "Pond Ltd.", "Aurora Labs")
#: What the journal writes of its own order and moment, and never of what is meant.
_NUMBERED = re.compile(r"#again-\d+")

Step = Mapping[str, Any]


@dataclass(frozen=True)
class Plan:
    """How a history is enriched: after which steps, by batches of which size, by whom."""

    batch: int = 64
    #: After these steps everything is enriched; a last time at the end in any case.
    enriched: frozenset[int] = frozenset()
    #: After these steps the journal is closed and opened anew.
    reopened: frozenset[int] = frozenset()
    #: After these steps everything that is no journal is rebuilt.
    rebuilt: frozenset[int] = frozenset()
    #: So many have the journal open, and enrich a batch each by turns.
    workers: int = 1
    #: At the end a process that enriches is killed after so many seconds, each.
    kills: Sequence[float] = ()


class _Hand:
    """A clock and chance that are the same at the same step of a history, whoever asks."""

    def __init__(self) -> None:
        self.now = START
        self._enrichments = 0
        self._random = random.Random("opened")

    def at_step(self, step: Step) -> None:
        self.now = max(self.now, START + timedelta(minutes=step["minute"]))
        self._random = random.Random(str(step["id"]))

    def to_enrich(self) -> None:
        self._enrichments += 1
        self._random = random.Random(f"enrichment {self._enrichments}")

    def clock(self) -> datetime:
        return self.now

    def random_bytes(self, count: int) -> bytes:
        return self._random.randbytes(count)


def history(seed: int, length: int) -> list[Step]:
    """Draw the steps of a history."""
    draw = random.Random(seed)
    steps: list[Step] = []
    minute = 0
    for number in range(length):
        minute += draw.choice((0, 1, 1, 2, 5, 5, 20, 300))
        steps.append({"id": f"e{number}", "minute": minute, **_drawn(draw, number)})
    return steps


def _drawn(draw: random.Random, number: int) -> dict[str, Any]:
    session = draw.choice(("s1", "s1", "s2", "s3", None))
    place = draw.choice(_PLACES)
    words = {
        "place": place,
        "lower": place.split()[-1].lower(),
        "name": draw.choice([name for name in _PEOPLE if name]).split()[0],
        "company": draw.choice(_COMPANIES),
    }
    text = draw.choice(_SAID).format(**words)
    kind = draw.choices(
        ("say", "answer", "tool", "again", "boundary", "correct", "merge", "merge people", "rank"),
        (60, 8, 16, 4, 4, 5, 1, 1, 1),
    )[0]
    if kind == "tool":
        tool, failed = draw.choice(_TOOLS), draw.random() < 0.4
        said = f"error: {place} not found" if failed else f"{place}: ok, {draw.randrange(9)} files"
        return {"do": "tool", "tool": tool, "text": said, "error": failed, "session": session}
    return {
        "do": kind,
        "text": text,
        "person": draw.choice(_PEOPLE),
        "session": session,
        "about": draw.randrange(max(number, 1)),
        "names": draw.sample(_PLACES, 2),
        "people": draw.sample([name for name in _PEOPLE if name], 2),
        "restricted": draw.random() < 0.04,
    }


def play(memory: Memory, step: Step) -> None:
    """Do one step; what cannot be done, such as a merge of what nobody named, is passed over."""
    at = START + timedelta(minutes=step["minute"])
    more = {"session": step["session"], "id": step["id"], "at": at}
    with suppress(MeridiaError):
        match step["do"]:
            case "say" | "again":
                about = {"restricted": True} if step["restricted"] else None
                memory.remember(step["text"], person=step["person"], metadata=about, **more)
            case "answer":
                memory.remember(step["text"], role="assistant", **more)
            case "tool":
                extra = {"tool": step["tool"], "error": step["error"]}
                memory.remember(step["text"], role="tool", **extra, **more)
            case "boundary":
                session = {"key": step["session"] or "s1"}
                event = {"kind": "session_boundary", "payload": {"type": "end"}}
                memory.capture(
                    {**event, "id": step["id"], "ts": at.isoformat(), "session": session}
                )
            case "correct":
                memory.update(f"e{step['about']}", step["text"], at=at, version_id=step["id"])
            case "merge":
                memory.enrich()
                memory.curation.merge(*step["names"], id=step["id"])
            case "merge people":
                memory.people.merge(*step["people"], id=step["id"])
            case "rank":
                memory.curation.set_relationship(step["people"][0], "primary", id=step["id"])


def run(
    path: Path,
    steps: Sequence[Step],
    plan: Plan,
    embedder: Embedder | None = None,
    graph: GraphSettings = GraphSettings(),  # noqa: B008 - frozen
) -> list[str]:
    """Capture and enrich a history by a plan in a new journal; return all that was derived."""
    hand = _Hand()
    embedding = EmbeddingSettings(enabled=embedder is not None, batch=plan.batch)
    settings = Settings(embedding=embedding, graph=graph)

    def opened() -> Memory:
        return Memory(path, SPACE, settings, hand.clock, hand.random_bytes, embedder)

    memories = [opened() for _ in range(plan.workers)]
    try:
        for number, step in enumerate(steps):
            hand.at_step(step)
            play(memories[number % plan.workers], step)
            if number in plan.enriched:
                hand.to_enrich()
                _enrich(memories)
            if number in plan.rebuilt:
                memories[0].upkeep.rebuild()
            if number in plan.reopened:
                place = number % plan.workers
                memories[place].close()
                memories[place] = opened()
        if plan.kills:
            for memory in memories:
                memory.close()
            memories = []
            for after_s in plan.kills:
                _killed(path, plan.batch, after_s, embedded=embedder is not None)
            memories = [opened()]
        hand.to_enrich()
        _enrich(memories)
        hand.now += _SILENCE
        _enrich(memories)
        lines = derived(memories[0])
        memories[0].graph.store().drop()  # of a server, others use it
        return lines
    finally:
        for memory in memories:
            memory.close()


def _enrich(memories: Sequence[Memory]) -> None:
    """Enrich everything; several do a batch each by turns."""
    if len(memories) > 1:
        done = False
        while not done:
            for memory in memories:
                worker = memory._components.enrichment  # noqa: SLF001 - a turn of one batch
                done = worker.catch_up(memory.space, partial(next, iter([True]), False))
    memories[0].enrich()


_CHILD = """
import sys
from pathlib import Path
from bench.derived import SPACE, Settings, EmbeddingSettings
from meridia.memory import Memory
path, batch, embedded, now = sys.argv[1:]
from datetime import datetime
at = datetime.fromisoformat(now)
settings = Settings(embedding=EmbeddingSettings(enabled=embedded == "True", batch=int(batch)))
memory = Memory(Path(path), SPACE, settings, lambda: at)
print("ready", flush=True)
memory.enrich()
"""


def _killed(path: Path, batch: int, after_s: float, *, embedded: bool) -> None:
    """Start a process that enriches, and kill it."""
    now = START.isoformat()
    command = [sys.executable, "-c", _CHILD, str(path), str(batch), str(embedded), now]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=_ROOT) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(after_s)
        process.send_signal(signal.SIGKILL)


# What was derived


def derived(memory: Memory) -> list[str]:
    """Return everything that is derived, one line each, sorted: entries and the graph.

    An entry is told by kind, key and what it says; what stands at a number of the journal by the
    kind and key of the entry there. So two journals of the same captures compare, whatever was
    written between them.
    """
    entries = memory.parts.journal.read(memory.space, 0, 1_000_000)
    names = _Names(entries)
    captured = EntryKind.EXPERIENCE_CAPTURED
    lines = [
        names.told(f"{entry.kind} {entry.key} {entry.at} {encode(entry.payload)}")
        for entry in entries
        if entry.kind is not captured
    ]
    lines += [names.told(f"{e.kind} {encode(e.payload)}") for e in entries if e.kind is captured]
    memory.graph.project()
    return sorted([*lines, *_graph_lines(memory, names)])


class _Names:
    """What the ids and numbers of a journal stand for."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._of_seq = {int(e.seq): f"<{e.kind} {_NUMBERED.sub('#again', e.key)}>" for e in entries}

    def told(self, line: str) -> str:
        return _NUMBERED.sub("#again", line)

    def at(self, seq: int) -> str:
        return self._of_seq.get(int(seq), "?")


def _graph_lines(memory: Memory, names: _Names) -> Iterator[str]:
    store = memory.graph.store()
    for label in LABELS:
        table = store.run(for_label("read/page_of_nodes", label), {"after": "", "limit": 100_000})
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        yield from (f"{label} {_told(row, names)}" for row in rows)
        ids = [row["id"] for row in rows]
        for edge in [e for pairs in EDGES.values() for e in pairs if e.source == label]:
            table = store.run(for_edge("read/edges_from", edge), {"ids": ids})
            for row in table.rows:
                yield f"{edge.name} {_told(dict(zip(table.columns, row, strict=True)), names)}"


def _told(row: Mapping[str, Any], names: _Names) -> str:
    fields = {
        name: names.at(value) if name in ("seq", "source_seq") else value
        for name, value in row.items()
        if value is not None
    }
    return str(sorted(fields.items()))


def difference(one: Sequence[str], other: Sequence[str]) -> str:
    """Return what one has and the other has not, a few lines of each; empty where both agree."""
    missing, more = sorted(set(one) - set(other)), sorted(set(other) - set(one))
    lines = [f"- {line}" for line in missing[:6]] + [f"+ {line}" for line in more[:6]]
    count = f"{len(missing)} lines are missing, {len(more)} are new"
    return "\n".join([count, *lines]) if lines else ""


def plans(draw: random.Random, length: int, *, kills: bool = False) -> list[Plan]:
    """Draw plans for a history: all of its moments, a few of them, and none."""
    every = frozenset(range(length))

    def some(share: float) -> frozenset[int]:
        return frozenset(number for number in every if draw.random() < share)

    drawn = [
        Plan(batch=1),
        Plan(batch=2, enriched=some(0.3)),
        Plan(batch=7, enriched=some(0.1), reopened=some(0.2)),
        Plan(batch=64, enriched=every),
        Plan(batch=64, enriched=every, reopened=every),
        Plan(batch=3, enriched=some(0.3), workers=2),
        Plan(batch=5, enriched=some(0.3), rebuilt=some(0.1)),
    ]
    if kills:
        drawn.append(Plan(batch=2, kills=[draw.uniform(0, 0.3) for _ in range(3)]))
    return drawn


def compare(
    folder: Path,
    steps: Sequence[Step],
    others: Iterable[Plan],
    embedder: Embedder | None = None,
    graph: GraphSettings = GraphSettings(),  # noqa: B008 - frozen
) -> list[str]:
    """Enrich a history at once and by other plans; return where these differ."""
    at_once = run(folder / "at-once.db", steps, Plan(), embedder, graph)
    wrong = []
    for number, plan in enumerate(others):
        found = run(folder / f"plan-{number}.db", steps, plan, embedder, graph)
        if differs := difference(at_once, found):
            wrong.append(f"{plan}: {differs}")
    return wrong


def reopen(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Open the journals of drawn histories anew at random points, and kill who enriches them."""
    wrong = []
    for turn in range(rounds):
        place, seed = folder / f"derived-{turn}", draw.randrange(1 << 32)
        place.mkdir()
        others = plans(draw, _STEPS, kills=True)
        wrong += [f"seed {seed}: {each}" for each in compare(place, history(seed, _STEPS), others)]
    return wrong


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="meridia-derived-") as folder:
        yield Path(folder)


def main() -> None:
    """Compare plans over drawn histories."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=_STEPS)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--encoder", action="store_true", help="with the sentence encoder")
    given = parser.parse_args()
    embedder = None
    if given.encoder:
        with Memory(None, SPACE, Settings()) as memory:
            embedder = memory._components.embedder()  # noqa: SLF001 - the one of the settings
    wrong = 0
    for number in range(given.rounds):
        seed = given.seed + number
        draw = random.Random(seed)
        with _folder() as folder:
            chosen = plans(draw, given.steps, kills=True)
            found = compare(folder, history(seed, given.steps), chosen, embedder)
        wrong += bool(found)
        print(f"seed {seed}: {'equal' if not found else chr(10).join(found)}", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
