"""Mistakes of whoever types: each ends in one message and its exit status, never in a traceback."""

from __future__ import annotations

import pytest

LONG = "x" * 300
WHERE = ["--db", "{demo}", "--space", "demo"]
QUERY = ["query", *WHERE]

#: Exit status → invocations that end with it. {demo} is a filled journal, {none} no file at all,
#: {garbage} a file that is no journal, {folder} a folder, {text} a text that is no event.
MISTAKES: dict[int, list[list[str]]] = {
    1: [
        ["init", "--db", f"{{folder}}/{LONG}"],
        ["capture", "--db", "{folder}/new.db", "{text}"],
        ["import", "--format", "native", "--db", "{folder}/new.db", "{text}"],
    ],
    2: [
        [],
        ["nonsense"],
        ["--nonsense"],
        ["--db"],
        ["list", "--nonsense"],
        ["list", "superfluous", *WHERE],
        ["list", "--limit", "0", *WHERE],
        ["list", "--limit", "1001", *WHERE],
        ["list", "--limit", "many", *WHERE],
        ["list", "--after", "-1", *WHERE],
        ["list", "--after", "9" * 30, *WHERE],
        ["list", "--since", "yesterday", *WHERE],
        ["list", "--until", "2026-13-01", *WHERE],
        ["list", "--since", "0001-01-01T00:00:00+14:00", *WHERE],
        ["list", "--until", "9999-12-31T23:59:59-14:00", *WHERE],
        ["list", "--where", "channel", *WHERE],
        ["list", "--where", "=chat", *WHERE],
        ["list", "--config", "{none}", *WHERE],
        ["list", "--config", "{folder}", *WHERE],
        ["list", "--config", "{garbage}", *WHERE],
        ["trace", "--after", "9" * 30, *WHERE],
        ["entities", "--limit", "0", *WHERE],
        ["recall", *WHERE],
        ["recall", "two", "questions", *WHERE],
        ["recall", "boat", "--limit", "0", *WHERE],
        ["recall", "boat", "--as-of", "soon", *WHERE],
        ["recall", "boat", "--as-of", "-5", *WHERE],
        ["recall", "boat", "--as-of", "1.5", *WHERE],
        ["recall", "boat", "--since", "2026-02-30", *WHERE],
        ["recall", "boat", "--profile", "best", *WHERE],
        ["recall", "\udcff", *WHERE],
        ["list", "--db", "\udcff"],
        ["resume", *WHERE],
        ["show", *WHERE],
        ["show", "meridia://", *WHERE],
        [*QUERY],
        [*QUERY, "RETURN 1 AS x", "--named", "last_messages"],
        [*QUERY, ""],
        [*QUERY, "   "],
        [*QUERY, "SELECT * FROM memory"],
        [*QUERY, "MATCH (n"],
        [*QUERY, "RETURN $missing AS x"],
        [*QUERY, "RETURN 1 AS x", "--param", "novalue"],
        [*QUERY, "RETURN $x AS x", "--param", f"x={'9' * 30}"],
        [*QUERY, "RETURN 1 AS x", "--limit", "0"],
        [*QUERY, "RETURN 1 AS x", "--timeout", "0"],
        [*QUERY, "RETURN 1 AS x", "--timeout", "inf"],
        [*QUERY, "RETURN 1 AS x", "--timeout", "nan"],
        [*QUERY, "RETURN 1 AS x", "--engine", "sqlite"],
        ["capture", "--db", "{folder}/new.db", "{folder}"],
        ["capture", "--db", "{folder}/new.db", LONG],
        ["import", "--db", "{folder}/new.db"],
        ["import", "--format", "diary", "--db", "{folder}/new.db", "{text}"],
        ["init", "--db", "/proc/nowhere/agent.db"],
        ["demo", "--keep", "/proc/nowhere/demo.db"],
        ["demo", "--keep", "{text}"],
        ["demo", "--keep", "{folder}"],
    ],
    3: [
        *([command, "--db", "{none}"] for command in ("verify", "rebuild")),
        ["enrich", "--db", "{none}"],
        ["show", "d1-01", "--db", "{none}"],
        ["history", "d1-01", "--db", "{none}"],
        ["update", "d1-01", "Hello.", "--db", "{none}"],
        *([c, "--db", "{demo}", "--space", "no"] for c in ("list", "status", "verify", "rebuild")),
        *([c, "--db", "{demo}", "--space", "no"] for c in ("enrich", "trace", "schema", "people")),
        ["recall", "boat", "--db", "{demo}"],
        ["reflect", "--person", "Stranger", *WHERE],
        ["show", "meridia://00000000-0000-7000-8000-000000000000", *WHERE],
        ["show", "no-such-event", *WHERE],
        [*QUERY, "--named", "nothing"],
        [*QUERY, "--named", "../schema/unique_id"],
        ["capture", "--db", "{folder}/new.db", "{none}"],
        ["import", "--db", "{folder}/new.db", "{none}"],
        ["init", "--db", "{folder}"],
    ],
    4: [
        [*QUERY, "CREATE (n:Person {id: 'x'})"],
        [*QUERY, "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line"],
        [*QUERY, "MATCH (n) DETACH DELETE n"],
    ],
    5: [
        [*QUERY, "RETURN 1 AS x", "--engine", "neo4j"],
        ["doctor", *WHERE, "--engine", "neo4j"],
    ],
    6: [
        ["list", "--db", "{garbage}"],
        ["recall", "boat", "--db", "{garbage}"],
        ["capture", "--db", "{garbage}"],
        ["verify", "--db", "{garbage}"],
        ["init", "--db", "{garbage}"],
    ],
}
CASES = [
    pytest.param(status, arguments, id=f"{status} {' '.join(arguments)[:60]!a}")
    for status, group in MISTAKES.items()
    for arguments in group
]


