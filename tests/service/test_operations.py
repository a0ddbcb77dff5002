"""The table of operations: names, access, and what each takes."""

from __future__ import annotations

import sqlite3

import pytest
from fakes import FakeEmbedder

from meridia.core.settings import Settings
from meridia.memory import Memory
from meridia.service.operations import OPERATIONS
from meridia.storage.api_keys import Access

NAMED = {operation.name: operation for operation in OPERATIONS}


def test_names_are_different_and_lead_to_different_paths():
    assert len(NAMED) == len(OPERATIONS)
    assert NAMED["why_not"].path == "/v1/why-not"
    assert NAMED["list"].path == "/v1/list"


def test_only_forgetting_is_destructive_and_asks_for_most():
    destructive = {operation.name for operation in OPERATIONS if operation.is_destructive}
    assert destructive == {"forget"}
    assert NAMED["forget"].access is NAMED["doctor"].access is Access.ADMIN


def test_whoever_may_write_decides_about_ideas_and_whoever_reads_sees_them():
    assert NAMED["ideas"].access is Access.READ
    assert NAMED["propose_ideas"].access is NAMED["decide_idea"].access is Access.WRITE


def test_every_operation_says_what_it_does_and_names_a_space():
    for operation in OPERATIONS:
        assert operation.summary.endswith("."), operation.name
        assert "space" in operation.parameters.model_fields, operation.name


def test_what_is_asked_in_a_query_string_has_no_objects_in_it():
    for operation in OPERATIONS:
        schema = operation.parameters.model_json_schema()
        kinds = str(list(schema["properties"].values()))
        assert not (operation.takes_query and ("object" in kinds or "array" in kinds))


@pytest.fixture(scope="module")
def read_journal(tmp_path_factory):
    """Give a memory with something of everything, enriched, and what may be asked of it."""
    path = tmp_path_factory.mktemp("read") / "read.db"
    with Memory(path, "home", Settings(), embedder=FakeEmbedder()) as memory:
        first = memory.remember("Jonas lives in Bern.", person="Dana", session="s1")
        memory.remember("The kettle of Jonas is broken.", person="Dana", session="s2")
        memory.enrich()
        memory.graph.project()
        recall = memory.recall("Where does Jonas live?")
        memory.resume("Dana")
    with Memory(path, "home", Settings(), embedder=FakeEmbedder()) as memory:
        yield memory, path, {"address": first.id, "recall": recall.id, "person": "Dana"}


def stored(path):
    """Return everything that a journal's file holds."""
    with sqlite3.connect(path) as file:
        lines = set(file.iterdump())
    file.close()
    return lines


@pytest.mark.parametrize(
    "operation", [o for o in OPERATIONS if o.takes_query], ids=lambda o: o.name
)
def test_what_a_link_can_ask_for_stores_nothing(read_journal, operation):
    memory, path, given = read_journal
    fields = operation.parameters.model_fields
    named = {name: value for name, value in given.items() if name in fields}
    before = stored(path)
    operation.run(memory, operation.parameters.model_validate(named))
    assert stored(path) == before
