"""Users' statements run in another process: none ends or blocks this one, all see the newest."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from meridia.core.errors import InvalidInput, MeridiaError, Refused, Unavailable
from meridia.core.ports import Head
from meridia.core.types import EdgeUpsert, NodeUpsert, Seq, Space
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.queries import query_process

COUNT = "MATCH (p:Person) RETURN count(p) AS people"
#: Doubles a text until memory is full; the engine's own limits do not count texts.
DOUBLING = "RETURN size(reduce(s = 'x', n IN range(1, 60) | s + s)) AS n"
#: Copies a list a hundred thousand times, and looks at no clock meanwhile.
QUADRATIC = "RETURN size(reduce(s = [], n IN range(1, 200000) | s + [n])) AS n"
EVERY_PATH = "MATCH p = allShortestPaths((a:Person)-[:KNOWS*]-(b:Person)) RETURN count(p) AS n"
COMPREHENSIONS = (
    "RETURN size([a IN range(1, 2000) | size([b IN range(1, 2000) | size([c IN range(1, 2000) "
    "| a * b * c])])]) AS n"
)


def write(store: KgliteStore, *names: str, seq: int = 1) -> None:
    with store.transaction() as writer:
        writer.apply([NodeUpsert("Person", f"person_{name}", {"name": name}) for name in names])
        writer.move_cursor(Head(Seq(seq), b""))


def people(store: KgliteStore, timeout_s: float = 10) -> int:
    ((number,),) = store.query(COUNT, {}, timeout_s, 10).rows
    assert isinstance(number, int)
    return number


@pytest.fixture
def small(tmp_path: Path) -> Iterator[KgliteStore]:
    """Yield a store whose statements may use little memory."""
    store = KgliteStore(tmp_path / "small.kgl", Space("home"), query_memory_mb=64)
    write(store, "Dana", "Robin")
    yield store
    store.close()


def test_a_statement_that_takes_all_memory_is_ended_and_the_next_one_answered(small: KgliteStore):
    with pytest.raises(Refused, match="more than 64 MB: narrow it or raise graph.query_memory_mb"):
        small.query(DOUBLING, {}, 30, 10)
    assert people(small) == 2


def test_a_statement_that_looks_at_no_clock_is_ended_at_its_time(small: KgliteStore):
    started = time.monotonic()
    with pytest.raises(Refused, match="took longer than 0.2 s"):
        small.query(QUADRATIC, {}, 0.2, 10)
    assert time.monotonic() - started < 5
    assert people(small) == 2


def test_an_answer_too_large_to_hand_over_is_refused(small: KgliteStore, monkeypatch):
    with pytest.raises(Refused, match="more than|larger than"):
        small.query("RETURN reduce(s = 'x', n IN range(1, 25) | s + s) AS text", {}, 10, 10)
    assert people(small) == 2


def test_what_is_written_is_seen_by_the_next_statement(kglite_store: KgliteStore):
    for number in range(3):
        write(kglite_store, f"p{number}", seq=number + 1)
        assert people(kglite_store) == number + 1
    assert kglite_store.query("MATCH (p:Person) RETURN p.name ORDER BY p.name", {}, 5, 2).truncated


def test_the_process_stays_while_its_statements_behave(kglite_store: KgliteStore):
    write(kglite_store, "Dana")
    people(kglite_store)
    first = running(kglite_store)
    with pytest.raises(InvalidInput):
        kglite_store.query("MATCH nonsense", {}, 5, 10)
    with pytest.raises(Refused):
        kglite_store.query("MATCH (p) SET p.name = 'x'", {}, 5, 10)
    assert people(kglite_store) == 1
    assert running(kglite_store) is first


def test_many_changes_make_it_read_the_graph_again(kglite_store: KgliteStore, monkeypatch):
    monkeypatch.setattr(query_process, "_CHANGES_MAX", 3)
    assert people(kglite_store) == 0
    for number in range(5):
        write(kglite_store, f"p{number}", seq=number + 1)
    assert people(kglite_store) == 5


def test_a_dropped_graph_is_gone_there_too(kglite_store: KgliteStore):
    write(kglite_store, "Dana")
    assert people(kglite_store) == 1
    kglite_store.drop()
    assert people(kglite_store) == 0


def test_a_process_that_ended_by_itself_is_replaced(kglite_store: KgliteStore):
    write(kglite_store, "Dana")
    people(kglite_store)
    running(kglite_store).kill()
    assert people(kglite_store) == 1


def test_a_closed_graph_leaves_its_process_to_the_next(tmp_path: Path):
    one = KgliteStore(tmp_path / "one.kgl", Space("one"))
    write(one, "Dana")
    people(one)
    process = running(one)
    one.close()
    other = KgliteStore(tmp_path / "other.kgl", Space("other"))
    assert people(other) == 0
    assert running(other) is process
    other.close()


def test_more_graphs_than_processes_are_answered_all_the_same(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(query_process, "_PROCESSES_MAX", 1)
    stores = [KgliteStore(tmp_path / f"{n}.kgl", Space(str(n))) for n in range(2)]
    for number, store in enumerate(stores):
        write(store, *(f"p{n}" for n in range(number + 1)))
    for _ in range(2):
        assert [people(store) for store in stores] == [1, 2]
    for store in stores:
        store.close()


def test_statements_of_several_threads_take_turns(small: KgliteStore):
    people(small)
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(people(small))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [2, 2, 2, 2]


def test_who_waits_longer_than_a_statement_may_take_is_told(small: KgliteStore):
    people(small)
    started = threading.Event()

    def long() -> None:
        started.set()
        with pytest.raises(Refused):
            small.query(QUADRATIC, {}, 1, 10)

    thread = threading.Thread(target=long)
    thread.start()
    started.wait()
    time.sleep(0.1)
    with pytest.raises(Unavailable, match=r"other statements ran for 0.2 s: try again"):
        people(small, timeout_s=0.2)
    thread.join()
    assert people(small) == 2


def test_a_fork_asks_a_process_of_its_own(small: KgliteStore):
    assert people(small) == 2
    assert not forked_sees_alive(small)
    assert people(small) == 2


@pytest.mark.thorough
@pytest.mark.parametrize("statement", [DOUBLING, QUADRATIC, EVERY_PATH, COMPREHENSIONS])
def test_nothing_that_ended_or_blocked_the_engine_does_so_here(tmp_path: Path, statement: str):
    store = KgliteStore(tmp_path / "graph.kgl", Space("home"), query_memory_mb=256)
    count = 400
    with store.transaction() as writer:
        writer.apply([NodeUpsert("Person", f"p{n}", {"name": str(n)}) for n in range(count)])
        writer.apply(
            [
                EdgeUpsert("KNOWS", "Person", f"p{n}", "Person", f"p{n * k % count}", {})
                for n in range(count)
                for k in (3, 7, 11)
            ]
        )
    started = time.monotonic()
    with pytest.raises(MeridiaError):
        store.query(statement, {}, 2, 10)
    assert time.monotonic() - started < 15
    assert people(store) == count
    store.close()


def running(store: KgliteStore) -> query_process._Worker:
    worker = store._queries._worker
    assert worker is not None
    return worker


def forked_sees_alive(store: KgliteStore) -> bool:
    worker = running(store)
    child = os.fork()
    if not child:
        os._exit(int(worker.is_alive))
    _, status = os.waitpid(child, 0)
    return bool(os.waitstatus_to_exitcode(status))


def test_statements_beside_writes_and_drops_see_a_whole_graph_and_no_error(tmp_path: Path):
    store = KgliteStore(tmp_path / "busy.kgl", Space("home"))
    write(store, "Dana", "Robin")
    seen: list[int | Exception] = []
    is_over = threading.Event()

    def keep_asking() -> None:
        while not is_over.is_set():
            try:
                seen.append(people(store))
            except Exception as error:  # noqa: BLE001 - looked at below
                seen.append(error)

    askers = [threading.Thread(target=keep_asking) for _ in range(3)]
    for asker in askers:
        asker.start()
    for number in range(12):
        time.sleep(0.15)
        write(store, f"p{number}a", f"p{number}b", seq=number + 2)
        if number % 3 == 0:
            store.drop()
        elif number % 3 == 1:
            store.scrub()
    is_over.set()
    for asker in askers:
        asker.join(60)
    wrong = [each for each in seen if not isinstance(each, int) or each % 2]
    assert seen
    assert not wrong
    assert people(store) == 4
    store.close()


def test_changes_that_it_cannot_make_have_it_read_the_graph_again(kglite_store: KgliteStore):
    write(kglite_store, "Dana")
    assert people(kglite_store) == 1
    running(kglite_store).changes = [("CREATE (:Person {id: 'x'}", {})]
    assert people(kglite_store) == 1
