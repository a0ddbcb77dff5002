"""Forget a person with hundreds of memories among many thousands, and look for what is left.

    python -m bench.forget [--size 20000] [--planted 500] [--kills 10] [--neo4j] [--work DIR]

Every memory of the person holds a word that stands nowhere else: in its text, and in turns in its
metadata, the key of its session, the arguments of a tool or a correction; kept answers and packs
quote some. After `Memory.forget` these words must be in no byte of any file beside the journal, nor
in the graph as its engine shows it; answers about the rest are those of a journal that never knew
the person; the receipt verifies, and a rebuild and a second import bring nothing back. Then the
same is begun again and killed (SIGKILL) at random moments: all is there, or nothing, and whoever
opens the file next finishes it. With `--neo4j` a server is started that holds the graph. The
sentence encoder is replaced by a quicker one (`bench.synthetic`). Exit status 1 if anything was
wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neo4j import GraphDatabase, Query

from bench.fault_servers import running_server
from bench.synthetic import Language, SyntheticEmbedder, events
from meridia.core.errors import UnknownPerson
from meridia.core.settings import Settings
from meridia.core.settings_loader import load
from meridia.memory import Memory

SPACE, PERSON = "forgetting", "Vesna"
_MERIDIA = str(Path(sys.executable).with_name("meridia"))
_ROOT = Path(__file__).parent.parent
_PLANTED = re.compile(rb"zq\d{4}xv", re.IGNORECASE)
_QUESTIONS = 50
_SAID = (
    "I am so happy, my sister {word} moved to Bergen.",
    "I promise to send {word} to the harbour on Friday.",
    "My dog is called {word}, and I love it.",
    "What a sad day: {word} is broken again.",
    "Where did we put {word} after the market?",
)
#: How long a look at the whole graph on Neo4j may take, seconds.
_LOOK_S = 1800
#: Everything of a graph on Neo4j that a statement shows.
_SHOWN = (
    "MATCH (n) RETURN labels(n), properties(n)",
    "MATCH ()-[r]->() RETURN type(r), properties(r)",
    "CALL db.labels()",
    "CALL db.propertyKeys()",
    "CALL db.relationshipTypes()",
    "SHOW INDEXES YIELD *",
    "SHOW CONSTRAINTS YIELD *",
    "SHOW TRANSACTIONS YIELD currentQuery",
)
#: What its indexes find: of words, and beside the vector of a planted text.
_INDEXED = (
    "CALL db.index.fulltext.queryNodes('meridia_text', 'zq*') YIELD node RETURN node",
    "CALL db.index.vector.queryNodes('meridia_vectors', 999, $vector) YIELD node RETURN node",
)


@dataclass(slots=True)
class Looked:
    """What was looked at, and what was wrong."""

    kills: int = 0
    unfinished: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def expect(self, right: object, problem: str) -> None:
        """Note a problem where something is not right."""
        if not right:
            self.wrong.append(problem)
            print(f"WRONG {problem}", flush=True)


def word(number: int) -> str:
    """Return a word that is planted in one memory."""
    return f"zq{number:04}xv"


def planted_events(count: int, others: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what the person said: last in sessions of others, and in sessions of their own."""
    last = list({event["session"]["key"]: event for event in others}.values())
    for number in range(count):
        planted, beside = word(number), last[number * len(last) // count]
        event: dict[str, Any] = {
            "kind": "user_message",
            "id": f"p-{number}",
            "ts": beside["ts"],
            "session": beside["session"],
            "person": PERSON,
            "payload": {"text": _SAID[number % len(_SAID)].format(word=planted)},
        }
        if number % 5 == 1:
            event["metadata"] = {planted: planted, "topic": f"about {planted}"}
        elif number % 5 == 2:
            event["session"] = {"key": f"own-{planted}"}
        elif number % 5 == 3:
            event["kind"] = "tool_result"
            event["tool"] = {"name": "notes", "callId": f"c-{number}"}
            event["payload"] = {"args": {"find": planted}, "result": event["payload"]["text"]}
        yield event


def write_files(folder: Path, size: int, planted: int, language: Language) -> tuple[Path, Path]:
    """Write a file of all events, and one of those of others."""
    rest = list(events(size - planted, language))
    said = list(planted_events(planted, rest))
    files = folder / "all.jsonl", folder / "rest.jsonl"
    for file, content in zip(files, ([*rest, *said], rest), strict=True):
        ordered = sorted(content, key=lambda event: event["ts"])
        file.write_text("".join(json.dumps(event) + "\n" for event in ordered), "utf-8")
    return files


def opened(path: Path, settings: Settings, language: Language) -> Memory:
    """Open a journal with the quick encoder."""
    return Memory(path, SPACE, settings, embedder=SyntheticEmbedder(language))


def build(path: Path, file: Path, settings: Settings, language: Language) -> None:
    """Make a journal of a file, enriched; one that was made before stays."""
    if path.exists():
        return
    with opened(path, settings, language) as memory:
        memory.import_file(file)
        memory.enrich()


def with_vectors_in_graph(settings: Settings) -> Settings:
    """Return settings with which a Neo4j holds vectors too."""
    source = "neo4j" if settings.graph.engine == "neo4j" else settings.recall.vector_source
    recall = settings.recall.model_copy(update={"vector_source": source})
    return settings.model_copy(update={"recall": recall})


def use(memory: Memory, planted: int) -> None:
    """Ask about the person in ways of which something is kept, and project the graph."""
    for number in range(0, planted, max(1, planted // 10)):
        recall = memory.recall(f"What did {PERSON} say of {word(number)}?")
        if recall.hits:
            memory.feedback(recall.hits[0], "useful", note=f"of {word(number)}")
    memory.update("p-0", f"I meant that {word(0)} moved to Oslo, not to Bergen.")
    memory.enrich()
    memory.resume(PERSON)
    memory.reconstitute(query=f"{word(1)} and {word(2)}")
    memory.graph.project()


def questions(file: Path, seed: int) -> list[str]:
    """Return questions of words of random memories of a file of events."""
    draw = random.Random(seed)
    lines = draw.sample(file.read_text("utf-8").splitlines(), _QUESTIONS)
    texts = [json.loads(line)["payload"]["text"].rstrip("?.").split() for line in lines]
    return [f"What of {' '.join(draw.sample(words, 4))}?" for words in texts]


def told(memory: Memory, asked: Sequence[str]) -> list[list[tuple[str | None, float]]]:
    """Return the ids and scores that each question is answered with."""
    return [
        [(hit.event_id, round(hit.score, 6)) for hit in memory.recall(each, limit=10).hits]
        for each in asked
    ]


def words_in_files(path: Path) -> set[str]:
    """Return the planted words in any byte of a journal and what stands beside it."""
    found: set[bytes] = set()
    for place in (path, *path.parent.glob(f"{path.name}?*")):
        for file in place.rglob("*") if place.is_dir() else [place]:
            if file.is_file():
                found |= {each.lower() for each in _PLANTED.findall(file.read_bytes())}
    return {each.decode() for each in found}


def words_in_graph(memory: Memory) -> set[str]:
    """Return the planted words that the graph shows, in its space and, on Neo4j, at all."""
    graph = memory.settings.graph
    if graph.engine != "neo4j":
        memory.graph.project()
        shown = str(memory.graph.store().run("MATCH (n) RETURN properties(n) AS shown", {}).rows)
        return {each.decode().lower() for each in _PLANTED.findall(shown.encode())}
    memory.graph.project()
    return words_on_server(memory, *_SHOWN, *_INDEXED)


def words_on_server(memory: Memory, *statements: str) -> set[str]:
    """Return the planted words that statements show on the Neo4j of a journal."""
    graph = memory.settings.graph
    login = graph.neo4j_user, graph.neo4j_password.get_secret_value()
    vector = SyntheticEmbedder(Language()).embed([_SAID[0].format(word=word(0))])[0].tolist()
    found: set[str] = set()
    with GraphDatabase.driver(graph.neo4j_uri, auth=login) as driver, driver.session() as session:
        for statement in statements:
            for row in session.run(Query(statement, timeout=_LOOK_S), vector=vector):
                held = str(row.data()).lower().encode()
                found |= {each.decode() for each in _PLANTED.findall(held)}
    return found


def look(memory: Memory, looked: Looked, when: str) -> None:
    """Look for planted words in the files and in the graph."""
    for where, words in (
        ("bytes of the files", words_in_files(memory.parts.path)),
        ("the graph", words_in_graph(memory)),
    ):
        looked.expect(
            not words, f"{when}: {len(words)} planted words in {where}: {min(words, default='')}"
        )


def forget_and_look(
    path: Path, files: tuple[Path, Path], settings: Settings, planted: int
) -> Looked:
    """Forget the person in a journal, and look at all that must hold afterwards."""
    looked, language = Looked(), Language()
    asked = questions(files[1], planted)
    fresh = path.with_name("fresh.db")
    build(fresh, files[1], settings, language)
    with opened(fresh, settings, language) as memory:
        expected = told(memory, asked)
    with opened(path, settings, language) as memory:
        looked.expect(len(words_in_files(path)) == planted, "not every word stood in a file before")
        looked.expect(len(words_in_graph(memory)) == planted, "not every word stood in the graph")
        for statement in _INDEXED if settings.graph.engine == "neo4j" else ():
            looked.expect(words_on_server(memory, statement), f"nothing before in {statement}")
        started = time.perf_counter()
        result = memory.forget(person=PERSON)
        looked.seconds["forget"] = time.perf_counter() - started
        looked.expect(not result.notes, f"notes: {result.notes}")
        # One memory has two versions.
        looked.expect(result.memories == planted + 1, f"{result.memories} memories went")
        look(memory, looked, "while it is open")
        answers = told(memory, asked)
        same = sum(one == other for one, other in zip(answers, expected, strict=True))
        looked.expect(same == len(asked), f"{len(asked) - same} of {len(asked)} answers are others")
        started = time.perf_counter()
        for finding in memory.upkeep.verify():
            looked.expect(False, f"verify: {finding.problem}")
        looked.seconds["verify"] = time.perf_counter() - started
        digest = memory.graph.digest()
        memory.upkeep.rebuild()
        looked.expect(memory.graph.digest() == digest, "a rebuilt graph is another")
        look(memory, looked, "after a rebuild")
    look_by_command(path, files[0], result.receipt, looked, planted)
    with opened(path, settings, language) as memory:
        look(memory, looked, "after a second import")
        looked.expect(told(memory, asked) == answers, "answers changed by a second import")
    return looked


def look_by_command(path: Path, file: Path, receipt: object, looked: Looked, planted: int) -> None:
    """Verify the receipt and import the file again, as a user does."""
    kept, changed = path.with_name("receipt.json"), path.with_name("changed.json")
    text = json.dumps(receipt)
    kept.write_text(text, "utf-8")
    changed.write_text(text.replace(PERSON, PERSON.lower(), 1), "utf-8")
    for arguments, status, answer in (
        (["receipt", "verify", str(kept)], 0, "valid"),
        (["receipt", "verify", str(changed)], 6, ""),
        (["verify"], 0, "whole"),
        (["import", str(file)], 0, f"{planted:,} of these were forgotten: they stay out"),
    ):
        done = subprocess.run(
            [_MERIDIA, "--db", str(path), "--space", SPACE, *arguments],
            check=False,
            capture_output=True,
            text=True,
            env=os.environ | {"MERIDIA_EMBEDDING_ENABLED": "false"},
        )
        said = " ".join(done.stdout.split())
        looked.expect(
            done.returncode == status and answer in said,
            f"meridia {arguments[0]}: {done.returncode}, {said[-300:]} {done.stderr[-600:]}",
        )


def kill_and_look(
    path: Path, settings: Settings, planted: int, longest_s: float, draw: random.Random
) -> Looked:
    """Kill who forgets, at a random moment; whoever opens the file next finishes it."""
    looked, language = Looked(), Language()
    command = [sys.executable, "-m", "bench.forget", "--child", str(path)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=_ROOT, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()  # It is ready.
    time.sleep(draw.uniform(0, longest_s))
    process.kill()
    output, errors = process.communicate()
    looked.kills += process.returncode < 0
    looked.expect("Traceback" not in errors, f"a process failed: {errors[-600:]}")
    with opened(path, settings, language) as memory:
        page = memory.list(person=PERSON, limit=2 * planted)
        left = len(page.memories)
        looked.unfinished += left == 0 and not output
        looked.expect(left in {0, planted}, f"{left} memories are left after a kill")
        try:
            looked.expect(memory.forget(person=PERSON).notes == [], "it could not be finished")
        except UnknownPerson:
            looked.expect(not left, "memories are left of somebody unknown")
        look(memory, looked, f"after a kill with {left} left")
        for finding in memory.upkeep.verify(quick=True):
            looked.expect(False, f"verify: {finding.problem}")
    return looked


def copied(path: Path, name: str) -> Path:
    """Copy a closed journal and what stands beside it."""
    copy = path.with_name(name)
    for place in (path, *path.parent.glob(f"{path.name}?*")):
        target = path.with_name(name + place.name.removeprefix(path.name))
        shutil.copytree(place, target) if place.is_dir() else shutil.copy2(place, target)
    return copy


def remove(path: Path) -> None:
    """Remove a journal and what stands beside it."""
    for place in (path, *path.parent.glob(f"{path.name}?*")):
        shutil.rmtree(place) if place.is_dir() else place.unlink()


def run(folder: Path, size: int, planted: int, kills: int, draw: random.Random) -> Looked:
    """Build, forget and look; then kill and look, each time at a copy of what was built."""
    settings, language = load().settings, Language()
    files = write_files(folder, size, planted, language)
    path = folder / "journal.db"
    started = time.perf_counter()
    build(path, files[0], settings, language)
    with opened(path, with_vectors_in_graph(settings), language) as memory:
        use(memory, planted)
    print(f"built in {time.perf_counter() - started:.0f} s, {path.stat().st_size / 1e6:.0f} MB")
    first = copied(path, "first.db")
    looked = forget_and_look(first, files, settings, planted)
    remove(first)
    print(", ".join(f"{name} {took:.1f} s" for name, took in looked.seconds.items()), flush=True)
    for _ in range(kills):
        copy = copied(path, "killed.db")
        with opened(copy, settings, language) as memory:
            if settings.graph.engine == "neo4j":  # It holds the graph of the copy before.
                memory.upkeep.rebuild()
            memory.graph.project()
        one = kill_and_look(copy, settings, planted, looked.seconds["forget"], draw)
        looked.kills += one.kills
        looked.unfinished += one.unfinished
        looked.wrong += one.wrong
        print(f"{looked.kills} killed, {looked.unfinished} unfinished", flush=True)
        remove(copy)
    return looked


def main() -> int:
    """Run it, and tell what was left."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=20_000, help="memories in all")
    parser.add_argument("--planted", type=int, default=500, help="memories of the person")
    parser.add_argument("--kills", type=int, default=10, help="processes to kill")
    parser.add_argument("--neo4j", action="store_true", help="start a Neo4j for the graph")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--work", type=Path, help="keep the files in this folder")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        with opened(chosen.child, load().settings, Language()) as memory:
            print("ready", flush=True)
            memory.forget(person=PERSON)
            print("forgotten", flush=True)
        return 0
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    with ExitStack() as stack:
        folder = chosen.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        if chosen.neo4j:
            server = stack.enter_context(running_server(folder))
            if server is None:
                return 1
            os.environ |= {
                "MERIDIA_GRAPH_ENGINE": "neo4j",
                "MERIDIA_GRAPH_NEO4J_URI": server.uri,
                "MERIDIA_GRAPH_NEO4J_USER": server.user,
                "MERIDIA_GRAPH_NEO4J_PASSWORD": server.password,
            }
        looked = run(
            folder.resolve(), chosen.size, chosen.planted, chosen.kills, random.Random(seed)
        )
    print(
        f"{looked.kills} killed, {looked.unfinished} of them between the erasure and its end; "
        f"{len(looked.wrong)} wrong (seed {seed})"
    )
    return 1 if looked.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
