"""What must hold of a journal after any fault, and processes that are killed while they work.

    python -m bench.fault_checks WORK JOURNAL [NAME]

runs one of those works: what `killed` starts. Each says on standard output what it has done.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from meridia.core.errors import MeridiaError, UnknownPerson
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.core.types import MemoryRecord
from meridia.memory import Memory
from meridia.storage.connections import Locked

SPACE = "faults"
QUICK = Settings(embedding=EmbeddingSettings(enabled=False))
PEOPLE, EACH = 8, 4
_ROOT = Path(__file__).parent.parent
_WORDS = ("heron", "kettle", "harbour", "letter", "market", "bicycle", "garden", "river")
_PAGE = 1000
#: A writer among many is told `Locked` after ten seconds; it tries again for so long.
_PATIENCE_S = 60.0
_SAYING = threading.Lock()


def message(id: str, **more: str) -> dict[str, Any]:
    """Return a message whose text is like no other."""
    words = random.Random(id).choices(_WORDS, k=6)
    return {"id": id, "text": f"{id}. The {' '.join(words)} by Bergen.", "person": "Robin", **more}


def records_in(memory: Memory) -> list[MemoryRecord]:
    """Return every memory of a space, in order."""
    records: list[MemoryRecord] = []
    after: int | None = 0
    while after is not None:
        page = memory.list(after=after, limit=_PAGE)
        records += page.memories
        after = page.next_after
    return records


def ids_in(memory: Memory) -> list[str]:
    """Return the id of every memory of a space, in order."""
    return [record.event_id for record in records_in(memory)]


def wrong_in(path: Path, acknowledged: Iterable[str], settings: Settings = QUICK) -> list[str]:
    """Look at a journal after a fault; return what is lost, doubled, damaged or built otherwise."""
    try:
        with Memory(path, SPACE, settings) as memory:
            memory.enrich()
            records = records_in(memory)
            problems = [f"verify: {finding.problem}" for finding in memory.upkeep.verify()]
            digest = memory.graph.digest()
            memory.upkeep.rebuild()
            if memory.graph.digest() != digest:
                problems.append("the graph is not what a clean rebuild gives")
    except MeridiaError as error:
        return [f"{type(error).__name__}: {error}"]
    there = Counter(record.event_id for record in records)
    there += Counter(record.text for record in records)
    lost = set(acknowledged) - set(there)
    doubled = [name for name, times in there.items() if times > 1]
    problems += [f"{len(lost)} acknowledged events are lost: {min(lost)}"] if lost else []
    problems += [f"{len(doubled)} events are doubled: {doubled[0]}"] if doubled else []
    return problems


def started(
    work: str, path: Path, name: str = "", *, under: Sequence[str] = ()
) -> subprocess.Popen[bytes]:
    """Start a work in a process of its own; its first line says that it is ready."""
    command = [*under, sys.executable, "-m", "bench.fault_checks", work, str(path), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=_ROOT)


def said_by(process: subprocess.Popen[bytes]) -> tuple[list[dict[str, Any]], list[str]]:
    """Wait for a process; return what it said in whole lines, and its traceback, if it left any."""
    output, errors = process.communicate()
    lines = [json.loads(line) for line in output.split(b"\n")[:-1]]
    trouble = errors.decode("utf-8", "replace")
    return lines, [f"a process failed: {trouble[-600:]}"] if "Traceback" in trouble else []


def killed(
    work: str, path: Path, draw: random.Random, longest_s: float
) -> tuple[list[dict[str, Any]], list[str]]:
    """Start a work and kill it at a random moment within so many seconds; see `said_by`."""
    process = started(work, path)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(draw.uniform(0, longest_s))
    process.kill()
    return said_by(process)


def ids_of(lines: Iterable[dict[str, Any]]) -> list[str]:
    """Return the events that were acknowledged."""
    return [id for line in lines for id in line.get("acknowledged", ())]


def _say(**line: Any) -> None:
    with _SAYING:
        print(json.dumps(line), flush=True)


def _capture(memory: Memory, ids: Sequence[str]) -> None:
    answers = memory.remember_many([message(id) for id in ids])
    _say(acknowledged=[answer.event_id for answer in answers])


def _forget(memory: Memory, _: str) -> None:
    for number in range(PEOPLE):
        with suppress(UnknownPerson):  # forgotten before a kill
            memory.forget(person=f"Dana{number}")
        _say(forgotten=number)


def _back_up(memory: Memory, _: str) -> None:
    """Write backup after backup while a thread captures."""
    first = memory.status().seq
    writer = threading.Thread(target=_write_on, args=(memory, f"w{first}"), daemon=True)
    writer.start()
    for number in count(first):
        _say(began=number)
        memory.upkeep.backup(memory.parts.path.with_name(f"backup-{number}.db"))
        _say(backup=number)


def _write_on(memory: Memory, prefix: str) -> None:
    for number in count():
        _capture(memory, [f"{prefix}-{number}"])


def _project(memory: Memory, _: str) -> None:
    first = memory.status().seq
    for turn in count():
        _capture(memory, [f"p{first}-{turn}-{n}" for n in range(8)])
        memory.enrich()
        memory.graph.project()


def _import(memory: Memory, _: str) -> None:
    first = memory.status().seq
    for turn in count():
        path = memory.parts.path.with_name(f"import-{first}-{turn}.jsonl")
        events = [
            {
                "kind": "user_message",
                "id": f"i{first}-{turn}-{n}",
                "payload": {"text": message(f"i{first}-{turn}-{n}")["text"]},
            }
            for n in range(60)
        ]
        path.write_text("".join(json.dumps(event) + "\n" for event in events), "utf-8")
        memory.import_file(path)
        _say(acknowledged=[event["id"] for event in events])
        path.unlink()


def _write(memory: Memory, name: str) -> None:
    """Write; who is told that others hold the lock tries again, as the message says."""
    for turn in range(10):
        ids, until = [f"{name}-{turn}-{n}" for n in range(3)], time.monotonic() + _PATIENCE_S
        while True:
            try:
                _capture(memory, ids)
                break
            except Locked:
                if time.monotonic() > until:
                    raise


def _read(memory: Memory, name: str) -> None:
    stop = memory.parts.path.with_name("stop")
    for turn in count():
        memory.recall(f"What of the {_WORDS[turn % len(_WORDS)]}? {name}")
        listed = ids_in(memory)
        _say(listed=len(listed), doubled=len(listed) - len(set(listed)))
        if stop.exists():
            return


WORKS: dict[str, Callable[[Memory, str], None]] = {
    "forget": _forget,
    "back up": _back_up,
    "project": _project,
    "import": _import,
    "write": _write,
    "read": _read,
}


def main() -> None:
    """Do a work."""
    work, path, name = sys.argv[1:]
    with Memory(Path(path), SPACE, QUICK) as memory:
        _say(ready=True)
        WORKS[work](memory, name)


if __name__ == "__main__":
    main()
