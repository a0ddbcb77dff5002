"""No planted secret survives anywhere: not in the database, the graph, the trace, or what is said.

What writes goes through the installed command, what asks through its functions, in this process.
Files are searched as bytes, and what is answered is searched too.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from meridia.cli.main import cli
from tests.cli.command import Command, Done
from tests.planted_secrets import MAKERS, SecretSample, planted

SPACE = "agent"
#: Vectors are numbers only, and nine tenths of the time: `test_capture_outcomes.py` has them.
ENVIRONMENT = {"MERIDIA_EMBEDDING_ENABLED": "false", "MERIDIA_GRAPH_QUERY_ROWS_MAX": "100000"}
#: Names of a session, an event and a tool are kept apart from text: they lose what can be told by
#: its own shape, whatever stands around it.
_NAMED: dict[str, Any] = {
    "event id": lambda s: {"id": f"run-{s.text}"},
    "session key": lambda s: {"session": {"key": s.text}},
    "person": lambda s: {"person": s.text},
    "tool name": lambda s: {"kind": "tool_result", "tool": {"name": s.text}},
}


@dataclass
class Folder:
    """A journal, what was planted in it, and all that was ever said about it."""

    path: Path
    samples: list[tuple[str, SecretSample]] = field(default_factory=list)
    answers: dict[str, bytes] = field(default_factory=dict)

    def note(self, what: str, done: Done) -> Done:
        """Store what a command answered."""
        self.answers[what] = (done.out + done.err).encode()
        return done

    def survivors(self) -> list[str]:
        """Return every secret that is found, with its kind, its place and where it is."""
        files = {p.name: p.read_bytes() for p in self.path.rglob("*") if p.is_file()}
        everything = {**files, **self.answers}
        return [
            f"{sample.kind} planted in {place} is in {name}"
            for place, sample in self.samples
            for secret in sample.secrets
            for form in forms(secret)
            for name, content in everything.items()
            if form in content
        ]


def forms(secret: str) -> set[bytes]:
    """Return a secret as it is written in plain text, in JSON and in a URL."""
    return {secret.encode(), json.dumps(secret)[1:-1].encode(), quote(secret, safe="").encode()}


def named(seed: int) -> Iterator[tuple[str, SecretSample, dict[str, Any]]]:
    """Yield events whose own names hold a secret that is known by its shape."""
    draw = random.Random(seed)
    for number, make in enumerate(MAKERS):
        sample = make(draw)
        if not sample.has_prefix or len(sample.text) > 200:
            continue
        for place, write in _NAMED.items():
            event = {
                "id": f"{place} {number}",
                "kind": "user_message",
                "session": {"key": "s1"},
                "payload": {"text": f"Boat {number} has a name: {place}."},
            }
            yield place, sample, event | write(sample)


def lines(events: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def ask(command: Command, *arguments: object) -> Done:
    """Run a command in this process, which need not load everything again."""
    runner = CliRunner(env=command.environment(ENVIRONMENT))
    result = runner.invoke(cli, list(map(str, arguments)), prog_name="meridia")
    return Done(result.exit_code, result.stdout, result.stderr + str(result.exception or ""))


@pytest.fixture(scope="module")
def folder(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Give a journal with 300 planted secrets and some more in names, enriched and projected."""
    folder = Folder(tmp_path_factory.mktemp("journal"))
    where = ("--db", folder.path / "agent.db", "--space", SPACE)
    plants = list(planted(300, seed=4))
    folder.samples += [(plant.place, plant.sample) for plant in plants]
    events = [plant.event for plant in plants]
    for place, sample, event in named(seed=4):
        folder.samples.append((place, sample))
        events.append(event)
    half = len(events) // 2
    captured = meridia("capture", *where, stdin=lines(events[:half]), env=ENVIRONMENT)
    assert folder.note("capture", captured).status == 0, captured.err
    source = tmp_path_factory.mktemp("source") / "events.jsonl"
    source.write_text(lines(events[half:]), "utf-8")
    imported = meridia("import", *where, "--json", source, env=ENVIRONMENT)
    assert folder.note("import", imported).status == 0, imported.err
    return folder


def test_300_secrets_of_20_kinds_and_more_were_planted(folder):
    assert len(folder.samples) >= 300
    assert len({sample.kind for _, sample in folder.samples}) >= 20
    assert {"argument", "result", "key", "nested JSON", "URL", "noise", "event id", "person"} <= {
        place for place, _ in folder.samples
    }


def test_rows_4_and_5_no_secret_is_in_any_file_or_in_anything_that_is_said(meridia, folder):
    """Rows 4 and 5: sanitised before storage, and nothing logged."""
    where = ("--db", folder.path / "agent.db", "--space", SPACE)
    trace = folder.note("trace", ask(meridia, "trace", *where))
    (folder.path / "trace.jsonl").write_text(trace.out, "utf-8")
    everything = "MATCH (n) RETURN labels(n) AS labels, properties(n) AS all"
    asked = {
        "recall": ["recall", "the password and the token of the boat", "--limit", 100, "--explain"],
        "list": ["list", "--limit", 1000, "--json"],
        "people": ["people", "--json"],
        "sessions": ["sessions", "--json"],
        "entities": ["entities", "--limit", 10000, "--json"],
        "facts": ["facts", "--json"],
        "episodes": ["episodes", "--json"],
        "artifacts": ["artifacts", "--limit", 1000, "--json"],
        "transitions": ["transitions", "--json"],
        "query": ["query", everything, "--json"],
        "status": ["status", "--json"],
        "rebuild": ["rebuild"],
    }
    rows = {name: folder.note(name, ask(meridia, *words, *where)) for name, words in asked.items()}
    assert {name: done.err for name, done in rows.items() if done.status} == {}
    assert len(rows["list"].json["memories"]) >= 300
    assert len(rows["query"].json["rows"]) >= 300
    assert not rows["query"].json["truncated"]
    suffixes = {path.name.removeprefix("agent.db") for path in folder.path.iterdir()}
    assert any(".kgl" in suffix for suffix in suffixes), suffixes
    assert sum(rows["status"].json[0]["ingest"]["redacted"].values()) >= 300
    assert folder.survivors() == []


