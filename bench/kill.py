"""Kill a capturing process repeatedly, and check that every acknowledged event is in the journal.

    python -m bench.kill --rounds 200 [--enrich] [--work DIR]

Each round starts an import of one file, kills it (SIGKILL) at a random moment and reads the journal
anew: every acknowledged event is there, once, under the id it was acknowledged with; the chain
verifies; the next round continues the same file. All the while a companion process captures and
recalls in the same space. With --enrich, `meridia enrich` is killed instead; then it is run to its
end, and a rebuilt graph has to be identical. Exit status 1 on any violation.

A killed process keeps what it handed to the kernel: this tells nothing of a loss of power.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from meridia import Memory
from meridia.core.codec import encode
from meridia.core.errors import MeridiaError
from meridia.core.settings import Settings
from meridia.core.settings_loader import load
from meridia.core.types import Acknowledgement, EntryKind, Space
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportRecord
from meridia.storage.store import open_store
from meridia.storage.upkeep import verify

SPACE = Space("killed")
ROUNDS, FILE_EVENTS = 200, 400
#: Every n-th round: the encoder is in use; the graph is rebuilt and compared.
_EMBED_EVERY, _REBUILD_EVERY = 10, 20
_MERIDIA = str(Path(sys.executable).with_name("meridia"))
#: Where `python -m bench.kill` finds this module again.
_ROOT = Path(__file__).parent.parent
_WORDS = ("pond", "heron", "bakery", "letter", "garden", "kettle", "bicycle", "market", "river")


@dataclass(slots=True)
class KillReport:
    """What a run saw; a run is good when nothing was lost, doubled, damaged or out of order."""

    rounds: int = 0
    killed: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    findings: int = 0
    recalls: int = 0
    rebuilds: int = 0
    violations: list[str] = field(default_factory=list)

    def violated(self, problem: str) -> None:
        """Note a violation."""
        self.violations.append(f"round {self.rounds}: {problem}")

    def __str__(self) -> str:
        return (
            f"{self.rounds} rounds, {self.killed} processes killed, {self.acknowledged:,} events "
            f"acknowledged, {self.lost} lost, {self.doubled} doubled, {self.findings} findings of "
            f"verify, {self.recalls:,} recalls beside, {self.rebuilds} rebuilds compared, "
            f"{len(self.violations)} violations"
        )


def main() -> None:
    """Kill, check, and tell the toll."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="processes to kill")
    parser.add_argument("--enrich", action="store_true", help="kill enrichment and projection")
    parser.add_argument("--seed", type=int, default=None, help="draw the same moments again")
    parser.add_argument("--work", type=Path, help="keep the journal in this folder")
    parser.add_argument("--child", choices=("import", "companion"), help=argparse.SUPPRESS)
    parser.add_argument("paths", nargs="*", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child == "import":
        import_and_acknowledge(*arguments.paths)
        return
    if arguments.child == "companion":
        run_companion(*arguments.paths)
        return
    seed = random.randrange(1 << 32) if arguments.seed is None else arguments.seed
    with tempfile.TemporaryDirectory(prefix="meridia-kill-") as private:
        folder = (arguments.work or Path(private)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        kill = kill_enrichment if arguments.enrich else kill_capture
        report = kill(folder, arguments.rounds, random.Random(seed))
    print(f"{report} (seed {seed})")
    for violation in report.violations:
        print(f"VIOLATION {violation}")
    sys.exit(1 if report.violations else 0)


def kill_capture(folder: Path, rounds: int, draw: random.Random) -> KillReport:
    """Kill `rounds` processes that import files of events, one file after the other."""
    report, checker = KillReport(), JournalChecker(folder / "kill.db")
    number, acknowledged = 0, 0
    file = write_events(folder, number)
    with _companion(checker.path, report) as companion:
        for report.rounds in range(1, rounds + 1):
            command = _importing(checker.path, file, by_command=report.rounds % 2 == 0)
            # What is known is acknowledged again first; then come up to 120 new events.
            given, finished = _killed(command, draw, draw.randint(0, acknowledged + 120), report)
            checker.check_journal(given, report)
            acknowledged = max(acknowledged, len(given))
            if finished:
                if len(given) != FILE_EVENTS:
                    report.violated(f"{file.name}: {len(given)} answers, {FILE_EVENTS} events")
                number, acknowledged = number + 1, 0
                file = write_events(folder, number)
    command = _importing(checker.path, file, by_command=True)
    done = subprocess.run(command, check=False, capture_output=True, env=_environment())
    checker.check_journal(_answers(done.stdout), report)
    checker.check_journal(_answers(companion.read_bytes()), report)
    if len(_answers(done.stdout)) != FILE_EVENTS or done.returncode:
        report.violated(f"the last file could not be finished: {done.stderr.decode()[-500:]}")
    report.recalls = companion.read_bytes().count(b'"hits"')
    _meridia(checker.path, ["verify"], report)
    return report


def kill_enrichment(folder: Path, rounds: int, draw: random.Random) -> KillReport:
    """Kill `rounds` runs of `meridia enrich`, each with new events to enrich and to project."""
    report, checker, lasted = KillReport(), JournalChecker(folder / "enrich.db"), 2.0
    for report.rounds in range(1, rounds + 1):
        file = write_events(folder, report.rounds)
        captured = _meridia(checker.path, ["capture", str(file), "--json"], report)
        embedding = report.rounds % _EMBED_EVERY == 0
        process = subprocess.Popen(
            [_MERIDIA, "--db", checker.path, "enrich", "--space", SPACE],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(embedding=embedding),
        )
        time.sleep(draw.uniform(0.3, 1.1) * lasted)
        process.kill()
        report.killed += process.wait() != 0
        started = time.perf_counter()
        _meridia(checker.path, ["enrich", "--space", SPACE], report, embedding=embedding)
        lasted = 0.8 * lasted + 0.2 * (time.perf_counter() - started)
        checker.check_journal(_answers(captured), report)
        checker.check_enrichment(report)
        if report.rounds % _REBUILD_EVERY == 0 or report.rounds == rounds:
            _rebuild(checker.path, report)
    return report


class JournalChecker:
    """Reads what a journal gained since the last look, and holds it against what was said."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._after = 0
        self._id_of: dict[str, str] = {}
        self._texts: Counter[str] = Counter()
        self._enriched: Counter[str] = Counter()
        self._acknowledged: set[str] = set()

    def check_journal(self, acknowledged: Sequence[dict[str, Any]], report: KillReport) -> None:
        """Open the file anew; check all acknowledged events and the whole chain."""
        if not self.path.exists():
            return
        with closing(open_store(self.path, Settings())) as file:
            if SPACE not in file.journal.spaces():
                if acknowledged:
                    report.violated("events were acknowledged, and the space is not there")
                return
            while entries := file.journal.read(SPACE, self._after):
                for entry in entries:
                    self._note(
                        entry.kind,
                        entry.key,
                        entry.id,
                        encode(entry.payload) if entry.payload else {},
                        report,
                    )
                self._after = entries[-1].seq
            findings = list(verify(file, SPACE))
        report.findings += len(findings)
        for finding in findings:
            report.violated(f"verify: {finding.problem}")
        for answer in acknowledged:
            self._check(answer, report)
        report.acknowledged = len(self._acknowledged)

    def check_enrichment(self, report: KillReport) -> None:
        """Check that every captured event is enriched, and once."""
        ids = set(self._id_of.values())
        if missing := ids - set(self._enriched):
            report.violated(f"{len(missing)} events were never enriched")
        if many := [id for id, times in self._enriched.items() if times > 1]:
            report.violated(f"{len(many)} events were enriched more than once")

    def _note(
        self, kind: str, key: str, id: str, payload: dict[str, Any], report: KillReport
    ) -> None:
        if kind == EntryKind.EXPERIENCE_ENRICHED:
            self._enriched[payload["experience"]] += 1
        if kind != EntryKind.EXPERIENCE_CAPTURED:
            return
        text = payload["event"]["payload"]["text"]
        self._texts[text] += 1
        self._id_of[key] = id
        if self._texts[text] > 1:
            report.doubled += 1
            report.violated(f"event {key} is in the journal twice")

    def _check(self, answer: dict[str, Any], report: KillReport) -> None:
        key, id = answer["event_id"], answer["id"]
        self._acknowledged.add(key)
        if key not in self._id_of:
            report.lost += 1
            report.violated(f"event {key} was acknowledged and is lost")
        elif self._id_of[key] != id:
            report.violated(f"event {key} was acknowledged as {id} and is {self._id_of[key]}")


def write_events(folder: Path, number: int) -> Path:
    """Write one file of events in the native form; each text is like no other."""
    draw = random.Random(number)
    path = folder / f"events-{number}.jsonl"
    with path.open("w", encoding="utf-8") as lines:
        for place in range(FILE_EVENTS):
            event = {
                "kind": "user_message",
                "id": f"f{number}-{place}",
                "person": draw.choice(("Dana", "Ravi")),
                "session": {"key": f"f{number}-{place // 20}"},
                "payload": {"text": f"f{number}x{place} {' '.join(draw.choices(_WORDS, k=8))}."},
            }
            lines.write(json.dumps(event) + "\n")
    return path


def import_and_acknowledge(database: Path, file: Path) -> None:
    """Import a file in batches and print each acknowledgement: what a killed process runs."""

    def acknowledge(_: ImportRecord, answer: Acknowledgement | MeridiaError) -> None:
        if isinstance(answer, MeridiaError):
            raise answer
        _print_acknowledgement(answer)

    settings = load(flags={"embedding.enabled": False}).settings
    with (
        Memory.open(database, SPACE, settings) as memory,
        read(file, "native") as records,
    ):
        memory.import_records(records, SPACE, acknowledge)


def run_companion(database: Path) -> None:
    """Capture and recall, once at least, until a file named `stop` appears beside the journal."""
    without_embedding = load(flags={"embedding.enabled": False}).settings
    stop = database.with_name("stop")
    with (
        Memory.open(database, SPACE, without_embedding) as quick,
        Memory.open(database, SPACE, load().settings) as embedding,
    ):
        for turn in count():
            if turn and stop.exists():
                return
            memory = quick if turn % _EMBED_EVERY else embedding
            text = f"cx{turn} the heron and the kettle."
            _print_acknowledgement(
                memory.remember(text, id=f"c-{turn}", person="Mina", session="beside")
            )
            recall = memory.recall(f"What of cx{turn}, the heron and the kettle?")
            if not recall.hits:
                raise AssertionError(f"recall {turn} found nothing: {recall.notes}")
            print(json.dumps({"hits": len(recall.hits)}), flush=True)
            time.sleep(0.05)


def _print_acknowledgement(answer: Acknowledgement) -> None:
    print(json.dumps({"event_id": answer.event_id, "id": answer.id}), flush=True)


@contextmanager
def _companion(database: Path, report: KillReport) -> Iterator[Path]:
    """Run the companion beside; give the file that it writes its acknowledgements to."""
    output, stop = database.with_name("companion.jsonl"), database.with_name("stop")
    stop.unlink(missing_ok=True)
    with output.open("wb") as out, database.with_name("companion.err").open("w+b") as errors:
        command = [sys.executable, "-m", "bench.kill", "--child", "companion", str(database)]
        process = subprocess.Popen(
            command, stdout=out, stderr=errors, env=_environment(), cwd=_ROOT
        )
        try:
            yield output
        finally:
            stop.touch()
            if process.wait():
                errors.seek(0)
                report.violated(f"the companion failed: {errors.read().decode()[-1000:]}")


def _importing(database: Path, file: Path, *, by_command: bool) -> list[str]:
    if by_command:
        return [_MERIDIA, "--db", str(database), "--space", SPACE, "--json", "capture", str(file)]
    child = ["-m", "bench.kill", "--child", "import"]
    return [sys.executable, *child, str(database), str(file)]


def _killed(
    command: Sequence[str], draw: random.Random, answers: int, report: KillReport
) -> tuple[list[dict[str, Any]], bool]:
    """Start a process and kill it about when it has given so many answers; return those given.

    One in five is killed while it starts. Also returns whether it came to its end before.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, env=_environment(), cwd=_ROOT
        )
        assert process.stdout is not None
        lines: list[bytes] = []
        if draw.random() < 0.2:
            time.sleep(draw.uniform(0.0, 1.0))
        else:
            while len(lines) < answers and (line := process.stdout.readline()):
                lines.append(line)
            time.sleep(draw.uniform(0.0, 0.005))
        process.kill()
        lines.append(process.stdout.read())
        process.stdout.close()
        status = process.wait()
        if status > 0:
            errors.seek(0)
            report.violated(f"the import failed: {errors.read().decode()[-1000:]}")
    report.killed += status < 0
    return _answers(b"".join(lines)), status == 0


def _answers(output: bytes) -> list[dict[str, Any]]:
    """Return the acknowledgements on complete lines; a last half line was not said."""
    lines = (json.loads(line) for line in output.split(b"\n")[:-1])
    return [line for line in lines if "event_id" in line]


def _rebuild(database: Path, report: KillReport) -> None:
    """Compare the graph with one that is built anew from the journal."""
    output = _meridia(database, ["rebuild", "--verify", "--space", SPACE, "--json"], report)
    report.rebuilds += 1
    if not output or json.loads(output)[0]["identical"] not in (True, "yes"):
        report.violated(f"the rebuilt graph is another: {output.decode()}")


def _meridia(
    database: Path, arguments: Sequence[str], report: KillReport, *, embedding: bool = False
) -> bytes:
    """Run a command to its end; a failure is a violation. Return what it printed."""
    done = subprocess.run(
        [_MERIDIA, "--db", str(database), "--space", SPACE, *arguments],
        check=False,
        capture_output=True,
        env=_environment(embedding=embedding),
    )
    if done.returncode:
        report.violated(f"meridia {arguments[0]}: {done.stderr.decode()[-1000:]}")
    return done.stdout


def _environment(*, embedding: bool | None = None) -> dict[str, str]:
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith("MERIDIA_")
    }
    if embedding is not None:
        variables["MERIDIA_EMBEDDING_ENABLED"] = str(embedding).lower()
    return variables


if __name__ == "__main__":
    main()
