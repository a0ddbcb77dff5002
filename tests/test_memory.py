"""The public face: what a program can rely on."""

import re
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fakes import FakeEmbedder

from meridia import Artifact, Memory
from meridia.core.errors import Conflict, InvalidInput, ModelMismatch, NotFound, Refused
from meridia.core.settings import (
    EmbeddingSettings,
    GraphSettings,
    JournalSettings,
    PostgresSettings,
    RecallSettings,
    Settings,
)
from tests.fakes import WAITING, waiting

PLAIN = waiting(Settings(embedding=EmbeddingSettings(enabled=False)))
WHEN = datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.fixture
def memory():
    with Memory(None, "default", PLAIN) as opened:
        yield opened


def test_the_readme_example_keeps_the_callers_id(memory: Memory):
    memory.remember(
        "I got the job!",
        person="Caroline",
        session="s1",
        at=WHEN,
        id="D1:3",
        metadata={"channel": "chat"},
    )
    hit = memory.recall("What happened to Caroline's job search?", limit=20).hits[0]
    assert (hit.event_id, hit.text) == ("D1:3", "I got the job!")
    assert hit.memory.at == WHEN
    assert memory.get("D1:3").id == hit.id == memory.get(hit.memory.uri).id


def test_remembering_twice_is_one_memory_and_other_content_a_conflict(memory: Memory):
    first = memory.remember("Hello", id="a", at=WHEN)
    again = memory.remember("Hello", id="a", at=WHEN)
    assert (first.outcome, again.outcome) == ("captured", "redelivered")
    assert first.id == again.id
    with pytest.raises(Conflict, match="'a'"):
        memory.remember("Goodbye", id="a", at=WHEN)
    assert len(memory.list().memories) == 1


def test_many_go_in_together_or_not_at_all(memory: Memory):
    acknowledged = memory.remember_many([{"text": "one", "id": "1"}, {"text": "two", "id": "2"}])
    assert [a.event_id for a in acknowledged] == ["1", "2"]
    with pytest.raises(InvalidInput, match="message 1"):
        memory.remember_many([{"text": "three"}, {"words": "four"}])
    assert len(memory.list().memories) == 2


def test_what_is_no_message_and_no_record_is_told(memory: Memory):
    with pytest.raises(InvalidInput, match="^message 1: is str: give a mapping$"):
        memory.remember_many([{"text": "three"}, "four"])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="^a record is of type dict: give records"):
        memory.import_records([{"kind": "user_message"}])  # type: ignore[list-item]
    assert memory.list().memories == []


def test_lists_come_in_pages_and_under_filters(memory: Memory):
    for place in range(25):
        memory.remember(
            f"message {place}",
            person="Ann" if place % 2 else "Ben",
            session=f"s{place // 10}",
            at=WHEN + timedelta(hours=place),
            metadata={"even": place % 2 == 0, "place": place},
        )
    page = memory.list(limit=10)
    assert [m.text for m in page.memories] == [f"message {i}" for i in range(10)]
    rest = memory.list(limit=100, after=page.next_after)
    assert len(rest.memories) == 15
    assert rest.next_after is None
    assert len(memory.list(person="ann").memories) == 12
    assert len(memory.list(session="s2").memories) == 5
    assert len(memory.list(where={"even": True}).memories) == 13
    assert [m.text for m in memory.list(where={"place": 7, "even": False}).memories] == [
        "message 7"
    ]
    assert len(memory.list(since=WHEN + timedelta(hours=20)).memories) == 5
    assert len(memory.list(until=WHEN + timedelta(hours=20)).memories) == 20
    assert memory.list(kind="tool_result").memories == []


def test_artifacts_are_kept_by_reference(memory: Memory):
    photo = Artifact("image", "file:///boat.jpg", "a red boat")
    memory.remember("Look!", id="p", artifacts=[photo, {"uri": "https://example.org"}])
    assert memory.get("p").artifacts == (photo, Artifact("file", "https://example.org"))
    assert memory.recall("red boat").hits[0].event_id == "p"


