"""Statements that try to write or to use up the machine: none does; one that did would be told."""

from __future__ import annotations

from itertools import islice

import pytest

from bench import query_tricks
from bench.fault_checks import QUICK
from meridia.core.errors import Unavailable
from meridia.core.settings import GraphSettings
from meridia.memory import Memory

LIMITED = QUICK.model_copy(
    update={"graph": GraphSettings(query_timeout_s=0.5, query_memory_mb=256)}
)


def test_there_are_hundreds_of_each_and_no_two_are_the_same(tmp_path):
    for tricks in (
        query_tricks.write_tricks(tmp_path),
        query_tricks.crossing_tricks(),
        query_tricks.exhausting_tricks(),
    ):
        statements = list(tricks)
        assert len(set(statements)) > 190


@pytest.mark.thorough
def test_none_writes_crosses_or_exhausts(tmp_path, monkeypatch):
    every, exhausting = query_tricks.write_tricks, query_tricks.exhausting_tricks
    monkeypatch.setattr(query_tricks, "write_tricks", lambda file: islice(every(file), 0, None, 9))
    monkeypatch.setattr(
        query_tricks, "exhausting_tricks", lambda: islice(exhausting(), 0, None, 20)
    )
    crossing = list(query_tricks.crossing_tricks())[::9]
    monkeypatch.setattr(query_tricks, "crossing_tricks", lambda: crossing)
    with Memory(tmp_path / "a.db", "default", LIMITED) as memory:
        done = query_tricks.try_all(memory, {"write", "cross", "exhaust"}, 0.5, tmp_path)
    assert [(tries.wrong, tries.outcomes.total() > 9) for tries in done] == [([], True)] * 3


def test_what_is_told_of_another_space_is_noticed(tmp_path):
    with Memory(tmp_path / "a.db", "other", LIMITED) as memory:
        memory.remember("I live in Zanzibar.", person="Solveig", id="theirs-1")
        memory.enrich()
        tries = query_tricks.Tries(memory, {"theirs": []}, 5)
        for statement in ("MATCH (n) RETURN n", "RETURN 1 AS Quorra", "RETURN 1 AS one"):
            tries.run(statement)
    assert [problem.partition(" of another space")[0] for problem in tries.wrong] == [
        "['Zanzibar', 'theirs-', 'Solveig']",
        "['Quorra']",
    ]


def test_a_statement_that_writes_or_fails_otherwise_is_told(tmp_path, monkeypatch):
    answers = {
        "writes": lambda memory: memory.remember("planted"),
        "fails": lambda _: 1 / 0,
        "is away": lambda _: (_ for _ in ()).throw(Unavailable("gone")),
    }
    monkeypatch.setattr(query_tricks, "write_tricks", lambda _: answers)
    query = Memory.query

    def ask(memory, statement, parameters=None):
        if statement in answers:
            answers[statement](memory)
        return query(memory, "MATCH (n:Experience) RETURN n.id AS id", {})

    monkeypatch.setattr(Memory, "query", ask)
    with Memory(tmp_path / "a.db", "default", LIMITED) as memory:
        (tries,) = query_tricks.try_all(memory, {"write"}, 0.5, tmp_path)
    told = " ".join(tries.wrong)
    for problem in ("something was written", "ZeroDivisionError", "Unavailable: gone"):
        assert problem in told


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_none_of_all_writes_crosses_or_exhausts(tmp_path):
    with Memory(tmp_path / "a.db", "default", LIMITED) as memory:
        done = query_tricks.try_all(memory, {"write", "cross", "exhaust"}, 0.5, tmp_path)
    assert [tries.wrong for tries in done] == [[], [], []]
