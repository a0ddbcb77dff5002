"""Every recalled memory says why, and its reasons sum to its score."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia import Memory
from tests.thorough import examples

_WORDS = (
    "boat mast paint website publish Dana Oskar job start when why anchor trailer the of".split()
)


@settings(
    max_examples=examples(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=8), st.integers(1, 40))
def test_the_leaves_of_every_trace_sum_to_the_score(demo: Memory, words: list[str], limit: int):
    for hit in demo.recall(" ".join(words), limit=limit).hits:
        assert abs(sum(leaf.value for leaf in hit.trace.leaves()) - hit.score) < 1e-9
        assert abs(hit.trace.value - hit.score) < 1e-9


@settings(
    max_examples=examples(5),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=8))
def test_every_branch_is_the_sum_of_its_children(demo: Memory, words: list[str]):
    pending = [hit.trace for hit in demo.recall(" ".join(words)).hits]
    while pending:
        reason = pending.pop()
        if reason.children:
            assert abs(sum(child.value for child in reason.children) - reason.value) < 1e-9
            pending.extend(reason.children)


def test_a_reason_along_an_edge_names_a_memory_that_exists(demo: Memory):
    leaves = [
        leaf
        for hit in demo.recall("Why did publishing the club website keep failing?").hits
        for leaf in hit.trace.leaves()
        if leaf.source
    ]
    assert {leaf.edge for leaf in leaves} == {"NEXT"}
    for leaf in leaves:
        assert demo.get(leaf.source).uri == leaf.source


def test_a_neighbours_reason_names_the_neighbour(demo: Memory):
    hit = demo.recall("Why did publishing the club website keep failing?").hits[0]
    before = [leaf for leaf in hit.trace.leaves() if "before is close" in leaf.label]
    named = demo.get(before[0].source)
    page = demo.list(session=hit.memory.session, limit=1000).memories
    ids = [memory.id for memory in page]
    assert ids.index(named.id) == ids.index(hit.id) - 1
