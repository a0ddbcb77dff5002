"""Profile `reference`: the source's formulas, number by number, from the question to the score."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings import Settings
from meridia.core.settings_loader import load
from meridia.retrieval.explain.counterfactual import Cause
from meridia.retrieval.ranking.contributions import TraceNode
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock, waiting
from tests.retrieval.random_spaces import world

FIRST = datetime(2026, 3, 1, 10, tzinfo=UTC)
QUESTION = "Did Dana mend the genoa yesterday?"
SAID = {
    "The torn genoa of the boat": (6, 3, 2),
    "The mainsail is fine.": (6, -2, -3),
    "We sail to Horten in May.": (3, -6, 2),
    "The sail loft lent me a needle.": (2, 6, 3),
    "The loft is open on Fridays.": (2, 3, 6),
}
EXPECTED = "What solved this: the torn genoa of the boat?"
ASKED = {QUESTION: (7, 0, 0), EXPECTED: (7, 0, 0)}


class ByHand:
    """An encoder whose vectors are chosen by hand; what it does not know is of another matter."""

    model, dimension = "by-hand:3:1", 3

    def embed(self, texts):
        return np.array([(SAID | ASKED).get(text, (0, -7, 0)) for text in texts], np.float32) / 7


def chosen(**flags: object) -> Settings:
    given = {f"reference.{key}": value for key, value in flags.items()}
    return load(flags={"recall.profile": "reference"} | given, environment={}).settings


def boat(**flags: object) -> Memory:
    """Five memories A to E; A is Dana's, of 2 March, and a problem that was solved."""
    memory = Memory(
        None, "boat", waiting(chosen(**flags)), TickingClock(), SeededBytes(), embedder=ByHand()
    )
    for letter, text in zip("ABCDE", SAID, strict=True):
        memory.remember(
            text,
            id=letter,
            session=letter,
            person="Dana" if letter == "A" else "Oskar",
            at=FIRST + timedelta(days=letter == "A"),
            metadata={"trigger": "problem-solution"} if letter == "A" else {},
        )
    return memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    with boat() as opened:
        yield opened


def ask(memory: Memory, **how: object):
    return memory.recall(QUESTION, as_of=FIRST + timedelta(days=2), **how)


def parts(trace: TraceNode) -> dict[str, TraceNode]:
    return {part.label: part for part in trace.children}


def test_rows_84_to_92_are_the_numbers_worked_out_by_hand(memory: Memory):
    scores = {hit.event_id: hit.score for hit in ask(memory).hits}
    connected = [1 + 0.15 * math.log(1 + edges) for edges in (2, 0, 0, 1, 0)]
    semantic = [0.4 * 6 / 7 + 0.6, 6 / 7, 3 / 7, 2 / 7, 2 / 7]
    signal = [1, 1, 1, 36 / 49, 36 / 49 * 40 / 49]
    for letter, *factors in zip("ABCDE", semantic, connected, signal, strict=True):
        assert scores[letter] == pytest.approx(math.prod(factors), abs=1e-3)


def test_row_84_without_an_anticipated_question_content_alone_counts(memory: Memory):
    hits = {hit.event_id: parts(hit.trace)["meaning"] for hit in ask(memory).hits}
    assert [leaf.label.startswith("it answers") for leaf in hits["A"].leaves()] == [False, True]
    assert EXPECTED in hits["A"].leaves()[1].label
    assert [leaf.value for leaf in hits["B"].leaves()] == pytest.approx([6 / 7], abs=1e-3)


def test_row_86_a_start_node_tells_its_hybrid_score_and_what_it_is_made_of(memory: Memory):
    label = parts(ask(memory).hits[0].trace)["meaning"].leaves()[0].label
    assert "by direct match, hybrid 0.737" in label
    assert ".5 · 0.200 keywords + .3 · 1.000 time + .2 · 1.000 entities" in label


def test_row_87_the_walk_begins_at_the_three_best_that_may_be_returned(memory: Memory):
    direct = [hit.event_id for hit in ask(memory).hits if "direct match" in str(hit.trace)]
    assert direct == ["A", "B", "C"]
    hits = ask(memory, person="Oskar").hits
    direct = [hit.event_id for hit in hits if "direct match" in str(hit.trace)]
    assert direct[:2] == ["B", "C"]
    assert "A" not in {hit.event_id for hit in hits}


def test_row_87_what_only_repeats_another_memory_is_no_start_node(memory: Memory):
    memory.remember("The torn genoa of the boat", id="again", person="Dana", session="B", at=FIRST)
    direct = [hit.event_id for hit in ask(memory).hits if "direct match" in str(hit.trace)]
    assert direct == ["A", "B", "C"]


def test_row_88_five_are_recalled_at_most_however_many_are_asked_for():
    with world(None, 3, settings=chosen()) as memory:
        found = [len(memory.recall("boat storm sail", limit=100).hits) for _ in range(5)]
    assert max(found) == 5


