"""What is listed is compared with the journal, in a copy that leaves nothing behind."""

from __future__ import annotations

import pytest

from meridia import Memory, restore
from meridia.core.settings import AnalysisSettings
from meridia.storage.copies.comparison import fingerprints, private_copy
from tests.ingest.forgetting.told import PLAIN

#: What a fault changes → the list that is told to be wrong.
FAULTS = {
    "UPDATE experience SET person = 'Eve' WHERE seq = 1": "list of experiences",
    "DELETE FROM relationship": "list of people",
    "UPDATE edge SET weight = weight + 0.5": "edges",
    "UPDATE node SET name = 'x'": "nodes",
    "DELETE FROM fact_entry": "index of facts",
    "INSERT INTO full_text (space, seq, terms) VALUES (1, 99, 'planted')": "full text",
}


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=PLAIN, enrich="manual") as memory:
        for text in ("I live in Bergen.", "My sister Kim works as a nurse.", "The ferry is late."):
            memory.remember(text, person="Dana", session="s1")
        memory.enrich()
        yield memory


def test_what_is_whole_is_said_to_be_and_nothing_is_left_behind(memory, tmp_path):
    memory.remember("Not yet enriched.")
    head = memory.parts.journal.head(memory.space)
    assert memory.verify() == []
    assert memory.parts.journal.head(memory.space) == head
    assert not list(tmp_path.glob(".meridia-*"))


@pytest.mark.parametrize(("fault", "listed"), FAULTS.items())
def test_a_list_that_differs_from_the_journal_is_named_and_rebuilt(memory, fault, listed):
    with memory.parts.database.writing() as connection:
        assert connection.execute(fault).rowcount
    assert listed in {finding.problem.partition(":")[0] for finding in memory.verify()}
    assert memory.verify(quick=True) == []
    memory.rebuild()
    assert memory.verify() == []


def test_a_copy_says_what_the_file_says(memory):
    with private_copy(memory.parts) as copy:
        assert fingerprints(copy, memory.space) == fingerprints(memory.parts, memory.space)


def test_a_journal_in_another_language_is_compared_and_restored_in_it(tmp_path):
    german = PLAIN.model_copy(update={"analysis": AnalysisSettings(language="german")})
    with Memory.open(tmp_path / "a.db", settings=german, enrich="manual") as memory:
        memory.remember("Die Schiffe liegen in den Häfen von Bergen.", person="Dana")
        memory.enrich()
        assert memory.verify() == []
        (tmp_path / "a.jsonl").write_text("".join(f"{line}\n" for line in memory.export()))
        expected = fingerprints(memory.parts, memory.space)
    restore(tmp_path / "a.jsonl", tmp_path / "b.db", settings=german)
    with Memory.open(tmp_path / "b.db", settings=german, enrich="manual") as memory:
        memory.enrich()
        assert fingerprints(memory.parts, memory.space) == expected
