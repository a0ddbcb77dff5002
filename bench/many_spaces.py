"""Touch thousands of spaces of one service that may hold few files open and little in memory.

    python -m bench.many_spaces [--spaces 3000] [--files 512] [--cache-mb 64]

Starts `meridia serve` under a limit of open files, with a budget for what is held of spaces. In
each space a memory is written, recalled, and queried in Cypher; every 16th request comes back to
an earlier space. Tells now and then how many files are open, how large the process is, and how long
the requests took. Exit status 1 if a request was refused or answered wrong, or if files or memory
grew over the second half of the run.
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
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

_MERIDIA = str(Path(sys.executable).with_name("meridia"))
_EVERY = 10
#: How much the process may grow over the second half, MB.
_GROWTH_MB = 60


@dataclass(slots=True)
class Touched:
    """What a run over many spaces found: rows of the table, and what was wrong."""

    rows: list[tuple[int, int, float, float, float]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def judge(self) -> None:
        """Say whether files or memory grew over the second half."""
        half = len(self.rows) // 2
        files, memory = ([row[place] for row in self.rows] for place in (1, 2))
        if self.rows and max(files[half:]) > max(files[: half + 1]) + 16:
            self.wrong.append(
                f"open files grew from {max(files[: half + 1])} to {max(files[half:])}"
            )
        if self.rows and memory[-1] > memory[half] + _GROWTH_MB:
            self.wrong.append(f"memory grew from {memory[half]:.0f} to {memory[-1]:.0f} MB")


def touch(spaces: int, files: int, cache_mb: int, folder: Path) -> Touched:
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
            _touch(client, number, touched.wrong, queries=True)
            times.append(time.perf_counter() - started)
            if number % 16 == 15:
                _touch(client, draw.randrange(number), touched.wrong, queries=True)
            if number % max(1, spaces // _EVERY) == spaces // _EVERY - 1:
                row = (number + 1, *_size(service.pid), statistics.median(times), max(times))
                touched.rows.append(row)
                print(_line(row), flush=True)
                times.clear()
        client.close()
    finally:
        service.terminate()
        service.wait(60)
    touched.judge()
    return touched


def _touch(client: HTTPConnection, number: int, wrong: list[str], *, queries: bool) -> None:
    """Write to a space, and ask it for what was written."""
    space, text = f"space-{number}", f"The boat of user {number} lies in harbour {number}."
    written = _post(client, "/v1/remember", {"space": space, "text": text, "person": "Dana"})
    found = _post(client, "/v1/recall", {"space": space, "question": f"harbour {number}"})
    if "error" in written or not any(text == hit["text"] for hit in found.get("hits", ())):
        wrong.append(f"{space}: {json.dumps(written)[:200]} {json.dumps(found)[:300]}")
    if queries:
        given = {"space": space, "statement": "MATCH (e:Experience) RETURN count(e) AS n"}
        table = _post(client, "/v1/query", given)
        if not table.get("rows") or table["rows"][0][0] < 1:
            wrong.append(f"{space}: {json.dumps(table)[:300]}")


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
    parser.add_argument("--files", type=int, default=512, help="limit of open files")
    parser.add_argument("--cache-mb", type=int, default=64, help="budget of what is held, MB")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        touched = touch(given.spaces, given.files, given.cache_mb, Path(folder))
    print("\n".join(touched.wrong[:20]) or "nothing was refused, and nothing grew")
    sys.exit(bool(touched.wrong))


if __name__ == "__main__":
    main()
