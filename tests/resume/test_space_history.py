"""The chronicle: arcs, facts, episodes, people and kits, as ingest recorded them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from meridia.core.errors import NotFound
from meridia.core.ids import content_hash
from meridia.core.vocabulary import Engagement
from meridia.resume.space_history import SpaceHistory
from tests.ingest.ingest_events import boundary, hindsight, result, user
from tests.ingest.ingest_world import HOME, WEEK, World, a_world

S1 = {"session": {"key": "s1"}}


@pytest.fixture
def world() -> Iterator[World]:
    with a_world() as opened:
        yield opened


@pytest.fixture
def chronicle(world: World) -> SpaceHistory:
    return SpaceHistory(world.file, HOME)


def felt(engagement: str, valence: float) -> dict[str, Any]:
    signature = {"primary": ["focused"], "intensity": 0.5, "valence": valence}
    lived = {"emotionalSignature": signature, "engagementQuality": engagement}
    return {"metadata": {"phenomenology": lived}}


# Arcs (rows 44 to 46)


def test_row_44_an_arc_shows_every_moment_and_where_the_register_stands(world, chronicle):
    answers = world.live(
        user("The keel is fine", 0, **S1, **felt("engaged", 0.4)),
        result("read", {"path": "/keel.py"}, "oak", 30, **S1),
        user("The keel is off", 60, **S1, **felt("struggling", -0.5)),
        user("Elsewhere", 70, session={"key": "s2"}),
    )
    arc = chronicle.arc("s1")
    assert arc.session == "s1"
    assert [moment.id for moment in arc.moments] == [answer.id for answer in answers[:3]]
    first, skeleton, last = arc.moments
    assert first.signature is not None
    assert (first.signature.valence, first.transitions) == (0.4, ())
    assert skeleton.signature is None, "of a skeleton nothing was understood"
    assert {change.field.value for change in last.transitions} == {
        "engagement",
        "emotionalSignature",
    }
    assert arc.transitions == list(last.transitions)
    assert last.at - first.at == timedelta(minutes=1)
    assert arc.now.engagement is Engagement.STRUGGLING


def test_an_arc_of_a_session_that_is_not_enriched_yet_has_moments_without_feelings(
    world, chronicle
):
    world.take(user("The keel is fine", 0, **S1))
    (moment,) = chronicle.arc("s1").moments
    assert (moment.signature, moment.transitions) == (None, ())


def test_a_session_that_is_not_there_is_named(world, chronicle):
    world.take(user("The keel is fine", 0, **S1))
    with pytest.raises(NotFound, match="'s9'.*meridia sessions"):
        chronicle.arc("s9")


# Facts (row 101)


def test_row_101_facts_are_told_as_they_held_and_as_they_were_known(world, chronicle):
    def at(hours: float) -> datetime:
        return datetime(2026, 3, 1, 10, tzinfo=UTC) + timedelta(hours=hours)

    world.live(user("I live in Hamburg.", 0, person="Dana"))
    known_first = world.clock.now
    world.later(days=1)
    world.live(user("I live in Lisbon now.", 36_000, person="Dana"))
    both = chronicle.facts()
    assert [fact.object for fact in both] == ["Hamburg", "Lisbon"]
    assert both[0].superseded_by == both[1].id
    assert both[0].t_invalid == both[1].t_valid == at(10)
    assert [fact.object for fact in chronicle.facts(happened=at(1))] == ["Hamburg"]
    assert [fact.object for fact in chronicle.facts(happened=at(10))] == ["Lisbon"]
    assert chronicle.facts(happened=at(-1)) == []
    (before,) = chronicle.facts(recorded=known_first)
    assert (before.object, before.t_invalid) == ("Hamburg", None)
    assert chronicle.facts(at(12), known_first) == [before], "nobody knew better then"
    assert chronicle.facts(recorded=at(-1)) == []


# Episodes (row 32)


def test_row_32_an_episode_that_was_told_anew_is_told_as_it_stands(world, chronicle):
    for key in ("s1", "s2"):
        said = [user(f"The mast of {key} is up {n}", n, session={"key": key}) for n in range(3)]
        world.live(*said, {**boundary(9), "session": {"key": key}})
    world.live(user("And the sail", 20, **S1), {**boundary(30), **S1})
    told = chronicle.episodes()
    assert len(told) == 2
    (one,) = chronicle.episodes("s1")
    assert len(one.sources) == 6
    assert one in told
    assert chronicle.episodes("s9") == []
    starts = [episode.since for episode in told]
    assert starts == sorted(starts)


# People and entities


def test_people_and_entities_come_most_frequent_first(world, chronicle):
    world.live(
        user("I wrote src/keel.py", 0, person="Dana"),
        user("And I src/mast.py", 5, person="Ravi"),
        user("They are src/keel.py and src/sail.py", 9, person="Ravi"),
    )
    assert [relation.display_name for relation in chronicle.relations()] == ["Ravi", "Dana"]
    counts = [entity.mentions for entity in chronicle.entities()]
    assert counts == sorted(counts, reverse=True)
    first = chronicle.entities()[0]
    assert (first.type, first.name, first.mentions) == ("FILE", "src/keel.py", 2)


# Kits (rows 17 and 19)


def test_row_19_a_kit_is_found_by_either_id_with_all_that_is_known(world, chronicle):
    (answer,) = world.live(
        user("See https://x.example/keel.pdf", 0, id="m-1", **S1, **felt("deep-flow", 0.8))
    )
    kit = chronicle.kit("m-1")
    assert kit == chronicle.kit(answer.id)
    written = kit.as_json()
    assert (written["id"], written["version"]) == (answer.id, 2)
    assert written["phenomenology"]["engagementQuality"] == "deep-flow"
    assert written["artifacts"][0]["uri"] == "https://x.example/keel.pdf"
    assert written["links"] == {"vectorIds": [content_hash("See https://x.example/keel.pdf")]}
    with pytest.raises(NotFound):
        chronicle.kit("m-9")


def test_the_kit_of_an_upgrade_says_what_the_memory_says(world, chronicle):
    answers = world.live(*hindsight("purpleheart", **S1), {**boundary(460), **S1})
    for answer in answers:
        listed = world.file.catalog.find(HOME, answer.id)
        capture = chronicle.kit(answer.id).capture
        assert capture.status == listed.status
        (score,) = world.file.catalog.significances(HOME, [listed.seq]).values()
        assert capture.significance == score
    assert "upgraded" in {chronicle.kit(answer.id).capture.status for answer in answers}


def test_the_kit_of_an_outline_is_whole_while_it_is_held():
    with a_world(rules=WEEK) as world:
        chronicle = SpaceHistory(world.file, HOME)
        check_outline(world, chronicle)


def check_outline(world, chronicle):
    (answer,) = world.live(result("read", {"path": "/keel.py"}, "oak", 0, **S1))
    assert chronicle.kit(answer.id).raw == {"toolArgs": {"path": "/keel.py"}, "toolResult": "oak"}
    world.later(days=8)
    world.catch_up()
    kit = chronicle.kit(answer.id).as_json()
    assert "raw" not in kit
    assert kit["tool"] == {"name": "read"}
    assert "oak" not in str(kit)


def test_the_kit_of_an_upgrade_keeps_what_it_said(world, chronicle):
    answers = world.live(*hindsight("purpleheart", **S1), {**boundary(460), **S1})
    world.later(days=8)
    world.catch_up()
    kit = chronicle.kit(answers[1].id)
    assert kit.raw["toolResult"] == "error: no purpleheart"
    assert kit.phenomenology is not None
