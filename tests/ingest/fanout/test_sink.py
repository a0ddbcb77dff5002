"""What every sink promises, shown on the one in memory."""

from __future__ import annotations

import pytest

from meridia.core.errors import Unavailable
from meridia.core.types import EntryKind, Space
from meridia.graph.schema import Partition
from meridia.ingest.fanout.sink import Sink, SinkBatch
from tests.histories import an_entry
from tests.ingest.fanout.fake_sink import FakeSink

HERE, THERE = Partition(Space("a"), "1"), Partition(Space("a"), "2")


def a_batch(partition: Partition, *seqs: int) -> SinkBatch:
    """Return a batch of captured experiences with some sequences."""
    entries = [
        an_entry(EntryKind.EXPERIENCE_CAPTURED, {"event": {"id": f"e{n}"}}, seq=n, id=f"id-{n}")
        for n in seqs
    ]
    return SinkBatch(partition, seqs[0] - 1, seqs[-1], entries)


@pytest.fixture(params=[True, False])
def sink(request: pytest.FixtureRequest) -> Sink:
    return FakeSink(exact=request.param)


def test_the_same_batch_again_changes_nothing(sink: Sink) -> None:
    for _ in range(2):
        sink.deliver(a_batch(HERE, 1, 2, 3))
    assert sink.count(HERE) == 3


def test_two_journals_with_a_space_of_the_same_name_never_meet(sink: Sink) -> None:
    sink.deliver(a_batch(HERE, 1, 2))
    sink.deliver(a_batch(THERE, 1, 2, 3))
    sink.drop(HERE)
    assert (sink.count(HERE), sink.count(THERE)) == (0, 3)


def test_forgetting_removes_what_is_named_or_all_and_says_which(sink: Sink) -> None:
    sink.deliver(a_batch(HERE, 1, 2, 3))
    is_rest_there = sink.forget(HERE, [(2, 2)])
    assert sink.count(HERE) == (2 if is_rest_there else 0)
    sink.forget(HERE, [(2, 2)])


def test_one_that_does_not_answer_says_so() -> None:
    sink = FakeSink()
    sink.down = True
    with pytest.raises(Unavailable, match="fake is down"):
        sink.deliver(a_batch(HERE, 1))