def test_row_5_what_is_refused_is_named_without_its_secret(meridia, tmp_path):
    """Row 5: a refusal says where and what, never the value."""
    token = "ghp_" + "a1B2" * 9
    good = {"kind": "user_message", "payload": {"text": "x"}}
    refused = [
        {**good, "kind": token},
        {**good, "ts": token},
        {**good, "session": token},
        {**good, "payload": {token: float("nan")}},
        {**good, "id": token, "payload": {"text": f"{token} " * 30_000}},
        {**good, "id": token, "payload": {"text": "other words"}},
        {"payload": token},
    ]
    given = lines([{**good, "id": token}, *refused]) + '{"kind": "user_message", "p": "' + token
    done = meridia("capture", "--db", tmp_path / "a.db", stdin=given)
    assert any(line.endswith(f"{len(refused) + 1} refused") for line in done.err.splitlines())
    folder = Folder(tmp_path, [("refused", SecretSample("github_token", token, (token,)))])
    folder.note("capture", done)
    folder.note("trace", ask(meridia, "trace", "--db", tmp_path / "a.db"))
    assert folder.survivors() == []


def test_row_5_a_question_that_holds_a_secret_is_kept_without_it(meridia, tmp_path):
    """Row 5: what is kept of a recall is sanitised like everything else."""
    token = "ghp_" + "a1B2" * 9
    where = ("--db", tmp_path / "a.db")
    meridia("capture", *where, stdin=lines([{"kind": "user_message", "payload": {"text": "x"}}]))
    assert ask(meridia, "recall", f"Is {token} still valid?", *where).status == 0
    folder = Folder(tmp_path, [("question", SecretSample("github_token", token, (token,)))])
    folder.note("trace", ask(meridia, "trace", *where))
    assert folder.survivors() == []


def test_row_4_variables_and_chosen_files_are_empty_and_no_half_secret_is_left_by_a_cut(
    meridia, tmp_path
):
    settings = {"MERIDIA_SANITISE_TEXT_CHARS_MAX": "100", "MERIDIA_SANITISE_PATHS": "*/recipe.txt"}
    token = "ghp_" + "a1B2" * 9
    read = {"kind": "tool_result", "tool": {"name": "read"}}
    deploy = {
        "cmd": "export STRIPE_TOKEN=kelp55kelp55kelp && deploy",
        "env": {"PGPASSWORD": "oakleaf"},
    }
    events = [
        read | {"payload": {"args": {"path": "/srv/.env"}, "result": "COLOUR=teal"}},
        read | {"payload": {"args": {"path": "/srv/recipe.txt"}, "result": "saffron and rye"}},
        read | {"payload": {"args": {"path": "/srv/menu.txt"}, "result": "bread"}},
        read | {"payload": {"args": deploy, "result": "done"}},
        {"kind": "user_message", "payload": {"text": f"{'a' * 80} {token} and {'z' * 200}"}},
    ]
    given = "\n".join(map(json.dumps, events))
    done = meridia("capture", "--json", "--db", tmp_path / "a.db", stdin=given, env=settings)
    counted = [{"file": 1}, {"file": 1}, {}, {"token": 1, "password": 1}, {"github_token": 1}]
    assert [line["redacted"] for line in done.lines] == counted
    listed = ask(meridia, "list", "--json", "--db", tmp_path / "a.db").json["memories"]
    texts = [memory["text"] for memory in listed]
    assert texts[2].endswith("bread")
    assert len(texts[4]) <= 100
    assert "[cut 2" in texts[4]
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (b"teal", b"saffron", b"kelp55", b"oakleaf", b"ghp_"):
        assert secret not in held


def test_row_4_paths_that_the_settings_hide_are_replaced_wherever_they_stand(meridia, tmp_path):
    hidden = {"MERIDIA_SANITISE_PATHS_HIDDEN": "*/clients/*,*.ledger"}
    written = {"path": "/srv/clients/acme/deal.pdf", "cmd": "cp file:///srv/clients/zeta.txt /tmp"}
    events = [
        {
            "kind": "tool_result",
            "tool": {"name": "write"},
            "payload": {"args": written, "result": "wrote /srv/clients/acme/deal.pdf, /srv/x.txt"},
        },
        {"kind": "user_message", "payload": {"text": "Read C:\\books\\may.ledger. Then go on."}},
    ]
    given = "\n".join(map(json.dumps, events))
    done = meridia("capture", "--json", "--db", tmp_path / "a.db", stdin=given, env=hidden)
    assert [line["redacted"] for line in done.lines] == [{"path": 3}, {"path": 1}]
    meridia("enrich", "--db", tmp_path / "a.db", env=hidden)
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"/srv/x.txt" in held
    for secret in (b"acme", b"zeta", b"may.ledger"):
        assert secret not in held
    listed = ask(meridia, "list", "--json", "--db", tmp_path / "a.db").json["memories"]
    assert listed[1]["text"] == "Read [REDACTED:path]. Then go on."


def test_the_search_finds_what_is_there(tmp_path):
    (tmp_path / "a.db").write_bytes(b'..."text": "a\\"b c"...')
    folder = Folder(tmp_path, [("text", SecretSample("password", 'a"b c', ('a"b c',)))])
    assert folder.survivors() == ["password planted in text is in a.db"]
