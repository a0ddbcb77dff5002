"""The people of a space: those whom its journal met, read again when it has grown."""

from meridia.ingest.curation import PeopleCache, gazetteer
from tests.ingest.ingest_events import user
from tests.ingest.ingest_world import HOME


def test_the_people_of_a_space_are_those_whom_its_journal_met(world):
    world.live(user("Hello to you all", 0, person="Dana"), user("And to me", 1, person="dana"))
    assert [person.name for person in gazetteer(world.file, HOME).people] == ["Dana"]


def test_people_are_read_again_only_when_the_journal_has_grown(world):
    cache = PeopleCache(world.file)
    world.live(user("Hello to you all", 0, person="Dana"))
    people = cache.of(HOME)
    assert cache.of(HOME) is people
    world.live(user("Hello to you too", 1, person="Ravi"))
    assert [person.name for person in cache.of(HOME).people] == ["Dana", "Ravi"]
