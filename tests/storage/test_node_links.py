"""Links: the edges between what a plan can name, found from either end."""

from __future__ import annotations

import pytest

from meridia.core.errors import NotFound
from meridia.core.types import Space
from tests.retrieval.plans.plan_samples import filled

LABELS = {"Experience", "Episode", "Fact", "Artifact"}


@pytest.fixture(scope="module")
def memory():
    with filled() as opened:
        yield opened


@pytest.fixture(scope="module")
def links(memory):
    return memory.parts.space(memory.space).links


def test_everything_that_a_plan_can_name_is_listed_in_order(links):
    found = links.list_all()
    assert {place.label for place in found} == LABELS
    assert [place.seq for place in found] == sorted(place.seq for place in found)
    assert sum(place.label == "Experience" for place in found) == 7


def test_an_edge_is_found_from_either_end(links):
    for place in links.list_all():
        for link in links.touching([place.id]):
            assert place in (link.source, link.target)
            other = link.target if place == link.source else link.source
            assert link in links.touching([other.id])


def test_edges_to_anything_else_are_left_out(links):
    ids = [place.id for place in links.list_all()]
    ends = [end for link in links.touching(ids) for end in (link.source, link.target)]
    assert {end.label for end in ends} == LABELS


def test_ids_that_nobody_knows_are_left_out(links):
    assert links.nodes(["nobody"]) == []
    assert links.touching(["nobody"]) == []
    (known,) = links.nodes([links.list_all()[0].id, "nobody"])
    assert known == links.list_all()[0]


def test_another_space_has_links_of_its_own(memory):
    memory.in_space("away").remember("Alone.", session="s1")
    away = memory.in_space("away")
    away.enrich()
    links = memory.parts.space(Space("away")).links
    assert [place.label for place in links.list_all()] == ["Experience"]
    assert links.nodes([memory.get("m-1").id]) == []
    with pytest.raises(NotFound):
        memory.parts.space(Space("nowhere"))
