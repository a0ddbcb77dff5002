"""Whom and when a question is about."""

from datetime import UTC, datetime

import numpy as np

from meridia import Memory
from meridia.core.types import Filters
from meridia.language.questions.question import parse_question
from meridia.retrieval.candidates import query_targets
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)


def _asked(demo: Memory, text: str):
    return parse_question(text, demo.parts.analyser, demo.people.known(), NOW)


def _space(demo: Memory):
    recall_service = demo._components.recalls
    snapshot = recall_service.snapshot(
        demo.space, demo._components.embedder(), demo.enrichment.cursor(demo.space)
    )
    return space_view(demo.parts, demo.space, snapshot, RecallRequest("", 10, Filters()))


def test_a_period_is_anchored_to_the_memory_that_tells_of_it(demo: Memory):
    space = _space(demo)
    question = _asked(demo, "What did he do two weeks before the mast broke?")
    found = demo._components.recalls._recaller._words.postings(space, question.terms)
    (period,) = query_targets.resolve_periods(space, question, found, demo.parts.catalog)
    told = demo.recall("the mast broke", limit=50).hits
    mast = min(hit.memory.at for hit in told if "mast" in hit.text.lower())
    ((start, end),) = period.spans
    assert start <= mast.timestamp() - 14 * 86_400 < end


def test_an_anchor_that_nobody_spoke_of_is_no_period(demo: Memory):
    space, question = _space(demo), _asked(demo, "two weeks before the zeppelin")
    found = demo._components.recalls._recaller._words.postings(space, question.terms)
    assert query_targets.resolve_periods(space, question, found, demo.parts.catalog) == ()


def test_whose_memories_are_looked_at_besides_is_who_and_when_it_is_about(demo: Memory):
    space = _space(demo)
    names = [person.name for person in demo.people.known().people]
    people = space.view.experiences.person
    for text, masks in (("Where is the boat?", 0), (f"What did {names[0]} buy?", 1)):
        found = query_targets.target_masks(space, _asked(demo, text), ())
        assert len(found) == masks
    asked = _asked(demo, f"What did {names[0]} buy?").people[0]
    (mine,) = query_targets.target_masks(space, _asked(demo, f"What did {names[0]} buy?"), ())
    assert set(np.unique(people[mine])) == {list(space.view.people).index(asked.id)}
    both = f"What do {names[0]} and {names[1]} have in common?"
    assert query_targets.target_masks(space, _asked(demo, both), ()) == []