def test_a_time_without_a_zone_is_refused(memory: Memory):
    at = datetime(2026, 3, 1)  # noqa: DTZ001
    with pytest.raises(InvalidInput, match="^at 2026-03-01 00:00:00 has no timezone"):
        memory.remember("Hello", at=at)
    with pytest.raises(InvalidInput, match="^message 0: at 2026-03-01 00:00:00 has no timezone"):
        memory.remember_many([{"text": "Hello", "at": at}])


@pytest.mark.parametrize(
    ("text", "kept"), [("nul \0 here", "nul ␀ here"), ("half \ud800 pair", "half � pair")]
)
def test_signs_that_no_journal_can_keep_are_replaced(memory: Memory, text: str, kept: str):
    answer = memory.remember(text, person="Da\0na", session="s\ud800", id="m\ud800")
    assert sum(answer.cleaned.values()) == 4
    (stored,) = memory.list().memories
    assert (stored.text, stored.person) == (kept, "Da␀na")
    assert memory.remember(text, person="Da\0na", session="s\ud800", id="m\ud800").id == answer.id
    assert memory.get("m\ud800").id == answer.id
    with pytest.raises(NotFound):
        memory.get("m\ud801")


def test_a_text_over_the_limit_is_kept_as_its_ends_and_its_length():
    text = "begins here " + "x" * 30_000 + " ends here"
    small = PLAIN.model_copy(update={"journal": JournalSettings(event_bytes_max=20_000)})
    with Memory(None, "default", small) as memory:
        answer = memory.remember(text, id="long")
        assert answer.cut == 1
        kept = memory.get("long").text
        head, gone, tail = re.fullmatch(r"(.*)… \[cut (\d+) characters\] …(.*)", kept).groups()
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + int(gone) + len(tail) == len(text)
        assert memory.remember(text, id="long").outcome == "redelivered"
        with pytest.raises(Conflict):
            memory.remember(text.replace("x" * 30_000, "x" * 15_000 + "y" * 15_000), id="long")


def test_reading_a_new_space_finds_nothing_and_a_write_creates_it(memory: Memory):
    assert memory.recall("anything").hits == []
    assert memory.list().memories == []
    assert memory.parts.journal.spaces() == []
    memory.remember("first")
    assert memory.list().memories[0].text == "first"


def test_no_space_sees_or_moves_another(tmp_path: Path):
    with Memory(tmp_path / "a.db", "one", PLAIN) as one:
        one.remember("The secret is blue.", id="x", person="Ann")
        one.remember("The door is blue.", id="y", person="Ann")
        before = [(h.event_id, h.score) for h in one.recall("blue secret").hits]
        two = one.in_space("two")
        texts = [(f"blue blue secret {place}", f"z{place}") for place in range(300)]
        two.remember_many([{"text": text, "id": id, "person": "Ben"} for text, id in texts])
        assert [(h.event_id, h.score) for h in one.recall("blue secret").hits] == before
        assert "Ann" not in {person.name for person in two.people.known().people}
        with pytest.raises(NotFound):
            two.get("x")
        assert two.query("MATCH (n:Experience) RETURN count(n) AS n").rows == [[300]]
        assert one.query("MATCH (n:Experience) RETURN count(n) AS n").rows == [[2]]


def test_asking_moves_no_later_answer(memory: Memory):
    for place in range(30):
        memory.remember(f"the boat and the mast {place}", person="Ann", session="s")
    memory.enrich()
    digest = memory.graph.digest().hash
    answers = [[(h.id, h.score) for h in memory.recall("the mast").hits] for _ in range(5)]
    for other in ("boat", "paint", "the boat 7"):
        memory.recall(other)
    assert all(answer == answers[0] for answer in answers)
    assert [(h.id, h.score) for h in memory.recall("the mast").hits] == answers[0]
    assert memory.graph.digest().hash == digest


def test_recall_answers_with_neo4j_down(tmp_path: Path):
    down = GraphSettings(engine="neo4j", neo4j_uri="bolt://127.0.0.1:1")
    settings = Settings(embedding=EmbeddingSettings(enabled=False), graph=down)
    with Memory(tmp_path / "a.db", "s", settings) as memory:
        memory.remember("The mast is up.", id="m")
        assert memory.recall("mast").hits[0].event_id == "m"
        assert "graph" not in memory.status(graph=True).cursors
        assert memory.status(graph=True).notes


