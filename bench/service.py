"""POST /v1/recall beside the library's recall over the same journal, in the same run.

    python -m bench.service --work DIR [--size 10000] [--clients 8] [--questions 200]

Both are asked the same questions by as many callers at once: threads that call `Memory.recall`, and
HTTP clients of a service in a process of its own. Each has its own open memory; questions are asked
once before. Rounds alternate, so that a busy machine slows both. A second table is of one caller.
"""

from __future__ import annotations

import argparse
import http.client
import json
import logging
import multiprocessing
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import structlog

from bench.synthetic import SPACE, Language, SyntheticEmbedder, built, opened
from meridia.core.settings import ServiceSettings, Settings
from meridia.memory import Memory
from meridia.service.server import open_server

ROUNDS = 3
SETTINGS = Settings(service=ServiceSettings(port=0, requests_per_minute=0, poll_s=60))


def percentile(seconds: Sequence[float], share: float) -> float:
    """Return the time that a share of the calls stays below, ms."""
    ordered = sorted(seconds)
    return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def timed(ask: Callable[[str], object], questions: Sequence[str], clients: int) -> list[float]:
    """Ask every question once, by so many callers at once; return the seconds of each call."""

    def one(question: str) -> float:
        began = time.perf_counter()
        ask(question)
        return time.perf_counter() - began

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(one, questions))


def serve(path: Path, port: Connection) -> None:
    """Run a service over a copy of the journal; say on which port."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    memory = Memory(path, SPACE, SETTINGS, embedder=SyntheticEmbedder(Language()))
    server, listening = open_server(memory, needs_keys=False)
    port.send(listening.getsockname()[1])
    server.run(sockets=[listening])


@contextmanager
def asking_over_http(port: int) -> Iterator[Callable[[str], object]]:
    """Give what asks the service, by a connection of each thread's own that stays open."""
    local, opened = threading.local(), ExitStack()

    def ask(question: str) -> object:
        if not hasattr(local, "connection"):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            local.connection = opened.enter_context(closing(connection))
        body = json.dumps({"question": question, "space": SPACE})
        headers = {"Content-Type": "application/json"}
        local.connection.request("POST", "/v1/recall", body, headers)
        answer = local.connection.getresponse()
        document = answer.read()
        assert answer.status == 200, document
        return document

    with opened:
        yield ask


def compare(path: Path, questions: Sequence[str], clients: int) -> dict[str, dict[str, float]]:
    """Return p50 and p95 of both, ms, and how many times the library's the service takes."""
    receiver, sender = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(path, sender))
    process.start()
    own = path.with_name(f"library-{path.name}")
    shutil.copy(path, own)
    try:
        with (
            Memory(own, SPACE, SETTINGS, embedder=SyntheticEmbedder(Language())) as memory,
            asking_over_http(receiver.recv()) as ask_service,
        ):
            asks = {"library": memory.recall, "service": ask_service}
            times: dict[str, list[float]] = {name: [] for name in asks}
            for ask in asks.values():
                timed(ask, questions, clients)
            for _ in range(ROUNDS):
                for name, ask in asks.items():
                    times[name] += timed(ask, questions, clients)
    finally:
        process.terminate()
        process.join()
    found = {
        name: {"p50": percentile(seconds, 0.5), "p95": percentile(seconds, 0.95)}
        for name, seconds in times.items()
    }
    found["ratio"] = {m: found["service"][m] / found["library"][m] for m in found["library"]}
    return found


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--work", type=Path, required=True, help="the folder of synthetic spaces")
    parser.add_argument("--size", type=int, default=10_000, help="how many memories")
    parser.add_argument("--clients", type=int, default=8, help="callers at once")
    parser.add_argument("--questions", type=int, default=200, help="questions a round")
    arguments = parser.parse_args()
    language = Language()
    source = built(arguments.size, arguments.work, language)
    with opened(source, language) as space:
        questions = space.questions(arguments.questions)
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        path = Path(folder) / source.name
        shutil.copy(source, path)
        for clients in dict.fromkeys((arguments.clients, 1)):
            found = compare(path, questions, clients)
            print(f"{arguments.size:,} memories, {clients} at once, ms")
            for name, measures in found.items():
                values = (f"{measure} {value:8.2f}" for measure, value in measures.items())
                print(f"{name:8}", *values)


if __name__ == "__main__":
    main()
