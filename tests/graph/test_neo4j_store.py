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
from meridia.graph.digest import count, digest
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.neo4j_store import Neo4jStore
from meridia.graph.projector import project, rebuild
from meridia.graph.schema import Partition, cypher
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
        writer.apply(
            [NodeUpsert("Person", f"{store._partition.space}-{n}", {"name": n}) for n in names]
        )
        writer.move_cursor(Head(Seq(seq), b""))


def a_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_server_that_is_down_is_told_at_once_and_by_what_to_set(capfd):
    uri, start = f"bolt://127.0.0.1:{a_free_port()}", time.monotonic()
    with pytest.raises(Unavailable, match=r"does not answer: start it, or set graph\.neo4j_uri"):
        Neo4jStore(uri, "neo4j", "the-password", "neo4j", Partition(Space("s"), "0"))
    assert time.monotonic() - start < 5
    assert capfd.readouterr() == ("", "")


def test_a_wrong_password_is_told_and_never_shown(neo4j_server: Neo4jServer):
    with pytest.raises(Unavailable, match=r"user 'neo4j'.*graph\.neo4j_password") as refusal:
        Neo4jStore(neo4j_server.uri, "neo4j", "the-wrong-one", "neo4j", Partition(Space("s"), "0"))
    assert "the-wrong-one" not in str(refusal.value)


def test_a_database_that_does_not_exist_is_told(neo4j_server: Neo4jServer):
    server = neo4j_server
    with pytest.raises(Unavailable, match=r"no database 'nowhere': set graph\.neo4j_database"):
        Neo4jStore(server.uri, server.user, server.password, "nowhere", Partition(Space("s"), "0"))


@pytest.mark.parametrize(
    "uri", ["", "localhost:7687", "http://localhost:7474", "bolt://", "bolt://h:99x", "bolt://h:0"]
)
def test_an_address_that_is_none_is_told_without_trying(uri: str):
    with pytest.raises(InvalidInput, match=r"graph\.neo4j_uri"):
        Neo4jStore(uri, "neo4j", "p", "neo4j", Partition(Space("s"), "0"))


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
            assert count(store).nodes == {
                "Experience": 5,
                "Person": 1,
                "Relationship": 1,
                "Session": 1,
            }
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


def test_a_statement_by_hand_sees_its_own_space_and_with_the_right_all(
    open_neo4j: OpenNeo4j, space: Space
):
    mine, other = open_neo4j(space), open_neo4j(Space(f"{space}-other"))
    statement = "MATCH (p:Person) RETURN p.name AS name ORDER BY name"
    write(mine, "Dana")
    write(other, "Kim")
    for _ in range(2):
        assert mine.query(statement, {}, 5, 9).rows == [["Dana"]]
        every = mine.query(statement, {}, 5, 9, all_spaces=True)
        assert every.rows == [["Dana"], ["Kim"]]


def test_two_journals_with_the_same_space_and_people_do_not_touch_each_other(
    open_neo4j: OpenNeo4j, space: Space, tmp_path: Path
):
    events = [HistoryEvent(f"t{n}", f"P{n % 3}") for n in range(9)]
    alone = KgliteStore(tmp_path / "g.kgl", space)
    with TestJournal() as first, TestJournal() as second:
        live(first, space, *events)
        live(second, space, *events[:4])
        stores = [open_neo4j(space, "first"), open_neo4j(space, "second")]
        project(first, stores[0], space, 5)
        before = digest(stores[0])
        project(second, stores[1], space, 5)
        assert digest(stores[0]) == before
        project(second, alone, space, 5)
        # Which journal it is does not show in the digest.
        assert digest(stores[1]) == digest(alone)
        rebuild(second, stores[1], space, 5)
        stores[1].drop()
        assert digest(stores[0]) == before
    alone.close()


def test_another_copy_of_a_journal_is_not_taken_over_unless_asked(
    open_neo4j: OpenNeo4j, space: Space
):
    with TestJournal() as mine, TestJournal() as copy:
        live(mine, space, *(HistoryEvent(f"t{n}", "Dana") for n in range(4)))
        live(copy, space, *(HistoryEvent(f"u{n}", "Kim") for n in range(2)))
        store = open_neo4j(space)
        project(mine, store, space, 9)
        before = digest(store)
        with pytest.raises(Refused, match="another copy of this journal.*`meridia rebuild`"):
            project(copy, store, space, 9)
        assert digest(store) == before
        rebuild(copy, store, space, 9)
        assert count(store).nodes["Experience"] == 2


