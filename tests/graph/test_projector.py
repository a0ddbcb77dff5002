"""A projection is the journal's, however it came about: at once, in steps, or after a crash."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from meridia.core.errors import Refused, Unavailable
from meridia.core.ports import GraphStore, GraphWriter, Head
from meridia.core.settings import GraphSettings, Settings
from meridia.core.types import EntryKind, Space
from meridia.graph.digest import Digest, digest
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.projector import VectorGraph, asks_for_vectors, project, project_vectors, rebuild
from meridia.graph.schema import EDGES, LABELS, for_label
from meridia.memory import Memory
from meridia.storage.vectors import VectorTable
from tests.drafts import a_draft
from tests.fakes import FakeEmbedder, waiting
from tests.histories import (
    START,
    HistoryEvent,
    RecordedHistory,
    Step,
    TestJournal,
    append_later,
    capture,
    every_kind,
    histories,
    live,
    meet,
    play,
)
from tests.neo4j_server import Neo4jServer
from tests.storage.projections.test_entry_indexes import filled, take_rules_away
from tests.thorough import examples

HOME = Space("home")
PATIENT = settings(
    max_examples=examples(6),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def a_life(journal: TestJournal, space: Space, length: int = 12) -> list[str]:
    people = ["Dana", "Kim"]
    return live(
        journal,
        space,
        *(
            HistoryEvent(
                f"word {n}", people[n % 2], f"s{n % 3}", {f"w{n % 4}": "w"}, [people[n % 2 - 1]]
            )
            for n in range(length)
        ),
    )


class FailureKind:
    """A store that fails before its nth commit, as a crash or a dropped connection would."""

    def __init__(self, store: GraphStore, commits: int, error: Exception) -> None:
        self._store = store
        self._left = commits
        self._error = error

    def __getattr__(self, name: str):
        return getattr(self._store, name)

    @contextmanager
    def transaction(self) -> Iterator[GraphWriter]:
        with self._store.transaction() as writer:
            yield writer
            self._left -= 1
            if self._left < 0:
                raise self._error


@PATIENT
@given(histories, st.integers(1, 9))
def test_a_graph_projected_step_by_step_equals_one_rebuilt(
    kglite_store: KgliteStore, history: Sequence[Step], batch: int
):
    kglite_store.drop()
    # What is erased after it was projected stays until it is forgotten there too.
    kept = [step for step in history if step[0] != "erase"]
    with TestJournal() as journal:

        def keep_up() -> None:
            if journal.spaces():
                project(journal, kglite_store, HOME, batch)

        play(journal, HOME, kept, keep_up)
        if journal.spaces():
            stepwise = digest(kglite_store)
            rebuild(journal, kglite_store, HOME, 1000)
            assert digest(kglite_store) == stepwise


@PATIENT
@given(histories, st.lists(st.integers(1, 20), min_size=1, max_size=3))
def test_the_size_of_batches_does_not_matter_also_after_erasures(
    kglite_store: KgliteStore, history: Sequence[Step], batches: list[int]
):
    with TestJournal() as journal:
        play(journal, HOME, history, lambda: None)
        if journal.spaces():
            found: set[str] = set()
            for batch in (*batches, 1000):
                rebuild(journal, kglite_store, HOME, batch)
                found.add(digest(kglite_store).hash)
            assert len(found) == 1


@settings(
    max_examples=examples(3),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink takes minutes on a server
)
@given(histories)
def test_kglite_and_neo4j_hold_the_same_graph(
    kglite_store: KgliteStore, open_neo4j: Callable[..., GraphStore], history: Sequence[Step]
):
    with TestJournal() as journal:
        play(journal, HOME, history, lambda: None)
        if journal.spaces():
            found = []
            for store in (kglite_store, open_neo4j(HOME)):
                rebuild(journal, store, HOME, 7)
                found.append(digest(store))
            assert found[0] == found[1]


def test_an_entity_that_nothing_names_has_no_name(graph_store: GraphStore, journal: TestJournal):
    """What named it may have been erased, and only its merge be left."""
    merged = {"entity": "entity_a", "into": "entity_b", "reason": "the same", "by": "user"}
    journal.append(HOME, [a_draft(EntryKind.ENTITIES_MERGED, "", merged, START)])
    rebuild(journal, graph_store, HOME, 1000)
    rows = graph_store.run(
        for_label("read/page_of_nodes", "Entity"), {"after": "", "limit": 9}
    ).rows
    assert [(row[0], "Entity" in str(row[1:])) for row in rows] == [("entity_a", False)]


def test_nothing_new_is_nothing_to_do(graph_store: GraphStore, journal: TestJournal, space: Space):
    ids = a_life(journal, space)
    assert project(journal, graph_store, space, 5) == len(journal.read(space, 0, 1000))
    assert project(journal, graph_store, space, 5) == 0
    assert digest(graph_store).nodes["Experience"] == len(ids)


def test_applying_a_batch_twice_changes_nothing(kglite_store: KgliteStore, journal: TestJournal):
    a_life(journal, HOME)
    project(journal, kglite_store, HOME, 5)
    before = digest(kglite_store)
    with kglite_store.transaction() as writer:
        third = journal.read(HOME, 0, 3)[-1]
        writer.move_cursor(Head(third.seq, third.hash))
    project(journal, kglite_store, HOME, 4)
    assert digest(kglite_store) == before


def whole(journal: TestJournal, space: Space, path: Path) -> Digest:
    store = KgliteStore(path / "whole.kgl", space)
    project(journal, store, space, 1000)
    found = digest(store)
    store.close()
    return found


@pytest.mark.parametrize("commits", [0, 1, 3])
def test_a_crash_between_batches_needs_no_repair(
    open_store: Callable[[], GraphStore],
    journal: TestJournal,
    space: Space,
    commits: int,
    tmp_path: Path,
):
    a_life(journal, space)
    store = open_store()
    with pytest.raises(OSError, match="crash"):
        project(journal, FailureKind(store, commits, OSError("crash")), space, 4)
    store.close()
    again = open_store()
    done = journal.read(space, 0, 1000)[: 4 * commits]
    assert again.cursor().seq == (done[-1].seq if done else 0)
    project(journal, again, space, 4)
    assert digest(again) == whole(journal, space, tmp_path)


def test_a_process_killed_while_it_projects_needs_no_repair(tmp_path: Path):
    journal = TestJournal(tmp_path / "journal.db")
    a_life(journal, HOME, 60)
    script = """
        import os, sys
        from pathlib import Path
        from meridia.core.types import EntryKind, Space
        from meridia.graph.kglite_store import KgliteStore
        from meridia.graph.projector import project
        from tests.histories import TestJournal
        folder, home = Path(sys.argv[1]), Space("home")
        def progress(done, total):
            if done > total / 2:
                os.kill(os.getpid(), 9)
        journal = TestJournal(folder / "journal.db")
        project(journal, KgliteStore(folder / "g.kgl", home), home, 7, progress)
    """
    root = Path(__file__).parents[2]
    killed = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)], cwd=root, check=False
    )
    assert killed.returncode == -9
    store = KgliteStore(tmp_path / "g.kgl", HOME)
    assert 0 < store.cursor().seq < journal.head(HOME).seq
    project(journal, store, HOME, 7)
    assert digest(store) == whole(journal, HOME, tmp_path)
    store.close()
    journal.close()


def test_a_store_that_is_down_says_so_and_is_not_tried_for_ever(
    kglite_store: KgliteStore, journal: TestJournal
):
    a_life(journal, HOME)
    down = FailureKind(kglite_store, 1, Unavailable("down"))
    with pytest.raises(Unavailable, match="down"):
        project(journal, down, HOME, 4)


def test_a_batch_that_another_process_was_faster_with_is_left_to_it(
    kglite_store: KgliteStore, journal: TestJournal, tmp_path: Path
):
    a_life(journal, HOME)

    class Overtaken(FailureKind):
        @contextmanager
        def transaction(self) -> Iterator[GraphWriter]:
            self._left -= 1
            if self._left == 0:
                project(journal, kglite_store, HOME, 9)
                raise Unavailable("another process was faster")
            with kglite_store.transaction() as writer:
                yield writer

    project(journal, Overtaken(kglite_store, 2, OSError()), HOME, 4)
    assert kglite_store.cursor().seq == journal.head(HOME).seq
    assert digest(kglite_store) == whole(journal, HOME, tmp_path)


def test_progress_is_told_until_all_is_done(kglite_store: KgliteStore, journal: TestJournal):
    a_life(journal, HOME)
    recorded: list[tuple[int, int]] = []
    project(journal, kglite_store, HOME, 5, lambda done, total: recorded.append((done, total)))
    total = journal.head(HOME).seq
    assert recorded[-1] == (total, total)
    assert recorded == sorted(recorded)
    assert len(recorded) > 1


def test_spaces_of_one_journal_do_not_mix(journal: TestJournal, tmp_path: Path):
    work = Space("work")
    for n in range(5):
        live(journal, HOME, HistoryEvent(f"home {n}", "Dana"))
        live(journal, work, HistoryEvent(f"work {n}", "Dana"))
    stores = {name: KgliteStore(tmp_path / f"{name}.kgl", name) for name in (HOME, work)}
    for name, store in stores.items():
        project(journal, store, name, 2)
        said = store.query("MATCH (e:Experience) RETURN e.text AS text ORDER BY e.seq", {}, 5, 50)
        assert [row[0] for row in said.rows] == [f"{name} {n}" for n in range(5)]
        store.close()


def test_what_hangs_on_an_erased_experience_goes_with_it(
    kglite_store: KgliteStore, journal: TestJournal
):
    said = [HistoryEvent(f"t{n}", "Dana", concepts={f"c{n}": "c"}) for n in range(3)]
    first, second, third = live(journal, HOME, *said)
    journal.erase(second)
    for batch in (1, 100):
        rebuild(journal, kglite_store, HOME, batch)
        found = digest(kglite_store)
        assert found.nodes == {
            "Experience": 2,
            "Person": 1,
            "Session": 1,
            "Concept": 2,
            "Relationship": 1,
        }
        assert found.edges["NEXT"] == 1, "what came after it follows what came before"
    ids = kglite_store.query("MATCH (e:Experience) RETURN e.id AS id ORDER BY e.seq", {}, 5, 5)
    assert [row[0] for row in ids.rows] == [first, third]


def project_another(journal: TestJournal, store: GraphStore, space: Space) -> None:
    """Project another journal than a graph was made from; a shared one only when asked."""
    if store.shared:
        with pytest.raises(Refused, match="another copy of this journal"):
            project(journal, store, space, 5)
        rebuild(journal, store, space, 5)
    else:
        project(journal, store, space, 5)


def test_a_graph_made_from_another_journal_is_made_anew(
    graph_store: GraphStore, space: Space, tmp_path: Path
):
    for shorter in (False, True):
        with TestJournal() as old, TestJournal() as new:
            a_life(old, space, 8)
            a_life(new, space, 3 if shorter else 8)
            rebuild(old, graph_store, space, 5)
            project_another(new, graph_store, space)
            assert digest(graph_store) == whole(new, space, tmp_path / str(shorter))


def test_a_journal_that_went_another_way_after_the_same_experience_is_another(
    graph_store: GraphStore, journal: TestJournal, space: Space, tmp_path: Path
):
    a_life(journal, space, 3)
    with journal.file.reading() as connection:
        connection.execute("VACUUM INTO ?", (str(tmp_path / "backup.db"),))
    with TestJournal(tmp_path / "backup.db") as restored:
        meet(journal, space, "Noor", ["N"])
        meet(restored, space, "Noor", ["Nori"])
        rebuild(journal, graph_store, space, 5)
        project_another(restored, graph_store, space)
        assert digest(graph_store) == whole(restored, space, tmp_path)


def test_a_journal_with_nothing_but_erased_experiences_gives_an_empty_graph(
    kglite_store: KgliteStore, journal: TestJournal
):
    for id in capture(journal, HOME, HistoryEvent("a"), HistoryEvent("b")):
        journal.erase(id)
    assert project(journal, kglite_store, HOME, 10) == 2
    assert project(journal, kglite_store, HOME, 10) == 0
    assert digest(kglite_store).nodes == {}


# Entries of every kind


def test_every_kind_of_entry_gives_one_graph_on_every_engine_in_batches_of_any_size(
    graph_store: GraphStore, journal: TestJournal, space: Space, tmp_path: Path
):
    every_kind(journal, space)
    assert set(journal.count(space)) == set(EntryKind)
    project(journal, graph_store, space, 7)
    found = digest(graph_store)
    assert found == whole(journal, space, tmp_path)
    # Those need artifacts and people who are spoken of.
    assert set(found.edges) == set(EDGES) - {"INVOLVES", "REFERENCES"}
    assert set(found.nodes) == set(LABELS) - {"Artifact"}


def test_a_graph_that_holds_what_was_forgotten_is_emptied_before_it_is_used(
    graph_store: GraphStore, journal: TestJournal, space: Space, tmp_path: Path
):
    gone, *_ = live(journal, space, HistoryEvent("a secret", "Dana"), HistoryEvent("a boat"))
    project(journal, graph_store, space, 100)
    first = journal.by_ids(space, [gone])[0].seq
    journal.erase(gone)
    said = {"scope": "ids", "erased": [[first, first]], "memories": 1}
    journal.append(space, [a_draft(EntryKind.FORGOTTEN, "", said)])
    live(journal, space, HistoryEvent("a mast", "Kim"))
    project(journal, graph_store, space, 100)
    assert digest(graph_store) == whole(journal, space, tmp_path)
    texts = graph_store.query("MATCH (e:Experience) RETURN e.text AS text", {}, 5, 9)
    assert {row[0] for row in texts.rows} == {"a boat", "a mast"}
    assert project(journal, graph_store, space, 100) == 0


def erased_in_part(journal: TestJournal, space: Space) -> list[str]:
    """Let a life with every kind of entry happen, and erase two experiences of it."""
    recorded = RecordedHistory()
    event = HistoryEvent("a word", "Dana")
    for _ in range(4):
        recorded.take(space, event, *live(journal, space, event))
    for way in range(8):
        for kind in list(EntryKind)[2:]:
            if kind is not EntryKind.PERSON_MET:
                append_later(journal, space, recorded, kind, way, way + 1, way)
    for id in recorded.ids[1:3]:
        journal.erase(id)
    return recorded.ids


@pytest.mark.timeout(60)
@pytest.mark.parametrize("between", [1, 5])
def test_a_graph_follows_a_forgetting_also_when_other_spaces_wrote_meanwhile(between: int):
    with Memory(None, "home", Settings(), embedder=FakeEmbedder()) as memory:
        other = memory.in_space("other")
        for number in range(3):
            memory.remember(f"Word {number} of Dana.", person="Dana", id=f"m{number}")
        memory.enrich()
        memory.graph.project()
        for number in range(between):
            other.remember(f"We sell umbrellas in {number} towns.", person="Lee")
        memory.forget(ids=["m1"])
        assert memory.graph.counts()["Experience"] == 2
        followed = memory.graph.digest()
        memory.upkeep.rebuild()
        assert memory.graph.digest() == followed


def test_what_was_said_about_an_erased_experience_goes_with_it_whatever_its_kind(
    graph_store: GraphStore, journal: TestJournal, space: Space, tmp_path: Path
):
    kept = erased_in_part(journal, space)
    project(journal, graph_store, space, 5)
    found = graph_store.query("MATCH (e:Experience) RETURN e.id AS id ORDER BY e.seq", {}, 5, 9)
    assert [row[0] for row in found.rows] == [kept[0], kept[3]]
    related = graph_store.query("MATCH (:Experience)-[:RELATED]->(x) RETURN x.id AS id", {}, 5, 99)
    assert {row[0] for row in related.rows} <= {kept[0], kept[3]}
    loose = "MATCH (f:Fact) WHERE NOT (f)-[:STATED_IN]->() RETURN count(f) AS n"
    assert graph_store.query(loose, {}, 5, 9).rows[0][0] == 0
    loose = (
        "MATCH (t:Transition) WHERE t.field <> 'relationship' AND NOT (t)-[:TRIGGERED_BY]->() "
        "RETURN count(t) AS n"
    )
    assert graph_store.query(loose, {}, 5, 9).rows[0][0] == 0
    assert digest(graph_store) == whole(journal, space, tmp_path)


@pytest.mark.parametrize("erased", [0, 1], ids=["the old fact", "the new fact"])
def test_a_supersession_of_facts_that_were_stated_in_what_was_erased_goes_with_it(
    kglite_store: KgliteStore, journal: TestJournal, erased: int
):
    recorded, event = RecordedHistory(), HistoryEvent("a word")
    for place in range(2):
        recorded.take(HOME, event, *live(journal, HOME, event))
        append_later(journal, HOME, recorded, EntryKind.FACT_ASSERTED, place, place, place)
    old, new = recorded.facts
    payload = {"fact": old, "by_fact": new, "relation": "supersedes", "t_invalid": None}
    journal.append(HOME, [a_draft(EntryKind.FACT_SUPERSEDED, "", payload)])
    journal.erase(recorded.ids[erased])
    project(journal, kglite_store, HOME, 100)
    found = kglite_store.query("MATCH (f:Fact) RETURN f.id AS id, f.text AS text", {}, 5, 9)
    assert [row[0] for row in found.rows] == [recorded.facts[1 - erased]]


def test_a_person_whose_own_threshold_was_taken_away_has_none_in_the_graph(
    kglite_store: KgliteStore, journal: TestJournal
):
    recorded, event = RecordedHistory(), HistoryEvent("a word", "Dana")
    recorded.take(HOME, event, *live(journal, HOME, event))
    for way in (1, 2):  # with a threshold, and without
        append_later(journal, HOME, recorded, EntryKind.RELATIONSHIP_CHANGED, 0, 0, way)
    project(journal, kglite_store, HOME, 1)
    asked = "MATCH (:Person)-->(x:Relationship) RETURN x.kind AS r, x.threshold AS t"
    found = kglite_store.query(asked, {}, 5, 9)
    assert [list(row) for row in found.rows] == [["user", None]]


def test_a_graph_of_what_is_read_otherwise_is_made_anew(open_store, space, monkeypatch):
    """On kglite and on neo4j: it is the one that a rebuild makes."""
    with filled(space) as memory:
        journal = memory.parts.journal
        memory.enrich()
        store = open_store()
        project(journal, store, space, 5)
        before = digest(store)
        with monkeypatch.context() as patch:
            take_rules_away(patch)
            memory.enrich(again=True)
        project(journal, store, space, 5)
        after = digest(store)
        assert after != before
        rebuild(journal, store, space, 500)
        assert digest(store) == after


def test_one_batch_is_applied_however_late_it_is(
    graph_store: GraphStore, journal: TestJournal, space: Space
):
    a_life(journal, space)
    assert project(journal, graph_store, space, 2, should_continue=lambda: False) == 2


COUNT = "MATCH (e:Experience) RETURN count(e.embedding) AS n"
NEAR = (
    "MATCH (e:Experience {event_id: $id}) "
    "CALL db.index.vector.queryNodes('meridia_vectors', 9, e.embedding) YIELD node, score "
    "RETURN node.event_id AS id, score ORDER BY score DESC, id"
)


@pytest.fixture
def memory(neo4j_server: Neo4jServer, tmp_path: Path) -> Iterator[Memory]:
    """Yield a memory with two messages in each of two spaces, in a Neo4j."""
    graph = GraphSettings(
        engine="neo4j",
        neo4j_uri=neo4j_server.uri,
        neo4j_user=neo4j_server.user,
        neo4j_password=SecretStr(neo4j_server.password),
    )
    settings = waiting(Settings(graph=graph))
    with Memory(tmp_path / "a.db", "home", settings, embedder=FakeEmbedder()) as memory:
        for space in ("home", "away"):
            here = memory.in_space(space)
            here.remember("the boat is in the harbour", person="Dana", id=f"{space}-1")
            here.remember("lunch was late", person="Robin", id=f"{space}-2")
        yield memory
        for space in ("home", "away"):
            memory.in_space(space).graph.store().drop()


def test_a_statement_that_names_vectors_asks_for_them():
    assert asks_for_vectors("CALL db.index.Vector.queryNodes('a', 1, $v) YIELD node RETURN node")
    assert asks_for_vectors("MATCH (e:Experience) RETURN e.embedding")
    assert not asks_for_vectors("MATCH (e:Experience) RETURN e.text")


def test_neo4j_finds_what_is_near_within_the_own_space(memory: Memory):
    assert memory.query("MATCH (e:Experience) RETURN count(e) AS n").rows == [[2]]
    before = memory.graph.digest()
    rows = memory.query(NEAR, {"id": "home-1"}).rows
    assert [row[0] for row in rows] == ["home-1", "home-2"]
    assert rows[0][1] == pytest.approx(1.0, abs=0.01)
    memory.remember("another boat", person="Dana", id="home-3")
    assert memory.query(COUNT).rows == [[3]]
    away = memory.in_space("away").query(NEAR, {"id": "away-1"}).rows
    assert {row[0] for row in away} == {"away-1", "away-2"}
    ((shown,),) = memory.query("MATCH (e:Experience {event_id: 'home-1'}) RETURN e").rows
    assert "embedding" not in str(shown)
    assert memory.in_space("away").graph.digest().nodes == before.nodes


def test_vectors_in_neo4j_are_no_addition_and_come_again_after_a_rebuild(memory: Memory):
    assert memory.query(COUNT).rows == [[2]]
    before = memory.graph.digest().hash
    memory.upkeep.rebuild()
    assert memory.graph.digest().hash == before
    assert memory.query(COUNT).rows == [[2]]


def test_neo4j_gets_them_once_and_those_of_another_model_are_replaced(memory: Memory):
    memory.query(COUNT)
    store, embedder = memory.graph.store(), FakeEmbedder()
    assert isinstance(store, VectorGraph)
    table = VectorTable(memory.parts.space(memory.space))
    until = memory.status().seq
    assert project_vectors(table, store, embedder.model, until) == 0
    assert project_vectors(table, store, "another", until) == 0
    assert store.run("MATCH (x:Experience{scope}) RETURN count(x.embedding)", {}).rows == [[0]]
    assert project_vectors(table, store, embedder.model, until) == 2


def test_the_embedded_engine_says_that_it_has_none(tmp_path: Path):
    settings = waiting(Settings(graph=GraphSettings(engine="embedded")))
    with (
        Memory(tmp_path / "a.db", "home", settings, embedder=FakeEmbedder()) as memory,
        pytest.raises(Refused, match="has no vectors: search by meaning with `meridia recall`"),
    ):
        memory.query(NEAR, {"id": "a"})
