"""Many clients at once on a running service: some ask, some write, and some are not well-behaved.

    python -m bench.load [--minutes 10] [--clients 200] [--encoder] [--kill]

Starts `meridia serve` and, of so many clients at once: most recall, list and write again what is
there (so that what the service holds stays the same); others are slow to send or to read, send too
much, something that is no HTTP, keys that are malformed or revoked, or ask for a space that is not
theirs. Each must be served or refused as it deserves; a recall must give the same memories each
time, and nothing of another space. At the end the service is stopped by SIGTERM (or SIGKILL) under
that load, and every acknowledged write must be in the journal. Exit status 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from meridia.core.settings import EmbeddingSettings, Settings
from meridia.memory import Memory
from meridia.storage.api_keys import Access

SPACES, MEMORIES, GROWING = 10, 60, "growing"
_MERIDIA = Path(sys.executable).with_name("meridia")
_THINGS = ("kettle", "heron", "letter", "bicycle", "garden", "lantern", "violin", "ladder")
_BODY_MAX, _TRANSFER_S = 100_000, 5
_PAUSE_S = 5.0
#: Answers that are more than the buffers between a service and a client that reads nothing.
_MANY = 200
#: A client that waits for longer is stuck, seconds.
_STUCK_S = 120
#: Who is how many of twenty clients.
_SHARES = {
    "ask": 9,
    "rewrite": 3,
    "add": 1,
    "slow_to_send": 1,
    "slow_to_read": 1,
    "too_large": 1,
    "no_http": 1,
    "bad_key": 1,
    "revoked_key": 1,
    "elsewhere": 1,
}
Answer = tuple[int, bytes]


@dataclass(slots=True)
class LoadReport:
    """What a run saw."""

    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    acknowledged: set[tuple[str, str]] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def growth(self) -> float:
        """Return the last fifth's median memory divided by the second fifth's."""
        fifth = max(len(self.memory_mb) // 5, 1)
        early, late = (
            sorted(values)[len(values) // 2]
            for values in (self.memory_mb[fifth : 2 * fifth], self.memory_mb[-fifth:])
        )
        return late / early

    def __str__(self) -> str:
        lines = [f"{who:13} {status} × {n:,}" for (who, status), n in sorted(self.statuses.items())]
        ordered = sorted(self.seconds)
        p50, p95 = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95))
        tenths = " ".join(f"{megabytes:.0f}" for megabytes in self.in_tenths())
        lines += [
            f"recalls: p50 {p50:.2f} s, p95 {p95:.2f} s, longest {ordered[-1]:.2f} s",
            f"memory of the service, MB: {tenths}; {self.growth():.3f} times",
            f"{len(self.acknowledged):,} writes acknowledged; {len(self.wrong)} answers wrong",
        ]
        return "\n".join([*lines, *self.wrong[:20]])

    def in_tenths(self) -> list[float]:
        """Return ten of the measured values, and the last."""
        return [*self.memory_mb[:: max(len(self.memory_mb) // 10, 1)], self.memory_mb[-1]]


@dataclass(frozen=True, slots=True)
class Client:
    """One client: where the service is, the space it may use, and its key."""

    port: int
    space: str
    key: str
    report: LoadReport
    answers: dict[tuple[str, str], list[str]]
    draw: random.Random
    is_ending: asyncio.Event

    async def exchange(self, path: str, body: object, key: str | None = None) -> Answer:
        """Send a request on a connection of its own; return the answer."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.send(head(path, key or self.key, len(content)) + content)

    async def send(self, request: bytes) -> Answer:
        """Send bytes; return the status and the body of what comes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(request)
            await writer.drain()
            first, _, body = (await asyncio.wait_for(reader.read(-1), _STUCK_S)).partition(
                b"\r\n\r\n"
            )
            length = re.search(rb"(?i)content-length: (\d+)", first)
            if not first or (length and len(body) < int(length[1])):
                raise ConnectionResetError("the answer was cut off")
            return int(first.split(b" ", 2)[1]), body
        finally:
            writer.close()

    def expect(self, who: str, status: int, right: set[int], said: bytes = b"") -> bool:
        """Count an answer; note it where it is not among the right ones."""
        self.report.statuses[who, status] += 1
        if status not in right:
            self.report.wrong.append(f"{who}: {status} {said[:200]!r}")
        return status == 200


def head(path: str, key: str, length: int) -> bytes:
    """Return the head of a request that wants no other after it."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        f"Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def said(space: str, number: int) -> dict[str, Any]:
    """Return a memory that is written before, and then again and again."""
    text = f"The {_THINGS[number % len(_THINGS)]} of box {number} belongs to owner-{space}."
    return {"id": f"m{number}", "text": text, "person": "Dana"}


