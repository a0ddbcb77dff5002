"""With `ingest.skeleton_days`, a week later: what was only held is gone, and nothing misses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from meridia.core.events import text_of
from meridia.core.settings import IngestSettings, Settings
from meridia.core.types import EntryKind
from meridia.graph.adjacency import Adjacency
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.maintenance import current_digest, rebuild_space
from meridia.storage.upkeep import rebuild_lists, verify
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock, waiting
from tests.ingest.ingest_events import boundary, hindsight, result, user
from tests.ingest.ingest_world import HOME, WEEK, World, a_world, dump

S1 = {"session": {"key": "s1"}}
#: What a skeleton's whole event says, and nothing else does.
SECRET_WORD = "purpleheart"


@pytest.fixture
def world(embedder: FakeEmbedder) -> Iterator[World]:
    """Open a world in which skeletons become outlines."""
    with a_world(embedder=embedder, rules=WEEK) as opened:
        yield opened


def a_session() -> list[dict[str, Any]]:
    """Return a session of which hindsight upgrades one skeleton."""
    return [*hindsight(SECRET_WORD, **S1), {**boundary(460), **S1}]


def held(world: World) -> list[tuple[int, str | None]]:
    return world.rows("SELECT seq, expires_at FROM provisional ORDER BY seq")


def test_row_41_and_d30_after_a_week_the_held_events_are_gone_from_every_table(world):
    looks = [
        result("read", {"path": f"/{n}"}, f"{SECRET_WORD} {n}", n * 60, **S1) for n in range(4)
    ]
    world.live(*looks)
    assert len(held(world)) == 4
    world.later(days=6, hours=23)
    world.catch_up()
    assert len([row for row in held(world) if row[1]]) == len(held(world)) - upgrades(world)
    assert SECRET_WORD in dump(world)
    upgraded = {payload["experience"] for payload in judged(world) if "event" in payload}
    world.later(hours=2)
    world.catch_up()
    held_ids = {e.id for e in world.entries(EntryKind.EXPERIENCE_CAPTURED) if e.provisional}
    assert held_ids == upgraded
    for entry in world.entries(EntryKind.EXPERIENCE_CAPTURED):
        listed = world.file.catalog.find(HOME, entry.id)
        assert (SECRET_WORD in listed.text) == (entry.id in upgraded)


def judged(world: World) -> list[dict[str, Any]]:
    return world.payloads_of(EntryKind.EXPERIENCE_REEVALUATED)


def upgrades(world: World) -> int:
    return len([payload for payload in judged(world) if "event" in payload])


def test_an_expired_text_leaves_no_search_row_and_no_vector(tmp_path: Path):
    with a_world(tmp_path / "journal.db", embedder=FakeEmbedder(), rules=WEEK) as world:
        world.live(result("read", {"path": "/a.py"}, f"oak {SECRET_WORD}", 0))
        assert world.rows("SELECT count(*) FROM embedding") == [(1,)]
        assert len(world.file.space(HOME).full_text.phrase(["oak"])) == 1
        world.later(days=8)
        world.catch_up()
        assert world.rows("SELECT count(*) FROM embedding") == [(0,)]
        assert SECRET_WORD not in dump(world)
        assert world.file.space(HOME).full_text.phrase(["oak"]) == []
        assert len(world.file.space(HOME).full_text.phrase(["read"])) == 1


def test_row_43_and_d30_an_upgrade_at_the_sessions_end_keeps_the_event_for_ever(world):
    world.live(*a_session())
    upgraded = [payload for payload in judged(world) if payload["status"] == "upgraded"]
    assert SECRET_WORD in str([payload["event"] for payload in upgraded])
    for days in (8, 800):
        world.later(days=days)
        world.catch_up()
        for payload in upgraded:
            assert 5 <= len(payload["neighbourhood"]) <= 10
            (entry,) = world.file.journal.by_ids(HOME, [payload["experience"]])
            assert entry.provisional == payload["event"]
            listed = world.file.catalog.find(HOME, entry.id)
            assert listed.status == "upgraded"
            assert listed.text == text_of(payload["event"])
    assert [until for _, until in held(world)] == [None] * len(upgraded)


def test_what_is_listed_after_a_rebuild_is_what_was_listed_before(world):
    world.live(*a_session())
    world.later(days=8)
    world.live(user("And the mast is up", 700_000, **S1))

    def lists() -> list[Any]:
        names = ("experience", "relationship", "entity", "fact_entry")
        return [world.rows(f"SELECT * FROM {name} ORDER BY 1, 2, 3") for name in names]

    before = lists()
    rebuild_lists(world.file, HOME)
    assert lists() == before
    assert list(verify(world.file, HOME)) == []


def test_after_a_rebuild_enrichment_finds_nothing_more_to_say(world):
    world.live(*a_session())
    before = world.file.journal.head(HOME)
    rebuild_lists(world.file, HOME)
    world.restart()
    world.later(hours=5)
    world.catch_up()
    assert world.file.journal.head(HOME) == before


@pytest.mark.parametrize("days", [0, 8])
def test_rebuild_verify_agrees_before_and_after_expiry(tmp_path: Path, days: int):
    with a_world(tmp_path / "journal.db", embedder=FakeEmbedder(), rules=WEEK) as world:
        world.live(*a_session(), user("I live in Hamburg.", 400, person="Dana", **S1))
        store = KgliteStore(tmp_path / "graph.kgl", HOME)
        first = current_digest(world.file, HOME, store, 50)
        world.later(days=days)
        world.catch_up()
        before = current_digest(world.file, HOME, store, 50)
        file = world.file
        adjacency = Adjacency(file)
        rebuild_space(file, HOME, adjacency, store, 50)
        assert current_digest(world.file, HOME, store, 50) == before
        assert before.nodes["Experience"] == first.nodes["Experience"] == 9
        store.close()


def test_recall_answers_while_events_are_held_and_after_they_expired(tmp_path: Path):
    clock = TickingClock()
    path, embedder = tmp_path / "journal.db", FakeEmbedder()
    settings = waiting(Settings(ingest=IngestSettings(skeleton_days=7)))
    with Memory(path, HOME, settings, clock, SeededBytes(), embedder) as memory:
        memory.remember("The keel is of oak", person="Dana", id="keel")
        look = result("read", {"path": "/a.py"}, f"the {SECRET_WORD} of the deck", 0, id="look")
        memory.capture(look)
        assert memory.recall(f"the {SECRET_WORD} deck").hits[0].event_id == "look"
        clock.now = clock.now.replace(day=20)
        hits = memory.recall(f"the {SECRET_WORD} deck", limit=10).hits
        assert all(SECRET_WORD not in hit.text for hit in hits)
        assert memory.recall("the keel of oak").hits[0].event_id == "keel"
        assert memory.get("look").text == "read"
        before = memory.graph.digest()
        memory.upkeep.rebuild()
        assert memory.graph.digest() == before


def test_d34_by_default_a_tool_result_keeps_its_text_for_ever(tmp_path: Path):
    clock = TickingClock()
    with Memory(
        tmp_path / "j.db", HOME, waiting(Settings()), clock, SeededBytes(), FakeEmbedder()
    ) as memory:
        look = result("read", {"path": "/a.py"}, f"the {SECRET_WORD} of the deck", 0, id="look")
        assert memory.capture(look).outcome == "text_only"
        clock.now = clock.now.replace(year=clock.now.year + 3)
        memory.enrich()
        assert memory.get("look").text.endswith(f"the {SECRET_WORD} of the deck")
        assert memory.get("look").status == "skeleton"
        table = memory.query("MATCH (e:Experience) RETURN e.text AS text")
        assert SECRET_WORD in str(table.rows)
        before = memory.graph.digest()
        memory.upkeep.rebuild()
        assert memory.graph.digest() == before


def test_what_a_journal_still_holds_stays_where_the_setting_is_off(tmp_path: Path):
    path, clock = tmp_path / "j.db", TickingClock()
    week = waiting(Settings(ingest=IngestSettings(skeleton_days=7)))
    with Memory(path, HOME, week, clock, SeededBytes(), FakeEmbedder()) as memory:
        memory.capture(result("read", {"path": "/a.py"}, SECRET_WORD, 0, id="look"))
    clock.now = clock.now.replace(year=clock.now.year + 3)
    with Memory(path, HOME, waiting(Settings()), clock, SeededBytes(), FakeEmbedder()) as memory:
        memory.enrich()
        assert SECRET_WORD in memory.get("look").text
    with Memory(path, HOME, week, clock, SeededBytes(), FakeEmbedder()) as memory:
        memory.enrich()
        assert memory.get("look").text == "read"