def test_row_90_runs_vary_and_a_replay_draws_the_same_walk():
    flags = {"exploration": 0.6, "nodes": 8}
    with world(None, 4, settings=chosen(**flags)) as memory:
        recalls = [memory.recall("boat storm sail") for _ in range(12)]
        answers = Counter(tuple(sorted(hit.id for hit in recall.hits)) for recall in recalls)
        assert len(answers) > 1
        assert all(memory.reasons.replay(recall.id).identical for recall in recalls)


def test_row_93_what_was_reached_tells_method_path_hops_and_signal(memory: Memory):
    last = ask(memory).hits[-1]
    assert "by graph traversal, 2 hops" in str(last.trace)
    walked = parts(last.trace)["activation"]
    assert "signal 0.60" in walked.children[0].label
    (path,) = walked.leaves()
    assert [step.type for step in path.steps] == ["RELATED", "RELATED"]
    assert path.source == memory.get("A").uri
    assert walked.value < 0


def test_every_score_is_the_sum_of_its_trace_and_the_best_come_first():
    with world(None, 5, settings=chosen(nodes=20)) as memory:
        for question in ("boat storm", "When did Dana paint the kitchen?", "zygote", "Mira?"):
            hits = memory.recall(question, limit=50).hits
            assert hits
            for hit in hits:
                leaves = sum(leaf.value for leaf in hit.trace.leaves())
                assert hit.score == pytest.approx(leaves, abs=1e-9)
            scores = [hit.score for hit in hits]
            assert scores == sorted(scores, reverse=True)


def test_what_was_said_again_counts_more_by_r(memory: Memory):
    before = {hit.event_id: hit for hit in ask(memory).hits}
    memory.remember("The mainsail is fine.", id="again", session="B", at=FIRST + timedelta(days=1))
    after = {hit.event_id: hit for hit in ask(memory).hits}
    said_again = [leaf.label for leaf in after["B"].trace.leaves() if "R = " in leaf.label]
    assert said_again == [
        f"it was said again: R = {1 + 0.35 * math.log(1 + math.exp(-1 / 21)):.3f}"
    ]
    assert after["B"].score > before["B"].score


def test_a_replay_is_the_same_after_later_captures_and_a_rebuild(memory: Memory):
    recall = ask(memory)
    memory.remember("The genoa is mended.", person="Mira", metadata={"trigger": "problem-solution"})
    memory.enrich()
    assert memory.reasons.replay(recall.id).identical
    memory.upkeep.rebuild()
    assert memory.reasons.replay(recall.id).identical


def test_without_an_edge_what_was_reached_over_it_stands_elsewhere(memory: Memory):
    recall = ask(memory)
    changed = memory.reasons.counterfactuals(recall.id, recall.hits[3].id)
    assert [one.edge.type for one in changed] == ["RELATED"]
    assert changed[0].score_without is None or changed[0].score_without < changed[0].score


def test_why_not_says_that_the_walk_did_not_come_to_it():
    with boat(nodes=3) as memory:
        recall = ask(memory)
        found = memory.reasons.why_not(recall.id, memory.get("E").id)
    assert found.cause is Cause.NO_CANDIDATE
    assert found.because == ["the walk did not come to it: it recalled 3 memories"]


def test_row_96_each_part_can_be_switched_off():
    with boat(walk=False) as memory:
        assert [hit.event_id for hit in ask(memory).hits] == ["A", "B", "C"]
    with boat(anticipated=False) as memory:
        assert all("it answers" not in str(hit.trace) for hit in ask(memory).hits)
    with boat(metadata=0.0, starts=1, nodes=1) as memory:
        assert [hit.event_id for hit in ask(memory).hits] == ["A"]


def test_to_the_letter_edges_are_walked_along_their_direction_only():
    # RELATED leads from newer to older: nothing leads away from A, B or C that is of use.
    with boat(literal=True) as memory:
        assert [hit.event_id for hit in ask(memory).hits] == ["A", "B", "C"]


def test_without_vectors_metadata_stands_for_meaning_and_a_note_says_so():
    settings = load(
        flags={"recall.profile": "reference", "embedding.enabled": False}, environment={}
    ).settings
    with Memory(None, "boat", waiting(settings)) as memory:
        memory.remember("Dana mended the genoa.", person="Dana", id="a", at=FIRST)
        memory.remember("The loft is open.", person="Oskar", id="b", at=FIRST)
        recall = memory.recall("Did Dana mend the genoa?")
    assert recall.hits[0].event_id == "a"
    assert any("metadata stands for meaning" in note for note in recall.notes)


def test_a_question_that_says_nothing_recalls_nothing(memory: Memory):
    assert memory.recall("  ").hits == []


def test_a_thing_that_is_named_counts_as_an_entity():
    settings = chosen()
    with Memory(None, "s", waiting(settings), embedder=FakeEmbedder()) as memory:
        entity = {"entities": [{"type": "PROJECT", "name": "Blue Heron"}]}
        memory.remember("The keel of it is laid.", id="named", metadata=entity, at=FIRST)
        memory.remember("Nobody has asked for paint yet.", id="other", at=FIRST)
        hits = {h.event_id: str(h.trace) for h in memory.recall("keel of Blue Heron?").hits}
    assert ".2 · 1.000 entities" in hits["named"]
    assert ".2 · 0.000 entities" in hits["other"]
