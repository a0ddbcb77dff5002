"""Enrichment: each experience once, in batches behind a cursor, whoever else is at work."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from meridia.core.errors import ModelMismatch, NotFound, Unavailable
from meridia.core.ids import concept_id, content_hash, person_id
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.core.types import Entry, EntryKind, Space
from meridia.ingest.curation import gazetteer
from meridia.ingest.enrichment.worker import LEASE, EnrichmentWorker
from meridia.models.tokens import split_chunks
from meridia.storage.store import Store
from meridia.storage.vectors import VectorIndex, VectorIndexes, VectorTable
from meridia.storage.work import Cursors, new_owner
from tests.drafts import recorded
from tests.fakes import FakeEmbedder, numbered
from tests.graph.journal_drafts import AWAY, HOME
from tests.storage.projections.test_catalog import capture


def worker(
    file: Store, embedder: FakeEmbedder | None = None, batch: int = 2, chunk_words: int = 160
) -> EnrichmentWorker:
    settings = Settings(embedding=EmbeddingSettings(batch=batch, chunk_words=chunk_words))
    return EnrichmentWorker(file, lambda: embedder, VectorIndexes(file), settings)


def enriched(file: Store, space: Space = HOME) -> list[dict[str, Any]]:
    """Return what enrichment found, in the order of the experiences."""
    entries = file.journal.read(space)
    order = {entry.id: entry.seq for entry in entries}
    payloads = [recorded(e) for e in entries if e.kind is EntryKind.EXPERIENCE_ENRICHED]
    return sorted(payloads, key=lambda payload: order[payload["experience"]])


def of_kind(file: Store, kind: EntryKind, space: Space = HOME) -> list[Entry]:
    return file.journal.of_kind(space, kind)


def test_every_experience_is_enriched_once_and_in_order(private_file):
    texts = ["Walking in Rome", "and so it is", "Rome again"]
    for text in texts:
        capture(private_file, text)
    assert worker(private_file).catch_up(HOME)
    concepts = [payload["concepts"] for payload in enriched(private_file)]
    assert concepts == [{"walk": "walking", "rome": "rome"}, {}, {"rome": "rome"}]
    before = private_file.journal.head(HOME)
    for _ in range(2):
        assert worker(private_file).catch_up(HOME)
    assert private_file.journal.head(HOME) == before
    assert worker(private_file).cursor(HOME) == before.seq


def test_an_enrichment_happened_when_its_experience_did(private_file):
    capture(private_file, ts="2001-01-01T00:00:00Z")
    worker(private_file).catch_up(HOME)
    captured, _, enrichment = private_file.journal.read(HOME)
    assert enrichment.at == captured.at < enrichment.recorded_at
    assert enrichment.key == captured.id


def test_people_are_met_once_and_named_where_others_speak_of_them_after_they_spoke(private_file):
    capture(private_file, "I met Bob", person="Dana")
    capture(private_file, "Bob here; Dana, hello", person=" BOB ")
    capture(private_file, "Dana and Dana's dog", person="dana")
    worker(private_file, batch=100).catch_up(HOME)
    met = [recorded(entry) for entry in of_kind(private_file, EntryKind.PERSON_MET)]
    assert met == [
        {"person": person_id(HOME, "Dana"), "name": "Dana", "aliases": []},
        {"person": person_id(HOME, "Bob"), "name": " BOB ", "aliases": []},
    ]
    payloads = enriched(private_file)
    named = [[person["id"] for person in payload["people"]] for payload in payloads]
    assert named == [[], [person_id(HOME, "Dana")], []], "nobody knew of Bob yet"
    assert [list(payload["concepts"]) for payload in payloads] == [
        ["bob", "met"],
        ["hello"],
        ["dog"],
    ]
    people = gazetteer(private_file, HOME)
    assert [person.id for person in people.people] == [met[0]["person"], met[1]["person"]]


def test_captions_are_concepts_and_stand_for_words_that_are_missing(private_file, embedder):
    picture = [{"uri": "a", "description": "a red barn"}]
    capture(private_file, "Look", artifacts=picture)
    capture(private_file, "", artifacts=picture)
    worker(private_file, embedder).catch_up(HOME)
    assert [set(payload["concepts"]) for payload in enriched(private_file)] == [
        {"look", "red", "barn"},
        {"red", "barn"},
    ]
    assert embedder.asked == ["Look", "a red barn"]


def test_a_text_is_embedded_once_and_by_its_parts(private_file, embedder):
    long = " ".join(f"word{i}" for i in range(40))
    for text in ("same", "same", long, "same"):
        capture(private_file, text)
    worker(private_file, embedder, chunk_words=16).catch_up(HOME)
    assert embedder.asked == ["same", *split_chunks(long, 16)]
    index = VectorIndex.empty(16).extended(VectorTable(numbered(private_file)), embedder.model, 99)
    assert index.seqs.tolist() == [1, 2, 3, 4]
    expected = FakeEmbedder().embed(["same", "same", *split_chunks(long, 16), "same"])
    assert np.abs(index.rows - expected).max() < 1e-3


def test_spaces_are_enriched_apart(private_file, embedder):
    capture(private_file, "Rome", person="Dana")
    capture(private_file, "Rome", AWAY, person="Dana")
    enrichment = worker(private_file, embedder)
    enrichment.catch_up(HOME)
    assert enrichment.cursor(AWAY) == 0
    assert embedder.asked == ["Rome"]
    enrichment.catch_up(AWAY)
    assert embedder.asked == ["Rome", "Rome"]
    (away,) = of_kind(private_file, EntryKind.PERSON_MET, AWAY)
    assert away.key == person_id(AWAY, "Dana") != person_id(HOME, "Dana")
    assert concept_id(AWAY, "rome") != concept_id(HOME, "rome")


def test_a_space_that_does_not_exist_cannot_be_enriched(private_file):
    with pytest.raises(NotFound):
        worker(private_file).catch_up(HOME)


def test_an_erased_experience_is_passed_over(private_file, embedder):
    for text in ("one", "secret", "three"):
        capture(private_file, text)
    with private_file.database.writing() as connection:
        connection.execute("DELETE FROM payload WHERE seq = 2")
    assert worker(private_file, embedder).catch_up(HOME)
    assert embedder.asked == ["one", "three"]
    assert len(enriched(private_file)) == 2


# Stopping and going on


def test_it_stops_when_told_and_goes_on_where_it_was(private_file, embedder):
    for i in range(6):
        capture(private_file, f"text {i}")
    turns = iter([True, True, False])
    assert not worker(private_file, embedder).catch_up(HOME, lambda: next(turns))
    assert len(enriched(private_file)) == 4
    assert worker(private_file, embedder).catch_up(HOME)
    assert embedder.asked == [f"text {i}" for i in range(6)]


def test_it_tells_how_far_it_is(private_file):
    for i in range(5):
        capture(private_file, f"text {i}")
    reports: list[tuple[int, int]] = []
    worker(private_file).catch_up(HOME, progress=lambda done, total: reports.append((done, total)))
    assert reports[0] == (0, 5)
    assert all(done <= total for done, total in reports)
    starts = [place for place, (done, _) in enumerate(reports) if done == 0]
    for first, end in zip(starts, [*starts[1:], len(reports)], strict=True):
        pass_reports = reports[first:end]
        assert pass_reports == sorted(pass_reports)
        assert pass_reports[-1][0] == pass_reports[-1][1]


class FailingEmbedder(FakeEmbedder):
    """An embedder that fails once, at a text."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if self.at in texts:
            self.at = ""
            raise Unavailable("the model is down")
        return super().embed(texts)


