"""Touch thousands of spaces of one service that may hold few files open and little in memory.

    python -m bench.many_spaces [--spaces 3000] [--memories 1] [--beside N] [--files 512]
        [--cache-mb 64]

Starts `meridia serve` under a limit of open files, with a budget for what is held of spaces. In
each space memories are written, one is recalled, and the graph is queried in Cypher; every 16th
request comes back to an earlier space. With `--beside`, another client then loads a large space
with so many memories, while what small spaces answer is timed, beside what they took alone. Tells
now and then how many files are open, how large the process is, and how long the requests took. Exit
status 1 if a request was refused or answered wrong, if files or memory grew over the second half of
the run, or if 95 % of the recalls took more than twice as long beside the load.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from typing import Any

from bench.synthetic import Language, events

_MERIDIA = str(Path(sys.executable).with_name("meridia"))
_EVERY = 10
#: How much the process may grow over the second half, MB.
_GROWTH_MB = 60
#: Events of one request of the load; small spaces that are asked in turns; recalls that are timed.
_BATCH, _WARM, _RECALLS = 500, 8, 200


@dataclass(slots=True)
class Touched:
    """What a run over many spaces found: rows of the table, and what was wrong."""

    rows: list[tuple[int, int, float, float, float]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    #: The time below which 95 % of the recalls in small spaces were, alone and beside a load.
    alone_s: float = 0.0
    beside_s: float = 0.0

    def judge(self) -> None:
        """Say whether files or memory grew over the second half."""
        half = len(self.rows) // 2
        files, memory = ([row[place] for row in self.rows] for place in (1, 2))
        if self.rows and max(files[half:]) > max(files[: half + 1]) + 16:
            self.wrong.append(
                f"open files grew from {max(files[: half + 1])} to {max(files[half:])}"
            )
        if self.beside_s > 2 * self.alone_s:
            self.wrong.append(f"{self.alone_s:.3f} s alone, {self.beside_s:.3f} s beside a load")
        if self.rows and memory[-1] > memory[half] + _GROWTH_MB:
            self.wrong.append(f"memory grew from {memory[half]:.0f} to {memory[-1]:.0f} MB")


def touch(
    spaces: int, files: int, cache_mb: int, folder: Path, memories: int = 1, beside: int = 0
) -> Touched:
    """Touch every space of a service; return what was found."""
    touched, said = Touched(), folder / "said.txt"
    environment = {
        **os.environ,
        "MERIDIA_JOURNAL_CACHE_MB": str(cache_mb),
        "MERIDIA_JOURNAL_SYNCHRONOUS": "normal",
        "MERIDIA_EMBEDDING_ENABLED": "false",
        "MERIDIA_SERVICE_REQUESTS_PER_MINUTE": "0",
    }
    command = ["--db", str(folder / "spaces.db"), "serve", "--no-keys", "--port", "0"]
    with said.open("w") as output:
        service = subprocess.Popen(
            ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", _MERIDIA, *command],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=output,
        )
    try:
        while not (found := re.search(r"http://127.0.0.1:(\d+)", said.read_text())):
            time.sleep(0.1)
        port = int(found[1])
        client = HTTPConnection("127.0.0.1", port, timeout=60)
        draw, times = random.Random(0), list[float]()
        for number in range(spaces):
            started = time.perf_counter()
            _touch(client, number, touched.wrong, memories)
            times.append(time.perf_counter() - started)
            if number % 16 == 15:
                _touch(client, draw.randrange(number), touched.wrong)
            if number % max(1, spaces // _EVERY) == spaces // _EVERY - 1:
                row = (number + 1, *_size(service.pid), statistics.median(times), max(times))
                touched.rows.append(row)
                print(_line(row), flush=True)
                times.clear()
        if beside:
            touched.alone_s, touched.beside_s = _beside(client, port, beside, spaces)
        client.close()
    finally:
        service.terminate()
        service.wait(60)
    touched.judge()
    return touched


def _touch(client: HTTPConnection, number: int, wrong: list[str], memories: int = 1) -> None:
    """Write to a space, and ask it for what was written."""
    space, text = f"space-{number}", f"The boat of user {number} lies in harbour {number}."
    said = [text, *(f"Note {n} of user {number}: the sail is mended." for n in range(1, memories))]
    messages = [{"text": each, "person": "Dana"} for each in said]
    written = _post(client, "/v1/remember-batch", {"space": space, "messages": messages})
    found = _recall(client, number)
    if "error" in written or not any(text == hit["text"] for hit in found.get("hits", ())):
        wrong.append(f"{space}: {json.dumps(written)[:200]} {json.dumps(found)[:300]}")
    given = {"space": space, "statement": "MATCH (e:Experience) RETURN count(e) AS n"}
    table = _post(client, "/v1/query", given)
    if not table.get("rows") or table["rows"][0][0] < 1:
        wrong.append(f"{space}: {json.dumps(table)[:300]}")


def _recall(client: HTTPConnection, number: int) -> dict[str, Any]:
    asked = {"space": f"space-{number}", "question": f"harbour {number}"}
    return _post(client, "/v1/recall", asked)


def _beside(client: HTTPConnection, port: int, memories: int, spaces: int) -> tuple[float, float]:
    """Return the 95th percentile of recalls in small spaces, alone and beside a load.

    The load is written, recalled and enriched in a large space. Alone is before and after it.
    """
    loaded = threading.Event()

    def load() -> None:
        other, told = HTTPConnection("127.0.0.1", port, timeout=600), events(memories, Language())
        while batch := list(islice(told, _BATCH)):
            _post(other, "/v1/capture-batch", {"space": "large", "events": batch})
            _post(other, "/v1/recall", {"space": "large", "question": "What did Dana say?"})
        other.close()
        loaded.set()

    def timed(count: int, until: threading.Event | None = None) -> list[float]:
        draw, seconds = random.Random(1), list[float]()
        while len(seconds) < count or (until is not None and not until.is_set()):
            started = time.perf_counter()
            _recall(client, draw.randrange(max(0, spaces - _WARM), spaces))
            seconds.append(time.perf_counter() - started)
            time.sleep(0.02)
        return seconds

    timed(_WARM)
    alone, loading = timed(_RECALLS), threading.Thread(target=load)
    loading.start()
    beside = timed(_RECALLS, loaded)
    loading.join()
    alone += timed(_RECALLS)
    print(
        f"beside {memories:,}: {len(beside)} recalls, "
        f"95 % within {percentile(beside):.3f} s, alone within {percentile(alone):.3f} s"
    )
    return percentile(alone), percentile(beside)


def percentile(seconds: Sequence[float]) -> float:
    """Return what 95 % of some times are below."""
    return sorted(seconds)[int(0.95 * len(seconds))]


def _post(client: HTTPConnection, path: str, body: dict[str, Any]) -> dict[str, Any]:
    client.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = client.getresponse()
    document: dict[str, Any] = json.loads(answer.read())
    return document if answer.status < 300 else {"error": document}


def _size(process: int) -> tuple[int, float]:
    """Return how many files a process has open, and how many MB it takes."""
    place = Path(f"/proc/{process}")
    pages = int((place / "statm").read_text().split()[1])
    return len(list((place / "fd").iterdir())), pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _line(row: Sequence[float]) -> str:
    spaces, files, memory, median, longest = row
    return f"{spaces:6d} spaces {files:5d} files {memory:7.0f} MB {median:.3f} s {longest:.2f} s"


def main() -> None:
    """Touch the spaces, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--spaces", type=int, default=3000)
    parser.add_argument("--memories", type=int, default=1, help="memories written to each")
    parser.add_argument("--beside", type=int, default=0, help="memories of a space loaded beside")
    parser.add_argument("--files", type=int, default=512, help="limit of open files")
    parser.add_argument("--cache-mb", type=int, default=64, help="budget of what is held, MB")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, counts = Path(folder), (given.memories, given.beside)
        touched = touch(given.spaces, given.files, given.cache_mb, place, *counts)
    print("\n".join(touched.wrong[:20]) or "nothing was refused, and nothing grew")
    sys.exit(bool(touched.wrong))


if __name__ == "__main__":
    main()
