"""Malformed command lines and files: each ends in words and a documented status, and loses nothing.

    python -m bench.odd_lines [--count 2000] [--seed N]

Runs the installed command with drawn options, values and files that are cut, damaged or of another
kind. Exit status 1 if a traceback comes, a failure says nothing, a status is not documented, a line
does not end, or a memory of the journal at hand is gone. The seed is printed: it draws them again.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

import click

from meridia.cli.main import cli
from tests.cli.command import Command, Done

#: Documented: done, failed, usage, nothing of that name, refused, a dependency is down, damage.
_STATUSES = range(7)
_LINE_S = 120
#: What waits for somebody, or for requests.
_ENDLESS = frozenset(("serve", "inspect", "mcp", "shell", "demo", "hook"))
#: What may take memories away where the line happens to be right.
_TAKING = frozenset(("forget", "prune", "restore", "move"))
_DB, _OTHER = "j.db", "other.db"
_IDS = "m-1", "m-2"
_FILES = 6
_VALUES = (
    *("", " ", "-1", "1e400", "9" * 400, "NaN", "ё" * 300, "@", "@-1", "@" + "9" * 20, "a" * 5000),
    *("meridia://", "meridia://@0", "../../etc/passwd", "--", "-", "'; DROP TABLE entry; --", "{"),
    *("[]", '{"a":', "2026-13-45", "yesterday at 25:61", "last 0", "last 999999999999", "m-1"),
    *("nobody", "MATCH (n) DELETE n", "RETURN", "%s%n", "\u202e\u200b", "0x10", "true", "null"),
    *("day", _DB, "nodir/x", *(f"bad{number}" for number in range(1, _FILES + 1))),
)
_INPUTS = (b"", b"\0\xff", b"{", b"yes\n", b"y\n" * 3, b'{"kind": 1}\n', b"[]" * 50)


def commands(group: click.Command = cli, path: tuple[str, ...] = ()) -> Iterator[_Named]:
    """Yield every command that ends by itself, with its words."""
    if not isinstance(group, click.Group):
        yield path, group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        if name not in _ENDLESS and (inner := group.get_command(context, name)):
            yield from commands(inner, (*path, name))


_Named = tuple[tuple[str, ...], click.Command]


def line(draw: random.Random, named: _Named) -> list[str]:
    """Draw what stands behind a command's name."""
    path, command = named
    words = list(path)
    for parameter in command.params:
        if not isinstance(parameter, click.Option):
            words += [draw.choice(_VALUES)] * (draw.random() < 0.85)
        elif draw.random() < 0.22:
            words.append(draw.choice([*parameter.opts, *parameter.secondary_opts]))
            wants = draw.random() < (0.05 if parameter.is_flag else 0.93)
            words += [draw.choice(_VALUES)] * wants
    words += [f"--{draw.choice(['nonsense', 'json', 'limit', 'as-of'])}"] * (draw.random() < 0.08)
    if draw.random() < 0.1:
        draw.shuffle(words)
    words += ["--json"] * (draw.random() < 0.4)
    usual = _OTHER if _TAKING & set(words) else _DB
    return [
        "--db",
        draw.choice([usual] * 4 + ["bad1", "bad5", "none.db", "nodir/none.db", "."]),
        *words,
    ]


def write_files(folder: Path, draw: random.Random) -> None:
    """Write files of other kinds, and damaged ones."""
    number = draw.choice([b"1e400", b"null", b'"x"', b"[[[", b'"\\ud800"'])
    event = b'{"kind": "user_message", "payload": {"text": ' + number + b"}}\n"
    archive = {"meridia_archive": 1, "spaces": [{"name": "default", "seq": 1, "hash": "00"}]}
    journal = _damaged((folder / _DB).read_bytes(), draw, 30)
    bodies = (
        draw.randbytes(draw.randrange(4000)),
        b"[" * draw.choice([10, 1000, 100_000]),
        event + b"\xff\xfe" * draw.randrange(9),
        _damaged(json.dumps(archive).encode() * draw.randrange(1, 4), draw, 6),
        journal[: draw.randrange(len(journal))] if draw.random() < 0.5 else journal,
        draw.choice([b"", b"\n" * 50, b'a,b\n1,2,3\n"', b"<xml/>", b"PK\3\4junk", b"\x1f\x8bjunk"]),
    )
    for place, body in enumerate(bodies, 1):
        (folder / f"bad{place}").write_bytes(body)


def _damaged(body: bytes, draw: random.Random, most: int) -> bytes:
    damaged = bytearray(body)
    for _ in range(draw.randrange(most)):
        damaged[draw.randrange(len(damaged))] = draw.randrange(256)
    return bytes(damaged)


def fault(done: Done) -> str | None:
    """Return what is wrong with how a line ended, if anything is."""
    if "Traceback (most recent call last)" in done.out + done.err:
        return f"a traceback: {done.err[-600:]}"
    if done.status not in _STATUSES:
        return f"status {done.status}: {done.err[-300:]}"
    if done.status and not (done.out + done.err).strip():
        return f"status {done.status}, and not a word"
    return None


def _late(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


def run(count: int, draw: random.Random, folder: Path) -> tuple[Counter[int], list[str]]:
    """Run lines in a folder; return how often each status came, and what was wrong."""
    statuses, wrong = Counter[int](), []
    every = list(commands())
    signal.signal(signal.SIGALRM, _late)
    with ExitStack() as stack:
        meridia = Command(folder)
        stack.callback(meridia.close)
        meridia.variables["MERIDIA_EMBEDDING_ENABLED"] = "false"
        for db in (_DB, _OTHER):
            for id in _IDS:
                meridia("--db", db, "remember", f"I live in Oslo, says {id}.", "--id", id)
        for number in range(count):
            if number % 20 == 0:
                write_files(folder, draw)
            words = line(draw, draw.choice(every))
            signal.alarm(_LINE_S)
            try:
                done = meridia(*words, stdin=draw.choice(_INPUTS))
            except TimeoutError:
                wrong.append(f"{words}: goes on after {_LINE_S} s")
                break
            finally:
                signal.alarm(0)
            statuses[done.status] += 1
            wrong += [f"{words}: {problem}"] if (problem := fault(done)) else []
            if number % 20 == 19 or number == count - 1:
                listed = meridia("--db", _DB, "list", "--json", "--limit", 1000).out
                if gone := [id for id in _IDS if f'"{id}"' not in listed]:
                    wrong.append(f"{gone} gone in one of the 20 lines up to {words}")
                    break
    return statuses, wrong


def main() -> int:
    """Run them, and tell what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="meridia-lines-") as folder:
        statuses, wrong = run(chosen.count, random.Random(chosen.seed), Path(folder))
    for problem in wrong:
        print(f"WRONG {problem}")
    shown = ", ".join(f"{number} × {status}" for status, number in sorted(statuses.items()))
    print(f"{statuses.total()} lines: status {shown}; {len(wrong)} wrong (seed {chosen.seed})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
