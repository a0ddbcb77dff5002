"""Neo4j as a graph store: one space among others, and what to set when it does not answer."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import neo4j
import pytest

from meridia.core.errors import InvalidInput, Refused, Unavailable
from meridia.core.ports import Head
from meridia.core.types import NodeUpsert, Seq, Space
from meridia.graph import batch_writer, neo4j_store
from meridia.graph.cypher_loader import cypher
from meridia.graph.digest import count, digest
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.neo4j_store import Neo4jStore
from meridia.graph.projector import project
from tests.histories import HistoryEvent, TestJournal, live
from tests.neo4j_server import Neo4jServer

OpenNeo4j = Callable[..., Neo4jStore]


@pytest.fixture
def driver(neo4j_server: Neo4jServer) -> Iterator[neo4j.Driver]:
    """Yield a connection as another program has one."""
    auth = (neo4j_server.user, neo4j_server.password)
    with neo4j.GraphDatabase.driver(neo4j_server.uri, auth=auth) as driver:
        yield driver


def run(driver: neo4j.Driver, statement: str, **parameters: object) -> list[list[object]]:
    return [list(row) for row in driver.execute_query(statement, parameters).records]


def write(store: Neo4jStore, *names: str, seq: int = 1) -> None:
    with store.transaction() as writer:
        writer.apply([NodeUpsert("Person", f"{store._space}-{n}", {"name": n}) for n in names])
        writer.move_cursor(Head(Seq(seq), b""))


def a_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_server_that_is_down_is_told_at_once_and_by_what_to_set(capfd):
    uri, start = f"bolt://127.0.0.1:{a_free_port()}", time.monotonic()
    with pytest.raises(Unavailable, match=r"does not answer: start it, or set graph\.neo4j_uri"):
        Neo4jStore(uri, "neo4j", "the-password", "neo4j", Space("s"))
    assert time.monotonic() - start < 5
    assert capfd.readouterr() == ("", "")


def test_a_wrong_password_is_told_and_never_shown(neo4j_server: Neo4jServer):
    with pytest.raises(Unavailable, match=r"user 'neo4j'.*graph\.neo4j_password") as refusal:
        Neo4jStore(neo4j_server.uri, "neo4j", "the-wrong-one", "neo4j", Space("s"))
    assert "the-wrong-one" not in str(refusal.value)


def test_a_database_that_does_not_exist_is_told(neo4j_server: Neo4jServer):
    server = neo4j_server
    with pytest.raises(Unavailable, match=r"no database 'nowhere': set graph\.neo4j_database"):
        Neo4jStore(server.uri, server.user, server.password, "nowhere", Space("s"))


@pytest.mark.parametrize(
    "uri", ["", "localhost:7687", "http://localhost:7474", "bolt://", "bolt://h:99x", "bolt://h:0"]
)
def test_an_address_that_is_none_is_told_without_trying(uri: str):
    with pytest.raises(InvalidInput, match=r"graph\.neo4j_uri"):
        Neo4jStore(uri, "neo4j", "p", "neo4j", Space("s"))


def test_a_password_in_the_address_is_not_repeated():
    with pytest.raises(InvalidInput, match=r"graph\.neo4j_password") as refusal:
        Neo4jStore(f"bolt://me:hidden@127.0.0.1:{a_free_port()}", "u", "p", "neo4j", Space("s"))
    assert "hidden" not in str(refusal.value)


def test_nodes_of_other_programs_are_neither_seen_nor_touched(
    open_neo4j: OpenNeo4j, driver: neo4j.Driver, space: Space
):
    mark = {"group": space}
    run(
        driver,
        "CREATE (e:Entity {uuid: 'u1', group_id: $group, name: 'Dana'})"
        "-[:RELATES_TO {fact: 'x'}]->(:Entity {uuid: 'u2', group_id: $group}),"
        "(:Episodic {uuid: 'u3', group_id: $group})-[:MENTIONS]->(e),"
        "(:Person {name: 'a stranger', group_id: $group}),"
        "(:Experience:Memory {text: 'not ours', group_id: $group})",
        **mark,
    )
    everything = (
        "MATCH (x {group_id: $group}) OPTIONAL MATCH (x)-[r]-() "
        "RETURN labels(x) AS labels, properties(x) AS properties, count(r) AS edges"
    )
    try:
        before = sorted(map(str, run(driver, everything, **mark)))
        store = open_neo4j(space)
        with TestJournal() as journal:
            live(journal, space, *(HistoryEvent(f"t{n}", "Dana") for n in range(5)))
            project(journal, store, space, 3)
            # Somebody ties a node of theirs to one of ours: the tie goes, their node stays.
            run(
                driver,
                "MATCH (p:Person {space: $group}), (s:Person {name: 'a stranger'}) "
                "CREATE (s)-[:KNOWS]->(p)",
                **mark,
            )
            assert count(store).nodes == {"Experience": 5, "Person": 1, "Session": 1}
            assert "KNOWS" not in digest(store).edges
        store.drop()
        assert sorted(map(str, run(driver, everything, **mark))) == before
        assert run(driver, "MATCH (x {space: $group}) RETURN count(x) AS n", **mark) == [[0]]
    finally:
        run(driver, "MATCH (x {group_id: $group}) DETACH DELETE x", **mark)


def test_dropping_a_space_leaves_the_others(open_neo4j: OpenNeo4j, space: Space):
    mine, other = open_neo4j(space), open_neo4j(Space(f"{space}-other"))
    write(mine, "Dana", seq=3)
    write(other, "Kim", seq=4)
    before = digest(other)
    mine.drop()
    assert (mine.cursor().seq, count(mine).nodes) == (0, {})
    assert (other.cursor().seq, digest(other)) == (4, before)


def test_a_statement_by_hand_needs_the_right_to_every_space(open_neo4j: OpenNeo4j, space: Space):
    mine, other = open_neo4j(space), open_neo4j(Space(f"{space}-other"))
    statement = "MATCH (p:Person) RETURN p.name AS name ORDER BY name"
    write(mine, "Dana")
    assert mine.query(statement, {}, 5, 9).rows == [["Dana"]]
    write(other, "Kim")
    with pytest.raises(Refused, match="--all-spaces"):
        mine.query(statement, {}, 5, 9)
    entitled = open_neo4j(space, all_spaces=True)
    assert entitled.query(statement, {}, 5, 9).rows == [["Dana"], ["Kim"]]


def test_a_named_query_keeps_to_its_space_and_needs_no_such_right(
    open_neo4j: OpenNeo4j, space: Space
):
    stores = {name: open_neo4j(Space(f"{space}-{name}")) for name in ("a", "b")}
    for name, store in stores.items():
        with TestJournal() as journal:
            live(journal, store._space, HistoryEvent(f"hello {name}", f"Dana {name}"))
            project(journal, store, store._space, 9)
    for name, store in stores.items():
        found = store.query(cypher("named/who_talks_most"), {}, 5, 9)
        assert [row[0] for row in found.rows] == [f"Dana {name}"]


def test_of_two_processes_with_one_batch_the_second_writes_nothing(
    open_neo4j: OpenNeo4j, space: Space
):
    first, second = open_neo4j(space), open_neo4j(space)
    write(first, "Dana", seq=1)
    late = ExitStack()
    slow = late.enter_context(second.transaction())
    slow.apply([NodeUpsert("Person", "late", {"name": "late"})])
    slow.move_cursor(Head(Seq(2), b""))
    write(first, "Kim", seq=5)
    with pytest.raises(Unavailable, match="another process is projecting"):
        late.close()
    assert (second.cursor().seq, count(second).nodes) == (5, {"Person": 2})


def test_processes_that_project_one_space_together_agree(
    open_neo4j: OpenNeo4j, space: Space, tmp_path: Path
):
    with TestJournal() as journal:
        live(journal, space, *(HistoryEvent(f"t{n}", f"P{n % 3}") for n in range(30)))
        problems: list[BaseException] = []

        def work(store: Neo4jStore) -> None:
            try:
                project(journal, store, space, 5)
            except BaseException as problem:  # noqa: BLE001 - told to the test below
                problems.append(problem)

        stores = [open_neo4j(space) for _ in range(3)]
        threads = [threading.Thread(target=work, args=(store,)) for store in stores]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        alone = KgliteStore(tmp_path / "g.kgl", space)
        project(journal, alone, space, 500)
        assert digest(stores[0]) == digest(alone)
        alone.close()


def test_a_drop_that_was_cut_off_is_finished_by_the_next_writer(
    open_neo4j: OpenNeo4j, space: Space, monkeypatch: pytest.MonkeyPatch
):
    store = open_neo4j(space)
    write(store, *(f"p{n}" for n in range(10)), seq=7)
    with monkeypatch.context() as broken:

        def cut_off(run: batch_writer.Run) -> int:
            raise ConnectionResetError

        broken.setattr(neo4j_store.batch_writer, "remove_some", cut_off)
        with pytest.raises(Unavailable):
            store.drop()
    again = open_neo4j(space)
    assert again.cursor().seq == 0
    assert count(again).nodes == {"Person": 10}
    write(again, "new", seq=1)
    assert (again.cursor().seq, count(again).nodes) == (1, {"Person": 1})


def test_a_label_whose_ids_others_repeat_is_told(
    open_neo4j: OpenNeo4j, driver: neo4j.Driver, space: Space
):
    run(driver, "DROP CONSTRAINT meridia_Episode_id IF EXISTS")
    run(
        driver, "CREATE (:Episode {id: 'x', theirs: $s}), (:Episode {id: 'x', theirs: $s})", s=space
    )
    try:
        with pytest.raises(Refused, match=r"graph\.neo4j_database"):
            open_neo4j(space).ensure_schema()
    finally:
        run(driver, "MATCH (x:Episode {theirs: $s}) DELETE x", s=space)
    open_neo4j(space).ensure_schema()


def test_two_processes_may_create_the_schema_at_once(
    open_neo4j: OpenNeo4j, driver: neo4j.Driver, space: Space
):
    for (name,) in run(driver, "SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'meridia'"):
        run(driver, f"DROP CONSTRAINT {name}")
    stores = [open_neo4j(space) for _ in range(3)]
    problems: list[BaseException] = []

    def work(store: Neo4jStore) -> None:
        try:
            store.ensure_schema()
        except BaseException as problem:  # noqa: BLE001 - told to the test below
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    rows = run(driver, "SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'meridia' RETURN name")
    assert len(rows) == 10


@pytest.mark.slow
def test_a_server_that_is_killed_between_batches_needs_no_repair(
    neo4j_server: Neo4jServer, open_neo4j: OpenNeo4j, space: Space, tmp_path: Path
):
    if not neo4j_server.can_be_killed:
        pytest.skip("this server is not ours to kill")
    with TestJournal() as journal:
        live(journal, space, *(HistoryEvent(f"t{n}", "Dana") for n in range(30)))
        told: list[int] = []

        def kill_half_way(done: int, total: int) -> None:
            told.append(done)
            if len(told) == 3:
                neo4j_server.kill()

        with pytest.raises(Unavailable):
            project(journal, open_neo4j(space), space, 10, kill_half_way)
        neo4j_server.restart()
        store = open_neo4j(space)
        assert store.cursor().seq == told[2]
        project(journal, store, space, 10)
        alone = KgliteStore(tmp_path / "g.kgl", space)
        project(journal, alone, space, 500)
        assert digest(store) == digest(alone)
        alone.close()