def test_threads_may_share_a_memory(tmp_path: Path):
    with Memory(tmp_path / "a.db", "s", PLAIN) as memory:
        memory.remember("start")

        def work(name: str) -> None:
            for place in range(10):
                memory.remember(f"{name} says {place}", id=f"{name}-{place}", session=name)
                assert memory.recall(f"{name} says").hits

        threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(memory.list(limit=100).memories) == 41


def test_companions_lie_beside_the_journal_and_only_their_owner_reads_them(tmp_path: Path):
    path = tmp_path / "agent.db"
    with Memory(path, "s", PLAIN) as memory:
        memory.remember("Hello")
        memory.query("MATCH (n) RETURN count(n) AS n")
        files = list(tmp_path.iterdir())
        assert all(file.name.startswith("agent.db") for file in files)
        assert all(file.stat().st_mode & 0o077 == 0 for file in files if file.is_file())


def test_the_callers_id_stands_verbatim_in_a_text_column(tmp_path: Path):
    import sqlite3

    path = tmp_path / "a.db"
    with Memory(path, "s", PLAIN) as memory:
        memory.remember("Hello", id="D1:3 ✓")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT event_id FROM experience").fetchall() == [("D1:3 ✓",)]
    connection.close()


def test_a_memory_without_a_path_leaves_nothing_behind():
    with Memory(None, "s", PLAIN) as memory:
        memory.remember("Hello")
        folder = memory.parts.database.path.parent
        assert folder.exists()
    assert not folder.exists()


class WideEmbedder(FakeEmbedder):
    """The same with twice the dimensions."""

    dimension = 32


def test_another_encoder_gets_an_index_of_its_own_and_the_old_one_stays(tmp_path: Path):
    path = tmp_path / "a.db"
    old, new = FakeEmbedder("old:16:1"), WideEmbedder("new:32:1")
    with Memory(path, "s", WAITING, embedder=old) as memory:
        memory.remember("The mast is made of oak", id="mast")
        memory.enrich()
    with Memory(path, "s", WAITING, embedder=new) as memory:
        with pytest.raises(ModelMismatch, match="meridia enrich --reembed"):
            memory.recall("mast")
        memory.enrich(reembed=True)
        assert new.asked == ["The mast is made of oak"]
        memory.remember("The sail is blue", id="sail")
        assert {hit.event_id for hit in memory.recall("made of oak").hits} == {"mast", "sail"}
    asked = len(old.asked)
    with Memory(path, "s", WAITING, embedder=old) as memory:
        assert memory.recall("made of oak").hits[0].event_id == "mast"
    assert old.asked[asked:] == ["The sail is blue", "made of oak"]


def test_many_messages_and_recalls_stay_small(tmp_path: Path):
    """80 of each stay below 8 KB a pair; a small stand-in encodes, so without its vectors."""
    path, count = tmp_path / "a.db", 80
    settings = Settings(recall=RecallSettings(keep_max=30))
    with Memory(path, "default", settings, embedder=FakeEmbedder()) as memory:
        for number in range(count):
            memory.remember(f"number {number}: the heron came to pond {number % 7}", session="s")
            memory.recall(f"what came to pond {number % 7}?")
        memory.reasons.record("last")
        kept = memory.parts.database.connection.execute("SELECT count(*) FROM recall").fetchone()
    assert kept[0] <= 30 + 50, "pruned at every fiftieth"
    assert path.stat().st_size < 8_000_000 / 1000 * count + 400_000


