"""Candidates for a merge: proposed with a reason, never merged."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entities.entity_gazetteer import EntityType, GazetteerEntity, entity_id
from meridia.ingest.extraction.duplicates import MergeCandidate, duplicates


def entry(
    type: str, name: str, *aliases: str, into: GazetteerEntity | None = None
) -> GazetteerEntity:
    kind = EntityType(type)
    id = entity_id("s", kind, name)
    return GazetteerEntity(id, kind, name, aliases, into.id if into else None)


def only(*entities: GazetteerEntity) -> MergeCandidate:
    (candidate,) = duplicates(entities)
    return candidate


@pytest.mark.parametrize(
    ("type", "name", "into", "reason"),
    [
        ("SYSTEM", "GitHub", "Git Hub", "the same letters"),
        ("SYSTEM", "node-js", "Node.js", "the same letters"),
        ("PERSON", "Muller", "Müller", "the same letters"),
        ("TOOL", "readFile", "read_file", "the same letters"),
        ("FILE", "src\\a.py", "src/a.py", "the same letters"),
        ("ORG", "Acme", "Acme Inc", "a title or a legal form"),
        ("PERSON", "Dana Reed", "Dr. Dana Reed", "a title or a legal form"),
        ("PERSON", "Dana Reed", "Doctor Dana Reed", "a title or a legal form"),
        ("PERSON", "Reed, Dana", "Dana Reed", "another order"),
        ("ORG", "WHO", "World Health Organization", "initials"),
        ("ORG", "BOA", "Bank of America", "initials"),
        ("PERSON", "D. Reed", "Dana Reed", "the same initial"),
        ("PERSON", "Dana", "Dana Reed", "the beginning of a name"),
        ("PERSON", "Reed", "Dana Reed", "the end of a name"),
        ("PROJECT", "widget", "acme/widget", "the end of a name"),
        ("FILE", "src/a.py", "/repo/src/a.py", "the end of a name"),
        ("ORG", "Acme", "Acme Robotics", "the beginning of a name"),
        ("SYSTEM", "Postgres", "PostgreSQL", "the beginning of the other"),
        ("CONCEPT", "Gift Card", "Gift Cards", "spelled nearly alike"),
        ("PERSON", "Joana", "Joanna", "spelled nearly alike"),
        ("PLACE", "Reykjavik", "Reykjavk", "spelled nearly alike"),
    ],
)
def test_row_102_names_that_may_be_one_are_proposed_with_the_reason(type, name, into, reason):
    item, other = entry(type, name), entry(type, into)
    result = only(item, other)
    assert {result.entity, result.into} == {item, other}
    assert reason in result.reason
    assert 0 < result.score <= 1


@pytest.mark.parametrize(
    ("type", "item", "other"),
    [
        ("SYSTEM", "server 1", "server 2"),
        ("SYSTEM", "v1.1", "v11"),
        ("TOOL", "get_user", "set_user"),
        ("FILE", "a/b.py", "ab.py"),
        ("FILE", "src/app.py", "src/apps.py"),
        ("PLACE", "York", "New York"),
        ("PERSON", "Dan", "Dana"),
        ("SKILL", "Java", "JavaScript"),
        ("PERSON", "Dana Reed", "Ravi Patel"),
        ("ORG", "of the", "of the North"),
    ],
)
def test_names_that_only_resemble_each_other_are_not_proposed(type, item, other):
    assert duplicates([entry(type, item), entry(type, other)]) == []


def test_entities_of_two_types_are_never_proposed():
    assert duplicates([entry("ORG", "Mercury"), entry("PLACE", "Mercury")]) == []


def test_an_alias_that_is_another_name_is_a_reason():
    result = only(entry("SYSTEM", "Postgres", "pg"), entry("SYSTEM", "pg"))
    assert (result.entity.name, result.into.name) == ("pg", "Postgres")
    assert result.reason == "a name of one is an alias of the other"


def test_an_alias_that_two_share_is_a_weaker_reason():
    result = only(entry("ORG", "Acme Robotics", "ACR"), entry("ORG", "Apex Cranes", "ACR"))
    assert result.reason == "both are also called ACR"
    assert result.score < 0.95


def test_the_fuller_name_stands_and_of_equals_the_first():
    short, full = entry("PERSON", "Dana"), entry("PERSON", "Dana Reed")
    assert only(short, full).into == only(full, short).into == full
    first, second = entry("SYSTEM", "read-file"), entry("SYSTEM", "read.file")
    assert only(first, second).into == first
    assert only(second, first).into == second


def test_a_part_of_several_names_is_less_likely_one_of_them():
    dana, reed, scott = (entry("PERSON", n) for n in ("Dana", "Dana Reed", "Dana Scott"))
    several = duplicates([dana, reed, scott])
    assert [c.entity for c in several] == [dana, dana]
    assert all("as of 1 more" in c.reason for c in several)
    assert several[0].score < only(dana, reed).score


def test_what_is_merged_is_not_proposed_again_and_stands_for_its_whole():
    full = entry("PERSON", "Dana Reed")
    short = entry("PERSON", "Dana", into=full)
    assert duplicates([full, short]) == []
    result = only(full, short, entry("PERSON", "Dána"))
    assert (result.entity.name, result.into.name) == ("Dána", "Dana Reed")


def test_the_likeliest_come_first_and_no_more_than_asked_for():
    entities = [entry("PERSON", n) for n in ("Dana", "Dana Reed", "Joanna", "Joana", "Jo-anna")]
    scores = [candidate.score for candidate in duplicates(entities)]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 4
    assert [c.score for c in duplicates(entities, limit=2)] == scores[:2]


def test_a_candidate_is_plain_json():
    short, full = entry("PERSON", "Dana"), entry("PERSON", "Dana Reed")
    assert only(short, full).as_json() == {
        "entity": {"id": short.id, "name": "Dana"},
        "into": {"id": full.id, "name": "Dana Reed"},
        "type": "PERSON",
        "reason": "Dana is the beginning of a name",
        "score": 0.75,
    }


NAMES = st.text(st.sampled_from("abcD é東.-19"), max_size=9)


@given(st.lists(st.tuples(st.sampled_from([*EntityType]), NAMES, NAMES), max_size=12))
def test_pairs_are_of_one_type_different_and_in_no_order_of_the_input(drawn):
    entities = {e.id: e for e in (entry(type, name, alias) for type, name, alias in drawn)}
    result = duplicates([*entities.values()])
    for candidate in result:
        assert candidate.entity.type is candidate.into.type
        assert candidate.entity.id != candidate.into.id
        assert 0 < candidate.score <= 1
    pairs = [frozenset((c.entity.id, c.into.id)) for c in result]
    assert len(pairs) == len({*pairs})
    again = duplicates([*reversed(entities.values())])
    assert {(frozenset((c.entity.id, c.into.id)), c.score) for c in again} == {
        (pair, candidate.score) for pair, candidate in zip(pairs, result, strict=True)
    }


@pytest.mark.parametrize("pattern", ["server {}", "Dana Reed{}x", "aaaaaa{}"])
def test_thousands_of_names_are_not_compared_each_with_each(pattern):
    letters = [chr(97 + n // 676) + chr(97 + n // 26 % 26) + chr(97 + n % 26) for n in range(1_500)]
    entities = [entry("SYSTEM", pattern.format(fragment)) for fragment in letters]
    begun = time.process_time()
    duplicates(entities)
    assert time.process_time() - begun < 2
