"""The table of operations: names, access, and what each takes."""

from __future__ import annotations

from meridia.service.operations import OPERATIONS
from meridia.storage.access.api_keys import Access

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