async def ask(client: Client) -> None:
    """Recall: the same question has the same answer each time, of the client's own space."""
    question = f"Who owns the {client.draw.choice(_THINGS)}?"
    began = time.perf_counter()
    status, body = await client.exchange("/v1/recall", {"question": question})
    client.report.seconds.append(time.perf_counter() - began)
    if not client.expect("ask", status, {200}, body):
        return
    if set(re.findall(rb"owner-(\w+)", body)) != {client.space.encode()}:
        client.report.wrong.append(f"{client.space} was told of others: {body[:300]!r}")
    ids = [hit["id"] for hit in json.loads(body)["hits"]]
    if client.answers.setdefault((client.space, question), ids) != ids:
        client.report.wrong.append(f"{client.space}: {question} has another answer than before")


async def rewrite(client: Client) -> None:
    """Write again what is there."""
    number = client.draw.randrange(MEMORIES)
    fields = said(client.space, number)
    status, body = await client.exchange("/v1/remember", fields)
    if client.expect("rewrite", status, {200}, body):
        client.report.acknowledged.add((client.space, fields["id"]))


async def add(client: Client) -> None:
    """Write something new, now and then, to a space that nobody asks."""
    id = f"new-{client.draw.getrandbits(64):x}"
    fields = {"text": f"A note of box {id}.", "id": id}
    status, body = await client.exchange("/v1/remember", fields)
    if client.expect("add", status, {200}, body):
        client.report.acknowledged.add((GROWING, id))
    await pause(client)


async def slow_to_send(client: Client) -> None:
    """Send the head and a few bytes of a body, and wait."""
    request = head("/v1/remember", client.key, 1000) + b'{"text": "'
    client.expect("slow to send", (await client.send(request))[0], {408})


async def slow_to_read(client: Client) -> None:
    """Ask for much and read none of it, for longer than the service waits: it goes away."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", client.port))
    _, writer = await asyncio.open_connection(sock=connection)
    writer.write(b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * _MANY)
    with suppress(ConnectionError):
        for _ in range(_STUCK_S):
            writer.write(b"G")
            await writer.drain()
            await pause(client, 1)
    has_ended = writer.transport.is_closing() or client.is_ending.is_set()
    client.expect("slow to read", 0 if has_ended else 1, {0})
    writer.close()


async def too_large(client: Client) -> None:
    """Send more than is allowed."""
    status, body = await client.exchange("/v1/remember", b" " * (_BODY_MAX + 1))
    client.expect("too large", status, {413}, body)
    await pause(client)


async def no_http(client: Client) -> None:
    """Send what is no HTTP."""
    status, body = await client.send(client.draw.randbytes(200) + b"\r\n\r\n")
    client.expect("no HTTP", status, {400}, body)
    await pause(client)


async def bad_key(client: Client) -> None:
    """Send keys that nobody was given."""
    text = client.draw.choice(["a", "meridia_0_0", client.key[:-1], client.key + "0", "é" * 40])
    status, body = await client.exchange("/v1/recall", {"question": "a"}, text)
    client.expect("bad key", status, {401}, body)
    await pause(client)


async def elsewhere(client: Client) -> None:
    """Ask for a space that the key does not open."""
    fields = {"question": "Who owns the kettle?", "space": f"s{client.draw.randrange(99)}x"}
    status, body = await client.exchange("/v1/recall", fields)
    client.expect("elsewhere", status, {403}, body)
    await pause(client)


async def revoked_key(client: Client) -> None:
    """Use a key that was revoked."""
    status, body = await client.exchange("/v1/recall", {"question": "a"})
    client.expect("revoked key", status, {401}, body)
    await pause(client)


async def pause(client: Client, seconds: float | None = None) -> None:
    """Wait for so long, or for some time; less where the end has come."""
    seconds = client.draw.uniform(0, _PAUSE_S) if seconds is None else seconds
    with suppress(TimeoutError):
        await asyncio.wait_for(client.is_ending.wait(), seconds)


async def repeat(client: Client, act: Callable[[Client], Awaitable[None]]) -> None:
    """Act until the end; a connection that breaks is wrong, unless the service is ending."""
    while not client.is_ending.is_set():
        try:
            await act(client)
        except (OSError, TimeoutError) as error:
            if not client.is_ending.is_set():
                client.report.wrong.append(f"{act.__name__}: {error!r}")
                await pause(client)


def fill(path: Path, settings: Settings) -> tuple[dict[str, str], dict[str, str]]:
    """Write the memories of every space; return the spaces' keys, and those of some acts."""
    with Memory(path, "s0", settings) as memory:
        access, keys = memory.parts.api_keys, {}
        for space in (f"s{number}" for number in range(SPACES)):
            inside = memory.in_space(space)
            for number in range(MEMORIES):
                inside.remember(**said(space, number))
            inside.enrich()
            keys[space] = access.create(Access.WRITE, [space])[1]
        revoked, text = access.create(Access.WRITE, ["s0"])
        access.revoke(revoked.id)
        growing = access.create(Access.WRITE, [GROWING])[1]
    return keys, {"add": growing, "revoked_key": text}