def test_what_a_user_added_survives_projection_and_is_counted_before_it_goes(
    open_neo4j: OpenNeo4j, driver: neo4j.Driver, space: Space, monkeypatch: pytest.MonkeyPatch
):
    mark, store = {"space": space}, open_neo4j(space)
    with TestJournal() as journal:
        live(journal, space, *(HistoryEvent(f"t{n}", "Dana") for n in range(3)))
        project(journal, store, space, 9)
        assert not store.additions()
        run(
            driver,
            "MATCH (p:Person {space: $space}) SET p.team = 'sails', p:Sailor "
            "CREATE (p)-[:KNOWS {mine: true}]->(p), (:Boat {name: 'Gull', of: $space})"
            "<-[:OWNS]-(p)",
            **mark,
        )
        clean = digest(store)
        live(journal, space, *(HistoryEvent(f"v{n}", "Dana") for n in range(3)))
        project(journal, store, space, 9)
        try:
            kept = (
                "MATCH (b:Boat {of: $space})<-[:OWNS]-(p:Sailor)-[k:KNOWS]->(p) "
                "RETURN p.team AS team, k.mine AS mine"
            )
            assert run(driver, kept, **mark) == [["sails", True]]
            assert clean.nodes["Person"] == digest(store).nodes["Person"] == 1
            added = store.additions()
            assert (added.edges, added.names) == (2, [":Sailor", "team"])
            # A new version of the graph would drop it all: not without being asked.
            monkeypatch.setattr(batch_writer, "PROJECTION_VERSION", 99)
            with pytest.raises(Refused, match="2 relationships and :Sailor, team"):
                project(journal, open_neo4j(space), space, 9)
            rebuild(journal, store, space, 9)
            assert not store.additions()
            assert run(driver, "MATCH (b:Boat {of: $space}) RETURN b.name", **mark) == [["Gull"]]
        finally:
            run(driver, "MATCH (b:Boat {of: $space}) DETACH DELETE b", **mark)


def test_a_named_query_keeps_to_its_space_and_needs_no_such_right(
    open_neo4j: OpenNeo4j, space: Space
):
    stores = {name: open_neo4j(Space(f"{space}-{name}")) for name in ("a", "b")}
    for name, store in stores.items():
        with TestJournal() as journal:
            live(journal, store._partition.space, HistoryEvent(f"hello {name}", f"Dana {name}"))
            project(journal, store, store._partition.space, 9)
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
    with pytest.raises(Unavailable, match="another process projected the same space first"):
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


def test_keys_that_others_repeat_are_told(
    open_neo4j: OpenNeo4j, driver: neo4j.Driver, space: Space
):
    run(driver, "DROP CONSTRAINT meridia_key IF EXISTS")
    run(
        driver,
        "CREATE (:Meridia {node_key: 'x', theirs: $s}), (:Meridia {node_key: 'x', theirs: $s})",
        s=space,
    )
    try:
        with pytest.raises(Refused, match=r"graph\.neo4j_database"):
            open_neo4j(space).ensure_schema()
    finally:
        run(driver, "MATCH (x:Meridia {theirs: $s}) DELETE x", s=space)
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
    assert sorted(map(str, rows)) == ["['meridia_MeridiaProjection_id']", "['meridia_key']"]


def test_an_index_that_a_dead_server_left_without_its_constraint_is_made_anew(
    open_neo4j: OpenNeo4j, driver: neo4j.Driver, space: Space
):
    open_neo4j(space).ensure_schema()
    run(driver, "DROP CONSTRAINT meridia_key")
    run(driver, "CREATE INDEX meridia_key FOR (x:Meridia) ON (x.node_key)")
    open_neo4j(Space(f"{space}-2")).ensure_schema()
    rows = run(driver, "SHOW CONSTRAINTS YIELD name WHERE name = 'meridia_key' RETURN name")
    assert [list(row) for row in rows] == [["meridia_key"]]


@pytest.mark.slow
@pytest.mark.thorough  # the server starts twice, and is cold again for the tests after it
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
