"""`meridia spaces`, `status`, `verify`, `rebuild` and `trace`: is everything there, and whole?"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

pytestmark = pytest.mark.usefixtures("without_encoder")


def lines(*events):
    return "".join(json.dumps(one) + "\n" for one in events)


def event(id, text="Hello", **more):
    return {"id": id, "kind": "user_message", "payload": {"text": text}, **more}


def test_spaces_are_listed_with_what_they_hold(meridia, db):
    for space, count in (("one", 1), ("two", 3)):
        given = lines(*(event(f"e{number}") for number in range(count)))
        meridia("capture", "--db", db, "--space", space, stdin=given)
    done = meridia("spaces", "--db", db, "--json")
    assert [(row["space"], row["experiences"]) for row in done.json] == [("one", 1), ("two", 3)]
    assert meridia("spaces", "--db", db).out.split()[-6:] == ["one", "1", "1", "two", "3", "4"]


@pytest.mark.parametrize("command", ["status", "spaces"])
def test_where_no_journal_is_nothing_is_counted_and_it_is_told(meridia, tmp_path, command):
    nowhere = tmp_path / "nothing.db"
    done = meridia(command, "--json", env={"MERIDIA_DB": str(nowhere)})
    assert (done.status, done.json) == (0, [])
    assert f"no journal at {nowhere}" in done.err
    assert meridia(command, "--db", nowhere).status == 3
    assert not nowhere.exists()


def test_status_shows_how_far_each_projection_is_behind(meridia, demo_copy):
    where = ["--db", demo_copy, "--space", "demo"]
    before = meridia("status", *where, "--json").json[0]
    assert set(before["lag"].values()) == {0}
    assert sum(before["experiences"].values()) == before["entries"]["ExperienceCaptured"] == 127
    meridia("capture", *where, stdin=lines(event("n1"), event("n2")))
    after = meridia("status", *where, "--json").json[0]
    assert after["seq"] == before["seq"] + 2
    assert after["lag"] == {"search": 0, "enrichment": 2, "adjacency": 2, "graph": 2}
    assert after["cursors"]["graph"] == before["seq"]
    meridia("recall", "hello", *where)
    caught_up = meridia("status", *where, "--json").json[0]["lag"]
    assert (caught_up["adjacency"], caught_up["search"]) == (0, 0)


def test_status_tells_what_became_of_all_events(meridia, db):
    """Decision D33: seven outcomes, their sum is the number of events."""
    given = lines(event("a"), event("b", "Bye"), event("a"), {"kind": "rumour"})
    assert meridia("capture", "--db", db, stdin=given).status == 1
    ingest = meridia("status", "--db", db, "--json").json[0]["ingest"]
    assert ingest["outcomes"] == {
        "captured": 1,
        "text_only": 1,
        "outline": 0,
        "duplicate": 0,
        "redelivered": 1,
        "empty": 0,
        "refused": 1,
        "failed": 0,
    }
    assert ingest["events"] == 4
    assert sum(ingest["statuses"].values()) == 2
    printed = meridia("status", "--db", db, env={"COLUMNS": "80"}).out.splitlines()
    shown = {line.split()[0]: line.partition(" ")[2].strip() for line in printed}
    assert shown["events"] == "4 (kept 2, known already 1, refused 1)"
    assert shown["memories"] == "2 (messages of people 2)"
    assert "problems" not in shown


def test_status_counts_what_was_redacted_by_kind(meridia, db):
    told = lines(event("a", "my password is Vk3ppQ9zRt71"), event("b", "ghp_" + "a1B2" * 9))
    meridia("capture", "--db", db, stdin=told)
    redacted = meridia("status", "--db", db, "--json").json[0]["ingest"]["redacted"]
    assert redacted == {"github_token": 1, "password": 1}
    assert "github_token 1, password 1" in meridia("status", "--db", db).out


def test_row_127_status_counts_what_rerank_could_read_before_it_is_tuned(meridia, db):
    """Row 127: confirm that ingested fields are there."""
    filed = {"metadata": {"platforms": ["web"], "tags": ["boat", "sail"]}}
    given = lines(event("a", "The mast.", **filed), event("b", "The sail."))
    meridia("capture", "--db", db, stdin=given)
    facets = meridia("status", "--db", db, "--facets", "--json").json[0]["facets"]
    assert {name: count for name, count in facets.items() if count} == {"platforms": 1, "tags": 1}
    assert facets["modes"] == 0
    printed = meridia("status", "--db", db, "--facets").out
    assert "memories with" in printed
    assert ["platforms", "1"] in [line.split() for line in printed.splitlines()]
    assert "facets" not in meridia("status", "--db", db, "--json").json[0]


def test_status_without_a_space_shows_all(meridia, db):
    for space in ("one", "two"):
        meridia("capture", "--db", db, "--space", space, stdin=lines(event("a")))
    assert [row["space"] for row in meridia("status", "--db", db, "--json").json] == ["one", "two"]
    printed = meridia("status", "--db", db)
    assert printed.status == 0
    assert [line.split()[:3] for line in printed.out.splitlines()][1] == ["one", "1", "1"]
    assert meridia("status", "--db", db, "--space", "three").status == 3


def test_status_goes_on_without_the_graph_and_says_so(meridia, demo):
    environment = {"MERIDIA_GRAPH_NEO4J_URI": "bolt://127.0.0.1:1"}
    done = meridia("status", *demo.where, "--engine", "neo4j", "--json", env=environment)
    assert done.status == 0
    assert "graph" not in done.json[0]["cursors"]
    assert "does not answer" in done.json[0]["notes"][0]


def test_a_whole_journal_verifies(meridia, demo):
    done = meridia("verify", *demo.where, "--json")
    assert done.status == 0
    (row,) = done.json
    assert (row["space"], row["findings"]) == ("demo", [])
    assert len(row["head"]) == 64
    assert "whole" in meridia("verify", *demo.where).out


def tamper(db, statement):
    """Change the file as somebody would who knows SQLite and means ill."""
    with closing(sqlite3.connect(db)) as connection:
        guards = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (guard,) in guards.fetchall():
            connection.execute(f"DROP TRIGGER {guard}")
        changed = connection.execute(statement).rowcount
        connection.commit()
    return changed


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE payload SET body = replace(body, 'Dana', 'Dora') WHERE seq = 1",
            "entry 1: its payload is not what was written",
        ),
        ("UPDATE entry SET at = '1999-01-01T00:00:00.000000Z' WHERE seq = 5", "entry 5"),
        ("DELETE FROM entry WHERE seq = 7", "chain"),
        ("DELETE FROM experience WHERE seq = 9", "in the list"),
    ],
    ids=["payload", "header", "lost entry", "lost row"],
)
def test_whatever_is_changed_behind_its_back_is_found(meridia, demo_copy, statement, said):
    assert tamper(demo_copy, statement) == 1
    done = meridia("verify", "--db", demo_copy)
    assert done.status == 6
    assert "damaged" in done.out
    assert said in done.err
    assert "meridia: damage found" in done.err.splitlines()[-1]
    as_json = meridia("verify", "--db", demo_copy, "--json")
    assert as_json.status == 6
    assert as_json.json[0]["findings"]


def test_a_page_of_garbage_in_the_file_is_found(meridia, demo_copy):
    with closing(sqlite3.connect(demo_copy)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    with demo_copy.open("r+b") as file:
        for page in range(pages // 3, pages):
            file.seek(page * 4096)
            file.write(b"\xaa" * 4096)
    done = meridia("verify", "--db", demo_copy)
    assert done.status == 6
    assert "Traceback" not in done.err
    assert done.err.strip()


def rebuilt(meridia, db, *more):
    done = meridia("rebuild", "--verify", "--db", db, "--json", *more)
    assert done.status == 0, done.err
    (row,) = done.json
    return row


def test_a_rebuilt_graph_is_identical(meridia, demo_copy):
    first = rebuilt(meridia, demo_copy)
    assert (first["space"], first["engine"], first["identical"]) == ("demo", "embedded", "yes")
    assert first["nodes"] > 127
    assert first["edges"] > first["nodes"]
    assert rebuilt(meridia, demo_copy)["digest"] == first["digest"]


@pytest.mark.parametrize(
    "harm",
    [
        "garbage",
        pytest.param("deleted", marks=pytest.mark.thorough),
        pytest.param("truncated", marks=pytest.mark.thorough),
    ],
)
def test_a_lost_graph_is_built_again_as_it_was(meridia, demo_copy, harm):
    before = rebuilt(meridia, demo_copy)["digest"]
    for path in list(demo_copy.parent.iterdir()):
        if ".kgl" not in path.name or path.name.endswith((".lock", ".lock-owner")):
            continue
        if harm == "deleted":
            path.unlink()
        elif harm == "garbage":
            path.write_bytes(b"This is no graph. " * 1000)
        else:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    query = ["query", "MATCH (e:Experience) RETURN count(e) AS n", "--json"]
    found = meridia(*query, "--db", demo_copy, "--space", "demo")
    assert found.status == 0, found.err
    assert found.json["rows"] == [[127]]
    after = rebuilt(meridia, demo_copy)
    assert (after["digest"], after["identical"]) == (before, "yes")


def test_a_rebuild_asks_no_model_and_changes_no_answer(meridia, demo_copy):
    where = ["--db", demo_copy, "--space", "demo"]

    def ask():
        hits = meridia("recall", "Where is the compass?", *where, "--json").json["hits"]
        return [(hit["id"], hit["score"]) for hit in hits]

    before = ask()
    environment = {"MERIDIA_EMBEDDING_ENABLED": "false"}
    assert meridia("rebuild", *where, env=environment).status == 0
    assert ask() == before
    assert meridia("verify", *where).status == 0


def test_a_rebuild_mends_a_lost_row_of_the_list(meridia, demo_copy):
    tamper(demo_copy, "DELETE FROM experience WHERE seq = 9")
    assert meridia("verify", "--db", demo_copy).status == 6
    assert meridia("rebuild", "--db", demo_copy).status == 0
    assert meridia("verify", "--db", demo_copy).status == 0


def test_the_trace_tells_decisions_and_never_what_was_said(meridia, demo_copy):
    where = ["--db", demo_copy, "--space", "demo"]
    meridia("capture", *where, stdin=lines(event("n1", "a secret heron")))
    meridia("recall", "secret heron", *where)
    decisions = meridia("trace", *where).lines
    assert {"event", "recall"} <= {decision["kind"] for decision in decisions}
    assert "heron" not in json.dumps(decisions)
    numbers = [decision["number"] for decision in decisions]
    assert numbers == sorted(numbers)
    later = meridia("trace", *where, "--after", numbers[-2]).lines
    assert [decision["number"] for decision in later] == numbers[-1:]
