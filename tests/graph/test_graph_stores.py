"""What every graph store promises, whichever engine is behind it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia.core.errors import Damaged, InvalidInput, Refused
from meridia.core.people import Directory
from meridia.core.ports import GraphStore, Head
from meridia.core.time import to_text
from meridia.core.types import EdgeUpsert, Entry, EntryKind, NodeUpsert, Seq, Space
from meridia.graph import batch_writer
from meridia.graph.digest import count, digest
from meridia.graph.erasure_filter import with_identities
from meridia.graph.mutations import mutations
from meridia.graph.projector import project
from meridia.graph.schema import CYPHER, EDGES, LABELS, cypher
from tests.histories import HistoryEvent, TestJournal, every_kind, live
from tests.thorough import examples

#: Opens the test's store again, as another process would after the first one closed it.
OpenStore = Callable[[], GraphStore]

SINCE = datetime(2026, 3, 1, 10, 0, 5, 123456, tzinfo=UTC)


def a_person(name: str, **properties: Any) -> NodeUpsert:
    return NodeUpsert("Person", f"person_{name}", {"name": name} | properties)


def a_memory(number: int, **properties: Any) -> NodeUpsert:
    return NodeUpsert("Experience", f"e{number:06}", {"seq": number} | properties)


def an_edge(type: str, source: NodeUpsert, target: NodeUpsert) -> EdgeUpsert:
    properties = {"weight": 1.0, "since": SINCE, "source_seq": 1}
    return EdgeUpsert(type, source.label, source.id, target.label, target.id, properties)


def write(store: GraphStore, *changes: NodeUpsert | EdgeUpsert, seq: int = 1) -> None:
    with store.transaction() as writer:
        writer.apply(changes)
        writer.move_cursor(Head(Seq(seq), b""))


def ask(store: GraphStore, statement: str, limit: int = 100, **parameters: Any) -> list[list[Any]]:
    found = store.query(statement, parameters, timeout_s=20, row_limit=limit)
    return [list(row) for row in found.rows]


def test_a_new_store_holds_nothing(graph_store: GraphStore):
    graph_store.ensure_schema()
    assert graph_store.cursor().seq == 0
    assert (count(graph_store).nodes, count(graph_store).edges) == ({}, {})


def test_what_was_committed_is_there_with_its_cursor_when_the_store_is_opened_again(
    open_store: OpenStore,
):
    store = open_store()
    write(store, a_person("Dana"), a_memory(1), seq=41)
    store.close()
    again = open_store()
    assert again.cursor().seq == 41
    assert ask(again, "MATCH (p:Person) RETURN p.name AS name") == [["Dana"]]


def test_a_failure_in_a_transaction_leaves_nothing_of_it(graph_store: GraphStore):
    write(graph_store, a_person("Dana"), seq=3)
    with suppress(ZeroDivisionError), graph_store.transaction() as writer:
        writer.apply([a_person("Kim")])
        writer.move_cursor(Head(Seq(9), b""))
        raise ZeroDivisionError
    assert graph_store.cursor().seq == 3
    assert ask(graph_store, "MATCH (p:Person) RETURN p.name AS name") == [["Dana"]]


def test_an_edge_without_an_end_is_an_error_and_nothing_of_its_transaction_is_written(
    graph_store: GraphStore,
):
    write(graph_store, a_person("Dana"), seq=1)
    said = an_edge("SPOKEN_BY", a_memory(1), a_person("nobody"))
    with pytest.raises(Damaged, match="1 of 1 SPOKEN_BY edges"):
        write(graph_store, a_memory(1), a_person("Kim"), said, seq=2)
    assert graph_store.cursor().seq == 1
    assert count(graph_store).nodes == {"Person": 1}


def test_a_node_written_twice_is_one_and_keeps_what_the_later_does_not_name(
    graph_store: GraphStore,
):
    write(graph_store, a_person("Dana", aliases=["D"]), seq=1)
    write(graph_store, NodeUpsert("Person", "person_Dana", {"name": "Dana K."}), seq=2)
    rows = ask(graph_store, "MATCH (p:Person) RETURN p.name AS name, p.aliases AS aliases")
    assert rows == [["Dana K.", ["D"]]]


def test_an_edge_written_twice_is_one(graph_store: GraphStore):
    said = an_edge("SPOKEN_BY", a_memory(1), a_person("Dana"))
    write(graph_store, a_memory(1), a_person("Dana"), said, said, seq=1)
    write(graph_store, said, seq=2)
    assert count(graph_store).edges == {"SPOKEN_BY": 1}


def test_only_what_can_be_recalled_has_the_second_label(graph_store: GraphStore):
    write(graph_store, a_memory(1), a_person("Dana"))
    rows = ask(graph_store, "MATCH (x) WHERE x:Memory RETURN x.id AS id")
    assert rows == [["e000001"]]


INSTANTS = [
    datetime(1, 1, 2, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2026, 3, 29, 3, 30, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    datetime(9999, 12, 30, 23, 59, 59, 999999, tzinfo=UTC),
]


@pytest.mark.parametrize("instant", INSTANTS, ids=str)
def test_an_instant_comes_back_as_the_same_instant_in_utc(
    graph_store: GraphStore, instant: datetime
):
    write(graph_store, a_memory(1, at=instant))
    ((text,),) = ask(graph_store, "MATCH (e:Experience) RETURN e.at AS at")
    assert datetime.fromisoformat(text) == instant
    assert text.endswith("Z")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "2026-03-01T10:00:00Z",
        'it\'s \\ "x" `y` {label} $space',
        "日本 été 🚤 \u2028",
        "x" * 100_000,
    ],
    ids=["empty", "like a time", "like a statement", "any script", "long"],
)
def test_text_comes_back_as_it_was(graph_store: GraphStore, value: str):
    write(graph_store, a_memory(1, text=value))
    assert ask(graph_store, "MATCH (e:Experience) RETURN e.text AS text") == [[value]]


def test_a_node_an_edge_and_a_path_look_the_same_on_every_engine(graph_store: GraphStore):
    person, memory = a_person("Dana"), a_memory(1, text="hi", at=SINCE)
    write(graph_store, person, memory, an_edge("SPOKEN_BY", memory, person))
    ((e, r, path),) = ask(
        graph_store, "MATCH path = (e:Experience)-[r:SPOKEN_BY]->(:Person) RETURN e, r, path"
    )
    when = "2026-03-01T10:00:05.123456Z"
    space = e["properties"].pop("space")
    assert e == {
        "labels": ["Experience", "Memory"],
        "properties": {"id": "e000001", "seq": 1, "text": "hi", "at": when},
    }
    assert r["type"] == "SPOKEN_BY"
    assert r["properties"] == {"weight": 1.0, "since": when, "source_seq": 1, "space": space}
    assert [node["labels"] for node in path["nodes"]] == [["Experience", "Memory"], ["Person"]]
    assert path["relationships"] == [r]


def test_a_query_has_parameters_and_the_space_is_always_the_store_s_own(
    graph_store: GraphStore, space: Space
):
    rows = ask(
        graph_store, "RETURN $a + 1 AS a, $b AS b, $space AS space", a=1, b=[1, None], space="x"
    )
    assert rows == [[2, [1, None], space]]


@pytest.mark.parametrize(
    "value",
    [2**63, float("nan"), SINCE.replace(tzinfo=None), object(), [{"x": {1, 2}}]],
    ids=["too large", "no number", "no timezone", "no value", "a set"],
)
def test_a_parameter_that_no_engine_can_take_is_named(graph_store: GraphStore, value: Any):
    with pytest.raises(InvalidInput, match="parameter 'odd"):
        graph_store.query("RETURN $odd AS x", {"odd": value}, 5, 10)


def test_a_row_limit_cuts_and_says_so(graph_store: GraphStore):
    rows = "UNWIND range(1, 5) AS x RETURN x"
    cut = graph_store.query(rows, {}, 5, 3)
    assert ([row[0] for row in cut.rows], cut.truncated) == ([1, 2, 3], True)
    whole = graph_store.query(rows, {}, 5, 5)
    assert (len(whole.rows), whole.truncated) == (5, False)


def test_a_label_that_nothing_has_is_pointed_out(graph_store: GraphStore):
    write(graph_store, a_person("Dana"))
    found = graph_store.query("MATCH (x:Peron) RETURN x.id AS id", {}, 5, 10)
    assert not found.rows
    assert any("Peron" in note for note in found.notes)


def test_the_plan_of_a_statement_can_be_seen(graph_store: GraphStore):
    found = graph_store.query("explain MATCH (x:Person) RETURN x.id AS id", {}, 5, 10)
    assert list(found.columns) == ["step", "operation", "estimated_rows"]
    assert [row[0] for row in found.rows] == list(range(1, len(found.rows) + 1))


@pytest.mark.parametrize(
    "statement",
    ["RETU 1", "MATCH (x RETURN x", "RETURN unknown", "RETURN $missing AS x", "", " // nothing"],
)
def test_a_mistake_is_the_author_s_and_is_explained(graph_store: GraphStore, statement: str):
    with pytest.raises(InvalidInput):
        graph_store.query(statement, {}, 5, 10)


def test_a_query_that_takes_too_long_is_ended(graph_store: GraphStore):
    write(graph_store, *(a_memory(n) for n in range(400)))
    endless = (
        "MATCH (a:Experience), (b:Experience), (c:Experience), (d:Experience) "
        "WHERE a.seq + b.seq + c.seq + d.seq = -1 RETURN count(*) AS n"
    )
    with pytest.raises(Refused, match=r"longer than 0\.3 s: narrow it or raise --timeout"):
        graph_store.query(endless, {}, 0.3, 10)
    assert ask(graph_store, "RETURN 1 AS x") == [[1]]


def test_dropping_leaves_nothing_and_the_store_goes_on(graph_store: GraphStore):
    people = [a_person(f"p{n}") for n in range(30)]
    memories = [a_memory(n) for n in range(1500)]
    edges = [an_edge("SPOKEN_BY", m, people[n % 30]) for n, m in enumerate(memories)]
    write(graph_store, *people, *memories, *edges, seq=9)
    graph_store.drop()
    assert graph_store.cursor().seq == 0
    assert ask(graph_store, "MATCH (x) RETURN count(x) AS n") == [[0]]
    write(graph_store, a_person("Dana"), seq=2)
    assert (graph_store.cursor().seq, count(graph_store).nodes) == (2, {"Person": 1})


def test_dropping_an_empty_store_is_nothing(graph_store: GraphStore):
    graph_store.drop()
    graph_store.drop()
    assert graph_store.cursor().seq == 0


def test_a_graph_of_an_older_version_counts_as_empty_and_is_replaced(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as earlier:
        earlier.setattr(batch_writer, "PROJECTION_VERSION", 3)
        store = open_store()
        with store.transaction() as writer:
            writer.apply([a_person("old")])
        store.close()
    again = open_store()
    assert again.cursor().seq == 0
    write(again, a_person("new"), seq=1)
    assert ask(again, "MATCH (p:Person) RETURN p.name AS name") == [["new"]]


def test_a_graph_of_a_newer_version_is_refused_and_stays(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as later:
        later.setattr(batch_writer, "PROJECTION_VERSION", 77)
        store = open_store()
        write(store, a_person("new"), seq=1)
        store.close()
    with pytest.raises(Refused, match=r"newer Meridia \(version 77"):
        write(open_store(), a_person("old"), seq=2)
    monkeypatch.setattr(batch_writer, "PROJECTION_VERSION", 77)
    assert ask(open_store(), "MATCH (p:Person) RETURN p.name AS name") == [["new"]]


def test_words_are_found_however_many_texts_there_are(graph_store: GraphStore):
    # More than one engine keeps up with by itself.
    for start in (0, 1200):
        texts = [a_memory(n, text=f"boat number{n}") for n in range(start, start + 1200)]
        write(graph_store, *texts, seq=start + 1)
        table = graph_store.run(cypher("named/find_text"), {"words": f"number{start + 7}"})
        assert [row[0] for row in table.rows] == [f"boat number{start + 7}"]
    asked = (
        "CALL db.index.fulltext.queryNodes('meridia_text', $words) YIELD node RETURN node.id AS id"
    )
    assert ask(graph_store, asked, words="number8") == [["e000008"]]


def test_threads_write_one_after_the_other(open_store: OpenStore):
    store = open_store()
    store.ensure_schema()
    journal, space = TestJournal(), Space("threads")
    live(journal, space, *(HistoryEvent(text=f"t{n}", person="Dana") for n in range(40)))
    problems: list[BaseException] = []

    def work() -> None:
        try:
            project(journal, store, space, 7)
        except BaseException as problem:  # noqa: BLE001 - told to the test below
            problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert store.cursor().seq == journal.head(space).seq
    assert count(store).edges["NEXT"] == 39
    journal.close()


def named_queries() -> list[str]:
    return sorted(file.stem for file in (CYPHER / "named").glob("*.cypher"))


NAMED = {
    "find_text": [["a boat trip", "2026-03-01T10:01:00.000000Z"]],
    "artifacts": [["file:///a.png", "image", "a boat", "2026-03-01T10:06:00.000000Z", 1]],
    "shared_concepts": [["boat", 1, 1]],
    "tools": [["bash", 1, "2026-03-01T10:05:00.000000Z"]],
    "who_knows_about": [
        ["Dana", 1, "2026-03-01T10:01:00.000000Z"],
        ["Kim", 1, "2026-03-01T10:02:00.000000Z"],
    ],
    "topics_of_person": [
        ["boat", 1, "2026-03-01T10:01:00.000000Z"],
        ["trip", 1, "2026-03-01T10:01:00.000000Z"],
    ],
    "who_talks_most": [
        ["Dana", 2, "2026-03-01T10:01:00.000000Z", "2026-03-01T10:06:00.000000Z"],
        ["Kim", 2, "2026-03-01T10:02:00.000000Z", "2026-03-01T10:04:00.000000Z"],
        ["Ali", 1, "2026-03-01T10:03:00.000000Z", "2026-03-01T10:03:00.000000Z"],
    ],
    "busiest_sessions": [
        ["s2", 4, 3, "2026-03-01T10:03:00.000000Z", "2026-03-01T10:06:00.000000Z"],
        ["s1", 2, 2, "2026-03-01T10:01:00.000000Z", "2026-03-01T10:02:00.000000Z"],
    ],
    "sessions_of_person": [
        ["s2", 1, "2026-03-01T10:06:00.000000Z", "2026-03-01T10:06:00.000000Z"],
        ["s1", 1, "2026-03-01T10:01:00.000000Z", "2026-03-01T10:01:00.000000Z"],
    ],
    "conversation": [
        ["2026-03-01T10:01:00.000000Z", "Dana", "user_message", "a boat trip"],
        ["2026-03-01T10:02:00.000000Z", "Kim", "user_message", "the boat's engine"],
    ],
    "last_messages": [
        ["2026-03-01T10:06:00.000000Z", "look"],
        ["2026-03-01T10:01:00.000000Z", "a boat trip"],
    ],
    "mentions_of_person": [["2026-03-01T10:04:00.000000Z", "Kim", "ask Dana"]],
    "path_between": [
        [0, "Person", "Dana"],
        [1, "Experience", "ask Dana"],
        [2, "Person", "Kim"],
    ],
}


def a_few_days(journal: TestJournal, space: Space) -> None:
    at = lambda minute: datetime(2026, 3, 1, 10, minute, tzinfo=UTC)  # noqa: E731
    picture = {"uri": "file:///a.png", "kind": "image", "description": "a boat"}
    boat, engine = {"boat": "boat"}, {"engin": "engine"}
    live(
        journal,
        space,
        HistoryEvent("a boat trip", "Dana", concepts=boat | {"trip": "trip"}, at=at(1)),
        HistoryEvent("the boat's engine", "Kim", concepts=boat | engine, at=at(2)),
        HistoryEvent("engine repair", "Ali", "s2", concepts=engine, at=at(3)),
        HistoryEvent("ask Dana", "Kim", "s2", mentions=["Dana"], at=at(4)),
        HistoryEvent("done", None, "s2", tool="bash", at=at(5)),
        HistoryEvent("look", "Dana", "s2", artifacts=[picture], at=at(6)),
    )


@pytest.mark.parametrize("name", named_queries())
def test_a_named_query_answers(
    graph_store: GraphStore, journal: TestJournal, space: Space, name: str
):
    a_few_days(journal, space)
    project(journal, graph_store, space, 500)
    values = {"person": "dana", "other": "KIM", "session": "s1", "word": "boat", "words": "trip"}
    rows = ask(graph_store, cypher(f"named/{name}"), **values)
    assert [row[: len(NAMED[name][0])] for row in rows] == NAMED[name]


@settings(
    max_examples=examples(4),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.dictionaries(
        st.sampled_from(["text", "kind", "tool"]),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30),
    ),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_what_is_read_is_what_was_written(
    graph_store: GraphStore, said: dict[str, str], number: int, weight: float
):
    memory, person = a_memory(1, **said), a_person("Dana")
    edge = an_edge("SPOKEN_BY", memory, person)
    graph_store.drop()
    write(
        graph_store,
        NodeUpsert(memory.label, memory.id, {**memory.properties, "seq": number}),
        person,
        EdgeUpsert(
            edge.type,
            edge.source_label,
            edge.source,
            edge.target_label,
            edge.target,
            {**edge.properties, "weight": weight},
        ),
    )
    fields = ", ".join(f"e.{name} AS {name}" for name in ("text", "kind", "tool", "seq"))
    ((*texts, seq, read),) = ask(
        graph_store, f"MATCH (e:Experience)-[r:SPOKEN_BY]->() RETURN {fields}, r.weight AS weight"
    )
    assert texts == [said.get(name) for name in ("text", "kind", "tool")]
    assert (seq, read) == (number, weight)
    assert digest(graph_store).nodes == {"Experience": 1, "Person": 1}


def plain(value: Any) -> Any:
    """Return a property as a query gives it back."""
    return to_text(value) if isinstance(value, datetime) else value


def folded(entries: Sequence[Entry], directory: Directory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what nodes and edges look like once all entries were applied, by label and type."""
    nodes: dict[str, Any] = {label: {} for label in LABELS}
    edges: dict[str, Any] = {type: {} for type in EDGES}
    for change in (with_identities(c, directory) for e in entries for c in mutations(e)):
        given = {name: plain(value) for name, value in change.properties.items()}
        if isinstance(change, NodeUpsert):
            defaults = {name: v for name, v in LABELS[change.label].defaults.items() if v}
            nodes[change.label].setdefault(change.id, {"id": change.id, **defaults}).update(given)
        else:
            edges[change.type].setdefault((change.source, change.target), {}).update(given)
    return nodes, edges


