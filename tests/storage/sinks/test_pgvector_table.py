"""The table in a real PostgreSQL: written, searched with filters, forgotten, the same again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import psycopg
import pytest

from meridia.core.errors import InvalidInput, Refused, Unavailable
from meridia.core.ports import VectorFilters, VectorQuery
from meridia.core.settings import PostgresSettings
from meridia.core.types import Space
from meridia.core.vocabulary import Engagement
from meridia.storage.sinks.pgvector_table import PgVectorTable
from meridia.storage.sinks.sink_state import Judged, RowOrigin, VectorRow
from tests.fakes import START
from tests.postgres_server import PostgresServer

HERE, SPACE, MODEL = "p1", "home", "m"
OURS = RowOrigin(HERE, SPACE, MODEL)
DIMENSION = 8


def direction(place: int, tilt: float = 0.0) -> np.ndarray:
    """Return a unit vector along one axis, tilted to the next."""
    vector = np.zeros(DIMENSION, np.float32)
    vector[place], vector[(place + 1) % DIMENSION] = 1, tilt
    return vector / np.linalg.norm(vector)


def a_row(seq: int, vector: np.ndarray, chunk: int = 0, **more: object) -> VectorRow:
    values = {"person": None, "session": None, "significance": None, "engagement": None}
    values |= {"valence": None, "content": f"text {seq}", "kind": "user_message", "at": START}
    values |= {"id": f"id{seq}"}
    return VectorRow(seq=seq, chunk=chunk, embedding=vector, **(values | more))


def a_query(vector: np.ndarray, limit: int = 3, **more: object) -> VectorQuery:
    values = {"until": 10_000, "model": MODEL, "text": "", "space": Space(SPACE)}
    return VectorQuery(vector=vector, limit=limit, **(values | more))


@pytest.fixture
def table(postgres_url: str) -> Iterator[PgVectorTable]:
    with_table = PgVectorTable(PostgresSettings(url=postgres_url))
    yield with_table
    with_table.close()


def fill(table: PgVectorTable, rows: Sequence[VectorRow], partition: str = HERE) -> None:
    table.upsert(RowOrigin(partition, SPACE, MODEL), rows)


def test_postgres_finds_the_nearest_first_and_a_long_text_once(table):
    fill(table, [a_row(1, direction(0)), a_row(2, direction(0, 0.5)), a_row(2, direction(1), 1)])
    hits = table.search(HERE, a_query(direction(0)))
    assert [seq for seq, _ in hits] == [1, 2]
    assert hits[0][1] == pytest.approx(1, abs=1e-3)
    assert hits[1][1] == pytest.approx(1 / 1.25**0.5, abs=1e-3)


def test_postgres_filters_by_session_significance_engagement_valence_and_sequence(table):
    deep = {"engagement": "deep-flow", "valence": 0.5, "significance": 0.9, "session": "a"}
    flat = {"engagement": "routine", "valence": -0.5, "significance": 0.1, "session": "b"}
    fill(table, [a_row(1, direction(0), **deep), a_row(2, direction(0, 0.1), **flat)])

    def seqs(**more):
        return [seq for seq, _ in table.search(HERE, a_query(direction(0), **more))]

    assert seqs() == [1, 2]
    for filters, wanted in (
        (VectorFilters(session="b"), [2]),
        (VectorFilters(significance_min=0.5), [1]),
        (VectorFilters(engagement=Engagement.ROUTINE), [2]),
        (VectorFilters(valence_min=0.0), [1]),
        (VectorFilters(valence_max=0.0), [2]),
        (VectorFilters(session="b", valence_min=0.0), []),
    ):
        assert seqs(filters=filters) == wanted
    assert seqs(until=1) == [1]
    assert seqs(among=[2, 7]) == [2]
    assert seqs(model="another") == []


@pytest.mark.parametrize("index", ["hnsw", "ivfflat", "none"])
def test_postgres_searches_past_what_filters_leave_with_each_index(postgres_url, index):
    chance = np.random.default_rng(3)
    vectors = chance.normal(size=(400, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    settings = PostgresSettings(url=postgres_url, index=index, lists=10)
    table = PgVectorTable(settings)
    for partition in (HERE, "p2"):
        fill(table, [a_row(n + 1, vector) for n, vector in enumerate(vectors)], partition)
    exact = np.argsort(-(vectors @ vectors[7]), kind="stable")[:20] + 1
    hits = [seq for seq, _ in table.search(HERE, a_query(vectors[7], 20))]
    assert len(set(hits) & set(exact.tolist())) >= 18
    few = list(range(1, 400, 9))
    assert len(table.search(HERE, a_query(vectors[7], 20, among=few))) == 20
    with psycopg.connect(postgres_url) as connection:
        names = connection.execute("SELECT indexname FROM pg_indexes WHERE schemaname = 'public'")
        kinds = {name.split("_")[2] for (name,) in names.fetchall()}
    assert kinds - {"pkey"} == ({index} - {"none"})
    table.close()


def test_postgres_holds_the_same_after_the_same_was_written_twice(table):
    rows = [a_row(1, direction(0)), a_row(2, direction(1))]
    fill(table, rows)
    before = table.digest(HERE)
    fill(table, rows)
    assert (table.count(HERE), table.digest(HERE)) == (2, before)
    table.upsert(OURS, [], [Judged(2, "id2", "", 0.7, "engaged", 0.1)])
    assert table.digest(HERE) != before
    table.drop(HERE)
    fill(table, [rows[0], replace(rows[1], significance=0.7, engagement="engaged", valence=0.1)])
    table.upsert(OURS, [], [Judged(2)])
    assert table.digest(HERE) == before


def test_postgres_keeps_nothing_of_a_span_that_is_not_written_anew(table):
    fill(table, [a_row(n, direction(n)) for n in range(1, 5)])
    table.upsert(OURS, [a_row(2, direction(5), id="other")], span=(1, 3))
    assert table.count(HERE) == 3
    assert [seq for seq, _ in table.search(HERE, a_query(direction(5), 1))] == [2]


def test_a_postgres_whose_table_is_gone_or_another_is_told_and_made_again(table, postgres_url):
    fill(table, [a_row(1, direction(0))])
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE meridia_vectors RENAME COLUMN chunk TO piece")
        with pytest.raises(Refused, match="sinks rebuild"):
            fill(table, [a_row(1, direction(0))])
        connection.execute("DROP TABLE meridia_vectors")
    with pytest.raises(Refused, match="sinks rebuild"):
        table.count(HERE)
    assert table.count(HERE) == 0


def test_postgres_forgets_runs_of_one_partition_alone(table):
    for partition in (HERE, "p2"):
        fill(table, [a_row(n, direction(n)) for n in range(1, 7)], partition)
    assert table.forget(HERE, [(2, 3), (6, 9)]) == 3
    assert (table.count(HERE), table.count("p2")) == (3, 6)
    assert table.forget(HERE, [(2, 3), (6, 9)]) == 0
    table.drop(HERE)
    assert (table.count(HERE), table.count("p2")) == (0, 6)


def test_a_postgres_that_is_gone_is_told_without_its_password(postgres_url):
    url = re.sub(r":[^:@/]*@", ":secret-word@", postgres_url)
    with pytest.raises(Unavailable) as wrong:
        PgVectorTable(PostgresSettings(url=url)).count(HERE)
    assert "password authentication failed" in str(wrong.value)
    gone = "postgresql://u:secret-word@127.0.0.1:1/x"
    with pytest.raises(Unavailable, match="127.0.0.1:1 does not answer") as closed:
        PgVectorTable(PostgresSettings(url=gone)).count(HERE)
    with pytest.raises(InvalidInput, match="postgres.url") as malformed:
        PgVectorTable(PostgresSettings(url="secret-word")).count(HERE)
    assert all("secret-word" not in str(error.value) for error in (wrong, closed, malformed))


def test_a_row_that_postgres_refuses_is_told_without_what_it_holds(table):
    with pytest.raises(Refused) as refused:
        fill(table, [a_row(1, direction(0), content="very private\0")])
    assert "private" not in str(refused.value)


def test_postgres_is_connected_again_after_it_was_killed(
    table: PgVectorTable, postgres_server: PostgresServer
):
    if not postgres_server.can_be_killed:
        pytest.skip("the server is not ours to kill")
    fill(table, [a_row(1, direction(0))])
    postgres_server.kill()
    with pytest.raises(Unavailable):
        table.count(HERE)
    postgres_server.start()
    assert table.count(HERE) == 1
