"""Where the words of a question stand."""

import math

from meridia import Memory
from meridia.core.ids import word_id
from meridia.core.types import Filters
from meridia.retrieval.candidates.postings import postings
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view


def test_a_terms_rows_are_those_that_are_about_it_and_rarity_falls_with_their_number(demo: Memory):
    recall_service = demo._components.recalls
    snapshot = recall_service.snapshot(
        demo.space, demo._components.embedder(), demo.enrichment.cursor(demo.space)
    )
    space = space_view(demo.parts, demo.space, snapshot, RecallRequest("", 10, Filters()))
    (number,) = demo.adjacency.numbers(demo.space, [word_id(demo.space, "boat")]).values()
    node = int(space.view.nodes_of([number])[0])
    found = postings(space.view, ["boat", "zygote"], [node, -1])
    texts = [demo.get(hit.id).text.lower() for hit in demo.recall("boat", limit=5).hits]
    assert any("boat" in text for text in texts)
    count, known = len(space.view.experiences.seqs), len(found.rows[0])
    assert known > 0
    assert len(found.rows[1]) == 0
    expected = [math.log(1 + (count - df + 0.5) / (df + 0.5)) for df in (known, 0)]
    assert found.rarity.tolist() == expected
