"""The loader: by rule, in order, from the right place, and nothing that is not in the plan."""

from __future__ import annotations

from datetime import timedelta

import pytest

from meridia.core.errors import NotFound
from meridia.core.settings import PlanSettings
from meridia.language.analyser import Analyser
from meridia.retrieval.plans.context_draft import DOCUMENT, DocumentLoader
from meridia.retrieval.plans.memory_index import PlanSources, temporal_bounds
from meridia.retrieval.plans.plan import RetrievalPlan, SourceType
from tests.fakes import START
from tests.retrieval.plans.plan_samples import BEGAN, SITE, filled


def loaded(memory, *, cold=False, as_of=None, settings=None, asked=""):
    """Load every node of the index."""
    nodes = {node.node_id: node for node in memory.planning.index(as_of).everything()}
    selected = {
        type: tuple(id for id, node in nodes.items() if node.source_type is type)
        for type in SourceType
    }
    sources = PlanSources(
        memory.parts, memory.space, temporal_bounds(memory.parts, memory.space, as_of)
    )
    plan = RetrievalPlan(selected)
    loader = DocumentLoader(sources, settings or PlanSettings(), asked, Analyser())
    documents = loader.load(plan, nodes, cold=cold)
    assert [document.node.node_id for document in documents] == plan.ids
    return {document.node.node_id: document for document in documents}


def test_row_74_turns_load_their_context_and_the_others_their_documents(memory):
    """Row 74: turn → context.md; others → documents."""
    names = {type: set() for type in SourceType}
    for document in loaded(memory).values():
        names[document.node.source_type].add(document.name)
    assert names == {type: {DOCUMENT[type]} for type in SourceType}
    assert DOCUMENT[SourceType.TURN_SUMMARY] == "context.md"


def test_row_74_a_document_holds_every_word_of_its_source(memory):
    """Row 74: what is loaded is whole."""
    documents = loaded(memory, cold=True)
    for one in memory.list().memories:
        if one.kind != "session_boundary":
            assert one.text in documents[f"turn:{one.seq}"].text
    texts = [document.text for document in documents.values()]
    assert any("Dana lives in Bergen." in text and "Stated in:" in text for text in texts)
    assert any(SITE in text and "Named by:" in text for text in texts)
    assert any("a red boat with a sail" in text for text in texts)


def test_row_81_an_archived_turn_is_its_summary_and_nothing_is_lost(memory):
    """Row 81: 30 days; summary kept, the whole text one switch away."""
    warm, cold = loaded(memory), loaded(memory, cold=True)
    old = {id for id, document in warm.items() if document.archived}
    assert old == {id for id in warm if id.startswith("turn:")} - {"turn:3", "turn:6", "turn:7"}
    for id in old:
        assert warm[id].node.summary in warm[id].text or len(cold[id].text) > 500
        assert warm[id].node.source_ref in warm[id].text
    assert "I live in Bergen." in cold["turn:1"].text
    assert memory.get("m-1").text in cold["turn:1"].text


def test_row_81_an_archived_turn_keeps_the_sentences_that_answer():
    """Row 81: what is asked for stands in the room of a summary, wherever it was said."""
    filler = " ".join(f"The quay was quiet on day {number}." for number in range(60))
    with filled() as long:
        told = BEGAN - timedelta(days=3000)
        text = f"{filler} The spare key hangs behind the oilskins. {filler}"
        long.remember(text, role="user", person="Dana", at=told)
        long.enrich()
        about = loaded(long, asked="Where is the spare key?")
        assert any("behind the oilskins" in document.text for document in about.values())
        assert all(len(d.text) < 800 for d in about.values() if d.archived)
        assert not any("oilskins" in document.text for document in loaded(long).values())


def test_row_81_archival_is_seen_from_the_moment_and_not_from_today(memory):
    """Row 81: a pure function of the clock."""
    then = loaded(memory, as_of=BEGAN + timedelta(days=29))
    assert not any(document.archived for document in then.values())
    assert not loaded(memory, settings=PlanSettings(archive_days=100))["turn:1"].archived
    assert loaded(memory)["turn:1"].archived
    assert timedelta(days=30) < START - BEGAN


def test_an_id_without_a_node_is_refused_before_anything_is_read(memory):
    sources = PlanSources(
        memory.parts, memory.space, temporal_bounds(memory.parts, memory.space, None)
    )
    plan = RetrievalPlan({SourceType.FACT: ("memory:x",)})
    with pytest.raises(NotFound, match="memory:x"):
        DocumentLoader(sources, PlanSettings(), "", Analyser()).load(plan, {})


def test_loading_changes_nothing(memory):
    before = memory.parts.journal.head(memory.space)
    loaded(memory, cold=True)
    assert memory.parts.journal.head(memory.space) == before


def test_a_document_as_json_names_its_node_and_where_it_lies(memory):
    shape = loaded(memory)["turn:6"].as_json()
    assert list(shape) == ["node_id", "document", "source_ref", "archived", "text"]