@contextmanager
def served(path: Path, *, encoder: bool) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run the installed command; yield its process and its port."""
    log = path.with_suffix(".log")
    limits = {
        "MERIDIA_SERVICE_TRANSFER_S": _TRANSFER_S,
        "MERIDIA_SERVICE_BODY_BYTES_MAX": _BODY_MAX,
        "MERIDIA_SERVICE_REQUESTS_PER_MINUTE": 0,
        "MERIDIA_EMBEDDING_ENABLED": str(encoder).lower(),
    }
    environment = os.environ | {name: str(value) for name, value in limits.items()}
    command = [_MERIDIA, "serve", "--db", path, "--port", "0"]
    with log.open("wb") as errors:
        process = subprocess.Popen([str(word) for word in command], stderr=errors, env=environment)
    try:
        while not (port := re.search(r"http://127.0.0.1:(\d+)", log.read_text("utf-8"))):
            if process.poll() is not None:
                raise RuntimeError(log.read_text("utf-8"))
            time.sleep(0.05)
        yield process, int(port[1])
    finally:
        process.kill()
        process.wait()


async def load(
    process: subprocess.Popen[bytes],
    port: int,
    clients: int,
    seconds: float,
    keys: tuple[dict[str, str], dict[str, str]],
    end: signal.Signals,
) -> LoadReport:
    """Let the clients act for so long, end the service, and return what was seen."""
    report, is_ending = LoadReport(), asyncio.Event()
    answers: dict[tuple[str, str], list[str]] = {}
    acts = {act.__name__: act for act in ACTS}
    order = [acts[name] for name, share in _SHARES.items() for _ in range(share)]
    spaces = itertools.cycle(keys[0].items())
    tasks = []
    for number in range(clients):
        act, (space, key) = order[number % len(order)], next(spaces)
        key = keys[1].get(act.__name__, key)
        draw = random.Random(number)
        client = Client(port, space, key, report, answers, draw, is_ending)
        tasks.append(asyncio.create_task(repeat(client, act)))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        report.memory_mb.append(resident_mb(process.pid))
        await asyncio.sleep(min(2.0, seconds / 20))
    report.wrong += await asyncio.to_thread(unready, port)
    is_ending.set()
    process.send_signal(end)
    await asyncio.gather(*tasks)
    status = await asyncio.to_thread(process.wait, 60)
    if status != -end:
        report.wrong.append(f"the service ended with {status}")
    return report


def unready(port: int) -> list[str]:
    """Return what is wrong with the health of the service."""
    with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as answer:
        return [] if answer.status == 200 else [f"/readyz: {answer.status}"]


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process, MB."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) / 1000


def lost(path: Path, acknowledged: set[tuple[str, str]], settings: Settings) -> list[str]:
    """Return what was acknowledged and is not in the journal, and what is wrong in it."""
    stored = set()
    with Memory(path, "s0", settings) as memory:
        for space in memory.spaces():
            after: int | None = 0
            while after is not None:
                page = memory.in_space(space).list(after=after, limit=1000)
                stored |= {(str(space), record.event_id) for record in page.memories}
                after = page.next_after
        findings = [str(finding) for finding in memory.upkeep.verify()]
    return [f"lost: {space} {id}" for space, id in sorted(acknowledged - stored)] + findings


def run(folder: Path, clients: int, seconds: float, *, encoder: bool, kill: bool) -> LoadReport:
    """Fill a journal, serve it under load, and look for what was acknowledged."""
    settings = Settings(embedding=EmbeddingSettings(enabled=encoder))
    path = folder / "load.db"
    keys = fill(path, settings)
    end = signal.SIGKILL if kill else signal.SIGTERM
    with served(path, encoder=encoder) as (process, port):
        report = asyncio.run(load(process, port, clients, seconds, keys, end))
    report.wrong += lost(path, report.acknowledged, settings)
    return report


ACTS = (
    ask,
    rewrite,
    add,
    slow_to_send,
    slow_to_read,
    too_large,
    no_http,
    bad_key,
    revoked_key,
    elsewhere,
)


def main() -> None:
    """Run, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=10, help="how long")
    parser.add_argument("--clients", type=int, default=200, help="how many at once")
    parser.add_argument("--encoder", action="store_true", help="with the sentence encoder")
    parser.add_argument("--kill", action="store_true", help="end with SIGKILL, not SIGTERM")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = run(
            Path(folder),
            chosen.clients,
            60 * chosen.minutes,
            encoder=chosen.encoder,
            kill=chosen.kill,
        )
    print(report)
    sys.exit(1 if report.wrong else 0)


if __name__ == "__main__":
    main()
