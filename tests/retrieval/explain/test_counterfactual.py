"""What a memory owes to one edge is what really goes when the edge is taken out of the file."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput, NotFound
from meridia.core.settings import RecallSettings, Settings
from meridia.retrieval.explain.counterfactual import Counterfactual, Edge, rank_and_score
from tests.retrieval.random_spaces import question, world
from tests.thorough import THOROUGH

SAMPLED = 500 if THOROUGH else 25
TOLERANCE = 1e-9


class Undo(Exception):
    """Ends a transaction without what was done in it."""


@contextmanager
def really_without(memory: Memory, edge: Edge) -> Iterator[None]:
    """Take an edge out of the stored graph, and out of the list that says the same of it."""
    number = memory.parts.journal.scope(memory.space).number
    column = {"SPOKEN_BY": "person", "IN_SESSION": "session"}.get(edge.type)
    ends = "(SELECT number FROM node WHERE space = ? AND id = ?)"
    try:
        with memory.parts.database.writing() as connection:
            done = connection.execute(
                f"DELETE FROM edge WHERE space = ? AND source = {ends} "
                f"AND target = {ends} AND type = "
                "(SELECT number FROM edge_type WHERE space = ? AND name = ?)",
                (number, number, edge.source, number, edge.target, number, edge.type),
            )
            assert done.rowcount == 1
            if column:
                connection.execute(
                    f"UPDATE experience SET {column} = NULL WHERE space = ? AND id = ?",
                    (number, edge.source),
                )
            yield
            raise Undo
    except Undo:
        pass


def standing_now(memory: Memory, recall: str, seq: int) -> tuple[int, float] | None:
    """Ask a kept question again of what the file holds, and return how a memory stands."""
    why = memory.reasons
    then = why._past_recall(recall)
    row = int(then.snapshot.view.experiences.index_of(np.array([seq]))[0])
    return rank_and_score(why._ranked(then, then.snapshot), row)


def check(memory: Memory, recall: str, seq: int, found: Counterfactual) -> None:
    with really_without(memory, found.edge):
        now = standing_now(memory, recall, seq)
    if now is None:
        assert found.rank_without is None
        return
    assert (found.rank_without, found.score_without) == (now[0], pytest.approx(now[1], abs=1e-9))


@pytest.mark.parametrize("policy", ["spread", "walk"])
def test_a_counterfactual_is_what_really_removing_the_edge_gives(policy):
    chance = random.Random(8)
    settings = Settings(recall=RecallSettings(policy=policy))
    types, checked, moved = set(), 0, 0
    with world(None, seed=7, settings=settings) as memory:
        while checked < SAMPLED // 2:
            recall = memory.recall(question(chance))
            if not recall.hits:
                continue
            hit = chance.choice(recall.hits)
            every = memory.reasons.counterfactuals(recall.id, hit.id)
            assert len({one.edge for one in every}) == len(every)
            of_type = {one.edge.type: one for one in chance.sample(every, len(every))}
            for found in of_type.values():
                check(memory, recall.id, hit.memory.seq, found)
                checked += 1
                moved += found.score_without != found.score
                types.add(found.edge.type)
    assert {"NEXT", "IN_SESSION", "SPOKEN_BY"} <= types
    assert moved


def test_the_speakers_edge_is_what_a_speaker_is_worth():
    with world(None, seed=9) as memory:
        recall = memory.recall("What did Dana say about the boat?")
        mine = [hit for hit in recall.hits if hit.memory.person == "Dana"]
        every = memory.reasons.counterfactuals(recall.id, mine[0].id)
        (found,) = [one for one in every if one.edge.type == "SPOKEN_BY"]
        check(memory, recall.id, mine[0].memory.seq, found)
        # Without it nobody knows who says it: their share of the session counts instead.
        assert found.score - 2.5 - TOLERANCE <= found.score_without < found.score
        assert found.description.endswith("SPOKEN_BY Dana")


def test_one_edge_may_be_named_and_it_is_the_same_as_in_the_list(demo: Memory):
    recall = demo.recall("Why did publishing the website fail?")
    every = demo.reasons.counterfactuals(recall.id, recall.hits[0].memory.uri)
    assert every
    for one in every[:5]:
        alone = demo.reasons.without(recall.id, recall.hits[0].event_id, one.edge)
        assert alone == one
        assert (one.rank, one.score) == (1, recall.hits[0].score)
        assert one.as_json()["edge"]["type"] == one.edge.type


def test_an_edge_that_was_not_there_is_not_found(demo: Memory):
    recall = demo.recall("Why did publishing the website fail?")
    first, second = recall.hits[:2]
    with pytest.raises(NotFound, match="no edge SPOKEN_BY"):
        demo.reasons.without(recall.id, first.id, Edge("SPOKEN_BY", first.id, second.id))
    with pytest.raises(NotFound, match="no edge NEXT from x"):
        demo.reasons.without(recall.id, first.id, Edge("NEXT", "x", second.id))


def test_what_was_no_candidate_has_no_edges_to_lose(demo: Memory):
    recall = demo.recall("sail", limit=1, person="Oskar")
    other = next(m for m in demo.list(limit=200).memories if m.person != "Oskar")
    with pytest.raises(InvalidInput, match="was not a candidate"):
        demo.reasons.counterfactuals(recall.id, other.id)
