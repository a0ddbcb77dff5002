"""What is forgotten is nowhere any more, and the rest is as if it had never been told."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from meridia import Memory
from meridia.core.errors import InvalidInput, NotFound, UnknownPerson
from meridia.core.settings import GraphSettings, Settings
from meridia.core.types import EntryKind, Outcome
from meridia.ingest.enrichment import rule_stages
from meridia.retrieval import recall_service
from meridia.retrieval.recall_result import record_of
from meridia.storage.forgetting.receipts import receipt_problems
from tests.ingest.forgetting.told import PLAIN, SAID, START, described, folder_bytes, tell
from tests.neo4j_server import Neo4jServer
from tests.thorough import THOROUGH


@pytest.fixture
def memory():
    with Memory(None, "default", PLAIN) as opened:
        tell(opened)
        yield opened


def adjacency(memory: Memory) -> set[tuple[object, ...]]:
    """Return nodes and edges of the adjacency, by ids."""
    file = memory.parts.database.connection
    nodes = file.execute("SELECT label, id, seq, name FROM node").fetchall()
    edges = file.execute(
        "SELECT y.name, s.id, t.id, weight, source_seq FROM edge e "
        "JOIN edge_type y ON y.space = e.space AND y.number = type "
        "JOIN node s ON s.number = source JOIN node t ON t.number = target"
    ).fetchall()
    return {*nodes, *edges}


# The last stays: a session that was over, because of what came later, stays over.
@settings(max_examples=60 if THOROUGH else 3)
@given(st.sets(st.integers(0, len(SAID) - 2), min_size=1))
def test_the_rest_is_as_if_nothing_else_had_been_told(gone: set[int]):
    stay = [place for place in range(len(SAID)) if place not in gone]
    with Memory(None, "default", PLAIN) as memory, Memory(None, "default", PLAIN) as fresh:
        tell(memory)
        memory.graph.project()
        result = memory.forget(ids=[f"m-{place}" for place in gone])
        tell(fresh, stay)
        assert result.memories == len(gone)
        assert described(memory) == described(fresh)
        assert memory.upkeep.verify() == []
        before = memory.graph.digest(), adjacency(memory)
        memory.upkeep.rebuild()
        assert (memory.graph.digest(), adjacency(memory)) == before
        assert described(memory) == described(fresh)


def test_a_person_is_forgotten_with_all_that_was_found_out_about_them(memory: Memory):
    answer = memory.recall("Where does Dana live?")
    memory.resume("Dana")
    memory.feedback(answer.hits[0], "useful")
    result = memory.forget(person="Dana")
    assert result.memories == 5
    assert [person.name for person in memory.people.known().people] == ["Kim"]
    assert {record.person for record in memory.list().memories} == {"Kim"}
    assert not [row for row in memory.list(kind="fact").memories if "Dana" in row.text]
    assert memory.parts.trace.find_recall(memory.space, answer.id) is None
    assert result.places["kept packs"] == result.places["people"] == 1
    assert memory.feedback.newest() == []
    with pytest.raises(NotFound, match="forgotten"):
        memory.get("m-0")
    assert not memory.resume("Dana")


def test_a_kept_question_that_names_the_person_goes_though_its_answer_stays(memory: Memory):
    answer = memory.recall("Did Dana see the dog of Kim?", person="Kim")
    other = memory.recall("What about the dog of Kim?", person="Kim")
    assert {hit.memory.person for hit in answer.hits} == {"Kim"}
    memory.forget(person="Dana")
    kept = [memory.parts.trace.find_recall(memory.space, each.id) for each in (answer, other)]
    assert [record is None for record in kept] == [True, False]


def test_an_answer_that_is_stored_after_another_opener_forgot_is_not_kept(tmp_path, monkeypatch):
    path, forgotten = tmp_path / "agent.db", Event()

    def record_later(*given):
        assert forgotten.wait(60)
        return record_of(*given)

    with Memory(path, "default", PLAIN) as asks, Memory(path, "default", PLAIN) as forgets:
        tell(asks)
        monkeypatch.setattr(recall_service, "record_of", record_later)
        answer = asks.recall("Did Dana see the dog of Kim?")
        forgets.forget(person="Dana")
        forgotten.set()
        later = asks.recall("What about the dog of Kim?")
    with Memory(path, "default", PLAIN) as opened:
        trace = opened.parts.trace
        assert trace.find_recall(opened.space, answer.id) is None
        assert trace.find_recall(opened.space, later.id) is not None


def test_a_dry_run_says_what_goes_and_changes_nothing(memory: Memory):
    head, before = memory.parts.journal.head(memory.space), described(memory)
    rehearsed = memory.forget(person="Dana", dry_run=True)
    assert memory.parts.journal.head(memory.space) == head
    assert described(memory) == before
    done = memory.forget(person="Dana")
    # What `described` asked meanwhile was kept.
    assert rehearsed.entries == done.entries
    assert (rehearsed.receipt, rehearsed.dry_run, done.dry_run) == (None, True, False)


def test_what_is_sent_again_stays_out_and_is_told_why(memory: Memory):
    memory.forget(session="s2")
    head = memory.parts.journal.head(memory.space).seq
    again = memory.remember(
        SAID[3][2],
        person="Dana",
        session="s2",
        at=START.replace(day=2, hour=13),
        id="m-3",
        metadata={"topic": "topic 3", "place": 3},
    )
    assert (again.outcome, again.forgotten) == (Outcome.REDELIVERED, True)
    memory.upkeep.rebuild()
    assert memory.parts.journal.head(memory.space).seq == head
    assert "m-3" not in [record.event_id for record in memory.list().memories]
    stays = memory.remember(SAID[0][2], person="Dana", session="s1", at=START, id="m-new")
    assert not stays.forgotten


def test_by_metadata_kind_and_time_and_all_together(memory: Memory):
    chosen = memory.forget(where={"place": {"gte": 8}}, dry_run=True)
    assert (chosen.memories, chosen.asked["scope"]) == (2, "where")
    assert memory.forget(before=START, dry_run=True).memories == 0
    assert memory.forget(before=START.replace(day=2), dry_run=True).memories == 3
    assert memory.forget(person="Kim", before=START.replace(day=2), dry_run=True).memories == 1
    assert memory.forget(kind="user_message", dry_run=True).memories == len(SAID)
    assert memory.forget(kind="tool_result").receipt is None


def test_a_memory_goes_with_its_versions_and_with_what_says_the_same_again(memory: Memory):
    memory.update("m-8", "I live in Porto since last week, and I love it.")
    for id in ("a", "b"):
        memory.remember("The key lies under the blue stone.", person="Kim", id=id)
    assert memory.forget(ids=["m-8"]).memories == 2
    assert memory.forget(ids=["b"]).memories == 2
    assert not memory.recall("Where is the key under the stone? Porto?").hits


def test_nobody_and_nothing_are_clear_errors(memory: Memory):
    with pytest.raises(UnknownPerson, match="did you mean Dana"):
        memory.forget(person="Dena")
    with pytest.raises(NotFound, match="session 'x'"):
        memory.forget(session="x")
    with pytest.raises(InvalidInput, match="nothing is selected"):
        memory.forget()
    with pytest.raises(NotFound):
        memory.forget(ids=["nothing"])


def test_names_in_memories_of_others_are_listed_and_stay(memory: Memory):
    stays = memory.remember("Dana told me about the map.", person="Kim", session="s5")
    memory.enrich()
    result = memory.forget(person="Dana")
    assert result.named_in == [f"meridia://{stays.id}"]
    assert memory.get(stays.id).text == "Dana told me about the map."


def test_a_whole_space_is_forgotten_and_no_other(memory: Memory):
    other = memory.in_space("other")
    other.remember("Something else.", person="Dana", id="m-0")
    result = memory.forget_space()
    assert result.memories == len(SAID)
    assert memory.list().memories == []
    assert memory.graph.digest().nodes == {}
    assert memory.upkeep.verify() == []
    kinds = {e.kind for e in memory.parts.journal.read(memory.space) if e.payload is not None}
    assert kinds == {EntryKind.FORGOTTEN}
    assert len(other.list().memories) == 1
    memory.remember("A new beginning.", person="Dana", id="new")
    assert [hit.event_id for hit in memory.recall("the beginning").hits] == ["new"]


def test_who_comes_back_is_met_anew(memory: Memory):
    memory.forget(person="Dana")
    memory.remember("I live in Rome now.", person="Dana", session="s9", id="back")
    memory.enrich()
    assert {person.name for person in memory.people.known().people} == {"Dana", "Kim"}
    assert [row.text for row in memory.list(kind="fact", person="Dana").memories]
    assert memory.resume("Dana")


def test_feedback_on_what_stays_stands(memory: Memory):
    answer = memory.recall("Where does Dana live?")
    kept = next(hit for hit in answer.hits if hit.event_id != answer.hits[0].event_id)
    memory.feedback(answer, "useful", note="she said Porto")
    memory.forget(ids=[answer.hits[0].id])
    (row,) = memory.feedback.newest()
    assert (row.notes, row.verdict, row.records_injected) == (None, "useful", len(answer.hits) - 1)
    sums = memory.parts.space(memory.space).feedback.sums([kept.memory.seq], 10**9)
    assert sums[kept.memory.seq][0] > 0


def phrase(number: int) -> str:
    """Return words that stand nowhere else."""
    chance = random.Random(number)
    return "".join(chance.choice("bcdfghjklmnpqrstvwxz") + chance.choice("aeiou") for _ in range(9))


def plant(path: Path, others: int, planted: int) -> list[str]:
    """Write a journal, its graph and what is kept of answers; return what was planted."""
    phrases = [phrase(number) for number in range(planted)]
    with Memory(path, "default", PLAIN) as memory:
        memory.remember_many(
            {"text": f"Kim says that boat {n} is mended.", "person": "Kim", "session": f"k{n // 9}"}
            for n in range(others)
        )
        memory.remember_many(
            {
                "text": f"My {phrases[n]} lives in {phrases[n].title()}, I love {phrases[n]}.",
                "person": "Dana",
                "session": f"k{n // 9}",
                "metadata": {"topic": phrases[n]},
            }
            for n in range(planted)
        )
        memory.enrich()
        memory.recall(f"What of {phrases[0]}?")
        memory.graph.project()
    return phrases


def check_planted(path: Path, others: int, planted: int) -> None:
    """Forget who planted phrases; look for them in every byte."""
    phrases = plant(path, others, planted)
    assert phrases[0].encode() in folder_bytes(path.parent)
    with Memory(path, "default", PLAIN) as memory:
        before = [hit.text for hit in memory.recall("Which boat is mended? boat 7").hits[:1]]
        result = memory.forget(person="Dana")
        assert (result.memories, result.notes) == (planted, [])
        # While it is open, too: in the log, and in the graph.
        held = folder_bytes(path.parent).lower()
        assert [word for word in phrases if word.encode() in held] == []
        assert [h.text for h in memory.recall("Which boat is mended? boat 7").hits[:1]] == before
        assert memory.upkeep.verify() == []
        digest = memory.graph.digest()
        memory.upkeep.rebuild()
        assert memory.graph.digest() == digest
    held = folder_bytes(path.parent).lower()
    assert [word for word in phrases if word.encode() in held] == []


def test_no_byte_of_what_was_forgotten_is_left_in_any_file(tmp_path: Path):
    check_planted(tmp_path / "journal.db", 50, 10)


def test_both_readings_of_a_memory_that_was_read_anew_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "journal.db"
    with Memory(path, "default", PLAIN) as memory, Memory(None, "default", PLAIN) as fresh:
        with monkeypatch.context() as patch:
            patch.setattr(rule_stages, "extract_topics", lambda *_: {})
            tell(memory)
        memory.enrich(again=True)
        memory.graph.project()
        gone = [place for place, (person, *_) in enumerate(SAID) if person == "Kim"]
        memory.forget(ids=[f"m-{place}" for place in gone])
        tell(fresh, [place for place in range(len(SAID)) if place not in gone])
        assert described(memory) == described(fresh)
        assert memory.upkeep.verify() == []
        before = memory.graph.digest()
        memory.upkeep.rebuild()
        assert memory.graph.digest() == before
    held = folder_bytes(tmp_path).lower()
    assert [word for word in (b"biscuit", b"fjord", b"maya") if word in held] == []


@pytest.mark.thorough
@pytest.mark.timeout(2400)
def test_no_byte_of_five_hundred_memories_of_twenty_thousand_is_left(tmp_path: Path):
    check_planted(tmp_path / "journal.db", 19_500, 500)


@pytest.mark.parametrize(
    "place", ["ingest.forgetting.forgetting_service.finish", "graph.engines.project"]
)
def test_one_that_was_killed_in_the_middle_is_finished_by_the_next_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
):
    path = tmp_path / "journal.db"
    (word,) = plant(path, 5, 1)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, Memory(path, "default", PLAIN) as memory:
        memory.graph.project()
        patch.setattr(f"meridia.{place}", killed)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(person="Dana")
    assert forgettings(path) == (1, 1)
    with Memory(path, "default", PLAIN) as memory:
        assert word not in str(memory.query("MATCH (e:Experience) RETURN e.text AS text").rows)
        assert memory.upkeep.verify() == []
    assert forgettings(path) == (1, 0)
    assert word.encode() not in folder_bytes(tmp_path).lower()


def forgettings(path: Path) -> tuple[int, int]:
    """Return how many forgettings there were in a journal, and how many are unfinished."""
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute("SELECT count(*), sum(unfinished) FROM forgetting").fetchone()
    return row[0], row[1]


def test_a_graph_that_is_away_is_told_of_and_emptied_later(tmp_path: Path):
    path = tmp_path / "journal.db"
    down = GraphSettings(engine="neo4j", neo4j_uri="bolt://127.0.0.1:1")
    with Memory(path, "default", PLAIN) as memory:
        tell(memory, range(3))
        memory.graph.project()
    with Memory(path, "default", PLAIN.model_copy(update={"graph": down})) as memory:
        result = memory.forget(person="Dana")
        assert "still has the forgotten memories" in result.notes[0]
        assert "the forgetting is not finished" in receipt_problems(memory.parts, result.receipt)[0]
        assert memory.recall("What was promoted?").hits
    with Memory(path, "default", PLAIN) as memory:
        assert receipt_problems(memory.parts, result.receipt) == []
        assert memory.graph.store().cursor().seq == 0


@pytest.mark.thorough
def test_neo4j_holds_nothing_of_what_was_forgotten(neo4j_server: Neo4jServer):
    server = neo4j_server
    graph = GraphSettings(
        engine="neo4j",
        neo4j_uri=server.uri,
        neo4j_user=server.user,
        neo4j_password=SecretStr(server.password),
    )
    with Memory(None, "default", PLAIN.model_copy(update={"graph": graph})) as memory:
        tell(memory)
        memory.graph.project()
        held = "MATCH (n) RETURN properties(n) AS properties"
        assert "Lisbon" in str(memory.query(held).rows)
        memory.forget(person="Dana")
        assert memory.graph.store().cursor().seq == 0
        assert memory.graph.store().run("MATCH (n{scope}) RETURN count(n) AS n", {}).rows == [[0]]
        text = str(memory.query(held).rows)
        assert "Lisbon" not in text
        assert "Dana" not in text
        before = memory.graph.digest()
        memory.upkeep.rebuild()
        assert memory.graph.digest() == before
        memory.graph.store().drop()


def test_another_open_memory_notices(tmp_path: Path):
    path = tmp_path / "journal.db"
    with Memory(path, "default", PLAIN) as here, Memory(path, "default", PLAIN) as there:
        tell(here)
        assert there.recall("What about the dog of Kim?").hits[0].event_id == "m-7"
        here.forget(ids=["m-7"])
        assert "m-7" not in [h.event_id for h in there.recall("What about the dog?").hits]
        assert there.graph.digest() == here.graph.digest()


def test_vectors_and_token_vectors_go_too(tmp_path: Path):
    with Memory(tmp_path / "journal.db", "default", Settings()) as memory:
        tell(memory)
        result = memory.forget(ids=["m-7"])
        assert (result.places["vectors"], result.places["token vectors"]) == (1, 1)
        tables = memory.parts.database.connection
        for table in ("embedding", "token_vectors"):
            assert tables.execute(f"SELECT count(*) FROM {table}").fetchone() == (len(SAID) - 1,)
        assert "m-7" not in [hit.event_id for hit in memory.recall("Kim's dog died").hits]
