"""Curation: who is whom and what somebody is to the agent, decided by a person, taken back too."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import Conflict, InvalidInput, NotFound
from meridia.core.types import EntryKind
from meridia.core.vocabulary import Relationship
from meridia.ingest.curation import CurationService
from meridia.storage.upkeep import rebuild_lists
from tests.drafts import a_draft
from tests.ingest.ingest_events import result, user
from tests.ingest.ingest_world import HOME, World, a_world


def mention(world: World, *entities: tuple[str, str]) -> None:
    """Write that a memory mentions things, by type and name."""
    world.take(user("Some words about things", None))
    named = [
        {"id": f"{type}-{name}", "type": type, "name": name, "confidence": 0.9}
        for type, name in entities
    ]
    payload = {"experience": "x", "entities": named}
    world.file.journal.append(HOME, [a_draft(EntryKind.ENTITIES_MENTIONED, "", payload)])


def merges(world: World) -> dict[str, str]:
    """Return what was merged into what, as the lists have it."""
    return dict(world.rows("SELECT id, merged_into FROM entity WHERE merged_into IS NOT NULL"))


@pytest.fixture
def curation(world: World) -> CurationService:
    mention(
        world,
        ("SYSTEM", "Postgres"),
        ("SYSTEM", "PostgreSQL"),
        ("ORG", "Mercury"),
        ("PLACE", "Mercury"),
        ("TOOL", "make"),
    )
    return CurationService(world.file, HOME)


def test_a_merge_is_an_entry_and_an_unmerge_another(world, curation):
    source, into = curation.merge("postgres", "PostgreSQL", "the same server")
    assert (source.name, into.name) == ("Postgres", "PostgreSQL")
    assert merges(world) == {source.id: into.id}
    (merged,) = world.payloads_of(EntryKind.ENTITIES_MERGED)
    assert merged == {
        "entity": source.id,
        "into": into.id,
        "reason": "the same server",
        "by": "user",
    }
    assert curation.unmerge("Postgres").id == source.id
    assert merges(world) == {}
    assert world.payloads_of(EntryKind.ENTITIES_UNMERGED) == [{"entity": source.id, "by": "user"}]
    curation.merge("Postgres", "PostgreSQL")
    assert merges(world) == {source.id: into.id}


def test_merges_are_there_again_after_a_rebuild(world, curation):
    curation.merge("Postgres", "PostgreSQL")
    curation.merge("make", "Postgres")
    curation.unmerge("make")
    before = merges(world)
    rebuild_lists(world.file, HOME)
    assert merges(world) == before
    assert len(before) == 1


def test_what_cannot_be_merged_is_refused_and_leaves_no_entry(world, curation):
    curation.merge("Postgres", "PostgreSQL")
    before = world.file.journal.head(HOME)
    with pytest.raises(InvalidInput, match="twice"):
        curation.merge("make", "MAKE")
    with pytest.raises(Conflict, match="unmerge it first"):
        curation.merge("Postgres", "make")
    with pytest.raises(InvalidInput, match="was merged into"):
        curation.merge("PostgreSQL", "Postgres")
    with pytest.raises(NotFound, match="meridia entities"):
        curation.merge("MySQL", "make")
    with pytest.raises(NotFound, match="not merged"):
        curation.unmerge("make")
    assert world.file.journal.head(HOME) == before


def test_a_name_of_two_things_is_asked_back_and_told_apart_by_type_or_id(world, curation):
    with pytest.raises(InvalidInput, match="ORG:Mercury, PLACE:Mercury"):
        curation.merge("mercury", "make")
    source, _ = curation.merge("org:mercury", "make")
    other, _ = curation.merge("PLACE-Mercury", "TOOL-make")
    assert (source.type, other.type) == ("ORG", "PLACE")


def test_a_name_with_a_colon_is_a_name(world, curation):
    mention(world, ("FILE", "c:/boat.txt"))
    source, _ = curation.merge("c:/boat.txt", "make")
    assert source.name == "c:/boat.txt"


def test_row_102_what_may_be_one_is_proposed_and_nothing_is_merged(world, curation):
    before = world.file.journal.head(HOME)
    proposed = {(c.entity.name, c.into.name) for c in curation.duplicates()}
    assert ("Postgres", "PostgreSQL") in proposed or ("PostgreSQL", "Postgres") in proposed
    assert ("Mercury", "Mercury") not in proposed, "a planet is no company"
    assert world.file.journal.head(HOME) == before
    curation.merge("Postgres", "PostgreSQL")
    assert "Postgres" not in [candidate.entity.name for candidate in curation.duplicates()]


NAMES = ["oak", "ash", "elm", "fir"]
STEPS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=12
)


@given(STEPS)
def test_the_lists_say_what_a_fold_of_the_decisions_says_and_never_a_circle(steps):
    with a_world() as world:
        mention(world, *[("CONCEPT", name) for name in NAMES])
        curation, own = CurationService(world.file, HOME), {}
        for is_merge, source, other in steps:
            try:
                if is_merge:
                    curation.merge(source, other)
                    own[f"CONCEPT-{source}"] = f"CONCEPT-{other}"
                else:
                    curation.unmerge(source)
                    del own[f"CONCEPT-{source}"]
            except (InvalidInput, Conflict, NotFound):
                pass
            assert merges(world) == own
        for start in own:
            visited, place = set(), start
            while place in own:
                assert place not in visited
                visited.add(place)
                place = own[place]


# Relationships


def test_row_49_a_relationship_lowers_the_bar_of_the_very_next_decision(world):
    s1 = {"session": {"key": "s1"}}

    def bar(event: dict[str, Any]) -> float:
        (answer,) = world.take(event)
        traced = next(d for d in world.file.trace.read(HOME) if d.subject == answer.id)
        return float(traced.detail["threshold"])

    call = result("read", {"path": "/a.py"}, "oak", None, **s1)
    message = user("The mast is up", None, person="Dana", **s1)
    world.take(user("Hello there", 0, person="Dana", **s1))
    curation = CurationService(world.file, HOME)
    assert (bar(call), bar(message)) == (0.5, 0.8)
    curation.set_relationship(" DANA ", Relationship.COLLABORATOR)
    assert (bar(call), bar(message)) == (pytest.approx(0.40), pytest.approx(0.70))
    curation.set_relationship("Dana", Relationship.PRIMARY)
    assert (bar(call), bar(message)) == (pytest.approx(0.35), pytest.approx(0.65))
    curation.set_relationship("Dana", Relationship.PRIMARY, 0.05)
    assert bar(call) == 0.05, "an override wins"
    assert world.take({**call, "payload": {"result": "a text of oak"}})[0].outcome == "captured"
    curation.set_relationship("Dana", Relationship.USER)
    assert (bar(call), bar(message)) == (0.5, 0.8)


def test_nobody_becomes_anything_who_was_never_met(world):
    world.take(user("Hello there", 0, person="Dana"))
    with pytest.raises(NotFound, match="Ravi"):
        CurationService(world.file, HOME).set_relationship("Ravi", Relationship.PRIMARY)
    assert world.payloads_of(EntryKind.RELATIONSHIP_CHANGED) == []


@pytest.mark.parametrize("threshold", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_threshold_lies_between_0_and_1(world, threshold):
    world.take(user("Hello there", 0, person="Dana"))
    with pytest.raises(InvalidInput, match="0 to 1"):
        CurationService(world.file, HOME).set_relationship("Dana", Relationship.PRIMARY, threshold)


def test_the_users_word_stands_against_the_rule(world):
    for number in range(21):
        message = user(
            f"Message {number}", number, person="Dana", session={"key": f"s{number % 3}"}
        )
        world.take(message)
    world.catch_up()
    CurationService(world.file, HOME).set_relationship("Dana", Relationship.USER)
    world.live(user("One more message", 30, person="Dana"))
    (kind,) = world.rows("SELECT relationship_type FROM relationship")
    assert kind == ("user",)
