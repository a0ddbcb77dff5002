"""A name is known from the message on that introduces it, to every process."""

from __future__ import annotations

from meridia.core.entries import EntitiesMentioned, EntityMention, PersonMet
from meridia.core.ids import person_id
from meridia.core.people import PersonNamed
from meridia.core.types import EntryKind, Space
from meridia.core.vocabulary import NameSource
from meridia.ingest.enrichment.space_names import NamesCache, SpaceNames
from tests.drafts import a_draft
from tests.ingest.ingest_events import user
from tests.ingest.ingest_world import HOME, World


def named(name: str) -> EntitiesMentioned:
    return EntitiesMentioned("x", (EntityMention(f"ent-{name}", "TOOL", name, 1.0),))


def mention(world: World, *names: str, space: Space = HOME) -> None:
    """Write that somebody spoke of things."""
    for name in names:
        entity = {"id": f"ent-{name}", "type": "TOOL", "name": name, "confidence": 1.0}
        payload = {"experience": "x", "entities": [entity]}
        draft = a_draft(EntryKind.ENTITIES_MENTIONED, f"x-{name}", payload)
        world.file.journal.append(space, [draft])


def names_in(names: SpaceNames, text: str) -> list[str]:
    return [entity.name for entity in names.entities.named_in(text)]


def met(name: str) -> PersonMet:
    return PersonMet(person_id(HOME, name), name, ())


def test_the_next_message_knows_what_one_introduces(world):
    world.take(user("Some words", 0))
    names = NamesCache(world.file).of(HOME)
    assert names_in(names, "The Keelmaker is here") == []
    assert names.take(named("Keelmaker"))
    assert names_in(names, "The Keelmaker is here") == ["Keelmaker"]
    assert not names.take(named("Keelmaker")), "it is known"


def test_what_another_process_writes_has_name_at_once(world):
    world.take(user("Some words", 0))
    mine, theirs = NamesCache(world.file), NamesCache(world.file)
    first = mine.of(HOME)
    mention(world, "Keelmaker")
    assert mine.of(HOME) is first, "only what is new is read"
    assert names_in(first, "The Keelmaker is here") == ["Keelmaker"]
    assert names_in(theirs.of(HOME), "The Keelmaker is here") == ["Keelmaker"]


def test_what_was_taken_up_and_never_written_is_not_known(world):
    world.take(user("Some words", 0))
    cache = NamesCache(world.file)
    names = cache.of(HOME)
    assert names.take(named("Keelmaker"))
    assert names.take(met("Dana"))
    mention(world, "Keelmaker")
    anew = cache.of(HOME)
    assert anew is not names
    assert names_in(anew, "The Keelmaker is here") == ["Keelmaker"]
    assert not anew.people_in({"payload": {"text": "Dana is here"}}).people


def test_each_space_has_names_of_its_own(world):
    world.take(user("Some words", 0))
    away = Space("away")
    mention(world, "Keelmaker", space=away)
    cache = NamesCache(world.file)
    assert names_in(cache.of(HOME), "The Keelmaker is here") == []
    assert names_in(cache.of(away), "The Keelmaker is here") == ["Keelmaker"]


def test_somebody_is_met_once(world):
    world.live(user("Hello to you all", 0, person="Dana"))
    names = NamesCache(world.file).of(HOME)
    assert [names.take(met(name)) for name in ("Dana", "Ravi", "ravi ", "Kim")] == [
        False,
        True,
        False,
        True,
    ]
    ravi = names.people_in({"payload": {"text": "So says Ravi"}})
    assert [person.name for person in ravi] == ["Ravi"]
    assert ravi.find("you") is not None, "the owner is always there"


def test_people_are_found_by_any_word_in_any_field_of_an_event(world):
    names = NamesCache(world.file)
    world.take(user("Some words", 0))
    known = names.of(HOME)
    for name in ("Sol Berg", "Ana", "田中", "Kim"):
        known.take(met(name))

    def people_in(**fields: object) -> list[str]:
        return [person.name for person in known.people_in({"kind": "user_message", **fields})]

    assert people_in(payload={"text": "BERG's boat and Ana-Maria"}) == ["Sol Berg", "Ana"]
    assert people_in(payload={"text": "田中さんは来た"}) == ["田中"]
    assert people_in(payload={"args": {"to": ["kim"]}}, metadata={"entities": ["Sol"]}) == [
        "Sol Berg",
        "Kim",
    ]
    assert people_in(payload={"text": "Nobody"}) == []


def test_a_name_of_the_owner_is_found_once_it_was_heard(world):
    world.live(user("Hello", 0))
    names = NamesCache(world.file).of(HOME)
    owner = names.people_in({}).owner
    assert owner is not None
    assert names.take(PersonNamed(owner.id, "Vega", NameSource.INTRODUCED, "x"))
    assert names.has_name(owner.id, "vega")
    assert names.people_in({}).find("Vega").id == owner.id
    assert not names.take(PersonNamed(owner.id, "Vig", NameSource.USER)), "that is looked up later"