@pytest.fixture(scope="module")
def places(demo, tmp_path_factory):
    """Return what the names in braces stand for."""
    folder = tmp_path_factory.mktemp("mistakes")
    places = {"demo": demo.db, "none": folder / "none", "folder": folder}
    places |= {"garbage": folder / "garbage.db", "text": folder / "text.txt"}
    places["garbage"].write_bytes(b"This was a database once. " * 400)
    places["text"].write_text("Dear diary, nothing happened.\n")
    return {name: str(path) for name, path in places.items()}


def test_there_are_enough_mistakes_in_the_list():
    assert len(CASES) >= 90


@pytest.mark.parametrize(("status", "arguments"), CASES)
def test_a_mistake_ends_with_its_exit_status_and_a_message(meridia, places, status, arguments):
    filled = arguments
    for name, path in places.items():
        filled = [word.replace(f"{{{name}}}", path) for word in filled]
    environment = {"MERIDIA_GRAPH_NEO4J_URI": "bolt://127.0.0.1:1"}
    done = meridia(*filled, env=environment)
    assert "Traceback" not in done.err, done.err
    assert done.status == status, done.err
    assert done.err.strip(), "it says what is wrong"
    assert status != 5 or "does not answer" in done.err or "missing" in done.err


NOTHING = [
    *(
        [command]
        for command in ("list", "people", "sessions", "entities", "schema", "shell", "trace")
    ),
    ["recall", "boat"],
    ["resume", "Dana"],
    ["query", "RETURN 1 AS x"],
    ["plan", "Where is the boat?"],
]


@pytest.mark.parametrize("arguments", NOTHING, ids=" ".join)
def test_where_there_is_no_journal_yet_nothing_is_found_and_that_is_said(meridia, db, arguments):
    done = meridia(*arguments, env={"MERIDIA_DB": str(db)}, stdin="")
    assert done.status == 0, done.err
    assert "there is no journal" in done.err
    named = meridia(*arguments, "--db", db, stdin="")
    assert (named.status, named.out) == (3, ""), "a file that is named must exist"
    assert f"there is no journal at {db}" in named.err
    assert not db.exists(), "reading makes none"


SETTINGS = {
    "MERIDIA_JOURNAL_SYNCHRONOUS": ["perhaps", ""],
    "MERIDIA_JOURNAL_BUSY_TIMEOUT_S": ["-1", "soon", "nan"],
    "MERIDIA_JOURNAL_EVENT_BYTES_MAX": ["0", "1.5", "much"],
    "MERIDIA_GRAPH_ENGINE": ["sqlite"],
    "MERIDIA_GRAPH_BATCH": ["0"],
    "MERIDIA_RECALL_LIMIT": ["0", "1001"],
    "MERIDIA_EMBEDDING_ENABLED": ["perhaps"],
}


@pytest.mark.parametrize(
    ("variable", "value"),
    [(variable, value) for variable, values in SETTINGS.items() for value in values],
)
def test_a_setting_that_is_out_of_range_is_named_with_its_source(meridia, db, variable, value):
    done = meridia("capture", "--db", db, env={variable: value})
    assert done.status == 2, done.err
    assert done.err.count("\n") == 1
    assert f"environment {variable}" in done.err
    assert not db.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limit = 3", "limit is outside any [section]"),
        ("[recall]\nlimits = 3", "recall.limits"),
        ("[recal]\nlimit = 3", "recal"),
        ("[recall]\nlimit = 'three'", "recall.limit"),
        ("[recall\nlimit = 3", "cannot be read"),
    ],
)
def test_a_settings_file_that_is_wrong_is_named_with_its_key(meridia, tmp_path, text, said):
    file = tmp_path / "settings.toml"
    file.write_text(text)
    done = meridia("config", "--config", file)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert str(file) in done.err


def test_an_endless_time_limit_is_out_of_range(meridia, demo):
    environment = {"MERIDIA_GRAPH_QUERY_TIMEOUT_S": "inf"}
    done = meridia("query", "RETURN 1 AS x", *demo.where, env=environment)
    assert done.status == 2
