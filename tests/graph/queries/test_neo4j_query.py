"""A user's statement on Neo4j is over within its time, also where it looks at no clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager, nullcontext

import pytest

from meridia.core.errors import MeridiaError, Refused
from meridia.core.types import Space
from meridia.graph.neo4j_store import Neo4jStore
from meridia.graph.queries import neo4j_query
from meridia.graph.queries.neo4j_query import Confined, run_query
from meridia.graph.queries.query_guard import check_statement

#: Lists inside lists of which the statement does not say how long they are.
ENDLESS = (
    "WITH [x IN range(1, 1000) | x] AS l "
    "RETURN size([a IN l | size([b IN l | size([c IN l WHERE a * b * c = 0])])]) AS n"
)


def asked(statement: str) -> Confined:
    return Confined(check_statement(statement), statement, {})


class Silent:
    """Stands for a session whose server does not answer."""

    def begin_transaction(self, timeout: float):
        time.sleep(3 * timeout)
        return nullcontext()


def test_a_server_that_does_not_answer_holds_nobody_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(neo4j_query, "_OVER_S", 0.1)
    started = time.monotonic()
    with pytest.raises(Refused, match=r"took longer than 0\.5 s"):
        run_query(lambda: nullcontext(Silent()), asked("RETURN 1 AS x"), 0.5, 10)  # type: ignore[arg-type]
    assert time.monotonic() - started < 1.4


def test_what_goes_wrong_is_told_to_who_asked():
    @contextmanager
    def fails():
        raise MeridiaError("the server is gone")
        yield

    with pytest.raises(MeridiaError, match="the server is gone"):
        run_query(fails, asked("RETURN 1 AS x"), 0.5, 10)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "statement",
    [
        "RETURN size([a IN range(1, 1000000) | size([b IN range(1, 1000000) | a * b])]) AS n",
        "RETURN reduce(s = 0, a IN range(1, 99999999) | s + a) AS n",
        "RETURN all(a IN range(1, 9999) WHERE any(b IN range(9999, 1, -1) WHERE a < b)) AS n",
        "RETURN range(-9223372036854775807, 1, 3)[1] AS n",
        "MATCH (n) WHERE size(range(0, 4000000000)) > n.seq RETURN n",
        "RETURN range(0, 9223372036854775807, 1)[1] AS n",
    ],
)
def test_long_lists_in_one_expression_are_refused_before_anything_is_asked(statement: str):
    with pytest.raises(Refused, match="items in one expression"):
        run_query(None, asked(statement), 0.5, 10)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "statement",
    [
        "RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS n",
        "RETURN reduce(s = ['x'], i IN range(1, 40) | [s, s]) AS n",
        "RETURN reduce(s = {a: 1}, i IN $l | {a: s, b: s}) AS n",
        "RETURN size(reduce(`s` = 'x', i IN $l | CASE WHEN true THEN s + s ELSE s END)) AS n",
        "RETURN [x IN [1] | reduce(s = 1, y IN [1] | reduce(t = s, z IN $l | t + toString(t)))]",
    ],
)
def test_values_that_are_written_so_that_they_double_are_refused(statement: str):
    with pytest.raises(Refused, match="reduce uses [st] more than once"):
        run_query(None, asked(statement), 0.5, 10)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "statement",
    [
        "RETURN reduce(most = 0, x IN $l | CASE WHEN x > most THEN x ELSE most END) AS n",
        "MATCH (s) RETURN reduce(sum = 0, x IN $l | sum + x.sum + s.sum) AS n, s AS s2, s",
        "RETURN reduce(s = 0, x IN [1] | s + x) + reduce(s = 0, x IN [1] | s + x) AS n",
        "UNWIND range(1, 1000000000) AS a UNWIND range(1, 1000000000) AS b RETURN a + b AS n",
        "RETURN size(range(1, 9999)) + size(range(1, 9999)) AS n",
        "RETURN range(1, $n) AS a, range(1, 3, 0) AS b, range AS c",
    ],
)
def test_other_lists_are_left_to_the_clock(statement: str):
    with pytest.raises(ZeroDivisionError):
        run_query(lambda: 1 // 0, asked(statement), 0.5, 10)  # type: ignore[arg-type,return-value]


@pytest.mark.thorough
def test_an_expression_that_does_not_end_is_left_behind(open_neo4j: Callable[..., Neo4jStore]):
    store = open_neo4j(Space("home"))
    started = time.monotonic()
    with pytest.raises(Refused, match="took longer than"):
        store.query(ENDLESS, {}, 1, 10)
    assert time.monotonic() - started < 10
    assert store.query("RETURN 1 AS x", {}, 20, 10).rows == [[1]]