def test_a_model_that_fails_holds_up_no_rule_and_repeats_at_most_one_batch(private_file):
    embedder = FailingEmbedder("text 3")
    for i in range(6):
        capture(private_file, f"text {i}", person=f"P{i}")
    with pytest.raises(Unavailable):
        worker(private_file, embedder).catch_up(HOME)
    assert len(enriched(private_file)) == 6, "what needs no model is done"
    assert embedder.asked == ["text 0", "text 1"]
    assert worker(private_file, embedder).cursor(HOME) == 2
    assert worker(private_file, embedder).catch_up(HOME)
    assert embedder.asked == [f"text {i}" for i in range(6)]
    assert len(enriched(private_file)) == 6
    assert len(of_kind(private_file, EntryKind.PERSON_MET)) == 6


def test_a_batch_that_cannot_be_written_leaves_nothing_of_it(private_file, embedder, monkeypatch):
    capture(private_file, "one", person="Dana")

    def fail(*_: object) -> None:
        raise Unavailable("the disk is busy")

    with monkeypatch.context() as patch:
        patch.setattr(Cursors, "move", fail)
        with pytest.raises(Unavailable):
            worker(private_file, embedder).catch_up(HOME)
    assert len(private_file.journal.read(HOME)) == 1
    hashes = VectorTable(numbered(private_file)).embedded_hashes(
        embedder.model, [content_hash("one")]
    )
    assert hashes == set()


