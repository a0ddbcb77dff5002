"""`meridia sinks`, against a real PostgreSQL and against one that is not there."""

from __future__ import annotations

import re

import psycopg

NOWHERE = "postgresql://dana:secret-word@127.0.0.1:1/x"


def test_sinks_that_nobody_set_are_not_there(meridia, demo):
    done = meridia("sinks", *demo.where)
    assert (done.status, done.out) == (0, "")
    assert "postgres.url" in done.err
    assert meridia("sinks", *demo.where, "--json").json == []


def test_an_unknown_sink_is_a_thing_that_does_not_exist(meridia, demo_copy):
    for action in ("list", "sync", "rebuild"):
        done = meridia("sinks", action, "x", "--db", demo_copy)
        assert (done.status, "'x'" in done.err) == (3, True)


def test_a_sink_that_is_down_is_told_without_its_password(meridia, demo_copy):
    environment = {"MERIDIA_POSTGRES_URL": NOWHERE, "MERIDIA_SINKS_BACKOFF_S": "0"}
    done = meridia("sinks", "sync", "--db", demo_copy, env=environment)
    assert done.status == 5
    assert "127.0.0.1:1 does not answer" in done.err
    shown = meridia("status", "--db", demo_copy, env=environment)
    assert re.search(r"postgres \(.*failures 1", " ".join(shown.out.split()))
    assert "does not answer" in shown.err
    config = meridia("config", "--set", env=environment | {"COLUMNS": "300"})
    assert "postgresql://dana:***@127.0.0.1:1/x" in config.out
    for text in (done.err, done.out, shown.out, shown.err, config.out):
        assert "secret-word" not in text


def test_postgres_is_filled_from_the_command_line(meridia, demo_copy, postgres_url):
    environment = {"MERIDIA_POSTGRES_URL": postgres_url}
    where = ("--db", demo_copy, "--json")
    (row,) = meridia("sinks", "sync", "postgres", *where, env=environment).json
    assert (row["space"], row["name"], row["lag"], row["error"]) == ("demo", "postgres", 0, "")
    (status,) = meridia("status", *where, env=environment).json
    assert [sink["lag"] for sink in status["sinks"]] == [0]
    with psycopg.connect(postgres_url) as connection:
        held = "SELECT count(DISTINCT seq), array_agg(DISTINCT space) FROM meridia_vectors"
        count, spaces = connection.execute(held).fetchone()
    assert (count, spaces) == (sum(status["experiences"].values()), ["demo"])


def test_another_database_in_postgres_is_filled_from_the_beginning(
    meridia, demo_copy, postgres_url
):
    """A new address was told as up to date, and stayed empty."""
    other = "meridia_moved"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {other}")
        connection.execute(f"CREATE DATABASE {other}")
    moved = psycopg.conninfo.make_conninfo(postgres_url, dbname=other)
    counted = []
    for url in (postgres_url, moved):
        synced = meridia("sinks", "sync", "--db", demo_copy, env={"MERIDIA_POSTGRES_URL": url})
        assert synced.status == 0
        with psycopg.connect(url) as connection:
            counted += connection.execute("SELECT count(*) FROM meridia_vectors").fetchone()
    assert counted[0] == counted[1] > 0
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {other} WITH (FORCE)")
