"""Journals of every released version open for ever, and say what they said when written."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meridia.core.codec import unpack
from meridia.core.events import parse_event
from meridia.core.settings import Settings
from meridia.core.types import Outcome, Space
from meridia.graph.adjacency import Adjacency
from meridia.ingest.capture.service import CaptureService
from meridia.retrieval.recall_record import unpacked
from meridia.storage.store import Store, open_store
from meridia.storage.upkeep import verify
from meridia.storage.vectors import VectorIndex, VectorTable
from tests.golden.make import ERASED, EVENTS, MODEL, ROWS, described

FILES = sorted(Path(__file__).parent.glob("journal-*.sqlite.gz"))
HOME = Space("home")


@pytest.fixture(params=FILES, ids=lambda path: path.name.removesuffix(".sqlite.gz"))
def golden(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture
def expected(golden: Path) -> dict[str, Any]:
    return json.loads(golden.with_suffix("").with_suffix(".json").read_text("utf-8"))


@pytest.fixture
def file(golden: Path, journal_path: Path) -> Iterator[Store]:
    journal_path.write_bytes(gzip.decompress(golden.read_bytes()))
    opened = open_store(journal_path, Settings())
    yield opened
    opened.close()


def test_there_is_a_golden_journal_of_this_version():
    assert f"journal-{version('meridia')}.sqlite.gz" in [path.name for path in FILES]


def test_an_old_journal_says_the_same_for_ever(file, expected):
    assert [str(space) for space in file.journal.spaces()] == list(expected)
    for space in expected:
        assert described(file, Space(space)) == expected[space]


def test_nothing_in_an_old_journal_is_damaged(file, expected):
    for space in expected:
        assert list(verify(file, Space(space))) == []


def test_an_old_event_that_is_sent_again_is_known(file, expected):
    for space, fields in EVENTS:
        if "id" not in fields:
            continue
        answer = CaptureService(file).capture_event(Space(space), parse_event(fields))
        assert answer.outcome is Outcome.REDELIVERED
    assert described(file, HOME) == expected["home"]


def test_what_was_erased_stays_erased(file):
    (entry,) = [entry for entry in file.journal.read(HOME) if entry.key == ERASED]
    assert entry.payload is None


def test_an_old_journal_goes_on(file, expected):
    last = [e for e in expected["home"]["entries"] if e["stream"]][-1]
    event = {"kind": "user_message", "session": {"key": "s-9"}, "payload": {"text": "Anew"}}
    answer = CaptureService(file).capture_event(HOME, parse_event(event))
    assert answer.seq > expected["home"]["head"][0]
    assert file.journal.read(HOME)[-1].previous == last["id"]
    assert list(verify(file, HOME)) == []


def test_the_words_of_an_old_journal_are_found(file):
    for words, seq in (("job", 1), ("東京", 5), ("barn", 5)):
        found = file.space(HOME).full_text.match(file.analyser.terms(words), 9)
        assert seq in [place for place, _ in found]


def test_the_vectors_of_an_old_journal_are_kept(file):
    index = VectorIndex.empty(4).extended(VectorTable(file.space(HOME)), MODEL, 99)
    assert index.seqs.tolist() == [1]
    assert np.array_equal(index.rows, np.array(ROWS, np.float32))


def test_the_graph_of_an_old_journal_can_be_built(file):
    adjacency = Adjacency(file)
    adjacency.catch_up(Space("away"))
    assert len(adjacency.view(Space("away")).experiences.seqs) == 1


def test_what_was_packed_is_read_for_ever():
    """What texts are packed against never changes; these were packed by the version in the name."""
    packed = json.loads((Path(__file__).parent / "packed-0.1.0.json").read_text("utf-8"))
    assert unpack(b64decode(packed["packed"])) == packed["text"]
    assert unpacked(b64decode(packed["packed_inputs"])) == packed["inputs"]