# Several workers


class OvertakenEmbedder(FakeEmbedder):
    """An embedder during whose work another worker does the same."""

    def __init__(self, other: EnrichmentWorker) -> None:
        super().__init__()
        self.other: EnrichmentWorker | None = other

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        other, self.other = self.other, None
        if other:
            other.catch_up(HOME)
        return super().embed(texts)


def test_a_worker_that_was_overtaken_throws_its_copy_away(private_file):
    for i in range(5):
        capture(private_file, f"text {i}", person=f"P{i}")
    overtaken = OvertakenEmbedder(worker(private_file, FakeEmbedder(), batch=3))
    assert worker(private_file, overtaken).catch_up(HOME)
    assert len(enriched(private_file)) == 5
    assert len(of_kind(private_file, EntryKind.PERSON_MET)) == 5
    assert overtaken.asked == ["text 0", "text 1"]


def test_several_workers_at_once_do_everything_once(journal_file):
    for i in range(12):
        capture(journal_file, f"text {i}", person=f"P{i}")
    workers = [worker(journal_file, FakeEmbedder(), batch=batch) for batch in (1, 2, 3)]
    with ThreadPoolExecutor(3) as threads:
        assert all(threads.map(lambda each: each.catch_up(HOME), workers))
    entries = journal_file.journal.read(HOME)
    kinds = [entry.kind for entry in entries]
    assert kinds.count(EntryKind.EXPERIENCE_ENRICHED) == 12
    assert kinds.count(EntryKind.PERSON_MET) == 12
    assert len({(entry.kind, entry.key) for entry in entries}) == len(entries)
    assert list(journal_file.journal.verify(HOME)) == []


def test_who_waits_for_another_workers_turn_can_end_the_wait(private_file):
    capture(private_file, "one")
    leases = private_file.space(HOME).leases
    assert leases.take(LEASE, new_owner(), private_file.clock())

    class Ended(Exception):
        pass

    def end(_done: int, _total: int) -> None:
        raise Ended

    with pytest.raises(Ended):
        worker(private_file).catch_up(HOME, progress=end)
    assert enriched(private_file) == []


# Models


def test_another_model_is_stopped_before_it_embeds_anything(private_file, embedder):
    capture(private_file, "one")
    worker(private_file, embedder).catch_up(HOME)
    capture(private_file, "two")
    other = FakeEmbedder("other:16:2")
    with pytest.raises(ModelMismatch, match="other:16:2"):
        worker(private_file, other).catch_up(HOME)
    models = private_file.database.connection.execute("SELECT DISTINCT model FROM embedding")
    assert (other.asked, models.fetchall()) == ([], [(embedder.model,)])
    assert worker(private_file, embedder).catch_up(HOME)
    assert embedder.asked == ["one", "two"]


def test_without_an_embedder_everything_else_is_done(private_file):
    capture(private_file, "Rome", person="Dana")
    assert worker(private_file, None).catch_up(HOME)
    assert [list(payload["concepts"]) for payload in enriched(private_file)] == [["rome"]]


def test_what_was_captured_without_an_embedder_is_embedded_once_there_is_one(
    private_file, embedder
):
    capture(private_file, "Rome")
    worker(private_file, None).catch_up(HOME)
    capture(private_file, "Paris")
    worker(private_file, embedder).catch_up(HOME)
    assert set(embedder.asked) == {"Rome", "Paris"}
