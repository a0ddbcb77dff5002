from __future__ import annotations

import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.chatgpt import read
from meridia.ingest.importers.import_record import ImportLimits, ImportRecord, ImportSource


def records(mapping: dict[str, Any], **fields: Any) -> list[ImportRecord]:
    body = json.dumps([{"title": "x", "id": "c", "mapping": mapping, **fields}]).encode()
    return list(read(ImportSource(io.BytesIO(body), "conversations.json"), ImportLimits()))


def node(id: str, parent: str | None, text: str = "x", role: str = "user") -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"parent": parent, "message": {"id": id, "author": {"role": role}, "content": content}}


@given(st.lists(st.integers(0, 30), min_size=1, max_size=30), st.data())
def test_imported_is_the_branch_of_the_current_node(
    parents: list[int], data: st.DataObject
) -> None:
    tree = {
        str(at): node(str(at), str(parent % at) if at else None)
        for at, parent in enumerate(parents)
    }
    leaf = data.draw(st.sampled_from(sorted(tree)))
    branch, at = [], leaf
    while at is not None:
        branch.append(at)
        at = tree[at]["parent"]
    events = [record.event for record in records(tree, current_node=leaf)]
    assert [event and event.id for event in events] == branch[::-1]


def test_a_tree_that_goes_round_ends() -> None:
    assert len(records({"a": node("a", "b"), "b": node("b", "a")}, current_node="a")) == 2


def test_a_role_that_nobody_knows_is_refused_alone() -> None:
    tree = {"a": node("a", None, role="chief"), "b": node("b", "a")}
    first, second = records(tree, current_node="b")
    assert "author.role is 'chief'" in str(first.problem)
    assert second.event is not None
