"""One open journal file: the truth and the projections that are written together with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from meridia.core.errors import InvalidInput
from meridia.core.ids import person_id
from meridia.core.settings import AnalysisSettings, Settings
from meridia.core.types import Filters
from meridia.storage.store import open_store
from tests.drafts import recorded
from tests.fakes import SeededBytes, TickingClock, numbered
from tests.graph.journal_drafts import HOME, message_draft, small_journal
from tests.histories import every_kind


def test_a_captured_experience_is_listed_at_once_and_found_by_who_asks(journal_file):
    (answer,) = journal_file.journal.append(HOME, [message_draft("a walk in the rain", "m-1")])
    number = journal_file.journal.number(HOME)
    assert journal_file.catalog.find(HOME, "m-1").seq == answer.seq
    assert [seq for seq, _ in numbered(journal_file, number).full_text.match(["rain"], 5)] == [1]


def test_every_entry_is_in_its_lists_once_it_is_acknowledged(journal_file):
    ids = every_kind(journal_file.journal, HOME)
    assert len(journal_file.catalog.page(HOME, Filters(), 0, 100).memories) == len(ids)
    dana = numbered(journal_file).people.find(person_id(HOME, "Dana"))
    assert dana is not None
    assert dana.relationship_type == "collaborator"
    assert numbered(journal_file).entities.counts()[0] == 3
    told = [fact.kind for fact, _ in numbered(journal_file).facts.list_all()]
    assert (told.count("FactAsserted"), told.count("FactSuperseded")) == (6, 6)


def test_what_is_derived_is_in_no_list_of_experiences(journal_file):
    small_journal(journal_file.journal)
    assert len(journal_file.journal.read(HOME)) == 6
    assert len(journal_file.catalog.page(HOME, Filters(), 0, 10).memories) == 5


def test_a_projection_that_fails_keeps_the_entry_out(journal_file):
    journal_file.journal.append(HOME, [message_draft("one")])
    no_event = recorded(message_draft("two"))["event"] | {"payload": None}
    broken = type(message_draft())(message_draft().kind, "m-2", {"event": no_event})
    with pytest.raises((TypeError, AttributeError)):
        journal_file.journal.append(HOME, [message_draft("three"), broken])
    assert len(journal_file.journal.read(HOME)) == 1
    assert len(journal_file.catalog.page(HOME, Filters(), 0, 10).memories) == 1


def test_a_journal_that_was_closed_opens_with_everything_in_it(journal_path):
    first = open_store(journal_path, Settings(), TickingClock(), SeededBytes())
    small_journal(first.journal)
    head = first.journal.head(HOME)
    first.close()
    again = open_store(journal_path, Settings(), TickingClock(), SeededBytes(1))
    assert again.journal.head(HOME) == head
    assert len(again.catalog.page(HOME, Filters(), 0, 10).memories) == 5
    again.close()


def test_the_language_of_the_settings_is_that_of_the_search(tmp_path):
    settings = Settings(analysis=AnalysisSettings(language="german"))
    file = open_store(tmp_path / "journal.db", settings)
    file.journal.append(HOME, [message_draft("die Häuser")])
    assert numbered(file).full_text.match(["haus"], 5) != []
    file.close()


def test_an_unknown_language_is_refused_before_anything_is_made(tmp_path):
    settings = Settings(analysis=AnalysisSettings(language="klingon"))
    with pytest.raises(InvalidInput, match="klingon"):
        open_store(tmp_path / "journal.db", settings)
    assert list(tmp_path.iterdir()) == []


def test_capturing_loads_neither_arrays_nor_engines():
    script = (
        "import sys, meridia.storage.store, meridia.ingest.capture.service\n"
        "print(*sorted({'numpy', 'onnxruntime', 'neo4j', 'kglite', 'networkx'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == ""
