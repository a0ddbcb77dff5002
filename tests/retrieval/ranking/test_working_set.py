"""The working set: ten memories of the session that asks, and what is like them gains."""

from collections.abc import Iterator

import numpy as np
import pytest

from meridia import Memory
from meridia.core.entries import FeedbackUndone, TrackedFeedback
from meridia.core.ids import session_id
from meridia.core.settings import RecallSettings, Settings
from meridia.core.types import EntryDraft, Filters
from meridia.retrieval.ranking import optional_terms
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view

ON = Settings(recall=RecallSettings(working_set=0.3))


@pytest.fixture
def memory(embedder) -> Iterator[Memory]:
    with Memory(None, "s", ON, embedder=embedder) as memory:
        memory.remember("The gate in the harbour is painted green", session="old")
        memory.remember("The gate in the garden is painted blue", session="old")
        for count in range(12):
            memory.remember(f"The garden needs {count} roses", session="now")
        memory.enrich()
        yield memory


def members(memory: Memory, session: str = "now", **asked) -> list[str]:
    recalls = memory._components.recalls
    memory.enrich()
    embedder = memory._components.embedder()
    snapshot = recalls.snapshot(memory.space, embedder, memory.enrichment.cursor(memory.space))
    request = RecallRequest("", 10, Filters(), **asked)
    space = space_view(memory.parts, memory.space, snapshot, request)
    rows = optional_terms.members_of(memory.parts, space, session)
    seqs = space.view.experiences.seqs[rows].tolist()
    return [memory.parts.catalog.fetch(memory.space, seqs)[seq].text for seq in seqs]


def refer(memory: Memory, text: str) -> str:
    (id,) = [m.id for m in memory.list(limit=100).memories if m.text == text]
    payload = TrackedFeedback(
        reconstitution=None, mode=None, shown=(id,), note=None, effects={}, by="rule",
        session=session_id(memory.space, "now"), referenced=(id,), anchors=(), auto_score=1.0,
        style=None,
    )  # fmt: skip
    (ack,) = memory.parts.journal.append(memory.space, [EntryDraft("", payload)])
    return ack.id


def test_row_104_it_holds_the_newest_ten_first_in_first_out(memory):
    assert members(memory) == [f"The garden needs {count} roses" for count in range(2, 12)]
    assert members(memory, "never") == []
    second = memory.list(limit=100).memories[3].seq
    assert members(memory, as_of=int(second)) == [f"The garden needs {n} roses" for n in (0, 1)]


def test_what_the_session_referred_to_enters_and_leaves_when_that_is_undone(memory):
    green = "The gate in the harbour is painted green"
    given = refer(memory, green)
    assert members(memory)[-1] == green
    assert len(members(memory)) == optional_terms.SIZE
    undone = FeedbackUndone(given, by="user")
    memory.parts.journal.append(memory.space, [EntryDraft("", undone)])
    assert green not in members(memory)


def test_what_is_like_the_set_gains_as_its_trace_says(memory):
    asked = memory.recall("Which gate is painted?", limit=100, current_session="now")
    plain = memory.recall("Which gate is painted?", limit=100)
    assert asked.notes == ["the working set of session now counts: 10 memories"]
    assert plain.notes == []
    score = {hit.text: hit.score for hit in plain.hits}
    gains = {hit.text: hit.score - score[hit.text] for hit in asked.hits}
    own = {
        hit.text: sum(b.value for b in hit.trace.children if b.label == "working set")
        for hit in asked.hits
    }
    assert own["The gate in the garden is painted blue"] > 0
    found = {hit.text: hit for hit in plain.hits}
    for text, value in own.items():
        leaves = found[text].trace.leaves()
        begins = sum(n.value for n in leaves if n.evidence in {"own_words", "meaning"})
        assert 0 <= value <= 0.3 * max(begins, 0.0) + 1e-9
    assert max(own.values()) > 0.1, "it moves what it holds"
    assert all(gains[text] == pytest.approx(own[text], abs=1e-9) for text in gains)
    for hit in asked.hits:
        assert sum(leaf.value for leaf in hit.trace.leaves()) == pytest.approx(hit.score)


def test_reads_put_nothing_in_and_a_replay_is_the_same(memory):
    asked = memory.recall("Which gate is painted?", current_session="now")
    before = members(memory)
    again = memory.recall("Which gate is painted?", current_session="now")
    assert members(memory) == before
    assert [(h.id, h.score) for h in again.hits] == [(h.id, h.score) for h in asked.hits]
    memory.remember("Something else altogether", session="now")
    memory.enrich()
    assert memory.reasons.replay(asked.id).identical


def test_it_is_off_by_default_and_without_vectors(memory, embedder):
    assert RecallSettings().working_set == 0
    off = Settings(embedding={"enabled": False}, recall=RecallSettings(working_set=0.3))
    with Memory(None, "s", off) as wordless:
        wordless.remember("The gate is green", session="now")
        answer = wordless.recall("gate", current_session="now")
        assert not any("working set" in note for note in answer.notes)


def test_saliency_is_the_mean_cosine_with_the_set(memory):
    recalls = memory._components.recalls
    embedder = memory._components.embedder()
    snapshot = recalls.snapshot(memory.space, embedder, memory.enrichment.cursor(memory.space))
    space = space_view(memory.parts, memory.space, snapshot, RecallRequest("", 10, Filters()))
    rows = np.arange(4)
    vectors = snapshot.index.rows[snapshot.index.starts[rows]].astype(np.float64)
    expected = (vectors @ vectors[2:4].T).mean(axis=1)
    assert optional_terms._saliency(space, rows[2:4], rows) == pytest.approx(expected, abs=1e-6)