def test_an_answer_is_kept_for_so_many_days(tmp_path: Path):
    """Older ones go at the first recall of a process."""
    settings = Settings(recall=RecallSettings(keep_days=7))
    recalls = []
    for day in (1, 5, 9):
        now = datetime(2026, 3, day, tzinfo=UTC)
        with Memory(tmp_path / "a.db", "s", settings, now.replace, embedder=FakeEmbedder()) as each:
            each.remember(f"heron {day}")
            recalls.append(each.recall("heron").id)
    with Memory(tmp_path / "a.db", "s", settings, embedder=FakeEmbedder()) as memory:
        assert memory.reasons.replay(recalls[1]).identical
        with pytest.raises(NotFound):
            memory.reasons.replay(recalls[0])


def test_a_list_is_of_its_own_space(memory: Memory):
    memory.remember("ours", id="ours")
    memory.in_space("away").remember("theirs", id="theirs")
    assert [found.event_id for found in memory.list().memories] == ["ours"]
    assert [found.event_id for found in memory.in_space("away").list().memories] == ["theirs"]


def test_a_closed_memory_takes_nothing_and_says_so(tmp_path: Path):
    memory = Memory.open(tmp_path / "a.db", settings=PLAIN)
    memory.remember("one", id="m", person="Dana")
    hit = memory.recall("one").hits[0]
    memory.close()
    memory.close()
    assert hit.trace.leaves()
    asks = [lambda: memory.remember("two"), lambda: memory.update("m", "two")]
    asks += [lambda: memory.recall("two")]
    asks += [lambda: memory.feedback("m", "useful"), lambda: memory.forget(person="Dana")]
    for ask in asks:
        with pytest.raises(Refused, match="is closed"):
            ask()


def test_a_closed_memory_without_a_file_has_no_more_to_read():
    memory = Memory.open(settings=PLAIN)
    memory.remember("one", id="m")
    hit = memory.recall("one").hits[0]
    memory.close()
    for ask in (lambda: hit.trace, lambda: memory.get("m"), lambda: memory.recall("one")):
        with pytest.raises(Refused, match="is closed"):
            ask()


def test_what_is_no_text_or_no_json_is_refused_with_a_reason(memory: Memory):
    memory.remember("A heron.", id="h")
    itself: dict = {}
    itself["itself"] = itself
    half = "half \ud800 of a pair"
    asks = [
        lambda: memory.remember("x", metadata=itself),
        lambda: memory.capture({"kind": "note", "payload": itself}),
        lambda: memory.query("RETURN $a AS a", {"a": itself}),
        lambda: memory.query("RETURN $a AS a", {"a": half}),
        lambda: memory.query(f"RETURN '{half}' AS a"),
        lambda: memory.recall(half),
        lambda: memory.recall(None),
        lambda: memory.plan(half),
        lambda: memory.resume(half),
        lambda: memory.reconstitute(query=half),
        lambda: memory.planning.load({"plan": []}),
    ]
    for place, ask in enumerate(asks):
        with pytest.raises(InvalidInput) as refused:
            ask()
        assert len(str(refused.value)) > 20, place


def test_the_last_recall_is_the_last_also_after_the_clock_was_set_back():
    now = [WHEN]
    with Memory(None, "default", PLAIN, lambda: now[0]) as memory:
        memory.remember("A heron.")
        memory.recall("heron")
        now[0] -= timedelta(days=3)
        second = memory.recall("heron again")
        assert memory.reasons.record("last")["recall"] == second.id


def test_a_status_opens_no_sink_where_none_is_set():
    with Memory.open(settings=PLAIN) as memory:
        memory.remember("A heron.")
        assert memory.status().sinks == []
        assert "fanout" not in vars(memory._components)


def test_a_sink_whose_library_is_missing_costs_a_note_in_status_and_forgetting(monkeypatch):
    monkeypatch.delitem(sys.modules, "meridia.storage.sinks.pgvector_table", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    nowhere = PostgresSettings(url="postgresql://u@127.0.0.1:1/x")
    with Memory(None, "s", Settings(postgres=nowhere), embedder=FakeEmbedder()) as memory:
        memory.remember("A heron.")
        memory.enrich()
        assert "pip install" in memory.sinks.sync()["postgres"]
        (sink,) = memory.status().sinks
        assert (sink.failures, "psycopg is not installed" in sink.error) == (1, True)
        assert memory.forget(ids=["@1"]).receipt is not None
