"""`meridia inspect`: an answer from all sides in the terminal; in a browser, the right service."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from contextlib import contextmanager

import httpx
import pytest

from tests.cli.service.test_serve import QUICK

QUESTION = "Why did publishing the club website keep failing?"


@pytest.fixture(scope="module")
def asked(meridia, demo):
    """Return an answer that was kept."""
    return meridia("recall", QUESTION, *demo.where, "--json", "--limit", 4).json


def test_everything_is_shown_and_the_numbers_are_those_of_the_answer(meridia, demo, asked):
    done = meridia("inspect", asked["recall"], *demo.where, env={"COLUMNS": "200"})
    assert done.status == 0, done.err
    assert done.out.startswith(QUESTION)
    hit = asked["hits"][0]
    for branch in hit["trace"]["children"]:
        assert re.search(rf"{branch['label']} +{branch['value']:.2f}", done.out)
    assert "hop 1" in done.out
    assert "hop 2" in done.out
    assert f"score {hit['trace']['value']:.3f}, the sum of:" in done.out
    assert "without the edge" in done.out


def test_json_has_the_answer_its_graph_and_what_would_be_without_each_edge(meridia, demo, asked):
    done = meridia("inspect", asked["recall"], 2, *demo.where, "--json")
    shown = done.json
    assert shown["hits"] == asked["hits"]
    assert shown["activation"]["recall"] == asked["recall"]
    assert {edge["hop"] for edge in shown["activation"]["edges"]} == {1, 2}
    alone = meridia("what-if", asked["recall"], 2, *demo.where, "--json").json
    assert shown["what_if"] == alone


def test_what_is_not_in_the_answer_is_refused(meridia, demo, asked):
    done = meridia("inspect", asked["recall"], 9, *demo.where)
    assert done.status == 3
    assert "`meridia why-not` says why" in done.err


def test_an_answer_without_memories_is_shown_too(meridia, db):
    meridia("remember", "The race is on the 12th of May.", "--db", db, env=QUICK)
    meridia("recall", "zebra", "--db", db, env=QUICK)
    done = meridia("inspect", "--db", db, env=QUICK)
    assert done.status == 0, done.err
    assert "no memories recalled" in done.out


@contextmanager
def opened(meridia, log, *where, env=QUICK):
    """Run `meridia inspect --open`; yield the address that it shows."""
    environment = meridia.environment({**env, "BROWSER": "true"})
    command = [meridia.script, "inspect", "--open", *where]
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stderr=errors, env=environment)
    try:
        yield shown_by(process, log)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def shown_by(process, log):
    """Wait for the address of a page."""
    deadline = time.monotonic() + 120
    while not (shown := re.search(r"(http://127.0.0.1:\d+)/inspect/\S*", log.read_text("utf-8"))):
        assert process.poll() is None, log.read_text("utf-8")
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return shown


@pytest.mark.thorough
def test_open_shows_a_service_of_its_own_or_that_which_runs_over_the_journal(
    meridia, demo_copy, demo, tmp_path
):
    where = ("--db", str(demo_copy), "--space", "demo")
    with opened(meridia, tmp_path / "first.log", *where) as shown:
        assert "space=demo" in shown[0]
        assert httpx.get(f"{shown[1]}/inspect/config").json()["needs_key"] is False
        running = {**QUICK, "MERIDIA_SERVICE_PORT": shown[1].rpartition(":")[2]}
        second = meridia("inspect", "--open", *where, env={**running, "BROWSER": "true"})
        assert second.status == 0
        assert f"{shown[1]}/inspect/" in second.err
        with opened(meridia, tmp_path / "other.log", *demo.where, env=running) as other:
            assert other[1] != shown[1]


def test_open_of_what_is_not_there_says_so(meridia, db, demo):
    assert meridia("inspect", "--open", "--db", db).status == 3
    done = meridia("inspect", "none", "--open", *demo.where)
    assert done.status == 3
    assert "no recall 'none'" in done.err
