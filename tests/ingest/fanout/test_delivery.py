"""Delivery: behind a cursor, again after failures, without gaps, doubles or what was forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from meridia.core.entries import EntitiesMentioned, ExperienceCaptured
from meridia.core.errors import Refused, Unavailable
from meridia.core.settings import SinksSettings
from meridia.core.types import EntryKind
from meridia.graph.schema import Partition, partition
from meridia.ingest.enrichment import rule_stages
from meridia.ingest.fanout.delivery import DeliveryContext, SinkDelivery
from meridia.ingest.fanout.sink import SinkBatch
from meridia.ingest.redaction.sanitise import DEFAULT
from meridia.storage.forgetting.erasure import ForgettingRequest, erase
from tests.ingest.fanout.fake_sink import FakeSink
from tests.ingest.ingest_events import user
from tests.ingest.ingest_world import HOME, World


@dataclass
class Fanout:
    """One sink of a world; `waits` are the pauses between tries, seconds."""

    world: World
    sink: FakeSink = field(default_factory=FakeSink)
    settings: SinksSettings = field(default_factory=lambda: SinksSettings(batch=4))
    waits: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        until = self.world.enrichment.cursor
        context = DeliveryContext(self.world.file, self.settings, DEFAULT, until, self.waits.append)
        self.delivery = SinkDelivery(context, self.sink)

    @property
    def mine(self) -> Partition:
        return partition(self.world.file.journal, HOME)

    def texts(self) -> list[str]:
        """Return what the sink holds, by journal sequence."""
        rows = sorted(self.sink.rows.get(self.mine, {}).values(), key=lambda entry: entry.seq)
        return [
            entry.payload.event["payload"]["text"]
            for entry in rows
            if isinstance(entry.payload, ExperienceCaptured) and entry.payload.event
        ]

    def forget(self, *seqs: int) -> None:
        """Erase some memories in the file alone."""
        request = ForgettingRequest(seqs=seqs)
        erase(self.world.file, HOME, request, lambda _: list)


@pytest.fixture
def fanout(world: World) -> Fanout:
    return Fanout(world)


def tell(world: World, *texts: str, session: str = "s") -> None:
    world.live(*(user(text, session={"key": session}) for text in texts))


def test_all_is_delivered_once_and_in_order(fanout):
    texts = [f"The boat number {n} is blue." for n in range(9)]
    tell(fanout.world, *texts)
    fanout.delivery.deliver(HOME)
    assert fanout.texts() == texts
    delivered = [entry.seq for batch in fanout.sink.batches for entry in batch.entries]
    assert delivered == sorted(set(delivered))
    assert fanout.delivery.status(HOME).lag == 0
    before = len(fanout.sink.batches)
    fanout.delivery.deliver(HOME)
    assert len(fanout.sink.batches) == before


def test_nothing_is_delivered_that_is_not_enriched(fanout):
    fanout.world.take(user("It was captured just now."))
    fanout.delivery.deliver(HOME)
    assert fanout.texts() == []
    assert fanout.delivery.status(HOME).lag == 1


def test_a_sink_that_comes_back_in_time_is_not_noticed(fanout, monkeypatch):
    tell(fanout.world, "The boat is blue.")
    deliver, tries = fanout.sink.deliver, []

    def flaky(batch: SinkBatch) -> None:
        tries.append(batch)
        if len(tries) < 3:
            raise Unavailable("not now")
        deliver(batch)

    monkeypatch.setattr(fanout.sink, "deliver", flaky)
    fanout.delivery.deliver(HOME)
    assert fanout.texts() == ["The boat is blue."]
    assert [round(wait, 1) for wait in fanout.waits] == pytest.approx([0.3, 0.6], abs=0.13)
    assert fanout.delivery.status(HOME).failures == 0


def test_a_sink_that_stays_away_is_left_until_later_and_lacks_nothing_then(fanout):
    tell(fanout.world, "The boat is blue.", "The boat is old.")
    fanout.sink.down = True
    with pytest.raises(Unavailable):
        fanout.delivery.deliver(HOME)
    assert len(fanout.waits) == fanout.settings.attempts - 1
    status = fanout.delivery.status(HOME)
    assert (status.failures, status.error) == (1, "fake is down")
    assert status.lag > 0
    assert not fanout.delivery.is_due(HOME)
    assert fanout.world.file.space(HOME).tasks.counts() == {"waiting": 0, "dead": 0}
    fanout.world.later(minutes=2)
    fanout.sink.down = False
    fanout.delivery.deliver(HOME)
    assert fanout.texts() == ["The boat is blue.", "The boat is old."]
    assert fanout.delivery.status(HOME).failures == 0


def test_what_a_sink_refuses_is_not_tried_again_at_once(fanout, monkeypatch):
    tell(fanout.world, "The boat is blue.")

    def refuse(_batch: SinkBatch) -> None:
        raise Refused("not this")

    monkeypatch.setattr(fanout.sink, "deliver", refuse)
    with pytest.raises(Refused):
        fanout.delivery.deliver(HOME)
    assert fanout.waits == []
    assert fanout.delivery.status(HOME).error == "not this"


def test_a_crash_after_a_batch_repeats_it_and_nothing_is_there_twice(fanout, monkeypatch):
    texts = [f"The boat number {n} is blue." for n in range(9)]
    tell(fanout.world, *texts)
    deliver = fanout.sink.deliver

    def crash(batch: SinkBatch) -> None:
        deliver(batch)
        if len(fanout.sink.batches) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(fanout.sink, "deliver", crash)
    with pytest.raises(KeyboardInterrupt):
        fanout.delivery.deliver(HOME)
    monkeypatch.undo()
    fanout.delivery.deliver(HOME)
    assert fanout.texts() == texts


def test_a_delivery_is_due_at_the_end_of_a_session_and_after_so_many_captures(world):
    fanout = Fanout(world, settings=SinksSettings(every=5))
    tell(world, "The boat is blue.", "The boat is old.")
    assert not fanout.delivery.is_due(HOME)
    tell(world, "The boat is slow.")
    world.later(hours=9)
    tell(world, "The house is red.", session="t")
    assert [e.kind for e in world.entries(EntryKind.EPISODE_SYNTHESISED)]
    assert fanout.delivery.is_due(HOME)
    fanout.delivery.deliver(HOME)
    assert not fanout.delivery.is_due(HOME)
    tell(world, *(f"The house has door {n}." for n in range(5)), session="t")
    assert fanout.delivery.is_due(HOME)


@pytest.mark.parametrize("exact", [True, False])
def test_what_is_forgotten_leaves_the_sink_and_never_comes_back(world, exact):
    fanout = Fanout(world, FakeSink(exact=exact))
    tell(world, "The boat is blue.", "The key is under the mat.", "The boat is old.")
    fanout.delivery.deliver(HOME)
    (secret,) = [e for e in world.entries() if "under the mat" in str(e.payload) and e.seq < 4]
    fanout.forget(secret.seq)
    assert fanout.delivery.status(HOME).forgettings == 1
    assert fanout.delivery.is_due(HOME)
    fanout.delivery.deliver(HOME)
    assert fanout.texts() == ["The boat is blue.", "The boat is old."]
    assert "under the mat" not in str(fanout.sink.rows)
    fanout.delivery.restart(HOME)
    fanout.delivery.deliver(HOME)
    assert fanout.texts() == ["The boat is blue.", "The boat is old."]
    assert fanout.delivery.status(HOME).forgettings == 0


def test_what_is_forgotten_while_its_batch_is_on_the_way_is_taken_out_again(fanout, monkeypatch):
    tell(fanout.world, "The key is under the mat.")
    deliver = fanout.sink.deliver

    def slow(batch: SinkBatch) -> None:
        monkeypatch.undo()
        fanout.forget(batch.entries[0].seq)
        deliver(batch)

    monkeypatch.setattr(fanout.sink, "deliver", slow)
    fanout.delivery.deliver(HOME)
    assert fanout.texts() == []


def test_a_forgetting_reaches_a_sink_that_was_down_later(fanout):
    tell(fanout.world, "The key is under the mat.")
    fanout.delivery.deliver(HOME)
    fanout.sink.down = True
    fanout.forget(1)
    with pytest.raises(Unavailable):
        fanout.delivery.forget(HOME)
    assert fanout.delivery.status(HOME).forgettings == 1
    fanout.sink.down = False
    fanout.delivery.forget(HOME)
    assert (fanout.texts(), fanout.delivery.status(HOME).forgettings) == ([], 0)


def test_another_version_is_delivered_from_the_beginning_to_an_empty_sink(fanout):
    tell(fanout.world, "The boat is blue.")
    fanout.delivery.deliver(HOME)
    fanout.sink.rows[fanout.mine]["left over"] = next(iter(fanout.world.entries()))
    fanout.sink.version = 2
    fanout.delivery.deliver(HOME)
    assert "left over" not in fanout.sink.rows[fanout.mine]
    assert fanout.texts() == ["The boat is blue."]


def test_what_is_read_otherwise_since_it_was_delivered_is_delivered_anew(fanout, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(rule_stages, "extract_mentions", lambda *_, **__: ())
        tell(fanout.world, "My sister Mira lives in Bergen.")
        fanout.delivery.deliver(HOME)
    fanout.world.enrichment.restart(HOME)
    fanout.world.enrichment.catch_up(HOME)
    fanout.delivery.deliver(HOME)
    held = {id: entry.payload for id, entry in fanout.sink.rows[fanout.mine].items()}
    mentioned = [p for p in held.values() if isinstance(p, EntitiesMentioned)]
    assert {thing.name for payload in mentioned for thing in payload.entities} >= {"Bergen"}
    fanout.delivery.restart(HOME)
    fanout.delivery.deliver(HOME)
    assert {id: entry.payload for id, entry in fanout.sink.rows[fanout.mine].items()} == held


def test_two_deliveries_to_one_sink_do_not_meet(fanout):
    tell(fanout.world, "The boat is blue.")
    leases = fanout.world.file.space(HOME).leases
    leases.take("sink fake", f"elsewhere:{1}:x", fanout.world.clock())
    with pytest.raises(Unavailable, match="another process"):
        fanout.delivery.deliver(HOME)
    assert fanout.delivery.status(HOME).failures == 0


def test_every_delivery_and_failure_is_traced(fanout):
    tell(fanout.world, "The boat is blue.")
    fanout.sink.down = True
    with pytest.raises(Unavailable):
        fanout.delivery.deliver(HOME)
    fanout.sink.down = False
    fanout.delivery.deliver(HOME)
    lines = [line for line in fanout.world.file.trace.read(HOME, 0) if line.kind == "sink"]
    assert [(line.decision, line.subject) for line in lines] == [
        ("failed", "fake"),
        ("delivered", "fake"),
    ]
