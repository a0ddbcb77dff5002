"""Hundreds of statements that try to write, to see another space, or to use up the machine.

    python -m bench.query_tricks [--neo4j] [--kind write|cross|exhaust] [--timeout 1]

Each must be refused or answered within its limits by `Memory.query`: nothing is written, nothing of
another space is told, no other error comes, no file is read, this process stays alive and small.
Exit status 1 if any does more. With `--neo4j` a server is started that holds the graph; without,
the embedded engine does.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path

from neo4j import GraphDatabase
from pydantic import SecretStr

from bench.fault_checks import QUICK, message
from bench.fault_servers import running_server
from meridia.core.errors import MeridiaError
from meridia.core.settings import GraphSettings
from meridia.memory import Memory

_DATA = Path(__file__).parent / "data" / "query_tricks.toml"
_MEMORY_MB = 256
#: What a statement may take beyond its time limit until it is over, seconds.
_OVER_S = 15.0
_BIG = ("1000000", "1000000000", str(2**62))
#: What stands in another space alone: words, people, a session, ids, and a label.
_THEIRS = ("Zanzibar", "Quorra", "theirs-", "Solveig")
_GROWN = tuple(product(("x", "x" * 30_000), ("40", "5000", "1000000000")))


def write_tricks(file: Path) -> Iterator[str]:
    """Yield statements that try to write, or to read a file."""
    data = tomllib.loads(_DATA.read_text("utf-8"))
    for write, dress in product(data["writes"], data["dresses"]):
        yield dress.replace("TRICK", write).replace("FILE", str(file))
    yield from (statement.replace("FILE", str(file)) for statement in data["writes_alone"])


def exhausting_tricks() -> Iterator[str]:
    """Yield statements that try to use up time, memory or the stack."""
    data = tomllib.loads(_DATA.read_text("utf-8"))
    yield from (loop.replace("BIG", big) for loop, big in product(data["loops"], _BIG))
    for growth, (text, times) in product(data["growth"], _GROWN):
        yield growth.replace("TEXT", text).replace("TIMES", times)
    yield from data["paths"]
    yield from (f"EXPLAIN {statement}" for statement in data["paths"])
    yield from data["edges"]
    yield from _long()


def _long() -> Iterator[str]:
    """Yield statements that are long, or deep, in themselves."""
    doubled = "".join(f"WITH s{n} + s{n} AS s{n + 1} " for n in range(40))
    yield f"WITH 'x' AS s0 {doubled} RETURN size(s40) AS n"
    for expression in (
        "[" * 45 + "1" + "]" * 45,
        "NOT " * 9000 + "true",
        " - ".join(["1"] * 9000),
        "true" + " AND true" * 4000,
        "{" + ", ".join(f"k{n}: {n}" for n in range(4000)) + "}",
        "[" + ", ".join(["[1]"] * 9000) + "]",
        "coalesce(null, " * 48 + "1" + ")" * 48,
        "CASE WHEN true THEN 1 ELSE " * 99 + "1" + " END" * 99,
        "'x'" + " + 'x'" * 6000,
        "1" + "0" * 40_000,
        "1e" + "9" * 4000,
        f"`{'x' * 40_000}`",
        f"${'x' * 40_000}",
        f"duration('P{'9' * 300}Y')",
        f"toInteger('{'9' * 9000}')",
        f"size(split('{'x' * 30_000}', ''))",
    ):
        yield f"RETURN {expression} AS n"
    for pattern in (
        ", ".join(f"(a{n})" for n in range(300)),
        "--".join(f"(a{n})" for n in range(500)),
        "(a) " + " ".join(f"OPTIONAL MATCH (a)--(b{n})" for n in range(300)),
        "(n:" + "|".join(f"L{n}" for n in range(5000)) + ")",
        "(n" + ":X" * 9000 + ")",
        "(n) WHERE " + " OR ".join(f"n.id = 'x{n}'" for n in range(2500)),
        "(n) WHERE n.id IN [" + ", ".join(f"'x{n}'" for n in range(4000)) + "]",
    ):
        yield f"MATCH {pattern} RETURN count(*) AS n"
    yield "RETURN " + ", ".join(f"{n} AS c{n}" for n in range(3000))
    yield " ".join(f"UNWIND range(1, 9) AS b{n}" for n in range(300)) + " RETURN count(*) AS n"
    yield "WITH 1 AS a " + "WITH a + 1 AS a " * 2500 + "RETURN a"
    yield "RETURN 1 AS x" + " UNION ALL RETURN 1 AS x" * 49
    yield "CALL { RETURN 1 AS x } RETURN x" + " UNION CALL { RETURN 1 AS x } RETURN x" * 45
    yield "RETURN 1 AS x " + "// x\n" * 9000
    yield "RETURN 1 AS x " + "/**/" * 10_000
    searched = "a* OR " * 6000
    yield f"CALL db.index.fulltext.queryNodes('memory_text', '{searched}b') YIELD node RETURN node"


def crossing_tricks() -> Iterator[str]:
    """Yield statements that try to see what is in another space."""
    data = tomllib.loads(_DATA.read_text("utf-8"))
    for statement in data["crossings"]:
        labels = data["labels"] if "LABEL" in statement else [""]
        for label in labels:
            yield statement.replace("LABEL", label)


class Tries:
    """Tries statements at one memory, and notes what is wrong."""

    def __init__(self, memory: Memory, parameters: dict[str, object], timeout_s: float) -> None:
        self.memory = memory
        self.outcomes = Counter[str]()
        self.wrong: list[str] = []
        self.longest_s = 0.0
        self._parameters = parameters
        self._timeout_s = timeout_s

    def run(self, statement: str) -> None:
        """Try one, with its time."""
        started, shown = time.monotonic(), repr(statement[:120])
        try:
            table = self.memory.query(statement, self._parameters)
            told, outcome = f"{table.columns} {table.rows} {table.notes}", "answered"
            if "the-secret" in told:
                self.wrong.append(f"a file was read by {shown}")
        except MeridiaError as error:
            told, outcome = str(error), type(error).__name__
            if outcome not in {"Refused", "InvalidInput"}:
                self.wrong.append(f"{outcome}: {str(error)[:200]} from {shown}")
        except Exception as error:  # noqa: BLE001 - what is looked for
            told, outcome = "", "another error"
            self.wrong.append(f"{type(error).__name__}: {str(error)[:200]} from {shown}")
        if seen := [mark for mark in _THEIRS if mark in told]:
            self.wrong.append(f"{seen} of another space, by {shown}")
        took = time.monotonic() - started
        self.longest_s = max(self.longest_s, took)
        self.outcomes[outcome] += 1
        if took > self._timeout_s + _OVER_S:
            self.wrong.append(f"{took:.0f} s for {shown}")


def state(memory: Memory) -> object:
    """Return what a write would change: the digest, and all that a server has beside."""
    graph = memory.settings.graph
    if graph.engine != "neo4j":
        return memory.graph.digest()
    login = graph.neo4j_user, graph.neo4j_password.get_secret_value()
    asked = (
        "MATCH (n) RETURN count(n), sum(size(keys(n))), sum(size(labels(n)))",
        "MATCH ()-[r]->() RETURN count(r), sum(size(keys(r)))",
        *("SHOW INDEXES YIELD name", "SHOW CONSTRAINTS YIELD name", "SHOW DATABASES YIELD name"),
        *("SHOW USERS YIELD user", "CALL db.labels()"),
    )
    with GraphDatabase.driver(graph.neo4j_uri, auth=login) as driver, driver.session() as session:
        held = [sorted(str(row.data()) for row in session.run(each)) for each in asked]
    return memory.graph.digest(), held


def try_all(memory: Memory, kinds: set[str], timeout_s: float, folder: Path) -> list[Tries]:
    """Try the statements of some kinds; what was written is noted."""
    file = folder / "secret.csv"
    file.write_text("the-secret\n", "utf-8")
    memory.remember_many([message(f"m-{number}") for number in range(60)])
    other = memory.in_space("other")
    theirs = [
        other.remember(
            f"I live in Zanzibar {number}, and my sister Quorra too.",
            person="Solveig",
            session="theirs-s",
            id=f"theirs-{number}",
        ).id
        for number in range(20)
    ]
    for each in (memory, other):
        each.enrich()
        each.graph.project()
    parameters: dict[str, object] = {
        "label": "Planted",
        "key": "planted",
        "rows": {"planted": 1},
        "url": f"file://{file}",
        "theirs": theirs,
    }
    done = []
    for kind, statements in (
        ("write", write_tricks(file)),
        ("cross", crossing_tricks()),
        ("exhaust", exhausting_tricks()),
    ):
        if kind not in kinds:
            continue
        before, tries = state(memory), Tries(memory, parameters, timeout_s)
        for statement in statements:
            tries.run(statement)
        if state(memory) != before:
            tries.wrong.append("something was written")
        if len(memory.query("MATCH (n:Experience) RETURN n.id AS id", {}).rows) != 60:
            tries.wrong.append("the next statement is not answered")
        done.append(tries)
        counted = ", ".join(f"{number} {what}" for what, number in tries.outcomes.most_common())
        print(
            f"{kind}: {tries.outcomes.total()} statements: {counted}; {len(tries.wrong)} wrong; "
            f"the longest took {tries.longest_s:.1f} s",
            flush=True,
        )
    return done


def main() -> int:
    """Try them, and tell what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--neo4j", action="store_true", help="start a Neo4j for the graph")
    parser.add_argument("--kind", choices=("write", "cross", "exhaust"))
    parser.add_argument("--timeout", type=float, default=1.0, help="of a statement, seconds")
    chosen = parser.parse_args()
    kinds = {chosen.kind} if chosen.kind else {"write", "cross", "exhaust"}
    limits = {"query_timeout_s": chosen.timeout, "query_memory_mb": _MEMORY_MB}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        graph = GraphSettings(**limits)
        if chosen.neo4j:
            server = stack.enter_context(running_server(folder))
            if server is None:
                return 1
            graph = GraphSettings(
                engine="neo4j",
                neo4j_uri=server.uri,
                neo4j_user=server.user,
                neo4j_password=SecretStr(server.password),
                **limits,
            )
        settings = QUICK.model_copy(update={"graph": graph})
        memory = stack.enter_context(Memory(folder / "tricks.db", "default", settings))
        done = try_all(memory, kinds, chosen.timeout, folder)
    wrong = [problem for tries in done for problem in tries.wrong]
    for problem in wrong:
        print(f"WRONG {problem}")
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{len(wrong)} wrong; process {os.getpid()} lives, it used {used} MB at most")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
