"""The list of entities: every mention counts, a merge can be undone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.core.types import EntryKind, Space
from meridia.storage.projections import entity_list
from meridia.storage.projections.entity_list import EntityRow
from tests.drafts import a_draft, a_payload
from tests.fakes import numbered, private_journal
from tests.graph.listed import AWAY, HOME


def mention(file, key: str, *entities: tuple[str, str], space: Space = HOME) -> None:
    named = [
        {"id": id, "type": "project", "name": name, "confidence": 0.9} for id, name in entities
    ]
    payload = {"experience": key, "entities": named}
    file.journal.append(space, [a_draft(EntryKind.ENTITIES_MENTIONED, key, payload)])


def merge(file, entity: str, into: str | None) -> None:
    if into is None:
        draft = a_draft(EntryKind.ENTITIES_UNMERGED, "", {"entity": entity})
    else:
        payload = {"entity": entity, "into": into, "reason": "the same", "by": "user"}
        draft = a_draft(EntryKind.ENTITIES_MERGED, "", payload)
    file.journal.append(HOME, [draft])


def listed(file, space: int = 1) -> list[EntityRow]:
    return numbered(file, space).entities.list_all()


def test_an_entity_keeps_the_first_name_it_was_mentioned_by(private_file):
    mention(private_file, "e-1", ("x", "Kestrel"), ("y", "Osprey"))
    mention(private_file, "e-2", ("x", "kestrel"))
    assert listed(private_file) == [
        EntityRow("x", "project", "Kestrel", 2, None),
        EntityRow("y", "project", "Osprey", 1, None),
    ]
    assert numbered(private_file).entities.counts() == (2, 0)


def test_an_experience_that_is_told_of_twice_counts_once(private_file):
    for _ in range(2):
        mention(private_file, "e-1", ("x", "Kestrel"))
    assert listed(private_file)[0].mentions == 1


def test_nothing_mentioned_is_nothing_listed(private_file):
    mention(private_file, "e-1")
    assert listed(private_file) == []
    assert numbered(private_file).entities.counts() == (0, 0)


def test_a_merge_says_into_what_and_can_be_undone(private_file):
    mention(private_file, "e-1", ("x", "Kestrel"), ("y", "Kestrels"))
    merge(private_file, "y", "x")
    assert [(one.id, one.merged_into) for one in listed(private_file)] == [("x", None), ("y", "x")]
    assert numbered(private_file).entities.counts() == (2, 1)
    mention(private_file, "e-2", ("y", "Kestrels"))
    assert [(one.id, one.mentions) for one in listed(private_file)] == [("y", 2), ("x", 1)]
    merge(private_file, "y", None)
    assert [one.merged_into for one in listed(private_file)] == [None, None]
    assert numbered(private_file).entities.counts() == (2, 0)


def test_a_merge_of_what_was_never_mentioned_lists_nothing(private_file):
    mention(private_file, "e-1", ("x", "Kestrel"))
    merge(private_file, "nobody", "x")
    assert [one.id for one in listed(private_file)] == ["x"]


def test_spaces_list_their_own_and_one_can_be_cleared(private_file):
    mention(private_file, "e-1", ("x", "Kestrel"))
    mention(private_file, "e-1", ("x", "Elsewhere"), space=AWAY)
    mention(private_file, "e-2", ("y", "Kestrels"))
    merge(private_file, "x", "y")
    assert [one.merged_into for one in listed(private_file, 2)] == [None]
    with private_file.database.writing() as connection:
        entity_list.clear(connection, 1)
    assert listed(private_file, 1) == []
    assert [one.name for one in listed(private_file, 2)] == ["Elsewhere"]


@pytest.mark.parametrize("missing", ["id", "type", "name"])
def test_a_mention_without_its_parts_is_no_entry(missing):
    entity: dict[str, Any] = {"id": "x", "type": "project", "name": "Kestrel", "confidence": 1.0}
    del entity[missing]
    with pytest.raises(InvalidInput, match=missing):
        a_payload(EntryKind.ENTITIES_MENTIONED, {"experience": "e", "entities": [entity]})


ids = st.sampled_from("xyz")
happenings = st.lists(
    st.tuples(st.just("mention"), st.sets(ids, min_size=1), st.none())
    | st.tuples(st.just("merge"), ids, st.none() | ids)
)


@given(happenings)
def test_the_list_is_what_a_simple_model_says(history):
    mentions: Counter[str] = Counter()
    merged: dict[str, str | None] = {}
    with private_journal() as file:
        mention(file, "first", ("x", "x"))
        mentions["x"] += 1
        for number, (how, what, into) in enumerate(history):
            if how == "mention":
                mention(file, str(number), *((id, id) for id in sorted(what)))
                mentions.update(what)
            else:
                merge(file, what, into)
                if what in mentions:
                    merged[what] = into
        found = {one.id: (one.mentions, one.merged_into) for one in listed(file)}
        assert found == {id: (count, merged.get(id)) for id, count in mentions.items()}
        whole = len(mentions), len([into for into in merged.values() if into is not None])
        assert numbered(file).entities.counts() == whole
