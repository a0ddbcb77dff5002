"""What callers see of an answer: hits with their scores, and the JSON form."""

from __future__ import annotations

from meridia import Memory
from meridia.retrieval.recall_result import as_json


def test_a_hit_has_the_score_of_its_trace_and_the_json_form_has_every_hit(demo: Memory):
    recall = demo.recall("Who sails the boat?", limit=5)
    assert recall.hits
    for hit in recall.hits:
        leaves = sum(leaf.value for leaf in hit.trace.leaves())
        assert abs(hit.score - leaves) < 1e-9
        assert hit.base == hit.score, "nothing was added by facets and profile"
    written = as_json(recall)
    assert [row["id"] for row in written["hits"]] == [hit.id for hit in recall.hits]
