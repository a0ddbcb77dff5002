"""Kinds of faults of servers: Neo4j is killed, its line is cut, a model's server is gone or floods.

The Neo4j is that of the tests (`tests/local_neo4j.py`), on loopback; without Java and Maven these
kinds are left out. A line is cut by `Line`, which forwards one port to another.
"""

from __future__ import annotations

import gzip
import random
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from pydantic import SecretStr

from bench.fault_checks import QUICK, SPACE, message, wrong_in
from meridia.core.errors import MeridiaError, Unavailable
from meridia.core.settings import GraphSettings, ModelSettings, Settings
from meridia.memory import Memory
from tests import local_neo4j
from tests.ingest.model_session import well
from tests.model_server import Received, Reply, model_server

#: How much a flooding server sends, unpacked, and how much memory it may cost.
_FLOOD_BYTES, _FLOOD_MB_MAX = 512 * 1024 * 1024, 300
#: How long one round may take: some seconds are usual.
_FLOOD_S_MAX = 120

_BLOCK = 4096


class Line:
    """Forwards a port of loopback to another one, until it is cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._left: int | None = None
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_after(self, size: int) -> None:
        """Let so many more bytes through, then end all connections and take no new one."""
        with self._lock:
            self._left = size

    def mend(self) -> None:
        """Forward again."""
        with self._lock:
            self._left = None

    def close(self) -> None:
        """End all."""
        self.cut_after(0)
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._end()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                with self._lock:
                    if self._left is not None and self._left <= 0:
                        near.close()
                        continue
                    try:
                        far = socket.create_connection(("127.0.0.1", self._target))
                    except OSError:  # nobody is there now
                        near.close()
                        continue
                    self._open |= {near, far}
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._forward, args=pair, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while block := source.recv(_BLOCK):
                if not self._passes(len(block)):
                    self._end()
                    return
                target.sendall(block)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _passes(self, size: int) -> bool:
        with self._lock:
            if self._left is not None:
                self._left -= size
            return self._left is None or self._left > 0

    def _end(self) -> None:
        with self._lock:
            ended, self._open = self._open, set()
        for end in ended:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextmanager
def running_server(folder: Path) -> Iterator[local_neo4j.LocalNeo4j | None]:
    """Run a Neo4j of its own in a folder; give None, and say why, where that cannot be."""
    try:
        server = local_neo4j.start(local_neo4j.DEFAULT_VERSION, folder / "neo4j")
    except Unavailable as error:
        print(f"  Neo4j: left out ({error})")
        yield None
        return
    try:
        yield server
    finally:
        server.kill()


def _settings(server: local_neo4j.LocalNeo4j, port: int) -> Settings:
    graph = GraphSettings(
        engine="neo4j",
        neo4j_uri=f"bolt://127.0.0.1:{port}",
        neo4j_user=server.user,
        neo4j_password=SecretStr(server.password),
        batch=20,
    )
    return QUICK.model_copy(update={"graph": graph})


def _attempts(memory: Memory, draw: random.Random, turn: int) -> list[str]:
    """Capture, then use the graph, whatever becomes of it; return the ids of what was captured."""
    ids = [f"n{turn}-{n}" for n in range(30)]
    answers = memory.remember_many([message(id) for id in ids])
    memory.recall("What of the heron?", limit=5)
    uses: list[Callable[[], object]] = [
        memory.graph.project,
        memory.graph.digest,
        lambda: memory.query("MATCH (e:Experience) RETURN count(e)"),
        lambda: memory.status(graph=True),
        memory.upkeep.rebuild,
    ]
    for use in (memory.graph.project, *draw.sample(uses, 2)):
        with suppress(MeridiaError):
            use()
    return [answer.event_id for answer in answers]


def _same_on_both(path: Path, settings: Settings) -> list[str]:
    """Compare the graph on Neo4j, brought up to date, with the embedded one of the journal."""
    with Memory(path, SPACE, settings) as memory:
        served = memory.graph.digest()
    with Memory(path, SPACE, QUICK) as memory:
        return [] if memory.graph.digest() == served else ["the graph on Neo4j is another"]


def cut_lines(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Cut the line to Neo4j in the middle of what is sent, and mend it."""
    path, wrong, acknowledged = folder / "lines.db", list[str](), list[str]()
    with running_server(folder) as server:
        if server is None:
            return []
        with closing(Line(int(server.uri.rpartition(":")[2]))) as line:
            settings = _settings(server, line.port)
            for turn in range(rounds):
                with Memory(path, SPACE, settings) as memory:
                    line.cut_after(draw.randrange(200_000))
                    acknowledged += _attempts(memory, draw, turn)
                    line.mend()
                wrong += _same_on_both(path, settings)
            wrong += wrong_in(path, acknowledged, settings)
    return wrong


