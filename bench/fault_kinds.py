"""Kinds of faults that need no server: each is a function that returns what went wrong.

Kills in forgetting, backup, import and projection; people who only listen; clocks that jump; many
writers with readers; a slow disk. What must hold afterwards is in `fault_checks`.
"""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.fault_checks import (
    EACH,
    PEOPLE,
    QUICK,
    SPACE,
    ids_in,
    ids_of,
    killed,
    message,
    said_by,
    started,
    wrong_in,
)
from meridia.core.errors import MeridiaError
from meridia.memory import Memory

#: Within so many seconds after its start a work is killed.
_LONGEST_S = 1.0
_WRITERS, _READERS = 6, 4
#: What makes each write of a process to the disk wait for 20 ms.
_SLOW = (
    *("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync,fsync"),
    *("-e", "inject=fdatasync,fsync:delay_enter=20000"),
)


def kill_forgetting(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Kill who forgets people: what was begun is finished, nobody else is touched."""
    path, wrong, stay = folder / "forgetting.db", list[str](), list[str]()
    gone: set[int] = set()
    for turn in range(rounds):
        if not stay or len(gone) == PEOPLE:
            path, gone = folder / f"forgetting-{turn}.db", set()
            stay = _people(path)
        lines, trouble = killed("forget", path, draw, _LONGEST_S)
        wrong += trouble + wrong_in(path, stay)
        said = {line["forgotten"] for line in lines if "forgotten" in line}
        with Memory(path, SPACE, QUICK) as memory:
            there = ids_in(memory)
        held = b"".join(file.read_bytes() for file in sorted(folder.glob(f"{path.name}*")))
        for number in range(PEOPLE):
            left = [id for id in there if id.startswith(f"d{number}-")]
            if len(left) == EACH and number not in said | gone:
                continue
            gone.add(number)
            if left:
                wrong.append(f"person {number} has {len(left)} memories of {EACH} after a kill")
            elif f"secret{number}x".encode() in held.lower():
                wrong.append(f"a byte of person {number} is left in a file")
    return wrong


def _people(path: Path) -> list[str]:
    """Make a journal of people to forget among others; return the ids of those others."""
    others = [f"other-{n}" for n in range(20)]
    with Memory(path, SPACE, QUICK) as memory:
        memory.remember_many(
            [
                message(f"d{n}-{m}", person=f"Dana{n}") | {"text": f"secret{n}x of the heron {m}"}
                for n in range(PEOPLE)
                for m in range(EACH)
            ]
        )
        memory.remember_many([message(id) for id in others])
        memory.enrich()
        memory.recall("secret0x heron")
        memory.graph.project()
    return others


def forget_listeners(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Forget what people said who then only listen: every list is that of a rebuild."""
    wrong = list[str]()
    for turn in range(rounds):
        path, stay = folder / f"listeners-{turn}.db", set[str]()
        with Memory(path, SPACE, QUICK) as memory:
            for number in range(12 * PEOPLE):
                name = f"Dana{draw.randrange(PEOPLE)}"
                told = {"role": "assistant"} if draw.random() < 0.6 else {}
                person = draw.choice([name, name.lower(), name.upper()])
                session = f"s{draw.randrange(4)}"
                memory.remember_many(
                    [message(f"l-{number}", person=person, session=session) | told]
                )
                stay.add(f"l-{number}")
                if number % 9 == 0 and not told:
                    memory.curation.set_relationship(person, "collaborator", 0.3)
                if number % 20 == 0:
                    memory.enrich()
            for record in memory.list(kind="user_message", limit=100 * PEOPLE).memories:
                if draw.random() < 0.8:
                    memory.forget(ids=[record.event_id])
                    stay.discard(record.event_id)
        wrong += wrong_in(path, stay)
    return wrong


def kill_backup(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Kill who writes backups beside captures: a backup has all of before, or is not there."""
    path, wrong, every = folder / "backup.db", list[str](), list[str]()
    for _ in range(rounds):
        lines, trouble = killed("back up", path, draw, _LONGEST_S)
        wrong += trouble
        for place, line in enumerate(lines):
            if "began" not in line:
                continue
            before = every + ids_of(lines[:place])
            copy, number = folder / f"backup-{line['began']}.db", line["began"]
            if {"backup": number} in lines and not copy.exists():
                wrong.append(f"backup {number} was acknowledged and is not there")
            elif copy.exists():
                wrong += [f"backup {number}: {problem}" for problem in wrong_in(copy, before)]
        every += ids_of(lines)
        wrong += wrong_in(path, every)
        for copy in folder.glob("backup-*"):
            shutil.rmtree(copy) if copy.is_dir() else copy.unlink()
    return wrong


def kill_projection(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Kill who captures, enriches and projects: the graph is that of a clean rebuild."""
    return _kill_and_look("project", folder, draw, rounds)


def kill_import(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Kill who imports files."""
    return _kill_and_look("import", folder, draw, rounds)


def _kill_and_look(work: str, folder: Path, draw: random.Random, rounds: int) -> list[str]:
    path, wrong, acknowledged = folder / f"{work}.db", list[str](), list[str]()
    for _ in range(rounds):
        lines, trouble = killed(work, path, draw, _LONGEST_S)
        acknowledged += ids_of(lines)
        wrong += trouble + wrong_in(path, acknowledged)
    return wrong


#: How long an answer waits for a lease that a clock left behind, seconds.
WAIT_S = 30.0


def jump_clocks(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Let the clock jump by seconds to years, both ways, and leave a lease of each time."""
    path, wrong = folder / "clocks.db", list[str]()
    now = datetime(2026, 5, 1, tzinfo=UTC)
    acknowledged = []
    with Memory(path, SPACE, QUICK, lambda: now) as memory:
        for turn in range(5 * rounds):
            acknowledged.append(memory.remember(**message(f"c-{turn}")).event_id)
            memory.parts.space(memory.space).leases.take("enrichment", "elsewhere:1:x", now)
            jump = timedelta(seconds=draw.choice((300, 86_400, 86_400 * 400)))
            now += jump if draw.random() < 0.5 else -jump
            try:
                recall = memory.recall(f"c-{turn}", limit=5, wait_s=WAIT_S)
            except MeridiaError as error:
                wrong.append(f"recall after a jump: {error}")
                continue
            wrong += [f"after a jump: {note}" for note in recall.notes if "not read yet" in note]
            if f"c-{turn}" not in [hit.event_id for hit in recall.hits]:
                wrong.append(f"the newest memory is not in its answer, at {now}")
            if draw.random() < 0.3:
                memory.enrich()
    return wrong + wrong_in(path, acknowledged)


def crowd(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Let six processes write and four read at once."""
    path, wrong = folder / "crowd.db", list[str]()
    acknowledged: list[str] = []
    stop = folder / "stop"
    for turn in range(rounds):
        stop.unlink(missing_ok=True)
        readers = [started("read", path, f"r{n}") for n in range(_READERS)]
        writers = [
            started("write", path, f"w{turn}-{n}-{draw.randrange(1 << 20)}")
            for n in range(_WRITERS)
        ]
        for process in writers:
            lines, trouble = said_by(process)
            acknowledged += ids_of(lines)
            wrong += trouble
            wrong += ["a writer failed"] if process.returncode else []
        stop.touch()
        for process in readers:
            lines, trouble = said_by(process)
            wrong += trouble
            wrong += ["a reader failed"] if process.returncode else []
            wrong += ["a reader was shown doubles" for line in lines if line.get("doubled")]
    return wrong + wrong_in(path, acknowledged)


def slow_disk(folder: Path, draw: random.Random, rounds: int) -> list[str]:
    """Let every write to the disk take 20 ms more, and kill who captures and projects on it."""
    if shutil.which("strace") is None:
        print("  slow disk: left out, there is no strace")
        return []
    path, wrong, acknowledged = folder / "slow.db", list[str](), list[str]()
    for turn in range(rounds):
        process = started("write", path, f"s{turn}-{draw.randrange(1 << 20)}", under=_SLOW)
        lines, trouble = said_by(process)
        acknowledged += ids_of(lines)
        wrong += trouble
        wrong += ["a writer on a slow disk failed"] if process.returncode else []
    return wrong + wrong_in(path, acknowledged)