def test_every_kind_of_entry_is_in_the_graph_with_all_that_it_says(
    graph_store: GraphStore, journal: TestJournal, space: Space
):
    every_kind(journal, space)
    entries = journal.read(space, 0, 1000)
    assert {entry.kind for entry in entries} == set(EntryKind)
    nodes, edges = folded(entries, journal.directory(space))
    project(journal, graph_store, space, 11)
    for label, expected in nodes.items():
        rows = ask(graph_store, f"MATCH (x:{label}) RETURN x")
        assert {x["properties"]["id"]: x["properties"] for (x,) in rows} == expected, label
    for type, expected in edges.items():
        rows = ask(graph_store, f"MATCH (a)-[x:{type}]->(b) RETURN a.id AS a, b.id AS b, x")
        assert {(a, b): x["properties"] for a, b, x in rows} == expected, type


def test_every_kind_of_entry_can_be_applied_again(
    graph_store: GraphStore, journal: TestJournal, space: Space
):
    every_kind(journal, space)
    project(journal, graph_store, space, 500)
    before = digest(graph_store)
    with graph_store.transaction() as writer:
        entries = journal.read(space, 0, 1000)
        directory = journal.directory(space)
        changes = [with_identities(c, directory) for e in entries for c in mutations(e)]
        writer.apply(changes)
    assert digest(graph_store) == before