def kill_neo4j(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Kill Neo4j while the graph is projected, and start it again."""
    path, wrong, acknowledged = folder / "killed.db", list[str](), list[str]()
    with running_server(folder) as first:
        if first is None:
            return []
        server, port = first, int(first.uri.rpartition(":")[2])
        settings = _settings(server, port)
        try:
            for turn in range(rounds):
                timer = threading.Timer(draw.uniform(0, 1.5), server.kill)
                with Memory(path, SPACE, settings) as memory:
                    timer.start()
                    acknowledged += _attempts(memory, draw, turn)
                    timer.join()
                server = local_neo4j.start(local_neo4j.DEFAULT_VERSION, server.home, port)
                wrong += _same_on_both(path, settings)
            wrong += wrong_in(path, acknowledged, settings)
        finally:
            server.kill()
    return wrong


def lose_model(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Let a model's server drop requests, then let it be gone: nothing else is held up."""
    path, wrong, acknowledged = folder / "model.db", list[str](), list[str]()
    limits = {"decision_s": 0.5, "extraction_s": 0.5, "session_s": 0.5, "prose_s": 0.5}
    for turn in range(rounds):
        with model_server() as server:

            def answer(request: Received) -> Reply:
                return Reply(drop=True) if draw.random() < 0.5 else well(request)

            server.by_rule = answer
            chosen = ModelSettings(
                dialect="openai", name="m-1", base_url=f"{server.origin}/v1", **limits
            )
            settings = QUICK.model_copy(update={"model": chosen})
            with Memory(path, SPACE, settings) as memory:
                ids = [f"m{turn}-{n}" for n in range(6)]
                messages = [message(id, session=f"s{turn}") for id in ids]
                memory.remember_many(messages[:3])
                memory.enrich()
                server.by_rule = lambda request: Reply(drop=True)
                memory.remember_many(messages[3:])
                memory.enrich()
                recall = memory.recall(f"{ids[-1]}?", limit=5)
                if ids[-1] not in [hit.event_id for hit in recall.hits]:
                    wrong.append("without a model's server the newest memory is not in its answer")
                acknowledged += ids
    return wrong + wrong_in(path, acknowledged)


def flood_model(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Let a model's server send far more than an answer is: it costs no memory, and it ends."""
    path, wrong = folder / "flood.db", list[str]()
    ids = [[f"f{turn}-{n}" for n in range(3)] for turn in range(rounds)]
    for of_turn in ids:
        arguments = ["-c", _FLOODED, str(path), str(draw.randrange(1 << 32)), *of_turn]
        try:
            ran = subprocess.run(
                [sys.executable, *arguments],
                check=False,
                capture_output=True,
                text=True,
                timeout=_FLOOD_S_MAX,
            )
        except subprocess.TimeoutExpired:
            wrong.append(f"a flood held enrichment for more than {_FLOOD_S_MAX} s")
        else:
            wrong += ran.stdout.splitlines()
            wrong += [ran.stderr] if ran.returncode else []
    return wrong + wrong_in(path, [id for of_turn in ids for id in of_turn])


#: Starts `meet_flood`; a process of its own is ended when its time is over.
_FLOODED = """
import random, sys
from pathlib import Path
from bench.fault_servers import meet_flood
path, seed, *ids = sys.argv[1:]
print(*meet_flood(Path(path), random.Random(int(seed)), ids), sep="\\n", end="")
"""


def meet_flood(path: Path, draw: random.Random, ids: Sequence[str]) -> list[str]:
    """Enrich some messages by a server that floods, packed or not; return what went wrong."""
    packed = gzip.compress(bytes(_FLOOD_BYTES), 1).decode("utf-8", "surrogateescape")
    plain = " " * (_FLOOD_BYTES // 8)
    with model_server() as server:

        def answer(_: Received) -> Reply:
            status = draw.choice([200, 200, 400, 500])
            if draw.random() < 0.5:
                return Reply(raw=packed, status=status, headers={"content-encoding": "gzip"})
            return Reply(raw=plain, status=status)

        server.by_rule = answer
        chosen = ModelSettings(dialect="openai", name="m-1", base_url=f"{server.origin}/v1")
        settings = QUICK.model_copy(update={"model": chosen})
        with Memory(path, SPACE, settings) as memory:
            memory.remember_many([message(id, session=ids[0]) for id in ids])
            before = _most_mb()
            memory.enrich()
            took = _most_mb() - before
    return [f"a flood took {took} MB"] if took > _FLOOD_MB_MAX else []


def _most_mb() -> int:
    """Return the most memory that this process ever had, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
